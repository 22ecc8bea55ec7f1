//! Rounding, signs, the parts of floats, divisors, bits.

use crate::array::Array;
use crate::error::Result;
use crate::routines::{binary, unary};
use crate::scalar::Operand;
use crate::ufunc::{UfuncOptions, ufunc};

unary! {
    rint: "The nearest whole number, the even one of two.",
    floor: "The largest whole number not above the operand, in its dtype.",
    ceil: "The smallest whole number not below the operand, in its dtype.",
    trunc: "The operand without its fraction, in its dtype.",
    fix: "The operand without its fraction: `trunc` by another name.",
    positive: "The operand as it is; booleans are refused.",
    conjugate: "The complex conjugate; of a real number, the number itself.",
    conj: "The complex conjugate: `conjugate` by another name.",
    sign: "-1, 0 or 1 by the sign; of a complex number, the number divided by its modulus.",
    fabs: "The magnitude as a float.",
    signbit: "Whether the sign bit is set: that of -0 too.",
    spacing: "The distance to the next number away from zero, with the operand's sign.",
    isinf: "Whether the operand, or a part of it, is infinite.",
    bitwise_count: "The number of bits set in the magnitude.",
    bitwise_not: "Every bit flipped: `invert` by another name.",
    bitwise_invert: "Every bit flipped: `invert` by another name.",
    abs: "The magnitude: `absolute` by another name.",
}

macro_rules! pairs {
    ($($name:ident($($operand:ident),+): $doc:literal),+ $(,)?) => {$(
        #[doc = $doc]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
        pub fn $name<'a>($($operand: impl Into<Operand<'a>>),+) -> Result<(Array, Array)> {
            ufunc(stringify!($name))?.call_pair(&[$($operand.into()),+], &UfuncOptions::default())
        }
    )+};
}
pairs! {
    frexp(a): "The fraction, of magnitude 0.5 to 1, and the exponent of 2 of which the operand is the product.",
    modf(a): "The fraction and the whole part, each with the operand's sign.",
    divmod(a, b): "The results of `floor_divide` and of `remainder`.",
}

binary! {
    copysign: "The magnitude of the first operand with the sign of the second.",
    nextafter: "The neighbour of the first operand in the direction of the second.",
    heaviside: "The step function: 0 below zero, 1 above, the second operand at zero.",
    ldexp: "The first operand times 2 to the power of the second.",
    fmax: "The larger operand; of a NaN and a number, the number.",
    fmin: "The smaller operand; of a NaN and a number, the number.",
    fmod: "What the quotient without its fraction leaves, with the sign of the first operand.",
    gcd: "The greatest common divisor of the magnitudes.",
    lcm: "The least common multiple of the magnitudes.",
    left_shift: "The first operand times 2 to the power of the second; 0 beyond its width.",
    right_shift: "The first operand by 2 to the power of the second, rounded down.",
    bitwise_left_shift: "`left_shift` by another name.",
    bitwise_right_shift: "`right_shift` by another name.",
    logical_xor: "Whether one operand only is non-zero.",
    divide: "The quotient: `true_divide` by another name.",
    pow: "The first operand to the power of the second: `power` by another name.",
}
