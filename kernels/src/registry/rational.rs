//! Remainders, greatest common divisors and least common multiples.

use super::arithmetic::{FLOATS2, INTEGERS2};
use super::{Associative, FOLDS, Folds, Loops, RATIONAL, UFUNC, Ufunc};

const fn loops(types: &'static str, expr: &'static str) -> Loops {
    Loops { types, expr }
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &Ufunc {
        name: "fmod",
        loops: &[loops(INTEGERS2, "integer_fmod(a, b)"), loops(FLOATS2, "fmod(a, b)")],
        heavy: true,
        text: RATIONAL,
        doc: "Remainder of truncated division, with the sign of the dividend. An integer modulo 0 gives 0.",
        example: "fmod(array([7, -7])?, 3)? => i32 [1, -1]",
        notes: "A float modulo 0 is NaN. `remainder` has the sign of the divisor.",
        ..UFUNC
    },
    &Ufunc {
        name: "divmod",
        nout: 2,
        loops: &[
            loops("bb->bb BB->BB hh->hh HH->HH ii->ii II->II ll->ll LL->LL", "integer_divmod(a, b)"),
            loops("ee->ee EE->EE ff->ff dd->dd", "float_divmod(a, b)"),
        ],
        heavy: true,
        text: RATIONAL,
        doc: "Quotient and remainder of floored division: the results of `floor_divide` and of `remainder`.",
        example: "let (quotient, rest) = divmod(array([7, -7])?, 3)?; assert_eq!(quotient.to_vec::<i32>()?, [2, \
             -3]); assert_eq!(rest.to_vec::<i32>()?, [1, 2]);",
        notes: "Both results are of one kernel.",
        ..UFUNC
    },
    &Ufunc {
        name: "gcd",
        loops: &[loops(INTEGERS2, "gcd(a, b)")],
        identity: Some("0"),
        folds: Folds { associative: Associative::Integers, ..FOLDS },
        rejects_bool: true,
        heavy: true,
        text: RATIONAL,
        doc: "Greatest common divisor of the magnitudes. Booleans alone are rejected.",
        example: "gcd(array([12, -8])?, 18)? => i32 [6, 2]",
        notes: "The divisor of 0 and a number is the number's magnitude.",
        ..UFUNC
    },
    &Ufunc {
        name: "lcm",
        loops: &[loops(INTEGERS2, "lcm(a, b)")],
        rejects_bool: true,
        heavy: true,
        text: RATIONAL,
        doc: "Least common multiple of the magnitudes, which may wrap. Booleans alone are rejected.",
        example: "lcm(array([4, 6])?, 10)? => i32 [20, 30]",
        notes: "The multiple of 0 and any number is 0.",
        ..UFUNC
    },
];
