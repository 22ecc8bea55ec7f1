//! Cross product, and phase unwrapping.

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{Order, axis_index, broadcast_shapes};
use crate::core::promote::{promote_types, result_type};
use crate::core::value::{Value, ulp};
use crate::numpy::math::difference::{DiffOptions, call, diff, part};
use crate::table::{Arguments, CallResult, Fault, counterparts};
use crate::ufunc::reduce::Gathering;
use crate::ufunc::scan::{ScanOptions, scan, scan_bound};
use cuprum_kernels::DType;

/// Computes NumPy's `cross`, along one axis of each operand and one of the result.
///
/// # Errors
///
/// `ValueError` for operands without axes and vectors that have neither two nor three components, `AxisError`,
/// `TypeError` for booleans.
pub fn cross(a: &NdArray, b: &NdArray, axes: [isize; 3]) -> Result<NdArray> {
    combined(a, b, axes, "subtract")
}

/// Bounds the error of complex products and differences relative to [`cross`]: a product is off by up to the square
/// root of 5 unit roundoffs of its modulus. Real ones are rounded one by one.
fn cross_bound(a: &NdArray, b: &NdArray, axes: [isize; 3]) -> Result<Vec<f64>> {
    let dtype = promote_types(a.dtype(), b.dtype());
    let size = |x: &NdArray| call("absolute", &[(&x.astype(DType::C128, Order::K)).into()]);
    let bound = |v: &Value| match v.float() {
        _ if !dtype.is_complex() => 0.0,
        v if v.is_finite() => 3.0 * ulp(v, dtype),
        _ => f64::INFINITY,
    };
    Ok(combined(&size(a)?, &size(b)?, axes, "add")?.values().iter().map(bound).collect())
}

/// Computes [`cross`] with the operation `between` for the two products.
fn combined(a: &NdArray, b: &NdArray, [axisa, axisb, axisc]: [isize; 3], between: &str) -> Result<NdArray> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return fail(ErrorKind::Value, "an operand has no axis");
    }
    let last = |x: &NdArray, axis| x.moveaxis(&[axis_index(axis, x.ndim())? as isize], &[-1]);
    let (a, b) = (last(a, axisa)?, last(b, axisb)?);
    let parts = |x: &NdArray| x.shape()[x.ndim() - 1];
    if ![parts(&a), parts(&b)].iter().all(|n| matches!(n, 2 | 3)) {
        return fail(ErrorKind::Value, "vectors have 2 or 3 parts");
    }
    let dtype = promote_types(a.dtype(), b.dtype());
    let (a, b) = (a.astype(dtype, Order::K), b.astype(dtype, Order::K));
    let at = |x: &NdArray, k: usize| x.index(&[Index::Ellipsis, Index::At(k as isize)]);
    let mut shape = broadcast_shapes(&[at(&a, 0)?.shape(), at(&b, 0)?.shape()])?;
    let flat = parts(&a) == 2 && parts(&b) == 2;
    if !flat {
        axis_index(axisc, shape.len() + 1)?;
    }
    // One component of the product: a difference of two products, of which one may be missing.
    let component = |k: usize| -> Result<NdArray> {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let product = |x: usize, y: usize| -> Result<Option<NdArray>> {
            if x >= parts(&a) || y >= parts(&b) {
                return Ok(None);
            }
            call("multiply", &[(&at(&a, x)?).into(), (&at(&b, y)?).into()]).map(Some)
        };
        match (product(i, j)?, product(j, i)?) {
            (Some(x), Some(y)) => call(between, &[(&x).into(), (&y).into()]),
            (Some(x), None) => Ok(x),
            (None, Some(y)) => call("negative", &[(&y).into()]),
            (None, None) => fail(ErrorKind::Value, "neither product is there"),
        }
    };
    if flat {
        return Ok(component(2)?.copy(Order::C));
    }
    let components: Vec<Vec<Value>> = (0..3).map(|k| component(k).map(|c| c.values())).collect::<Result<_>>()?;
    let values: Vec<Value> = (0..components[0].len()).flat_map(|i| components.iter().map(move |c| c[i])).collect();
    shape.push(3);
    NdArray::from_values(dtype, &shape, values)?.moveaxis(&[-1], &[axisc])
}

/// Options of [`unwrap`].
#[derive(Clone, Copy, Debug)]
pub struct UnwrapOptions {
    /// The smallest discontinuity that is corrected.
    pub discont: Option<Value>,
    /// The axis.
    pub axis: isize,
    /// The period.
    pub period: Value,
}

/// Computes the corrections of the differences, and the dtype of the result.
fn corrections(p: &NdArray, options: &UnwrapOptions) -> Result<(NdArray, DType)> {
    if p.ndim() == 0 {
        return fail(ErrorKind::Value, "an array without axes has no neighbours");
    }
    // NumPy orders a complex `discont` lexicographically by its parts.
    if p.dtype().is_complex() || matches!(options.discont, Some(Value::Complex(_))) {
        return fail(ErrorKind::Type, "complex numbers have no order");
    }
    let period = options.period;
    let dd = diff(p, &DiffOptions { axis: options.axis, ..DiffOptions::default() })?;
    let dtype = result_type(&[(&dd).into(), period.into()])?;
    let half = Value::Float(period.float() / 2.0);
    let whole = dtype.is_integer();
    let high = if whole { Value::Int(period.int().div_euclid(2)) } else { half };
    let low = if whole { Value::Int(-high.int()) } else { Value::Float(-high.float()) };
    let moved = call("subtract", &[(&dd).into(), low.into()])?;
    let mut near = call("add", &[(&call("remainder", &[(&moved).into(), period.into()])?).into(), low.into()])?;
    if !whole || period.int().rem_euclid(2) == 0 {
        let lowest = call("equal", &[(&near).into(), low.into()])?;
        let rises = call("greater", &[(&dd).into(), Value::Int(0).into()])?;
        let both = call("logical_and", &[(&lowest).into(), (&rises).into()])?;
        near = call("where", &[(&both).into(), high.into(), (&near).into()])?;
    }
    let size = call("absolute", &[(&dd).into()])?;
    let small = call("less", &[(&size).into(), options.discont.unwrap_or(half).into()])?;
    let change = call("subtract", &[(&near).into(), (&dd).into()])?;
    Ok((call("where", &[(&small).into(), Operand::Scalar(Value::Int(0)), (&change).into()])?, dtype))
}

/// Computes NumPy's `unwrap`.
///
/// # Errors
///
/// As `diff`, and `TypeError` for complex numbers.
pub fn unwrap(p: &NdArray, options: &UnwrapOptions) -> Result<NdArray> {
    let (change, dtype) = corrections(p, options)?;
    let axis = axis_index(options.axis, p.ndim())?;
    let sums = scan("cumsum", &change, &ScanOptions { axis: Some(axis as isize), ..ScanOptions::default() })?;
    let moved = call("add", &[(&part(p, axis, Some(1), None)?).into(), (&sums).into()])?;
    let mut out = p.astype(dtype, Order::K);
    let mut index = vec![Index::Slice(None, None, None); axis];
    index.push(Index::Slice(Some(1), None, None));
    let moved = moved.astype(dtype, Order::C);
    out.assign(&index, &Operand::Array(&moved))?;
    Ok(out)
}

/// Bounds the error of plain arithmetic relative to [`unwrap`]: that of the sums of the corrections, and a unit for the
/// last addition.
///
/// # Errors
///
/// As [`unwrap`].
pub fn unwrap_bound(p: &NdArray, options: &UnwrapOptions, by: Gathering) -> Result<Vec<f64>> {
    let (change, dtype) = corrections(p, options)?;
    let result = unwrap(p, options)?;
    if !dtype.is_float() {
        return Ok(vec![0.0; result.size()]);
    }
    let axis = axis_index(options.axis, p.ndim())?;
    let sums = scan_bound("cumsum", &change, &ScanOptions { axis: Some(axis as isize), ..ScanOptions::default() }, by)?;
    let (length, inner) = (p.shape()[axis], p.shape()[axis + 1..].iter().product::<usize>().max(1));
    let bound = |(i, v): (usize, &Value)| match (i / inner) % length.max(1) {
        0 => 0.0,
        along => {
            let (outer, rest) = (i / (inner * length), i % inner);
            sums[(outer * (length - 1) + along - 1) * inner + rest] + ulp(v.float(), dtype)
        }
    };
    Ok(result.values().iter().enumerate().map(bound).collect())
}

fn parse_options(t: &Arguments) -> std::result::Result<UnwrapOptions, Fault> {
    let period = t.or("period", Value::Float(std::f64::consts::TAU))?;
    Ok(UnwrapOptions { discont: t.get("discont")?, axis: t.or("axis", -1)?, period })
}

fn cross_axes(t: &Arguments) -> CallResult<[isize; 3]> {
    let axis: Option<isize> = t.get("axis")?;
    let [a, b, c]: [isize; 3] = [t.or("axisa", -1)?, t.or("axisb", -1)?, t.or("axisc", -1)?];
    Ok(axis.map_or([a, b, c], |axis| [axis; 3]))
}

counterparts! {
    "numpy.cross" = |t| cross(t.get("a")?, t.get("b")?, cross_axes(t)?),
        bounds |t| {
            Some(cross_bound(t.get("a")?, t.get("b")?, cross_axes(t)?)?)
        };
    "numpy.unwrap" = |t| unwrap(t.get("p")?, &parse_options(t)?), bounds |t| Some(unwrap_bound(t.get("p")?, &parse_options(t)?, t.by)?);
}
