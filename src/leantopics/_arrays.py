"""Array types, and word counts in the form that kernels take."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leantopics._jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]
ULongs = NDArray[np.uint64]
UInts = NDArray[np.uint32]


class Counts(NamedTuple):
    """Documents as CSR rows: ``data[indptr[d]:indptr[d + 1]]`` counts ``indices``."""

    indptr: Longs
    indices: Ints
    data: Floats


@kernel
def longest(indptr: Longs) -> int:
    """Length of the longest row."""
    most = 0
    for d in range(indptr.shape[0] - 1):
        most = max(most, indptr[d + 1] - indptr[d])
    return most
