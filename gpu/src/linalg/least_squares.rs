//! Least squares: solutions of minimum norm.
//!
//! float32 and complex64 matrices with more than 64 rows or columns are solved through the product of the matrix with its
//! adjoint in float64, on GPUs with fast float64. Its condition number is the square of the matrix's, which leaves more
//! correct digits than float32 arithmetic with the matrix itself.

use cuprum_kernels::DType;
use cuprum_kernels::source::SMALL_SIDES;
use cuprum_macros::{Options, routine};

use super::deflation::Few;
use super::eigen::{Triangle, has_own_eigenvalues, hermitian};
use super::matrices::{Matrices, conjugated, map, pair, transposed};
use super::singular::{Singular, at_last, cutoff, decomposed, epsilon};
use super::svd_through_eigh::is_profitable;
use crate::array::{Array, Operand};
use crate::cuda::Rejection;
use crate::driver::Task;
use crate::driver::dense::{SingularVectors, Transpose};
use crate::engine::launch::Sides;
use crate::engine::{check_lapack_info, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::reduction::{Reduce, reduced};
use crate::routines::linalg::matmul;
use crate::routines::manipulation::flip;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// Share of the largest singular value below which values that are computed through the product are lost.
const LOST: f64 = 1e-7;
/// Share of the largest singular value of which the smallest one must be larger, so that the product has a Cholesky
/// factor whose rounding error is smaller than that of float32.
pub(super) const DEFINITE: f64 = 1e-6;

/// The matrix and the right sides of a problem, in one dtype.
pub(super) struct Arguments {
    /// The sizes of the matrix, and the dtype.
    pub(super) of: Matrices,
    /// The matrix.
    pub(super) a: Array,
    /// The right sides, in columns.
    pub(super) right: Array,
    /// True if the right side was passed as a vector.
    pub(super) vector: bool,
}

impl Arguments {
    /// Checks the arguments of a function.
    pub(super) fn of(a: &Array, b: &Array) -> Result<Arguments> {
        let vector = b.ndim() == 1;
        let right = if vector { b.expand_dims(-1)? } else { b.clone() };
        for matrix in [a, &right] {
            if matrix.ndim() != 2 {
                let message =
                    format!("an array of shape {} is no matrix: two axes are needed", shape_text(matrix.shape()));
                return Err(Error::new(ErrorKind::LinAlg, message));
            }
        }
        let (of, other) = (Matrices::of(a)?, Matrices::of(&right)?);
        if of.m != other.m {
            let message = format!("a matrix of {} rows and right sides of {} do not go together", of.m, other.m);
            return Err(Error::new(ErrorKind::LinAlg, message));
        }
        let dtype = crate::dtype::promote_types(of.dtype, other.dtype);
        let cast = |x: &Array| x.cast(dtype, Order::C);
        Ok(Arguments { a: cast(a)?, right: cast(&right)?, of: Matrices { dtype, ..of }, vector })
    }

    /// Returns a solution in the shape of the right side.
    pub(super) fn shaped(&self, x: Array) -> Result<Array> {
        if self.vector { x.squeeze(-1) } else { Ok(x) }
    }

    /// Returns an array without elements, of the dtype of the singular values.
    pub(super) fn none(&self) -> Result<Array> {
        make::empty(self.a.device(), &[0], self.of.real())
    }

    /// Returns whether the product with the adjoint in float64 is used where singular values below this share of the
    /// largest one do not count.
    pub(super) fn has_product(&self, share: f64) -> bool {
        let of = &self.of;
        share >= LOST && of.m.max(of.n) > SMALL_SIDES[1] && is_profitable(self.a.device(), of.dtype)
    }
}

/// Solution, rank and singular values.
pub(super) struct Solution {
    /// Solutions, in columns.
    pub(super) x: Array,
    /// The rank, int32.
    pub(super) rank: Array,
    /// The singular values in descending order.
    pub(super) s: Array,
}

/// Solves by singular values, of which those count that are larger than a share of the largest one.
pub(super) fn by_singular_values(task: &Arguments, share: f64) -> Result<Solution> {
    let solve = if task.has_product(share) { by_eigenvalues } else { by_decomposition };
    solve(task, share)
}

/// Returns which singular values count, and how many these are.
fn counted(s: &Array, share: f64) -> Result<(Array, Array)> {
    let large = pair("greater", s, &cutoff(Operand::Scalar(Scalar::Float(share)), s, s.dtype())?)?;
    let rank = reduced("count_nonzero", &large, &Reduce::all())?.cast(DType::I32, Order::C)?;
    Ok((large, rank))
}

/// Rejects matrices whose singular values are NaN.
fn reject_nan(s: &Array) -> Result<()> {
    let unknown = map("isnan", &at_last(s, 0)?)?.cast(DType::I32, Order::C)?;
    check_lapack_info("lstsq", Rejection::NotConverged, &unknown)
}

/// Returns rows divided by numbers where a mask is true, and zeros elsewhere.
fn divided(rows: &Array, by: &Array, mask: &Array) -> Result<Array> {
    let by = apply("where", [mask.into(), by.into(), Scalar::from(1).into()])?.expand_dims(-1)?;
    let kept = apply("where", [(&mask.expand_dims(-1)?).into(), rows.into(), Scalar::from(0).into()])?;
    pair("divide", &kept, &by)
}

fn by_decomposition(task: &Arguments, share: f64) -> Result<Solution> {
    let Singular { u, s, vh } = decomposed("lstsq", &task.a, SingularVectors::Thin)?;
    reject_nan(&s)?;
    let (large, rank) = counted(&s, share)?;
    let coefficients = matmul(conjugated(u)?.swapaxes(-1, -2)?, &task.right)?;
    let x = matmul(conjugated(vh)?.swapaxes(-1, -2)?, divided(&coefficients, &s, &large)?)?;
    Ok(Solution { x, rank, s })
}

/// The product of a matrix X that has at least as many rows as columns with its adjoint, in float64 or complex128: the
/// matrix of the problem, or its adjoint if that has fewer rows.
pub(super) struct Product {
    /// X^H X.
    pub(super) square: Array,
    /// Its sizes and dtype.
    pub(super) of: Matrices,
    /// The right sides of the equations with X^H X.
    right: Array,
    /// X, if the solution is X times that of the equations.
    x: Option<Array>,
}

impl Product {
    pub(super) fn of(task: &Arguments) -> Result<Product> {
        let of = &task.of;
        let dtype = if of.dtype.is_complex() { DType::C128 } else { DType::F64 };
        let (a, right) = (task.a.cast(dtype, Order::C)?, task.right.cast(dtype, Order::C)?);
        let adjoint = conjugated(a.clone())?.swapaxes(-1, -2)?;
        let of = Matrices { m: of.short(), n: of.short(), dtype, ..of.clone() };
        Ok(if task.of.m >= task.of.n {
            Product { square: matmul(&adjoint, &a)?, right: matmul(&adjoint, &right)?, of, x: None }
        } else {
            Product { square: matmul(&a, &adjoint)?, right, of, x: Some(adjoint) }
        })
    }

    /// Returns the solution of the problem for that of the equations.
    fn solution(&self, y: Array, task: &Arguments) -> Result<Array> {
        let x = self.x.as_ref().map_or(Ok(y.clone()), |x| matmul(x, &y))?;
        x.cast(task.of.dtype, Order::C)
    }

    /// Computes the lower Cholesky factor in column-major order, and LAPACK's info.
    pub(super) fn factor(&self) -> Result<(Array, Array)> {
        let factor = self.of.columns(&self.square)?;
        let info = Matrices::run(Task::Potrf { upper: false }, self.of.sides(), &[Some(&factor)])?;
        Ok((factor, info))
    }

    /// Solves the problem with that factor.
    pub(super) fn solve(&self, factor: &Array, task: &Arguments) -> Result<Array> {
        let y = self.of.columns(&self.right)?;
        let sides = Sides { k: self.right.shape()[1], ..self.of.sides() };
        if sides.k > 0 {
            for transpose in [Transpose::None, Transpose::Adjoint] {
                Matrices::run(Task::Trsm { upper: false, transpose, unit: false }, sides, &[Some(factor), Some(&y)])?;
            }
        }
        self.solution(transposed(&y)?, task)
    }
}

/// Solves with a Cholesky factor where the eigenvalues prove that the matrix has full rank and that the product has such a
/// factor, and with the shifted product where a few of them do not count; otherwise returns `None`.
fn by_factor(product: &Product, task: &Arguments, share: f64) -> Result<Option<Solution>> {
    let (w, _) = hermitian("lstsq", &product.square, Triangle::L, false)?;
    let values = map("sqrt", &pair("maximum", &w, Scalar::from(0))?)?;
    let (_, rank) = counted(&values, share.max(DEFINITE))?;
    let missing = product.of.n - rank.item::<i32>()? as usize;
    let x = if missing == 0 {
        product.solve(&product.factor()?.0, task)?
    } else {
        if share < DEFINITE {
            return Ok(None);
        }
        let Some(few) = Few::of(&product.square, &product.of, &w, missing, share)? else { return Ok(None) };
        product.solution(few.solve(&product.right)?, task)?
    };
    let s = flip(&values, -1)?.cast(task.of.real(), Order::C)?;
    Ok(Some(Solution { x, rank, s }))
}

fn by_eigenvalues(task: &Arguments, share: f64) -> Result<Solution> {
    let product = Product::of(task)?;
    if has_own_eigenvalues(task.a.device(), &product.of)
        && let Some(solution) = by_factor(&product, task, share)?
    {
        return Ok(solution);
    }
    let (w, v) = hermitian("lstsq", &product.square, Triangle::L, true)?;
    let v = v.expect("the vectors were requested");
    let values = map("sqrt", &pair("maximum", &w, Scalar::from(0))?)?;
    reject_nan(&values)?;
    let (large, rank) = counted(&values, share)?;
    let coefficients = matmul(conjugated(v.clone())?.swapaxes(-1, -2)?, &product.right)?;
    let x = product.solution(matmul(&v, divided(&coefficients, &w, &large)?)?, task)?;
    // The eigenvalues are in ascending order.
    Ok(Solution { x, rank, s: flip(&values, -1)?.cast(task.of.real(), Order::C)? })
}

/// Options of [`lstsq`].
///
/// A float converts to options that set `rcond`.
///
/// ```
/// use cuprum::{array, linalg::lstsq};
/// let (a, b) = (array([[2.0, 0.0], [0.0, 0.01]])?, array([2.0, 1.0])?);
/// let (x, _, rank, _) = lstsq(&a, &b, 0.1)?;
/// assert_eq!(rank.item::<i32>()?, 1);
/// assert!(cuprum::allclose(&x, &array([1.0, 0.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Options)]
pub struct LstsqOptions {
    /// The share of the largest singular value below which others count as zero; by default the longer side times the
    /// epsilon of the dtype.
    #[from]
    pub rcond: Option<f64>,
}

/// Result of [`lstsq`]: the solution, the sums of squared residuals, the rank, the singular values.
///
/// NumPy returns the same four values.
pub type Lstsq = (Array, Array, Array, Array);

/// Least squares solution of minimum norm, by singular values; NumPy's `linalg.lstsq`.
///
/// The solution has the shape of `b` with as many rows as `a` has columns, and the promoted dtype. The rank
/// is an int32 array without axes. The sums of squared residuals are empty unless the rank is full and
/// there are more rows than columns.
///
/// Without the singular values, [`scipy::linalg::lstsq`](crate::scipy::linalg::lstsq) takes less time.
///
/// ```
/// use cuprum::{array, linalg};
/// let (x, ..) = linalg::lstsq(array([[1.0], [1.0]])?, array([1.0, 3.0])?, ())?;
/// assert!((x.item::<f64>()? - 2.0).abs() < 1e-14);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for an array that is not a matrix, for right sides of other lengths, and for a matrix with NaN
/// or infinity; [`ErrorKind::Type`] for float16 and bfloat16.
///
/// # Synchronization
///
/// Synchronises with the device if there are more rows than columns: the rank determines whether there are residuals.
/// For float32 matrices with more than 64 rows or columns the rank may also determine the algorithm.
#[routine(namespace = "numpy.linalg")]
pub fn lstsq(a: &Array, b: &Array, options: LstsqOptions) -> Result<Lstsq> {
    let task = Arguments::of(a, b)?;
    let Arguments { of, right, .. } = &task;
    if of.short() == 0 {
        let x = make::zeros(a.device(), &[of.n, right.shape()[1]], of.dtype)?;
        let rest = if of.n == 0 && of.m > 0 { squares(right)? } else { task.none()? };
        return Ok((task.shaped(x)?, rest, make::zeros(a.device(), &[], DType::I32)?, task.none()?));
    }
    let share = options.rcond.unwrap_or(of.m.max(of.n) as f64 * epsilon(of.dtype));
    // A negative share means the epsilon, as in LAPACK.
    let share = if share < 0.0 { epsilon(of.dtype) } else { share };
    let Solution { x, rank, s } = by_singular_values(&task, share)?;
    let rest = residuals(&task, &x, &rank)?;
    Ok((task.shaped(x)?, rest, rank, s))
}

/// Returns the sums of squared residuals, of each right side, if the rank is full and there are more rows than columns.
pub(super) fn residuals(task: &Arguments, x: &Array, rank: &Array) -> Result<Array> {
    let of = &task.of;
    if of.m > of.n && rank.item::<i32>()? as usize == of.n {
        squares(&pair("subtract", &task.right, &matmul(&task.a, x)?)?)
    } else {
        task.none()
    }
}

/// Returns the sums of squares of columns.
fn squares(a: &Array) -> Result<Array> {
    let sizes = map("absolute", a)?;
    reduced("sum", &pair("multiply", &sizes, &sizes)?, &Reduce::axis(0))
}
