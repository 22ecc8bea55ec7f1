//! Systems of equations with a triangular matrix.
//!
//! One launch solves all rows: a warp solves rows as soon as the rows that they need are solved, which it reads from
//! other lanes, from shared memory for rows of the same block, or from global memory.
//!
//! Algorithm: W. Liu, A. Li, J. Hogg, I. S. Duff, B. Vinter, "A Synchronization-Free Algorithm for Parallel
//! Sparse Triangular Solves", Euro-Par 2016. Blocks take rows in order, so that the rows that a warp waits
//! for are always running or done.
//!
//! Lower bound: the entries are read once; the longest chain of rows that depend on each other bounds the
//! time from below.

use std::sync::OnceLock;

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};

use super::super::{CastTo, Compressed, EntryOrder, Format, Sparse, Storage};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::make;
use crate::engine::triangular_solve::{InvertedPanels, Triangle, triangular_solve};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;
use crate::reduction::{Reduce, reduced};
use crate::ufunc::apply;

/// Options of [`spsolve_triangular`].
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{TriangularOptions, spsolve_triangular};
/// let a = Sparse::from_dense(&array([[2.0, 1.0], [0.0, 4.0]])?, Format::Csr)?;
/// let upper = TriangularOptions { lower: false, ..Default::default() };
/// assert_eq!(spsolve_triangular(&a, &array([3.0, 4.0])?, upper)?.to_vec::<f64>()?, [1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriangularOptions {
    /// True for the lower triangle, which is the default; false for the upper one.
    pub lower: bool,
    /// True if the diagonal is one, whatever is stored. By default `false`.
    pub unit_diagonal: bool,
}

crate::array::default_options!(TriangularOptions);

impl Default for TriangularOptions {
    fn default() -> Self {
        TriangularOptions { lower: true, unit_diagonal: false }
    }
}

/// Compressed rows of a triangular matrix, whose entries are sorted and distinct.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriangularRows<'a> {
    /// The entries.
    pub(super) rows: &'a Compressed,
    /// True for the upper triangle.
    pub(super) upper: bool,
    /// True if the diagonal counts as ones.
    pub(super) unit: bool,
    /// True if values are conjugated.
    pub(super) conjugate: bool,
    /// The panels of the matrix, or of its transpose if the second is true.
    pub(super) panels: Option<(&'a InvertedPanels, bool)>,
}

impl<'a> TriangularRows<'a> {
    /// Returns the arrays of the matrix.
    pub(super) fn triangle(&self) -> Triangle<'a> {
        Triangle {
            indptr: &self.rows.indptr,
            columns: &self.rows.indices,
            values: &self.rows.data,
            upper: self.upper,
            unit: self.unit,
            conjugate: self.conjugate,
            panels: self.panels,
        }
    }

    /// Solves for the right-hand sides, whose rows, and those of the solutions, may be permuted: [`triangular_solve`].
    pub(super) fn solve(
        &self,
        gather: Option<&Array>,
        b: &Array,
        scatter: Option<&Array>,
        out: Option<&Array>,
    ) -> Result<Array> {
        triangular_solve(self.triangle(), gather, b, scatter, out)
    }
}

/// Returns a matrix of compressed rows, sorted and distinct.
pub(super) fn canonical_rows(n: usize, indptr: Array, indices: Array, data: Array) -> Sparse {
    let order = OnceLock::from(EntryOrder::Canonical);
    Sparse::of_compressed([n, n], Compressed::new(0, indptr, indices, data, order))
}

/// Returns the arrays of a compressed matrix.
pub(super) fn compressed(a: &Sparse) -> Result<&Compressed> {
    match &a.storage {
        Storage::Compressed(c) => Ok(c),
        _ => Err(a.no_attribute("indptr")),
    }
}

/// Returns the dtype of the factors of a matrix: the smallest of float32, float64, complex64 and complex128 to which it
/// can be cast safely.
pub(super) fn factor_dtype(a: DType) -> Result<DType> {
    if matches!(a, DType::F16 | DType::BF16) {
        let message = format!("the matrix has the dtype {a}, in which no system is solved: cast it to float32");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(promote_types(a, DType::F32))
}

/// Checks that `b` is a vector or a matrix of `n` rows.
pub(super) fn check_right_sides(n: usize, b: &Array) -> Result<()> {
    if matches!(b.ndim(), 1 | 2) && b.shape()[0] == n {
        return Ok(());
    }
    let shape = shape_text(b.shape());
    let fault = if b.ndim() > 2 { "object too deep for desired array" } else { "is of incompatible size" };
    let message = format!("b of shape {shape}: {fault}, a vector or a matrix of {n} rows is needed");
    Err(Error::new(ErrorKind::Value, message))
}

/// Returns the number of rows of a square matrix.
pub(super) fn square(a: &Sparse) -> Result<usize> {
    match *a.shape() {
        [m, n] if m == n => Ok(n),
        _ => {
            let message = format!("the matrix must be square, not of shape {}", shape_text(a.shape()));
            Err(Error::new(ErrorKind::Value, message))
        }
    }
}

/// Solves systems of equations with a triangular sparse matrix; SciPy's `spsolve_triangular`.
///
/// Returns the solution for `b`, a vector of n elements or a matrix of n rows, in its shape. Its dtype is that to which
/// those of both can be cast: float32, float64, complex64 or complex128; a matrix of integers or booleans is cast to
/// float64. Entries of the other triangle are ignored, and a diagonal that is not stored is zero. Two solutions of the
/// same system have the same bits.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::{Format, Sparse, linalg};
/// let a = Sparse::from_dense(&array([[2.0, 0.0], [1.0, 4.0]])?, Format::Csr)?;
/// let x = linalg::spsolve_triangular(&a, &array([2.0, 9.0])?, ())?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a matrix that is not square or of a 16-bit dtype, and for shapes that do not fit;
/// [`ErrorKind::LinAlg`] for a zero on the diagonal.
///
/// # Synchronization
///
/// Synchronises to look for zeros on the diagonal, unless it is one.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_direct.py`")]
#[signature]
pub fn spsolve_triangular(a: &Sparse, b: &Array, options: TriangularOptions) -> Result<Array> {
    solve(a, b, options).map_err(|e| e.with_op("sparse.linalg.spsolve_triangular"))
}

fn solve(a: &Sparse, b: &Array, options: TriangularOptions) -> Result<Array> {
    let n = square(a)?;
    check_right_sides(n, b)?;
    let own = factor_dtype(a.dtype())?;
    let dtype =
        promote_types(if a.dtype().is_integer() || a.dtype() == DType::Bool { DType::F64 } else { own }, b.dtype());
    let rows = a.to_format(Format::Csr)?.sum_duplicates()?.astype(dtype)?;
    if !options.unit_diagonal && n > 0 {
        let zeros = apply("equal", [(&rows.diagonal(0)?).into(), 0.into()])?;
        if reduced("any", &zeros, &Reduce::all())?.item::<bool>()? {
            return Err(Error::new(ErrorKind::LinAlg, "A is singular: zero entry on diagonal"));
        }
    }
    let b = if b.dtype() == dtype { b.clone() } else { b.to_dtype(dtype)? };
    if b.size() == 0 {
        return make::empty(b.device(), b.shape(), dtype);
    }
    let triangle = TriangularRows {
        rows: compressed(&rows)?,
        upper: !options.lower,
        unit: options.unit_diagonal,
        conjugate: false,
        panels: None,
    };
    triangle.solve(None, &b, None, None)?.reshape(b.shape())
}
