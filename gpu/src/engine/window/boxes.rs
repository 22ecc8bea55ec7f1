//! Extremes of boxes over the last three axes, from tiles of one plane after another.
//!
//! Lower bound: the bytes of input and output.

use cuprum_kernels::params::{Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{WindowBox, WindowBoxParams, WindowOp};

use super::line::Pass;
use super::tile::dense;
use super::{BorderRule, constant};
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;

/// Planes of a block: those around it are loaded again for the next one.
const DEPTH: usize = 32;
const LEAST_DEPTH: usize = 8;
/// Least results, and columns from which half of a row of a tile is used.
const LARGE: usize = 1 << 14;
const NARROW: usize = 32;
/// Bytes of shared memory of a block with which two run on a multiprocessor at a time.
const SHARED: usize = 100 << 10;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<WindowBox> = Kernels::default();
}

/// Three passes for extremes of one kind, along the last three axes of a view.
#[derive(Debug)]
pub(super) struct Boxes<'a> {
    /// The passes in the order of their axes.
    passes: [&'a Pass; 3],
    /// The kernel.
    key: WindowBox,
}

impl<'a> Boxes<'a> {
    /// Returns passes as one launch, if they can be one: extremes do not depend on the order of the axes.
    pub(super) fn of(passes: [&'a Pass; 3], src: &Array, out: &Array) -> Option<Boxes<'a>> {
        let axes = out.ndim();
        let mut passes = passes;
        passes.sort_by_key(|pass| pass.axis);
        let first = axes.checked_sub(3)?;
        let op = passes[0].op.kind();
        let sizes = passes.map(|pass| pass.op.size());
        let cval = passes.iter().filter(|pass| pass.rule == BorderRule::Constant).map(|pass| pass.cval.to_bits());
        let key = WindowBox { op, dtype: out.dtype(), deep: Width::of(axes, 0).deep };
        let fits = (0..3).all(|k| passes[k].axis == first + k)
            && matches!(op, WindowOp::Minimum | WindowOp::Maximum)
            && passes.iter().all(|pass| pass.op.kind() == op)
            && sizes.iter().all(|size| (1..=WindowBox::MOST).contains(size))
            && cval.clone().all(|bits| Some(bits) == cval.clone().next())
            && src.dtype() == out.dtype()
            && out.size() >= LARGE
            && out.shape()[axes - 1] >= NARROW
            && dense(src, axes - 1)
            && dense(out, axes - 1)
            && key.shared(sizes) <= SHARED.min(out.device().info().shared_bytes as usize);
        fits.then_some(Boxes { passes, key })
    }

    /// Computes the extremes. The arrays share no memory, and are as dense as those that the boxes were created for.
    pub(super) fn run(&self, src: &Array, out: &Array) -> Result<()> {
        let Boxes { passes, key } = self;
        let device = out.device();
        let [function] = kernels(&KERNELS, device, *key, ["window_box"], || (key.name(), key.source()))?;
        let others = out.ndim() - 3;
        let n: [usize; 3] = std::array::from_fn(|k| out.shape()[others + k]);
        let sizes = passes.map(|pass| pass.op.size());
        let (tiles_x, tiles_y) = (n[2].div_ceil(WindowBox::COLUMNS + 1 - sizes[2]), n[1].div_ceil(WindowBox::HEIGHT));
        let columns = out.shape()[..others].iter().product::<usize>().saturating_mul(tiles_x).saturating_mul(tiles_y);
        let enough = 8 * device.info().multiprocessors as usize;
        let mut depth = DEPTH;
        while depth > LEAST_DEPTH && n[0].div_ceil(depth).saturating_mul(columns) < enough {
            depth /= 2;
        }
        let parts = n[0].div_ceil(depth);
        let cval = passes.iter().find(|pass| pass.rule == BorderRule::Constant).map_or(0.0, |pass| pass.cval);
        let params = WindowBoxParams {
            width: Width { wide: false, deep: key.deep },
            src: read(src),
            dst: written(out),
            cval: constant(key.dtype, cval),
            n: n.map(|n| n as i64),
            leads: passes.map(|pass| pass.lead),
            src_z: src.strides()[others],
            src_y: src.strides()[others + 1],
            dst_z: out.strides()[others],
            dst_y: out.strides()[others + 1],
            sizes_of: sizes.map(|n| n as u32),
            rules: passes.map(|pass| pass.rule as u32),
            depth: depth as u32,
            parts: parts as u32,
            tiles_x: tiles_x as u32,
            tiles_y: tiles_y as u32,
            axes: others as u32,
            sizes: Sizes(&out.shape()[..others]),
            src_steps: Numbers(&src.strides()[..others]),
            dst_steps: Numbers(&out.strides()[..others]),
        };
        let blocks = Blocks::of(columns.saturating_mul(parts), out.size(), "results");
        // SAFETY: `include/window_box.cuh` reads elements within the axes, by the rules of the border; tiles and kept extremes are within the
        // shared memory of the key; each result is written by one thread.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, WindowBox::THREADS, key.shared(sizes), &params) }
    }
}
