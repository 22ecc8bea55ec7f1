//! The elements that a condition picks.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::{Array, AsArray, Index, IntoArgument};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::{normalize_axis, shape_text};

/// The elements of `a` at which the condition is not zero, both taken in C order as one axis; NumPy's `extract`. The
/// condition may be of any dtype.
///
/// # Errors
///
/// [`ErrorKind::Index`] where the condition holds beyond the last element of `a`.
///
/// # Synchronization
///
/// The host waits for the number of elements that are picked.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// let odd = cuprum::remainder(&a, 2)?;
/// assert_eq!(cuprum::extract(&odd, &a)?.to_vec::<i32>()?, [1, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(names = "condition arr")]
pub fn extract(condition: &Array, a: &Array) -> Result<Array> {
    flat(condition, a).map_err(|e| e.with_op("extract"))
}

/// Along which axis [`compress`] picks parts, and where they go.
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct CompressOptions<'a> {
    /// The axis; without one, the elements in C order are picked.
    #[from]
    pub axis: Option<isize>,
    /// An array of the result's shape to write it to, of a dtype that can be cast safely to that of the elements.
    pub out: Option<&'a Array>,
}

/// The parts of `a` along an axis at which the condition is not zero; without an axis, the elements in C order. NumPy's
/// `compress`. The condition has one axis, of any length, and any dtype.
///
/// # Errors
///
/// [`ErrorKind::Value`] where the condition has not one axis, [`ErrorKind::Axis`] for an axis that does not exist,
/// [`ErrorKind::Index`] where the condition holds beyond the axis; [`ErrorKind::Type`] for the dtype of `out`,
/// [`ErrorKind::Value`] for its shape.
///
/// # Synchronization
///
/// The host waits for the number of parts that are picked.
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
        // NumPy takes an array of no axes as one of one.
        Some(0 | -1) if a.ndim() == 0 => return flat(condition, a),
        Some(axis) => normalize_axis(axis, a.ndim())?,
    };
    if a.ndim() == 1 {
        return flat(condition, a);
    }
    engine::one_device(a, [condition])?;
    let indices = engine::mark(&within(condition, a.shape()[axis])?)?.places()?;
    super::parts_at(a, axis, &indices)
}

/// The front of a condition, of at most `n` elements, where it does not hold behind that.
fn within(condition: &Array, n: usize) -> Result<Array> {
    let part = |from: Option<i64>, to: Option<i64>| {
        condition.index([Index::Slice(Slice { start: from, stop: to, step: None })])
    };
    if condition.size() <= n {
        return Ok(condition.clone());
    }
    let beyond = engine::mark(&part(Some(n as i64), None)?)?;
    if beyond.count > 0 {
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
    /// The elements at which a mask is true, in C order; NumPy's `a[mask]`. The mask is boolean; its axes are the first
    /// of this array's, and the axes that it leaves stay.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a mask that is not boolean, [`ErrorKind::Index`] where it has more axes or other sizes.
    ///
    /// # Synchronization
    ///
    /// The host waits for the number of elements that are picked.
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

    /// The parts along an axis at which the condition is not zero; NumPy's `compress`. See [`compress`](fn@compress).
    ///
    /// # Errors
    ///
    /// As [`compress`](fn@compress).
    ///
    /// # Synchronization
    ///
    /// The host waits for the number of parts that are picked.
    pub fn compress<'a>(
        &self,
        condition: impl AsArray,
        options: impl IntoArgument<CompressOptions<'a>>,
    ) -> Result<Array> {
        compress(condition, self, options)
    }
}
