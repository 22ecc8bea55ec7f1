//! Execution of the ledger of differences from NumPy: declared differences must occur, on both sides, and declared
//! agreements as well.

use cuprum_kernels::DType;
use cuprum_oracle::{NumpyVersion, with_version};

use crate::case::{Case, Expectation, Layout, Operand, ValueSet};
use crate::judge::{Allowance, Failure, Reason, judge};
use crate::matrix::ledger::Status;
use crate::matrix::{Divergence, Literal, Matrix, Op, OpKind};
use crate::numpy::compare::compare;
use crate::numpy::{Answer, Worker};
use crate::operand::{Input, inputs, lay_out};
use crate::outcome::{Freedom, Number, Outcome, Tensor};
use crate::random::Rng;
use crate::reference::Reference;
use crate::report::CaseResult;
use crate::run::{Run, guarded};
use crate::side::Side;
use crate::text::Shape;
use crate::text::matches;

/// The family of the results of divergences.
pub const FAMILY: &str = "divergence";

/// Returns the id of a divergence's result.
pub fn id(divergence: &Divergence) -> String {
    format!("{FAMILY}/{}", divergence.id)
}

/// Returns the NumPy version of a divergence.
fn version(divergence: &Divergence) -> NumpyVersion {
    if divergence.version.as_deref() == Some("1.22") { NumpyVersion::V1_22 } else { NumpyVersion::V2_4 }
}

fn tensor(literal: &Literal) -> Result<Tensor, String> {
    let dtype: DType = literal.dtype.parse().map_err(|e| format!("{e}"))?;
    let number = |parts: &[f64]| match parts {
        [re, im] => Number::Complex(*re, *im),
        [x, ..] if dtype.is_float() => Number::Float(*x),
        [x, ..] => Number::Int(*x as i128),
        [] => Number::Int(0),
    };
    let parts = if dtype.is_complex() { 2 } else { 1 };
    let bytes: Vec<u8> = literal.values.chunks(parts).flat_map(|x| number(x).encode(dtype)).collect();
    let shape = literal.shape.clone().unwrap_or_else(|| vec![literal.values.len() / parts]);
    if shape.iter().product::<usize>() * dtype.size() != bytes.len() {
        return Err(format!("{} values do not make the shape {shape:?}", literal.values.len()));
    }
    Ok(Tensor::packed(dtype, &shape, bytes))
}

/// The example with which a divergence is executed.
struct Example<'a> {
    op: &'a Op,
    case: Case,
    inputs: Vec<Input>,
}

fn fault(reason: Reason, message: String) -> Failure {
    Failure { reason, message, test: None, numpy: None, smallest: None }
}

impl Run<'_> {
    /// Executes a divergence between results: the device must return `ours`, or NumPy's result, and the oracle `numpy`.
    pub fn divergence(&self, divergence: &Divergence) -> CaseResult {
        let (failure, got) = match self.both(divergence) {
            Ok((failure, got)) => (failure, Some(got)),
            Err(message) => (Some(Failure::new(Reason::Broken, message)), None),
        };
        CaseResult {
            id: id(divergence),
            family: FAMILY.into(),
            op: divergence.op.clone().unwrap_or_default(),
            failure,
            digest: format!("{:016x}", got.map_or(0, |o| o.digest())),
            ..CaseResult::default()
        }
    }

    fn both(&self, divergence: &Divergence) -> Result<(Option<Failure>, Outcome), String> {
        let Example { op, case, inputs } = example(self.matrix, divergence, self.seed)?;
        let got = guarded(self.device, op, &case, &inputs);
        let (oracle, scalar) = with_version(version(divergence), || {
            let oracle = guarded(self.oracle, op, &case, &inputs);
            let scalar = self.oracle.gives_scalar(op, &case, &oracle);
            (oracle, scalar)
        });
        let ours = divergence.ours.as_ref();
        let expected = if divergence.status == Status::Differs { ours } else { divergence.numpy.as_ref() };
        let Some(expected) = expected else {
            let mut failure = self.verdict(op, &case, &inputs, (&oracle, &got), Expectation::Agreement).0.failure;
            for (side, outcome) in [("device", &got), ("NumPy", &oracle)] {
                let strides = outcome.first().map(|t| &t.strides);
                if divergence.strides.is_some() && strides != divergence.strides.as_ref() {
                    let message = format!("the {side} side: the strides are {strides:?}");
                    failure = failure.or(Some(fault(Reason::Layout, message)));
                }
            }
            return Ok((failure, got));
        };
        let (side, right) = match &divergence.numpy {
            Some(numpy) if divergence.followed => ("NumPy", numpy),
            _ if ours.is_none() => ("NumPy", expected),
            _ => ("oracle", expected),
        };
        let failure = match holds("device", &got, expected)? {
            Some(failure) => Some(failure),
            None if divergence.followed && scalar != right.scalar => Some(scalars("NumPy", scalar)),
            None => holds(side, &oracle, right)?,
        };
        Ok((failure, got))
    }
}

fn scalars(side: &str, scalar: bool) -> Failure {
    fault(Reason::Shape, format!("the {side} side: whether it is a scalar is {scalar}"))
}

/// Builds the example with which a divergence is executed.
fn example<'a>(matrix: &'a Matrix, divergence: &Divergence, seed: u64) -> Result<Example<'a>, String> {
    let find = |name: &str| matrix.op(name).ok_or_else(|| format!("no operation is called {name}"));
    if let Some(id) = &divergence.case {
        let case = Case::parse(id, matrix)?;
        return Ok(Example { op: find(&case.op)?, inputs: inputs(&case, seed)?, case });
    }
    let op = find(divergence.op.as_deref().unwrap_or_default())?;
    let (mut operands, mut inputs) = (vec![], vec![]);
    for literal in &divergence.operands {
        let Tensor { dtype, shape, bytes, .. } = tensor(literal)?;
        let shape = Shape(shape);
        let mut rng = Rng::new(seed, &divergence.id);
        inputs.push(Input::Array(Box::new(lay_out(dtype, &shape, Layout::C, &bytes, &mut rng))));
        operands.push(Operand::Array { dtype, shape, layout: Layout::C });
    }
    let params = divergence.params.clone();
    let case = Case { family: FAMILY.into(), op: op.name.clone(), operands, values: ValueSet::Small.into(), params };
    Ok(Example { op, case, inputs })
}

/// Compares the result of a side with the expected one.
fn holds(side: &str, outcome: &Outcome, want: &Literal) -> Result<Option<Failure>, String> {
    let want = match want.error {
        Some(kind) => Outcome::Rejected(kind, String::new()),
        None => {
            let strides = want.strides.clone();
            let mut want = tensor(want)?;
            if let Outcome::Array(given) = outcome {
                want.strides = strides.unwrap_or_else(|| given.strides.clone());
            }
            Outcome::Array(want)
        }
    };
    let verdict = judge(outcome, &want, Expectation::Agreement, &Allowance::default());
    Ok(verdict.failure.map(|f| Failure { message: format!("the {side} side: {}", f.message), ..f }))
}

/// Checks NumPy's side of an entry, and returns whether the process is gone. Entries about functions of SciPy, or about
/// results that are not arrays, are checked by their own Python expression.
///
/// # Errors
/// A message, if the process fails.
pub fn check_numpy(
    matrix: &Matrix,
    divergence: &Divergence,
    seed: u64,
    worker: &mut Worker,
) -> Result<(Option<String>, bool), String> {
    if !divergence.is_run() {
        return Ok((None, false));
    }
    let Example { op, case, inputs } = example(matrix, divergence, seed)?;
    if op.family == "special" {
        return Ok((None, false));
    }
    let answer = worker.ask(op, &case, &inputs)?;
    let Some(want) = &divergence.numpy else {
        let Answer::Outcome(numpy, _) = answer else { return Ok((None, true)) };
        let oracle = with_version(version(divergence), || guarded(&Reference, op, &case, &inputs));
        let same = compare(&numpy, &oracle, &[]).differences.is_empty();
        let differs = divergence.status == Status::Differs;
        let wrong =
            if differs { "NumPy gives what the oracle gives" } else { "NumPy does not give what the oracle gives" };
        return Ok(((same == differs).then(|| wrong.into()), false));
    };
    Ok(match answer {
        Answer::Crashed(_) if want.crashes => (None, true),
        Answer::Crashed(reason) => (Some(format!("NumPy crashes: {reason}")), true),
        Answer::Absent(name) => (Some(format!("NumPy has no {name}")), false),
        Answer::Outcome(..) if want.crashes => (Some("NumPy does not crash".into()), false),
        Answer::Outcome(_, scalar) if op.kind != OpKind::Routine && scalar != want.scalar && want.error.is_none() => {
            (Some(scalars("NumPy", scalar).message), false)
        }
        Answer::Outcome(outcome, _) => (holds("NumPy", &outcome, want)?.map(|f| f.message), false),
    })
}

/// Returns the entries that no case demonstrates: those that match none, or only cases in which the two sides agree.
pub fn unshown(matrix: &Matrix, cases: &[Case], seed: u64) -> Vec<String> {
    // The others are visible only in the comparison with NumPy.
    let differs = matrix.divergences.iter().filter(|d| !d.when.is_empty() && d.aspects.is_empty());
    let mut out = vec![];
    for divergence in differs {
        for pattern in &divergence.when {
            let mut covered = cases.iter().filter(|case| matches(pattern, &case.id())).peekable();
            let id = id(divergence);
            if covered.peek().is_none() {
                out.push(format!("{id}: `{pattern}` matches no case"));
            } else if !covered.any(|case| shows(matrix, divergence, case, seed)) {
                out.push(format!("{id}: in no case that `{pattern}` matches do the sides differ"));
            }
        }
    }
    out
}

/// Returns true if a divergence is visible in a case: NumPy's version returns another result, a scalar for an array, or
/// leaves it undefined.
fn shows(matrix: &Matrix, divergence: &Divergence, case: &Case, seed: u64) -> bool {
    let (Some(op), Ok(inputs)) = (matrix.op(&case.op), inputs(case, seed)) else { return false };
    let ours = guarded(&Reference, op, case, &inputs);
    let open = ours.first().is_some_and(|t| t.freedom.iter().any(|f| matches!(f, Freedom::Any | Freedom::Ours)));
    let scalar = divergence.numpy.as_ref().is_some_and(|n| n.scalar) && Reference.gives_scalar(op, case, &ours);
    let numpy = with_version(version(divergence), || guarded(&Reference, op, case, &inputs));
    open || scalar || judge(&ours, &numpy, Expectation::Agreement, &Allowance::default()).failure.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// A side that returns one int32 for every call.
    struct Gives(i128);

    impl Side for Gives {
        fn run(&self, _: &Op, _: &Case, _: &[Input]) -> Outcome {
            Outcome::Array(Tensor::packed(DType::I32, &[1], Number::Int(self.0).encode(DType::I32)))
        }
    }

    fn entry(id: &str) -> Divergence {
        let matrix = Matrix::built_in().unwrap();
        matrix.divergences.into_iter().find(|d| d.id == id).unwrap()
    }

    fn failure(divergence: &Divergence, device: &dyn Side, oracle: &dyn Side) -> Option<String> {
        let matrix = Matrix::built_in().unwrap();
        let run = Run { matrix: &matrix, seed: 1, device, oracle };
        run.divergence(divergence).failure.map(|f| f.message)
    }

    #[test]
    fn both_sides_are_asserted() {
        let row = |x: f64| Literal { dtype: "i32".into(), values: vec![x], ..Literal::default() };
        let example = entry("float-to-integer-out-of-range");
        let example = Divergence { numpy: Some(row(1.0)), ours: Some(row(2.0)), followed: true, ..example };
        assert_eq!(failure(&example, &Gives(2), &Gives(1)), None);
        assert!(failure(&example, &Gives(1), &Gives(1)).unwrap().contains("the device side"));
        assert!(failure(&example, &Gives(2), &Gives(2)).unwrap().contains("the NumPy side"));
        let ours = Divergence { followed: false, ..example.clone() };
        assert_eq!(failure(&ours, &Gives(2), &Gives(2)), None);
        assert!(failure(&ours, &Gives(2), &Gives(1)).unwrap().contains("the oracle side"));
        let agrees = Divergence { ours: None, status: Status::Agrees, followed: false, ..example };
        assert_eq!(failure(&agrees, &Gives(1), &Gives(1)), None);
        assert!(failure(&agrees, &Gives(2), &Gives(1)).unwrap().contains("the device side"));
    }

    #[test]
    fn the_oracle_gives_its_side_of_every_entry() {
        let matrix = Matrix::built_in().unwrap();
        for divergence in matrix.divergences.iter().filter(|d| d.is_run()) {
            let message = failure(divergence, &Reference, &Reference);
            // The oracle as the device returns NumPy's side there as well.
            let differs = divergence.followed && divergence.version.is_none();
            assert!(
                message.is_none() || differs && message.clone().unwrap().contains("the device side"),
                "{message:?}"
            );
        }
    }

    #[test]
    fn a_scalar_and_an_array_without_axes_are_distinguished() {
        let example = entry("reductions-give-arrays");
        assert_eq!(failure(&example, &Reference, &Reference), None);
        let numpy = Some(Literal { scalar: false, ..example.numpy.clone().unwrap() });
        let stale = Divergence { numpy, ..example };
        assert!(failure(&stale, &Reference, &Reference).unwrap().contains("whether it is a scalar"));
    }

    #[test]
    fn strides_of_a_case_are_asserted() {
        let example = entry("fortran-order-is-kept");
        assert_eq!(failure(&example, &Reference, &Reference), None);
        let other = Divergence { strides: Some(vec![48, 16, 4]), ..example };
        assert!(failure(&other, &Reference, &Reference).unwrap().contains("the strides"));
    }

    #[test]
    fn every_entry_shows_in_a_case_and_one_that_does_not_is_found() {
        let mut matrix = Matrix::built_in().unwrap();
        let cases = sample::cases(&matrix, false, matrix.seed);
        assert_eq!(unshown(&matrix, &cases, matrix.seed), Vec::<String>::new());
        let planted = |when: &str| Divergence { when: vec![when.into()], ..entry("float-to-integer-out-of-range") };
        matrix.divergences = vec![planted("cast/astype/f128*"), planted("cast/astype/bool*")];
        let found = unshown(&matrix, &cases, matrix.seed);
        assert!(found[0].contains("matches no case") && found[1].contains("do the sides differ"), "{found:?}");
    }
}
