cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

from leantopics.ptm.kernels.bounds cimport accumulate
from leantopics.ptm.kernels.mixture cimport solve
from leantopics.ptm.kernels.ratios cimport Document, invert, load_row, mark, read
from leantopics.ptm.kernels.views cimport (
    CountsView, Pairs, SalientView, ScreenView, SolverView, TableView, TrialView,
    copy, copy_ints, has, largest, reserve,
)

cdef double GAP, inf

cdef int _spread(
    CountsView counts, const int32_t[::1] first, SalientView salient, TableView table,
    double[::1] values, int64_t[::1] indptr, SolverView solver, ScreenView found,
    TrialView trial, Document doc, int32_t[::1] topics, double[::1] alpha, Pairs mixes,
) except -1
cdef (Py_ssize_t, double) _ascend(
    Document doc, Py_ssize_t first, SalientView salient, TableView table,
    SolverView solver, ScreenView found, TrialView trial, int32_t[::1] topics,
    double[::1] alpha,
) noexcept nogil
