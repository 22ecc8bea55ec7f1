//! NumPy's `polyfit` and `roots`.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::eigen::{eigvals, value_residuals};
use super::linear::inverse;
use super::matrix::{Matrix, ONE, Stack, ZERO, epsilon, of_dtype, work_dtype};
use super::residual::{Residual, holds, residual};
use super::singular::{least_squares_residuals, lstsq};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::promote_types;
use crate::core::value::Value;
use crate::table::{Arguments, CallResult, counterparts};

/// The scaled least-squares problem of a fit.
struct Fit {
    powers: NdArray,
    right: NdArray,
    scale: Vec<Complex64>,
    rcond: f64,
}

fn complex(a: &NdArray) -> Vec<Complex64> {
    a.values().into_iter().map(Value::complex).collect()
}

fn fit(t: &Arguments) -> CallResult<Fit> {
    let (x, y, degree): (&NdArray, &NdArray, isize) = (t.get("x")?, t.get("y")?, t.get("deg")?);
    let w: Option<&NdArray> = t.get("w")?;
    let rcond: Option<f64> = t.get("rcond")?;
    if degree < 0 {
        return Ok(fail(ErrorKind::Value, "expected deg >= 0")?);
    }
    let weights_fit = w.is_none_or(|w| w.ndim() == 1 && w.size() == x.size());
    if x.ndim() != 1 || x.size() == 0 || !(1..=2).contains(&y.ndim()) || y.shape()[0] != x.size() || !weights_fit {
        return Ok(fail(ErrorKind::Type, "expected vectors of one length")?);
    }
    let own = work_dtype(x.dtype())?;
    let weighted = |dtype: DType| -> Result<DType> {
        Ok(match w {
            Some(w) => promote_types(dtype, work_dtype(w.dtype())?),
            None => dtype,
        })
    };
    // Powers are promoted with 64-bit integers: single precision becomes double.
    let (dtype, right_dtype) = (weighted(promote_types(own, DType::I64))?, weighted(work_dtype(y.dtype())?)?);
    let (n, columns) = (degree as usize + 1, y.size() / x.size());
    let by = w.map_or(vec![ONE; x.size()], complex);
    let rows: Vec<Vec<Complex64>> =
        complex(x).iter().zip(&by).map(|(x, by)| (0..n).rev().map(|k| x.powu(k as u32) * by).collect()).collect();
    let scale: Vec<Complex64> =
        (0..n).map(|j| rows.iter().map(|row| row[j] * row[j]).sum::<Complex64>().sqrt()).collect();
    let powers = rows.iter().flat_map(|row| row.iter().zip(&scale).map(|(x, s)| of_dtype(x / s, dtype)));
    let right = complex(y).into_iter().enumerate().map(|(at, y)| of_dtype(y * by[at / columns], right_dtype));
    Ok(Fit {
        powers: NdArray::from_values(dtype, &[x.size(), n], powers)?,
        right: NdArray::from_values(right_dtype, y.shape(), right)?,
        rcond: rcond.unwrap_or(x.size() as f64 * epsilon(own)),
        scale,
    })
}

/// Multiplies or divides coefficients by the scales.
fn rescaled(c: &NdArray, scale: &[Complex64], by: impl Fn(Complex64, Complex64) -> Complex64) -> Result<NdArray> {
    let (dtype, columns) = (c.dtype(), if c.ndim() == 2 { c.shape()[1].max(1) } else { 1 });
    let values = complex(c).into_iter().enumerate().map(|(at, c)| of_dtype(by(c, scale[at / columns]), dtype));
    NdArray::from_values(dtype, c.shape(), values)
}

/// Computes the unscaled covariance of the coefficients from the powers.
fn covariance(fit: &Fit) -> Result<Matrix> {
    let a = Stack::of(&fit.powers)?.all.remove(0);
    let Some(base) = inverse(&a.transposed().times(&a)) else { return fail(ErrorKind::LinAlg, "Singular matrix") };
    Ok(Matrix::of(base.rows, base.columns, |i, j| base.at[i][j] / (fit.scale[i] * fit.scale[j])))
}

/// Reads the option `cov`: none, unscaled, or scaled.
fn read_cov(t: &Arguments) -> CallResult<Option<bool>> {
    let of: Option<crate::table::Argument> = t.get("cov")?;
    Ok(match of.map(|of| format!("{of:?}")) {
        None => None,
        Some(text) if text.contains("unscaled") => Some(false),
        Some(text) if text.contains("true") || text.contains("True") => Some(true),
        Some(_) => None,
    })
}

fn polyfit(t: &Arguments) -> CallResult<Vec<NdArray>> {
    let fit = fit(t)?;
    let found = lstsq(&fit.powers, &fit.right, Some(fit.rcond))?;
    let c = rescaled(&found[0], &fit.scale, |c, s| c / s)?;
    if t.or("full", false)? {
        let share = NdArray::from_values(DType::F64, &[], [Value::Float(fit.rcond)])?;
        return Ok(vec![c, found[1].clone(), found[2].clone(), found[3].clone(), share]);
    }
    let Some(scaled) = read_cov(t)? else { return Ok(vec![c]) };
    let base = covariance(&fit)?;
    let (n, points) = (base.rows, fit.powers.shape()[0]);
    if scaled && points <= n {
        return Ok(fail(
            ErrorKind::Value,
            "the number of data points must exceed order to scale the covariance matrix",
        )?);
    }
    let rest: Vec<f64> = match scaled {
        true => found[1].values().iter().map(|v| v.float() / (points - n) as f64).collect(),
        false => vec![1.0],
    };
    let mut shape = vec![n, n];
    if fit.right.ndim() == 2 {
        shape.push(rest.len());
    }
    // The residual of one column is broadcast, and so is a missing one.
    let each = |at: usize| rest.iter().map(move |r| (at, *r));
    let dtype = fit.powers.dtype();
    let values = (0..n * n).flat_map(each).map(|(at, r)| of_dtype(base.at[at / n][at % n] * r, dtype));
    if rest.is_empty() && fit.right.ndim() == 1 {
        return Ok(fail(ErrorKind::Value, "the covariance does not broadcast with no remainder")?);
    }
    Ok(vec![c, NdArray::from_values(dtype, &shape, values)?])
}

fn polyfit_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let fit = fit(t)?;
    let own = lstsq(&fit.powers, &fit.right, Some(fit.rcond))?;
    let x = rescaled(&results[0], &fit.scale, |c, s| c * s)?;
    let full: bool = t.or("full", false)?;
    let of = |k: usize| if full { results[k].clone() } else { own[k].clone() };
    // Weighted values are rounded to their own dtype first.
    let eps = epsilon(fit.powers.dtype()).max(epsilon(fit.right.dtype()));
    let found = [x, of(1), of(2), of(3)];
    let mut all = least_squares_residuals(&fit.powers, &fit.right, Some(fit.rcond), &found, eps)?;
    if read_cov(t)?.is_some() {
        let fitted = polyfit(t)?;
        let (ours, theirs) = (complex(&fitted[1]), complex(&results[1]));
        let size = |all: &[Complex64]| super::matrix::norm(all);
        let rest: Vec<Complex64> = ours.iter().zip(&theirs).map(|(a, b)| a - b).collect();
        let s: Vec<f64> = own[3].values().iter().map(|v| v.float()).collect();
        // By the condition number of the Gram matrix of the powers.
        let condition = (s[0] / s[s.len() - 1]).powi(2);
        let n = fit.powers.shape()[0];
        all.push(residual("the covariance", size(&rest), size(&ours) * condition, n, epsilon(fit.powers.dtype())));
    }
    Ok(all)
}

/// Strips zeros at both ends of the coefficients, and returns the number of trailing zeros.
fn trimmed(p: &NdArray) -> Result<(Vec<Complex64>, usize, DType)> {
    if p.ndim() > 1 {
        return fail(ErrorKind::Value, "Input must be a rank-1 array.");
    }
    let all = complex(p);
    let (Some(first), Some(last)) = (all.iter().position(|x| *x != ZERO), all.iter().rposition(|x| *x != ZERO)) else {
        return Ok((vec![], 0, DType::F64));
    };
    Ok((all[first..=last].to_vec(), all.len() - last - 1, work_dtype(p.dtype())?))
}

fn companion(p: &[Complex64], dtype: DType) -> Result<NdArray> {
    let n = p.len() - 1;
    let element = |i: usize, j: usize| match i {
        0 => -p[j + 1] / p[0],
        _ if i == j + 1 => ONE,
        _ => ZERO,
    };
    NdArray::from_values(dtype, &[n, n], (0..n * n).map(|at| of_dtype(element(at / n, at % n), dtype)))
}

fn roots(p: &NdArray) -> Result<NdArray> {
    let (p, behind, dtype) = trimmed(p)?;
    if p.len() < 2 {
        return NdArray::from_values(DType::F64, &[behind], vec![Value::Float(0.0); behind]);
    }
    let found = eigvals(&companion(&p, dtype)?)?;
    let values = found.values().into_iter().chain(vec![Value::zero(found.dtype()); behind]);
    NdArray::from_values(found.dtype(), &[found.size() + behind], values)
}

fn roots_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let (p, behind, dtype) = trimmed(t.get("p")?)?;
    let all = complex(&results[0]);
    let found = all.len().saturating_sub(behind);
    let mut rests = vec![holds("trailing zeros", all[found..].iter().all(|z| *z == ZERO))];
    if p.len() > 1 {
        let w = NdArray::from_values(DType::C128, &[found], all[..found].iter().map(|z| Value::Complex(*z)))?;
        rests.extend(value_residuals(&Stack::of(&companion(&p, dtype)?)?, &w)?);
    }
    Ok(rests)
}

/// Returns the coefficients of a power series, the lowest first, without trailing zeros, in the dtype of series.
fn series(c: &NdArray) -> Result<(Vec<Complex64>, DType)> {
    if c.ndim() > 1 || c.size() == 0 {
        return fail(ErrorKind::Value, "Coefficient array is not 1-d, or empty");
    }
    if c.dtype() == DType::Bool {
        return fail(ErrorKind::Value, "Coefficient arrays have no common type");
    }
    let all = complex(c);
    let length = all.iter().rposition(|x| *x != ZERO).map_or(1, |last| last + 1);
    let dtype = if c.dtype().is_integer() { DType::F64 } else { c.dtype() };
    Ok((all[..length].to_vec(), dtype))
}

/// Returns the companion matrix of a power series.
fn series_companion(c: &[Complex64], dtype: DType) -> Result<NdArray> {
    let n = c.len() - 1;
    let element = |i: usize, j: usize| {
        let below = if i == j + 1 { ONE } else { ZERO };
        if j + 1 == n { below - c[i] / c[n] } else { below }
    };
    NdArray::from_values(dtype, &[n, n], (0..n * n).map(|at| of_dtype(element(at / n, at % n), dtype)))
}

fn polyroots(c: &NdArray) -> Result<NdArray> {
    let (c, dtype) = series(c)?;
    match c[..] {
        [_] => NdArray::from_values(dtype, &[0], []),
        [a, b] => NdArray::from_values(dtype, &[1], [of_dtype(-a / b, dtype)]),
        _ => {
            let found = eigvals(&series_companion(&c, work_dtype(dtype)?)?)?;
            let mut all = complex(&found);
            all.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
            let dtype = found.dtype();
            NdArray::from_values(dtype, &[all.len()], all.into_iter().map(|z| of_dtype(z, dtype)))
        }
    }
}

fn polyroots_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let (c, dtype) = series(t.get("c")?)?;
    if c.len() < 2 {
        return Ok(vec![]);
    }
    let all = complex(&results[0]);
    let rises = all.windows(2).all(|pair| (pair[0].re, pair[0].im) <= (pair[1].re, pair[1].im));
    let w = NdArray::from_values(DType::C128, &[all.len()], all.iter().map(|z| Value::Complex(*z)))?;
    let mut rests = vec![holds("roots in rising order", rises)];
    rests.extend(value_residuals(&Stack::of(&series_companion(&c, dtype)?)?, &w)?);
    Ok(rests)
}

counterparts! {
    "numpy.polynomial.polynomial.polyroots" = |t| polyroots(t.get("c")?), judged polyroots_residuals;
    "numpy.polyfit" = |t| Ok(polyfit(t)?), judged polyfit_residuals;
    "numpy.roots" = |t| roots(t.get("p")?), judged roots_residuals;
}
