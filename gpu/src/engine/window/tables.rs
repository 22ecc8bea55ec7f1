//! Tables of a window over several axes, and the launch that takes them.

use cuprum_kernels::params::{Read, Sizes, Strides as Numbers, Width, Written};
use cuprum_kernels::source::WindowAreaParams;

use super::area::{Binary, THREADS};
use crate::array::Array;
use crate::driver::Function;
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;
use crate::layout::{Dims, Strides};

/// A window with the tables of a launch.
pub(super) struct Tables {
    /// Number of axes.
    pub(super) axes: usize,
    /// Least relative coordinate of an element along each axis.
    pub(super) first: Strides,
    /// Greatest relative coordinate of an element along each axis.
    pub(super) last: Strides,
    /// Number of the border rule of each axis.
    pub(super) rules: Strides,
    /// Length of each axis of the input.
    pub(super) lengths: Strides,
    /// Strides of the input, in bytes.
    pub(super) src_steps: Strides,
    /// Strides of the output, in bytes.
    pub(super) dst_steps: Strides,
}

/// Arguments of a launch beside the tables.
pub(super) struct Windows<'a> {
    pub(super) src: &'a Array,
    pub(super) out: &'a Array,
    /// Runs, terms or elements of a window.
    pub(super) runs: &'a Array,
    /// Number of them.
    pub(super) run_count: usize,
    pub(super) weights: Option<&'a Array>,
    pub(super) rank: usize,
    pub(super) cval: f64,
    /// Results of a thread along the second to last axis.
    pub(super) reach: usize,
    pub(super) binary: Binary<'a>,
}

impl Tables {
    /// Creates the tables of a window whose elements have given coordinates relative to the result.
    pub(super) fn new<'a>(
        src: &Array,
        out: &Array,
        rules: Strides,
        elements: impl Iterator<Item = &'a Strides> + Clone,
    ) -> Tables {
        let axes = src.ndim();
        let extreme = |pick: fn(i64, i64) -> i64| -> Strides {
            (0..axes).map(|d| elements.clone().map(|at| at[d]).reduce(pick).unwrap_or(0)).collect()
        };
        Tables {
            axes,
            first: extreme(i64::min),
            last: extreme(i64::max),
            rules,
            lengths: src.shape().iter().map(|n| *n as i64).collect(),
            src_steps: src.strides().into(),
            dst_steps: out.strides().into(),
        }
    }

    /// Launches the function of a width with [`WindowAreaParams`], of which a thread computes `reach` results.
    pub(super) fn launch(&self, windows: &Windows<'_>, function: impl FnOnce(Width) -> Result<Function>) -> Result<()> {
        let &Windows { src, out, runs, run_count, weights, rank, cval, reach, binary } = windows;
        let tall = self.axes - 2;
        let mut sizes: Dims = out.shape().into();
        sizes[tall] = sizes[tall].div_ceil(reach);
        let count: usize = sizes.iter().product();
        let width = Width::of(self.axes, count);
        let function = function(width)?;
        let params = WindowAreaParams {
            width,
            count,
            run_count,
            rank,
            height: out.shape()[tall] as i64,
            cval,
            src: read(src),
            dst: written(out),
            runs: read(runs),
            weights: weights.map_or(Read(None), read),
            mask: binary.mask.map_or(Read(None), read),
            changed: binary.changed.map_or(Written(None), written),
            sizes: Sizes(&sizes),
            lengths: Numbers(&self.lengths),
            first: Numbers(&self.first),
            last: Numbers(&self.last),
            rules: Numbers(&self.rules),
            src_steps: Numbers(&self.src_steps),
            dst_steps: Numbers(&self.dst_steps),
            mask_steps: Numbers(binary.mask.map_or(&[], |mask| mask.strides())),
            axes: self.axes as u32,
            invert: binary.invert,
        };
        let blocks = Blocks::of(count.div_ceil(THREADS), out.size(), "results");
        // SAFETY: elements are read within the input, by the rules of the border, and each result is written by one thread.
        unsafe { Launcher::on(out.device()).launch(function, blocks, THREADS, &params) }
    }
}
