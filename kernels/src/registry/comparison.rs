//! Comparison functions.

use super::{Loops, Operands, UFUNC, Ufunc};

const SAME: &str = "??->? bb->? BB->? hh->? HH->? ii->? II->? ll->? LL->?";
const REST: &str = "ee->? EE->? ff->? dd->? FF->? DD->?";

/// Defines a comparison: by the operator within one type, by value across the 64-bit integers; with the results for a
/// first operand below and above the second.
macro_rules! comparison {
    (
        $name:literal, [$below:literal, $above:literal], $operator:literal, $signed_first:literal,
        $unsigned_first:literal, $doc:literal
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
        "Whether the operands are equal."
    ),
    comparison!(
        "not_equal",
        [true, true],
        "a != b",
        "!mixed_equal(a, b)",
        "!mixed_equal(b, a)",
        "Whether the operands differ; a NaN differs from everything."
    ),
    comparison!(
        "less",
        [true, false],
        "a < b",
        "mixed_less(a, b)",
        "mixed_less(a, b)",
        "Whether the first operand is below the second; complex numbers compare lexicographically."
    ),
    comparison!(
        "less_equal",
        [true, false],
        "a <= b",
        "!mixed_less(b, a)",
        "!mixed_less(b, a)",
        "Whether the first operand is not above the second; complex numbers compare lexicographically."
    ),
    comparison!(
        "greater",
        [false, true],
        "a > b",
        "mixed_less(b, a)",
        "mixed_less(b, a)",
        "Whether the first operand is above the second; complex numbers compare lexicographically."
    ),
    comparison!(
        "greater_equal",
        [false, true],
        "a >= b",
        "!mixed_less(a, b)",
        "!mixed_less(a, b)",
        "Whether the first operand is not below the second; complex numbers compare lexicographically."
    ),
];
