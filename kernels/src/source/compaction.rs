//! The source texts of compaction: which elements are true, and what becomes of those.

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
        /// A bit for each.
        bits: Written<P>,
        /// How many are true, as a tree of sums: zeros at first.
        sums: Written<P>,
        /// Of the elements.
        axes: u32,
        /// Of the axes.
        sizes: Sizes<'a>,
        /// Of the elements.
        strides: Strides<'a>,
    }
}

parameters! {
    /// Parameters of the kernel `compact`.
    CompactParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// A bit for each.
        bits: Read<P>,
        /// How many are true.
        sums: Read<P>,
        /// The elements, where those are what is written.
        input: Read<P>,
        /// The results.
        out: Written<P>,
        /// Bytes between results.
        result_step: i64,
        /// Bytes between the coordinates of one.
        axis_step: i64,
        /// Of the elements.
        axes: u32,
        /// Of the axes.
        sizes: Sizes<'a>,
        /// Of the elements.
        strides: Strides<'a>,
    }
}

/// Sums of a level of the tree that are one of the level above, as a power of two.
pub const MARK_SUMS_LOG2: u32 = 5;

/// The key of the kernel `mark`, with the parameters [`MarkParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The dtype of the elements.
    pub element: DType,
    /// True if elements lie side by side from a multiple of 16 bytes on.
    pub flat: bool,
    /// Threads of a block, a multiple of 32 up to 1024; as many words are a group.
    pub threads: u16,
    /// Groups of a tile: a power of two up to 32.
    pub groups: u8,
    /// Of indices and axes.
    pub width: Width,
}

/// What `compact` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compacted {
    /// The index along each axis, as int64.
    Coordinates,
    /// Elements of this many bytes.
    Elements(u8),
    /// Elements of this many bytes, from one after the other to where the mask is true.
    Spread(u8),
}

/// The key of the kernel `compact`, with the parameters [`CompactParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compact {
    /// What is written.
    pub what: Compacted,
    /// Threads of a block: those of the kernel `mark` before it.
    pub threads: u16,
    /// Of indices and axes.
    pub width: Width,
}

/// Returns an integer type of this many bytes.
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

    /// Returns the same, of elements that lie in memory or are computed as they are read.
    fn text(&self, through: Option<&Reading>) -> String {
        // Of a boolean in memory any byte but 0 is true, whoever wrote it.
        let in_memory = through.is_none();
        let element = if in_memory && self.element == DType::Bool { DType::U8 } else { self.element };
        // The bits of the elements in a word of 32 bits. Of four bytes: the highest bit of each says whether any of its
        // bits is set, and a product brings the four together. The sign of a zero is no bit that counts.
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
            .number("THREADS", self.threads.into())
            .number("GROUPS", self.groups.into())
            .number("SUMS_LOG2", MARK_SUMS_LOG2 as usize)
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

/// Whether an element in memory is true.
const ELEMENT_SET: &str = "\
DEVICE bool element_set(const params &p, u64 i) {
  const i64 at = p.axes <= 1 ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
  return is_set(*(const element *)((const char *)p.input + at));
}
";

/// Whether an element of an expression is true.
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

/// The kernel `mark` of what is computed as it is read: the key of one that is told [`ReadMarkParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadMark {
    /// As of an array that does not lie side by side.
    pub of_array: Mark,
    /// What is read.
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

/// What the kernel of a [`ReadMark`] is told.
#[derive(Clone, Copy, Debug)]
pub struct ReadMarkParams<'a, P> {
    /// As of an array, which is none.
    pub mark: MarkParams<'a, P>,
    /// What is read.
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
            Compacted::Coordinates => "compact/coordinates".into(),
            Compacted::Elements(bytes) => format!("compact/{bytes}-byte elements"),
            Compacted::Spread(bytes) => format!("spread/{bytes}-byte elements"),
        }
    }

    /// Returns the source of the kernel `compact`.
    pub fn source(&self) -> String {
        let (coordinates, bytes) = match self.what {
            Compacted::Coordinates => (true, 8),
            Compacted::Elements(bytes) | Compacted::Spread(bytes) => (false, bytes),
        };
        Unit::new(format!("{TYPES}{INDEX}"), "compact")
            .typed("item", item(bytes))
            .indexed(self.width)
            .number("THREADS", self.threads.into())
            .number("SUMS_LOG2", MARK_SUMS_LOG2 as usize)
            .switch("COORDINATES", coordinates)
            .switch("SPREAD", matches!(self.what, Compacted::Spread(_)))
            .params(&CompactParams::<()> { width: self.width, ..Default::default() })
            .with(body!("compact"))
            .finish()
    }
}
