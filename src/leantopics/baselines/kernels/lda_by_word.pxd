cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

from leantopics.baselines.kernels.lda cimport in_logarithms
from leantopics.baselines.kernels.special cimport digamma, exp_of_digamma

cdef double inf, _FAINT, _NOTHING

cdef class _Work:
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] indices
    cdef const double[::1] data
    cdef const double[:, ::1] beta
    cdef double[:, ::1] phi
    cdef double[::1] t
    cdef double[::1] fresh

@cython.locals(share=double)
cdef void _word(
    Py_ssize_t i, Py_ssize_t n, double c, const double[::1] eta, double[::1] gamma,
    _Work work,
) noexcept nogil
cdef double _sum(const double[::1] x, Py_ssize_t n) noexcept nogil
@cython.locals(bound=double, before=double)
cdef double _settle(
    Py_ssize_t d, const double[::1] eta, Py_ssize_t max_steps, double tol,
    double[::1] gamma, _Work work,
) noexcept nogil
@cython.locals(value=double, own=double, bound=double, before=double, total=double)
cdef double _bound(
    Py_ssize_t d, const double[::1] eta, double[::1] gamma, _Work work,
) noexcept nogil
cdef int _infer(
    _Work work, const double[::1] eta, Py_ssize_t max_steps, double tol,
    double[:, ::1] gamma,
) except -1
@cython.locals(bounds=double, total=double)
cdef double _e_step(
    _Work work, const double[::1] eta, Py_ssize_t max_steps, double tol,
    double[:, ::1] gamma, double[:, ::1] statistics, double[::1] log_alpha,
)
