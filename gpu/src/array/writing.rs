//! Which arrays can be written to.

use super::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

impl Array {
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where elements share memory: what is written to one would be seen in others.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.layout.has_stretched_axis() {
            return Err(Error::new(
                ErrorKind::Value,
                format!(
                    "the destination, of shape {}, is read-only: a broadcast axis gives several elements one place",
                    shape_text(self.shape())
                ),
            ));
        }
        Ok(())
    }
}
