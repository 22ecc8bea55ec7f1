//! Correlation and convolution of 1-D arrays, and approximate comparison.

use cuprum_kernels::DType;

use super::average::Bounded;
use super::is_inexact;
use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, broadcast_shapes};
use crate::core::promote::promote_types;
use crate::core::value::Value;
use crate::numpy::linalg::matmul::{matmul, matmul_bound};
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::ufunc;

/// The mode of a correlation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrelateMode {
    /// Only complete overlaps.
    Valid,
    /// As many results as the longer array has elements.
    Same,
    /// All overlaps.
    Full,
}

fn checked(a: &NdArray, v: &NdArray) -> Result<DType> {
    if a.ndim() != 1 || v.ndim() != 1 || a.size() == 0 || v.size() == 0 {
        return fail(ErrorKind::Value, "sequences have one axis and an element");
    }
    Ok(promote_types(a.dtype(), v.dtype()))
}

/// Computes NumPy's `correlate`: result k is the sum of a\[n + k\] times the conjugate of v\[n\], from k = -(len v - 1)
/// in mode `full`, and around the middle for the others.
///
/// # Errors
///
/// `ValueError` for operands that are not 1-D, or are empty.
pub fn correlate(a: &NdArray, v: &NdArray, mode: CorrelateMode) -> Result<Bounded> {
    let dtype = checked(a, v)?;
    let conjugate = |x: &NdArray| match dtype.is_complex() {
        true => ufunc("conjugate", &[Operand::Array(&x.astype(dtype, Order::C))], &UfuncOptions::default()),
        false => Ok(x.astype(dtype, Order::C)),
    };
    sums(&a.astype(dtype, Order::C), &conjugate(v)?, dtype, mode, a.size() < v.size())
}

/// Computes NumPy's `convolve`.
///
/// # Errors
///
/// As [`correlate`].
pub fn convolve(a: &NdArray, v: &NdArray, mode: CorrelateMode) -> Result<Bounded> {
    let line = |x: &NdArray| if x.ndim() == 0 { x.reshape(&[1], Order::C) } else { Ok(x.clone()) };
    let (a, v) = (line(a)?, line(v)?);
    let dtype = checked(&a, &v)?;
    let (a, v) = if v.size() > a.size() { (v, a) } else { (a, v) };
    let backwards: Vec<Value> = v.values().into_iter().rev().collect();
    sums(&a.astype(dtype, Order::C), &NdArray::from_values(dtype, &[v.size()], backwards)?, dtype, mode, false)
}

/// Sums the products; `v` is conjugated. With `short_first` the results are those of the exchanged operands, reversed.
fn sums(a: &NdArray, v: &NdArray, dtype: DType, mode: CorrelateMode, short_first: bool) -> Result<Bounded> {
    let (x, y) = (a.values(), v.values());
    let (n, k) = (x.len().max(y.len()) as isize, x.len().min(y.len()) as isize);
    let lead = match mode {
        CorrelateMode::Valid => 0,
        CorrelateMode::Same => k / 2,
        CorrelateMode::Full => k - 1,
    };
    let count = match mode {
        CorrelateMode::Valid => n - k + 1,
        CorrelateMode::Same => n,
        CorrelateMode::Full => n + k - 1,
    };
    let (mut values, mut bounds) = (vec![], vec![]);
    for o in 0..count {
        let (long, short) = if short_first { (&y, &x) } else { (&x, &y) };
        let at = if short_first { count - 1 - o } else { o };
        let pairs: Vec<(Value, Value)> = (0..k)
            .filter(|j| (0..n).contains(&(at + j - lead)))
            .map(|j| (long[(at + j - lead) as usize], short[j as usize]))
            .collect();
        let row = NdArray::from_values(dtype, &[pairs.len()], pairs.iter().map(|p| p.0))?;
        let column = NdArray::from_values(dtype, &[pairs.len()], pairs.iter().map(|p| p.1))?;
        values.push(matmul(&row, &column)?.values()[0]);
        bounds.push(matmul_bound(&row, &column)?[0]);
    }
    Ok(Bounded { result: NdArray::from_values(dtype, &[values.len()], values)?, bounds })
}

fn call(name: &str, operands: &[Operand<'_>]) -> Result<NdArray> {
    ufunc(name, operands, &UfuncOptions::default())
}

/// Computes NumPy's `isclose`.
///
/// # Errors
///
/// `ValueError` where the shapes do not broadcast.
pub fn isclose(a: &Operand<'_>, b: &Operand<'_>, rtol: f64, atol: f64, equal_nan: bool) -> Result<NdArray> {
    let scalar = |v: f64| Operand::Scalar(Value::Float(v));
    let wide;
    let b = match b {
        Operand::Array(b) if !is_inexact(b.dtype()) => {
            wide = b.astype(DType::F64, Order::K);
            &Operand::Array(&wide)
        }
        Operand::Scalar(Value::Int(i)) => &scalar(*i as f64),
        // A Python bool is an int.
        Operand::Scalar(Value::Bool(b)) => &scalar(f64::from(u8::from(*b))),
        other => other,
    };
    let apart = call("absolute", &[Operand::Array(&call("subtract", &[a.clone(), b.clone()])?)])?;
    let within = match b {
        Operand::Scalar(v) => call("less_equal", &[Operand::Array(&apart), scalar(atol + rtol * v.complex().norm())])?,
        Operand::Array(_) => {
            let size = call("absolute", std::slice::from_ref(b))?;
            let scaled = call("multiply", &[scalar(rtol), Operand::Array(&size)])?;
            let tolerance = call("add", &[scalar(atol), Operand::Array(&scaled)])?;
            call("less_equal", &[Operand::Array(&apart), Operand::Array(&tolerance)])?
        }
    };
    let both = |x: &NdArray, y: &NdArray, name: &str| call(name, &[Operand::Array(x), Operand::Array(y)]);
    let finite = call("isfinite", std::slice::from_ref(b))?;
    let close = both(&both(&within, &finite, "logical_and")?, &call("equal", &[a.clone(), b.clone()])?, "logical_or")?;
    if !equal_nan {
        return Ok(close);
    }
    let nan = both(&call("isnan", std::slice::from_ref(a))?, &call("isnan", std::slice::from_ref(b))?, "logical_and")?;
    // In place: the result has the same layout.
    let options = UfuncOptions { out: Some(close.clone()), ..UfuncOptions::default() };
    ufunc("logical_or", &[Operand::Array(&close), Operand::Array(&nan)], &options)
}

/// Computes NumPy's `array_equal`.
///
/// # Errors
///
/// None in practice.
pub fn array_equal(a: &NdArray, b: &NdArray, equal_nan: bool) -> Result<bool> {
    if a.shape() != b.shape() {
        return Ok(false);
    }
    let same = call("equal", &[Operand::Array(a), Operand::Array(b)])?.values();
    let mut pairs = a.values().into_iter().zip(b.values()).zip(same);
    Ok(pairs.all(|((x, y), same)| same.truth() || (equal_nan && x.is_nan() && y.is_nan())))
}

/// Computes NumPy's `array_equiv`.
///
/// # Errors
///
/// None in practice.
pub fn array_equiv(a: &NdArray, b: &NdArray) -> Result<bool> {
    if broadcast_shapes(&[a.shape(), b.shape()]).is_err() {
        return Ok(false);
    }
    Ok(call("equal", &[Operand::Array(a), Operand::Array(b)])?.values().iter().all(|v| v.truth()))
}
