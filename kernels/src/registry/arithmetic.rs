//! Arithmetic functions, powers, minimum and maximum.

use super::Associative::Always;
use super::{FOLDS, Folds, Loops, Operands, POWERS, UFUNC, Ufunc};

pub(super) const INTEGERS2: &str = "bb->b BB->B hh->h HH->H ii->i II->I ll->l LL->L";
pub(super) const FLOATS2: &str = "ee->e EE->E ff->f dd->d";
pub(super) const COMPLEX2: &str = "FF->F DD->D";
const INTEGERS1: &str = "b->b B->B h->h H->H i->i I->I l->l L->L";
const FLOATS1: &str = "e->e E->E f->f d->d";

const fn loops(types: &'static str, expr: &'static str) -> Loops {
    Loops { types, expr }
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &Ufunc {
        name: "add",
        loops: &[
            loops("??->?", "a || b"),
            loops(INTEGERS2, "wrapping_add(a, b)"),
            loops(FLOATS2, "a + b"),
            loops(COMPLEX2, "a + b"),
        ],
        identity: Some("0"),
        folds: Folds { associative: Always, widens: true, reduction: Some("sum"), atomic: Some("atomicAdd"), ..FOLDS },
        doc: "The sum; of booleans, logical or. Integers wrap.",
        ..UFUNC
    },
    &Ufunc {
        name: "subtract",
        loops: &[loops(INTEGERS2, "wrapping_sub(a, b)"), loops(FLOATS2, "a - b"), loops(COMPLEX2, "a - b")],
        rejects_bool: true,
        doc: "The difference. Booleans are rejected. Integers wrap.",
        ..UFUNC
    },
    &Ufunc {
        name: "multiply",
        loops: &[
            loops("??->?", "a && b"),
            loops(INTEGERS2, "wrapping_mul(a, b)"),
            loops(FLOATS2, "a * b"),
            loops(COMPLEX2, "a * b"),
        ],
        identity: Some("1"),
        folds: Folds { associative: Always, widens: true, reduction: Some("prod"), ..FOLDS },
        doc: "The product; of booleans, logical and. Integers wrap.",
        ..UFUNC
    },
    &Ufunc {
        name: "true_divide",
        aliases: &["divide"],
        loops: &[
            loops("bb->d BB->d hh->d HH->d ii->d II->d ll->d LL->d", "(f64)a / (f64)b"),
            loops(FLOATS2, "a / b"),
            loops(COMPLEX2, "complex_divide(a, b)"),
        ],
        operands: Operands::Divided,
        wide: true,
        doc: "The quotient. Integers and booleans give float64.",
        ..UFUNC
    },
    &Ufunc {
        name: "floor_divide",
        loops: &[loops(INTEGERS2, "integer_floor_divide(a, b)"), loops(FLOATS2, "float_floor_divide(a, b)")],
        heavy: true,
        doc: "The largest integer not above the quotient, as the operands' type. An integer divided by 0 gives 0.",
        ..UFUNC
    },
    &Ufunc {
        name: "remainder",
        aliases: &["mod"],
        loops: &[loops(INTEGERS2, "integer_remainder(a, b)"), loops(FLOATS2, "float_remainder(a, b)")],
        heavy: true,
        doc: "What `floor_divide` leaves; it has the sign of the divisor. An integer modulo 0 gives 0.",
        ..UFUNC
    },
    &Ufunc {
        name: "power",
        aliases: &["pow"],
        loops: &[
            loops(INTEGERS2, "integer_power(a, b)"),
            loops(FLOATS2, "power(a, b)"),
            loops(COMPLEX2, "complex_power(a, b)"),
        ],
        rejects_negative: true,
        wide: true,
        heavy: true,
        text: POWERS,
        doc: "The first operand to the power of the second. Integers wrap; a negative integer exponent of an integer is \
              an error.",
        ..UFUNC
    },
    &Ufunc {
        name: "negative",
        nin: 1,
        loops: &[loops(INTEGERS1, "wrapping_neg(a)"), loops(FLOATS1, "-a"), loops("F->F D->D", "-a")],
        rejects_bool: true,
        doc: "The operand with the other sign. Booleans are rejected. Integers wrap.",
        ..UFUNC
    },
    &Ufunc {
        name: "absolute",
        aliases: &["abs"],
        nin: 1,
        loops: &[
            loops("?->? B->B H->H I->I L->L", "a"),
            loops("b->b h->h i->i l->l", "integer_absolute(a)"),
            loops(FLOATS1, "fabs(a)"),
            loops("F->f D->d", "absolute(a)"),
        ],
        wide: true,
        doc: "The magnitude; of a complex number, the modulus. The smallest signed integer stays what it is.",
        ..UFUNC
    },
    &Ufunc {
        name: "maximum",
        loops: &[
            loops("??->?", "a || b"),
            loops(INTEGERS2, "a > b ? a : b"),
            loops("ee->e EE->E", "one_nan_maximum(a, b)"),
            loops("ff->f dd->d", "float_maximum(a, b)"),
            loops(COMPLEX2, "complex_maximum(a, b)"),
        ],
        folds: Folds {
            associative: Always,
            reorderable: true,
            reduction: Some("max"),
            atomic: Some("atomicMax"),
            ..FOLDS
        },
        doc: "The larger operand. A NaN in either is the result. Complex numbers compare lexicographically.",
        ..UFUNC
    },
    &Ufunc {
        name: "minimum",
        loops: &[
            loops("??->?", "a && b"),
            loops(INTEGERS2, "a < b ? a : b"),
            loops("ee->e EE->E", "one_nan_minimum(a, b)"),
            loops("ff->f dd->d", "float_minimum(a, b)"),
            loops(COMPLEX2, "complex_minimum(a, b)"),
        ],
        folds: Folds {
            associative: Always,
            reorderable: true,
            reduction: Some("min"),
            atomic: Some("atomicMin"),
            ..FOLDS
        },
        doc: "The smaller operand. A NaN in either is the result. Complex numbers compare lexicographically.",
        ..UFUNC
    },
];
