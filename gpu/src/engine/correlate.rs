//! Correlations of sequences.
//!
//! Floor: a product of two elements for each result and element of the shorter sequence, of which an H200 does 132 * 128 in
//! a clock for float32: 10^6 results of 1000 elements take 0.035 ms. The sequences are in the second-level cache. A tile of
//! results reads 16 bytes of shared memory for each 16 products, which is less than half of what that gives; few results,
//! which are too few tiles, are shared by threads.

use cuprum_kernels::DType;
use cuprum_kernels::source::{
    CORRELATE_THREADS, CORRELATE_TILE, CORRELATE_TILE_THREADS, CorrelateParams, correlate_source,
};

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

thread_local! {
    /// The kernels that this thread has launched, by device, dtype and whether results are in tiles.
    static KERNELS: Kernels<(DType, bool)> = Kernels::default();
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
        self.run_as(count >= MANY || count >= SOME && k <= SHORT)
    }

    /// In tiles, or by threads that share results.
    fn run_as(&self, tiles: bool) -> Result<()> {
        let (device, dtype) = (self.out.device(), self.out.dtype());
        let source = || (format!("correlate/{dtype}"), correlate_source(dtype, tiles));
        let [function] = kernels(&KERNELS, device, (dtype, tiles), ["correlate"], source)?;
        let (count, k) = (self.out.size(), self.short.size());
        // Threads of a result: a part of the shorter sequence each.
        let sharing = k.div_ceil(16).next_power_of_two().min(CORRELATE_THREADS);
        let side = if tiles { CORRELATE_TILE } else { CORRELATE_THREADS / sharing };
        let threads = if tiles { CORRELATE_TILE_THREADS } else { CORRELATE_THREADS };
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
            ] {
                // Small whole numbers, whose sums are exact.
                let values = |n: usize, by: usize| {
                    crate::remainder(&crate::multiply(&crate::arange(0, n as i64, 1)?, by as i64)?, 5)?.astype(dtype)
                };
                let (long, short) = (values(n, 7)?, values(k, 3)?);
                let [one, other] = [true, false].map(|tiles| {
                    let out = crate::empty([count], dtype)?;
                    Correlation { long: &long, short: &short, lead, out: &out }.run_as(tiles)?;
                    Ok::<_, Error>(out)
                });
                assert!(crate::array_equal(&one?, &other?, ())?, "{dtype} {n} {k} {lead}");
            }
        }
        Ok(())
    }

    /// What lies beyond the longer sequence is not multiplied: the product of nothing and an infinity would be NaN.
    #[test]
    fn infinities_meet_elements_only() -> Result<()> {
        let (long, short) = (crate::ones([1500], DType::F32)?, crate::full([9], f32::INFINITY, DType::F32)?);
        let out = crate::empty([1508], DType::F32)?;
        Correlation { long: &long, short: &short, lead: 8, out: &out }.run_as(true)?;
        assert!(out.to_vec::<f32>()?.iter().all(|&x| x == f32::INFINITY));
        Ok(())
    }

    /// An array of values that the compiler cannot keep in registers goes through memory.
    #[test]
    fn tiles_are_held_in_registers() {
        let options = ["--std=c++17", "-default-device", "--fmad=false"].map(String::from);
        for dtype in DType::ALL {
            let image =
                nvrtc().unwrap().compile(&correlate_source(dtype, true), "correlate", "compute_80", &options, &[]);
            assert!(!String::from_utf8(image.unwrap().code).unwrap().contains(".local"), "{dtype}");
        }
    }
}
