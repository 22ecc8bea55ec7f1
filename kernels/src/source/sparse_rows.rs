//! Source of the kernels of products of a sparse matrix of even rows with a dense vector or matrix.

use super::compressed::index_type;
use super::sparse_product::semiring_text;
use super::{Unit, body};
use crate::DType;
use crate::params::{Read, Value, Written, parameters};
use crate::registry::UfuncId;

/// Entries of a block's rows, at most: as in `include/sparse_rows.cuh`.
pub const SPARSE_ROWS_CAPACITY: usize = 2048;

/// Entries of the longest row of the kernel `sparse_rows_short`: as in `include/sparse_rows.cuh`.
pub const SPARSE_ROWS_SHORT: usize = 6;

/// Threads of a block: as in `include/sparse_rows.cuh`.
pub const SPARSE_ROWS_THREADS: usize = 256;

parameters! {
    /// Parameters of the kernels `sparse_rows_short`, `sparse_rows` and `sparse_rows_dense`.
    SparseRowsParams<P> {
        /// Number of rows.
        rows: usize,
        /// Number of entries.
        entries: usize,
        /// Row pointers.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        columns: Read<P> as "const index *",
        /// The position of the value of each entry; 0 if values are in the order of the entries.
        order: Read<P> as "const index *",
        /// The values.
        values: Read<P> as "const result *",
        /// The dense operand.
        x: Read<P> as "const result *",
        /// Number of its rows.
        x_rows: u64,
        /// Number of its columns.
        columns_of_x: u64,
        /// Its strides, in elements.
        x_steps: [i64; 2],
        /// The result.
        out: Written<P> as "result *",
        /// Its strides, in elements.
        out_steps: [i64; 2],
        /// The result of a row without entries, the identity of the sum.
        empty: Value as "parameter<result>",
        /// Lanes of a row, as a power of two.
        lanes_log2: u32,
    }
}

/// Key of the kernels of products of even rows over a semiring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SparseRowsSource {
    /// The operation that combines the products of a row, and the index of its loop.
    pub sum: (UfuncId, u8),
    /// The operation of an entry and an element of the dense operand, and the index of its loop.
    pub product: (UfuncId, u8),
    /// The dtype of both operands and of the result.
    pub dtype: DType,
    /// True for 64-bit pointers and columns.
    pub wide: bool,
    /// Adjacent columns of the dense operand of each lane: a power of two of at most 16 bytes.
    pub each: u8,
}

impl SparseRowsSource {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        let [sum, product] = [self.sum, self.product].map(|(op, _)| op.record().name);
        format!("sparse rows/{sum}/{product}/{}/{} columns", self.dtype, self.each)
    }

    /// Returns the source of the kernels `sparse_rows_short`, `sparse_rows` and `sparse_rows_dense`.
    pub fn source(&self) -> String {
        let (headers, functions) = semiring_text(self.sum, self.product, self.dtype);
        Unit::new(headers, "sparse_even_rows")
            .typed("index", index_type(self.wide))
            .typed("result", self.dtype.device_name())
            .choice("EACH", self.each)
            .params(&SparseRowsParams::<()>::default())
            .with(&functions)
            .with(body!("sparse_rows"))
            .finish()
    }
}
