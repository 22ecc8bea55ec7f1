//! Radix sort of rows longer than a block: the launches.
//!
//! A pass for each byte of the key reads and writes all elements once; bytes that are the same in the whole row are
//! skipped. Passes are stable, so that the whole sort is.
//!
//! One long row of keys of 8 bytes or more is sorted by its leading digits only, as many as a sample says, and then
//! within the runs of elements that are equal in these: one more read of the elements.

use cuprum_kernels::params::{Read, Written};
use cuprum_kernels::source::{
    Carried, SORT_LISTED_SLOTS, SORT_REPAIRERS, SORT_SAMPLE_BYTES, SORT_SAMPLERS, SortPass, SortPassParams,
    sort_repaired,
};

use super::Sorting;
use crate::driver::Function;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, read};
use crate::engine::make;
use crate::error::Result;

/// Number of values of a digit.
const BINS: usize = 256;
/// Bytes of a pair of an element and its payload.
const PAIR: usize = 8;
/// Row length from which counts have 64 bits: two of the bits are flags.
const WIDE: usize = 1 << 30;
/// Number of blocks that count: as many as a device runs at the same time, each with enough work to amortise its own
/// counters.
const COUNTING_BLOCKS: usize = 2048;
/// Minimum number of elements of a counting block, and the unit of its share: a multiple of what 256 and 384 threads
/// read at once.
const LEAST_CHUNK: usize = 24 << 10;
const CHUNK_STEP: usize = 12 << 10;

/// Bytes of a key, and length of a row, from which a row is sorted by its leading digits: the launches that this adds
/// take as long as a pass over fewer elements.
const LEADING_BYTES: usize = 8;
const LEADING_LENGTH: usize = 1 << 23;

/// The kernels of a source, in the order of their launches.
const NAMES: [&str; 4] = ["sort_count", "sort_plan", "sort_pass", "sort_finish"];
/// Those of a sort by leading digits, after the others.
const LEADING_NAMES: [&str; 8] =
    [NAMES[0], NAMES[1], NAMES[2], NAMES[3], "sort_sample", "sort_repair", "sort_listed", "sort_again"];

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<SortPass, 4> = Kernels::default();
    static LEADING_KERNELS: Kernels<SortPass, 8> = Kernels::default();
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
    /// Returns true if the row is sorted by its leading digits. They are sorted again from the input if they do not
    /// suffice: a payload that belongs to the input's order needs the input.
    fn is_by_leading(&self) -> bool {
        let room = self.device.info().shared_bytes as usize > SORT_SAMPLE_BYTES + 1024;
        let fits = self.rows == 1 && self.parts.is_none() && self.dtype.size() >= LEADING_BYTES && room;
        fits && self.length >= LEADING_LENGTH && !(self.is_in_place() && self.payload.is_some())
    }

    fn is_in_place(&self) -> bool {
        self.sorted.is_some_and(|sorted| sorted.addr() == self.input.addr())
    }

    pub(super) fn in_passes(&self, items: Option<u16>) -> Result<()> {
        self.in_passes_by(items, self.is_by_leading())
    }

    /// Sorts in passes, by leading digits if `leading`; a row of any length, to test.
    pub(super) fn in_passes_by(&self, items: Option<u16>, leading: bool) -> Result<()> {
        let Sorting { device, rows, length, .. } = *self;
        let (item, wide) = (self.dtype.size(), length >= WIDE);
        let wanted = self.parts.map_or(0, |at_ranks| at_ranks.size() / rows) as u8;
        let mut key =
            SortPass { dtype: self.dtype, threads: 0, items: 0, carried: self.carried, wanted, wide, leading };
        let ((carried, result), digits) = (key.carried_bytes(), key.digits());
        let (threads, most) = shape_of(item, carried);
        // Bytes that a pass moves together.
        let moved = if key.paired() { PAIR } else { item + carried };
        let room = (device.info().shared_bytes as usize - counters_of(threads)) / (threads * moved);
        let items = items.unwrap_or(most.min(room as u16));
        (key.threads, key.items) = (threads as u16, items);
        let source = || (key.name(), key.source());
        let ([count, plan, pass, finish], by_leading) = if leading {
            let [count, plan, pass, finish, rest @ ..] = kernels(&LEADING_KERNELS, device, key, LEADING_NAMES, source)?;
            ([count, plan, pass, finish], Some(rest))
        } else {
            (kernels(&KERNELS, device, key, NAMES, source)?, None)
        };
        let tiles = length.div_ceil(threads * items as usize);
        let chunk = length.div_ceil((COUNTING_BLOCKS / rows).max(1)).max(LEAST_CHUNK).next_multiple_of(CHUNK_STEP);
        let chunks = length.div_ceil(chunk);
        let (counting, passing) =
            (Blocks::of(rows * chunks, rows * length, "elements"), Blocks::of(rows * tiles, rows * length, "elements"));

        let in_place = self.is_in_place();
        let bytes = rows * length * item;
        let (several, pairs) = (digits > 1, if key.paired() { rows * length * PAIR } else { 0 });
        // The first of several passes writes the other buffer; the second of three or more, this one. Pairs have two buffers,
        // of which positions of the result are one.
        let others = match self.carried {
            Carried::Position if pairs > 0 => 0,
            _ => pairs.max(bytes),
        };
        let other = (if several { others } else { 0 }).max(if in_place { bytes } else { 0 });
        let other = device.alloc(other)?;
        let scratch = device.alloc(if self.sorted.is_none() && digits > 2 && pairs == 0 { bytes } else { 0 })?;
        let payload = if pairs > 0 { pairs } else { (rows - 1) * length * result + length * carried };
        let payload = device.alloc(if several { payload } else { 0 })?;
        let word = if wide { 8 } else { 4 };
        let stages = 1 + usize::from(leading);
        let (counts, states) = (stages * rows * digits * BINS * word, rows * tiles * BINS * word);
        let listed = if leading { SORT_LISTED_SLOTS * word } else { 0 };
        // Counts, tile states, listed runs and tickets begin at 0.
        let words = (counts + states + listed) / 4 + stages * digits;
        let zeroed = make::zeros(device, &[words], cuprum_kernels::DType::U32)?;
        let rest = device.alloc(states + stages * rows * (digits + 2) * 4)?;

        let (zeroed, rest) = (DevicePtr::of(&zeroed), DevicePtr::start(&rest));
        let (first, plan_at) = (zeroed.moved(counts as i64), rest.moved(states as i64));
        let listed_at = first.moved(states as i64);
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
            tickets: Written(Some(listed_at.moved(listed as i64))),
            states: [Written(Some(first)), Written(Some(rest))],
            listed: Written(leading.then_some(listed_at)),
            chunk,
            tiles: tiles as u32,
            chunks: chunks as u32,
            digit: 0,
            stage: 0,
            in_place,
            want_keys: self.sorted.is_some(),
        };
        let launcher = Launcher::on(device);
        let tile_bytes = threads * items as usize * moved;
        let run = |function, blocks, threads: usize, shared: usize, digit: usize, stage: u32| {
            let params = SortPassParams { digit: digit as u32, stage, ..params };
            // SAFETY: the arrays and the scratch memory are of the sizes that the plan of any row reaches, the shared
            // memory of a pass holds a tile, that of a sample the sample; the kernels keep an element's position within
            // its row, even if the elements have changed since they were counted.
            unsafe { launcher.launch_sharing(function, blocks, threads, shared, &params) }
        };
        let stage = |pass: Function, passing: Blocks, stage| {
            run(count, counting, threads, 0, 0, stage)?;
            run(plan, Blocks::of(rows, rows, "rows"), BINS, 0, 0, stage)?;
            for digit in 0..digits {
                run(pass, passing, threads, tile_bytes, digit, stage)?;
            }
            run(finish, counting, threads, 0, 0, stage)
        };
        let Some([sample, repair, listed, again]) = by_leading else {
            return stage(pass, passing, 0);
        };
        run(sample, Blocks::of(1, 1, "rows"), SORT_SAMPLERS, SORT_SAMPLE_BYTES, 0, 0)?;
        stage(pass, passing, 0)?;
        run(repair, Blocks::of(length.div_ceil(sort_repaired(item)), length, "elements"), SORT_REPAIRERS, 0, 0, 0)?;
        let slots = SORT_LISTED_SLOTS / SORT_REPAIRERS;
        run(listed, Blocks::of(slots, length, "elements"), SORT_REPAIRERS, 0, 0, 0)?;
        // Tiles of blocks that run at the same time: each continues with the next tile.
        let few = tiles.min(4 * device.info().multiprocessors as usize);
        stage(again, Blocks::of(few, length, "elements"), 1)
    }
}
