//! Polynomials: `numpy.poly…`, the highest power first, and `numpy.polynomial`, the lowest first. Each step is an
//! elementwise function, which is rounded.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{Order, axis_index};
use crate::core::promote::promote_types;
use crate::core::value::{Value, ulp};
use crate::numpy::dtypes::limits::common_type;
use crate::numpy::math::difference::{behind_each_other, call, float, part, step};
use crate::numpy::polynomials::power_series::{exact, series_times};
use crate::numpy::polynomials::quotient_bounds::quotient_bounds;
use crate::numpy::sorting::sort;
use crate::numpy::statistics::{Bounded, CorrelateMode, convolve};
use crate::table::counterparts;
use crate::ufunc::methods::strong;

const ZERO: Operand<'static> = Operand::Scalar(Value::Int(0));

fn line(a: &NdArray) -> Result<NdArray> {
    if a.ndim() == 0 { a.reshape(&[1], Order::C) } else { Ok(a.clone()) }
}

fn two(name: &str, a: &NdArray, b: &NdArray) -> Result<NdArray> {
    let operands = [a.into(), b.into()];
    if name == "multiply" { step(name, &operands) } else { call(name, &operands) }
}

/// Concatenates 1-D arrays in their promoted dtype.
fn joined(arrays: &[NdArray]) -> Result<NdArray> {
    let dtype = arrays.iter().map(NdArray::dtype).reduce(promote_types).unwrap_or(DType::F64);
    let values = behind_each_other(arrays, 0, NdArray::values);
    NdArray::from_values(dtype, &[values.len()], values)
}

fn row(a: &NdArray, k: usize) -> Result<NdArray> {
    a.index(&[Index::At(k as isize)])
}

/// Returns `n, …, 1` as int64.
fn falling(n: usize) -> Result<NdArray> {
    NdArray::from_values(DType::I64, &[n], (1..=n as i128).rev().map(Value::Int))
}

fn zeros(n: usize, dtype: DType) -> Result<NdArray> {
    NdArray::from_values(dtype, &[n], vec![Value::zero(dtype); n])
}

/// Computes `numpy.polyval`.
///
/// # Errors
///
/// `TypeError` for coefficients without an axis, `ValueError` for shapes that do not broadcast.
pub fn polyval(p: &NdArray, x: &Operand<'_>) -> Result<NdArray> {
    if p.ndim() == 0 {
        return fail(ErrorKind::Type, "coefficients are along an axis");
    }
    let x = strong(x)?;
    // Zeros in the layout of `x`.
    let mut y = NdArray::from_order(x.dtype(), x.shape(), &x.order_axes(Order::K), &vec![Value::Int(0); x.size()]);
    for k in 0..p.shape()[0] {
        y = two("add", &two("multiply", &y, &x)?, &row(p, k)?)?;
    }
    Ok(y)
}

fn padded(name: &str, a1: &NdArray, a2: &NdArray) -> Result<NdArray> {
    let (a1, a2) = (line(a1)?, line(a2)?);
    let (n1, n2) = (a1.shape()[0], a2.shape()[0]);
    if n1 == n2 {
        return two(name, &a1, &a2);
    }
    if a1.ndim() > 1 || a2.ndim() > 1 {
        return fail(ErrorKind::Value, "coefficients have one axis");
    }
    let to = |a: NdArray| joined(&[zeros(n1.max(n2) - a.size(), a.dtype())?, a]);
    two(name, &to(a1)?, &to(a2)?)
}

/// Strips leading zeros, but keeps at least one element.
fn front_trimmed(a: &NdArray) -> Result<NdArray> {
    let a = line(a)?;
    if a.ndim() > 1 {
        return fail(ErrorKind::Value, "coefficients have one axis");
    }
    match a.values().iter().position(|v| v.truth()) {
        Some(first) => part(&a, 0, Some(first as isize), None),
        None => zeros(1, a.dtype()),
    }
}

/// Computes `numpy.polymul`, and bounds the error of its sums.
///
/// # Errors
///
/// `ValueError` for coefficients of several axes.
pub fn polymul(a1: &NdArray, a2: &NdArray) -> Result<Bounded> {
    convolve(&front_trimmed(a1)?, &front_trimmed(a2)?, CorrelateMode::Full)
}

fn assign(a: &mut NdArray, from: usize, to: usize, values: &NdArray) -> Result<()> {
    a.assign(&[Index::Slice(Some(from as isize), Some(to as isize), None)], &values.into())
}

/// Computes `numpy.polydiv`.
///
/// # Errors
///
/// `ValueError` for empty coefficients or ones with several axes.
pub fn polydiv(u: &NdArray, v: &NdArray) -> Result<(NdArray, NdArray)> {
    let floated = |a: &NdArray| call("add", &[(&line(a)?).into(), float(0.0)]);
    let (u, v) = (floated(u)?, floated(v)?);
    if u.ndim() > 1 || v.ndim() > 1 || u.size() == 0 || v.size() == 0 {
        return fail(ErrorKind::Value, "these are no coefficients");
    }
    let dtype = promote_types(u.dtype(), v.dtype());
    let (m, n) = (u.size() - 1, v.size() - 1);
    let scale = step("true_divide", &[float(1.0), (&row(&v, 0)?).into()])?;
    let mut q = zeros((m + 1).saturating_sub(n).max(1), dtype)?;
    let mut r = u.astype(dtype, Order::C);
    for k in 0..(m + 1).saturating_sub(n) {
        let d = two("multiply", &scale, &row(&r, k)?)?;
        assign(&mut q, k, k + 1, &d)?;
        let here = part(&r, 0, Some(k as isize), Some((k + n + 1) as isize))?;
        let less = two("subtract", &here, &two("multiply", &d, &v)?)?;
        assign(&mut r, k, k + n + 1, &less)?;
    }
    let sizes = call("absolute", &[(&r).into()])?.values();
    let first = sizes.iter().position(|v| v.float().is_nan() || v.float() > 1e-8).unwrap_or(m).min(m);
    Ok((q, part(&r, 0, Some(first as isize), None)?))
}

fn check_line(p: &NdArray) -> Result<()> {
    match p.ndim() {
        1 => Ok(()),
        0 => fail(ErrorKind::Type, "coefficients are along an axis"),
        _ => fail(ErrorKind::Value, "coefficients have one axis"),
    }
}

/// Computes `numpy.polyder`.
///
/// # Errors
///
/// `ValueError` for `m` below 0, `TypeError` for coefficients without an axis.
pub fn polyder(p: &NdArray, m: isize) -> Result<NdArray> {
    if m < 0 {
        return fail(ErrorKind::Value, "an order below 0");
    }
    check_line(p)?;
    let mut p = p.clone();
    for _ in 0..m {
        let n = p.size().saturating_sub(1);
        p = two("multiply", &part(&p, 0, None, Some(n as isize))?, &falling(n)?)?;
    }
    Ok(p)
}

/// Computes `numpy.polyint`.
///
/// # Errors
///
/// `ValueError` for `m` below 0 and for too few constants, `TypeError` for coefficients without an axis.
pub fn polyint(p: &NdArray, m: isize, k: Option<&Operand<'_>>) -> Result<NdArray> {
    let Ok(m) = usize::try_from(m) else { return fail(ErrorKind::Value, "an order below 0") };
    check_line(p)?;
    let mut k = match k {
        None => zeros(m.max(1), DType::F64)?,
        Some(k) => line(&strong(k)?)?,
    };
    if k.size() == 1 && m > 1 {
        let ones = NdArray::from_values(DType::F64, &[m], vec![Value::Float(1.0); m])?;
        k = two("multiply", &k, &ones)?;
    }
    if k.size() < m {
        return fail(ErrorKind::Value, "too few constants");
    }
    let mut p = p.clone();
    for i in 0..m as isize {
        let quotient = two("true_divide", &p, &falling(p.size())?)?;
        p = joined(&[quotient, part(&k, 0, Some(i), Some(i + 1))?])?;
    }
    Ok(p)
}

/// Strips trailing zeros, but keeps at least one coefficient.
pub(crate) fn trimmed(a: &NdArray) -> Result<NdArray> {
    let last = a.values().iter().rposition(|v| v.truth()).unwrap_or(0);
    part(a, 0, None, Some(last as isize + 1))
}

/// Computes `numpy.polynomial.polyutils.as_series`.
///
/// # Errors
///
/// `ValueError` for arrays that are empty, have several axes or are of bool.
pub fn as_series(arrays: &[&NdArray], trim: bool) -> Result<Vec<NdArray>> {
    let mut lines = vec![];
    for a in arrays {
        let a = line(a)?;
        if a.size() == 0 || a.ndim() != 1 {
            return fail(ErrorKind::Value, "these are no coefficients");
        }
        lines.push(if trim { trimmed(&a)? } else { a });
    }
    let Ok(dtype) = common_type(&lines.iter().collect::<Vec<_>>()) else {
        return fail(ErrorKind::Value, "there is no common dtype");
    };
    Ok(lines.iter().map(|a| a.astype(dtype, Order::C)).collect())
}

fn trimseq(a: &NdArray) -> Result<NdArray> {
    if a.ndim() != 1 {
        return fail(ErrorKind::Value, "coefficients have one axis");
    }
    if a.size() == 0 { Ok(a.clone()) } else { trimmed(a) }
}

fn trimcoef(c: &NdArray, tol: f64) -> Result<NdArray> {
    if tol < 0.0 {
        return fail(ErrorKind::Value, "tol is below 0");
    }
    let c = as_series(&[c], true)?.remove(0);
    let above = call("greater", &[(&call("absolute", &[(&c).into()])?).into(), float(tol)])?;
    match above.values().iter().rposition(|v| v.truth()) {
        Some(last) => part(&c, 0, None, Some(last as isize + 1)),
        None => call("multiply", &[(&part(&c, 0, None, Some(1))?).into(), ZERO]),
    }
}

pub(crate) fn floated(c: &NdArray) -> Result<NdArray> {
    let c = line(c)?;
    let exact = c.dtype() == DType::Bool || c.dtype().is_integer();
    Ok(if exact { c.astype(DType::F64, Order::K) } else { c })
}

/// Computes `numpy.polynomial.polynomial.polyval`.
pub(crate) fn series_val(x: &Operand<'_>, c: &NdArray, tensor: bool) -> Result<NdArray> {
    let mut c = floated(c)?;
    if c.shape()[0] == 0 {
        return fail(ErrorKind::Index, "there are no coefficients");
    }
    if let Operand::Array(x) = x
        && tensor
    {
        let shape: Vec<isize> = c.shape().iter().map(|n| *n as isize).chain(x.shape().iter().map(|_| 1)).collect();
        c = c.reshape(&shape, Order::C)?;
    }
    let n = c.shape()[0];
    let nothing = call("multiply", &[x.clone(), ZERO])?;
    let nothing = match x {
        // A host scalar stays one.
        Operand::Scalar(_) => Operand::Scalar(nothing.values()[0]),
        Operand::Array(_) => (&nothing).into(),
    };
    let mut y = call("add", &[(&row(&c, n - 1)?).into(), nothing])?;
    for k in (0..n - 1).rev() {
        y = two("add", &row(&c, k)?, &step("multiply", &[(&y).into(), x.clone()])?)?;
    }
    Ok(y)
}

pub(crate) fn polyvander(x: &NdArray, deg: isize) -> Result<NdArray> {
    let Ok(deg) = usize::try_from(deg) else { return fail(ErrorKind::Value, "a degree below 0") };
    let x = call("add", &[(&line(x)?).into(), float(0.0)])?;
    let nothing = call("multiply", &[(&x).into(), ZERO])?;
    let mut powers = vec![call("add", &[(&nothing).into(), Operand::Scalar(Value::Int(1))])?];
    for k in 1..=deg {
        powers.push(if k == 1 { x.clone() } else { two("multiply", &powers[k - 1], &x)? });
    }
    let values: Vec<Value> = powers.iter().flat_map(NdArray::values).collect();
    let shape: Vec<usize> = std::iter::once(deg + 1).chain(x.shape().iter().copied()).collect();
    NdArray::from_values(x.dtype(), &shape, values)?.moveaxis(&[0], &[-1])
}

fn polycompanion(c: &NdArray) -> Result<NdArray> {
    let c = as_series(&[c], true)?.remove(0);
    let n = c.size() - 1;
    if n < 1 {
        return fail(ErrorKind::Value, "a constant");
    }
    let (low, top) = (part(&c, 0, None, Some(-1))?, part(&c, 0, Some(-1), None)?);
    if n == 1 {
        return two("true_divide", &call("negative", &[(&low).into()])?, &top)?.reshape(&[1, 1], Order::C);
    }
    let quotients = two("true_divide", &low, &top)?;
    let mut all = vec![Value::zero(c.dtype()); n * n];
    for k in 1..n {
        all[k * n + k - 1] = Value::Float(1.0);
    }
    let matrix = NdArray::from_values(c.dtype(), &[n, n], all)?;
    let column = matrix.index(&[Index::Ellipsis, Index::At(-1)])?;
    let mut out = matrix.clone();
    out.assign(&[Index::Ellipsis, Index::At(-1)], &(&two("subtract", &column, &quotients)?).into())?;
    Ok(out)
}

pub(crate) fn series_sum(c1: &NdArray, c2: &NdArray, subtract: bool) -> Result<NdArray> {
    let both = as_series(&[c1, c2], true)?;
    let (mut a, mut b) = (both[0].clone(), both[1].clone());
    if a.size() > b.size() || subtract && a.size() == b.size() {
        let low = part(&a, 0, None, Some(b.size() as isize))?;
        let sum = two(if subtract { "subtract" } else { "add" }, &low, &b)?;
        assign(&mut a, 0, sum.size(), &sum)?;
        return trimmed(&a);
    }
    if subtract {
        b = call("negative", &[(&b).into()])?;
    }
    let sum = two("add", &part(&b, 0, None, Some(a.size() as isize))?, &a)?;
    assign(&mut b, 0, sum.size(), &sum)?;
    trimmed(&b)
}

fn series_product(c1: &NdArray, c2: &NdArray) -> Result<Bounded> {
    let both = as_series(&[c1, c2], true)?;
    let Bounded { result, mut bounds } = convolve(&both[0], &both[1], CorrelateMode::Full)?;
    let result = trimmed(&result)?;
    bounds.truncate(result.size());
    Ok(Bounded { result, bounds })
}

fn series_quotient(c1: &NdArray, c2: &NdArray) -> Result<(NdArray, NdArray)> {
    let both = as_series(&[c1, c2], true)?;
    let (mut a, b) = (both[0].clone(), both[1].clone());
    let top = part(&b, 0, Some(-1), None)?;
    if !top.values()[0].truth() {
        return fail(ErrorKind::ZeroDivision, "the divisor is zero");
    }
    let first = call("multiply", &[(&part(&a, 0, None, Some(1))?).into(), ZERO])?;
    if a.size() < b.size() {
        return Ok((first, a));
    }
    if b.size() == 1 {
        return Ok((two("true_divide", &a, &top)?, first));
    }
    let low = two("true_divide", &part(&b, 0, None, Some(-1))?, &top)?;
    let n = b.size() - 1;
    for j in (n..a.size()).rev() {
        let here = part(&a, 0, Some((j - n) as isize), Some(j as isize))?;
        let less = two("subtract", &here, &two("multiply", &low, &row(&a, j)?)?)?;
        assign(&mut a, j - n, j, &less)?;
    }
    let n = n as isize;
    Ok((two("true_divide", &part(&a, 0, Some(n), None)?, &top)?, trimmed(&part(&a, 0, None, Some(n))?)?))
}

fn series_derivative(c: &NdArray, m: isize, scl: f64, axis: isize) -> Result<NdArray> {
    let Ok(m) = usize::try_from(m) else { return fail(ErrorKind::Value, "an order below 0") };
    let c = floated(c)?;
    let axis = axis_index(axis, c.ndim())? as isize;
    if m == 0 {
        return Ok(c.copy(Order::K));
    }
    let mut c = c.moveaxis(&[axis], &[0])?;
    if m >= c.shape()[0] {
        c = call("multiply", &[(&part(&c, 0, None, Some(1))?).into(), ZERO])?;
    } else {
        for _ in 0..m {
            c = call("multiply", &[(&c).into(), float(scl)])?;
            let n = c.shape()[0] - 1;
            let shape: Vec<isize> = std::iter::once(n as isize).chain(c.shape()[1..].iter().map(|_| 1)).collect();
            let counts = NdArray::from_values(c.dtype(), &[n], (1..=n as i128).map(Value::Int))?;
            c = two("multiply", &part(&c, 0, Some(1), None)?, &counts.reshape(&shape, Order::C)?)?.copy(Order::C);
        }
    }
    c.moveaxis(&[0], &[axis])
}

/// Bounds powers of a degree of at most `deg`, one product for each: a complex product is off by up to the square root
/// of 5 unit roundoffs of its modulus, which is two units at most.
pub(crate) fn powers_within(result: NdArray, deg: isize) -> Bounded {
    let (dtype, products) = (result.dtype(), deg.max(0) as f64 + 2.0);
    let bound = |v: Value| match v {
        Value::Complex(z) if z.norm().is_finite() => 2.0 * products * ulp(z.norm(), dtype),
        _ => 0.0,
    };
    Bounded { bounds: result.values().into_iter().map(bound).collect(), result }
}

fn polyfromroots(roots: &NdArray) -> Result<Bounded> {
    if roots.size() == 0 {
        return NdArray::from_values(DType::F64, &[1], [Value::Float(1.0)]).map(exact);
    }
    let roots = sort(&as_series(&[roots], false)?.remove(0), Some(-1))?;
    let one = NdArray::from_values(DType::F64, &[1], [Value::Int(1)])?;
    let line = |k: usize| {
        let lowest = call("negative", &[(&part(&roots, 0, Some(k as isize), Some(k as isize + 1))?).into()])?;
        joined(&[lowest, one.clone()]).map(exact)
    };
    // The highest coefficient of each is 1: there are no trailing zeros to strip in a product.
    let mut p: Vec<Bounded> = (0..roots.size()).map(line).collect::<Result<_>>()?;
    while p.len() > 1 {
        let half = p.len() / 2;
        let mut products: Vec<Bounded> = (0..half).map(|i| series_times(&p[i], &p[i + half])).collect::<Result<_>>()?;
        if p.len() % 2 == 1 {
            products[0] = series_times(&products[0], &p[2 * half])?;
        }
        p = products;
    }
    Ok(p.remove(0))
}

counterparts! {
    "numpy.polyval" = |t| polyval(t.get("p")?, &t.get("x")?);
    "numpy.polyadd" = |t| padded("add", t.get("a1")?, t.get("a2")?);
    "numpy.polysub" = |t| padded("subtract", t.get("a1")?, t.get("a2")?);
    "numpy.polymul" = |t| polymul(t.get("a1")?, t.get("a2")?);
    "numpy.polydiv" = |t| polydiv(t.get("u")?, t.get("v")?),
        bounds |t| {
            let (u, v): (&NdArray, &NdArray) = (t.get("u")?, t.get("v")?);
            let (q, r) = polydiv(u, v)?;
            Some(quotient_bounds(u, v, &[&q, &r], false))
        };
    "numpy.polyder" = |t| polyder(t.get("p")?, t.or("m", 1)?);
    "numpy.polyint" = |t| polyint(t.get("p")?, t.or("m", 1)?, t.get::<Option<Operand<'_>>>("k")?.as_ref());
    "numpy.polynomial.polyutils.as_series" = |t| as_series(&t.get::<Vec<&NdArray>>("alist")?, t.or("trim", true)?);
    "numpy.polynomial.polyutils.trimseq" = |t| trimseq(t.get("seq")?);
    "numpy.polynomial.polyutils.trimcoef" = |t| trimcoef(t.get("c")?, t.or("tol", 0.0)?);
    "numpy.polynomial.polynomial.polyval" = |t| series_val(&t.get("x")?, t.get("c")?, t.or("tensor", true)?);
    "numpy.polynomial.polynomial.polyvander" = |t| powers_within(polyvander(t.get("x")?, t.get("deg")?)?, t.get("deg")?);
    "numpy.polynomial.polynomial.polycompanion" = |t| polycompanion(t.get("c")?);
    "numpy.polynomial.polynomial.polyadd" = |t| series_sum(t.get("c1")?, t.get("c2")?, false);
    "numpy.polynomial.polynomial.polysub" = |t| series_sum(t.get("c1")?, t.get("c2")?, true);
    "numpy.polynomial.polynomial.polymul" = |t| series_product(t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.polynomial.polydiv" = |t| series_quotient(t.get("c1")?, t.get("c2")?),
        bounds |t| {
            let (c1, c2): (&NdArray, &NdArray) = (t.get("c1")?, t.get("c2")?);
            let (q, r) = series_quotient(c1, c2)?;
            let both = as_series(&[c1, c2], true)?;
            Some(quotient_bounds(&both[0], &both[1], &[&q, &r], true))
        };
    "numpy.polynomial.polynomial.polyder" = |t| {
        series_derivative(t.get("c")?, t.or("m", 1)?, t.or("scl", 1.0)?, t.or("axis", 0)?)
    };
    "numpy.polynomial.polynomial.polyfromroots" = |t| polyfromroots(t.get("roots")?);
}
