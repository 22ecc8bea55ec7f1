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
        doc: "The first operand times 2 to the power of the second; 0 where the count is negative or not below the \
              width.",
        ..UFUNC
    },
    &Ufunc {
        name: "right_shift",
        aliases: &["bitwise_right_shift"],
        loops: &[loops(INTEGERS2, "shifted_right(a, b)")],
        text: BITS,
        doc: "The first operand by 2 to the power of the second, rounded down; 0 or -1 where the count is negative \
              or not below the width.",
        ..UFUNC
    },
    &Ufunc {
        name: "bitwise_count",
        nin: 1,
        loops: &[loops("b->B B->B h->B H->B i->B I->B l->B L->B", "bit_count(a)")],
        text: BITS,
        doc: "The number of bits set in the magnitude.",
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
        doc: "Whether one operand only is non-zero.",
        ..UFUNC
    },
];
