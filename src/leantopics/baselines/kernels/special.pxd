from libc cimport math

cdef double inf, _DEEP

cdef double _steps(double x) noexcept nogil
cdef double _series(double x) noexcept nogil
cdef double _exp(double v) noexcept nogil
cpdef double digamma(double x) noexcept nogil
cpdef double exp_of_digamma(double x) noexcept nogil
cpdef double exp_digamma(
    const double[::1] x, double[::1] out, double[::1] scratch,
) noexcept nogil
