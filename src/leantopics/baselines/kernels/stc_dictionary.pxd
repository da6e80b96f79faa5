cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

cdef double inf, _FLATTEST

@cython.locals(m=double, s=double[::1])
cpdef int slopes(
    const int64_t[::1] indptr, const int32_t[::1] indices, const double[::1] data,
    const double[:, ::1] theta, const double[::1] ratio, const double[:, ::1] coded,
    const double[:, ::1] dictionary, double half, double lean, double[::1] mean,
    double[:, ::1] gradient, double[:, ::1] curvature,
) except -1
@cython.locals(
    changed=bint, new=double, change=double, n_left=Py_ssize_t, before=Py_ssize_t,
    floor=double[::1], above=double[::1], inverse=double[::1], left=int64_t[::1],
)
cpdef double project(
    const double[:, ::1] dictionary, const double[:, ::1] gradient,
    double[:, ::1] curvature, double[::1] tau, double[:, ::1] move,
) except? -1
@cython.locals(total=double, s=double)
cpdef int means(
    const int64_t[::1] indptr, const int32_t[::1] indices, const double[:, ::1] theta,
    const double[::1] ratio, const double[:, ::1] coded, const double[:, ::1] table,
    double half, double lean, double[::1] out,
) except -1
cpdef double loss_change(
    const double[::1] w, const double[::1] mean, const double[::1] move, double length,
) noexcept nogil
