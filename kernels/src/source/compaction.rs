//! Source of the stream compaction kernels: flags of the true elements, and gather or scatter by those flags.

use super::{INDEX, Reading, ReadingParams, TYPES, Unit, Width, body, cast, headers};
use crate::DType;
use crate::params::{Fields, Parameters, Read, Sizes, Strides, Written, parameters};

parameters! {
    /// Parameters of the kernel `mark`.
    MarkParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// The elements.
        input: Read<P>,
        /// Output: one bit for each element.
        bits: Written<P>,
        /// Output: for each unit of 1,024 elements, the number of true elements of its block before it, and then the
        /// total of each block, as 32-bit integers.
        counts: Written<P>,
        /// Number of adjacent units of a warp.
        each: u32,
        /// Number of axes of the elements.
        axes: u32,
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Strides of the elements.
        strides: Strides<'a>,
    }
}

parameters! {
    /// Parameters of the kernel `compact`.
    CompactParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// One bit for each element.
        bits: Read<P>,
        /// The counts of the kernel `mark`.
        counts: Read<P>,
        /// The elements, if elements are written.
        input: Read<P>,
        /// The results; indices are 16-byte aligned.
        out: Written<P>,
        /// Number of adjacent units of a warp of the kernel `mark`.
        each: u32,
        /// Number of blocks of the kernel `mark`.
        blocks: u32,
        /// Bytes between consecutive results.
        result_step: i64,
        /// Bytes between the coordinates of a result; 0 for the bytes that one coordinate of all results takes.
        axis_step: i64,
        /// Number of axes of the elements.
        axes: u32,
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Strides of the elements.
        strides: Strides<'a>,
    }
}

/// Maximum number of blocks of the kernel `mark`: a device runs about as many at a time, and each block of the kernel
/// `compact` adds up their counts.
pub const MARK_BLOCKS: usize = 512;

/// Threads of a block of the kernels `mark` and `compact`: `THREADS` of `include/mark.cuh` and of `include/compact.cuh`.
pub const COMPACTION_THREADS: usize = 256;

/// Elements of a unit, which a warp processes at once: 32 words of a bit for each element.
pub const COMPACTION_UNIT: usize = 1024;

/// Key of the kernel `mark`, with the parameters [`MarkParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The dtype of the elements.
    pub element: DType,
    /// True if elements are contiguous and 16-byte aligned.
    pub flat: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Result of the kernel `compact`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compacted {
    /// The index of each true element along each axis, as integers of this many bytes.
    Coordinates(u8),
    /// The true elements, of this many bytes each.
    Elements(u8),
    /// Contiguous source elements of this many bytes, scattered to where the mask is true.
    Spread(u8),
}

/// Key of the kernel `compact`, with the parameters [`CompactParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compact {
    /// The result that the kernel writes.
    pub what: Compacted,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Returns an integer type of this size.
pub(super) fn item(bytes: u8) -> &'static str {
    match bytes {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "uint4",
    }
}

impl Mark {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("mark/{}", self.element)
    }

    /// Returns the source of the kernel `mark`.
    pub fn source(&self) -> String {
        self.text(None)
    }

    /// Returns the source for elements that are read from memory, or from an expression that is computed as it is read.
    fn text(&self, through: Option<&Reading>) -> String {
        // Any byte but 0 is a true boolean in memory, since users can write such bytes.
        let in_memory = through.is_none();
        let element = if in_memory && self.element == DType::Bool { DType::U8 } else { self.element };
        // Packs the flags of several elements into bits. For four bytes, the highest bit of each byte shows if any of
        // its bits is set, and a multiplication moves the four bits together. The sign bit of a zero does not count.
        let packed = match (element.size(), element.is_float()) {
            (1, _) => {
                "const u32 set = ((x & 0x7f7f7f7fu) + 0x7f7f7f7fu | x) >> 7 & 0x01010101u; \
                 return set * 0x10204080u >> 28;"
            }
            (_, true) => "return ((x & 0x7fffu) != 0 ? 1u : 0u) | ((x & 0x7fff0000u) != 0 ? 2u : 0u);",
            _ => "return ((x & 0xffffu) != 0 ? 1u : 0u) | (x >> 16 != 0 ? 2u : 0u);",
        };
        let functions = format!(
            "DEVICE bool is_set(element e) {{ return {}; }}\nDEVICE u32 packed_set(u32 x) {{ {packed} }}\n",
            cast(element, DType::Bool, "e")
        );
        let text = through.map_or_else(|| headers([element], false), |reading| reading.headers([element]));
        let unit = Unit::new(text, "mark")
            .typed("element", element.device_name())
            .indexed(self.width)
            .switch("FLAT", self.flat);
        let params = MarkParams::<()> { width: self.width, ..Default::default() };
        let unit = match through {
            None => unit.params(&params).with(&functions).with(ELEMENT_SET),
            Some(reading) => {
                let unit = unit.with("using namespace reading;\n");
                let params =
                    |reading: &ReadingParams<'_, ()>| unit.params(&ReadMarkParams { mark: params, reading: *reading });
                let unit = reading.with_params(|all| params(&ReadingParams { reduced: None, ..*all }));
                unit.with(&functions).with(&reading.text()).with(COMPUTED_SET)
            }
        };
        unit.with(body!("mark")).finish()
    }
}

/// Device function that tests an element in memory.
const ELEMENT_SET: &str = "\
DEVICE bool element_set(const params &p, u64 i) {
  const i64 at = p.axes <= 1 ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
  return is_set(*(const element *)((const char *)p.input + at));
}
";

/// Device function that tests an element of an expression.
const COMPUTED_SET: &str = "\
DEVICE bool element_set(const params &p, u64 i) {
  gathered<1> g;
  element e[1];
  origin at = beginning(p);
  walk(at, (uindex)i, p.axes, p.sizes, p.read_kept);
  gather(p, at, p.read_kept, 0, g);
  compute(p, g, e);
  return is_set(e[0]);
}
";

/// Key of the kernel `mark` over an expression that is computed as it is read, with the parameters [`ReadMarkParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadMark {
    /// The kernel for a strided array.
    pub of_array: Mark,
    /// The expression.
    pub reading: Reading,
}

impl ReadMark {
    /// Returns the kernel's name in messages: `mark/greater/float32,float32`.
    pub fn name(&self) -> String {
        format!("mark/{}", self.reading.name())
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        self.of_array.text(Some(&self.reading))
    }
}

/// Parameters of the kernel of a [`ReadMark`].
#[derive(Clone, Copy, Debug)]
pub struct ReadMarkParams<'a, P> {
    /// The parameters of the array kernel, whose input is unused.
    pub mark: MarkParams<'a, P>,
    /// The operands of the expression.
    pub reading: ReadingParams<'a, P>,
}

impl<P: Copy> Parameters<P> for ReadMarkParams<'_, P> {
    fn visit(&self, to: &mut impl Fields<P>) {
        self.mark.visit(to);
        self.reading.visit(to);
    }
}

impl Compact {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        match self.what {
            Compacted::Coordinates(bytes) => format!("compact/{bytes}-byte coordinates"),
            Compacted::Elements(bytes) => format!("compact/{bytes}-byte elements"),
            Compacted::Spread(bytes) => format!("spread/{bytes}-byte elements"),
        }
    }

    /// Returns the source of the kernel `compact`.
    pub fn source(&self) -> String {
        let (coordinates, bytes) = match self.what {
            Compacted::Coordinates(bytes) => (true, bytes),
            Compacted::Elements(bytes) | Compacted::Spread(bytes) => (false, bytes),
        };
        Unit::new(format!("{TYPES}{INDEX}"), "compact")
            .typed("item", item(bytes))
            .indexed(self.width)
            .number("MARK_BLOCKS", MARK_BLOCKS)
            .switch("COORDINATES", coordinates)
            .switch("SPREAD", matches!(self.what, Compacted::Spread(_)))
            .params(&CompactParams::<()> { width: self.width, ..Default::default() })
            .with(body!("compact"))
            .finish()
    }
}
