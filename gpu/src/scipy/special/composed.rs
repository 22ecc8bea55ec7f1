//! Functions of several operations: Jacobian elliptic functions, Lambert's W, and exponentials along axes.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine, unrecorded};

use super::{betainc, betaincinv};
use crate::array::{Array, AsArray, Axes, IntoArgument, Operand};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::reduction::Reduce;
use crate::routines::{logic, math, searching, statistics};
use crate::ufunc::{apply, apply_pair, fuse};

/// Jacobian elliptic functions sn, cn and dn of `u`, and the amplitude ph, for the parameter m = k²; SciPy's
/// `scipy.special.ellipj`. They are NaN for m beyond 0 and 1. The results have the shape to which the operands are
/// broadcast, and are float32 or float64; one kernel computes all, and each is copied from its result.
///
/// By the descending transformation of Landen, DLMF 22.7(i). SciPy's cn and dn have an absolute error where they are
/// small; these have a relative one.
///
/// ```
/// use cuprum::{array, scipy::special::ellipj};
/// let (sn, cn, dn, ph) = ellipj(array([0.0])?, 0.5)?;
/// assert_eq!((sn.to_vec::<f64>()?, cn.to_vec::<f64>()?), (vec![0.0], vec![1.0]));
/// assert_eq!((dn.to_vec::<f64>()?, ph.to_vec::<f64>()?), (vec![1.0], vec![0.0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`Ufunc::call`](crate::Ufunc::call); [`ErrorKind::Type`] for complex operands.
#[routine(namespace = "scipy.special", names = "u m")]
pub fn ellipj(u: Operand<'_>, m: Operand<'_>) -> Result<(Array, Array, Array, Array)> {
    let (first, second) = apply_pair("ellipj_parts", [u, m])?;
    let part = |part: Array| part.copy(Order::K);
    Ok((part(first.real())?, part(first.imag()?)?, part(second.real())?, part(second.imag()?)?))
}

/// Branch `k` of Lambert's W function, the solutions w of w exp(w) = z; SciPy's `scipy.special.lambertw`. The result is
/// complex128. `tol` is the relative size of the last step of Halley's iteration, which squares and more.
///
/// ```
/// let w = cuprum::scipy::special::lambertw(1.0, (), ())?.item::<num_complex::Complex64>()?;
/// assert!((w.re * w.re.exp() - 1.0).abs() < 1e-15 && w.im == 0.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`Ufunc::call`](crate::Ufunc::call).
#[routine(
    namespace = "scipy.special",
    k = 0,
    tol = 1e-8,
    no_programs = "the oracle orders axes of length 1 in another way"
)]
pub fn lambertw(z: Operand<'_>, k: isize, tol: f64) -> Result<Array> {
    apply("lambertw_of", [z, (k as i64).into(), tol.into()])
}

/// Options of [`spherical_yn`].
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct SphericalOptions {
    /// True for the derivative of the function.
    #[from]
    pub derivative: bool,
}

/// Spherical Bessel function of the second kind of integer order n, or its derivative; SciPy's
/// `scipy.special.spherical_yn`. The result has the shape to which the operands are broadcast and is float64, or float32
/// of float32 operands; NaN for negative orders, and for orders beyond 10⁷ that are below |z|.
///
/// By the recurrence DLMF 10.51.1. SciPy also accepts complex operands.
///
/// ```
/// use cuprum::scipy::special::spherical_yn;
/// assert_eq!(spherical_yn(2, 0.0, ())?.item::<f64>()?, f64::NEG_INFINITY);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`Ufunc::call`](crate::Ufunc::call); [`ErrorKind::Type`] for orders that are not integers and for complex
/// operands.
#[routine(namespace = "scipy.special", no_programs = "the oracle converts numbers without a dtype in another way")]
pub fn spherical_yn(n: Operand<'_>, z: Operand<'_>, options: SphericalOptions) -> Result<Array> {
    apply("spherical_yn_of", [n, z, options.derivative.into()])
}

/// Distribution function of the beta distribution; CuPy's `cupyx.scipy.special.btdtr`, another name of [`betainc`].
///
/// # Errors
///
/// Same as for [`betainc`].
#[routine(namespace = "scipy.special", python(extras = [("out", Extra::Out)]))]
pub fn btdtr(a: Operand<'_>, b: Operand<'_>, x: Operand<'_>) -> Result<Array> {
    betainc(a, b, x)
}

/// Inverse of the distribution function of the beta distribution; CuPy's `cupyx.scipy.special.btdtri`, another name of
/// [`betaincinv`].
///
/// # Errors
///
/// Same as for [`betaincinv`].
#[routine(namespace = "scipy.special", python(extras = [("out", Extra::Out)]))]
pub fn btdtri(a: Operand<'_>, b: Operand<'_>, p: Operand<'_>) -> Result<Array> {
    betaincinv(a, b, p)
}

/// Logarithm of the multivariate gamma function of dimension `d`; SciPy's `scipy.special.multigammaln`. The result has
/// the shape of `a` and the dtype of [`gammaln`](super::gammaln) of it.
///
/// ```
/// use cuprum::{array, scipy::special::multigammaln};
/// assert_eq!(multigammaln(array([1.0, 2.0])?, 1)?.to_vec::<f64>()?, [0.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for elements of at most (d - 1) / 2, where the integral diverges, and for d below 1.
///
/// # Synchronization
///
/// The elements are checked on the device, and the outcome is read.
#[routine(namespace = "scipy.special", no_programs = "it rejects elements by value")]
pub fn multigammaln(a: &Array, d: isize) -> Result<Array> {
    if d < 1 {
        return Err(Error::new(ErrorKind::Value, format!("d is {d}, and a dimension is a positive integer")));
    }
    let least = 0.5 * (d - 1) as f64;
    if logic::any(&apply("less_equal", [a.into(), least.into()])?, ())?.item::<bool>()? {
        let message = format!("an element of a is at most {least}: for d of {d} all are above (d - 1) / 2");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let mut sum = apply("gammaln", [a.into()])?;
    for j in 1..d {
        let below = apply("subtract", [a.into(), (0.5 * j as f64).into()])?;
        sum = math::add(&sum, apply("gammaln", [(&below).into()])?)?;
    }
    math::add(&sum, 0.25 * (d * (d - 1)) as f64 * std::f64::consts::PI.ln())
}

/// Returns the axes for a reduction whose result is broadcast to the operand.
fn kept(axis: &Axes) -> Reduce {
    Reduce::from(axis.clone()).keepdims(true)
}

/// Returns the maximum where it is finite, and otherwise 0, so that no infinities are subtracted.
fn finite_maximum(a: &Array, axis: &Axes) -> Result<Array> {
    let most = statistics::max(a, kept(axis))?;
    searching::where_(apply("isfinite", [(&most).into()])?, &most, 0)
}

/// Logarithm of 1 + exp(x), a smooth maximum of `x` and 0; SciPy's `scipy.special.softplus`.
///
/// The result has the shape of `x` and the dtype of NumPy's `logaddexp(0, x)`: float16 for float16 and integers of 8
/// bits, float64 for booleans. It is accurate where the exponential overflows or underflows.
///
/// ```
/// use cuprum::{array, scipy::special::softplus};
/// assert_eq!(softplus(array([-800.0, 800.0])?)?.to_vec::<f64>()?, [0.0, 800.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex arrays.
#[routine(namespace = "scipy.special")]
pub fn softplus(x: Operand<'_>) -> Result<Array> {
    apply("logaddexp", [0.into(), x])
}

/// Exponentials divided by their sum along axes, by default along all; SciPy's `scipy.special.softmax`. The result has
/// the shape of `x` and the dtype of its exponential.
///
/// The maximum is subtracted first. Along rows that a block can hold, one kernel reads `x` once and writes the result.
///
/// ```
/// use cuprum::{array, scipy::special::softmax};
/// assert_eq!(softmax(array([1000.0, 1000.0])?, ())?.to_vec::<f64>()?, [0.5, 0.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`]; [`ErrorKind::Value`] for no elements along the axes.
#[routine(namespace = "scipy.special")]
pub fn softmax(x: &Array, axis: Axes) -> Result<Array> {
    fuse(|| {
        let parts = math::exp(math::subtract(x, statistics::max(x, kept(&axis))?)?)?;
        math::true_divide(&parts, math::sum(&parts, kept(&axis))?)
    })
}

/// Logarithm of [`softmax`], accurate where it underflows; SciPy's `scipy.special.log_softmax`. The result has the shape
/// of `x` and the dtype of its exponential.
///
/// ```
/// use cuprum::{array, scipy::special::log_softmax};
/// assert_eq!(log_softmax(array([0.0, -1000.0])?, ())?.to_vec::<f64>()?, [0.0, -1000.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`softmax`].
#[routine(namespace = "scipy.special")]
pub fn log_softmax(x: &Array, axis: Axes) -> Result<Array> {
    fuse(|| {
        let below = math::subtract(x, finite_maximum(x, &axis)?)?;
        let sum = math::sum(math::exp(&below)?, kept(&axis))?;
        math::subtract(&below, math::log(&sum)?)
    })
}

/// Options of [`logsumexp`] and [`logsumexp_signed`].
#[derive(Clone, Debug, Default, Options)]
pub struct LogsumexpOptions<'a> {
    /// The axes along which the exponentials are added; by default all.
    #[from]
    pub axis: Axes,
    /// Factors of the exponentials, broadcast with the operand; by default 1.
    pub b: Option<&'a Array>,
    /// True to keep the reduced axes with a size of 1.
    pub keepdims: bool,
}

/// Logarithm of the sum of exponentials; SciPy's `scipy.special.logsumexp`. The result has the shape of `a` without the
/// reduced axes, and its dtype, or float64 for integers and booleans. NaN where the sum of real terms is negative.
///
/// The maximum is subtracted first, and its terms are counted, so that the others are not lost next to them.
///
/// ```
/// use cuprum::{array, scipy::special::logsumexp};
/// assert_eq!(logsumexp(array([1000.0, f64::NEG_INFINITY])?, ())?.item::<f64>()?, 1000.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`]; [`ErrorKind::Value`] for shapes that cannot be broadcast, and for no elements along the axes.
pub fn logsumexp<'a>(a: impl AsArray, options: impl IntoArgument<LogsumexpOptions<'a>>) -> Result<Array> {
    Ok(summed(a.as_array(), &options.into(), false).map_err(|e| e.with_op("logsumexp"))?.0)
}

/// Logarithm of the magnitude of the sum of exponentials, and its sign: [`logsumexp`] with SciPy's `return_sign`. Both
/// results have the shape and the dtype of [`logsumexp`]; a complex sign is of magnitude 1.
///
/// ```
/// use cuprum::{array, scipy::special::{LogsumexpOptions, logsumexp_signed}};
/// let b = array([1.0, -2.0])?;
/// let (log, sign) = logsumexp_signed(array([0.0, 0.0])?, LogsumexpOptions::new().b(&b))?;
/// assert_eq!((log.item::<f64>()?, sign.item::<f64>()?), (0.0, -1.0));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`logsumexp`].
#[unrecorded("`scipy.special.logsumexp` with `return_sign`")]
pub fn logsumexp_signed<'a>(
    a: impl AsArray,
    options: impl IntoArgument<LogsumexpOptions<'a>>,
) -> Result<(Array, Array)> {
    summed(a.as_array(), &options.into(), true).map_err(|e| e.with_op("logsumexp"))
}

/// Logarithm of the sum of exponentials; with `return_sign` that of its magnitude, and its sign.
#[routine(
    name = "logsumexp",
    namespace = "scipy.special",
    return_sign = false,
    keywords = "a axis b keepdims return_sign"
)]
fn logsumexp_of(a: &Array, options: LogsumexpOptions<'_>, return_sign: bool) -> Result<(Array, Option<Array>)> {
    let (log, sign) = summed(a, &options, return_sign)?;
    Ok((log, return_sign.then_some(sign)))
}

fn summed(a: &Array, options: &LogsumexpOptions<'_>, signed: bool) -> Result<(Array, Array)> {
    let LogsumexpOptions { axis, b, keepdims } = options;
    let a = if a.dtype().is_integer() || a.dtype() == DType::Bool { a.astype(DType::F64)? } else { a.clone() };
    let last = || Reduce::from(axis.clone()).keepdims(*keepdims);
    let result = fuse(|| -> Result<Vec<Array>> {
        let complex = a.dtype().is_complex() || b.is_some_and(|b| b.dtype().is_complex());
        // A term without weight does not count, whatever its exponent.
        let a = match b {
            Some(b) => searching::where_(apply("equal", [(*b).into(), 0.into()])?, f64::NEG_INFINITY, &a)?,
            None => a.clone(),
        };
        let real = if complex { a.real() } else { a.clone() };
        // No elements have the sum 0, whose logarithm is minus infinity, and no maximum.
        let most = if real.size() == 0 { math::sum(&real, kept(axis))? } else { finite_maximum(&real, axis)? };
        let parts = math::exp(math::subtract(&a, &most)?)?;
        let most = math::sum(&most, last())?;
        if b.is_none() && !complex {
            // The largest terms are 1; there is none if the maximum is infinite.
            let largest = apply("equal", [(&parts).into(), 1.into()])?;
            let count = math::sum(searching::where_(&largest, &parts, 0)?, last())?;
            let rest = math::sum(searching::where_(&largest, 0, &parts)?, last())?;
            let shared = math::add(math::log1p(math::true_divide(&rest, &count)?)?, math::log(&count)?)?;
            let none = apply("equal", [(&count).into(), 0.into()])?;
            let log = math::add(searching::where_(none, math::log(&rest)?, shared)?, &most)?;
            let sign = if signed { math::sign(math::exp(&log)?)? } else { log.clone() };
            return Ok(vec![log, sign]);
        }
        let weighted = match b {
            Some(b) => math::multiply(&parts, *b)?,
            None => parts,
        };
        let sum = math::sum(&weighted, last())?;
        let size = if signed { math::absolute(&sum)? } else { sum.clone() };
        let log = math::add(math::log(&size)?, &most)?;
        let sign = if signed { math::sign(&sum)? } else { log.clone() };
        Ok(vec![log, sign])
    })?;
    let [log, sign] = <[Array; 2]>::try_from(result).expect("two results");
    Ok((log, sign))
}
