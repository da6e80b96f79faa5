cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t

from leantopics.ptm.kernels.mixture cimport log_likelihood
from leantopics.ptm.kernels.ratios cimport Document, load_rows, mix, read, split_counts
from leantopics.ptm.kernels.views cimport (
    CountsView, MixesView, PartView, copy, copy_ints,
)

cdef int _entries(CountsView counts, MixesView mixes, int64_t[::1] out) except -1
cdef int _gather(
    CountsView counts, MixesView mixes, const double[::1] split, int64_t[::1] cursor,
    int32_t[::1] word, double[::1] x,
) except -1
cdef int _merge(
    int32_t[::1] word, double[::1] x, const int64_t[::1] indptr, Py_ssize_t first,
    Py_ssize_t last, double[::1] total, int64_t[::1] size,
) except -1
cdef int _complete(
    PartView part, Py_ssize_t first, Py_ssize_t last, const double[::1] shared,
    double[::1] beta0, double[::1] fixed,
) except -1
cdef int _expect(
    CountsView counts, MixesView mixes, const int64_t[::1] start,
    const double[::1] rows, bint wanted, Document doc, double[:, ::1] ratio,
    double[::1] q, double[::1] scratch, double[::1] split, double[::1] values,
) except -1
