//! A lens that knows the type of the elements.

use std::marker::PhantomData;
use std::ops::Deref;

use super::Array;
use crate::element::Element;
use crate::error::Result;

/// An array whose dtype is known to be that of `T`; see [`Array::typed`]. It is the array for all else.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'a, T> {
    array: &'a Array,
    element: PhantomData<T>,
}

impl Array {
    /// The array as one of elements `T`: the dtype is checked here, and nowhere after.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`](crate::ErrorKind::Type) where `T` is not the array's dtype.
    ///
    /// ```
    /// let a = cuprum::array([1f32, 2.0])?;
    /// let a = a.typed::<f32>()?;
    /// let all: Vec<f32> = a.to_vec()?;
    /// assert_eq!(all, [1.0, 2.0]);
    /// assert!(a.typed::<f64>().is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn typed<T: Element>(&self) -> Result<Typed<'_, T>> {
        self.check_element::<T>().map_err(|e| e.with_op("typed"))?;
        Ok(Typed { array: self, element: PhantomData })
    }
}

impl<T: Element> Typed<'_, T> {
    /// The elements in C order.
    ///
    /// # Errors
    ///
    /// Those of the device.
    ///
    /// # Synchronization
    ///
    /// The host waits for the device.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.array.to_vec()
    }

    /// The only element.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) where there is not exactly one; those of the device.
    ///
    /// # Synchronization
    ///
    /// The host waits for the device.
    pub fn item(&self) -> Result<T> {
        self.array.item()
    }
}

impl<T> Deref for Typed<'_, T> {
    type Target = Array;

    fn deref(&self) -> &Array {
        self.array
    }
}
