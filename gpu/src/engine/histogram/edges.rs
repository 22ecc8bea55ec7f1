//! Edges of bins of equal width: one edge for each thread, 8 bytes each, so that the launch dominates the cost.
//!
//! They are computed on the device so that they need not be copied there.

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{EdgesParams, edges_source};

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, written};
use crate::engine::make;
use crate::error::Result;

/// Threads of a block: as in `include/histogram_edges.cuh`.
const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and the dtypes of the steps and of the edges.
    static KERNELS: Kernels<(DType, DType)> = Kernels::default();
}

/// Returns `bins` + 1 evenly spaced numbers of a float dtype from the first to the last, with NumPy's arithmetic, whose
/// steps are rounded to `own`: float64 or the dtype itself. The step must not be 0.
pub(crate) fn edges(device: Device, bins: usize, [first, last]: [f64; 2], own: DType, dtype: DType) -> Result<Array> {
    let out = make::empty(device, &[bins + 1], dtype)?;
    let source = || (format!("edges/{dtype}"), edges_source(own, dtype));
    let [function] = kernels(&KERNELS, device, (own, dtype), ["edges"], source)?;
    let params = EdgesParams { width: Width::default(), bins, first, last, out: written(&out) };
    let blocks = Blocks::of((bins + 1).div_ceil(THREADS), bins, "edges");
    // SAFETY: the result has one more edge than there are bins.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }?;
    Ok(out)
}
