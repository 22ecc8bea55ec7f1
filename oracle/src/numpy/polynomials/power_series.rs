//! Functions of `numpy.polynomial.polynomial` beyond sums and quotients: powers, integrals, several variables, roots;
//! and the intervals of `numpy.polynomial.polyutils`.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{Order, axis_index};
use crate::core::promote::promote_types;
use crate::core::value::{Value, max_finite, ulp};
use crate::numpy::math::difference::{behind_each_other, call, float, part};
use crate::numpy::polynomials::arithmetic::{as_series, floated, polyvander, powers_within, series_val};
use crate::numpy::sorting::sort;
use crate::numpy::statistics::{Bounded, CorrelateMode, convolve};
use crate::table::{Arguments, Fault, counterparts};
use crate::ufunc::methods::strong;
use crate::ufunc::reduce::{Gathering, ReduceOptions, reduce, reduction_bound};

const ZERO: Operand<'static> = Operand::Scalar(Value::Int(0));

fn two(name: &str, a: &NdArray, b: &NdArray) -> Result<NdArray> {
    call(name, &[a.into(), b.into()])
}

fn row(a: &NdArray, k: usize) -> Result<NdArray> {
    a.index(&[Index::At(k as isize)])
}

/// Concatenates arrays of one dtype along the first axis.
fn stacked(arrays: &[NdArray]) -> Result<NdArray> {
    let rows: usize = arrays.iter().map(|a| a.shape()[0]).sum();
    let shape: Vec<usize> = std::iter::once(rows).chain(arrays[0].shape()[1..].iter().copied()).collect();
    NdArray::from_values(arrays[0].dtype(), &shape, behind_each_other(arrays, 0, NdArray::values))
}

fn polyline(off: Value, scl: Value) -> Result<NdArray> {
    let off = strong(&Operand::Scalar(off))?.reshape(&[1], Order::C)?;
    if !scl.truth() {
        return Ok(off);
    }
    let scl = strong(&Operand::Scalar(scl))?.reshape(&[1], Order::C)?;
    let dtype = promote_types(off.dtype(), scl.dtype());
    stacked(&[off.astype(dtype, Order::C), scl.astype(dtype, Order::C)])
}

fn polymulx(c: &NdArray) -> Result<NdArray> {
    let c = as_series(&[c], true)?.remove(0);
    if c.size() == 1 && !c.values()[0].truth() {
        return Ok(c);
    }
    let first = call("multiply", &[(&part(&c, 0, None, Some(1))?).into(), ZERO])?;
    stacked(&[first, c])
}

/// Multiplies two series; the error bound follows from those of the factors.
pub(crate) fn series_times(p: &Bounded, q: &Bounded) -> Result<Bounded> {
    let sizes = |series: &Bounded| -> Vec<f64> { series.result.values().iter().map(|v| v.complex().norm()).collect() };
    let (of_p, of_q) = (sizes(p), sizes(q));
    let grown = |error: f64, size: f64| if error == 0.0 { 0.0 } else { error * size };
    let handed_on = |k: usize| -> f64 {
        let pair = |i: usize| {
            let j = k.checked_sub(i).filter(|j| *j < of_q.len())?;
            Some(grown(p.bounds[i], of_q[j] + q.bounds[j]) + grown(q.bounds[j], of_p[i]))
        };
        (0..of_p.len()).filter_map(pair).sum()
    };
    let own = convolve(&p.result, &q.result, CorrelateMode::Full)?;
    let bounds = own.bounds.iter().enumerate().map(|(k, own)| own + handed_on(k)).collect();
    Ok(Bounded { result: own.result, bounds })
}

/// Wraps coefficients without an error.
pub(crate) fn exact(series: NdArray) -> Bounded {
    Bounded { bounds: vec![0.0; series.size()], result: series }
}

fn polypow(c: &NdArray, pow: isize, maxpower: Option<isize>) -> Result<Bounded> {
    let c = as_series(&[c], true)?.remove(0);
    if pow < 0 || maxpower.is_some_and(|highest| pow > highest) {
        return fail(ErrorKind::Value, "no such power");
    }
    if pow == 0 {
        return NdArray::from_values(c.dtype(), &[1], [Value::Int(1)]).map(exact);
    }
    let c = exact(c);
    (1..pow).try_fold(c.clone(), |product, _| series_times(&product, &c))
}

struct Integral<'a> {
    m: isize,
    k: Option<Operand<'a>>,
    lbnd: f64,
    scl: f64,
    axis: isize,
}

fn polyint(c: &NdArray, options: &Integral<'_>) -> Result<NdArray> {
    let Ok(m) = usize::try_from(options.m) else { return fail(ErrorKind::Value, "an order below 0") };
    let mut constants = match &options.k {
        None => vec![],
        Some(Operand::Scalar(k)) => vec![Operand::Scalar(*k)],
        Some(Operand::Array(_)) => vec![],
    };
    let strong_ones: Vec<NdArray> = match &options.k {
        Some(Operand::Array(k)) if k.ndim() == 0 => vec![(*k).clone()],
        Some(Operand::Array(k)) => (0..k.shape()[0]).map(|i| row(k, i)).collect::<Result<_>>()?,
        _ => vec![],
    };
    constants.extend(strong_ones.iter().map(Operand::Array));
    if constants.len() > m {
        return fail(ErrorKind::Value, "too many constants");
    }
    constants.resize(m, ZERO);
    let c = floated(c)?;
    let axis = axis_index(options.axis, c.ndim())? as isize;
    if m == 0 {
        return Ok(c.copy(Order::K));
    }
    let dtype = c.dtype();
    let mut c = c.moveaxis(&[axis], &[0])?;
    if c.shape()[0] == 0 {
        return fail(ErrorKind::Index, "there are no coefficients");
    }
    let several = c.ndim() > 1;
    let complex_into_real = |sum: &NdArray| several && sum.dtype().is_complex() && !dtype.is_complex();
    for k in constants {
        c = call("multiply", &[(&c).into(), float(options.scl)])?;
        let n = c.shape()[0];
        if n == 1 && c.values().iter().all(|v| !v.truth()) {
            let sum = call("add", &[(&c).into(), k])?;
            if complex_into_real(&sum) {
                return fail(ErrorKind::Type, "a complex constant");
            }
            c = sum.astype(dtype, Order::K);
            continue;
        }
        let mut all = vec![call("multiply", &[(&part(&c, 0, None, Some(1))?).into(), ZERO])?];
        for j in 0..n as isize {
            let number = Operand::Scalar(Value::Int(j as i128 + 1));
            all.push(call("true_divide", &[(&part(&c, 0, Some(j), Some(j + 1))?).into(), number])?);
        }
        let whole = stacked(&all)?;
        let at_bound = series_val(&float(options.lbnd), &whole, true)?;
        let sum = two("add", &row(&whole, 0)?, &call("subtract", &[k, (&at_bound).into()])?)?;
        if complex_into_real(&sum) {
            return fail(ErrorKind::Type, "a complex constant");
        }
        let shape: Vec<isize> = all[0].shape().iter().map(|n| *n as isize).collect();
        all[0] = sum.astype(dtype, Order::C).reshape(&shape, Order::C)?;
        c = stacked(&all)?;
    }
    c.moveaxis(&[0], &[axis])
}

fn polyvalfromroots(x: &Operand<'_>, r: &NdArray, tensor: bool, by: Gathering) -> Result<Bounded> {
    let mut r = floated(r)?;
    if let Operand::Array(x) = x {
        if tensor {
            let shape: Vec<isize> = r.shape().iter().map(|n| *n as isize).chain(x.shape().iter().map(|_| 1)).collect();
            r = r.reshape(&shape, Order::C)?;
        } else if x.ndim() >= r.ndim() {
            return fail(ErrorKind::Value, "x of as many axes as the roots");
        }
    }
    let distances = call("subtract", &[x.clone(), (&r).into()])?;
    let options = ReduceOptions { axis: Some(vec![0]), keepdims: false, dtype: None };
    Ok(Bounded {
        result: reduce("prod", &distances, &options)?,
        bounds: reduction_bound("prod", &distances, &options, by)?,
    })
}

fn at_points(c: &NdArray, points: &[&NdArray]) -> Result<NdArray> {
    if points.iter().any(|p| p.shape() != points[0].shape()) {
        return fail(ErrorKind::Value, "coordinates of different shapes");
    }
    let first = series_val(&points[0].into(), c, true)?;
    points[1..].iter().try_fold(first, |c, x| series_val(&(*x).into(), &c, false))
}

fn over_grid(c: &NdArray, points: &[&NdArray]) -> Result<NdArray> {
    points.iter().try_fold(c.clone(), |c, x| series_val(&(*x).into(), &c, true))
}

fn vander_of_several(points: &[&NdArray], degrees: &[isize]) -> Result<NdArray> {
    if degrees.len() != points.len() || points.iter().any(|p| p.shape() != points[0].shape()) {
        return fail(ErrorKind::Value, "points and degrees do not go together");
    }
    let dtype = points.iter().map(|p| p.dtype()).reduce(promote_types).unwrap_or(DType::F64);
    let mut product: Option<NdArray> = None;
    for (k, (x, degree)) in points.iter().zip(degrees).enumerate() {
        let powers = polyvander(&x.astype(dtype, Order::C), *degree)?;
        let outer = powers.ndim() - 1;
        let others: Vec<isize> = (0..points.len()).filter(|j| *j != k).map(|j| (outer + j) as isize).collect();
        let powers = powers.expand_dims(&others)?;
        product = Some(match product {
            None => powers,
            Some(product) => two("multiply", &product, &powers)?,
        });
    }
    let Some(product) = product else { return fail(ErrorKind::Value, "no variables") };
    let outer = product.ndim() - points.len();
    let shape: Vec<isize> = product.shape()[..outer].iter().map(|n| *n as isize).chain([-1]).collect();
    let empty = product.shape()[..outer].contains(&0);
    let last: usize = product.shape()[outer..].iter().product();
    let shape: Vec<isize> = if empty { [&shape[..outer], &[last as isize]].concat() } else { shape };
    product.reshape(&shape, Order::C)
}

fn getdomain(x: &NdArray) -> Result<NdArray> {
    let x = as_series(&[x], false)?.remove(0);
    let options = ReduceOptions { axis: None, keepdims: false, dtype: None };
    let end = |name: &str, a: &NdArray| reduce(name, a, &options).map(|a| a.values()[0]);
    if !x.dtype().is_complex() {
        return NdArray::from_values(x.dtype(), &[2], [end("min", &x)?, end("max", &x)?]);
    }
    let component = |of: fn(Value) -> f64| {
        NdArray::from_values(DType::F64, &[x.size()], x.values().into_iter().map(|v| Value::Float(of(v))))
    };
    let (real, imag) = (component(|v| v.complex().re)?, component(|v| v.complex().im)?);
    let corner = |name: &str| -> Result<Value> {
        Ok(Value::Complex(num_complex::Complex64::new(end(name, &real)?.float(), end(name, &imag)?.float())))
    };
    NdArray::from_values(DType::C128, &[2], [corner("min")?, corner("max")?])
}

fn mapparms(old: &NdArray, new: &NdArray) -> Result<(NdArray, NdArray)> {
    if [old, new].iter().any(|a| a.ndim() != 1 || a.size() < 2) {
        return fail(ErrorKind::Index, "no ends of an interval");
    }
    let (o0, o1, n0, n1) = (row(old, 0)?, row(old, 1)?, row(new, 0)?, row(new, 1)?);
    let length = two("subtract", &o1, &o0)?;
    let new_length = two("subtract", &n1, &n0)?;
    let crossed = two("subtract", &two("multiply", &o1, &n0)?, &two("multiply", &o0, &n1)?)?;
    Ok((two("true_divide", &crossed, &length)?, two("true_divide", &new_length, &length)?))
}

fn mapdomain(x: &Operand<'_>, old: &NdArray, new: &NdArray) -> Result<NdArray> {
    let (off, scl) = mapparms(old, new)?;
    two("add", &off, &call("multiply", &[(&scl).into(), x.clone()])?)
}

/// Units of the modulus by which a complex quotient of differences of products may be off, in which plain arithmetic
/// rounds every step; real steps are correctly rounded, as they are here.
const STEPS: f64 = 16.0;

/// Bounds the error of a complex sum of terms of these magnitudes, however much they cancel.
pub(crate) fn off_by(steps: f64, size: f64, dtype: DType) -> f64 {
    if size.is_nan() { f64::INFINITY } else { steps * ulp(size.min(max_finite(dtype)), dtype) }
}

/// Returns the magnitudes of the terms of the parameters of two intervals. Lengths are computed in the dtype: unsigned
/// integers wrap around.
fn interval_sizes(old: &NdArray, new: &NdArray) -> Result<[f64; 2]> {
    let (o, n): (Vec<Value>, Vec<Value>) = (old.values(), new.values());
    let size = |v: Value| v.complex().norm();
    let length = |a: &NdArray| -> Result<f64> {
        let found = two("subtract", &row(a, 1)?, &row(a, 0)?)?;
        Ok(found.values().first().map_or(0.0, |v| size(*v)))
    };
    let crossed = size(o[1]) * size(n[0]) + size(o[0]) * size(n[1]);
    Ok([crossed / length(old)?, length(new)? / length(old)?])
}

fn mapparms_bounds(old: &NdArray, new: &NdArray) -> Result<Option<Vec<f64>>> {
    let (off, _) = mapparms(old, new)?;
    let own = |size| off_by(STEPS, size, off.dtype());
    Ok(off.dtype().is_complex().then_some(interval_sizes(old, new)?.map(own).to_vec()))
}

fn mapdomain_bounds(x: &Operand<'_>, old: &NdArray, new: &NdArray) -> Result<Option<Vec<f64>>> {
    let mapped = mapdomain(x, old, new)?;
    if !mapped.dtype().is_complex() {
        return Ok(None);
    }
    let [off, scl] = interval_sizes(old, new)?;
    let bound = |v: Value| off_by(STEPS, off + scl * v.complex().norm(), mapped.dtype());
    Ok(Some(strong(x)?.values().into_iter().map(bound).collect()))
}

/// Bounds the error of `polyint`: magnitudes and errors of the coefficients are integrated like the coefficients, but
/// without cancellation.
fn polyint_bounds(c: &NdArray, options: &Integral<'_>) -> Result<Option<Vec<f64>>> {
    let result = polyint(c, options)?;
    let dtype = result.dtype();
    if !dtype.is_complex() {
        return Ok(None);
    }
    let size = |v: Value| v.complex().norm();
    let constant = |i: usize| match &options.k {
        Some(Operand::Scalar(k)) if i == 0 => Ok(size(*k)),
        Some(Operand::Array(k)) if k.ndim() == 0 && i == 0 => Ok(size(k.values()[0])),
        Some(Operand::Array(k)) if k.ndim() > 0 && i < k.shape()[0] => {
            row(k, i).map(|k| k.values().into_iter().map(size).fold(0.0, f64::max))
        }
        _ => Ok(0.0),
    };
    let axis = axis_index(options.axis, c.ndim().max(1))? as isize;
    let c = if c.ndim() == 0 { c.reshape(&[1], Order::C)? } else { c.moveaxis(&[axis], &[0])? };
    let lanes: usize = c.shape()[1..].iter().product();
    let mut rows: Vec<Vec<(f64, f64)>> =
        c.values().chunks(lanes.max(1)).map(|row| row.iter().map(|v| (size(*v), 0.0)).collect()).collect();
    for i in 0..options.m as usize {
        let k = constant(i)?;
        if let [only] = &mut rows[..]
            && only.iter().all(|(size, _)| *size == 0.0)
        {
            only.fill((k, 0.0));
            continue;
        }
        let n = rows.len();
        for (j, row) in rows.iter_mut().enumerate() {
            let by = options.scl.abs() / (j + 1) as f64;
            for (size, error) in row {
                *size *= by;
                *error = *error * by + off_by(STEPS, *size, dtype);
            }
        }
        let at_bound = |lane: usize| {
            let mut power = 1.0;
            let (mut sum, mut error) = (k, 0.0);
            for row in &rows {
                power *= options.lbnd.abs();
                sum += row[lane].0 * power;
                error += row[lane].1 * power;
            }
            // Each step of Horner's rule is a product and a sum.
            (sum, error + off_by(4.0 * (n + 1) as f64, sum, dtype))
        };
        let first = (0..lanes).map(at_bound).collect();
        rows.insert(0, first);
    }
    let errors = rows.into_iter().flatten().map(|(_, error)| Value::Float(error));
    let shape: Vec<usize> = result.moveaxis(&[axis], &[0])?.shape().to_vec();
    let errors = NdArray::from_values(DType::F64, &shape, errors)?.moveaxis(&[0], &[axis])?;
    Ok(Some(errors.values().into_iter().map(Value::float).collect()))
}

/// Computes `numpy.poly` from roots.
fn poly(roots: &NdArray) -> Result<Bounded> {
    if roots.ndim() > 1 {
        return fail(ErrorKind::Value, "roots have one axis");
    }
    let n = roots.size();
    if n == 0 {
        return NdArray::from_values(DType::F64, &[], [Value::Float(1.0)]).map(exact);
    }
    let dtype = match roots.dtype() {
        DType::F32 | DType::C64 => roots.dtype(),
        DType::BF16 => DType::F32,
        other => promote_types(other, DType::F64),
    };
    let roots = roots.reshape(&[n as isize], Order::C)?.astype(dtype, Order::C);
    let lowest = call("negative", &[(&roots).into()])?;
    let one = NdArray::from_values(dtype, &[1], [Value::Int(1)])?;
    let mut a = exact(one.clone());
    for k in 0..n as isize {
        let factor = stacked(&[one.clone(), part(&lowest, 0, Some(k), Some(k + 1))?])?;
        a = series_times(&a, &exact(factor))?;
    }
    if dtype.is_complex() {
        let roots = roots.astype(DType::C128, Order::C);
        let conjugated = call("conjugate", &[(&roots).into()])?;
        let (one, other) = (sort(&roots, Some(-1))?, sort(&conjugated, Some(-1))?);
        if two("equal", &one, &other)?.values().iter().all(|v| v.truth()) {
            let real = a.result.values().into_iter().map(|v| Value::Float(v.complex().re));
            a.result = NdArray::from_values(dtype.real(), &[n + 1], real)?;
        }
    }
    Ok(a)
}

fn integral(t: &Arguments) -> std::result::Result<Integral<'_>, Fault> {
    Ok(Integral {
        m: t.or("m", 1)?,
        k: t.get("k")?,
        lbnd: t.or("lbnd", 0.0)?,
        scl: t.or("scl", 1.0)?,
        axis: t.or("axis", 0)?,
    })
}

counterparts! {
    "numpy.poly" = |t| poly(t.get("seq_of_zeros")?);
    "numpy.polynomial.polynomial.polyline" = |t| polyline(t.get("off")?, t.get("scl")?);
    "numpy.polynomial.polynomial.polymulx" = |t| polymulx(t.get("c")?);
    "numpy.polynomial.polynomial.polypow" = |t| polypow(t.get("c")?, t.get("pow")?, t.get("maxpower")?);
    "numpy.polynomial.polynomial.polyint" = |t| polyint(t.get("c")?, &integral(t)?),
        bounds |t| polyint_bounds(t.get("c")?, &integral(t)?)?;
    "numpy.polynomial.polynomial.polyvalfromroots" = |t| {
        polyvalfromroots(&t.get("x")?, t.get("r")?, t.or("tensor", true)?, t.by)
    };
    "numpy.polynomial.polynomial.polyval2d" = |t| at_points(t.get("c")?, &[t.get("x")?, t.get("y")?]);
    "numpy.polynomial.polynomial.polyval3d" = |t| at_points(t.get("c")?, &[t.get("x")?, t.get("y")?, t.get("z")?]);
    "numpy.polynomial.polynomial.polygrid2d" = |t| over_grid(t.get("c")?, &[t.get("x")?, t.get("y")?]);
    "numpy.polynomial.polynomial.polygrid3d" = |t| over_grid(t.get("c")?, &[t.get("x")?, t.get("y")?, t.get("z")?]);
    "numpy.polynomial.polynomial.polyvander2d" = |t| {
        let deg: Vec<isize> = t.get("deg")?;
        powers_within(vander_of_several(&[t.get("x")?, t.get("y")?], &deg)?, deg.iter().sum())
    };
    "numpy.polynomial.polynomial.polyvander3d" = |t| {
        let deg: Vec<isize> = t.get("deg")?;
        powers_within(vander_of_several(&[t.get("x")?, t.get("y")?, t.get("z")?], &deg)?, deg.iter().sum())
    };
    "numpy.polynomial.polyutils.getdomain" = |t| getdomain(t.get("x")?);
    "numpy.polynomial.polyutils.mapparms" = |t| mapparms(t.get("old")?, t.get("new")?),
        bounds |t| mapparms_bounds(t.get("old")?, t.get("new")?)?;
    "numpy.polynomial.polyutils.mapdomain" = |t| mapdomain(&t.get("x")?, t.get("old")?, t.get("new")?),
        bounds |t| mapdomain_bounds(&t.get("x")?, t.get("old")?, t.get("new")?)?;
}
