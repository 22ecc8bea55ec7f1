//! Tests of random programs on the device and on the oracle, and of the detection of their faults.

use std::collections::BTreeSet;

use cuprum::table::records;
use cuprum_conformance::Matrix;
use cuprum_conformance::program::catalog::Catalog;
use cuprum_conformance::program::generate::walked;
use cuprum_conformance::program::run::{Summary, fused_programs, one, programs};
use cuprum_conformance::program::shrink::shrink;
use cuprum_conformance::run::quiet_panics;
use cuprum_conformance::sparse::program as of_sparse;
use cuprum_conformance::subject::Subject;

/// The number of programs of the suite: each function is called about five times.
const PROGRAMS: u64 = 1000;

/// The number of programs that are also run in a fusing scope; `conformance programs --fuse` runs more.
const FUSED: u64 = 75;

/// The number of programs of sparse arrays.
const SPARSE: u64 = 250;

/// The gate runs one program in `ONE_IN` of each kind: each function is called about twice.
const ONE_IN: u64 = 2;

/// Returns the part of `count` programs that is run on this device.
fn in_turn(subject: &Subject, count: u64) -> u64 {
    if subject.runs_gate_only() { count / ONE_IN } else { count }
}

/// Programs that are known to fail, and the reason. If one of them passes, the test fails.
const OPEN: [(u64, &str); 0] = [];

fn matrix() -> Matrix {
    Matrix::built_in().expect("the matrix of this checkout")
}

fn subject() -> Subject {
    Subject::open(None).expect("a device")
}

#[test]
fn programs_agree_and_call_every_function() {
    let (matrix, subject) = (matrix(), subject());
    let is_gate = subject.runs_gate_only();
    let count = in_turn(&subject, PROGRAMS);
    quiet_panics();
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let summary: Summary = programs(&matrix, &subject, 0..count, jobs, &|_| {});
    println!("{}", summary.totals());
    let known = |seed: u64| OPEN.iter().any(|(open, _)| *open == seed);
    let failed: Vec<String> =
        summary.reports.iter().filter(|r| !known(r.program.seed)).map(ToString::to_string).collect();
    // Printed, since the hook that suppresses panics of programs suppresses this message as well.
    println!("{}", failed.join("\n"));
    assert!(failed.is_empty(), "{} programs failed", failed.len());
    let passed: Vec<u64> =
        OPEN.iter().map(|o| o.0).filter(|seed| summary.reports.iter().all(|r| r.program.seed != *seed)).collect();
    assert!(passed.is_empty(), "these programs pass now: take them out of OPEN: {passed:?}");
    let catalog = Catalog::new(&matrix);
    let left_out: Vec<&str> =
        catalog.entries().iter().map(|e| e.path.as_str()).filter(|path| !summary.called.contains(*path)).collect();
    // Sampled arguments may be rejected: the gate's programs leave a few functions to the others.
    let uncalled = left_out.len() * if is_gate { 25 } else { 1 };
    assert!(uncalled == 0 || is_gate && uncalled < catalog.entries().len(), "no program called {left_out:?}");
    // Steps that test little must remain rare.
    let counts = summary.counts;
    assert!(counts.rejected * 3 < counts.compared, "{} of {} are rejections", counts.rejected, counts.steps);
    assert!(counts.missing * 2000 < counts.steps, "{counts:?}");
    assert!(counts.empty * 5 < counts.compared && counts.unlooked * 6 < counts.compared, "{counts:?}");
}

#[test]
fn every_function_is_drawn_or_has_a_reason() {
    let matrix = matrix();
    let catalog = Catalog::new(&matrix);
    let drawn: BTreeSet<&str> =
        (0..PROGRAMS).flat_map(|seed| walked(&catalog, seed)).map(|k| catalog.entries()[k].path.as_str()).collect();
    let all: BTreeSet<String> = records().iter().map(|r| r.path()).collect();
    let left_out: Vec<&str> = all.iter().map(String::as_str).filter(|path| !drawn.contains(path)).collect();
    let excluded: Vec<String> = Catalog::exclusions(&matrix).into_iter().map(|(path, _)| path).collect();
    let excluded: BTreeSet<&str> = excluded.iter().map(String::as_str).collect();
    assert_eq!(left_out, excluded.into_iter().collect::<Vec<_>>(), "what programs leave out, and what has a reason");
}

#[test]
fn a_seed_draws_the_same_program_again() {
    let (matrix, subject) = (matrix(), subject());
    let catalog = Catalog::new(&matrix);
    quiet_panics();
    let text = |seed| one(&catalog, &subject, seed).program.to_string();
    assert_eq!(text(2), text(2));
    assert_ne!(text(2), text(3));
}

/// The oracle swaps real and imaginary parts: the fault must be found by a program of a few steps.
#[test]
fn a_planted_fault_is_found_and_made_small() {
    let (matrix, subject) = (matrix(), subject());
    quiet_panics();
    let catalog = Catalog::new(&matrix).with_fault("numpy.real", "numpy.imag");
    let found = (0..PROGRAMS).find_map(|seed| {
        let drawn = one(&catalog, &subject, seed);
        let fault = drawn.fault?;
        Some(subject.device().with(|| shrink(&catalog, &drawn.program, &fault)))
    });
    let (program, fault) = found.expect("the fault is found");
    assert!(program.steps.len() <= 4, "{program}");
    assert!(program.to_string().contains("numpy.real"), "{program}{fault:?}");
}

/// Programs whose steps are deferred until their results are read give the same bits as call by call.
#[test]
fn programs_give_the_same_in_a_fusing_scope() {
    let (matrix, subject) = (matrix(), subject());
    quiet_panics();
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let summary = fused_programs(&matrix, &subject, 0..in_turn(&subject, FUSED), jobs, &|_| {});
    let failed: Vec<String> = summary.reports.iter().map(ToString::to_string).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn programs_of_sparse_arrays_agree() {
    let subject = subject();
    let (mut compared, mut rejected, mut failed) = (0, 0, vec![]);
    for seed in 0..in_turn(&subject, SPARSE) {
        match of_sparse::run(&subject, seed) {
            Ok(counts) => (compared, rejected) = (compared + counts.compared, rejected + counts.rejected),
            Err(failing) => failed.push(failing.to_string()),
        }
    }
    // Printed, since the hook of another test suppresses messages of panics.
    println!("{compared} results compared, {rejected} rejections\n{}", failed.join("\n"));
    assert!(failed.is_empty(), "{} programs failed", failed.len());
    assert!(rejected * 4 < compared, "{rejected} of {compared} are rejections");
}
