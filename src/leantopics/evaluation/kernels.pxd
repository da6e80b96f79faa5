cimport cython
from libc.stdint cimport int32_t, int64_t

@cython.locals(added=double, part=double, largest=double)
cdef int _mix(
    const int64_t[::1] indptr, const int32_t[::1] words,
    const int64_t[::1] weight_indptr, const int32_t[::1] weight_topic,
    const double[::1] weight, const double[:, ::1] word_topic, double[::1] total,
    int64_t[::1] winner,
) except -1
cdef int _count_windows(
    const int64_t[::1] position, const int64_t[::1] word, const int64_t[::1] document,
    const int64_t[::1] first, int64_t window, int64_t[::1] inside,
    int64_t[:, ::1] together,
) except -1
