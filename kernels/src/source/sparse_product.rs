//! Source of the kernels of products of a sparse matrix with a dense vector or matrix.

use super::compressed::index_type;
use super::{Unit, body, compute_type, headers, narrow, widen};
use crate::DType;
use crate::params::{Read, Value, Written, parameters};
use crate::registry::{Loop, UfuncId};

/// Steps of a block's part of the path of rows and entries: as in `include/sparse_product.cuh`.
pub const SPARSE_PATH: usize = 1024;

/// Threads of a block: as in `include/sparse_product.cuh`.
pub const SPARSE_THREADS: usize = 128;

parameters! {
    /// Parameters of the kernel `sparse_tiles`.
    SparseTilesParams<P> {
        /// Number of rows.
        rows: usize,
        /// Number of entries.
        entries: usize,
        /// Number of parts of the path.
        tiles: usize,
        /// Row pointers.
        ends: Read<P> as "const index *",
        /// The row at which each part begins, and the number of rows.
        starts: Written<P> as "index *",
    }
}

parameters! {
    /// Parameters of the kernels `sparse_product` and `sparse_carries`.
    SparseProductParams<P> {
        /// Number of rows.
        rows: usize,
        /// Number of entries.
        entries: usize,
        /// Number of parts of the path.
        tiles: usize,
        /// Row pointers.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        columns: Read<P> as "const index *",
        /// The position of the value of each entry; 0 if values are in the order of the entries.
        order: Read<P> as "const index *",
        /// The row at which each part begins, and the number of rows.
        starts: Read<P> as "const index *",
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
        /// Carries: the sum that each part has of the row that goes on after it; 0 for a single part.
        carries: Written<P> as "result *",
        /// The result of a row without entries, the identity of the sum.
        empty: Value as "parameter<result>",
    }
}

/// Key of the kernels of products of a sparse matrix with a dense operand over a semiring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SparseProductSource {
    /// The operation that combines the products of a row, and the index of its loop.
    pub sum: (UfuncId, u8),
    /// The operation of an entry and an element of the dense operand, and the index of its loop.
    pub product: (UfuncId, u8),
    /// The dtype of both operands and of the result.
    pub dtype: DType,
    /// True for 64-bit pointers and columns.
    pub wide: bool,
    /// Lanes that walk a part of the path together: a power of two up to 32.
    pub group: u8,
    /// Columns of the dense operand of each lane.
    pub each: u8,
}

impl SparseProductSource {
    /// Returns the kernel's name in messages: `sparse product/add/multiply/float32`.
    pub fn name(&self) -> String {
        let [sum, product] = [self.sum, self.product].map(|(op, _)| op.record().name);
        format!("sparse product/{sum}/{product}/{}/{} columns", self.dtype, self.group * self.each)
    }

    /// Returns the source of the kernels `sparse_tiles`, `sparse_product` and `sparse_carries`.
    pub fn source(&self) -> String {
        let (headers, functions) = semiring_text(self.sum, self.product, self.dtype);
        Unit::new(headers, "sparse_products")
            .typed("index", index_type(self.wide))
            .typed("result", self.dtype.device_name())
            .choice("GROUP", self.group)
            .choice("EACH", self.each)
            .params_as("tile_params", &SparseTilesParams::<()>::default())
            .params(&SparseProductParams::<()>::default())
            .with(&functions)
            .with(body!("sparse_product"))
            .finish()
    }
}

/// Returns the shared headers of a semiring's operations, and its functions `merge` and `product`.
pub(super) fn semiring_text(sum: (UfuncId, u8), product: (UfuncId, u8), dtype: DType) -> (String, String) {
    let mut text = headers([dtype, dtype], sum.0.record().wide || product.0.record().wide);
    let ops = std::iter::once(sum.0).chain(Some(product.0).filter(|op| *op != sum.0));
    for op in ops {
        text.push_str(op.record().text);
        if dtype.is_complex() {
            text.push_str(op.record().complex_text);
        }
    }
    let binary = |name: &str, (op, signature): (UfuncId, u8)| {
        let Loop { expr, .. } = op.loops()[signature as usize];
        let wide = op.record().wide;
        let (stored, computed) = (dtype.device_name(), compute_type(dtype, wide));
        format!(
            "DEVICE {stored} {name}({stored} loop0, {stored} loop1) {{\n  const {computed} a = {};\n  \
             const {computed} b = {};\n  return {};\n}}\n",
            widen(dtype, wide, "loop0"),
            widen(dtype, wide, "loop1"),
            narrow(dtype, wide, expr),
        )
    };
    (text, binary("merge", sum) + &binary("product", product))
}
