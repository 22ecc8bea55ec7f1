//! Internal elementwise functions that bound numbers: clipping, rounding to a number of decimals, and `nan_to_num`.
//! Each is one pass over the elements.

use super::{Loops, UFUNC, Ufunc};

/// Namespace of functions that the library exposes only under another signature.
const NONE: &str = "";

const BETWEEN: &str = header!("between");
const FINITE: &str = header!("finite");

const fn loops(types: &'static str, expr: &'static str) -> Loops {
    Loops { types, expr }
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &Ufunc {
        name: "clip",
        namespace: NONE,
        nin: 3,
        loops: &[
            loops("???->?", "(a || b) && c"),
            loops("bbb->b BBB->B hhh->h HHH->H iii->i III->I lll->l LLL->L", "integer_between(a, b, c)"),
            loops("eee->e EEE->E fff->f ddd->d", "float_minimum(float_maximum(a, b), c)"),
            loops("FFF->F DDD->D", "complex_minimum(complex_maximum(a, b), c)"),
        ],
        text: BETWEEN,
        doc: "The first operand, not below the second and not above the third.",
        ..UFUNC
    },
    // float16 and bfloat16 round the result of every step: scaling is one step, scaling back another.
    &Ufunc {
        name: "round_fine",
        namespace: NONE,
        loops: &[
            loops("ee->e", "rint(widen(f16_from(a * b))) / b"),
            loops("EE->E", "rint(widen(bf16_from(a * b))) / b"),
            loops("ff->f dd->d", "rint(a * b) / b"),
            loops("FF->F DD->D", "decltype(a){rint(a.re * b.re) / b.re, rint(a.im * b.re) / b.re}"),
        ],
        doc: "The nearest multiple of one over the second operand, a power of ten.",
        ..UFUNC
    },
    &Ufunc {
        name: "round_coarse",
        namespace: NONE,
        loops: &[
            loops("ee->e", "rint(widen(f16_from(a / b))) * b"),
            loops("EE->E", "rint(widen(bf16_from(a / b))) * b"),
            loops("ff->f dd->d", "rint(a / b) * b"),
            loops("FF->F DD->D", "decltype(a){rint(a.re / b.re) * b.re, rint(a.im / b.re) * b.re}"),
        ],
        doc: "The nearest multiple of the second operand, a power of ten.",
        ..UFUNC
    },
    &Ufunc {
        name: "nan_to_num",
        namespace: NONE,
        nin: 3,
        loops: &[
            loops("eeD->e EED->E ffD->f ddD->d", "finite_or(a, b, c)"),
            loops("FFD->F DDD->D", "complex_finite_or(a, b.re, c)"),
        ],
        text: FINITE,
        doc: "The first operand where it is finite, the second for NaN, and the two parts of the third for \
             the infinities.",
        ..UFUNC
    },
];
