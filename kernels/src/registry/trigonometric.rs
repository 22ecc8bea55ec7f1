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
    &unary("tan", forms!("tan(a)", "complex_tan(a)"), "The tangent of an angle in radians."),
    &Ufunc {
        text: INVERSE,
        ..inverse("arcsin", &["asin"], forms!("arcsin(a)", "complex_asin(a)"), "The angle whose sine is the operand.")
    },
    &inverse("arccos", &["acos"], forms!("acos(a)", "complex_acos(a)"), "The angle whose cosine is the operand."),
    &inverse("arctan", &["atan"], forms!("atan(a)", "complex_atan(a)"), "The angle whose tangent is the operand."),
    &Ufunc {
        name: "arctan2",
        aliases: &["atan2"],
        loops: &[Loops { types: "ee->e EE->E ff->f dd->d", expr: "atan2(a, b)" }],
        heavy: true,
        doc: "The angle of the point whose height is the first operand and whose distance to the right is the second.",
        ..UFUNC
    },
    &Ufunc {
        name: "hypot",
        identity: Some("0"),
        loops: &[Loops { types: "ee->e EE->E ff->f dd->d", expr: "hypotenuse(a, b)" }],
        heavy: true,
        text: HYPOTENUSE,
        doc: "The length of the hypotenuse; infinite beside an infinity, even one beside a NaN.",
        ..UFUNC
    },
    &unary("sinh", forms!("sinh(a)", "complex_sinh(a)"), "The hyperbolic sine."),
    &unary("cosh", forms!("cosh(a)", "complex_cosh(a)"), "The hyperbolic cosine."),
    &Ufunc {
        text: INVERSE,
        ..inverse(
            "arcsinh",
            &["asinh"],
            forms!("arcsinh(a)", "complex_asinh(a)"),
            "The inverse of the hyperbolic sine.",
        )
    },
    &Ufunc {
        text: INVERSE,
        ..inverse(
            "arccosh",
            &["acosh"],
            forms!("arccosh(a)", "complex_acosh(a)"),
            "The inverse of the hyperbolic cosine.",
        )
    },
    &Ufunc {
        text: INVERSE,
        ..inverse(
            "arctanh",
            &["atanh"],
            forms!("arctanh(a)", "complex_atanh(a)"),
            "The inverse of the hyperbolic tangent.",
        )
    },
    &angle("degrees", TO_DEGREES, "An angle in radians, in degrees."),
    &angle("radians", TO_RADIANS, "An angle in degrees, in radians."),
    &angle("rad2deg", TO_DEGREES, "An angle in radians, in degrees."),
    &angle("deg2rad", TO_RADIANS, "An angle in degrees, in radians."),
    &Ufunc {
        text: SINC,
        complex_text: COMPLEX_SINC,
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
