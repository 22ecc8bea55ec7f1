//! Trimming of leading and trailing zeros.
//!
//! The first and the last nonzero index along each axis come from reductions, which are read back together; the result
//! is a view.

use cuprum_macros::{Choice, Options, routine};

use super::flip;
use super::join::joined;
use crate::array::{Array, Axes};
use crate::error::Result;
use crate::index::{Index, Slice};
use crate::layout::normalize_axes;
use crate::reduction::Reduce;
use crate::routines::{logic, searching};

/// The ends that are trimmed; NumPy's `trim`.
///
/// NumPy's parameter `trim` spells them `"fb"`, `"f"` and `"b"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum TrimEnds {
    /// Both ends.
    #[default]
    #[name("fb")]
    Both,
    /// The beginning.
    #[name("f")]
    Front,
    /// The end.
    #[name("b")]
    Back,
}

/// Options of [`trim_zeros`].
///
/// A [`TrimEnds`] converts to options that set it.
///
/// ```
/// use cuprum::{TrimEnds, array, trim_zeros};
/// let a = array([0, 1, 2, 0])?;
/// assert_eq!(trim_zeros(&a, ())?.to_vec::<i32>()?, [1, 2]);
/// assert_eq!(trim_zeros(&a, TrimEnds::Front)?.to_vec::<i32>()?, [1, 2, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Options)]
pub struct TrimOptions {
    /// The ends that are trimmed. By default [`TrimEnds::Both`].
    #[from]
    pub trim: TrimEnds,
    /// The axes that are trimmed; by default all.
    pub axis: Axes,
}

/// Trims the zeros before the first and after the last nonzero element along each axis; NumPy's `trim_zeros`. A view.
///
/// ```
/// use cuprum::{TrimEnds, array, trim_zeros};
/// let a = array([0, 0, 1, 0, 2, 0])?;
/// assert_eq!(trim_zeros(&a, ())?.to_vec::<i32>()?, [1, 0, 2]);
/// assert_eq!(trim_zeros(&a, TrimEnds::Back)?.to_vec::<i32>()?, [0, 0, 1, 0, 2]);
/// assert_eq!(trim_zeros(array([[0, 0], [3, 0]])?, ())?.shape(), [1, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds, [`Value`](crate::ErrorKind::Value) for one that
/// is repeated.
///
/// # Synchronization
///
/// Synchronises to read the positions of the first and the last nonzero element.
#[routine(python(axis = AxisForm::Sequence))]
pub fn trim_zeros(filt: &Array, options: TrimOptions) -> Result<Array> {
    let axes = match options.axis.as_slice() {
        None => (0..filt.ndim()).collect(),
        Some(axes) => normalize_axes(axes, filt.ndim())?,
    };
    if axes.is_empty() {
        return Ok(filt.clone());
    }
    let mut index = vec![Index::Slice(Slice::default()); filt.ndim()];
    let mut bounds = vec![];
    if filt.size() > 0 {
        for &axis in &axes {
            // For each index of the axis, whether any element is nonzero.
            let others: Vec<isize> = (0..filt.ndim() as isize).filter(|&x| x != axis as isize).collect();
            let lines = logic::any(filt, Reduce::axes(&others))?;
            let first = searching::argmax(&lines, Reduce::all().keepdims(true))?;
            let last = searching::argmax(&flip(&lines, ())?, Reduce::all().keepdims(true))?;
            let found = logic::any(&lines, Reduce::all().keepdims(true))?;
            bounds.extend([first, last, found.astype(cuprum_kernels::DType::I64)?]);
        }
        let bounds_read = joined(&bounds.iter().collect::<Vec<_>>(), 0)?.to_vec::<i64>()?;
        for (&axis, bounds_read) in axes.iter().zip(bounds_read.chunks_exact(3)) {
            let n = filt.shape()[axis] as i64;
            let (first, end) = if bounds_read[2] == 0 { (0, 0) } else { (bounds_read[0], n - bounds_read[1]) };
            let all_gone = bounds_read[2] == 0;
            index[axis] = Index::Slice(match options.trim {
                _ if all_gone => Slice::from(0..0),
                TrimEnds::Both => Slice::from(first..end),
                TrimEnds::Front => Slice::from(first..),
                TrimEnds::Back => Slice::from(..end),
            });
        }
    } else {
        axes.iter().for_each(|&axis| index[axis] = Index::Slice(Slice::from(0..0)));
    }
    filt.index(index)
}
