//! SciPy's fast Hankel transforms of logarithmically spaced points, by their definition as products of spectra.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::lines::{Numbers, distances};
use super::sums::transform;
use super::{of_half, spectrum};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::axis_index;
use crate::core::promote::promote_types;
use crate::core::value::Value;
use crate::numpy::linalg::Residual;
use crate::numpy::statistics::Bounded;
use crate::scipy::special::hankel_factor;
use crate::table::{Arguments, CallResult, counterparts};

/// Reads the options of a transform: `dln`, `mu`, `offset`, `bias`.
fn parse_options(t: &Arguments) -> CallResult<[f64; 4]> {
    Ok([t.get("dln")?, t.get("mu")?, t.or("offset", 0.0)?, t.or("bias", 0.0)?])
}

fn run(t: &Arguments, inverse: bool) -> CallResult<NdArray> {
    let a: &NdArray = t.get(if inverse { "A" } else { "a" })?;
    Ok(transformed(a, parse_options(t)?, inverse)?)
}

fn transformed(a: &NdArray, options: [f64; 4], inverse: bool) -> Result<NdArray> {
    if a.dtype().is_complex() {
        return fail(ErrorKind::Type, "x must be a real sequence");
    }
    let axis = axis_index(-1, a.ndim())?;
    let n = a.shape()[axis];
    if n == 0 {
        return fail(ErrorKind::Value, "Invalid number of data points (0) specified.");
    }
    let [dln, _, offset, bias] = options;
    let power =
        |j: usize, sign: f64, shift: f64| (sign * bias * ((j as f64 - (n - 1) as f64 / 2.0) * dln + shift)).exp();
    let ([first, first_shift], [last, last_shift]) =
        if inverse { ([1.0, offset], [1.0, 0.0]) } else { ([-1.0, 0.0], [-1.0, offset]) };
    // The last coefficient of an even length is real.
    let real = |k: usize, z: Complex64| if 2 * k == n { z.re.into() } else { z };
    let factors: Vec<Complex64> = (0..n / 2 + 1).map(|k| real(k, hankel_factor(options, k, n))).collect();
    // The first factor of a singular transform is left out.
    let by = |z: Complex64, u: Complex64| match inverse {
        false if u.re.is_infinite() => Complex64::default(),
        false => z * u,
        true if u == Complex64::default() || u.re.is_infinite() => Complex64::default(),
        true => z / u.conj(),
    };
    let numbers = Numbers::of(a).along(axis, n, n, |line| {
        let line: Vec<Complex64> = line.iter().enumerate().map(|(j, z)| z * power(j, first, first_shift)).collect();
        let half: Vec<Complex64> = transform(&line, false).iter().zip(&factors).map(|(z, u)| by(*z, *u)).collect();
        let back = of_half(&half, n);
        // The result is computed backwards; the view below reverses it.
        (0..n).map(|j| back[j] / n as f64 * power(n - 1 - j, last, last_shift)).collect()
    });
    let work = if bias == 0.0 { a.dtype() } else { promote_types(a.dtype(), DType::F64) };
    let order: Vec<usize> = (0..a.ndim()).collect();
    let result = numbers.array(spectrum(work).real(), &order);
    result.index(&[Index::Ellipsis, Index::Slice(None, None, Some(-1))])
}

/// Computes the residuals. The angles of the factors are as large as the logarithms of gamma functions, and err by as
/// many units.
fn judged(t: &Arguments, inverse: bool, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let want = run(t, inverse)?;
    let [dln, _, offset, _] = parse_options(t)?;
    let y = std::f64::consts::PI / (2.0 * dln.abs());
    let angle = 2.0 * y * ((1.0 + y).ln() + offset.abs() + 1.0);
    let n = want.shape()[want.ndim() - 1];
    let lenient = |r: Residual| Residual { size: r.size / (1.0 + angle), ..r };
    Ok(distances(&want, &results[0], &[want.ndim() - 1], n).into_iter().map(lenient).collect())
}

/// Computes the offset with which the last factor is real: whole turns are subtracted from its angle.
fn offset(t: &Arguments) -> CallResult<Bounded> {
    let (dln, mu): (f64, f64) = (t.get("dln")?, t.get("mu")?);
    let (initial, bias) = (t.or("initial", 0.0)?, t.or("bias", 0.0)?);
    let half_turns = hankel_factor([dln, mu, initial, bias], 1, 2).arg() / std::f64::consts::PI;
    let rest = half_turns - half_turns.round_ties_even();
    let result = NdArray::from_values(DType::F64, &[], [Value::Float(initial + rest * dln)])?;
    // Units of the angle, one turn for each `dln`.
    let y = std::f64::consts::PI / (2.0 * dln.abs());
    let bound = 8.0 * f64::EPSILON * (initial.abs() + dln.abs() * (1.0 + y * ((1.0 + y).ln() + 1.0 + initial.abs())));
    Ok(Bounded { result, bounds: vec![bound] })
}

counterparts! {
    "scipy.fft.fht" = |t| run(t, false)?, judged |t, results| judged(t, false, results);
    "scipy.fft.ifht" = |t| run(t, true)?, judged |t, results| judged(t, true, results);
    "scipy.fft.fhtoffset" = |t| offset(t)?;
}
