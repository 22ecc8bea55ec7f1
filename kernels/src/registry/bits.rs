//! Shifts, bit counts and logical exclusive or.

use super::arithmetic::INTEGERS2;
use super::{Associative, BITS, FOLDS, Folds, Loops, Operands, UFUNC, Ufunc};

const fn loops(types: &'static str, expr: &'static str) -> Loops {
    Loops { types, expr }
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &Ufunc {
        name: "left_shift",
        aliases: &["bitwise_left_shift"],
        loops: &[loops(INTEGERS2, "shifted_left(a, b)")],
        text: BITS,
        doc: "Shifts bits to the left: the first operand times 2 to the power of the second; 0 where the \
             count is negative or not below the width.",
        example: "left_shift(array([1, 3])?, 2)? => i32 [4, 12]",
        notes: "NumPy's results for counts out of range, where C leaves them undefined. The operator `<<` calls \
             it.",
        ..UFUNC
    },
    &Ufunc {
        name: "right_shift",
        aliases: &["bitwise_right_shift"],
        loops: &[loops(INTEGERS2, "shifted_right(a, b)")],
        text: BITS,
        doc: "Shifts bits to the right: the first operand by 2 to the power of the second, rounded down; 0 or \
             -1 where the count is negative or not below the width.",
        example: "right_shift(array([8, -8])?, 1)? => i32 [4, -4]",
        notes: "The sign of a signed integer is shifted in. The operator `>>` calls it.",
        ..UFUNC
    },
    &Ufunc {
        name: "bitwise_count",
        nin: 1,
        loops: &[loops("b->B B->B h->B H->B i->B I->B l->B L->B", "bit_count(a)")],
        text: BITS,
        doc: "Population count: the number of bits set in the magnitude.",
        example: "bitwise_count(array([0, 7, -1])?)? => u8 [0, 3, 1]",
        notes: "As in NumPy, the bits of a negative integer are those of its absolute value.",
        ..UFUNC
    },
    &Ufunc {
        name: "logical_xor",
        loops: &[
            loops(
                "??->? bb->? BB->? hh->? HH->? ii->? II->? ll->? LL->? ee->? EE->? ff->? dd->?",
                "(a != 0) != (b != 0)",
            ),
            loops("FF->? DD->?", "is_true(a) != is_true(b)"),
        ],
        identity: Some("false"),
        operands: Operands::Truths,
        folds: Folds { associative: Associative::Always, ..FOLDS },
        doc: "Logical exclusive or: true where one operand only is non-zero.",
        example: "logical_xor(array([0, 2, 3])?, array([0, 0, 1])?)? => bool [false, true, false]",
        notes: "NaN counts as true.",
        ..UFUNC
    },
];
