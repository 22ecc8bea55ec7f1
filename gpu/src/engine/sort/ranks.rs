//! Selection of order statistics of a long row without sorting it.
//!
//! A pass reads every element once and resolves 11 bits of the key: 3 n s / B for float32, 6 n s / B for 64 bits.
//!
//! A row of at least [`NARROWED`] elements is read once: a sorted sample of S elements gives brackets that contain the
//! ranks, with four standard deviations to either side, and the elements in them are listed, at most some 8 / sqrt(S) /
//! 2 of all elements (S = 8192: 4.4 % for a median, 0.06 % for the last element). The passes read the list. Only if the
//! sample misleads, as it may in one row of ten thousand, the passes read the row.

use cuprum_kernels::params::{Read, Written};
use cuprum_kernels::source::{RANK_BITS, RANK_TARGETS, RankSampleParams, SortRanksParams, ranks_source};
use cuprum_kernels::{DType, Kind};

use super::{sort_rows, tile};
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, read, written};
use crate::engine::make;
use crate::error::Result;

/// Threads of a block, the elements that each reads at a time, and the maximum number of blocks.
const THREADS: usize = 512;
const BATCH: usize = 8;
const BLOCKS: usize = 528;
/// Maximum number of blocks that narrow: the registers of a multiprocessor suffice for three.
const NARROWING: usize = 396;
/// Maximum number of ranks for which selection is faster: each group of ranks costs as much as the next.
const MOST_RANKS: usize = 8;
/// Minimum length of a row: shorter ones are sorted by a block.
const LEAST: usize = 1 << 13;
/// Maximum number of rows, as each has its own launches.
const MOST_ROWS: usize = 16;
/// Row length from which a row is narrowed: below, the passes take less than the sample.
const NARROWED: usize = 1 << 22;

/// The kernels of a source.
const NAMES: [&str; 5] = ["rank_sample", "rank_narrow", "rank_settle", "rank_count", "rank_plan"];

thread_local! {
    /// The kernels that this thread has launched, by device and dtype.
    static KERNELS: Kernels<DType, 5> = Kernels::default();
}

/// Returns true if selection is faster than sorting the rows.
pub(crate) fn ranks_are_faster(dtype: DType, rows: usize, length: usize, ranks: usize) -> bool {
    dtype.kind() != Kind::Complex && length > LEAST && rows <= MOST_ROWS && ranks <= MOST_RANKS
}

/// Returns the functions of [`NAMES`].
fn functions(device: Device, dtype: DType) -> Result<[Function; 5]> {
    kernels(&KERNELS, device, dtype, NAMES, || (format!("ranks/{dtype}"), ranks_source(dtype)))
}

/// Brackets of a sorted sample that contain the ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Brackets {
    /// Kernel parameters: one more than the position of the lower end, or 0; the position of the upper end, or the
    /// length of the sample.
    pub(super) lows: [u32; RANK_TARGETS],
    /// See `lows`.
    pub(super) highs: [u32; RANK_TARGETS],
    /// The bracket of each rank.
    pub(super) of: [u32; RANK_TARGETS],
    /// Number of brackets.
    pub(super) count: usize,
}

impl Brackets {
    /// Returns the brackets for ranks in ascending order, in a row of `length` elements with `samples` in the sample.
    pub(super) fn new(ranks: &[usize], length: usize, samples: usize) -> Brackets {
        let mut made = Brackets::default();
        for (k, &rank) in ranks.iter().enumerate() {
            let share = (rank as f64 + 0.5) / length as f64;
            let (position, deviation) = (share * samples as f64, (share * (1.0 - share) * samples as f64).sqrt());
            let margin = 4.0 * deviation + 4.0;
            let low = (position - margin).floor().max(0.0) as u32;
            let high = (position + margin).ceil().min(samples as f64) as u32;
            let last = made.count.wrapping_sub(1);
            if made.count > 0 && low <= made.highs[last] + 1 {
                made.highs[last] = high;
            } else {
                (made.lows[made.count], made.highs[made.count]) = (low, high);
                made.count += 1;
            }
            made.of[k] = made.count as u32 - 1;
        }
        made
    }

    /// Returns the capacity of the list: twice the expected number of elements, and some more.
    fn room(&self, length: usize, samples: usize) -> usize {
        let parts: u32 = (0..self.count).map(|b| self.highs[b] + 1 - self.lows[b] + 16).sum();
        (2 * length.div_ceil(samples) * parts as usize).min(length)
    }
}

/// Returns the elements at these ranks, in ascending order, of each row of `length` elements of `a`, which is in C
/// order and not complex: an array of rows and ranks. For zeros it returns 0.
pub(crate) fn pick_ranks(a: &Array, length: usize, ranks: &[usize]) -> Result<Array> {
    pick_ranks_by(a, length, ranks, length >= NARROWED)
}

pub(super) fn pick_ranks_by(a: &Array, length: usize, ranks: &[usize], narrowed: bool) -> Result<Array> {
    let (device, dtype) = (a.device(), a.dtype());
    let rows = a.size() / length;
    let out = make::empty(device, &[rows, ranks.len()], dtype)?;
    let [_, narrow, settle, count, plan] = functions(device, dtype)?;
    let bits = 8 * dtype.size();
    let bins = 1 << RANK_BITS.min(bits);
    // The state of the selection, which its first pass does not read, and counts, which begin at 0.
    let (state, counts) = (device.alloc(128)?, make::zeros(device, &[RANK_TARGETS * bins], DType::U64)?);
    let samples = if narrowed { tile(dtype) } else { 0 };
    let counting = Blocks::of(length.div_ceil(THREADS * BATCH).min(BLOCKS), length, "elements");
    let narrowing = Blocks::of(length.div_ceil(THREADS * BATCH).min(NARROWING), length, "elements");
    let launcher = Launcher::on(device);
    for row in 0..rows {
        let input = DevicePtr::of(a).moved((row * length * dtype.size()) as i64);
        let sample = sample_of(a, input, length, samples)?;
        for (k, part) in ranks.chunks(RANK_TARGETS).enumerate() {
            let result = (row * ranks.len() + k * RANK_TARGETS) * dtype.size();
            let brackets = if narrowed { Brackets::new(part, length, samples) } else { Brackets::default() };
            let room = if narrowed { brackets.room(length, samples) } else { 0 };
            let list = make::empty(device, &[room + 2 * brackets.count], dtype)?;
            let findings = make::zeros(device, &[if narrowed { 4 * RANK_TARGETS + 1 } else { 0 }], DType::U64)?;
            let params = SortRanksParams {
                width: Default::default(),
                n: length,
                input: Read(Some(input)),
                out: Written(Some(DevicePtr::of(&out).moved(result as i64))),
                state: Written(Some(DevicePtr::start(&state))),
                counts: written(&counts),
                sample: read(&sample),
                list: written(&list),
                findings: written(&findings),
                room,
                ranks: std::array::from_fn(|k| part.get(k).copied().unwrap_or(0)),
                lows: brackets.lows,
                highs: brackets.highs,
                bracket_of: brackets.of,
                brackets: brackets.count as u32,
                samples: samples as u32,
                pass: 0,
                targets: part.len() as u32,
            };
            if narrowed {
                // SAFETY: the kernels write to the list within its capacity, after which there is room for the ends of
                // brackets.
                unsafe {
                    launcher.launch(narrow, narrowing, THREADS, &params)?;
                    launcher.launch(settle, Blocks::of(1, part.len(), "ranks"), 1, &params)?;
                }
            }
            for pass in 0..bits.div_ceil(RANK_BITS) as u32 {
                let params = SortRanksParams { pass, ..params };
                // SAFETY: the row and the results are those of the arrays, and the ranks are within the row.
                unsafe {
                    launcher.launch(count, counting, THREADS, &params)?;
                    launcher.launch(plan, Blocks::of(1, part.len(), "ranks"), 32 * RANK_TARGETS, &params)?;
                }
            }
        }
    }
    Ok(out)
}

/// Returns a sorted sample of a row of `length` elements at `row`: one element from each of `samples` parts.
pub(super) fn sample_of(a: &Array, row: DevicePtr<'_>, length: usize, samples: usize) -> Result<Array> {
    let (device, dtype) = (a.device(), a.dtype());
    let sample = make::empty(device, &[samples], dtype)?;
    if samples == 0 {
        return Ok(sample);
    }
    let [taking, ..] = functions(device, dtype)?;
    let params = RankSampleParams {
        width: Default::default(),
        n: length,
        input: Read(Some(row)),
        sample: written(&sample),
        samples: samples as u32,
    };
    let blocks = Blocks::of(samples.div_ceil(THREADS), samples, "elements");
    // SAFETY: the sample and the row have the sizes of the parameters.
    unsafe { Launcher::on(device).launch(taking, blocks, THREADS, &params) }?;
    sort_rows(&sample, samples, Some(&sample), None)?;
    Ok(sample)
}
