//! SciPy's legacy functions: `scipy.fftpack`, whose spectra of real numbers are packed into as many real numbers.

use num_complex::Complex64;

use super::lines::Numbers;
use super::options::{Face, Norm, TransformOptions};
use super::{FORWARD, INVERSE, Kind, TransformResult, judged, of_half, spectrum, sums, transformed};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::axis_index;
use crate::table::{Arguments, CallResult, counterparts};

/// Packs the first half of a spectrum of n numbers: after the first, real and imaginary part of each.
fn packed(half: &[Complex64], n: usize) -> Vec<Complex64> {
    half.iter().flat_map(|z| [z.re, z.im]).enumerate().filter(|(k, _)| *k != 1).map(|(_, x)| x.into()).take(n).collect()
}

/// Unpacks the first half of a spectrum of n numbers.
fn unpacked(line: &[Complex64]) -> Vec<Complex64> {
    let n = line.len();
    let part = |k: usize| if k < n { line[k].re } else { 0.0 };
    (0..=n / 2).map(|k| if k == 0 { part(0).into() } else { Complex64::new(part(2 * k - 1), part(2 * k)) }).collect()
}

fn of_line(t: &Arguments) -> CallResult<(&NdArray, usize, usize)> {
    let x: &NdArray = t.get("x")?;
    let n: Option<isize> = t.get("n")?;
    let axis = axis_index(t.or("axis", -1)?, x.ndim())?;
    let _ = t.has("overwrite_x");
    let n = n.unwrap_or(x.shape()[axis] as isize);
    if n < 1 {
        return Ok(fail(ErrorKind::Value, format!("invalid number of data points ({n}) specified"))?);
    }
    Ok((x, axis, n as usize))
}

fn of_real(t: &Arguments, inverse: bool) -> CallResult<TransformResult> {
    if t.get::<&NdArray>("x")?.dtype().is_complex() {
        return Ok(fail(ErrorKind::Type, "x must be a real sequence")?);
    }
    let (x, axis, n) = of_line(t)?;
    let numbers = Numbers::of(x).along(axis, n, n, |line| match inverse {
        false => packed(&sums::transform(line, false)[..n / 2 + 1], n),
        true => of_half(&unpacked(line), n).into_iter().map(|z| z / n as f64).collect(),
    });
    let order: Vec<usize> = (0..x.ndim()).collect();
    Ok(TransformResult { result: numbers.array(spectrum(x.dtype()).real(), &order), axes: vec![axis], elements: n })
}

fn of_one(t: &Arguments, kind: Kind) -> CallResult<TransformResult> {
    let (x, axis, n) = of_line(t)?;
    let options = TransformOptions { axes: vec![axis], n: vec![n as isize], norm: Norm::Backward };
    Ok(transformed(x, &options, kind, Face::SciPy, None)?)
}

fn of_several(t: &Arguments, kind: Kind, two: bool) -> CallResult<TransformResult> {
    let x: &NdArray = t.get("x")?;
    let shape: Option<Vec<isize>> = t.get("shape")?;
    let axes: Option<Vec<isize>> = if two { Some(t.or("axes", vec![-2, -1])?) } else { t.get("axes")? };
    let _ = t.has("overwrite_x");
    Ok(several(x, shape, axes, kind)?)
}

fn several(x: &NdArray, shape: Option<Vec<isize>>, axes: Option<Vec<isize>>, kind: Kind) -> Result<TransformResult> {
    if let (Some(shape), None) = (&shape, &axes)
        && shape.len() != x.ndim()
    {
        return fail(ErrorKind::Value, "when given, axes and shape arguments have to be of the same length");
    }
    transformed(x, &TransformOptions::several(x, shape, axes, Face::SciPy, false)?, kind, Face::SciPy, None)
}

counterparts! {
    "scipy.fftpack.fft" = |t| of_one(t, FORWARD)?.result, judged |t, results| judged(of_one(t, FORWARD), results);
    "scipy.fftpack.ifft" = |t| of_one(t, INVERSE)?.result, judged |t, results| judged(of_one(t, INVERSE), results);
    "scipy.fftpack.fft2" = |t| of_several(t, FORWARD, true)?.result,
        judged |t, results| judged(of_several(t, FORWARD, true), results);
    "scipy.fftpack.ifft2" = |t| of_several(t, INVERSE, true)?.result,
        judged |t, results| judged(of_several(t, INVERSE, true), results);
    "scipy.fftpack.fftn" = |t| of_several(t, FORWARD, false)?.result,
        judged |t, results| judged(of_several(t, FORWARD, false), results);
    "scipy.fftpack.ifftn" = |t| of_several(t, INVERSE, false)?.result,
        judged |t, results| judged(of_several(t, INVERSE, false), results);
    "scipy.fftpack.rfft" = |t| of_real(t, false)?.result, judged |t, results| judged(of_real(t, false), results);
    "scipy.fftpack.irfft" = |t| of_real(t, true)?.result, judged |t, results| judged(of_real(t, true), results);
}
