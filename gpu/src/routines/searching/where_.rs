//! Elementwise selection from two operands; NumPy's `where`.
//!
//! The condition may be of any dtype; the two operands are promoted, and cast as they are read.

use crate::array::{Array, Operand};
use crate::error::Result;
use crate::ufunc::apply;
use cuprum_macros::routine;

/// Selects the second operand where the first is true, otherwise the third; NumPy's `where` of three operands.
///
/// The result has the shape to which all three are broadcast, and the dtype to which `x` and `y` are promoted; a scalar
/// takes the dtype of the array. NumPy's `where` of a condition alone is [`nonzero`](fn@crate::nonzero).
///
/// ```
/// use cuprum::{array, where_};
/// let a = array([1, -2, 3])?;
/// assert_eq!(where_(a.greater(0)?, &a, 0)?.to_vec::<i32>()?, [1, 0, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Ufunc::call`](crate::Ufunc::call).
#[routine]
pub fn where_(condition: Operand<'_>, x: Operand<'_>, y: Operand<'_>) -> Result<Array> {
    apply("where", [condition, x, y])
}
