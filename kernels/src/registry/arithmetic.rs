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
        pairs: "add_pairs",
        doc: "Adds element by element; booleans by logical or. Integers wrap.",
        example: "add(array([1, 2])?, array([10, 20])?)? => i32 [11, 22]",
        notes: "Infinities of opposite signs add up to NaN. The operator `+` calls it.",
        ..UFUNC
    },
    &Ufunc {
        name: "subtract",
        loops: &[loops(INTEGERS2, "wrapping_sub(a, b)"), loops(FLOATS2, "a - b"), loops(COMPLEX2, "a - b")],
        rejects_bool: true,
        pairs: "subtract_pairs",
        doc: "Subtracts element by element. Booleans are rejected. Integers wrap.",
        example: "subtract(array([1, 2])?, 5)? => i32 [-4, -3]",
        notes: "Unsigned integers wrap below 0. Infinities of one sign differ by NaN. The operator `-` calls it.",
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
        pairs: "multiply_pairs",
        doc: "Multiplies element by element; booleans by logical and. Integers wrap.",
        example: "multiply(array([1.5, 2.0])?, 4)? => f64 [6.0, 8.0]",
        notes: "An infinity times 0 is NaN. The operator `*` calls it.",
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
        several: "quotients",
        doc: "Divides element by element. Integers and booleans give float64.",
        example: "true_divide(array([1, -3])?, 2)? => f64 [0.5, -1.5]",
        notes: "A number divided by 0 is an infinity of its sign, and 0 / 0 is NaN, without an error or a \
             warning; of integers, too, since they are converted first. A complex quotient near the ends of \
             the range does not overflow in between, as NumPy's does. The operator `/` calls it.",
        ..UFUNC
    },
    &Ufunc {
        name: "floor_divide",
        loops: &[loops(INTEGERS2, "integer_floor_divide(a, b)"), loops(FLOATS2, "float_floor_divide(a, b)")],
        heavy: true,
        doc: "Floored division: the largest integer not above the quotient, as the operands' type. An integer \
             divided by 0 gives 0.",
        example: "floor_divide(array([7, -7])?, 2)? => i32 [3, -4]",
        notes: "A float divided by 0 is an infinity, and 0 by 0 NaN. The smallest signed integer divided by -1 \
             wraps to itself.",
        ..UFUNC
    },
    &Ufunc {
        name: "remainder",
        aliases: &["mod"],
        loops: &[loops(INTEGERS2, "integer_remainder(a, b)"), loops(FLOATS2, "float_remainder(a, b)")],
        heavy: true,
        doc: "Remainder of floored division, with the sign of the divisor. An integer modulo 0 gives 0.",
        example: "remainder(array([7, -7])?, 3)? => i32 [1, 2]",
        notes: "A float modulo 0 is NaN, and so is an infinity modulo anything. The operator `%` calls it. C's \
             remainder, with the sign of the dividend, is `fmod`.",
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
        doc: "Raises the first operand to the power of the second. Integers wrap; a negative integer exponent \
             of an integer is an error.",
        example: "power(array([2.0, 9.0])?, array([10.0, 0.5])?)? => f64 [1024.0, 3.0]",
        notes: "A negative base with a fractional exponent is NaN; anything to the power of 0, and 1 to any \
             power, is 1, of NaN as well. A power of floats that float64 represents exactly is exact.",
        ..UFUNC
    },
    &Ufunc {
        name: "negative",
        nin: 1,
        loops: &[loops(INTEGERS1, "wrapping_neg(a)"), loops(FLOATS1, "-a"), loops("F->F D->D", "-a")],
        rejects_bool: true,
        pairs: "negative_pairs",
        doc: "Negates each element. Booleans are rejected. Integers wrap.",
        example: "negative(array([1.5, -2.0])?)? => f64 [-1.5, 2.0]",
        notes: "Of unsigned integers it is 2 to the power of their width less the operand. The operator `-` \
             calls it.",
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
        pairs: "absolute_pairs",
        doc: "Absolute value; of a complex number, the modulus. The smallest signed integer stays what it is.",
        example: "absolute(array([-1.5, 2.0])?)? => f64 [1.5, 2.0]",
        notes: "A complex operand has a real result of half its size. A modulus does not overflow as long as it \
             is representable.",
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
        pairs: "maximum_pairs",
        doc: "Element-wise maximum. A NaN in either operand is the result. Complex numbers compare \
             lexicographically.",
        example: "maximum(array([1.0, 5.0])?, 3.0)? => f64 [3.0, 5.0]",
        notes: "`fmax` returns the number where one operand is NaN.",
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
        pairs: "minimum_pairs",
        doc: "Element-wise minimum. A NaN in either operand is the result. Complex numbers compare \
             lexicographically.",
        example: "minimum(array([1.0, 5.0])?, 3.0)? => f64 [1.0, 3.0]",
        notes: "`fmin` returns the number where one operand is NaN.",
        ..UFUNC
    },
];
