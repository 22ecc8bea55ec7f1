//! Rows longer than a block holds: the launches of a radix sort.

use cuprum_kernels::source::{Carried, SortPass, key_bytes};

use super::{Sorting, grid};
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::params::Params;
use crate::engine::zeros;
use crate::error::Result;

/// Values of a digit.
const BINS: usize = 256;
/// From here on the counts of a row have 64 bits: two of them are flags.
const WIDE: usize = 1 << 30;
/// Blocks that count: as many as a device runs at the same time, and each long enough to make up for its own counters.
const COUNTING_BLOCKS: usize = 640;
/// Elements that a counting block takes at the least, and what its share is a multiple of: of what 256 and 384 threads
/// read at once.
const LEAST_CHUNK: usize = 24 << 10;
const CHUNK_STEP: usize = 6 << 10;

/// The kernels of a text, in the order of their launches.
const NAMES: [&str; 4] = ["sort_count", "sort_plan", "sort_pass", "sort_finish"];

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<SortPass, 4> = Kernels::default();
}

/// Threads of a block, and elements of each: a tile and the counters of its warps fill 28 to 48 KB of shared memory, and
/// the registers hold a tile with 32 warps or more on a multiprocessor. Larger tiles wait less often for what the tiles
/// before them tell.
pub(super) fn shape_of(item: usize, carried: Carried, wide: bool) -> (usize, u16) {
    let payload = match carried {
        Carried::Nothing => 0,
        Carried::Position if !wide => 4,
        Carried::Given32 => 4,
        _ => 8,
    };
    match (item, payload) {
        (1 | 2 | 4, 0) => (384, 18),
        (1 | 2 | 4, 4) => (384, 16),
        (1 | 2 | 4, _) => (256, 16),
        (8, 0) => (256, 14),
        (8, _) => (256, 12),
        _ => (256, 8),
    }
}

impl Sorting {
    pub(super) fn in_passes(&self, items: Option<u16>) -> Result<()> {
        let Sorting { device, rows, length, .. } = *self;
        let (item, digits, wide) = (self.dtype.size(), key_bytes(self.dtype), length >= WIDE);
        let (threads, most) = shape_of(item, self.carried, wide);
        let items = items.unwrap_or(most);
        let key = SortPass { dtype: self.dtype, threads: threads as u16, items, carried: self.carried, wide };
        let [count, plan, pass, finish] = kernels(&KERNELS, device, key, NAMES, || (key.name(), key.source()))?;
        let tiles = length.div_ceil(threads * items as usize);
        let chunk = length.div_ceil((COUNTING_BLOCKS / rows).max(1)).max(LEAST_CHUNK).next_multiple_of(CHUNK_STEP);
        let chunks = length.div_ceil(chunk);
        let (counting, passing) = (grid(rows * chunks)?, grid(rows * tiles)?);

        let in_place = self.input == self.sorted;
        let bytes = rows * length * item;
        // The first of several passes writes the other buffer; the second of three or more, this one.
        let other = device.alloc(if digits > 1 || in_place { bytes } else { 0 })?;
        let scratch = device.alloc(if self.sorted == 0 && digits > 2 { bytes } else { 0 })?;
        let (carried, result) = key.carried_bytes();
        let payload = if digits > 1 { (rows - 1) * length * result + length * carried } else { 0 };
        let payload = device.alloc(payload)?;
        let word = if wide { 8 } else { 4 };
        let (counts, states) = (rows * digits * BINS * word, rows * tiles * BINS * word);
        // Counts, what tiles publish and tickets begin at 0.
        let zeroed = zeros(device, &[(counts + states) / 4 + digits], cuprum_kernels::DType::U32)?;
        let rest = device.alloc(states + rows * (digits + 1) * 4)?;

        let params = |digit: usize| {
            let mut p = Params::default();
            let sorted = if self.sorted == 0 { scratch.addr() } else { self.sorted };
            for word in [rows as u64, length as u64, self.input, sorted, other.addr(), self.given] {
                p.u64(word);
            }
            let (first, second) = (zeroed.addr() + counts as u64, rest.addr());
            let tickets = first + states as u64;
            for word in [self.payload, payload.addr(), zeroed.addr(), second + states as u64, tickets, first, second] {
                p.u64(word);
            }
            p.u64(chunk as u64);
            for word in [tiles, chunks, digit, in_place.into(), (self.sorted != 0).into(), 0] {
                p.u32(word as u32);
            }
            p
        };
        let launch = |function, grid, threads: usize, digit| {
            // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays and of scratch
            // memory of the sizes that the plan of any row reaches, which the stream's order keeps until it is read.
            unsafe { device.queue().launch(function, grid, [threads as u32, 1, 1], params(digit).as_bytes()) }
        };
        launch(count, counting, threads, 0)?;
        launch(plan, grid(rows)?, BINS, 0)?;
        for digit in 0..digits {
            launch(pass, passing, threads, digit)?;
        }
        launch(finish, counting, threads, 0)
    }
}
