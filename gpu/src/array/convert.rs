//! Between the host and the device.

use crate::cuda::Device;
use crate::element::{Element, from_bytes, to_bytes};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, checked_bytes, shape_text};

use super::Array;

/// What can be given as a shape: a number, an array, a slice or a vector of numbers. -1 is for [`Array::reshape`].
pub trait IntoShape {
    /// The sizes of the axes.
    fn into_shape(self) -> Vec<i64>;
}

/// Sizes come as any of the usual integers; one that is too large for `i64` is refused as too large later on.
macro_rules! into_shape {
    ($($t:ty),+) => {$(
        impl IntoShape for $t {
            fn into_shape(self) -> Vec<i64> {
                vec![i64::try_from(self).unwrap_or(i64::MAX)]
            }
        }
        impl<const N: usize> IntoShape for [$t; N] {
            fn into_shape(self) -> Vec<i64> {
                self.into_iter().flat_map(IntoShape::into_shape).collect()
            }
        }
        impl IntoShape for &[$t] {
            fn into_shape(self) -> Vec<i64> {
                self.iter().flat_map(|n| n.into_shape()).collect()
            }
        }
        impl IntoShape for Vec<$t> {
            fn into_shape(self) -> Vec<i64> {
                self.as_slice().into_shape()
            }
        }
    )+};
}
into_shape!(usize, i32, i64);

impl IntoShape for () {
    fn into_shape(self) -> Vec<i64> {
        Vec::new()
    }
}

/// A shape with no negative size.
pub(crate) fn checked_shape(shape: impl IntoShape) -> Result<Vec<usize>> {
    let asked = shape.into_shape();
    asked
        .iter()
        .map(|&n| {
            usize::try_from(n).map_err(|_| {
                Error::new(ErrorKind::Value, format!("negative dimensions are not allowed: {n} stands in {asked:?}"))
            })
        })
        .collect()
}

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
            if crate::layout::size_of(&shape) != elements.len() {
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("{} elements do not fill the shape {}", elements.len(), shape_text(&shape)),
                ));
            }
            Array::from_c_bytes(&to_bytes(elements.iter().copied()), &shape, T::DTYPE)
        };
        go().map_err(|e| e.with_op("array"))
    }

    /// An array of the bytes of its elements, in C order.
    pub(crate) fn from_c_bytes(bytes: &[u8], shape: &[usize], dtype: crate::DType) -> Result<Array> {
        let device = Device::current()?;
        let out = Array::of_layout(device, Layout::c_order(shape, dtype.size()), dtype)?;
        device.upload(out.addr(), bytes)?;
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
        if T::DTYPE != self.dtype() {
            return Err(Error::new(
                ErrorKind::Type,
                format!("to_vec: the elements are {}, not {}", self.dtype(), T::DTYPE),
            ));
        }
        Ok(from_bytes(&self.to_bytes()?))
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
        let dense = if self.is_c_contiguous() { self.clone() } else { self.copy(Order::C)? };
        let mut bytes = vec![0; dense.nbytes()];
        self.device().download(&mut bytes, dense.addr())?;
        Ok(bytes)
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
        match self.size() {
            1 => self.to_vec::<T>().map(|v| v[0]).map_err(|e| e.with_op("item")),
            _ => Err(Error::new(
                ErrorKind::Value,
                format!("item: an array of shape {} has not exactly one element", shape_text(self.shape())),
            )),
        }
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
