"""Array types, and word counts in the form that kernels take."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Counts(NamedTuple):
    """Documents as CSR rows: ``data[indptr[d]:indptr[d + 1]]`` counts ``indices``."""

    indptr: Longs
    indices: Ints
    data: Floats


def longest(indptr: Longs) -> int:
    """Length of the longest row."""
    return int(np.diff(indptr).max(initial=0))
