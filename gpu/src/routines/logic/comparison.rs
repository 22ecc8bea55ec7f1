//! Comparisons.

use crate::ufunc::binary;

binary! {
    equal: "Whether the operands are equal.",
    not_equal: "Whether the operands differ.",
    less: "Whether the first operand is below the second.",
    less_equal: "Whether the first operand is not above the second.",
    greater: "Whether the first operand is above the second.",
    greater_equal: "Whether the first operand is not below the second.",
}
