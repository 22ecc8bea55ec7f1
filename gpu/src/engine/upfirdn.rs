//! Changes of the sampling rate by an integral factor and a divisor, with a filter between.
//!
//! The weights, the factors and the border are data of a launch. Long lines whose elements are adjacent have a kernel
//! of tiles; a thread of the other one has a few results of one or of adjacent lines.
//!
//! Lower bound: the bytes of input and output, and a product for each weight of a phase and each result.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Size, Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{
    UPFIRDN_REACH, UPFIRDN_TILE_REACH, UPFIRDN_WEIGHTS, Upfirdn, UpfirdnParams, UpfirdnTileParams,
};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, one_device, read, written};
use super::make;
use super::window::{BorderRule, apart, few_or_list};
use crate::array::Array;
use crate::error::Result;
use crate::layout::{Dims, Strides};

/// Threads of a block, as in `include/upfirdn.cuh`.
const THREADS: usize = 256;
/// Shared memory of a multiprocessor for two tiles and the results of one of each block, and of a block for the weights; and
/// the least threads and the most phases for which a tile pays.
const TILES_BYTES: usize = 220 << 10;
const WEIGHT_BYTES: usize = 10 << 10;
const LEAST_THREADS: usize = 64;
const MOST_PHASES: usize = 64;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Upfirdn> = Kernels::default();
}

/// Division of a line into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tiles {
    /// Results of a thread, and blocks that run on a multiprocessor.
    kernel: [usize; 2],
    /// Groups of `up` threads with results.
    groups: usize,
    /// Elements of a tile.
    elements: usize,
    /// Numbers in shared memory for the elements of one remainder modulo `down`.
    plane: usize,
    /// Numbers in shared memory for the elements.
    numbers: usize,
    /// Bytes of shared memory without the weights.
    bytes: usize,
}

impl Tiles {
    /// Returns the tiles of lines of `results` results, if they are long enough and their elements fit. The items are the bytes of an element
    /// in shared memory and of a result.
    ///
    /// A thread has many results if all threads of a block have.
    fn of(results: usize, taps: usize, rates: (usize, usize), items: [usize; 2]) -> Option<Tiles> {
        let [many, few] = UPFIRDN_TILE_REACH.map(|kernel| Tiles::with(kernel, results, taps, rates, items));
        many.filter(|tiles| tiles.groups == THREADS / rates.0).or(few)
    }

    fn with(
        kernel: [usize; 2],
        results: usize,
        taps: usize,
        (up, down): (usize, usize),
        items: [usize; 2],
    ) -> Option<Tiles> {
        let [reach, blocks] = kernel;
        if up > MOST_PHASES || down > THREADS || 8 * up * (taps | 1) > WEIGHT_BYTES {
            return None;
        }
        let of = |groups: usize| {
            let elements = taps + reach * groups * down;
            let values = elements.div_ceil(down);
            let padding = if reach % 2 == 0 { values / reach } else { 0 };
            // An odd number for all but one remainder: planes begin in different banks.
            let plane = (values + padding + 1) | 1;
            let results = reach * groups * up;
            // Results after two tiles are aligned.
            let numbers = plane * down;
            let bytes = items[0] * 2 * numbers + items[1] * (results + results / 16 + 1);
            Tiles { kernel, groups, elements, plane, numbers, bytes }
        };
        let mut groups = (THREADS / up).min(results.div_ceil(reach * up));
        while groups > 0 && of(groups).bytes > TILES_BYTES / blocks {
            groups -= groups.div_ceil(16);
        }
        (groups * up >= LEAST_THREADS).then(|| of(groups))
    }
}

/// A filter between two sampling rates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resampling<'a> {
    /// The weights of the filter.
    pub(crate) weights: &'a [f64],
    /// Factor of the rate before the filter.
    pub(crate) up: usize,
    /// Divisor of the rate after the filter.
    pub(crate) down: usize,
    /// Position of the first result at the higher rate.
    pub(crate) shift: usize,
    /// Continuation beyond the ends.
    pub(crate) rule: BorderRule,
    /// Value of the constant continuation.
    pub(crate) cval: f64,
}

impl Resampling<'_> {
    /// Filters along an axis, in which alone `out` differs in shape from `src`. Neither is complex, and the axis of the
    /// input is not empty.
    pub(crate) fn run(&self, src: &Array, axis: usize, out: &Array) -> Result<()> {
        one_device(src, [out])?;
        if out.size() == 0 {
            return Ok(());
        }
        apart(src, out, |out| self.launch(src, axis, out))
    }

    fn launch(&self, src: &Array, axis: usize, out: &Array) -> Result<()> {
        let (device, results) = (out.device(), out.shape()[axis]);
        let taps = self.weights.len().div_ceil(self.up);
        let mut phases = vec![0.0; taps * self.up];
        for (i, w) in self.weights.iter().enumerate() {
            phases[i % self.up * taps + i / self.up] = *w;
        }
        let phases_finite = phases.iter().all(|w| w.is_finite());
        let others: Dims = (0..src.ndim()).filter(|&d| d != axis).collect();
        let sizes: Dims = others.iter().map(|&d| src.shape()[d]).collect();
        let steps = |a: &Array| -> Strides { others.iter().map(|&d| a.strides()[d]).collect() };
        let lines: usize = sizes.iter().product();
        let (src_steps, dst_steps) = (steps(src), steps(out));
        let along = dst_steps.last().is_none_or(|step| out.strides()[axis].unsigned_abs() <= step.unsigned_abs());
        let last = (results + UPFIRDN_TILE_REACH[0][0] * THREADS).saturating_mul(self.down).saturating_add(self.shift);
        let width = Width::of(others.len(), (2 * out.size()).max(last).max(self.up));
        let key = Upfirdn { from: src.dtype(), to: out.dtype(), tile: None, width };
        let number = key.number();
        // Beyond a border of zeros an infinite weight does not matter, which the kernel of tiles does not distinguish; and there the constant is a
        // number like the elements.
        let exact =
            self.rule != BorderRule::Constant || number == DType::F64 || f64::from(self.cval as f32) == self.cval;
        if along
            && phases_finite
            && exact
            && let Some(tiles) = Tiles::of(results, taps, (self.up, self.down), [number.size(), out.itemsize()])
        {
            let (few, list) = few_or_list::<_, { UPFIRDN_WEIGHTS / 32 }>(device, &phases)?;
            let [reach, blocks] = tiles.kernel;
            let key = Upfirdn { tile: Some(tiles.kernel), ..key };
            let [function] = kernels(&KERNELS, device, key, ["upfirdn_tile"], || (key.name(), key.source()))?;
            let tile_results = reach * tiles.groups * self.up;
            let line_tiles = results.div_ceil(tile_results);
            let count = lines * line_tiles;
            let params = UpfirdnTileParams {
                width,
                count,
                tiles: Size(line_tiles),
                tile_results,
                results,
                n: src.shape()[axis] as i64,
                taps: taps as i64,
                shift: self.shift,
                cval: self.cval,
                src: read(src),
                dst: written(out),
                weights: list.as_ref().map_or(Read(None), read),
                src_step: src.strides()[axis],
                dst_step: out.strides()[axis],
                up: Size(self.up),
                down: Size(self.down),
                sizes: Sizes(&sizes),
                src_steps: Numbers(&src_steps),
                dst_steps: Numbers(&dst_steps),
                axes: sizes.len() as u32,
                rule: self.rule as u32,
                elements: tiles.elements as u32,
                tile_numbers: tiles.numbers as u32,
                plane: tiles.plane as u32,
                groups: tiles.groups as u32,
                few,
            };
            let blocks = count.min(blocks * device.info().multiprocessors as usize);
            let blocks = Blocks::of(blocks, out.size(), "results");
            let threads = (tiles.groups * self.up).next_multiple_of(32);
            let shared = (tiles.bytes + 8 * self.up * (taps | 1)).next_multiple_of(16);
            // SAFETY: `include/upfirdn_tile.cuh` reads elements within the axis, by the rule of the border, and `up` phases of weights, and
            // writes the results of a line once; shared memory has room for the elements, the results and the weights of a tile.
            return unsafe { Launcher::on(device).launch_sharing(function, blocks, threads, shared, &params) };
        }
        let phases = make::of(device, &phases, &[phases.len()])?;
        // Results of a thread share their weights: they are a multiple of `up` apart.
        let pitch = self.up * if along { THREADS.div_ceil(self.up) } else { 1 };
        let (pitch, reach) = if results >= pitch * UPFIRDN_REACH { (pitch, UPFIRDN_REACH) } else { (results, 1) };
        let segments = results.div_ceil(pitch * reach);
        let threads = lines * segments * pitch;
        let last = (results - 1).saturating_mul(self.down).saturating_add(self.shift);
        let width = Width::of(others.len(), threads.max(last + self.down * pitch * reach).max(self.up));
        let key = Upfirdn { from: src.dtype(), to: out.dtype(), tile: None, width };
        let [function] = kernels(&KERNELS, device, key, ["upfirdn"], || (key.name(), key.source()))?;
        let params = UpfirdnParams {
            width,
            count: threads,
            results,
            pitch,
            reach,
            advance: (pitch / self.up * self.down) as i64,
            n: src.shape()[axis] as i64,
            taps: taps as i64,
            down: self.down,
            shift: self.shift,
            cval: self.cval,
            src: read(src),
            dst: written(out),
            weights: read(&phases),
            src_step: src.strides()[axis],
            dst_step: out.strides()[axis],
            up: Size(self.up),
            inner: Size(if along { pitch } else { lines }),
            segments: Size(if along { segments } else { pitch }),
            sizes: Sizes(&sizes),
            src_steps: Numbers(&src_steps),
            dst_steps: Numbers(&dst_steps),
            axes: sizes.len() as u32,
            rule: self.rule as u32,
            along,
            zero: self.rule == BorderRule::Constant && self.cval == 0.0,
        };
        let blocks = Blocks::of(threads.div_ceil(THREADS), out.size(), "results");
        // SAFETY: `include/upfirdn.cuh` reads elements within the axis, by the rule of the border, and weights of one of `up` phases, and one
        // thread writes each result.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_fit_into_shared_memory() {
        for (up, down, taps) in [(1, 1, 11), (3, 2, 21), (2, 3, 31), (1, 4, 81), (50, 49, 21), (7, 5, 170)] {
            let Some(tiles) = Tiles::of(1 << 24, taps, (up, down), [8, 8]) else { panic!("no tiles for {up}/{down}") };
            let [reach, blocks] = tiles.kernel;
            assert!(blocks * tiles.bytes <= TILES_BYTES && tiles.groups * up <= THREADS, "{up}/{down}: {tiles:?}");
            // The last element of each remainder is in its plane.
            let last = (tiles.elements - 1) / down;
            let padding = if reach % 2 == 0 { last / reach } else { 0 };
            assert!(last + padding < tiles.plane, "{up}/{down}: {tiles:?}");
        }
        assert_eq!(Tiles::of(100, 21, (3, 2), [8, 8]), None);
        assert_eq!(Tiles::of(1 << 24, 21, (1000, 999), [8, 8]), None);
    }
}
