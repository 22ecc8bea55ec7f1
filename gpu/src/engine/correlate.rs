//! Correlations of sequences.
//!
//! Floor: a product of two elements for each result and element of the shorter sequence, of which an H100 does 132 * 128 in
//! a clock for float32: 10^6 results of 1000 elements take 0.030 ms, twice that in float64, four times in complex64. The
//! sequences are in the second-level cache.
//!
//! A warp's load of 16 bytes a lane takes four clocks of shared memory, also where all lanes read the same. With 8 results a
//! thread has two loads for 32 products of float32 and for 16 of float64, which take all four warps' 32 clocks, as long as the
//! products do. With 16 they are half of it: in the machine code for compute capability 9.0 a round has 437 instructions, 12 of
//! them loads, for 384 products of float32; 404, 20 of them loads, for 320 of float64 in 640 clocks; 1,368, 20 of them loads,
//! for the 1,280 steps of complex64. What is loaded is used a chunk later.
//!
//! 2^24 results of 31 elements move 134 MB, 0.045 ms; some 60 instructions a result are 0.034 ms. Few results, which are too few tiles, are
//! shared by threads.

use cuprum_kernels::DType;
use cuprum_kernels::source::{CORRELATE_THREADS, CORRELATE_TILE, CorrelateParams, correlate_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;

/// Results of a tile.
pub(super) const TILE: usize = CORRELATE_TILE;
/// From this many results on there are tiles enough.
const MANY: usize = 1 << 15;
/// The same where the shorter sequence is no longer than [`SHORT`].
const SOME: usize = 1 << 10;
const SHORT: usize = 128;
/// From this many results on a thread of a tile has 16 of them in place of 8, where they fit in registers and shared memory binds:
/// a multiprocessor has two tiles then, and all of its parts warps.
const WIDE: usize = 1 << 18;

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
        let wide = count >= WIDE && !matches!(self.out.dtype(), DType::C128 | DType::I64 | DType::U64);
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
        let side = if group.is_some() { CORRELATE_TILE } else { CORRELATE_THREADS / sharing };
        let threads = group.map_or(CORRELATE_THREADS, |group| CORRELATE_TILE / group);
        let told = CorrelateParams {
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
            outputs_log2: side.ilog2(),
        };
        let blocks = Blocks::of(count.div_ceil(side), count, "results");
        // SAFETY: the sizes and steps reach elements of the sequences only. The result is a new array: it begins at a
        // multiple of 256 bytes.
        unsafe { Launcher::on(device).launch(function, blocks, threads, &told) }
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
                (2 * CORRELATE_TILE, 1, 0, 2 * CORRELATE_TILE),
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
