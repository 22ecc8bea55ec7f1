//! Triangular systems, and systems solved with LU and Cholesky factors; SciPy's `linalg`.
//!
//! Substitution takes `n²` operations for each right side and no factorisation.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::linear::{Factors, no_right_side, solve_with, together, whole_factors};
use super::matrices::{Matrices, transposed};
use crate::array::Array;
use crate::cuda::Rejection;
use crate::driver::Task;
use crate::driver::dense::Transpose;
use crate::engine::check_lapack_info;
use crate::engine::launch::{Sides, pivot_dtype};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::scalar::Scalar;

/// Options of [`solve_triangular`].
///
/// By default the system of the upper triangle itself is solved.
///
/// ```
/// use cuprum::{array, linalg::{TriangularOptions, solve_triangular}};
/// let a = array([[2.0, 0.0], [1.0, 1.0]])?;
/// let x = solve_triangular(&a, array([2.0, 3.0])?, TriangularOptions::new().lower(true))?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct TriangularOptions {
    /// The system solved: with the matrix (0), its transpose (1), or its conjugate transpose (2). By default 0.
    pub trans: usize,
    /// If true, the lower triangle is read, otherwise the upper one. By default `false`.
    pub lower: bool,
    /// If true, the diagonal counts as ones and is not read. By default `false`.
    pub unit_diagonal: bool,
}

/// Returns an empty solution.
fn no_solutions(a: &Array, of: &Matrices, vector: bool, k: usize) -> Result<Array> {
    if vector { of.empty(a, &[of.n], of.dtype) } else { of.empty(a, &[of.n, k], of.dtype) }
}

fn transpose(trans: usize) -> Result<Transpose> {
    match trans {
        0 => Ok(Transpose::None),
        1 => Ok(Transpose::Transposed),
        2 => Ok(Transpose::Adjoint),
        other => Err(Error::new(ErrorKind::Value, format!("trans is 0, 1 or 2, not {other}"))),
    }
}

/// Solves systems of equations with triangular matrices; SciPy's `linalg.solve_triangular`.
///
/// The result has the shape of `b`, which is a vector or a matrix of columns, and the promoted
/// floating-point or complex dtype. The other triangle is not read.
///
/// Algorithm: BLAS `trsm`. Difference to SciPy: a zero on the diagonal is reported by the next call that
/// synchronises.
///
/// ```
/// use cuprum::{array, linalg};
/// let lower = linalg::TriangularOptions::new().lower(true);
/// let x = linalg::solve_triangular(array([[2.0, 9.0], [1.0, 4.0]])?, array([2.0, 9.0])?, lower)?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for matrices that are not square, and, at the next synchronisation, for singular ones;
/// [`ErrorKind::Value`] where the right sides do not match; [`ErrorKind::Type`] for float16 and bfloat16.
#[routine(namespace = "scipy.linalg")]
pub fn solve_triangular(a: &Array, b: &Array, options: TriangularOptions) -> Result<Array> {
    let (transpose, vector) = (transpose(options.trans)?, b.ndim() == 1);
    let (a, b, of) = together(a, b, vector)?;
    let k = b.shape()[b.ndim() - 1];
    if of.is_empty() || k == 0 {
        return no_solutions(&a, &of, vector, k);
    }
    let (triangle, x) = (of.columns(&a)?, of.columns(&b)?);
    if !options.unit_diagonal {
        let diagonal = triangle.diagonal(crate::array::DiagonalOptions::new().axis1(-2).axis2(-1))?;
        let zeros = super::matrices::pair("equal", &diagonal, Scalar::from(0))?;
        let any = crate::reduction::reduced("any", &zeros, &crate::reduction::Reduce::axis(-1))?;
        check_lapack_info("solve_triangular", Rejection::Singular, &any.cast(DType::I32, Order::C)?)?;
    }
    let task = Task::Trsm { upper: !options.lower, transpose, unit: options.unit_diagonal };
    Matrices::run(task, Sides { k, ..of.sides() }, &[Some(&triangle), Some(&x)])?;
    if vector { x.squeeze(-2) } else { transposed(&x) }
}

/// LU decomposition with partial pivoting in packed form; SciPy's `linalg.lu_factor`: both triangles in one
/// array, and the pivot indices, int32.
///
/// The factors have the shape of `a`; the pivots have one axis of `min(m, n)` indices for each matrix,
/// counted from 0, as in SciPy.
///
/// Algorithm: LAPACK's `getrf`. The factors serve any number of solutions with [`lu_solve`]. Difference to
/// SciPy: a singular matrix causes no warning.
///
/// ```
/// use cuprum::{array, linalg};
/// let (lu, exchanged) = linalg::lu_factor(array([[1.0, 2.0], [4.0, 4.0]])?)?;
/// assert_eq!(lu.to_vec::<f64>()?, [4.0, 4.0, 0.25, 1.0]);
/// assert_eq!(exchanged.to_vec::<i32>()?, [1, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for fewer than two axes, [`ErrorKind::Type`] for float16 and bfloat16.
#[routine(namespace = "scipy.linalg")]
pub fn lu_factor(a: &Array) -> Result<(Array, Array)> {
    let of = Matrices::of(a)?;
    if of.is_empty() {
        return Ok((of.empty(a, &[of.m, of.n], of.dtype)?, of.empty(a, &[of.short()], DType::I32)?));
    }
    let Factors { lu, pivots, .. } = whole_factors(a, &of)?;
    let pivots_from_zero = super::matrices::pair("subtract", &pivots.cast(DType::I32, Order::C)?, Scalar::from(1))?;
    Ok((transposed(&lu)?, pivots_from_zero))
}

/// Options of [`lu_solve`].
///
/// An integer converts to options that set `trans`, by default 0.
///
/// ```
/// use cuprum::{array, scipy::linalg::{lu_factor, lu_solve}};
/// let a = array([[2.0, 1.0], [0.0, 4.0]])?;
/// let (lu, pivots) = lu_factor(&a)?;
/// let transposed = lu_solve(&lu, &pivots, &array([2.0, 5.0])?, 1)?;
/// assert!(cuprum::allclose(&transposed, &array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct LuSolveOptions {
    /// The system solved: with the matrix (0), its transpose (1), or its conjugate transpose (2). By default 0.
    #[from]
    pub trans: usize,
}

/// Solves systems of equations with the factors of [`lu_factor`]; SciPy's `linalg.lu_solve`.
///
/// The result has the shape of `b`, and the promoted floating-point or complex dtype. Algorithm: LAPACK's
/// `getrs`, `2 n²` operations for each right side.
///
/// ```
/// use cuprum::{array, linalg};
/// let (lu, exchanged) = linalg::lu_factor(array([[1.0, 2.0], [4.0, 4.0]])?)?;
/// let x = linalg::lu_solve(&lu, &exchanged, array([3.0, 8.0])?, ())?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for factors that are not square, [`ErrorKind::Value`] where the right sides or the pivots do
/// not match, [`ErrorKind::Type`] for float16 and bfloat16.
#[routine(
    namespace = "scipy.linalg",
    no_cases = "takes the result of `lu_factor`, whose cases solve with it",
    no_programs = "takes the result of `lu_factor`"
)]
pub fn lu_solve(lu: &Array, piv: &Array, b: &Array, options: LuSolveOptions) -> Result<Array> {
    let (transpose, vector) = (transpose(options.trans)?, b.ndim() == 1);
    let (lu, right, of) = together(lu, b, vector)?;
    let k = right.shape()[right.ndim() - 1];
    if piv.shape().last() != Some(&of.n) {
        return Err(no_right_side(&lu, piv));
    }
    if of.is_empty() || k == 0 {
        return no_solutions(&lu, &of, vector, k);
    }
    let pivots = super::matrices::pair("add", piv, Scalar::from(1))?.broadcast_to_shape(&of.with(&[of.n]))?;
    let pivots = pivots.cast(pivot_dtype(lu.device(), of.batch(), of.n, of.n)?, Order::C)?;
    let (lu, x) = (of.columns(&lu)?, of.columns(&right)?);
    let info = crate::engine::make::zeros(lu.device(), &[of.batch()], DType::I32)?;
    solve_with(&Factors { lu, pivots, info }, &of, &x, k, transpose)?;
    if vector { x.squeeze(-2) } else { transposed(&x) }
}

/// Options of [`cho_solve`].
///
/// A boolean converts to options that set `lower`.
///
/// ```
/// use cuprum::{array, linalg::cholesky, scipy::linalg::cho_solve};
/// let factor = cholesky(&array([[4.0, 0.0], [0.0, 9.0]])?, ())?;
/// let x = cho_solve(&factor, &array([4.0, 9.0])?, true)?;
/// assert!(cuprum::allclose(&x, &array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct ChoSolveOptions {
    /// If true, the factor is the lower triangle, otherwise the upper one. By default `false`.
    #[from]
    pub lower: bool,
}

/// Solves systems of equations with a Cholesky factor, such as [`cholesky`](super::cholesky) returns;
/// SciPy's `linalg.cho_solve`.
///
/// The result has the shape of `b`, and the promoted floating-point or complex dtype. Algorithm: two
/// solutions by [`solve_triangular`].
///
/// ```
/// use cuprum::{array, linalg};
/// let a = array([[4.0, 2.0], [2.0, 5.0]])?;
/// let x = linalg::cho_solve(linalg::cholesky(&a, ())?, array([6.0, 7.0])?, true)?;
/// assert!(cuprum::allclose(&x, array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`solve_triangular`].
#[routine(namespace = "scipy.linalg")]
pub fn cho_solve(c: &Array, b: &Array, options: ChoSolveOptions) -> Result<Array> {
    let (of_lower, adjoint) = (TriangularOptions { lower: options.lower, ..Default::default() }, 2);
    let transposed = TriangularOptions { trans: adjoint, ..of_lower };
    let (first, second) = if options.lower { (of_lower, transposed) } else { (transposed, of_lower) };
    // A vector is one column: with a batch, the first solution of a vector is a batch that reads as matrices.
    let vector = b.ndim() == 1;
    let b = if vector { b.expand_dims(-1)? } else { b.clone() };
    let x = solve_triangular(c, solve_triangular(c, b, first)?, second)?;
    if vector { x.squeeze(-1) } else { Ok(x) }
}
