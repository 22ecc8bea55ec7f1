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
        doc: "Copies each element unchanged; the unary plus. Booleans are rejected.",
        example: "positive(array([1, -2])?)? => i32 [1, -2]",
        notes: "The result is a new array, not a view.",
        ..UFUNC
    },
    &Ufunc {
        name: "conjugate",
        aliases: &["conj"],
        nin: 1,
        loops: &[loops(INTEGERS, "a"), loops(FLOATS, "a"), loops(COMPLEX, "decltype(a){a.re, -a.im}")],
        doc: "Complex conjugate; of a real number, the number itself.",
        example: "conjugate(array([Complex::new(1.0, 2.0)])?)? => Complex<f64> [Complex::new(1.0, -2.0)]",
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
        doc: "Sign of each element: -1, 0 or 1, NaN for NaN; of a complex number, the number divided by its \
             modulus. Booleans are rejected.",
        example: "sign(array([-2.5, 0.0, 4.0])?)? => f64 [-1.0, 0.0, 1.0]",
        notes: "The sign of the complex 0 is 0.",
        ..UFUNC
    },
    &Ufunc {
        name: "fabs",
        nin: 1,
        loops: &[loops(FLOATS, "fabs(a)")],
        pairs: "absolute_pairs",
        doc: "Absolute value as a float; complex numbers are rejected.",
        example: "fabs(array([-1.5, 2.0])?)? => f64 [1.5, 2.0]",
        notes: "Integers are converted to floats; `absolute` keeps them.",
        ..UFUNC
    },
    &Ufunc {
        name: "signbit",
        nin: 1,
        loops: &[loops("e->? E->? f->? d->?", "sign_of(loop0)")],
        text: FLOATING,
        doc: "Tests each element for a set sign bit; that of -0 and that of a NaN count.",
        example: "signbit(array([1.0, -0.0])?)? => bool [false, true]",
        notes: "Integers are converted to floats.",
        ..UFUNC
    },
    &Ufunc {
        name: "copysign",
        loops: &[loops("ee->e EE->E ff->f dd->d", "with_sign_of(loop0, loop1)")],
        text: FLOATING,
        doc: "Combines the magnitude of the first operand with the sign of the second.",
        example: "copysign(array([1.0, 2.0])?, -0.0)? => f64 [-1.0, -2.0]",
        notes: "The sign of -0 and that of a NaN count.",
        ..UFUNC
    },
    &Ufunc {
        name: "heaviside",
        loops: &[loops("ee->e EE->E ff->f dd->d", "a != a ? a : a == 0 ? b : a < 0 ? 0 : 1")],
        doc: "Heaviside step function: 0 below zero, 1 above, the second operand at zero.",
        example: "heaviside(array([-1.5, 0.0, 2.0])?, 0.5)? => f64 [0.0, 0.5, 1.0]",
        notes: "NaN in the first operand is the result.",
        ..UFUNC
    },
];
