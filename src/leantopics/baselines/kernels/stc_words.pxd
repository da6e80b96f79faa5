cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t, uint8_t

cdef double inf

@cython.locals(count=Py_ssize_t, now=Py_ssize_t)
cpdef (double, Py_ssize_t) word_ratio(
    double w, const int32_t[::1] topics, const double[::1] b, Py_ssize_t first,
    Py_ssize_t last, const double[::1] offset, double half, double x, Py_ssize_t start,
    int32_t[::1] active, double[::1] part,
) noexcept nogil
@cython.locals(end=Py_ssize_t)
cdef Py_ssize_t _positive(
    const int32_t[::1] topics, const double[::1] b, Py_ssize_t first, Py_ssize_t last,
    const double[::1] offset, double shift, Py_ssize_t start, int32_t[::1] active,
    double[::1] part,
) noexcept nogil
@cython.locals(part=double, largest=double, own=double, code=double)
cpdef int account(
    const int64_t[::1] indptr, const int32_t[::1] indices,
    const double[:, ::1] dictionary, double half, double lean,
    const double[:, ::1] theta, const double[::1] ratio, uint8_t[:, ::1] present,
    uint8_t[:, ::1] by_code, double[::1] mass,
) except -1
