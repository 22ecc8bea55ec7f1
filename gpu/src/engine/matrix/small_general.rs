//! Eigendecomposition of small general matrices in shared memory, a batch in one launch. A matrix has the same results
//! alone and in a batch.
//!
//! Lower bound of memory traffic: each matrix and its results once. The bottleneck is QR iterations: some 1.3 double
//! shifts for a real eigenvalue of a matrix of `n` rows, or 2.5 single shifts for a complex one, each of up to `n` steps
//! that depend on each other. A step has a square root, a division and two barriers, and changes up to three rows and
//! columns. Its latency is hidden by as many matrices as shared memory has space for.

use cuprum_kernels::DType;
use cuprum_kernels::params::Written;
use cuprum_kernels::source::{
    EIGENVECTOR_PAIRS_THREADS, EigenvectorPairsParams, GENERAL_SIDE, GENERAL_THREADS, GeneralParams,
    eigenvector_pairs_source, small_general_source,
};

use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::engine::make;
use crate::error::Result;

/// Threads of a warp.
const WARP: usize = 32;
/// Shared memory of a matrix with its transformation, above which the transformation is in the array of the vectors.
const OUTSIDE_BYTES: usize = 32 << 10;
/// Shared memory of a block that has several matrices.
const SEVERAL_BYTES: usize = 32 << 10;

thread_local! {
    /// The kernels that this thread has launched, by device, dtype and whether the transformation is outside.
    static KERNELS: Kernels<(DType, bool), 2> = Kernels::default();
    /// The kernels for pairs of eigenvectors that this thread has launched, by device and dtype.
    static PAIRS_KERNELS: Kernels<DType> = Kernels::default();
}

/// Eigendecomposition of small general matrices.
pub(crate) struct SmallGeneral {
    /// Complex eigenvalues, one row for each matrix.
    pub(crate) values: Array,
    /// Matrices with the eigenvectors in columns, if they were requested: those of real matrices in the form that
    /// [`complex_eigenvectors`] reads.
    pub(crate) vectors: Option<Array>,
    /// 1 for matrices with infinity or NaN, whose results are NaN.
    pub(crate) not_finite: Array,
    /// LAPACK's `info` for each matrix: 0 on success.
    pub(crate) info: Array,
}

/// Decomposes square matrices in C order, of any magnitude; `None` if they are too large.
pub(crate) fn decompose_small_general(a: &Array, vectors: bool) -> Result<Option<SmallGeneral>> {
    let &[ref stack @ .., _, n] = a.shape() else { unreachable!("matrices have two axes") };
    debug_assert!(a.is_c_contiguous() && n > 0 && a.shape()[stack.len()] == n);
    let (device, dtype, batch) = (a.device(), a.dtype(), stack.iter().product());
    let (itemsize, size) = (a.itemsize(), dtype.real().size());
    // The matrix and the transformation, whose pitch is odd; a reflector; eigenvalues; positions and exponents of rows.
    let bytes = |squares: usize| ((squares * n * (n | 1) + n) * itemsize + n * (2 * size + 8)).next_multiple_of(16);
    let outside = vectors && bytes(2) > OUTSIDE_BYTES;
    let bytes = bytes(if vectors && !outside { 2 } else { 1 });
    if n > GENERAL_SIDE || bytes > device.info().shared_bytes as usize {
        return Ok(None);
    }
    let source = || (format!("small_general/{dtype}/{outside}"), small_general_source(dtype, outside));
    let names = ["small_general_values", "small_general_vectors"];
    let [values_alone, both] = kernels(&KERNELS, device, (dtype, outside), names, source)?;
    let complex = if dtype.real() == DType::F32 { DType::C64 } else { DType::C128 };
    let found = SmallGeneral {
        values: make::empty(device, &a.shape()[..=stack.len()], complex)?,
        vectors: vectors.then(|| make::empty(device, a.shape(), dtype)).transpose()?,
        not_finite: make::empty(device, &[batch], DType::I32)?,
        info: make::empty(device, &[batch], DType::I32)?,
    };
    // A thread for each row, if that fills warps.
    let team = n.next_multiple_of(WARP);
    let params = GeneralParams {
        width: Default::default(),
        n,
        batch,
        bytes,
        team,
        a: read(a),
        values: written(&found.values),
        vectors: found.vectors.as_ref().map_or(Written(None), written),
        not_finite: written(&found.not_finite),
        info: written(&found.info),
    };
    // Only warps share no barrier.
    let each = if team == WARP { (SEVERAL_BYTES / bytes).clamp(1, GENERAL_THREADS / WARP) } else { 1 };
    let blocks = Blocks::of(batch.div_ceil(each), batch, "matrices");
    let function = if vectors { both } else { values_alone };
    // SAFETY: the outputs have the sizes of the matrices, and a block has as much shared memory as its matrices need.
    unsafe { Launcher::on(device).launch_sharing(function, blocks, each * team, each * bytes, &params) }?;
    Ok(Some(found))
}

/// Complex eigenvectors of real matrices, in C order, from their real form: of a conjugate pair of `values` one column
/// has the real parts and the next one the imaginary parts.
pub(crate) fn complex_eigenvectors(values: &Array, vectors: &Array) -> Result<Array> {
    debug_assert!(values.is_c_contiguous() && vectors.is_c_contiguous());
    let (device, dtype, count) = (vectors.device(), vectors.dtype(), vectors.size());
    let out = make::empty(device, vectors.shape(), values.dtype())?;
    if count == 0 {
        return Ok(out);
    }
    debug_assert!(values.dtype().real() == dtype);
    let source = || (format!("eigenvector_pairs/{dtype}"), eigenvector_pairs_source(dtype));
    let [function] = kernels(&PAIRS_KERNELS, device, dtype, ["eigenvector_pairs"], source)?;
    let params = EigenvectorPairsParams {
        width: Default::default(),
        n: count / values.size(),
        count,
        values: read(values),
        vectors: read(vectors),
        out: written(&out),
    };
    let blocks = Blocks::of(count.div_ceil(EIGENVECTOR_PAIRS_THREADS), count, "elements");
    // SAFETY: `out` has as many elements as `vectors`, whose matrices have a row for each of the eigenvalues.
    unsafe { Launcher::on(device).launch(function, blocks, EIGENVECTOR_PAIRS_THREADS, &params) }?;
    Ok(out)
}
