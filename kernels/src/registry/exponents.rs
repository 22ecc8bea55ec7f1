//! Exponentials and logarithms to several bases, roots, reciprocals and squares.

use super::elementary::{FLOATS, forms, unary};
use super::trigonometric::OF_INTEGERS;
use super::{Loops, POWERS, UFUNC, Ufunc};

const COMPLEX_EXPONENTS: &str = header!("complex_exponents");
const LOG_ADD: &str = header!("log_add");
const RECIPROCAL: &str = header!("reciprocal");
const COMPLEX_RECIPROCAL: &str = header!("complex_reciprocal");

const INTEGERS: &str = "b->b B->B h->h H->H i->i I->I l->l L->L";
const COMPLEX: &str = "F->F D->D";

const fn loops(types: &'static str, expr: &'static str) -> Loops {
    Loops { types, expr }
}

/// Returns the record of an exponential or logarithm that needs the additional complex header.
const fn exponent(name: &'static str, loops: &'static [Loops], doc: &'static str) -> Ufunc {
    Ufunc { complex_text: COMPLEX_EXPONENTS, ..unary(name, loops, doc) }
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &exponent("expm1", forms!("expm1(a)", "complex_expm1(a)"), "The exponential minus 1, accurate near 0.")
        .example("expm1(array([0.0, 1e-300])?)? => f64 [0.0, 1e-300]")
        .notes("It keeps the digits of a small x, which exp(x) - 1 loses."),
    &Ufunc {
        text: POWERS,
        example: "exp2(array([3.0, -1.0])?)? => f64 [8.0, 0.5]",
        notes: "A result that the dtype represents exactly is exact.",
        ..exponent(
            "exp2",
            forms!("exponential_2(a)", "complex_exp2(a)"),
            "Exponential to base 2: 2 to the power of the operand.",
        )
    },
    &Ufunc {
        text: POWERS,
        example: "log2(array([8.0, 0.5])?)? => f64 [3.0, -1.0]",
        notes: "Of a power of 2 it is exact. Of 0 it is minus infinity, of a negative real NaN.",
        ..exponent("log2", forms!("logarithm_2(a)", "complex_log2(a)"), "The logarithm to base 2.")
    },
    &exponent("log10", forms!("log10(a)", "complex_log10(a)"), "The logarithm to base 10.")
        .example("log10(array([1.0, 0.0])?)? => f64 [0.0, f64::NEG_INFINITY]")
        .notes("Of a negative real it is NaN."),
    &exponent(
        "log1p",
        forms!("log1p(a)", "complex_log1p(a)"),
        "The natural logarithm of 1 plus the operand, accurate near 0.",
    )
    .example("log1p(array([0.0, 1e-300])?)? => f64 [0.0, 1e-300]")
    .notes("Of -1 it is minus infinity, of a real below NaN."),
    &Ufunc {
        namespace: "cupyx.scipy.special",
        ..unary(
            "exp10",
            &[loops("f->f d->d", "exp10(a)")],
            "10 to the power of the operand; SciPy's function, which computes half types and 16-bit integers \
             in float32.",
        )
    },
    &Ufunc {
        name: "logaddexp",
        identity: Some("bits_to_f32(0xff800000u)"),
        loops: &[loops("ee->e EE->E ff->f dd->d", "log_add_exp(a, b)")],
        text: LOG_ADD,
        heavy: true,
        doc: "Natural logarithm of the sum of the exponentials of the operands.",
        example: "logaddexp(f64::NEG_INFINITY, array([1.0, -1000.0])?)? => f64 [1.0, -1000.0]",
        notes: "The exponentials themselves do not overflow.",
        ..UFUNC
    },
    &Ufunc {
        name: "logaddexp2",
        identity: Some("bits_to_f32(0xff800000u)"),
        loops: &[loops("ee->e EE->E ff->f dd->d", "log_add_exp2(a, b)")],
        text: LOG_ADD,
        heavy: true,
        doc: "Logarithm to base 2 of the sum of 2 to the power of each operand.",
        example: "logaddexp2(array([3.0, 2000.0])?, array([3.0, 2000.0])?)? => f64 [4.0, 2001.0]",
        notes: "The powers themselves do not overflow.",
        ..UFUNC
    },
    &Ufunc {
        name: "float_power",
        loops: &[loops("dd->d", "power(a, b)"), loops("DD->D", "complex_power(a, b)")],
        wide: true,
        heavy: true,
        text: POWERS,
        doc: "Raises the first operand to the power of the second, in float64 or complex128.",
        example: "float_power(array([2, 4])?, -1)? => f64 [0.5, 0.25]",
        notes: "Negative integer exponents are accepted, other than in `power`.",
        ..UFUNC
    },
    &unary("cbrt", &[loops(FLOATS, "cbrt(a)")], "The cube root, also of negative numbers.")
        .example("cbrt(array([0.0, -0.0])?)? => f64 [0.0, 0.0]")
        .notes("Complex numbers are rejected."),
    &Ufunc {
        namespace: "cupyx",
        complex_text: COMPLEX_RECIPROCAL,
        ..unary(
            "rsqrt",
            forms!("rsqrt(a)", "complex_reciprocal(complex_sqrt(a))"),
            "The reciprocal of the square root; CuPy's function.",
        )
    },
    &Ufunc {
        name: "reciprocal",
        nin: 1,
        loops: &[
            loops(INTEGERS, "integer_reciprocal(a)"),
            loops(FLOATS, "(decltype(a))1 / a"),
            loops(COMPLEX, "complex_reciprocal(a)"),
        ],
        wide: true,
        text: RECIPROCAL,
        complex_text: COMPLEX_RECIPROCAL,
        doc: "Reciprocal of each element, of integers rounded towards 0. Of the integer 0 it is 0, and the \
             smallest number of int32 and int64.",
        example: "reciprocal(array([4.0, -0.5])?)? => f64 [0.25, -2.0]",
        notes: "Of the float 0 it is an infinity. Other integers than 0, 1 and -1 have the reciprocal 0.",
        ..UFUNC
    },
    &Ufunc {
        name: "square",
        nin: 1,
        loops: &[loops(INTEGERS, "wrapping_mul(a, a)"), loops(FLOATS, "a * a"), loops(COMPLEX, "a * a")],
        doc: "Squares each element. Integers wrap.",
        example: "square(array([3, -4])?)? => i32 [9, 16]",
        ..UFUNC
    },
    &unary(
        "i0",
        &[loops(OF_INTEGERS, "cyl_bessel_i0((f64)a)"), loops(FLOATS, "cyl_bessel_i0(a)")],
        "The modified Bessel function of the first kind and order 0.",
    )
    .example("i0(array([0.0])?)? => f64 [1.0]")
    .notes(
        "It is finite as long as its value is, and infinite for infinities; NumPy's overflows before and \
             is NaN there.",
    ),
];
