//! Polynomial evaluation by Horner's method, in one kernel.
//!
//! Lower bound of memory traffic: the points and the results once, whatever the number of coefficients. From some ten
//! coefficients on arithmetic is the limit: a product and a sum for each, which are not contracted. The coefficients
//! are read by all threads at once, from the L1 cache.

use cuprum_kernels::params::{Sizes, Strides, Width};
use cuprum_kernels::source::{Horner, HornerParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Axes;

const THREADS: usize = 256;
/// Points of a block: as in `include/horner.cuh`.
pub(super) const TILE: usize = 4 * THREADS;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Horner> = Kernels::default();
}

/// Evaluates the polynomial with these coefficients, the highest first, one-dimensional and contiguous, at the points
/// `x`, and writes to `out`, which has the shape of the points and the dtype of the coefficients.
pub(crate) fn horner(coefficients: &Array, x: &Array, out: &Array) -> Result<()> {
    let n = x.size();
    if n == 0 {
        return Ok(());
    }
    let axes = Axes::collapse(x.shape(), [x.strides(), out.strides()], false);
    let width = Width::of(axes.sizes.len(), n);
    let (device, key) = (x.device(), Horner { given: x.dtype(), element: out.dtype(), width });
    let [function] = kernels(&KERNELS, device, key, ["horner"], || (key.name(), key.source()))?;
    let params = HornerParams {
        width,
        results: n,
        count: coefficients.size(),
        input: read(x),
        coefficients: read(coefficients),
        out: written(out),
        axes: axes.sizes.len() as u32,
        sizes: Sizes(&axes.sizes),
        in_strides: Strides(&axes.strides[0]),
        out_strides: Strides(&axes.strides[1]),
    };
    let blocks = Blocks::of(n.div_ceil(TILE), n, "arguments");
    // SAFETY: sizes and strides reach elements of the points and of the new results only, and as many coefficients are
    // read as there are.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}
