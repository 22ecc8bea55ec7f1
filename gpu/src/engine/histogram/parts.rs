//! Sums of the 16-bit counters that each block leaves in memory.
//!
//! The counters stay in the L2 cache, where they are written and read once, which is faster than adding them one by one
//! to the counts in device memory.

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{PartsParams, parts_source};

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::histogram::bytes_of_counters16;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::engine::make;
use crate::error::Result;

/// Threads of a block: as in `include/histogram_parts.cuh`. Each has eight counters.
const THREADS: usize = 256;
/// Number of blocks up to which they add their counters to the counts one by one: a launch takes longer.
const FEW: usize = 8;
/// Number of rows of threads among which the blocks are divided.
const ROWS: usize = 4;

thread_local! {
    /// The kernel that this thread has launched, by device.
    static KERNELS: Kernels<()> = Kernels::default();
}

/// Allocates memory for the counters of this number of blocks, if there are more than a few.
pub(in crate::engine) fn parts(device: Device, blocks: usize, counters: usize) -> Result<Option<Array>> {
    let bytes = blocks * bytes_of_counters16(counters);
    (blocks > FEW).then(|| make::empty(device, &[bytes / 4], DType::U32)).transpose()
}

/// Adds the counters of all blocks to `out`, int64; each bin has `copies` adjacent counters.
pub(in crate::engine) fn add_parts(parts: &Array, [blocks, counters, copies]: [usize; 3], out: &Array) -> Result<()> {
    let device = out.device();
    let [function] = kernels(&KERNELS, device, (), ["parts"], || ("parts".into(), parts_source()))?;
    let params = PartsParams {
        width: Width::default(),
        counters,
        input: read(parts),
        out: written(out),
        blocks: blocks as u32,
        copies: copies as u32,
    };
    let blocks = Blocks::of(counters.div_ceil(8 * THREADS), counters, "counters").by(ROWS);
    // SAFETY: each block has left eight counters for each thread, of bins that `out` has or 0.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}
