//! Tests of the oracle and the library against NumPy: every golden case, with both NumPy versions for the oracle.

mod golden_call;
mod golden_fourier;
mod golden_library;
mod golden_oracle;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cuprum_conformance::{Matrix, sample};
use cuprum_kernels::DType;
use cuprum_oracle::{
    Casting, ErrorKind, NdArray, NumpyVersion, Operand, Order, UfuncOptions, Value, can_cast, common_type,
    promote_types, result_type, ufunc_all, with_version,
};
use cuprum_tests::golden::{self, Case, Outcome, read_version};
use golden_oracle::divergence::known_divergence;
use golden_oracle::{call, compare, compare_within, text};

/// The stride of the golden cases that are run on the device, unless `CUPRUM_SAMPLE` is `full`.
const PART: usize = 5;

#[derive(Debug, Default)]
struct Summary {
    cases: usize,
    items: usize,
    divergences: BTreeMap<&'static str, usize>,
    failures: Vec<String>,
}

fn check(version: &str) -> Summary {
    let mut summary = Summary::default();
    for golden in read_version(version).expect("the golden data is readable") {
        let numpy = version.strip_prefix("numpy-").unwrap_or("2.4");
        assert!(golden.numpy.starts_with(numpy), "{} in {version}", golden.numpy);
        for case in &golden.cases {
            summary.cases += 1;
            let old = version == "numpy-1.22";
            let followed = if old { NumpyVersion::V1_22 } else { NumpyVersion::V2_4 };
            let outcome = with_version(followed, || match &case.outcome {
                Outcome::Table(table) => check_table(&case.function, table),
                Outcome::Text(text) => check_text(case, text),
                _ => check_case(case),
            });
            match (outcome, old.then(|| known_divergence(case)).flatten()) {
                (Ok(items), _) => summary.items += items,
                (Err(_), Some(reason)) => *summary.divergences.entry(reason).or_default() += 1,
                (Err(message), None) => summary.failures.push(format!("{}: {message}", describe(case))),
            }
        }
    }
    summary
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
        (Ok(results), Outcome::Arrays(want)) if results.len() == want.len() => {
            results.iter().zip(want).map(|(result, want)| compare(case, result, want)).sum()
        }
        (Ok(results), Outcome::Arrays(want)) => {
            Err(format!("NumPy gives {} results, the oracle {}", want.len(), results.len()))
        }
        (Ok(_), Outcome::Table(_) | Outcome::Text(_)) => Err("a call gives an array or an error".into()),
    }
}

fn check_text(case: &Case, want: &str) -> Result<usize, String> {
    let got = text(case)?;
    if got == want { Ok(1) } else { Err(format!("NumPy writes\n{want}\nthe oracle\n{got}")) }
}

/// Checks tables over all of NumPy's dtypes, in the order of [`golden::CHARS`], and weak scalars.
fn check_table(function: &str, table: &str) -> Result<usize, String> {
    let weak = [Value::Bool(true), Value::Int(1), Value::Float(1.5), Value::Complex(num_complex::Complex64::i())];
    let dtypes: Vec<DType> = golden::CHARS.chars().filter_map(DType::from_char).collect();
    let ones: Vec<NdArray> = dtypes.iter().map(|d| cuprum_oracle::ones(&[1], *d, Order::C).expect("one")).collect();
    let arrays = ones.iter().map(Operand::Array);
    let operands: Vec<Operand<'_>> = arrays.chain(weak.map(Operand::Scalar)).collect();
    let casting = |i: usize, j: usize, c| Ok(if can_cast(dtypes[i], dtypes[j], c) { '1' } else { '0' });
    let resolve = |operands: &[&Operand<'_>]| {
        let operands: Vec<_> = operands.iter().map(|o| (*o).clone()).collect();
        result_type(&operands).map(DType::char)
    };
    let (kind, name) = function.split_once(':').unwrap_or((function, ""));
    if matches!(kind, "loops" | "outs" | "folds") {
        return golden::check_table(table, |i, j| golden_oracle::options::cell(function, &dtypes, i, j));
    }
    if golden::is_absent(name) {
        return Ok(0);
    }
    golden::check_table(table, |i, j| {
        let found = match (kind, name) {
            ("promote_types", _) => Ok(promote_types(dtypes[i], dtypes[j]).char()),
            ("common_type", _) => common_type(&[&ones[i], &ones[j]]).map(DType::char),
            ("can_cast", "no") => casting(i, j, Casting::No),
            ("can_cast", "equiv") => casting(i, j, Casting::Equiv),
            ("can_cast", "safe") => casting(i, j, Casting::Safe),
            ("can_cast", "same_kind") => casting(i, j, Casting::SameKind),
            ("can_cast", "unsafe") => casting(i, j, Casting::Unsafe),
            ("weak", _) => resolve(&[&operands[i], &operands[dtypes.len() + j]]),
            ("weak_pairs", kind) => resolve(&[&operands[i], &operands[j], &operands[golden::weak_of(kind)]]),
            ("dtypes", _) => {
                let (name, result, given) = golden::dtypes_of(table, name, i, j);
                let given: Vec<_> = given.iter().map(|k| operands[*k].clone()).collect();
                ufunc_all(name, &given, &UfuncOptions::default()).map(|results| results[result].dtype().char())
            }
            _ => return Err(format!("no table is called {function}")),
        };
        match found {
            Ok(char) => Ok(char),
            Err(error) if error.kind == ErrorKind::Type => Ok('!'),
            Err(error) => Err(error.to_string()),
        }
    })
}

fn report(summary: &Summary) {
    for failure in &summary.failures {
        eprintln!("{failure}");
    }
    assert!(summary.failures.is_empty(), "{} of {} cases fail", summary.failures.len(), summary.cases);
}

#[test]
fn the_oracle_is_numpy_2_4() {
    let summary = check("numpy-2.4");
    report(&summary);
    assert_eq!((summary.cases, summary.items), (10_432, 214_557), "cases, and elements and errors compared");
}

#[test]
fn the_oracle_is_numpy_1_22_but_for_known_divergences() {
    let summary = check("numpy-1.22");
    report(&summary);
    let divergences: Vec<_> = summary.divergences.into_iter().collect();
    let expected = [("the inverse hyperbolic cosine of zero and a NaN is NaN in both parts", 2)];
    assert_eq!(divergences, expected, "every rule of divergence is needed, and covers no more than it did");
    assert_eq!((summary.cases, summary.items), (3_388, 33_233), "cases, and elements and errors compared");
}

/// Runs a case on the device and returns the number of elements and errors that were compared.
fn check_device(matrix: &Matrix, case: &Case) -> Result<usize, String> {
    if let Outcome::Text(want) = &case.outcome {
        let got = golden_library::text(case)?;
        return if got == *want { Ok(1) } else { Err(format!("NumPy writes\n{want}\nthe library\n{got}")) };
    }
    match (golden_library::call(case)?, &case.outcome) {
        (Err(error), Outcome::Error(kind)) if error.kind().exception() == kind => Ok(1),
        (Err(error), Outcome::Error(kind)) => Err(format!("NumPy raises {kind}, the library says {error}")),
        (Err(error), _) => Err(format!("NumPy gives a result, the library says {error}")),
        (Ok(_), Outcome::Error(kind)) => Err(format!("NumPy raises {kind}, the library gives a result")),
        (Ok(results), Outcome::Arrays(want)) if results.len() == want.len() => {
            let right = call(case)?.map_err(|e| e.to_string())?;
            let mut compared = 0;
            for ((got, want), right) in results.iter().zip(want).zip(&right) {
                let tolerances = golden_library::tolerances(matrix, case, right)?;
                compared += compare_within(&golden_library::download(got)?, want, &tolerances, &right.flags())?;
            }
            Ok(compared)
        }
        (Ok(results), Outcome::Arrays(want)) => {
            Err(format!("NumPy gives {} results, the library {}", want.len(), results.len()))
        }
        (Ok(_), Outcome::Table(_) | Outcome::Text(_)) => Err("a call gives an array or an error".into()),
    }
}

#[test]
fn the_device_is_numpy_2_4() {
    let matrix = Matrix::built_in().expect("matrix.yaml is read");
    let files = read_version("numpy-2.4").expect("the golden data is readable");
    // Functions without kernels are compared elsewhere.
    let of_dtypes = |c: &Case| ["finfo", "iinfo", "min_scalar_type"].iter().any(|f| c.function.starts_with(f));
    let calls = |c: &&Case| !matches!(c.outcome, Outcome::Table(_)) && !of_dtypes(c);
    let all = files.iter().flat_map(|f| &f.cases).filter(calls);
    // The oracle, with which every other test compares the library, is compared on all of them: here, a fifth is
    // enough.
    let part = if sample::is_full() { 1 } else { PART };
    let cases: Vec<&Case> = all.step_by(part).collect();
    let (next, compared) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // More workers than cores, so that pending kernels are compiled in one batch.
    let workers = 8 * std::thread::available_parallelism().map_or(2, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut failures = vec![];
            while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                match check_device(&matrix, case) {
                    Ok(items) => drop(compared.fetch_add(items, Relaxed)),
                    Err(message) => {
                        failures.push(format!("{} {} {}: {message}", case.id, case.function, case.parameters))
                    }
                }
            }
            failures
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("no case panics")).collect()
    });
    for failure in failures.iter().take(200) {
        eprintln!("{failure}");
    }
    assert!(failures.is_empty(), "{} of {} cases fail", failures.len(), cases.len());
    let want = if part == 1 { (9_519, 126_975) } else { (1_904, 28_418) };
    assert_eq!((cases.len(), compared.into_inner()), want, "cases, and elements and errors compared");
}

#[test]
fn the_special_functions_are_those_of_scipy_1_17() {
    let summary = check("scipy-1.17");
    report(&summary);
    assert_eq!((summary.cases, summary.items), (1794, 28_614), "cases, and elements and errors compared");
}

/// The tolerance is ten units of the value or of the function's condition, whichever is larger: also near zeros,
/// extrema and for large operands.
#[test]
fn special_functions_lie_within_ten_units_of_their_condition() {
    let mut compared = 0;
    for case in read_version("mpmath-1.3").expect("the golden data is readable").iter().flat_map(|f| &f.cases) {
        let floats = |a: &golden::Array| -> Vec<f64> {
            a.bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes"))).collect()
        };
        let operands: Vec<cuprum::Array> = case
            .operands
            .iter()
            .map(|o| match o {
                golden::Operand::Array(a) => cuprum::Array::from_slice(&floats(a), [a.shape[0]]).expect("it fits"),
                golden::Operand::Scalar(v) => panic!("{v:?} is no array"),
            })
            .collect();
        let Outcome::Arrays(parts) = &case.outcome else { panic!("{} has no values", case.id) };
        let [value, rest, condition] = [0, 1, 2].map(|k| floats(&parts[k]));
        let name = case.function.strip_prefix("condition:").expect("a condition");
        let function = cuprum::ufunc(name).expect("it is registered");
        let operands: Vec<cuprum::Operand> = operands.iter().map(Into::into).collect();
        let got: Vec<f64> = function.call(&operands, ()).and_then(|y| y.to_vec()).expect("it runs");
        for (k, y) in got.into_iter().enumerate() {
            let unit = cuprum_oracle::ulp(value[k], DType::F64).max(condition[k] * f64::EPSILON);
            let error = ((y - value[k]) - rest[k]).abs();
            assert!(error <= 10.0 * unit, "{name}, {k}: {y:e} is {} units from {:e}", error / unit, value[k]);
            compared += 1;
        }
    }
    assert_eq!(compared, 1032, "values compared");
}
