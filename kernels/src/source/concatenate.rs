//! Source of the kernel that concatenates arrays.

use std::fmt::Write;

use super::compaction::item;
use super::{INDEX, TYPES, Unit, Width, body, cast, headers};
use crate::DType;
use crate::params::{Read, Size, Sizes, Strides, Written, parameters};

/// Maximum number of parts in the kernel's parameters; more are listed in device memory.
pub const CONCATENATE_INLINE: usize = 4;

parameters! {
    /// Parameters of the kernel `concatenate`.
    ConcatenateParams<'a, P> {
        /// Number of results.
        results: usize,
        /// The results, contiguous in memory order.
        out: Written<P>,
        /// Size of the results along the joined axis and all faster axes: after that many results the first part
        /// repeats.
        row: Size,
        /// The number of parts.
        parts: u32,
        /// Number of axes of the results.
        axes: u32,
        /// The axis along which the parts are concatenated.
        joined: u32,
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Offset of each part in a row, and the end of the last one.
        starts: Option<[usize; CONCATENATE_INLINE + 1]>,
        /// The parts.
        inputs: Option<[Read<P>; CONCATENATE_INLINE]>,
        /// Index of each part's dtype.
        dtypes: Option<[u32; CONCATENATE_INLINE]>,
        /// Strides of the parts along the results' axes.
        strides: Option<&'a [Strides<'a>]>,
        /// uint64, in place of the preceding fields: the offset of each part and the end of the last one; then for each
        /// part its address, the index of its dtype and its strides.
        table: Option<Read<P>>,
    }
}

/// Unit of the results that a thread writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinWalk {
    /// Single elements of any dtypes.
    Elements,
    /// Chunks; no element is cast, and every part is contiguous along its last axis.
    Chunks,
    /// Chunks; no element is cast, and there are two axes, of which the last is the joined one.
    Short,
}

/// Key of the kernel `concatenate`, with the parameters [`ConcatenateParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Concatenate {
    /// The dtype of the results.
    pub out: DType,
    /// A bit for the index of each dtype that parts have; 0 if all have that of the results.
    pub cast: u16,
    /// The unit of a thread's results.
    pub walk: JoinWalk,
    /// True if the parts are listed in device memory.
    pub table: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Concatenate {
    /// Returns the key for parts of these dtypes with any strides.
    pub fn new(out: DType, parts: impl IntoIterator<Item = DType>, table: bool, width: Width) -> Concatenate {
        let others = parts.into_iter().fold(0, |all, d| all | 1 << Concatenate::number(d));
        // Elements that are not cast are moved as bytes.
        let cast = if others & !(1 << Concatenate::number(out)) == 0 { 0 } else { others };
        let out = if cast == 0 { moved_as(out) } else { out };
        Concatenate { out, cast, walk: JoinWalk::Elements, table, width }
    }

    /// Returns the index of a dtype.
    pub fn number(dtype: DType) -> u32 {
        DType::ALL.iter().position(|d| *d == dtype).unwrap_or_default() as u32
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        match self.cast {
            0 => format!("concatenate/{}-byte elements", self.out.size()),
            _ => format!("concatenate/{}", self.out),
        }
    }

    /// Returns the number of results that one block writes.
    pub fn tile(&self) -> usize {
        match self.walk {
            JoinWalk::Elements => 4 * 256,
            JoinWalk::Chunks => 2 * 256 * 16 / self.out.size(),
            JoinWalk::Short => 4 * 256 * 16 / self.out.size(),
        }
    }

    /// Returns the parameters without values.
    pub fn params(&self) -> ConcatenateParams<'static, ()> {
        let inline = !self.table;
        ConcatenateParams {
            width: self.width,
            starts: inline.then_some(Default::default()),
            inputs: inline.then_some(Default::default()),
            dtypes: inline.then_some(Default::default()),
            strides: inline.then_some(&[Strides(&[]); CONCATENATE_INLINE]),
            table: self.table.then_some(Read(None)),
            ..Default::default()
        }
    }

    /// Returns the source of the kernel `concatenate`.
    pub fn source(&self) -> String {
        let parts = || DType::ALL.into_iter().filter(|d| self.cast >> Concatenate::number(*d) & 1 == 1);
        let size = self.out.size();
        let (text, of) = match self.cast {
            0 => (format!("{TYPES}{INDEX}"), item(size as u8)),
            _ => (headers(parts().chain([self.out]), false), self.out.device_name()),
        };
        let mut load = String::new();
        if self.cast == 0 {
            load.push_str(body!("chunk"));
            load.push_str("DEVICE item load(u32, const char *from) { return element_at(from); }\n");
        } else {
            load.push_str("DEVICE item load(u32 dtype, const char *from) {\n  switch (dtype) {\n");
            for dtype in parts() {
                let (number, name) = (Concatenate::number(dtype), dtype.device_name());
                let value = cast(dtype, self.out, "x");
                let _ =
                    writeln!(load, "  case {number}: {{ const {name} x = *(const {name} *)from; return {value}; }}");
            }
            load.push_str("  }\n  return item{};\n}\n");
        }
        Unit::new(text, "concatenate")
            .typed("item", of)
            .indexed(self.width)
            .choice("ITEM", size)
            .choice("WALK", self.walk as u8)
            .switch("TABLE", self.table)
            .params(&self.params())
            .with(&load)
            .with(body!("concatenate"))
            .finish()
    }
}

/// Returns the unsigned integer dtype of the same size, so that dtypes of one size share a kernel.
fn moved_as(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        _ => DType::C128,
    }
}
