//! Conversion from and to arrays of the crate ndarray.
//!
//! An ndarray array of any strides is copied to the device in its own order of axes.

use ndarray::{ArrayBase, ArrayD, ArrayRef, Data, Dimension, IxDyn};

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};

impl Array {
    /// Copies an array or a view of the crate ndarray, of any layout, in C order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for more axes than an array can have; [`ErrorKind::OutOfMemory`] and errors of the device.
    ///
    /// ```
    /// let host = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
    /// let a = cuprum::Array::from_ndarray(&host.t())?;
    /// assert_eq!(a.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
    /// assert_eq!(a.to_ndarray::<f64>()?, host.t().into_dyn());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn from_ndarray<T: Element, D: Dimension>(host: &ArrayRef<T, D>) -> Result<Array> {
        let go = || match host.as_slice() {
            Some(elements) => Array::from_slice(elements, host.shape()),
            None => Array::from_slice(&host.iter().copied().collect::<Vec<T>>(), host.shape()),
        };
        go().map_err(|e| e.with_op("from_ndarray"))
    }

    /// Copies the elements to an array of the crate ndarray, in C order.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?.to_ndarray::<i32>()?;
    /// assert_eq!((a.shape(), a[[1, 0]]), (&[2, 2][..], 3));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where `T` is not the array's dtype; errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    #[doc(alias = "asnumpy")]
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
        let elements = self.to_vec::<T>().map_err(|e| e.with_op("to_ndarray"))?;
        // A broadcast view may have more elements than ndarray accepts for a layout, but they fit in memory, as they
        // were read.
        ArrayD::from_shape_vec(IxDyn(self.shape()), elements)
            .map_err(|e| Error::new(ErrorKind::Value, format!("{e}")).with_op("to_ndarray"))
    }
}

/// Copies the elements; see [`Array::to_ndarray`].
///
/// ```
/// let a = cuprum::array([[1.0, 2.0], [3.0, 4.0]])?;
/// let host = ndarray::ArrayD::<f64>::try_from(&a)?;
/// assert_eq!(host.sum(), 10.0);
/// assert_eq!(cuprum::Array::try_from(&host)?.shape(), [2, 2]);
/// assert_eq!(cuprum::Array::try_from(host.t())?.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]); // an array or a view
/// # Ok::<(), cuprum::Error>(())
/// ```
impl<T: Element> TryFrom<&Array> for ArrayD<T> {
    type Error = Error;

    fn try_from(a: &Array) -> Result<ArrayD<T>> {
        a.to_ndarray()
    }
}

/// Copies the elements; see [`Array::from_ndarray`].
impl<T: Element, D: Dimension> TryFrom<&ndarray::Array<T, D>> for Array {
    type Error = Error;

    fn try_from(host: &ndarray::Array<T, D>) -> Result<Array> {
        Array::from_ndarray(host)
    }
}

/// Copies the elements; see [`Array::from_ndarray`].
impl<T: Element, S: Data<Elem = T>, D: Dimension> TryFrom<ArrayBase<S, D>> for Array {
    type Error = Error;

    fn try_from(host: ArrayBase<S, D>) -> Result<Array> {
        Array::from_ndarray(&host)
    }
}

/// Copies the elements; see [`Array::to_ndarray`].
impl<T: Element> TryFrom<Array> for ArrayD<T> {
    type Error = Error;

    fn try_from(a: Array) -> Result<ArrayD<T>> {
        a.to_ndarray()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::s;
    use ndarray::{Array3, Axis, ShapeBuilder, arr0, s as ns};

    #[test]
    fn every_layout_comes_over() {
        let host = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32);
        let mut swapped = host.view();
        swapped.invert_axis(Axis(1));
        swapped.swap_axes(0, 2);
        let fortran = Array3::from_shape_fn((2, 3, 4).f(), |(i, j, k)| (i + j * k) as i32);
        for view in
            [host.view(), swapped, fortran.view(), host.slice(ns![.., ..;2, 1..3]), host.slice(ns![..0, .., ..])]
        {
            let a = Array::from_ndarray(&view).unwrap();
            assert!(a.is_c_contiguous());
            assert_eq!(a.to_ndarray::<i32>().unwrap(), view.into_dyn());
        }
        let broadcast = arr0(7u8);
        let broadcast = broadcast.broadcast((2, 2)).unwrap();
        assert_eq!(Array::from_ndarray(&broadcast).unwrap().to_vec::<u8>().unwrap(), [7; 4]);
    }

    #[test]
    fn every_layout_goes_back() {
        let host = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as f32);
        let a = Array::from_ndarray(&host).unwrap();
        let view = a.index(s![.., ..;-1, 1..;2]).unwrap().t();
        let expected = host.slice(ns![.., ..;-1, 1..;2]).reversed_axes().into_dyn().to_owned();
        assert_eq!(view.to_ndarray::<f32>().unwrap(), expected);
        assert_eq!(a.index(s![1, 2, 3]).unwrap().to_ndarray::<f32>().unwrap(), arr0(123f32).into_dyn());
        assert_eq!(a.to_ndarray::<f64>().unwrap_err().kind(), ErrorKind::Type);
    }
}
