//! Element types of arrays.
//!
//! An element type is a Rust type with the same bytes as the dtype on the device, so that transfers copy without a
//! conversion.

use cuprum_kernels::DType;
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use crate::error::{Error, ErrorKind, Result};

/// A Rust type that is an element type of arrays.
///
/// Sealed: the types are those of [`DType`].
pub trait Element: Copy + Send + Sync + private::Sealed + 'static {
    /// The dtype.
    const DTYPE: DType;
}

mod private {
    use crate::error::Result;

    /// Elements are uploaded as their bytes.
    pub trait Sealed: bytemuck::NoUninit {
        /// Creates `n` elements, whose bytes `read` writes.
        fn read(n: usize, read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Vec<Self>>;
        fn fill(out: &mut [Self], read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<()>;
    }
}

#[cfg(target_endian = "big")]
compile_error!("elements go to the device as they are in memory, and devices have the lowest byte first");

/// Returns the bytes of elements, as stored on the device.
pub(crate) fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    bytemuck::cast_slice(elements)
}

/// Allocates zeros on the host; [`ErrorKind::OutOfMemory`] if it has no memory for them.
pub(crate) fn zeroed<T: bytemuck::Zeroable>(n: usize) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(n).map_err(|()| {
        let bytes = n.saturating_mul(size_of::<T>());
        Error::new(ErrorKind::OutOfMemory, format!("the host has no room for an array of {bytes} bytes"))
    })
}

/// Creates `n` elements, whose bytes `read` writes in place.
pub(crate) fn read<T: Element>(n: usize, read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Vec<T>> {
    T::read(n, read)
}

/// Fills existing elements; see [`read`].
pub(crate) fn fill<T: Element>(out: &mut [T], read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<()> {
    T::fill(out, read)
}

/// Implements the trait for numbers, for which any bytes are valid. A complex number is its real part, then its
/// imaginary part.
macro_rules! element {
    ($($t:ty => $d:ident),+ $(,)?) => {$(
        impl Element for $t {
            const DTYPE: DType = DType::$d;
        }
        impl private::Sealed for $t {
            fn read(n: usize, read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Vec<Self>> {
                let mut elements = zeroed::<$t>(n)?;
                read(bytemuck::cast_slice_mut(&mut elements))?;
                Ok(elements)
            }

            fn fill(out: &mut [Self], read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<()> {
                read(bytemuck::cast_slice_mut(out))
            }
        }
    )+};
}
element!(
    i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    f16 => F16, bf16 => BF16, f32 => F32, f64 => F64, Complex32 => C64, Complex64 => C128,
);

impl Element for bool {
    const DTYPE: DType = DType::Bool;
}

/// A byte of the device may be other than 0 and 1 if it was written as a number: it counts as true, as on the device.
impl private::Sealed for bool {
    fn read(n: usize, read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Vec<Self>> {
        let mut bytes = zeroed::<u8>(n)?;
        read(&mut bytes)?;
        Ok(bytes.into_iter().map(|byte| byte != 0).collect())
    }

    fn fill(out: &mut [Self], read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<()> {
        let mut bytes = zeroed::<u8>(out.len())?;
        read(&mut bytes)?;
        out.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte != 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array;

    #[test]
    fn bytes_are_those_of_the_elements() {
        assert_eq!(bytes_of(&[1i16, -2]), [1, 0, 0xfe, 0xff]);
        assert_eq!(bytes_of(&[true, false]), [1, 0]);
        assert_eq!(bytes_of(&[f16::ONE]), [0, 0x3c]);
        assert_eq!(bytes_of(&[Complex32::new(1.0, -0.0)]), [0, 0, 0x80, 0x3f, 0, 0, 0, 0x80]);
        let zeros = read::<Complex64>(2, |bytes| {
            assert_eq!(bytes, [0; 32]);
            Ok(())
        });
        assert_eq!(zeros.unwrap(), [Complex64::ZERO; 2]);
    }

    #[test]
    fn a_bool_is_true_or_false_whatever_its_byte() -> Result<()> {
        let bytes = array([0u8, 1, 2, 0x80, 0xff])?;
        assert_eq!(bytes.view(DType::Bool)?.to_vec::<bool>()?, [false, true, true, true, true]);
        assert!(bytes.view(DType::Bool)?.index([crate::Index::At(2)])?.item::<bool>()?);
        Ok(())
    }
}
