cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

from leantopics.ptm.kernels.ratios cimport Document, read
from leantopics.ptm.kernels.views cimport CountsView, TableView

@cython.locals(base=double, f=double, q=double, ratio=double)
cdef int _step(
    CountsView counts, TableView table, double[:, ::1] alpha, double[::1] values,
    double[::1] total, Document doc,
) except -1
