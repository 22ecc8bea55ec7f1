//! Chebyshev points, and interpolation at them.
//!
//! Chebyshev points make interpolation well conditioned, where equidistant ones do not.

use cuprum_macros::{routine, unrecorded};

use super::bases::{Basis, chebyshev_points, vandermonde};
use crate::array::{Array, IntoInteger, integer};
use crate::error::{Error, ErrorKind, Result};
use crate::routines::linalg::matmul;
use crate::routines::math;
use crate::scan::part;

/// Chebyshev points of the first kind in ascending order, the zeros of `Tₙ`; NumPy's `chebpts1`.
///
/// The result is float64 of `npts` elements in ascending order.
///
/// ```
/// use cuprum::{allclose, array, polynomial::chebyshev::chebpts1};
/// let half = 0.5f64.sqrt();
/// assert!(allclose(chebpts1(2)?, array([-half, half])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for less than one point.
#[routine(
    namespace = "numpy.polynomial.chebyshev",
    outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
)]
pub fn chebpts1(npts: isize) -> Result<Array> {
    chebyshev_points(npts, false)
}

/// Chebyshev points of the second kind in ascending order, with both ends; NumPy's `chebpts2`.
///
/// The result is float64 of `npts` elements in ascending order.
///
/// ```
/// use cuprum::polynomial::chebyshev::chebpts2;
/// assert_eq!(chebpts2(2)?.to_vec::<f64>()?, [-1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for less than two points.
#[routine(
    namespace = "numpy.polynomial.chebyshev",
    outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
)]
pub fn chebpts2(npts: isize) -> Result<Array> {
    chebyshev_points(npts, true)
}

/// Chebyshev series of degree `deg` that interpolates a function at the Chebyshev points of the first kind; NumPy's
/// `chebinterpolate`. The function is called once, with all points.
///
/// The result has one axis of `deg + 1` coefficients in float64.
///
/// ```
/// use cuprum::{allclose, array, polynomial::chebyshev::chebinterpolate, square};
/// let c = chebinterpolate(|x| square(x), 2)?; // x² = (T₀ + T₂) / 2
/// assert!(allclose(&c, array([0.5, 0.0, 0.5])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative degree, and errors of the function.
#[unrecorded("calls a Rust function")]
pub fn chebinterpolate(func: impl FnOnce(&Array) -> Result<Array>, deg: impl IntoInteger) -> Result<Array> {
    let deg = integer(deg);
    if deg < 0 {
        let message = format!("deg is {deg}: the highest power is 0 or more");
        return Err(Error::new(ErrorKind::Value, message).with_op("chebinterpolate"));
    }
    let x = chebyshev_points(deg + 1, false)?;
    let c = matmul(vandermonde(Basis::Chebyshev, &x, deg)?.t(), func(&x)?)?;
    let c = math::multiply(&c, 2.0 / (deg + 1) as f64)?;
    let first = part(&c, 0, ..1)?;
    first.assign(&math::multiply(&first, 0.5)?)?;
    Ok(c)
}
