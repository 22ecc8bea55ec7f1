//! LU factors of the singular matrices of a batch. cuBLAS, which factorises batches, may stop at the first column
//! without a pivot and leave the following columns unchanged, where LAPACK continues. The factors of such matrices are
//! computed anew.
//!
//! Lower bound: an element of `info` for each matrix, and a launch; for a factorised matrix, n³ / 3 products by one
//! block.

use cuprum_kernels::DType;
use cuprum_kernels::source::{EliminateParams, eliminate_source};

use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;

const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and dtype.
    static KERNELS: Kernels<DType> = Kernels::default();
}

/// Writes the factors of those matrices of `given`, contiguous and of order `n`, whose element of `info` is not 0.
pub(crate) fn singular_lu(n: usize, given: &Array, info: &Array, factors: &Array, pivots: &Array) -> Result<()> {
    let (device, dtype, count) = (given.device(), given.dtype(), info.size());
    let source = || (format!("eliminate/{dtype}"), eliminate_source(dtype));
    let [function] = kernels(&KERNELS, device, dtype, ["eliminate"], source)?;
    let params = EliminateParams {
        width: Default::default(),
        n,
        given: read(given),
        info: read(info),
        factors: written(factors),
        pivots: written(pivots),
    };
    let blocks = Blocks::of(count, count, "matrices");
    // SAFETY: there are as many matrices of that order as elements of `info`, of int32, and an int32 pivot for each
    // column.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}
