//! Sliding windows along axes.
//!
//! The result is a view whose window axes have the strides of the axes that they slide along, so that elements occur
//! several times without a copy.

use cuprum_macros::routine;

use crate::array::{Array, Axes, IntoShape};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{normalize_axis, shape_text};

/// Returns a view of all windows of a shape that fit in an array; the last axes are those of the window; NumPy's
/// `lib.stride_tricks.sliding_window_view`. An axis may be repeated. Windows share elements, so that, unlike in NumPy,
/// an overlapping view is read-only.
///
/// The result has the dtype of `x`; an axis of `n` elements has `n - w + 1` windows of length `w`, and the axes of the
/// window come last.
///
/// ```
/// let windows = cuprum::sliding_window_view(cuprum::arange(0, 5, 1)?, 3, ())?;
/// assert_eq!(windows.shape(), [3, 3]);
/// assert_eq!(cuprum::sum(&windows, 1)?.to_vec::<i64>()?, [3, 6, 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a size below 0 or above that of its axis, and for another number of sizes than of axes;
/// [`ErrorKind::Axis`].
#[routine(
    namespace = "numpy.lib.stride_tricks",
    python(axis = AxisForm::Sequence, extras = [("subok", Extra::Rejected), ("writeable", Extra::Rejected)])
)]
pub fn sliding_window_view(x: &Array, window_shape: impl IntoShape, axis: Axes) -> Result<Array> {
    let window = window_shape.into_shape();
    if let Some(n) = window.iter().find(|n| **n < 0) {
        return Err(Error::new(ErrorKind::Value, format!("a window is {n} long: its sizes are 0 or more")));
    }
    let axes: Vec<usize> = match axis.as_slice() {
        None => (0..x.ndim()).collect(),
        Some(axes) => axes.iter().map(|axis| normalize_axis(*axis, x.ndim())).collect::<Result<_>>()?,
    };
    if window.len() != axes.len() {
        let (sizes, axes) = (window.len(), axes.len());
        let message = format!("a window of {sizes} sizes does not slide along {axes} axes: give one for each");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let mut shape: Vec<i64> = x.shape().iter().map(|n| *n as i64).collect();
    let mut strides = x.strides().to_vec();
    for (axis, n) in axes.iter().zip(&window) {
        if shape[*axis] < *n {
            let own = shape_text(x.shape());
            let message = format!("a window of {n} along axis {axis} is larger than an array of shape {own}");
            return Err(Error::new(ErrorKind::Value, message));
        }
        shape[*axis] -= n - 1;
        strides.push(x.strides()[*axis]);
    }
    shape.extend(window);
    x.as_strided(shape, &strides)
}
