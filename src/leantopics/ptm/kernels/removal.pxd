cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

from leantopics.ptm.kernels.ratios cimport Document, read
from leantopics.ptm.kernels.views cimport CountsView, MixesView, TableView, largest

cdef int _losses(
    CountsView counts, MixesView mixes, TableView table, const double[::1] log_ratio,
    const double[::1] log_choose, const double[::1] gain, Document doc,
    double[::1] score, double[::1] weight, double[::1] loss, int32_t[::1] heir,
) except -1
cdef void _score(
    Document doc, TableView table, const double[::1] log_ratio, double[::1] score,
) noexcept nogil
cdef double _log_likelihood(
    Document doc, TableView table, const double[::1] weight,
) noexcept nogil
