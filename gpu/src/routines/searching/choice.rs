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
pub fn where_<'a>(
    condition: impl Into<Operand<'a>>,
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
) -> Result<Array> {
    apply("where", [condition.into(), x.into(), y.into()])
}
