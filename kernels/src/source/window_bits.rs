//! Source of the kernels of binary images whose elements are bits.

use super::body;
use super::window::{WindowOp, functions, unit};
use crate::DType;
use crate::params::{Read, Size, Width, Written, parameters};

/// Elements of a structure that the parameters of the kernel `window_bits` have room for.
pub const WINDOW_BIT_ENTRIES: usize = 128;

/// Axes of an image of bits.
pub const WINDOW_BIT_AXES: usize = 4;

parameters! {
    /// Parameters of the kernel `window_bits`: sizes in elements, strides in bytes. Axes other than the last one are three, of length 1 if there
    /// are fewer.
    WindowBitsParams<P> {
        /// Number of words.
        count: usize,
        /// Length of the last axis.
        n: i64,
        /// Element beyond the border.
        cval: f64,
        /// The elements of the input.
        src: Read<P> as "const char *",
        /// The elements of the results.
        dst: Written<P> as "char *",
        /// The bits of the input.
        bits_in: Read<P> as "const u32 *",
        /// The bits of the results.
        bits_out: Written<P> as "u32 *",
        /// The bits of the mask, or 0.
        mask: Read<P> as "const u32 *",
        /// A word that is set to 1 if a result differs from its input, or 0.
        changed: Written<P> as "u32 *",
        /// The elements of the structure if the parameters have no room for them: their coordinates relative to the result in 16 bits each.
        entries: Read<P> as "const u64 *",
        /// Stride of the input along the last axis.
        src_step: i64,
        /// Strides of the input along the other axes.
        src_steps: [i64; 3],
        /// Stride of the results along the last axis.
        dst_step: i64,
        /// Strides of the results along the other axes.
        dst_steps: [i64; 3],
        /// Words of a row.
        words: Size,
        /// Sizes of the other axes.
        sizes: [Size; 3],
        /// Number of elements of the structure.
        entry_count: u32,
        /// Invert input and results.
        invert: bool,
        /// Rows of elements are bytes in vectors of 16.
        dense: bool,
        /// The elements of the structure, if there are few.
        few: [[u64; 32]; WINDOW_BIT_ENTRIES / 32],
    }
}

parameters! {
    /// Parameters of the kernel `window_bits_tile`: strides in bytes. Four sizes are those of the axes other than the last one, and of its words.
    WindowBitsTileParams<P> {
        /// The elements of the input: rows of bytes in vectors of 16.
        src: Read<P> as "const char *",
        /// The elements of the results, as those of the input.
        dst: Written<P> as "char *",
        /// Length of the last axis.
        n: i64,
        /// Element beyond the border.
        cval: f64,
        /// Lengths of the other axes.
        lengths: [i64; 3],
        /// Strides of the input along the other axes.
        src_steps: [i64; 3],
        /// Strides of the results along the other axes.
        dst_steps: [i64; 3],
        /// Sizes of the region of a block before its results.
        before: [i64; 4],
        /// Sizes of the results of a block.
        tile: [i64; 4],
        /// Sizes of the region of a block along the axes other than the last one.
        region: [Size; 3],
        /// Vectors of 16 elements, half a word each, in a row of the region.
        vectors: Size,
        /// Number of blocks along each.
        tiles: [u32; 4],
        /// Rows of the region of a block.
        region_rows: u32,
        /// Words of the region of a block.
        region_count: u32,
        /// Number of erosions.
        iterations: u32,
        /// Number of elements of the structure.
        entry_count: u32,
        /// Invert input and results.
        invert: bool,
        /// The elements of the structure relative to the result: the offset of the word in a region in the high half, and that of the bit.
        few: [[i64; 32]; WINDOW_BIT_ENTRIES / 32],
    }
}

/// Threads of a block of the kernel `window_bits_tile`.
pub const WINDOW_BITS_TILE_THREADS: usize = 256;

/// Returns the source of the kernel `window_bits_tile`, with the parameters [`WindowBitsTileParams`].
pub fn window_bits_tile_source() -> String {
    unit(WindowOp::Binary, DType::Bool, DType::Bool, "window_bits_tile")
        .params(&WindowBitsTileParams::<()>::default())
        .with(&functions(WindowOp::Binary, DType::Bool, DType::Bool))
        .with(body!("window_bytes"))
        .with(body!("window_bits_tile"))
        .finish()
}

/// Key of the kernel `window_bits`, with the parameters [`WindowBitsParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowBits {
    /// The step.
    pub step: BitsStep,
    /// 64-bit indices.
    pub wide: bool,
}

/// Step of a binary erosion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitsStep {
    /// Bits of elements of a dtype.
    Pack(DType),
    /// Erosion of bits.
    Erode,
    /// Erosion of bits, with elements of a dtype as the result.
    Unpack(DType),
}

impl WindowBits {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        match self.step {
            BitsStep::Pack(from) => format!("window_bits/pack/{from}"),
            BitsStep::Erode => "window_bits/erode".into(),
            BitsStep::Unpack(to) => format!("window_bits/unpack/{to}"),
        }
    }

    /// Returns the source of the kernel `window_bits`.
    pub fn source(&self) -> String {
        let (from, to) = match self.step {
            BitsStep::Pack(from) => (from, DType::Bool),
            BitsStep::Erode => (DType::Bool, DType::Bool),
            BitsStep::Unpack(to) => (DType::Bool, to),
        };
        let width = Width { wide: self.wide, deep: false };
        unit(WindowOp::Binary, from, to, "window_bits")
            .indexed(width)
            .switch("PACK", matches!(self.step, BitsStep::Pack(_)))
            .switch("UNPACK", matches!(self.step, BitsStep::Unpack(_)))
            .params(&WindowBitsParams::<()> { width, ..Default::default() })
            .with(&functions(WindowOp::Binary, from, to))
            .with(body!("window_bytes"))
            .with(body!("window_bits"))
            .finish()
    }
}
