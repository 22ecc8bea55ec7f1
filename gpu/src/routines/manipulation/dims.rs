//! Views with a minimum number of axes: `atleast_1d`, `atleast_2d`, `atleast_3d`; and `matrix_transpose`.
//!
//! All are views: shape and strides change, no element is moved.

use cuprum_macros::routine;

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

/// Returns a view with at least one axis; NumPy's `atleast_1d`.
///
/// NumPy accepts several arrays and returns a list of them; here a call takes one.
///
/// ```
/// use cuprum::{atleast_1d, full};
/// assert_eq!(atleast_1d(full((), 3, ())?)?.shape(), [1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// None that depends on the array.
#[routine(names = "ary", python(returns_same))]
pub fn atleast_1d(a: &Array) -> Result<Array> {
    if a.ndim() == 0 { a.expand_dims(0) } else { Ok(a.clone()) }
}

/// Returns a view with at least two axes, adding leading ones; NumPy's `atleast_2d`.
///
/// NumPy accepts several arrays and returns a list of them; here a call takes one.
///
/// ```
/// use cuprum::{array, atleast_2d};
/// assert_eq!(atleast_2d(array([1, 2, 3])?)?.shape(), [1, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// None that depends on the array.
#[routine(names = "ary", python(returns_same))]
pub fn atleast_2d(a: &Array) -> Result<Array> {
    a.expand_dims(0..2usize.saturating_sub(a.ndim()))
}

/// Returns a view with at least three axes; NumPy's `atleast_3d`. A 1-D array becomes the second axis, a matrix the
/// first two.
///
/// NumPy accepts several arrays and returns a list of them; here a call takes one.
///
/// ```
/// use cuprum::{array, atleast_3d, ones};
/// assert_eq!(atleast_3d(array([1, 2, 3])?)?.shape(), [1, 3, 1]);
/// assert_eq!(atleast_3d(ones([2, 3], ())?)?.shape(), [2, 3, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// None that depends on the array.
#[routine(names = "ary", python(returns_same))]
pub fn atleast_3d(a: &Array) -> Result<Array> {
    match a.ndim() {
        0 => a.expand_dims((0, 1, 2)),
        1 => a.expand_dims((0, 2)),
        2 => a.expand_dims(2),
        _ => Ok(a.clone()),
    }
}

/// Transposes the last two axes of matrices, as a view; NumPy's `matrix_transpose` and `mT`.
///
/// The shape of the result is that of `x` with the last two lengths exchanged; the dtype is kept. Complex numbers are
/// not conjugated.
///
/// ```
/// use cuprum::{matrix_transpose, ones};
/// assert_eq!(matrix_transpose(ones([4, 2, 3], ())?)?.shape(), [4, 3, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for fewer than two axes.
#[routine(method, python(positional_only = 1))]
#[doc(alias = "mT")]
pub fn matrix_transpose(x: &Array) -> Result<Array> {
    if x.ndim() < 2 {
        return Err(Error::new(
            ErrorKind::Value,
            format!("an array of {} axes is no matrix: two are needed", x.ndim()),
        ));
    }
    x.swapaxes(-1, -2)
}
