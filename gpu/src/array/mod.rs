//! The array: a handle to a buffer, a dtype and a layout.
//!
//! Cloning an [`Array`] copies the handle: both refer to the same elements. [`Array::copy`] copies the elements. A
//! handle may be sent to and used from any thread.

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
pub(crate) use arguments::{count, default_options, integer};
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
pub use operand::{AsArray, AsOperand, AsOptionalOperand, IntoArrays, Operand, Operands};
pub(crate) use operand::{listed, referred};
pub use shape::IntoShape;
pub(crate) use shape::{checked_shape, signed_shape_text};
pub use typed::Typed;
pub use views::DiagonalOptions;

/// An n-dimensional array on a device; NumPy's and CuPy's `ndarray`.
///
/// # Elements and parts
///
/// There is no `a[1]` and no `a == b`. Rust's brackets return a reference to host memory, and its `==` returns one
/// boolean; elements are on the device, and comparison is elementwise.
///
/// | for | write |
/// |---|---|
/// | a part, a view | [`a.index(s![1, ..])?`](Array::index), or [`a.part(s![1, ..])`](Array::part), which panics |
/// | to write to a part | [`a.set(s![1, ..], 0)?`](Array::set) |
/// | elements by a mask or indices | [`a.index(s![&mask])?`](Array::index), [`a.take(&indices, 0)?`](Array::take) |
/// | one number on the host | [`a.index(s![1, 2])?.item::<f64>()?`](Array::item) |
/// | all of them | [`a.to_vec::<f64>()?`](Array::to_vec) |
/// | elementwise equality | [`a.equal(&b)?`](Array::equal) |
/// | whether all are equal | [`array_equal`](crate::array_equal()), [`allclose`](crate::allclose()) |
///
/// # Copies
///
/// Cloning is cheap and aliases: both handles refer to the same elements, and so do views. Functions that change an
/// array take it by shared reference, as the elements are in device memory.
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
    /// The memory, which views share.
    buffer: Arc<Buffer>,
    /// Shape, byte strides and offset.
    layout: Layout,
    /// Dtype of the elements.
    dtype: DType,
    /// If true, this view of the buffer, and every view of it, is read-only.
    read_only: bool,
}

impl Array {
    /// Allocates an uninitialised array of a contiguous layout.
    pub(crate) fn of_layout(device: Device, layout: Layout, dtype: DType) -> Result<Array> {
        let bytes = checked_bytes(&layout.shape, dtype.size())?;
        Ok(Array { buffer: Arc::new(device.alloc(bytes)?), layout, dtype, read_only: false })
    }

    /// Wraps a deferred buffer as an array of a contiguous layout.
    pub(crate) fn of_buffer(buffer: Arc<Buffer>, layout: Layout, dtype: DType) -> Array {
        Array { buffer, layout, dtype, read_only: false }
    }

    /// Returns the shared buffer.
    pub(crate) fn shared_buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }

    /// Returns a view with another layout of the same buffer.
    pub(crate) fn with_layout(&self, layout: Layout) -> Array {
        Array { buffer: self.buffer.clone(), layout, dtype: self.dtype, read_only: self.read_only }
    }

    /// Returns shape, byte strides and offset.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns whether other arrays share the buffer.
    pub(crate) fn shares_buffer(&self) -> bool {
        // Pending readers of the buffer hold references, which do not count.
        self.buffer.settle_readers();
        Arc::strong_count(&self.buffer) > 1
    }

    /// Returns the memory, which views share.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Returns the address of the first element.
    pub(crate) fn addr(&self) -> u64 {
        self.buffer.addr().wrapping_add(self.layout.offset as u64)
    }

    /// Returns the shape; NumPy's `shape`.
    ///
    /// ```
    /// let a = cuprum::zeros([2, 3], cuprum::DType::F32)?;
    /// assert_eq!((a.shape(), a.strides(), a.ndim(), a.size()), (&[2, 3][..], &[12, 4][..], 2, 6));
    /// assert_eq!((a.itemsize(), a.nbytes(), a.len()), (4, 24, 2));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Returns the strides in bytes; NumPy's `strides`.
    ///
    /// They are in bytes, as NumPy's, and may be 0 (broadcast) or negative (reversed). See [`Array::shape`] for an
    /// example.
    ///
    /// ```
    /// let a = cuprum::zeros([2, 3], ())?;
    /// assert_eq!((a.strides(), a.t().strides()), (&[24, 8][..], &[8, 24][..]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn strides(&self) -> &[i64] {
        &self.layout.strides
    }

    /// Returns the dtype of the elements.
    ///
    /// ```
    /// use cuprum::{DType, array};
    /// assert_eq!(array([1.5f32])?.dtype(), DType::F32);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the number of axes.
    ///
    /// NumPy's `ndim`.
    ///
    /// ```
    /// assert_eq!(cuprum::zeros([2, 3], ())?.ndim(), 2);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn ndim(&self) -> usize {
        self.layout.shape.len()
    }

    /// Returns the number of elements.
    ///
    /// It is the product of the lengths, 1 for an array without axes.
    ///
    /// NumPy's `size`.
    ///
    /// ```
    /// assert_eq!(cuprum::zeros([2, 3], ())?.size(), 6);
    /// assert_eq!(cuprum::zeros([2, 0], ())?.size(), 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// Returns the size of the first axis, as Python's `len`; 1 for an array without axes.
    ///
    /// As in Python, it is not the number of elements; that is [`Array::size`].
    ///
    /// ```
    /// let a = cuprum::zeros([2, 3], ())?;
    /// assert_eq!((a.len(), a.size()), (2, 6));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.shape().first().copied().unwrap_or(1)
    }

    /// Returns whether there are no elements.
    ///
    /// That is so if any axis has the length 0.
    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// Returns the size of one element in bytes.
    pub fn itemsize(&self) -> usize {
        self.dtype.size()
    }

    /// Returns the size of all elements in bytes.
    ///
    /// It is the size times the itemsize: a view may refer to less memory (broadcast) or be part of more.
    ///
    /// NumPy's `nbytes`.
    ///
    /// ```
    /// let a = cuprum::zeros([2, 3], cuprum::DType::F32)?;
    /// assert_eq!((a.itemsize(), a.nbytes()), (4, 24));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn nbytes(&self) -> usize {
        self.size() * self.itemsize()
    }

    /// Returns the device that holds the elements.
    ///
    /// Functions compute on the device of their operands; operands on different devices are an error.
    ///
    /// CuPy's `ndarray.device`.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// assert_eq!(cuprum::zeros(3, ())?.device(), Device::current()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn device(&self) -> Device {
        self.buffer.device()
    }

    /// Returns whether the array is contiguous in C order: the last axis varies fastest.
    ///
    /// An array that is in both orders, such as one of one axis, is in this one, too.
    ///
    /// NumPy's `flags.c_contiguous`.
    ///
    /// ```
    /// let a = cuprum::zeros([2, 3], ())?;
    /// assert!(a.is_c_contiguous() && !a.t().is_c_contiguous());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn is_c_contiguous(&self) -> bool {
        self.layout.is_c_contiguous(self.itemsize())
    }

    /// Returns whether the array is contiguous in Fortran order: the first axis varies fastest.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// assert!(a.is_c_contiguous() && !a.is_f_contiguous());
    /// assert!(a.t().is_f_contiguous() && !a.t().is_c_contiguous());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn is_f_contiguous(&self) -> bool {
        self.layout.is_f_contiguous(self.itemsize())
    }

    /// Returns whether two arrays may share memory: their extents in device memory overlap. NumPy's `may_share_memory`.
    ///
    /// It compares address ranges, so that it may be true for arrays with no element in common;
    /// [`shares_memory`](fn@crate::shares_memory) is exact.
    ///
    /// ```
    /// let a = cuprum::array([1, 2])?;
    /// assert!(a.may_share_memory(&a.t()));
    /// assert!(!a.may_share_memory(&a.copy(())?));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn may_share_memory(&self, other: &Array) -> bool {
        // Two buffers share bytes if another library exported the same memory twice.
        let near = Arc::ptr_eq(&self.buffer, &other.buffer)
            || (self.buffer.is_foreign() || other.buffer.is_foreign()) && self.device() == other.device();
        // An empty array has no bytes.
        near && self.size() > 0 && other.size() > 0 && {
            // Within one buffer its address is irrelevant, so that a pending buffer need not be computed.
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
