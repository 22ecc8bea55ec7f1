//! Elements at given indices.

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};

use crate::array::Array;
use crate::engine::{self, Rows};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, normalize_axis, shape_text};
use crate::reduction::Reduce;
use crate::routines::{math, statistics};

/// What an index out of bounds means; NumPy's `mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum IndexMode {
    /// An error. Negative indices count from the end.
    #[default]
    Raise,
    /// An index that many axes further on, or back.
    Wrap,
    /// The nearest one in bounds: negative indices are all the first.
    Clip,
}

/// Along which axis elements are taken, and what an index out of bounds means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct TakeOptions {
    /// The axis; without one, the elements are counted in C order.
    #[from]
    pub axis: Option<isize>,
    /// What an index out of bounds means.
    pub mode: IndexMode,
}

/// The elements of `a` at indices along an axis, which the axes of the indices take the place of; NumPy's `take`. The
/// indices are integers of any dtype.
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that does not exist, [`ErrorKind::Type`] for indices that are not integers,
/// [`ErrorKind::Index`] for one that is out of bounds and for any of an axis of size 0.
///
/// # Synchronization
///
/// With [`IndexMode::Raise`] the host waits until the indices are known to be in bounds.
///
/// ```
/// use cuprum::{IndexMode, TakeOptions, array, take};
/// let a = array([[1, 2, 3], [4, 5, 6]])?;
/// let indices = array([2, -1])?;
/// assert_eq!(take(&a, &indices, ())?.to_vec::<i32>()?, [3, 6]);
/// assert_eq!(take(&a, &indices, 1)?.to_vec::<i32>()?, [3, 3, 6, 6]);
/// let clipped = TakeOptions::new().axis(0).mode(IndexMode::Clip);
/// assert_eq!(take(&a, &indices, clipped)?.to_vec::<i32>()?, [4, 5, 6, 1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method)]
pub fn take(a: &Array, indices: &Array, how: TakeOptions) -> Result<Array> {
    taken(a, indices, how)
}

fn taken(a: &Array, indices: &Array, how: TakeOptions) -> Result<Array> {
    engine::one_device(a, [indices])?;
    let (a, axis) = match how.axis {
        None => (a.in_one_axis()?, 0),
        // NumPy takes an array of no axes as one of one.
        Some(axis) if a.ndim() == 0 => (a.in_one_axis()?, normalize_axis(axis, 1)?),
        Some(axis) => (a.clone(), normalize_axis(axis, a.ndim())?),
    };
    if indices.dtype().is_float() || indices.dtype().is_complex() {
        let message = format!("indices are integers: {} cannot be cast to int64", indices.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let n = a.shape()[axis];
    let (before, behind) = (&a.shape()[..axis], &a.shape()[axis + 1..]);
    let shape: Dims = before.iter().chain(indices.shape()).chain(behind).copied().collect();
    let out = Array::of_layout(a.device(), Layout::c_order(&shape, a.itemsize()), a.dtype())?;
    if n == 0 && out.size() > 0 {
        let shape = shape_text(a.shape());
        return Err(Error::new(
            ErrorKind::Index,
            format!("there is nothing to take along axis {axis} of shape {shape}"),
        ));
    }
    let checked = how.mode == IndexMode::Raise && !before.contains(&0);
    if indices.size() == 0 || n == 0 || (out.size() == 0 && !checked) {
        return Ok(out);
    }
    let indices = indices.cast(DType::I64, Order::C)?;
    let size = n as i64;
    let indices = match how.mode {
        IndexMode::Raise => {
            let (least, most) = (statistics::min(&indices, Reduce::all())?, statistics::max(&indices, Reduce::all())?);
            let ends = [least.item::<i64>()?, most.item::<i64>()?];
            if let Some(wrong) = ends.into_iter().find(|&i| i < -size || i >= size) {
                let message = format!("index {wrong} is out of bounds for axis {axis} with size {n}");
                return Err(Error::new(ErrorKind::Index, message));
            }
            if ends[0] < 0 { math::remainder(&indices, size)? } else { indices }
        }
        IndexMode::Wrap => math::remainder(&indices, size)?,
        IndexMode::Clip => math::maximum(&math::minimum(&indices, size - 1)?, 0)?,
    };
    let rows = [Rows::of(&a, 0..axis), Rows::of(&a, axis..axis + 1), Rows::of(&a, axis + 1..a.ndim())];
    engine::take(&a, [&rows[0], &rows[1], &rows[2]], &indices, &out)?;
    Ok(out)
}
