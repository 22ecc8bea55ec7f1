//! Correlations of sequences.
//!
//! Floor: a product of two elements for each result and element of the shorter sequence, of which an H200 does 132 * 128 in
//! a clock for float32: 10^6 results of 1000 elements take 0.030 ms, twice that in float64, four times in complex64. The
//! sequences are in the second-level cache.
//!
//! A warp's load of 16 bytes a lane takes four clocks of shared memory, also where all lanes read the same. With 8 results a
//! thread has two loads for 32 products of float32 and for 16 of float64, which take all four warps' 32 clocks, as long as the
//! products do. With 16 they are half of it: in the machine code for compute capability 9.0 a round has some 550 instructions, 16 of
//! them loads, for 512 products of float32. A complex product of four steps needs no more than 8 results for that, and 16 take all
//! registers. What is loaded is used a chunk later.
//!
//! A warp has its tile alone. Where all tiles run at the same time a multiprocessor has one block, of as many warps as each has tiles: what
//! the last warp takes is what the call does. The warps at both ends of the longer sequence have more to do, some 30 steps of a product each in
//! which a result may have none, of 80 instructions.
//!
//! 2^24 results of 31 elements move 134 MB, 0.032 ms; some 57 instructions a result are 0.038 ms and wait for what is brought. Few
//! results, which are too few tiles, are shared by threads.

use cuprum_kernels::DType;
use cuprum_kernels::source::{
    CORRELATE_MOST_THREADS, CORRELATE_THREADS, CorrelateParams, correlate_source, correlate_tile, correlate_tile_bytes,
};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;

/// Results of the largest tile.
pub(super) const TILE: usize = correlate_tile(16);
/// From this many results on there are tiles enough.
const MANY: usize = 1 << 15;
/// The same where the shorter sequence is no longer than [`SHORT`].
const SOME: usize = 1 << 10;
const SHORT: usize = 128;
/// From this many results on a thread of a tile has 16 of them in place of 8, where they fit in registers and shared memory binds.
const WIDE: usize = 1 << 18;
/// Multiprocessors of a large device.
const MULTIPROCESSORS: usize = 132;
/// Warps of a block where there are more tiles than run at the same time, so that others soon take the place of those that end.
const SOME_WARPS: usize = 4;

thread_local! {
    /// The kernels that this thread has launched, by device, dtype and the results of a thread, where they are in tiles.
    static KERNELS: Kernels<(DType, Option<usize>)> = Kernels::default();
}

/// A correlation that is ready to run: `out[o]` is the sum of `long[o + j - lead] * short[j]`. All are of one axis and one
/// dtype.
pub(crate) struct Correlation<'a> {
    pub(crate) long: &'a Array,
    pub(crate) short: &'a Array,
    pub(crate) lead: usize,
    /// In C order.
    pub(crate) out: &'a Array,
}

impl Correlation<'_> {
    pub(crate) fn run(&self) -> Result<()> {
        let (count, k) = (self.out.size(), self.short.size());
        let tiles = count >= MANY || count >= SOME && k <= SHORT;
        let wide = count >= WIDE && !matches!(self.out.dtype(), DType::C64 | DType::C128 | DType::I64 | DType::U64);
        let group = if wide { 16 } else { 8 };
        self.run_as(tiles.then_some(group))
    }

    /// In tiles, of which a thread has so many results, or by threads that share results.
    fn run_as(&self, group: Option<usize>) -> Result<()> {
        let (device, dtype) = (self.out.device(), self.out.dtype());
        let source = || (format!("correlate/{dtype}"), correlate_source(dtype, group));
        let [function] = kernels(&KERNELS, device, (dtype, group), ["correlate"], source)?;
        let (count, k) = (self.out.size(), self.short.size());
        // Threads of a result: a part of the shorter sequence each.
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
        };
        let blocks = Blocks::of(count.div_ceil(side), count, "results");
        // SAFETY: the sizes and steps reach elements of the sequences only, and shared memory has a part for each warp. The
        // result is a new array: it begins at a multiple of 256 bytes.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, threads, shared, &params) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::driver::nvrtc::nvrtc;

    /// Tiles and shared results give the same sums of integers, at every edge: of a tile, of a part of the shorter
    /// sequence, of a group, before the longer one begins and after it ends.
    #[test]
    fn tiles_are_what_results_alone_are() -> Result<()> {
        for dtype in DType::ALL {
            for (n, k, lead, count) in [
                (4 * TILE, 1, 0, 4 * TILE),
                (1500, 7, 6, 1506),
                (1100, 300, 150, 1100),
                (1030, 257, 0, 774),
                (40, 33, 32, 72),
                (300, 299, 298, 598),
                (3000, 31, 15, 3000),
                (3000, 279, 139, 3000),
            ] {
                // Small whole numbers, whose sums are exact.
                let values = |n: usize, by: usize| {
                    crate::remainder(&crate::multiply(&crate::arange(0, n as i64, 1)?, by as i64)?, 5)?.astype(dtype)
                };
                let (long, short) = (values(n, 7)?, values(k, 3)?);
                let [alone, eight, sixteen] = [None, Some(8), Some(16)].map(|group| {
                    let out = crate::empty([count], dtype)?;
                    Correlation { long: &long, short: &short, lead, out: &out }.run_as(group)?;
                    Ok::<_, Error>(out)
                });
                let alone = alone?;
                assert!(crate::array_equal(&alone, &eight?, ())?, "{dtype} {n} {k} {lead}");
                assert!(crate::array_equal(&alone, &sixteen?, ())?, "{dtype} {n} {k} {lead}, 16");
            }
        }
        Ok(())
    }

    /// What lies beyond the longer sequence is not multiplied: the product of nothing and an infinity would be NaN.
    #[test]
    fn infinities_meet_elements_only() -> Result<()> {
        let (long, short) = (crate::ones([1500], DType::F32)?, crate::full([9], f32::INFINITY, DType::F32)?);
        for group in [8, 16] {
            let out = crate::empty([1508], DType::F32)?;
            Correlation { long: &long, short: &short, lead: 8, out: &out }.run_as(Some(group))?;
            assert!(out.to_vec::<f32>()?.iter().all(|&x| x == f32::INFINITY));
        }
        Ok(())
    }

    /// An array of values that the compiler cannot keep in registers goes through memory.
    #[test]
    fn tiles_are_held_in_registers() {
        let options = ["--std=c++17", "-default-device", "--fmad=false"].map(String::from);
        for dtype in DType::ALL {
            for group in [8, 16] {
                let text = correlate_source(dtype, Some(group));
                let image = nvrtc().unwrap().compile(&text, "correlate", "compute_80", &options, &[]);
                assert!(!String::from_utf8(image.unwrap().code).unwrap().contains(".local"), "{dtype} {group}");
            }
        }
    }
}
