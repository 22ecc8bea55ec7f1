//! Elementwise selection from two operands; NumPy's `where`.

use crate::array::{Array, Operand};
use crate::error::Result;
use crate::ufunc::apply;
use cuprum_macros::routine;

/// Selects the second operand where the first is true, otherwise the third; NumPy's `where` of three operands.
///
/// # Errors
///
/// Same as [`Ufunc::call`](crate::Ufunc::call).
#[routine]
pub fn where_(condition: Operand<'_>, x: Operand<'_>, y: Operand<'_>) -> Result<Array> {
    apply("where", [condition, x, y])
}
