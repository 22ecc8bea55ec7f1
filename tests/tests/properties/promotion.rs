//! Promotion is an upper bound: commutative, idempotent, and associative except for the cases listed here. Every pair
//! and triple is tested.

use cuprum::{DType, Kind, OperandType, promote_types, result_type};
use cuprum_oracle as oracle;

fn triples() -> impl Iterator<Item = [DType; 3]> {
    let all = || DType::ALL.into_iter();
    all().flat_map(move |a| all().flat_map(move |b| all().map(move |c| [a, b, c])))
}

fn together(dtypes: &[DType]) -> DType {
    let operands: Vec<OperandType> = dtypes.iter().map(|d| OperandType::from(*d)).collect();
    result_type(&operands).unwrap()
}

#[test]
fn promotion_is_commutative_idempotent_and_above_both() {
    for [a, b, c] in triples() {
        let up = promote_types(a, b);
        assert_eq!(up, promote_types(b, a), "{a} {b}");
        assert_eq!(promote_types(up, a), up, "{a} {b}: what is above both stays");
        assert_eq!(promote_types(a, a), a);
        let safe = |from, to| cuprum::can_cast(from, to, cuprum::Casting::Safe);
        assert!(safe(a, up) && safe(b, up), "{a} {b}");
        // A dtype to which both can be cast safely is not below the result, except that two integers of different
        // signedness promote to an integer that a float to which both can be cast may not represent.
        let signs = a.is_integer() && b.is_integer() && a.kind() != b.kind();
        assert!(signs || !(safe(a, c) && safe(b, c)) || safe(up, c), "{a} {b} {c}");
    }
}

/// The order of pairwise promotion matters for a signed and an unsigned integer with an inexact dtype, and for an
/// integer with float16 and bfloat16. NumPy's own results for `result_type` of three are below.
#[test]
fn promotion_is_associative_but_for_integers_of_both_signs_beside_floats() {
    let mut different = 0;
    for [a, b, c] in triples() {
        let (left, right) = (promote_types(promote_types(a, b), c), promote_types(a, promote_types(b, c)));
        if left != right {
            different += 1;
            let has = |wanted: fn(DType) -> bool| [a, b, c].into_iter().any(wanted);
            let inexact = has(|d| matches!(d.kind(), Kind::Float | Kind::Complex));
            assert!(inexact && has(|d| d.is_integer()), "{a} {b} {c}: {left} {right}");
            let signs = has(|d| d.kind() == Kind::Signed) && has(|d| d.kind() == Kind::Unsigned);
            assert!(signs, "{a} {b} {c}: {left} {right}");
        }
    }
    assert!(different > 0, "what is named here has become idle");
}

#[test]
fn the_order_of_a_list_does_not_count() {
    for [a, b, c] in triples() {
        let first = together(&[a, b, c]);
        for other in [[a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
            assert_eq!(together(&other), first, "{a} {b} {c}");
        }
        let arrays = [a, b, c].map(|d| oracle::zeros(&[1], d, oracle::Order::C).unwrap());
        let operands: Vec<oracle::Operand<'_>> = arrays.iter().map(oracle::Operand::Array).collect();
        assert_eq!(oracle::result_type(&operands).unwrap(), first, "{a} {b} {c}");
    }
}

/// `numpy.result_type` of NumPy 2.4 where promotion from the left gives another result: all such triples, up to order.
#[test]
fn lists_give_what_numpy_gives() {
    use DType::{C64, F16, F32, I8, I16, U8, U16};
    let answers = [
        ([I8, U8, F16], F16),
        ([I8, U16, F16], F32),
        ([I8, U16, F32], F32),
        ([I8, U16, C64], C64),
        ([I16, U16, F16], F32),
        ([I16, U16, F32], F32),
        ([I16, U16, C64], C64),
    ];
    for (dtypes, want) in answers {
        assert_eq!(together(&dtypes), want, "{dtypes:?}");
        let [a, b, c] = dtypes;
        assert_ne!(promote_types(promote_types(a, b), c), want, "{dtypes:?}");
    }
}
