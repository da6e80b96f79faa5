cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t, uint8_t

from leantopics.ptm.kernels.views cimport (
    Pairs, SharedView, StatisticsView, copy_ints, largest, reserve,
)

cdef double inf, _TOLERANCE
cdef int _BAND_SEARCH

cdef class Topic:
    cdef const int32_t[::1] word
    cdef const double[::1] x
    cdef const double[::1] beta0
    cdef const double[::1] fixed

cdef class Scratch:
    cdef double[::1] x_of
    cdef int32_t[::1] out
    cdef int32_t[::1] band
    cdef double[::1] deviance
    cdef uint8_t[::1] chosen
    cdef uint8_t[::1] best_chosen

cpdef double divergence(double x, double y) noexcept nogil
cpdef Py_ssize_t above(SharedView shared, double level) noexcept nogil
cdef (double, double, double) _threshold(
    Topic topic, SharedView shared, double price, double nu,
) noexcept nogil
cdef (double, double) _root(
    Topic topic, SharedView shared, double price, double nu,
) noexcept nogil
@cython.locals(small=bint)
cdef double _search(
    Py_ssize_t n, Scratch scratch, const double[::1] beta0, double value, double mass,
    double share, double nu,
) noexcept nogil
cpdef double set_value(
    const int32_t[::1] words, const double[::1] x_of, SharedView shared, double price,
    double nu,
) noexcept nogil
cpdef (Py_ssize_t, Py_ssize_t) choose_words(
    Topic topic, SharedView shared, double price, const int32_t[::1] old,
    Scratch scratch,
) noexcept nogil
cpdef void take(StatisticsView statistics, Py_ssize_t j, Topic topic) noexcept nogil
cdef Py_ssize_t _salient_words(
    Py_ssize_t first, StatisticsView statistics, SharedView shared,
    const double[::1] price, const int64_t[::1] old_indptr, const int32_t[::1] old_word,
    Topic topic, Scratch scratch, int64_t[::1] size, Pairs found,
) except -1
cdef (double, Py_ssize_t) _best_flip(
    Topic topic, SharedView shared, const int32_t[::1] words, const uint8_t[::1] inside,
    const uint8_t[::1] is_held, double[::1] x_of, double price_on, double price_off,
) noexcept nogil
