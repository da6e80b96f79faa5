cimport cython
from libc cimport math
from libc.stdint cimport int32_t, int64_t, uint8_t

from leantopics.ptm.kernels.ratios cimport Document
from leantopics.ptm.kernels.views cimport (
    PricesView, ScreenView, SolverView, TableView,
)

cdef double MIN_GAIN, inf, _NEAR

cpdef double presence_cost(
    PricesView prices, Py_ssize_t topic, double length, bint counted,
) noexcept nogil
cpdef (double, double) _collapsed(
    double c1, double c2, double own1, double own2, double new1, double new2,
) noexcept nogil
cpdef double accumulate(
    Document doc, Py_ssize_t m, TableView table, SolverView solver, ScreenView found,
) noexcept nogil
cpdef Py_ssize_t screen(
    Document doc, Py_ssize_t m, const uint8_t[::1] present, const uint8_t[::1] counted,
    double slack, TableView table, PricesView prices, SolverView solver,
    ScreenView found,
) noexcept nogil
