//! Least squares with a choice of LAPACK's drivers; SciPy's `linalg.lstsq`.
//!
//! The driver `gelsy` needs no singular values. The norms of a triangular factor and of its inverse bound the condition
//! number of the matrix: if they prove that all singular values count, the factor solves the problem, otherwise the
//! singular values do.

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};

use super::least_squares::{Arguments, DEFINITE, Product, Solution, by_singular_values, residuals};
use super::matrices::{Matrices, conjugated, map, pair, transposed};
use super::orthogonal::{leading, orthonormal, reflect};
use super::singular::epsilon;
use crate::array::{Array, Index};
use crate::driver::Task;
use crate::driver::dense::Transpose;
use crate::engine::launch::Sides;
use crate::engine::make;
use crate::error::Result;
use crate::index::Slice;
use crate::layout::Order;
use crate::reduction::{Reduce, reduced};
use crate::routines::creation::triu;
use crate::routines::linalg::matmul;
use crate::routines::manipulation::concatenate;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// LAPACK's drivers for least squares problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum LapackDriver {
    /// Singular values.
    #[default]
    Gelsd,
    /// A triangular factor, without singular values; those only where the rank may not be full.
    Gelsy,
    /// The same as [`LapackDriver::Gelsd`].
    Gelss,
}

/// Options of [`lstsq`].
///
/// A float converts to options that set `cond`.
///
/// ```
/// use cuprum::{array, scipy::linalg::{LapackDriver, ScipyLstsqOptions, lstsq}};
/// let (a, b) = (array([[2.0, 0.0], [0.0, 0.01]])?, array([2.0, 1.0])?);
/// let options = ScipyLstsqOptions::new().cond(0.1).lapack_driver(LapackDriver::Gelsy);
/// let (x, _, rank, s) = lstsq(&a, &b, options)?;
/// assert!(s.is_none() && rank.item::<i32>()? == 1);
/// assert!(cuprum::allclose(&x, &array([1.0, 0.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Options)]
pub struct ScipyLstsqOptions {
    /// The share of the largest singular value below which others count as zero; by default the epsilon of the dtype.
    #[from]
    pub cond: Option<f64>,
    /// The algorithm. By default [`LapackDriver::Gelsd`].
    pub lapack_driver: LapackDriver,
}

/// Result of [`lstsq`]: the solution, the sums of squared residuals, the rank, and the singular values, which are `None`
/// for the driver `gelsy`.
///
/// SciPy returns the same four values.
pub type ScipyLstsq = (Array, Array, Array, Option<Array>);

/// Least squares solution of minimum norm with a choice of the algorithm; SciPy's `linalg.lstsq`.
///
/// The solution has the shape of `b` with as many rows as `a` has columns, and the promoted dtype. The rank is an int32
/// array without axes. The sums of squared residuals are empty for the driver `gelsy`, and unless the rank is full and
/// there are more rows than columns.
///
/// Algorithm: `gelsd` and `gelss` are those of [`linalg::lstsq`](crate::linalg::lstsq). `gelsy` computes a QR
/// decomposition, for float32 and complex64 on GPUs with fast float64 the Cholesky factor of the product with the
/// adjoint in float64; singular values only if the factor does not prove that the rank is full. Difference to SciPy: the
/// rank of the driver `gelsy` is that of the singular values, where LAPACK estimates those of a triangular factor.
///
/// ```
/// use cuprum::{array, scipy::linalg};
/// let (x, ..) = linalg::lstsq(array([[1.0], [1.0]])?, array([1.0, 3.0])?, ())?;
/// assert!((x.item::<f64>()? - 2.0).abs() < 1e-14);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`linalg::lstsq`](crate::linalg::lstsq).
///
/// # Synchronization
///
/// Same as [`linalg::lstsq`](crate::linalg::lstsq); the driver `gelsy` always synchronises: the bound of the condition
/// number determines the algorithm.
#[routine(
    namespace = "scipy.linalg",
    no_cases = "compared with SciPy's in `gpu/python/tests/test_linalg_lstsq.py`",
    no_programs = "calls the algorithms of `numpy.linalg.lstsq`"
)]
pub fn lstsq(a: &Array, b: &Array, options: ScipyLstsqOptions) -> Result<ScipyLstsq> {
    let task = Arguments::of(a, b)?;
    let of = &task.of;
    let has_values = options.lapack_driver != LapackDriver::Gelsy;
    if of.short() == 0 {
        let x = make::zeros(a.device(), &[of.n, task.right.shape()[1]], of.dtype)?;
        let s = has_values.then(|| task.none()).transpose()?;
        return Ok((task.shaped(x)?, task.none()?, make::zeros(a.device(), &[], DType::I32)?, s));
    }
    let share = options.cond.filter(|&share| share >= 0.0).unwrap_or(epsilon(of.dtype));
    if has_values {
        let Solution { x, rank, s } = by_singular_values(&task, share)?;
        let rest = residuals(&task, &x, &rank)?;
        // SciPy's residual of a vector has no axes.
        let rest = if task.vector && rest.size() > 0 { rest.squeeze(0)? } else { rest };
        return Ok((task.shaped(x)?, rest, rank, Some(s)));
    }
    let through_product = task.has_product(share.max(DEFINITE));
    let full = if through_product { by_product(&task, share)? } else { by_reflectors(&task, share)? };
    let (x, rank) = match full {
        Some(x) => (x, rank_of(of.short(), a)?),
        None => {
            let Solution { x, rank, .. } = by_singular_values(&task, share)?;
            (x, rank)
        }
    };
    Ok((task.shaped(x)?, task.none()?, rank, None))
}

/// Returns a rank as an array on the device of the matrix.
fn rank_of(rank: usize, a: &Array) -> Result<Array> {
    let out = make::empty(a.device(), &[], DType::I32)?;
    crate::engine::fill(&out, Scalar::from(rank as i64))?;
    Ok(out)
}

/// Returns the sum of squares of all elements.
fn squares(a: &Array) -> Result<Array> {
    let sizes = map("absolute", a)?;
    reduced("sum", &pair("multiply", &sizes, &sizes)?, &Reduce::all())
}

/// Returns whether a triangular factor proves that all singular values are larger than a share of the largest one: that
/// is at most its Frobenius norm, and the reciprocal of the smallest one at most that of its inverse. `triangle` has the
/// factor in column-major order, and zeros in the other triangle.
/// `info` is LAPACK's of the factor.
fn proves_full_rank(triangle: &Array, upper: bool, info: &Array, of: &Matrices, share: f64) -> Result<bool> {
    let inverse = of.identity(triangle, of.n)?;
    let task = Task::Trsm { upper, transpose: Transpose::None, unit: false };
    Matrices::run(task, Sides { k: of.n, ..of.sides() }, &[Some(triangle), Some(&inverse)])?;
    let sizes = [triangle, &inverse].map(|x| squares(x)?.cast(DType::F64, Order::C));
    let [one, other] = sizes;
    let (squared, is_whole) = (pair("multiply", &one?, &other?)?, pair("equal", info, Scalar::from(0))?);
    let squared = apply("where", [(&is_whole).into(), (&squared).into(), Scalar::Float(f64::INFINITY).into()])?;
    let squared = squared.item::<f64>()?;
    // NaN and infinity, which a singular factor has, prove nothing.
    Ok(squared * share * share < 1.0)
}

/// Solves through the product with the adjoint, if the rank is certain to be full.
fn by_product(task: &Arguments, share: f64) -> Result<Option<Array>> {
    let product = Product::of(task)?;
    let (factor, info) = product.factor()?;
    // The axes are those of the transposed factor.
    let triangle = triu(&factor, 0)?.cast(product.of.dtype, Order::C)?;
    let is_full = proves_full_rank(&triangle, false, &info, &product.of, share.max(DEFINITE))?;
    is_full.then(|| product.solve(&factor, task)).transpose()
}

/// Solves with a QR decomposition of the matrix, or of its adjoint if that has more rows, if the rank is certain to be
/// full.
fn by_reflectors(task: &Arguments, share: f64) -> Result<Option<Array>> {
    let (of, k) = (&task.of, task.right.shape()[1]);
    let short = of.short();
    let square = Matrices { m: short, n: short, ..of.clone() };
    let tall = of.m >= of.n;
    // The right sides are further columns, which the reflectors multiply by the adjoint of Q.
    let columns = if tall {
        of.columns(&concatenate(&[task.a.clone(), task.right.clone()], -1)?)?
    } else {
        conjugated(task.a.clone())?.cast(of.dtype, Order::C)?
    };
    let long = Matrices { m: of.m.max(of.n), n: short + if tall { k } else { 0 }, ..of.clone() };
    let scales = reflect(&columns, &long)?;
    // In column-major order the axes are those of the transposed factor.
    let first = columns.part_at(&[Index::Slice(Slice { stop: Some(short as i64), ..Slice::default() })])?;
    let triangle = crate::routines::creation::tril(&leading(&first, -1, short)?, 0)?.cast(of.dtype, Order::C)?;
    let info = make::zeros(triangle.device(), &[1], DType::I32)?;
    if !proves_full_rank(&triangle, true, &info, &square, share)? {
        return Ok(None);
    }
    let y = if tall {
        let rest = columns.part_at(&[Index::Slice(Slice { start: Some(short as i64), ..Slice::default() })])?;
        leading(&rest, -1, short)?.copy(Order::C)?
    } else {
        of.columns(&task.right)?
    };
    let transpose = if tall { Transpose::None } else { Transpose::Adjoint };
    if k > 0 {
        let solve = Task::Trsm { upper: true, transpose, unit: false };
        Matrices::run(solve, Sides { k, ..square.sides() }, &[Some(&triangle), Some(&y)])?;
    }
    let y = transposed(&y)?;
    if tall {
        return Ok(Some(y));
    }
    let q = orthonormal(columns, &scales, &long, short)?;
    Ok(Some(matmul(q.swapaxes(-1, -2)?, y)?))
}
