//! Reduction of a failing program while its last step fails in the same respect.
//!
//! Steps are removed, then optional arguments, then axes are shortened and elements simplified. The attempts do not
//! depend on time or chance, except for a time limit for very slow programs.

use std::time::{Duration, Instant};

use cuprum::table::find;

use super::catalog::Catalog;
use super::state::State;
use super::{Action, Fault, Program, Step};
use crate::judge::Reason;
use crate::outcome::{Number, Tensor};

/// Maximum number of programs that are tried.
const TRIES: usize = 400;
/// Time limit, which no failure should reach.
const TIME: Duration = Duration::from_secs(20);

/// Executes a program on the current device, except for steps whose operands do not exist. Returns the executed steps,
/// and the difference of the sides.
pub fn replay(catalog: &Catalog<'_>, program: &Program) -> (Program, Option<Fault>) {
    let mut state = State::new(catalog);
    let mut done = Program { seed: program.seed, steps: vec![] };
    for step in &program.steps {
        let taken = state.step(step);
        if !matches!(taken, Ok(false)) {
            done.steps.push(step.clone());
        }
        if let Err(fault) = taken {
            return (done, Some(fault));
        }
    }
    let fault = state.end().err();
    (done, fault)
}

/// Returns the properties of a failure that a reduction must preserve.
fn sign(program: &Program, fault: &Fault) -> (Reason, Option<String>) {
    let path = |step: &Step| match &step.action {
        Action::Call(call) => Some(call.path.clone()),
        Action::Make(_) => None,
        other => Some(format!("{other:?}").chars().take(5).collect()),
    };
    let last = fault.step.and_then(|_| program.steps.last()).and_then(path);
    (fault.failure.reason, last)
}

struct Search<'a> {
    catalog: &'a Catalog<'a>,
    best: (Program, Fault),
    tries: usize,
    start: Instant,
}

/// Returns a smaller program that fails in the same respect, and its failure.
pub fn shrink(catalog: &Catalog<'_>, program: &Program, fault: &Fault) -> (Program, Fault) {
    let best = (program.clone(), fault.clone());
    let mut search = Search { catalog, best, tries: 0, start: Instant::now() };
    while search.steps() | search.arguments() | search.shapes() {}
    search.elements();
    search.best
}

impl Search<'_> {
    /// Tests whether a program fails like the best one; if so, it becomes the best one.
    fn takes(&mut self, program: &Program) -> bool {
        if self.tries >= TRIES || self.start.elapsed() > TIME {
            return false;
        }
        self.tries += 1;
        let (done, fault) = replay(self.catalog, program);
        match fault {
            Some(fault) if sign(&done, &fault) == sign(&self.best.0, &self.best.1) => {
                self.best = (done, fault);
                true
            }
            _ => false,
        }
    }

    fn steps(&mut self) -> bool {
        let mut helped = false;
        let mut at = self.best.0.steps.len();
        while at > 0 {
            at -= 1;
            if at >= self.best.0.steps.len() {
                continue;
            }
            let mut program = self.best.0.clone();
            program.steps.remove(at);
            helped |= self.takes(&program);
        }
        helped
    }

    fn arguments(&mut self) -> bool {
        let mut helped = false;
        for at in 0..self.best.0.steps.len() {
            let Some(Step { action: Action::Call(call), .. }) = self.best.0.steps.get(at) else { continue };
            let Ok(record) = find(&call.path) else { continue };
            let optional = record.parameters().iter().filter(|p| p.default.is_some()).map(|p| p.name);
            for name in optional {
                let mut program = self.best.0.clone();
                let Action::Call(call) = &mut program.steps[at].action else { continue };
                let before = call.arguments.len();
                call.arguments.retain(|(n, _)| n != name);
                if call.arguments.len() < before {
                    helped |= self.takes(&program);
                }
            }
        }
        helped
    }

    /// Shortens axes of new arrays.
    fn shapes(&mut self) -> bool {
        let mut helped = false;
        for at in 0..self.best.0.steps.len() {
            let rank = match self.best.0.steps.get(at).map(|s| &s.action) {
                Some(Action::Make(t)) => t.shape.len(),
                _ => continue,
            };
            for axis in 0..rank {
                for shorter in [|_| 1, |n: usize| n / 4, |n: usize| n / 2, |n: usize| n.saturating_sub(1)] {
                    let mut program = self.best.0.clone();
                    let Action::Make(t) = &mut program.steps[at].action else { continue };
                    let n = shorter(t.shape[axis]);
                    if n > 0 && n < t.shape[axis] {
                        *t = cut(t, axis, n);
                        helped |= self.takes(&program);
                    }
                }
            }
        }
        helped
    }

    /// Replaces elements of new arrays by 0 or 1.
    fn elements(&mut self) {
        for at in 0..self.best.0.steps.len() {
            let size = match self.best.0.steps.get(at).map(|s| &s.action) {
                Some(Action::Make(t)) => t.size(),
                _ => continue,
            };
            let parts = [(0, size)].into_iter().chain((0..size.min(40)).map(|i| (i, i + 1)));
            for (from, to) in parts {
                for value in [0, 1] {
                    let mut program = self.best.0.clone();
                    let Action::Make(t) = &mut program.steps[at].action else { continue };
                    let (number, width) = (Number::Int(value).encode(t.dtype), t.dtype.size());
                    let plain = |i: usize| t.bytes[i * width..(i + 1) * width] == number[..];
                    if (from..to).all(plain)
                        || (value == 1
                            && (from..to).all(|i| t.bytes[i * width..(i + 1) * width].iter().all(|b| *b == 0)))
                    {
                        continue;
                    }
                    (from..to).for_each(|i| t.bytes[i * width..(i + 1) * width].copy_from_slice(&number));
                    if self.takes(&program) {
                        break;
                    }
                }
            }
        }
    }
}

/// Returns the first elements along an axis.
fn cut(t: &Tensor, axis: usize, n: usize) -> Tensor {
    let mut shape = t.shape.clone();
    shape[axis] = n;
    let (inner, size) = (t.shape[axis + 1..].iter().product::<usize>(), t.dtype.size());
    let rows = t.bytes.chunks_exact((t.shape[axis] * inner * size).max(1));
    let bytes = rows.flat_map(|row| row[..n * inner * size].iter().copied()).collect();
    Tensor::packed(t.dtype, &shape, bytes)
}
