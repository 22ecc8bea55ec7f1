//! Methods of binary ufuncs: `reduce`, `accumulate`, `reduceat`, `outer`.

use cuprum_kernels::{DType, Kind};

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{self, axis_index};
use crate::core::value::{Flag, Value, cast, int_range};
use crate::core::version::{self, Change};
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::loops::{self, Form, Spec};
use crate::ufunc::reduce::{ReduceOptions, groups, one};
use crate::ufunc::scan;
use crate::ufunc::{apply, ufunc_all};

/// Options of `reduce` beyond the axes.
#[derive(Clone, Debug, Default)]
pub struct FoldOptions {
    /// The output: an array of the result's shape, with its current contents.
    pub out: Option<NdArray>,
    /// The mask: booleans, broadcast to the array.
    pub where_: Option<NdArray>,
    /// The value with which the elements are combined, before the first.
    pub initial: Option<Value>,
    /// Begins with the first element although the function has an identity; NumPy's `initial=None`.
    pub no_identity: bool,
}

/// Returns the identity of a function.
fn identity(name: &str) -> Option<Value> {
    Some(match name {
        "add" | "bitwise_or" | "bitwise_xor" | "hypot" | "gcd" => Value::Int(0),
        "multiply" => Value::Int(1),
        "bitwise_and" => Value::Int(-1),
        "logical_and" => Value::Bool(true),
        "logical_or" | "logical_xor" => Value::Bool(false),
        "logaddexp" | "logaddexp2" => Value::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

/// Returns the reduction that equals the fold with a function, whatever the order.
fn reduction(name: &str) -> Option<&'static str> {
    Some(match name {
        "add" => "sum",
        "multiply" => "prod",
        "maximum" => "max",
        "minimum" => "min",
        "logical_and" => "all",
        "logical_or" => "any",
        _ => return None,
    })
}

pub(crate) fn find(name: &str) -> Result<&'static Spec> {
    let spec = loops::find(name)?;
    if spec.nin == 2 && spec.nout() == 1 {
        Ok(spec)
    } else {
        fail(ErrorKind::Value, format!("{name} is no function of two operands and one result"))
    }
}

/// Returns the loop in which elements of `element` are folded into a result of dtype `out`.
///
/// `every` element may be a result by itself, except in `reduce`.
pub(crate) fn form(spec: &Spec, element: DType, out: Option<DType>, dtype: Option<DType>, every: bool) -> Result<Form> {
    let wide = match element.kind() {
        _ if out.is_some() || !matches!(spec.name, "add" | "multiply") => None,
        Kind::Bool | Kind::Signed => Some(DType::I64),
        Kind::Unsigned => Some(DType::U64),
        _ => None,
    };
    spec.resolve_fold(out.unwrap_or(element), element, dtype.or(wide), every)
}

/// Combines the accumulated value with one more element.
pub(crate) fn step(spec: &Spec, form: &Form, so_far: (Value, Flag), element: (Value, Flag)) -> Result<(Value, Flag)> {
    if spec.name == "power" && form.output().is_integer() && element.0.int() < 0 {
        return fail(ErrorKind::Value, "an integer to a negative integer power is not an integer");
    }
    let (value, flag) = apply(spec.name, form, &[so_far.0, element.0]);
    Ok((cast(value, form.output()).0, flag.max(Flag::carried([so_far.1, element.1]))))
}

/// Converts a value to `dtype` as an assignment does.
fn assigned(v: Value, dtype: DType) -> Result<Value> {
    let number = match v {
        Value::Float(x) if dtype.is_integer() && x.is_nan() => return fail(ErrorKind::Value, "NaN is no integer"),
        Value::Float(x) if dtype.is_integer() => Some(x.trunc() as i128),
        Value::Complex(_) if !dtype.is_complex() && dtype != DType::Bool => {
            return fail(ErrorKind::Type, "a complex number is no real one");
        }
        Value::Int(i) if dtype.is_integer() => Some(i),
        _ => None,
    };
    let (low, high) = int_range(dtype);
    if number.is_some_and(|n| n < low || n > high) {
        return fail(ErrorKind::Overflow, format!("{v:?} is out of bounds for {dtype}"));
    }
    Ok(cast(v, dtype).0)
}

/// Computes `function.reduce`: combines the elements along axes, from the first to the last.
///
/// Where NumPy's order of summation differs, the result is the exact one, rounded once, as in
/// [`reduce`](crate::reduce()).
///
/// # Errors
///
/// `ValueError` for a function of other than two operands, for several axes where the order matters, and for no
/// elements without an identity; `TypeError` where the function's result cannot be its operand; those of the axes.
pub fn fold_reduce(name: &str, a: &NdArray, reduction: &ReduceOptions, options: &FoldOptions) -> Result<NdArray> {
    let spec = find(name)?;
    let call_options =
        UfuncOptions { out: options.out.clone(), where_: options.where_.clone(), ..UfuncOptions::default() };
    call_options.check()?;
    let mut parts = groups(a, None, reduction)?;
    let form = form(spec, a.dtype(), options.out.as_ref().map(|o| o.dtype()), reduction.dtype, false)?;
    let axes = reduction.axis.as_ref().map_or(a.ndim(), |axes| axes.len());
    let reorderable = identity(spec.name).is_some() || matches!(spec.name, "maximum" | "minimum" | "fmax" | "fmin");
    if axes > 1 && !reorderable {
        return fail(ErrorKind::Value, format!("{name} depends on the order: it is reduced along one axis"));
    }
    let mask = options.where_.as_ref().map(|m| m.broadcast_to(a.shape())).transpose()?;
    if mask.is_some() {
        parts = groups(a, mask.as_ref(), reduction)?;
    }
    let start = match options.initial {
        Some(v) => Some(assigned(v, form.output())?),
        None if options.no_identity => None,
        None => identity(spec.name).map(|v| cast(v, form.output()).0),
    };
    if start.is_none() && (mask.is_some() || parts.length == 0) {
        return fail(ErrorKind::Value, format!("{name} has nothing to begin with"));
    }
    let masks = mask.map(|m| groups(&m, None, reduction)).transpose()?;
    let results = parts
        .groups
        .iter()
        .enumerate()
        .map(|(i, group)| {
            let takes_part = |j: usize| masks.as_ref().is_none_or(|m| m.groups[i][j].truth());
            let chosen = group.iter().enumerate().filter(|(j, _)| takes_part(*j));
            let mut elements: Vec<(Value, Flag)> = chosen.map(|(_, v)| cast(*v, form.inputs[1])).collect();
            if let Some(reduction) = self::reduction(spec.name) {
                let first = if reduction == "sum" { start } else { options.initial.and(start) };
                let call_options =
                    (options.initial.is_some() || options.no_identity) && !version::has(Change::SumOfZeros);
                elements.splice(0..0, first.map(|v| (v, Flag::Exact)));
                let (values, flags): (Vec<Value>, Vec<Flag>) = elements.into_iter().unzip();
                let (value, flag) = one(reduction, &values, form.output(), form.output());
                let flag = if call_options { Flag::AnySign } else { flag };
                return Ok((value, flag.max(Flag::carried(flags))));
            }
            elements.splice(0..0, start.map(|v| (v, Flag::Exact)));
            let first = elements[0];
            elements[1..].iter().try_fold(first, |so_far, element| step(spec, &form, so_far, *element))
        })
        .collect::<Result<Vec<_>>>()?;
    if let Some(out) = &options.out {
        if out.shape() != parts.shape {
            return fail(ErrorKind::Value, format!("out of shape {:?} is not {:?}", out.shape(), parts.shape));
        }
        return Ok(out.with_elements(&results.into_iter().map(Some).collect::<Vec<_>>()));
    }
    Ok(laid_out(form.output(), &parts.shape, &parts.axes, results))
}

fn laid_out(dtype: DType, shape: &[usize], axes: &[usize], results: Vec<(Value, Flag)>) -> NdArray {
    let (values, flags): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    NdArray::from_order(dtype, shape, axes, &values).with_flags(flags)
}

/// The 1-D slices of an array along an axis: one for each index of the other axes, in C order.
pub(crate) struct Lines {
    values: Vec<Value>,
    axis: usize,
    before: usize,
    pub(crate) length: usize,
    after: usize,
}

impl Lines {
    pub(crate) fn of(name: &str, a: &NdArray, axis: isize) -> Result<Lines> {
        let axis = axis_index(axis, a.ndim().max(1))?;
        if a.ndim() == 0 {
            return fail(ErrorKind::Type, format!("{name} of a 0-d array has no axis to go along"));
        }
        let count = |axes: &[usize]| axes.iter().product();
        let (before, after) = (count(&a.shape()[..axis]), count(&a.shape()[axis + 1..]));
        Ok(Lines { values: a.values(), axis, before, length: a.shape()[axis], after })
    }

    fn line(&self, i: usize, k: usize) -> Vec<Value> {
        (0..self.length).map(|j| self.values[(i * self.length + j) * self.after + k]).collect()
    }

    /// Returns the results in C order, `count` for each slice.
    pub(crate) fn results<T: Clone>(
        &self,
        count: usize,
        empty: T,
        f: impl Fn(&[Value]) -> Result<Vec<T>>,
    ) -> Result<Vec<T>> {
        let mut out = vec![empty; self.before * count * self.after];
        for i in 0..self.before {
            for k in 0..self.after {
                for (j, result) in f(&self.line(i, k))?.into_iter().enumerate() {
                    out[(i * count + j) * self.after + k] = result;
                }
            }
        }
        Ok(out)
    }
}

/// Returns the axes of a result in the order of `a`, outermost first; the axis `free` does not affect the order.
fn axes_like(a: &NdArray, free: Option<usize>) -> Vec<usize> {
    let still = |axis: usize| a.shape()[axis] == 1 || Some(axis) == free;
    let strides = (0..a.ndim()).map(|axis| if still(axis) { 0 } else { a.strides()[axis] }).collect();
    layout::walk_order(a.ndim(), &[strides])
}

/// Computes `function.accumulate`: every intermediate result from the first element to the last; into `out`, if passed.
///
/// Sums and products of floats are exact, and rounded once: [`scan_bound`](crate::scan_bound()) bounds the error of
/// plain arithmetic.
///
/// # Errors
///
/// As [`fold_reduce`]; `TypeError` for a 0-d array.
pub fn fold_accumulate(
    name: &str,
    a: &NdArray,
    axis: isize,
    dtype: Option<DType>,
    out: Option<&NdArray>,
) -> Result<NdArray> {
    let spec = find(name)?;
    let lines = Lines::of(name, a, axis)?;
    check_writable(out)?;
    let form = form(spec, a.dtype(), out.map(|o| o.dtype()), dtype, true)?;
    check_out(out, a.shape())?;
    let results = lines.results(lines.length, UNSET, |line| {
        let elements: Vec<(Value, Flag)> = line.iter().map(|v| cast(*v, form.inputs[1])).collect();
        if scan::is_exact(spec.name, form.output()) {
            return Ok(scan::prefixes(spec.name, &elements, form.output()));
        }
        let mut out: Vec<(Value, Flag)> = vec![];
        for element in elements {
            let next = out.last().map_or(Ok(element), |so_far| step(spec, &form, *so_far, element))?;
            out.push(next);
        }
        Ok(out)
    })?;
    Ok(delivered(out, results, |results| laid_out(form.output(), a.shape(), &axes_like(a, None), results)))
}

/// Returns the dtype in which a function accumulates elements of `a`, `out` being the dtype of the output.
pub(crate) fn gathered_in(name: &str, a: DType, out: Option<DType>, dtype: Option<DType>) -> Result<DType> {
    Ok(form(find(name)?, a, out, dtype, false)?.output())
}

const UNSET: (Value, Flag) = (Value::Bool(false), Flag::Exact);

fn check_writable(out: Option<&NdArray>) -> Result<()> {
    UfuncOptions { out: out.cloned(), ..UfuncOptions::default() }.check()
}

fn check_out(out: Option<&NdArray>, shape: &[usize]) -> Result<()> {
    match out.filter(|out| out.shape() != shape) {
        Some(out) => fail(ErrorKind::Value, format!("out of shape {:?} is not {shape:?}", out.shape())),
        None => Ok(()),
    }
}

/// Writes the results into `out`, or into an array that `make` creates from them.
fn delivered(
    out: Option<&NdArray>,
    results: Vec<(Value, Flag)>,
    make: impl FnOnce(Vec<(Value, Flag)>) -> NdArray,
) -> NdArray {
    match out {
        Some(out) => out.with_elements(&results.into_iter().map(Some).collect::<Vec<_>>()),
        None => make(results),
    }
}

/// Computes `function.reduceat`: the fold of the elements from each index up to the next, or the element at the index
/// where the next one is not larger; for the last index, of all remaining elements. Into `out`, if passed.
///
/// # Errors
///
/// As [`fold_accumulate`]; `IndexError` for an index out of bounds.
pub fn fold_reduceat(
    name: &str,
    a: &NdArray,
    indices: &[isize],
    axis: isize,
    dtype: Option<DType>,
    out: Option<&NdArray>,
) -> Result<NdArray> {
    let spec = find(name)?;
    let lines = Lines::of(name, a, axis)?;
    if let Some(i) = indices.iter().find(|i| **i < 0 || **i as usize >= lines.length) {
        return fail(ErrorKind::Index, format!("index {i} is out of bounds for {} elements", lines.length));
    }
    let mut shape = a.shape().to_vec();
    shape[lines.axis] = indices.len();
    check_writable(out)?;
    let form = form(spec, a.dtype(), out.map(|o| o.dtype()), dtype, true)?;
    check_out(out, &shape)?;
    let results = lines.results(indices.len(), UNSET, |line| {
        let segment = |(k, start): (usize, &isize)| {
            let start = *start as usize;
            let end = indices.get(k + 1).map_or(line.len(), |next| (*next as usize).max(start + 1));
            let mut elements = line[start..end].iter().map(|v| cast(*v, form.inputs[1]));
            let first = elements.next().expect("a segment has an element");
            elements.try_fold(first, |so_far, element| step(spec, &form, so_far, element))
        };
        indices.iter().enumerate().map(segment).collect()
    })?;
    Ok(delivered(out, results, |results| laid_out(form.output(), &shape, &axes_like(a, Some(lines.axis)), results)))
}

/// Computes `function.outer`: the function of every element of `a` with every element of `b`.
///
/// # Errors
///
/// As [`ufunc`](crate::ufunc()); `ValueError` for a function of other than two operands.
pub fn outer(name: &str, a: &Operand<'_>, b: &Operand<'_>, options: &UfuncOptions) -> Result<Vec<NdArray>> {
    if loops::find(name)?.nin != 2 {
        return fail(ErrorKind::Value, format!("{name} is no function of two operands"));
    }
    let (a, b) = (strong(a)?, strong(b)?);
    let behind: Vec<isize> = (a.ndim()..a.ndim() + b.ndim()).map(|axis| axis as isize).collect();
    ufunc_all(name, &[Operand::Array(&a.expand_dims(&behind)?), Operand::Array(&b)], options)
}

/// Converts a scalar to an array of its own dtype, as NumPy does.
pub(crate) fn strong(operand: &Operand<'_>) -> Result<NdArray> {
    match operand {
        Operand::Array(a) => Ok((*a).clone()),
        Operand::Scalar(v) => crate::full(&[], *v, None, crate::Order::C),
    }
}
