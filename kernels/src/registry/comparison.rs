//! Comparison functions.

use super::{Loops, Operands, UFUNC, Ufunc};

const SAME: &str = "??->? bb->? BB->? hh->? HH->? ii->? II->? ll->? LL->?";
const REST: &str = "ee->? EE->? ff->? dd->? FF->? DD->?";

/// Defines a comparison: by the operator within one type, by value across the 64-bit integers; with the results for a
/// first operand below and above the second.
macro_rules! comparison {
    (
        $name:literal, [$below:literal, $above:literal], $operator:literal, $signed_first:literal,
        $unsigned_first:literal, $doc:literal, $example:literal, $notes:literal
    ) => {
        &Ufunc {
            name: $name,
            loops: &[
                Loops { types: SAME, expr: $operator },
                Loops { types: "lL->?", expr: $signed_first },
                Loops { types: "Ll->?", expr: $unsigned_first },
                Loops { types: REST, expr: $operator },
            ],
            operands: Operands::Compared { below: $below, above: $above },
            doc: $doc,
            example: $example,
            notes: $notes,
            ..UFUNC
        }
    };
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    comparison!(
        "equal",
        [false, false],
        "a == b",
        "mixed_equal(a, b)",
        "mixed_equal(b, a)",
        "Element-wise equality.",
        "equal(array([1, 2])?, 2)? => bool [false, true]",
        "NaN equals nothing, and -0 equals 0."
    ),
    comparison!(
        "not_equal",
        [true, true],
        "a != b",
        "!mixed_equal(a, b)",
        "!mixed_equal(b, a)",
        "Element-wise inequality; a NaN differs from everything.",
        "not_equal(array([1, 2])?, 2)? => bool [true, false]",
        ""
    ),
    comparison!(
        "less",
        [true, false],
        "a < b",
        "mixed_less(a, b)",
        "mixed_less(a, b)",
        "Element-wise less-than comparison; complex numbers compare lexicographically.",
        "less(array([1, 2, 3])?, 2)? => bool [true, false, false]",
        "Nothing is below, equal to or above NaN."
    ),
    comparison!(
        "less_equal",
        [true, false],
        "a <= b",
        "!mixed_less(b, a)",
        "!mixed_less(b, a)",
        "Element-wise less-than-or-equal comparison; complex numbers compare lexicographically.",
        "less_equal(array([1, 2, 3])?, 2)? => bool [true, true, false]",
        "Nothing is below, equal to or above NaN."
    ),
    comparison!(
        "greater",
        [false, true],
        "a > b",
        "mixed_less(b, a)",
        "mixed_less(b, a)",
        "Element-wise greater-than comparison; complex numbers compare lexicographically.",
        "greater(array([1, 2, 3])?, 2)? => bool [false, false, true]",
        "Nothing is below, equal to or above NaN."
    ),
    comparison!(
        "greater_equal",
        [false, true],
        "a >= b",
        "!mixed_less(a, b)",
        "!mixed_less(a, b)",
        "Element-wise greater-than-or-equal comparison; complex numbers compare lexicographically.",
        "greater_equal(array([1, 2, 3])?, 2)? => bool [false, true, true]",
        "Nothing is below, equal to or above NaN."
    ),
];
