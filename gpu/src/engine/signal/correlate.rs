//! Correlations of one-dimensional sequences.
//!
//! Lower bound: one multiply-add for each result and element of the shorter sequence, at the arithmetic throughput of
//! the device; float64 takes twice, complex64 four times that of float32. The sequences are in the L2 cache.
//!
//! A warp's load of 16 bytes per lane takes four clocks of shared memory, also if all lanes read the same. With 8
//! results a thread has two loads for 32 products of float32 or 16 of float64, whose loads take as long as the products
//! do. With 16 results they take half of that. A complex product of four steps needs no more than 8 results for that,
//! and 16 would take all registers. Loaded elements are used a chunk later.
//!
//! A warp has its tile alone. If all tiles run at the same time a multiprocessor has one block, with as many warps as
//! it has tiles: the last warp decides the time of the call. The warps at both ends of the longer sequence have more
//! work, some 30 single-product steps in which some results have no operand.
//!
//! A few results, which make too few tiles, are shared by threads.

use cuprum_kernels::DType;
use cuprum_kernels::params::Read;
use cuprum_kernels::source::{
    CORRELATE_MOST_THREADS, CORRELATE_THREADS, CorrelateParams, correlate_source, correlate_tile, correlate_tile_bytes,
};

use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;

/// Results of the largest tile.
pub(in crate::engine) const TILE: usize = correlate_tile(16);
/// Number of results from which there are enough tiles.
const MANY: usize = 1 << 15;
/// The same for shorter sequences of at most [`SHORT`] elements.
const SOME: usize = 1 << 10;
const SHORT: usize = 128;
/// Number of results from which a thread of a tile has 16 of them instead of 8, if they fit in registers and shared
/// memory is the bottleneck.
const WIDE: usize = 1 << 18;
/// Length of the shorter sequence up to which a thread has 8 results nevertheless: more warps hide the latency of memory.
const FEW: usize = 48;
/// Multiprocessors of a large device.
const MULTIPROCESSORS: usize = 132;
/// Warps of a block if there are more tiles than run at the same time, so that blocks that end are replaced soon.
const SOME_WARPS: usize = 4;

thread_local! {
    /// The kernels that this thread has launched, by device, dtype and, for tiles, the number of results of a thread.
    static KERNELS: Kernels<(DType, Option<usize>)> = Kernels::default();
}

/// Correlation that is ready to run: `out[o]` is the sum of `long[o + j - lead] * short[j]`. All arrays have one axis
/// and the same dtype.
pub(crate) struct Correlation<'a> {
    /// The longer operand.
    pub(crate) long: &'a Array,
    /// The shorter operand.
    pub(crate) short: &'a Array,
    /// The offset of the formula.
    pub(crate) lead: usize,
    /// The results, in C order.
    pub(crate) out: &'a Array,
}

/// Flags of the results that transforms have left to the kernel of tiles.
#[derive(Clone, Copy)]
pub(super) struct Left<'a> {
    /// 1 or 0 for each group of results.
    pub(super) flags: &'a Array,
    /// Results of a group, a multiple of those of a tile.
    pub(super) each: usize,
}

impl Correlation<'_> {
    pub(crate) fn run(&self) -> Result<()> {
        let (count, k) = (self.out.size(), self.short.size());
        if self.is_transformed() {
            self.run_transformed()
        } else if count >= MANY || count >= SOME && k <= SHORT {
            self.run_tiles(None)
        } else {
            self.run_as(None, None)
        }
    }

    /// Runs it in tiles, all of them or those that transforms have left.
    pub(super) fn run_tiles(&self, left: Option<Left<'_>>) -> Result<()> {
        let registers = matches!(self.out.dtype(), DType::C64 | DType::C128 | DType::I64 | DType::U64);
        let wide = self.out.size() >= WIDE && self.short.size() > FEW && !registers;
        self.run_as(Some(if wide { 16 } else { 8 }), left)
    }

    /// Runs it in tiles, of which a thread has `group` results, or by threads that share results.
    fn run_as(&self, group: Option<usize>, left: Option<Left<'_>>) -> Result<()> {
        let (device, dtype) = (self.out.device(), self.out.dtype());
        let source = || (format!("correlate/{dtype}"), correlate_source(dtype, group));
        let [function] = kernels(&KERNELS, device, (dtype, group), ["correlate"], source)?;
        let (count, k) = (self.out.size(), self.short.size());
        // Number of threads of a result, each with a part of the shorter sequence.
        let sharing = k.div_ceil(16).next_power_of_two().min(CORRELATE_THREADS);
        let [side, threads, shared] = match group {
            None => [CORRELATE_THREADS / sharing, CORRELATE_THREADS, 0],
            Some(group) => {
                let (tile, bytes) = (correlate_tile(group), correlate_tile_bytes(dtype, group));
                let most = (CORRELATE_MOST_THREADS / 32).min(device.info().shared_bytes as usize / bytes);
                let each = count.div_ceil(tile).div_ceil(MULTIPROCESSORS);
                let warps = if each > most { SOME_WARPS.min(most) } else { each };
                [tile * warps, 32 * warps, bytes * warps]
            }
        };
        let params = CorrelateParams {
            width: Default::default(),
            count,
            n: self.long.size(),
            k,
            lead: self.lead,
            a: read(self.long),
            v: read(self.short),
            out: written(self.out),
            a_step: self.long.strides()[0],
            v_step: self.short.strides()[0],
            outputs_log2: if group.is_some() { 0 } else { side.ilog2() },
            left: left.map_or(Read(None), |left| read(left.flags)),
            left_each: left.map_or(1, |left| left.each as u32),
        };
        let blocks = Blocks::of(count.div_ceil(side), count, "results");
        // SAFETY: the sizes and steps reach elements of the sequences only, and shared memory has a part for each warp.
        // The result is a new array: its address is a multiple of 256 bytes.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, threads, shared, &params) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::driver::nvrtc::nvrtc;

    /// Tiles and shared results have the same integer sums at every boundary: of a tile, of a part of the shorter
    /// sequence, of a group, before the longer one begins and after it ends.
    #[test]
    fn tiles_are_what_results_alone_are() -> Result<()> {
        let all = [
            (1500, 7, 6, 1506),
            (40, 33, 32, 72),
            (4 * TILE, 1, 0, 4 * TILE),
            (1100, 300, 150, 1100),
            (1030, 257, 0, 774),
            (300, 299, 298, 598),
            (3000, 31, 15, 3000),
            (3000, 279, 139, 3000),
        ];
        // The shapes decide about positions, which do not depend on the dtype.
        for dtype in DType::ALL {
            let shapes = if matches!(dtype, DType::F32 | DType::I16) { &all[..] } else { &all[..2] };
            for &(n, k, lead, count) in shapes {
                // Small integers, whose sums are exact.
                let values = |n: usize, by: usize| {
                    crate::remainder(&crate::multiply(&crate::arange(0, n as i64, 1)?, by as i64)?, 5)?.astype(dtype)
                };
                let (long, short) = (values(n, 7)?, values(k, 3)?);
                let [alone, eight, sixteen] = [None, Some(8), Some(16)].map(|group| {
                    let out = crate::empty([count], dtype)?;
                    Correlation { long: &long, short: &short, lead, out: &out }.run_as(group, None)?;
                    Ok::<_, Error>(out)
                });
                let alone = alone?;
                assert!(crate::array_equal(&alone, &eight?, ())?, "{dtype} {n} {k} {lead}");
                assert!(crate::array_equal(&alone, &sixteen?, ())?, "{dtype} {n} {k} {lead}, 16");
            }
        }
        Ok(())
    }

    /// Elements beyond the longer sequence are not multiplied: the product of a missing element and an infinity would
    /// be NaN.
    #[test]
    fn infinities_meet_elements_only() -> Result<()> {
        let (long, short) = (crate::ones([1500], DType::F32)?, crate::full([9], f32::INFINITY, DType::F32)?);
        for group in [8, 16] {
            let out = crate::empty([1508], DType::F32)?;
            Correlation { long: &long, short: &short, lead: 8, out: &out }.run_as(Some(group), None)?;
            assert!(out.to_vec::<f32>()?.iter().all(|&x| x == f32::INFINITY));
        }
        Ok(())
    }

    /// An array of values that the compiler cannot keep in registers would be stored in local memory.
    #[test]
    fn tiles_are_held_in_registers() {
        let options = ["--std=c++17", "-default-device", "--fmad=false"].map(String::from);
        // One dtype of each width: the others of a width have accumulators of the same one.
        for dtype in [DType::I8, DType::F16, DType::F32, DType::I64, DType::C128] {
            for group in [8, 16] {
                let text = correlate_source(dtype, Some(group));
                let image = nvrtc().unwrap().compile(&text, "correlate", "compute_80", &options, &[]);
                assert!(!String::from_utf8(image.unwrap().code).unwrap().contains(".local"), "{dtype} {group}");
            }
        }
    }
}
