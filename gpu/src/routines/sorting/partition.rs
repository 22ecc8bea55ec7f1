//! Partial sorting: `partition` and `argpartition`. Short slices are sorted, long ones are partitioned.
//!
//! A partition of a long slice finds the requested elements by their leading bits in a few passes, each of which reads
//! the elements once.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use super::{SortOptions, along, in_rows};
use crate::array::{Array, Indices, IntoArgument, IntoOptional};
use crate::engine::sort::partition_rows;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, normalize_axis};

/// Returns a copy partitioned along an axis: elements at the positions `kth` are those of the sorted array, with no
/// larger ones before and no smaller ones after them; NumPy's `partition`.
///
/// As in NumPy the order of the other elements is unspecified. It is reproducible: slices of fewer than 2^20 elements
/// are sorted; in longer ones the elements between two positions keep their order.
///
/// The result has the shape and the dtype of `a`, or one axis for `None`. Negative positions count from the end.
///
/// ```
/// let a = cuprum::Array::from_vec(vec![5, 1, 4, 2, 3])?;
/// assert_eq!(cuprum::partition(&a, 2, ())?.to_vec::<i32>()?[2], 3);
/// assert_eq!(cuprum::partition(&a, [0, -1], ())?.to_vec::<i32>()?[4], 5);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Value`] for a position that is; negative ones
/// count from the end.
#[routine(python(extras = [("order", Extra::Rejected)]))]
pub fn partition(a: &Array, kth: Indices, options: SortOptions) -> Result<Array> {
    let run = || {
        let (a, axis, kth) = check(a, &kth, options.axis, a.ndim())?;
        let layout = a.layout().in_order(a.itemsize(), Order::K);
        let out = Array::of_layout(a.device(), layout, a.dtype())?;
        partition_lines(&a, axis, &kth, Some(&out), None)?;
        Ok(out)
    };
    run().map_err(|e: Error| e.with_op("partition"))
}

/// Returns the indices that would partition an array; NumPy's `argpartition`. The elements at these indices are the
/// result of [`partition`].
///
/// The result is int64 and has the shape of `a`, or one axis for `None`.
///
/// ```
/// use cuprum::{argpartition, array, take};
/// let a = array([5, 1, 4, 2])?;
/// let first = argpartition(&a, 0, ())?.index(cuprum::s![0])?.item::<i64>()?;
/// assert_eq!(first, 1);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`partition`]; a 0-d array counts as one element.
#[routine(method, python(extras = [("order", Extra::Rejected)]))]
pub fn argpartition(a: &Array, kth: Indices, options: SortOptions) -> Result<Array> {
    let run = || {
        let (a, axis, kth) = check(a, &kth, options.axis, a.ndim().max(1))?;
        let out = Array::of_layout(a.device(), Layout::c_order(a.shape(), 8), DType::I64)?;
        partition_lines(&a, axis, &kth, None, Some(&out))?;
        Ok(out)
    };
    run().map_err(|e: Error| e.with_op("argpartition"))
}

/// Returns the array, the axis, and the nonnegative positions in ascending order. Rejects a position out of bounds,
/// which is not checked for an empty array.
fn check(a: &Array, kth: &Indices, axis: Option<isize>, ndim: usize) -> Result<(Array, usize, Vec<usize>)> {
    let kth = kth.to_host()?;
    let (a, axis) = along(a, axis, ndim)?;
    let n = a.shape()[axis] as isize;
    if let Some(k) = kth.iter().find(|&&k| a.size() > 0 && !(-n..n).contains(&k)) {
        return Err(Error::new(ErrorKind::Value, format!("there is no position {k} on an axis of length {n}")));
    }
    let mut kth: Vec<usize> = kth.iter().map(|&k| if k < 0 { k + n } else { k } as usize).collect();
    kth.sort();
    kth.dedup();
    Ok((a, axis, kth))
}

/// Partitions 1-D slices at these positions; see [`sort_lines`](super::sort_lines).
fn partition_lines(
    a: &Array,
    axis: usize,
    kth: &[usize],
    parted: Option<&Array>,
    positions: Option<&Array>,
) -> Result<()> {
    in_rows(a, axis, parted, positions, |rows, parted, positions| {
        partition_rows(rows, a.shape()[axis], kth, parted, positions)
    })
}

impl Array {
    /// Partitions the array in place along an axis, by default the last; NumPy's `ndarray.partition`. See
    /// [`partition`].
    ///
    /// ```
    /// let a = cuprum::array([5, 1, 4, 2])?;
    /// a.partition(1, ())?;
    /// assert_eq!(a.index(cuprum::s![1])?.item::<i32>()?, 2);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`partition`]; [`ErrorKind::Value`] for an array whose elements share memory.
    pub fn partition(&self, kth: impl IntoArgument<Indices>, axis: impl IntoOptional<isize>) -> Result<()> {
        let (kth, axis) = (kth.into(), axis.into_optional().unwrap_or(-1));
        let run = || {
            let along = normalize_axis(axis, self.ndim())?;
            let (_, _, kth) = check(self, &kth, Some(axis), self.ndim())?;
            self.check_writable()?;
            partition_lines(self, along, &kth, Some(self), None)
        };
        run().map_err(|e: Error| e.with_op("partition"))
    }
}
