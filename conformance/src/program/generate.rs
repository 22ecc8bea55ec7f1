//! Generates a program, and executes it while it is generated: the possible steps depend on the existing arrays.

use cuprum_kernels::DType;

use super::catalog::{Catalog, Entry};
use super::shapes;
use super::state::{Counts, State};
use super::{Action, Fault, Program, Ref, Step};
use crate::call::{Argument, Call};
use crate::case::ValueSet;
use crate::operand::{self, elements};
use crate::outcome::Tensor;
use crate::random::Rng;
use crate::text::{Key, Shape};

/// Number of consecutive seeds whose programs call a function with the same few dtypes.
const SHARE: u64 = 1000;
/// Number of choices of dtypes: a hundred thousand programs need the kernels of this many thousand.
const CHOICES: u64 = 16;

/// Number of attempts to generate a call.
const ATTEMPTS: usize = 6;

/// Maximum number of elements of a result.
const MOST: usize = 150_000;

/// Number of functions that each program calls from the walk through the whole table.
pub const WALKED: u64 = 4;

/// Functions that return views, in addition to indexing and dtype views.
const VIEWS: [&str; 14] = [
    "numpy.reshape",
    "numpy.reshape",
    "numpy.transpose",
    "numpy.transpose",
    "numpy.swapaxes",
    "numpy.moveaxis",
    "numpy.broadcast_to",
    "numpy.flip",
    "numpy.expand_dims",
    "numpy.squeeze",
    "numpy.ravel",
    "numpy.real",
    "numpy.imag",
    "numpy.lib.stride_tricks.as_strided",
];

/// A program, its counts, and the difference of the sides.
#[derive(Debug)]
pub struct GeneratedProgram {
    /// The program, up to the step that differs.
    pub program: Program,
    /// Counts of results and memories that were compared.
    pub counts: Counts,
    /// The difference of the sides.
    pub fault: Option<Fault>,
    /// The functions that were called.
    pub called: Vec<String>,
}

/// Generator of one program, step by step.
#[derive(Debug)]
pub struct Generator<'a> {
    pub(super) catalog: &'a Catalog<'a>,
    pub(super) state: State<'a>,
    pub(super) rng: Rng,
    pub(super) salt: u64,
    program: Program,
    called: Vec<String>,
}

/// Generates the program of a seed and executes it on the current device.
pub fn program(catalog: &Catalog<'_>, seed: u64) -> GeneratedProgram {
    let mut rng = Rng::new(seed, "program");
    let length = 5 + rng.below(21);
    let program = Program { seed, steps: vec![] };
    let state = State::new(catalog);
    let mut generator = Generator { catalog, state, rng, salt: seed / SHARE % CHOICES, program, called: vec![] };
    let fault = generator.steps(length).and_then(|()| generator.state.end()).err();
    let Generator { mut state, program, called, .. } = generator;
    state.counts.programs = 1;
    GeneratedProgram { program, counts: state.counts, fault, called }
}

/// Returns the functions that a program calls from the walk through the table, in an order that mixes their families.
pub fn walked(catalog: &Catalog<'_>, seed: u64) -> impl Iterator<Item = usize> {
    let mut order: Vec<usize> = (0..catalog.entries().len()).collect();
    Rng::new(0, "walk").shuffle(&mut order);
    let all = order.len() as u64;
    (0..WALKED).map(move |k| order[((seed % all) * WALKED + k) as usize % order.len()])
}

impl<'a> Generator<'a> {
    fn steps(&mut self, length: usize) -> Result<(), Fault> {
        let mut walk: Vec<usize> = walked(self.catalog, self.program.seed).collect();
        walk.reverse();
        self.fresh_any()?;
        while self.program.steps.len() < length || !walk.is_empty() {
            match self.rng.below(20) {
                0 => self.fresh_any()?,
                1..5 => self.view()?,
                5..8 => self.write()?,
                8..15 if !walk.is_empty() => {
                    let entry = &self.catalog.entries()[walk.pop().unwrap_or_default()];
                    self.call(entry, None)?;
                }
                _ => {
                    let entry = &self.catalog.entries()[self.common()];
                    self.call(entry, None)?;
                }
            }
        }
        Ok(())
    }

    /// Chooses a function: methods and elementwise functions, of which there are most, have a lower weight.
    fn common(&mut self) -> usize {
        let all = self.catalog.entries();
        let mut at = self.rng.below(all.len());
        for _ in 0..4 {
            let entry = &all[at];
            let many = entry.method.is_some() || entry.record.parameters().iter().any(|p| p.name == "casting");
            if !many || self.rng.below(4) == 0 {
                break;
            }
            at = self.rng.below(all.len());
        }
        at
    }

    /// Adds a step and executes it; returns its results.
    pub(super) fn push(&mut self, operands: Vec<Ref>, action: Action) -> Result<Vec<Ref>, Fault> {
        let id = self.program.steps.last().map_or(0, |step| step.id + 1);
        if let Action::Call(call) = &action {
            self.called.push(call.path.clone());
        }
        let step = Step { id, operands, action };
        self.program.steps.push(step.clone());
        self.state.step(&step)?;
        Ok(self.state.variables().map(|(r, _)| r).filter(|r| r.step == id).collect())
    }

    /// Creates a new array in a random layout.
    pub(super) fn fresh(&mut self, dtype: DType, shape: &[usize], values: ValueSet) -> Result<Ref, Fault> {
        // A broadcast array may have any number of elements.
        let shape = if shape.iter().product::<usize>() > MOST { &[] } else { shape };
        let layout = shapes::layout(&mut self.rng, shape);
        let (base, steps) = layout.plan(shape);
        let values = if values.applies(dtype) { values } else { ValueSet::Small };
        let bytes = elements(dtype, &Shape(base.clone()), values, &mut self.rng);
        let mut at = self.push(vec![], Action::Make(Tensor::packed(dtype, &base, bytes)))?[0];
        for step in steps {
            let integers = |all: &[usize]| Argument::Integers(all.iter().map(|n| *n as i64).collect());
            let of = |path: &str, a: &str, name: &str, value| {
                Action::Call(Call::new(path).with(a, Argument::Operand(0)).with(name, value))
            };
            let action = match &step {
                operand::Step::Transpose(axes) => of("numpy.transpose", "a", "axes", integers(axes)),
                operand::Step::Broadcast(shape) => of("numpy.broadcast_to", "array", "shape", integers(shape)),
                operand::Step::Reshape(shape) => of("numpy.reshape", "a", "shape", integers(shape)),
                operand::Step::Slice(slices) => {
                    Action::Index(slices.iter().map(|(start, stop, step)| Key::Slice(*start, *stop, *step)).collect())
                }
            };
            at = self.push(vec![at], action)?[0];
        }
        Ok(at)
    }

    fn fresh_any(&mut self) -> Result<(), Fault> {
        let dtype = self.rng.pick(&DType::ALL);
        let limit = self.limit(usize::MAX);
        let shape = shapes::shape(&mut self.rng, limit);
        let values = shapes::values(&mut self.rng, dtype, &[]);
        self.fresh(dtype, &shape, values).map(|_| ())
    }

    /// Chooses the maximum number of elements of a new array, given that of a function: mostly few, because most faults
    /// show in few.
    pub(super) fn limit(&mut self, of_function: usize) -> usize {
        match self.rng.below(6) {
            // Functions for which the oracle is slow get fewer than a tile.
            0 if of_function < 3000 => of_function,
            0 => of_function.min(12_000),
            _ => of_function.min(400),
        }
    }

    /// Chooses one of the existing arrays.
    pub(super) fn some(&mut self, fits: impl Fn(&super::state::Variable) -> bool) -> Option<Ref> {
        let all: Vec<Ref> = self.state.variables().filter(|(_, v)| fits(v)).map(|(r, _)| r).collect();
        // Recent arrays are chosen more often.
        let n = all.len();
        (n > 0).then(|| all[n - 1 - self.rng.below(n).min(self.rng.below(n))])
    }

    fn view(&mut self) -> Result<(), Fault> {
        let Some(of) = self.some(|_| true) else { return Ok(()) };
        let shape = self.state.variable(of).map_or(vec![], |v| v.shape().to_vec());
        match self.rng.below(8) {
            0..3 => {
                let key = shapes::key(&mut self.rng, &shape);
                self.push(vec![of], Action::Index(key))?;
            }
            3 => {
                // Bytes other than 0 and 1 are no valid booleans: their behaviour is undefined.
                let dtype = self.rng.pick(&DType::ALL[1..]);
                self.push(vec![of], Action::View(dtype))?;
            }
            _ => {
                let path = self.rng.pick(&VIEWS);
                let entry = self.catalog.entry(path).expect("views are in the table");
                self.call(entry, Some(of))?;
            }
        }
        Ok(())
    }

    /// Generates a write to a part of an array: of a scalar, of another array, of another view of the same memory.
    fn write(&mut self) -> Result<(), Fault> {
        let broadcast = self.rng.below(20) == 0;
        let Some(of) = self.some(|v| v.size() < 20_000 && (broadcast || !v.is_broadcast())) else { return Ok(()) };
        let (shape, dtype) = self.state.variable(of).map(|v| (v.shape().to_vec(), v.dtype())).unwrap_or_default_pair();
        if self.rng.below(6) == 0 {
            let value = Argument::Scalar(shapes::scalar(&mut self.rng));
            self.push(vec![of], Action::Fill(value))?;
            return Ok(());
        }
        if self.rng.below(4) == 0 && shape.first().is_some_and(|n| *n > 1) {
            // One end of the array to the other, or reversed.
            let (a, b) = (Key::Slice(Some(1), None, 1), Key::Slice(None, Some(-1), 1));
            let (to, from) = match self.rng.below(3) {
                0 => (a, b),
                1 => (b, a),
                _ => (Key::Slice(None, None, 1), Key::Slice(None, None, -1)),
            };
            let from = self.push(vec![of], Action::Index(vec![from]))?[0];
            self.push(vec![of, from], Action::Set(vec![to], Argument::Operand(1)))?;
            return Ok(());
        }
        let key = shapes::key(&mut self.rng, &shape);
        let part = self.state.host(of).and_then(|a| a.index(&crate::reference::index_of(&key)).ok());
        let part: Vec<usize> = part.map_or(vec![], |p| p.shape().to_vec());
        if self.rng.below(5) < 2 {
            let value = Argument::Scalar(shapes::scalar(&mut self.rng));
            self.push(vec![of], Action::Set(key, value))?;
            return Ok(());
        }
        let own = self.rng.below(3) > 0;
        let fits = |v: &super::state::Variable| {
            (!own || v.dtype() == dtype)
                && v.shape().len() <= part.len()
                && v.shape().iter().rev().zip(part.iter().rev()).all(|(a, b)| a == b || *a == 1)
        };
        let from = match self.some(fits) {
            Some(from) if self.rng.below(3) > 0 => from,
            _ => {
                let shape = shapes::partner(&mut self.rng, &part);
                let other = DType::ALL[(dtype as usize * 7 + 3 + self.salt as usize) % DType::ALL.len()];
                let dtype = if self.rng.below(3) > 0 { dtype } else { other };
                let values = shapes::values(&mut self.rng, dtype, &[]);
                self.fresh(dtype, &shape, values)?
            }
        };
        self.push(vec![of, from], Action::Set(key, Argument::Operand(1)))?;
        Ok(())
    }

    /// Generates a call of a function, on an existing array if one is passed. A call that the oracle rejects is mostly
    /// generated again, to limit rejections.
    pub(super) fn call(&mut self, entry: &'a Entry<'a>, on: Option<Ref>) -> Result<(), Fault> {
        for attempt in 0..ATTEMPTS {
            let Some((call, operands)) = self.arguments(entry, on)? else { continue };
            // Functions for which the oracle is slow get few elements.
            let most = if entry.limit < 3000 { entry.limit.min(500) } else { 20_000 };
            if self.is_too_large(&call, &operands, most) {
                continue;
            }
            let plan = self.state.plan(&call, &operands);
            if plan.is_err() && attempt < 3 && self.rng.below(12) > 0 {
                continue;
            }
            let (call, operands) = match plan {
                // Broadcast views may be of any size.
                Ok(results) if results.iter().any(|r| r.size() > MOST) => continue,
                Ok(results) => self.placed(entry, call, operands, &results)?,
                Err(_) => (call, operands),
            };
            self.push(operands, Action::Call(call))?;
            return Ok(());
        }
        Ok(())
    }

    /// Returns true if the results of a call would be too large: those of all pairs, or of arrays broadcast against
    /// each other.
    fn is_too_large(&self, call: &Call, operands: &[Ref], most: usize) -> bool {
        let shape = |r: &Ref| self.state.variable(*r).map_or(vec![], |v| v.shape().to_vec());
        let mut shapes: Vec<Vec<usize>> = operands.iter().map(shape).collect();
        let product = |s: &Vec<usize>| s.iter().product::<usize>();
        if call.path.ends_with(".outer") {
            // Both operands may be the same array.
            if let [both] = &shapes[..] {
                shapes.push(both.clone());
            }
            return shapes.iter().map(product).product::<usize>() > most.min(2000)
                || shapes.iter().map(Vec::len).sum::<usize>() > 32;
        }
        let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
        let along =
            |axis: usize| shapes.iter().filter_map(|s| s.len().checked_sub(axis + 1).map(|k| s[k])).max().unwrap_or(1);
        (0..rank).map(along).fold(1usize, usize::saturating_mul) > most.max(shapes.first().map_or(0, product))
    }
}

/// The shape and the dtype of an optional array.
trait OrNothing {
    fn unwrap_or_default_pair(self) -> (Vec<usize>, DType);
}

impl OrNothing for Option<(Vec<usize>, DType)> {
    fn unwrap_or_default_pair(self) -> (Vec<usize>, DType) {
        self.unwrap_or((vec![], DType::F32))
    }
}
