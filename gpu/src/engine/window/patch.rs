//! Weighted sums over windows of the last two axes, from patches of the input in shared memory.

use cuprum_kernels::params::{Read, Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{WINDOW_PATCH, WINDOW_PATCH_WEIGHTS, WindowPatch, WindowPatchParams};

use super::area::{Area, THREADS};
use super::few_or_list;
use super::ordered::depends_on_order;
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;

/// Results from which patches are worth a kernel of their own.
const LARGE: usize = 1 << 14;

/// Bytes of shared memory of a block that leave room for others.
const SHARED: usize = 100 << 10;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<WindowPatch> = Kernels::default();
}

impl Area<'_> {
    /// Computes a weighted sum over a window of the last two axes of an order, which the arrays are permuted to, and returns true; returns
    /// false, and does nothing, for a window of more axes or one that is too large, and for few results, and where the order of terms decides
    /// unless products of matrices can compute the sums.
    pub(super) fn patch(&self, src: &Array, out: &Array, order: &[usize]) -> Result<bool> {
        let (Some(values), [others @ .., y, x]) = (self.weights, order) else { return Ok(false) };
        let (device, axes, sizes) = (out.device(), order.len(), [self.shape[*y], self.shape[*x]]);
        let most = SHARED.min(device.info().shared_bytes as usize);
        // The window is in C order of its own axes, which may be in another order than those of the arrays.
        let apart = others.iter().any(|d| self.shape[*d] != 1 || self.leads[*d] != 0);
        if apart || out.size() < LARGE || sizes.iter().any(|n| *n > 1024) || WindowPatch::shared(sizes) > most {
            return Ok(false);
        }
        // Terms in C order are those of a tile if the axes are in order.
        let truncated = depends_on_order(out.dtype(), values);
        if truncated && y > x {
            return Ok(false);
        }
        let at = |r: usize, c: usize| if y < x { r * sizes[1] + c } else { c * sizes[0] + r };
        let weight = |r: usize, c: usize| if self.footprint[at(r, c)] { values[at(r, c)] } else { 0.0 };
        let weights: Vec<f64> =
            (0..sizes[1]).flat_map(|c| (0..sizes[0]).map(move |r| (r, c))).map(|(r, c)| weight(r, c)).collect();
        if self.tile([*y, *x], &weights, src, out)? {
            return Ok(true);
        }
        if truncated {
            return Ok(false);
        }
        let key = WindowPatch { from: src.dtype(), to: out.dtype(), deep: Width::of(axes, 0).deep };
        let [function] = kernels(&KERNELS, device, key, ["window_patch"], || (key.name(), key.source()))?;
        let (few, list) = few_or_list::<_, { WINDOW_PATCH_WEIGHTS / 32 }>(device, &weights)?;
        let (planes, n) = out.shape().split_at(axes - 2);
        let [tiles_y, tiles_x] = [n[0].div_ceil(WINDOW_PATCH[0]), n[1].div_ceil(WINDOW_PATCH[1])];
        let params = WindowPatchParams {
            width: Width { wide: false, deep: key.deep },
            src: read(src),
            dst: written(out),
            weights: list.as_ref().map_or(Read(None), read),
            cval: self.cval,
            n: [n[0] as i64, n[1] as i64],
            lengths: [src.shape()[axes - 2] as i64, src.shape()[axes - 1] as i64],
            leads: [self.leads[*y], self.leads[*x]],
            sizes_of: sizes.map(|n| n as u32),
            rules: [self.rules[*y] as u32, self.rules[*x] as u32],
            tiles_x: tiles_x as u32,
            tiles_y: tiles_y as u32,
            src_y: src.strides()[axes - 2],
            src_x: src.strides()[axes - 1],
            dst_y: out.strides()[axes - 2],
            dst_x: out.strides()[axes - 1],
            axes: planes.len() as u32,
            sizes: Sizes(planes),
            src_steps: Numbers(&src.strides()[..axes - 2]),
            dst_steps: Numbers(&out.strides()[..axes - 2]),
            few,
        };
        let count = planes.iter().product::<usize>();
        let blocks = Blocks::of(tiles_x.saturating_mul(tiles_y).saturating_mul(count), out.size(), "results");
        // SAFETY: elements are read within the axes, by the rules of the border; the patch and the weights are within the shared memory;
        // each result is written by one thread.
        unsafe {
            Launcher::on(device).launch_sharing(function, blocks, THREADS, WindowPatch::shared(sizes), &params)?;
        }
        Ok(true)
    }
}
