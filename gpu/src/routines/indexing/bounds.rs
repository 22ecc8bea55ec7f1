//! Checks of non-negative element numbers, which report without synchronising.
//!
//! A check is one pass over the indices, which writes nothing unless an index is out of bounds; then the kernel stores
//! the index and the caller's name in the device's error record, which the next synchronising call of the thread turns
//! into an [`ErrorKind::Index`] or [`ErrorKind::Value`] error.

use cuprum_kernels::source::OutOfBounds;
use smallvec::SmallVec;

use crate::array::Array;
use crate::cuda::Function;
use crate::elements::along;
use crate::engine::{Gathering, Pick};
use crate::error::{Error, ErrorKind, Result};

/// Describes element numbers along an axis of `size` elements, with a stride of `step` in the results.
pub(super) fn counting(numbers: &Array, size: usize, axis: usize, step: i64) -> Pick {
    Pick { indices: numbers.clone(), bound: size, axis, step: 0, cell_step: step }
}

/// Checks integers or booleans in one launch. A number below 0, or not below `size`, is reported by the next call of
/// this thread that synchronises.
pub(super) fn check_numbers(numbers: &Array, size: usize, axis: usize, caller: Function) -> Result<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    let picks: SmallVec<[Pick; 2]> = smallvec::smallvec![counting(numbers, size, axis, 1)];
    let axes = along(numbers.shape(), &picks);
    let gathering = Gathering { out_of_bounds: OutOfBounds::Uncounted, ..Gathering::new(caller, picks, axes) };
    gathering.check(numbers.device())
}

/// Rejects dtypes that are not integers: floats and complex numbers.
pub(super) fn check_integers(indices: &Array) -> Result<()> {
    if indices.dtype().is_float() || indices.dtype().is_complex() {
        let message = format!("indices are integers, not {}: cast them with `astype`", indices.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    Ok(())
}
