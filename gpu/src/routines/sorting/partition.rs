//! Partitions: sorts of short lines; of long ones no more is done than is requested.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use super::{SortOptions, along, in_rows};
use crate::array::{Array, Indices, IntoArgument, IntoOptional};
use crate::engine::sort::partition_rows;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, normalize_axis};

/// A copy in which the elements at the positions `kth` along an axis are those of the sorted array, none before them is
/// larger, and none behind them smaller; NumPy's `partition`.
///
/// As in NumPy nothing else is promised of the order of the elements. It is the same each time: lines of fewer than 2^20 elements are
/// sorted; in longer ones the elements between two positions keep their order.
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
/// [`ErrorKind::Axis`] for an axis that does not exist, [`ErrorKind::Value`] for a position beyond it; negative ones count
/// from the end.
#[routine]
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

/// The positions that partition an array; NumPy's `argpartition`. See [`partition`]: it is of the elements at these positions.
///
/// # Errors
///
/// As [`partition`]; a 0-d array counts as one element.
#[routine(method)]
pub fn argpartition(a: &Array, kth: Indices, options: SortOptions) -> Result<Array> {
    let run = || {
        let (a, axis, kth) = check(a, &kth, options.axis, a.ndim().max(1))?;
        let out = Array::of_layout(a.device(), Layout::c_order(a.shape(), 8), DType::I64)?;
        partition_lines(&a, axis, &kth, None, Some(&out))?;
        Ok(out)
    };
    run().map_err(|e: Error| e.with_op("argpartition"))
}

/// The array, the axis and the positions, counted from the beginning, as they rise. Fails for a position that is not on the axis;
/// an array without elements has none to be held against.
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

/// As [`sort_lines`](super::sort_lines), at these positions alone.
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
    /// Partitions the array itself along an axis, the last for `()`; NumPy's `ndarray.partition`. See [`partition`].
    ///
    /// # Errors
    ///
    /// As [`partition`]; [`ErrorKind::Value`] for an array whose elements share memory.
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
