cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t, uint8_t

from leantopics.baselines.kernels.special cimport digamma, exp_digamma

cdef double inf, _FAINT, _FADED, _LOST

cdef class _Work:
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] indices
    cdef const double[::1] data
    cdef const double[:, ::1] weights
    cdef double[:, ::1] by_word
    cdef double[::1] by_topic
    cdef const double[::1] counts
    cdef double[::1] q
    cdef double[::1] rest
    cdef double[::1] t
    cdef double[::1] total
    cdef double[::1] extra
    cdef double[::1] scratch
    cdef double[::1] phi
    cdef double[::1] eta
    cdef double[::1] gamma
    cdef double[::1] lgamma_eta
    cdef double[::1] digamma_eta
    cdef int64_t[::1] alive
    cdef Py_ssize_t size
    cdef double shift, least

cdef void _load(_Work work, Py_ssize_t d) noexcept nogil
@cython.locals(row=Py_ssize_t, lost=double)
cdef bint _mix(const double[::1] t, double shift, _Work work) noexcept nogil
@cython.locals(kept=Py_ssize_t)
cdef void _leave_out(_Work work) noexcept nogil
cpdef double in_logarithms(
    const double[::1] gamma, const double[::1] weights, double shift, double[::1] phi,
) noexcept nogil
@cython.locals(change=double)
cdef double _step(_Work work) noexcept nogil
cdef void _settle(
    Py_ssize_t d, const double[::1] eta, Py_ssize_t max_steps, double tol,
    double[::1] gamma, _Work work,
) noexcept nogil
cdef bint _updated(
    Py_ssize_t d, const double[::1] eta, Py_ssize_t max_steps, double tol,
    bint may_fade, double[::1] gamma, _Work work,
) noexcept nogil
cdef double _mixture(Py_ssize_t d, const double[::1] gamma, _Work work) noexcept nogil
cdef int _infer(
    _Work work, const double[::1] eta, Py_ssize_t max_steps, double tol,
    double[:, ::1] gamma,
) except -1
cdef (double, double) _bound(
    Py_ssize_t d, const double[::1] eta, const double[::1] gamma,
    double[::1] log_alpha, _Work work,
) noexcept nogil
cdef void _once_more(
    Py_ssize_t d, const double[::1] eta, double[::1] gamma, _Work work,
) noexcept nogil
cdef double _e_step(
    _Work work, const double[::1] eta, Py_ssize_t max_steps, double tol,
    double[:, ::1] gamma, double[::1] fresh, double[::1] own, double[:, ::1] statistics,
    double[::1] log_alpha,
)
cdef void _add(
    Py_ssize_t d, const double[::1] gamma, double shift, _Work work,
    double[:, ::1] statistics,
) noexcept nogil
cdef int _present(_Work work, const double[:, ::1] gamma, uint8_t[:, ::1] out) except -1
