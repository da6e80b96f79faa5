cimport cython
from libc cimport math
from libc.stdint cimport int64_t, uint64_t

from leantopics.ptm.kernels.views cimport SolverView, TrialView, copy, largest

cdef double GAP, _FLAT, _OFFSET, _ROUGH, inf
cdef int _MAX_STEPS, _MAX_SHARES
cdef uint64_t _ONE, _SHIFT, _WHOLE

cdef double _dot(const double[::1] a, const double[::1] b, Py_ssize_t n) noexcept nogil
@cython.locals(s0=double, s1=double, s2=double, s3=double)
cdef void _products(
    const double[::1] a, const double[:, ::1] rows, const int64_t[::1] cols,
    Py_ssize_t count, Py_ssize_t n, double[::1] out,
) noexcept nogil
cdef uint64_t _bits(double number) noexcept nogil
cdef double _number(uint64_t bits) noexcept nogil
cdef double _lowest(const double[::1] q, Py_ssize_t n) noexcept nogil
cpdef double log_likelihood(
    const double[::1] counts, const double[::1] q, double[::1] log_q,
) noexcept nogil
cdef double _evaluate(
    const int64_t[::1] cols, const double[::1] counts, double[::1] alpha,
    SolverView work,
) noexcept nogil
cdef void _mix(
    const int64_t[::1] cols, double[::1] alpha, Py_ssize_t n, SolverView work,
) noexcept nogil
cdef void _slopes(
    const int64_t[::1] cols, const double[::1] counts, SolverView work,
) noexcept nogil
cdef void _curvature(
    const int64_t[::1] cols, Py_ssize_t known, Py_ssize_t n, SolverView work,
) noexcept nogil
cpdef void expand(
    const int64_t[::1] cols, const double[::1] counts, SolverView work,
) noexcept nogil
cpdef void quadratic_without(
    Py_ssize_t place, const int64_t[::1] rows, const double[::1] alpha,
    double[::1] start, TrialView trial, SolverView work,
) noexcept nogil
cpdef double best_share(
    const double[::1] counts, const double[::1] row, const double[::1] inverse,
    double share, SolverView work,
) noexcept nogil
cdef void _newton_point(
    Py_ssize_t m, double[::1] alpha, double[::1] grad, double[:, ::1] hess,
    double tolerance, double[::1] slope, double[::1] out,
) noexcept nogil
cdef void _move(
    Py_ssize_t m, double[::1] alpha, double[::1] step, double scale, double[::1] out,
) noexcept nogil
cpdef (double, double) solve(
    const int64_t[::1] cols, const double[::1] counts, double length, double[::1] alpha,
    double target, Py_ssize_t known, SolverView work,
) noexcept nogil
