//! Functions of several operations: `btdtr`, `ellipj`, `lambertw`, `softmax` and others, with bounds of their errors.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::composed::{rows, terms};
use super::{Real, elliptic, integrals};
use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::broadcast_shapes;
use crate::core::value::{Flag, Value, round, ulp};
use crate::numpy::math::difference::call;
use crate::numpy::statistics::Bounded;
use crate::table::counterparts;
use crate::ufunc::methods::strong;
use crate::ufunc::reduce::{Gathering, ReduceOptions, reduce, reduction_bound};

/// Units of the value or of the condition by which the functions may be off, in float64.
const UNITS: f64 = 10.0;

fn is_nan_free(bound: f64) -> f64 {
    if bound.is_nan() { f64::INFINITY } else { bound }
}

/// Computes a ufunc and bounds its error.
fn of_ufunc(name: &str, operands: &[Operand<'_>]) -> Result<Bounded> {
    let result = call(name, operands)?;
    let arrays: Vec<NdArray> = operands.iter().map(strong).collect::<Result<_>>()?;
    let rows = rows(result.shape(), &arrays.iter().collect::<Vec<_>>())?;
    let bound = |(row, y): (&Vec<f64>, Value)| {
        let y = y.float();
        is_nan_free(UNITS * terms(name, row, y) * f64::EPSILON + ulp(y, result.dtype()))
    };
    let bounds = rows.iter().zip(result.values()).map(bound).collect();
    Ok(Bounded { result, bounds })
}

/// Computes `ellipj`, whose errors are relative to the terms of its derivatives.
fn ellipj(u: &Operand<'_>, m: &Operand<'_>) -> Result<Vec<Bounded>> {
    let (u, m) = (strong(u)?, strong(m)?);
    let shape = broadcast_shapes(&[u.shape(), m.shape()])?;
    let single = [u.dtype(), m.dtype()].iter().all(|d| d.casts_safely(DType::F32));
    let dtype = if single { DType::F32 } else { DType::F64 };
    let rows = rows(&shape, &[&u, &m])?;
    let all: Vec<[f64; 4]> = rows.iter().map(|row| elliptic::jacobi(row[0], row[1])).collect();
    (0..4)
        .map(|k| {
            let result = NdArray::from_values(dtype, &shape, all.iter().map(|v| Value::Float(round(v[k], dtype))))?;
            let bound = |(row, v): (&Vec<f64>, &[f64; 4])| {
                is_nan_free(UNITS * (1.0 + row[0].abs()) * f64::EPSILON + ulp(v[k], dtype))
            };
            let bounds = rows.iter().zip(&all).map(bound).collect();
            Ok(Bounded { result, bounds })
        })
        .collect()
}

/// Computes `lambertw` by Newton's iteration for w + log w, from many turns of the logarithm.
fn lambertw(z: &NdArray, k: isize) -> Result<Bounded> {
    let mut flags = vec![];
    let mut bounds = vec![];
    let mut value = |z: Complex64| {
        let unknown = !z.is_finite() || z.norm() == 0.0 || (z + (-1f64).exp()).norm() < 0.3 && k.abs() <= 1;
        if unknown {
            flags.push(Flag::Any);
            bounds.push(f64::INFINITY);
            return Value::Complex(z);
        }
        let turns = Complex64::new(0.0, 2.0 * std::f64::consts::PI * k as f64);
        // The branch k has w + log w = log z + 2πik, apart from next to the cuts of branches -1 to 1.
        let log = z.ln() + turns;
        // The series at the branch point, DLMF 4.13.6, serves the branch 0 on the left.
        let p = (2.0 * (std::f64::consts::E * z + 1.0)).sqrt();
        let mut w = match () {
            () if k == 0 && z.re < 0.0 && p.norm() < 2.4 => p - 1.0 - p * p / 3.0 + p * p * p * (11.0 / 72.0),
            () if k == 0 && z.norm() < 3.0 => (z + 1.0).ln(),
            () => log - log.ln(),
        };
        for _ in 0..100 {
            let step = (w - z * (-w).exp()) / (w + 1.0);
            w -= step;
            if step.norm() <= 1e-16 * w.norm() {
                break;
            }
        }
        flags.push(if w.im == 0.0 { Flag::AnySign } else { Flag::Exact });
        bounds.push(f64::EPSILON * w.norm() * (UNITS + 4.0 / (w + 1.0).norm()) * 2.0);
        Value::Complex(w)
    };
    let values: Vec<Value> = z.values().iter().map(|v| value(v.complex())).collect();
    let result = NdArray::from_values(DType::C128, z.shape(), values)?.with_flags(flags);
    Ok(Bounded { result, bounds })
}

/// Computes `spherical_yn`.
fn spherical_yn(n: &Operand<'_>, z: &Operand<'_>, derivative: bool) -> Result<Bounded> {
    let (n, z) = (strong(n)?, strong(z)?);
    if !n.dtype().is_integer() && n.dtype() != DType::Bool {
        return fail(ErrorKind::Type, "an order is an integer");
    }
    let dtype = if z.dtype().casts_safely(DType::F32) { DType::F32 } else { DType::F64 };
    let shape = broadcast_shapes(&[n.shape(), z.shape()])?;
    let (mut flags, mut bounds, mut values) = (vec![], vec![], vec![]);
    for row in rows(&shape, &[&n, &z])? {
        let (n, x) = (row[0], row[1]);
        let at = |x: f64| integrals::spherical_yn(n as i128, x, derivative);
        let (value, flag) = at(x).round(dtype);
        // The slope by a difference, whose own error is the square root of the unit.
        let slope = match (at(x * (1.0 + 1e-8)), at(x * (1.0 - 1e-8))) {
            (Real::Big(a), Real::Big(b)) => ((a - b) / 2e-8).abs().to_f64(),
            _ => 0.0,
        };
        let y = value.float();
        bounds.push(is_nan_free(UNITS * (y.abs() + slope) * f64::EPSILON + ulp(y, dtype)));
        flags.push(flag);
        values.push(value);
    }
    Ok(Bounded { result: NdArray::from_values(dtype, &shape, values)?.with_flags(flags), bounds })
}

/// Computes `multigammaln` for a dimension of 1, which is the logarithm of the gamma function.
fn multigammaln(a: &NdArray, d: isize) -> Result<Bounded> {
    let least = 0.5 * (d - 1) as f64;
    if d < 1 || a.values().iter().any(|v| v.float() <= least) {
        return fail(ErrorKind::Value, "the integral diverges");
    }
    let result = call("gammaln", &[a.into()])?;
    let x = rows(a.shape(), &[a])?;
    let unit = ulp(1.0, result.dtype());
    let bound = |(x, y): (&Vec<f64>, Value)| is_nan_free(8.0 * unit * (terms("gammaln", x, y.float()) + 1.0));
    let bounds = x.iter().zip(result.values()).map(bound).collect();
    Ok(Bounded { result, bounds })
}

fn along(axis: Option<&[isize]>, keepdims: bool) -> ReduceOptions {
    ReduceOptions { axis: axis.map(<[isize]>::to_vec), keepdims, ..ReduceOptions::default() }
}

/// Parts of an exponential along axes: the operand less its maximum, its exponentials, their sums, and the relative
/// error of each sum.
struct Parts {
    below: NdArray,
    most: NdArray,
    each: NdArray,
    sums: NdArray,
    off: Vec<f64>,
}

fn parts(a: &NdArray, axis: Option<&[isize]>, by: Gathering) -> Result<Parts> {
    let kept = along(axis, true);
    let most = reduce("max", a, &kept)?;
    let below = call("subtract", &[a.into(), (&most).into()])?;
    let each = call("exp", &[(&below).into()])?;
    let sums = reduce("sum", &each, &kept)?;
    let unit = ulp(1.0, sums.dtype());
    // An exponential is off by its units and by those of its exponent.
    let steepest = below.values().iter().map(|v| v.float().abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let off = reduction_bound("sum", &each, &kept, by)?
        .into_iter()
        .zip(sums.values())
        .map(|(bound, sum)| is_nan_free(bound / sum.float().abs() + unit * (4.0 + steepest)))
        .collect();
    Ok(Parts { below, most, each, sums, off })
}

/// Repeats the numbers of the sums for every element.
fn spread(of: &Parts) -> Result<Vec<f64>> {
    let off = NdArray::from_values(DType::F64, of.sums.shape(), of.off.iter().map(|v| Value::Float(*v)))?;
    Ok(off.broadcast_to(of.each.shape())?.values().iter().map(|v| v.float()).collect())
}

fn softmax(a: &NdArray, axis: Option<&[isize]>, by: Gathering) -> Result<Bounded> {
    let parts = parts(a, axis, by)?;
    let result = call("true_divide", &[(&parts.each).into(), (&parts.sums).into()])?;
    let unit = ulp(1.0, result.dtype());
    let bound = |((y, off), x): ((Value, f64), Value)| {
        is_nan_free(y.float().abs() * (off + unit * (6.0 + x.float().abs())) + f64::from(f32::MIN_POSITIVE))
    };
    let bounds = result.values().into_iter().zip(spread(&parts)?).zip(parts.below.values()).map(bound).collect();
    Ok(Bounded { result, bounds })
}

fn softplus(x: Operand<'_>) -> Result<Bounded> {
    let result = call("logaddexp", &[Value::Int(0).into(), x])?;
    let bounds = result.values().iter().map(|y| 2.0 * ulp(y.float(), result.dtype())).collect();
    Ok(Bounded { result, bounds })
}

fn log_softmax(a: &NdArray, axis: Option<&[isize]>, by: Gathering) -> Result<Bounded> {
    let parts = parts(a, axis, by)?;
    let logs = call("log", &[(&parts.sums).into()])?;
    let result = call("subtract", &[(&parts.below).into(), (&logs).into()])?;
    let unit = ulp(1.0, result.dtype());
    let bound = |((y, off), x): ((Value, f64), Value)| {
        is_nan_free(off + unit * (4.0 + 2.0 * y.float().abs() + x.float().abs()))
    };
    let bounds = result.values().into_iter().zip(spread(&parts)?).zip(parts.below.values()).map(bound).collect();
    Ok(Bounded { result, bounds })
}

fn logsumexp(a: &NdArray, axis: Option<&[isize]>, keepdims: bool, signed: bool, by: Gathering) -> Result<Vec<Bounded>> {
    let parts = parts(a, axis, by)?;
    let logs = call("log", &[(&parts.sums).into()])?;
    let kept = call("add", &[(&logs).into(), (&parts.most).into()])?;
    let shape = reduce("max", a, &along(axis, keepdims))?.shape().to_vec();
    let result = NdArray::from_values(kept.dtype(), &shape, kept.values())?;
    let unit = ulp(1.0, result.dtype());
    let bounds: Vec<f64> = result
        .values()
        .iter()
        .zip(parts.most.values())
        .zip(&parts.off)
        .map(|((y, most), off)| is_nan_free(off + unit * (4.0 + y.float().abs() + most.float().abs())))
        .collect();
    let mut all = vec![Bounded { result, bounds }];
    if signed {
        let ones = vec![Value::Float(1.0); kept.size()];
        let bounds = vec![0.0; kept.size()];
        all.push(Bounded { result: NdArray::from_values(kept.dtype(), &shape, ones)?, bounds });
    }
    Ok(all)
}

counterparts! {
    "scipy.special.btdtr" = |t| of_ufunc("betainc", &[t.get("a")?, t.get("b")?, t.get("x")?]);
    "scipy.special.btdtri" = |t| of_ufunc("betaincinv", &[t.get("a")?, t.get("b")?, t.get("p")?]);
    "scipy.special.ellipj" = |t| ellipj(&t.get("u")?, &t.get("m")?);
    "scipy.special.lambertw" = |t| lambertw(&strong(&t.get("z")?)?, t.or("k", 0)?);
    "scipy.special.spherical_yn" = |t| spherical_yn(&t.get("n")?, &t.get("z")?, t.or("derivative", false)?);
    "scipy.special.multigammaln" = |t| multigammaln(t.get("a")?, t.get("d")?);
    "scipy.special.softplus" = |t| softplus(t.get("x")?);
    "scipy.special.softmax" = |t| {
        softmax(t.get("x")?, t.get::<Option<Vec<isize>>>("axis")?.as_deref(), t.by)
    };
    "scipy.special.log_softmax" = |t| {
        log_softmax(t.get("x")?, t.get::<Option<Vec<isize>>>("axis")?.as_deref(), t.by)
    };
    "scipy.special.logsumexp" = |t| {
        let axis = t.get::<Option<Vec<isize>>>("axis")?;
        logsumexp(t.get("a")?, axis.as_deref(), t.or("keepdims", false)?, t.or("return_sign", false)?, t.by)
    };
}
