//! Singular values and vectors, and what is made of them.

use cuprum_kernels::DType;
use cuprum_kernels::source::SMALL_SIDES;
use cuprum_macros::{Options, routine};

use super::eigen::{Triangle, hermitian};
use super::matrices::{Matrices, conjugated, in_c_order, map, pair, set_nan, turned, unless};
use super::scaling::{scaled, without_odd};
use super::widened::{pays, widened};
use crate::array::{Array, Index, Operand};
use crate::cuda::Rejection;
use crate::driver::Task;
use crate::driver::dense::SingularVectors;
use crate::engine::launch::Sides;
use crate::engine::{make, verdict};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;
use crate::reduction::{Reduce, reduced};
use crate::routines::matrices::matmul;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// Singular values, falling, and vectors: `u` in columns, `vh` in rows.
pub(super) struct Singular {
    pub(super) u: Array,
    pub(super) s: Array,
    pub(super) vh: Array,
}

/// The decomposition of a stack of matrices in the name of a function; vectors that are not wanted are empty.
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
    // The library takes matrices that are not wider than high. What lies row after row is the transpose column after column:
    // of it the left vectors are the right ones.
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
    if left > 0 && tall > SMALL_SIDES[1] && pays(a.device(), of.dtype) {
        let sides = Matrices { m: tall, n: narrow, ..of };
        let Singular { u, s, vh } = widened(function, &without_odd(&x)?, &sides, left)?;
        return finish(if wide { Singular { u: turned(&vh)?, s, vh: u } } else { Singular { u: turned(&u)?, s, vh } });
    }
    let s = of.empty(a, &[narrow], of.real())?;
    let u = of.empty(a, &[left, tall], of.dtype)?;
    let v = of.empty(a, &[narrow, right], of.dtype)?;
    let sides = Sides { m: tall, n: narrow, k: 0, batch: of.batch() };
    let vectors = |x| (wanted != SingularVectors::None).then_some(x);
    // SAFETY: the matrices have these sizes, and so have the vectors that are wanted.
    let info = unsafe {
        Matrices::run(Task::Gesvd { vectors: wanted }, sides, &[Some(&x), Some(&s), vectors(&u), vectors(&v)])
    }?;
    verdict(function, Rejection::NotConverged, &unless(&info, &odd)?)?;
    if wanted == SingularVectors::None {
        return finish(Singular { u, s, vh: v });
    }
    // `u` has left vectors in rows; `v` has the right ones in columns of its transpose.
    let v = turned(&v)?;
    finish(if wide { Singular { u: turned(&v)?, s, vh: u } } else { Singular { u: turned(&u)?, s, vh: v } })
}

/// Which singular vectors [`svd`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct SvdOptions {
    /// All of the space, or only as many as there are singular values.
    pub full_matrices: bool,
    /// Whether the vectors are wanted.
    pub compute_uv: bool,
    /// Whether the matrices are Hermitian, of which the lower triangle is read.
    pub hermitian: bool,
}

impl Default for SvdOptions {
    fn default() -> Self {
        SvdOptions { full_matrices: true, compute_uv: true, hermitian: false }
    }
}

/// What [`svd`] gives: `u`, the singular values, `vh`; without vectors the values alone.
pub type Svd = (Option<Array>, Array, Option<Array>);

/// Matrices as products of orthonormal columns `u`, singular values, which fall, and orthonormal rows `vh`; NumPy's
/// `linalg.svd`. Signs and phases of vectors are the library's choice. A matrix with NaN is told by the next call that waits. Of at most
/// 64 rows and columns they are found by rotations (M. R. Hestenes, "Inversion of matrices by biorthogonalization and related results",
/// 1958), of larger ones as the chapter on performance says.
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
/// [`ErrorKind::LinAlg`] for fewer than two axes, and, once something waits, for a matrix with NaN;
/// [`ErrorKind::Type`] for float16 and bfloat16. Of a matrix with infinity and no NaN, all results are NaN.
#[routine(namespace = "numpy.linalg")]
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

/// Elements along the last axis, at positions of the shape of `order`.
fn along(a: &Array, order: &Array) -> Result<Array> {
    crate::routines::indexing::take_along_axis(a, order, -1)
}

/// The magnitudes of eigenvalues, falling, and their vectors.
fn hermitian_svd(a: &Array, vectors: bool) -> Result<Svd> {
    let of = Matrices::square(a)?;
    let (w, v) = hermitian("svd", a, Triangle::L, vectors)?;
    let s = map("absolute", &w)?;
    let order = crate::routines::sorting::argsort(map("negative", &s)?, -1)?;
    let s = along(&s, &order)?;
    let Some(v) = v else { return Ok((None, s, None)) };
    // An eigenvalue of 0 has a sign as well: without one its vector would be none.
    let sign = apply("copysign", [1.0.into(), (&w).into()])?;
    let sign = along(&sign, &order)?.cast(of.dtype, crate::layout::Order::C)?;
    let u = along(&v, &order.expand_dims(-2)?.broadcast_to_shape(v.shape())?)?;
    let vh = in_c_order(conjugated(pair("multiply", &u, &sign.expand_dims(-2)?)?)?.swapaxes(-1, -2)?)?;
    Ok((Some(u), s, Some(vh)))
}

/// The singular values of matrices, falling; NumPy's `linalg.svdvals`.
///
/// ```
/// use cuprum::{array, linalg};
/// assert_eq!(linalg::svdvals(array([[3.0, 0.0], [0.0, -4.0]])?)?.to_vec::<f64>()?, [4.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`svd`].
#[routine(namespace = "numpy.linalg")]
pub fn svdvals(x: &Array) -> Result<Array> {
    Ok(decomposed("svdvals", x, SingularVectors::None)?.s)
}

/// Below which share of the largest singular value [`pinv`] takes others for zero.
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct PinvOptions<'a> {
    /// The share, for each matrix; by default 1e-15.
    pub rcond: Option<Operand<'a>>,
    /// Whether the matrices are Hermitian.
    pub hermitian: bool,
    /// The share, in place of `rcond`.
    pub rtol: Option<Operand<'a>>,
}

/// Numbers for each matrix, with as many axes behind as singular values need.
fn cutoff(share: Operand<'_>, s: &Array, dtype: DType) -> Result<Array> {
    let largest = reduced("max", s, &Reduce::axis(-1).keepdims(true))?;
    let share = match share {
        Operand::Array(a) => a.cast(dtype, crate::layout::Order::C)?.expand_dims(-1)?,
        Operand::Scalar(_) => return apply("multiply", [(&largest).into(), share]),
    };
    pair("multiply", &share, &largest)
}

/// The pseudo-inverses of matrices, by their singular values; NumPy's `linalg.pinv`.
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
/// As [`svd`], and [`ErrorKind::Value`] where both shares are given.
#[routine(namespace = "numpy.linalg")]
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
            _ => unreachable!("the vectors were asked for"),
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

/// Which singular values [`matrix_rank`] counts.
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct RankOptions<'a> {
    /// Those that are larger than this, for each matrix.
    #[from]
    pub tol: Option<Operand<'a>>,
    /// Whether the matrices are Hermitian.
    pub hermitian: bool,
    /// Those that are larger than this share of the largest; by default the longer side times the dtype's epsilon.
    pub rtol: Option<Operand<'a>>,
}

/// How many singular values of matrices are not as good as zero; NumPy's `linalg.matrix_rank`. Of what has fewer than two
/// axes, whether any element is not 0.
///
/// ```
/// use cuprum::{array, linalg};
/// assert_eq!(linalg::matrix_rank(array([[1.0, 2.0], [2.0, 4.0]])?, ())?.item::<i64>()?, 1);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`svd`], and [`ErrorKind::Value`] where both bounds are given.
#[routine(namespace = "numpy.linalg", names = "A")]
pub fn matrix_rank(a: &Array, options: RankOptions<'_>) -> Result<Array> {
    if options.tol.is_some() && options.rtol.is_some() {
        return Err(Error::new(ErrorKind::Value, "tol and rtol are both given: they are one bound, give one of them"));
    }
    if a.ndim() < 2 {
        return reduced("any", a, &Reduce::all())?.cast(DType::I64, crate::layout::Order::C);
    }
    let of = Matrices::of(a)?;
    let s = if options.hermitian {
        hermitian_svd(a, false)?.1
    } else {
        decomposed("matrix_rank", a, SingularVectors::None)?.s
    };
    if of.short() == 0 {
        return make::zeros(a.device(), &of.stack, DType::I64);
    }
    let bound = match options.tol {
        Some(Operand::Array(tol)) => tol.expand_dims(-1)?,
        Some(tol) => tol.strong(Some(a.device()))?,
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

/// Below which share of the largest singular value [`lstsq`] takes others for zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Options)]
pub struct LstsqOptions {
    /// The share; by default the longer side times the dtype's epsilon.
    #[from]
    pub rcond: Option<f64>,
}

/// What [`lstsq`] gives: the solution, the sums of squares that remain, the rank, the singular values.
pub type Lstsq = (Array, Array, Array, Array);

/// The shortest vectors that a matrix brings nearest to the right sides; NumPy's `linalg.lstsq`, by singular values. The sums
/// of squares that remain are there where the rank is full and there are more rows than columns, else they are empty.
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
/// [`ErrorKind::LinAlg`] for what is no matrix and for right sides of other lengths, and for a matrix with NaN or infinity;
/// [`ErrorKind::Type`] for halves.
///
/// # Synchronization
///
/// Waits for the device where there are more rows than columns: whether there are remainders is decided by the rank.
#[routine(namespace = "numpy.linalg")]
pub fn lstsq(a: &Array, b: &Array, options: LstsqOptions) -> Result<Lstsq> {
    let vector = b.ndim() == 1;
    let right = if vector { b.expand_dims(-1)? } else { b.clone() };
    for matrix in [a, &right] {
        if matrix.ndim() != 2 {
            let message = format!("an array of shape {} is no matrix: two axes are needed", shape_text(matrix.shape()));
            return Err(Error::new(ErrorKind::LinAlg, message));
        }
    }
    let (of, other) = (Matrices::of(a)?, Matrices::of(&right)?);
    if of.m != other.m {
        let message = format!("a matrix of {} rows and right sides of {} do not go together", of.m, other.m);
        return Err(Error::new(ErrorKind::LinAlg, message));
    }
    let dtype = crate::dtype::promote_types(of.dtype, other.dtype);
    let (of, right) = (Matrices { dtype, ..of }, right.cast(dtype, crate::layout::Order::C)?);
    let (device, k) = (a.device(), other.n);
    let of_vector = |x: Array| if vector { x.squeeze(-1) } else { Ok(x) };
    let none = |count: usize| make::empty(device, &[count], of.real());
    if of.short() == 0 {
        let x = make::zeros(device, &[of.n, k], dtype)?;
        let rest = if of.n == 0 && of.m > 0 { squares(&right)? } else { none(0)? };
        return Ok((of_vector(x)?, rest, make::zeros(device, &[], DType::I32)?, none(0)?));
    }
    let Singular { u, s, vh } = decomposed("lstsq", &a.cast(dtype, crate::layout::Order::C)?, SingularVectors::Thin)?;
    let unknown = map("isnan", &at_last(&s, 0)?)?.cast(DType::I32, crate::layout::Order::C)?;
    verdict("lstsq", Rejection::NotConverged, &unknown)?;
    let share = options.rcond.unwrap_or(of.m.max(of.n) as f64 * epsilon(dtype));
    // A share below zero is the epsilon, as LAPACK has it.
    let share = if share < 0.0 { epsilon(dtype) } else { share };
    let large = pair("greater", &s, &cutoff(Operand::Scalar(Scalar::Float(share)), &s, of.real())?)?;
    let ones = apply("where", [(&large).into(), (&s).into(), Scalar::from(1).into()])?;
    let coefficients = matmul(conjugated(u)?.swapaxes(-1, -2)?, &right)?;
    let kept = apply("where", [(&large.expand_dims(-1)?).into(), (&coefficients).into(), Scalar::from(0).into()])?;
    let x = matmul(conjugated(vh)?.swapaxes(-1, -2)?, pair("divide", &kept, &ones.expand_dims(-1)?)?)?;
    let rank = reduced("count_nonzero", &large, &Reduce::all())?.cast(DType::I32, crate::layout::Order::C)?;
    let rest = if of.m > of.n && rank.item::<i32>()? as usize == of.n {
        squares(&pair("subtract", &right, &matmul(a, &x)?)?)?
    } else {
        none(0)?
    };
    Ok((of_vector(x)?, rest, rank, s))
}

/// The sums of squares of columns.
fn squares(a: &Array) -> Result<Array> {
    let sizes = map("absolute", a)?;
    reduced("sum", &pair("multiply", &sizes, &sizes)?, &Reduce::axis(0))
}

/// The elements of one place of the last axis.
pub(super) fn at_last(a: &Array, place: i64) -> Result<Array> {
    a.part_at(&[Index::Ellipsis, Index::At(place)])
}
