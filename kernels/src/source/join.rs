//! The source text of arrays one behind the other.

use std::fmt::Write;

use super::compaction::item;
use super::{INDEX, TYPES, Unit, Width, body, cast, headers};
use crate::DType;
use crate::params::{Read, Size, Sizes, Strides, Written, parameters};

/// The most parts that the kernel is told of by its parameters; more are listed in memory.
pub const JOIN_INLINE: usize = 4;

parameters! {
    /// Parameters of the kernel `join`.
    JoinParams<'a, P> {
        /// Number of results.
        results: usize,
        /// The results, one after the other in the order of memory.
        out: Written<P>,
        /// How many results there are in all parts before the first part comes again.
        row: Size,
        /// The number of parts.
        parts: u32,
        /// Of the results.
        axes: u32,
        /// Along which of them the parts stand.
        joined: u32,
        /// Of the axes.
        sizes: Sizes<'a>,
        /// Where in a row each part begins, and the last one ends.
        starts: Option<[usize; JOIN_INLINE + 1]>,
        /// The parts.
        inputs: Option<[Read<P>; JOIN_INLINE]>,
        /// Their dtypes, by number.
        dtypes: Option<[u32; JOIN_INLINE]>,
        /// Their strides along the results' axes.
        strides: Option<&'a [Strides<'a>]>,
        /// uint64, in place of these: where each part begins and the last one ends; of each its address, the number of its
        /// dtype and its strides.
        table: Option<Read<P>>,
    }
}

/// What a thread has of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinWalk {
    /// Single elements, of any dtypes.
    Elements,
    /// Chunks; nothing is cast and elements lie side by side along the last axis of every part.
    Chunks,
    /// Chunks; nothing is cast and there are two axes, along the last of which the parts stand.
    Short,
}

/// The key of the kernel `join`, with the parameters [`JoinParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Join {
    /// The dtype of the results.
    pub out: DType,
    /// A bit for the number of each dtype that parts have; 0 where all have that of the results.
    pub cast: u16,
    /// How it is walked.
    pub walk: JoinWalk,
    /// True if the parts are listed in memory.
    pub table: bool,
    /// Of indices and axes.
    pub width: Width,
}

impl Join {
    /// Returns the key of parts of these dtypes, where nothing is known of their strides.
    pub fn new(out: DType, parts: impl IntoIterator<Item = DType>, table: bool, width: Width) -> Join {
        let others = parts.into_iter().fold(0, |all, d| all | 1 << Join::number(d));
        // What is not cast is moved by its bytes, whatever they mean.
        let cast = if others & !(1 << Join::number(out)) == 0 { 0 } else { others };
        let out = if cast == 0 { moved_as(out) } else { out };
        Join { out, cast, walk: JoinWalk::Elements, table, width }
    }

    /// Returns the number of a dtype.
    pub fn number(dtype: DType) -> u32 {
        DType::ALL.iter().position(|d| *d == dtype).unwrap_or_default() as u32
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        match self.cast {
            0 => format!("join/{}-byte elements", self.out.size()),
            _ => format!("join/{}", self.out),
        }
    }

    /// Results that one block writes.
    pub fn tile(&self) -> usize {
        match self.walk {
            JoinWalk::Elements => 4 * 256,
            JoinWalk::Chunks => 2 * 256 * 16 / self.out.size(),
            JoinWalk::Short => 4 * 256 * 16 / self.out.size(),
        }
    }

    /// What the kernel is told, without values.
    pub fn params(&self) -> JoinParams<'static, ()> {
        let inline = !self.table;
        JoinParams {
            width: self.width,
            starts: inline.then_some(Default::default()),
            inputs: inline.then_some(Default::default()),
            dtypes: inline.then_some(Default::default()),
            strides: inline.then_some(&[Strides(&[]); JOIN_INLINE]),
            table: self.table.then_some(Read(None)),
            ..Default::default()
        }
    }

    /// Returns the source of the kernel `join`.
    pub fn source(&self) -> String {
        let parts = || DType::ALL.into_iter().filter(|d| self.cast >> Join::number(*d) & 1 == 1);
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
                let (number, name) = (Join::number(dtype), dtype.device_name());
                let value = cast(dtype, self.out, "x");
                let _ =
                    writeln!(load, "  case {number}: {{ const {name} x = *(const {name} *)from; return {value}; }}");
            }
            load.push_str("  }\n  return item{};\n}\n");
        }
        Unit::new(text, "join")
            .typed("item", of)
            .indexed(self.width)
            .choice("ITEM", size)
            .choice("WALK", self.walk as u8)
            .switch("TABLE", self.table)
            .params(&self.params())
            .with(&load)
            .with(body!("join"))
            .finish()
    }
}

/// Returns the unsigned integers of as many bytes, so that dtypes of one size share a kernel.
fn moved_as(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        _ => DType::C128,
    }
}
