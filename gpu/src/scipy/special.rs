//! Special functions; SciPy's `scipy.special`.
//!
//! ```
//! use cuprum::scipy::special;
//!
//! let x = cuprum::Array::from_slice(&[0.0, 1.0, 2.0], [3])?;
//! assert_eq!(special::erf(&x)?.to_vec::<f64>()?[0], 0.0);
//! # Ok::<(), cuprum::Error>(())
//! ```
//!
//! Integers, booleans and half-width floats are computed in float64 or float32, whichever of SciPy's loops takes them first;
//! a result is never of half width. [`gamma`], [`psi`], [`xlogy`], [`xlog1py`], [`expm1`] and [`log1p`] take complex numbers.

use crate::array::{Array, Operand};
use crate::error::Result;
use crate::routines::math;
use crate::ufunc::{UfuncOptions, ufunc};

/// Functions of the registry; the sentence is its own.
macro_rules! special {
    ($($name:ident($($operand:ident),+) = $ufunc:literal: $doc:literal),+ $(,)?) => {$(
        #[doc = $doc]
        ///
        #[doc = concat!("SciPy's `scipy.special.", stringify!($name), "`. Operands are broadcast; scalars are weak.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
        pub fn $name<'a>($($operand: impl Into<Operand<'a>>),+) -> Result<Array> {
            ufunc($ufunc)?.call(&[$($operand.into()),+], &UfuncOptions::default())
        }
    )+};
}

special! {
    erf(x) = "erf": "The error function.",
    erfc(x) = "erfc": "The complement of the error function, 1 - erf.",
    erfcx(x) = "erfcx": "The scaled complement of the error function, exp(x²) erfc(x).",
    erfinv(y) = "erfinv": "The inverse of the error function; NaN beyond -1 and 1.",
    erfcinv(y) = "erfcinv": "The inverse of the complement of the error function; NaN beyond 0 and 2.",
    ndtr(x) = "ndtr": "The distribution function of the standard normal distribution.",
}
special! {
    gamma(x) = "gamma": "The gamma function; NaN at negative integers, infinite at both zeros, of which the complex one is a NaN.",
    gammaln(x) = "gammaln": "The logarithm of the magnitude of the gamma function.",
    psi(x) = "psi": "The digamma function, the logarithmic derivative of the gamma function.",
    digamma(x) = "psi": "The digamma function: another name of [`psi`].",
    poch(a, m) = "poch": "The rising factorial Γ(a + m) / Γ(a).",
    zeta(x, q) = "zeta": "The Hurwitz zeta function; NaN for x below 1.",
}
special! {
    gammainc(a, x) = "gammainc": "The regularized lower incomplete gamma function P(a, x).",
    gammaincc(a, x) = "gammaincc": "The regularized upper incomplete gamma function Q(a, x).",
    gammaincinv(a, p) = "gammaincinv": "The x at which P(a, x) is p.",
    gammainccinv(a, q) = "gammainccinv": "The x at which Q(a, x) is q.",
}
special! {
    j0(x) = "j0": "The Bessel function of the first kind of order 0.",
    j1(x) = "j1": "The Bessel function of the first kind of order 1.",
    y0(x) = "y0": "The Bessel function of the second kind of order 0; NaN below 0.",
    y1(x) = "y1": "The Bessel function of the second kind of order 1; NaN below 0.",
    yn(n, x) = "yn": "The Bessel function of the second kind of integer order; NaN for x below 0, and for orders beyond 2³¹ next to x.",
    i0(x) = "scipy.special.i0": "The modified Bessel function of the first kind of order 0.",
    i1(x) = "i1": "The modified Bessel function of the first kind of order 1.",
}
special! {
    lpmv(m, v, x) = "lpmv": "The associated Legendre function of the first kind of order m and degree v, with Condon and Shortley's phase; \
        NaN of orders between integers, beyond -1 and 1, of an order of -v - 1 and below beside an integer degree v, and of orders and \
        degrees beyond 10⁶.",
}
special! {
    logit(p) = "logit": "The logarithm of the odds p / (1 - p); NaN beyond 0 and 1.",
    expit(x) = "expit": "The logistic function 1 / (1 + exp(-x)).",
    log_expit(x) = "log_expit": "The logarithm of the logistic function.",
    entr(x) = "entr": "The entropy -x log x; minus infinity below 0.",
    rel_entr(x, y) = "rel_entr": "The relative entropy x log(x / y); infinite outside its domain.",
    kl_div(x, y) = "kl_div": "The Kullback-Leibler divergence x log(x / y) - x + y; infinite outside its domain.",
    huber(delta, r) = "huber": "The Huber loss of a residual: quadratic up to `delta`, then linear.",
    pseudo_huber(delta, r) = "pseudo_huber": "The smooth Huber loss δ²(√(1 + (r/δ)²) - 1).",
    xlogy(x, y) = "xlogy": "x log y; 0 where x is 0 and y is no NaN.",
    xlog1py(x, y) = "xlog1py": "x log(1 + y); 0 where x is 0 and y is no NaN.",
}
special! {
    cbrt(x) = "scipy.special.cbrt": "The cube root, also of negative numbers.",
    exp2(x) = "scipy.special.exp2": "2 to the power of the operand.",
    exp10(x) = "scipy.special.exp10": "10 to the power of the operand.",
    expm1(x) = "scipy.special.expm1": "The exponential minus 1, exact to the last places near 0.",
    log1p(x) = "scipy.special.log1p": "The natural logarithm of 1 plus the operand, exact to the last places near 0.",
}
pub use math::sinc;
special! {
    sindg(x) = "sindg": "The sine of an angle in degrees; 0 beyond 10¹⁴, as SciPy has it.",
    cosdg(x) = "cosdg": "The cosine of an angle in degrees; 0 beyond 10¹⁴, as SciPy has it.",
    tandg(x) = "tandg": "The tangent of an angle in degrees; 0 beyond 10¹⁴, as SciPy has it.",
    cotdg(x) = "cotdg": "The cotangent of an angle in degrees; 0 beyond 10¹⁴, as SciPy has it.",
    radian(d, m, s) = "radian": "An angle of degrees, minutes and seconds, in radians.",
}
