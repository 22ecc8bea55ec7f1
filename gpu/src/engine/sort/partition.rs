//! Partitions of long rows: the elements at the requested positions are selected, and the others moved to their side of
//! them.
//!
//! Selection reads a row once (see [`super::ranks`]). Then one pass of a radix sort moves the elements by the part to
//! which each belongs, determined by comparison with the selected elements. The bottleneck is the ranking of a pass, of
//! which a sort of float32 has four.

use cuprum_kernels::Kind;
use cuprum_kernels::source::Carried;

use super::ranks::{pick_ranks, ranks_are_faster};
use super::{Sorting, sort_rows};
use crate::array::Array;
use crate::engine::launch::one_device;
use crate::error::Result;

/// Minimum length of a row that is not sorted.
const LEAST: usize = 1 << 20;

/// Partitions the rows of `length` elements of `a`, which is in C order, at the positions `kth`, in ascending order:
/// the elements are written to `parted`, which may be `a` itself, and their original positions in the row to
/// `positions`, int64. Either is in C order.
///
/// Short rows are sorted. In longer ones the elements before the first of the positions, between two, and after the
/// last keep their order.
pub(crate) fn partition_rows(
    a: &Array,
    length: usize,
    kth: &[usize],
    parted: Option<&Array>,
    positions: Option<&Array>,
) -> Result<()> {
    let rows = a.size().checked_div(length).unwrap_or(0);
    let dtype = a.dtype();
    // A pass moves a byte of the key: for two bytes a sort takes no more than a partition.
    let shorter = length < LEAST || a.itemsize() < 4 || kth.is_empty() || dtype.kind() == Kind::Complex;
    if rows == 0 || shorter || !ranks_are_faster(dtype, rows, length, kth.len()) {
        return sort_rows(a, length, parted, positions);
    }
    let at_ranks = pick_ranks(a, length, kth)?;
    let parting = Sorting {
        device: one_device(a, parted.into_iter().chain(positions))?,
        dtype,
        rows,
        length,
        input: a,
        sorted: parted,
        carried: if positions.is_some() { Carried::Position } else { Carried::Nothing },
        given: None,
        payload: positions,
        parts: Some(&at_ranks),
    };
    parting.run(None)
}
