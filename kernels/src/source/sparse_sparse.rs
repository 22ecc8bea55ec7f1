//! Source of the kernels of products of two sparse matrices.

use super::compressed::index_type;
use super::sparse_product::semiring_text;
use super::{Unit, body};
use crate::DType;
use crate::params::{Read, Value, Written, parameters};
use crate::registry::UfuncId;

/// Products of a row that the kernels multiply in shared memory: as in `include/sparse_spans.cuh`.
pub const SPARSE_CAPACITIES: [usize; 3] = [32, 256, 1024];

parameters! {
    /// Parameters of the kernels of products of two sparse matrices.
    SparseSparseParams<P> {
        /// Number of rows of the first matrix.
        rows: usize,
        /// Number of its entries.
        a_entries: i64,
        /// Its row pointers.
        a_ends: Read<P> as "const index *",
        /// Its columns.
        a_columns: Read<P> as "const index *",
        /// Its values.
        a_values: Read<P> as "const result *",
        /// Number of rows of the second matrix.
        b_rows: i64,
        /// Number of its entries.
        b_entries: i64,
        /// Its row pointers.
        b_ends: Read<P> as "const index *",
        /// Its columns.
        b_columns: Read<P> as "const index *",
        /// Its values.
        b_values: Read<P> as "const result *",
        /// The number of products of each row; 0 if none exceeds the capacity.
        products: Written<P> as "i64 *",
        /// The numbers of rows with more products than a capacity and at most the next.
        heavy: Written<P> as "u64 *",
        /// The rows to multiply, or 0 for all.
        chosen: Read<P> as "const i64 *",
        /// Their number.
        chosen_rows: usize,
        /// From one row to the next, if there is no list: more than 1 for a sample.
        step: usize,
        /// The sum of the numbers of entries of the rows of a sample, zero before; 0 if each row's is stored.
        sample: Written<P> as "u64 *",
        /// Rows of at most this number of products are left out.
        least: i64,
        /// The number of entries of each row of the result.
        counts: Written<P> as "i64 *",
        /// Row pointers of the result.
        ends: Read<P> as "const i64 *",
        /// Entries for which the arrays of the result have room.
        room: usize,
        /// The columns of the result.
        columns: Written<P> as "index *",
        /// The values of the result.
        values: Written<P> as "result *",
        /// Row pointers that one pass writes, of which the first is zero.
        out_ends: Written<P> as "i64 *",
        /// A ticket and the state of each block of that pass.
        state: Written<P> as "u64 *",
        /// Zero.
        zero: Value as "parameter<result>",
    }
}

/// Key of the kernels of products of two sparse matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SparseSparseSource {
    /// The operation that combines the products of an element, and the index of its loop.
    pub sum: (UfuncId, u8),
    /// The operation of two entries, and the index of its loop.
    pub product: (UfuncId, u8),
    /// The dtype of both matrices and of the result.
    pub dtype: DType,
    /// True for 64-bit pointers and columns.
    pub wide: bool,
    /// The index of the capacity of a row among [`SPARSE_CAPACITIES`].
    pub capacity: u8,
    /// True if a column and the number of a product do not fit in 32 bits; false for the smallest capacity.
    pub wide_key: bool,
}

impl SparseSparseSource {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("sparse matmul/{}/{}", self.dtype, SPARSE_CAPACITIES[self.capacity as usize])
    }

    /// Returns the number of rows of a block.
    pub fn rows(&self) -> usize {
        self.threads() / self.group()
    }

    /// Returns the number of threads of a block.
    pub fn threads(&self) -> usize {
        // The table of rows of few products has a column for each thread, in at most 48 KB.
        let entry = self.dtype.size() + if self.wide { 8 } else { 4 };
        match self.capacity {
            0 if entry <= 8 => 128,
            0 if entry <= 16 => 64,
            0 => 32,
            1 => 128,
            _ => 256,
        }
    }

    /// Returns the number of threads of a row.
    pub fn group(&self) -> usize {
        match self.capacity {
            0 => 1,
            1 => 32,
            _ => 256,
        }
    }

    /// Returns the key's field for products with a matrix of this number of columns.
    pub fn needs_wide_key(capacity: u8, columns: usize) -> bool {
        capacity > 0 && columns.saturating_mul(SPARSE_CAPACITIES[capacity as usize]) > 1 << 32
    }

    /// The names of the kernels.
    pub const KERNELS: [&'static str; 4] = ["row_products", "count_rows", "write_rows", "multiply_rows"];

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        let (headers, functions) = semiring_text(self.sum, self.product, self.dtype);
        let kept = if self.dtype.is_complex() { "is_true(x)" } else { "x != (result)0" };
        Unit::new(headers, "sparse_matmul")
            .typed("index", index_type(self.wide))
            .typed("result", self.dtype.device_name())
            .typed("count", "u64")
            .choice("CAPACITY", SPARSE_CAPACITIES[self.capacity as usize])
            .choice("THREADS", self.threads())
            .choice("GROUP", self.group())
            .typed("sort_key", if self.wide_key { "u64" } else { "u32" })
            .params(&SparseSparseParams::<()>::default())
            .with(&functions)
            .with(&format!("DEVICE bool is_kept(result x) {{ return {kept}; }}\n"))
            .with(body!("sparse_spans"))
            .with(body!("sort_publish"))
            .with(body!("look_back"))
            .with(if self.capacity == 0 { body!("sparse_few") } else { body!("sparse_sparse") })
            .finish()
    }
}
