//! Singular value decomposition, pseudo-inverse and matrix rank.
//!
//! The singular values of a matrix are the roots of the eigenvalues of its product with its conjugate transpose, but
//! are computed without that product, which would lose half of the digits of small ones.

use cuprum_kernels::DType;
use cuprum_kernels::source::SMALL_SIDES;
use cuprum_macros::{Options, routine};

use super::eigen::{Triangle, hermitian};
use super::matrices::{Matrices, conjugated, in_c_order, map, pair, set_nan, transposed, unless};
use super::orthogonal::reflect;
use super::scaling::{scaled, without_odd};
use super::svd_through_eigh::{is_profitable, singular_values_through_eigh, svd_through_eigh};
use crate::array::{Array, DiagonalOptions, Index, Operand};
use crate::cuda::{Device, Rejection};
use crate::driver::Task;
use crate::driver::dense::SingularVectors;
use crate::engine::launch::Sides;
use crate::engine::{check_lapack_info, make, singular_panels};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::reduction::{Reduce, reduced};
use crate::routines::linalg::matmul;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// Singular values in descending order, and singular vectors: `u` in columns, `vh` in rows.
pub(super) struct Singular {
    /// Left vectors, in columns.
    pub(super) u: Array,
    /// Singular values, in descending order.
    pub(super) s: Array,
    /// Right vectors, conjugated, in rows.
    pub(super) vh: Array,
}

/// Returns whether matrices are decomposed by [`svd_through_polar`]. The device's library works on the host in between and
/// cannot be captured; of float32 it perturbs many matrices.
fn has_polar(device: Device, dtype: DType) -> bool {
    let has = !device.info().target.starts_with("gfx") && !device.queue().is_captured();
    has && matches!(dtype, DType::F64 | DType::C128)
}

/// Returns whether a matrix of a batch is so close to a singular one that its polar decomposition would be that of a
/// perturbed matrix. A Cholesky factor of `A^H A` exists where the condition is below some 1e7; otherwise the diagonal
/// of R, of a QR decomposition, decides. This finds products of few columns and rows, but not every such matrix.
/// Synchronises.
fn is_nearly_singular(x: &Array, of: &Matrices) -> Result<bool> {
    let any = |mask: &Array| reduced("any", mask, &Reduce::all())?.item::<bool>();
    let square = in_c_order(matmul(conjugated(x.clone())?, x.swapaxes(-1, -2)?)?)?;
    let sides = Sides { m: of.n, ..of.sides() };
    if !any(&Matrices::run(Task::Potrf { upper: false }, sides, &[Some(&square)])?)? {
        return Ok(false);
    }
    let factor = x.copy(Order::C)?;
    reflect(&factor, of)?;
    let ends = map("absolute", &factor.diagonal(DiagonalOptions::new().axis1(-2).axis2(-1))?)?;
    let largest = reduced("max", &ends, &Reduce::axis(-1).keepdims(true))?;
    any(&pair("less_equal", &ends, &pair("multiply", &largest, Scalar::from(500.0 * f64::EPSILON))?)?)
}

/// Decomposes finite matrices with at least as many rows as columns through their polar decompositions (Y. Nakatsukasa
/// and N. J. Higham, "Stable and efficient spectral divide and conquer algorithms for the symmetric eigenvalue
/// decomposition and the SVD", 2013): `x` has their columns in rows. Left and right vectors are in rows. Returns `None`
/// where the library perturbed a matrix by more than rounding errors, because it is close to a singular one.
/// Synchronises.
fn svd_through_polar(x: &Array, of: &Matrices, vectors: SingularVectors) -> Result<Option<Singular>> {
    if is_nearly_singular(x, of)? {
        return Ok(None);
    }
    let s = of.empty(x, &[of.n], of.real())?;
    // The library works in both arrays, also if no vectors are requested.
    let left = if vectors == SingularVectors::Full { of.m } else { of.n };
    let u = of.empty(x, &[left, of.m], of.dtype)?;
    let v = of.empty(x, &[of.n, of.n], of.dtype)?;
    let arrays = [Some(x), Some(&s), Some(&u), Some(&v)];
    let info = Matrices::run(Task::Gesvdp { vectors }, of.sides(), &arrays)?;
    if reduced("any", &info, &Reduce::all())?.item::<bool>()? {
        return Ok(None);
    }
    if vectors == SingularVectors::None {
        let none = of.empty(x, &[0, 0], of.dtype)?;
        return Ok(Some(Singular { u: none.clone(), s, vh: none }));
    }
    Ok(Some(Singular { u, s, vh: conjugated(v)? }))
}

/// Decomposes a batch of matrices; vectors that are not wanted are empty. `function` is named in errors.
pub(super) fn decomposed(function: &'static str, a: &Array, wanted: SingularVectors) -> Result<Singular> {
    let of = Matrices::of(a)?;
    let (m, n, short) = (of.m, of.n, of.short());
    let (columns, rows) = match wanted {
        SingularVectors::None => (0, 0),
        SingularVectors::Thin => (short, short),
        SingularVectors::Full => (m, n),
    };
    if of.is_empty() {
        let s = of.empty(a, &[short], of.real())?;
        let vectors = |n: usize, columns: usize| {
            if columns == n { of.identity(a, n) } else { of.empty(a, &[n, columns], of.dtype) }
        };
        let vh = if rows == n { of.identity(a, n)? } else { of.empty(a, &[rows, n], of.dtype)? };
        return Ok(Singular { u: vectors(m, columns)?, s, vh });
    }
    // The library requires at least as many rows as columns. A row-major matrix is its transpose in column-major order,
    // whose left vectors are the right ones of the matrix.
    let wide = m < n;
    let (x, tall, narrow) = if wide { (of.rows(a)?, n, m) } else { (of.columns(a)?, m, n) };
    let (x, scale) = scaled(&x, &of)?;
    scale.reject_nan(function)?;
    let odd = scale.odd()?;
    // Of a matrix with infinity all results are NaN.
    let finish = |Singular { u, s, vh }: Singular| {
        let s = scale.undo(&s)?;
        set_nan(&s, &odd.expand_dims(-1)?)?;
        if wanted != SingularVectors::None {
            set_nan(&u, &odd.expand_dims([-2, -1])?)?;
            set_nan(&vh, &odd.expand_dims([-2, -1])?)?;
        }
        Ok(Singular { u, s, vh })
    };
    let (left, right) = match wanted {
        SingularVectors::None => (0, 0),
        SingularVectors::Thin => (narrow, narrow),
        SingularVectors::Full => (tall, narrow),
    };
    // Left and right vectors in rows, of the matrix itself or, if it is wide, of its transpose.
    let in_order = |Singular { u, s, vh }: Singular| {
        finish(match (wanted == SingularVectors::None, wide) {
            (true, _) => Singular { u, s, vh },
            (false, true) => Singular { u: transposed(&vh)?, s, vh: u },
            (false, false) => Singular { u: transposed(&u)?, s, vh },
        })
    };
    let none = || of.empty(a, &[0, 0], of.dtype);
    let (large, sides) = (tall > SMALL_SIDES[1], Matrices { m: tall, n: narrow, ..of.clone() });
    let through_eigh = large && is_profitable(a.device(), of.dtype);
    if left > 0 && through_eigh {
        return in_order(svd_through_eigh(function, &without_odd(&x)?, &sides, left)?);
    }
    if let Some(found) = singular_panels(&x, Sides { k: left, ..sides.sides() })? {
        check_lapack_info(function, Rejection::NotConverged, &unless(&found.info, &odd)?)?;
        let (u, vh) = found.vectors.map_or_else(|| Ok((none()?, none()?)), Ok)?;
        return in_order(Singular { u, s: found.values, vh });
    }
    if through_eigh {
        let s = singular_values_through_eigh(function, &without_odd(&x)?, &sides)?;
        return in_order(Singular { u: none()?, s, vh: none()? });
    }
    if large
        && has_polar(a.device(), of.dtype)
        && let Some(found) = svd_through_polar(&without_odd(&x)?, &sides, wanted)?
    {
        return in_order(found);
    }
    let s = of.empty(a, &[narrow], of.real())?;
    let u = of.empty(a, &[left, tall], of.dtype)?;
    let v = of.empty(a, &[narrow, right], of.dtype)?;
    let vectors = |x| (wanted != SingularVectors::None).then_some(x);
    let arrays = [Some(&x), Some(&s), vectors(&u), vectors(&v)];
    let info = Matrices::run(Task::Gesvd { vectors: wanted }, sides.sides(), &arrays)?;
    check_lapack_info(function, Rejection::NotConverged, &unless(&info, &odd)?)?;
    // `v` has the right vectors in columns of its transpose.
    in_order(Singular { u, s, vh: if wanted == SingularVectors::None { v } else { transposed(&v)? } })
}

/// Options of [`svd`].
///
/// As in NumPy, `full_matrices` and `compute_uv` are true by default.
///
/// ```
/// use cuprum::{array, linalg::{SvdOptions, svd}};
/// let (u, s, vh) = svd(array([[3.0, 0.0], [0.0, 4.0]])?, SvdOptions::new().compute_uv(false))?;
/// assert!(u.is_none() && vh.is_none() && cuprum::allclose(s, array([4.0, 3.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct SvdOptions {
    /// If true, the vectors span the whole space; otherwise there are as many as singular values. By default `true`.
    pub full_matrices: bool,
    /// If true, the vectors are computed. By default `true`.
    pub compute_uv: bool,
    /// If true, the matrices are Hermitian, and only the lower triangle is read. By default `false`.
    pub hermitian: bool,
}

impl Default for SvdOptions {
    fn default() -> Self {
        SvdOptions { full_matrices: true, compute_uv: true, hermitian: false }
    }
}

/// Result of [`svd`]: `u`, the singular values, `vh`; without vectors the values alone.
///
/// The vectors are `None` with [`SvdOptions::compute_uv`] false.
pub type Svd = (Option<Array>, Array, Option<Array>);

/// Singular value decomposition: orthonormal columns `u`, singular values in descending order, and
/// orthonormal rows `vh`; NumPy's `linalg.svd`.
///
/// For matrices of shape `(..., m, n)` with a shorter side `k`, the singular values have the shape `(...,
/// k)` and are real; `u` has the shape `(..., m, m)` and `vh` the shape `(..., n, n)`, or `(..., m, k)` and
/// `(..., k, n)` without `full_matrices`.
///
/// Algorithm: matrices of at most 64 rows and columns are decomposed by one-sided Jacobi rotations (M. R.
/// Hestenes, "Inversion of matrices by biorthogonalization and related results", 1958), batches of larger
/// ones by rotations of a triangular factor (Z. Drmac and K. Veselic, "New fast and accurate Jacobi SVD
/// algorithm", 2008), others as the chapter on performance describes.
///
/// Differences to NumPy: signs and phases of the vectors are the library's choice, and a matrix with NaN is
/// reported by the next call that synchronises.
///
/// ```
/// use cuprum::{array, linalg};
/// let (_, s, _) = linalg::svd(array([[3.0, 0.0], [0.0, -4.0]])?, ())?;
/// assert_eq!(s.to_vec::<f64>()?, [4.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for fewer than two axes, and, at the next synchronisation, for a matrix with NaN;
/// [`ErrorKind::Type`] for float16 and bfloat16. All results of a matrix with infinity and no NaN are NaN.
#[routine(namespace = "numpy.linalg", python(result_class = "SVDResult"))]
pub fn svd(a: &Array, options: SvdOptions) -> Result<Svd> {
    if options.hermitian {
        return hermitian_svd(a, options.compute_uv);
    }
    let wanted = match (options.compute_uv, options.full_matrices) {
        (false, _) => SingularVectors::None,
        (true, true) => SingularVectors::Full,
        (true, false) => SingularVectors::Thin,
    };
    let Singular { u, s, vh } = decomposed("svd", a, wanted)?;
    if options.compute_uv { Ok((Some(u), s, Some(vh))) } else { Ok((None, s, None)) }
}

/// Gathers elements along the last axis at indices of the shape of `order`.
fn along(a: &Array, order: &Array) -> Result<Array> {
    crate::routines::indexing::take_along_axis(a, order, -1)
}

/// Singular values of Hermitian matrices as magnitudes of eigenvalues in descending order, with their vectors.
fn hermitian_svd(a: &Array, vectors: bool) -> Result<Svd> {
    let of = Matrices::square(a)?;
    let (w, v) = hermitian("svd", a, Triangle::L, vectors)?;
    let s = map("absolute", &w)?;
    let order = crate::routines::sorting::argsort(map("negative", &s)?, -1)?;
    let s = along(&s, &order)?;
    let Some(v) = v else { return Ok((None, s, None)) };
    // A zero eigenvalue has a sign as well: a sign of 0 would make its vector zero.
    let sign = apply("copysign", [1.0.into(), (&w).into()])?;
    let sign = along(&sign, &order)?.cast(of.dtype, Order::C)?;
    let u = along(&v, &order.expand_dims(-2)?.broadcast_to_shape(v.shape())?)?;
    let vh = in_c_order(conjugated(pair("multiply", &u, &sign.expand_dims(-2)?)?)?.swapaxes(-1, -2)?)?;
    Ok((Some(u), s, Some(vh)))
}

/// Singular values of matrices, in descending order; NumPy's `linalg.svdvals`.
///
/// Matrices of shape `(..., m, n)` have values of shape `(..., min(m, n))`, in the real dtype of the matrices.
///
/// ```
/// use cuprum::{array, linalg};
/// assert_eq!(linalg::svdvals(array([[3.0, 0.0], [0.0, -4.0]])?)?.to_vec::<f64>()?, [4.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`svd`].
#[routine(
    namespace = "numpy.linalg",
    python(positional_only = 1),
    no_programs = "has no error bound for nearly singular matrices"
)]
pub fn svdvals(x: &Array) -> Result<Array> {
    Ok(decomposed("svdvals", x, SingularVectors::None)?.s)
}

/// Options of [`pinv`].
///
/// By default the matrices are general, and `rcond` is 1e-15.
///
/// ```
/// use cuprum::{array, linalg::{PinvOptions, pinv}};
/// // The small singular value is below the cutoff of 0.1 and counts as zero.
/// let a = array([[2.0, 0.0], [0.0, 0.01]])?;
/// let inverse = pinv(&a, PinvOptions { rcond: Some(0.1.into()), ..Default::default() })?;
/// assert!(cuprum::allclose(&inverse, &array([[0.5, 0.0], [0.0, 0.0]])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct PinvOptions<'a> {
    /// The share of the largest singular value below which others count as zero, for each matrix; by default 1e-15.
    pub rcond: Option<Operand<'a>>,
    /// If true, the matrices are Hermitian. By default `false`.
    pub hermitian: bool,
    /// The array API's name of `rcond`; only one of the two may be passed.
    pub rtol: Option<Operand<'a>>,
}

/// Returns the cutoff for each matrix: the share of the largest singular value, with an axis of length 1 for the
/// values.
pub(super) fn cutoff(share: Operand<'_>, s: &Array, dtype: DType) -> Result<Array> {
    let largest = reduced("max", s, &Reduce::axis(-1).keepdims(true))?;
    let share = match share {
        Operand::Array(a) => a.cast(dtype, Order::C)?.expand_dims(-1)?,
        Operand::Scalar(_) => return apply("multiply", [(&largest).into(), share]),
    };
    pair("multiply", &share, &largest)
}

/// Moore-Penrose pseudo-inverses of matrices, by singular value decomposition; NumPy's `linalg.pinv`.
///
/// Matrices of shape `(..., m, n)` have inverses of shape `(..., n, m)` and of the same dtype, float64 for
/// integers. The inverse is `vhᴴ diag(1 / s) uᴴ` of the [`svd`], without the singular values below the
/// cutoff.
///
/// ```
/// use cuprum::{array, linalg};
/// let p = linalg::pinv(array([[2.0], [0.0]])?, ())?;
/// assert_eq!((p.shape(), p.to_vec::<f64>()?), (&[1, 2][..], vec![0.5, 0.0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`svd`], and [`ErrorKind::Value`] where both `rcond` and `rtol` are passed.
#[routine(namespace = "numpy.linalg", python(keyword_only = 1))]
pub fn pinv(a: &Array, options: PinvOptions<'_>) -> Result<Array> {
    if options.rcond.is_some() && options.rtol.is_some() {
        return Err(Error::new(
            ErrorKind::Value,
            "rcond and rtol are both given: they are one share, give one of them",
        ));
    }
    let of = Matrices::of(a)?;
    if of.is_empty() {
        return of.empty(a, &[of.n, of.m], of.dtype);
    }
    let (u, s, vh) = if options.hermitian {
        match hermitian_svd(a, true)? {
            (Some(u), s, Some(vh)) => (u, s, vh),
            _ => unreachable!("the vectors were requested"),
        }
    } else {
        let Singular { u, s, vh } = decomposed("pinv", a, SingularVectors::Thin)?;
        (u, s, vh)
    };
    let share = options.rcond.or(options.rtol).unwrap_or(Operand::Scalar(Scalar::Float(1e-15)));
    let large = pair("greater", &s, &cutoff(share, &s, of.real())?)?;
    let ones = apply("where", [(&large).into(), (&s).into(), Scalar::from(1).into()])?;
    let inverse = apply("where", [(&large).into(), (&map("reciprocal", &ones)?).into(), Scalar::from(0).into()])?;
    let scaled = pair("multiply", &inverse.expand_dims(-1)?, &conjugated(u)?.swapaxes(-1, -2)?)?;
    matmul(conjugated(vh)?.swapaxes(-1, -2)?, scaled)
}

/// Options of [`matrix_rank`].
///
/// A number or an array converts to options that set `tol` alone.
///
/// ```
/// use cuprum::{array, linalg::matrix_rank};
/// let a = array([[2.0, 0.0], [0.0, 0.01]])?;
/// assert_eq!(matrix_rank(&a, ())?.item::<i64>()?, 2);
/// assert_eq!(matrix_rank(&a, 0.1)?.item::<i64>()?, 1);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct RankOptions<'a> {
    /// The absolute threshold above which singular values count, for each matrix.
    #[from]
    pub tol: Option<Operand<'a>>,
    /// If true, the matrices are Hermitian. By default `false`.
    pub hermitian: bool,
    /// The threshold relative to the largest singular value; by default the longer side times the epsilon of the dtype.
    pub rtol: Option<Operand<'a>>,
}

/// Rank of matrices: the number of singular values above the threshold; NumPy's `linalg.matrix_rank`.
///
/// The result has the shape of the batch and dtype int64. For fewer than two axes it is 1 if any element is
/// not 0.
///
/// ```
/// use cuprum::{array, linalg};
/// assert_eq!(linalg::matrix_rank(array([[1.0, 2.0], [2.0, 4.0]])?, ())?.item::<i64>()?, 1);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`svd`], and [`ErrorKind::Value`] where both thresholds are passed.
#[routine(
    namespace = "numpy.linalg", names = "A", python(keyword_only = 1, aliases = [("M", "A")]),
    no_programs = "has no error bound for nearly singular matrices"
)]
pub fn matrix_rank(a: &Array, options: RankOptions<'_>) -> Result<Array> {
    if options.tol.is_some() && options.rtol.is_some() {
        return Err(Error::new(ErrorKind::Value, "tol and rtol are both given: they are one bound, give one of them"));
    }
    if a.ndim() < 2 {
        return reduced("any", a, &Reduce::all())?.cast(DType::I64, Order::C);
    }
    let of = Matrices::of(a)?;
    let s = if options.hermitian {
        hermitian_svd(a, false)?.1
    } else {
        decomposed("matrix_rank", a, SingularVectors::None)?.s
    };
    // Without singular values the thresholds still take part in broadcasting.
    let given = if of.short() == 0 { options.tol.or(options.rtol) } else { options.tol };
    let bound = match given {
        Some(Operand::Array(tol)) => tol.expand_dims(-1)?,
        Some(tol) => tol.strong(Some(a.device()))?,
        None if of.short() == 0 => return make::zeros(a.device(), &of.stack, DType::I64),
        None => {
            let share = of.m.max(of.n) as f64 * epsilon(of.dtype);
            cutoff(options.rtol.unwrap_or(Operand::Scalar(Scalar::Float(share))), &s, of.real())?
        }
    };
    reduced("count_nonzero", &pair("greater", &s, &bound)?, &Reduce::axis(-1))
}

pub(super) fn epsilon(dtype: DType) -> f64 {
    if matches!(dtype, DType::F32 | DType::C64) { f32::EPSILON.into() } else { f64::EPSILON }
}

/// Returns the elements at one index of the last axis.
pub(super) fn at_last(a: &Array, index: i64) -> Result<Array> {
    a.part_at(&[Index::Ellipsis, Index::At(index)])
}
