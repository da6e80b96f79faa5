cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

from leantopics.baselines.kernels.lda cimport in_logarithms
from leantopics.baselines.kernels.special cimport digamma, plain_exp_digamma

cdef double inf, _FAINT, _NOTHING, _FADED, _LOST

cdef class _Work:
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] indices
    cdef const double[::1] data
    cdef const double[:, ::1] beta
    cdef double[:, ::1] local
    cdef double[:, ::1] phi
    cdef double[::1] q
    cdef double[::1] rest
    cdef double[::1] t
    cdef double[::1] gamma
    cdef double[::1] eta
    cdef double[::1] total
    cdef double[::1] fresh
    cdef double[::1] t_eta
    cdef double[::1] left
    cdef double[::1] scratch
    cdef double[::1] lgamma_eta
    cdef double[::1] digamma_eta
    cdef int64_t[::1] alive
    cdef Py_ssize_t size
    cdef double whole, least, prior

@cython.locals(share=double, lost=double, q=double)
cdef double _pass(Py_ssize_t d, _Work work) noexcept nogil
cdef double _sum(const double[::1] x, Py_ssize_t n) noexcept nogil
cdef double _settle(
    Py_ssize_t d, const double[::1] eta, Py_ssize_t max_steps, double tol,
    double[::1] gamma, _Work work,
) noexcept nogil
@cython.locals(bound=double, before=double)
cdef double _updated(
    Py_ssize_t d, const double[::1] eta, Py_ssize_t max_steps, double tol,
    bint may_fade, double[::1] gamma, _Work work,
) noexcept nogil
cdef void _load(_Work work, Py_ssize_t d, const double[::1] eta) noexcept nogil
@cython.locals(kept=Py_ssize_t)
cdef void _leave_out(Py_ssize_t n_words, _Work work) noexcept nogil
@cython.locals(own=double, bound=double, whole=double)
cdef double _bound(Py_ssize_t d, _Work work) noexcept nogil
cdef int _infer(
    _Work work, const double[::1] eta, Py_ssize_t max_steps, double tol,
    double[:, ::1] gamma,
) except -1
@cython.locals(bounds=double)
cdef double _e_step(
    _Work work, const double[::1] eta, Py_ssize_t max_steps, double tol,
    double[:, ::1] gamma, double[:, ::1] statistics, double[::1] log_alpha,
)
@cython.locals(total=double)
cdef void _add(
    Py_ssize_t d, const double[::1] gamma, _Work work, double[:, ::1] statistics,
    double[::1] log_alpha,
) noexcept nogil
