//! The source text of searches in sorted values.

use std::fmt::Write;

use super::compaction::indices;
use super::{OFFSET, cast, compute_type, headers, widen};
use crate::DType;

pub(super) const ORDER: &str = include_str!("../../include/order.cuh");
const ORDER_COMPLEX: &str = include_str!("../../include/order_complex.cuh");
const SEARCH: &str = include_str!("../../include/search.cuh");

/// Bytes of samples in shared memory.
const SAMPLE_BYTES: usize = 32 << 10;

/// The key of the kernel `search`, whose parameters are the struct of `include/search.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// The dtype of the sorted values.
    pub value: DType,
    /// The dtype of the needles.
    pub needle: DType,
    /// The dtype that both are cast to.
    pub common: DType,
    /// Whether a needle belongs behind the values that it is equal to.
    pub right: bool,
    /// Whether the values are sorted through indices.
    pub sorter: bool,
    /// Whether samples are held in shared memory.
    pub staged: bool,
    /// 64-bit indices.
    pub wide: bool,
    /// Room for [`DEEP_AXES`](super::DEEP_AXES) axes.
    pub deep: bool,
}

/// The functions key_of, which cast these dtypes to a common one, widened for comparisons.
pub(super) fn keys(text: &mut String, [first, second]: [DType; 2], common: DType) {
    let mut of = |dtype: DType| {
        let _ = writeln!(
            text,
            "DEVICE key key_of({} e) {{\n  const {} c = {};\n  return {};\n}}",
            dtype.device_name(),
            common.device_name(),
            cast(dtype, common, "e"),
            widen(common, false, "c"),
        );
    };
    of(first);
    if second != first {
        of(second);
    }
}

impl Search {
    /// The kernel's name in messages.
    pub fn name(&self) -> String {
        format!("search/{} in {}", self.needle, self.value)
    }

    /// The text of the kernel `search`.
    pub fn source(&self) -> String {
        let mut text = headers([self.value, self.needle, self.common], false);
        text.push_str(ORDER);
        if self.common.is_complex() {
            text.push_str(ORDER_COMPLEX);
        }
        indices(&mut text, self.wide, self.deep);
        let key = compute_type(self.common, false);
        // Halves are compared as float32.
        let key_bytes = if self.common.is_float() { self.common.size().max(4) } else { self.common.size() };
        let _ = writeln!(
            text,
            "typedef {} value;\ntypedef {} needle;\ntypedef {key} key;\n#define SORTER {}\n#define STAGED {}",
            self.value.device_name(),
            self.needle.device_name(),
            u8::from(self.sorter),
            if self.staged { SAMPLE_BYTES / key_bytes } else { 0 },
        );
        keys(&mut text, [self.value, self.needle], self.common);
        let before = if self.right { "!goes_before(x, e)" } else { "goes_before(e, x)" };
        let _ = writeln!(text, "DEVICE bool value_before(key e, key x) {{ return {before}; }}");
        text + OFFSET + SEARCH
    }
}
