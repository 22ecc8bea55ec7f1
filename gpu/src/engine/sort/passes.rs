//! Radix sort of rows longer than a block: the launches.
//!
//! A pass for each byte of the key reads and writes all elements once; bytes that are the same in the whole row are
//! skipped. Passes are stable, so that the whole sort is.

use cuprum_kernels::params::{Read, Written};
use cuprum_kernels::source::{SortPass, SortPassParams};

use super::Sorting;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, read};
use crate::engine::make;
use crate::error::Result;

/// Number of values of a digit.
const BINS: usize = 256;
/// Row length from which counts have 64 bits: two of the bits are flags.
const WIDE: usize = 1 << 30;
/// Number of blocks that count: as many as a device runs at the same time, each with enough work to amortise its own
/// counters.
const COUNTING_BLOCKS: usize = 2048;
/// Minimum number of elements of a counting block, and the unit of its share: a multiple of what 256 and 384 threads
/// read at once.
const LEAST_CHUNK: usize = 24 << 10;
const CHUNK_STEP: usize = 12 << 10;

/// The kernels of a source, in the order of their launches.
const NAMES: [&str; 4] = ["sort_count", "sort_plan", "sort_pass", "sort_finish"];

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<SortPass, 4> = Kernels::default();
}

/// Returns the threads of a block, and the elements of each, for elements of `item` bytes with a payload of `payload`
/// bytes: the registers hold a tile with 24 warps or more on a multiprocessor. In larger tiles a digit has longer runs,
/// and there are fewer tile states to wait for. A device with little shared memory takes fewer elements.
pub(super) fn shape_of(item: usize, payload: usize) -> (usize, u16) {
    match (item, payload) {
        (1 | 2 | 4, 0) => (384, 24),
        (1 | 2 | 4, 4) => (384, 22),
        (8, 0) => (256, 24),
        (1 | 2 | 4, _) | (8, 4) => (256, 16),
        (_, 0) | (8, _) => (256, 12),
        _ => (256, 8),
    }
}

/// Returns the bytes of shared memory of a block besides its tile: counters of its warps, and their sums.
pub(super) fn counters_of(threads: usize) -> usize {
    threads / 32 * BINS * 4 + 3 * 1024
}

impl Sorting<'_> {
    pub(super) fn in_passes(&self, items: Option<u16>) -> Result<()> {
        let Sorting { device, rows, length, .. } = *self;
        let (item, wide) = (self.dtype.size(), length >= WIDE);
        let wanted = self.parts.map_or(0, |at_ranks| at_ranks.size() / rows) as u8;
        let mut key = SortPass { dtype: self.dtype, threads: 0, items: 0, carried: self.carried, wanted, wide };
        let ((carried, result), digits) = (key.carried_bytes(), key.digits());
        let (threads, most) = shape_of(item, carried);
        let room = (device.info().shared_bytes as usize - counters_of(threads)) / (threads * (item + carried));
        let items = items.unwrap_or(most.min(room as u16));
        (key.threads, key.items) = (threads as u16, items);
        let [count, plan, pass, finish] = kernels(&KERNELS, device, key, NAMES, || (key.name(), key.source()))?;
        let tiles = length.div_ceil(threads * items as usize);
        let chunk = length.div_ceil((COUNTING_BLOCKS / rows).max(1)).max(LEAST_CHUNK).next_multiple_of(CHUNK_STEP);
        let chunks = length.div_ceil(chunk);
        let (counting, passing) =
            (Blocks::of(rows * chunks, rows * length, "elements"), Blocks::of(rows * tiles, rows * length, "elements"));

        let in_place = self.sorted.is_some_and(|sorted| sorted.addr() == self.input.addr());
        let bytes = rows * length * item;
        // The first of several passes writes the other buffer; the second of three or more, this one.
        let other = device.alloc(if digits > 1 || in_place { bytes } else { 0 })?;
        let scratch = device.alloc(if self.sorted.is_none() && digits > 2 { bytes } else { 0 })?;
        let payload = if digits > 1 { (rows - 1) * length * result + length * carried } else { 0 };
        let payload = device.alloc(payload)?;
        let word = if wide { 8 } else { 4 };
        let (counts, states) = (rows * digits * BINS * word, rows * tiles * BINS * word);
        // Counts, tile states and tickets begin at 0.
        let zeroed = make::zeros(device, &[(counts + states) / 4 + digits], cuprum_kernels::DType::U32)?;
        let rest = device.alloc(states + rows * (digits + 1) * 4)?;

        let (zeroed, rest) = (DevicePtr::of(&zeroed), DevicePtr::start(&rest));
        let (first, plan_at) = (zeroed.moved(counts as i64), rest.moved(states as i64));
        let sorted = self.sorted.map_or(DevicePtr::start(&scratch), DevicePtr::of);
        let params = SortPassParams {
            width: Default::default(),
            rows,
            length,
            input: read(self.input),
            keys: [Written(Some(sorted)), Written(Some(DevicePtr::start(&other)))],
            at_ranks: Read(Sorting::pointer(self.parts)),
            given: Read(Sorting::pointer(self.given)),
            payloads: [Written(Sorting::pointer(self.payload)), Written(Some(DevicePtr::start(&payload)))],
            counts: Written(Some(zeroed)),
            plan: Written(Some(plan_at)),
            tickets: Written(Some(first.moved(states as i64))),
            states: [Written(Some(first)), Written(Some(rest))],
            chunk,
            tiles: tiles as u32,
            chunks: chunks as u32,
            digit: 0,
            in_place,
            want_keys: self.sorted.is_some(),
        };
        let launcher = Launcher::on(device);
        let run = |function, blocks, threads: usize, shared: usize, digit: usize| {
            let params = SortPassParams { digit: digit as u32, ..params };
            // SAFETY: the arrays and the scratch memory are of the sizes that the plan of any row reaches, the shared
            // memory of a pass holds a tile; the kernel keeps an element's position within its row, even if the
            // elements have changed since they were counted.
            unsafe { launcher.launch_sharing(function, blocks, threads, shared, &params) }
        };
        run(count, counting, threads, 0, 0)?;
        run(plan, Blocks::of(rows, rows, "rows"), BINS, 0, 0)?;
        for digit in 0..digits {
            run(pass, passing, threads, threads * items as usize * (item + carried), digit)?;
        }
        run(finish, counting, threads, 0, 0)
    }
}
