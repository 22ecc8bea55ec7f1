//! Incomplete factorisations of sparse matrices without fill-in.
//!
//! A warp factors a row as soon as the rows that it needs are factored: one launch factors all rows. Lower bounds: of
//! the traffic, the entries read and written once, and the rows that each of them needs from the L2 cache; of the time,
//! one exchange through the L2 cache for each row of the longest chain of rows that depend on each other.

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{INCOMPLETE_THREADS, IncompleteParams, incomplete_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::error::Result;
use crate::index::s;

thread_local! {
    static KERNELS: Kernels<(DType, bool), 2> = Kernels::default();
}

/// Factors of the pattern of a matrix.
#[derive(Debug)]
pub(crate) struct PatternFactors {
    /// The value of each entry.
    pub(crate) values: Array,
    /// The position of the diagonal entry of each row, or -1, in the dtype of the indices.
    pub(crate) diagonals: Array,
    /// The first row without a pivot, all bits set if each has one: one element of uint64. The value at its diagonal is
    /// the number that is no pivot.
    pub(crate) failed: Array,
}

/// Factors a matrix in compressed rows, sorted and distinct, of float32, float64, complex64 or complex128.
///
/// The factors are L with a unit diagonal, which is not stored, and U on the pattern of the matrix; or with `cholesky` L
/// on that of the lower triangle, to which the pattern is limited.
pub(crate) fn incomplete_factors(
    indptr: &Array,
    columns: &Array,
    values: &Array,
    cholesky: bool,
) -> Result<PatternFactors> {
    let device = one_device(indptr, [columns, values])?;
    let (rows, index) = (indptr.size() - 1, indptr.dtype());
    debug_assert!(columns.dtype() == index && columns.size() == values.size());
    let words = (values.size() * values.itemsize()).div_ceil(8);
    // The factors, and after them the number of blocks that have started and the row that failed: all bits are set.
    let memory = make::full(device, &[words + 2], u64::MAX, DType::U64)?;
    let factors = memory.index(s![..words as i64])?.view(values.dtype())?.index(s![..values.size() as i64])?;
    let ticket = memory.index(s![words as i64..words as i64 + 1])?;
    let failed = memory.index(s![words as i64 + 1..])?;
    let diagonals = make::empty(device, &[rows], index)?;
    let result = PatternFactors { values: factors, diagonals, failed };
    if rows == 0 {
        return Ok(result);
    }
    let work = make::empty(device, &[values.size()], values.dtype())?;
    let params = IncompleteParams {
        width: Width::default(),
        rows,
        entries: values.size(),
        cholesky,
        ends: read(indptr),
        columns: read(columns),
        values: read(values),
        work: written(&work),
        diagonals: written(&result.diagonals),
        out: written(&result.values),
        ticket: written(&ticket),
        failed: written(&result.failed),
    };
    let key = (values.dtype(), index == DType::I64);
    let source = || (format!("incomplete factors/{}/{index}", key.0), incomplete_source(key.0, key.1));
    let [diagonals, factor] = kernels(&KERNELS, device, key, ["incomplete_diagonals", "incomplete_factors"], source)?;
    let launcher = Launcher::on(device);
    let threads = INCOMPLETE_THREADS;
    // SAFETY: the kernels bound pointers and columns by the arrays.
    unsafe {
        launcher.launch(diagonals, Blocks::of(rows.div_ceil(threads), rows, "rows"), threads, &params)?;
        launcher.launch(factor, Blocks::of(rows.div_ceil(threads / 32), rows, "rows"), threads, &params)?;
    }
    Ok(result)
}
