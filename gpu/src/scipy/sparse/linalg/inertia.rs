//! Inertia of a Hermitian matrix by a factorisation with symmetric pivots.

use cuprum_direct::{LuOptions, Ordering};
use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::super::Sparse;
use super::library::{LibrarySolver, both_triangles};
use super::super_lu::{columns_of, read_bytes, read_pattern, report_host};
use super::triangular::{factor_dtype, square};
use crate::driver::sparse_direct::{self, Method, SparseDirect};
use crate::driver::sparse_library::{SparseOptions, Structure};
use crate::error::{Error, ErrorKind, Result};

/// Thresholds of the diagonal pivots, in the order in which they are tried: one that bounds the growth of the factors,
/// and all that are not zero.
const THRESHOLDS: [f64; 2] = [0.1, 0.0];

/// Counts the positive and the negative eigenvalues of a Hermitian sparse matrix, of which the lower triangle is read.
///
/// Returns both numbers. With rows and columns in the same order the pivots have the signs of the eigenvalues
/// (J. J. Sylvester, 1852): the count for `A - sigma I` is that of the eigenvalues above and below sigma, so that it
/// shows if an eigenvalue solver has missed one. The factorisation runs on a GPU with NVIDIA's cuDSS, unless it replaces a
/// pivot, otherwise on the host, and is checked by a system with a known solution: the numbers are those of a matrix that
/// differs from this one by rounding errors. SciPy has no such function.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::{Format, Sparse, linalg};
/// let a = Sparse::from_dense(&array([[1.0, 2.0], [2.0, 1.0]])?, Format::Csc)?;
/// assert_eq!(linalg::inertia(&a)?, [1, 1]); // the eigenvalues are 3 and -1
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a matrix that is not square or of a 16-bit dtype, [`ErrorKind::LinAlg`] for a singular one,
/// and for one whose diagonal pivots are not stable.
///
/// # Synchronization
///
/// Synchronises to copy the matrix to the host.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_direct.py`")]
pub fn inertia(a: &Sparse) -> Result<[usize; 2]> {
    count(a).map_err(|e| e.with_op("sparse.linalg.inertia"))
}

fn count(a: &Sparse) -> Result<[usize; 2]> {
    square(a)?;
    let dtype = factor_dtype(a.dtype())?;
    let lower = a.triangle(0, false)?.astype(dtype)?;
    let of_library = SparseOptions { structure: Structure::Hermitian, batch: 1, deterministic: true };
    let library = LibrarySolver::new(&lower, of_library)?.map_or(Ok(None), LibrarySolver::checked)?;
    if let Some(counts) = library.and_then(|factors| factors.inertia()) {
        return Ok(counts);
    }
    let columns = columns_of(&both_triangles(&lower)?, dtype)?;
    report_host(a.device());
    let (pattern, values) = (read_pattern(&columns)?, read_bytes(&columns.data())?);
    for threshold in THRESHOLDS {
        let options =
            LuOptions { ordering: Ordering::Symmetric, diagonal_threshold: Some(threshold), ..LuOptions::default() };
        let factors = sparse_direct::factor(pattern.clone(), &values, dtype, Method::Lu(options))?;
        let [rows, of_columns] = factors.permutations();
        if rows == of_columns && !factors.needs_refinement() {
            return Ok(signs(&*factors, dtype));
        }
    }
    let message = "the diagonal pivots of the matrix are not stable: shift the matrix, or compute its eigenvalues";
    Err(Error::new(ErrorKind::LinAlg, message))
}

/// Returns the numbers of the positive and the negative pivots: the diagonal of U, which is the first entry of each row.
fn signs(factors: &dyn SparseDirect, dtype: DType) -> [usize; 2] {
    let (values, (pointers, _)) = (factors.values(true), factors.pattern(true));
    let size = dtype.size();
    // The real part is the first one of a complex number.
    let pivot = |start: usize| -> f64 {
        let bytes = &values[start * size..];
        match dtype {
            DType::F32 | DType::C64 => f64::from(bytemuck::pod_read_unaligned::<f32>(&bytes[..4])),
            _ => bytemuck::pod_read_unaligned::<f64>(&bytes[..8]),
        }
    };
    let rows = pointers.len() - 1;
    let positive = pointers[..rows].iter().filter(|&&start| pivot(start) > 0.0).count();
    [positive, rows - positive]
}
