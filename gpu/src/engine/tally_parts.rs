//! Counters in halves of words that blocks leave in memory, each its own, and what they come to.
//!
//! 132 blocks leave 17 MB of 65,536 counters each, which the second-level cache holds: written and read once, some 0.01 ms. Added one by
//! one to the counts in memory they take 0.12 ms.

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{PartsParams, parts_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use super::make;
use super::tally::bytes_of_halves;
use crate::array::Array;
use crate::cuda::Device;
use crate::error::Result;

/// Threads of a block: as in `include/tally_parts.cuh`. Eight counters each.
const THREADS: usize = 256;
/// As many blocks bring what they have to the counts one by one: a launch takes longer.
const FEW: usize = 8;
/// Rows of threads among which the blocks are divided.
const ROWS: usize = 4;

thread_local! {
    /// The kernel that this thread has launched, by device.
    static KERNELS: Kernels<()> = Kernels::default();
}

/// Memory for the counters of so many blocks, if these are many.
pub(super) fn parts(device: Device, blocks: usize, counters: usize) -> Result<Option<Array>> {
    let bytes = blocks * bytes_of_halves(counters);
    (blocks > FEW).then(|| make::empty(device, &[bytes / 4], DType::U32)).transpose()
}

/// Adds what blocks have left to `out`, int64; of each bin there are so many `copies` side by side.
pub(super) fn add_parts(parts: &Array, [blocks, counters, copies]: [usize; 3], out: &Array) -> Result<()> {
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
