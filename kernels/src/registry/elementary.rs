//! Roots, exponentials and trigonometric functions with complex loops.

use super::{Loops, UFUNC, Ufunc};

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
        ..unary(
            "sqrt",
            forms!("sqrt(a)", "complex_sqrt(a)"),
            "The non-negative square root, correctly rounded; NaN for a negative real.",
        )
    },
    &unary("exp", forms!("exp(a)", "complex_exp(a)"), "The exponential."),
    &unary("log", forms!("log(a)", "complex_log(a)"), "The natural logarithm."),
    &unary("sin", forms!("sin(a)", "complex_sin(a)"), "The sine of an angle in radians."),
    &unary("cos", forms!("cos(a)", "complex_cos(a)"), "The cosine of an angle in radians."),
    &unary("tanh", forms!("tanh(a)", "complex_tanh(a)"), "The hyperbolic tangent."),
];
