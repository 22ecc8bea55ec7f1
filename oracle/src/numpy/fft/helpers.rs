//! Helpers of transforms: `fftfreq`, `fftshift`, `next_fast_len` and similar functions.

use cuprum_kernels::DType;

use super::count;
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::Value;
use crate::numpy::manipulation::tile::roll;
use crate::table::{Arguments, CallResult, counterparts};

/// Computes sample frequencies: indices times the inverse of the samples' extent, which is rounded on its own.
fn frequencies(n: isize, d: f64, half: bool) -> Result<NdArray> {
    if n < 0 {
        return fail(ErrorKind::Value, "negative dimensions are not allowed");
    }
    if n == 0 || d == 0.0 {
        return fail(ErrorKind::ZeroDivision, "float division by zero");
    }
    let step = 1.0 / (n as f64 * d);
    let bin = |i: isize| if half || i < (n + 1) / 2 { i } else { i - n };
    let bins = if half { n / 2 + 1 } else { n };
    let values = (0..bins).map(|i| Value::Float(bin(i) as f64 * step));
    NdArray::from_values(DType::F64, &[bins as usize], values)
}

fn shifted(t: &Arguments, back: bool) -> CallResult<NdArray> {
    let x: &NdArray = t.get("x")?;
    let axes: Option<Vec<isize>> = t.get("axes")?;
    let axes = axes.unwrap_or((0..x.ndim() as isize).collect());
    let by = |axis: &isize| -> Result<isize> {
        let n = x.shape()[crate::core::layout::axis_index(*axis, x.ndim())?] as isize;
        Ok(if back { -(n / 2) } else { n / 2 })
    };
    let shifts = axes.iter().map(by).collect::<Result<Vec<_>>>()?;
    if axes.is_empty() {
        return Ok(x.copy(crate::core::layout::Order::K));
    }
    Ok(roll(x, &shifts, Some(&axes))?)
}

/// Returns the number with only small prime factors that is nearest to a target from one side.
fn fast(target: isize, real: bool, next: bool) -> Result<isize> {
    let factors: &[isize] = if real { &[2, 3, 5] } else { &[2, 3, 5, 7, 11] };
    if target < 0 || (!next && target < 1 && target != 0) {
        return fail(ErrorKind::Value, "Target length must be positive");
    }
    let is_fast = |n: isize| {
        let mut rest = n;
        factors.iter().for_each(|f| {
            while rest > 1 && rest % f == 0 {
                rest /= f;
            }
        });
        rest <= 1
    };
    let mut n = target;
    while !is_fast(n) {
        n += if next { 1 } else { -1 };
    }
    Ok(n)
}

fn number(n: isize) -> Result<NdArray> {
    NdArray::from_values(DType::I64, &[], [Value::Int(n as i128)])
}

counterparts! {
    "numpy.fft.fftfreq" = |t| frequencies(count(t.get("n")?)?, t.or("d", 1.0)?, false)?;
    "numpy.fft.rfftfreq" = |t| frequencies(count(t.get("n")?)?, t.or("d", 1.0)?, true)?;
    "scipy.fft.fftfreq" = |t| frequencies(count(t.get("n")?)?, t.or("d", 1.0)?, false)?;
    "scipy.fft.rfftfreq" = |t| frequencies(count(t.get("n")?)?, t.or("d", 1.0)?, true)?;
    "numpy.fft.fftshift" = |t| shifted(t, false)?;
    "numpy.fft.ifftshift" = |t| shifted(t, true)?;
    "scipy.fft.fftshift" = |t| shifted(t, false)?;
    "scipy.fft.ifftshift" = |t| shifted(t, true)?;
    "scipy.fft.next_fast_len" = |t| number(fast(t.get("target")?, t.or("real", false)?, true)?)?;
    "scipy.fft.prev_fast_len" = |t| number(fast(t.get("target")?, t.or("real", false)?, false)?)?;
}
