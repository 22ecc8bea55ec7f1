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
        "The nearest whole number, the even one of two; of a complex number, of each part.",
    ),
    &rounding("floor", loops!("floor(a)"), "The largest whole number not above the operand, in its dtype."),
    &rounding("ceil", loops!("ceil(a)"), "The smallest whole number not below the operand, in its dtype."),
    &Ufunc {
        aliases: &["fix"],
        ..rounding("trunc", loops!("trunc(a)"), "The operand without its fraction, in its dtype.")
    },
];
