//! Runs cases on both sides, in parallel, and compares them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cuprum::Engine;
use cuprum_kernels::DType;

use crate::case::{Case, Expectation, Operand};
use crate::divergence;
use crate::judge::{Allowance, Failure, Reason, Verdict, judge};
use crate::matrix::{Matrix, Model, Op, OpKind};
use crate::operand::{Input, inputs};
use crate::outcome::{Kind, Outcome, Tensor};
use crate::reference::Reference;
use crate::report::CaseResult;
use crate::side::Side;
use crate::subject::Subject;
use crate::{snippet, ulp};

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Suppresses the output of panics: [`Run::case`] puts them into the result.
pub fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| PANIC.set(info.to_string())));
}

/// Returns the message of the last panic of this thread.
pub(crate) fn last_panic() -> String {
    PANIC.take()
}

/// Returns the verdict of results of the correct dtypes, shapes and layouts by their residuals.
pub(crate) fn by_remainders(verdict: Verdict, remainders: &Result<Vec<(String, f64)>, String>) -> Verdict {
    if verdict.failure.is_some() || verdict.rejected {
        return verdict;
    }
    let broken = |reason, message| Verdict { failure: Some(Failure::new(reason, message)), ..Verdict::default() };
    match remainders {
        Err(message) => broken(Reason::Broken, format!("the remainders are not known: {message}")),
        Ok(all) => match all.iter().find(|(_, size)| size.is_nan() || *size > 1.0) {
            Some((what, size)) => {
                broken(Reason::Value, format!("{what} is {size} times as large as LAPACK's tests allow"))
            }
            None => Verdict { share: all.iter().map(|(_, size)| *size).fold(0.0, f64::max), ..verdict },
        },
    }
}

/// Executes a case on one side; a panic is an error.
pub(crate) fn guarded(side: &dyn Side, op: &Op, case: &Case, inputs: &[Input]) -> Outcome {
    let outcome = catch_unwind(AssertUnwindSafe(|| side.run(op, case, inputs)));
    outcome.unwrap_or_else(|_| Outcome::Rejected(Kind::Broken, format!("a panic: {}", last_panic())))
}

/// Returns the element of an operand that is broadcast to this element of a result.
fn element(input: &Input, index: &[usize]) -> String {
    let placed = match input {
        Input::Scalar(scalar) => return format!("{scalar:?}"),
        Input::Array(placed) => &placed.logical,
    };
    let shape = &placed.shape;
    // The axes of an operand are the last ones of the result.
    let own = index.get(index.len().saturating_sub(shape.len())..).unwrap_or_default();
    let at = own.iter().zip(shape).fold(0, |at, (i, n)| at * n + if *n == 1 { 0 } else { *i });
    if at < placed.size() { placed.shown(at) } else { "?".into() }
}

/// The comparison of a case.
struct Judged {
    verdict: Verdict,
    /// The device's result; `None` if the case could not be built.
    got: Option<Outcome>,
    /// The time of the oracle, bounds included.
    oracle: Duration,
}

/// A run: the parameters of the execution of its cases.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The declarations.
    pub matrix: &'a Matrix,
    /// The seed of the operands.
    pub seed: u64,
    /// The device under test.
    pub device: &'a dyn Side,
    /// The oracle.
    pub oracle: &'a dyn Side,
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl Run<'_> {
    /// Executes and compares the case of an id, or the divergence.
    pub fn id(&self, id: &str) -> CaseResult {
        if let Some(divergence) = self.matrix.divergences.iter().find(|d| divergence::id(d) == id) {
            return self.divergence(divergence);
        }
        match Case::parse(id, self.matrix) {
            Ok(case) => self.case(&case),
            Err(message) => {
                let failure = Some(Failure::new(Reason::Broken, message));
                CaseResult { id: id.into(), failure, ..CaseResult::default() }
            }
        }
    }

    /// Executes and compares one case.
    pub fn case(&self, case: &Case) -> CaseResult {
        let start = Instant::now();
        let Judged { verdict, got, oracle } = self.judged(case);
        let join = |part: fn(&Operand) -> Option<String>| -> String {
            case.operands.iter().filter_map(part).collect::<Vec<_>>().join("-")
        };
        let dtype = got.as_ref().and_then(Outcome::first).map_or("", |t| t.dtype.device_name());
        // The 16-bit types compute in float32, and complex64 in complex128: the operand's type counts too.
        let approximate = self.matrix.op(&case.op).is_some_and(|op| {
            let named = |d: &str| op.approximate.iter().any(|a| a == d);
            named(dtype) || case.dtypes().iter().any(|d| named(d.device_name()))
        });
        CaseResult {
            id: case.id(),
            family: case.family.clone(),
            op: case.op.clone(),
            dtypes: join(|o| match o {
                Operand::Array { dtype, .. } => Some(dtype.device_name().into()),
                Operand::Scalar(text) => Some(format!("py({text})")),
            }),
            layouts: join(|o| if let Operand::Array { layout, .. } = o { Some(layout.to_string()) } else { None }),
            result: dtype.into(),
            rejected: verdict.rejected,
            error: verdict.error.is_finite().then_some(verdict.error),
            share: verdict.share,
            histogram: verdict.histogram,
            worst: verdict.worst,
            looked: verdict.looked,
            failure: verdict.failure,
            known: None,
            micros: start.elapsed().as_micros() as u64,
            oracle_micros: oracle.as_micros() as u64,
            digest: format!("{:016x}", got.map_or(0, |o| o.digest())),
            approximate,
        }
    }

    /// Executes and compares a case; returns its failure.
    pub(crate) fn failure(&self, case: &Case) -> Option<Failure> {
        self.judged(case).verdict.failure
    }

    fn judged(&self, case: &Case) -> Judged {
        let broken = |message: String| {
            let got = Outcome::Rejected(Kind::Broken, message);
            let verdict = judge(&got, &got, crate::case::Expectation::Agreement, &Default::default());
            Judged { verdict, got: None, oracle: Duration::ZERO }
        };
        let Some(op) = self.matrix.op(&case.op) else {
            return broken(format!("no operation is called {}", case.op));
        };
        let inputs = match inputs(case, self.seed) {
            Ok(inputs) => inputs,
            Err(message) => return broken(message),
        };
        let start = Instant::now();
        let want = guarded(self.oracle, op, case, &inputs);
        let oracle = start.elapsed();
        let got = guarded(self.device, op, case, &inputs);
        let (mut verdict, allowance) =
            self.verdict(op, case, &inputs, (&want, &got), case.expectation(self.matrix, op));
        let allowance = &allowance;
        if let Some(failure) = &mut verdict.failure {
            let subject = snippet::Subject { op, case, seed: self.seed, inputs: &inputs, want: &want, allowance };
            (failure.test, failure.numpy) = (subject.test(), subject.numpy());
        }
        if let (Some(worst), OpKind::Ufunc | OpKind::Operator) = (&mut verdict.worst, op.kind) {
            worst.operands = inputs.iter().map(|input| element(input, &worst.index)).collect();
        }
        Judged { verdict, got: Some(got), oracle }
    }

    /// Compares the device's result with the oracle's, and returns the tolerance.
    pub(crate) fn verdict(
        &self,
        op: &Op,
        case: &Case,
        inputs: &[Input],
        (want, got): (&Outcome, &Outcome),
        expectation: Expectation,
    ) -> (Verdict, Allowance) {
        let remainders = self.oracle.remainders(op, case, inputs, got);
        let allowance = match &remainders {
            Some(_) => Allowance::any(want),
            None => self.allowance(op, case, inputs, want, got.first()),
        };
        let verdict = judge(got, want, expectation, &allowance);
        match remainders {
            Some(remainders) => (by_remainders(verdict, &remainders), allowance),
            None => (verdict, allowance),
        }
    }

    /// Returns a case as a Rust test and in NumPy, whether it fails or not.
    pub fn snippets(&self, case: &Case) -> Option<(String, Option<String>)> {
        let (op, inputs) = (self.matrix.op(&case.op)?, inputs(case, self.seed).ok()?);
        let want = guarded(self.oracle, op, case, &inputs);
        let allowance = &self.allowance(op, case, &inputs, &want, None);
        let subject = snippet::Subject { op, case, seed: self.seed, inputs: &inputs, want: &want, allowance };
        Some((subject.test()?, subject.numpy()))
    }

    /// Returns the tolerance of the values. The condition number is needed only where the device's result differs.
    fn allowance(&self, op: &Op, case: &Case, inputs: &[Input], want: &Outcome, got: Option<&Tensor>) -> Allowance {
        let Some(want) = want.first() else { return Allowance::default() };
        self.allowed(op, &case.dtypes(), inputs, want, got, &|| self.oracle.bounds(op, case, inputs))
    }

    /// Returns the tolerance of a result, by the tolerance of an operation, the dtypes of its operands and, where the
    /// operands determine them, these bounds.
    pub(crate) fn allowed(
        &self,
        op: &Op,
        dtypes: &[DType],
        inputs: &[Input],
        want: &Tensor,
        got: Option<&Tensor>,
        bounds: &dyn Fn() -> Option<Vec<f64>>,
    ) -> Allowance {
        let tolerance = self.matrix.tolerance(op);
        let inexact = want.dtype.is_float() || want.dtype.is_complex();
        let units = tolerance.ulp(want.dtype, dtypes);
        let bounds = match tolerance.model {
            Model::Truncated => bounds(),
            Model::Derived if inexact => bounds(),
            Model::Scaled if inexact => {
                // Complex numbers of single precision are computed in double precision by all functions.
                let wide = match want.dtype {
                    DType::F32 if tolerance.in_float64 => Some(DType::F64),
                    DType::C64 => Some(DType::C128),
                    _ => None,
                };
                let bound = |(i, (scale, value)): (usize, (f64, Option<f64>))| {
                    let Some(wide) = wide else { return units as f64 * ulp::unit(want.dtype, scale) };
                    let (re, im) = want.get(i).parts();
                    let most = ulp::max(want.dtype);
                    let size = re.hypot(im).min(most);
                    let off = tolerance.ulp(wide, &[]) as f64 * ulp::unit(wide, scale);
                    // Close to the middle between two elements a value with such a small error is rounded to either.
                    let rounded = |x: f64| (f64::from(x.clamp(-most, most) as f32) - re).abs();
                    let single = value.filter(|_| want.dtype == DType::F32);
                    let either = single.map_or(0.0, |v| rounded(v - off).max(rounded(v + off)));
                    (units as f64 * ulp::unit(want.dtype, size) + off).max(either)
                };
                let got = got.filter(|got| got.dtype == want.dtype && got.bytes.len() == want.bytes.len());
                // An element next to the correct one needs no condition number, which takes the oracle long to compute.
                let is_compared = |i: usize| {
                    let Some(got) = got else { return true };
                    let ((a, b), (c, d)) = (got.get(i).parts(), want.get(i).parts());
                    let apart = (a - c).abs().max((b - d).abs());
                    apart > ulp::unit(want.dtype, c.hypot(d).min(ulp::max(want.dtype))) || apart > 0.0 && wide.is_some()
                };
                self.oracle
                    .scales(op, inputs, want, &is_compared)
                    .map(|scales| scales.into_iter().enumerate().map(bound).collect())
            }
            _ => None,
        };
        Allowance {
            ulp: units,
            complex: tolerance.complex,
            any_infinity: tolerance.any_infinity,
            // For a single product, some kernels of the libraries keep the sign of a zero, and some add it to 0.
            any_zero: op.engine() == Some(Engine::Matmul),
            trims: tolerance.trims,
            bounds,
        }
    }

    /// Executes cases on `jobs` threads; `done` is called after each. The results are in the order of the cases.
    pub fn cases(&self, cases: &[Case], jobs: usize, done: &(dyn Fn(&CaseResult) + Sync)) -> Vec<CaseResult> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::with_capacity(cases.len()));
        let work = || {
            while let Some((i, case)) = {
                let i = next.fetch_add(1, Ordering::Relaxed);
                cases.get(i).map(|case| (i, case))
            } {
                let result = self.case(case);
                done(&result);
                results.lock().expect("no thread panics while it holds the lock").push((i, result));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs.max(1) {
                scope.spawn(work);
            }
        });
        let mut results = results.into_inner().expect("no thread panics while it holds the lock");
        results.sort_by_key(|(i, _)| *i);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

/// Executes the case of an id on the current device and compares it with the oracle.
///
/// # Panics
/// If there is no such case or no device: this is for tests that are pasted.
#[track_caller]
pub fn again(id: &str, seed: u64) -> CaseResult {
    let matrix = Matrix::built_in().unwrap_or_else(|e| panic!("{e}"));
    let case = Case::parse(id, &matrix).unwrap_or_else(|e| panic!("{e}"));
    let subject = Subject::open(None).unwrap_or_else(|e| panic!("{e}"));
    Run { matrix: &matrix, seed, device: &subject, oracle: &Reference }.case(&case)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Tensor;

    /// A side that returns its first operand, with a fault.
    struct Echo(fn(&mut Tensor));

    impl Side for Echo {
        fn run(&self, _: &Op, _: &Case, inputs: &[Input]) -> Outcome {
            let Input::Array(placed) = &inputs[0] else { panic!("a scalar") };
            let l = &placed.logical;
            let mut tensor = Tensor::packed(l.dtype, &l.shape, l.bytes.clone());
            (self.0)(&mut tensor);
            Outcome::Array(tensor)
        }
    }

    fn results(fault: fn(&mut Tensor)) -> Vec<CaseResult> {
        let matrix = Matrix::built_in().unwrap();
        let run = Run { matrix: &matrix, seed: 1, device: &Echo(fault), oracle: &Echo(|_| {}) };
        let ids = ["math/negative/f32/(33,65)/strided/bits", "math/negative/i16/(5,)/negative/limits"];
        let cases: Vec<Case> = ids.iter().map(|id| Case::parse(id, &matrix).unwrap()).collect();
        run.cases(&cases, 2, &|_| {})
    }

    #[test]
    fn equal_sides_pass_and_the_order_is_kept() {
        let results = results(|_| {});
        assert!(results.iter().all(|r| r.failure.is_none()), "{results:?}");
        assert!(results[0].id.contains("f32") && results[1].id.contains("i16"));
    }

    #[test]
    fn one_flipped_bit_is_found() {
        for result in results(|t| *t.bytes.last_mut().unwrap() ^= 1) {
            assert_eq!(result.failure.unwrap().reason, Reason::Value);
        }
    }

    #[test]
    fn the_worst_element_is_reported_with_its_operands() {
        fn off(t: &mut Tensor) {
            let last = t.bytes.len() - 4;
            t.bytes[last..].copy_from_slice(&1e9f32.to_le_bytes());
        }
        let matrix = Matrix::built_in().unwrap();
        let run = Run { matrix: &matrix, seed: 1, device: &Echo(off), oracle: &Echo(|_| {}) };
        let case = Case::parse("math/add/f32-f32/(2,3)x(3,)/C-C/small", &matrix).unwrap();
        let worst = run.case(&case).worst.unwrap();
        let inputs = inputs(&case, 1).unwrap();
        let last = |input: &Input| match input {
            Input::Array(placed) => placed.logical.shown(placed.logical.size() - 1),
            Input::Scalar(_) => panic!("an array"),
        };
        assert_eq!((worst.index, worst.got.as_str()), (vec![1, 2], "1000000000.0"));
        assert_eq!(worst.operands, inputs.iter().map(last).collect::<Vec<_>>());
        assert_eq!(worst.want, worst.operands[0]);
    }

    #[test]
    fn a_panic_is_a_failure_of_its_case_alone() {
        let results = results(|t| assert!(t.dtype != cuprum_kernels::DType::F32, "planted"));
        assert_eq!(results[0].failure.as_ref().unwrap().reason, Reason::Broken);
        assert_eq!(results[1].failure, None);
    }

    #[test]
    fn the_same_seed_gives_the_same_digests() {
        let digests = || results(|_| {}).into_iter().map(|r| r.digest).collect::<Vec<_>>();
        assert_eq!(digests(), digests());
    }
}
