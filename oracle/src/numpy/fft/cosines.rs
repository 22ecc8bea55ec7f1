//! SciPy's discrete cosine and sine transforms, by their definitions.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::lines::Numbers;
use super::options::{Face, Norm, TransformOptions};
use super::sums::{cos_pi, sin_pi, weighted};
use super::{TransformResult, judged, spectrum};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::axis_index;
use crate::table::{Arguments, CallResult, counterparts};

/// Transforms one 1-D slice, without a factor.
fn line(x: &[f64], kind: usize, sine: bool) -> Vec<f64> {
    let n = x.len() as i64;
    let (first, last) = (x[0], x[x.len() - 1]);
    let sign = |k: i64| if k % 2 == 0 { 1.0 } else { -1.0 };
    let parts = match kind {
        1 if sine => n + 1,
        1 => n - 1,
        2 | 3 => 2 * n,
        _ => 4 * n,
    };
    let weight = if sine { sin_pi } else { cos_pi };
    let weights: Vec<f64> = (0..2 * parts).map(|m| 2.0 * weight(m, parts)).collect();
    let at = |m: i64| weights[(m % (2 * parts)) as usize];
    let one = |k: i64| match (kind, sine) {
        (1, false) => first + sign(k) * last + weighted(&x[1..x.len() - 1], |m| at((m + 1) * k)),
        (1, true) => weighted(x, |m| at((m + 1) * (k + 1))),
        (2, false) => weighted(x, |m| at(k * (2 * m + 1))),
        (2, true) => weighted(x, |m| at((k + 1) * (2 * m + 1))),
        (3, false) => first + weighted(&x[1..], |m| at((m + 1) * (2 * k + 1))),
        (3, true) => sign(k) * last + weighted(&x[..x.len() - 1], |m| at((m + 1) * (2 * k + 1))),
        _ => weighted(x, |m| at((2 * k + 1) * (2 * m + 1))),
    };
    (0..n).map(one).collect()
}

/// Options of a transform along each of its axes.
#[derive(Clone, Copy)]
struct How {
    kind: usize,
    sine: bool,
    norm: Norm,
    orthogonal: bool,
}

/// Transforms one 1-D slice with its factors. The factors that make the matrix orthogonal apply to the first elements
/// and results of cosine transforms, to the last ones of sine transforms, and to both ends of cosine transforms of type
/// 1.
fn scaled(x: &[f64], options: How) -> Vec<f64> {
    let How { kind, sine, norm, orthogonal } = options;
    let (mut x, n) = (x.to_vec(), x.len());
    let root = 2f64.sqrt();
    let end = if sine { n - 1 } else { 0 };
    match (kind, sine) {
        (1, false) if orthogonal => {
            x[0] *= root;
            x[n - 1] *= root;
        }
        (3, _) if orthogonal => x[end] *= root,
        _ => {}
    }
    let mut y = line(&x, kind, sine);
    match (kind, sine) {
        (1, false) if orthogonal => {
            y[0] /= root;
            y[n - 1] /= root;
        }
        (2, _) if orthogonal => y[end] /= root,
        _ => {}
    }
    let size = match (kind, sine) {
        (1, false) => 2 * (n - 1),
        (1, true) => 2 * (n + 1),
        _ => 2 * n,
    };
    let factor = norm.factor(false, size as f64);
    y.into_iter().map(|y| y * factor).collect()
}

fn run(t: &Arguments, sine: bool, inverse: bool, several: bool) -> CallResult<TransformResult> {
    let x: &NdArray = t.get("x")?;
    let norm = Norm::read(t)?;
    let orthogonal = t.get::<Option<bool>>("orthogonalize")?.unwrap_or(norm == Norm::Ortho);
    let kind: isize = t.or("type", 2)?;
    let _ = (t.has("overwrite_x"), t.has("workers"));
    let options = if several {
        TransformOptions::several(x, t.get("s")?, t.get("axes")?, Face::SciPy, false)?
    } else {
        let axis = axis_index(t.or("axis", -1)?, x.ndim())?;
        let n = t.get::<Option<isize>>("n")?.unwrap_or(x.shape()[axis] as isize);
        TransformOptions { axes: vec![axis], n: vec![n], norm }
    };
    let kind = match (kind, inverse) {
        (2, true) => 3,
        (3, true) => 2,
        (1..=4, _) => kind as usize,
        _ => fail(ErrorKind::Value, "invalid DCT type")?,
    };
    let norm = if inverse { norm.swapped() } else { norm };
    Ok(transformed(x, &options, How { kind, sine, norm, orthogonal })?)
}

fn transformed(x: &NdArray, call_options: &TransformOptions, options: How) -> Result<TransformResult> {
    let spectrum = spectrum(x.dtype());
    let dtype: DType = if x.dtype().is_complex() { spectrum } else { spectrum.real() };
    let least = if options.kind == 1 && !options.sine { 2 } else { 1 };
    if call_options.n.iter().any(|n| *n < least) {
        return fail(ErrorKind::Value, "invalid number of data points specified");
    }
    if call_options.axes.is_empty() {
        return Ok(TransformResult { result: x.clone(), axes: vec![], elements: 1 });
    }
    let mut numbers = Numbers::of(x);
    for (&axis, &n) in call_options.axes.iter().zip(&call_options.n) {
        numbers = numbers.along(axis, n as usize, n as usize, |line| {
            let part = |of: fn(&Complex64) -> f64| scaled(&line.iter().map(of).collect::<Vec<_>>(), options);
            part(|z| z.re).into_iter().zip(part(|z| z.im)).map(|(re, im)| Complex64::new(re, im)).collect()
        });
    }
    let order: Vec<usize> = (0..x.ndim()).collect();
    let elements = call_options.n.iter().map(|n| *n as usize).product();
    Ok(TransformResult { result: numbers.array(dtype, &order), axes: call_options.axes.clone(), elements })
}

macro_rules! transforms {
    ($($name:literal = $sine:literal, $inverse:literal, $several:literal;)+) => {
        counterparts! {$(
            $name = |t| run(t, $sine, $inverse, $several)?.result,
                judged |t, results| judged(run(t, $sine, $inverse, $several), results);
        )+}
    };
}

transforms! {
    "scipy.fft.dct" = false, false, false;
    "scipy.fft.idct" = false, true, false;
    "scipy.fft.dst" = true, false, false;
    "scipy.fft.idst" = true, true, false;
    "scipy.fft.dctn" = false, false, true;
    "scipy.fft.idctn" = false, true, true;
    "scipy.fft.dstn" = true, false, true;
    "scipy.fft.idstn" = true, true, true;
}
