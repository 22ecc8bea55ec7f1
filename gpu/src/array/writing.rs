//! Which arrays can be written to.

use super::Array;
use crate::cuda::read_only_error;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

impl Array {
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where elements share memory: what is written to one would be seen in others, in an order that
    /// nobody knows; and where another library gave the memory for reading alone.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.buffer.is_read_only() {
            return Err(read_only_error());
        }
        if !self.layout.overlaps_itself(self.itemsize()) {
            return Ok(());
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
