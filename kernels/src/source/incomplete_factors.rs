//! Source of the kernels that factor a sparse matrix incompletely, without fill-in.

use super::compressed::index_type;
use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Threads of a block: as in `include/incomplete_factors.cuh`.
pub const INCOMPLETE_THREADS: usize = 128;

parameters! {
    /// Parameters of the kernels `incomplete_diagonals` and `incomplete_factors`.
    IncompleteParams<P> {
        /// Number of rows.
        rows: usize,
        /// Number of entries.
        entries: usize,
        /// True for a Cholesky factorisation of a lower triangle.
        cholesky: bool,
        /// The end of each row, after a zero.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        columns: Read<P> as "const index *",
        /// The values of the matrix.
        values: Read<P> as "const value *",
        /// Memory for as many values.
        work: Written<P> as "value *",
        /// The position of the diagonal entry of each row, or -1.
        diagonals: Written<P> as "index *",
        /// The values of the factors, unknown at first.
        out: Written<P> as "value *",
        /// Number of blocks that have started, from -1 on.
        ticket: Written<P> as "u64 *",
        /// The first row without a pivot; all bits are set if there is none.
        failed: Written<P> as "u64 *",
    }
}

/// Returns the source of the kernels for values of float32, float64, complex64 or complex128.
pub fn incomplete_source(dtype: DType, wide: bool) -> String {
    let single = matches!(dtype, DType::F32 | DType::C64);
    Unit::new(headers([dtype], false), "incomplete_factors")
        .typed("value", dtype.device_name())
        .typed("index", index_type(wide))
        .typed("word", if single { "u32" } else { "u64" })
        .switch("COMPLEX", dtype.is_complex())
        .params(&IncompleteParams::<()>::default())
        .with(body!("published"))
        .with(body!("incomplete_factors"))
        .finish()
}
