//! The oracle against real NumPy: every golden case of both versions, and against correctly rounded values.

mod golden_oracle;

use std::collections::BTreeMap;

use cuprum_kernels::DType;
use cuprum_oracle::{Casting, NdArray, Operand, Value, can_cast, promote_types, result_type};
use cuprum_tests::golden::{self, Case, Outcome, read_version};
use golden_oracle::divergence::known_divergence;
use golden_oracle::{call, compare, text};

#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    items: usize,
    divergences: BTreeMap<&'static str, usize>,
    failures: Vec<String>,
}

fn check(version: &str) -> Tally {
    let mut tally = Tally::default();
    for golden in read_version(version).expect("the golden data is readable") {
        let numpy = version.strip_prefix("numpy-").unwrap_or("2.4");
        assert!(golden.numpy.starts_with(numpy), "{} in {version}", golden.numpy);
        for case in &golden.cases {
            tally.cases += 1;
            let outcome = match &case.outcome {
                Outcome::Table(table) => check_table(&case.function, table),
                Outcome::Text(text) => check_text(case, text),
                _ => check_case(case),
            };
            let old = version == "numpy-1.22";
            match (outcome, old.then(|| known_divergence(case)).flatten()) {
                (Ok(items), _) => tally.items += items,
                (Err(_), Some(reason)) => *tally.divergences.entry(reason).or_default() += 1,
                (Err(message), None) => tally.failures.push(format!("{}: {message}", describe(case))),
            }
        }
    }
    tally
}

fn describe(case: &Case) -> String {
    let operand = |o: &golden::Operand| match o {
        golden::Operand::Array(a) => format!("{}{:?}{:?}", a.dtype.char(), a.shape, a.strides),
        golden::Operand::Scalar(v) => format!("{v:?}"),
    };
    let operands: Vec<String> = case.operands.iter().map(operand).collect();
    format!("{} {} {} {}", case.id, case.function, operands.join(" "), case.parameters)
}

fn check_case(case: &Case) -> Result<usize, String> {
    match (call(case)?, &case.outcome) {
        (Err(error), Outcome::Error(kind)) if error.kind.numpy_name() == kind => Ok(1),
        (Err(error), Outcome::Error(kind)) => Err(format!("NumPy raises {kind}, the oracle says {error}")),
        (Err(error), _) => Err(format!("NumPy gives a result, the oracle says {error}")),
        (Ok(_), Outcome::Error(kind)) => Err(format!("NumPy raises {kind}, the oracle gives a result")),
        (Ok(result), Outcome::Array(want)) => compare(case, &result, want),
        (Ok(_), Outcome::Table(_) | Outcome::Text(_)) => Err("a call gives an array or an error".into()),
    }
}

fn check_text(case: &Case, want: &str) -> Result<usize, String> {
    let got = text(case)?;
    if got == want { Ok(1) } else { Err(format!("NumPy writes\n{want}\nthe oracle\n{got}")) }
}

/// Promotion tables over all dtypes that NumPy has, in the order of this text.
fn check_table(function: &str, table: &str) -> Result<usize, String> {
    let dtypes: Vec<DType> = "?bBhHiIlLefdFD".chars().filter_map(DType::from_char).collect();
    let one = |d: DType| NdArray::from_values(d, &[1], [Value::zero(d)]).expect("one value fills one element");
    let weak = [Value::Bool(true), Value::Int(1), Value::Float(1.5), Value::Complex(num_complex::Complex64::i())];
    let casting = |a, b, c| if can_cast(a, b, c) { '1' } else { '0' };
    let resolve = |operands: &[Operand<'_>]| result_type(operands).expect("there are operands").char();
    let cell = |i: usize, j: usize| -> char {
        let (a, b) = (dtypes[i], dtypes[j]);
        match function {
            "promote_types" => promote_types(a, b).char(),
            "can_cast:no" => casting(a, b, Casting::No),
            "can_cast:equiv" => casting(a, b, Casting::Equiv),
            "can_cast:safe" => casting(a, b, Casting::Safe),
            "can_cast:same_kind" => casting(a, b, Casting::SameKind),
            "can_cast:unsafe" => casting(a, b, Casting::Unsafe),
            "weak" => resolve(&[Operand::Array(&one(a)), Operand::Scalar(weak[j])]),
            "weak_pairs" => resolve(&[Operand::Array(&one(a)), Operand::Array(&one(b)), Operand::Scalar(weak[2])]),
            other => panic!("no table is called {other}"),
        }
    };
    let mut count = 0;
    for (i, row) in table.split(' ').enumerate() {
        for (j, want) in row.chars().enumerate() {
            let got = cell(i, j);
            if got != want {
                return Err(format!("row {} column {j}: NumPy {want}, the oracle {got}", dtypes[i]));
            }
            count += 1;
        }
    }
    Ok(count)
}

fn report(tally: &Tally) {
    for failure in &tally.failures {
        eprintln!("{failure}");
    }
    assert!(tally.failures.is_empty(), "{} of {} cases fail", tally.failures.len(), tally.cases);
}

#[test]
fn the_oracle_is_numpy_2_4() {
    let tally = check("numpy-2.4");
    report(&tally);
    assert_eq!((tally.cases, tally.items), (15_890, 109_406), "cases, and elements and errors compared");
}

#[test]
fn the_oracle_is_numpy_1_22_but_for_known_divergences() {
    let tally = check("numpy-1.22");
    report(&tally);
    let divergences: Vec<_> = tally.divergences.into_iter().collect();
    let expected = [
        ("a range of booleans that is too long is a ValueError", 13),
        ("a scalar out of range wraps", 30),
        ("comparisons take any dtype", 92),
        ("floats have an exponent from 10^8 on, on their own from 10^16, whatever their dtype", 79),
        ("the shape of a large array is not shown", 6),
        ("the value of a scalar takes part in promotion", 314),
        ("zero to a complex power is NaN", 4),
    ];
    assert_eq!(divergences, expected, "every rule of divergence is needed, and covers no more than it did");
    assert_eq!((tally.cases, tally.items), (15_764, 104_028), "cases, and elements and errors compared");
}

#[test]
fn the_special_functions_are_those_of_scipy_1_17() {
    let tally = check("scipy-1.17");
    report(&tally);
    assert_eq!((tally.cases, tally.items), (1476, 17_124), "cases, and elements and errors compared");
}
