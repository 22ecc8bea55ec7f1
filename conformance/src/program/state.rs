//! The arrays of a program on both sides: executes steps, compares them, and adopts the device's values.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cuprum::cuda::Device;
use cuprum::table::{self, Arguments};
use cuprum::{Array, Operand};
use cuprum_kernels::DType;
use cuprum_oracle::{self as oracle, NdArray};
use serde::{Deserialize, Serialize};

use super::catalog::Catalog;
use super::{Action, Fault, Ref, Step};
use crate::call::{Argument, Call};
use crate::case::{Expectation, Scalar};
use crate::judge::{Allowance, Failure, Reason, judge};
use crate::outcome::{Freedom, Kind, Outcome, Tensor};
use crate::run::last_panic;
use crate::text::Key;
use crate::{reference, subject};

/// Counts of results and memories that were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Number of programs.
    pub programs: u64,
    /// Number of steps that were executed on both sides.
    pub steps: u64,
    /// Number of results of which at least one element was compared.
    pub compared: u64,
    /// Number of elements that were compared in them.
    pub elements: u64,
    /// Number of elements that were not compared, because NumPy leaves them undefined or no bound is known.
    pub skipped: u64,
    /// Number of results with elements of which none was compared, though dtype, shape and strides were.
    pub unlooked: u64,
    /// Number of results without elements: dtype and shape were compared.
    pub empty: u64,
    /// Number of steps that both sides rejected.
    pub rejected: u64,
    /// Number of steps that the device does not implement: nothing of them was compared.
    pub missing: u64,
    /// Number of memories compared as a whole after a write, or at the end.
    pub memories: u64,
}

impl Counts {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Counts) {
        let Counts { programs, steps, compared, elements, skipped, unlooked, empty, rejected, missing, memories } =
            other;
        self.programs += programs;
        self.steps += steps;
        self.compared += compared;
        self.elements += elements;
        self.skipped += skipped;
        self.unlooked += unlooked;
        self.empty += empty;
        self.rejected += rejected;
        self.missing += missing;
        self.memories += memories;
    }
}

/// Memory on both sides.
#[derive(Debug)]
struct Memory {
    /// The array on the device as which it was created.
    root: Array,
    /// The same array on the host.
    whole: NdArray,
}

/// An array of the program.
#[derive(Debug)]
pub struct Variable {
    memory: usize,
    dtype: DType,
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
    device: Array,
}

impl Variable {
    /// Returns the dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns true if an element occurs more than once, so that it cannot be written to.
    pub fn is_broadcast(&self) -> bool {
        self.shape.iter().zip(&self.strides).any(|(n, s)| *n > 1 && *s == 0)
    }

    /// Returns the index of the memory in which it is stored.
    pub fn memory(&self) -> usize {
        self.memory
    }
}

/// An error: its kind and its message.
pub type Rejection = (Kind, String);

/// The oracle's result of a step.
struct Expected {
    results: Vec<NdArray>,
    /// The destination of each result; `None` for new arrays.
    written: Vec<Option<Written>>,
}

/// A part of an operand that is written to.
#[derive(Clone)]
struct Written {
    memory: usize,
    view: NdArray,
}

/// The arrays of a program.
#[derive(Debug)]
pub struct State<'a> {
    catalog: &'a Catalog<'a>,
    memories: Vec<Memory>,
    variables: BTreeMap<Ref, Variable>,
    planned: Option<PlannedCall>,
    /// Counts of results and memories that were compared.
    pub counts: Counts,
}

/// The oracle's result of the most recently planned call, which the following step executes.
#[derive(Debug)]
struct PlannedCall {
    call: String,
    operands: Vec<Ref>,
    results: Result<Vec<NdArray>, Rejection>,
}

fn rejected(kind: Kind, message: impl Into<String>) -> Rejection {
    (kind, message.into())
}

pub(super) fn guarded<T>(side: impl FnOnce() -> Result<T, Rejection>) -> Result<T, Rejection> {
    catch_unwind(AssertUnwindSafe(side))
        .unwrap_or_else(|_| Err(rejected(Kind::Broken, format!("a panic: {}", last_panic()))))
}

pub(super) fn of_device(error: cuprum::Error) -> Rejection {
    (subject::kind(&error), error.to_string())
}

fn of_oracle(error: oracle::OracleError) -> Rejection {
    (reference::kind(&error), error.message)
}

/// Returns the operands to which a call writes by its parameter `out`, or in place of a copy.
fn outs(call: &Call) -> Vec<usize> {
    let operand_index = |argument: &Argument| if let Argument::Operand(index) = argument { Some(*index) } else { None };
    let in_place = call.path == "numpy.nan_to_num"
        && call.arguments.iter().any(|(n, a)| n == "copy" && matches!(a, Argument::Scalar(Scalar::Bool(false))));
    let written = if in_place { "x" } else { "out" };
    match call.arguments.iter().find(|(name, _)| name == written) {
        Some((_, Argument::List(all))) => all.iter().filter_map(operand_index).collect(),
        Some((_, argument)) => operand_index(argument).into_iter().collect(),
        None => vec![],
    }
}

impl<'a> State<'a> {
    /// Creates a state without arrays.
    pub fn new(catalog: &'a Catalog<'a>) -> State<'a> {
        State { catalog, memories: vec![], variables: BTreeMap::new(), planned: None, counts: Counts::default() }
    }

    /// Returns all arrays.
    pub fn variables(&self) -> impl Iterator<Item = (Ref, &Variable)> {
        self.variables.iter().map(|(r, v)| (*r, v))
    }

    /// Returns an array.
    pub fn variable(&self, of: Ref) -> Option<&Variable> {
        self.variables.get(&of)
    }

    /// Returns an array on the host.
    pub fn host(&self, of: Ref) -> Option<NdArray> {
        let v = self.variables.get(&of)?;
        self.memories[v.memory].whole.seen_as(v.dtype, &v.shape, &v.strides, v.offset).ok()
    }

    /// Computes the oracle's result of a call.
    ///
    /// # Errors
    /// The oracle's error.
    pub fn plan(&mut self, call: &Call, operands: &[Ref]) -> Result<Vec<NdArray>, Rejection> {
        let hosts: Vec<NdArray> = operands.iter().filter_map(|r| self.host(*r)).collect();
        let results = self.called(call, &hosts);
        let planned = PlannedCall { call: format!("{call:?}"), operands: operands.to_vec(), results: results.clone() };
        self.planned = Some(planned);
        results
    }

    fn called(&self, call: &Call, operands: &[NdArray]) -> Result<Vec<NdArray>, Rejection> {
        let operands: Vec<oracle::Operand<'_>> = operands.iter().map(oracle::Operand::Array).collect();
        guarded(|| reference::invoke(&Call { path: self.catalog.oracle_path(&call.path), ..call.clone() }, &operands))
    }

    /// Executes a step on both sides and compares it. Returns `false` if an operand does not exist, so that the step is
    /// skipped.
    ///
    /// # Errors
    /// The difference of the sides.
    pub fn step(&mut self, step: &Step) -> Result<bool, Fault> {
        let Some(hosts) = step.operands.iter().map(|r| self.host(*r)).collect::<Option<Vec<_>>>() else {
            return Ok(false);
        };
        let done = match &step.action {
            Action::Make(tensor) => self.made(step.id, tensor),
            _ => self.judged(step, &hosts),
        };
        self.counts.steps += 1;
        done.map_err(|failure| Fault { step: Some(step.id), failure })?;
        Ok(true)
    }

    fn made(&mut self, id: usize, tensor: &Tensor) -> Result<(), Failure> {
        let array = guarded(|| subject::upload(tensor).map_err(of_device));
        let (array, host) = match array.and_then(|a| {
            let host = NdArray::from_packed(tensor.dtype, &tensor.shape, tensor.bytes.clone());
            Ok((a, host.map_err(of_oracle)?))
        }) {
            Ok(both) => both,
            Err((_, message)) => return Err(Failure::new(Reason::Broken, message)),
        };
        self.keep(Ref { step: id, result: 0 }, array, host, None);
        Ok(())
    }

    /// Stores a result: a view of existing memory, or in separate memory.
    fn keep(&mut self, name: Ref, device: Array, host: NdArray, memory: Option<usize>) {
        let memory = memory.unwrap_or_else(|| {
            self.memories.push(Memory { root: device.clone(), whole: host.clone() });
            self.memories.len() - 1
        });
        let (shape, strides) = (host.shape().to_vec(), host.strides().to_vec());
        let variable = Variable { memory, dtype: host.dtype(), shape, strides, offset: host.offset(), device };
        self.variables.insert(name, variable);
    }

    fn judged(&mut self, step: &Step, hosts: &[NdArray]) -> Result<(), Failure> {
        let wanted = self.wanted(step, hosts);
        let devices: Vec<Array> = step.operands.iter().map(|r| self.variables[r].device.clone()).collect();
        let mut missing = false;
        let got = guarded(|| {
            carried_out(&step.action, &devices).map_err(|error| {
                missing = error.kind() == cuprum::ErrorKind::NotImplemented;
                of_device(error)
            })
        });
        if missing {
            // The device reports it as not implemented, so there is nothing to compare.
            self.counts.missing += 1;
            return Ok(());
        }
        let (got, wanted) = match (got, wanted) {
            (Ok(got), Ok(wanted)) => (got, wanted),
            (got, wanted) => {
                let none = Outcome::Several(vec![]);
                let side = |r: Option<Rejection>| r.map_or(none.clone(), |(k, m)| Outcome::Rejected(k, m));
                let (got, want) = (side(got.err()), side(wanted.err()));
                self.counts.rejected += 1;
                let verdict = judge(&got, &want, Expectation::Agreement, &Allowance::default());
                verdict.failure.map_or(Ok(()), Err)?;
                return match (&got, &step.action) {
                    (Outcome::Rejected(_, message), Action::Call(call)) => named(call, message),
                    _ => Ok(()),
                };
            }
        };
        let written = match &step.action {
            // A call without a result changed its first operand.
            Action::Call(call) if got.is_empty() && !wanted.results.is_empty() => {
                vec![self.catalog.changed(call).map(|index| self.written(step, hosts, index))]
            }
            _ => wanted.written,
        };
        self.results(step, hosts, &got, &wanted.results, &written)
    }

    /// Returns the whole of an operand as a destination.
    fn written(&self, step: &Step, hosts: &[NdArray], operand: usize) -> Written {
        Written { memory: self.variables[&step.operands[operand]].memory, view: hosts[operand].clone() }
    }

    /// Compares results, and stores them.
    fn results(
        &mut self,
        step: &Step,
        hosts: &[NdArray],
        got: &[Array],
        want: &[NdArray],
        written: &[Option<Written>],
    ) -> Result<(), Failure> {
        let view = |k: usize| written.get(k).and_then(Option::as_ref);
        if got.len() != want.len() && view(0).is_none() {
            let message = format!("the device gave {} results, the oracle {}", got.len(), want.len());
            return Err(Failure::new(Reason::Shape, message));
        }
        // The current contents of the memories that were written to.
        let mut now: BTreeMap<usize, NdArray> = BTreeMap::new();
        for Written { memory, .. } in written.iter().flatten() {
            if !now.contains_key(memory) {
                now.insert(*memory, self.fetched(*memory)?);
            }
        }
        let mut tensors = vec![];
        for (k, host) in want.iter().enumerate() {
            tensors.push(match view(k) {
                Some(Written { memory, view }) => {
                    let seen = now[memory].seen_as(view.dtype(), view.shape(), view.strides(), view.offset());
                    let seen = reference::tensor(&seen.map_err(|e| Failure::new(Reason::Broken, e.message))?);
                    if let Some(handle) = got.get(k).filter(|_| matches!(step.action, Action::Call(_))) {
                        is_out(handle, view)?;
                    }
                    // The oracle keeps the strides of its destination.
                    Tensor { strides: reference::tensor(host).strides, ..seen }
                }
                None => fetched(&got[k])?,
            });
        }
        let wants: Vec<Tensor> = want.iter().map(reference::tensor).collect();
        self.compare(step, hosts, &tensors, &wants)?;
        self.planned = None;
        for (memory, whole) in now {
            self.beside(memory, &whole, written)?;
            self.memories[memory].whole = whole;
        }
        for (k, (host, tensor)) in want.iter().zip(&tensors).enumerate() {
            if view(k).is_some() {
                continue;
            }
            let shared = self.shared(step, &got[k], host)?;
            let host = if shared.is_some() { host.clone() } else { adopted(tensor, host) };
            self.keep(Ref { step: step.id, result: k }, got[k].clone(), host, shared);
        }
        Ok(())
    }

    fn compare(&mut self, step: &Step, hosts: &[NdArray], got: &[Tensor], want: &[Tensor]) -> Result<(), Failure> {
        let allowance = match &step.action {
            Action::Call(call) => self.catalog.allowance(call, hosts, want),
            _ => Allowance::default(),
        };
        let outcome = |all: &[Tensor]| match all {
            [one] => Outcome::Array(one.clone()),
            all => Outcome::Several(all.to_vec()),
        };
        let verdict = judge(&outcome(got), &outcome(want), Expectation::Agreement, &allowance);
        let mut first = 0;
        for tensor in want {
            let bound = |i: usize| allowance.bounds.as_ref().and_then(|b| b.get(first + i));
            let open =
                |i: &usize| tensor.freedom.get(*i) == Some(&Freedom::Any) || bound(*i).is_some_and(|b| b.is_infinite());
            let (size, open) = (tensor.size(), (0..tensor.size()).filter(open).count());
            first += size;
            self.counts.skipped += open as u64;
            self.counts.elements += (size - open) as u64;
            match (size, size - open) {
                (0, _) => self.counts.empty += 1,
                (_, 0) => self.counts.unlooked += 1,
                _ => self.counts.compared += 1,
            }
        }
        verdict.failure.map_or(Ok(()), Err)
    }

    /// Fetches the current contents of a memory from the device.
    fn fetched(&self, memory: usize) -> Result<NdArray, Failure> {
        let Memory { root, whole } = &self.memories[memory];
        Ok(adopted(&fetched(root)?, whole))
    }

    /// Checks whether the result is a view of an operand's memory, on both sides or on neither.
    fn shared(&self, step: &Step, got: &Array, host: &NdArray) -> Result<Option<usize>, Failure> {
        if host.size() == 0 {
            return Ok(None);
        }
        let operands = || step.operands.iter().map(|r| self.variables[r].memory);
        let device = operands().find(|m| got.may_share_memory(&self.memories[*m].root));
        let oracle = operands().find(|m| std::ptr::eq(self.memories[*m].whole.buffer(), host.buffer()));
        if device == oracle {
            return Ok(oracle);
        }
        let word = |side: Option<usize>| if side.is_some() { "a view" } else { "a copy" };
        let message = format!("the device gave {}, the oracle {}", word(device), word(oracle));
        Err(Failure::new(Reason::Layout, message))
    }

    /// Checks that bytes outside of the written elements are unchanged.
    fn beside(&mut self, memory: usize, now: &NdArray, written: &[Option<Written>]) -> Result<(), Failure> {
        let before = self.memories[memory].whole.clone();
        let mut expected = before.buffer().to_vec();
        for Written { view, .. } in written.iter().flatten().filter(|w| w.memory == memory) {
            let size = view.dtype().size();
            for at in reference::byte_offsets(view) {
                expected[at..at + size].copy_from_slice(&now.buffer()[at..at + size]);
            }
        }
        self.counts.memories += 1;
        same_bytes(&expected, now.buffer()).map_err(|at| {
            Failure::new(Reason::Value, format!("byte {at} of the memory, outside of what is written, changed"))
        })
    }

    /// Assigns to a part of the first operand on the host: returns the part with its new elements, and its location.
    fn assigned(&self, step: &Step, hosts: &[NdArray], key: &[Key], value: &Argument) -> Result<Expected, Rejection> {
        let (index, to) = (reference::index_of(key), &hosts[0]);
        let value = match value {
            Argument::Operand(index) => oracle::Operand::Array(&hosts[*index]),
            Argument::Scalar(s) => oracle::Operand::Scalar(reference::value(*s)),
            other => return Err(rejected(Kind::Broken, format!("{other:?} cannot be assigned"))),
        };
        let mut changed = to.clone();
        changed.assign(&index, &value).map_err(of_oracle)?;
        let view = to.index(&index).map_err(of_oracle)?;
        let mut result = changed.index(&index).map_err(of_oracle)?;
        if let (oracle::Operand::Array(a), true) = (value, to.dtype().is_integer()) {
            // The cast determines which elements NumPy leaves undefined.
            let mut from = a.clone();
            while from.ndim() > view.ndim() {
                from = from.index(&[oracle::Index::At(0)]).map_err(of_oracle)?;
            }
            let from = from.broadcast_to(view.shape()).map_err(of_oracle)?;
            result = result.flagged_as(&from.astype(to.dtype(), oracle::Order::C));
        }
        Ok(Expected { results: vec![result], written: vec![Some(Written { view, ..self.written(step, hosts, 0) })] })
    }

    /// Checks that all memory is unchanged since the last write to it.
    ///
    /// # Errors
    /// The difference.
    pub fn end(&mut self) -> Result<(), Fault> {
        for memory in 0..self.memories.len() {
            let check = || {
                let now = self.fetched(memory)?;
                same_bytes(self.memories[memory].whole.buffer(), now.buffer()).map_err(|at| {
                    let message = format!("byte {at} of memory {memory} changed, which nothing wrote to");
                    Failure::new(Reason::Value, message)
                })
            };
            check().map_err(|failure| Fault { step: None, failure })?;
            self.counts.memories += 1;
        }
        Ok(())
    }

    fn wanted(&mut self, step: &Step, hosts: &[NdArray]) -> Result<Expected, Rejection> {
        let new = |result: NdArray| Expected { results: vec![result], written: vec![] };
        let first = || hosts.first().ok_or_else(|| rejected(Kind::Broken, "there is no operand"));
        match &step.action {
            Action::Make(_) => Err(rejected(Kind::Broken, "an array is made on the host")),
            Action::Index(key) => Ok(new(first()?.index(&reference::index_of(key)).map_err(of_oracle)?)),
            Action::View(dtype) => {
                let seen = first()?.view_dtype(*dtype).map_err(of_oracle)?;
                // Unlike in NumPy, the elements must be aligned.
                let unit = dtype.real().size();
                let strides = seen.shape().iter().zip(seen.strides()).all(|(n, s)| *n <= 1 || s % unit as isize == 0);
                if seen.size() > 0 && !(seen.offset().is_multiple_of(unit) && strides) {
                    return Err(rejected(Kind::Value, "the memory is not aligned"));
                }
                Ok(new(seen))
            }
            Action::Call(call) => {
                let planned =
                    self.planned.take().filter(|p| p.operands == step.operands && p.call == format!("{call:?}"));
                let results = planned.map_or_else(|| self.called(call, hosts), |p| p.results)?;
                let outs = outs(call);
                let written = |k: usize| outs.get(k).map(|index| self.written(step, hosts, *index));
                Ok(Expected { written: (0..results.len()).map(written).collect(), results })
            }
            Action::Set(key, value) => self.assigned(step, hosts, key, value),
            Action::Fill(value) => self.assigned(step, hosts, &[Key::Ellipsis], value),
        }
    }
}

/// Executes the device's side of a step; no results for one that only changes its operand.
pub(super) fn carried_out(action: &Action, operands: &[Array]) -> cuprum::Result<Vec<Array>> {
    let host_operands: Vec<Operand<'_>> = operands.iter().map(Operand::Array).collect();
    match action {
        Action::Make(tensor) => Ok(vec![subject::upload(tensor)?]),
        Action::Index(key) => Ok(vec![operands[0].index(subject::index_of(key)?)?]),
        Action::View(dtype) => Ok(vec![operands[0].view(*dtype)?]),
        Action::Call(call) => {
            let mut arguments = Arguments::default();
            for (name, argument) in &call.arguments {
                arguments = arguments.with(name, subject::value(argument, &host_operands)?);
            }
            let arrays = subject::arrays(table::find(&call.path)?.call(&arguments)?)?;
            // Errors that are found on the device belong to this step.
            Device::current()?.synchronize()?;
            Ok(arrays)
        }
        Action::Set(key, value) => {
            let key = subject::index_of(key)?;
            match value {
                Argument::Operand(index) => operands[0].set(key, &operands[*index])?,
                Argument::Scalar(s) => operands[0].set(key, subject::scalar(*s))?,
                _ => {}
            }
            Ok(vec![])
        }
        Action::Fill(value) => {
            if let Argument::Scalar(s) = value {
                operands[0].fill(subject::scalar(*s))?;
            }
            Ok(vec![])
        }
    }
}

/// Checks that a message names the function that raised it.
fn named(call: &Call, message: &str) -> Result<(), Failure> {
    let name = call.path.rsplit('.').next().unwrap_or_default();
    if message.contains(name) {
        return Ok(());
    }
    Err(Failure::new(Reason::Text, format!("the message does not name {name}: {message:?}")))
}

/// Checks that the returned array is the passed `out`.
fn is_out(handle: &Array, out: &NdArray) -> Result<(), Failure> {
    let strides =
        || handle.strides().iter().zip(out.strides()).zip(out.shape()).all(|((a, b), n)| *n <= 1 || *a == *b as i64);
    if handle.dtype() == out.dtype() && handle.shape() == out.shape() && (out.size() == 0 || strides()) {
        return Ok(());
    }
    Err(Failure::new(Reason::Layout, "what is returned is not out".into()))
}

/// Fetches the elements of an array on the device.
pub(super) fn fetched(array: &Array) -> Result<Tensor, Failure> {
    subject::fetched(array).map_err(|message| Failure::new(Reason::Broken, format!("the device broke down: {message}")))
}

/// Stores the device's elements in the oracle's memory layout.
fn adopted(tensor: &Tensor, host: &NdArray) -> NdArray {
    let size = tensor.dtype.size();
    let low: isize = host.shape().iter().zip(host.strides()).map(|(n, s)| (*n as isize - 1).max(0) * (*s).min(0)).sum();
    let high: isize =
        host.shape().iter().zip(host.strides()).map(|(n, s)| (*n as isize - 1).max(0) * (*s).max(0)).sum();
    let length = if host.size() == 0 { 0 } else { (high - low) as usize + size };
    let start = if host.size() == 0 { 0 } else { low.unsigned_abs() };
    // An array that begins within its memory keeps its offset.
    let (start, length) =
        if host.offset() == start && host.buffer().len() == length { (host.offset(), length) } else { (start, length) };
    let empty = NdArray::from_bytes(tensor.dtype, host.shape(), host.strides(), start, vec![0; length])
        .expect("the memory is as large as the elements reach");
    let mut bytes = vec![0; length];
    for (at, element) in reference::byte_offsets(&empty).zip(tensor.bytes.chunks_exact(size)) {
        bytes[at..at + size].copy_from_slice(element);
    }
    NdArray::from_bytes(tensor.dtype, host.shape(), host.strides(), start, bytes)
        .expect("the memory is as large as the elements reach")
}

/// Compares bytes; the error is the index of the first difference.
fn same_bytes(a: &[u8], b: &[u8]) -> Result<(), usize> {
    match a == b {
        true => Ok(()),
        false => Err(a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()))),
    }
}
