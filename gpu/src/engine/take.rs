//! Rows of an array at given indices.
//!
//! Bytes moved: the results twice and the indices, eight bytes each; what lies side by side along the innermost axis is
//! read and written side by side.

use cuprum_kernels::params::{Size, Sizes, Strides as Steps, Width};
use cuprum_kernels::source::{Take, TakeParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::{Axes, Dims, Strides, size_of};

/// Threads of a block: as in `include/take.cuh`.
pub(super) const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Take> = Kernels::default();
}

/// Axes of an operand, the fastest of the result's last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) sizes: Dims,
    pub(crate) strides: Strides,
}

impl Rows {
    /// These axes of an array.
    pub(crate) fn of(a: &Array, axes: impl Iterator<Item = usize>) -> Rows {
        let (sizes, strides) = axes.map(|x| (a.shape()[x], a.strides()[x])).unzip();
        Rows { sizes, strides }
    }
}

/// Writes the elements of `a` at `outer`, at an index of the axes `indexed` and at `inner` into `out`, whose memory holds
/// them one after the other in this order. The indices are int64, one after the other, and count the elements of the
/// indexed axes in C order; every one of them is in bounds.
pub(crate) fn take(a: &Array, [outer, indexed, inner]: [&Rows; 3], indices: &Array, out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let collapsed = [outer, indexed, inner].map(|r| Axes::collapse(&r.sizes, [&r.strides], true));
    let most = collapsed.iter().map(|x| x.sizes.len()).max().unwrap_or(0);
    let width = Width::of(most, out.size().max(size_of(&indexed.sizes)));
    let (device, key) = (a.device(), Take { item: a.itemsize() as u8, width });
    let [function] = kernels(&KERNELS, device, key, ["take"], || (key.name(), key.source()))?;
    let told = TakeParams {
        width,
        results: out.size(),
        input: read(a),
        out: written(out),
        indices: read(indices),
        outer_axes: collapsed[0].sizes.len() as u32,
        indexed_axes: collapsed[1].sizes.len() as u32,
        inner_axes: collapsed[2].sizes.len() as u32,
        indices_divider: Size(indices.size()),
        inner_divider: Size(size_of(&inner.sizes)),
        outer: Sizes(&collapsed[0].sizes),
        indexed: Sizes(&collapsed[1].sizes),
        inner: Sizes(&collapsed[2].sizes),
        outer_strides: Steps(&collapsed[0].strides[0]),
        indexed_strides: Steps(&collapsed[1].strides[0]),
        inner_strides: Steps(&collapsed[2].strides[0]),
    };
    let blocks = Blocks::of(out.size().div_ceil(THREADS), out.size(), "results");
    // SAFETY: the indices are the caller's own, who has looked at them, and sizes and strides reach the operand's elements only.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &told) }
}
