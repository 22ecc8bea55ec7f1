//! Transfers between host and device.
//!
//! Uploads return once the bytes of the host may change; downloads synchronise the stream.

use cuprum_kernels::DType;

use crate::array::{Array, ArrayLike, IntoShape, array, checked_shape};
use crate::cuda::Device;
use crate::element::{self, Element};
use crate::elements::Item;
use crate::engine::{self, launch, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, checked_bytes, shape_text, size_of};
use crate::scalar::Scalar;

/// The extent in bytes up to which a noncontiguous view is transferred with its gaps, and not gathered by a kernel
/// first.
const GATHER_ON_HOST: usize = 64 << 10;

/// Copies elements to an array of equal shape and dtype on any device.
pub(crate) fn copy_across(from: &Array, to: &Array) -> Result<()> {
    if from.device() == to.device() {
        return engine::copy(from, to);
    }
    if launch::copy_by_themselves(from.device(), to.device())? && launch::copy_rows_between(from, to)? {
        return Ok(());
    }
    let there = from.to_device(to.device())?;
    launch::arrive(&there)?;
    engine::copy(&there, to)
}

impl Array {
    /// Creates an array from elements in C order.
    ///
    /// The dtype is that of the element type; the elements are copied to the current device.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the number of elements does not match the shape.
    ///
    /// ```
    /// use cuprum::Array;
    /// let a = Array::from_slice(&[1i32, 2, 3, 4, 5, 6], [2, 3])?;
    /// assert_eq!(a.shape(), [2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn from_slice<T: Element>(elements: &[T], shape: impl IntoShape) -> Result<Array> {
        let go = || {
            let shape = checked_shape(&shape.into_shape())?;
            checked_bytes(&shape, T::DTYPE.size())?;
            if size_of(&shape) != elements.len() {
                return Err(Error::new(
                    ErrorKind::Value,
                    format!(
                        "{} elements do not fill shape {}, which has {}",
                        elements.len(),
                        shape_text(&shape),
                        size_of(&shape)
                    ),
                ));
            }
            make::of(Device::current()?, elements, &shape)
        };
        go().map_err(|e| e.with_op("from_slice"))
    }

    /// Creates an array from the bytes of its elements, in C order.
    pub(crate) fn from_c_bytes(bytes: &[u8], shape: &[usize], dtype: DType) -> Result<Array> {
        let out = make::empty(Device::current()?, shape, dtype)?;
        launch::upload(&out, bytes)?;
        Ok(out)
    }

    /// Creates an array from little-endian bytes of elements, in C order; NumPy's `frombuffer`.
    ///
    /// ```
    /// use cuprum::{Array, DType};
    /// let a = Array::from_bytes(&[1, 0, 2, 0], [2], DType::I16)?;
    /// assert_eq!(a.to_vec::<i16>()?, [1, 2]);
    /// assert_eq!(Array::from_bytes(&a.to_bytes()?, [2], DType::I16)?.to_vec::<i16>()?, [1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the number of bytes does not match the shape.
    #[doc(alias = "frombuffer")]
    pub fn from_bytes(bytes: &[u8], shape: impl IntoShape, dtype: DType) -> Result<Array> {
        let go = || {
            let shape = checked_shape(&shape.into_shape())?;
            let needed = checked_bytes(&shape, dtype.size())?;
            if needed != bytes.len() {
                let (given, shape) = (bytes.len(), shape_text(&shape));
                let message = format!("{given} bytes are given, shape {shape} of {dtype} needs {needed}");
                return Err(Error::new(ErrorKind::Value, message));
            }
            Array::from_c_bytes(bytes, &shape, dtype)
        };
        go().map_err(|e| e.with_op("from_bytes"))
    }

    /// Copies the array to a device, in C order, or returns it if it is there already. CUDA devices copy directly, over
    /// NVLink or the bus; the first copy enables peer access where it is supported. Copies from and to the simulator go
    /// through the host.
    ///
    /// The result has the shape, the dtype and the order of axes of this array.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let a = cuprum::array([1, 2, 3])?;
    /// assert_eq!(a.to_device(Device::current()?)?.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the devices.
    ///
    /// # Synchronization
    ///
    /// None between CUDA devices: their current streams synchronise with each other. Otherwise synchronises with the
    /// current stream of the array's device.
    pub fn to_device(&self, device: Device) -> Result<Array> {
        if self.device() == device {
            return Ok(self.clone());
        }
        let go = || {
            if !launch::copy_by_themselves(self.device(), device)? {
                return make::of_bytes(device, &self.to_bytes()?, self.dtype())?.reshape(self.shape());
            }
            let dst = make::empty(device, self.shape(), self.dtype())?;
            if !launch::copy_rows_between(self, &dst)? {
                launch::copy_between(&self.copy(Order::C)?, &dst)?;
            }
            Ok(dst)
        };
        go().map_err(|e: Error| e.with_op("to_device"))
    }

    /// Copies the elements to the host in C order.
    ///
    /// The elements are in C order whatever the layout; a view is made contiguous on the device first.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// assert_eq!(a.t().to_vec::<i32>()?, [1, 3, 2, 4]);
    /// assert!(a.to_vec::<f64>().is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where `T` is not the array's dtype: cast with [`Array::astype`] first.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    #[doc(alias = "tolist")]
    pub fn to_vec<T: Item>(&self) -> Result<Vec<T>> {
        T::all(self).map_err(|e| e.with_op("to_vec"))
    }

    /// Copies the elements to the host in C order, without the name of a function in errors.
    pub(crate) fn elements<T: Element>(&self) -> Result<Vec<T>> {
        self.check_element::<T>()?;
        element::read(self.size(), |bytes| self.read_into(bytes))
    }

    /// Copies the elements, in C order, to existing host memory; CuPy's `get(out=...)`. This is faster for large
    /// arrays: allocating the pages of a new `Vec` takes longer than the copy.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where `T` is not the array's dtype, [`ErrorKind::Value`] where the length of `out` is not
    /// the number of elements; nothing is written then.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    ///
    /// ```
    /// let a = cuprum::arange(0, 6, 1)?.reshape([2, 3])?;
    /// let mut out = [0i64; 6];
    /// a.t().copy_to_slice(&mut out)?;
    /// assert_eq!(out, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn copy_to_slice<T: Element>(&self, out: &mut [T]) -> Result<()> {
        let go = |out: &mut [T]| {
            self.check_element::<T>()?;
            if out.len() != self.size() {
                return Err(Error::new(
                    ErrorKind::Value,
                    format!(
                        "an array of shape {} has {} elements, and the slice {}",
                        shape_text(self.shape()),
                        self.size(),
                        out.len()
                    ),
                ));
            }
            element::fill(out, |bytes| self.read_into(bytes))
        };
        go(out).map_err(|e| e.with_op("copy_to_slice"))
    }

    /// # Errors
    ///
    /// [`ErrorKind::Type`] where `T` is not the array's dtype.
    pub(crate) fn check_element<T: Element>(&self) -> Result<()> {
        if T::DTYPE == self.dtype() {
            return Ok(());
        }
        let read = match self.dtype() {
            DType::C64 => "Complex<f32>",
            DType::C128 => "Complex<f64>",
            other => other.device_name(),
        };
        let one = if self.size() == 1 { ", or take to_scalar, which reads any dtype" } else { "" };
        let (dtype, wanted) = (self.dtype(), T::DTYPE);
        let message = format!("the elements are {dtype}, not {wanted}: read {read}, or cast with astype first{one}");
        Err(Error::new(ErrorKind::Type, message))
    }

    /// Returns the bytes of the elements in C order, little-endian.
    ///
    /// ```
    /// assert_eq!(cuprum::array([1u16, 256])?.to_bytes()?, [1, 0, 0, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    #[doc(alias = "tobytes")]
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = element::zeroed(self.nbytes())?;
        self.read_into(&mut bytes)?;
        Ok(bytes)
    }

    /// Copies the bytes of the elements, in C order and little-endian, to existing host memory.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the length of `out` is not the number of bytes, and errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    ///
    /// ```
    /// let mut out = [0; 4];
    /// cuprum::array([1i16, 2])?.copy_to_bytes(&mut out)?;
    /// assert_eq!(out, [1, 0, 2, 0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn copy_to_bytes(&self, out: &mut [u8]) -> Result<()> {
        let go = |out: &mut [u8]| {
            if out.len() != self.nbytes() {
                let (given, needed) = (out.len(), self.nbytes());
                return Err(Error::new(ErrorKind::Value, format!("{given} bytes are given for {needed}")));
            }
            self.read_into(out)
        };
        go(out).map_err(|e| e.with_op("copy_to_bytes"))
    }

    /// Reads all elements in C order.
    pub(crate) fn read_into(&self, bytes: &mut [u8]) -> Result<()> {
        let (start, end) = self.layout().extent(self.itemsize());
        let covered = (end - start) as usize;
        if bytes.is_empty() {
            // Nothing to read, but pending errors are reported.
            self.device().check_errors()
        } else if self.is_c_contiguous() {
            launch::download(bytes, self, self.layout().offset)
        } else if covered <= GATHER_ON_HOST {
            let mut all = element::zeroed(covered)?;
            launch::download_elements(&mut all, self, start as usize)?;
            self.layout().gather(&all, self.itemsize(), bytes);
            Ok(())
        } else {
            let dense = self.copy(Order::C)?;
            launch::download(bytes, &dense, dense.layout().offset)
        }
    }

    /// Returns the only element; NumPy's `item`.
    ///
    /// The array has one element and any number of axes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] unless there is exactly one element, [`ErrorKind::Type`] where `T` is not the dtype: cast
    /// with [`Array::astype`] first, or use [`Array::to_scalar`], which reads any dtype.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    ///
    /// ```
    /// let a = cuprum::array([1.5, 2.5])?;
    /// assert_eq!(a.sum(())?.item::<f64>()?, 4.0);
    /// assert_eq!(a.argmax(())?.item::<usize>()?, 1);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn item<T: Item>(&self) -> Result<T> {
        let go = || {
            self.check_single()?;
            T::all(self)
        };
        let mut all: Vec<T> = go().map_err(|e| e.with_op("item"))?;
        Ok(all.swap_remove(0))
    }

    /// Returns the only element as a scalar of any kind; NumPy's `item`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] unless there is exactly one element.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    ///
    /// ```
    /// use cuprum::{Scalar, array};
    /// assert_eq!(array([2.5f32])?.to_scalar()?, Scalar::Float(2.5));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn to_scalar(&self) -> Result<Scalar> {
        self.check_single().map_err(|e| e.with_op("to_scalar"))?;
        Ok(Scalar::decode(&self.to_bytes()?, self.dtype()))
    }

    fn check_single(&self) -> Result<()> {
        if self.size() == 1 {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Value,
            format!(
                "an array of shape {} has {} elements, not one: pick one by index first",
                shape_text(self.shape()),
                self.size()
            ),
        ))
    }

    /// Creates a 1-d array from elements.
    ///
    /// The result has one axis and the dtype of the element type. The elements are copied to the current device.
    ///
    /// ```
    /// use cuprum::Array;
    /// assert_eq!(Array::from_vec(vec![1_u8, 2, 3])?.shape(), [3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn from_vec<T: Element>(elements: Vec<T>) -> Result<Array> {
        Array::from_slice(&elements, elements.len()).map_err(|e| e.with_op("from_vec"))
    }
}

/// Unwraps a result, panicking with the error's message.
#[track_caller]
fn must<T>(result: Result<T>) -> T {
    match result {
        Ok(made) => made,
        Err(e) => panic!("{e}"),
    }
}

/// Creates an array with an axis for each level of nesting; see [`array()`].
///
/// # Panics
///
/// If nested vectors differ in length, or the device fails, with the error's message. [`array()`] returns it instead.
impl<A: ArrayLike> From<Vec<A>> for Array {
    #[track_caller]
    fn from(nested: Vec<A>) -> Array {
        must(array(nested))
    }
}

/// Creates an array with an axis for each level of nesting; see [`array()`].
///
/// ```
/// use cuprum::Array;
/// let a = Array::from([[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(a.shape(), [2, 3]);
/// ```
///
/// # Panics
///
/// If nested vectors differ in length, or the device fails, with the error's message. [`array()`] returns it instead.
impl<A: ArrayLike, const N: usize> From<[A; N]> for Array {
    #[track_caller]
    fn from(nested: [A; N]) -> Array {
        must(array(nested))
    }
}

/// Creates an array of one axis.
///
/// ```
/// use cuprum::Array;
/// let squares: Array = (0..4).map(|i| i * i).collect();
/// assert_eq!(squares.to_vec::<i32>()?, [0, 1, 4, 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Panics
///
/// If the device fails, with the error's message. [`Array::from_vec`] returns it instead.
impl<T: Element> FromIterator<T> for Array {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Array {
        must(Array::from_vec(elements.into_iter().collect()))
    }
}

/// Copies the elements in C order; see [`Array::to_vec`].
impl<T: Item> TryFrom<&Array> for Vec<T> {
    type Error = Error;

    fn try_from(a: &Array) -> Result<Vec<T>> {
        a.to_vec()
    }
}

/// Copies the elements in C order; see [`Array::to_vec`].
impl<T: Item> TryFrom<Array> for Vec<T> {
    type Error = Error;

    fn try_from(a: Array) -> Result<Vec<T>> {
        a.to_vec()
    }
}
