//! Discrete differences (`diff`, `ediff1d`) and the trapezoidal rule, by NumPy's formulas, each step of which is
//! rounded.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{Order, axis_index};
use crate::core::promote::{Casting, can_cast, promote_types, result_type};
use crate::core::value::{Flag, Value, cast};
use crate::exact::complex::{divide_by_steps, multiply_by_steps};
use crate::table::{Arguments, Fault, counterparts};
use crate::ufunc::elementwise::{UfuncOptions, map};
use crate::ufunc::methods::strong;
use crate::ufunc::reduce::{Gathering, ReduceOptions, reduce, reduction_bound};
use crate::ufunc::ufunc;

pub(crate) fn call(name: &str, operands: &[Operand<'_>]) -> Result<NdArray> {
    ufunc(name, operands, &UfuncOptions::default())
}

/// Computes one step of a longer formula: complex products and quotients by NumPy's own steps, each of them rounded,
/// where [`call`] rounds the exact parts once. Later cancellation depends on these roundings.
pub(crate) fn step(name: &str, operands: &[Operand<'_>]) -> Result<NdArray> {
    let dtype = result_type(operands)?;
    let by_steps = match name {
        "multiply" if dtype.is_complex() => multiply_by_steps,
        "true_divide" if dtype.is_complex() => divide_by_steps,
        _ => return call(name, operands),
    };
    map(operands, &UfuncOptions::default(), dtype, |args| {
        let [a, b] = [0, 1].map(|k| cast(args[k], dtype).0.complex());
        Ok((Value::Complex(by_steps(a, b, dtype)), Flag::Exact))
    })
}

pub(crate) fn float<'a>(x: f64) -> Operand<'a> {
    Operand::Scalar(Value::Float(x))
}

/// Returns the part of an axis between two indices, as a slice.
pub(crate) fn part(a: &NdArray, axis: usize, start: Option<isize>, stop: Option<isize>) -> Result<NdArray> {
    let mut index = vec![Index::Slice(None, None, None); axis];
    index.push(Index::Slice(start, stop, None));
    a.index(&index)
}

/// Options of [`diff`].
#[derive(Clone, Debug)]
pub struct DiffOptions<'a> {
    /// The number of times differences are taken.
    pub n: usize,
    /// The axis.
    pub axis: isize,
    /// Elements before the first.
    pub prepend: Option<Operand<'a>>,
    /// Elements after the last.
    pub append: Option<Operand<'a>>,
}

impl Default for DiffOptions<'_> {
    fn default() -> Self {
        DiffOptions { n: 1, axis: -1, prepend: None, append: None }
    }
}

/// Computes discrete differences, NumPy's `diff`: each element less the previous one, `n` times.
///
/// # Errors
///
/// `ValueError` for a 0-d array and for shapes that do not match, `AxisError`.
pub fn diff(a: &NdArray, options: &DiffOptions<'_>) -> Result<NdArray> {
    if options.n == 0 {
        return Ok(a.clone());
    }
    if a.ndim() == 0 {
        return fail(ErrorKind::Value, "diff needs an axis");
    }
    let axis = axis_index(options.axis, a.ndim())?;
    let mut arrays = vec![];
    for (given, is_first) in [(&options.prepend, true), (&options.append, false)] {
        if !is_first {
            arrays.push(a.clone());
        }
        if let Some(operand) = given {
            let mut edge = strong(operand)?;
            if edge.ndim() == 0 {
                let mut shape = a.shape().to_vec();
                shape[axis] = 1;
                edge = edge.broadcast_to(&shape)?;
            }
            arrays.push(edge);
        }
    }
    let mut a = if arrays.len() > 1 { concatenated(&arrays, axis)? } else { a.clone() };
    let function = if a.dtype() == DType::Bool { "not_equal" } else { "subtract" };
    for _ in 0..options.n {
        let (later, earlier) = (part(&a, axis, Some(1), None)?, part(&a, axis, None, Some(-1))?);
        a = call(function, &[(&later).into(), (&earlier).into()])?;
    }
    Ok(a)
}

fn concatenated(arrays: &[NdArray], axis: usize) -> Result<NdArray> {
    axis_index(axis as isize, arrays[0].ndim())?;
    let mut shape = arrays[0].shape().to_vec();
    shape[axis] = 0;
    for a in arrays {
        if a.ndim() != shape.len() || (0..shape.len()).any(|x| x != axis && a.shape()[x] != shape[x]) {
            return fail(ErrorKind::Value, "all but the axis of concatenation must have the same lengths");
        }
        shape[axis] += a.shape()[axis];
    }
    let dtype = arrays.iter().map(|a| a.dtype()).reduce(promote_types).unwrap_or(DType::F64);
    let values = behind_each_other(arrays, axis, |a| a.values());
    let axes = joined_order(arrays);
    Ok(NdArray::from_order(dtype, &shape, &axes, &values))
}

/// Returns the axes of concatenated arrays, outermost first: C order, except for axes that all arrays with more than
/// one element along both have in reversed order.
fn joined_order(arrays: &[NdArray]) -> Vec<usize> {
    let mut order: Vec<usize> = vec![];
    for axis in 0..arrays[0].ndim() {
        let mut insert_at = order.len();
        for at in (0..order.len()).rev() {
            let outer = order[at];
            let sizes = |a: &&NdArray| a.shape()[axis] != 1 && a.shape()[outer] != 1;
            let reversed = |a: &NdArray| a.strides()[axis].abs() > a.strides()[outer].abs();
            let said: Vec<bool> = arrays.iter().filter(sizes).map(reversed).collect();
            match said.is_empty() {
                true => {}
                false if said.iter().all(|reversed| *reversed) => insert_at = at,
                false => break,
            }
        }
        order.insert(insert_at, axis);
    }
    order
}

/// Concatenates per-element data of arrays along an axis, in C order.
pub(crate) fn behind_each_other<T: Copy>(arrays: &[NdArray], axis: usize, of: impl Fn(&NdArray) -> Vec<T>) -> Vec<T> {
    let outer: usize = arrays[0].shape()[..axis].iter().product();
    let inner: usize = arrays[0].shape()[axis + 1..].iter().product();
    let all: Vec<(usize, Vec<T>)> = arrays.iter().map(|a| (a.shape()[axis] * inner, of(a))).collect();
    (0..outer).flat_map(|i| all.iter().flat_map(move |(run, of)| of[i * run..(i + 1) * run].iter().copied())).collect()
}

/// Computes `ediff1d`: the differences of neighbours in C order, between the passed ends.
///
/// # Errors
///
/// `TypeError` for booleans and for ends of another kind than the array.
pub fn ediff1d(a: &NdArray, to_begin: Option<&Operand<'_>>, to_end: Option<&Operand<'_>>) -> Result<NdArray> {
    let line = a.reshape(&[-1], Order::C)?;
    let edge = |given: Option<&Operand<'_>>| -> Result<Vec<Value>> {
        let Some(operand) = given else { return Ok(vec![]) };
        let edge = strong(operand)?;
        if !can_cast(edge.dtype(), a.dtype(), Casting::SameKind) {
            return fail(ErrorKind::Type, format!("an end of {} for {}", edge.dtype(), a.dtype()));
        }
        Ok(edge.values())
    };
    let (before, after) = (edge(to_begin)?, edge(to_end)?);
    let later = part(&line, 0, Some(1), None)?;
    let between = call("subtract", &[(&later).into(), (&part(&line, 0, None, Some(-1))?).into()])?;
    let values: Vec<Value> = before.into_iter().chain(between.values()).chain(after).collect();
    NdArray::from_values(a.dtype(), &[values.len()], values)
}

/// Options of [`trapezoid`].
#[derive(Clone, Debug)]
pub struct TrapezoidOptions<'a> {
    /// The sample points.
    pub x: Option<&'a NdArray>,
    /// The spacing of the samples.
    pub dx: Value,
    /// The axis.
    pub axis: isize,
}

impl Default for TrapezoidOptions<'_> {
    fn default() -> Self {
        TrapezoidOptions { x: None, dx: Value::Float(1.0), axis: -1 }
    }
}

/// Computes the areas whose sum is the integral, and the options of that sum.
fn strips(y: &NdArray, options: &TrapezoidOptions<'_>) -> Result<(NdArray, ReduceOptions)> {
    if options.x.is_some_and(|x| x.ndim() == 0) {
        return fail(ErrorKind::Value, "one number has no distances");
    }
    let Ok(axis) = axis_index(options.axis, y.ndim()) else {
        return fail(ErrorKind::Index, format!("there is no axis {}", options.axis));
    };
    let along = |x: &NdArray, axis| diff(x, &DiffOptions { axis, ..DiffOptions::default() });
    let widths = match options.x {
        None => None,
        Some(x) if x.ndim() == 1 => {
            let d = along(x, 0)?;
            let mut shape = vec![1; y.ndim()];
            shape[axis] = d.size() as isize;
            Some(d.reshape(&shape, Order::C)?)
        }
        Some(x) => Some(along(x, options.axis)?),
    };
    let width = widths.as_ref().map_or(Operand::Scalar(options.dx), Operand::Array);
    let (later, earlier) = (part(y, axis, Some(1), None)?, part(y, axis, None, Some(-1))?);
    let heights = call("add", &[(&later).into(), (&earlier).into()])?;
    let areas = call("true_divide", &[(&call("multiply", &[width, (&heights).into()])?).into(), float(2.0)])?;
    Ok((areas, ReduceOptions { axis: Some(vec![options.axis]), ..ReduceOptions::default() }))
}

/// Integrates by the trapezoidal rule: NumPy's `trapezoid`.
///
/// # Errors
///
/// `IndexError` for an axis that does not exist, `ValueError` for shapes that do not match and for sample points
/// without axes.
pub fn trapezoid(y: &NdArray, options: &TrapezoidOptions<'_>) -> Result<NdArray> {
    let (areas, reduction) = strips(y, options)?;
    let flags = areas.flags();
    let sum = reduce("sum", &areas, &reduction)?;
    // A sum of undefined areas is undefined.
    let n = sum.size();
    Ok(match Flag::carried(flags) {
        Flag::Exact => sum,
        open => sum.with_flags(vec![open; n]),
    })
}

/// Bounds the error of plain arithmetic for [`trapezoid`], for each result: that of the sum of the areas, and for
/// complex areas a few units more for each.
///
/// # Errors
///
/// As [`trapezoid`].
pub fn trapezoid_bound(y: &NdArray, options: &TrapezoidOptions<'_>, by: Gathering) -> Result<Vec<f64>> {
    let (areas, reduction) = strips(y, options)?;
    let bounds = reduction_bound("sum", &areas, &reduction, by)?;
    if !areas.dtype().is_complex() {
        return Ok(bounds);
    }
    // A product and a quotient each err by a few units of the modulus of their result.
    let moduli = call("absolute", &[(&areas).into()])?;
    let sums = reduce("sum", &moduli, &reduction)?;
    let unit =
        |v: &Value| 8.0 * crate::core::value::ulp(v.float().min(crate::max_finite(areas.dtype())), areas.dtype());
    Ok(bounds.iter().zip(sums.values()).map(|(b, v)| b + unit(&v)).collect())
}

/// Reads the options of a call of `trapezoid` by name.
fn trapezoid_options(t: &Arguments) -> std::result::Result<TrapezoidOptions<'_>, Fault> {
    Ok(TrapezoidOptions { x: t.get("x")?, dx: t.or("dx", Value::Float(1.0))?, axis: t.or("axis", -1)? })
}

counterparts! {
    "numpy.diff" = |t| {
        let (n, axis): (isize, isize) = (t.or("n", 1)?, t.or("axis", -1)?);
        let Ok(n) = usize::try_from(n) else { return fail(ErrorKind::Value, "an order below 0").map_err(Fault::from) };
        diff(t.get("a")?, &DiffOptions { n, axis, prepend: t.get("prepend")?, append: t.get("append")? })
    };
    "numpy.ediff1d" = |t| {
        let (begin, end): (Option<Operand<'_>>, Option<Operand<'_>>) = (t.get("to_begin")?, t.get("to_end")?);
        ediff1d(t.get("ary")?, begin.as_ref(), end.as_ref())
    };
    "numpy.trapezoid" = |t| trapezoid(t.get("y")?, &trapezoid_options(t)?),
        bounds |t| Some(trapezoid_bound(t.get("y")?, &trapezoid_options(t)?, t.by)?);
    "numpy.trapz" = |t| trapezoid(t.get("y")?, &trapezoid_options(t)?),
        bounds |t| Some(trapezoid_bound(t.get("y")?, &trapezoid_options(t)?, t.by)?);
}
