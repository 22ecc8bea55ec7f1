//! Factors of sparse matrices: `_cuprum.SuperLU` and `_cuprum.Cholesky`, which `cuprum.cupyx.scipy.sparse.linalg` wraps.

use std::sync::{PoisonError, RwLock};

use cuprum::Array;
use cuprum::scipy::sparse::linalg::{
    self, BatchedLu, Cholesky, ColumnOrder, FactorOptions, IncompleteOptions, SuperLu, Trans, TriangularOptions,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::dtypes;
use crate::errors::OrRaise;
use crate::sparse::{PySparse, array};

/// LU factors of a sparse matrix.
#[pyclass(name = "SuperLU", module = "cuprum._cuprum", frozen)]
pub(crate) struct PySuperLu(RwLock<SuperLu>);

/// Cholesky factor of a sparse matrix.
#[pyclass(name = "Cholesky", module = "cuprum._cuprum", frozen)]
pub(crate) struct PyCholesky(RwLock<Cholesky>);

/// LU factors of a batch of sparse matrices.
#[pyclass(name = "BatchedLU", module = "cuprum._cuprum", frozen)]
pub(crate) struct PyBatchedLu(RwLock<BatchedLu>);

/// Calls a function of factors without the GIL; another thread may not replace them meanwhile.
fn reading<T: Sync + Send, R: Send>(
    py: Python<'_>,
    factors: &RwLock<T>,
    call: impl FnOnce(&T) -> cuprum::Result<R> + Send,
) -> PyResult<R> {
    py.detach(|| call(&factors.read().unwrap_or_else(PoisonError::into_inner))).or_raise()
}

/// Calls a function that replaces factors, without the GIL.
fn writing<T: Sync + Send>(
    py: Python<'_>,
    factors: &RwLock<T>,
    call: impl FnOnce(&mut T) -> cuprum::Result<()> + Send,
) -> PyResult<()> {
    py.detach(|| call(&mut factors.write().unwrap_or_else(PoisonError::into_inner))).or_raise()
}

/// Returns the order of the columns of this name, the default for `None`.
fn column_order(name: Option<&str>) -> PyResult<ColumnOrder> {
    name.map_or(Ok(ColumnOrder::Automatic), |name| ColumnOrder::named(name).or_raise())
}

fn dense<'py>(py: Python<'py>, a: cuprum::Result<Array>) -> PyResult<Bound<'py, NdArray>> {
    wrap(py, a.or_raise()?)
}

#[pymethods]
impl PySuperLu {
    /// Factors a matrix; with `incomplete`, the tolerance and the bound of the fill, incompletely.
    #[new]
    #[pyo3(signature = (a, order=None, threshold=None, incomplete=None, deterministic=true))]
    fn new(
        py: Python<'_>,
        a: &PySparse,
        order: Option<&str>,
        threshold: Option<f64>,
        incomplete: Option<(f64, f64)>,
        deterministic: bool,
    ) -> PyResult<PySuperLu> {
        let permc_spec = column_order(order)?;
        let compute = || match incomplete {
            None => linalg::splu(a.core(), FactorOptions { permc_spec, diag_pivot_thresh: threshold, deterministic }),
            Some((drop_tol, fill_factor)) => {
                let options = IncompleteOptions { drop_tol, fill_factor, permc_spec, diag_pivot_thresh: threshold };
                linalg::spilu(a.core(), options)
            }
        };
        Ok(PySuperLu(RwLock::new(py.detach(compute).or_raise()?)))
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let n = reading(py, &self.0, |lu| Ok(lu.size()))?;
        PyTuple::new(py, [n, n])
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dtype = reading(py, &self.0, |lu| Ok(lu.dtype()))?;
        Ok(dtypes::object(py, dtype)?.clone().into_any())
    }

    #[getter]
    fn nnz(&self, py: Python<'_>) -> PyResult<usize> {
        reading(py, &self.0, |lu| Ok(lu.nnz()))
    }

    fn permutations<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, NdArray>; 2]> {
        let [rows, columns] = reading(py, &self.0, |lu| Ok([lu.perm_r()?, lu.perm_c()?]))?;
        Ok([wrap(py, rows)?, wrap(py, columns)?])
    }

    fn lower(&self, py: Python<'_>) -> PyResult<PySparse> {
        reading(py, &self.0, SuperLu::lower).map(PySparse::from)
    }

    fn upper(&self, py: Python<'_>) -> PyResult<PySparse> {
        reading(py, &self.0, SuperLu::upper).map(PySparse::from)
    }

    fn solve<'py>(&self, py: Python<'py>, b: &Bound<'_, PyAny>, trans: &str) -> PyResult<Bound<'py, NdArray>> {
        let (b, trans) = (array(b)?, Trans::named(trans).or_raise()?);
        wrap(py, reading(py, &self.0, |lu| lu.solve(b, trans))?)
    }

    fn solve_sparse(&self, py: Python<'_>, b: &PySparse) -> PyResult<PySparse> {
        reading(py, &self.0, |lu| lu.solve_sparse(b.core())).map(PySparse::from)
    }

    fn refactor(&self, py: Python<'_>, a: &PySparse) -> PyResult<()> {
        writing(py, &self.0, |lu| lu.refactor(a.core()))
    }
}

#[pymethods]
impl PyBatchedLu {
    /// Factors matrices of one pattern.
    #[new]
    #[pyo3(signature = (pattern, values, order=None, threshold=None))]
    fn new(
        py: Python<'_>,
        pattern: &PySparse,
        values: &Bound<'_, PyAny>,
        order: Option<&str>,
        threshold: Option<f64>,
    ) -> PyResult<PyBatchedLu> {
        let (permc_spec, values) = (column_order(order)?, array(values)?);
        let options = FactorOptions { permc_spec, diag_pivot_thresh: threshold, ..FactorOptions::default() };
        let lu = py.detach(|| linalg::splu_batch(pattern.core(), values, options)).or_raise()?;
        Ok(PyBatchedLu(RwLock::new(lu)))
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (batch, n) = reading(py, &self.0, |lu| Ok((lu.batch(), lu.size())))?;
        PyTuple::new(py, [batch, n, n])
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dtype = reading(py, &self.0, |lu| Ok(lu.dtype()))?;
        Ok(dtypes::object(py, dtype)?.clone().into_any())
    }

    fn solve<'py>(&self, py: Python<'py>, b: &Bound<'_, PyAny>, trans: &str) -> PyResult<Bound<'py, NdArray>> {
        let (b, trans) = (array(b)?, Trans::named(trans).or_raise()?);
        wrap(py, reading(py, &self.0, |lu| lu.solve(b, trans))?)
    }

    fn refactor(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let values = array(values)?;
        writing(py, &self.0, |lu| lu.refactor(values))
    }
}

#[pymethods]
impl PyCholesky {
    #[new]
    fn new(py: Python<'_>, a: &PySparse) -> PyResult<PyCholesky> {
        Ok(PyCholesky(RwLock::new(py.detach(|| linalg::cholesky(a.core())).or_raise()?)))
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let n = reading(py, &self.0, |factor| Ok(factor.size()))?;
        PyTuple::new(py, [n, n])
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dtype = reading(py, &self.0, |factor| Ok(factor.dtype()))?;
        Ok(dtypes::object(py, dtype)?.clone().into_any())
    }

    fn permutation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, reading(py, &self.0, Cholesky::permutation)?)
    }

    fn lower(&self, py: Python<'_>) -> PyResult<PySparse> {
        reading(py, &self.0, Cholesky::lower).map(PySparse::from)
    }

    fn logdet<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, reading(py, &self.0, Cholesky::logdet)?)
    }

    fn solve<'py>(&self, py: Python<'py>, b: &Bound<'_, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let b = array(b)?;
        wrap(py, reading(py, &self.0, |factor| factor.solve(b))?)
    }

    fn refactor(&self, py: Python<'_>, a: &PySparse) -> PyResult<()> {
        writing(py, &self.0, |factor| factor.refactor(a.core()))
    }
}

/// Solves systems of equations with a sparse matrix.
#[pyfunction]
#[pyo3(signature = (a, b, order=None, deterministic=true))]
fn sparse_solve<'py>(
    py: Python<'py>,
    a: &PySparse,
    b: &Bound<'_, PyAny>,
    order: Option<&str>,
    deterministic: bool,
) -> PyResult<Bound<'py, NdArray>> {
    let (b, permc_spec) = (array(b)?, column_order(order)?);
    let options = FactorOptions { permc_spec, deterministic, ..FactorOptions::default() };
    dense(py, py.detach(|| linalg::spsolve(a.core(), b, options)))
}

/// Solves systems of equations with a triangular sparse matrix.
#[pyfunction]
fn sparse_solve_triangular<'py>(
    py: Python<'py>,
    a: &PySparse,
    b: &Bound<'_, PyAny>,
    lower: bool,
    unit_diagonal: bool,
) -> PyResult<Bound<'py, NdArray>> {
    let (b, options) = (array(b)?, TriangularOptions { lower, unit_diagonal });
    dense(py, py.detach(|| linalg::spsolve_triangular(a.core(), b, options)))
}

/// Computes the inverse of a sparse matrix.
#[pyfunction]
fn sparse_inverse(py: Python<'_>, a: &PySparse) -> PyResult<PySparse> {
    py.detach(|| linalg::inv(a.core())).or_raise().map(PySparse::from)
}

/// Counts the positive and the negative eigenvalues of a Hermitian sparse matrix.
#[pyfunction]
fn sparse_inertia(py: Python<'_>, a: &PySparse) -> PyResult<(usize, usize)> {
    py.detach(|| linalg::inertia(a.core())).or_raise().map(|[positive, negative]| (positive, negative))
}

/// Adds the classes and functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySuperLu>()?;
    module.add_class::<PyCholesky>()?;
    module.add_class::<PyBatchedLu>()?;
    module.add_function(wrap_pyfunction!(sparse_solve, module)?)?;
    module.add_function(wrap_pyfunction!(sparse_solve_triangular, module)?)?;
    module.add_function(wrap_pyfunction!(sparse_inverse, module)?)?;
    module.add_function(wrap_pyfunction!(sparse_inertia, module)?)
}
