//! Linear systems, inverses, determinants and Cholesky factors.
//!
//! A factorisation of `n` rows takes `2 n³ / 3` operations (LU) or `n³ / 3` (Cholesky), and a solution for `k` right
//! sides `2 n² k`; an inverse takes as many as a solution for `n` of them, so that `solve` is faster and more accurate
//! than a product with `inv`.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use super::matrices::{Matrices, in_c_order, map, nan_factors, pair, transposed};
use crate::array::{Array, DiagonalOptions};
use crate::cuda::Rejection;
use crate::driver::Task;
use crate::driver::dense::{Transpose, pivot_dtype};
use crate::engine::launch::{self, Sides};
use crate::engine::{check_lapack_info, make, singular_lu};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, broadcast_shapes, shape_text};
use crate::reduction::{Reduce, reduced};

/// LU factors of a batch of square column-major matrices, stored in the matrices' own memory.
pub(super) struct Factors {
    /// Both triangles of each matrix, in LAPACK's packed form.
    pub(super) lu: Array,
    /// Row exchanges of each matrix, counted from 1 as LAPACK does.
    pub(super) pivots: Array,
    /// LAPACK's status of each matrix.
    pub(super) info: Array,
}

/// Computes the LU factors of matrices in place. Those of a matrix with NaN that cuSOLVER factors are set to NaN.
pub(super) fn factors(lu: Array, of: &Matrices) -> Result<Factors> {
    let pivots = of.empty(&lu, &[of.short()], launch::pivot_dtype(lu.device(), of.batch(), of.m, of.n)?)?;
    // Single and rectangular matrices go to cuSOLVER, whose factors of a matrix with NaN are finite. Batches of square
    // ones go to cuBLAS, which keeps NaN.
    let has_nan = match pivot_dtype(of.batch(), of.m, of.n) {
        DType::I32 => None,
        _ => Some(reduced("any", &map("isnan", &lu)?, &Reduce::axes([-2, -1]))?),
    };
    let info = Matrices::run(Task::Getrf, of.sides(), &[Some(&lu), Some(&pivots)])?;
    let info = has_nan.map_or(Ok(info.clone()), |mask| nan_factors(&lu, &info, &mask))?;
    Ok(Factors { lu, pivots, info })
}

/// Computes complete LU factors as LAPACK does, also of singular matrices; systems and determinants do not need these.
pub(super) fn whole_factors(a: &Array, of: &Matrices) -> Result<Factors> {
    let given = of.columns(a)?;
    // Single matrices go to cuSOLVER, which continues after a zero pivot.
    if pivot_dtype(of.batch(), of.m, of.n) != DType::I32 {
        return factors(given, of);
    }
    let found = factors(given.copy(Order::C)?, of)?;
    singular_lu(of.n, &given, &found.info, &found.lu, &found.pivots)?;
    Ok(found)
}

/// Solves for `k` right sides in place.
pub(super) fn solve_with(factors: &Factors, of: &Matrices, b: &Array, k: usize, transpose: Transpose) -> Result<()> {
    let sides = Sides { k, ..of.sides() };
    Matrices::run(Task::Getrs { transpose }, sides, &[Some(&factors.lu), Some(&factors.pivots), Some(b)])?;
    Ok(())
}

/// Returns the error for right sides whose shape does not match their matrices.
pub(super) fn no_right_side(a: &Array, b: &Array) -> Error {
    let (one, two) = (shape_text(a.shape()), shape_text(b.shape()));
    Error::new(ErrorKind::Value, format!("right sides of shape {two} do not fit matrices of shape {one}"))
}

/// Broadcasts the batches of matrices and right sides and casts them to one dtype; `b` gets an axis of columns.
pub(super) fn together(a: &Array, b: &Array, vector: bool) -> Result<(Array, Array, Matrices)> {
    let own = Matrices::square(a)?;
    let columns = if vector { b.expand_dims(-1)? } else { b.clone() };
    let other = Matrices::of(&columns)?;
    if other.m != own.n {
        return Err(no_right_side(a, b));
    }
    let stack = broadcast_shapes(&[&own.stack, &other.stack])?;
    let dtype = crate::dtype::promote_types(own.dtype, other.dtype);
    let of = Matrices { stack, dtype, ..own };
    let (a, b) =
        (a.broadcast_to_shape(&of.with(&[of.n, of.n]))?, columns.broadcast_to_shape(&of.with(&[of.n, other.n]))?);
    Ok((a, b, of))
}

/// Solves systems of linear equations by LU factorisation with partial pivoting; NumPy's `linalg.solve`.
///
/// The solution has the shape of `b`, broadcast with the batch of `a`, and the promoted dtype of both,
/// float64 for integers and booleans. `b` is a vector if it has one axis, otherwise a batch of matrices;
/// batches are broadcast.
///
/// Algorithm: LAPACK's `gesv`, that is `getrf` and `getrs`, by cuSOLVER or cuBLAS for batches. Difference
/// to NumPy: a singular matrix is reported by the next call that synchronises, since the host does not wait
/// for the factors.
///
/// ```
/// use cuprum::{array, linalg};
/// let x = linalg::solve(array([[2.0, 1.0], [1.0, 3.0]])?, array([3.0, 5.0])?)?;
/// assert!((x.to_vec::<f64>()?[0] - 0.8).abs() < 1e-15);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for matrices that are not square, and, at the next synchronisation, for singular ones;
/// [`ErrorKind::Value`] where the right sides do not match; [`ErrorKind::Type`] for float16 and bfloat16.
#[routine(namespace = "numpy.linalg")]
pub fn solve(a: &Array, b: &Array) -> Result<Array> {
    let vector = b.ndim() == 1;
    let (a, b, of) = together(a, b, vector)?;
    let k = b.shape()[b.ndim() - 1];
    if of.is_empty() || k == 0 {
        let axes = if vector { vec![of.n] } else { vec![of.n, k] };
        return of.empty(&a, &axes, of.dtype);
    }
    // A row-major matrix is its transpose in column-major order.
    let factors = factors(of.rows(&a)?, &of)?;
    let x = of.columns(&b)?;
    solve_with(&factors, &of, &x, k, Transpose::Transposed)?;
    check_lapack_info("solve", Rejection::Singular, &factors.info)?;
    if vector { x.squeeze(-2) } else { transposed(&x) }
}

/// Inverses of square matrices; NumPy's `linalg.inv`.
///
/// The result has the shape of `a` and its dtype, or float64 for integers and booleans. Algorithm: LU
/// factorisation, and a solution for the identity matrix or, for a batch, LAPACK's `getri`. Difference to
/// NumPy: a singular matrix is reported by the next call that synchronises.
///
/// A product with the inverse is slower and less accurate than [`solve`].
///
/// ```
/// use cuprum::{array, linalg};
/// assert_eq!(linalg::inv(array([[2.0, 0.0], [0.0, 4.0]])?)?.to_vec::<f64>()?, [0.5, 0.0, 0.0, 0.25]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for matrices that are not square, and, at the next synchronisation, for singular ones;
/// [`ErrorKind::Type`] for float16 and bfloat16.
#[routine(namespace = "numpy.linalg")]
pub fn inv(a: &Array) -> Result<Array> {
    let (inverse, info) = inverted(a)?;
    if let Some(info) = info {
        check_lapack_info("inv", Rejection::Singular, &info)?;
    }
    Ok(inverse)
}

/// Inverts matrices; the inverses of singular ones are NaN.
pub(super) fn inv_or_nan(a: &Array) -> Result<Array> {
    let (inverse, info) = inverted(a)?;
    let Some(info) = info else { return Ok(inverse) };
    let singular = pair("greater", &info, crate::scalar::Scalar::from(0))?;
    let stack = &inverse.shape()[..inverse.ndim() - 2];
    let singular = singular.reshape(&[stack, &[1, 1]].concat()[..])?;
    crate::routines::searching::where_(&singular, f64::NAN, &inverse)
}

/// Returns the inverses, and the info codes that mark singular matrices.
fn inverted(a: &Array) -> Result<(Array, Option<Array>)> {
    let of = Matrices::square(a)?;
    if of.is_empty() {
        return Ok((of.empty(a, &[of.n, of.n], of.dtype)?, None));
    }
    // The inverse of the transpose is the transpose of the inverse.
    let factors = factors(of.rows(a)?, &of)?;
    let out = if of.batch() == 1 {
        let out = of.identity(a, of.n)?;
        solve_with(&factors, &of, &out, of.n, Transpose::None)?;
        out
    } else {
        let out = of.empty(a, &[of.n, of.n], of.dtype)?;
        let arrays = [Some(&factors.lu), Some(&factors.pivots), Some(&out)];
        Matrices::run(Task::Getri, of.sides(), &arrays)?;
        out
    };
    Ok((out, Some(factors.info)))
}

/// Diagonals of LU factors, the parity of the row exchanges, and which matrices are singular.
struct Diagonals {
    /// Diagonal of U.
    diagonal: Array,
    /// True for an odd number of row exchanges.
    odd: Array,
    /// True for a zero on the diagonal.
    singular: Array,
}

fn diagonals(a: &Array, of: &Matrices) -> Result<Diagonals> {
    let Factors { lu, pivots, info } = factors(of.rows(a)?, of)?;
    let diagonal = lu.diagonal(DiagonalOptions::new().axis1(-2).axis2(-1))?;
    let unexchanged = make::empty(a.device(), &[of.n], pivots.dtype())?;
    crate::engine::arange(&unexchanged, 1.into(), 2.into())?;
    let exchanged = reduced("count_nonzero", &pair("not_equal", &pivots, &unexchanged)?, &Reduce::axis(-1))?;
    let odd = pair("bitwise_and", &exchanged, crate::scalar::Scalar::from(1))?;
    let singular = pair("greater", &info.reshape(&of.stack[..])?, crate::scalar::Scalar::from(0))?;
    Ok(Diagonals { diagonal, odd, singular })
}

/// Determinants of square matrices; NumPy's `linalg.det`.
///
/// The result has the shape of the batch and the dtype of `a`, or float64 for integers and booleans. The
/// determinant of an empty matrix is 1.
///
/// Algorithm: the product of the diagonal of the LU factor, with the sign of the row exchanges. It
/// overflows for large matrices, where [`slogdet`] does not.
///
/// ```
/// use cuprum::{array, linalg};
/// assert_eq!(linalg::det(array([[2.0, 0.0], [0.0, 4.0]])?)?.item::<f64>()?, 8.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for matrices that are not square, [`ErrorKind::Type`] for float16 and bfloat16.
#[routine(namespace = "numpy.linalg", no_programs = "has no error bound for nearly singular matrices")]
pub fn det(a: &Array) -> Result<Array> {
    let of = Matrices::square(a)?;
    if of.is_empty() {
        return make::full(a.device(), &of.stack, 1, of.dtype);
    }
    let Diagonals { diagonal, odd, singular } = diagonals(a, &of)?;
    let product = reduced("prod", &diagonal, &Reduce::axis(-1).dtype(of.dtype))?;
    let sign =
        pair("subtract", crate::scalar::Scalar::from(1), &pair("multiply", &odd, crate::scalar::Scalar::from(2))?)?;
    let signed = pair("multiply", &product, &sign.cast(of.dtype, crate::layout::Order::C)?)?;
    crate::ufunc::apply("where", [(&singular).into(), crate::scalar::Scalar::from(0).into(), (&signed).into()])
}

/// Sign and natural logarithm of the absolute value of determinants; NumPy's `linalg.slogdet`.
///
/// Both results have the shape of `a` without the last two axes. The sign is in the dtype of the matrices
/// and has modulus 1, or is 0 for a singular matrix, whose logarithm is negative infinity; the logarithm is
/// in the real dtype.
///
/// Algorithm: the sum of the logarithms of the diagonal of the LU factor, which neither overflows nor
/// underflows.
///
/// ```
/// use cuprum::{array, linalg};
/// let (sign, log) = linalg::slogdet(array([[0.0, 1.0], [1.0, 0.0]])?)?;
/// assert_eq!((sign.item::<f64>()?, log.item::<f64>()?), (-1.0, 0.0));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for matrices that are not square, [`ErrorKind::Type`] for float16 and bfloat16.
#[routine(
    namespace = "numpy.linalg",
    python(result_class = "SlogdetResult"),
    no_programs = "has no error bound for nearly singular matrices"
)]
pub fn slogdet(a: &Array) -> Result<(Array, Array)> {
    let of = Matrices::square(a)?;
    if of.is_empty() {
        let one = make::full(a.device(), &of.stack, 1, of.dtype)?;
        return Ok((one, make::zeros(a.device(), &of.stack, of.real())?));
    }
    let Diagonals { diagonal, odd, singular } = diagonals(a, &of)?;
    let sizes = map("absolute", &diagonal)?;
    // A real determinant has a sign if it is infinite or NaN, too; that of NaN is 1.
    let signs = if of.dtype.is_complex() {
        pair("divide", &diagonal, &sizes)?
    } else {
        let negative = pair("less", &diagonal, crate::scalar::Scalar::from(0))?;
        crate::routines::searching::where_(&negative, -1, 1)?
    };
    let signs = reduced("prod", &signs, &Reduce::axis(-1).dtype(of.dtype))?;
    let sign =
        pair("subtract", crate::scalar::Scalar::from(1), &pair("multiply", &odd, crate::scalar::Scalar::from(2))?)?;
    let signed = pair("multiply", &signs, &sign.cast(of.dtype, crate::layout::Order::C)?)?;
    let log = reduced("sum", &map("log", &sizes)?, &Reduce::axis(-1))?;
    let none = crate::scalar::Scalar::from(f64::NEG_INFINITY);
    Ok((
        crate::ufunc::apply("where", [(&singular).into(), crate::scalar::Scalar::from(0).into(), (&signed).into()])?,
        crate::ufunc::apply("where", [(&singular).into(), none.into(), (&log).into()])?,
    ))
}

/// Cholesky factors of Hermitian positive definite matrices; NumPy's `linalg.cholesky`: the lower triangle
/// `L` with `a = L Lᴴ`, or the upper one with `upper`.
///
/// The result has the shape of `a` and its dtype, or float64 for integers and booleans. The other triangle
/// of `a` is not read, and is zero in the result.
///
/// Algorithm: LAPACK's `potrf`. Difference to NumPy: a matrix that is not positive definite is reported by
/// the next call that synchronises.
///
/// ```
/// use cuprum::{array, linalg};
/// let l = linalg::cholesky(array([[4.0, 2.0], [2.0, 5.0]])?, ())?;
/// assert_eq!(l.to_vec::<f64>()?, [2.0, 0.0, 1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for matrices that are not square, and, at the next synchronisation, for those that are not
/// positive definite; [`ErrorKind::Type`] for float16 and bfloat16. If the triangle that is read contains NaN, that
/// triangle of the result is NaN.
#[routine(namespace = "numpy.linalg", python(positional_only = 1, keyword_only = 1))]
pub fn cholesky(a: &Array, options: CholeskyOptions) -> Result<Array> {
    let of = Matrices::square(a)?;
    if of.is_empty() {
        return of.empty(a, &[of.n, of.n], of.dtype);
    }
    let of_ones = crate::routines::creation::EyeOptions::new().dtype(DType::Bool);
    let triangle = a.device().with(|| crate::routines::creation::tri(of.n, of_ones))?;
    let triangle = if options.upper { triangle.t() } else { triangle };
    let odd = match a.dtype().is_float() || a.dtype().is_complex() {
        true => Some(reduced("any", &map("isnan", a)?, &Reduce::axes([-2, -1]).where_(&triangle))?),
        false => None,
    };
    // cuSOLVER is faster for the lower triangle. A row-major matrix is its transpose in column-major order, whose lower
    // triangle is the upper one of the matrix.
    let factor = if options.upper { of.rows(a)? } else { of.columns(a)? };
    let info = Matrices::run(Task::Potrf { upper: false }, of.sides(), &[Some(&factor)])?;
    let info = odd.map_or(Ok(info.clone()), |mask| nan_factors(&factor, &info, &mask))?;
    check_lapack_info("cholesky", Rejection::Indefinite, &info)?;
    in_c_order(if options.upper {
        crate::routines::creation::triu(&factor, 0)?
    } else {
        crate::routines::creation::tril(factor.swapaxes(-1, -2)?, 0)?
    })
}

/// Options of [`cholesky`].
///
/// By default the lower triangle is read.
///
/// ```
/// use cuprum::{array, linalg::{CholeskyOptions, cholesky}};
/// let upper = cholesky(&array([[4.0, 2.0], [2.0, 2.0]])?, CholeskyOptions::new().upper(true))?;
/// assert!(cuprum::allclose(&upper, &array([[2.0, 1.0], [0.0, 1.0]])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, cuprum_macros::Options)]
pub struct CholeskyOptions {
    /// If true, the upper triangle is read and returned, otherwise the lower one. By default `false`.
    pub upper: bool,
}
