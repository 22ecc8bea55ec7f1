//! Source of the kernel of `packbits` and `unpackbits`.

use super::{Unit, Width, body, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};

parameters! {
    /// Parameters of the kernel `packing`.
    PackingParams<'a, P> {
        /// Number of packed bytes.
        bytes: usize,
        /// Number of unpacked elements along the axis.
        count: usize,
        /// Number of bytes along the axis that exist; bits beyond them are 0.
        given: usize,
        /// The input: unpacked elements for packing, packed bytes for unpacking.
        input: Read<P> as "const char *",
        /// The output.
        out: Written<P> as "char *",
        /// Stride of the unpacked elements along the axis.
        step: i64,
        /// Number of axes of the bytes.
        axes: u32,
        /// The axis along which eight elements share a byte.
        along: u32,
        /// Sizes of the bytes' axes.
        sizes: Sizes<'a>,
        /// Strides of the packed side.
        packed_strides: Strides<'a>,
        /// Strides of the unpacked side: along the packed axis, those of eight elements.
        loose_strides: Strides<'a>,
    }
}

/// Key of the kernel `packing`, with the parameters [`PackingParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Packing {
    /// The size of an unpacked element.
    pub item: u8,
    /// True to pack, false to unpack.
    pub pack: bool,
    /// True if the first element is the lowest bit, false if it is the highest.
    pub little: bool,
    /// True if both sides are contiguous.
    pub flat: bool,
    /// Width of indices, and number of axes that tables have room for.
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
