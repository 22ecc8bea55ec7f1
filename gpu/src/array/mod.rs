//! The array: a handle to a buffer, a dtype and a layout.

mod address;
mod arguments;
mod axes;
pub(crate) mod dlpack;
mod foreign;
mod format;
mod index;
mod indices;
#[cfg(feature = "ndarray")]
mod interop;
mod like;
mod operand;
mod reinterpret;
mod shape;
mod typed;
mod views;
mod writing;

use std::sync::Arc;

use cuprum_kernels::DType;

use crate::cuda::{Buffer, Device};
use crate::error::Result;
use crate::layout::{Layout, checked_bytes};

pub use arguments::{AsIndex, IntoArgument, IntoInteger, IntoOptional, IntoReal};
pub(crate) use arguments::{count, integer};
pub use axes::{Axes, Axis, IntoAxis};
pub use foreign::RawParts;
pub(crate) use format::scalar_text;
pub use format::{
    Array2stringOptions, FloatMode, FormatFloat, FormatFloatOptions, Formatter, PrintOptions, PrintOptionsGuard, Sign,
    Trim, array_repr, array_str, array2string, format_float_positional, format_float_scientific, get_printoptions,
    printoptions, set_printoptions,
};
pub use index::Index;
pub use indices::Indices;
pub use like::{ArrayLike, array};
pub use operand::{AsArray, AsOperand, AsOptionalOperand, Operand, Operands};
pub(crate) use operand::{listed, referred};
pub use shape::IntoShape;
pub(crate) use shape::{checked_shape, signed_shape_text};
pub use typed::Typed;
pub use views::DiagonalOptions;

/// An n-dimensional array on a device; NumPy's and CuPy's `ndarray`.
///
/// # Elements and parts
///
/// `a[1]` and `a == b` are not there. What Rust's brackets give is a reference to memory of the host, and what its `==` gives
/// is one boolean; elements are on the device, and equality is a question of each element.
///
/// | for | write |
/// |---|---|
/// | a part, a view | [`a.index(s![1, ..])?`](Array::index), or [`a.part(s![1, ..])`](Array::part), which panics |
/// | to write to a part | [`a.set(s![1, ..], 0)?`](Array::set) |
/// | the elements that a mask or indices pick | [`a.index(s![&mask])?`](Array::index), [`a.take(&indices, 0)?`](Array::take) |
/// | one number on the host | [`a.index(s![1, 2])?.item::<f64>()?`](Array::item) |
/// | all of them | [`a.to_vec::<f64>()?`](Array::to_vec) |
/// | where elements are equal | [`a.equal(&b)?`](Array::equal) |
/// | whether all are | [`array_equal`](crate::array_equal()), [`allclose`](crate::allclose()) |
///
/// # Copies
///
/// Cloning is cheap and aliases: both handles see the same elements. Views, too, share their elements. Functions that
/// change an array take it by shared reference, as device memory is not the host's.
///
/// ```
/// use cuprum::{Array, s};
/// let a = Array::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
/// let row = a.index(s![1])?;
/// row.fill(0)?;
/// assert_eq!(a.to_vec::<f32>()?, [1.0, 2.0, 0.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[doc(alias = "ndarray")]
#[derive(Clone)]
pub struct Array {
    buffer: Arc<Buffer>,
    layout: Layout,
    dtype: DType,
    /// Whether this view of the buffer, and every view of it, cannot be written to.
    read_only: bool,
}

impl Array {
    /// A new array, unwritten, of a dense layout.
    pub(crate) fn of_layout(device: Device, layout: Layout, dtype: DType) -> Result<Array> {
        let bytes = checked_bytes(&layout.shape, dtype.size())?;
        Ok(Array { buffer: Arc::new(device.alloc(bytes)?), layout, dtype, read_only: false })
    }

    /// An array of a buffer that is deferred, in a dense layout.
    pub(crate) fn of_buffer(buffer: Arc<Buffer>, layout: Layout, dtype: DType) -> Array {
        Array { buffer, layout, dtype, read_only: false }
    }

    /// The buffer, shared.
    pub(crate) fn shared_buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }

    /// The same elements in another layout of the same buffer.
    pub(crate) fn with_layout(&self, layout: Layout) -> Array {
        Array { buffer: self.buffer.clone(), layout, dtype: self.dtype, read_only: self.read_only }
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Whether there are other arrays of the buffer.
    pub(crate) fn shares_buffer(&self) -> bool {
        // What is to read the buffer later holds it; nobody sees that.
        self.buffer.settle_readers();
        Arc::strong_count(&self.buffer) > 1
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The address of the first element.
    pub(crate) fn addr(&self) -> u64 {
        self.buffer.addr().wrapping_add(self.layout.offset as u64)
    }

    /// Sizes of the axes; NumPy's `shape`.
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Bytes from an element to the next along each axis; NumPy's `strides`.
    pub fn strides(&self) -> &[i64] {
        &self.layout.strides
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The number of axes.
    pub fn ndim(&self) -> usize {
        self.layout.shape.len()
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// The size of the first axis, as Python's `len`; 1 of an array without axes.
    pub fn len(&self) -> usize {
        self.shape().first().copied().unwrap_or(1)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// Bytes of one element.
    pub fn itemsize(&self) -> usize {
        self.dtype.size()
    }

    /// Bytes of all elements.
    pub fn nbytes(&self) -> usize {
        self.size() * self.itemsize()
    }

    /// The device that holds the elements.
    pub fn device(&self) -> Device {
        self.buffer.device()
    }

    /// Whether the elements lie densely with the last axis the fastest.
    pub fn is_c_contiguous(&self) -> bool {
        self.layout.is_c_contiguous(self.itemsize())
    }

    /// Whether the elements lie densely with the first axis the fastest.
    pub fn is_f_contiguous(&self) -> bool {
        self.layout.is_f_contiguous(self.itemsize())
    }

    /// Whether the two may share bytes: their extents in the device's memory meet. NumPy's `may_share_memory`.
    pub fn may_share_memory(&self, other: &Array) -> bool {
        // Two buffers share bytes where one library gave the same memory twice.
        let near = Arc::ptr_eq(&self.buffer, &other.buffer)
            || (self.buffer.is_foreign() || other.buffer.is_foreign()) && self.device() == other.device();
        // What has no elements has no bytes either.
        near && self.size() > 0 && other.size() > 0 && {
            // Within one buffer it does not matter where it is, and nothing needs to be computed to know.
            let one = Arc::ptr_eq(&self.buffer, &other.buffer);
            let extent = |a: &Array| {
                let (low, high) = a.layout.extent(a.itemsize());
                let start = if one { 0 } else { a.buffer.addr() };
                (start.wrapping_add_signed(low), start.wrapping_add_signed(high))
            };
            let (a, b) = (extent(self), extent(other));
            a.0 < b.1 && b.0 < a.1
        }
    }
}
