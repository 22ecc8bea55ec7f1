//! Computations with shapes, axes and indices on the host.
//!
//! They read nothing from the device and synchronise with nothing.

use cuprum_macros::unrecorded;

use crate::array::{Array, AsArray, IntoShape, checked_shape};
use crate::elements::Item;
use crate::error::{Error, Result};
use crate::layout;

/// Returns the shape that shapes broadcast to; NumPy's `broadcast_shapes`. [`Broadcast`](super::Broadcast) does so for
/// arrays.
///
/// ```
/// assert_eq!(cuprum::broadcast_shapes([vec![6, 7], vec![5, 6, 1], vec![7]])?, [5, 6, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Value`](crate::ErrorKind::Value) for shapes that cannot be broadcast, and for negative sizes.
#[unrecorded("returns a shape")]
pub fn broadcast_shapes<S: IntoShape>(shapes: impl IntoIterator<Item = S>) -> Result<Vec<usize>> {
    let go = || {
        let all: Vec<Vec<usize>> =
            shapes.into_iter().map(|shape| checked_shape(&shape.into_shape())).collect::<Result<_>>()?;
        let all: Vec<&[usize]> = all.iter().map(Vec::as_slice).collect();
        Ok(layout::broadcast_shapes(&all)?.to_vec())
    };
    go().map_err(|e: Error| e.with_op("broadcast_shapes"))
}

/// Normalises an axis index among `ndim` axes: negative ones count from the end; NumPy's `normalize_axis_index`.
///
/// ```
/// assert_eq!(cuprum::normalize_axis_index(-1, 3)?, 2);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds.
#[unrecorded("returns a host index")]
pub fn normalize_axis_index(axis: isize, ndim: usize) -> Result<usize> {
    layout::normalize_axis(axis, ndim).map_err(|e| e.with_op("normalize_axis_index"))
}

/// Normalises several distinct axis indices among `ndim` axes; NumPy's `normalize_axis_tuple`.
///
/// ```
/// assert_eq!(cuprum::normalize_axis_tuple([0, -1], 3)?, [0, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds, [`Value`](crate::ErrorKind::Value) for one that
/// is repeated.
#[unrecorded("returns host indices")]
pub fn normalize_axis_tuple(axes: impl AsRef<[isize]>, ndim: usize) -> Result<Vec<usize>> {
    let axes_from_zero = layout::normalize_axes(axes.as_ref(), ndim).map_err(|e| e.with_op("normalize_axis_tuple"))?;
    Ok(axes_from_zero.to_vec())
}

/// Returns the device addresses of the first byte of an array's elements and of one past the last; NumPy's
/// `byte_bounds`.
///
/// ```
/// let a = cuprum::arange(0, 6, 1)?;
/// let (low, high) = cuprum::byte_bounds(&a.index(cuprum::s![..;-1])?);
/// assert_eq!((low, high - low), (cuprum::byte_bounds(&a).0, 48));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[unrecorded("returns addresses")]
pub fn byte_bounds(a: impl AsArray) -> (u64, u64) {
    let a = a.as_array();
    let (low, high) = a.layout().extent(a.itemsize());
    (a.buffer().addr() + low as u64, a.buffer().addr() + high as u64)
}

/// Iterates over all indices of a shape in C order; NumPy's `ndindex`.
///
/// ```
/// let indices: Vec<_> = cuprum::ndindex([2, 2])?.collect();
/// assert_eq!(indices, [[0, 0], [0, 1], [1, 0], [1, 1]]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Value`](crate::ErrorKind::Value) for negative sizes.
#[unrecorded("returns a host iterator")]
pub fn ndindex(shape: impl IntoShape) -> Result<NdIndex> {
    let shape = checked_shape(&shape.into_shape()).map_err(|e| e.with_op("ndindex"))?;
    Ok(NdIndex { next: (!shape.contains(&0)).then(|| vec![0; shape.len()]), shape })
}

/// Iterator of [`ndindex`].
///
/// It yields the indices of a shape in C order, one vector a step; for a shape without axes one empty vector.
#[derive(Clone, Debug)]
pub struct NdIndex {
    shape: Vec<usize>,
    next: Option<Vec<usize>>,
}

impl Iterator for NdIndex {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let here = self.next.take()?;
        let mut after = here.clone();
        // Increments the last axis that is not at its end and resets those after it.
        for axis in (0..self.shape.len()).rev() {
            after[axis] += 1;
            if after[axis] < self.shape[axis] {
                self.next = Some(after);
                break;
            }
            after[axis] = 0;
        }
        Some(here)
    }
}

/// Iterates over the elements with their indices in C order, from a copy on the host; NumPy's `ndenumerate`.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// let sum: i32 = cuprum::ndenumerate::<i32>(&a)?.filter(|(index, _)| index[0] == index[1]).map(|(_, x)| x).sum();
/// assert_eq!(sum, 5);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Array::to_vec`].
///
/// # Synchronization
///
/// Synchronises to read the elements.
#[unrecorded("returns a host iterator")]
pub fn ndenumerate<T: Item>(a: &Array) -> Result<impl Iterator<Item = (Vec<usize>, T)> + use<T>> {
    let elements = a.to_vec::<T>().map_err(|e| e.with_op("ndenumerate"))?;
    Ok(ndindex(a.shape())?.zip(elements))
}
