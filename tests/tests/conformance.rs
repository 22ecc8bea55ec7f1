//! The default run of the conformance suite as tests: one per group of cases with the same operation and dtypes.
//!
//! The device is selected by `CUPRUM_DEVICE`. On the simulator, the cases are those of the gate unless
//! `CUPRUM_SAMPLE=full`. The run fails if the number of cases is not the number that `matrix.yaml` expects.

use std::collections::{BTreeMap, HashSet};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuprum_conformance::numpy::recorded::RecordedOracle;
use cuprum_conformance::numpy::replies::{NUMPY_2_4, Replies, SCIPY_1_17};
use cuprum_conformance::report::{CaseResult, detail};
use cuprum_conformance::run::{Run, quiet_panics};
use cuprum_conformance::subject::Subject;
use cuprum_conformance::{Case, Matrix, coverage, divergence, failing, must_pass, sample};
use libtest_mimic::{Arguments, Failed, Trial};

/// The number of printed failures per group.
const SHOWN: usize = 5;
/// The number of groups for which a failure is shrunk.
const SHRUNK: usize = 10;

/// Threads per core.
const THREADS: usize = 8;

struct Suite {
    matrix: &'static Matrix,
    /// Compares the oracle's results with what NumPy and SciPy replied.
    oracle: RecordedOracle<'static>,
    subject: Subject,
    ran: AtomicUsize,
    shrunk: AtomicUsize,
    /// The sampled cases that must be rejected.
    rejected: HashSet<String>,
}

impl Suite {
    fn run(&self) -> Run<'_> {
        Run { matrix: self.matrix, seed: self.matrix.seed, device: &self.subject, oracle: &self.oracle }
    }

    fn divergence(&self, i: usize) -> Result<(), Failed> {
        let mut results = [self.run().divergence(&self.matrix.divergences[i])];
        failing::apply(self.matrix, &self.subject.about().device, &mut results);
        let [result] = results;
        result.failure.map_or(Ok(()), |failure| Err(failure.message.into()))
    }

    fn group(&self, cases: &[Case]) -> Result<(), Failed> {
        let mut results: Vec<_> = cases.iter().map(|case| self.run().case(case)).collect();
        failing::apply(self.matrix, &self.subject.about().device, &mut results);
        let other = results.iter().find(|r| r.failure.is_none() && r.rejected != self.rejected.contains(&r.id));
        if let Some(CaseResult { id, rejected, .. }) = other {
            let [is, drawn] = [*rejected, !*rejected].map(|r| if r { "rejected" } else { "accepted" });
            return Err(format!("{id} is {is}, and was drawn to be {drawn}: coverage does not count as it says").into());
        }
        self.ran.fetch_add(results.len(), Ordering::Relaxed);
        if let [difference, ..] = self.oracle.differences(cases).as_slice() {
            let [id, aspect, message] = [&difference.id, &difference.aspect.to_string(), &difference.message];
            return Err(format!("the oracle differs from NumPy's reply to {id}: {aspect}: {message}").into());
        }
        let failed = results.iter().filter(|r| r.failure.is_some()).count();
        if failed == 0 {
            return Ok(());
        }
        // One failure per group is shrunk, for a limited number of groups.
        if self.shrunk.fetch_add(1, Ordering::Relaxed) < SHRUNK {
            self.run().shrink_first(cases, &mut results);
        }
        let device = self.subject.about().device;
        let mut message = format!("{failed} of {} cases failed\n", results.len());
        for (result, failure) in results.iter().filter_map(|r| Some((r, r.failure.as_ref()?))).take(SHOWN) {
            let detail = detail(&device, self.matrix.seed, &result.id, failure);
            message += &format!("{}\n  {}\n", result.id, detail.trim_end().replace('\n', "\n  "));
        }
        Err(message.into())
    }
}

fn suite() -> Result<Suite, String> {
    // The suite lives as long as the process.
    let matrix: &Matrix = Box::leak(Box::new(Matrix::built_in().map_err(|problems| problems.to_string())?));
    let replies: &[Replies] = Box::leak(Box::new([Replies::read(NUMPY_2_4)?, Replies::read(SCIPY_1_17)?]));
    let oracle = RecordedOracle::new(matrix, replies);
    let (subject, rejected) = (Subject::open(None)?, sample::rejected(matrix));
    Ok(Suite { matrix, oracle, subject, ran: AtomicUsize::new(0), shrunk: AtomicUsize::new(0), rejected })
}

fn main() {
    let mut args = Arguments::from_args();
    // Threads that wait for the compiler are compiled for in one batch.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    args.test_threads.get_or_insert(THREADS * cores);
    let suite = match suite() {
        Ok(suite) => Arc::new(suite),
        Err(message) => {
            eprintln!("the conformance suite cannot run: {message}");
            exit(101);
        }
    };
    let whole = sample::cases(suite.matrix, false, suite.matrix.seed);
    let miscount = sample::miscount(suite.matrix, &whole);
    let ids = sample::ids(suite.matrix);
    let only_gate = suite.subject.runs_gate_only();
    let cases = if only_gate { sample::gate(suite.matrix) } else { whole };
    let total = cases.len();
    let recorded = cases.iter().filter(|case| suite.oracle.has(&case.id())).count();
    let mut groups: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        let name: Vec<String> = case.id().split('/').take(3).map(String::from).collect();
        groups.entry(name.join("/")).or_default().push(case);
    }
    let trial = |(name, cases): (String, Vec<Case>)| {
        let suite = Arc::clone(&suite);
        Trial::test(name, move || suite.group(&cases))
    };
    let mut trials: Vec<Trial> = groups.into_iter().map(trial).collect();
    for (i, divergence) in suite.matrix.divergences.iter().enumerate().filter(|(_, d)| d.is_run()) {
        let suite = Arc::clone(&suite);
        trials.push(Trial::test(divergence::id(divergence), move || suite.divergence(i)));
    }
    trials.push(Trial::test("the number of cases is the one expected", move || {
        if miscount.is_empty() { Ok(()) } else { Err(miscount.join("\n").into()) }
    }));
    let unknown: Vec<String> = failing::stale(suite.matrix, &ids).into_iter().map(String::from).collect();
    trials.push(Trial::test("the cases are those of the must-pass list", move || {
        let difference = must_pass::difference(&must_pass::read(must_pass::BUILT_IN)?, &ids);
        if difference.is_empty() { Ok(()) } else { Err(difference.to_string().into()) }
    }));
    let of = Arc::clone(&suite);
    trials.push(Trial::test("the holes in the coverage are those that the matrix names", move || {
        let problems = coverage::problems(of.matrix, &coverage::rows(of.matrix));
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
    }));
    trials.push(Trial::test("every case that is known to fail is one of the sample", move || {
        if unknown.is_empty() { Ok(()) } else { Err(unknown.join("\n").into()) }
    }));
    quiet_panics();
    let conclusion = libtest_mimic::run(&args, trials);
    let ran = suite.ran.load(Ordering::Relaxed);
    if !args.list && conclusion.num_filtered_out == 0 && ran != total {
        eprintln!("{ran} of {total} cases were run");
        exit(101);
    }
    let compared = suite.oracle.compared();
    if !args.list && conclusion.num_filtered_out == 0 && compared != recorded {
        eprintln!("the oracle's results of {compared} of {recorded} cases were compared with replies");
        exit(101);
    }
    conclusion.exit();
}
