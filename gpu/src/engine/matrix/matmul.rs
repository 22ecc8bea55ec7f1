//! Matrix products of integers and booleans.
//!
//! Arithmetic is the bottleneck: m n k products, four of bytes at once. A thread keeps 8 by 8 sums in registers, so
//! that 64 products are computed for every 16 words that it reads from shared memory. For large matrices tensor cores
//! are several times as fast: see [`crate::engine::matrix::gemm_int8_split`].

use cuprum_kernels::DType;
use cuprum_kernels::source::{MATMUL_ACROSS, MatmulParams, MatmulSource};

use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::engine::matrix::gemm_int8_split::{self, Operand};
use crate::error::Result;

/// Elements of the result that a block computes for small matrices.
pub(in crate::engine) const TILE: usize = MATMUL_ACROSS * MATMUL_ACROSS;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<MatmulSource> = Kernels::default();
}

/// Returns the side of a thread's square: large if the matrices fill most of the first block.
fn side(dtype: DType, m: usize, n: usize) -> usize {
    match m.min(n) {
        96.. => MatmulSource::most(dtype),
        48.. => 4,
        _ => 1,
    }
}

/// Writes `count` products of matrices of one dtype and any layout to `out`; each operand is the first of its batch,
/// and the others are at these byte distances.
pub(crate) fn matmul([a, b, out]: [&Array; 3], count: usize, strides: [i64; 3]) -> Result<()> {
    let (m, n, k) = (a.shape()[0], b.shape()[1], a.shape()[1]);
    if gemm_int8_split::is_profitable(out.device(), [m, n, k], count)? {
        let [left, right, product] = [a, b, out].map(|x| [x.strides()[0], x.strides()[1]]);
        let left = Operand { array: a, line: left[0], step: left[1], stack: strides[0] };
        let right = Operand { array: b, line: right[1], step: right[0], stack: strides[1] };
        let product = Operand { array: out, line: product[0], step: product[1], stack: strides[2] };
        return gemm_int8_split::multiply([left, right, product], [m, n, k], count);
    }
    tiled([a, b, out], [m, n, k], count, strides)
}

/// Computes the products of [`matmul`] by the tiled kernel.
fn tiled([a, b, out]: [&Array; 3], [m, n, k]: [usize; 3], count: usize, strides: [i64; 3]) -> Result<()> {
    let (device, dtype) = (a.device(), out.dtype());
    let (side, item) = (side(dtype, m, n), dtype.size() as i64);
    let dense = |stride: i64| side > 1 && stride == item;
    let key = MatmulSource { dtype, side, rows: dense(a.strides()[1]), columns: dense(b.strides()[0]) };
    let [function] = kernels(&KERNELS, device, key, ["matmul"], || (key.name(), key.source()))?;
    let [a_stack, b_stack, c_stack] = strides;
    let params = MatmulParams {
        width: Default::default(),
        m,
        n,
        k,
        a: read(a),
        b: read(b),
        c: written(out),
        a_row: a.strides()[0],
        a_column: a.strides()[1],
        a_stack,
        b_row: b.strides()[0],
        b_column: b.strides()[1],
        b_stack,
        c_row: out.strides()[0],
        c_column: out.strides()[1],
        c_stack,
    };
    let edge = MATMUL_ACROSS * side;
    let blocks = Blocks::of(n.div_ceil(edge) * m.div_ceil(edge) * count, m * n * count, "elements of a product");
    // SAFETY: the sizes and strides reach elements of the matrices only.
    unsafe { Launcher::on(device).launch(function, blocks, MATMUL_ACROSS * MATMUL_ACROSS, &params) }
}
