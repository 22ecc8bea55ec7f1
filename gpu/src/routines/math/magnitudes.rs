//! Magnitudes, signs, conjugates, and the larger of two.

use crate::ufunc::{binary, unary};

unary! {
    absolute: "The magnitude; of a complex number, the modulus.",
    abs: "The magnitude: `absolute` by another name.",
    fabs: "The magnitude as a float.",
    sign: "-1, 0 or 1 by the sign; of a complex number, the number divided by its modulus.",
    conjugate: "The complex conjugate; of a real number, the number itself.",
    conj: "The complex conjugate: `conjugate` by another name.",
}

binary! {
    maximum: "The larger operand; a NaN in either is the result.",
    minimum: "The smaller operand; a NaN in either is the result.",
    fmax: "The larger operand; of a NaN and a number, the number.",
    fmin: "The smaller operand; of a NaN and a number, the number.",
    heaviside: "The step function: 0 below zero, 1 above, the second operand at zero.",
}
