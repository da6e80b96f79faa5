cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

from leantopics.baselines.kernels.stc_words cimport word_ratio

cdef double _RIDGE, _SWEEP_TOL, _SHORTEST
cdef int _SWEEPS

cdef class _Problem:
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] indices
    cdef const double[::1] data
    cdef const int64_t[::1] starts
    cdef const int32_t[::1] topics
    cdef const double[::1] b
    cdef double lambda_, gamma, rho
    cdef double[::1] offset
    cdef double[::1] idle
    cdef double[::1] total
    cdef double[::1] zeros
    cdef double[::1] spread
    cdef double[::1] trial
    cdef double[::1] slope
    cdef double[::1] after
    cdef double[::1] step
    cdef double[::1] part
    cdef double[:, ::1] hessian
    cdef int64_t[::1] free
    cdef int64_t[::1] place
    cdef int64_t[::1] ends
    cdef int32_t[::1] active
    cdef double[::1] b_active

@cython.locals(s=double, alike=double, objective=double, x=double, count=Py_ssize_t)
cdef double _evaluate(
    _Problem problem, Py_ssize_t d, const double[::1] theta, double[::1] ratio,
) noexcept nogil
@cython.locals(
    square=double, gradient=double, none=double, n_words=Py_ssize_t, q=Py_ssize_t,
)
cdef (Py_ssize_t, double) _newton(
    _Problem problem, Py_ssize_t d, const double[::1] theta, const double[::1] ratio,
) noexcept nogil
@cython.locals(total=double, fall=double)
cpdef double descend(
    const double[:, ::1] hessian, double[::1] gradient, const double[::1] floor,
    Py_ssize_t size, double[::1] step,
) noexcept nogil
cdef int _code_documents(
    _Problem problem, Py_ssize_t steps, double tol, double[:, ::1] theta,
    double[::1] ratio, double[::1] objective,
) except -1
cdef double _code(
    _Problem problem, Py_ssize_t d, Py_ssize_t steps, double least, double[::1] theta,
    double[::1] ratio,
) noexcept nogil
cdef double _step(
    _Problem problem, Py_ssize_t d, const double[::1] theta, double value,
    Py_ssize_t n_free, double[::1] ratio,
) noexcept nogil
