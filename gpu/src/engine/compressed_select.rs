//! Rows and columns of compressed rows, selected by a range or a list of indices.
//!
//! Memory traffic, for n entries of e bytes (index and value), m rows with pointers of i bytes and r results:
//!
//! * Consecutive rows: the two pointers that bound them, then 2 r e and 2 i for each selected row, in one launch. The
//!   host reads both pointers; of many rows while their entries are copied to arrays of the size of as many average rows,
//!   which are replaced if they have not the room.
//! * Other rows: the pointers of each selected row are read once and its first entry and end are written (4 i), then
//!   2 r e: two launches. A block has a fixed number of results, whatever the lengths of
//!   the rows are. Rows of about equal lengths are copied in one launch, with room for as many of the longest.
//! * Columns: the columns of all entries are read once, n i, and n/4 bytes of flags and counts are written; then the
//!   flags and the pointers are read and the results written, n/4 + 2 m i + 2 r e: two launches, and for a list one to
//!   three that sort it and set a bit for each of its columns.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{
    GATHERED, GATHERED_ROWS, RANKED_COLUMNS, SORTED_COLUMNS, SelectColumnsParams, SelectCopyParams, SelectGatherParams,
    SelectListParams, SelectRowsParams, select_source,
};

use super::compressed::{ENTRY_TILE, THREADS, blocks, is_wide};
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, Reading, download, one_device, read, written};
use super::patterns::Pattern;
use super::sort::sort_pairs;
use super::{arange, make};
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::error::Result;
use crate::index::s;
use crate::layout::{Dims, Layout, Order, Strides};

const KERNELS: [&str; 8] = [
    "select_rows",
    "copy_rows",
    "copy_slice",
    "gather_rows",
    "list_columns",
    "sort_columns",
    "match_columns",
    "write_columns",
];

/// Rows of a block of `select_rows`, results of one of `copy_slice`, entries of one of `match_columns` and
/// `write_columns`, and rows of one of `write_columns`.
const ROWS_TILE: usize = 1024;
const SLICE_TILE: usize = 2048;
const MATCH_TILE: usize = 8192;
const POINTERS_TILE: usize = 1024;

thread_local! {
    static SELECT_KERNELS: Kernels<bool, 8> = Kernels::default();
}

/// Indices along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Indices<'a> {
    /// A range: the first, from one to the next, and their number. All are in bounds.
    Range(i64, i64, usize),
    /// A contiguous list of int64; negative ones count from the end. They are checked on the device: the next call
    /// that synchronises returns the error, for this axis.
    List(&'a Array, u32),
}

impl Indices<'_> {
    /// Returns their number.
    pub(crate) fn count(&self) -> usize {
        match self {
            Indices::Range(_, _, count) => *count,
            Indices::List(list, _) => list.size(),
        }
    }

    fn list(&self) -> Option<&Array> {
        match self {
            Indices::Range(..) => None,
            Indices::List(list, _) => Some(list),
        }
    }

    fn axis(&self) -> u32 {
        if let Indices::List(_, axis) = *self { axis } else { 0 }
    }

    /// The first index of a range and the step, which is 1 where there is one index.
    fn range(&self) -> (i64, i64) {
        match *self {
            Indices::Range(first, step, count) => (first, if count > 1 { step } else { 1 }),
            Indices::List(..) => (0, 0),
        }
    }
}

/// Selected rows or columns.
#[derive(Debug)]
pub(crate) struct Selected {
    /// The position at which each row begins, and the number of entries.
    pub(crate) ends: Array,
    /// The column of each entry.
    pub(crate) indices: Array,
    /// The value of each entry.
    pub(crate) values: Array,
    /// True if the columns of a row are in the order of the entries of the operand's rows.
    pub(crate) keeps_order: bool,
}

fn functions(indices: &Array) -> Result<[Function; 8]> {
    let wide = is_wide(indices);
    let source = || (format!("compressed selection/{}", indices.dtype()), select_source(wide));
    kernels(&SELECT_KERNELS, indices.device(), wide, KERNELS, source)
}

/// Tests for results that indices of a dtype count.
fn fits(results: u64, index: DType) -> bool {
    index == DType::I64 || i32::try_from(results).is_ok()
}

/// Reads numbers of 64 bits of an array, from element `at` on. Synchronises.
fn numbers<const N: usize>(a: &Array, at: usize) -> Result<[u64; N]> {
    let mut bytes = vec![0; 8 * N];
    download(&mut bytes, a, 8 * at)?;
    Ok(std::array::from_fn(|k| u64::from_le_bytes(std::array::from_fn(|i| bytes[8 * k + i]))))
}

/// Pointers that are copied to the host together, in bytes.
const FEW_BYTES: usize = 4096;

/// Returns the pointers `first` and `last`. Synchronises.
fn borders(ends: &Array, first: usize, last: usize) -> Result<[i64; 2]> {
    let (size, start) = (ends.itemsize(), ends.layout().offset);
    let value = |bytes: &[u8]| match size {
        4 => i64::from(i32::from_le_bytes(std::array::from_fn(|k| bytes[k]))),
        _ => i64::from_le_bytes(std::array::from_fn(|k| bytes[k])),
    };
    let together = (last - first + 1) * size;
    if together <= FEW_BYTES {
        let mut bytes = vec![0; together];
        download(&mut bytes, ends, start + first * size)?;
        return Ok([value(&bytes), value(&bytes[together - size..])]);
    }
    // Both are brought together on the device, so that the host waits once.
    let layout = Layout {
        shape: Dims::from_slice(&[2]),
        strides: Strides::from_slice(&[((last - first) * size) as i64]),
        offset: start + first * size,
    };
    let both = ends.with_layout(layout).copy(Order::C)?;
    let mut bytes = vec![0; 2 * size];
    download(&mut bytes, &both, 0)?;
    Ok([value(&bytes), value(&bytes[size..])])
}

/// Arrays of a result.
fn results(of: &Pattern<'_>, device: Device, rows: usize, count: usize) -> Result<Selected> {
    let index = of.ends.dtype();
    Ok(Selected {
        ends: make::empty(device, &[rows + 1], index)?,
        indices: make::empty(device, &[count], index)?,
        values: make::empty(device, &[count], of.values.dtype())?,
        keeps_order: true,
    })
}

impl Selected {
    /// The first `count` entries, which are copied if they take much less memory than was allocated.
    fn shortened(self, count: usize) -> Result<Selected> {
        let part = |a: &Array| {
            let part = a.index(s![..count as i64])?;
            if count >= a.size() / 4 * 3 { Ok(part) } else { part.copy(Order::C) }
        };
        let (indices, values) = (part(&self.indices)?, part(&self.values)?);
        Ok(Selected { indices, values, ..self })
    }
}

/// Bytes of the entries of a slice from which they are copied before the host knows their number.
const MANY_BYTES: usize = 1 << 20;

/// Selects consecutive rows, `len` from `first` on. Synchronises to read where they begin and end.
pub(crate) fn select_slice(of: Pattern<'_>, first: usize, len: usize) -> Result<Selected> {
    one_device(of.ends, [of.indices, of.values])?;
    let (entries, rows) = (of.indices.size(), of.ends.size() - 1);
    let bounded = |[from, to]: [i64; 2]| {
        let [from, to] = [from, to].map(|at| at.clamp(0, entries as i64));
        (from, (to - from).max(0) as usize)
    };
    let estimate = (entries as f64 * len as f64 / rows.max(1) as f64) as usize;
    if estimate * (of.indices.itemsize() + of.values.itemsize()) >= MANY_BYTES {
        let pointers = [first, first + len].map(|at| of.ends.index(s![at as i64..at as i64 + 1]));
        let [begin, end] = pointers;
        let (begin, end) = (begin?, end?);
        // Both are read while the entries are copied.
        let readings = [Reading::of(&begin)?, Reading::of(&end)?];
        let room = (estimate + estimate / 16).min(entries);
        let selected = copy_slice(&of, first, len, None, room)?;
        let [from, to] = readings.map(|reading| pointer(reading, of.ends.dtype()));
        let (from, count) = bounded([from?, to?]);
        if count <= selected.indices.size() {
            return selected.shortened(count);
        }
        return copy_slice(&of, first, len, Some(from), count);
    }
    let (from, count) = bounded(borders(of.ends, first, first + len)?);
    copy_slice(&of, first, len, Some(from), count)
}

/// Finishes to read a pointer.
fn pointer(reading: Reading<'_>, index: DType) -> Result<i64> {
    Ok(match index {
        DType::I32 => i64::from(reading.finish::<i32>()?[0]),
        _ => reading.finish::<i64>()?[0],
    })
}

/// Copies consecutive rows, of `count` entries from `from` on; without it as many as there are, and `count` at most.
fn copy_slice(of: &Pattern<'_>, first: usize, len: usize, from: Option<i64>, count: usize) -> Result<Selected> {
    let device = of.ends.device();
    let selected = results(of, device, len, count)?;
    let params = SelectCopyParams {
        width: Width::default(),
        results: count,
        rows: len,
        from: from.unwrap_or(0),
        reads_borders: from.is_none(),
        entries: of.indices.size() as i64,
        ends: Read(Some(DevicePtr::of(of.ends).moved((first * of.ends.itemsize()) as i64))),
        starts: Read(None),
        indices: read(of.indices),
        inputs: read(of.values),
        out_ends: written(&selected.ends),
        columns: written(&selected.indices),
        out: written(&selected.values),
        bytes: of.values.itemsize() as u32,
    };
    let work = count.max(len + 1);
    // SAFETY: entries are those of the operand, results are bounded by their number, and the pointers are those of the rows.
    unsafe {
        let grid = Blocks::of(work.div_ceil(SLICE_TILE), work, "entries");
        Launcher::on(device).launch(functions(of.ends)?[2], grid, THREADS, &params)
    }?;
    Ok(selected)
}

/// Selects rows of at most `longest` entries, of at least one, in one launch. Synchronises to read the number of entries.
fn gather_rows(function: &'static str, of: Pattern<'_>, rows: Indices<'_>, longest: usize) -> Result<Selected> {
    let (device, chosen) = (of.ends.device(), rows.count());
    let rows_of_block = (GATHERED / longest.max(1)).min(GATHERED_ROWS);
    let blocks = chosen.div_ceil(rows_of_block);
    let state = make::zeros(device, &[blocks + 2], DType::U64)?;
    let selected = results(&of, device, chosen, chosen * longest)?;
    let checked = rows.list().map(|_| device.checked_call((function, ""))).transpose()?;
    let (first, step) = rows.range();
    let params = SelectGatherParams {
        width: Width::default(),
        rows: chosen,
        size: of.ends.size() as i64 - 1,
        entries: of.indices.size() as i64,
        room: selected.indices.size(),
        list: Read(rows.list().map(DevicePtr::of)),
        first,
        step,
        ends: read(of.ends),
        indices: read(of.indices),
        inputs: read(of.values),
        out_ends: written(&selected.ends),
        columns: written(&selected.indices),
        out: written(&selected.values),
        state: written(&state),
        call: checked.as_ref().map_or(0, |c| c.call),
        function: checked.as_ref().map_or(0, |c| c.function),
        axis: rows.axis(),
        record: Written(checked.as_ref().map(|c| DevicePtr::start(&c.memory))),
        bytes: of.values.itemsize() as u32,
        rows_of_block: rows_of_block as u32,
    };
    let grid = Blocks::of(blocks, chosen, "rows");
    // SAFETY: rows are bounded by their number, entries by theirs and the tables of a block, and results by the room.
    unsafe { Launcher::on(device).launch(functions(of.ends)?[3], grid, THREADS, &params) }?;
    let [total] = numbers(&state, blocks + 1)?;
    let count = (total as usize).min(selected.indices.size());
    selected.shortened(count)
}

/// Selects rows, of at least one. `None` if the indices of the operand do not count the results. Synchronises to read
/// their number. `longest` is the number of entries of the longest row, if it is known.
pub(crate) fn select_rows(
    function: &'static str,
    of: Pattern<'_>,
    rows: Indices<'_>,
    longest: Option<usize>,
) -> Result<Option<Selected>> {
    let device = one_device(of.ends, [of.indices, of.values].into_iter().chain(rows.list()))?;
    let (index, chosen) = (of.ends.dtype(), rows.count());
    let is_even = |longest: &usize| {
        let all = longest.saturating_mul(of.ends.size() - 1);
        all <= of.indices.size() / 4 * 5 && *longest <= GATHERED / 16
    };
    if let Some(longest) = longest.filter(is_even)
        && chosen > 0
        && fits(chosen.saturating_mul(longest) as u64, index)
    {
        return gather_rows(function, of, rows, longest).map(Some);
    }
    let [select, copy, ..] = functions(of.ends)?;
    let tiles = chosen.div_ceil(ROWS_TILE);
    let state = make::zeros(device, &[tiles + 2], DType::U64)?;
    let starts = make::empty(device, &[chosen], index)?;
    let ends = make::empty(device, &[chosen + 1], index)?;
    if chosen == 0 {
        return Ok(Some(Selected { ends: make::zeros(device, &[1], index)?, ..results(&of, device, 0, 0)? }));
    }
    let checked = rows.list().map(|_| device.checked_call((function, ""))).transpose()?;
    let (first, step) = rows.range();
    let params = SelectRowsParams {
        width: Width::default(),
        rows: chosen,
        size: of.ends.size() as i64 - 1,
        entries: of.indices.size() as i64,
        list: Read(rows.list().map(DevicePtr::of)),
        first,
        step,
        ends: read(of.ends),
        starts: written(&starts),
        out_ends: written(&ends),
        state: written(&state),
        call: checked.as_ref().map_or(0, |c| c.call),
        function: checked.as_ref().map_or(0, |c| c.function),
        axis: rows.axis(),
        record: Written(checked.as_ref().map(|c| DevicePtr::start(&c.memory))),
    };
    // SAFETY: rows are bounded by their number and pointers by that of the entries; each row and block has a word.
    unsafe { Launcher::on(device).launch(select, Blocks::of(tiles, chosen, "rows"), THREADS, &params) }?;
    let [total] = numbers(&state, tiles + 1)?;
    if !fits(total, index) {
        return Ok(None);
    }
    let total = total as usize;
    let selected = Selected { ends, ..results(&of, device, 0, total)? };
    if total > 0 {
        let params = SelectCopyParams {
            width: Width::default(),
            results: total,
            rows: chosen,
            from: 0,
            reads_borders: false,
            entries: 0,
            ends: read(&selected.ends),
            starts: read(&starts),
            indices: read(of.indices),
            inputs: read(of.values),
            out_ends: Written(None),
            columns: written(&selected.indices),
            out: written(&selected.values),
            bytes: of.values.itemsize() as u32,
        };
        let grid = Blocks::of(total.div_ceil(ENTRY_TILE), total, "entries");
        // SAFETY: the segments of the selected rows are within the entries, and the pointers are those of the results.
        unsafe { Launcher::on(device).launch(copy, grid, THREADS, &params) }?;
    }
    Ok(Some(selected))
}

/// A list of columns in ascending order, and a bit for each column.
struct SortedList {
    sorted: Array,
    order: Array,
}

/// Selects columns, of `size`. Within a row the results are in the order of the entries, several of one entry in that
/// of the list. `None` if the indices of the operand do not count the results, or the columns. Synchronises to read
/// the number of results.
pub(crate) fn select_columns(
    function: &'static str,
    of: Pattern<'_>,
    size: usize,
    columns: Indices<'_>,
) -> Result<Option<Selected>> {
    let device = one_device(of.ends, [of.indices, of.values].into_iter().chain(columns.list()))?;
    let (index, chosen, entries, rows) = (of.ends.dtype(), columns.count(), of.indices.size(), of.ends.size() - 1);
    if !fits(chosen as u64, index) {
        return Ok(None);
    }
    let [.., list_columns, sort_columns, match_columns, write_columns] = functions(of.ends)?;
    let tiles = entries.div_ceil(MATCH_TILE);
    if chosen == 0 || entries == 0 {
        if let Indices::List(list, axis) = columns {
            super::compressed::check(function, list, super::compressed::Bound::Indices(axis as usize, size))?;
        }
        return Ok(Some(Selected { ends: make::zeros(device, &[rows + 1], index)?, ..results(&of, device, 0, 0)? }));
    }
    // A ticket, the state of each tile, the number of results, whether the list falls, and the bits of a list.
    let bits = columns.list().map_or(0, |_| size.div_ceil(64));
    let state = make::zeros(device, &[tiles + 3 + bits], DType::U64)?;
    let word = |at: usize| DevicePtr::of(&state).moved(8 * at as i64);
    let list = match columns {
        Indices::Range(..) => None,
        Indices::List(list, axis) => {
            let listed = make::empty(device, &[chosen], index)?;
            let is_short = chosen <= SORTED_COLUMNS;
            let order = if is_short { Some(make::empty(device, &[chosen], index)?) } else { None };
            let checked = device.checked_call((function, ""))?;
            let params = SelectListParams {
                width: Width::default(),
                count: chosen,
                size: size as i64,
                list: read(list),
                chosen: written(&listed),
                order: Written(order.as_ref().map(DevicePtr::of)),
                bits: Written(Some(word(tiles + 3))),
                falls: Written(Some(word(tiles + 2))),
                call: checked.call,
                function: checked.function,
                axis,
                record: Written(Some(DevicePtr::start(&checked.memory))),
            };
            let (kernel, grid) = if is_short {
                (sort_columns, Blocks::of(chosen.div_ceil(RANKED_COLUMNS), chosen, "columns"))
            } else {
                (list_columns, blocks(chosen, "columns"))
            };
            // SAFETY: columns are bounded by their number, and each has a bit.
            unsafe { Launcher::on(device).launch(kernel, grid, THREADS, &params) }?;
            Some(match order {
                Some(order) => SortedList { sorted: listed, order },
                None => {
                    let positions = make::empty(device, &[chosen], index)?;
                    arange(&positions, 0.into(), 1.into())?;
                    let (sorted, order) = sort_pairs(&listed, &positions)?;
                    SortedList { sorted, order }
                }
            })
        }
    };
    let words = entries.div_ceil(32);
    let (flags, upto) = (make::empty(device, &[words], DType::U32)?, make::empty(device, &[words], index)?);
    let (first, step) = columns.range();
    let params = SelectColumnsParams {
        width: Width::default(),
        entries,
        rows,
        size: size as i64,
        chosen,
        first,
        step,
        bits: Read(list.as_ref().map(|_| word(tiles + 3))),
        sorted: Read(list.as_ref().map(|list| DevicePtr::of(&list.sorted))),
        order: Read(list.as_ref().map(|list| DevicePtr::of(&list.order))),
        ends: read(of.ends),
        indices: read(of.indices),
        inputs: read(of.values),
        flags: written(&flags),
        upto: written(&upto),
        state: written(&state),
        results: 0,
        out_ends: Written(None),
        columns: Written(None),
        out: Written(None),
        bytes: of.values.itemsize() as u32,
    };
    // SAFETY: columns out of bounds have no bit, and each word of entries and each block has its own.
    unsafe { Launcher::on(device).launch(match_columns, Blocks::of(tiles, entries, "entries"), THREADS, &params) }?;
    let [total, falls] = numbers(&state, tiles + 1)?;
    if !fits(total, index) {
        return Ok(None);
    }
    let keeps_order = if list.is_some() { falls == 0 } else { step > 0 };
    let selected = Selected { keeps_order, ..results(&of, device, rows, total as usize)? };
    let params = SelectColumnsParams {
        results: total as usize,
        out_ends: written(&selected.ends),
        columns: written(&selected.indices),
        out: written(&selected.values),
        ..params
    };
    let grid = Blocks::of(tiles.max((rows + 1).div_ceil(POINTERS_TILE)), entries.max(rows), "entries");
    // SAFETY: as above; results at or after their number are not written, and there is a pointer for each row and one more.
    unsafe { Launcher::on(device).launch(write_columns, grid, THREADS, &params) }?;
    Ok(Some(selected))
}
