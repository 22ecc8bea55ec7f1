//! Special functions of `scipy.special`.
//!
//! ```
//! use cuprum::scipy::special;
//!
//! let x = cuprum::Array::from_slice(&[0.0, 1.0, 2.0], [3])?;
//! assert_eq!(special::erf(&x)?.to_vec::<f64>()?[0], 0.0);
//! # Ok::<(), cuprum::Error>(())
//! ```
//!
//! Integers, booleans, float16 and bfloat16 are computed in float64 or float32, whichever of SciPy's loops accepts them
//! first; no result is float16 or bfloat16. [`gamma`], [`rgamma`], [`loggamma`], [`psi`], [`log_ndtr`], [`exp1`],
//! [`expi`], [`sici`], [`shichi`], [`lambertw`], [`xlogy`], [`xlog1py`], [`expm1`] and [`log1p`] accept complex numbers.

mod composed;

use cuprum_kernels::Kind;
use cuprum_macros::routine;
use num_complex::Complex64;

use crate::array::{Array, AsOperand, Operand};
use crate::error::{Error, ErrorKind, Result};
use crate::routines::{math, searching};
use crate::scalar::Scalar;
use crate::ufunc::{apply, apply_pair, details, sentence};

pub use composed::{
    LogsumexpOptions, SphericalOptions, btdtr, btdtri, ellipj, lambertw, log_softmax, logsumexp, logsumexp_signed,
    multigammaln, softmax, softplus, spherical_yn,
};

/// Defines functions of the registry, with the sentence of their records.
macro_rules! special {
    ($($name:ident($($operand:ident),+) = $ufunc:tt),+ $(,)?) => {$(
        #[doc = sentence!($ufunc)]
        ///
        #[doc = concat!("SciPy's `scipy.special.", stringify!($name), "`. Operands are broadcast; scalars are weak.")]
        ///
        #[doc = details!($ufunc)]
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Type`] for operands of dtypes without a loop, [`ErrorKind::Value`] for shapes that cannot be
        /// broadcast, [`ErrorKind::Overflow`] for a scalar out of range of the arrays' dtype.
        pub fn $name($($operand: impl AsOperand),+) -> Result<Array> {
            apply($ufunc, [$($operand.as_operand()),+])
        }
    )+};
}

special! {
    erf(x) = "erf",
    erfc(x) = "erfc",
    erfcx(x) = "erfcx",
    erfinv(y) = "erfinv",
    erfcinv(y) = "erfcinv",
    ndtr(x) = "ndtr",
}
special! {
    gamma(x) = "gamma",
    gammaln(x) = "gammaln",
    psi(x) = "psi",
    digamma(x) = "psi",
    poch(a, m) = "poch",
    zeta(x, q) = "zeta",
}
special! {
    gammainc(a, x) = "gammainc",
    gammaincc(a, x) = "gammaincc",
    gammaincinv(a, p) = "gammaincinv",
    gammainccinv(a, q) = "gammainccinv",
}
special! {
    j0(x) = "j0",
    j1(x) = "j1",
    y0(x) = "y0",
    y1(x) = "y1",
    yn(n, x) = "yn",
    i0(x) = "scipy.special.i0",
    i1(x) = "i1",
}
special! {
    lpmv(m, v, x) = "lpmv",
    sph_legendre_p(n, m, theta) = "sph_legendre_p",
}
special! {
    logit(p) = "logit",
    expit(x) = "expit",
    log_expit(x) = "log_expit",
    entr(x) = "entr",
    rel_entr(x, y) = "rel_entr",
    kl_div(x, y) = "kl_div",
    huber(delta, r) = "huber",
    pseudo_huber(delta, r) = "pseudo_huber",
    xlogy(x, y) = "xlogy",
    xlog1py(x, y) = "xlog1py",
}
special! {
    cbrt(x) = "scipy.special.cbrt",
    exp2(x) = "scipy.special.exp2",
    exp10(x) = "scipy.special.exp10",
    expm1(x) = "scipy.special.expm1",
    log1p(x) = "scipy.special.log1p",
}
special! {
    betainc(a, b, x) = "betainc",
    betaincinv(a, b, p) = "betaincinv",
    bdtr(k, n, p) = "bdtr",
    bdtrc(k, n, p) = "bdtrc",
    bdtri(k, n, y) = "bdtri",
    nbdtr(k, n, p) = "nbdtr",
    nbdtrc(k, n, p) = "nbdtrc",
    nbdtri(k, n, y) = "nbdtri",
    fdtr(dfn, dfd, x) = "fdtr",
    fdtrc(dfn, dfd, x) = "fdtrc",
    fdtri(dfn, dfd, p) = "fdtri",
    gdtr(a, b, x) = "gdtr",
    gdtrc(a, b, x) = "gdtrc",
    chdtr(v, x) = "chdtr",
    chdtrc(v, x) = "chdtrc",
    chdtri(v, p) = "chdtri",
    pdtr(k, m) = "pdtr",
    pdtrc(k, m) = "pdtrc",
    pdtri(k, y) = "pdtri",
    ndtri(y) = "ndtri",
    log_ndtr(x) = "log_ndtr",
    boxcox(x, lmbda) = "boxcox",
    boxcox1p(x, lmbda) = "boxcox1p",
    inv_boxcox(y, lmbda) = "inv_boxcox",
    inv_boxcox1p(y, lmbda) = "inv_boxcox1p",
}
special! {
    beta(a, b) = "beta",
    betaln(a, b) = "betaln",
    binom(n, k) = "binom",
    rgamma(z) = "rgamma",
    loggamma(z) = "loggamma",
    gammasgn(x) = "gammasgn",
    zetac(x) = "zetac",
    cosm1(x) = "cosm1",
    exprel(x) = "exprel",
    wright_bessel(a, b, x) = "wright_bessel",
}
special! {
    ellipk(m) = "ellipk",
    ellipkm1(p) = "ellipkm1",
    ellipkinc(phi, m) = "ellipkinc",
    ellipeinc(phi, m) = "ellipeinc",
    exp1(z) = "exp1",
    expi(x) = "expi",
    expn(n, x) = "expn",
}
special! {
    k0(x) = "k0",
    k0e(x) = "k0e",
    k1(x) = "k1",
    k1e(x) = "k1e",
    i0e(x) = "i0e",
    i1e(x) = "i1e",
}

/// Defines functions with two results.
macro_rules! pairs {
    ($($name:ident($operand:ident)),+ $(,)?) => {$(
        #[doc = sentence!($name)]
        ///
        #[doc = concat!("SciPy's `scipy.special.", stringify!($name), "`.")]
        ///
        #[doc = details!($name)]
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Type`] for operands of dtypes without a loop.
        pub fn $name($operand: impl AsOperand) -> Result<(Array, Array)> {
            apply_pair(stringify!($name), [$operand.as_operand()])
        }
    )+};
}

pairs! {
    sici(x),
    shichi(x),
}
pub use math::{round, sinc};
special! {
    sindg(x) = "sindg",
    cosdg(x) = "cosdg",
    tandg(x) = "tandg",
    cotdg(x) = "cotdg",
    radian(d, m, s) = "radian",
}

/// Polygamma function: the nth derivative of the digamma function; SciPy's `scipy.special.polygamma`. The result is NaN
/// for negative and for fractional orders.
///
/// By DLMF 25.11.12 it is the Hurwitz zeta function of n + 1 times n! and a sign; the result has the dtype of that
/// product.
///
/// ```
/// let at_one = cuprum::scipy::special::polygamma(1, 1.0)?.item::<f64>()?;
/// assert!((at_one - std::f64::consts::PI.powi(2) / 6.0).abs() < 1e-15);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`Ufunc::call`](crate::Ufunc::call); [`ErrorKind::Type`] for complex operands.
#[routine(namespace = "scipy.special")]
pub fn polygamma(n: Operand<'_>, x: Operand<'_>) -> Result<Array> {
    let above = apply("add", [n, 1.into()])?;
    let factorial = apply("gamma", [(&apply("add", [n, 1.0.into()])?).into()])?;
    let signed = math::multiply(apply("power", [(-1.0).into(), (&above).into()])?, factorial)?;
    let values = math::multiply(signed, apply("zeta", [(&above).into(), x])?)?;
    searching::where_(apply("equal", [n, 0.into()])?, apply("psi", [x])?, values)
}

/// Spherical harmonic of degree n and order m at the polar angle `theta` and the azimuth `phi`; SciPy's
/// `scipy.special.sph_harm_y`. The result is complex128, and 0 for orders beyond the degree.
///
/// It is [`sph_legendre_p`] times exp(i m `phi`): DLMF 14.30.1.
///
/// ```
/// use cuprum::scipy::special::sph_harm_y;
/// let y = sph_harm_y(1, 0, 0.0, 0.5)?.item::<num_complex::Complex64>()?;
/// assert!((y.re - (0.75 / std::f64::consts::PI).sqrt()).abs() < 1e-15 && y.im == 0.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`Ufunc::call`](crate::Ufunc::call); [`ErrorKind::Type`] for degrees and orders that are not integers,
/// and for complex angles.
#[routine(namespace = "scipy.special", python(keyword_only = 0, extras = [("diff_n", Extra::Rejected)]))]
pub fn sph_harm_y(n: Operand<'_>, m: Operand<'_>, theta: Operand<'_>, phi: Operand<'_>) -> Result<Array> {
    let complex = match phi {
        Operand::Array(a) => (a.dtype().kind() == Kind::Complex).then(|| format!("of {}", a.dtype())),
        Operand::Scalar(v) => matches!(v, Scalar::Complex(_)).then(|| format!("{v}")),
    };
    if let Some(given) = complex {
        return Err(Error::new(ErrorKind::Type, format!("the azimuth is {given}, and an angle is a real number")));
    }
    let size = apply("sph_legendre_p", [n, m, theta])?;
    let angle = apply("multiply", [m, (&apply("multiply", [phi, Complex64::I.into()])?).into()])?;
    math::multiply(size, math::exp(angle)?)
}

/// Spherical harmonic of order m and degree n at the azimuth `theta` and the polar angle `phi`; CuPy's
/// `cupyx.scipy.special.sph_harm`. [`sph_harm_y`] takes degree and order, and both angles, in the opposite order.
///
/// # Errors
///
/// Same as for [`sph_harm_y`].
#[routine(namespace = "scipy.special", python(extras = [("out", Extra::Out)]))]
pub fn sph_harm(m: Operand<'_>, n: Operand<'_>, theta: Operand<'_>, phi: Operand<'_>) -> Result<Array> {
    sph_harm_y(n, m, phi, theta)
}

#[cfg(test)]
mod tests {
    use crate::{Result, array};

    /// To first order in the degree v, DLMF 14.3.1 is 1 for order 0, sqrt((1 - x) / (1 + x)) for order -1, and -v times
    /// that for order 1.
    #[test]
    fn legendre_functions_of_tiny_degrees_are_in_proportion() -> Result<()> {
        let x = 0.5f64;
        let root = ((1.0 - x) / (1.0 + x)).sqrt();
        let degrees: Vec<f64> = (-300..-20).map(|k| 10f64.powi(k)).collect();
        let v = array(degrees.clone())?;
        let off = |m: f64, expected: &dyn Fn(f64) -> f64| -> Result<f64> {
            let got = super::lpmv(m, &v, x)?.to_vec::<f64>()?;
            let relative = got.iter().zip(&degrees).map(|(got, v)| (got / expected(*v) - 1.0).abs());
            // NaN would be lost in the maximum, so it counts as infinite.
            Ok(relative.map(|off| if off.is_nan() { f64::INFINITY } else { off }).fold(0.0, f64::max))
        };
        assert!(off(0.0, &|_| 1.0)? < 1e-15);
        assert!(off(-1.0, &|_| root)? < 1e-15);
        assert!(off(1.0, &|v| -v * root)? < 1e-15);
        Ok(())
    }
}
