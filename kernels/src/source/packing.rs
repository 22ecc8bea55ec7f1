//! The source text of bits that are packed into bytes.

use super::{Unit, Width, body, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};

parameters! {
    /// Parameters of the kernel `packing`.
    PackingParams<'a, P> {
        /// Number of packed bytes.
        bytes: usize,
        /// Loose elements along the axis.
        count: usize,
        /// Bytes along the axis that are there; behind them bits are 0.
        given: usize,
        /// What is read: loose elements to be packed, or packed ones.
        input: Read<P> as "const char *",
        /// What is written.
        out: Written<P> as "char *",
        /// From a loose element to the next along the axis.
        step: i64,
        /// Of the bytes.
        axes: u32,
        /// The axis along which eight elements share a byte, among these.
        along: u32,
        /// Of the bytes' axes.
        sizes: Sizes<'a>,
        /// Of the packed side.
        packed_strides: Strides<'a>,
        /// Of the loose side: along the axis, eight elements.
        loose_strides: Strides<'a>,
    }
}

/// The key of the kernel `packing`, with the parameters [`PackingParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Packing {
    /// The size of a loose element.
    pub item: u8,
    /// Pack, and not unpack.
    pub pack: bool,
    /// The first element is the lowest bit, and not the highest.
    pub little: bool,
    /// Both sides lie one byte after the other.
    pub flat: bool,
    /// Of indices and axes.
    pub width: Width,
}

impl Packing {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("{}/{} bytes", if self.pack { "packbits" } else { "unpackbits" }, self.item)
    }

    /// Returns the source of the kernel `packing`.
    pub fn source(&self) -> String {
        let item = match self.item {
            1 => "u8",
            2 => "u16",
            4 => "u32",
            _ => "u64",
        };
        Unit::new(headers([DType::U8], false), "packing")
            .typed("item", item)
            .indexed(self.width)
            .switch("PACK", self.pack)
            .switch("LITTLE", self.little)
            .switch("FLAT", self.flat)
            .params(&PackingParams::<()> { width: self.width, ..Default::default() })
            .with(body!("packing"))
            .finish()
    }
}
