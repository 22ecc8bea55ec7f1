//! Tests of promotion and casts against the tables of NumPy 2.4, whose rows and columns are type characters.

use super::*;

const CHARS: &str = "?bBhHiIlLefdFD";

/// `np.promote_types(row, column).char`.
const PROMOTE: [&str; 14] = [
    "?bBhHiIlLefdFD",
    "bbhhiilldefdFD",
    "BhBhHiIlLefdFD",
    "hhhhiilldffdFD",
    "HiHiHiIlLffdFD",
    "iiiiiillddddDD",
    "IlIlIlIlLdddDD",
    "llllllllddddDD",
    "LdLdLdLdLdddDD",
    "eeeffddddefdFD",
    "fffffddddffdFD",
    "ddddddddddddDD",
    "FFFFFDDDDFFDFD",
    "DDDDDDDDDDDDDD",
];

/// `np.can_cast(row, column, "safe")`.
const SAFE: [&str; 14] = [
    "11111111111111",
    ".1.1.1.1.11111",
    "..111111111111",
    "...1.1.1..1111",
    "....11111.1111",
    ".....1.1...1.1",
    "......111..1.1",
    ".......1...1.1",
    "........1..1.1",
    ".........11111",
    "..........1111",
    "...........1.1",
    "............11",
    ".............1",
];

/// `np.can_cast(row, column, "same_kind")`.
const SAME_KIND: [&str; 14] = [
    "11111111111111",
    ".1.1.1.1.11111",
    ".1111111111111",
    ".1.1.1.1.11111",
    ".1111111111111",
    ".1.1.1.1.11111",
    ".1111111111111",
    ".1.1.1.1.11111",
    ".1111111111111",
    ".........11111",
    ".........11111",
    ".........11111",
    "............11",
    "............11",
];

/// `np.result_type(dtype, scalar).char` for `True`, `1`, `1.0` and `1j`.
const WEAK: [&str; 4] = ["?bBhHiIlLefdFD", "lbBhHiIlLefdFD", "dddddddddefdFD", "DDDDDDDDDFFDFD"];

fn dtypes() -> Vec<DType> {
    CHARS.chars().map(|c| DType::from_char(c).unwrap()).collect()
}

#[test]
fn every_pair_is_as_in_numpy() {
    for (i, a) in dtypes().into_iter().enumerate() {
        let at = |table: [&str; 14], j: usize| char::from(table[i].as_bytes()[j]);
        for (j, b) in dtypes().into_iter().enumerate() {
            assert_eq!(promote_types(a, b).char(), at(PROMOTE, j), "{a} and {b}");
            assert_eq!(can_cast(a, b, Casting::Safe), at(SAFE, j) == '1', "{a} to {b}, safe");
            assert_eq!(can_cast(a, b, Casting::SameKind), at(SAME_KIND, j) == '1', "{a} to {b}, same kind");
            assert_eq!(can_cast(a, b, Casting::No), a == b);
            assert!(can_cast(a, b, Casting::Unsafe));
        }
    }
}

#[test]
fn scalars_are_as_weak_as_in_numpy() {
    let scalars = [true.into(), 1.into(), 1.0.into(), Scalar::Complex(num_complex::Complex::I)];
    for (scalar, row) in scalars.into_iter().zip(WEAK) {
        for (dtype, expected) in dtypes().into_iter().zip(row.chars()) {
            let found = result_type(&[dtype.into(), OperandType::Scalar(scalar)]).unwrap();
            assert_eq!(found.char(), expected, "{dtype} with {scalar:?}");
        }
    }
    assert_eq!(result_type(&[true.into(), 1.into()]).unwrap(), DType::I64);
    assert_eq!(result_type(&[1.into(), 1.5.into()]).unwrap(), DType::F64);
    assert_eq!(result_type(&[]).unwrap_err().kind(), ErrorKind::Value);
}
