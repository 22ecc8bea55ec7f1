//! The source text of searches in sorted values.

use std::fmt::Write;

use super::{Unit, Width, body, cast, compute_type, headers, widen};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};

pub(super) const ORDER: &str = header!("order");
const ORDER_COMPLEX: &str = header!("order_complex");

/// Bytes of samples in shared memory.
const SAMPLE_BYTES: usize = 32 << 10;
/// The most cells that the way between them is divided into.
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
        /// int64: the places; or booleans, of members.
        out: Written<P>,
        /// Copies of some of the values, and of all: keys.
        ladder: Written<P>,
        /// How many those are.
        entries: usize,
        /// Values of a segment.
        length: usize,
        /// Number of segments.
        segments: u32,
        /// How many cells the way between their last values is divided into.
        cells: u32,
        /// Rungs of the ladder but for the last one.
        levels: u32,
        /// Of members of integers: a bit for each number, zeros at first.
        table: Written<P> as "u32 *",
        /// Of members: whether the opposite is requested.
        invert: bool,
        /// True if nothing is to be done where the last value is less than the first.
        rising: bool,
        /// Bytes from a value to the next.
        step: i64,
        /// Of the needles.
        axes: u32,
        /// Of the needles' axes.
        sizes: Sizes<'a>,
        /// Of the needles.
        strides: Strides<'a>,
    }
}

/// The key of the kernel `search`, with the parameters [`SearchParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// The dtype of the sorted values.
    pub value: DType,
    /// The dtype of the needles.
    pub needle: DType,
    /// The dtype that both are cast to.
    pub common: DType,
    /// True if a needle belongs behind the values that it is equal to.
    pub right: bool,
    /// True if to tell if a needle is among the values, in place of where it belongs.
    pub member: bool,
    /// True if the values are sorted through indices.
    pub sorter: bool,
    /// True if samples are held in shared memory.
    pub staged: bool,
    /// True if segments are searched by the ladder that the kernel of that name makes.
    pub ladder: bool,
    /// Of indices and axes.
    pub width: Width,
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
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("search/{} in {}", self.needle, self.value)
    }

    /// Bytes of a key, and how many of them there is room for in shared memory.
    pub fn room(&self) -> (usize, usize) {
        // Halves are compared as float32.
        let bytes = if self.common.is_float() { self.common.size().max(4) } else { self.common.size() };
        (bytes, SAMPLE_BYTES / bytes)
    }

    /// Of members: bytes of a table of a bit for each number, where the keys are integers; 0 where they are not.
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
