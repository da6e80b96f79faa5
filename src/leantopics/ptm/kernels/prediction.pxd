cimport cython
from libc.stdint cimport int32_t, int64_t

from leantopics.ptm.kernels.mixture cimport log_likelihood
from leantopics.ptm.kernels.ratios cimport Document, read
from leantopics.ptm.kernels.views cimport CountsView, MixesView, TableView

cdef double _CLOSE
cdef int _MOST

@cython.locals(alpha=double[::1], dot=double, moved=double)
cdef int _posterior(
    CountsView counts, MixesView mixes, double[::1] new_alpha, TableView table,
    const double[::1] base, const double[::1] prior, Document doc, int64_t[::1] column,
    double[:, ::1] ratio, double[::1] q, double[::1] scratch, double[::1] own,
    double[::1] values, double[::1] split,
) except -1
cdef void _mix(
    const double[:, ::1] ratio, const double[::1] alpha, Py_ssize_t n, double[::1] q,
) noexcept nogil
