//! Partitions of long rows: the wanted elements are selected, and the others brought to their side of them.
//!
//! Selecting reads a row once (see [`super::ranks`]). Then it is read once more for the part in which each element stands, a byte, by which
//! one pass of a radix sort moves the elements: 4 + 4 + 1 + 1 + 1 + 4 + 4 bytes for one of float32, 2^26 of them 1.3 GB or 0.3 ms at
//! 4.25 TB/s. What limits is the pass, whose ranking takes 0.33 ms. A sort has four of them.

use cuprum_kernels::params::{Read, Written};
use cuprum_kernels::source::{Carried, RankClassesParams};
use cuprum_kernels::{DType, Kind};

use super::ranks::{BLOCKS, THREADS, functions, pick_ranks, ranks_are_faster};
use super::{Sorting, sort_rows};
use crate::array::Array;
use crate::engine::launch::{Blocks, Launcher, Place, copy_bytes, one_device};
use crate::engine::make;
use crate::error::Result;

/// The least elements of a row that is not sorted.
const LEAST: usize = 1 << 20;

/// Partitions the rows of `length` elements of `a`, which is in C order, at the positions `kth`, which rise: the elements go to
/// `parted`, which may be `a` itself, and the positions in the row that they come from to `positions`, int64. Either is in C order.
///
/// Short rows are sorted. In longer ones the elements before the first of the positions, those between two, and those behind the last
/// keep their order.
pub(crate) fn partition_rows(
    a: &Array,
    length: usize,
    kth: &[usize],
    parted: Option<&Array>,
    positions: Option<&Array>,
) -> Result<()> {
    let rows = a.size().checked_div(length).unwrap_or(0);
    let dtype = a.dtype();
    // A pass moves a byte of the key: of two it takes no more than a partition.
    let shorter = length < LEAST || a.itemsize() < 4 || kth.is_empty() || dtype.kind() == Kind::Complex;
    if rows == 0 || shorter || !ranks_are_faster(dtype, rows, length, kth.len()) {
        return sort_rows(a, length, parted, positions);
    }
    let device = one_device(a, parted.into_iter().chain(positions))?;
    let (at_ranks, parts) = (pick_ranks(a, length, kth)?, make::empty(device, &[rows, length], DType::U8)?);
    let [.., classes] = functions(device, dtype)?;
    for row in 0..rows {
        let (item, begin) = (dtype.size(), row * length);
        let told = RankClassesParams {
            width: Default::default(),
            n: length,
            input: Read(Some(Place::of(a).moved((begin * item) as i64))),
            at_ranks: Read(Some(Place::of(&at_ranks).moved((row * kth.len() * item) as i64))),
            out: Written(Some(Place::of(&parts).moved(begin as i64))),
            wanted: kth.len() as u32,
        };
        let blocks = Blocks::of(length.div_ceil(THREADS).min(4 * BLOCKS), length, "elements");
        // SAFETY: the rows are those of the arrays, each of so many elements and wanted ones.
        unsafe { Launcher::on(device).launch(classes, blocks, THREADS, &told) }?;
    }
    let of_parts = Sorting {
        device,
        dtype: DType::U8,
        rows,
        length,
        input: &parts,
        sorted: None,
        carried: Carried::Nothing,
        given: None,
        payload: None,
    };
    if let Some(positions) = positions {
        Sorting { carried: Carried::Position, payload: Some(positions), ..of_parts }.run(None)?;
    }
    let Some(parted) = parted else { return Ok(()) };
    let carried = if a.itemsize() == 4 { Carried::Given32 } else { Carried::Given64 };
    let aside = if parted.addr() == a.addr() { Some(make::empty(device, &[a.size()], dtype)?) } else { None };
    let to = aside.as_ref().unwrap_or(parted);
    Sorting { carried, given: Some(a), payload: Some(to), ..of_parts }.run(None)?;
    match aside {
        Some(aside) => copy_bytes(&aside, parted),
        None => Ok(()),
    }
}
