//! Means and extremes of long windows along one axis, in a walk along its lines.
//!
//! Lower bound: the bytes of input and output.

use cuprum_kernels::params::{Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{WindowOp, WindowStream, WindowStreamParams};

use super::constant;
use super::tile::{View, Windows};
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;

/// Sizes of windows.
const LEAST: usize = 24;
const MOST: usize = 128;

/// Results of a segment for each element of a window that is read before them.
const TIMES: usize = 8;

/// Warps of a multiprocessor at a time, and the least number of them that hide the latency of a walk.
const WARPS: usize = 16;
const LEAST_WARPS: usize = 4;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<WindowStream> = Kernels::default();
}

/// Computes windows along one of the last two axes of a view, and returns true; returns false, and does nothing, for weights, other sizes of
/// windows, and too few results for long walks.
pub(super) fn run(key: WindowStream, windows: &Windows<'_>, view: &View, src: &Array, out: &Array) -> Result<bool> {
    let device = out.device();
    let axis = usize::from(key.along);
    let (k, n, lines) = (windows.sizes[axis], view.n[axis], view.n[1 - axis]);
    if !matches!(key.op, WindowOp::Mean | WindowOp::Minimum | WindowOp::Maximum) || !(LEAST..=MOST).contains(&k) {
        return Ok(false);
    }
    let planes: usize = out.shape()[..view.others].iter().product();
    let groups = if key.along { lines } else { lines.div_ceil(32) };
    let multiprocessors = device.info().multiprocessors as usize;
    // The number of segments that run at a time: a few more would run alone after these.
    let wanted = (WARPS * multiprocessors / groups.saturating_mul(planes).max(1)).max(1);
    let height = n.div_ceil(wanted).max(TIMES * k).next_multiple_of(key.step());
    let segments = n.div_ceil(height);
    let parts = groups.saturating_mul(segments).saturating_mul(planes);
    let shared = key.shared(k);
    if n < TIMES * k || parts < LEAST_WARPS * multiprocessors || shared > device.info().shared_bytes as usize {
        return Ok(false);
    }
    let [function] = kernels(&KERNELS, device, key, [key.kernel()], || (key.name(), key.source()))?;
    let params = WindowStreamParams {
        width: Width { wide: false, deep: key.deep },
        src: read(src),
        dst: written(out),
        cval: if key.op == WindowOp::Mean { windows.cval } else { constant(key.dtype, windows.cval) },
        n: n as i64,
        lines: lines as i64,
        height: height as i64,
        lead: windows.leads[axis],
        k: k as u32,
        rule: windows.rules[axis] as u32,
        groups: groups as u32,
        segments: segments as u32,
        planes: planes as u32,
        src_step: view.steps[0],
        dst_step: view.steps[1],
        axes: view.others as u32,
        sizes: Sizes(&out.shape()[..view.others]),
        src_steps: Numbers(&src.strides()[..view.others]),
        dst_steps: Numbers(&out.strides()[..view.others]),
    };
    let blocks = Blocks::of(parts.div_ceil(key.warps()), out.size(), "results");
    // SAFETY: elements are read within the axes, by the rules of the border; totals, elements and results are within the shared memory of the key;
    // each result is written by one thread.
    unsafe { Launcher::on(device).launch_sharing(function, blocks, 32 * key.warps(), shared, &params)? };
    Ok(true)
}
