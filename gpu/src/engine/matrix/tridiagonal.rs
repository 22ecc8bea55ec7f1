//! Eigenvalues of one symmetric matrix: reduction to tridiagonal form by blocks that run at the same time and hold the matrix
//! in registers, then multisection.
//!
//! Lower bounds: of the reduction, one exchange through the L2 cache and two barriers of a block for each column; of the
//! eigenvalues, some 12 passes of dependent steps, one for each row.

use std::cell::Cell;

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{EIGENVALUE_ROW, EIGENVALUE_THREADS, TridiagonalParams, TridiagonalSource};

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::engine::make;
use crate::error::Result;

/// Threads of a block that reduces, for few and for many rows.
const THREADS: [usize; 2] = [256, 512];
/// Rows of a thread: registers and shared memory suffice for no more.
const MOST_ROWS: usize = 3;
/// Elements of a thread, of 128 registers.
const MOST_ELEMENTS: usize = 36;

thread_local! {
    static KERNELS: Kernels<TridiagonalSource, 2> = Kernels::default();
    /// Number of blocks in tests.
    static BLOCKS: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Returns the sizes of the parts of a matrix of `n` rows, and the number of blocks, of at most `blocks`; `None` if the matrix
/// does not fit into them.
fn parts(n: usize, blocks: usize) -> Option<(TridiagonalSource, usize)> {
    let threads = if n <= THREADS[0] { THREADS[0] } else { THREADS[1] };
    let (rows, columns) = (n.div_ceil(threads), n.div_ceil(blocks.max(1)));
    // A warp adds products of two, four or eight columns at a time.
    let columns = columns.next_multiple_of(match columns {
        0 | 1 => 1,
        2..7 => 2,
        _ => 4,
    });
    let fits = rows <= MOST_ROWS && rows * columns <= MOST_ELEMENTS;
    fits.then(|| (TridiagonalSource { threads, rows, columns }, n.div_ceil(columns)))
}

/// Returns the number of blocks that reduce a matrix.
fn most_blocks(device: Device) -> usize {
    BLOCKS.get().unwrap_or(device.info().multiprocessors as usize)
}

/// Returns whether [`symmetric_eigenvalues`] takes matrices of `n` rows.
pub(crate) fn has_symmetric_eigenvalues(device: Device, n: usize) -> bool {
    n > 1 && !device.queue().is_captured() && parts(n, most_blocks(device)).is_some()
}

/// Returns the eigenvalues, in ascending order, of a symmetric float64 matrix in C order with elements of at most 1, the
/// largest near 1, of which one triangle is read; `None` if it is too small or too large, or if a graph captures the work.
pub(crate) fn symmetric_eigenvalues(a: &Array, upper: bool) -> Result<Option<Array>> {
    let (device, n) = (a.device(), a.shape()[0]);
    debug_assert!(a.is_c_contiguous() && a.dtype() == DType::F64 && a.shape() == [n, n]);
    if !has_symmetric_eigenvalues(device, n) {
        return Ok(None);
    }
    let Some((key, blocks)) = parts(n, most_blocks(device)) else { return Ok(None) };
    let names = ["tridiagonal_reduce", "tridiagonal_eigenvalues"];
    let name = || format!("tridiagonal/{}/{}/{}", key.threads, key.rows, key.columns);
    let [reduce, eigenvalues] = kernels(&KERNELS, device, key, names, || (name(), key.source()))?;
    let vector = || make::empty(device, &[n], DType::F64);
    // Unknown numbers have all bits set.
    let exchange = make::full(device, &[n - 1, 2, n], u64::MAX, DType::U64)?;
    let (diagonal, beside, values) = (vector()?, vector()?, vector()?);
    let params = TridiagonalParams {
        width: Width::default(),
        n: n as u32,
        upper: upper.into(),
        a: read(a),
        exchange: written(&exchange),
        diagonal: written(&diagonal),
        beside: written(&beside),
        values: written(&values),
    };
    let launcher = Launcher::on(device);
    let [size, multiple] = EIGENVALUE_ROW;
    let shared = n.next_multiple_of(multiple) * size * size_of::<f64>();
    let of_eigenvalues = Blocks::of(n.div_ceil(EIGENVALUE_THREADS / 32), n, "eigenvalues");
    // SAFETY: the arrays have the sizes of the matrix, and the parts of the blocks cover it; rows fit into shared memory.
    unsafe {
        launcher.launch_resident(reduce, Blocks::of(blocks, n, "columns"), key.threads, &params)?;
        launcher.launch_sharing(eigenvalues, of_eigenvalues, EIGENVALUE_THREADS, shared, &params)?;
    }
    Ok(Some(values))
}

#[cfg(test)]
#[path = "tridiagonal_tests.rs"]
mod tests;
