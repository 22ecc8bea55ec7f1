//! Kernel arguments that are passed one by one, as the kernel's source declares its parameters.
//!
//! A kernel of the user gets its arguments in the layout of C.

use cuprum_kernels::params::Fields;
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use super::DevicePtr;
use super::param_buffer::ParamBuffer;
use crate::array::Array;
use crate::cuda::texture::{SurfaceObject, TextureObject};

/// Argument of a [`RawKernel`](crate::RawKernel), of the type that the kernel declares. Every element type of arrays
/// converts to one: `Argument::from(1.5f32)`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Argument<'a> {
    /// The address of the array's first element.
    Array(&'a Array),
    /// The array by value with its shape and strides: `CArray<T, N>` of `cuprum/array.cuh`.
    View(&'a Array),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
    /// A number of another dtype: its bytes, its size and its alignment.
    Number([u8; 16], u8, u8),
    /// A value of another type, a struct for example: its bytes in C layout, and its alignment.
    Bytes {
        bytes: &'a [u8],
        align: usize,
    },
}

impl<'a> Argument<'a> {
    /// Returns a struct in C layout (`#[repr(C)]`), without padding between its fields.
    ///
    /// ```
    /// use cuprum::{Argument, RawModule, array};
    /// let text = "struct P { float x; int n; }; extern \"C\" __global__ void f(float *out, P p) { *out = p.x * p.n; }";
    /// let kernel = RawModule::compile(text, &[])?.kernel("f")?;
    /// let out = array([0f32])?;
    /// let p = [1.5f32.to_bits(), 4];
    /// // SAFETY: the arguments are those of the kernel, which stays inside the array.
    /// unsafe { kernel.launch([1; 3], [1; 3], &[Argument::Array(&out), Argument::of(&p)])? };
    /// assert_eq!(out.item::<f32>()?, 6.0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn of<T: bytemuck::NoUninit>(value: &'a T) -> Argument<'a> {
        Argument::Bytes { bytes: bytemuck::bytes_of(value), align: align_of::<T>() }
    }

    /// Returns its size in bytes in the kernel's parameters.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Argument::I32(_) | Argument::U32(_) | Argument::F32(_) => 4,
            Argument::Array(_) | Argument::I64(_) | Argument::U64(_) | Argument::F64(_) => 8,
            Argument::View(a) => 16 + 16 * a.ndim().max(1),
            Argument::Number(_, size, _) => usize::from(*size),
            Argument::Bytes { bytes, .. } => bytes.len(),
        }
    }
}

impl<'a> From<&'a Array> for Argument<'a> {
    fn from(a: &'a Array) -> Self {
        Argument::Array(a)
    }
}

/// Converts a texture to its handle.
impl From<&TextureObject> for Argument<'_> {
    fn from(texture: &TextureObject) -> Self {
        Argument::U64(texture.handle())
    }
}

/// Converts a surface to its handle.
impl From<&SurfaceObject> for Argument<'_> {
    fn from(surface: &SurfaceObject) -> Self {
        Argument::U64(surface.handle())
    }
}

/// Conversions of numbers to their bytes, with the alignment of their parts.
macro_rules! number {
    ($($t:ty, $align:expr, |$x:ident| $bytes:expr;)+) => {$(
        impl From<$t> for Argument<'_> {
            fn from($x: $t) -> Self {
                let (mut all, bytes) = ([0; 16], $bytes);
                all[..bytes.len()].copy_from_slice(&bytes);
                Argument::Number(all, bytes.len() as u8, $align)
            }
        }
    )+};
}
number! {
    bool, 1, |x| [u8::from(x)];
    i8, 1, |x| x.to_le_bytes();
    u8, 1, |x| x.to_le_bytes();
    i16, 2, |x| x.to_le_bytes();
    u16, 2, |x| x.to_le_bytes();
    f16, 2, |x| x.to_le_bytes();
    bf16, 2, |x| x.to_le_bytes();
    i32, 4, |x| x.to_le_bytes();
    u32, 4, |x| x.to_le_bytes();
    f32, 4, |x| x.to_le_bytes();
    i64, 8, |x| x.to_le_bytes();
    u64, 8, |x| x.to_le_bytes();
    f64, 8, |x| x.to_le_bytes();
    usize, 8, |x| (x as u64).to_le_bytes();
    isize, 8, |x| (x as i64).to_le_bytes();
    Complex32, 4, |z| bytemuck::cast::<_, [u8; 8]>([z.re, z.im]);
    Complex64, 8, |z| bytemuck::cast::<_, [u8; 16]>([z.re, z.im]);
}

/// Writes arguments, each at the offset of its parameter, or if that is not known at the next multiple of its size.
pub(super) fn pack(arguments: &[Argument<'_>], layout: Option<&[(usize, usize)]>, to: &mut ParamBuffer<'_>) {
    for (k, argument) in arguments.iter().enumerate() {
        if let Some(&(offset, _)) = layout.and_then(|all| all.get(k)) {
            to.at(offset);
        }
        match *argument {
            Argument::Array(a) => push_pointer(a, to),
            Argument::View(a) => {
                push_pointer(a, to);
                to.long(a.size() as u64);
                sizes(a.shape().iter().map(|&n| n as i64), to);
                sizes(a.strides().iter().copied(), to);
            }
            Argument::I32(x) => begin(4, to).word(x as u32),
            Argument::U32(x) => begin(4, to).word(x),
            Argument::F32(x) => begin(4, to).word(x.to_bits()),
            Argument::I64(x) => begin(8, to).long(x as u64),
            Argument::U64(x) => begin(8, to).long(x),
            Argument::F64(x) => begin(8, to).long(x.to_bits()),
            Argument::Number(bytes, size, align) => begin(align.into(), to).all(&bytes[..usize::from(size)]),
            Argument::Bytes { bytes, align } => begin(align.max(1), to).all(bytes),
        }
    }
}

/// Writes the address of an array, which the kernel may write to unless the owner of its memory has declared it
/// read-only.
fn push_pointer(a: &Array, to: &mut ParamBuffer<'_>) {
    let to = begin(8, to);
    // The kernel may write any byte to booleans, and sees their bytes unchanged.
    let raw = DevicePtr { booleans: None, ..DevicePtr::of(a) };
    a.buffer().allow_any_bytes();
    if a.buffer().is_read_only() { to.read(Some(raw)) } else { to.write(Some(raw)) }
}

/// Writes one size for each axis, and one if there is none: C has no arrays of no elements.
fn sizes(sizes: impl ExactSizeIterator<Item = i64>, to: &mut ParamBuffer<'_>) {
    let none = sizes.len() == 0;
    sizes.for_each(|n| to.long(n as u64));
    if none {
        to.long(0);
    }
}

fn begin<'t, 'q>(align: usize, to: &'t mut ParamBuffer<'q>) -> &'t mut ParamBuffer<'q> {
    to.begin("", "", &[], align);
    to
}
