//! Vector cross products, in one kernel.
//!
//! Lower bound of memory traffic: the vectors once and the products once. A thread computes one product. Its components
//! are interleaved with those of its neighbours, so each sector is requested up to three times and comes from memory
//! once.

use cuprum_kernels::params::{Sizes, Strides, Width};
use cuprum_kernels::source::{CrossProduct, CrossProductParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Axes;

/// Threads of a block: as in `include/cross.cuh`.
const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<CrossProduct> = Kernels::default();
}

/// Writes the cross products of vectors, whose two or three components are along the last axes of `a` and `b`, to
/// `out`, which has an axis of three components, or none if all vectors have two. The other axes have the shape `stack`
/// in all three arrays.
pub(crate) fn cross_product(stack: &[usize], a: &Array, b: &Array, out: &Array) -> Result<()> {
    let vectors = stack.iter().product::<usize>();
    if vectors == 0 {
        return Ok(());
    }
    let (device, n) = (out.device(), stack.len());
    let of = |x: &Array| x.strides()[..n].to_vec();
    let axes = Axes::collapse(stack, [&of(a), &of(b), &of(out)], false);
    let step = |x: &Array| x.strides().get(n).copied().unwrap_or(0);
    let parts = [a, b].map(|x| x.shape()[n] as u8);
    let width = Width::of(axes.sizes.len(), vectors);
    let key = CrossProduct { given: [a.dtype(), b.dtype()], element: out.dtype(), parts, width };
    let [function] = kernels(&KERNELS, device, key, ["cross_product"], || (key.name(), key.source()))?;
    let params = CrossProductParams {
        width,
        vectors,
        a: read(a),
        b: read(b),
        out: written(out),
        parts: [step(a), step(b), step(out)],
        axes: axes.sizes.len() as u32,
        sizes: Sizes(&axes.sizes),
        a_strides: Strides(&axes.strides[0]),
        b_strides: Strides(&axes.strides[1]),
        out_strides: Strides(&axes.strides[2]),
    };
    let blocks = Blocks::of(vectors.div_ceil(THREADS), vectors, "vectors");
    // SAFETY: sizes and strides reach vectors of the arrays only, with the number of components that these have, and
    // three components are written if the last axis of the new results has three, otherwise one.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}
