//! Texel formats.
//!
//! An element has one, two or four numbers of 8, 16 or 32 bits, all of one kind.

use cuprum_kernels::{DType, Kind as NumberKind};

use super::{ChannelKind, value};
use crate::array::Array;
use crate::driver::texture::Texels;
#[cfg(doc)]
use crate::error::ErrorKind;
use crate::error::Result;

/// Format of a texel: one, two or four numbers of one kind and size; CuPy's `ChannelFormatDescriptor`.
///
/// ```
/// use cuprum::cuda::texture::{ChannelFormat, ChannelKind};
/// let colour = ChannelFormat::new([8, 8, 8, 8], ChannelKind::Unsigned)?;
/// assert_eq!((colour.channels(), colour.bytes()), (4, 4));
/// assert!(ChannelFormat::new([32, 32, 32, 0], ChannelKind::Float).is_err());
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelFormat(pub(super) Texels);

impl ChannelFormat {
    /// Creates a format from the bits of each number, 0 for missing ones, and their kind.
    ///
    /// ```
    /// use cuprum::cuda::texture::{ChannelFormat, ChannelKind};
    /// let format = ChannelFormat::new([32, 32, 0, 0], ChannelKind::Float)?;
    /// assert_eq!((format.channels(), format.bytes()), (2, 8));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for formats that textures do not support: three numbers, numbers of several sizes,
    /// integers of other than 8, 16 or 32 bits, floats of other than 16 or 32.
    pub fn new(bits: [u32; 4], kind: ChannelKind) -> Result<ChannelFormat> {
        let channels = bits.iter().take_while(|&&b| b != 0).count();
        let sizes: &[u32] = if kind == ChannelKind::Float { &[16, 32] } else { &[8, 16, 32] };
        let alike = bits.iter().enumerate().all(|(k, &b)| b == if k < channels { bits[0] } else { 0 });
        if matches!(channels, 1 | 2 | 4) && alike && sizes.contains(&bits[0]) {
            return Ok(ChannelFormat(Texels { kind, bits: bits[0], channels: channels as u32 }));
        }
        let what = format!(
            "the channels have {bits:?} bits of {kind:?}: a texture has 1, 2 or 4 channels of one size, integers of 8, 16 or \
             32 bits or floats of 16 or 32"
        );
        Err(value(what).with_op("ChannelFormat::new"))
    }

    /// Returns the number of channels.
    pub fn channels(&self) -> usize {
        self.0.channels as usize
    }

    /// Returns the size of a texel in bytes.
    ///
    /// ```
    /// use cuprum::cuda::texture::{ChannelFormat, ChannelKind};
    /// let rgba = ChannelFormat::new([8, 8, 8, 8], ChannelKind::Unsigned)?;
    /// assert_eq!((rgba.channels(), rgba.bytes(), rgba.bits()), (4, 4, [8; 4]));
    /// assert_eq!(rgba.kind(), ChannelKind::Unsigned);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Returns the bits of each number, 0 for missing ones.
    pub fn bits(&self) -> [u32; 4] {
        std::array::from_fn(|k| if k < self.channels() { self.0.bits } else { 0 })
    }

    /// Returns the kind of the numbers.
    pub fn kind(&self) -> ChannelKind {
        self.0.kind
    }

    /// Returns true if the dtype of an array is that of the format's numbers.
    pub(super) fn is_of(&self, a: &Array) -> bool {
        let wanted = match self.0.kind {
            ChannelKind::Signed => NumberKind::Signed,
            ChannelKind::Unsigned => NumberKind::Unsigned,
            ChannelKind::Float => NumberKind::Float,
        };
        a.dtype().kind() == wanted && 8 * a.itemsize() == self.0.bits as usize && a.dtype() != DType::BF16
    }
}
