//! Window functions, by NumPy's formulas in float64.

use std::f64::consts::PI;

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::Result;
use crate::core::value::{Value, ulp};
use crate::numpy::statistics::Bounded;
use crate::table::counterparts;
use crate::ufunc::ufunc;

/// Computes a window of `m` points. `of` is called with an index from `1 - m` at the beginning to `m - 1` at the end,
/// and `m - 1`.
///
/// The terms of an element are at most 1: each function errs by two units of its term, and each sum is rounded once.
fn window(m: isize, of: impl Fn(f64, f64) -> Result<f64>) -> Result<Bounded> {
    let m = m.max(0);
    let last = m as f64 - 1.0;
    let window_at = |i: isize| if m == 1 { Ok(1.0) } else { of((2 * i - (m - 1)) as f64, last) };
    let values: Vec<Value> = (0..m).map(|i| window_at(i).map(Value::Float)).collect::<Result<_>>()?;
    let bounds = vec![4.0 * ulp(0.5, DType::F64); values.len()];
    Ok(Bounded { result: NdArray::from_values(DType::F64, &[m as usize], values)?, bounds })
}

fn float(name: &str, x: f64) -> Result<f64> {
    let x = NdArray::from_values(DType::F64, &[], [Value::Float(x)])?;
    Ok(ufunc(name, &[Operand::Array(&x)], &Default::default())?.values()[0].float())
}

fn cos(x: f64) -> Result<f64> {
    float("cos", x)
}

/// Computes the Kaiser window: the quotient of two Bessel functions, each of which errs by six units, at a rounded
/// argument: the logarithm of the function has a slope of at most 1.
fn kaiser(m: isize, beta: f64) -> Result<Bounded> {
    let of = |n: f64, last: f64| {
        let x = ((n + last) / 2.0 - last / 2.0) / (last / 2.0);
        Ok(float("i0", beta * (1.0 - x * x).sqrt())? / float("i0", beta)?)
    };
    let Bounded { result, .. } = window(m, of)?;
    let units = 16.0 + 2.0 * beta.abs();
    let bounds = result.values().iter().map(|v| units * ulp(v.float(), DType::F64)).collect();
    Ok(Bounded { result, bounds })
}

counterparts! {
    "numpy.bartlett" = |t| window(t.get("M")?, |n, last| Ok(if n <= 0.0 { 1.0 + n / last } else { 1.0 - n / last }));
    "numpy.blackman" = |t| {
        window(t.get("M")?, |n, last| Ok(0.42 + 0.5 * cos(PI * n / last)? + 0.08 * cos(2.0 * PI * n / last)?))
    };
    "numpy.hamming" = |t| window(t.get("M")?, |n, last| Ok(0.54 + 0.46 * cos(PI * n / last)?));
    "numpy.hanning" = |t| window(t.get("M")?, |n, last| Ok(0.5 + 0.5 * cos(PI * n / last)?));
    "numpy.kaiser" = |t| kaiser(t.get("M")?, t.get("beta")?);
}
