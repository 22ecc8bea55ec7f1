//! Tests of Fourier transforms against 40-digit sums, and against NumPy and SciPy for lengths, axes, norms and layouts.
//!
//! The error of a transform is the Euclidean norm of the difference over all results. Algorithms of `log2 n` steps have
//! an error of some units per step; the oracle's sums use more digits than the result and are rounded once.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cuprum_conformance::Matrix;
use cuprum_kernels::DType;
use cuprum_oracle::{NdArray, ulp};
use cuprum_tests::golden::{self, Case, Outcome, read_version};

use crate::golden_library::download;
use crate::golden_oracle::compare_within;
use crate::{golden_library, golden_oracle};

/// The implementation that is compared with the golden data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Oracle,
    Device,
}

fn cases(file: &str) -> Vec<Case> {
    let files = read_version("fourier").expect("the golden data is readable");
    assert!(files.iter().all(|f| f.numpy.starts_with("2.4")));
    let all = files.into_iter().flat_map(|f| f.cases);
    all.filter(|case| case.id.split('/').nth(1) == Some(file)).collect()
}

/// The error budget of a fast algorithm in epsilons per doubling of the number of elements, as in the suite.
const STEP: f64 = 3.0;

/// Returns the tolerance of one side in epsilons, against golden results of 40 digits or NumPy's own.
fn epsilons(side: Side, exact: bool, elements: usize) -> f64 {
    let fast = STEP * (elements.max(1).ilog2() + 2) as f64;
    match (side, exact) {
        (Side::Oracle, true) => 1.0,
        (Side::Device, true) | (Side::Oracle, false) => fast,
        (Side::Device, false) => 2.0 * fast,
    }
}

/// Returns the magnitude of the angles of the factors of a Hankel transform; 1 for other transforms.
fn angle_of_factors(case: &Case) -> f64 {
    let call = case.parameters["call"].as_str().unwrap_or_default();
    let number = |name: &str| -> Option<f64> {
        call.split(';').find_map(|part| part.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
    };
    number("dln").map_or(1.0, |dln| {
        let y = std::f64::consts::PI / (2.0 * dln);
        1.0 + 2.0 * y * ((1.0 + y).ln() + number("offset").unwrap_or_default().abs() + 1.0)
    })
}

/// Compares the form of a result, and its difference from the golden one.
fn distance(got: &NdArray, want: &golden::Array, epsilons: f64, condition: f64) -> Result<usize, String> {
    compare_within(got, want, &vec![f64::INFINITY; got.size()], &got.flags())?;
    let want = NdArray::from_bytes(want.dtype, &want.shape, &want.strides, want.offset, want.bytes.clone())
        .map_err(|e| e.to_string())?;
    let (mut rest, mut whole) = (0.0, 0.0);
    for (x, y) in got.values().into_iter().zip(want.values()) {
        rest += (x.complex() - y.complex()).norm_sqr();
        whole += y.complex().norm_sqr();
    }
    let epsilon = ulp(1.0, got.dtype());
    let epsilons = epsilons * condition;
    let allowed = epsilons * epsilon * whole.sqrt();
    if rest.sqrt() <= allowed {
        return Ok(got.size().max(1));
    }
    Err(format!("{:.2} epsilons from the golden result, of {epsilons} allowed", rest.sqrt() / whole.sqrt() / epsilon))
}

fn compared(matrix: &Matrix, case: &Case, side: Side, exact: bool) -> Result<usize, String> {
    let right = golden_oracle::call(case)?;
    let got = match (side, &right) {
        (Side::Oracle, Ok(results)) => Ok(results.clone()),
        (Side::Oracle, Err(error)) => Err((error.kind.numpy_name(), error.to_string())),
        (Side::Device, _) => match golden_library::call(case)? {
            Ok(results) => Ok(results.iter().map(download).collect::<Result<Vec<_>, _>>()?),
            Err(error) => Err((error.kind().exception(), error.to_string())),
        },
    };
    let (results, want) = match (got, &case.outcome) {
        (Err((kind, _)), Outcome::Error(want)) if is(kind, want) => return Ok(1),
        (Err((_, message)), Outcome::Error(want)) => return Err(format!("NumPy raises {want}, not {message}")),
        (Err((_, message)), _) => return Err(format!("NumPy gives a result, not {message}")),
        (Ok(results), Outcome::Arrays(want)) if results.len() == want.len() => (results, want),
        (Ok(_), outcome) => return Err(format!("NumPy gives {outcome:?}")),
    };
    let mut count = 0;
    for (k, (got, want)) in results.iter().zip(want).enumerate() {
        let inexact = !matches!(got.dtype(), DType::Bool) && !got.dtype().is_integer();
        let transformed = !case.function.contains("scipy.signal.");
        count += if transformed && inexact {
            let elements = case.operands.iter().map(size).max().unwrap_or(1).max(got.size());
            let condition = if side == Side::Device { angle_of_factors(case) } else { 1.0 };
            distance(got, want, epsilons(side, exact, elements), condition)?
        } else {
            let right = &right.as_ref().map_err(|e| e.to_string())?[k];
            let tolerances = match side {
                Side::Oracle => golden_oracle::tolerances(case, right)?,
                Side::Device => golden_library::tolerances(matrix, case, right)?,
            };
            compare_within(got, want, &tolerances, &right.flags())?
        };
    }
    Ok(count)
}

/// Returns true if an exception is an instance of another: NumPy's `AxisError` is an `IndexError` and a `ValueError`,
/// and its functions raise any of the three.
fn is(kind: &str, wanted: &str) -> bool {
    kind == wanted || (kind == "AxisError" && matches!(wanted, "IndexError" | "ValueError"))
}

fn size(operand: &golden::Operand) -> usize {
    match operand {
        golden::Operand::Array(a) => a.shape.iter().product(),
        golden::Operand::Scalar(_) => 1,
    }
}

/// Checks a file and returns the numbers of cases, and of elements and errors that were compared.
fn checked(file: &str, side: Side, exact: bool) -> (usize, usize) {
    let matrix = Matrix::built_in().expect("matrix.yaml is read");
    let cases = cases(file);
    let (next, total) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // More workers than cores, so that pending kernels are compiled in one batch.
    let workers = 8 * std::thread::available_parallelism().map_or(2, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut failures = vec![];
            while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                match compared(&matrix, case, side, exact) {
                    Ok(count) => drop(total.fetch_add(count, Relaxed)),
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
    for failure in failures.iter().take(100) {
        eprintln!("{failure}");
    }
    assert!(failures.is_empty(), "{} of {} cases fail", failures.len(), cases.len());
    (cases.len(), total.into_inner())
}

#[test]
fn transforms_of_the_oracle_are_those_of_40_digits() {
    assert_eq!(checked("exact", Side::Oracle, true), (554, 13_632), "cases, and elements compared");
}

#[test]
fn transforms_of_the_device_are_those_of_40_digits() {
    assert_eq!(checked("exact", Side::Device, true), (554, 13_632), "cases, and elements compared");
}

#[test]
fn transforms_of_the_oracle_equal_numpys_and_scipys() {
    assert_eq!(checked("replies", Side::Oracle, false), (580, 21_318), "cases, and elements and errors compared");
}

#[test]
fn transforms_of_the_device_equal_numpys_and_scipys() {
    assert_eq!(checked("replies", Side::Device, false), (580, 21_318), "cases, and elements and errors compared");
}

#[test]
fn convolutions_are_scipys() {
    for side in [Side::Oracle, Side::Device] {
        assert_eq!(checked("signals", side, false), (1272, 19_981), "cases, and elements and errors compared");
    }
}

/// The angles of the factors are as large as the logarithms of gamma functions, with errors of as many units; the
/// oracle's have more digits.
#[test]
fn hankel_transforms_are_those_of_40_digits() {
    for side in [Side::Oracle, Side::Device] {
        assert_eq!(checked("hankels", side, false), (40, 478), "cases, and elements compared");
    }
}
