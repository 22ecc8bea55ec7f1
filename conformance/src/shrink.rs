//! Shrinking: reduces a failing case as long as it fails for the same reason.
//!
//! The elements are written out, so that they stay while the rest changes. Then, repeatedly until nothing changes any
//! more: shapes towards one element and no axes, fewer parameters, layouts to C, simpler dtypes, elements to 0 and 1.
//! Every step makes the case simpler by a measure, so that this terminates; the number of tries is bounded as well. The
//! attempts do not depend on time or chance: the same failure shrinks to the same case.

mod parameters;
mod shapes;
mod values;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use cuprum_kernels::DType;

use crate::case::{Case, Layout, Operand, Values};
use crate::judge::{Failure, Reason, Smallest};
use crate::operand::{Input, inputs};
use crate::outcome::Number;
use crate::report::CaseResult;
use crate::run::Run;
use crate::snippet::WRITTEN;

/// Limits of a shrinking.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of cases that are tried.
    pub tries: usize,
    /// Time limit for very slow cases, which no failure should reach.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { tries: 400, time: Duration::from_secs(60) }
    }
}

/// A case, and the elements of its arrays if these are fixed.
#[derive(Clone, Debug)]
struct State {
    case: Case,
    rows: Option<Vec<Vec<Number>>>,
}

impl State {
    /// Returns the case with its elements written out.
    fn literal(&self) -> Case {
        let values = self.rows.as_deref().map_or(self.case.values.clone(), Values::literal);
        Case { values, ..self.case.clone() }
    }

    /// Returns the operands that are arrays: index, dtype, shape and layout.
    fn arrays(&self) -> Vec<(usize, DType, &[usize], Layout)> {
        let mut arrays = vec![];
        for (i, operand) in self.case.operands.iter().enumerate() {
            if let Operand::Array { dtype, shape, layout } = operand {
                arrays.push((i, *dtype, shape.0.as_slice(), *layout));
            }
        }
        arrays
    }

    /// Returns the elements of the operand at this index, if they are written out.
    fn row(&mut self, operand: usize) -> Option<&mut Vec<Number>> {
        let at = self.arrays().iter().position(|a| a.0 == operand)?;
        self.rows.as_mut()?.get_mut(at)
    }

    fn size(&self) -> usize {
        self.arrays().iter().map(|(_, _, shape, _)| shape.iter().product::<usize>()).sum()
    }
}

/// Compares the properties of a failure that shrinking preserves: the reason, and where one side raises an error or
/// breaks down, which side and how.
fn same(a: &Failure, b: &Failure) -> bool {
    let words = |f: &Failure| f.message.split_whitespace().take(5).map(String::from).collect::<Vec<_>>();
    let named = matches!(a.reason, Reason::Rejection | Reason::Broken | Reason::Claim);
    a.reason == b.reason && (!named || words(a) == words(b))
}

struct Search<'a> {
    run: &'a Run<'a>,
    limits: Limits,
    start: Instant,
    seen: HashSet<String>,
    best: (State, Failure),
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.seen.len() >= self.limits.tries || self.start.elapsed() >= self.limits.time
    }

    /// Tests whether a case fails like the best one; if so, it becomes the best one.
    fn takes(&mut self, state: State) -> bool {
        let case = state.literal();
        if self.is_over() || !self.seen.insert(case.id()) {
            return false;
        }
        match self.run.failure(&case) {
            Some(failure) if same(&failure, &self.best.1) => {
                self.best = (state, failure);
                true
            }
            _ => false,
        }
    }

    /// Takes the first simpler case that fails, repeatedly. Returns true if there was one.
    fn pass(&mut self, simpler: fn(&State) -> Vec<State>) -> bool {
        let mut found = false;
        while !self.is_over() {
            let candidates = simpler(&self.best.0);
            if !candidates.into_iter().any(|state| self.takes(state)) {
                break;
            }
            found = true;
        }
        found
    }
}

impl Run<'_> {
    /// Returns the smallest case found that fails like this one; `None` if this one does not fail.
    pub fn shrink(&self, case: &Case, limits: Limits) -> Option<Smallest> {
        let failure = self.failure(case)?;
        let start = State { case: case.clone(), rows: None };
        let mut search =
            Search { run: self, limits, start: Instant::now(), seen: HashSet::new(), best: (start, failure) };
        if let Ok(inputs) = inputs(case, self.seed) {
            search.takes(State { case: case.clone(), rows: Some(elements(case, &inputs)) });
        }
        loop {
            let shorter = search.pass(shapes::smaller);
            let fewer = search.pass(parameters::simpler);
            let plainer = search.pass(layouts);
            let dtypes = search.pass(values::dtypes);
            let elements = search.best.0.size() <= WRITTEN && search.pass(values::simpler);
            if search.is_over() || !(shorter || fewer || plainer || dtypes || elements) {
                break;
            }
        }
        let tries = search.seen.len();
        let (state, failure) = search.best;
        if state.size() <= WRITTEN || state.rows.is_none() {
            return Some(Smallest { id: state.literal().id(), failure, tries });
        }
        // Too many elements to be written out: those of the value set may fail as well.
        match self.failure(&state.case) {
            Some(failure) => Some(Smallest { id: state.case.id(), failure, tries }),
            None => Some(Smallest { id: case.id(), failure: self.failure(case)?, tries }),
        }
    }
}

/// Number of failures of a run that are shrunk: the first of each operation.
const SHRUNK: usize = 5;

impl Run<'_> {
    /// Shrinks the first failures of a run. The results are those of the cases, in their order.
    pub fn shrink_first(&self, cases: &[Case], results: &mut [CaseResult]) {
        let mut ops: Vec<&str> = vec![];
        for (case, result) in cases.iter().zip(results) {
            let Some(failure) = &mut result.failure else { continue };
            if ops.len() < SHRUNK && !ops.contains(&case.op.as_str()) {
                ops.push(&case.op);
                failure.smallest = self.shrink(case, Limits::default()).map(Box::new);
            }
        }
    }
}

/// Returns the elements of the operands that are arrays.
fn elements(case: &Case, inputs: &[Input]) -> Vec<Vec<Number>> {
    let row = |input: &Input| match input {
        Input::Array(placed) => Some((0..placed.logical.size()).map(|i| placed.logical.get(i)).collect()),
        Input::Scalar(_) => None,
    };
    inputs.iter().take(case.operands.len()).filter_map(row).collect()
}

/// Returns the cases with one more operand in C order, or all of them.
fn layouts(state: &State) -> Vec<State> {
    let others: Vec<usize> = state.arrays().iter().filter(|a| a.3 != Layout::C).map(|a| a.0).collect();
    let plain = |chosen: &[usize]| {
        let mut state = state.clone();
        for i in chosen {
            if let Operand::Array { layout, .. } = &mut state.case.operands[*i] {
                *layout = Layout::C;
            }
        }
        state
    };
    let one = others.iter().map(|i| plain(&[*i]));
    if others.is_empty() { vec![] } else { std::iter::once(plain(&others)).chain(one).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Matrix, Op};
    use crate::outcome::Outcome;
    use crate::reference::Reference;
    use crate::side::Side;

    /// The oracle, except for one result that it modifies.
    struct Spoilt(fn(&Case, &[Input], &mut Outcome));

    impl Side for Spoilt {
        fn run(&self, op: &Op, case: &Case, inputs: &[Input]) -> Outcome {
            let mut outcome = Reference.run(op, case, inputs);
            (self.0)(case, inputs, &mut outcome);
            outcome
        }
    }

    fn smallest(id: &str, limits: Limits, spoil: fn(&Case, &[Input], &mut Outcome)) -> Option<Smallest> {
        let matrix = Matrix::built_in().unwrap();
        let case = Case::parse(id, &matrix).unwrap();
        let run = Run { matrix: &matrix, seed: 3, device: &Spoilt(spoil), oracle: &Reference };
        run.shrink(&case, limits)
    }

    fn any(inputs: &[Input], wanted: fn(Number) -> bool) -> bool {
        let has =
            |input: &Input| matches!(input, Input::Array(p) if (0..p.logical.size()).any(|i| wanted(p.logical.get(i))));
        inputs.iter().any(has)
    }

    fn flip(outcome: &mut Outcome) {
        if let Outcome::Array(tensor) = outcome {
            tensor.bytes.iter_mut().for_each(|b| *b ^= 1);
        }
    }

    #[test]
    fn one_element_of_two_thousand_is_left() {
        let found = smallest("math/negative/f32/(33,65)/strided/special", Limits::default(), |_, inputs, outcome| {
            if any(inputs, |x| x.parts().0 == f64::INFINITY) {
                flip(outcome);
            }
        });
        assert_eq!(found.unwrap().id, "math/negative/f32/()/C/[inf]");
    }

    #[test]
    fn parameters_dtypes_and_layouts_go_where_they_do_not_matter() {
        let id = "reduction/sum/u16/(3,4,5)/F/uniform/axis=(0,-1);keepdims=1;dtype=f64";
        let found = smallest(id, Limits::default(), |case, _, outcome| {
            if case.params.get("keepdims") == Some("1") {
                flip(outcome);
            }
        });
        assert_eq!(found.unwrap().id, "reduction/sum/i32/()/C/[0]/keepdims=1");
        let found =
            smallest("linalg/matmul/f16-f64/(17,33)x(33,9)/C-strided/small", Limits::default(), |_, i, outcome| {
                if any(i, |x| x.parts().0 == 3.0) {
                    flip(outcome);
                }
            });
        let found = found.unwrap().id;
        assert!(found.starts_with("linalg/matmul/i32-i32/(1,)x(1,)/C-C/["), "{found}");
    }

    #[test]
    fn another_failure_is_not_the_same() {
        // Without the parameter the oracle breaks down: that is another failure.
        let found = smallest("cast/astype/f32/(5,)/C/small/to=f64", Limits::default(), |_, _, outcome| {
            *outcome = Outcome::Rejected(crate::outcome::Kind::Broken, "planted".into());
        });
        let found = found.unwrap();
        assert_eq!((found.id.as_str(), found.failure.reason), ("cast/astype/i32/()/C/[0]/to=i32", Reason::Broken));
    }

    #[test]
    fn tries_are_bounded_and_what_passes_is_left_alone() {
        let few = Limits { tries: 5, ..Limits::default() };
        let found = smallest("math/add/f64-f64/(33,65)x(33,65)/F-C/uniform", few, |_, _, outcome| flip(outcome));
        assert!(found.unwrap().tries <= 5);
        assert_eq!(smallest("math/negative/f32/(5,)/C/small", few, |_, _, _| {}), None);
    }
}
