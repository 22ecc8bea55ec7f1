//! Sorting: contiguous rows of elements, each in NumPy's order, stable.
//!
//! Cost for n elements of s bytes, with memory that copies `B` bytes a second:
//!
//! * A row of at most 256 elements, in the registers of a warp: read once, written once, 2 n s / B.
//! * A row that a block holds: read once, written once, 2 n s / B. The bottleneck is the ranking, some 60 instructions
//!   of a warp for 32 elements and byte of the key.
//! * A longer row: one read that counts, then one read and write for each byte of the key that is not the same in the
//!   whole row: n s (1 + 2 s) / B.
//! * One row of 2^23 elements or more with keys of 8 bytes or more: as many of these passes as leading bytes tell most
//!   elements apart, four of eight for 2^26 random integers, and one more read that sorts the others among themselves.
//!   If a random sample of 64 KB has misjudged the row, all passes follow.
//! * Positions add 4 (8 from 2^30 elements on) bytes to each read and write except for the first read, and 8 instead of
//!   them to the last write, which omits the elements.
//!
//! A tile of a pass publishes 1 KB of counts, 1 to 2 % of what it moves; a pass has some 75 instructions of a warp for
//! 32 elements.

mod block;
mod partition;
mod passes;
mod ranks;
mod runs;
mod short;
mod table;
mod take_along;

use block::BlockShape;
pub(crate) use partition::partition_rows;
pub(crate) use ranks::{pick_ranks, ranks_are_faster};
pub(crate) use runs::{RunParts, RunRequest, Runs};
pub(crate) use table::SortedTable;
pub(crate) use take_along::take_along;

use cuprum_kernels::DType;
use cuprum_kernels::source::Carried;

use super::launch::{DevicePtr, one_device};
use super::make;
use crate::array::Array;
use crate::cuda::Device;
use crate::error::{Error, ErrorKind, Result};

/// Returns the number of elements of a row that a block holds.
pub(super) fn tile(dtype: DType) -> usize {
    BlockShape::most(dtype.size())
}

/// Sort of contiguous rows of `length` elements each.
#[derive(Clone, Copy, Debug)]
struct Sorting<'a> {
    /// Device of the rows.
    device: Device,
    /// Dtype of the elements, which decides the keys.
    dtype: DType,
    /// Number of rows.
    rows: usize,
    /// Elements of a row.
    length: usize,
    /// The elements, in C order.
    input: &'a Array,
    /// The sorted elements: may be `input`, and does not overlap it otherwise.
    sorted: Option<&'a Array>,
    /// Kind of the numbers that are moved with the keys.
    carried: Carried,
    /// Numbers of 4 or 8 bytes that are moved with the keys; their positions if `None`.
    given: Option<&'a Array>,
    /// The moved numbers, in the order of the sorted keys.
    payload: Option<&'a Array>,
    /// The elements of each row that bound its parts, in ascending order: the others are not sorted, but moved to their
    /// side of them.
    parts: Option<&'a Array>,
}

/// Sorts the rows of `length` elements of `a`, which is in C order: the elements into `sorted`, which may be `a`
/// itself, and their original positions in the row into `positions`, int64. Both are in C order.
pub(crate) fn sort_rows(a: &Array, length: usize, sorted: Option<&Array>, positions: Option<&Array>) -> Result<()> {
    if a.size() == 0 {
        return Ok(());
    }
    let carried = if positions.is_some() { Carried::Position } else { Carried::Nothing };
    let sorting = Sorting {
        device: one_device(a, sorted.into_iter().chain(positions))?,
        dtype: a.dtype(),
        rows: a.size() / length,
        length,
        input: a,
        sorted,
        carried,
        given: None,
        payload: positions,
        parts: None,
    };
    sorting.run(None)
}

/// Sorts pairs by their keys, stably; the sort that operations on index arrays use.
///
/// `keys` is of any dtype, `payload` of one of 4 or 8 bytes, both one-dimensional and in C order; the results are new.
/// Does not synchronise.
pub(crate) fn sort_pairs(keys: &Array, payload: &Array) -> Result<(Array, Array)> {
    let carried = match payload.itemsize() {
        4 => Carried::Given32,
        8 => Carried::Given64,
        _ => return Err(Error::new(ErrorKind::Type, format!("{} is not carried through a sort", payload.dtype()))),
    };
    let device = one_device(keys, [payload])?;
    if keys.size() > 0 && BlockShape::of(keys.itemsize(), 1, keys.size()).is_some() {
        let positions = make::empty(device, &[keys.size()], DType::I64)?;
        let sorted = make::empty(device, &[keys.size()], keys.dtype())?;
        sort_rows(keys, keys.size(), Some(&sorted), Some(&positions))?;
        return Ok((sorted, take_along(payload, &positions)?));
    }
    let sorted = make::empty(device, &[keys.size()], keys.dtype())?;
    let carrying = make::empty(device, &[keys.size()], payload.dtype())?;
    if keys.size() > 0 {
        Sorting {
            device,
            dtype: keys.dtype(),
            rows: 1,
            length: keys.size(),
            input: keys,
            sorted: Some(&sorted),
            carried,
            given: Some(payload),
            payload: Some(&carrying),
            parts: None,
        }
        .run(None)?;
    }
    Ok((sorted, carrying))
}

impl<'a> Sorting<'a> {
    /// Runs the sort. `items` overrides the number of elements of a thread.
    fn run(&self, items: Option<u16>) -> Result<()> {
        let given = matches!(self.carried, Carried::Given32 | Carried::Given64);
        if given || items.is_some() || self.parts.is_some() {
            return self.in_passes(items);
        }
        match BlockShape::of(self.dtype.size(), self.rows, self.length) {
            _ if self.is_short() => self.in_registers(),
            Some(shape) => self.in_blocks(shape),
            None => self.in_passes(items),
        }
    }

    fn pointer(a: Option<&'a Array>) -> Option<DevicePtr<'a>> {
        a.map(DevicePtr::of)
    }
}

#[cfg(test)]
mod tests;
