//! Runs cases with NumPy and the oracle, and counts comparisons and differences.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuprum_oracle::{Change, NumpyVersion, trace_changes, with_changes, with_version};
use serde::Serialize;

use super::compare::{Aspect, compare};
use super::known;
use super::{Answer, Worker, error};
use crate::case::Case;
use crate::divergence;
use crate::judge::{Allowance, Verdict};
use crate::matrix::{Matrix, Op, OpKind};
use crate::operand::{Input, inputs};
use crate::outcome::{Freedom, Outcome, Tensor};
use crate::reference::Reference;
use crate::run::{by_remainders, guarded};
use crate::side::Side;

/// An unexplained difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// The case.
    pub id: String,
    /// The aspect.
    pub aspect: Aspect,
    /// A description of both sides.
    pub message: String,
}

/// The results of the cases on one NumPy.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Proof {
    /// NumPy's version.
    pub numpy: String,
    /// The instruction sets that it used.
    pub features: Vec<String>,
    /// Number of compared cases.
    pub cases: usize,
    /// Number of skipped cases, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Number of comparisons: a case, or an array of its result, in one aspect.
    pub compared: BTreeMap<Aspect, usize>,
    /// Number of elements among the values.
    pub elements: usize,
    /// Number of elements for which any value passes.
    pub open: usize,
    /// Known differences, by the entry that explains them.
    pub explained: BTreeMap<String, usize>,
    /// Cases without a difference that would have one if the oracle applied this change of a later NumPy: one for each.
    pub needed: BTreeMap<String, String>,
    /// Elements that the oracle leaves undefined, with NumPy's different results.
    pub evidence: BTreeMap<String, Vec<String>>,
    /// Unexplained differences.
    pub differences: Vec<Difference>,
}

/// Returns the version that the oracle follows for this NumPy.
fn followed(numpy: &str) -> NumpyVersion {
    if numpy.starts_with("1.") { NumpyVersion::V1_22 } else { NumpyVersion::V2_4 }
}

impl Proof {
    pub(super) fn add(&mut self, other: Proof) {
        self.cases += other.cases;
        self.elements += other.elements;
        self.open += other.open;
        let sums = |to: &mut BTreeMap<String, usize>, from: BTreeMap<String, usize>| {
            from.into_iter().for_each(|(key, n)| *to.entry(key).or_default() += n);
        };
        sums(&mut self.skipped, other.skipped);
        sums(&mut self.explained, other.explained);
        other.compared.into_iter().for_each(|(aspect, n)| *self.compared.entry(aspect).or_default() += n);
        self.needed.extend(other.needed);
        self.differences.extend(other.differences);
    }

    /// Returns declarations that were not needed: entries of the ledger that explain nothing or are to be checked
    /// again, and changes that no case shows.
    pub fn stale(&self, matrix: &Matrix, today: &str) -> Vec<String> {
        let mut out = vec![];
        for entry in matrix.divergences.iter().filter(|d| d.is_of(&self.numpy)) {
            if !entry.aspects.is_empty() && !self.explained.contains_key(&entry.id) {
                out.push(format!("the entry {} of the ledger explains nothing", entry.id));
            }
            if let Some(day) = entry.expires.as_deref().filter(|day| *day < today) {
                out.push(format!("the entry {} of the ledger expired on {day}: is it so still?", entry.id));
            }
        }
        for absent in known::ABSENT.iter().filter(|a| self.numpy.starts_with(a.version)) {
            if !self.skipped.keys().any(|reason| reason.starts_with(&format!("{}: ", absent.op))) {
                out.push(format!("{} is declared absent, and is not", absent.op));
            }
        }
        for (question, _) in self.evidence.iter().filter(|(_, answers)| answers.len() < 2) {
            out.push(format!("NumPy has one answer only to: {question}"));
        }
        if followed(&self.numpy) == NumpyVersion::V1_22 {
            let unneeded = Change::ALL.into_iter().filter(|change| !self.needed.contains_key(&format!("{change:?}")));
            out.extend(unneeded.map(|change| format!("no case needs the change {change:?}: {}", change.cite())));
        }
        out
    }

    /// Checks the entries of the ledger for this NumPy; entries of 1.22 apply to that version alone.
    fn check_divergences(
        &mut self,
        matrix: &Matrix,
        mut start: impl FnMut() -> Result<Worker, String>,
    ) -> Result<(), String> {
        let mut worker = start()?;
        self.evidence = worker.evidence()?;
        let numpy = self.numpy.clone();
        for divergence in matrix.divergences.iter().filter(|d| d.is_of(&numpy)) {
            let id = divergence::id(divergence);
            let (wrong, gone) = divergence::check_numpy(matrix, divergence, matrix.seed, &mut worker)?;
            if gone {
                worker = start()?;
            }
            if divergence.is_run() {
                *self.compared.entry(Aspect::Values).or_default() += 1;
            }
            // An entry that declares a difference in some aspects must show it in its own example at least.
            if let Some(example) = divergence.case.as_ref().filter(|_| !divergence.aspects.is_empty()) {
                let case = Case::parse(example, matrix)?;
                if one(matrix, &case, matrix.seed, &mut worker, self)? {
                    worker = start()?;
                }
            }
            let mut differs = |aspect, message| self.differences.push(Difference { id: id.clone(), aspect, message });
            if let Some(message) = wrong {
                differs(Aspect::Values, message);
            }
            for question in &divergence.python {
                if question.ask.contains("scipy") && !worker.has_scipy {
                    *self.skipped.entry("a question to SciPy, which is not there".into()).or_default() += 1;
                    continue;
                }
                let found = worker.value(&question.ask)?;
                *self.compared.entry(Aspect::Text).or_default() += 1;
                if found != question.gives {
                    differs(
                        Aspect::Text,
                        format!("{} gives {found}, the ledger says {}", question.ask, question.gives),
                    );
                }
            }
        }
        Ok(())
    }

    fn skip(&mut self, reason: &str) {
        *self.skipped.entry(reason.into()).or_default() += 1;
    }

    fn differs(&mut self, matrix: &Matrix, version: &str, case: &Case, aspect: Aspect, message: String) {
        let id = case.id();
        match matrix.divergences.iter().find(|d| d.explains(version, &id, aspect)) {
            Some(entry) => *self.explained.entry(entry.id.clone()).or_default() += 1,
            None => self.differences.push(Difference { id, aspect, message }),
        }
    }

    /// Returns the counts, and every difference, as text.
    pub fn summary(&self) -> String {
        let mut out = String::new();
        for Difference { id, aspect, message } in &self.differences {
            let _ = writeln!(out, "{id}: {aspect}: {message}");
        }
        let _ = writeln!(out, "NumPy {}: {} cases, {} differences", self.numpy, self.cases, self.differences.len());
        for (aspect, n) in &self.compared {
            let _ = writeln!(out, "  {aspect:<16} {n:>8}");
        }
        let _ = writeln!(out, "  {:<16} {:>8}", "together", self.comparisons());
        let _ = writeln!(out, "  of {} elements, {} of which NumPy leaves open", self.elements, self.open);
        for (reason, n) in &self.skipped {
            let _ = writeln!(out, "  not compared: {n}: {reason}");
        }
        for (id, n) in &self.explained {
            let _ = writeln!(out, "  explained: {n}: {id}");
        }
        for (question, answers) in &self.evidence {
            let _ = writeln!(out, "  open: {question}: {}", answers.join(" | "));
        }
        for (change, id) in &self.needed {
            let _ = writeln!(out, "  needed: {change}: {id}");
        }
        out
    }

    /// Returns the number of comparisons.
    pub fn comparisons(&self) -> usize {
        self.compared.values().sum()
    }
}

/// Executes the cases on both sides, on `jobs` threads with a NumPy each.
///
/// # Errors
/// A message, if NumPy does not start or fails.
pub fn prove(
    matrix: &Matrix,
    cases: &[(Case, u64)],
    python: &Path,
    script: &Path,
    jobs: usize,
) -> Result<Proof, String> {
    let next = AtomicUsize::new(0);
    let whole = Mutex::new(Proof::default());
    let work = || -> Result<(), String> {
        let mut worker = Worker::start(python, script)?;
        let mut part = Proof::default();
        while let Some((case, seed)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if one(matrix, case, *seed, &mut worker, &mut part).map_err(|e| format!("{case}: {e}"))? {
                worker = Worker::start(python, script)?;
            }
        }
        let mut whole = whole.lock().expect("no thread panics while it holds the lock");
        whole.add(part);
        (whole.numpy, whole.features) = (worker.version.clone(), worker.features.clone());
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|_| Err("a thread panicked".into())))
    })?;
    let mut proof = whole.into_inner().expect("no thread panics while it holds the lock");
    proof.check_divergences(matrix, || Worker::start(python, script))?;
    proof.differences.sort();
    Ok(proof)
}

/// Executes and compares one case; returns whether NumPy crashed.
fn one(matrix: &Matrix, case: &Case, seed: u64, worker: &mut Worker, proof: &mut Proof) -> Result<bool, String> {
    let op = matrix.op(&case.op).ok_or_else(|| format!("no operation is called {}", case.op))?;
    if let Some(reason) = known::skipped(op, case, worker) {
        proof.skip(reason);
        return Ok(false);
    }
    let inputs = inputs(case, seed)?;
    let (numpy, scalar) = match worker.ask(op, case, &inputs)? {
        Answer::Outcome(outcome, scalar) => (outcome, scalar),
        Answer::Absent(name) => {
            match known::absent(&name, &worker.version) {
                Some(absent) => proof.skip(&format!("{name}: {}", absent.reason)),
                None if worker.version.starts_with("1.") => proof.skip("a function that is newer, or SciPy's"),
                None => proof.differs(matrix, &worker.version, case, Aspect::Outcome, format!("NumPy has no {name}")),
            }
            return Ok(false);
        }
        Answer::Crashed(reason) => {
            proof.differs(matrix, &worker.version, case, Aspect::Outcome, format!("NumPy crashes: {reason}"));
            return Ok(true);
        }
    };
    held(matrix, (op, case, &inputs), (&|_| numpy.clone(), scalar), &worker.version, None, proof);
    Ok(false)
}

/// Compares the oracle's result of a case, computed here unless it is passed, with NumPy's, which may depend on it, and
/// whether it is a scalar.
pub(super) fn held(
    matrix: &Matrix,
    (op, case, inputs): (&Op, &Case, &[Input]),
    (numpy, scalar): (&dyn Fn(&Outcome) -> Outcome, bool),
    numpy_version: &str,
    computed: Option<&Outcome>,
    proof: &mut Proof,
) {
    let version = followed(numpy_version);
    let judged = || {
        let oracle = computed.cloned().unwrap_or_else(|| guarded(&Reference, op, case, inputs));
        let numpy = numpy(&oracle);
        let remainders = Reference.remainders(op, case, inputs, &numpy);
        let allowances = match &remainders {
            Some(_) => arrays(&oracle).iter().map(|t| Allowance::any(&Outcome::Array(t.clone()))).collect(),
            None => allowances(matrix, op, case, inputs, &oracle),
        };
        let mut compared = compare(&numpy, &oracle, &allowances);
        // Elements that are not unique: their residuals are checked, on NumPy's side as on any other.
        if let Some(remainders) = remainders {
            let far = by_remainders(Verdict::default(), &remainders).failure;
            compared.aspect(Aspect::Values, far.is_none(), || {
                format!("of NumPy's: {}", far.map_or(String::new(), |f| f.message))
            });
            let all = arrays(&oracle).iter().map(Tensor::size).sum();
            return (compared, (all, 0));
        }
        // Scalars and 0-d arrays are not distinguished.
        if !matches!(op.kind, OpKind::Routine | OpKind::Creation | OpKind::Sparse)
            && compared.aspects.contains(&Aspect::Shape)
        {
            let expected = Reference.gives_scalar(op, case, &oracle);
            let form = |scalar| if scalar { "a scalar" } else { "an array" };
            compared.aspect(Aspect::Form, scalar == expected, || {
                format!("NumPy gives {}, the oracle's rule {}", form(scalar), form(expected))
            });
        }
        (compared, elements(&oracle, &allowances))
    };
    let ((compared, (elements, open)), changes) = trace_changes(|| with_version(version, judged));
    if version == NumpyVersion::V1_22 && compared.differences.is_empty() {
        for change in changes {
            let name = format!("{change:?}");
            if !proof.needed.contains_key(&name) && !with_changes(version, &[change], judged).0.differences.is_empty() {
                proof.needed.insert(name, case.id());
            }
        }
    }
    proof.cases += 1;
    if compared.aspects.contains(&Aspect::Values) {
        proof.elements += elements;
        proof.open += open;
    }
    compared.aspects.into_iter().for_each(|aspect| *proof.compared.entry(aspect).or_default() += 1);
    for (aspect, mut message) in compared.differences {
        if let Some(reason) = error::reason(op).filter(|_| aspect == Aspect::Values) {
            message += &format!(" (the budget: {reason})");
        }
        proof.differs(matrix, numpy_version, case, aspect, message);
    }
}

/// Returns the number of elements of a result, and how many of them are undefined.
fn elements(oracle: &Outcome, allowances: &[Allowance]) -> (usize, usize) {
    let (mut all, mut open) = (0, 0);
    for (tensor, allowance) in arrays(oracle).iter().zip(allowances) {
        let any = |i: &usize| {
            let unbounded = allowance.bounds.as_ref().is_some_and(|b| b.get(*i).is_some_and(|b| !b.is_finite()));
            unbounded || matches!(tensor.freedom.get(*i), Some(Freedom::Any | Freedom::Ours))
        };
        all += tensor.size();
        open += (0..tensor.size()).filter(any).count();
    }
    (all, open)
}

fn arrays(outcome: &Outcome) -> &[Tensor] {
    match outcome {
        Outcome::Array(tensor) => std::slice::from_ref(tensor),
        Outcome::Several(tensors) => tensors,
        _ => &[],
    }
}

fn allowances(matrix: &Matrix, op: &Op, case: &Case, inputs: &[Input], oracle: &Outcome) -> Vec<Allowance> {
    let mut before = 0;
    let each = |want: &Tensor| {
        let mut allowance = error::allowance(matrix, op, case, inputs, want);
        // Derived bounds are those of all results, concatenated.
        allowance.bounds = allowance.bounds.map(|all| match all.len() > want.size() {
            true => all.into_iter().skip(before).take(want.size()).collect(),
            false => all,
        });
        before += want.size();
        allowance
    };
    arrays(oracle).iter().map(each).collect()
}
