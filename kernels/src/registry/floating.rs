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
        doc: "Whether the operand, or a part of it, is infinite.",
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
        doc: "The larger operand; of a NaN and a number, the number. Complex numbers compare lexicographically.",
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
        doc: "The smaller operand; of a NaN and a number, the number. Complex numbers compare lexicographically.",
        ..UFUNC
    },
    &Ufunc {
        name: "nextafter",
        loops: &[loops("ee->e EE->E", "next_half(loop0, loop1, a, b)"), loops("ff->f dd->d", "next_float(a, b)")],
        text: FLOATING,
        doc: "The neighbour of the first operand in the direction of the second.",
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
        doc: "The distance to the neighbour farther from zero, with the operand's sign; of float16, the distance to \
              the neighbour above.",
        ..UFUNC
    },
    &Ufunc {
        name: "ldexp",
        operands: Operands::Unlike,
        loops: &[loops("ei->e Ei->E fi->f el->e El->E fl->f di->d dl->d", "ldexp(a, exponent(b))")],
        text: FLOATING,
        doc: "The first operand times 2 to the power of the second.",
        ..UFUNC
    },
    &Ufunc {
        name: "frexp",
        nin: 1,
        nout: 2,
        loops: &[loops("e->ei E->Ei f->fi d->di", "fraction_and_exponent(a)")],
        text: FLOATING,
        doc: "The fraction, of magnitude 0.5 to 1, and the exponent of 2 of which the operand is the product.",
        ..UFUNC
    },
    &Ufunc {
        name: "modf",
        nin: 1,
        nout: 2,
        loops: &[loops("e->ee E->EE f->ff d->dd", "fraction_and_whole(a)")],
        text: FLOATING,
        doc: "The fraction and the whole part, each with the operand's sign.",
        ..UFUNC
    },
];
