//! Discrete Fourier transforms by their definition, with the functions of NumPy and SciPy.

mod convolution;
mod cosines;
mod fftpack;
mod hankel;
mod helpers;
mod lines;
mod options;
mod sums;
#[cfg(test)]
mod tests;

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::core::promote::{Casting, can_cast};
use crate::core::value::Value;
use crate::numpy::linalg::Residual;
use crate::table::{Arguments, CallResult, counterparts};
use lines::{Numbers, distances};
use options::{Face, Last, TransformOptions};

/// Domain and range of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Complex to complex.
    Complex { inverse: bool },
    /// Real to half-complex: the first half of the spectrum; conjugated for the inverse.
    Half { conjugated: bool },
    /// Half-complex to real.
    Real { conjugated: bool },
}

/// A result, the transformed axes, and the number of elements of each transform.
struct TransformResult {
    result: NdArray,
    axes: Vec<usize>,
    elements: usize,
}

fn is_wide(dtype: DType) -> bool {
    !matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::C64)
}

fn spectrum(dtype: DType) -> DType {
    if is_wide(dtype) { DType::C128 } else { DType::C64 }
}

fn run(t: &Arguments, kind: Kind, face: Face, last: Last) -> CallResult<TransformResult> {
    let name = if face == Face::NumPy { "a" } else { "x" };
    let a: &NdArray = t.get(name)?;
    let options = TransformOptions::read(t, a, face, last, matches!(kind, Kind::Real { .. }))?;
    Ok(transformed(a, &options, kind, face, t.get("out")?)?)
}

fn transformed(
    a: &NdArray,
    options: &TransformOptions,
    kind: Kind,
    face: Face,
    out: Option<&NdArray>,
) -> Result<TransformResult> {
    let TransformOptions { axes, n, norm } = options;
    if let (Kind::Half { .. }, true) = (kind, a.dtype().is_complex()) {
        return fail(ErrorKind::Type, "x must be a real sequence");
    }
    if axes.is_empty() {
        return match kind {
            Kind::Complex { .. } => Ok(TransformResult { result: a.clone(), axes: vec![], elements: 1 }),
            _ => fail(ErrorKind::Value, "at least 1 axis must be transformed"),
        };
    }
    if let Some(bad) = n.iter().find(|n| **n < 1) {
        return fail(ErrorKind::Value, format!("Invalid number of FFT data points ({bad}) specified."));
    }
    let n: Vec<usize> = n.iter().map(|n| *n as usize).collect();
    let elements: usize = n.iter().product();
    let (inverse, conjugate) = match kind {
        Kind::Complex { inverse } => (inverse, false),
        Kind::Half { .. } => (false, false),
        Kind::Real { conjugated } => (true, conjugated),
    };
    let mut numbers = Numbers::of(a);
    if conjugate {
        numbers = numbers.map(|z| z.conj());
    }
    let (last, others) = (axes.len() - 1, axes.len() - 1);
    let plain = |numbers: Numbers, k: usize| numbers.along(axes[k], n[k], n[k], |line| sums::transform(line, inverse));
    match kind {
        Kind::Complex { .. } => numbers = (0..axes.len()).rev().fold(numbers, plain),
        Kind::Half { .. } => {
            let half = n[last] / 2 + 1;
            numbers = numbers.along(axes[last], n[last], half, |line| sums::transform(line, false)[..half].to_vec());
            numbers = (0..others).rev().fold(numbers, plain);
        }
        Kind::Real { .. } => {
            numbers = (0..others).fold(numbers, plain);
            let half = n[last] / 2 + 1;
            numbers = numbers.along(axes[last], half, n[last], |line| of_half(line, n[last]));
        }
    }
    // For Hermitian-symmetric operands the names of the directions are exchanged.
    let exchanged = matches!(kind, Kind::Half { conjugated: true } | Kind::Real { conjugated: true });
    let norm = if exchanged { norm.swapped() } else { *norm };
    let factor = norm.factor(inverse, elements as f64);
    let back = matches!(kind, Kind::Half { conjugated: true });
    numbers = numbers.map(|z| if back { z.conj() * factor } else { z * factor });
    let dtype = match kind {
        Kind::Real { .. } if face == Face::NumPy && axes.len() == 1 && a.dtype().real().is_float() => a.dtype().real(),
        Kind::Real { .. } => spectrum(a.dtype()).real(),
        _ => spectrum(a.dtype()),
    };
    let order = if face == Face::NumPy { a.order_axes(Order::K) } else { (0..a.ndim()).collect() };
    let mut result = numbers.array(dtype, &order);
    if let Some(out) = out {
        if out.shape() != result.shape() {
            return fail(ErrorKind::Value, "output array has wrong shape.");
        }
        if !can_cast(dtype, out.dtype(), Casting::SameKind) {
            return fail(ErrorKind::Type, "the output cannot be cast by the rule same_kind");
        }
        let values: Vec<_> = result.astype(out.dtype(), Order::K).values();
        let flags = result.flags();
        let elements: Vec<_> = values.into_iter().zip(flags).map(Some).collect();
        result = out.with_elements(&elements);
    }
    Ok(TransformResult { result, axes: axes.clone(), elements })
}

/// Computes the real transform of half a spectrum: the other half is its mirror image, and the imaginary parts of
/// coefficients that are their own mirror image are ignored.
fn of_half(half: &[Complex64], n: usize) -> Vec<Complex64> {
    let one = |k: usize| {
        let z = if k < half.len() { half[k] } else { half[n - k].conj() };
        if (2 * k).is_multiple_of(n) { Complex64::new(z.re, 0.0) } else { z }
    };
    let whole: Vec<Complex64> = (0..n).map(one).collect();
    sums::transform(&whole, true).into_iter().map(|z| Complex64::new(z.re, 0.0)).collect()
}

fn judged(done: CallResult<TransformResult>, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let TransformResult { result, axes, elements } = done?;
    Ok(distances(&result, &results[0], &axes, elements))
}

/// Reads the number of points for NumPy's and SciPy's helpers.
fn count(value: Value) -> Result<isize> {
    match value {
        Value::Int(n) => Ok(n as isize),
        _ => fail(ErrorKind::Value, "n should be an integer"),
    }
}

const FORWARD: Kind = Kind::Complex { inverse: false };
const INVERSE: Kind = Kind::Complex { inverse: true };
const HALF: Kind = Kind::Half { conjugated: false };
const REAL: Kind = Kind::Real { conjugated: false };
/// Transform of Hermitian-symmetric operands: the names of both directions are exchanged.
const HERMITIAN: Kind = Kind::Real { conjugated: true };
const OF_REAL: Kind = Kind::Half { conjugated: true };

macro_rules! transforms {
    ($($name:literal = $kind:ident, $face:ident, $last:ident;)+) => {
        counterparts! {$(
            $name = |t| run(t, $kind, Face::$face, Last::$last)?.result,
                judged |t, results| judged(run(t, $kind, Face::$face, Last::$last), results);
        )+}
    };
}

transforms! {
    "numpy.fft.fft" = FORWARD, NumPy, One;
    "numpy.fft.ifft" = INVERSE, NumPy, One;
    "numpy.fft.rfft" = HALF, NumPy, One;
    "numpy.fft.irfft" = REAL, NumPy, One;
    "numpy.fft.hfft" = HERMITIAN, NumPy, One;
    "numpy.fft.ihfft" = OF_REAL, NumPy, One;
    "numpy.fft.fft2" = FORWARD, NumPy, Two;
    "numpy.fft.ifft2" = INVERSE, NumPy, Two;
    "numpy.fft.rfft2" = HALF, NumPy, Two;
    "numpy.fft.irfft2" = REAL, NumPy, Two;
    "numpy.fft.fftn" = FORWARD, NumPy, Any;
    "numpy.fft.ifftn" = INVERSE, NumPy, Any;
    "numpy.fft.rfftn" = HALF, NumPy, Any;
    "numpy.fft.irfftn" = REAL, NumPy, Any;
    "scipy.fft.fft" = FORWARD, SciPy, One;
    "scipy.fft.ifft" = INVERSE, SciPy, One;
    "scipy.fft.rfft" = HALF, SciPy, One;
    "scipy.fft.irfft" = REAL, SciPy, One;
    "scipy.fft.hfft" = HERMITIAN, SciPy, One;
    "scipy.fft.ihfft" = OF_REAL, SciPy, One;
    "scipy.fft.fft2" = FORWARD, SciPy, Two;
    "scipy.fft.ifft2" = INVERSE, SciPy, Two;
    "scipy.fft.rfft2" = HALF, SciPy, Two;
    "scipy.fft.irfft2" = REAL, SciPy, Two;
    "scipy.fft.hfft2" = HERMITIAN, SciPy, Two;
    "scipy.fft.ihfft2" = OF_REAL, SciPy, Two;
    "scipy.fft.fftn" = FORWARD, SciPy, Any;
    "scipy.fft.ifftn" = INVERSE, SciPy, Any;
    "scipy.fft.rfftn" = HALF, SciPy, Any;
    "scipy.fft.irfftn" = REAL, SciPy, Any;
    "scipy.fft.hfftn" = HERMITIAN, SciPy, Any;
    "scipy.fft.ihfftn" = OF_REAL, SciPy, Any;
}
