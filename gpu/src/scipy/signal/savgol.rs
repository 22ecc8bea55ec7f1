//! Filters of A. Savitzky and M. J. E. Golay ("Smoothing and Differentiation of Data by Simplified Least Squares
//! Procedures", Analytical Chemistry 36(8), 1964): the value, or a derivative, of the polynomial that fits a window
//! best, as a weighted sum of its elements.
//!
//! The weights are sums of products of polynomials that are orthogonal on the positions of a window, which need no
//! system of equations to be solved. The filter is a window along the axis; at both ends a second kernel evaluates the
//! polynomials of the outermost windows.
//!
//! Lower bound: the input read and the result written once.

use std::sync::LazyLock;

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};

use super::peak_kernels::{Lazy, kernel, run};
use crate::array::Array;
use crate::engine::{BorderRule, LineOp, Pass, make, window_passes};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, Strides, normalize_axis};

/// Continuation of the input of [`savgol_filter`] beyond its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum SavgolMode {
    /// None: results near an end are those of the polynomial that fits the outermost window.
    #[default]
    Interp,
    /// Mirrored about the centre of the last element.
    Mirror,
    /// A constant.
    Constant,
    /// The nearest element.
    Nearest,
    /// Periodic.
    Wrap,
}

/// Options of [`savgol_filter`].
///
/// ```
/// use cuprum::scipy::signal::{SavgolOptions, savgol_filter};
/// let squares = cuprum::array([0.0, 1.0, 4.0, 9.0, 16.0])?;
/// let slopes = savgol_filter(&squares, 3, 2, SavgolOptions::new().deriv(1))?;
/// assert!(slopes.to_vec::<f64>()?.iter().zip([0.0, 2.0, 4.0, 6.0, 8.0]).all(|(x, y)| (x - y).abs() < 1e-12));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct SavgolOptions {
    /// The order of the derivative.
    #[from]
    pub deriv: isize,
    /// The distance between elements, by which derivatives are scaled.
    pub delta: f64,
    /// The axis.
    pub axis: isize,
    /// The continuation beyond the ends.
    pub mode: SavgolMode,
    /// The value of the constant continuation.
    pub cval: f64,
}

impl Default for SavgolOptions {
    fn default() -> Self {
        SavgolOptions { deriv: 0, delta: 1.0, axis: -1, mode: SavgolMode::Interp, cval: 0.0 }
    }
}

/// Polynomials up to a degree that are orthogonal on the positions of a window, which are symmetric about 0.
struct Fit {
    positions: Vec<f64>,
    /// Squares of the norms, by degrees.
    norms: Vec<f64>,
    /// Values at the positions, by degrees.
    values: Vec<Vec<f64>>,
}

impl Fit {
    fn new(window: usize, degree: usize) -> Fit {
        let positions: Vec<f64> = (0..window).map(|i| i as f64 - (window as f64 - 1.0) / 2.0).collect();
        let norm = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
        let mut values = vec![vec![1.0; window]];
        let mut norms = vec![window as f64];
        for j in 0..degree {
            let earlier = j.checked_sub(1).map(|i| (&values[i], norms[j] / norms[i]));
            let next: Vec<f64> = (0..window)
                .map(|i| positions[i] * values[j][i] - earlier.map_or(0.0, |(v, ratio)| ratio * v[i]))
                .collect();
            norms.push(norm(&next));
            values.push(next);
        }
        Fit { positions, norms, values }
    }

    /// Returns the weights of the elements in a derivative of the polynomial at a position.
    fn weights(&self, at: f64, deriv: usize) -> Vec<f64> {
        // Derivatives of the recurrence p[j + 1] = x p[j] - c p[j - 1]: those of order d of x p are x p(d) + d p(d - 1).
        let mut lower = vec![0.0; self.norms.len()];
        let mut own = vec![0.0; self.norms.len()];
        for d in 0..=deriv {
            own = vec![if d == 0 { 1.0 } else { 0.0 }];
            for j in 0..self.norms.len() - 1 {
                let earlier = j.checked_sub(1).map_or(0.0, |i| self.norms[j] / self.norms[i] * own[i]);
                own.push(at * own[j] + d as f64 * lower[j] - earlier);
            }
            lower.clone_from(&own);
        }
        let weight = |i: usize| (0..self.norms.len()).map(|j| own[j] * self.values[j][i] / self.norms[j]).sum();
        (0..self.positions.len()).map(weight).collect()
    }
}

// The element `e` of both ends of a line is a sum of the products of the outermost window there with its own weights.
static ENDS: Lazy = LazyLock::new(|| {
    kernel(
        "signal_savgol_ends",
        "raw T x, raw float64 w, int64 n, int64 inner, int64 half, int64 k",
        "U y",
        "
    const long long q = i / inner, e = q % (2 * half);
    const long long first = q / (2 * half) * n + (e < half ? 0 : n - k);
    const T *from = &x[first * inner + i % inner];
    double sum = 0;
    for (long long j = 0; j < k; ++j) sum = fma(w[e * k + j], (double)from[j * inner], sum);
    y = (U)sum;",
        "",
    )
});

/// Replaces the results at both ends of lines by those of the polynomials of the outermost windows.
fn fit_ends(x: &Array, axis: usize, weights: &[f64], window: usize, y: &Array) -> Result<()> {
    let (n, half) = (x.shape()[axis], window / 2);
    let x = if matches!(x.dtype(), DType::F16 | DType::BF16) { &x.astype(DType::F32)? } else { x };
    let x = if x.is_c_contiguous() { x } else { &x.copy(Order::C)? };
    let inner: usize = x.shape()[axis + 1..].iter().product();
    let step = y.strides()[axis];
    let (mut shape, mut strides): (Dims, Strides) = (y.shape().into(), y.strides().into());
    shape[axis] = half;
    shape.insert(axis, 2);
    strides.insert(axis, (n - half) as i64 * step);
    let ends = y.as_strided(shape.as_slice(), &strides)?;
    let weights = make::of(x.device(), weights, &[weights.len()])?;
    let numbers = [n, inner, half, window].map(|v| v as i64);
    let [n, inner, half, k] = numbers.map(Into::into);
    run(&ENDS, &[x.into(), (&weights).into(), n, inner, half, k], &[&ends], None)?;
    Ok(())
}

/// Filters along an axis by fitting a polynomial to each window; SciPy's `scipy.signal.savgol_filter`.
///
/// The result has the shape of `x` and its dtype if that is float32 or float64, otherwise float64; sums are computed in
/// float64. `window_length` is the number of elements of a window, and `polyorder` the degree of the polynomial. With
/// the mode `interp`, the default, results that are nearer to an end than half a window are those of the outermost
/// window's polynomial.
///
/// ```
/// use cuprum::scipy::signal::savgol_filter;
/// // A parabola with noise of alternating sign, most of which the filter removes.
/// let x: Vec<f64> = (0..50).map(|i| f64::from(i * i) + f64::from(1 - i % 2 * 2)).collect();
/// let smooth = savgol_filter(&cuprum::array(x)?, 11, 2, ())?.to_vec::<f64>()?;
/// assert!(smooth.iter().zip(0..).all(|(y, i)| (y - f64::from(i * i)).abs() < 0.6));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a window of less than one element, for a `polyorder` that is negative or not less than the
/// window, for a negative `deriv`, and for a window longer than the axis with the mode `interp`; [`ErrorKind::Type`] for
/// complex numbers; [`ErrorKind::Axis`].
#[routine(namespace = "scipy.signal", no_programs = "its window depends on the length of an axis")]
pub fn savgol_filter(x: &Array, window_length: isize, polyorder: isize, options: SavgolOptions) -> Result<Array> {
    let wrong = |message: String| Err(Error::new(ErrorKind::Value, message));
    let axis = normalize_axis(options.axis, x.ndim())?;
    if x.dtype().is_complex() {
        let message = format!("`x` is {}, which is complex: filter its real and imaginary parts", x.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    if polyorder < 0 || polyorder >= window_length {
        return wrong(format!(
            "polyorder must be less than window_length, and {polyorder} is not in [0, {window_length})"
        ));
    }
    if options.deriv < 0 {
        return wrong(format!("deriv must not be negative, and is {}", options.deriv));
    }
    let (window, degree, deriv) = (window_length as usize, polyorder as usize, options.deriv as usize);
    let n = x.shape()[axis];
    let interp = options.mode == SavgolMode::Interp;
    if interp && window > n {
        return wrong(format!(
            "with mode 'interp' window_length must be less than or equal to the length of the axis, and {window} is larger than {n}"
        ));
    }
    let dtype = if matches!(x.dtype(), DType::F32 | DType::F64) { x.dtype() } else { DType::F64 };
    let y = make::empty(x.device(), x.shape(), dtype)?;
    if y.size() == 0 {
        return Ok(y);
    }
    let fit = Fit::new(window, degree);
    let scale = options.delta.powi(-(deriv as i32));
    let weights_at = |at: f64| -> Vec<f64> {
        if deriv > degree { vec![0.0; window] } else { fit.weights(at, deriv).iter().map(|w| w * scale).collect() }
    };
    let rule = match options.mode {
        SavgolMode::Interp | SavgolMode::Constant => BorderRule::Constant,
        SavgolMode::Mirror => BorderRule::Mirror,
        SavgolMode::Nearest => BorderRule::Nearest,
        SavgolMode::Wrap => BorderRule::Wrap,
    };
    let pass = Pass {
        axis,
        op: LineOp::Weights(weights_at(0.0)),
        lead: (window as i64 - 1) / 2,
        rule,
        cval: if interp { 0.0 } else { options.cval },
    };
    window_passes(x, &y, &[pass])?;
    if interp && window > 1 {
        let middle = (window as f64 - 1.0) / 2.0;
        let half = window / 2;
        let ends = (0..half).chain(window - half..window).flat_map(|i| weights_at(i as f64 - middle));
        fit_ends(x, axis, &ends.collect::<Vec<_>>(), window, &y)?;
    }
    Ok(y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_reproduce_polynomials_and_their_derivatives() {
        let fit = Fit::new(8, 3);
        // 1 + 2 x - x^2 + x^3 / 2.
        let all: Vec<f64> = fit.positions.iter().map(|x| 1.0 + 2.0 * x - x * x + x * x * x / 2.0).collect();
        let of = |at, deriv| fit.weights(at, deriv).iter().zip(&all).map(|(w, y)| w * y).sum::<f64>();
        let x = 1.25f64;
        let expected = [1.0 + 2.0 * x - x * x + x * x * x / 2.0, 2.0 - 2.0 * x + 1.5 * x * x, -2.0 + 3.0 * x, 3.0];
        for (deriv, y) in expected.into_iter().enumerate() {
            assert!((of(x, deriv) - y).abs() < 1e-13, "derivative {deriv}: {} instead of {y}", of(x, deriv));
        }
    }

    #[test]
    fn weights_of_five_elements_are_those_of_the_paper() {
        let weights = Fit::new(5, 2).weights(0.0, 0);
        for (w, table) in weights.iter().zip([-3.0, 12.0, 17.0, 12.0, -3.0]) {
            assert!((w * 35.0 - table).abs() < 1e-13, "{w}");
        }
    }
}
