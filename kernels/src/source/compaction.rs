//! The source texts of compaction: which elements are true, and what becomes of those.

use std::fmt::Write;

use super::{DEEP_AXES, INDEX, OFFSET, SHALLOW_AXES, TYPES, cast, headers};
use crate::DType;

const LOOKBACK: &str = include_str!("../../include/lookback.cuh");
const MARK: &str = include_str!("../../include/mark.cuh");
const SELECT: &str = include_str!("../../include/select.cuh");
const GATHER: &str = include_str!("../../include/gather.cuh");

/// The key of the kernel `mark`, whose parameters are the struct of `include/mark.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The dtype of the elements.
    pub element: DType,
    /// Whether elements, of one or two bytes, lie side by side from a multiple of 16 bytes on.
    pub flat: bool,
    /// Threads of a block, a multiple of 32 up to 1024; as many words are a group.
    pub threads: u16,
    /// Groups of a tile, up to 32.
    pub groups: u8,
    /// 64-bit indices.
    pub wide: bool,
    /// Room for [`DEEP_AXES`] axes.
    pub deep: bool,
}

/// What `select` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Selected {
    /// The index along each axis, as int64.
    Coordinates,
    /// Elements of this many bytes.
    Elements(u8),
}

/// The key of the kernel `select`, whose parameters are the struct of `include/select.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Select {
    /// What is written.
    pub what: Selected,
    /// Threads of a block: those of the kernel `mark` before it.
    pub threads: u16,
    /// 64-bit indices.
    pub wide: bool,
    /// Room for [`DEEP_AXES`] axes.
    pub deep: bool,
}

/// The key of the kernel `gather`, whose parameters are the struct of `include/gather.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    /// Bytes of an element.
    pub item: u8,
    /// 64-bit indices.
    pub wide: bool,
    /// Room for [`DEEP_AXES`] axes.
    pub deep: bool,
}

/// The definitions of `uindex`, `divider` and AXES.
pub(super) fn indices(text: &mut String, wide: bool, deep: bool) {
    let _ = writeln!(
        text,
        "typedef {} uindex;\ntypedef {} divider;\n#define AXES {}",
        if wide { "u64" } else { "u32" },
        if wide { "divider64" } else { "divider32" },
        if deep { DEEP_AXES } else { SHALLOW_AXES },
    );
}

/// An integer type of this many bytes.
fn item(bytes: u8) -> &'static str {
    match bytes {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "uint4",
    }
}

impl Mark {
    /// The kernel's name in messages.
    pub fn name(&self) -> String {
        format!("mark/{}", self.element)
    }

    /// The text of the kernel `mark`.
    pub fn source(&self) -> String {
        // Of a boolean any byte but 0 is true, whoever wrote it.
        let element = if self.element == DType::Bool { DType::U8 } else { self.element };
        let mut text = headers([element], false);
        indices(&mut text, self.wide, self.deep);
        let _ = writeln!(
            text,
            "typedef {} element;\n#define THREADS {}\n#define GROUPS {}\n#define FLAT {}\n\
             DEVICE bool is_set(element e) {{ return {}; }}",
            element.device_name(),
            self.threads,
            self.groups,
            u8::from(self.flat),
            cast(element, DType::Bool, "e"),
        );
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
        let _ = writeln!(text, "DEVICE u32 packed_set(u32 x) {{ {packed} }}");
        for part in [OFFSET, LOOKBACK, MARK] {
            text.push_str(part);
        }
        text
    }
}

impl Select {
    /// The kernel's name in messages.
    pub fn name(&self) -> String {
        match self.what {
            Selected::Coordinates => "select/coordinates".into(),
            Selected::Elements(bytes) => format!("select/{bytes}-byte elements"),
        }
    }

    /// The text of the kernel `select`.
    pub fn source(&self) -> String {
        let mut text = format!("{TYPES}{INDEX}");
        indices(&mut text, self.wide, self.deep);
        let (coordinates, bytes) = match self.what {
            Selected::Coordinates => (1, 8),
            Selected::Elements(bytes) => (0, bytes),
        };
        let _ = writeln!(
            text,
            "typedef {} item;\n#define THREADS {}\n#define COORDINATES {coordinates}",
            item(bytes),
            self.threads,
        );
        text + OFFSET + SELECT
    }
}

impl Gather {
    /// The kernel's name in messages.
    pub fn name(&self) -> String {
        format!("gather/{}-byte elements", self.item)
    }

    /// The text of the kernel `gather`.
    pub fn source(&self) -> String {
        let mut text = format!("{TYPES}{INDEX}");
        indices(&mut text, self.wide, self.deep);
        let _ = writeln!(text, "typedef {} item;", item(self.item));
        text + OFFSET + GATHER
    }
}
