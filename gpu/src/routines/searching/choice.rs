//! One of two operands, element by element.

use crate::array::{Array, Operand};
use crate::error::Result;
use crate::ufunc::apply;
use cuprum_macros::routine;

/// The second operand where the first is true, the third elsewhere; NumPy's `where` of three operands.
///
/// # Errors
///
/// As [`Ufunc::call`](crate::Ufunc::call).
#[routine]
pub fn where_(condition: Operand<'_>, x: Operand<'_>, y: Operand<'_>) -> Result<Array> {
    apply("where", [condition, x, y])
}
