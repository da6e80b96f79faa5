cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t, uint8_t

from leantopics.ptm.kernels.views cimport SharedView
from leantopics.ptm.kernels.words cimport above, divergence

cdef double inf

cdef class _GroupsView:
    cdef const int64_t[::1] start
    cdef const int64_t[::1] end
    cdef const int32_t[::1] rank
    cdef const double[::1] x
    cdef uint8_t[::1] strong
    cdef const double[::1] level
    cdef const double[::1] price

cdef int _mark_strong(
    _GroupsView groups, SharedView shared, Py_ssize_t first, Py_ssize_t last,
) except -1
@cython.locals(from_a=bint, from_b=bint)
cdef Py_ssize_t _unite(
    _GroupsView groups, Py_ssize_t a, Py_ssize_t b, int32_t[::1] rank, double[::1] x,
) noexcept nogil
cdef int _pair_values(
    Py_ssize_t a, const int64_t[::1] others, const double[::1] prices,
    _GroupsView groups, SharedView shared, double[::1] x_of, uint8_t[::1] strong_in_a,
    int64_t[::1] own, int64_t[::1] seen, double[::1] value, int64_t[::1] size,
) except -1
cdef (double, Py_ssize_t) _pair_value(
    Py_ssize_t a, Py_ssize_t b, double price, _GroupsView groups, SharedView shared,
    const double[::1] x_of, const uint8_t[::1] strong_in_a, const int64_t[::1] own,
    Py_ssize_t n_own, int64_t[::1] seen,
) noexcept nogil
@cython.locals(known=bint)
cpdef void regroup(
    const int64_t[::1] indptr, int64_t[::1] size, int32_t[::1] group,
    const int32_t[::1] into,
) noexcept nogil
cpdef void overlaps(
    const int64_t[::1] indptr, const int64_t[::1] size, const int32_t[::1] group,
    const double[::1] length, const double[::1] apart, const double[::1] joined,
    double[:, ::1] tokens, double[:, ::1] saved,
) noexcept nogil
cpdef double word_cost(double n_salient, double n_switches, bint exact) noexcept nogil
cdef (double, Py_ssize_t, Py_ssize_t) _cheapest(
    Py_ssize_t n_groups, const double[:, ::1] value, const int64_t[:, ::1] size,
    const double[::1] own_value, const int64_t[::1] own_size,
    const double[:, ::1] saved, const int64_t[::1] kin, Py_ssize_t n_words, bint exact,
    double[::1] table,
) noexcept nogil
