cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from leantopics.ptm.kernels.bounds cimport presence_cost, screen
from leantopics.ptm.kernels.mixture cimport (
    best_share, expand, log_likelihood, quadratic_without, solve,
)
from leantopics.ptm.kernels.ratios cimport (
    Document, invert, load_row, load_rows, mark, mix, read,
)
from leantopics.ptm.kernels.views cimport (
    CountsView, MixesView, Pairs, PricesView, SalientView, ScreenView, SolverView,
    TableView, TrialView, copy, copy_ints, copy_square, largest, reserve,
)

cdef double GAP, MIN_GAIN, _MOVED, _RESTLESS, inf
cdef int SCREENED, REJECTED, SOLVED, ACCEPTED

cdef class _State:
    cdef uint8_t[::1] present
    cdef uint8_t[::1] counted
    cdef int32_t[::1] topics
    cdef double[::1] alpha
    cdef Py_ssize_t m, flips
    cdef double f, slack

cdef class _Proposed(Pairs):
    cdef int64_t[::1] document
    cdef int64_t[::1] ends
    cdef double[::1] f

@cython.locals(rows=int64_t[::1], mixed=double[::1])
cdef (Py_ssize_t, double, double, double) _best_addition(
    Document doc, Py_ssize_t m, double[::1] alpha, double f,
    Py_ssize_t n_candidates, SalientView salient, SolverView solver, ScreenView found,
    TrialView trial, int64_t[::1] tallies,
) noexcept nogil
@cython.locals(rows=int64_t[::1], mixed=double[::1])
cdef (Py_ssize_t, double, double) _best_removal(
    Document doc, Py_ssize_t m, int32_t[::1] topics, double[::1] alpha, double f,
    const uint8_t[::1] counted, double best_gain, PricesView prices,
    SolverView solver, ScreenView found, TrialView trial, int64_t[::1] tallies,
) noexcept nogil
cdef Py_ssize_t _visit(
    CountsView counts, MixesView mixes, double[::1] new_alpha, const int64_t[::1] start,
    const double[::1] rows, SalientView salient, TableView table, PricesView prices,
    bint fresh, double[::1] values, double[::1] quiet, int64_t[::1] tallies,
    SolverView solver, ScreenView found, TrialView trial, Document doc, _State state,
    _Proposed proposed,
) except -1
cdef double _flip(
    Document doc, SalientView salient, TableView table, PricesView prices,
    SolverView solver, ScreenView found, TrialView trial, _State state,
    int64_t[::1] tallies,
) noexcept nogil
