//! Sign functions: `positive`, `conjugate`, `sign`, `fabs`, `signbit`, `copysign` and `heaviside`.

use super::{FLOATING, Loops, SIGNS, UFUNC, Ufunc};

const INTEGERS: &str = "b->b B->B h->h H->H i->i I->I l->l L->L";
const FLOATS: &str = "e->e E->E f->f d->d";
const COMPLEX: &str = "F->F D->D";

const fn loops(types: &'static str, expr: &'static str) -> Loops {
    Loops { types, expr }
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &Ufunc {
        name: "positive",
        nin: 1,
        loops: &[loops(INTEGERS, "a"), loops(FLOATS, "a"), loops(COMPLEX, "a")],
        rejects_bool: true,
        doc: "The operand as it is. Booleans are rejected.",
        ..UFUNC
    },
    &Ufunc {
        name: "conjugate",
        aliases: &["conj"],
        nin: 1,
        loops: &[loops(INTEGERS, "a"), loops(FLOATS, "a"), loops(COMPLEX, "decltype(a){a.re, -a.im}")],
        doc: "The complex conjugate; of a real number, the number itself.",
        ..UFUNC
    },
    &Ufunc {
        name: "sign",
        nin: 1,
        loops: &[
            loops(INTEGERS, "(a > 0) - (a < 0)"),
            loops(FLOATS, "a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a"),
            loops(COMPLEX, "complex_sign(a)"),
        ],
        rejects_bool: true,
        text: SIGNS,
        doc: "-1, 0 or 1 by the sign, NaN for NaN; of a complex number, the number divided by its modulus. Booleans \
              are rejected.",
        ..UFUNC
    },
    &Ufunc {
        name: "fabs",
        nin: 1,
        loops: &[loops(FLOATS, "fabs(a)")],
        doc: "The magnitude as a float; complex numbers are rejected.",
        ..UFUNC
    },
    &Ufunc {
        name: "signbit",
        nin: 1,
        loops: &[loops("e->? E->? f->? d->?", "sign_of(loop0)")],
        text: FLOATING,
        doc: "Whether the sign bit is set: that of -0 and that of a NaN too.",
        ..UFUNC
    },
    &Ufunc {
        name: "copysign",
        loops: &[loops("ee->e EE->E ff->f dd->d", "with_sign_of(loop0, loop1)")],
        text: FLOATING,
        doc: "The magnitude of the first operand with the sign of the second.",
        ..UFUNC
    },
    &Ufunc {
        name: "heaviside",
        loops: &[loops("ee->e EE->E ff->f dd->d", "a != a ? a : a == 0 ? b : a < 0 ? 0 : 1")],
        doc: "The step function: 0 below zero, 1 above, the second operand at zero.",
        ..UFUNC
    },
];
