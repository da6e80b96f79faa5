from libc cimport math

cdef double inf, _DEEP

cdef double _steps(double x) noexcept nogil
cdef double _series(double x) noexcept nogil
cdef double _exp(double v) noexcept nogil
cpdef double digamma(double x) noexcept nogil
cpdef double exp_digamma(
    const double[::1] x, Py_ssize_t n, double[::1] out, double[::1] scratch,
) noexcept nogil
cpdef void plain_exp_digamma(
    const double[::1] x, Py_ssize_t n, double[::1] out, double[::1] scratch,
) noexcept nogil
cdef void _finish(
    const double[::1] x, Py_ssize_t n, double shift, double[::1] out, double[::1] scratch,
) noexcept nogil
