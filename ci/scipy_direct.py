"""A plugin of pytest that runs SciPy's tests of sparse direct solvers on our functions.

    pytest -p scipy_direct --pyargs scipy.sparse.linalg._dsolve.tests.test_linsolve

These tests take no arrays of other libraries. The functions that they import are replaced by ours, whose results are copied to the host. A
test of `KNOWN` is an expected failure, for the reason there; one that passes fails the run.
"""

import functools

import pytest

import cuprum
from cuprum.cupyx.scipy import sparse
from cuprum.cupyx.scipy.sparse import linalg

MODULE = 'test_linsolve'
OWN = 'the entries that spilu drops are others: here the error is smaller than the test expects'
KNOWN = {
    'TestSplu::test_lu_attr': 'complex64: one element of the product of the factors has an error of three units in the last place',
    'TestSplu::test_lu_refcount': "counts the references to SciPy's object",
    'TestSplu::test_spilu_smoketest': OWN,
    'TestSplu::test_threads_parallel': OWN,
}


def host(value):
    """Copies arrays and sparse arrays to the host."""
    if isinstance(value, cuprum.ndarray) or sparse.issparse(value):
        return value.get()
    return HostFactors(value) if isinstance(value, linalg.SuperLU) else value


class HostFactors:
    """Factors whose attributes and solutions are on the host."""

    def __init__(self, factors):
        self._factors = factors

    def __getattr__(self, name):
        value = getattr(self._factors, name)
        return on_host(value) if callable(value) else host(value)


def on_host(function):
    """Returns a function that copies the result of another one to the host."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        return on_host(result) if callable(result) else host(result)

    return call


def pytest_collection_modifyitems(config, items):
    """Replaces the functions of SciPy's test module, and marks the tests that are known to fail."""
    for module in {item.module for item in items if item.module.__name__.rpartition('.')[2] == MODULE}:
        for name in ('spsolve', 'splu', 'spilu', 'factorized', 'spsolve_triangular', 'is_sptriangular', 'spbandwidth'):
            setattr(module, name, on_host(getattr(linalg, name)))
        module.SuperLU, module.MatrixRankWarning = HostFactors, linalg.MatrixRankWarning
        module.SparseEfficiencyWarning = sparse.SparseEfficiencyWarning
    for item in items:
        reason = KNOWN.get(item.nodeid.partition('::')[2].partition('[')[0])
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
