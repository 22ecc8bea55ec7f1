//! Partitions, which are whole sorts here.

use super::{SortOptions, along, positions, sort_lines, sorted};
use crate::array::{Array, IntoAxis};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::normalize_axis;
use cuprum_macros::routine;

/// A copy in which the elements at the positions `kth` along an axis are those of the sorted array, none before them is
/// larger, and none behind them smaller; NumPy's `partition`. The other elements are sorted as well, which NumPy does not
/// promise.
///
/// ```
/// let a = cuprum::Array::from_vec(vec![5, 1, 4, 2, 3])?;
/// assert_eq!(cuprum::partition(&a, [2], ())?.to_vec::<i32>()?[2], 3);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that does not exist, [`ErrorKind::Value`] for a position beyond it; negative ones count
/// from the end.
#[routine]
pub fn partition(a: &Array, kth: impl AsRef<[isize]>, how: SortOptions) -> Result<Array> {
    let (kth, axis) = (kth.as_ref(), how.axis);
    let run = || {
        check(a, kth, axis, a.ndim())?;
        sorted(a, axis)
    };
    run().map_err(|e: Error| e.with_op("partition"))
}

/// The positions that partition an array; NumPy's `argpartition`. See [`partition`]: they sort it.
///
/// # Errors
///
/// As [`partition`]; a 0-d array counts as one element.
#[routine(method)]
pub fn argpartition(a: &Array, kth: impl AsRef<[isize]>, how: SortOptions) -> Result<Array> {
    let (kth, axis) = (kth.as_ref(), how.axis);
    let run = || {
        check(a, kth, axis, a.ndim().max(1))?;
        positions(a, axis)
    };
    run().map_err(|e: Error| e.with_op("argpartition"))
}

/// Fails for a position that is not on the axis; an array without elements has none to be held against.
fn check(a: &Array, kth: &[isize], axis: Option<isize>, ndim: usize) -> Result<()> {
    let (a, axis) = along(a, axis, ndim)?;
    let n = a.shape()[axis] as isize;
    match kth.iter().find(|&&k| a.size() > 0 && !(-n..n).contains(&k)) {
        Some(k) => Err(Error::new(ErrorKind::Value, format!("there is no position {k} on an axis of length {n}"))),
        None => Ok(()),
    }
}

impl Array {
    /// Partitions the array itself along an axis; NumPy's `ndarray.partition`. See [`partition`].
    ///
    /// # Errors
    ///
    /// As [`partition`]; [`ErrorKind::Value`] for an array whose elements share memory.
    pub fn partition(&self, kth: impl AsRef<[isize]>, axis: impl IntoAxis) -> Result<()> {
        let (kth, axis) = (kth.as_ref(), axis.into_axis());
        let run = || {
            let along = normalize_axis(axis, self.ndim())?;
            check(self, kth, Some(axis), self.ndim())?;
            self.check_writable()?;
            sort_lines(self, along, Some(self), None)
        };
        run().map_err(|e: Error| e.with_op("partition"))
    }
}
