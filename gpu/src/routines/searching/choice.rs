//! One of two operands, element by element.

use crate::array::{Array, Operand};
use crate::error::Result;
use crate::ufunc::apply;

/// The second operand where the first is true, the third elsewhere; NumPy's `where` of three operands.
///
/// # Errors
///
/// As [`Ufunc::call`](crate::Ufunc::call).
pub fn where_<'a>(
    condition: impl Into<Operand<'a>>,
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
) -> Result<Array> {
    apply("where", [condition.into(), x.into(), y.into()])
}
