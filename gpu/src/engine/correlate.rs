//! Correlations of sequences.

use cuprum_kernels::DType;
use cuprum_kernels::source::{CORRELATE_THREADS, correlate_source};

use super::kernels::{Kernels, kernels};
use super::params::Params;
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

/// From this many results on a thread has one of its own.
const MANY: usize = 1 << 16;

thread_local! {
    /// The kernels that this thread has launched, by device and dtype.
    static KERNELS: Kernels<DType> = Kernels::default();
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
        let (device, dtype) = (self.out.device(), self.out.dtype());
        let source = || (format!("correlate/{dtype}"), correlate_source(dtype));
        let [function] = kernels(&KERNELS, device, dtype, ["correlate"], source)?;
        let (count, k) = (self.out.size(), self.short.size());
        // Threads of a result: a part of the shorter sequence each, while there are few results.
        let sharing = if count >= MANY { 1 } else { k.div_ceil(16).next_power_of_two().min(CORRELATE_THREADS) };
        let side = CORRELATE_THREADS / sharing;
        let grid = u32::try_from(count.div_ceil(side)).ok().filter(|&g| g <= i32::MAX as u32).ok_or_else(|| {
            Error::new(ErrorKind::Value, format!("{count} results are more than one launch can reach"))
        })?;
        let mut params = Params::default();
        for word in [count, self.long.size(), k, self.lead] {
            params.u64(word as u64);
        }
        for word in [self.long.addr(), self.short.addr(), self.out.addr()] {
            params.u64(word);
        }
        params.strides(self.long.strides(), 1);
        params.strides(self.short.strides(), 1);
        params.u32(side.ilog2());
        params.u32(0);
        // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, and the sizes and
        // strides reach their elements only.
        unsafe { device.launch(function, [grid, 1, 1], [CORRELATE_THREADS as u32, 1, 1], params.as_bytes()) }
    }
}
