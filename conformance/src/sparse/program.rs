//! Random programs of sparse arrays: each step applies an operation to arrays of earlier steps on both sides, whose results are
//! compared. Values are integers, so that every result is exact.

use std::fmt;

use cuprum::scipy::sparse::Sparse;
use cuprum_kernels::DType;
use cuprum_oracle::scipy::sparse as oracle;

use super::parts::parts;
use super::{PLAIN_FORMATS, reference, subject};
use crate::case::{Expectation, ValueSet};
use crate::judge::{Allowance, judge};
use crate::operand::elements;
use crate::outcome::{Outcome, Tensor};
use crate::random::Rng;
use crate::subject::Subject;
use crate::text::{Params, Shape};

/// Steps of a program.
const STEPS: usize = 14;
/// Arrays of more elements are not operands of products of Kronecker, stacks and blocks.
const LARGE: usize = 400;
const DTYPES: [DType; 5] = [DType::Bool, DType::I8, DType::U16, DType::I32, DType::I64];
const STRUCTURES: [&str; 8] = ["skewed", "duplicates", "zeros", "unsorted", "banded", "empty", "full", "none"];
const UFUNCS: [&str; 8] = ["add", "multiply", "maximum", "minimum", "not_equal", "less", "greater", "logical_or"];

/// Operations of one array that keep blocks, or have a result of their own.
const OF_BLOCKS: [&str; 8] =
    ["asformat", "to_blocks", "sum_duplicates", "sort_indices", "eliminate_zeros", "transpose", "toarray", "diagonal"];

/// An array on both sides.
struct Variable {
    ours: Sparse,
    theirs: oracle::Sparse,
}

/// A step of a program as text, with the numbers of its operands.
#[derive(Clone, Debug)]
struct Step(String);

/// A failing program: its steps, and the difference of the last one.
#[derive(Clone, Debug)]
pub struct Failing {
    seed: u64,
    steps: Vec<Step>,
    message: String,
}

impl fmt::Display for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {} of sparse arrays: {}", self.seed, self.message)?;
        self.steps.iter().try_for_each(|Step(text)| writeln!(f, "    {text}"))
    }
}

/// Counts of what programs compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Results of which dtype, structure and values are equal.
    pub compared: usize,
    /// Steps that both sides reject.
    pub rejected: usize,
}

/// Runs the program of a seed on a device.
///
/// # Errors
/// The program up to the first difference.
pub fn run(subject: &Subject, seed: u64) -> Result<Counts, Failing> {
    subject.device().with(|| Program::new(seed).run())
}

struct Program {
    rng: Rng,
    seed: u64,
    variables: Vec<Variable>,
    steps: Vec<Step>,
    counts: Counts,
}

impl Program {
    fn new(seed: u64) -> Program {
        let rng = Rng::new(seed, "a program of sparse arrays");
        Program { rng, seed, variables: vec![], steps: vec![], counts: Counts::default() }
    }

    fn run(mut self) -> Result<Counts, Failing> {
        for _ in 0..3 {
            self.created()?;
        }
        for _ in 0..STEPS {
            self.step()?;
        }
        Ok(self.counts)
    }

    fn failing(&self, message: String) -> Failing {
        Failing { seed: self.seed, steps: self.steps.clone(), message }
    }

    fn params(&self, text: &str) -> Result<Params, Failing> {
        text.parse().map_err(|e| self.failing(e))
    }

    /// Creates an array of a random format, structure and index dtype.
    fn created(&mut self) -> Result<(), Failing> {
        let rng = &mut self.rng;
        let shape = Shape(vec![1 + rng.below(9), 1 + rng.below(9)]);
        let dtype = rng.pick(&DTYPES);
        let (format, structure) = (rng.pick(&PLAIN_FORMATS), rng.pick(&STRUCTURES));
        let index = rng.pick(&["i32", "i64"]);
        let text = format!("format={format};structure={structure};index={index}");
        let tensor = Tensor::packed(dtype, &shape.0, elements(dtype, &shape, ValueSet::Small, rng));
        self.steps.push(Step(format!("v{} = {dtype} {shape} {text}", self.variables.len())));
        let parts = parts(&tensor, &self.params(&text)?, 0).map_err(|e| self.failing(e))?;
        let ours = subject::built(&parts).map_err(|e| self.failing(format!("{:?}", e.outcome())))?;
        let theirs = reference::built(&parts).map_err(|e| self.failing(format!("{:?}", e.outcome())))?;
        self.variables.push(Variable { ours, theirs });
        Ok(())
    }

    /// Chooses an operation and its parameters for an operand of a shape.
    fn chosen(&mut self, shape: &[usize]) -> (&'static str, String) {
        let rng = &mut self.rng;
        let (m, n) = (shape[0], shape[1]);
        let k = rng.below(5) as i64 - 2;
        let to = rng.pick(&PLAIN_FORMATS);
        let axis = rng.below(2);
        let list = |rng: &mut Rng, size: usize| -> String {
            let index = |rng: &mut Rng| rng.below(2 * size.max(1)) as i64 - size as i64;
            let all: Vec<String> = (0..1 + rng.below(4)).map(|_| index(rng).to_string()).collect();
            format!("({},)", all.join(","))
        };
        match rng.below(21) {
            0 => ("asformat", format!("to={to}")),
            1 => ("sum_duplicates", String::new()),
            2 => ("sort_indices", String::new()),
            3 => ("eliminate_zeros", String::new()),
            4 => ("transpose", String::new()),
            5 => ("tril", format!("k={k}")),
            6 => ("triu", format!("k={k}")),
            7 | 8 => ("binary", format!("ufunc={}", rng.pick(&UFUNCS))),
            9 => ("scaled", format!("ufunc=multiply;by={}", rng.below(4))),
            10 => ("getitem", format!("rows={}", list(rng, m))),
            11 => ("getitem", format!("columns={}", list(rng, n))),
            12 => ("getitem", format!("rows={}::{}", rng.below(m + 1), 1 + rng.below(2))),
            13 => ("getitem", format!("columns=::{}", rng.pick(&[-1i64, -2, 1, 2]))),
            14 | 15 => ("matmul", String::new()),
            16 => ("stack", format!("axis={axis};to={to}")),
            17 => ("kron", String::new()),
            18 | 19 => {
                let divisor = |rng: &mut Rng, size: usize| {
                    let all: Vec<usize> = (1..=size).filter(|d| size.is_multiple_of(*d)).collect();
                    if all.is_empty() { 1 } else { all[rng.below(all.len())] }
                };
                let size = [divisor(rng, m), divisor(rng, n)];
                ("to_blocks", format!("size=({},{})", size[0], size[1]))
            }
            _ => match rng.below(4) {
                0 => ("reduce", format!("name={};axis={axis}", rng.pick(&["sum", "max", "argmin", "count_nonzero"]))),
                1 => ("diagonal", format!("k={k}")),
                2 => ("toarray", String::new()),
                _ => ("reshape", format!("to=({n},{m})")),
            },
        }
    }

    fn step(&mut self) -> Result<(), Failing> {
        let (x, y) = (self.rng.below(self.variables.len()), self.rng.below(self.variables.len()));
        let size = |v: &Variable| v.theirs.shape.iter().product::<usize>();
        let (mut name, mut text) = self.chosen(&self.variables[x].theirs.shape.clone());
        // Other operations convert blocks first, to formats that depend on both operands.
        let has_blocks = [x, y].iter().any(|&v| matches!(self.variables[v].theirs.format, oracle::Format::Bsr(_)));
        if has_blocks && !OF_BLOCKS.contains(&name) {
            (name, text) = ("asformat", format!("to={}", self.rng.pick(&PLAIN_FORMATS)));
        }
        let grows = matches!(name, "kron" | "stack" | "matmul");
        if grows && (size(&self.variables[x]) * if name == "kron" { size(&self.variables[y]) } else { 1 } > LARGE) {
            return Ok(());
        }
        // A product has operands that fit: the transpose of the first does.
        let params = self.params(&text)?;
        self.steps.push(Step(format!("v{} = {name}(v{x}, v{y}) {text}", self.variables.len())));
        let (a, b) = (&self.variables[x], &self.variables[y]);
        let transposed;
        let (ours, theirs) = if name == "matmul" && a.theirs.shape[1] != b.theirs.shape[0] {
            let both = || Some((a.ours.transpose(None).ok()?, a.theirs.transpose(None).ok()?));
            let Some(both) = both() else { return Err(self.failing("an array has no transpose".into())) };
            transposed = both;
            ([&a.ours, &transposed.0], [&a.theirs, &transposed.1])
        } else {
            ([&a.ours, &b.ours], [&a.theirs, &b.theirs])
        };
        let got = subject::applied(name, &params, &ours, &[]);
        let want = reference::applied(name, &params, &theirs, &[]);
        let (got_outcome, want_outcome) = (
            got.as_ref().map_err(|e| e.outcome()).and_then(|g| g.outcome().map_err(|e| e.outcome())),
            want.as_ref().map_err(|e| e.outcome()).and_then(|w| w.outcome().map_err(|e| e.outcome())),
        );
        let flat = |outcome: Result<Outcome, Outcome>| outcome.unwrap_or_else(|rejected| rejected);
        let verdict = judge(&flat(got_outcome), &flat(want_outcome), Expectation::Agreement, &Allowance::default());
        if let Some(failure) = verdict.failure {
            return Err(self.failing(failure.message));
        }
        if verdict.rejected {
            // Errors that kernels raised in addition belong to this step, not to the next.
            while ours[0].device().synchronize().is_err() {}
            self.counts.rejected += 1;
            return Ok(());
        }
        self.counts.compared += 1;
        if let (Ok(subject::Given::Sparse(ours)), Ok(reference::Given::Sparse(theirs, _))) = (got, want) {
            self.variables.push(Variable { ours, theirs });
        }
        Ok(())
    }
}
