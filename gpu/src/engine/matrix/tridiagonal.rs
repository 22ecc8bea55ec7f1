//! Eigenvalues of one symmetric matrix: reduction to tridiagonal form, by blocks that run at the same time and hold the matrix
//! in registers, of larger matrices by way of a band ([`super::band`]), then multisection.
//!
//! Lower bounds: of the reduction, one exchange through the L2 cache and two barriers of a block for each column; of the
//! eigenvalues, some 12 passes of dependent steps, one for each row.

use std::cell::Cell;

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{
    EIGENVALUE_ROW, EigenvalueParams, TridiagonalParams, TridiagonalSource, tridiagonal_eigenvalues_source,
};

use super::band;
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
    static KERNELS: Kernels<TridiagonalSource> = Kernels::default();
    static EIGENVALUES: Kernels<usize> = Kernels::default();
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
    let has_form = parts(n, most_blocks(device)).is_some() || band::takes(device, n);
    n > 1 && !device.queue().is_captured() && has_form
}

/// Returns the eigenvalues, in ascending order, of a symmetric float64 matrix in C order with elements of at most 1, the
/// largest near 1, of which one triangle is read; `None` if it is too small or too large, or if a graph captures the work.
pub(crate) fn symmetric_eigenvalues(a: &Array, upper: bool) -> Result<Option<Array>> {
    let (device, n) = (a.device(), a.shape()[0]);
    debug_assert!(a.is_c_contiguous() && a.dtype() == DType::F64 && a.shape() == [n, n]);
    if !has_symmetric_eigenvalues(device, n) {
        return Ok(None);
    }
    let tridiagonal = match parts(n, most_blocks(device)) {
        Some((key, blocks)) => reduced(a, upper, key, blocks)?,
        None => band::reduced(a, upper)?,
    };
    Ok(Some(eigenvalues(&tridiagonal, n)?))
}

/// A symmetric tridiagonal matrix.
pub(super) struct Tridiagonal {
    /// The diagonal, and possibly more elements.
    pub(super) diagonal: Array,
    /// The elements next to it, and possibly more.
    pub(super) beside: Array,
}

/// Reduces a matrix by blocks that hold these parts of it.
fn reduced(a: &Array, upper: bool, key: TridiagonalSource, blocks: usize) -> Result<Tridiagonal> {
    let (device, n) = (a.device(), a.shape()[0]);
    let name = || format!("tridiagonal/{}/{}/{}", key.threads, key.rows, key.columns);
    let [function] = kernels(&KERNELS, device, key, ["tridiagonal_reduce"], || (name(), key.source()))?;
    let vector = || make::empty(device, &[n], DType::F64);
    // Unknown numbers have all bits set.
    let exchange = make::full(device, &[n - 1, 2, n], u64::MAX, DType::U64)?;
    let (diagonal, beside) = (vector()?, vector()?);
    let params = TridiagonalParams {
        width: Width::default(),
        n: n as u32,
        upper: upper.into(),
        a: read(a),
        exchange: written(&exchange),
        diagonal: written(&diagonal),
        beside: written(&beside),
    };
    let blocks = Blocks::of(blocks, n, "columns");
    // SAFETY: the arrays have the sizes of the matrix, and the parts of the blocks cover it.
    unsafe { Launcher::on(device).launch_resident(function, blocks, key.threads, &params) }?;
    Ok(Tridiagonal { diagonal, beside })
}

/// Returns the bytes of shared memory with which the eigenvalues of a tridiagonal matrix of `n` rows are isolated.
pub(super) fn shared_bytes(n: usize) -> usize {
    let [size, multiple] = EIGENVALUE_ROW;
    n.next_multiple_of(multiple) * size * size_of::<f64>()
}

/// Returns the threads of a block that isolates eigenvalues: with many rows few blocks fit into the shared memory of a
/// multiprocessor.
fn eigenvalue_threads(n: usize) -> usize {
    match n {
        ..3072 => 256,
        3072..6144 => 512,
        _ => 1024,
    }
}

/// Returns the eigenvalues of a tridiagonal matrix of `n` rows in ascending order.
fn eigenvalues(of: &Tridiagonal, n: usize) -> Result<Array> {
    let device = of.diagonal.device();
    let threads = eigenvalue_threads(n);
    let source = || (format!("tridiagonal eigenvalues/{threads}"), tridiagonal_eigenvalues_source(threads));
    let [function] = kernels(&EIGENVALUES, device, threads, ["tridiagonal_eigenvalues"], source)?;
    let values = make::empty(device, &[n], DType::F64)?;
    let params = EigenvalueParams {
        width: Width::default(),
        n: n as u32,
        diagonal: read(&of.diagonal),
        beside: read(&of.beside),
        values: written(&values),
    };
    let blocks = Blocks::of(n.div_ceil(threads / 32), n, "eigenvalues");
    // SAFETY: the arrays have the sizes of the matrix, whose rows fit into shared memory.
    unsafe { Launcher::on(device).launch_sharing(function, blocks, threads, shared_bytes(n), &params) }?;
    Ok(values)
}

#[cfg(test)]
#[path = "tridiagonal_tests.rs"]
mod tests;
