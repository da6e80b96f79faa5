from libc.stdint cimport int32_t, int64_t, uint8_t

cdef class CountsView:
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] indices
    cdef const double[::1] data

cdef class MixesView:
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] topic
    cdef const double[::1] alpha

cdef class SalientView:
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] word
    cdef const double[::1] excess

cdef class TableView:
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] topic
    cdef const double[::1] excess

cdef class PartView:
    cdef const int64_t[::1] indptr
    cdef const int64_t[::1] size
    cdef const int32_t[::1] word
    cdef const double[::1] x

cdef class StatisticsView(PartView):
    cdef const double[::1] beta0
    cdef const double[::1] fixed

cdef class SharedView:
    cdef const double[::1] beta0
    cdef const int32_t[::1] order
    cdef const double[::1] sorted_beta0
    cdef const double[::1] cumulated

cdef class PricesView:
    cdef const double[::1] log_choose
    cdef const double[::1] half_salient
    cdef const double[::1] tokens
    cdef const int64_t[::1] documents

cdef class SolverView:
    cdef double[:, ::1] ratio
    cdef double[::1] q
    cdef double[::1] weight
    cdef double[::1] scratch
    cdef double[::1] grad
    cdef double[:, ::1] hess
    cdef double[::1] slope
    cdef double[::1] step
    cdef double[::1] move

cdef class ScreenView:
    cdef double[::1] inverse
    cdef double[::1] total
    cdef double[::1] near_count
    cdef double[::1] near
    cdef double[:, ::1] near_own
    cdef int32_t[::1] candidate
    cdef double[::1] hope
    cdef double[::1] price
    cdef double[::1] start
    cdef double[::1] short

cdef class TrialView:
    cdef int64_t[::1] columns
    cdef int64_t[::1] kept
    cdef double[::1] alpha
    cdef double[::1] slope
    cdef double[:, ::1] hess
    cdef double[::1] best_alpha
    cdef double[::1] best_row
    cdef int32_t[::1] place

cdef class Pairs:
    cdef int32_t[::1] number
    cdef double[::1] value

cpdef void copy(
    const double[::1] source, double[::1] target, Py_ssize_t n,
) noexcept nogil
cpdef void copy_ints(
    const int32_t[::1] source, int32_t[::1] target, Py_ssize_t n,
) noexcept nogil
cpdef int reserve(Pairs pairs, Py_ssize_t used, Py_ssize_t size) except -1 nogil
cpdef void copy_square(
    const double[:, ::1] source, double[:, ::1] target, Py_ssize_t n,
) noexcept nogil
cpdef bint has(const int32_t[::1] topics, Py_ssize_t topic) noexcept nogil
cpdef Py_ssize_t largest(const double[::1] values, Py_ssize_t n) noexcept nogil
