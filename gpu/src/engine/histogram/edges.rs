//! Edges of bins of equal width: one edge for each thread, 8 bytes each, so that the launch dominates the cost.
//!
//! They are computed on the device so that they need not be copied there.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{EdgesParams, edges_source};

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, written};
use crate::engine::make;
use crate::error::Result;

/// Threads of a block: as in `include/histogram_edges.cuh`.
const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device, the dtypes of the steps and of the edges, and if the device
    /// has found the ends.
    static KERNELS: Kernels<(DType, DType, bool)> = Kernels::default();
}

/// Returns `bins` + 1 evenly spaced numbers of a float dtype from the first to the last, with NumPy's arithmetic, whose
/// steps are rounded to `own`: float64 or the dtype itself. The step must not be 0.
pub(crate) fn edges(device: Device, bins: usize, [first, last]: [f64; 2], own: DType, dtype: DType) -> Result<Array> {
    launch(device, bins, [own, dtype], [first, last], None)
}

/// Returns the edges between the elements that the kernel `ends` has found, in steps of the dtype of the edges, and the
/// float64 numbers of a [`Uniform`](super::Uniform) from the first edge on, except for the integer. They are those of the
/// host, and meaningless if it rejects the ends.
pub(super) fn found_edges(ends: &Array, bins: usize, dtype: DType) -> Result<(Array, Array)> {
    let uniform = make::empty(ends.device(), &[6], DType::F64)?;
    let edges = launch(ends.device(), bins, [dtype; 2], [0.0; 2], Some([ends, &uniform]))?;
    Ok((edges, uniform))
}

/// Computes edges of the second dtype, in steps of the first, between two numbers, or between ends that the device has
/// found, with the output of their numbers.
fn launch(
    device: Device,
    bins: usize,
    [own, dtype]: [DType; 2],
    [first, last]: [f64; 2],
    found: Option<[&Array; 2]>,
) -> Result<Array> {
    let out = make::empty(device, &[bins + 1], dtype)?;
    let source = || (format!("edges/{dtype}"), edges_source(own, dtype, found.is_some()));
    let [function] = kernels(&KERNELS, device, (own, dtype, found.is_some()), ["edges"], source)?;
    let [ends, uniform] = [0, 1].map(|k| found.map(|arrays| DevicePtr::of(arrays[k])));
    let (ends, uniform) = (Read(ends), Written(uniform));
    let params = EdgesParams { width: Width::default(), bins, first, last, ends, uniform, out: written(&out) };
    let blocks = Blocks::of((bins + 1).div_ceil(THREADS), bins, "edges");
    // SAFETY: the result has one more edge than there are bins.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }?;
    Ok(out)
}
