//! CUDA arrays, textures and surfaces: the driver interface.
//!
//! Numbers are those of CUDA's headers, so that Python passes them on.

use super::{StreamHandle, unknown};
use crate::error::Result;

/// Kind of a texel's numbers, with CUDA's values (`cudaChannelFormatKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// Signed integers of 8, 16 or 32 bits.
    Signed = 0,
    /// Unsigned integers of 8, 16 or 32 bits.
    Unsigned = 1,
    /// Floats of 16 or 32 bits.
    Float = 2,
}

/// Treatment of coordinates outside of a texture, with CUDA's values (`cudaTextureAddressMode`).
///
/// Each axis has its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The texture repeats. It needs normalised coordinates; otherwise it is `Clamp`.
    #[default]
    Wrap = 0,
    /// The texel at the edge.
    Clamp = 1,
    /// The texture repeats, mirrored each time. It needs normalised coordinates; otherwise it is `Clamp`.
    Mirror = 2,
    /// The border colour.
    Border = 3,
}

/// Interpolation between texels, with CUDA's values (`cudaTextureFilterMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FilterMode {
    /// The nearest texel.
    #[default]
    Point = 0,
    /// Linear interpolation between the nearest two, four or eight texels.
    Linear = 1,
}

/// Conversion of the texels of an integer texture, with CUDA's values (`cudaTextureReadMode`).
///
/// Integers that are read as floats are scaled to the range from 0 or -1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadMode {
    /// The integers.
    #[default]
    Element = 0,
    /// Floats from 0 to 1, or from -1 to 1 for signed texels; 32-bit integers are not converted.
    NormalizedFloat = 1,
}

/// Texel format: one, two or four numbers of one kind and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Texels {
    /// Kind of the numbers.
    pub(crate) kind: ChannelKind,
    /// Bits of a number.
    pub(crate) bits: u32,
    /// Numbers of a texel.
    pub(crate) channels: u32,
}

impl Texels {
    /// Returns the size of a texel.
    pub(crate) fn bytes(self) -> usize {
        (self.bits / 8 * self.channels) as usize
    }
}

/// Form of a CUDA array: width, height and depth, where 0 means that there is no such axis, and CUDA's flags
/// (`CUDA_ARRAY3D_*`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayForm {
    /// Format of a texel.
    pub(crate) texels: Texels,
    /// Width, height and depth in texels.
    pub(crate) size: [usize; 3],
    /// CUDA's flags.
    pub(crate) flags: u32,
}

impl ArrayForm {
    /// Returns true if the depth is the number of layers or faces.
    pub(crate) fn counts_layers(&self) -> bool {
        self.flags & (LAYERED | CUBEMAP) != 0
    }

    /// Returns the number of axes of coordinates.
    pub(crate) fn axes(&self) -> usize {
        let [_, height, depth] = self.size;
        1 + usize::from(height > 0) + usize::from(depth > 0 && !self.counts_layers())
    }

    /// Returns the form of a level of a mipmapped array, of whose first level this is the form.
    pub(crate) fn level(&self, level: usize) -> ArrayForm {
        let mut size = self.size;
        for (axis, n) in size.iter_mut().enumerate() {
            if *n > 0 && !(axis == 2 && self.counts_layers()) {
                *n = (*n >> level).max(1);
            }
        }
        ArrayForm { size, ..*self }
    }
}

/// The depth is the number of layers.
pub(crate) const LAYERED: u32 = 1;
/// The depth is the number of faces of cubes.
pub(crate) const CUBEMAP: u32 = 4;
/// Kernels may write to it through a surface.
pub(crate) const SURFACE: u32 = 2;
/// `tex2Dgather` reads it.
pub(crate) const GATHER: u32 = 8;

/// Copy of a box of a CUDA array, from an origin in bytes, rows and slices and with an extent in these; and of memory
/// with a pitch in bytes and rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayCopy {
    /// The driver's handle of the array.
    pub(crate) array: usize,
    /// Origin of the box: bytes of a row, row, slice.
    pub(crate) origin: [usize; 3],
    /// Extent of the box: bytes of a row, rows, slices.
    pub(crate) extent: [usize; 3],
    /// Address of the first byte in memory.
    pub(crate) addr: u64,
    /// Bytes from a row to the next in memory.
    pub(crate) pitch: usize,
    /// Rows from a slice to the next in memory.
    pub(crate) rows: usize,
    /// True for a copy from memory to the array.
    pub(crate) to_array: bool,
}

/// Memory that a texture reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TextureMemory {
    Array(usize),
    Levels(usize),
    Linear { addr: u64, texels: Texels, bytes: usize },
    Pitch2D { addr: u64, texels: Texels, width: usize, height: usize, pitch: usize },
}

/// Sampling parameters of a texture; the fields are those of the public descriptor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    pub(crate) address: [AddressMode; 3],
    pub(crate) filter: FilterMode,
    pub(crate) read_integers: bool,
    pub(crate) normalized: bool,
    pub(crate) srgb: bool,
    pub(crate) border: [f32; 4],
    pub(crate) max_anisotropy: u32,
    pub(crate) level_filter: FilterMode,
    pub(crate) level_bias: f32,
    pub(crate) level_clamp: [f32; 2],
}

/// A device's arrays, textures and surfaces. Handles that are passed must be live ones of the device, and memory must
/// live as long as the texture: that is the safety requirement of each `unsafe` function here.
#[allow(clippy::missing_safety_doc, reason = "said once, above")]
pub(crate) trait Textures {
    fn array_create(&self, _: &ArrayForm) -> Result<usize> {
        Err(unknown("CUDA arrays"))
    }
    /// Destroys an array, after the work that uses it has completed.
    unsafe fn array_destroy(&self, _: usize) -> Result<()> {
        Err(unknown("CUDA arrays"))
    }
    unsafe fn array_copy(&self, _: &ArrayCopy, _: StreamHandle) -> Result<()> {
        Err(unknown("CUDA arrays"))
    }
    fn levels_create(&self, _: &ArrayForm, _count: usize) -> Result<usize> {
        Err(unknown("CUDA arrays"))
    }
    /// Destroys a mipmapped array, after the work that uses it has completed.
    unsafe fn levels_destroy(&self, _: usize) -> Result<()> {
        Err(unknown("CUDA arrays"))
    }
    /// Returns the array of a level, which is destroyed with all levels.
    unsafe fn level(&self, _levels: usize, _level: usize) -> Result<usize> {
        Err(unknown("CUDA arrays"))
    }
    unsafe fn texture_create(&self, _: &TextureMemory, _: &Sampling) -> Result<u64> {
        Err(unknown("textures"))
    }
    unsafe fn texture_destroy(&self, _: u64) -> Result<()> {
        Err(unknown("textures"))
    }
    unsafe fn surface_create(&self, _array: usize) -> Result<u64> {
        Err(unknown("surfaces"))
    }
    unsafe fn surface_destroy(&self, _: u64) -> Result<()> {
        Err(unknown("surfaces"))
    }
}
