//! Roots of power series.
//!
//! Eigenvalues of the companion matrix are accurate to the precision of its elements; multiple roots are sensitive to
//! their rounding.

use cuprum_macros::routine;

use super::polynomial::polycompanion;
use super::polyutils::series;
use crate::array::Array;
use crate::engine::make;
use crate::error::Result;
use crate::linalg::eigvals;
use crate::routines::sorting::sort;

/// Roots of a polynomial with coefficients from the lowest power, in ascending order; NumPy's
/// `numpy.polynomial.polynomial.polyroots`: the eigenvalues of its companion matrix.
///
/// The result has one axis of `n - 1` roots for `n` coefficients, and dtype complex128, or float64 where all roots are
/// real.
///
/// ```
/// use cuprum::{allclose, array, polynomial::polynomial::polyroots};
/// assert!(allclose(polyroots(array([2.0, -3.0, 1.0])?)?, array([1.0, 2.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for empty coefficients, for those of several axes and for booleans,
/// [`ErrorKind::Type`](crate::ErrorKind::Type) for three or more in float16 or bfloat16, and
/// [`ErrorKind::LinAlg`](crate::ErrorKind::LinAlg) for three or more that include infinity or NaN.
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficient, and to check whether the roots are real.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyroots(c: &Array) -> Result<Array> {
    let c = series(&[c], true)?.remove(0);
    if c.size() < 2 {
        return make::empty(c.device(), &[0], c.dtype());
    }
    let companion = polycompanion(&c)?;
    if c.size() == 2 {
        return companion.reshape([1]);
    }
    sort(eigvals(companion)?, ())
}
