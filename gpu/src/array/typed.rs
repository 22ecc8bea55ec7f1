//! Arrays with a statically known element type.
//!
//! The dtype is checked once, and the element type is then part of the type.
//!
//! A [`Typed`] borrows the array: it costs nothing but the check.

use std::marker::PhantomData;
use std::ops::Deref;

use super::Array;
use crate::element::Element;
use crate::error::Result;

/// An array whose dtype is known to be that of `T`; see [`Array::typed`]. It dereferences to the array.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'a, T> {
    array: &'a Array,
    element: PhantomData<T>,
}

impl Array {
    /// Returns a typed reference to the array, checking the dtype once.
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
    /// Copies the elements to the host in C order.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// assert_eq!(a.typed::<i32>()?.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the device.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.array.to_vec()
    }

    /// Returns the only element.
    ///
    /// ```
    /// let sum = cuprum::array([1, 2, 3])?.sum(())?;
    /// assert_eq!(sum.typed::<i64>()?.item()?, 6);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) unless there is exactly one element; errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the device.
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
