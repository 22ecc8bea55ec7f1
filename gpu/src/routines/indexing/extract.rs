//! Selection by a condition: `extract`, `compress` and boolean masks.
//!
//! A selection is a stream compaction in three steps: flags, a tree of their counts that numbers the selected
//! elements, and a pass that moves these to their numbers. The length of the result is read back after the scan, which is
//! the one synchronisation; the move does not wait for it if memory is not scarce.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::{Array, AsArray, Index, IntoArgument};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::{normalize_axis, shape_text};

/// Selects the elements of `a` at which the condition is nonzero, both flattened in C order; NumPy's `extract`. The
/// condition may be of any dtype.
///
/// The result has one axis and the dtype of `a`. A condition with fewer elements than `a` selects among the first of
/// them.
///
/// # Errors
///
/// [`ErrorKind::Index`] where the condition holds past the last element of `a`.
///
/// # Synchronization
///
/// Synchronises to read the number of selected elements.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// let odd = cuprum::remainder(&a, 2)?;
/// assert_eq!(cuprum::extract(&odd, &a)?.to_vec::<i32>()?, [1, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(names = "condition arr", python(aliases = [("a", "arr")]))]
pub fn extract(condition: &Array, a: &Array) -> Result<Array> {
    flat(condition, a).map_err(|e| e.with_op("extract"))
}

/// Options of [`compress`].
///
/// ```
/// use cuprum::{array, compress};
/// let a = array([[1, 2, 3], [4, 5, 6]])?;
/// assert_eq!(compress(&array([true, false, true])?, &a, 1)?.to_vec::<i32>()?, [1, 3, 4, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct CompressOptions<'a> {
    /// The axis; by default the array is flattened in C order.
    #[from]
    pub axis: Option<isize>,
    /// The output array, of the result's shape and of a dtype that can be cast safely to that of the elements; by
    /// default a new one.
    pub out: Option<&'a Array>,
}

/// Selects the slices of `a` along an axis at which the condition is nonzero, or without an axis elements of the
/// flattened array; NumPy's `compress`. The condition has one axis, of any length, and any dtype.
///
/// The result has the shape of `a` with the number of selected slices along the axis, and its dtype; without an axis it
/// has one axis.
///
/// # Errors
///
/// [`ErrorKind::Value`] where the condition does not have one axis, [`ErrorKind::Axis`] for an axis that is out of
/// bounds, [`ErrorKind::Index`] where the condition holds past the end of the axis; [`ErrorKind::Type`] for the dtype
/// of `out`, [`ErrorKind::Value`] for its shape.
///
/// # Synchronization
///
/// Synchronises to read the number of selected slices.
///
/// ```
/// let a = cuprum::array([[1, 2, 3], [4, 5, 6]])?;
/// let columns = cuprum::compress(cuprum::array([true, false, true])?, &a, 1)?;
/// assert_eq!(columns.to_vec::<i32>()?, [1, 3, 4, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine]
pub fn compress(condition: &Array, a: &Array, options: CompressOptions<'_>) -> Result<Array> {
    let picked = parts(condition, a, options.axis)?;
    let Some(out) = options.out else { return Ok(picked) };
    engine::one_device(a, [out])?;
    super::check_out(out, a, picked.shape())?;
    engine::copy(&picked, out)?;
    Ok(out.clone())
}

fn parts(condition: &Array, a: &Array, axis: Option<isize>) -> Result<Array> {
    if condition.ndim() != 1 {
        let shape = shape_text(condition.shape());
        return Err(Error::new(ErrorKind::Value, format!("the condition, of shape {shape}, must have one axis")));
    }
    let axis = match axis {
        None => return flat(condition, a),
        // NumPy treats an array without axes as one of one axis.
        Some(0 | -1) if a.ndim() == 0 => return flat(condition, a),
        Some(axis) => normalize_axis(axis, a.ndim())?,
    };
    if a.ndim() == 1 {
        return flat(condition, a);
    }
    engine::one_device(a, [condition])?;
    let indices = engine::mark(&within(condition, a.shape()[axis])?)?.positions()?;
    super::parts_at(a, axis, &indices)
}

/// Returns the first `n` elements of a condition, which must not hold after them.
fn within(condition: &Array, n: usize) -> Result<Array> {
    let part = |from: Option<i64>, to: Option<i64>| {
        condition.index([Index::Slice(Slice { start: from, stop: to, step: None })])
    };
    if condition.size() <= n {
        return Ok(condition.clone());
    }
    let beyond = engine::mark(&part(Some(n as i64), None)?)?;
    if beyond.count()? > 0 {
        let length = condition.size();
        let message = format!("the condition, of length {length}, holds beyond the end of an axis of size {n}");
        return Err(Error::new(ErrorKind::Index, message));
    }
    part(None, Some(n as i64))
}

fn flat(condition: &Array, a: &Array) -> Result<Array> {
    engine::one_device(a, [condition])?;
    if condition.size() == a.size() {
        return engine::mark(condition)?.elements_of(a);
    }
    let condition = within(&condition.in_one_axis()?, a.size())?;
    let front = Index::Slice(Slice { start: None, stop: Some(condition.size() as i64), step: None });
    engine::mark(&condition)?.elements_of(&a.in_one_axis()?.index([front])?)
}

impl Array {
    /// Selects the elements at which a mask is true, in C order; NumPy's `a[mask]`. The mask is boolean and covers the
    /// first axes of this array; the remaining axes are kept.
    ///
    /// The result has one axis for the elements of the mask followed by the remaining axes of the array, and its dtype.
    /// It is a copy; [`Array::set`] writes through a mask.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a mask that is not boolean, [`ErrorKind::Index`] where it has more axes or other sizes.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of selected elements.
    ///
    /// ```
    /// use cuprum::{array, greater};
    /// let a = array([[1, 5], [7, 2], [0, 9]])?;
    /// assert_eq!(a.mask(greater(&a, 4)?)?.to_vec::<i32>()?, [5, 7, 9]);
    /// let rows = a.mask(array([true, false, true])?)?;
    /// assert_eq!((rows.shape(), rows.to_vec::<i32>()?), ([2, 2].as_slice(), vec![1, 5, 0, 9]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn mask(&self, mask: impl AsArray) -> Result<Array> {
        self.masked(mask.as_array()).map_err(|e| e.with_op("mask"))
    }

    fn masked(&self, mask: &Array) -> Result<Array> {
        if mask.dtype() != DType::Bool {
            return Err(Error::new(ErrorKind::Type, format!("a mask is boolean, not {}", mask.dtype())));
        }
        let axes = mask.ndim();
        if axes > self.ndim() || mask.shape() != &self.shape()[..axes] {
            let (mask, own) = (shape_text(mask.shape()), shape_text(self.shape()));
            let message = format!("a mask of shape {mask} does not go with an array of shape {own}");
            return Err(Error::new(ErrorKind::Index, message));
        }
        self.part_at(&[Index::Array(mask.clone())])
    }

    /// Selects the slices along an axis at which the condition is nonzero; NumPy's `compress`. See
    /// [`compress`](fn@compress).
    ///
    /// The result has the shape of this array with the number of selected slices along the axis, and its dtype.
    ///
    /// ```
    /// let a = cuprum::array([10, 20, 30])?;
    /// assert_eq!(a.compress(cuprum::array([true, false, true])?, ())?.to_vec::<i32>()?, [10, 30]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`compress`](fn@compress).
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of selected slices.
    pub fn compress<'a>(
        &self,
        condition: impl AsArray,
        options: impl IntoArgument<CompressOptions<'a>>,
    ) -> Result<Array> {
        compress(condition, self, options)
    }
}
