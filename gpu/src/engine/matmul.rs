//! Matrix products of integers and booleans.

use cuprum_kernels::DType;
use cuprum_kernels::source::{MATMUL_TILE, matmul_source};

use super::kernels::{Kernels, kernels};
use super::params::Params;
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

thread_local! {
    /// The kernels that this thread has launched, by device and dtype.
    static KERNELS: Kernels<DType> = Kernels::default();
}

/// Writes the product of two matrices of one dtype and any layout into `out`, which is in C order.
pub(crate) fn matmul(a: &Array, b: &Array, out: &Array) -> Result<()> {
    let (device, dtype) = (a.device(), out.dtype());
    let source = || (format!("matmul/{dtype}"), matmul_source(dtype));
    let [function] = kernels(&KERNELS, device, dtype, ["matmul"], source)?;
    let (m, n, k) = (a.shape()[0], b.shape()[1], a.shape()[1]);
    let tiles = |n: usize, most: u32| {
        u32::try_from(n.div_ceil(MATMUL_TILE)).ok().filter(|&t| t <= most).ok_or_else(|| {
            Error::new(ErrorKind::Value, format!("a product of {m} by {n} is more than one launch can reach"))
        })
    };
    let grid = [tiles(n, i32::MAX as u32)?, tiles(m, 65535)?, 1];
    let mut params = Params::default();
    for word in [m as u64, n as u64, k as u64, a.addr(), b.addr(), out.addr()] {
        params.u64(word);
    }
    params.strides(a.strides(), 2);
    params.strides(b.strides(), 2);
    let block = [(MATMUL_TILE * MATMUL_TILE) as u32, 1, 1];
    // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, and the sizes and
    // strides reach their elements only.
    unsafe { device.queue().launch(function, grid, block, params.as_bytes()) }
}
