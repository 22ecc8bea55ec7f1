//! Decompositions of small matrices in shared memory, a batch in one or two launches. A matrix has the same results alone
//! and in a batch.
//!
//! Lower bound of memory traffic: each matrix and its results once. The bottleneck of singular values is rotations: for
//! 64 columns some eight sweeps of 63 rounds of 2,000 instructions of a warp. Eigenvectors are bounded by shared memory:
//! a warp reads `n^2 / 2` times in each of five loops over a column of the matrix, and has some `0.8 n^2` rotations to
//! apply, each of which depends on the one before it.

use cuprum_kernels::DType;
use cuprum_kernels::params::Written;
use cuprum_kernels::source::{
    HERMITIAN_SIDES, HermitianParams, SMALL_SIDES, Small, SmallParams, hermitian_group, small_team,
};

use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Task;
use crate::driver::dense::SingularVectors;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, Sides, check_arrays, one_device, read, written};
use crate::engine::make;
use crate::error::Result;

/// Upper bound of a kernel's shared memory besides the columns.
const OWN_BYTES: usize = 5 << 10;
/// Threads of a warp.
const WARP: usize = 32;
/// Shared memory of a block whose warps reduce Hermitian matrices, if that is enough for one of them.
const REDUCTION_BYTES: usize = 32 << 10;
/// Maximum number of those warps, as in `include/small_hermitian.cuh`.
const REDUCTION_WARPS: usize = 4;
/// Blocks of a multiprocessor that iterate on Hermitian matrices, before a block has more than one matrix.
const ITERATING_BLOCKS: usize = 2;

thread_local! {
    /// The kernels that this thread has launched, by device, kernel, dtype and side.
    static KERNELS: Kernels<(&'static str, DType, usize)> = Kernels::default();
    /// The kernels for Hermitian matrices that this thread has launched, by device, dtype and side.
    static HERMITIAN_KERNELS: Kernels<(DType, usize), 2> = Kernels::default();
}

/// Returns the smallest of the variants of a kernel for matrices with this many rows and columns, and the shared memory that it
/// needs, which is computed from the variant's side; `None` if they are too large for the device.
pub(super) fn variant(
    device: Device,
    sides: &[usize],
    rows: usize,
    shared: impl Fn(usize) -> usize,
) -> Option<(usize, usize)> {
    let side = sides.iter().copied().find(|&side| rows <= side)?;
    let shared = shared(side);
    (shared + OWN_BYTES <= device.info().shared_bytes as usize).then_some((side, shared))
}

/// Runs a task, as [`crate::engine::launch::dense`] does, if the matrices are small enough and the task is one of
/// these; otherwise returns `None`.
pub(crate) fn decompose_small(task: Task, sides: Sides, arrays: &[Option<&Array>]) -> Result<Option<Array>> {
    let Sides { m, n, k, batch } = sides;
    let a = arrays[0].expect("each task has a matrix");
    // The columns that a block holds, the number of its teams, and the count parameter.
    let (text, name, kept, teams, count) = match task {
        Task::Gesvd { vectors } => {
            let count = match vectors {
                SingularVectors::None => 0,
                SingularVectors::Thin => n,
                SingularVectors::Full => m,
            };
            (Small::Singular, "small_singular", n * (1 + usize::from(count > 0)), n.div_ceil(2), count)
        }
        Task::Geqrf => (Small::Reflectors, "small_reflect", n, n, m.min(n)),
        Task::Orgqr => (Small::Reflectors, "small_product", k, n, k),
        _ => return Ok(None),
    };
    check_arrays(task, sides, arrays)?;
    let device = one_device(a, arrays.iter().copied().flatten())?;
    let shared = |side| kept * (side + small_team(side)) * a.itemsize();
    let Some((side, shared)) = variant(device, &SMALL_SIDES, m.max(n), shared) else { return Ok(None) };
    let dtype = a.dtype();
    let source = || (format!("{name}/{dtype}/{side}"), text.source(dtype, side));
    let [function] = kernels(&KERNELS, device, (name, dtype, side), [name], source)?;
    let info = make::empty(device, &[batch], DType::I32)?;
    let operand = |k: usize| arrays.get(k).copied().flatten().map_or(Written(None), written);
    let params = SmallParams {
        width: Default::default(),
        m,
        n,
        count,
        a: written(a),
        values: operand(1),
        u: operand(2),
        v: operand(3),
        info: written(&info),
    };
    let threads = (teams * small_team(side)).next_multiple_of(32).min(256);
    // SAFETY: the arrays are checked to be those of the task; a block has as much shared memory as the columns that it holds need.
    unsafe {
        Launcher::on(device).launch_sharing(function, Blocks::of(batch, batch, "matrices"), threads, shared, &params)
    }?;
    Ok(Some(info))
}

/// Eigendecomposition of small Hermitian matrices.
pub(crate) struct SmallHermitian {
    /// Eigenvalues in ascending order, one row for each matrix.
    pub(crate) values: Array,
    /// Matrices with the eigenvectors in columns, if they were requested.
    pub(crate) vectors: Option<Array>,
    /// LAPACK's `info` for each matrix: 0 on success and for matrices with infinity or NaN, whose results are NaN.
    pub(crate) info: Array,
}

/// Decomposes Hermitian matrices in C order, of any magnitude, of which one triangle is read; `None` if they are too
/// large.
pub(crate) fn decompose_small_hermitian(a: &Array, upper: bool, vectors: bool) -> Result<Option<SmallHermitian>> {
    let &[ref stack @ .., _, n] = a.shape() else { unreachable!("matrices have two axes") };
    debug_assert!(a.is_c_contiguous() && n > 0 && a.shape()[stack.len()] == n);
    let (device, dtype, batch) = (a.device(), a.dtype(), stack.iter().product());
    let (itemsize, size) = (a.itemsize(), dtype.real().size());
    // Columns end at a multiple of 16 bytes. Lanes read different ones: an odd pitch keeps them in different banks.
    let pitch = n.next_multiple_of(16 / itemsize) | 1;
    let of_a_matrix = |side: usize| ((3 * side + n * pitch) * itemsize).next_multiple_of(16);
    let Some((side, bytes)) = variant(device, &HERMITIAN_SIDES, n, of_a_matrix) else { return Ok(None) };
    // The diagonals of the matrices and the elements beside them; for each warp 32 rotations and 32 rows.
    let (warps, most) = ((256 / side).min(side / 2), hermitian_group(side));
    let of_a_block = |_| (2 * n * most + warps * (2 * WARP + n * (WARP + 1))) * size;
    let Some((_, iterating)) = variant(device, &HERMITIAN_SIDES, n, of_a_block) else { return Ok(None) };
    let source = || (format!("small_hermitian/{dtype}/{side}"), Small::Hermitian.source(dtype, side));
    let names = ["small_hermitian_reduce", "small_hermitian_iterate"];
    let [reduce, iterate] = kernels(&HERMITIAN_KERNELS, device, (dtype, side), names, source)?;
    let found = SmallHermitian {
        values: make::empty(device, &a.shape()[..=stack.len()], dtype.real())?,
        vectors: vectors.then(|| make::empty(device, a.shape(), dtype)).transpose()?,
        info: make::empty(device, &[batch], DType::I32)?,
    };
    let beside = make::empty(device, &[batch, n], dtype.real())?;
    let rotations = vectors.then(|| make::empty(device, &[batch, n, n], dtype.real())).transpose()?;
    let group = batch.div_ceil(ITERATING_BLOCKS * device.info().multiprocessors as usize).clamp(1, most);
    let params = HermitianParams {
        width: Default::default(),
        n,
        batch,
        bytes,
        group,
        vectors: vectors.into(),
        upper: upper.into(),
        a: read(a),
        values: written(&found.values),
        beside: written(&beside),
        columns: found.vectors.as_ref().map_or(Written(None), written),
        rotations: rotations.as_ref().map_or(Written(None), written),
        info: written(&found.info),
    };
    let launcher = Launcher::on(device);
    let of_a_warp = (WARP / side).max(1);
    let reducing_warps = (REDUCTION_BYTES / (bytes * of_a_warp)).clamp(1, REDUCTION_WARPS);
    let each = reducing_warps * of_a_warp;
    let (reducing, groups) = (batch.div_ceil(each), batch.div_ceil(group));
    // SAFETY: the outputs have the sizes of the matrices, and a block has as much shared memory as its warps need.
    unsafe {
        launcher.launch_sharing(
            reduce,
            Blocks::of(reducing, batch, "matrices"),
            reducing_warps * WARP,
            each * bytes,
            &params,
        )?;
        launcher.launch_sharing(iterate, Blocks::of(groups, batch, "matrices"), warps * WARP, iterating, &params)?;
    }
    Ok(Some(found))
}
