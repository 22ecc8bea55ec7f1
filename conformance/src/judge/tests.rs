//! Tests of the comparison: wrong results fail, for the right reason.

use super::*;

fn tensor(dtype: DType, values: &[Number]) -> Tensor {
    Tensor::packed(dtype, &[values.len()], values.iter().flat_map(|v| v.encode(dtype)).collect())
}

fn floats(dtype: DType, values: &[f64]) -> Outcome {
    Outcome::Array(tensor(dtype, &values.iter().map(|x| Number::Float(*x)).collect::<Vec<_>>()))
}

fn ints(dtype: DType, values: &[i128]) -> Outcome {
    Outcome::Array(tensor(dtype, &values.iter().map(|x| Number::Int(*x)).collect::<Vec<_>>()))
}

fn complex(re: f64, im: f64) -> Outcome {
    Outcome::Array(tensor(DType::C128, &[Number::Complex(re, im)]))
}

fn ulp(ulp: u64) -> Allowance {
    Allowance { ulp, ..Allowance::default() }
}

fn reason(got: &Outcome, want: &Outcome, allowance: &Allowance) -> Option<Reason> {
    judge(got, want, Expectation::Agreement, allowance).failure.map(|f| f.reason)
}

fn rejected(kind: Kind) -> Outcome {
    Outcome::Rejected(kind, "no".into())
}

#[test]
fn equal_results_pass() {
    let special = [f64::NAN, f64::INFINITY, -0.0, 0.0, 1e-320, f64::MAX];
    assert_eq!(reason(&floats(DType::F64, &special), &floats(DType::F64, &special), &ulp(0)), None);
    assert_eq!(reason(&ints(DType::U64, &[1 << 63]), &ints(DType::U64, &[1 << 63]), &ulp(0)), None);
}

#[test]
fn another_dtype_fails() {
    assert_eq!(reason(&ints(DType::I32, &[1]), &ints(DType::I64, &[1]), &ulp(9)), Some(Reason::Dtype));
}

#[test]
fn another_shape_fails() {
    assert_eq!(reason(&ints(DType::I32, &[1, 1]), &ints(DType::I32, &[1]), &ulp(9)), Some(Reason::Shape));
    let mut short = tensor(DType::I32, &[Number::Int(1)]);
    short.bytes.pop();
    assert_eq!(reason(&Outcome::Array(short), &ints(DType::I32, &[1]), &ulp(9)), Some(Reason::Shape));
}

#[test]
fn coefficients_that_vanish_may_be_left_off_where_rounding_decides() {
    let (long, short) = (floats(DType::F64, &[2.0, 1e-16]), floats(DType::F64, &[2.0]));
    let trims = |bounds: &[f64]| Allowance { trims: true, bounds: Some(bounds.to_vec()), ..Allowance::default() };
    assert_eq!(reason(&long, &short, &trims(&[0.0, 1e-15])), None);
    assert_eq!(reason(&short, &long, &trims(&[0.0, 1e-15])), None);
    assert_eq!(reason(&long, &short, &trims(&[0.0, 1e-17])), Some(Reason::Value));
    // Coefficients after the last bound are unconstrained.
    assert_eq!(reason(&long, &short, &trims(&[0.0])), Some(Reason::Shape));
    assert_eq!(reason(&long, &short, &Allowance { trims: false, ..trims(&[0.0, 1e-15]) }), Some(Reason::Shape));
}

#[test]
fn another_layout_fails_but_not_along_axes_of_one() {
    let with = |shape: &[usize], strides: &[i64]| {
        let size = shape.iter().product();
        Outcome::Array(Tensor { strides: strides.into(), ..Tensor::packed(DType::U8, shape, vec![1; size]) })
    };
    assert_eq!(reason(&with(&[2, 3], &[1, 2]), &with(&[2, 3], &[3, 1]), &ulp(0)), Some(Reason::Layout));
    assert_eq!(reason(&with(&[1, 3], &[9, 1]), &with(&[1, 3], &[3, 1]), &ulp(0)), None);
    assert_eq!(reason(&with(&[0, 3], &[9, 9]), &with(&[0, 3], &[3, 1]), &ulp(0)), None);
}

#[test]
fn one_wrong_integer_fails_whatever_the_budget() {
    let (got, want) = (ints(DType::I64, &[1, 2, 4]), ints(DType::I64, &[1, 2, 3]));
    let verdict = judge(&got, &want, Expectation::Agreement, &ulp(100));
    let message = verdict.failure.expect("4 is not 3").message;
    assert!(message.contains("[2]") && message.contains("1 of 3 elements"), "{message}");
}

#[test]
fn the_sign_of_zero_counts_unless_it_is_free() {
    let (got, want) = (floats(DType::F32, &[-0.0]), floats(DType::F32, &[0.0]));
    assert_eq!(reason(&got, &want, &ulp(4)), Some(Reason::Value));
    assert_eq!(reason(&got, &free(want, Freedom::AnyZero), &ulp(0)), None);
    let one = free(floats(DType::F32, &[1.0]), Freedom::AnyZero);
    assert_eq!(reason(&got, &one, &ulp(0)), Some(Reason::Value));
}

#[test]
fn an_element_that_numpy_does_not_fix_may_be_anything() {
    let (got, want) = (ints(DType::I32, &[7, 7]), ints(DType::I32, &[0, 0]));
    assert_eq!(reason(&got, &free(want.clone(), Freedom::Any), &ulp(0)), Some(Reason::Value), "only the first is free");
    let Outcome::Array(mut tensor) = want else { panic!("an array") };
    tensor.freedom = vec![Freedom::Any; 2];
    assert_eq!(reason(&got, &Outcome::Array(tensor), &ulp(0)), None);
}

/// Returns the same array with a flag for its first element.
fn free(outcome: Outcome, freedom: Freedom) -> Outcome {
    let Outcome::Array(tensor) = outcome else { panic!("an array") };
    Outcome::Array(Tensor { freedom: vec![freedom], ..tensor })
}

#[test]
fn nan_equals_nan_only() {
    let nan = floats(DType::F32, &[f64::NAN]);
    for other in [1.0, 0.0, f64::INFINITY] {
        assert_eq!(reason(&nan, &floats(DType::F32, &[other]), &ulp(u64::MAX)), Some(Reason::Value));
        assert_eq!(reason(&floats(DType::F32, &[other]), &nan, &ulp(u64::MAX)), Some(Reason::Value));
    }
}

#[test]
fn the_budget_is_kept_to_the_unit() {
    let near = 1.0 + 3.0 * f64::EPSILON;
    let (got, want) = (floats(DType::F64, &[near]), floats(DType::F64, &[1.0]));
    assert_eq!(reason(&got, &want, &ulp(3)), None);
    assert_eq!(reason(&got, &want, &ulp(2)), Some(Reason::Value));
    assert_eq!(judge(&got, &want, Expectation::Agreement, &ulp(3)).error, 3.0);
}

#[test]
fn infinity_is_no_large_number_but_one_step_beyond_the_largest() {
    let infinite = floats(DType::F32, &[f64::INFINITY]);
    assert_eq!(reason(&infinite, &floats(DType::F32, &[1e38]), &ulp(4)), Some(Reason::Value));
    assert_eq!(reason(&infinite, &floats(DType::F32, &[f64::from(f32::MAX)]), &ulp(0)), Some(Reason::Value));
    assert_eq!(reason(&infinite, &floats(DType::F32, &[f64::from(f32::MAX)]), &ulp(1)), None);
    assert_eq!(reason(&infinite, &floats(DType::F32, &[-f64::INFINITY]), &ulp(1)), Some(Reason::Value));
}

#[test]
fn a_cancelled_part_is_measured_by_the_modulus_where_that_is_the_rule() {
    let (got, want) = (complex(1.0, 1e-17), complex(1.0, 0.0));
    assert_eq!(reason(&got, &want, &ulp(1)), Some(Reason::Value));
    let modulus = Allowance { complex: ComplexRule::Modulus, ..ulp(1) };
    assert_eq!(reason(&got, &want, &modulus), None);
    assert_eq!(reason(&complex(1.0, 1e-15), &want, &modulus), Some(Reason::Value));
    assert_eq!(reason(&complex(1.0, f64::NAN), &want, &modulus), Some(Reason::Value));
    assert_eq!(reason(&complex(1.0, f64::INFINITY), &want, &modulus), Some(Reason::Value));
    // The unit in the last place of an infinite modulus is meaningless: the parts are compared each by its own.
    assert_eq!(reason(&complex(f64::INFINITY, 5.0), &complex(f64::INFINITY, 1.0), &modulus), Some(Reason::Value));
}

#[test]
fn infinities_are_distinguished_unless_any_will_do() {
    let (got, want) = (complex(f64::NAN, f64::INFINITY), complex(f64::INFINITY, 1.0));
    let any = Allowance { any_infinity: true, ..ulp(4) };
    assert_eq!(reason(&got, &want, &ulp(4)), Some(Reason::Value));
    assert_eq!(reason(&got, &want, &any), None);
    assert_eq!(reason(&complex(1.0, 2.0), &want, &any), Some(Reason::Value));
    assert_eq!(reason(&want, &complex(1.0, 2.0), &any), Some(Reason::Value));
    let (got, want) = (floats(DType::F64, &[f64::NAN]), floats(DType::F64, &[f64::INFINITY]));
    assert_eq!(reason(&got, &want, &any), Some(Reason::Value), "only of complex numbers");
}

#[test]
fn bounds_are_absolute_and_an_infinite_one_frees_the_element() {
    let with = |bound: f64| Allowance { bounds: Some(vec![bound]), ..ulp(0) };
    let (got, want) = (floats(DType::F32, &[1.25]), floats(DType::F32, &[1.0]));
    assert_eq!(reason(&got, &want, &with(0.25)), None);
    assert_eq!(reason(&got, &want, &with(0.2)), Some(Reason::Value));
    let nan = floats(DType::F32, &[f64::NAN]);
    assert_eq!(reason(&nan, &want, &with(1e30)), Some(Reason::Value));
    assert_eq!(reason(&nan, &want, &with(f64::INFINITY)), None);
    assert_eq!(reason(&ints(DType::I8, &[3]), &ints(DType::I8, &[4]), &with(f64::INFINITY)), None);
    assert_eq!(
        reason(&floats(DType::F16, &[f64::INFINITY]), &floats(DType::F16, &[1.0]), &with(9.0)),
        Some(Reason::Value)
    );
    assert_eq!(reason(&floats(DType::F16, &[f64::INFINITY]), &floats(DType::F16, &[65504.0]), &with(40.0)), None);
}

#[test]
fn rejections_must_be_of_the_same_kind() {
    let array = ints(DType::I8, &[1]);
    assert_eq!(reason(&rejected(Kind::Value), &rejected(Kind::Value), &ulp(0)), None);
    for (got, want) in [
        (rejected(Kind::Value), rejected(Kind::Index)),
        (rejected(Kind::Value), array.clone()),
        (array.clone(), rejected(Kind::Value)),
    ] {
        assert_eq!(reason(&got, &want, &ulp(9)), Some(Reason::Rejection));
    }
}

#[test]
fn a_breakdown_of_either_side_is_never_a_rejection() {
    for (got, want) in [
        (rejected(Kind::Broken), rejected(Kind::Broken)),
        (rejected(Kind::Broken), rejected(Kind::Type)),
        (rejected(Kind::Type), rejected(Kind::Broken)),
    ] {
        assert_eq!(reason(&got, &want, &ulp(0)), Some(Reason::Broken));
    }
}

#[test]
fn claims_hold_in_both_directions() {
    let array = ints(DType::I8, &[1]);
    let claim = |got: &Outcome, want: &Outcome, e| judge(got, want, e, &ulp(0)).failure.map(|f| f.reason);
    let taken = Expectation::Taken;
    assert_eq!(claim(&rejected(Kind::Type), &rejected(Kind::Type), taken), Some(Reason::Claim));
    assert_eq!(claim(&rejected(Kind::Value), &rejected(Kind::Value), taken), None);
    let unclaimed = Expectation::Rejected(Kind::Type);
    assert_eq!(claim(&array, &array, unclaimed), Some(Reason::Claim));
    assert_eq!(claim(&rejected(Kind::Value), &rejected(Kind::Value), unclaimed), Some(Reason::Claim));
    assert_eq!(claim(&rejected(Kind::Type), &rejected(Kind::Type), unclaimed), None);
}

#[test]
fn texts_are_compared_to_the_letter() {
    let text = |t: &str| Outcome::Text(t.into());
    assert_eq!(reason(&text("[1. 2.]"), &text("[1. 2.]"), &ulp(0)), None);
    assert_eq!(reason(&text("[1. 2.]"), &text("[1.  2.]"), &ulp(0)), Some(Reason::Text));
    assert_eq!(reason(&text("a"), &text("a\nb"), &ulp(0)), Some(Reason::Text));
}

#[test]
fn every_one_of_several_results_counts() {
    let several = |second: i128| {
        let first = tensor(DType::F32, &[Number::Float(0.5)]);
        Outcome::Several(vec![first, tensor(DType::I32, &[Number::Int(second)])])
    };
    assert_eq!(reason(&several(3), &several(3), &ulp(0)), None);
    assert_eq!(reason(&several(3), &several(4), &ulp(9)), Some(Reason::Value));
    let one = Outcome::Several(vec![tensor(DType::F32, &[Number::Float(0.5)])]);
    assert!(reason(&one, &several(3), &ulp(0)).is_some());
    assert_ne!(several(3).digest(), several(4).digest());
}

#[test]
fn what_is_ours_to_say_is_compared_here_and_free_in_numpy() {
    let (got, want) = (ints(DType::I32, &[7]), free(ints(DType::I32, &[0]), Freedom::Ours));
    assert_eq!(reason(&got, &want, &ulp(0)), Some(Reason::Value));
    let as_numpy = |outcome: &Outcome| Outcome::Array(outcome.first().expect("an array").as_numpy());
    assert_eq!(reason(&got, &as_numpy(&want), &ulp(0)), None);
    let (got, want) = (floats(DType::F32, &[-0.0]), free(floats(DType::F32, &[0.0]), Freedom::OurZero));
    assert_eq!(reason(&got, &want, &ulp(0)), Some(Reason::Value));
    assert_eq!(reason(&got, &as_numpy(&want), &ulp(0)), None);
    assert_eq!(reason(&floats(DType::F32, &[1.0]), &as_numpy(&want), &ulp(0)), Some(Reason::Value), "the sign alone");
}

#[test]
fn an_infinite_bound_still_asks_for_nan_where_that_is_right() {
    let unbounded = Allowance { bounds: Some(vec![f64::INFINITY]), ..ulp(0) };
    let nan = floats(DType::F32, &[f64::NAN]);
    for other in [1.0, 0.0] {
        assert_eq!(reason(&floats(DType::F32, &[other]), &nan, &unbounded), Some(Reason::Value), "{other}");
    }
    // With another order of summation one side overflowed and the other did not.
    assert_eq!(reason(&floats(DType::F32, &[f64::INFINITY]), &nan, &unbounded), None);
    assert_eq!(reason(&nan, &nan, &unbounded), None);
    let open = Allowance { bounds: Some(vec![f64::NAN]), ..ulp(0) };
    assert_eq!(reason(&floats(DType::F32, &[1.0]), &nan, &open), None, "a bound that is none");
}

#[test]
fn zeros_in_parts_have_signs_whatever_measures_the_parts() {
    let modulus = Allowance { complex: ComplexRule::Modulus, ..ulp(4) };
    assert_eq!(reason(&complex(1.0, -0.0), &complex(1.0, 0.0), &modulus), Some(Reason::Value));
    assert_eq!(reason(&complex(-0.0, 1.0), &complex(0.0, 1.0), &modulus), Some(Reason::Value));
    let free = Allowance { any_zero: true, ..modulus };
    assert_eq!(reason(&complex(1.0, -0.0), &complex(1.0, 0.0), &free), None);
    // A permitted error may have crossed the zero; without one, the sign counts.
    let bounded = |bound| Allowance { bounds: Some(vec![bound]), ..ulp(0) };
    let zero = |x: f64| floats(DType::F64, &[x]);
    assert_eq!(reason(&zero(-0.0), &zero(0.0), &bounded(0.5)), None);
    assert_eq!(reason(&zero(-0.0), &zero(0.0), &bounded(0.0)), Some(Reason::Value));
}

#[test]
fn what_was_not_compared_is_counted_by_its_reason() {
    let looked = |got: &Outcome, want: &Outcome, allowance: &Allowance| {
        judge(got, want, Expectation::Agreement, allowance).looked
    };
    let numbers = floats(DType::F64, &[1.0, 2.0, 0.0]);
    let whole = Looked { values: 3, ..Looked::default() };
    assert_eq!(looked(&numbers, &numbers, &ulp(0)), whole);
    assert_eq!(looked(&numbers, &free(numbers.clone(), Freedom::Any), &ulp(0)), Looked { open: 1, ..whole });
    assert_eq!(looked(&numbers, &free(numbers.clone(), Freedom::Ours), &ulp(0)), whole);
    let bounds = Allowance { bounds: Some(vec![0.0, f64::INFINITY, 0.0]), any_zero: true, ..ulp(0) };
    assert_eq!(looked(&numbers, &numbers, &bounds), Looked { unbounded: 1, signs: 1, ..whole });
    let (got, want) = (complex(f64::NAN, f64::INFINITY), complex(f64::INFINITY, 1.0));
    let any = Allowance { any_infinity: true, ..ulp(0) };
    assert_eq!(looked(&got, &want, &any), Looked { values: 1, infinite: 1, ..Looked::default() });
    let mut both = whole;
    both.add(&Looked { open: 2, values: 7, ..Looked::default() });
    assert!(both.words().contains("10 values") && both.words().contains("2 (20.000 %) that nothing fixes"));
}
