//! Polynomials at places, by Horner's rule, in one kernel.
//!
//! Floor: the places and the results once, whatever the number of coefficients: 2^28 places of float32 are 2.1 GB, 0.45 ms.
//! From some ten coefficients on arithmetic is the limit: a product and a sum for each, which are not contracted. The
//! coefficients are read by all threads at once, from the first-level cache.

use cuprum_kernels::params::{Sizes, Strides, Width};
use cuprum_kernels::source::{Horner, HornerParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Axes;

const THREADS: usize = 256;
/// Places of a block: as in `include/horner.cuh`.
pub(super) const TILE: usize = 4 * THREADS;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Horner> = Kernels::default();
}

/// Writes the polynomial of these coefficients, the highest first, of one axis and side by side, at the places `x` to `out`,
/// which has the shape of the places and the dtype of the coefficients.
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
    let blocks = Blocks::of(n.div_ceil(TILE), n, "places");
    // SAFETY: sizes and strides reach elements of the places and of the new results only, and as many coefficients are
    // read as there are.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}
