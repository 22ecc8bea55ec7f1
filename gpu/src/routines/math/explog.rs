//! Exponentials, logarithms and roots.
//!
//! float16 and bfloat16 are computed in float32 and rounded once. The functions of complex numbers are the library's
//! own, to some units in the last place of the modulus; `exp2`, `log2` and `power` are exact where the result is.

use crate::array::{Array, AsOperand};
use crate::error::Result;
use crate::ufunc::{apply, binary, unary};

unary! {
    exp,
    expm1,
    exp2,
    log,
    log2,
    log10,
    log1p,
    sqrt,
    cbrt,
    i0,
}

binary! {
    logaddexp,
    logaddexp2,
}

/// Base-10 exponential; `cupyx.scipy.special`'s `exp10`, with SciPy's dtypes: float16 and bfloat16 result in float32.
///
/// # Errors
///
/// Same as [`Ufunc::call`](crate::Ufunc::call).
///
/// ```
/// let a = cuprum::Array::from_slice(&[0.0, 1.0, 3.0], 3)?;
/// assert_eq!(cuprum::exp10(&a)?.to_vec::<f64>()?, [1.0, 10.0, 1000.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn exp10(a: impl AsOperand) -> Result<Array> {
    apply("exp10", [a.as_operand()])
}

/// Reciprocal square root; CuPy's `cupyx.rsqrt`.
///
/// The result has the shape of the operand and its floating-point or complex dtype, float64 for integers; 0 results in
/// an infinity, a negative real in NaN.
///
/// # Errors
///
/// Same as [`Ufunc::call`](crate::Ufunc::call).
///
/// ```
/// let a = cuprum::Array::from_slice(&[4.0, 0.25], 2)?;
/// assert_eq!(cuprum::rsqrt(&a)?.to_vec::<f64>()?, [0.5, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn rsqrt(a: impl AsOperand) -> Result<Array> {
    apply("rsqrt", [a.as_operand()])
}
