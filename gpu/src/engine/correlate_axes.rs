//! Correlations of arrays of several axes, as sums of products.
//!
//! Floor: a product for each result and element of the shorter array, of which a multiprocessor makes as many as its
//! first-level cache gives pairs of elements: 16 a clock of up to 8 bytes, 3.7e12 a second on an H200. 10^6 results of 25
//! elements take 0.007 ms, in which the arrays are read and written once. What asks for many more products is faster by
//! transforms, which the caller weighs.

use cuprum_kernels::params::{Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{CORRELATE_AXES_THREADS, CorrelateAxes, CorrelateAxesParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Strides;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<CorrelateAxes> = Kernels::default();
}

/// A correlation that is ready to run: `out[o]` is the sum of `long[o + j - lead] * short[j]` over all places `j` of the
/// shorter array that meet an element of the longer one. All have as many axes, one at least, and one dtype.
pub(crate) struct AxesCorrelation<'a> {
    pub(crate) long: &'a Array,
    pub(crate) short: &'a Array,
    /// Along each axis; below 0 where the results begin further on.
    pub(crate) lead: &'a [i64],
    /// In C order.
    pub(crate) out: &'a Array,
}

impl AxesCorrelation<'_> {
    pub(crate) fn run(&self) -> Result<()> {
        let (device, dtype, axes) = (self.out.device(), self.out.dtype(), self.out.ndim());
        let count = self.out.size();
        if count == 0 {
            return Ok(());
        }
        let width = Width::of(axes, count);
        let key = CorrelateAxes { dtype, axes, width };
        let [function] = kernels(&KERNELS, device, key, ["correlate_axes"], || (key.name(), key.source()))?;
        let numbers = |sizes: &[usize]| -> Strides { sizes.iter().map(|n| *n as i64).collect() };
        let (longs, shorts) = (numbers(self.long.shape()), numbers(self.short.shape()));
        let params = CorrelateAxesParams {
            width,
            count,
            a: read(self.long),
            v: read(self.short),
            out: written(self.out),
            sizes: Sizes(self.out.shape()),
            longs: Numbers(&longs),
            shorts: Numbers(&shorts),
            leads: Numbers(self.lead),
            a_steps: Numbers(self.long.strides()),
            v_steps: Numbers(self.short.strides()),
        };
        let blocks = Blocks::of(count.div_ceil(CORRELATE_AXES_THREADS), count, "results");
        // SAFETY: of either array no place beyond its sizes is read, and every result is written once.
        unsafe { Launcher::on(device).launch(function, blocks, CORRELATE_AXES_THREADS, &params) }
    }
}
