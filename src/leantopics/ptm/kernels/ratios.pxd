cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

from leantopics.ptm.kernels.views cimport CountsView, MixesView, SalientView, copy

cdef double inf

cdef class Document:
    cdef readonly const int32_t[::1] words
    cdef readonly const double[::1] counts
    cdef readonly double length, own_price

cpdef void read(CountsView counts, Py_ssize_t d, Document doc) noexcept nogil
cpdef tuple load_rows(
    object counts, object mixes, object salient, Py_ssize_t n_words, Py_ssize_t least,
)
cdef int _places(
    CountsView counts, MixesView mixes, Py_ssize_t least, int64_t[::1] first,
    int64_t[::1] start, int32_t[::1] doc, int32_t[::1] by_topic,
) except -1
cdef int _load(
    CountsView counts, SalientView salient, int64_t[::1] first, int64_t[::1] start,
    int32_t[::1] doc, int32_t[::1] by_topic, double[::1] scratch, double[::1] ratio,
) except -1
cpdef void load_row(
    SalientView salient, Py_ssize_t topic, Py_ssize_t n, const int32_t[::1] place,
    double[::1] row,
) noexcept nogil
cpdef void mark(const int32_t[::1] words, int32_t[::1] place, bint on) noexcept nogil
@cython.locals(total=double)
cpdef void mix(
    double[:, ::1] ratio, const double[::1] alpha, Py_ssize_t n_words, double[::1] q,
) noexcept nogil
cpdef void invert(const double[::1] q, Py_ssize_t n, double[::1] out) noexcept nogil
cpdef void split_counts(
    const double[::1] counts, const double[:, ::1] ratio, const double[::1] alpha,
    const double[::1] q, double[::1] out,
) noexcept nogil
cdef int _sort(
    const int64_t[::1] indptr, int32_t[::1] topic, double[::1] excess,
) except -1
