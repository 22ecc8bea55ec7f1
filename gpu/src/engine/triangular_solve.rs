//! Solution of systems of equations with a sparse triangular matrix.
//!
//! A warp solves rows as soon as the rows that they need are solved: no analysis precedes it, and one launch solves all
//! rows. Lower bounds: of the traffic, the entries once, and the elements of the solution that they multiply from the
//! L2 cache; of the time, one exchange through the L2 cache for each block, and one through shared memory for each row,
//! of the longest chain of rows that depend on each other.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{TriangularSolveParams, triangular_solve_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::error::Result;
use crate::index::s;

/// Rows of a block, at most.
const MOST_ROWS: usize = 32;

thread_local! {
    static KERNELS: Kernels<(DType, bool)> = Kernels::default();
}

/// A triangular matrix in compressed rows without duplicate entries; entries of the other triangle are ignored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle<'a> {
    /// Position at which each row begins, and the end of the last.
    pub(crate) indptr: &'a Array,
    /// Column of each entry.
    pub(crate) columns: &'a Array,
    /// Value of each entry.
    pub(crate) values: &'a Array,
    /// True for the upper triangle, which is solved from the last row on.
    pub(crate) upper: bool,
    /// True if the diagonal is one, whatever is stored.
    pub(crate) unit: bool,
    /// True if values are conjugated as they are read.
    pub(crate) conjugate: bool,
}

/// Returns the strides of a vector or matrix, in elements.
fn steps(a: &Array) -> [i64; 2] {
    std::array::from_fn(|k| a.strides().get(k).map_or(0, |s| s / a.itemsize() as i64))
}

/// Returns the solutions for the right-hand sides `b`, of one or two axes and the dtype of the matrix, as an array of
/// two axes in C order.
///
/// Row i of the system has the right-hand side of row `gather[i]`. If there is an `out` of the shape of `b`, its row
/// `scatter[i]` is row i of the solution.
pub(crate) fn triangular_solve(
    a: Triangle<'_>,
    gather: Option<&Array>,
    b: &Array,
    scatter: Option<&Array>,
    out: Option<&Array>,
) -> Result<Array> {
    let Triangle { indptr, columns, values, .. } = a;
    let others = [columns, values, b].into_iter().chain(gather).chain(scatter).chain(out);
    let device = one_device(indptr, others)?;
    let (rows, right_sides) = (indptr.size() - 1, b.shape().get(1).copied().unwrap_or(1));
    let index = indptr.dtype();
    debug_assert!([gather, scatter].into_iter().flatten().all(|a| a.dtype() == index && a.size() == rows));
    debug_assert!(b.dtype() == values.dtype() && b.shape()[0] == rows && out.is_none_or(|o| o.shape() == b.shape()));
    // The solutions, and after them the number of blocks that have started: all bits are set.
    let words = (rows * right_sides * values.itemsize()).div_ceil(8);
    let memory = make::full(device, &[words + 1], u64::MAX, DType::U64)?;
    let ticket = memory.index(s![words as i64..])?;
    let elements = memory.index(s![..words as i64])?.view(values.dtype())?;
    let x = elements.index(s![..(rows * right_sides) as i64])?.reshape([rows, right_sides])?;
    if x.size() == 0 {
        return Ok(x);
    }
    let across_log2 = right_sides.next_power_of_two().ilog2().min(5);
    let tiles = right_sides.div_ceil(1 << across_log2);
    // A thread has two entries of a row of the mean length, and reads up to four at once. Rows of a warp exchange elements
    // by shuffles, but a warp of many rows has a large tile of shared memory.
    let lanes = (values.size() / rows / 2).next_power_of_two().clamp(2, 16).max(1 << across_log2);
    let of_warp = 32 / lanes;
    // Small systems need few threads.
    let block = MOST_ROWS.min(rows.next_power_of_two()).max(of_warp);
    let shared = block * ((of_warp + (1 << across_log2) + 1) * values.itemsize() + size_of::<u32>());
    let params = TriangularSolveParams {
        width: Width::default(),
        rows,
        entries: values.size(),
        right_sides,
        tiles,
        across_log2,
        lanes_log2: lanes.ilog2(),
        backward: a.upper,
        unit: a.unit,
        conjugate: a.conjugate && values.dtype().is_complex(),
        ends: read(indptr),
        columns: read(columns),
        values: read(values),
        gather: Read(gather.map(DevicePtr::of)),
        b: read(b),
        b_steps: steps(b),
        x: written(&x),
        ticket: written(&ticket),
        scatter: Read(scatter.map(DevicePtr::of)),
        out: Written(out.map(DevicePtr::of)),
        out_steps: out.map_or([0, 0], steps),
    };
    let key = (values.dtype(), index == DType::I64);
    let source = || (format!("triangular solve/{}/{index}", key.0), triangular_solve_source(key.0, key.1));
    let [function] = kernels(&KERNELS, device, key, ["triangular_solve"], source)?;
    let grid = Blocks::of(rows.div_ceil(block) * tiles, rows * tiles, "rows");
    // SAFETY: the kernel bounds pointers and columns by the arrays; permutations are the caller's, of the numbers of the rows.
    unsafe { Launcher::on(device).launch_sharing(function, grid, block * lanes, shared, &params) }?;
    Ok(x)
}
