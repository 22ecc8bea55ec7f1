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

use crate::array::{Array, AsOperand};
use crate::error::Result;
use crate::routines::math;
use crate::ufunc::{apply, sentence};

/// Functions of the registry; the sentence is its own.
macro_rules! special {
    ($($name:ident($($operand:ident),+) = $ufunc:tt),+ $(,)?) => {$(
        #[doc = sentence!($ufunc)]
        ///
        #[doc = concat!("SciPy's `scipy.special.", stringify!($name), "`. Operands are broadcast; scalars are weak.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
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
pub use math::{round, sinc};
special! {
    sindg(x) = "sindg",
    cosdg(x) = "cosdg",
    tandg(x) = "tandg",
    cotdg(x) = "cotdg",
    radian(d, m, s) = "radian",
}
