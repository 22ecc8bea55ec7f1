//! Binary searches in sorted values: `searchsorted` and membership tests.
//!
//! Memory traffic: needles once, eight bytes for each result, and what the searches read of the values. Among few
//! values a needle takes 39 instructions: 6 to its cell, two reads of the cell's bounds, and one step to a sample, as
//! nearly all cells have at most one. Each block computes its cells by as many searches. If all values are crowded in
//! few cells, as logarithmic ones are, a search takes as many steps as in a binary tree.
//!
//! Among many values the cells select the segment, of 128 values, in some three steps. Its values are selected by two
//! levels of four copies and eight values: four reads of 16 bytes, each of which touches as many cache lines as lanes.
//! The ladder is built in one read and write of the values.
//!
//! Membership results have a byte each: if the range of integer values is at most 2^20, a table of 128 KB, which fits
//! in the L1 cache, answers each needle in one read. Otherwise the samples and eight values are searched as above, and
//! no position is written.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides, Width, Written};
use cuprum_kernels::source::{SEARCH_CELLS, Search, SearchParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, read, written};
use super::make;
use crate::array::Array;
use crate::error::Result;
use crate::layout::Axes;

/// Threads of a block: as in `include/search.cuh`.
pub(super) const THREADS: usize = 512;
/// Needles of a thread at a time, if there are samples: four searches overlap.
const BATCH: usize = 4;
/// Maximum number of blocks: as many as run at the same time on a large device, four for each of 132 multiprocessors;
/// two if a thread holds its part of the ladder in registers.
const BLOCKS: usize = 528;
const CLIMBING: usize = BLOCKS / 2;
/// Number of values that are loaded to shared memory as fast as one search takes.
const FEW_VALUES: usize = THREADS;
/// Cells for each sample, as far as there is room: for randomly distributed numbers few cells then have more than one.
const CELLS_OF_SAMPLE: usize = 4;
/// Number of needles from which samples in shared memory, or a table, are profitable.
const MANY_NEEDLES: usize = 1 << 18;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Search, 2> = Kernels::default();
}

/// Segmentation of the values for a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Segments {
    /// Number of values of a segment.
    length: usize,
    /// Number of segments.
    count: usize,
    /// Number of cells into which the range of the segments' last values is divided.
    cells: usize,
    /// Number of levels of a ladder above the values, if there is one.
    levels: Option<u32>,
}

impl Segments {
    /// Plans a search in this number of values, with room for `room` samples.
    fn new(values: usize, needles: usize, room: usize) -> Segments {
        let of = |length: usize, levels: Option<u32>| {
            let count = values.div_ceil(length);
            let cells = (CELLS_OF_SAMPLE * count).next_power_of_two().min(SEARCH_CELLS);
            Segments { length, count, cells, levels }
        };
        if values <= room {
            return of(1, None);
        }
        if values / 4 > needles {
            // Copies would cost more than they save.
            return of(values.div_ceil(room), None);
        }
        let levels =
            (0..).find(|&l| values.div_ceil(8 << (2 * l)) <= room).expect("a segment may be as long as all values");
        of(8 << (2 * levels), Some(levels))
    }

    /// Returns the number of keys of the ladder.
    fn entries(&self) -> usize {
        let Some(levels) = self.levels else { return 0 };
        (1..=levels).map(|l| self.count << (2 * l)).sum::<usize>() + self.count * self.length
    }
}

/// Kind of search for each needle.
#[derive(Clone, Copy, Debug)]
enum SearchKind<'a> {
    /// The insertion point.
    Insertion { right: bool, sorter: Option<&'a Array>, rising: bool },
    /// Membership among the values, or its opposite.
    Member { invert: bool },
}

/// Returns true if membership tests need sorted values.
pub(crate) fn members_need_order(common: DType) -> bool {
    common.is_float() || common.is_complex() || common.size() > 2
}

/// Tests for each of `needles` if it is among `values`, a one-dimensional array, and writes booleans to `out` in C
/// order; with `invert`, the opposite. The values must be sorted in `common` if [`members_need_order`].
pub(crate) fn members(values: &Array, needles: &Array, common: DType, invert: bool, out: &Array) -> Result<()> {
    let many = needles.size() >= MANY_NEEDLES;
    search_by(values, needles, common, SearchKind::Member { invert }, out, [values.size() <= FEW_VALUES || many, many])
}

/// Writes the insertion point of each of `needles` in `values`, a one-dimensional array, to `out`, int64 in C order.
/// `sorter`, int64 and contiguous, has the indices of the values in sorted order, all of them in bounds.
pub(crate) fn search(
    values: &Array,
    needles: &Array,
    common: DType,
    right: bool,
    sorter: Option<&Array>,
    out: &Array,
) -> Result<()> {
    insertion_points(values, needles, common, SearchKind::Insertion { right, sorter, rising: false }, out)
}

/// Searches as [`search`] does, if it is not known yet that the values are increasing: nothing is written if the last
/// of them, as float64, is less than the first.
pub(crate) fn search_rising(values: &Array, needles: &Array, common: DType, right: bool, out: &Array) -> Result<()> {
    insertion_points(values, needles, common, SearchKind::Insertion { right, sorter: None, rising: true }, out)
}

fn insertion_points(values: &Array, needles: &Array, common: DType, kind: SearchKind<'_>, out: &Array) -> Result<()> {
    let staged = values.size() <= FEW_VALUES || needles.size() >= MANY_NEEDLES;
    search_by(values, needles, common, kind, out, [staged, false])
}

/// Searches with samples in shared memory or without, and with a table if there may be one.
fn search_by(
    values: &Array,
    needles: &Array,
    common: DType,
    kind: SearchKind<'_>,
    out: &Array,
    [staged, table]: [bool; 2],
) -> Result<()> {
    let n = needles.size();
    if n == 0 {
        return Ok(());
    }
    let axes = Axes::collapse(needles.shape(), [needles.strides()], true);
    let width = Width::of(axes.sizes.len(), n);
    let (right, sorter, rising) = match kind {
        SearchKind::Insertion { right, sorter, rising } => (right, sorter, rising),
        SearchKind::Member { .. } => (false, None, false),
    };
    let (member, invert) = if let SearchKind::Member { invert } = kind { (true, invert) } else { (false, false) };
    let key = Search {
        value: values.dtype(),
        needle: needles.dtype(),
        common,
        right,
        member,
        sorter: sorter.is_some(),
        staged,
        ladder: false,
        width,
    };
    let (bytes, room) = key.room();
    let segments = if staged { Segments::new(values.size(), n, room) } else { Segments::default() };
    let key = Search { ladder: segments.levels.is_some(), ..key };
    let device = needles.device();
    let [function, making] = kernels(&KERNELS, device, key, ["search", "ladder"], || (key.name(), key.source()))?;
    let (entries, launcher) = (segments.entries(), Launcher::on(device));
    let ladder = device.alloc(entries * bytes)?;
    let table = match key.table() {
        0 => None,
        _ if members_need_order(common) && (!table || values.size() == 0) => None,
        bytes => Some(make::zeros(device, &[bytes / 4], DType::U32)?),
    };
    let params = SearchParams {
        width,
        needles: n,
        values: values.size(),
        input: read(needles),
        from: read(values),
        sorter: Read(sorter.map(DevicePtr::of)),
        out: written(out),
        ladder: Written(Some(DevicePtr::start(&ladder))),
        entries,
        length: segments.length,
        segments: segments.count as u32,
        cells: segments.cells as u32,
        levels: segments.levels.unwrap_or(0),
        table: Written(table.as_ref().map(DevicePtr::of)),
        invert,
        rising,
        step: values.strides()[0],
        axes: axes.sizes.len() as u32,
        sizes: Sizes(&axes.sizes),
        strides: Strides(&axes.strides[0]),
    };
    // The table or the ladder: the device decides.
    let made = entries.max(if table.is_some() { values.size() } else { 0 });
    if made > 0 {
        let blocks = Blocks::of(made.div_ceil(THREADS).min(4 * BLOCKS), made, "values");
        // SAFETY: the ladder has room for its entries, and the table for the integers that it is made for.
        unsafe { launcher.launch(making, blocks, THREADS, &params) }?;
    }
    let most = if key.ladder { CLIMBING } else { BLOCKS };
    let batch = if staged { BATCH } else { 1 };
    let blocks = Blocks::of(n.div_ceil(THREADS * batch).min(most), n, "needles");
    // SAFETY: sizes and strides reach elements of the arrays only, and the kernel uses only valid indices of the
    // sorter.
    unsafe { launcher.launch(function, blocks, THREADS, &params) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zeros;

    #[test]
    fn segments_have_all_values() {
        for room in [2048, 4096, 8192, 32768] {
            for values in [0, 1, 2, 511, 4095, 4096, 8191, 8192, 65_536, 65_537, 1 << 20, (1 << 20) + 1, 1 << 31] {
                for needles in [1 << 18, 1 << 26] {
                    let s = Segments::new(values, needles, room);
                    assert!(s.count <= room && s.count * s.length >= values, "{values} {room} {s:?}");
                    assert!((1..=SEARCH_CELLS).contains(&s.cells) && s.cells.is_power_of_two(), "{s:?}");
                    let Some(levels) = s.levels else { continue };
                    assert!(s.length == 8 << (2 * levels) && (s.count - 1) * s.length < values, "{values} {s:?}");
                    assert!(s.entries() >= values && s.entries() * 3 <= s.count * s.length * 4, "{values} {s:?}");
                }
            }
        }
    }

    #[test]
    fn samples_lead_to_the_same_places() {
        // Runs of equal values, in more values than there are samples, and needles between and beyond them.
        for size in [0, 1, 5, 4095, 4096, 8192, 20_001, 140_000] {
            let values: Vec<f64> = (0..size).map(|i| f64::from(i / 3)).collect();
            let needles: Vec<f64> = (-2..size / 3 + 3).flat_map(|i| [f64::from(i), f64::from(i) + 0.5]).collect();
            let needles = [needles, vec![f64::NAN, f64::NEG_INFINITY]].concat();
            let (v, x) = (Array::from_vec(values.clone()).unwrap(), Array::from_vec(needles.clone()).unwrap());
            for right in [false, true] {
                let want: Vec<i64> = needles
                    .iter()
                    .map(|x| values.partition_point(|v| x.is_nan() || v < x || right && v == x) as i64)
                    .collect();
                for staged in [false, true] {
                    let out = zeros(needles.len(), DType::I64).unwrap();
                    let kind = SearchKind::Insertion { right, sorter: None, rising: false };
                    search_by(&v, &x, DType::F64, kind, &out, [staged, false]).unwrap();
                    assert!(out.to_vec::<i64>().unwrap() == want, "{size} {right} {staged}");
                }
            }
        }
    }

    /// Compares the insertion points of `needles` in sorted values, by their cells and by a search, with the order
    /// `before`.
    fn check_positions<T: crate::Element + PartialOrd + std::fmt::Debug>(values: &[T], needles: &[T]) {
        let before = |a: &T, b: &T| a < b || a.partial_cmp(a).is_some() && b.partial_cmp(b).is_none();
        let mut values = values.to_vec();
        values.sort_by(|a, b| before(b, a).cmp(&before(a, b)));
        let (v, x) = (Array::from_vec(values.clone()).unwrap(), Array::from_vec(needles.to_vec()).unwrap());
        for right in [false, true] {
            let position = |x: &T| values.partition_point(|v| if right { !before(x, v) } else { before(v, x) }) as i64;
            let out = zeros(needles.len(), DType::I64).unwrap();
            let kind = SearchKind::Insertion { right, sorter: None, rising: false };
            search_by(&v, &x, T::DTYPE, kind, &out, [true, false]).unwrap();
            let want: Vec<i64> = needles.iter().map(position).collect();
            assert_eq!(out.to_vec::<i64>().unwrap(), want, "{values:?} {right}");
        }
    }

    /// Equal, infinite and NaN values, distances beyond the largest float32 and below the smallest, and integers whose
    /// distance overflows: in the same cell or not, all are found.
    #[test]
    fn cells_are_found_at_any_spacing() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let some = [-0.0, 0.0, 5e-324, 1e-310, 0.3, 1.0, 1.0 + f64::EPSILON, 2.0, 1e30, 1e300, f64::MAX];
        let needles: Vec<f64> = some.iter().flat_map(|&x| [x, -x]).chain([inf, -inf, nan, 0.25, -0.75]).collect();
        let geometric: Vec<f64> = (-40..40).map(|i| 10f64.powi(i)).collect();
        let lists: [&[f64]; 9] = [
            &some,
            &[-inf, -inf, -1.0, 0.0, 0.0, 0.5, inf, nan],
            &[5.0; 4],
            &[inf],
            &[nan, nan],
            &[-f64::MAX, 0.0, f64::MAX],
            &[0.0, 5e-324, 1e-323],
            &[1e15, 1e15 + 1.0, 1e15 + 2.0],
            &geometric,
        ];
        for list in lists {
            check_positions(list, &[&needles, list].concat());
            let single = |of: &[f64]| of.iter().map(|&x| x as f32).collect::<Vec<_>>();
            check_positions(&single(list), &single(&[&needles, list].concat()));
        }
        let wide = [i64::MIN, i64::MIN + 1, -1, 0, 0, 1, 7, i64::MAX - 1, i64::MAX];
        check_positions(&wide, &wide);
        check_positions(&wide[3..7], &wide);
        let unsigned = wide.map(|x| x as u64);
        check_positions(&unsigned, &unsigned);
        check_positions(&unsigned[3..6], &unsigned);
        let all: Vec<i8> = (i8::MIN..=i8::MAX).collect();
        check_positions(&all, &all);
        check_positions(&[-128, -3, 100], &all);
        check_positions(&[-5, 4], &all);
    }

    #[test]
    fn all_methods_find_the_same_members() {
        // Values with the maximum range of a table, and one more: from a negative number on, and few, some, or more
        // than samples.
        for (size, last) in
            [(2, (1 << 20) - 1), (2, 1 << 20), (600, (1 << 20) - 1), (9000, (1 << 20) - 1), (9000, 1 << 20)]
        {
            let mut values: Vec<i64> = (0..size).map(|i| i * 7 - 40).collect();
            *values.last_mut().unwrap() = last - 40;
            let edges = [i32::MIN.into(), -41, -40, -39, last - 41, last - 40, last - 39, i32::MAX.into()];
            let needles: Vec<i64> = (-60..size * 7).chain(edges).collect();
            let want: Vec<bool> = needles.iter().map(|x| values.binary_search(x).is_ok()).collect();
            let (v, x) = (Array::from_vec(values).unwrap(), Array::from_vec(needles).unwrap());
            for dtype in [DType::I64, DType::I32, DType::F64] {
                let v = v.astype(dtype).unwrap();
                for flags in [[false, false], [true, false], [true, true], [false, true]] {
                    let out = zeros(want.len(), DType::Bool).unwrap();
                    let kind = SearchKind::Member { invert: flags[0] };
                    search_by(&v, &x, dtype, kind, &out, flags).unwrap();
                    let found: Vec<bool> = out.to_vec::<bool>().unwrap().iter().map(|f| f != &flags[0]).collect();
                    assert!(found == want, "{size} {last} {dtype} {flags:?}");
                }
            }
        }
    }
}
