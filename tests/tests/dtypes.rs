//! Tests of the library's dtypes against NumPy: promotion, limits, and the loop of every ufunc.
//!
//! No kernel is launched: every combination of dtypes and weak scalars is resolved.

use cuprum::{
    Array, Casting, DType, ErrorKind, OperandType, Scalar, can_cast, common_type, finfo, iinfo, min_scalar_type,
    promote_types, result_type, ufunc, zeros,
};
use cuprum_oracle::Value;
use cuprum_tests::golden::{self, Case, Operand, Outcome, read_version};

fn check_table(function: &str, table: &str) -> Result<usize, String> {
    let dtypes: Vec<DType> = golden::CHARS.chars().filter_map(DType::from_char).collect();
    let weak = [Scalar::Bool(true), 1.into(), 1.5.into(), num_complex::Complex64::i().into()];
    let operands: Vec<OperandType> =
        dtypes.iter().map(|d| OperandType::from(*d)).chain(weak.map(OperandType::Scalar)).collect();
    let arrays: Vec<Array> = dtypes.iter().map(|d| zeros([1], *d).expect("one element")).collect();
    let casting = |i: usize, j: usize, c| Ok(if can_cast(dtypes[i], dtypes[j], c) { '1' } else { '0' });
    let (kind, name) = function.split_once(':').unwrap_or((function, ""));
    if golden::is_absent(name) {
        return Ok(0);
    }
    golden::check_table(table, |i, j| {
        let found = match (kind, name) {
            ("promote_types", _) => Ok(promote_types(dtypes[i], dtypes[j]).char()),
            ("common_type", _) => common_type([&arrays[i], &arrays[j]]).map(DType::char),
            ("can_cast", "no") => casting(i, j, Casting::No),
            ("can_cast", "equiv") => casting(i, j, Casting::Equiv),
            ("can_cast", "safe") => casting(i, j, Casting::Safe),
            ("can_cast", "same_kind") => casting(i, j, Casting::SameKind),
            ("can_cast", "unsafe") => casting(i, j, Casting::Unsafe),
            ("weak", _) => result_type(&[operands[i], operands[dtypes.len() + j]]).map(DType::char),
            ("weak_pairs", kind) => {
                result_type(&[operands[i], operands[j], operands[golden::weak_of(kind)]]).map(DType::char)
            }
            ("dtypes", _) => {
                let (name, result, given) = golden::dtypes_of(table, name, i, j);
                let types: Vec<OperandType> = given.iter().map(|k| operands[*k]).collect();
                let found = ufunc(name).map_err(|e| e.to_string())?.resolve_dtypes(&types);
                found.map(|dtypes| dtypes[given.len() + result].char())
            }
            _ => return Err(format!("no table is called {function}")),
        };
        match found {
            Ok(char) => Ok(char),
            Err(error) if error.kind() == ErrorKind::Type => Ok('!'),
            Err(error) => Err(error.to_string()),
        }
    })
}

/// Checks a limit against NumPy's value or exception class.
fn check_limit(case: &Case) -> Result<usize, String> {
    let Some(Operand::Array(a)) = case.operands.first() else { return Err("there is no array".into()) };
    let (kind, name) = case.function.split_once(':').unwrap_or((&case.function, ""));
    let found = if kind == "finfo" { float_limit(a.dtype, name) } else { integer_limit(a.dtype, name) };
    match (found, &case.outcome) {
        (Err(error), Outcome::Error(class)) if error.kind() == ErrorKind::Value && class == "ValueError" => Ok(1),
        (Ok(got), Outcome::Arrays(want)) => {
            let want = Value::decode(want[0].dtype, &want[0].bytes);
            // NumPy has rounded values that a dtype cannot represent, such as 0.001.
            let got = cuprum_oracle::cast(got, a.dtype.real()).0;
            let want = cuprum_oracle::cast(want, a.dtype.real()).0;
            if got == want { Ok(1) } else { Err(format!("NumPy {want:?}, not {got:?}")) }
        }
        (found, outcome) => Err(format!("NumPy {outcome:?}, not {found:?}")),
    }
}

fn float_limit(dtype: DType, name: &str) -> cuprum::Result<Value> {
    let f = finfo(dtype)?;
    Ok(match name {
        "bits" => Value::Int(f.bits.into()),
        "nmant" => Value::Int(f.nmant.into()),
        "nexp" => Value::Int(f.nexp.into()),
        "iexp" => Value::Int(f.iexp.into()),
        "machep" => Value::Int(f.machep.into()),
        "negep" => Value::Int(f.negep.into()),
        "maxexp" => Value::Int(f.maxexp.into()),
        "minexp" => Value::Int(f.minexp.into()),
        "precision" => Value::Int(f.precision.into()),
        "eps" => Value::Float(f.eps),
        "epsneg" => Value::Float(f.epsneg),
        "max" => Value::Float(f.max),
        "min" => Value::Float(f.min),
        "tiny" => Value::Float(f.tiny),
        "smallest_normal" => Value::Float(f.smallest_normal),
        "smallest_subnormal" => Value::Float(f.smallest_subnormal),
        "resolution" => Value::Float(f.resolution),
        other => panic!("finfo has no {other}"),
    })
}

fn integer_limit(dtype: DType, name: &str) -> cuprum::Result<Value> {
    let i = iinfo(dtype)?;
    Ok(Value::Int(match name {
        "bits" => i.bits.into(),
        "min" => i.min,
        "max" => i.max,
        other => panic!("iinfo has no {other}"),
    }))
}

fn check_smallest(case: &Case) -> Result<usize, String> {
    let found = match &case.operands[0] {
        Operand::Array(a) => min_scalar_type(&zeros(a.shape.as_slice(), a.dtype).map_err(|e| e.to_string())?),
        Operand::Scalar(v) => min_scalar_type(match *v {
            Value::Bool(b) => Scalar::Bool(b),
            Value::Int(i) => Scalar::Int(i),
            Value::Float(x) => Scalar::Float(x),
            Value::Complex(z) => Scalar::Complex(z),
        }),
    };
    let Outcome::Arrays(want) = &case.outcome else { return Err("NumPy has no answer".into()) };
    match found {
        Ok(dtype) if dtype == want[0].dtype => Ok(1),
        found => Err(format!("NumPy {}, not {found:?}", want[0].dtype)),
    }
}

#[test]
fn dtypes_are_numpy_s() {
    let (mut cases, mut items, mut failures) = (0, 0, vec![]);
    for golden in read_version("numpy-2.4").expect("the golden data is readable") {
        for case in &golden.cases {
            let kind = case.function.split(':').next().unwrap_or_default();
            let outcome = match (&case.outcome, kind) {
                // The effect of options and methods on dtypes is visible only in calls, which the golden calls cover.
                (Outcome::Table(_), "loops" | "outs" | "folds") => continue,
                (Outcome::Table(table), _) => check_table(&case.function, table),
                (_, "finfo" | "iinfo") => check_limit(case),
                (_, "min_scalar_type") => check_smallest(case),
                _ => continue,
            };
            cases += 1;
            match outcome {
                Ok(n) => items += n,
                Err(message) => failures.push(format!("{} {}: {message}", case.function, case.id)),
            }
        }
    }
    assert!(failures.is_empty(), "{} of {cases} fail:\n{}", failures.len(), failures.join("\n"));
    assert_eq!((cases, items), (441, 16_070), "tables and limits, and cells and values compared");
}

#[test]
fn what_counts_as_absent_is_absent() {
    for name in golden::ABSENT {
        assert!(ufunc(name).is_err(), "{name} is there: its table is to be compared");
    }
}
