//! Roots, exponentials and trigonometric functions with complex loops.

use super::{HALF_EXPONENTIAL, Loops, UFUNC, Ufunc};

pub(super) const FLOATS: &str = "e->e E->E f->f d->d";

/// Returns the record of a function of one operand with real and complex loops.
pub(super) const fn unary(name: &'static str, loops: &'static [Loops], doc: &'static str) -> Ufunc {
    Ufunc { name, nin: 1, loops, wide: true, heavy: true, doc, ..UFUNC }
}

macro_rules! forms {
    ($real:literal, $complex:literal) => {
        &[Loops { types: "e->e E->E f->f d->d", expr: $real }, Loops { types: "F->F D->D", expr: $complex }]
    };
}

pub(super) use forms;

pub(super) const UFUNCS: &[&Ufunc] = &[
    &Ufunc {
        heavy: false,
        several: "square_roots",
        example: "sqrt(array([4.0, 2.25])?)? => f64 [2.0, 1.5]",
        notes: "The root of -0 is -0. A complex root has a non-negative real part; the branch cut is the negative real axis.",
        ..unary(
            "sqrt",
            forms!("sqrt(a)", "complex_sqrt(a)"),
            "The non-negative square root, correctly rounded; NaN for a negative real.",
        )
    },
    &Ufunc {
        text: HALF_EXPONENTIAL,
        ..unary(
            "exp",
            &[
                Loops { types: "e->e", expr: "half_exp(a)" },
                Loops { types: "E->E f->f d->d", expr: "exp(a)" },
                Loops { types: "F->F D->D", expr: "complex_exp(a)" },
            ],
            "The exponential.",
        )
        .example("exp(array([0.0, f64::NEG_INFINITY])?)? => f64 [1.0, 0.0]")
        .notes("Overflows to an infinity (float64 above 709.78) and underflows to 0.")
    },
    &unary("log", forms!("log(a)", "complex_log(a)"), "The natural logarithm.")
        .example("log(array([1.0, 0.0])?)? => f64 [0.0, f64::NEG_INFINITY]")
        .notes(
            "Of 0 it is minus infinity, of a negative real NaN; of a complex number the imaginary part is \
             between -π and π.",
        ),
    &unary("sin", forms!("sin(a)", "complex_sin(a)"), "The sine of an angle in radians.")
        .example("sin(array([0.0])?)? => f64 [0.0]")
        .notes("Of an infinity it is NaN."),
    &unary("cos", forms!("cos(a)", "complex_cos(a)"), "The cosine of an angle in radians.")
        .example("cos(array([0.0])?)? => f64 [1.0]")
        .notes("Of an infinity it is NaN."),
    &unary("tanh", forms!("tanh(a)", "complex_tanh(a)"), "The hyperbolic tangent.")
        .example("tanh(array([0.0, f64::INFINITY])?)? => f64 [0.0, 1.0]")
        .notes("1 and -1 at the infinities."),
];
