//! Source of the kernels of elementwise operations of two sparse matrices whose rows have few entries.

use super::compressed::index_type;
use super::{Unit, body, compute_type, headers, narrow, widen};
use crate::DType;
use crate::params::{Read, Written, parameters};
use crate::registry::{Loop, UfuncId};

parameters! {
    /// Parameters of the kernel `merge_rows`.
    SparseMergeParams<P> {
        /// Number of rows.
        rows: usize,
        /// Number of rows of each block, whose entries are at most the capacity.
        rows_of_block: u32,
        /// Number of results at most.
        results: usize,
        /// Numbers of entries of both matrices.
        sizes: [i64; 2],
        /// Where each row begins, and the end of the last.
        ends: [Read<P>; 2] as "const index *",
        /// The columns, which rise within each row.
        indices: [Read<P>; 2] as "const index *",
        /// The values.
        values: [Read<P>; 2] as "const element *",
        /// A ticket and the state of each block, zero before; not read by a single block.
        state: Written<P> as "u64 *",
        /// Where each row of the results begins, and their number.
        out_ends: Written<P> as "index *",
        /// The columns of the results.
        columns: Written<P> as "index *",
        /// The results.
        out: Written<P> as "result *",
    }
}

/// Shared memory of a block: a multiprocessor has as many blocks as it has threads for.
const SHARED_BYTES: usize = 27 << 10;

/// Key of the kernel of an elementwise operation of two sparse matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SparseMergeSource {
    /// The operation.
    pub op: UfuncId,
    /// The index of its loop, whose operands have one dtype.
    pub signature: u8,
    /// True for 64-bit pointers and columns.
    pub wide: bool,
}

impl SparseMergeSource {
    /// Returns the kernel's name in messages: `sparse merge/add/float32`.
    pub fn name(&self) -> String {
        let record = self.op.record();
        format!("sparse merge/{}/{}", record.name, self.op.loops()[self.signature as usize].ins[0])
    }

    /// Returns the number of entries of both matrices, and of results, that a block has in shared memory.
    pub fn capacity(&self) -> usize {
        let Loop { ins: [of, ..], outs: [out, _], .. } = self.op.loops()[self.signature as usize];
        let index = if self.wide { 8 } else { 4 };
        SHARED_BYTES / (2 * index + of.size().max(out.size()) + out.size()) / 64 * 64
    }

    /// Returns the source of the kernel `merge_rows`.
    pub fn source(&self) -> String {
        let Loop { ins: [of, ..], outs: [out, _], expr } = self.op.loops()[self.signature as usize];
        let wide = self.op.record().wide;
        let mut text = headers([of, out], wide);
        text.push_str(self.op.record().text);
        if of.is_complex() || out.is_complex() {
            text.push_str(self.op.record().complex_text);
        }
        let (stored, computed) = (of.device_name(), compute_type(of, wide));
        let functions = format!(
            "DEVICE result combined({stored} loop0, {stored} loop1) {{\n  const {computed} a = {};\n  \
             const {computed} b = {};\n  return {};\n}}\n\
             DEVICE bool is_kept(result x) {{ return {}; }}\n",
            widen(of, wide, "loop0"),
            widen(of, wide, "loop1"),
            narrow(out, wide, expr),
            is_kept(out),
        );
        Unit::new(text, "sparse_merge")
            .typed("index", index_type(self.wide))
            .typed("element", stored)
            .typed("result", out.device_name())
            .typed("count", "u64")
            .choice("CAPACITY", self.capacity())
            .params(&SparseMergeParams::<()>::default())
            .with(&functions)
            .with(body!("sort_publish"))
            .with(body!("look_back"))
            .with(body!("sparse_merge"))
            .finish()
    }
}

/// Returns the expression of whether a result `x` is not zero.
pub(super) fn is_kept(dtype: DType) -> &'static str {
    match dtype {
        dtype if dtype.is_complex() => "x.re != 0 || x.im != 0",
        DType::F16 | DType::BF16 => "widen(x) != 0.0f",
        _ => "x != 0",
    }
}
