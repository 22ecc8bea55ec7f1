//! Changes of the sampling rate by an integral factor and a divisor, with a filter between.
//!
//! The weights, the factors and the border are data of a launch. Lower bound: the bytes of input and output.

use cuprum_kernels::params::{Size, Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{UPFIRDN_REACH, Upfirdn, UpfirdnParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, one_device, read, written};
use super::make;
use super::window::{BorderRule, apart};
use crate::array::Array;
use crate::error::Result;
use crate::layout::{Dims, Strides};

/// Threads of a block, as in `include/upfirdn.cuh`.
const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Upfirdn> = Kernels::default();
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
        let phases = make::of(device, &phases, &[phases.len()])?;
        let others: Dims = (0..src.ndim()).filter(|&d| d != axis).collect();
        let sizes: Dims = others.iter().map(|&d| src.shape()[d]).collect();
        let steps = |a: &Array| -> Strides { others.iter().map(|&d| a.strides()[d]).collect() };
        let lines: usize = sizes.iter().product();
        let (src_steps, dst_steps) = (steps(src), steps(out));
        let along = dst_steps.last().is_none_or(|step| out.strides()[axis].unsigned_abs() <= step.unsigned_abs());
        // Results of a thread share their weights: they are a multiple of `up` apart.
        let pitch = self.up * if along { THREADS.div_ceil(self.up) } else { 1 };
        let (pitch, reach) = if results >= pitch * UPFIRDN_REACH { (pitch, UPFIRDN_REACH) } else { (results, 1) };
        let segments = results.div_ceil(pitch * reach);
        let threads = lines * segments * pitch;
        let last = (results - 1).saturating_mul(self.down).saturating_add(self.shift);
        let width = Width::of(others.len(), threads.max(last + self.down * pitch * reach).max(self.up));
        let key = Upfirdn { from: src.dtype(), to: out.dtype(), width };
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
