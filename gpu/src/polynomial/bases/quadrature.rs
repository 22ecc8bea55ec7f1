//! Companion matrices, roots and Gaussian quadratures of series.
//!
//! Nodes of a quadrature are the roots of a polynomial of the basis, computed as eigenvalues and improved by a step of
//! Newton's method, as NumPy does.

use super::algebra::{Number, by_kind, read};
use super::basis::Basis;
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::linalg::{eigvals, eigvalsh};
use crate::polynomial::polyutils::series;
use crate::routines::math;
use crate::routines::sorting::sort;

/// The matrix of the recurrence below degree `n`, made symmetric: its diagonal, the elements next to it, of which the
/// last is beyond the matrix, and the factors of its rows (G. H. Golub and J. H. Welsch, "Calculation of Gauss
/// quadrature rules", 1969).
struct Symmetric {
    /// Elements on the diagonal.
    diagonal: Vec<f64>,
    /// Elements next to the diagonal.
    beside: Vec<f64>,
    /// Factors of the rows.
    scale: Vec<f64>,
}

impl Symmetric {
    fn of(basis: Basis, n: usize) -> Symmetric {
        let steps: Vec<_> = (0..=n).map(|k| basis.recurrence(k)).collect();
        let beside = (0..n).map(|k| (steps[k].up * steps[k + 1].down).sqrt().copysign(steps[k].up)).collect();
        let mut scale = vec![1.0];
        for k in 1..n {
            scale.push(scale[k - 1] * (steps[k].down / steps[k - 1].up).abs().sqrt());
        }
        Symmetric { diagonal: steps[..n].iter().map(|step| step.at).collect(), beside, scale }
    }

    /// Returns the elements of the matrix in C order.
    fn matrix<T: Number>(&self) -> Vec<T> {
        let n = self.diagonal.len();
        let mut all = vec![T::from(0.0); n * n];
        for k in 0..n {
            all[k * n + k] = T::from(self.diagonal[k]);
            if k > 0 {
                all[k * n + k - 1] = T::from(self.beside[k - 1]);
                all[(k - 1) * n + k] = T::from(self.beside[k - 1]);
            }
        }
        all
    }
}

fn companion_of<T: Number>(basis: Basis, c: &Array) -> Result<Array> {
    let coefficients = read::<T>(c)?;
    let n = coefficients.len() - 1;
    if n < 1 {
        let message = "a constant has no companion matrix: a power above 0 is needed";
        return Err(Error::new(ErrorKind::Value, message));
    }
    let symmetric = Symmetric::of(basis, n);
    let mut matrix = symmetric.matrix::<T>();
    let (top, up) = (coefficients[n], basis.recurrence(n - 1).up);
    for k in 0..n {
        let of_row = symmetric.scale[k] / symmetric.scale[n - 1] * up;
        let last = &mut matrix[k * n + n - 1];
        *last = *last - coefficients[k] / top * of_row;
    }
    make::of(c.device(), &matrix, &[n, n])?.astype(c.dtype())
}

/// Scaled companion matrix of a series.
pub(in crate::polynomial) fn companion(basis: Basis, c: &Array) -> Result<Array> {
    let c = series(&[c], false)?.remove(0);
    by_kind!(c.dtype(), companion_of(basis, &c))
}

/// Roots of a series, sorted.
pub(in crate::polynomial) fn roots(basis: Basis, c: &Array) -> Result<Array> {
    let c = series(&[c], true)?.remove(0);
    if c.size() < 2 {
        return make::empty(c.device(), &[0], c.dtype());
    }
    let matrix = companion(basis, &c)?;
    if c.size() == 2 {
        return matrix.reshape([1]);
    }
    // NumPy rotates the matrix, which lowers the rounding error.
    sort(eigvals(matrix.index(s![..;-1, ..;-1])?)?, ())
}

/// Nodes and weights of the Gaussian quadrature of a number of points.
pub(in crate::polynomial) fn gauss(basis: Basis, deg: isize) -> Result<(Array, Array)> {
    let n = usize::try_from(deg).ok().filter(|n| *n > 0).ok_or_else(|| too_few("deg", deg, 1))?;
    let device = Device::current()?;
    let of = |all: &[f64]| make::of(device, all, &[n]);
    if basis == Basis::Chebyshev {
        let pi = std::f64::consts::PI;
        let nodes: Vec<f64> = (0..n).map(|k| (pi * (2 * k + 1) as f64 / (2 * n) as f64).cos()).collect();
        return Ok((of(&nodes)?, of(&vec![pi / n as f64; n])?));
    }
    let symmetric = Symmetric::of(basis, n);
    let mut x = eigvalsh(make::of(device, &symmetric.matrix::<f64>(), &[n, n])?, ())?.to_vec::<f64>()?;
    let Symmetric { diagonal, beside, .. } = symmetric;
    let total = basis.total_weight();
    // Returns the sum of the squares of the orthonormal polynomials below degree n, the value of that of degree n, and
    // its derivative.
    let orthonormal = |x: f64| {
        let (mut y, mut slope, mut before, mut slope_before, mut squares) = (1.0 / total.sqrt(), 0.0, 0.0, 0.0, 0.0);
        for k in 0..n {
            squares += y * y;
            let down = if k > 0 { beside[k - 1] } else { 0.0 };
            let next = ((x - diagonal[k]) * y - down * before) / beside[k];
            let next_slope = (y + (x - diagonal[k]) * slope - down * slope_before) / beside[k];
            (before, slope_before, y, slope) = (y, slope, next, next_slope);
        }
        (squares, y, slope)
    };
    // One step of Newton's method, for the last digits.
    x.iter_mut().for_each(|x| {
        let (_, y, slope) = orthonormal(*x);
        *x -= y / slope;
    });
    let mut weights: Vec<f64> = x.iter().map(|x| 1.0 / orthonormal(*x).0).collect();
    if basis != Basis::Laguerre {
        let (nodes, own) = (x.clone(), weights.clone());
        for k in 0..n {
            x[k] = (nodes[k] - nodes[n - 1 - k]) / 2.0;
            weights[k] = (own[k] + own[n - 1 - k]) / 2.0;
        }
    }
    let scale = total / weights.iter().sum::<f64>();
    weights.iter_mut().for_each(|w| *w *= scale);
    Ok((of(&x)?, of(&weights)?))
}

/// Returns the error for a number of points or a degree that is too small.
fn too_few(name: &str, given: isize, least: usize) -> Error {
    let what = format!("{name} is {given}: it must be at least {least}");
    Error::new(ErrorKind::Value, what)
}

/// Weight function with which the polynomials are orthogonal.
pub(in crate::polynomial) fn weight(basis: Basis, x: &Array) -> Result<Array> {
    match basis {
        Basis::Power | Basis::Legendre => math::add(&math::multiply(x, 0.0)?, 1.0),
        Basis::Chebyshev => {
            let (above, below) = (math::sqrt(&math::add(x, 1.0)?)?, math::sqrt(&math::subtract(1.0, x)?)?);
            math::true_divide(1.0, &math::multiply(&above, &below)?)
        }
        Basis::Laguerre => math::exp(&math::negative(x)?),
        Basis::Hermite => math::exp(&math::negative(&math::square(x)?)?),
        Basis::HermiteE => math::exp(&math::multiply(&math::square(x)?, -0.5)?),
    }
}

/// Chebyshev points: of the first kind, the zeros of a polynomial, or of the second, with both ends.
pub(in crate::polynomial) fn chebyshev_points(npts: isize, ends: bool) -> Result<Array> {
    let least = if ends { 2 } else { 1 };
    let n = usize::try_from(npts).ok().filter(|n| *n >= least).ok_or_else(|| too_few("npts", npts, least))?;
    let pi = std::f64::consts::PI;
    let point = |k: usize| match ends {
        true => (pi * k as f64 / (n - 1) as f64 - pi).cos(),
        false => (0.5 * pi / n as f64 * (2.0 * k as f64 + 1.0 - n as f64)).sin(),
    };
    make::of(Device::current()?, &(0..n).map(point).collect::<Vec<f64>>(), &[n])
}
