//! Compressed indices: the primitives of sparse arrays.
//!
//! An entry of a sparse array is a coordinate along each axis and a value. Sorted by (major, minor) coordinate, the
//! major ones are compressed to row pointers, the positions at which the rows begin. The primitives convert between
//! these forms, merge two sorted patterns, and compute the positions of values; values themselves are moved by
//! [`gather_or_zero`], whatever their dtype, and are combined by the elementwise engine. Patterns have coordinates of
//! int32 or int64 and keys of 32 or 64 bits, so that few kernels serve all dtypes.
//!
//! Memory traffic, for n entries with indices of i bytes and keys of k: `expand_pointers` writes n i and reads the
//! pointers, `compress_pointers` the reverse; `pack` reads 2 n i and writes n k; a merge reads both lists of keys twice
//! and writes k + 2 i for each result. Searches in pointers hit the L1 cache: adjacent threads take the same path.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Value, Width, Written};
use cuprum_kernels::registry::UfuncId;
use cuprum_kernels::source::{
    CheckParams, DescentParams, FindParams, FirstParams, GatherOrZeroParams, LongestParams, MERGE_TILE, MergeParams,
    PackParams, PointerParams, RowParams, ScatterParams, Segments, SegmentsParams, keys_source, pointers_source,
    values_source,
};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, download, one_device, read, written};
use super::{Scanning, internal, make};
use crate::array::Array;
use crate::cuda::Rejection;
use crate::driver::Function;
use crate::error::Result;
use crate::scalar::Scalar;

/// Threads of a block: as in `include/compressed_*.cuh`.
pub(super) const THREADS: usize = 256;

const POINTERS: [&str; 8] = [
    "expand_pointers",
    "compress_pointers",
    "row_entries",
    "check_coordinates",
    "check_pointers",
    "find_entries",
    "count_descents",
    "longest_row",
];
const KEYS: [&str; 5] = ["pack_keys", "unpack_keys", "first_keys", "merge_count", "merge_write"];
const VALUES: [&str; 2] = ["gather_or_zero", "scatter"];

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static POINTER_KERNELS: Kernels<bool, 8> = Kernels::default();
    static KEY_KERNELS: Kernels<(bool, bool), 5> = Kernels::default();
    static VALUE_KERNELS: Kernels<(bool, u8), 2> = Kernels::default();
    static SEGMENT_KERNELS: Kernels<Segments> = Kernels::default();
}

/// Returns true if indices have 64 bits.
pub(super) fn is_wide(indices: &Array) -> bool {
    debug_assert!(matches!(indices.dtype(), DType::I32 | DType::I64) && indices.is_c_contiguous());
    indices.dtype() == DType::I64
}

fn pointer_kernels(indices: &Array) -> Result<[Function; 8]> {
    let wide = is_wide(indices);
    let source = || (format!("compressed pointers/{}", indices.dtype()), pointers_source(wide));
    kernels(&POINTER_KERNELS, indices.device(), wide, POINTERS, source)
}

fn key_kernels(keys: &Array, index: DType) -> Result<[Function; 5]> {
    let key = (index == DType::I64, keys.dtype() == DType::U64);
    let source = || (format!("compressed keys/{index}/{}", keys.dtype()), keys_source(key.0, key.1));
    kernels(&KEY_KERNELS, keys.device(), key, KEYS, source)
}

fn value_kernels(values: &Array, index: DType) -> Result<[Function; 2]> {
    debug_assert!(values.is_c_contiguous());
    let key = (index == DType::I64, values.itemsize() as u8);
    let source = || (format!("compressed values/{index}/{}-byte elements", key.1), values_source(key.0, key.1));
    kernels(&VALUE_KERNELS, values.device(), key, VALUES, source)
}

/// Entries, and pointers, of a block: as in `include/compressed_pointers.cuh`.
pub(super) const ENTRY_TILE: usize = 4096;
const POINTER_TILE: usize = 1024;
/// Entries and rows of a block of `count_descents`.
const DESCENT_TILE: usize = 2048;
/// Elements of a block of `check_coordinates`, and rows of one of `longest_row`.
const CHECK_TILE: usize = 2048;
const LONGEST_TILE: usize = 1024;
/// Results of a block of `gather_or_zero`.
const GATHER_TILE: usize = 1024;

pub(super) fn blocks(threads: usize, what: &'static str) -> Blocks {
    Blocks::of(threads.div_ceil(THREADS), threads, what)
}

/// Returns the row of each of the `entries` that `indptr` compresses.
pub(crate) fn expand_pointers(indptr: &Array, entries: usize) -> Result<Array> {
    let out = make::empty(indptr.device(), &[entries], indptr.dtype())?;
    launch_pointers(0, indptr, &out)?;
    Ok(out)
}

/// Returns the row pointers of the sorted row numbers `major`: the position at which each row begins, and their number.
pub(crate) fn compress_pointers(major: &Array, rows: usize) -> Result<Array> {
    let out = make::empty(major.device(), &[rows + 1], major.dtype())?;
    launch_pointers(1, major, &out)?;
    Ok(out)
}

/// Counts the entries that have not a greater column than the entry before them in their row, and those that have a
/// smaller one. It synchronises to read both.
pub(crate) fn descents(indptr: &Array, columns: &Array) -> Result<[u64; 2]> {
    let device = one_device(indptr, [columns])?;
    let (rows, entries) = (indptr.size().saturating_sub(1), columns.size());
    if entries < 2 {
        return Ok([0, 0]);
    }
    let counts = make::zeros(device, &[2], DType::U64)?;
    let params = DescentParams {
        width: Width::default(),
        entries,
        rows,
        ends: read(indptr),
        columns: read(columns),
        counts: written(&counts),
    };
    let function = pointer_kernels(indptr)?[6];
    let grid = Blocks::of(rows.max(entries).div_ceil(DESCENT_TILE), entries, "entries");
    // SAFETY: the kernel reads columns below their number and pointers of existing rows.
    unsafe { Launcher::on(device).launch(function, grid, THREADS, &params) }?;
    let mut found = [0; 16];
    download(&mut found, &counts, 0)?;
    let of = |k: usize| u64::from_le_bytes(std::array::from_fn(|i| found[8 * k + i]));
    Ok([of(0), of(1)])
}

/// Returns the largest number of entries of a row. Synchronises.
pub(crate) fn longest_row(indptr: &Array) -> Result<i64> {
    let (device, rows) = (indptr.device(), indptr.size() - 1);
    if rows == 0 {
        return Ok(0);
    }
    let longest = make::zeros(device, &[1], DType::I64)?;
    let params = LongestParams { width: Width::default(), rows, ends: read(indptr), longest: written(&longest) };
    let function = pointer_kernels(indptr)?[7];
    let grid = Blocks::of(rows.div_ceil(LONGEST_TILE), rows, "rows");
    // SAFETY: the kernel reads the pointers of existing rows.
    unsafe { Launcher::on(device).launch(function, grid, THREADS, &params) }?;
    let mut found = [0; 8];
    download(&mut found, &longest, 0)?;
    Ok(i64::from_le_bytes(found))
}

fn launch_pointers(kernel: usize, values: &Array, out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let params = PointerParams {
        width: Width::default(),
        results: out.size(),
        length: values.size(),
        values: read(values),
        out: written(out),
    };
    let function = pointer_kernels(out)?[kernel];
    let tile = [ENTRY_TILE, POINTER_TILE][kernel];
    let grid = Blocks::of(out.size().div_ceil(tile), out.size(), "entries");
    // SAFETY: a search reads elements below `length`, and each result has its thread.
    unsafe { Launcher::on(out.device()).launch(function, grid, THREADS, &params) }
}

/// The position of the entry of each row and column, -1 where there is none, in rows whose columns `indices` rise. All
/// four arrays have one dtype.
pub(crate) fn find_entries(indptr: &Array, indices: &Array, row: &Array, column: &Array) -> Result<Array> {
    let device = one_device(indptr, [indices, row, column])?;
    let out = make::empty(device, &[row.size()], indptr.dtype())?;
    if row.size() > 0 {
        let params = FindParams {
            width: Width::default(),
            results: row.size(),
            rows: indptr.size() as i64 - 1,
            entries: indices.size() as i64,
            ends: read(indptr),
            indices: read(indices),
            row: read(row),
            column: read(column),
            out: written(&out),
        };
        let function = pointer_kernels(indptr)?[5];
        // SAFETY: rows are checked against the pointers, and pointers against the number of entries; each result has its thread.
        unsafe { Launcher::on(device).launch(function, blocks(row.size(), "positions"), THREADS, &params) }?;
    }
    Ok(out)
}

/// Bounds with which [`check`] compares the elements of an index array.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// Coordinates along this axis, of this size.
    Coordinates(usize, usize),
    /// Indices of an axis of this size, where negative ones count from the end.
    Indices(usize, usize),
    /// Row pointers of this number of entries.
    Pointers(usize),
}

/// Checks an index array, of int32 or int64, on the device: the next call that synchronises returns the error, in the
/// name of `function`.
pub(crate) fn check(function: &'static str, indices: &Array, bound: Bound) -> Result<()> {
    let device = indices.device();
    if indices.size() == 0 {
        return Ok(());
    }
    let (kernel, axis, lowest, bound) = match bound {
        Bound::Coordinates(axis, size) => (3, axis as u32, 0, size),
        Bound::Indices(axis, size) => (3, axis as u32, -(size as i64), size),
        Bound::Pointers(entries) => (4, Rejection::AXES + Rejection::Pointers as u32, 0, entries),
    };
    let checked = device.checked_call((function, ""))?;
    let params = CheckParams {
        width: Width::default(),
        values_size: indices.size(),
        values: read(indices),
        lowest,
        bound: bound as i64,
        call: checked.call,
        function: checked.function,
        axis,
        record: Written(Some(DevicePtr::start(&checked.memory))),
    };
    let function = pointer_kernels(indices)?[kernel];
    let tile = if kernel == 3 { CHECK_TILE } else { THREADS };
    let grid = Blocks::of(indices.size().div_ceil(tile), indices.size(), "indices");
    // SAFETY: as many elements are read as there are; the record has the words of `device_errors.cuh`.
    unsafe { Launcher::on(device).launch(function, grid, THREADS, &params) }?;
    device.check_errors_now()
}

/// Returns the entries of selected rows: the position of each entry and the number k of its row. Row k begins at entry
/// `starts[k]` and has the results from `ends[k]` up to `ends[k + 1]`, `results` in all.
pub(crate) fn row_entries(starts: &Array, ends: &Array, results: usize) -> Result<(Array, Array)> {
    let device = one_device(starts, [ends])?;
    let out = make::empty(device, &[results], starts.dtype())?;
    let row = make::empty(device, &[results], starts.dtype())?;
    if results > 0 {
        debug_assert_eq!(starts.dtype(), ends.dtype());
        let params = RowParams {
            width: Width::default(),
            results,
            rows: starts.size(),
            ends: read(ends),
            starts: read(starts),
            out: written(&out),
            row: written(&row),
        };
        let function = pointer_kernels(starts)?[2];
        let grid = Blocks::of(results.div_ceil(ENTRY_TILE), results, "entries");
        // SAFETY: `ends` has an element more than `starts`, a search finds a row of these, and each result has its thread.
        unsafe { Launcher::on(device).launch(function, grid, THREADS, &params) }?;
    }
    Ok((out, row))
}

/// Returns the number of bits of the coordinates of an axis.
pub(crate) fn bits_of(size: usize) -> u32 {
    usize::BITS - size.saturating_sub(1).leading_zeros()
}

/// Returns the keys of entries, in the order of (major, minor): uint32 if that represents all of them. `None` if 64
/// bits do not.
pub(crate) fn pack(major: &Array, minor: &Array, shape: [usize; 2]) -> Result<Option<Array>> {
    let [high, low] = shape.map(bits_of);
    if high + low > 64 {
        return Ok(None);
    }
    let dtype = if high + low <= 32 { DType::U32 } else { DType::U64 };
    let device = one_device(major, [minor])?;
    let keys = make::empty(device, &[major.size()], dtype)?;
    launch_pack(0, &keys, [Some(major), Some(minor)], major.dtype(), low)?;
    Ok(Some(keys))
}

/// Returns the coordinates of keys, as integers of a dtype.
pub(crate) fn unpack(keys: &Array, shape: [usize; 2], index: DType) -> Result<[Array; 2]> {
    let coordinate = || make::empty(keys.device(), &[keys.size()], index);
    let (major, minor) = (coordinate()?, coordinate()?);
    launch_pack(1, keys, [Some(&major), Some(&minor)], index, bits_of(shape[1]))?;
    Ok([major, minor])
}

/// Returns the coordinates of keys along the minor axis.
pub(crate) fn unpack_minor(keys: &Array, shape: [usize; 2], index: DType) -> Result<Array> {
    let minor = make::empty(keys.device(), &[keys.size()], index)?;
    launch_pack(1, keys, [None, Some(&minor)], index, bits_of(shape[1]))?;
    Ok(minor)
}

fn launch_pack(kernel: usize, keys: &Array, coordinates: [Option<&Array>; 2], index: DType, shift: u32) -> Result<()> {
    if keys.size() == 0 {
        return Ok(());
    }
    let [major, minor] = coordinates.map(|c| Written(c.map(DevicePtr::of)));
    let params = PackParams { width: Width::default(), entries: keys.size(), major, minor, keys: written(keys), shift };
    let function = key_kernels(keys, index)?[kernel];
    // SAFETY: keys and coordinates have as many elements as there are entries.
    unsafe { Launcher::on(keys.device()).launch(function, blocks(keys.size(), "entries"), THREADS, &params) }
}

/// Returns booleans that are true for the sorted keys that differ from the one before.
pub(crate) fn first_keys(keys: &Array) -> Result<Array> {
    let out = make::empty(keys.device(), &[keys.size()], DType::Bool)?;
    if keys.size() > 0 {
        let params =
            FirstParams { width: Width::default(), entries: keys.size(), keys: read(keys), out: written(&out) };
        let function = key_kernels(keys, DType::I32)?[2];
        // SAFETY: there is a result for each key.
        unsafe { Launcher::on(keys.device()).launch(function, blocks(keys.size(), "keys"), THREADS, &params) }?;
    }
    Ok(out)
}

/// Result of the merge of two patterns.
#[derive(Debug)]
pub(crate) struct Merged {
    /// The keys of the results, strictly increasing.
    pub(crate) keys: Array,
    /// Their positions in both lists; -1 if a list has no such key.
    pub(crate) positions: [Array; 2],
}

/// Merges two strictly increasing lists of keys of one dtype: their union. Synchronises to read the number of results.
pub(crate) fn merge(a: &Array, b: &Array, index: DType) -> Result<Merged> {
    let device = one_device(a, [b])?;
    debug_assert_eq!(a.dtype(), b.dtype());
    let sizes = [a.size(), b.size()];
    let tiles = (sizes[0] + sizes[1]).div_ceil(MERGE_TILE);
    let results = |n: usize| -> Result<Merged> {
        let position = || make::empty(device, &[n], index);
        Ok(Merged { keys: make::empty(device, &[n], a.dtype())?, positions: [position()?, position()?] })
    };
    if tiles == 0 {
        return results(0);
    }
    let counts = make::empty(device, &[tiles], DType::I64)?;
    let params = MergeParams {
        width: Width::default(),
        sizes,
        a: read(a),
        b: read(b),
        counts: written(&counts),
        keys: Written(None),
        positions: [Written(None); 2],
    };
    let functions = key_kernels(a, index)?;
    let grid = || Blocks::of(tiles, sizes[0] + sizes[1], "keys");
    // SAFETY: a block reads the keys of its tile of the merged list and their neighbours, and there is a count for each tile.
    unsafe { Launcher::on(device).launch(functions[3], grid(), THREADS, &params) }?;
    let upto = make::empty(device, &[tiles], DType::I64)?;
    let (op, signature) = binary_loop("add", DType::I64)?;
    let signature = signature.into();
    Scanning { op, signature, skip_nan: false, a: &counts, axis: 0, out: &upto, jumps: None }.run()?;
    let mut total = [0; 8];
    super::launch::download(&mut total, &upto, upto.nbytes() - 8)?;
    let merged = results(i64::from_le_bytes(total) as usize)?;
    if merged.keys.size() > 0 {
        let [first, second] = &merged.positions;
        let params = MergeParams {
            counts: written(&upto),
            keys: written(&merged.keys),
            positions: [written(first), written(second)],
            ..params
        };
        // SAFETY: as above; the results are as many as were counted.
        unsafe { Launcher::on(device).launch(functions[4], grid(), THREADS, &params) }?;
    }
    Ok(merged)
}

/// Returns values at positions: of the first pair if its position is not negative, otherwise of the next; zero if none
/// is. The lists have one dtype.
pub(crate) fn gather_or_zero(lists: &[(&Array, &Array)]) -> Result<Array> {
    let (positions, values) = lists[0];
    let device = one_device(positions, lists.iter().map(|(_, values)| *values))?;
    let out = make::empty(device, &[positions.size()], values.dtype())?;
    if out.size() > 0 {
        let pointer = |k: usize, second: bool| {
            Read(lists.get(k).map(|(positions, values)| DevicePtr::of(if second { values } else { positions })))
        };
        let params = GatherOrZeroParams {
            width: Width::default(),
            results: out.size(),
            positions: [pointer(0, false), pointer(1, false)],
            inputs: [pointer(0, true), pointer(1, true)],
            sizes: std::array::from_fn(|k| lists.get(k).map_or(0, |(_, values)| values.size() as i64)),
            out: written(&out),
        };
        let function = value_kernels(values, positions.dtype())?[0];
        let grid = Blocks::of(out.size().div_ceil(GATHER_TILE), out.size(), "entries");
        // SAFETY: the kernel reads no element at or after the length of a list.
        unsafe { Launcher::on(device).launch(function, grid, THREADS, &params) }?;
    }
    Ok(out)
}

/// Writes values to distinct elements of `out`, which is contiguous in memory: those at the coordinates times `steps`.
pub(crate) fn scatter(values: &Array, coordinates: [&Array; 2], steps: [i64; 2], out: &Array) -> Result<()> {
    let device = one_device(values, coordinates.into_iter().chain([out]))?;
    if values.size() == 0 || out.size() == 0 {
        return Ok(());
    }
    let params = ScatterParams {
        width: Width::default(),
        entries: values.size(),
        size: out.size() as i64,
        major: read(coordinates[0]),
        minor: read(coordinates[1]),
        steps,
        input: read(values),
        out: written(out),
    };
    let function = value_kernels(values, coordinates[0].dtype())?[1];
    // SAFETY: the kernel writes no element at or after `size`.
    unsafe { Launcher::on(device).launch(function, blocks(values.size(), "entries"), THREADS, &params) }
}

/// Finds the loop of an operation whose operands and result have a dtype.
pub(super) fn binary_loop(op: &str, dtype: DType) -> Result<(UfuncId, u8)> {
    let (id, first) = internal(op, dtype)?;
    let found = id.loops().iter().position(|l| l.ins[..2] == [dtype; 2] && l.out() == dtype);
    Ok((id, found.map_or(first, |k| k as u8)))
}

/// Elements of a segment on average up to which its thread reads them directly.
const MOST_DIRECT: usize = 8;

/// Reduction of segments of `input`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentReduction<'a> {
    /// The name of the operation.
    pub(crate) op: &'static str,
    /// The beginnings of the segments, and the end of the last.
    pub(crate) ends: &'a Array,
    /// The elements.
    pub(crate) input: &'a Array,
    /// The position of each element of the segments among those of `input`, of the dtype of `ends`; `None` if they are
    /// in order.
    pub(crate) order: Option<&'a Array>,
    /// True if one thread combines the elements sequentially.
    pub(crate) in_order: bool,
    /// The result of an empty segment.
    pub(crate) empty: Scalar,
    /// A segment of fewer elements is combined with the result of an empty one: 0 for none.
    pub(crate) full: usize,
    /// A contiguous element for each segment.
    pub(crate) out: &'a Array,
}

impl SegmentReduction<'_> {
    /// Returns the number of threads of a segment: about one for each element, so that short segments share a warp.
    fn lanes(&self, segments: usize) -> u8 {
        match self.input.size() / segments.max(1) {
            _ if self.in_order => 1,
            0..=31 => 1,
            32..=127 => 16,
            _ => 32,
        }
    }

    /// Runs the reduction; `out` must not overlap any operand.
    pub(crate) fn run(&self) -> Result<()> {
        let SegmentReduction { ends, input, out, .. } = *self;
        let segments = ends.size() - 1;
        if out.size() == 0 {
            return Ok(());
        }
        debug_assert!(input.is_c_contiguous());
        let device = one_device(ends, [input, out].into_iter().chain(self.order))?;
        debug_assert!(self.order.is_none_or(|order| order.dtype() == ends.dtype() && order.size() == input.size()));
        let (op, loop_of) = binary_loop(self.op, out.dtype())?;
        let lanes = self.lanes(segments);
        let direct = lanes == 1 && input.size() <= MOST_DIRECT * segments;
        let key = Segments { op, signature: loop_of, element: input.dtype(), wide: is_wide(ends), lanes, direct };
        let [function] = kernels(&SEGMENT_KERNELS, device, key, ["segments"], || (key.name(), key.source()))?;
        let params = SegmentsParams {
            width: Width::default(),
            segments,
            entries: input.size() as i64,
            ends: read(ends),
            input: read(input),
            order: Read(self.order.map(DevicePtr::of)),
            out: written(out),
            empty: Value(self.empty.encode(out.dtype())),
            full: self.full as i64,
        };
        let grid = Blocks::of((segments * lanes as usize).div_ceil(THREADS), segments, "segments");
        // SAFETY: the kernel reads no element outside of the list whatever the pointers are, and each result has its threads.
        unsafe { Launcher::on(device).launch(function, grid, THREADS, &params) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns increasing keys with gaps of up to `gap`.
    fn rising(n: usize, gap: u64, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let mut key = 0;
        (0..n)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                key += 1 + (state >> 33) % gap;
                key
            })
            .collect()
    }

    fn check_merge(a: &[u64], b: &[u64], key: DType) {
        let of = |list: &[u64]| Array::from_slice(list, [list.len()]).unwrap().astype(key).unwrap();
        let found = merge(&of(a), &of(b), DType::I32).unwrap();
        let mut want: Vec<u64> = a.iter().chain(b).copied().collect();
        want.sort_unstable();
        want.dedup();
        let at = |list: &[u64]| -> Vec<i32> {
            want.iter().map(|k| list.binary_search(k).map_or(-1, |i| i as i32)).collect()
        };
        assert!(found.keys.astype(DType::U64).unwrap().to_vec::<u64>().unwrap() == want, "{key}");
        assert!(found.positions[0].to_vec::<i32>().unwrap() == at(a), "{key}");
        assert!(found.positions[1].to_vec::<i32>().unwrap() == at(b), "{key}");
    }

    /// Lists of no, one and several tiles, with equal keys on both sides of the border between two tiles.
    #[test]
    fn merges_find_equal_keys_across_tiles() {
        let all: Vec<u64> = (0..MERGE_TILE as u64 + 3).collect();
        check_merge(&all, &all, DType::U32);
        check_merge(&all[1..], &all, DType::U64);
        check_merge(&[], &all[..5], DType::U32);
        check_merge(&[], &[], DType::U64);
        check_merge(&rising(3000, 2, 1), &rising(2500, 3, 2), DType::U32);
        check_merge(&rising(100, 90, 3), &rising(4500, 2, 4), DType::U64);
    }

    /// Rows of no entries before, between and after others, few, and enough for each entry to search its row.
    #[test]
    fn pointers_are_expanded_and_compressed_again() {
        for (rows, each, every) in [(5, 3, 2), (3000, 3, 1), (3000, 7, 3), (40_000, 1, 15_000), (20_000, 1, 2)] {
            let row: Vec<i32> = (0..rows).filter(|r| r % every == every / 2).flat_map(|r| vec![r; each]).collect();
            let major = Array::from_slice(&row, [row.len()]).unwrap();
            let ends = compress_pointers(&major, rows as usize).unwrap();
            assert_eq!(ends.to_vec::<i32>().unwrap()[rows as usize] as usize, row.len());
            assert_eq!(
                expand_pointers(&ends, row.len()).unwrap().to_vec::<i32>().unwrap(),
                row,
                "{rows} {each} {every}"
            );
        }
    }

    /// Empty, short and long segments are combined by any number of threads; only elements of the list are read.
    #[test]
    fn segments_of_all_lengths_are_combined() {
        let lengths = |each: usize, n: usize| -> Vec<i32> { (0..n).map(|i| ((i % 3) * each) as i32).collect() };
        for (each, n) in [(1, 700), (9, 200), (30, 90), (200, 20)] {
            let mut ends = vec![0];
            lengths(each, n).iter().for_each(|l| ends.push(ends[ends.len() - 1] + l));
            let total = *ends.last().unwrap() as usize;
            let values: Vec<i32> = (0..total as i32).map(|i| i * 7 % 1001 - 500).collect();
            let (input, pointers) =
                (Array::from_slice(&values, [total]).unwrap(), Array::from_slice(&ends, [n + 1]).unwrap());
            for (op, dtype) in [("add", DType::I64), ("maximum", DType::I32)] {
                let out = make::empty(input.device(), &[n], dtype).unwrap();
                let empty = (-7).into();
                SegmentReduction {
                    op,
                    ends: &pointers,
                    input: &input,
                    order: None,
                    in_order: false,
                    empty,
                    full: 0,
                    out: &out,
                }
                .run()
                .unwrap();
                let part = |w: &[i32]| values[w[0] as usize..w[1] as usize].iter().map(|&x| i64::from(x));
                let want: Vec<i64> = ends
                    .windows(2)
                    .map(|w| if op == "add" { part(w).reduce(|a, b| a + b) } else { part(w).max() }.unwrap_or(-7))
                    .collect();
                assert_eq!(out.astype(DType::I64).unwrap().to_vec::<i64>().unwrap(), want, "{op} {each}");
            }
        }
        let (input, pointers) =
            (Array::from_slice(&[1i32, 2], [2]).unwrap(), Array::from_slice(&[-5i32, 900], [2]).unwrap());
        let out = make::empty(input.device(), &[1], DType::I32).unwrap();
        let empty = 0.into();
        let (ends, input, in_order, full) = (&pointers, &input, true, 0);
        SegmentReduction { op: "add", ends, input, order: None, in_order, empty, full, out: &out }.run().unwrap();
        assert_eq!(out.to_vec::<i32>().unwrap(), [3]);
    }
}
