//! Between the host and the device.

use cuprum_kernels::DType;

use crate::array::{Array, IntoShape, checked_shape};
use crate::cuda::Device;
use crate::element::{self, Element};
use crate::engine::{launch, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, checked_bytes, shape_text, size_of};
use crate::scalar::Scalar;

/// Up to so many bytes, what lies between the elements of a view is cheaper to transfer than to skip with a kernel.
const GATHER_ON_HOST: usize = 64 << 10;

impl Array {
    /// An array of these elements, in C order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the shape has another number of elements.
    ///
    /// ```
    /// use cuprum::Array;
    /// let a = Array::from_slice(&[1i32, 2, 3, 4, 5, 6], [2, 3])?;
    /// assert_eq!(a.shape(), [2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn from_slice<T: Element>(elements: &[T], shape: impl IntoShape) -> Result<Array> {
        let go = || {
            let shape = checked_shape(shape)?;
            checked_bytes(&shape, T::DTYPE.size())?;
            if size_of(&shape) != elements.len() {
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("{} elements do not fill the shape {}", elements.len(), shape_text(&shape)),
                ));
            }
            make::of(Device::current()?, elements, &shape)
        };
        go().map_err(|e| e.with_op("array"))
    }

    /// An array of the bytes of its elements, in C order.
    pub(crate) fn from_c_bytes(bytes: &[u8], shape: &[usize], dtype: DType) -> Result<Array> {
        let out = make::empty(Device::current()?, shape, dtype)?;
        launch::upload(&out, bytes)?;
        Ok(out)
    }

    /// The elements in C order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where `T` is not the array's dtype: cast with [`Array::astype`] first.
    ///
    /// # Synchronization
    ///
    /// The host waits for the current stream.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.check_element::<T>().map_err(|e| e.with_op("to_vec"))?;
        element::read(self.size(), |bytes| self.read_into(bytes))
    }

    /// Copies the elements, in C order, into memory that is there already. It is the faster way for large arrays: the
    /// pages of a new `Vec` take the system longer than the copy. CuPy's `get(out=...)`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where `T` is not the array's dtype, [`ErrorKind::Value`] where `out` has another length than
    /// the array has elements; nothing is written then.
    ///
    /// # Synchronization
    ///
    /// The host waits for the current stream.
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
        Err(Error::new(ErrorKind::Type, format!("the elements are {}, not {}", self.dtype(), T::DTYPE)))
    }

    /// The bytes of the elements in C order, little-endian.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    ///
    /// # Synchronization
    ///
    /// The host waits for the current stream.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = element::zeroed(self.nbytes())?;
        self.read_into(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads all elements in C order.
    fn read_into(&self, bytes: &mut [u8]) -> Result<()> {
        let (start, end) = self.layout().extent(self.itemsize());
        let covered = (end - start) as usize;
        if bytes.is_empty() {
            // There is no memory to read.
            Ok(())
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

    /// The only element; NumPy's `item`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there is not exactly one, [`ErrorKind::Type`] where `T` is not the dtype.
    ///
    /// # Synchronization
    ///
    /// The host waits for the current stream.
    pub fn item<T: Element>(&self) -> Result<T> {
        self.check_single().and_then(|()| self.to_vec::<T>()).map(|v| v[0]).map_err(|e| e.with_op("item"))
    }

    /// The only element, as a number of any kind; NumPy's `item`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there is not exactly one.
    ///
    /// # Synchronization
    ///
    /// The host waits for the current stream.
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
            format!("an array of shape {} has not exactly one element", shape_text(self.shape())),
        ))
    }

    /// A 1-d array of these elements.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn from_vec<T: Element>(elements: Vec<T>) -> Result<Array> {
        Array::from_slice(&elements, elements.len())
    }
}

/// A one-dimensional array of the elements.
///
/// # Panics
///
/// Where the device fails, with the error's message. [`Array::from_slice`] returns it instead.
impl<T: Element> From<Vec<T>> for Array {
    #[track_caller]
    fn from(elements: Vec<T>) -> Array {
        let n = elements.len();
        match Array::from_slice(&elements, [n]) {
            Ok(a) => a,
            Err(e) => panic!("{e}"),
        }
    }
}
