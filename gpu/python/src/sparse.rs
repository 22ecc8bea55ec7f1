//! The core of sparse arrays, `_cuprum.Sparse`, which the SciPy classes of `cuprum.cupyx.scipy.sparse` wrap.

use cuprum::Array;
use cuprum::cuda::Device;
use cuprum::scipy::sparse::linalg::{
    self, GmresOptions, IncompleteFactors, LeastSquaresOptions, LinearOperator, SolverOptions,
};
use cuprum::scipy::sparse::{Format, Select, Sparse, csgraph};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::{NdArray, order};
use crate::convert::{array_of, wrap};
use crate::dtypes;
use crate::errors::{OrRaise, type_error};
use crate::sparse_incomplete::PyIncompleteFactors;

/// The immutable core of a sparse array: its format, its shape and the arrays of its elements.
#[pyclass(name = "Sparse", module = "cuprum._cuprum", frozen)]
pub(crate) struct PySparse(Sparse);

/// Returns the array of an argument.
pub(crate) fn array<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a Array> {
    match array_of(object) {
        Some(a) => Ok(a),
        None => type_error(format!("sparse: an array of numbers is needed, not {}", object.get_type().name()?)),
    }
}

impl PySparse {
    /// Returns the array itself.
    pub(crate) fn core(&self) -> &Sparse {
        &self.0
    }
}

impl From<Sparse> for PySparse {
    fn from(core: Sparse) -> PySparse {
        PySparse(core)
    }
}

/// Linear operator of a solver.
#[derive(Clone, Copy)]
enum Operator<'a> {
    Sparse(&'a Sparse),
    Dense(&'a Array),
    Incomplete(&'a IncompleteFactors),
}

impl<'a> Operator<'a> {
    fn as_dyn(&self) -> &'a dyn LinearOperator {
        match *self {
            Operator::Sparse(a) => a,
            Operator::Dense(a) => a,
            Operator::Incomplete(a) => a,
        }
    }
}

/// Returns the operator of a sparse or dense array, or of incomplete factors.
fn operator<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Operator<'a>> {
    if let Ok(factors) = object.cast::<PyIncompleteFactors>() {
        return Ok(Operator::Incomplete(factors.get().core()));
    }
    match object.cast::<PySparse>() {
        Ok(a) => Ok(Operator::Sparse(&a.get().0)),
        Err(_) => array(object).map(Operator::Dense),
    }
}

/// Parses a selection along an axis: all for `None`, a range for `(start, step, length)`, elements for an index array.
fn select(object: Option<&Bound<'_, PyAny>>) -> PyResult<Select> {
    let Some(object) = object.filter(|object| !object.is_none()) else { return Ok(Select::All) };
    if let Ok(range) = object.cast::<PyTuple>() {
        let (start, step, len) = range.extract()?;
        return Ok(Select::Range { start, step, len });
    }
    Ok(Select::Indices(array(object)?.clone()))
}

/// Runs a computation without the GIL, and wraps the sparse array that it returns.
pub(crate) fn sparse(py: Python<'_>, compute: impl FnOnce() -> cuprum::Result<Sparse> + Send) -> PyResult<PySparse> {
    py.detach(compute).or_raise().map(PySparse)
}

/// Runs a computation without the GIL, and wraps the dense array that it returns.
pub(crate) fn dense<'py>(
    py: Python<'py>,
    compute: impl FnOnce() -> cuprum::Result<Array> + Send,
) -> PyResult<Bound<'py, NdArray>> {
    wrap(py, py.detach(compute).or_raise()?)
}

#[pymethods]
impl PySparse {
    #[staticmethod]
    fn coo(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        coords: Vec<Bound<'_, PyAny>>,
        shape: Vec<usize>,
    ) -> PyResult<PySparse> {
        let (data, coords) = (array(data)?, coords.iter().map(array).collect::<PyResult<Vec<_>>>()?);
        sparse(py, || Sparse::coo(data, &coords, &shape))
    }

    #[staticmethod]
    fn csr(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        indptr: &Bound<'_, PyAny>,
        shape: [usize; 2],
    ) -> PyResult<PySparse> {
        let (data, indices, indptr) = (array(data)?, array(indices)?, array(indptr)?);
        sparse(py, || Sparse::csr(data, indices, indptr, shape))
    }

    #[staticmethod]
    fn csc(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        indptr: &Bound<'_, PyAny>,
        shape: [usize; 2],
    ) -> PyResult<PySparse> {
        let (data, indices, indptr) = (array(data)?, array(indices)?, array(indptr)?);
        sparse(py, || Sparse::csc(data, indices, indptr, shape))
    }

    #[staticmethod]
    fn bsr(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        indptr: &Bound<'_, PyAny>,
        shape: [usize; 2],
    ) -> PyResult<PySparse> {
        let (data, indices, indptr) = (array(data)?, array(indices)?, array(indptr)?);
        sparse(py, || Sparse::bsr(data, indices, indptr, shape))
    }

    #[staticmethod]
    fn dia(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        offsets: &Bound<'_, PyAny>,
        shape: [usize; 2],
    ) -> PyResult<PySparse> {
        let (data, offsets) = (array(data)?, array(offsets)?);
        sparse(py, || Sparse::dia(data, offsets, shape))
    }

    #[staticmethod]
    fn from_dense(py: Python<'_>, a: &Bound<'_, PyAny>, format: &str) -> PyResult<PySparse> {
        let (a, format) = (array(a)?, Format::named(format).or_raise()?);
        sparse(py, || Sparse::from_dense(a, format))
    }

    /// Joins arrays along an axis, in a format.
    #[staticmethod]
    fn stack(py: Python<'_>, parts: Vec<PyRef<'_, PySparse>>, axis: usize, format: &str) -> PyResult<PySparse> {
        let format = Format::named(format).or_raise()?;
        let parts: Vec<&Sparse> = parts.iter().map(|part| &part.0).collect();
        sparse(py, || Sparse::stack(&parts, axis, format))
    }

    /// Creates an array without stored elements.
    #[staticmethod]
    fn zeros(py: Python<'_>, shape: Vec<usize>, dtype: &Bound<'_, PyAny>, format: &str) -> PyResult<PySparse> {
        let (dtype, format) = (dtypes::of(dtype)?, Format::named(format).or_raise()?);
        let device = Device::current().or_raise()?;
        sparse(py, || Sparse::zeros(&shape, dtype, format, device))
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.0.format().name()
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(dtypes::object(py, self.0.dtype())?.clone().into_any())
    }

    fn nnz(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.0.nnz()).or_raise()
    }

    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.0.data())
    }

    fn coords<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, NdArray>>> {
        let coords = py.detach(|| self.0.coords()).or_raise()?;
        coords.into_iter().map(|index| wrap(py, index)).collect()
    }

    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        dense(py, || self.0.indices())
    }

    fn indptr<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        dense(py, || self.0.indptr())
    }

    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        dense(py, || self.0.offsets())
    }

    fn has_sorted_indices(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| self.0.has_sorted_indices()).or_raise()
    }

    fn has_canonical_format(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| self.0.has_canonical_format()).or_raise()
    }

    fn to_format(&self, py: Python<'_>, format: &str) -> PyResult<PySparse> {
        let format = Format::named(format).or_raise()?;
        sparse(py, || self.0.to_format(format))
    }

    fn to_blocks(&self, py: Python<'_>, size: [usize; 2]) -> PyResult<PySparse> {
        sparse(py, || self.0.to_blocks(size))
    }

    fn to_dense<'py>(&self, py: Python<'py>, letter: Option<&str>) -> PyResult<Bound<'py, NdArray>> {
        let order = order(letter, cuprum::Order::C)?;
        dense(py, || self.0.to_dense(order))
    }

    fn astype(&self, py: Python<'_>, dtype: &Bound<'_, PyAny>) -> PyResult<PySparse> {
        let dtype = dtypes::of(dtype)?;
        sparse(py, || self.0.astype(dtype))
    }

    fn with_index_dtype(&self, py: Python<'_>, dtype: &Bound<'_, PyAny>) -> PyResult<PySparse> {
        let dtype = dtypes::of(dtype)?;
        sparse(py, || self.0.with_index_dtype(dtype))
    }

    fn with_data(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<PySparse> {
        let data = array(data)?;
        sparse(py, || self.0.with_data(data))
    }

    fn copy(&self, py: Python<'_>) -> PyResult<PySparse> {
        sparse(py, || self.0.copy())
    }

    fn sum_duplicates(&self, py: Python<'_>) -> PyResult<PySparse> {
        sparse(py, || self.0.sum_duplicates())
    }

    fn sort_indices(&self, py: Python<'_>) -> PyResult<PySparse> {
        sparse(py, || self.0.sort_indices())
    }

    fn eliminate_zeros(&self, py: Python<'_>) -> PyResult<PySparse> {
        sparse(py, || self.0.eliminate_zeros())
    }

    #[pyo3(signature = (axes=None))]
    fn transpose(&self, py: Python<'_>, axes: Option<Vec<usize>>) -> PyResult<PySparse> {
        sparse(py, || self.0.transpose(axes.as_deref()))
    }

    #[pyo3(signature = (shape, letter=None))]
    fn reshape(&self, py: Python<'_>, shape: Vec<usize>, letter: Option<&str>) -> PyResult<PySparse> {
        let order = order(letter, cuprum::Order::C)?;
        sparse(py, || self.0.reshape(&shape, order))
    }

    fn diagonal<'py>(&self, py: Python<'py>, k: isize) -> PyResult<Bound<'py, NdArray>> {
        dense(py, || self.0.diagonal(k))
    }

    fn setdiag(&self, py: Python<'_>, values: &Bound<'_, PyAny>, k: isize) -> PyResult<PySparse> {
        let values = array(values)?;
        sparse(py, || self.0.setdiag(values, k))
    }

    fn binary(&self, py: Python<'_>, ufunc: &str, other: &PySparse) -> PyResult<PySparse> {
        sparse(py, || self.0.binary(ufunc, &other.0))
    }

    fn broadcast_to(&self, py: Python<'_>, shape: Vec<usize>) -> PyResult<PySparse> {
        sparse(py, || self.0.broadcast_to(&shape))
    }

    /// Returns the elements of a dense array at the positions of the stored ones.
    fn gather_dense<'py>(&self, py: Python<'py>, a: &Bound<'_, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let a = array(a)?;
        dense(py, || self.0.gather_dense(a))
    }

    #[pyo3(signature = (op, axis=None, dtype=None))]
    fn reduce<'py>(
        &self,
        py: Python<'py>,
        op: &str,
        axis: Option<usize>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let dtype = dtypes::optional(dtype)?;
        dense(py, || self.0.reduce(op, axis, dtype))
    }

    /// Reduces along an axis to an array of coordinates, of the elements that are not zero.
    fn reduce_sparse(&self, py: Python<'_>, op: &str, axis: usize, keepdims: bool) -> PyResult<PySparse> {
        sparse(py, || self.0.reduce_sparse(op, axis, keepdims))
    }

    fn select(
        &self,
        py: Python<'_>,
        rows: Option<&Bound<'_, PyAny>>,
        columns: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PySparse> {
        let (rows, columns) = (select(rows)?, select(columns)?);
        sparse(py, || self.0.select(&rows, &columns))
    }

    fn points<'py>(&self, py: Python<'py>, coords: Vec<Bound<'_, PyAny>>) -> PyResult<Bound<'py, NdArray>> {
        let coords = coords.iter().map(array).collect::<PyResult<Vec<_>>>()?;
        dense(py, || self.0.points(&coords))
    }

    fn set_points(
        &self,
        py: Python<'_>,
        coords: Vec<Bound<'_, PyAny>>,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<PySparse> {
        let (coords, values) = (coords.iter().map(array).collect::<PyResult<Vec<_>>>()?, array(values)?);
        sparse(py, || self.0.set_points(&coords, values))
    }

    fn matmul_dense<'py>(&self, py: Python<'py>, b: &Bound<'_, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let b = array(b)?;
        dense(py, || self.0.matmul_dense(b))
    }

    fn rmatmul_dense<'py>(&self, py: Python<'py>, a: &Bound<'_, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let a = array(a)?;
        dense(py, || self.0.rmatmul_dense(a))
    }

    fn connected_components<'py>(&self, py: Python<'py>) -> PyResult<(usize, Bound<'py, NdArray>)> {
        let (count, labels) = py.detach(|| csgraph::connected_components(&self.0)).or_raise()?;
        Ok((count, wrap(py, labels)?))
    }

    /// Returns the value of a maximum flow and the flow along each edge.
    fn maximum_flow(&self, py: Python<'_>, source: usize, sink: usize) -> PyResult<(i64, PySparse)> {
        let found = py.detach(|| csgraph::maximum_flow(&self.0, source, sink)).or_raise()?;
        Ok((found.value, PySparse(found.flow)))
    }

    /// Returns the rows and the columns of a matching of least weight.
    fn min_weight_full_bipartite_matching<'py>(
        &self,
        py: Python<'py>,
        maximize: bool,
    ) -> PyResult<(Bound<'py, NdArray>, Bound<'py, NdArray>)> {
        let [rows, columns] =
            py.detach(|| csgraph::min_weight_full_bipartite_matching(&self.0, maximize)).or_raise()?;
        Ok((wrap(py, rows)?, wrap(py, columns)?))
    }

    /// Returns the lengths and the vertices of the shortest paths between two vertices.
    fn yen(
        &self,
        py: Python<'_>,
        source: usize,
        sink: usize,
        count: usize,
        directed: bool,
        unweighted: bool,
    ) -> PyResult<Vec<(f64, Vec<usize>)>> {
        let options = csgraph::YenOptions { directed, unweighted };
        let found = py.detach(|| csgraph::yen(&self.0, source, sink, count, options)).or_raise()?;
        Ok(found.into_iter().map(|path| (path.length, path.vertices)).collect())
    }

    /// Solves a system of equations by the Krylov method of this name, whose iterations are repeated on the device. The operator `a` and
    /// the preconditioner `m` are sparse or dense arrays.
    #[staticmethod]
    #[pyo3(signature = (method, a, b, x0, tolerances, maxiter=None, m=None, shift=0.0))]
    #[expect(clippy::too_many_arguments, reason = "one call from Python")]
    fn solve<'py>(
        py: Python<'py>,
        method: &str,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        x0: Option<&Bound<'_, PyAny>>,
        tolerances: (f64, f64),
        maxiter: Option<usize>,
        m: Option<&Bound<'_, PyAny>>,
        shift: f64,
    ) -> PyResult<(Bound<'py, NdArray>, i64)> {
        let (a, b, x0, m) = (operator(a)?, array(b)?, x0.map(array).transpose()?, m.map(operator).transpose()?);
        let solver = match method {
            "cg" => linalg::cg,
            "bicg" => linalg::bicg,
            "cgs" => linalg::cgs,
            "bicgstab" => linalg::bicgstab,
            "minres" => linalg::minres,
            "qmr" => linalg::qmr,
            "tfqmr" => linalg::tfqmr,
            other => return type_error(format!("sparse: no method has the name {other:?}")),
        };
        let (rtol, atol) = tolerances;
        let solve = || {
            let m = m.as_ref().map(Operator::as_dyn);
            solver(a.as_dyn(), b, SolverOptions { rtol, atol, maxiter, x0, m, shift })
        };
        let solution = py.detach(solve).or_raise()?;
        Ok((wrap(py, solution.x)?, solution.info))
    }

    /// Solves a system of equations by GMRES, whose iterations are repeated on the device.
    #[staticmethod]
    #[pyo3(signature = (a, b, x0, tolerances, restart=None, maxiter=None, m=None))]
    #[expect(clippy::too_many_arguments, reason = "one call from Python")]
    fn gmres<'py>(
        py: Python<'py>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        x0: Option<&Bound<'_, PyAny>>,
        tolerances: (f64, f64),
        restart: Option<usize>,
        maxiter: Option<usize>,
        m: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bound<'py, NdArray>, i64)> {
        let (a, b, x0, m) = (operator(a)?, array(b)?, x0.map(array).transpose()?, m.map(operator).transpose()?);
        let (rtol, atol) = tolerances;
        let solve = || {
            let m = m.as_ref().map(Operator::as_dyn);
            linalg::gmres(a.as_dyn(), b, GmresOptions { rtol, atol, restart, maxiter, x0, m })
        };
        let solution = py.detach(solve).or_raise()?;
        Ok((wrap(py, solution.x)?, solution.info))
    }

    /// Minimises the norm of a residual by LSQR or LSMR, whose iterations are repeated on the device. The limits are `damp`, `atol`, `btol`
    /// and `conlim`. Returns x, the variances, `istop`, the number of iterations, and six norms.
    #[staticmethod]
    #[pyo3(signature = (method, a, b, x0, limits, maxiter=None, calc_var=false))]
    #[expect(clippy::too_many_arguments, reason = "one call from Python")]
    #[expect(clippy::type_complexity, reason = "a tuple of Python")]
    fn least_squares<'py>(
        py: Python<'py>,
        method: &str,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        x0: Option<&Bound<'_, PyAny>>,
        limits: [f64; 4],
        maxiter: Option<usize>,
        calc_var: bool,
    ) -> PyResult<(Bound<'py, NdArray>, Bound<'py, NdArray>, i64, usize, [f64; 6])> {
        let (a, b, x0) = (operator(a)?, array(b)?, x0.map(array).transpose()?);
        let [damp, atol, btol, conlim] = limits;
        let solver = if method == "lsqr" { linalg::lsqr } else { linalg::lsmr };
        let options = LeastSquaresOptions { damp, atol, btol, conlim, maxiter, x0, calc_var };
        let found = py.detach(|| solver(a.as_dyn(), b, options)).or_raise()?;
        let norms = [found.r1norm, found.r2norm, found.anorm, found.acond, found.arnorm, found.xnorm];
        Ok((wrap(py, found.x)?, wrap(py, found.var)?, found.istop, found.itn, norms))
    }

    fn matmul(&self, py: Python<'_>, other: &PySparse) -> PyResult<PySparse> {
        sparse(py, || self.0.matmul(&other.0))
    }
}

/// Adds the class to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySparse>()
}
