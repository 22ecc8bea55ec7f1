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
        doc: "What the quotient without its fraction leaves; it has the sign of the first operand. An integer modulo \
              0 gives 0.",
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
        doc: "The results of `floor_divide` and of `remainder`.",
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
        doc: "The greatest common divisor of the magnitudes. Booleans alone are rejected.",
        ..UFUNC
    },
    &Ufunc {
        name: "lcm",
        loops: &[loops(INTEGERS2, "lcm(a, b)")],
        rejects_bool: true,
        heavy: true,
        text: RATIONAL,
        doc: "The least common multiple of the magnitudes, which may wrap. Booleans alone are rejected.",
        ..UFUNC
    },
];
