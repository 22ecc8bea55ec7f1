//! The functions that programs call: every record of the call table, with the data of the matrix.

use std::collections::HashMap;

use cuprum::table::{Record, get, records};
use cuprum_kernels::DType;
use cuprum_oracle::{self as oracle, NdArray, Value};

use crate::call::{Argument, Call, path};
use crate::case::{Scalar, ValueSet};
use crate::judge::Allowance;
use crate::matrix::{Matrix, Model, Op, OpKind};
use crate::operand::{Input, Placed};
use crate::outcome::{Number, Tensor};
use crate::random::hash;
use crate::reference::{self, Reference, elementwise_bounds};
use crate::run::Run;
use crate::ulp;

/// Functions without an operation of their own in the matrix, and those whose tolerance they share.
const OTHER_NAMES: [(&str, &str); 1] = [("trapz", "trapezoid")];

const METHODS: [&str; 5] = ["reduce", "accumulate", "reduceat", "outer", "at"];

/// Maximum number of elements for a function without an operation in the matrix.
const USUAL_LIMIT: usize = 2145;

/// A function with the data of the matrix.
#[derive(Debug)]
pub struct Entry<'m> {
    /// The record.
    pub record: &'static Record,
    /// The path.
    pub path: String,
    /// The name of the function; for a method, of its ufunc.
    pub name: String,
    /// The name of the ufunc method, if it is one.
    pub method: Option<&'static str>,
    /// The operation; for a method, of its ufunc.
    pub op: Option<&'m Op>,
    /// The dtypes that it takes.
    pub dtypes: Vec<DType>,
    /// The value sets with which it is tested.
    pub values: Vec<ValueSet>,
    /// The maximum number of elements of an operand: that of the largest case of the default run, because some oracle
    /// functions are slow.
    pub limit: usize,
}

/// All functions.
#[derive(Debug)]
pub struct Catalog<'m> {
    run: Run<'m>,
    entries: Vec<Entry<'m>>,
    by_path: HashMap<String, usize>,
    planted: Option<(String, String)>,
}

/// Converts the array to an operand of a case.
fn input(a: &NdArray) -> Input {
    let logical = Tensor::packed(a.dtype(), a.shape(), a.to_c_bytes());
    Input::Array(Box::new(Placed { base: logical.clone(), steps: vec![], offset: 0, logical }))
}

fn is_inexact(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

impl<'m> Entry<'m> {
    fn new(matrix: &'m Matrix, ops: &[(String, &'m Op)], record: &'static Record) -> Entry<'m> {
        let method = METHODS.into_iter().find(|m| record.name().ends_with(&format!(".{m}")));
        let bare = |name: &str| method.map_or(name, |m| &name[..name.len() - m.len() - 1]).to_string();
        let named = |name: &str| {
            let path = format!("{}.{}", record.namespace(), bare(name));
            let all = || ops.iter().filter(|(p, _)| *p == path).map(|(_, op)| *op);
            // If a function has several operations, the one with a tolerance: its bounds follow from the call.
            all().find(|op| op.tolerance != "exact").or_else(|| all().next())
        };
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == record.name()).map(|(_, other)| *other);
        let op = named(record.name()).or_else(|| record.alias_of().or(other).and_then(named));
        let largest = |op: &Op| {
            let shapes = matrix.shapes.get(&op.shapes)?;
            shapes.default.iter().flat_map(|tuple| &tuple.0).map(|shape| shape.size()).max()
        };
        Entry {
            record,
            path: record.path(),
            name: bare(record.name()),
            method,
            op,
            // An operation of unequal dtypes only declares none.
            dtypes: op
                .and_then(|op| matrix.dtypes.get(&op.dtypes))
                .filter(|dtypes| !dtypes.is_empty())
                .cloned()
                .unwrap_or(DType::ALL.to_vec()),
            values: op.and_then(|op| op.values.clone()).unwrap_or_default(),
            limit: op.and_then(largest).unwrap_or(USUAL_LIMIT),
        }
    }

    /// Returns the number of tuples of dtypes from which one is chosen: one for methods, of which there are most.
    pub fn variants(&self) -> usize {
        if self.method.is_some() { 1 } else { 2 }
    }

    /// Returns the dtype of an operand: one of a few for each function, so that many programs need few kernels. `salt`
    /// selects the few.
    pub fn dtype(&self, variant: usize, operand: usize, salt: u64) -> DType {
        let bits = |what: &str| hash(format!("{}/{salt}/{variant}/{operand}/{what}", self.path)) as usize;
        if operand > 0 && bits("alike").is_multiple_of(2) {
            return self.dtype(variant, 0, salt);
        }
        // Some are dtypes that the function rejects.
        let all = if bits("any").is_multiple_of(12) { &DType::ALL[..] } else { &self.dtypes };
        all[bits("which") % all.len()]
    }
}

/// Returns the call without some of its arguments.
fn without(call: &Call, names: &[&str]) -> Call {
    let arguments = call.arguments.iter().filter(|(n, _)| !names.contains(&n.as_str())).cloned().collect();
    Call { arguments, ..call.clone() }
}

/// Returns bounds for inexact results that are truncated to integers, in `out` or at the end: those elements may be
/// either of two.
fn cut(call: &Call, operands: &[oracle::Operand<'_>], want: &Tensor) -> Option<Vec<f64>> {
    let at_the_end = ["numpy.logspace", "numpy.geomspace"].contains(&call.path.as_str());
    let plain = without(call, if at_the_end { &["dtype"] } else { &["out", "where"] });
    let uncut = reference::invoke(&plain, operands).ok()?.swap_remove(0);
    if !is_inexact(uncut.dtype()) || uncut.size() != want.size() {
        return None;
    }
    let bounds = reference::invoked_bounds(&plain, operands, oracle::Gathering::DEVICE).ok()??;
    let open = |(v, b): (oracle::Value, f64)| {
        let (x, y) = (v.complex().re, v.complex().im);
        // The order of operations decides which part of a complex number overflows.
        let overflows = uncut.dtype().is_complex() && !(x.is_finite() && y.is_finite());
        if overflows || (x - b).trunc() != (x + b).trunc() { f64::INFINITY } else { 0.0 }
    };
    Some(uncut.values().into_iter().zip(bounds).map(open).collect())
}

/// Returns bounds for a real `out` of complex numbers: which part overflows depends on the order of operations.
fn parts(call: &Call, operands: &[oracle::Operand<'_>], want: &Tensor, allowance: &Allowance) -> Option<Vec<f64>> {
    let whole = reference::invoke(&without(call, &["out"]), operands).ok()?.swap_remove(0);
    if !whole.dtype().is_complex() || whole.size() != want.size() {
        return None;
    }
    let bound = |k: usize| match &allowance.bounds {
        Some(all) => all.get(k).copied().unwrap_or(0.0),
        None => allowance.ulp as f64 * ulp::unit(want.dtype, want.get(k).parts().0),
    };
    let each = whole.values().into_iter().enumerate();
    Some(each.map(|(k, v)| if v.complex().is_finite() { bound(k) } else { f64::INFINITY }).collect())
}

/// Returns the operations of the matrix that are functions, with their paths.
fn operations(matrix: &Matrix) -> Vec<(String, &Op)> {
    let called = |op: &&Op| {
        use OpKind::{Getitem, Operator, Setitem, Sparse, Spatial, Text};
        !matches!(op.kind, Operator | Getitem | Setitem | Text | Sparse | Spatial)
    };
    matrix.ops.iter().filter(called).filter_map(|op| Some((path(op).ok()?, op))).collect()
}

/// Returns why programs do not call a function; `None` if they do.
fn exclusion(ops: &[(String, &Op)], record: &Record) -> Option<&'static str> {
    let path = record.path();
    let is_judged = || oracle::table::find(&path).is_some_and(|function| function.is_judged());
    // Transforms have one error bound for the whole result; convolutions bound each element.
    let is_transform = || {
        let of_transform = |op: &Op| op.family == "fft" && op.tolerance == "product";
        !record.namespace().ends_with("signal") && ops.iter().any(|(own, op)| *own == path && of_transform(op))
    };
    record
        .no_programs()
        .or_else(|| is_judged().then_some("a decomposition, which is judged by its residual"))
        .or_else(|| is_transform().then_some("a transform, which is judged by the error of the whole result"))
}

impl<'m> Catalog<'m> {
    /// Returns the paths of the functions that programs do not call, in order, each with the reason.
    pub fn exclusions(matrix: &Matrix) -> Vec<(String, &'static str)> {
        let ops = operations(matrix);
        records().iter().filter_map(|r| Some((r.path(), exclusion(&ops, r)?))).collect()
    }

    /// Collects all functions except those that are excluded.
    pub fn new(matrix: &'m Matrix) -> Catalog<'m> {
        let ops = operations(matrix);
        let is_called = |r: &&Record| exclusion(&ops, r).is_none();
        let entries: Vec<Entry<'m>> = records().iter().filter(is_called).map(|r| Entry::new(matrix, &ops, r)).collect();
        let by_path = entries.iter().enumerate().map(|(k, e)| (e.path.clone(), k)).collect();
        let run = Run { matrix, seed: matrix.seed, device: &Reference, oracle: &Reference };
        Catalog { run, entries, by_path, planted: None }
    }

    /// Returns the same catalog with a seeded fault: for one function the oracle calls another. For a test that it is
    /// detected.
    #[must_use]
    pub fn with_fault(self, function: &str, other: &str) -> Catalog<'m> {
        Catalog { planted: Some((function.into(), other.into())), ..self }
    }

    /// Returns the functions, by their paths.
    pub fn entries(&self) -> &[Entry<'m>] {
        &self.entries
    }

    /// Returns a function by its path.
    pub fn entry(&self, path: &str) -> Option<&Entry<'m>> {
        self.by_path.get(path).map(|k| &self.entries[*k])
    }

    /// Returns the oracle's path of a function: NumPy's name, unless the oracle has another.
    pub fn oracle_path(&self, path: &str) -> String {
        if let Some((_, other)) = self.planted.as_ref().filter(|(function, _)| function == path) {
            return other.clone();
        }
        let alias = || {
            let record = get(path)?;
            Some(format!("{}.{}", record.namespace(), record.alias_of()?))
        };
        match oracle::table::find(path) {
            Some(_) => path.into(),
            None => alias().unwrap_or_else(|| path.into()),
        }
    }

    /// Returns the operand that a call without a result changes: that of its first parameter.
    pub fn changed(&self, call: &Call) -> Option<usize> {
        let first = self.entry(&call.path)?.record.parameters().first()?.name;
        call.arguments.iter().find_map(|(name, argument)| match argument {
            Argument::Operand(index) if name == first => Some(*index),
            _ => None,
        })
    }

    /// Returns the tolerance of the results of a call.
    pub fn allowance(&self, call: &Call, hosts: &[NdArray], want: &[Tensor]) -> Allowance {
        let Some(entry) = self.entry(&call.path) else { return Allowance::default() };
        let (Some(op), Some(first)) = (entry.op, want.first()) else { return Allowance::default() };
        let tolerance = self.run.matrix.tolerance(op);
        let exact = tolerance.model == Model::Ulp && tolerance.ulp.is_empty();
        if !want.iter().any(|t| is_inexact(t.dtype)) && exact {
            return Allowance::default();
        }
        let call = &Call { path: self.oracle_path(&call.path), ..call.clone() };
        let dtypes: Vec<DType> = hosts.iter().map(NdArray::dtype).collect();
        let operands: Vec<oracle::Operand<'_>> = hosts.iter().map(oracle::Operand::Array).collect();
        let bounds = || reference::invoked_bounds(call, &operands, oracle::Gathering::DEVICE).ok().flatten();
        // No bound is known for results that are computed step by step from inexact ones.
        let unknown = Allowance {
            bounds: Some(vec![f64::INFINITY; want.iter().map(Tensor::size).sum()]),
            ..Allowance::default()
        };
        let of_elements = || self.of_elements(op, call, hosts, first);
        match entry.method {
            None if op.kind == OpKind::Ufunc || self.is_ufunc(entry) => of_elements(),
            Some("outer") => of_elements(),
            None => {
                let inputs: Vec<Input> = hosts.iter().map(input).collect();
                let mut allowance = self.run.allowed(op, &dtypes, &inputs, first, None, &bounds);
                if !is_inexact(first.dtype) {
                    allowance.bounds = allowance.bounds.or_else(|| cut(call, &operands, first));
                } else if !first.dtype.is_complex() && dtypes.iter().any(|d| d.is_complex()) {
                    allowance.bounds = parts(call, &operands, first, &allowance).or(allowance.bounds);
                }
                allowance
            }
            Some("at") if !exact => {
                // Where rounding makes a base 1, its power with NaN is 1.
                let is_power = ["power", "pow", "float_power"].contains(&entry.name.as_str());
                let is_open = |k: usize| is_power && matches!(first.get(k), Number::Float(x) if x.is_nan());
                let bounds = (0..first.size()).map(|k| if is_open(k) { f64::NAN } else { f64::INFINITY });
                Allowance { bounds: Some(bounds.collect()), ..Allowance::default() }
            }
            Some(_) if exact || first.dtype.is_complex() && matches!(op.kind, OpKind::Ufunc | OpKind::Method) => {
                let any_infinity = tolerance.any_infinity || first.dtype.is_complex();
                Allowance { bounds: bounds(), any_infinity, ..Allowance::default() }
            }
            Some(_) if self.is_exact(op, call, first.dtype, &dtypes) => {
                Allowance { bounds: bounds(), ..Allowance::default() }
            }
            Some(_) => unknown,
        }
    }

    /// Returns true if a method is exact. Integers in `out` may be truncated floats.
    fn is_exact(&self, op: &Op, call: &Call, result: DType, operands: &[DType]) -> bool {
        let tolerance = self.run.matrix.tolerance(op);
        let placed = call.arguments.iter().any(|(n, a)| n == "out" && !matches!(a, Argument::None));
        match is_inexact(result) {
            true => tolerance.model == Model::Ulp && tolerance.ulp(result, operands) == 0,
            false => !placed || tolerance.model == Model::Ulp && tolerance.ulp.is_empty(),
        }
    }

    /// Returns true if the function has the options of an elementwise function.
    fn is_ufunc(&self, entry: &Entry<'_>) -> bool {
        // Matrix products have them, too, and axes of their own.
        let has = |name: &str| entry.record.parameters().iter().any(|p| p.name == name);
        has("casting") && !has("axes") && entry.name != "copyto"
    }

    /// Returns the tolerance of an elementwise function, whose result may be cast to the dtype of `out`.
    fn of_elements(&self, op: &Op, call: &Call, hosts: &[NdArray], want: &Tensor) -> Allowance {
        let unlimited = || Allowance { bounds: Some(vec![f64::INFINITY; want.size()]), ..Allowance::default() };
        let Some(inputs) = self.inputs(call, hosts) else { return unlimited() };
        // Other arguments, as `out`, do not affect the budget.
        let dtypes: Vec<DType> = inputs
            .iter()
            .filter_map(|input| match input {
                Input::Array(a) => Some(a.logical.dtype),
                Input::Scalar(_) => None,
            })
            .collect();
        let allowed = |want: &Tensor, own: &[usize]| {
            let bounds = || broadcast(elementwise_bounds(&op.name, &inputs)?, own, &want.shape);
            self.run.allowed(op, &dtypes, &inputs, want, None, &bounds)
        };
        let is_placed = |name: &str| call.arguments.iter().any(|(n, a)| n == name && !matches!(a, Argument::None));
        if !is_placed("out") {
            return allowed(want, &want.shape);
        }
        // Without `out` the casting rule does not reject the operands' casts either.
        let operands: Vec<oracle::Operand<'_>> = hosts.iter().map(oracle::Operand::Array).collect();
        let plain = reference::invoke(&without(call, &["out", "where"]), &operands).ok().and_then(|r| {
            let own = r[0].shape().to_vec();
            Some((r[0].broadcast_to(&want.shape).ok()?, own))
        });
        let Some((plain, own)) = plain else { return unlimited() };
        if plain.dtype() == want.dtype {
            return allowed(want, &own);
        }
        let plain = reference::tensor(&plain);
        let allowance = allowed(&plain, &own);
        if allowance.ulp == 0 && allowance.bounds.is_none() {
            return Allowance { ulp: 0, ..allowance };
        }
        if !is_inexact(want.dtype) {
            return unlimited();
        }
        let size = |t: &Tensor, i: usize| {
            let (re, im) = t.get(i).parts();
            re.hypot(im).min(ulp::max(t.dtype))
        };
        let bound = |i: usize| {
            let own = allowance.bounds.as_ref().and_then(|b| b.get(i).copied());
            let own = own.unwrap_or_else(|| allowance.ulp as f64 * ulp::unit(plain.dtype, size(&plain, i)));
            own + ulp::unit(want.dtype, size(want, i))
        };
        Allowance { bounds: Some((0..want.size()).map(bound).collect()), ..allowance }
    }

    /// Returns the operands of an elementwise function in the dtypes in which it computes.
    fn inputs(&self, call: &Call, hosts: &[NdArray]) -> Option<Vec<Input>> {
        let argument = |name: &str| call.arguments.iter().find(|(n, _)| n == name).map(|(_, a)| a);
        let dtype = match argument("dtype") {
            Some(Argument::DType(dtype)) => Some(*dtype),
            _ => None,
        };
        let behind = match argument("B") {
            Some(Argument::Operand(index)) => hosts[*index].ndim(),
            _ => 0,
        };
        let one = |name: &&str| match argument(name)? {
            Argument::Operand(index) => {
                let mut a = hosts[*index].clone();
                if *name == "A" {
                    let shape: Vec<isize> = a.shape().iter().map(|n| *n as isize).chain(vec![1; behind]).collect();
                    a = a.reshape(&shape, oracle::Order::C).ok()?;
                }
                Some(input(&dtype.map_or(a.clone(), |d| a.astype(d, oracle::Order::C))))
            }
            // `outer` converts it to an array, whose dtype counts.
            Argument::Scalar(s) if matches!(*name, "A" | "B") => {
                Some(input(&oracle::full(&[], reference::value(*s), None, oracle::Order::C).ok()?))
            }
            Argument::Scalar(s) => Some(Input::Scalar(*s)),
            _ => Some(Input::Scalar(Scalar::Int(0))),
        };
        let names: Vec<&str> =
            ["x", "x1", "x2", "x3", "A", "B"].into_iter().filter(|n| argument(n).is_some()).collect();
        if names.is_empty() {
            return Some(hosts.iter().map(input).collect());
        }
        names.iter().map(one).collect()
    }
}

/// Broadcasts bounds of elements to the shape of an `out`.
fn broadcast(bounds: Vec<f64>, own: &[usize], shape: &[usize]) -> Option<Vec<f64>> {
    if own == shape {
        return Some(bounds);
    }
    let bounds = NdArray::from_values(DType::F64, own, bounds.into_iter().map(Value::Float)).ok()?;
    Some(bounds.broadcast_to(shape).ok()?.values().into_iter().map(Value::float).collect())
}
