//! Entries of a sparse matrix grouped by rows, and sorted by columns within each row: a counting sort by rows whose
//! counters are incremented in any order, then a sort of each row by its columns, which makes the result independent of
//! that order.
//!
//! Memory traffic, for n entries with indices of i bytes and values of v, columns of few entries: rows are read twice,
//! ranks of one byte and slots of 2 i are written and read, values are read once at the position of their entry: both
//! pointers and n (7 i + 2 v + 2) bytes. A radix sort by rows takes a pass for each eight bits of their number. A row of
//! more than 256 entries is not sorted, since the time of a row is the square of its length.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{GroupParams, groups_source};

use super::compressed::{ENTRY_TILE, THREADS, binary_loop, blocks, compress_pointers, expand_pointers, is_wide};
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, download, one_device, read, written};
use super::sort::sort_pairs;
use super::{Scanning, make};
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::error::Result;

/// Entries of a row that is sorted: as in `include/compressed_groups.cuh`.
const LONGEST_ROW: usize = 256;

const KERNELS: [&str; 7] = [
    "sample_sectors",
    "count_entries",
    "scatter_entries",
    "scatter_columns",
    "sort_rows",
    "sort_short_rows",
    "pack_slots",
];

/// Entries of a row or a column on average up to which one thread scatters or sorts them.
const SHORT_ROW: usize = 8;

thread_local! {
    static GROUP_KERNELS: Kernels<(bool, u8), 7> = Kernels::default();
}

/// Entries whose slots stay in the L2 cache, so that they may be scattered in any order.
const IN_CACHE: usize = 1 << 22;
/// Samples of [`is_local`], and the most sectors of a sample on average, of 32.
const SAMPLES: usize = 512;
const LOCAL_SECTORS: usize = 20;
/// Entries of a block of `pack_slots`.
const PACK_TILE: usize = 1024;

/// Entries by rows.
#[derive(Debug)]
pub(crate) struct Grouped {
    /// The position at which each row begins, and the number of entries.
    pub(crate) ends: Array,
    /// The columns, which rise within each row; equal ones are in the order of their entries. `None` if none were
    /// passed.
    pub(crate) columns: Option<Array>,
    /// The values.
    pub(crate) data: Array,
    /// True if a row has a column more than once.
    pub(crate) has_duplicates: bool,
}

/// Groups entries by their rows `major`, of `rows`. `minor` are the pointers of their columns, of the same index dtype,
/// which the entries are in the order of; without them the entries of a row stay in their order. `None` where a radix
/// sort is better, which moves entries by whole sectors: if a row has more than 256 entries, if neighbouring entries of
/// a large matrix are scattered; and while the stream is captured. Synchronises to read whether that is so.
pub(crate) fn group_entries(
    major: &Array,
    minor: Option<&Array>,
    data: &Array,
    rows: usize,
) -> Result<Option<Grouped>> {
    let device = one_device(major, [data])?;
    let (entries, index) = (major.size(), major.dtype());
    debug_assert!(data.size() == entries);
    if device.current_stream().is_capturing() || entries > LONGEST_ROW.saturating_mul(rows) {
        return Ok(None);
    }
    let counts = make::zeros(device, &[rows + 1], index)?;
    if entries == 0 {
        let columns = minor.map(|_| make::empty(device, &[0], index)).transpose()?;
        let data = data.clone();
        return Ok(Some(Grouped { ends: counts, columns, data, has_duplicates: false }));
    }
    let key = (is_wide(major), data.itemsize() as u8);
    let source = || (format!("entry groups/{index}/{}-byte elements", key.1), groups_source(key.0, key.1));
    let [sample, count, scatter, scatter_columns, sort, sort_short, _] =
        kernels(&GROUP_KERNELS, device, key, KERNELS, source)?;
    let status = make::zeros(device, &[2], DType::U32)?;
    let mut params = GroupParams {
        width: Width::default(),
        entries,
        rows: rows as i64,
        major: read(major),
        minor: Read(None),
        minor_ends: Read(minor.map(DevicePtr::of)),
        columns_of_minor: minor.map_or(0, |minor| minor.size() - 1),
        ends: written(&counts),
        ranks: Written(None),
        slots: Written(None),
        status: written(&status),
        columns: Written(None),
        input: read(data),
        out: Written(None),
        is_ordered: false,
    };
    if entries > IN_CACHE && !is_local(sample, &params, &status)? {
        return Ok(None);
    }
    debug_assert!(minor.is_none_or(|m| m.dtype() == index));
    let columns = minor.map(|_| make::empty(device, &[entries], index)).transpose()?;
    let out = make::empty(device, &[entries], data.dtype())?;
    let ranks = make::empty(device, &[entries], DType::U8)?;
    let slots = make::empty(device, &[2 * entries], index)?;
    let status = make::zeros(device, &[2], DType::U32)?;
    params = GroupParams {
        ranks: written(&ranks),
        slots: written(&slots),
        status: written(&status),
        columns: Written(columns.as_ref().map(DevicePtr::of)),
        out: written(&out),
        ..params
    };
    // SAFETY: rows are clamped to the counters, and each entry has a rank.
    unsafe { Launcher::on(device).launch(count, blocks(entries, "entries"), THREADS, &params) }?;
    let ends = make::empty(device, &[rows + 1], index)?;
    let (op, signature) = binary_loop("add", index)?;
    let signature = signature.into();
    Scanning { op, signature, skip_nan: false, a: &counts, axis: 0, out: &ends, jumps: None }.run()?;
    let params = GroupParams { ends: written(&ends), ..params };
    let by_column = minor.filter(|minor| entries <= SHORT_ROW.saturating_mul(minor.size() - 1));
    // The columns of the entries, where a thread does not know them.
    let list = minor.filter(|_| by_column.is_none()).map(|minor| expand_pointers(minor, entries)).transpose()?;
    let params = GroupParams { minor: Read(list.as_ref().map(DevicePtr::of)), ..params };
    let (scatter, grid) = match by_column {
        Some(minor) => (scatter_columns, blocks(minor.size() - 1, "columns")),
        None => (scatter, blocks(entries, "entries")),
    };
    // SAFETY: a rank, modulo 256, is less than the number of entries of its row, so that each slot is one of the row's.
    unsafe { Launcher::on(device).launch(scatter, grid, THREADS, &params) }?;
    let is_short = entries <= SHORT_ROW.saturating_mul(rows);
    let (sort, grid) = if is_short {
        (sort_short, blocks(rows, "rows"))
    } else {
        (sort, Blocks::of(entries.div_ceil(ENTRY_TILE), entries, "entries"))
    };
    // SAFETY: all slots of rows of at most 256 entries are written, with the number of an entry; of other rows none is read.
    unsafe { Launcher::on(device).launch(sort, grid, THREADS, &params) }?;
    let mut found = [0; 8];
    download(&mut found, &status, 0)?;
    let [too_long, has_duplicates] = [found[0] != 0, found[4] != 0];
    Ok((!too_long).then_some(Grouped { ends, columns, data: out, has_duplicates }))
}

/// Tests for as many entries in as many rows as [`group_coordinates`] groups.
pub(crate) fn groups_coordinates(device: Device, entries: usize, rows: usize) -> bool {
    let is_few = entries <= super::sort::tile(DType::U64);
    !is_few && entries <= SHORT_ROW.saturating_mul(rows) && !device.current_stream().is_capturing()
}

/// Groups entries at coordinates of int32 by their rows, and sorts each row by columns; entries at one position stay in
/// their order. `None` where a sort by both coordinates is better: for few entries, if rows have more than 8 entries on
/// average or one has more than 256, and while the stream is captured. Synchronises to read whether that is so.
///
/// The entries are sorted by rows alone, with the column and the value, or the number of the entry, of 8 bytes; rows
/// are sorted in shared memory. Memory traffic: 12 n bytes are read and written for each byte of the row numbers, where
/// a sort by both coordinates takes as much for those of the columns, too.
pub(crate) fn group_coordinates(major: &Array, minor: &Array, data: &Array, rows: usize) -> Result<Option<Grouped>> {
    let device = one_device(major, [minor, data])?;
    let entries = major.size();
    debug_assert!([major, minor].iter().all(|a| a.dtype() == DType::I32 && a.size() == entries));
    if !groups_coordinates(device, entries, rows) {
        return Ok(None);
    }
    let ([sort_short, pack], status) = (slot_kernels(device, data)?, make::zeros(device, &[2], DType::U32)?);
    let slots = make::empty(device, &[entries], DType::U64)?;
    let params = slot_params(minor, data, rows, &slots, &status);
    pack_slots(pack, &params, data)?;
    let (sorted_rows, sorted_slots) = sort_pairs(major, &slots)?;
    let ends = compress_pointers(&sorted_rows, rows)?;
    let params = GroupParams { ends: written(&ends), slots: written(&sorted_slots), ..params };
    let found = sort_slots(sort_short, data, params, &status)?;
    Ok(found.map(|(columns, data, has_duplicates)| Grouped { ends, columns: Some(columns), data, has_duplicates }))
}

/// Sorts the entries of each row by columns; entries at one position stay in their order. Returns the columns, the
/// values and if a row has a column twice. `None` where a sort by both coordinates is better: for indices of 64 bits, if
/// rows have more than 8 entries on average or one has more than 256, and while the stream is captured. Synchronises.
pub(crate) fn sort_within_rows(ends: &Array, minor: &Array, data: &Array) -> Result<Option<(Array, Array, bool)>> {
    let device = one_device(ends, [minor, data])?;
    let (entries, rows) = (minor.size(), ends.size() - 1);
    let is_short = entries > 0 && entries <= SHORT_ROW.saturating_mul(rows);
    if is_wide(ends) || !is_short || device.current_stream().is_capturing() {
        return Ok(None);
    }
    let ([sort_short, pack], status) = (slot_kernels(device, data)?, make::zeros(device, &[2], DType::U32)?);
    let slots = make::empty(device, &[entries], DType::U64)?;
    let params = GroupParams { ends: written(ends), ..slot_params(minor, data, rows, &slots, &status) };
    pack_slots(pack, &params, data)?;
    sort_slots(sort_short, data, params, &status)
}

/// The kernels of rows that are sorted in shared memory, for 32-bit indices.
fn slot_kernels(device: Device, data: &Array) -> Result<[Function; 2]> {
    let key = (false, data.itemsize() as u8);
    let source = || (format!("entry groups/int32/{}-byte elements", key.1), groups_source(key.0, key.1));
    let [.., sort_short, pack] = kernels(&GROUP_KERNELS, device, key, KERNELS, source)?;
    Ok([sort_short, pack])
}

/// Parameters of slots in the order of the entries.
fn slot_params<'a>(
    minor: &'a Array,
    data: &'a Array,
    rows: usize,
    slots: &'a Array,
    status: &'a Array,
) -> GroupParams<DevicePtr<'a>> {
    GroupParams {
        width: Width::default(),
        entries: minor.size(),
        rows: rows as i64,
        major: Read(None),
        minor: read(minor),
        minor_ends: Read(None),
        columns_of_minor: 0,
        ends: Written(None),
        ranks: Written(None),
        slots: written(slots),
        status: written(status),
        columns: Written(None),
        input: read(data),
        out: Written(None),
        is_ordered: true,
    }
}

fn pack_slots(pack: Function, params: &GroupParams<DevicePtr<'_>>, data: &Array) -> Result<()> {
    let grid = Blocks::of(params.entries.div_ceil(PACK_TILE), params.entries, "entries");
    // SAFETY: there is a slot for each entry.
    unsafe { Launcher::on(data.device()).launch(pack, grid, THREADS, params) }
}

/// Sorts the slots of each row; see [`sort_within_rows`].
fn sort_slots<'a>(
    sort_short: Function,
    data: &'a Array,
    params: GroupParams<DevicePtr<'a>>,
    status: &Array,
) -> Result<Option<(Array, Array, bool)>> {
    let (device, rows) = (data.device(), params.rows as usize);
    let columns = make::empty(device, &[params.entries], DType::I32)?;
    let out = make::empty(device, &[params.entries], data.dtype())?;
    let sorting = GroupParams { columns: written(&columns), out: written(&out), ..params };
    // SAFETY: pointers are clamped to the entries, each slot has the number of one or its value, and rows have pointers.
    unsafe { Launcher::on(device).launch(sort_short, blocks(rows, "rows"), THREADS, &sorting) }?;
    let mut found = [0; 8];
    download(&mut found, status, 0)?;
    let [too_long, has_duplicates] = [found[0] != 0, found[4] != 0];
    Ok((!too_long).then_some((columns, out, has_duplicates)))
}

/// Returns true if neighbouring entries are of neighbouring rows, by samples. `status` is zero before. Synchronises.
fn is_local(sample: Function, params: &GroupParams<DevicePtr>, status: &Array) -> Result<bool> {
    let grid = Blocks::of(SAMPLES / 8, SAMPLES, "samples");
    // SAFETY: entries at or after their number are not read.
    unsafe { Launcher::on(status.device()).launch(sample, grid, THREADS, params) }?;
    let mut sectors = [0; 4];
    download(&mut sectors, status, 0)?;
    Ok(u32::from_le_bytes(sectors) as usize <= LOCAL_SECTORS * SAMPLES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of 0 to `longest` entries in a scattered order, with and without duplicates, of both index dtypes.
    #[test]
    fn groups_are_sorted_by_column_and_entry() {
        for (rows, longest, n, index) in [
            (7, 5, 20, DType::I32),
            (300, 256, 9_000, DType::I32),
            (3, 256, 700, DType::I64),
            (5000, 9, 9_001, DType::I64),
        ] {
            let mut state = 11u64;
            let mut next = |below: usize| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) as usize % below
            };
            let mut lengths = vec![0; rows];
            let entries: Vec<(i64, i64, i16)> = (0..n)
                .filter_map(|i| {
                    let row = next(rows);
                    lengths[row] += 1;
                    (lengths[row] <= longest).then(|| (row as i64, next(2 * longest) as i64, i as i16))
                })
                .collect();
            let mut entries = entries;
            entries.sort_by_key(|e| e.1);
            let array = |f: fn(&(i64, i64, i16)) -> i64| {
                let list: Vec<i64> = entries.iter().map(f).collect();
                Array::from_slice(&list, [list.len()]).unwrap().astype(index).unwrap()
            };
            let data = array(|e| i64::from(e.2)).astype(DType::I16).unwrap();
            let pointers: Vec<i64> =
                (0..=2 * longest as i64).map(|c| entries.iter().filter(|e| e.1 < c).count() as i64).collect();
            let pointers = Array::from_slice(&pointers, [pointers.len()]).unwrap().astype(index).unwrap();
            let found = group_entries(&array(|e| e.0), Some(&pointers), &data, rows).unwrap().unwrap();
            let mut want = entries.clone();
            want.sort_by_key(|e| (e.0, e.1));
            let columns: Vec<i64> = want.iter().map(|e| e.1).collect();
            let values: Vec<i16> = want.iter().map(|e| e.2).collect();
            let ends: Vec<i64> = (0..=rows as i64).map(|r| want.iter().filter(|e| e.0 < r).count() as i64).collect();
            assert_eq!(found.ends.astype(DType::I64).unwrap().to_vec::<i64>().unwrap(), ends);
            assert_eq!(found.columns.unwrap().astype(DType::I64).unwrap().to_vec::<i64>().unwrap(), columns);
            assert_eq!(found.data.to_vec::<i16>().unwrap(), values);
            assert_eq!(found.has_duplicates, want.windows(2).any(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1)));
        }
    }

    #[test]
    fn rows_of_more_than_256_entries_are_not_grouped() {
        for (n, fits) in [(256i32, true), (257, false), (700, false), (800, false)] {
            let row = Array::from_slice(&vec![1i32; n as usize], [n as usize]).unwrap();
            let data = Array::from_slice(&(0..n).collect::<Vec<_>>(), [n as usize]).unwrap();
            let pointers = Array::from_slice(&(0..=n).collect::<Vec<_>>(), [n as usize + 1]).unwrap();
            // Few rows, and enough of them for short ones on average.
            for rows in [3, 200] {
                let found = group_entries(&row, Some(&pointers), &data, rows).unwrap();
                assert_eq!(found.is_some(), fits, "{n} {rows}");
                if let Some(found) = found {
                    let all = (0..n).collect::<Vec<_>>();
                    assert!(!found.has_duplicates && found.columns.unwrap().to_vec::<i32>().unwrap() == all);
                    assert!(found.data.to_vec::<i32>().unwrap() == all);
                }
            }
        }
    }

    #[test]
    fn without_columns_the_entries_of_a_row_stay_in_their_order() {
        let row = Array::from_slice(&[2i32, 0, 2, 0, 2], [5]).unwrap();
        let data = Array::from_slice(&[1.0f64, 2.0, 3.0, 4.0, 5.0], [5]).unwrap();
        let found = group_entries(&row, None, &data, 3).unwrap().unwrap();
        assert_eq!(found.ends.to_vec::<i32>().unwrap(), [0, 2, 2, 5]);
        assert_eq!(found.data.to_vec::<f64>().unwrap(), [2.0, 4.0, 1.0, 3.0, 5.0]);
    }

    /// Rows that rise by one, in steps of 3 and of 9: 4, 12 and 32 sectors of a sample.
    #[test]
    fn samples_tell_scattered_entries() {
        for (step, local) in [(1, true), (3, true), (9, false)] {
            let (n, device) = (40_000usize, crate::cuda::Device::current().unwrap());
            let list: Vec<i32> = (0..n as i32).map(|i| i * step).collect();
            let (major, status) =
                (Array::from_slice(&list, [n]).unwrap(), make::zeros(device, &[2], DType::U32).unwrap());
            let [sample, ..] = kernels(&GROUP_KERNELS, device, (false, 4), KERNELS, || {
                ("entry groups/int32/4-byte elements".into(), groups_source(false, 4))
            })
            .unwrap();
            let params = GroupParams {
                width: Width::default(),
                entries: n,
                rows: 1 << 30,
                major: read(&major),
                minor: Read(None),
                minor_ends: Read(None),
                columns_of_minor: 0,
                ends: Written(None),
                ranks: Written(None),
                slots: Written(None),
                status: written(&status),
                columns: Written(None),
                input: read(&major),
                out: Written(None),
                is_ordered: false,
            };
            assert_eq!(is_local(sample, &params, &status).unwrap(), local, "{step}");
        }
    }
}
