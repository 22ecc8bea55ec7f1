//! Matrix products of integers and booleans.

use cuprum_kernels::DType;
use cuprum_kernels::source::{MATMUL_TILE, MatmulParams, matmul_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;

/// Elements of the result that a block computes.
pub(super) const TILE: usize = MATMUL_TILE * MATMUL_TILE;

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
    let told = MatmulParams {
        width: Default::default(),
        m,
        n,
        k,
        a: read(a),
        b: read(b),
        c: written(out),
        a_row: a.strides()[0],
        a_column: a.strides()[1],
        b_row: b.strides()[0],
        b_column: b.strides()[1],
    };
    let blocks = Blocks::of(n.div_ceil(MATMUL_TILE), m * n, "elements of a product").by(m.div_ceil(MATMUL_TILE));
    // SAFETY: the sizes and strides reach elements of the matrices only.
    unsafe { Launcher::on(device).launch(function, blocks, MATMUL_TILE * MATMUL_TILE, &told) }
}
