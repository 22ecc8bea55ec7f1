//! Incomplete factors without fill-in: `_cuprum.IncompleteFactors`, which `cuprum.cupyx.scipy.sparse.linalg` wraps.

use cuprum::scipy::sparse::linalg::{self, IncompleteFactors, RowOrder, Trans};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::dtypes;
use crate::errors::OrRaise;
use crate::sparse::{PySparse, array};

/// Incomplete factors of a sparse matrix, which the iterative solvers take as a preconditioner.
#[pyclass(name = "IncompleteFactors", module = "cuprum._cuprum", frozen)]
pub(crate) struct PyIncompleteFactors(IncompleteFactors);

impl PyIncompleteFactors {
    /// Returns the factors.
    pub(crate) fn core(&self) -> &IncompleteFactors {
        &self.0
    }
}

#[pymethods]
impl PyIncompleteFactors {
    /// Factors a matrix: L L^H of a Hermitian one for `cholesky`.
    #[new]
    fn new(py: Python<'_>, a: &PySparse, order: &str, cholesky: bool) -> PyResult<PyIncompleteFactors> {
        let order = RowOrder::named(order).or_raise()?;
        let factor = if cholesky { linalg::ic0 } else { linalg::ilu0 };
        Ok(PyIncompleteFactors(py.detach(|| factor(a.core(), order)).or_raise()?))
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, [self.0.size(); 2])
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(dtypes::object(py, self.0.dtype())?.clone().into_any())
    }

    #[getter]
    fn nnz(&self) -> usize {
        self.0.nnz()
    }

    fn permutation<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, NdArray>>> {
        self.0.permutation().or_raise()?.map(|positions| wrap(py, positions)).transpose()
    }

    fn lower(&self, py: Python<'_>) -> PyResult<PySparse> {
        py.detach(|| self.0.lower()).or_raise().map(PySparse::from)
    }

    fn upper(&self, py: Python<'_>) -> PyResult<PySparse> {
        py.detach(|| self.0.upper()).or_raise().map(PySparse::from)
    }

    fn solve<'py>(&self, py: Python<'py>, b: &Bound<'_, PyAny>, trans: &str) -> PyResult<Bound<'py, NdArray>> {
        let (b, trans) = (array(b)?, Trans::named(trans).or_raise()?);
        wrap(py, py.detach(|| self.0.solve(b, trans)).or_raise()?)
    }
}

/// Adds the class to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyIncompleteFactors>()
}
