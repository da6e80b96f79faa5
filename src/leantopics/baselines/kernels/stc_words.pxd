cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t, uint8_t

cdef double inf

cpdef double word_ratio(
    double w, const double[::1] b, const double[::1] offset, double half, double x,
) noexcept nogil
@cython.locals(part=double, largest=double, own=double, code=double)
cdef int _account(
    const int64_t[::1] indptr, const int32_t[::1] indices,
    const double[:, ::1] dictionary, double half, double lean,
    const double[:, ::1] theta, const double[::1] ratio, uint8_t[:, ::1] present,
    uint8_t[:, ::1] by_code, double[::1] mass,
) except -1
