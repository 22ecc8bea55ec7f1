//! Trigonometric and hyperbolic functions and their inverses, angles in degrees, sinc.

use super::elementary::{FLOATS, forms, unary};
use super::{Loops, UFUNC, Ufunc};

const COMPLEX_INVERSE: &str = header!("complex_inverse");
const COMPLEX_SINC: &str = header!("complex_sinc");
const HYPOTENUSE: &str = header!("hypotenuse");
const SINC: &str = header!("sinc");
const INVERSE: &str = concat!(header!("twofold"), header!("inverse_functions"));

/// Returns the record of an inverse function: its complex form is long, and only the inverses need its header.
const fn inverse(
    name: &'static str,
    aliases: &'static [&'static str],
    loops: &'static [Loops],
    doc: &'static str,
) -> Ufunc {
    Ufunc { aliases, complex_text: COMPLEX_INVERSE, ..unary(name, loops, doc) }
}

/// Returns the record of a conversion between units of angle.
const fn angle(name: &'static str, expr: &'static [Loops], doc: &'static str) -> Ufunc {
    Ufunc { heavy: false, ..unary(name, expr, doc) }
}

/// 180 / π and π / 180 of the operand's type.
const TO_DEGREES: &[Loops] = &[Loops { types: FLOATS, expr: "a * (decltype(a))57.295779513082320877" }];
const TO_RADIANS: &[Loops] = &[Loops { types: FLOATS, expr: "a * (decltype(a))0.017453292519943295769" }];

/// Loops of functions that NumPy computes in float64 for all integers.
pub(super) const OF_INTEGERS: &str = "?->d b->d B->d h->d H->d i->d I->d l->d L->d";

pub(super) const UFUNCS: &[&Ufunc] = &[
    &unary("tan", forms!("tan(a)", "complex_tan(a)"), "The tangent of an angle in radians.")
        .example("tan(array([0.0])?)? => f64 [0.0]")
        .notes("Of an infinity it is NaN."),
    &Ufunc {
        text: INVERSE,
        example: "arcsin(array([0.0])?)? => f64 [0.0]",
        notes: "In radians, between -π/2 and π/2; NaN for a real beyond -1 and 1. The branch cuts of the complex function are on the real axis, beyond -1 and 1.",
        ..inverse(
            "arcsin",
            &["asin"],
            forms!("arcsin(a)", "complex_asin(a)"),
            "Inverse sine: the angle whose sine is the operand.",
        )
    },
    &inverse(
        "arccos",
        &["acos"],
        forms!("acos(a)", "complex_acos(a)"),
        "Inverse cosine: the angle whose cosine is the operand.",
    )
    .example("arccos(array([1.0])?)? => f64 [0.0]")
    .notes(
        "In radians, between 0 and π; NaN for a real beyond -1 and 1. The branch cuts of the complex \
             function are on the real axis, beyond -1 and 1.",
    ),
    &inverse(
        "arctan",
        &["atan"],
        forms!("atan(a)", "complex_atan(a)"),
        "Inverse tangent: the angle whose tangent is the operand.",
    )
    .example("arctan(array([0.0])?)? => f64 [0.0]")
    .notes(
        "In radians, between -π/2 and π/2. The branch cuts of the complex function are on the imaginary \
             axis, beyond -i and i.",
    ),
    &Ufunc {
        name: "arctan2",
        aliases: &["atan2"],
        loops: &[Loops { types: "ee->e EE->E ff->f dd->d", expr: "atan2(a, b)" }],
        heavy: true,
        doc: "Two-argument inverse tangent: the angle of the point with y, the first operand, and x, the second.",
        example: "arctan2(array([0.0, -0.0])?, 1.0)? => f64 [0.0, 0.0]",
        notes: "In radians, between -π and π, by the signs of both, those of zeros included.",
        ..UFUNC
    },
    &Ufunc {
        name: "hypot",
        identity: Some("0"),
        loops: &[Loops { types: "ee->e EE->E ff->f dd->d", expr: "hypotenuse(a, b)" }],
        heavy: true,
        text: HYPOTENUSE,
        doc: "Hypotenuse of a right triangle: the root of the sum of squares; infinite for an infinite operand, \
             even next to a NaN.",
        example: "hypot(array([3.0, 5.0])?, array([4.0, 12.0])?)? => f64 [5.0, 13.0]",
        notes: "The squares do not overflow.",
        ..UFUNC
    },
    &unary("sinh", forms!("sinh(a)", "complex_sinh(a)"), "The hyperbolic sine.")
        .example("sinh(array([0.0])?)? => f64 [0.0]")
        .notes("Overflows to an infinity (float64 above 710.47)."),
    &unary("cosh", forms!("cosh(a)", "complex_cosh(a)"), "The hyperbolic cosine.")
        .example("cosh(array([0.0])?)? => f64 [1.0]")
        .notes("Overflows to an infinity (float64 above 710.47)."),
    &Ufunc {
        text: INVERSE,
        example: "arcsinh(array([0.0])?)? => f64 [0.0]",
        notes: "The branch cuts of the complex function are on the imaginary axis, beyond -i and i.",
        ..inverse(
            "arcsinh",
            &["asinh"],
            forms!("arcsinh(a)", "complex_asinh(a)"),
            "The inverse of the hyperbolic sine.",
        )
    },
    &Ufunc {
        text: INVERSE,
        example: "arccosh(array([1.0])?)? => f64 [0.0]",
        notes: "NaN for a real below 1.",
        ..inverse(
            "arccosh",
            &["acosh"],
            forms!("arccosh(a)", "complex_acosh(a)"),
            "The inverse of the hyperbolic cosine.",
        )
    },
    &Ufunc {
        text: INVERSE,
        example: "arctanh(array([0.0, 1.0])?)? => f64 [0.0, f64::INFINITY]",
        notes: "NaN for a real beyond -1 and 1.",
        ..inverse(
            "arctanh",
            &["atanh"],
            forms!("arctanh(a)", "complex_atanh(a)"),
            "The inverse of the hyperbolic tangent.",
        )
    },
    &angle("degrees", TO_DEGREES, "Converts angles from radians to degrees.")
        .example("degrees(array([0.0, std::f64::consts::PI])?)? => f64 [0.0, 180.0]"),
    &angle("radians", TO_RADIANS, "Converts angles from degrees to radians.")
        .example("radians(array([0.0, 180.0])?)? => f64 [0.0, std::f64::consts::PI]"),
    &angle("rad2deg", TO_DEGREES, "Converts angles from radians to degrees.")
        .example("rad2deg(array([0.0, std::f64::consts::PI])?)? => f64 [0.0, 180.0]"),
    &angle("deg2rad", TO_RADIANS, "Converts angles from degrees to radians.")
        .example("deg2rad(array([0.0, 180.0])?)? => f64 [0.0, std::f64::consts::PI]"),
    &Ufunc {
        text: SINC,
        complex_text: COMPLEX_SINC,
        example: "sinc(array([0.0, 1.0, 2.0])?)? => f64 [1.0, 0.0, 0.0]",
        notes: "NumPy's sine of a rounded multiple of π is not quite 0 at integers.",
        ..unary(
            "sinc",
            &[
                Loops { types: OF_INTEGERS, expr: "sinc((f64)a)" },
                Loops { types: FLOATS, expr: "sinc(a)" },
                Loops { types: "F->F D->D", expr: "complex_sinc(a)" },
            ],
            "The sine of π times the operand, divided by π times the operand; 1 of zero, 0 of any other integer.",
        )
    },
];

#[cfg(test)]
mod tests {
    use crate::DType;
    use crate::registry::UfuncId;
    use crate::source::{Class, Elementwise, Input, Mode};

    #[test]
    fn only_kernels_of_complex_inverses_hold_their_text() {
        let holds = |name: &str, dtype: DType| {
            let op = UfuncId::named(name).unwrap();
            let signature = op.loops().iter().position(|l| l.ins[0] == dtype).unwrap() as u8;
            let ins = [Input { dtype, mode: Mode::Array }; 3];
            let key = Elementwise { op, signature, ins, outs: [dtype; 2], mask: None, class: Class::Flat, all: false };
            key.source().contains("two_roots")
        };
        assert!(holds("arcsin", DType::C64) && holds("acosh", DType::C128));
        assert!(!holds("arcsin", DType::F32) && !holds("sin", DType::C64));
    }
}
