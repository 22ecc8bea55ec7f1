//! Triangular factors of the singular matrices of a stack. cuBLAS, which factors stacks, leaves a matrix off at the first column
//! without a pivot (13.0, seen on an H100: the columns behind it stay as they are); LAPACK goes on. What was left off is made anew.
//!
//! Floor: an element of `info` for each matrix, and a launch; of a matrix that is made, n³ / 3 products by one block.

use cuprum_kernels::DType;
use cuprum_kernels::source::{EliminateParams, eliminate_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;

const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and dtype.
    static KERNELS: Kernels<DType> = Kernels::default();
}

/// Writes the factors of those matrices of `given`, squares of side `n` one after the other, whose element of `info` is not 0.
pub(crate) fn eliminate(n: usize, given: &Array, info: &Array, factors: &Array, pivots: &Array) -> Result<()> {
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
    // SAFETY: there are as many matrices of that side as elements of `info`, of int32, and a pivot of int32 for each column.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}
