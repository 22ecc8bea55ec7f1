//! Angles of complex numbers.

use super::multiply;
use crate::array::Array;
use crate::error::Result;
use crate::ufunc::{UfuncOptions, ufunc};
use cuprum_macros::{Options, routine};

/// Options of [`angle`].
///
/// By default angles are in radians.
///
/// ```
/// use cuprum::{AngleOptions, angle, array, num_complex::Complex64};
/// let a = array([Complex64::new(0.0, 1.0)])?;
/// assert_eq!(angle(&a, AngleOptions::new().deg(true))?.to_vec::<f64>()?, [90.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct AngleOptions {
    /// If true, the angles are in degrees, otherwise in radians. By default `false`.
    pub deg: bool,
}

/// Argument of complex numbers: the angle with the positive real axis, in radians or, with `deg`, in degrees.
///
/// NumPy's `angle`: `arctan2(imag, real)`, so that the angle of a real number is 0 or π, of a negative zero π, and of
/// NaN NaN. The dtype is that of the components; integers become floats as in `arctan2`. Degrees are radians times
/// 180/π in the same dtype.
///
/// ```
/// use cuprum::AngleOptions;
/// let z = cuprum::array([1.0, -2.0])?;
/// assert_eq!(cuprum::angle(&z, ())?.to_vec::<f64>()?, [0.0, std::f64::consts::PI]);
/// assert_eq!(cuprum::angle(&z, AngleOptions::new().deg(true))?.to_vec::<f64>()?, [0.0, 180.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Ufunc::call`](crate::Ufunc::call).
#[routine]
pub fn angle(z: &Array, options: AngleOptions) -> Result<Array> {
    let arctan2 = ufunc("arctan2")?;
    let radians = if z.dtype().is_complex() {
        arctan2.called(&[(&z.imag()?).into(), (&z.real()).into()], &UfuncOptions::default())
    } else {
        arctan2.called(&[0i64.into(), z.into()], &UfuncOptions::default())
    };
    let radians = radians?;
    if options.deg { multiply(&radians, 180.0 / std::f64::consts::PI) } else { Ok(radians) }
}
