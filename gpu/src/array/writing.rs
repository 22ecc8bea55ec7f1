//! Read-only and writeable arrays.
//!
//! Writing is rejected where it would be ambiguous (broadcast or overlapping elements) or forbidden by the owner of the
//! memory.

use super::Array;
use crate::cuda::read_only_error;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

impl Array {
    /// Returns a read-only view of the array, whose views are read-only as well; NumPy's `flags.writeable = False`.
    ///
    /// The view has the shape and the dtype of this array.
    ///
    /// ```
    /// let a = cuprum::array([1, 2])?.read_only();
    /// assert!(a.fill(0).is_err() && a.copy(())?.fill(0).is_ok());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn read_only(&self) -> Array {
        Array { read_only: true, ..self.clone() }
    }

    /// Returns whether the elements can be written to; NumPy's `flags.writeable`. This is false if the array [is
    /// read-only](Array::is_read_only), or if several elements share memory.
    ///
    /// ```
    /// let a = cuprum::array([1, 2])?;
    /// assert!(a.is_writable() && !a.read_only().is_writable());
    /// assert!(!a.broadcast_to([2, 2])?.is_writable());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn is_writable(&self) -> bool {
        self.check_writable().is_ok()
    }

    /// # Errors
    ///
    /// [`ErrorKind::Value`] where elements share memory, since the result of writing to them would depend on an
    /// unspecified order; and where the array is read-only.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.buffer.is_read_only() {
            return Err(read_only_error());
        }
        if !self.layout.overlaps_itself(self.itemsize()) {
            return if self.read_only { Err(of_a_view()) } else { Ok(()) };
        }
        let (shape, strides) = (shape_text(self.shape()), self.strides());
        Err(Error::new(
            ErrorKind::Value,
            format!(
                "the destination, of shape {shape} and strides {strides:?}, is read-only: several of its elements share \
                 memory. Write to a copy of it"
            ),
        ))
    }
}

fn of_a_view() -> Error {
    Error::new(
        ErrorKind::Value,
        "the destination is a read-only view, as those of `diagonal` and `broadcast_to` are in NumPy. Write to a copy of it",
    )
}
