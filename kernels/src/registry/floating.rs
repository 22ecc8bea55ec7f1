//! Floating-point functions: neighbours, exponents, infinities; minimum and maximum that ignore NaN.

use super::Associative::Always;
use super::arithmetic::{COMPLEX2, FLOATS2, INTEGERS2};
use super::{FLOATING, FOLDS, Folds, Loops, Operands, UFUNC, Ufunc};

const fn loops(types: &'static str, expr: &'static str) -> Loops {
    Loops { types, expr }
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &Ufunc {
        name: "isinf",
        nin: 1,
        loops: &[
            loops("?->? b->? B->? h->? H->? i->? I->? l->? L->?", "false"),
            loops("e->? E->? f->? d->?", "isinf(a)"),
            loops("F->? D->?", "isinf(a.re) || isinf(a.im)"),
        ],
        doc: "Tests each element for positive and negative infinity; of a complex number, in either part.",
        example: "isinf(array([1.0, f64::NEG_INFINITY, f64::NAN])?)? => bool [false, true, false]",
        notes: "Integers and booleans are never infinite.",
        ..UFUNC
    },
    &Ufunc {
        name: "fmax",
        loops: &[
            loops("??->?", "a || b"),
            loops(INTEGERS2, "a > b ? a : b"),
            loops(FLOATS2, "fmax(a, b)"),
            loops(COMPLEX2, "is_nan(b) || b <= a ? a : b"),
        ],
        folds: Folds { associative: Always, reorderable: true, atomic: Some("atomicMax"), skips_nan: true, ..FOLDS },
        doc: "Element-wise maximum that ignores NaN: of a NaN and a number, the number. Complex numbers \
             compare lexicographically.",
        example: "fmax(array([f64::NAN, 5.0])?, 3.0)? => f64 [3.0, 5.0]",
        notes: "Two NaNs result in NaN. `maximum` returns the NaN instead.",
        ..UFUNC
    },
    &Ufunc {
        name: "fmin",
        loops: &[
            loops("??->?", "a && b"),
            loops(INTEGERS2, "a < b ? a : b"),
            loops(FLOATS2, "fmin(a, b)"),
            loops(COMPLEX2, "is_nan(b) || a <= b ? a : b"),
        ],
        folds: Folds { associative: Always, reorderable: true, atomic: Some("atomicMin"), skips_nan: true, ..FOLDS },
        doc: "Element-wise minimum that ignores NaN: of a NaN and a number, the number. Complex numbers \
             compare lexicographically.",
        example: "fmin(array([f64::NAN, 5.0])?, 3.0)? => f64 [3.0, 3.0]",
        notes: "Two NaNs result in NaN. `minimum` returns the NaN instead.",
        ..UFUNC
    },
    &Ufunc {
        name: "nextafter",
        loops: &[loops("ee->e EE->E", "next_half(loop0, loop1, a, b)"), loops("ff->f dd->d", "next_float(a, b)")],
        text: FLOATING,
        doc: "Next representable number after the first operand in the direction of the second.",
        example: "nextafter(array([1.0])?, 2.0)? => f64 [1.0 + f64::EPSILON]",
        notes: "Equal operands result in the second one; a NaN in either in NaN.",
        ..UFUNC
    },
    &Ufunc {
        name: "spacing",
        nin: 1,
        loops: &[
            // NumPy's float16 computes the spacing upwards, its other floats the spacing away from zero.
            loops("e->e", "half_step_up(loop0, a)"),
            loops("E->E", "half_step_out(loop0, a)"),
            loops("f->f d->d", "step_out(a)"),
        ],
        text: FLOATING,
        doc: "Distance to the next representable number farther from zero, with the operand's sign; of \
             float16, to the one above.",
        example: "spacing(array([1.0, -1.0])?)? => f64 [f64::EPSILON, -f64::EPSILON]",
        notes: "Of infinities and NaN it is NaN.",
        ..UFUNC
    },
    &Ufunc {
        name: "ldexp",
        operands: Operands::Unlike,
        loops: &[loops("ei->e Ei->E fi->f el->e El->E fl->f di->d dl->d", "ldexp(a, exponent(b))")],
        text: FLOATING,
        doc: "Multiplies the first operand by 2 to the power of the second.",
        example: "ldexp(array([0.75, 1.0])?, array([2, -1])?)? => f64 [3.0, 0.5]",
        notes: "Overflows to an infinity. The inverse of `frexp`.",
        ..UFUNC
    },
    &Ufunc {
        name: "frexp",
        nin: 1,
        nout: 2,
        loops: &[loops("e->ei E->Ei f->fi d->di", "fraction_and_exponent(a)")],
        text: FLOATING,
        doc: "Decomposes floats into a fraction, of magnitude 0.5 to 1, and the exponent of 2 of which the \
             operand is the product.",
        example: "let (fraction, exponent) = frexp(array([6.0, 0.5])?)?; assert_eq!(fraction.to_vec::<f64>()?, \
             [0.75, 0.5]); assert_eq!(exponent.to_vec::<i32>()?, [3, 0]);",
        notes: "Of 0, infinities and NaN the fraction is the operand itself; of 0 the exponent is 0.",
        ..UFUNC
    },
    &Ufunc {
        name: "modf",
        nin: 1,
        nout: 2,
        loops: &[loops("e->ee E->EE f->ff d->dd", "fraction_and_whole(a)")],
        text: FLOATING,
        doc: "Splits floats into the fraction and the whole part, each with the operand's sign.",
        example: "let (fraction, whole) = modf(array([2.5, -1.25])?)?; assert_eq!(fraction.to_vec::<f64>()?, \
             [0.5, -0.25]); assert_eq!(whole.to_vec::<f64>()?, [2.0, -1.0]);",
        notes: "Of an infinity the fraction is 0 and the whole part the infinity.",
        ..UFUNC
    },
];
