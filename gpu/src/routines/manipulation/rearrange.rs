//! Rearrangement of elements: `fliplr`, `flipud`, `rot90`, `rollaxis`, `permute_dims` and `roll`.
//!
//! All of them but `roll` are views with other strides; `roll` copies, by one kernel for any number of axes.

use cuprum_macros::{Options, routine};
use smallvec::SmallVec;

use crate::array::{Array, Axes, IntoShape};
use crate::engine::{self, Formula};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, normalize_axis, shape_text};

/// Reverses the order of columns; NumPy's `fliplr`. A view.
///
/// The result has the shape and the dtype of `m`, which needs two axes; it is `m[:, ::-1]`.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// assert_eq!(cuprum::fliplr(&a)?.to_vec::<i32>()?, [2, 1, 4, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for fewer than two axes.
#[routine(python(aliases = [("a", "m")]))]
pub fn fliplr(m: &Array) -> Result<Array> {
    at_least(m, 2)?;
    super::flip(m, 1)
}

/// Reverses the order of rows; NumPy's `flipud`. A view.
///
/// The result has the shape and the dtype of `m`, which needs one axis; it is `m[::-1]`.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// assert_eq!(cuprum::flipud(&a)?.to_vec::<i32>()?, [3, 4, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array without axes.
#[routine(python(aliases = [("a", "m")]))]
pub fn flipud(m: &Array) -> Result<Array> {
    at_least(m, 1)?;
    super::flip(m, 0)
}

fn at_least(m: &Array, axes: usize) -> Result<()> {
    if m.ndim() < axes {
        let shape = shape_text(m.shape());
        let message = format!("an array of shape {shape} has too few axes: {axes} are needed");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(())
}

/// Options of [`rot90`].
///
/// An integer converts to options that set the number of rotations alone.
///
/// ```
/// use cuprum::{Rot90Options, array, rot90};
/// let a = array([[1, 2], [3, 4]])?;
/// assert_eq!(rot90(&a, ())?.to_vec::<i32>()?, [2, 4, 1, 3]);
/// assert_eq!(rot90(&a, Rot90Options::new().k(-1))?.to_vec::<i32>()?, [3, 1, 4, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Options)]
pub struct Rot90Options {
    /// The number of rotations by 90 degrees, from the first axis of the plane towards the second. By default 1.
    #[from]
    pub k: isize,
    /// The two axes of the plane; by default the first two.
    pub axes: Axes,
}

impl Default for Rot90Options {
    fn default() -> Self {
        Rot90Options { k: 1, axes: Axes::from((0, 1)) }
    }
}

/// Rotates an array by multiples of 90 degrees in the plane of two axes; NumPy's `rot90`. A view.
///
/// The result has the dtype of `m`; the lengths of the two axes are exchanged for an odd number of rotations.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// assert_eq!(cuprum::rot90(&a, ())?.to_vec::<i32>()?, [2, 4, 1, 3]);
/// assert_eq!(cuprum::rot90(&a, 2)?.to_vec::<i32>()?, [4, 3, 2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the axes are not two different ones of the array.
#[routine(method, python(aliases = [("a", "m")], rounded = [("k", Rounding::Cut)]))]
pub fn rot90(m: &Array, options: Rot90Options) -> Result<Array> {
    let reject = |what: &str| {
        let axes = options.axes.as_slice().unwrap_or_default();
        Err(Error::new(ErrorKind::Value, format!("a plane has two axes of the array: {axes:?} {what}")))
    };
    let (first, second) = match options.axes.as_slice() {
        Some(&[first, second]) => (first, second),
        _ => return reject("are not two"),
    };
    let ndim = m.ndim() as isize;
    if first == second || (first - second).abs() == ndim {
        return reject("are one");
    }
    let (Ok(first), Ok(second)) = (normalize_axis(first, m.ndim()), normalize_axis(second, m.ndim())) else {
        return reject("are not all there");
    };
    match options.k.rem_euclid(4) {
        0 => Ok(m.clone()),
        1 => super::flip(m, second)?.swapaxes(first, second),
        2 => super::flip(m, [first, second]),
        _ => super::flip(m.swapaxes(first, second)?, second),
    }
}

/// Moves an axis backwards until it is before a position; NumPy's `rollaxis`. A view; [`moveaxis`](super::moveaxis) is
/// easier to read.
///
/// ```
/// let a = cuprum::ones([3, 4, 5, 6], ())?;
/// assert_eq!(cuprum::rollaxis(&a, 3, 1)?.shape(), [3, 6, 4, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis or a position that is out of bounds.
#[routine(start = 0)]
pub fn rollaxis(a: &Array, axis: isize, start: isize) -> Result<Array> {
    let ndim = a.ndim() as isize;
    let axis = normalize_axis(axis, a.ndim())? as isize;
    let target = if start < 0 { start + ndim } else { start };
    if target < 0 || target > ndim {
        let message = format!("start is {start}: for an array of {ndim} axes it is {} to {ndim}", -ndim);
        return Err(Error::new(ErrorKind::Axis, message));
    }
    // Removing the axis shifts the positions after it.
    a.moveaxis(axis, if axis < target { target - 1 } else { target })
}

/// Permutes the axes, by default in reverse order; NumPy's `permute_dims`, another name of
/// [`transpose`](super::transpose).
///
/// ```
/// let a = cuprum::ones([2, 3, 4], ())?;
/// assert_eq!(cuprum::permute_dims(&a, (1, 2, 0))?.shape(), [3, 4, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Array::transpose`].
#[routine]
pub fn permute_dims(a: &Array, axes: Axes) -> Result<Array> {
    a.transpose(axes)
}

/// Rolls elements cyclically along axes; NumPy's `roll`. Without an axis the array is treated as flattened in C order.
/// One launch, for any number of axes.
///
/// The result has the shape and the dtype of the array.
///
/// ```
/// use cuprum::{arange, roll};
/// let a = arange(0, 6, 1)?.reshape([2, 3])?;
/// assert_eq!(roll(&a, 1, ())?.to_vec::<i64>()?, [5, 0, 1, 2, 3, 4]);
/// assert_eq!(roll(&a, -1, 1)?.to_vec::<i64>()?, [1, 2, 0, 4, 5, 3]);
/// assert_eq!(roll(&a, (1, 1), (0, 1))?.to_vec::<i64>()?, [5, 3, 4, 2, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`], [`ErrorKind::Value`] where the numbers of shifts and of axes differ and neither is one.
#[routine(method, python(axis = AxisForm::Sequence, cyclic = "shift"))]
pub fn roll(a: &Array, shift: impl IntoShape, axis: Axes) -> Result<Array> {
    rolled(a, &shift.into_shape(), axis.as_slice())
}

fn rolled(a: &Array, shift: &[i64], axes: Option<&[isize]>) -> Result<Array> {
    let Some(axes) = axes else {
        return rolled(&a.in_one_axis()?, shift, Some(&[0]))?.reshape(a.shape());
    };
    let axes: SmallVec<[usize; 6]> = axes.iter().map(|&x| normalize_axis(x, a.ndim())).collect::<Result<_>>()?;
    let pairs = match (shift.len(), axes.len()) {
        (m, n) if m == n || m == 1 || n == 1 => {
            if m == 0 || n == 0 {
                0
            } else {
                m.max(n)
            }
        }
        (m, n) => {
            return Err(Error::new(
                ErrorKind::Value,
                format!("{m} shifts do not go with {n} axes: one of each, or one for all"),
            ));
        }
    };
    // A single shift or axis applies to all.
    let mut by: SmallVec<[i64; 6]> = smallvec::smallvec![0; a.ndim()];
    for k in 0..pairs {
        let axis = axes[if axes.len() == 1 { 0 } else { k }];
        let shift = shift[if shift.len() == 1 { 0 } else { k }];
        let n = a.shape()[axis].max(1) as i64;
        by[axis] = (by[axis] + shift.rem_euclid(n)) % n;
    }
    let out = Array::of_layout(a.device(), a.layout().in_order(a.itemsize(), Order::K), a.dtype())?;
    let formula = |x: usize| if by[x] == 0 { Formula::Same } else { Formula::Wrapped(-by[x]) };
    let formulas: SmallVec<[Formula; 6]> = (0..a.ndim()).map(formula).collect();
    engine::remap(a, &formulas, None, [0; 16], &out)?;
    Ok(out)
}
