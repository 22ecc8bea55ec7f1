//! Correlations of arrays of several axes, as direct sums of products.
//!
//! Lower bound: one product for each result and element of the shorter array, at the rate at which the L1 cache of a
//! multiprocessor delivers pairs of elements: 16 per clock, of up to 8 bytes. For many more products transforms are
//! faster, which the caller decides.

use cuprum_kernels::params::{Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{CORRELATE_AXES_THREADS, CorrelateAxes, CorrelateAxesParams};

use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;
use crate::layout::Strides;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<CorrelateAxes> = Kernels::default();
}

/// Correlation that is ready to run: `out[o]` is the sum of `long[o + j - lead] * short[j]` over all positions `j` of
/// the shorter array that overlap the longer one. All arrays have the same number of axes, at least one, and the same
/// dtype.
pub(crate) struct AxesCorrelation<'a> {
    /// The operand that is walked.
    pub(crate) long: &'a Array,
    /// The operand that every result reads completely.
    pub(crate) short: &'a Array,
    /// The offset along each axis; negative if the results begin further on.
    pub(crate) lead: &'a [i64],
    /// The results, in C order.
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
        // SAFETY: no element beyond the sizes of either array is read, and every result is written once.
        unsafe { Launcher::on(device).launch(function, blocks, CORRELATE_AXES_THREADS, &params) }
    }
}
