//! Decompositions of small matrices: each by one block, in shared memory, a batch in one launch. A matrix has the same
//! results alone and in a batch.
//!
//! Lower bound of memory traffic: each matrix and its results once. The bottleneck of singular values is rotations: for
//! 64 columns some eight sweeps of 63 rounds of 2,000 instructions of a warp. That of eigenvalues is a chain of some
//! `0.8 n^2` rotations of one warp, of some 80 instructions each, so that as many warps as fit must run at the same time.

use cuprum_kernels::DType;
use cuprum_kernels::params::Written;
use cuprum_kernels::source::{HermitianParams, SMALL_SIDES, SMALL_TEAM, Small, SmallParams};

use crate::array::Array;
use crate::driver::Task;
use crate::driver::dense::SingularVectors;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, Sides, check_arrays, one_device, read, written};
use crate::engine::make;
use crate::error::Result;

/// Upper bound of a kernel's shared memory besides the columns.
const OWN_BYTES: usize = 4 << 10;
/// Threads of a block that diagonalises a Hermitian matrix.
const WARP: usize = 32;

thread_local! {
    /// The kernels that this thread has launched, by device, kernel, dtype and side.
    static KERNELS: Kernels<(&'static str, DType, usize)> = Kernels::default();
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
    let Some(side) = SMALL_SIDES.into_iter().find(|&side| m.max(n) <= side) else { return Ok(None) };
    let shared = kept * (side + SMALL_TEAM) * a.itemsize();
    if shared + OWN_BYTES > device.info().shared_bytes as usize {
        return Ok(None);
    }
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
    let threads = (teams * SMALL_TEAM).next_multiple_of(32).min(256);
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
    let Some(side) = SMALL_SIDES.into_iter().find(|&side| n <= side) else { return Ok(None) };
    // Lanes read different columns: an odd pitch keeps them in different banks.
    let shared = n * (n | 1) * a.itemsize();
    if shared + OWN_BYTES > device.info().shared_bytes as usize {
        return Ok(None);
    }
    let name = "small_hermitian";
    let source = || (format!("{name}/{dtype}/{side}"), Small::Hermitian.source(dtype, side));
    let [function] = kernels(&KERNELS, device, (name, dtype, side), [name], source)?;
    let found = SmallHermitian {
        values: make::empty(device, &a.shape()[..=stack.len()], dtype.real())?,
        vectors: vectors.then(|| make::empty(device, a.shape(), dtype)).transpose()?,
        info: make::empty(device, &[batch], DType::I32)?,
    };
    let params = HermitianParams {
        width: Default::default(),
        n,
        vectors: vectors.into(),
        upper: upper.into(),
        a: read(a),
        values: written(&found.values),
        columns: found.vectors.as_ref().map_or(Written(None), written),
        info: written(&found.info),
    };
    // SAFETY: the outputs have the sizes of the matrices; a block has as much shared memory as its matrix needs.
    unsafe {
        Launcher::on(device).launch_sharing(function, Blocks::of(batch, batch, "matrices"), WARP, shared, &params)
    }?;
    Ok(Some(found))
}
