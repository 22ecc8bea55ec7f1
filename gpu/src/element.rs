//! The Rust types of elements.

use cuprum_kernels::DType;
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

/// A Rust type that is an element type of arrays.
///
/// Sealed: the types are those of [`DType`].
pub trait Element: Copy + Send + Sync + private::Sealed + 'static {
    /// The dtype.
    const DTYPE: DType;
}

mod private {
    pub trait Sealed: Sized {
        /// Appends the bytes of the element as the device has them.
        fn put(self, out: &mut Vec<u8>);
        /// The element of these bytes.
        fn get(bytes: &[u8]) -> Self;
    }
}

/// The bytes of elements, as the device has them.
pub(crate) fn to_bytes<T: Element>(elements: impl IntoIterator<Item = T>) -> Vec<u8> {
    let elements = elements.into_iter();
    let mut out = Vec::with_capacity(elements.size_hint().0 * T::DTYPE.size());
    for e in elements {
        e.put(&mut out);
    }
    out
}

/// The elements of bytes as the device has them.
pub(crate) fn from_bytes<T: Element>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::DTYPE.size()).map(T::get).collect()
}

/// Plain numbers have `to_le_bytes`.
macro_rules! element {
    ($($t:ty => $d:ident),+ $(,)?) => {$(
        impl Element for $t {
            const DTYPE: DType = DType::$d;
        }
        impl private::Sealed for $t {
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$t>()];
                own.copy_from_slice(bytes);
                <$t>::from_le_bytes(own)
            }
        }
    )+};
}
element!(
    i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    f16 => F16, bf16 => BF16, f32 => F32, f64 => F64,
);

impl Element for bool {
    const DTYPE: DType = DType::Bool;
}

impl private::Sealed for bool {
    fn put(self, out: &mut Vec<u8>) {
        out.push(self.into());
    }
    fn get(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
}

/// A complex number is its real part, then its imaginary part.
macro_rules! complex_element {
    ($t:ty, $d:ident) => {
        impl Element for $t {
            const DTYPE: DType = DType::$d;
        }
        impl private::Sealed for $t {
            fn put(self, out: &mut Vec<u8>) {
                self.re.put(out);
                self.im.put(out);
            }
            fn get(bytes: &[u8]) -> Self {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                <$t>::new(private::Sealed::get(re), private::Sealed::get(im))
            }
        }
    };
}
complex_element!(Complex32, C64);
complex_element!(Complex64, C128);
