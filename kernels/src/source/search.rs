//! Source of the kernels of binary searches in sorted values (`searchsorted`, `isin`).

use std::fmt::Write;

use super::{Unit, Width, body, cast, compute_type, headers, widen};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};

pub(super) const ORDER: &str = header!("order");
const ORDER_COMPLEX: &str = header!("order_complex");

/// Bytes of samples in shared memory.
const SAMPLE_BYTES: usize = 32 << 10;
/// Maximum number of cells into which the range of the samples is divided.
pub const SEARCH_CELLS: usize = 4096;

parameters! {
    /// Parameters of the kernels `search` and `ladder`.
    SearchParams<'a, P> {
        /// Number of needles.
        needles: usize,
        /// Number of values.
        values: usize,
        /// The needles.
        input: Read<P>,
        /// The values.
        from: Read<P>,
        /// int64: the indices of the values in sorted order.
        sorter: Read<P>,
        /// int64: the insertion points; or booleans, for membership tests.
        out: Written<P>,
        /// The ladder of sampled keys: copies of some of the values, at the last level of all.
        ladder: Written<P>,
        /// Number of entries of the ladder.
        entries: usize,
        /// Number of values of a segment.
        length: usize,
        /// Number of segments.
        segments: u32,
        /// Number of cells into which the range of the segments' last values is divided.
        cells: u32,
        /// Number of levels of the ladder without the last.
        levels: u32,
        /// For membership among integers: one bit for each integer, zeros before the launch.
        table: Written<P> as "u32 *",
        /// For membership tests: true if the result is inverted.
        invert: bool,
        /// True if nothing is done when the last value is less than the first.
        rising: bool,
        /// Stride of the values in bytes.
        step: i64,
        /// Number of axes of the needles.
        axes: u32,
        /// Sizes of the needles' axes.
        sizes: Sizes<'a>,
        /// Strides of the needles.
        strides: Strides<'a>,
    }
}

/// Key of the kernel `search`, with the parameters [`SearchParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// The dtype of the sorted values.
    pub value: DType,
    /// The dtype of the needles.
    pub needle: DType,
    /// The dtype that both are cast to.
    pub common: DType,
    /// True for insertion points to the right of equal values.
    pub right: bool,
    /// True for a membership test instead of insertion points.
    pub member: bool,
    /// True if the values are sorted through an index array.
    pub sorter: bool,
    /// True if samples are held in shared memory.
    pub staged: bool,
    /// True if segments are searched through the ladder that the kernel `ladder` writes.
    pub ladder: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Appends the functions `key_of`, which cast these dtypes to a common one, widened for comparisons.
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
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("search/{} in {}", self.needle, self.value)
    }

    /// Returns the size of a key in bytes, and the number of keys that fit in shared memory.
    pub fn room(&self) -> (usize, usize) {
        // float16 and bfloat16 are compared as float32.
        let bytes = if self.common.is_float() { self.common.size().max(4) } else { self.common.size() };
        (bytes, SAMPLE_BYTES / bytes)
    }

    /// Returns the size in bytes of a membership table with one bit for each integer, if the keys are narrow integers;
    /// otherwise 0.
    pub fn table(&self) -> usize {
        match self.common {
            d if !self.member || d.is_float() || d.is_complex() => 0,
            d if d.size() <= 2 => (3 << 15) / 8,
            _ => (1 << 20) / 8,
        }
    }

    /// Returns the source of the kernels `search` and `ladder`.
    pub fn source(&self) -> String {
        let mut text = headers([self.value, self.needle, self.common], false);
        text.push_str(ORDER);
        if self.common.is_complex() {
            text.push_str(ORDER_COMPLEX);
        }
        let key = compute_type(self.common, false);
        let unit = Unit::new(text, "search")
            .typed("value", self.value.device_name())
            .typed("needle", self.needle.device_name())
            .typed("key", key)
            .indexed(self.width)
            .switch("SORTER", self.sorter)
            .switch("COMPLEX", self.common.is_complex())
            .choice("STAGED", if self.staged { self.room().1 } else { 0 })
            .number("CELLS", SEARCH_CELLS)
            .switch("LADDER", self.ladder)
            .switch("MEMBER", self.member)
            .choice("NUMBERS", 8 * self.table())
            .params(&SearchParams::<()> { width: self.width, ..Default::default() });
        let mut text = String::new();
        keys(&mut text, [self.value, self.needle], self.common);
        let before = if self.right { "!goes_before(x, e)" } else { "goes_before(e, x)" };
        let _ = writeln!(text, "DEVICE bool value_before(key e, key x) {{ return {before}; }}");
        unit.with(&text).with(body!("search")).finish()
    }
}
