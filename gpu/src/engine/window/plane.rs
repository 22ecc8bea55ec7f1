//! Weighted sums along the last two axes, one after the other in one launch.

use cuprum_kernels::params::{Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{WINDOW_PLANE_MOST, WINDOW_PLANE_WIDTH, WindowPlane, WindowPlaneParams};

use super::line::{LineOp, Pass};
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;

/// Threads of a block.
const THREADS: usize = 256;

/// Bytes of shared memory of a block with which three run on a multiprocessor at a time: fewer hide no latency.
const SHARED: usize = 75 << 10;

/// Elements from which two passes in one launch are worth a kernel of their own.
const LARGE: usize = 1 << 14;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<WindowPlane> = Kernels::default();
}

/// Two passes along the last two axes.
#[derive(Debug)]
pub(super) struct Plane<'a> {
    /// The pass along the second to last axis and that along the last one.
    passes: [&'a Pass; 2],
    /// The kernel.
    key: WindowPlane,
}

impl<'a> Plane<'a> {
    /// Returns the plane of two passes that one launch computes: weighted sums along the last two axes, which the rows of
    /// the input and of the results are dense along, with windows that leave room for other blocks in shared memory.
    pub(super) fn of(first: &'a Pass, second: &'a Pass, src: &Array, out: &Array) -> Option<Plane<'a>> {
        let axes = out.ndim();
        let x_first = first.axis + 1 == axes;
        let passes = if x_first { [second, first] } else { [first, second] };
        let weighted = |pass: &Pass| matches!(pass.op, LineOp::Weights(_));
        let key = WindowPlane { dtype: out.dtype(), x_first, deep: Width::of(axes, 0).deep };
        let item = out.dtype().size() as i64;
        let fits = axes >= 2
            && [passes[0].axis + 2, passes[1].axis + 1] == [axes; 2]
            && weighted(first)
            && weighted(second)
            && src.dtype() == out.dtype()
            && out.size() >= LARGE
            && [src, out].iter().all(|a| a.strides()[axes - 1] == item)
            && passes.iter().all(|pass| pass.op.size() <= WINDOW_PLANE_MOST)
            && key.shared(passes.map(|pass| pass.op.size())) <= SHARED.min(out.device().info().shared_bytes as usize);
        fits.then_some(Plane { passes, key })
    }

    /// Computes the passes. The arrays share no memory, and have the shape that the plane was created for.
    pub(super) fn run(&self, src: &Array, out: &Array) -> Result<()> {
        let (device, axes, key) = (out.device(), out.ndim(), self.key);
        let [function] = kernels(&KERNELS, device, key, ["window_plane"], || (key.name(), key.source()))?;
        let (others, n) = out.shape().split_at(axes - 2);
        let sizes = self.passes.map(|pass| pass.op.size());
        let mut weights = [[0.0; 32]; 2 * WINDOW_PLANE_MOST / 32];
        for (room, pass) in weights.as_flattened_mut().chunks_mut(WINDOW_PLANE_MOST).zip(self.passes) {
            if let (LineOp::Weights(w), Some(room)) = (&pass.op, room.get_mut(..pass.op.size())) {
                room.copy_from_slice(w);
            }
        }
        // A block computes at least four times the rows that it reads beyond its own, unless there are too few blocks.
        let planes: usize = others.iter().product();
        let tiles_x = n[1].div_ceil(WINDOW_PLANE_WIDTH);
        let many = 8 * device.info().multiprocessors as usize;
        let least = (4 * sizes[0]).next_multiple_of(16).clamp(64, 256);
        let march = (n[0] * tiles_x * planes).div_ceil(many).next_multiple_of(16).clamp(16, least);
        let tiles_y = n[0].div_ceil(march);
        let params = WindowPlaneParams {
            width: Width { wide: false, deep: key.deep },
            src: read(src),
            dst: written(out),
            cval: self.passes[0].cval,
            n: [n[0] as i64, n[1] as i64],
            leads: self.passes.map(|pass| pass.lead),
            sizes_of: sizes.map(|n| n as u32),
            rules: self.passes.map(|pass| pass.rule as u32),
            ring: key.ring(sizes[0]) as u32,
            march: march as u32,
            tiles_x: tiles_x as u32,
            tiles_y: tiles_y as u32,
            src_y: src.strides()[axes - 2],
            dst_y: out.strides()[axes - 2],
            axes: others.len() as u32,
            sizes: Sizes(others),
            src_steps: Numbers(&src.strides()[..axes - 2]),
            dst_steps: Numbers(&out.strides()[..axes - 2]),
            weights,
        };
        let blocks = Blocks::of(tiles_x.saturating_mul(tiles_y).saturating_mul(planes), out.size(), "results");
        // SAFETY: elements are read within the axes, by the rules of the border; rows and columns are within the shared memory of the key;
        // each result is written by one thread.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, THREADS, key.shared(sizes), &params) }
    }
}
