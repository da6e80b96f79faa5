cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t, uint8_t

from leantopics.ptm.kernels.bounds cimport presence_cost
from leantopics.ptm.kernels.ratios cimport Document, read
from leantopics.ptm.kernels.views cimport (
    CountsView, MixesView, PricesView, TableView, copy, copy_ints, has, largest,
)

cdef double inf

cdef int _best_topics(
    CountsView counts, TableView table, const double[::1] log_ratio, PricesView prices,
    Document doc, double[::1] score, int32_t[::1] out,
) except -1
cpdef double change_cost(
    const int32_t[::1] old, const int32_t[::1] new, double length, PricesView prices,
) noexcept nogil
cdef int _propose(
    CountsView counts, MixesView mixes, const int64_t[::1] changed, Document doc,
    double[::1] length, const int64_t[::1] indptr, int32_t[::1] topic,
) except -1
cdef int _accept(
    const double[::1] lengths, const double[::1] gains, const int64_t[::1] old_indptr,
    const int32_t[::1] old_topic, const int64_t[::1] new_indptr,
    const int32_t[::1] new_topic, PricesView prices, double[::1] tokens,
    int64_t[::1] documents, uint8_t[::1] accepted,
) except -1
cdef int _replace(
    MixesView mixes, const int64_t[::1] source, const int64_t[::1] ends,
    const int32_t[::1] new_topic, const double[::1] new_alpha,
    const int64_t[::1] indptr, int32_t[::1] topic, double[::1] alpha,
) except -1
