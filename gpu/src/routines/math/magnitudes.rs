//! Magnitudes, signs, conjugates, and the larger of two.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::{Array, Operand};
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;
use crate::ufunc::{apply, binary, unary};

unary! {
    absolute,
    abs,
    fabs,
    sign,
    conjugate,
    conj,
}

binary! {
    maximum,
    minimum,
    fmax,
    fmin,
    heaviside,
}

/// The elements brought within bounds; NumPy's `clip`. A bound is an array or a number, and `()` is none; where they cross,
/// the upper one counts. NaN stays, and a bound that is NaN gives NaN.
///
/// ```
/// let a = cuprum::array([-1.5, 0.25, 7.0])?;
/// assert_eq!(a.clip(0, 1)?.to_vec::<f64>()?, [0.0, 0.25, 1.0]);
/// assert_eq!(a.clip(0, ())?.to_vec::<f64>()?, [0.0, 0.25, 7.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for truth values between truth values, and as [`maximum`].
#[routine(method, names = "a a_min a_max")]
pub fn clip(a: &Array, min: Option<Operand<'_>>, max: Option<Operand<'_>>) -> Result<Array> {
    let truth = |x: &Operand<'_>| match x {
        Operand::Array(x) => x.dtype() == DType::Bool,
        Operand::Scalar(x) => matches!(x, Scalar::Bool(_)),
    };
    match (min, max) {
        (Some(min), Some(max)) if a.dtype() == DType::Bool && truth(&min) && truth(&max) => {
            Err(Error::new(ErrorKind::Type, "booleans are not taken: cast them to integers"))
        }
        (Some(min), Some(max)) => apply("minimum", [(&apply("maximum", [a.into(), min])?).into(), max]),
        (Some(min), None) => apply("maximum", [a.into(), min]),
        (None, Some(max)) => apply("minimum", [a.into(), max]),
        (None, None) => apply("positive", [a.into()]),
    }
}
