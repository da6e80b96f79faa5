cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

from leantopics.ptm.kernels.views cimport SharedView, StatisticsView
from leantopics.ptm.kernels.words cimport Scratch, Topic, choose_words, set_value, take

cdef double _value(
    Topic topic, const int32_t[::1] words, SharedView shared, double price,
    double[::1] x_of,
) noexcept nogil
cdef void _values(
    Py_ssize_t first, StatisticsView statistics, SharedView shared,
    const double[::1] price, const int64_t[::1] indptr, const int32_t[::1] word,
    double[::1] x_of, Topic topic, double[::1] out,
)
cdef Py_ssize_t _unite(
    StatisticsView statistics, Py_ssize_t j, Py_ssize_t k, double[::1] x_of,
    int32_t[::1] word, double[:, ::1] sums,
) noexcept nogil
cdef (double, Py_ssize_t) _merged_value(
    StatisticsView statistics, Py_ssize_t j, Py_ssize_t k, SharedView shared,
    double price, int32_t[::1] word, double[:, ::1] sums, Topic topic, Scratch scratch,
)
