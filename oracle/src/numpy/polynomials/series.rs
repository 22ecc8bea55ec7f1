//! Series of orthogonal polynomials: `numpy.polynomial.chebyshev` and its like.
//!
//! Every operation is one of power series, in 256 bits; results are rounded once.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index};
use crate::core::promote::promote_types;
use crate::core::value::Value;
use crate::exact::big::Big;
use crate::numpy::polynomials::arithmetic::{as_series, floated, series_sum, trimmed};
use crate::numpy::polynomials::basis::{Basis, Wide};
use crate::numpy::polynomials::power_series::off_by;
use crate::numpy::statistics::Bounded;
use crate::table::counterparts;
use crate::ufunc::methods::strong;

/// Units by which one step of a recurrence may be off: products and sums of complex numbers, and a rounded factor.
const STEPS: f64 = 16.0;

fn wide(a: &NdArray) -> Vec<Wide> {
    a.values().into_iter().map(Wide::new).collect()
}

fn norms(a: &[Wide]) -> Vec<f64> {
    a.iter().map(Wide::norm).collect()
}

fn rounded(a: &[Wide], dtype: DType) -> Result<NdArray> {
    NdArray::from_values(dtype, &[a.len()], a.iter().map(|v| v.rounded(dtype)))
}

/// Evaluates series, whose coefficients are along the first axis, at every point.
fn value(basis: Basis, x: &Operand<'_>, c: &NdArray) -> Result<Bounded> {
    let (x, c) = (strong(x)?, floated(c)?);
    let count = c.shape()[0];
    if count == 0 {
        return fail(ErrorKind::Index, "there are no coefficients");
    }
    // NumPy starts with the points times 0, and booleans times 0 are int64.
    let dtype = promote_types(c.dtype(), if x.dtype() == DType::Bool { DType::I64 } else { x.dtype() });
    let shape: Vec<usize> = c.shape()[1..].iter().chain(x.shape()).copied().collect();
    let columns: usize = c.shape()[1..].iter().product();
    let (all, points) = (wide(&c), wide(&x));
    let (mut values, mut bounds) = (vec![], vec![]);
    for column in 0..columns {
        let series: Vec<Wide> = (0..count).map(|k| all[k * columns + column].clone()).collect();
        let powers = basis.to_powers(&series);
        for x in &points {
            let mut power = Wide::new(Value::Int(1));
            let mut sum = Wide::zero();
            for p in &powers {
                sum = sum.plus(&p.times(&power));
                power = power.times(x);
            }
            let size: f64 = norms(&series).iter().zip(basis.sizes(count - 1, x.norm())).map(|(c, b)| c * b).sum();
            values.push(sum.rounded(dtype));
            bounds.push(off_by(STEPS * count as f64, size, dtype));
        }
    }
    Ok(Bounded { result: NdArray::from_values(dtype, &shape, values)?, bounds })
}

fn vander(basis: Basis, x: &NdArray, deg: isize) -> Result<Bounded> {
    let Ok(deg) = usize::try_from(deg) else { return fail(ErrorKind::Value, "a degree below 0") };
    let x = floated(x)?;
    let shape: Vec<usize> = [deg + 1].into_iter().chain(x.shape().iter().copied()).collect();
    let (points, mut values, mut bounds) = (wide(&x), vec![], vec![]);
    for k in 0..=deg {
        let powers = basis.powers(k);
        for x_value in &points {
            let real = |a: &Big| Wide { re: a.clone(), im: Big::new(0.0) };
            let sum = powers.iter().rev().fold(Wide::zero(), |sum, a| sum.times(x_value).plus(&real(a)));
            let size = basis.sizes(k, x_value.norm())[k];
            values.push(sum.rounded(x.dtype()));
            bounds.push(Value::Float(off_by(STEPS * (k + 1) as f64, size, x.dtype())));
        }
    }
    // The degrees are along the last axis of a view.
    let bounds = NdArray::from_values(DType::F64, &shape, bounds)?.moveaxis(&[0], &[-1])?;
    Ok(Bounded {
        result: NdArray::from_values(x.dtype(), &shape, values)?.moveaxis(&[0], &[-1])?,
        bounds: bounds.values().into_iter().map(Value::float).collect(),
    })
}

fn product(basis: Basis, c1: &NdArray, c2: &NdArray) -> Result<Bounded> {
    let both = as_series(&[c1, c2], true)?;
    let (dtype, a, b) = (both[0].dtype(), wide(&both[0]), wide(&both[1]));
    let powers = power_product(&basis.to_powers(&a), &basis.to_powers(&b));
    let result = trimmed(&rounded(&basis.of_powers(&powers), dtype)?)?;
    let mut sizes = vec![0.0; powers.len()];
    for (a, of) in norms(&a).iter().zip(basis.sizes_of_products(a.len() - 1, &norms(&b))) {
        sizes.iter_mut().zip(of).for_each(|(size, of)| *size += a * of);
    }
    let bounds = sizes.iter().take(result.size()).map(|s| off_by(STEPS * powers.len() as f64, *s, dtype)).collect();
    Ok(Bounded { result, bounds })
}

fn power_product(a: &[Wide], b: &[Wide]) -> Vec<Wide> {
    let mut out = vec![Wide::zero(); a.len() + b.len() - 1];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            out[i + j] = out[i + j].plus(&a.times(b));
        }
    }
    out
}

/// Divides power series of 256 bits: returns the quotient and the remainder.
fn power_quotient(a: &[Wide], b: &[Wide]) -> (Vec<Wide>, Vec<Wide>) {
    let (n, mut left) = (b.len() - 1, a.to_vec());
    let mut quotient = vec![Wide::zero(); a.len() - n];
    for k in (0..quotient.len()).rev() {
        quotient[k] = left[k + n].over(&b[n]);
        for (j, b) in b.iter().enumerate() {
            left[k + j] = left[k + j].minus(&quotient[k].times(b));
        }
    }
    left.truncate(n);
    (quotient, left)
}

/// Computes quotient and remainder, each with its bounds: those of long division, whose steps subtract multiples of
/// the divisor times a basis polynomial.
fn quotient(basis: Basis, c1: &NdArray, c2: &NdArray) -> Result<(Bounded, Bounded)> {
    let both = as_series(&[c1, c2], true)?;
    let (dtype, a, b) = (both[0].dtype(), wide(&both[0]), wide(&both[1]));
    if b.last().is_none_or(Wide::is_zero) {
        return fail(ErrorKind::ZeroDivision, "the divisor is zero");
    }
    let exact = |result: NdArray| Bounded { bounds: vec![0.0; result.size()], result };
    let zero = || rounded(&[Wide::zero()], dtype).map(exact);
    if a.len() < b.len() {
        return Ok((zero()?, exact(both[0].clone())));
    }
    let one = |size: f64| off_by(STEPS, size, dtype);
    if b.len() == 1 {
        let all: Vec<Wide> = a.iter().map(|a| a.over(&b[0])).collect();
        let bounds = norms(&all).into_iter().map(one).collect();
        return Ok((Bounded { result: rounded(&all, dtype)?, bounds }, zero()?));
    }
    let (q, r) = power_quotient(&basis.to_powers(&a), &basis.to_powers(&b));
    let (q, r) = (basis.of_powers(&q), basis.of_powers(&r));
    let factors = basis.sizes_of_products(q.len() - 1, &norms(&b));
    let steps = STEPS * a.len() as f64;
    let (mut sizes, mut errors) = (norms(&a), vec![0.0; a.len()]);
    let mut of_q = vec![0.0; q.len()];
    for (k, factor) in factors.iter().enumerate().rev() {
        // The highest coefficient of a factor is a single product, which does not cancel.
        let top = k + b.len() - 1;
        let size = sizes[top] / factor[top];
        of_q[k] = errors[top] / factor[top] + off_by(steps, size, dtype);
        for (j, f) in factor.iter().enumerate().take(top) {
            errors[j] += of_q[k] * f + off_by(steps, size * f + sizes[j], dtype);
            sizes[j] += size * f;
        }
    }
    let bounded = |b: f64| if b.is_nan() { f64::INFINITY } else { b };
    let rest = trimmed(&rounded(&r, dtype)?)?;
    let of_r = errors.iter().take(rest.size()).map(|e| bounded(*e)).collect();
    let of_q = of_q.into_iter().map(bounded).collect();
    Ok((Bounded { result: rounded(&q, dtype)?, bounds: of_q }, Bounded { result: rest, bounds: of_r }))
}

/// Applies a linear map of series to the coefficients along an axis. `of_powers` maps power series. With `zero_at_0` the
/// constant of the result is such that its value at 0 is 0.
fn mapped(
    basis: Basis,
    c: &NdArray,
    axis: isize,
    zero_at_0: bool,
    of_powers: impl Fn(&[Wide]) -> Vec<Wide>,
) -> Result<Bounded> {
    let dtype = c.dtype();
    let axis = axis_index(axis, c.ndim())? as isize;
    let c = c.moveaxis(&[axis], &[0])?.copy(Order::C);
    let (count, columns) = (c.shape()[0], c.shape()[1..].iter().product::<usize>());
    let through = |c: &[Wide]| basis.of_powers(&of_powers(&basis.to_powers(c)));
    // The map of each basis polynomial: its magnitudes are those of the terms.
    let units: Vec<Vec<f64>> = (0..count)
        .map(|k| norms(&through(&(0..count).map(|j| Wide::new(Value::Bool(j == k))).collect::<Vec<_>>())))
        .collect();
    let rows = units[0].len();
    let all = wide(&c);
    let (mut values, mut bounds) = (vec![Value::Int(0); rows * columns], vec![0.0; rows * columns]);
    for column in 0..columns {
        let series: Vec<Wide> = (0..count).map(|k| all[k * columns + column].clone()).collect();
        let result = through(&series);
        if zero_at_0 {
            // The constant cancels the value of the other terms at 0, with the errors of that.
            let size: f64 = norms(&result).iter().zip(basis.sizes(rows - 1, 0.0)).skip(1).map(|(c, b)| c * b).sum();
            bounds[column] = off_by(STEPS * rows as f64, size, dtype);
        }
        for (row, v) in result.iter().enumerate() {
            let size: f64 = norms(&series).iter().zip(&units).map(|(c, unit)| c * unit[row]).sum();
            values[row * columns + column] = v.rounded(dtype);
            bounds[row * columns + column] += off_by(STEPS * (count + 1) as f64, size, dtype);
        }
    }
    let shape: Vec<usize> = [rows].into_iter().chain(c.shape()[1..].iter().copied()).collect();
    let back = |a: NdArray| a.moveaxis(&[0], &[axis]);
    let bounds = NdArray::from_values(DType::F64, &shape, bounds.into_iter().map(Value::Float))?;
    let bounds = back(bounds)?.values().into_iter().map(Value::float).collect();
    Ok(Bounded { result: back(NdArray::from_values(dtype, &shape, values)?)?, bounds })
}

/// First derivative along an axis.
fn derivative(basis: Basis, c: &NdArray, axis: isize) -> Result<Bounded> {
    let c = floated(c)?;
    mapped(basis, &c, axis, false, |p| {
        if p.len() == 1 {
            return vec![p[0].scaled(&Big::new(0.0))];
        }
        (1..p.len()).map(|k| p[k].scaled(&Big::new(k as f64))).collect()
    })
}

/// First antiderivative along an axis, which is 0 at 0.
fn antiderivative(basis: Basis, c: &NdArray, axis: isize) -> Result<Bounded> {
    let c = floated(c)?;
    let n = c.shape()[axis_index(axis, c.ndim())?];
    if n == 0 {
        return fail(ErrorKind::Index, "there are no coefficients");
    }
    if n == 1 && c.values().iter().all(|v| !v.truth()) {
        return Ok(Bounded { bounds: vec![0.0; c.size()], result: c });
    }
    mapped(basis, &c, axis, true, |p| {
        let integrals = p.iter().enumerate().map(|(k, p)| p.scaled(&(&Big::new(1.0) / &Big::new((k + 1) as f64))));
        std::iter::once(Wide::zero()).chain(integrals).collect()
    })
}

counterparts! {
    "numpy.polynomial.chebyshev.chebval" = |t| value(Basis::Chebyshev, &t.get("x")?, t.get("c")?);
    "numpy.polynomial.legendre.legval" = |t| value(Basis::Legendre, &t.get("x")?, t.get("c")?);
    "numpy.polynomial.laguerre.lagval" = |t| value(Basis::Laguerre, &t.get("x")?, t.get("c")?);
    "numpy.polynomial.hermite.hermval" = |t| value(Basis::Hermite, &t.get("x")?, t.get("c")?);
    "numpy.polynomial.hermite_e.hermeval" = |t| value(Basis::HermiteE, &t.get("x")?, t.get("c")?);
    "numpy.polynomial.laguerre.lagvander" = |t| vander(Basis::Laguerre, t.get("x")?, t.get("deg")?);
    "numpy.polynomial.chebyshev.chebadd" = |t| series_sum(t.get("c1")?, t.get("c2")?, false);
    "numpy.polynomial.chebyshev.chebsub" = |t| series_sum(t.get("c1")?, t.get("c2")?, true);
    "numpy.polynomial.chebyshev.chebmul" = |t| product(Basis::Chebyshev, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.chebyshev.chebdiv" = |t| quotient(Basis::Chebyshev, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.chebyshev.chebder" = |t| derivative(Basis::Chebyshev, t.get("c")?, t.or("axis", 0)?);
    "numpy.polynomial.chebyshev.chebint" = |t| antiderivative(Basis::Chebyshev, t.get("c")?, t.or("axis", 0)?);
    "numpy.polynomial.legendre.legadd" = |t| series_sum(t.get("c1")?, t.get("c2")?, false);
    "numpy.polynomial.legendre.legsub" = |t| series_sum(t.get("c1")?, t.get("c2")?, true);
    "numpy.polynomial.legendre.legmul" = |t| product(Basis::Legendre, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.legendre.legdiv" = |t| quotient(Basis::Legendre, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.legendre.legder" = |t| derivative(Basis::Legendre, t.get("c")?, t.or("axis", 0)?);
    "numpy.polynomial.legendre.legint" = |t| antiderivative(Basis::Legendre, t.get("c")?, t.or("axis", 0)?);
    "numpy.polynomial.laguerre.lagadd" = |t| series_sum(t.get("c1")?, t.get("c2")?, false);
    "numpy.polynomial.laguerre.lagsub" = |t| series_sum(t.get("c1")?, t.get("c2")?, true);
    "numpy.polynomial.laguerre.lagmul" = |t| product(Basis::Laguerre, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.laguerre.lagdiv" = |t| quotient(Basis::Laguerre, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.laguerre.lagder" = |t| derivative(Basis::Laguerre, t.get("c")?, t.or("axis", 0)?);
    "numpy.polynomial.laguerre.lagint" = |t| antiderivative(Basis::Laguerre, t.get("c")?, t.or("axis", 0)?);
    "numpy.polynomial.hermite.hermadd" = |t| series_sum(t.get("c1")?, t.get("c2")?, false);
    "numpy.polynomial.hermite.hermsub" = |t| series_sum(t.get("c1")?, t.get("c2")?, true);
    "numpy.polynomial.hermite.hermmul" = |t| product(Basis::Hermite, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.hermite.hermdiv" = |t| quotient(Basis::Hermite, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.hermite.hermder" = |t| derivative(Basis::Hermite, t.get("c")?, t.or("axis", 0)?);
    "numpy.polynomial.hermite.hermint" = |t| antiderivative(Basis::Hermite, t.get("c")?, t.or("axis", 0)?);
    "numpy.polynomial.hermite_e.hermeadd" = |t| series_sum(t.get("c1")?, t.get("c2")?, false);
    "numpy.polynomial.hermite_e.hermesub" = |t| series_sum(t.get("c1")?, t.get("c2")?, true);
    "numpy.polynomial.hermite_e.hermemul" = |t| product(Basis::HermiteE, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.hermite_e.hermediv" = |t| quotient(Basis::HermiteE, t.get("c1")?, t.get("c2")?);
    "numpy.polynomial.hermite_e.hermeder" = |t| derivative(Basis::HermiteE, t.get("c")?, t.or("axis", 0)?);
    "numpy.polynomial.hermite_e.hermeint" = |t| antiderivative(Basis::HermiteE, t.get("c")?, t.or("axis", 0)?);
}
