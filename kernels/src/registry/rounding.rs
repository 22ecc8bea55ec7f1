//! Functions that round to integers.

use super::{Loops, UFUNC, Ufunc};

const WHOLE: &str = "?->? b->b B->B h->h H->H i->i I->I l->l L->L";
const FLOATS: &str = "e->e E->E f->f d->d";

/// Returns the record of a rounding function that keeps the dtype: integers are unchanged.
const fn rounding(name: &'static str, loops: &'static [Loops], doc: &'static str) -> Ufunc {
    Ufunc { name, nin: 1, loops, doc, ..UFUNC }
}

macro_rules! loops {
    ($float:literal) => {
        &[Loops { types: WHOLE, expr: "a" }, Loops { types: FLOATS, expr: $float }]
    };
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &rounding(
        "rint",
        &[
            Loops { types: FLOATS, expr: "rint(a)" },
            Loops { types: "F->F D->D", expr: "decltype(a){rint(a.re), rint(a.im)}" },
        ],
        "Rounds to the nearest integer, ties to even; a complex number by its parts.",
    )
    .example("rint(array([0.5, 1.5, -0.7])?)? => f64 [0.0, 2.0, -1.0]")
    .notes(
        "Integers are converted to floats, as in NumPy; `round` keeps them. Infinities and NaN stay as \
             they are.",
    ),
    &rounding("floor", loops!("floor(a)"), "Rounds down: the largest integer not above the operand, in its dtype.")
        .example("floor(array([1.7, -1.2])?)? => f64 [1.0, -2.0]")
        .notes("Integers and booleans are copied. Infinities and NaN stay as they are."),
    &rounding("ceil", loops!("ceil(a)"), "Rounds up: the smallest integer not below the operand, in its dtype.")
        .example("ceil(array([1.2, -1.7])?)? => f64 [2.0, -1.0]")
        .notes("Integers and booleans are copied. Infinities and NaN stay as they are."),
    &Ufunc {
        aliases: &["fix"],
        example: "trunc(array([1.7, -1.7])?)? => f64 [1.0, -1.0]",
        notes: "Integers and booleans are copied. Infinities and NaN stay as they are.",
        ..rounding("trunc", loops!("trunc(a)"), "Rounds towards zero: the operand without its fraction, in its dtype.")
    },
];
