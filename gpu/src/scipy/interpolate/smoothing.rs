//! Smoothing splines with automatic knots, on the host: each knot depends on the residuals of those before it.
//!
//! The algorithm is that of P. Dierckx ("Curve and Surface Fitting with Splines", 1993, chapters 4 and 5): knots are added where residuals are large until the
//! weighted sum of their squares is below the smoothing factor, then the parameter between least squares and a polynomial is iterated.

use cuprum_macros::unrecorded;

use super::band::{Band, basis};
use super::piecewise::check_degree;
use super::wrong;
use crate::error::Result;

/// Relative tolerance of the sum of squares.
const TOLERANCE: f64 = 0.001;
/// Maximum number of iterations of the smoothing parameter.
const ITERATIONS: usize = 20;

/// Result of [`smoothing_spline`].
#[derive(Clone, Debug, PartialEq)]
pub struct SmoothingSpline {
    /// Knots.
    pub knots: Vec<f64>,
    /// Coefficients: k + 1 fewer than knots.
    pub coefficients: Vec<f64>,
    /// Weighted sum of squared residuals.
    pub residual: f64,
    /// Status of the iteration at its end.
    pub end: SmoothingEnd,
}

/// End of the iteration of a smoothing spline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmoothingEnd {
    /// The sum of squares is the smoothing factor, within a thousandth.
    Smoothed,
    /// The spline interpolates.
    Interpolating,
    /// The polynomial of least squares is below the smoothing factor.
    Polynomial,
    /// The sum of squares does not decrease as it should: the smoothing factor is too small.
    Inconsistent,
    /// The iteration of the parameter did not end: the smoothing factor is too small.
    Unfinished,
}

/// Data of a curve.
struct Curve<'a> {
    x: &'a [f64],
    y: &'a [f64],
    w: &'a [f64],
    k: usize,
}

impl Curve<'_> {
    /// Returns the interval of each point, and its B-splines.
    fn design(&self, t: &[f64]) -> Vec<(usize, Vec<f64>)> {
        let (k, mut i) = (self.k, self.k);
        let last = t.len() - k - 2;
        let point = |&x: &f64| {
            while x >= t[i + 1] && i < last {
                i += 1;
            }
            (i, basis(t, k, x, i))
        };
        self.x.iter().map(point).collect()
    }

    /// Returns the triangle and the right-hand sides of least squares, and the sum of squared residuals.
    fn least_squares(&self, design: &[(usize, Vec<f64>)], n: usize) -> (Band, Vec<f64>, f64) {
        let width = self.k + 1;
        let (mut band, mut z) = (Band { rows: vec![0.0; n * width], width }, vec![0.0; n]);
        let mut sum = 0.0;
        for (m, (i, h)) in design.iter().enumerate() {
            let row = h.iter().map(|v| v * self.w[m]).collect();
            let rest = band.add(row, i - self.k, self.y[m] * self.w[m], &mut z);
            sum += rest * rest;
        }
        (band, z, sum)
    }

    fn squares(&self, design: &[(usize, Vec<f64>)], c: &[f64]) -> Vec<f64> {
        let one = |(m, (i, h)): (usize, &(usize, Vec<f64>))| {
            let value: f64 = h.iter().zip(&c[i - self.k..]).map(|(h, c)| h * c).sum();
            (self.w[m] * (value - self.y[m])).powi(2)
        };
        design.iter().enumerate().map(one).collect()
    }

    /// Returns the knots of the interpolating spline.
    fn interpolating(&self, xb: f64, xe: f64) -> Vec<f64> {
        let (k, m) = (self.k, self.x.len());
        let half = k / 2;
        let inner = (0..m - k - 1).map(|l| {
            let j = half + 1 + l;
            if k % 2 == 1 { self.x[j] } else { (self.x[j] + self.x[j - 1]) * 0.5 }
        });
        std::iter::repeat_n(xb, k + 1).chain(inner).chain(std::iter::repeat_n(xe, k + 1)).collect()
    }
}

/// Intervals of knots: squared residuals, and the numbers of points inside.
struct Intervals {
    squares: Vec<f64>,
    inside: Vec<usize>,
}

impl Intervals {
    /// Adds a knot at the point in the middle of the interval with the largest residuals, if an interval has a point.
    fn add_knot(&mut self, x: &[f64], t: &mut Vec<f64>, k: usize) -> bool {
        let (mut most, mut found, mut begin) = (0.0, None, 0);
        for (j, (&square, &inside)) in self.squares.iter().zip(&self.inside).enumerate() {
            if most < square && inside != 0 {
                (most, found) = (square, Some((j, begin)));
            }
            begin += inside + 1;
        }
        let Some((j, begin)) = found else { return false };
        let points = self.inside[j];
        let half = points / 2 + 1;
        let (left, right) = (half - 1, points - half);
        t.insert(j + k + 1, x[begin + half]);
        self.inside[j] = left;
        self.inside.insert(j + 1, right);
        self.squares[j] = most * left as f64 / points as f64;
        self.squares.insert(j + 1, most * right as f64 / points as f64);
        true
    }
}

/// Jumps of the k-th derivatives of the B-splines at the inner knots, up to a factor.
fn jumps(t: &[f64], k: usize) -> Vec<Vec<f64>> {
    let n = t.len() - k - 1;
    let scale = (n - k) as f64 / (t[n] - t[k]);
    let one = |l: usize| {
        let jump = |j: usize| {
            let lower = l - k - 1 + j;
            // The product of the distances of the knot from all those of the B-spline but itself.
            let others = (lower..=lower + k + 1).filter(|&i| i != l).map(|i| t[l] - t[i]);
            let product: f64 = others.product::<f64>() * scale.powi(k as i32);
            (t[lower + k + 1] - t[lower]) / product
        };
        (0..=k + 1).map(jump).collect()
    };
    (k + 1..n).map(one).collect()
}

/// Returns the zero of the rational function through three points, of which the last one may be at infinity, and narrows them.
fn rational_zero(p1: &mut f64, f1: &mut f64, (p2, f2): (f64, f64), p3: &mut f64, f3: &mut f64) -> f64 {
    let p = if *p3 > 0.0 {
        let (h1, h2, h3) = (*f1 * (f2 - *f3), f2 * (*f3 - *f1), *f3 * (*f1 - f2));
        -(*p1 * p2 * h3 + p2 * *p3 * h1 + *p3 * *p1 * h2) / (*p1 * h1 + p2 * h2 + *p3 * h3)
    } else {
        (*p1 * (*f1 - *f3) * f2 - p2 * (f2 - *f3) * *f1) / ((*f1 - f2) * *f3)
    };
    if f2 < 0.0 {
        (*p3, *f3) = (p2, f2)
    } else {
        (*p1, *f1) = (p2, f2)
    }
    p
}

/// Smoothing spline of degree `k` through points with weights: as few knots as a sum of squares of at most `s` needs; SciPy's `UnivariateSpline`.
///
/// Everything is computed on the host, since each knot depends on those before it. The points do not decrease, `bounds` contain them, and `first` is the number of knots
/// at which the selection of knots pauses once, as it does in SciPy.
///
/// ```
/// use cuprum::scipy::interpolate::smoothing_spline;
/// let x: Vec<f64> = (0..9).map(f64::from).collect();
/// let y: Vec<f64> = x.iter().map(|x| x * x).collect();
/// let spline = smoothing_spline(&x, &y, &[1.0; 9], [0.0, 8.0], 2, 0.5, None)?;
/// assert_eq!(spline.knots, [0.0, 0.0, 0.0, 8.0, 8.0, 8.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for lists of different lengths, k + 1 points or fewer, points out of order and a negative `s`.
#[unrecorded(
    "takes slices of the host: `UnivariateSpline` is compared with SciPy's in `gpu/python/tests/test_interpolate_splines.py`"
)]
pub fn smoothing_spline(
    x: &[f64],
    y: &[f64],
    w: &[f64],
    bounds: [f64; 2],
    k: usize,
    s: f64,
    first: Option<usize>,
) -> Result<SmoothingSpline> {
    let (m, [xb, xe]) = (x.len(), bounds);
    check_degree("smoothing_spline", k)?;
    let sorted = x.windows(2).all(|pair| pair[0] <= pair[1]);
    // A NaN among them fits nothing.
    let fits = y.len() == m && w.len() == m && m > k && sorted && s >= 0.0 && xb <= x[0] && x[m - 1] <= xe;
    if !fits {
        return wrong(format!(
            "smoothing_spline: {m} points with {} values and {} weights do not fit degree k = {k} and s = {s}: pass more than k points in increasing \
             order within the bounds, a value and a weight for each, and s >= 0",
            y.len(),
            w.len()
        ));
    }
    let curve = Curve { x, y, w, k };
    let (least, most, accuracy) = (2 * k + 2, m + k + 1, TOLERANCE * s);
    let mut t = [vec![xb; k + 1], vec![xe; k + 1]].concat();
    if s == 0.0 {
        t = curve.interpolating(xb, xe);
    }
    let mut pause = first.unwrap_or(most);
    let mut intervals = Intervals { squares: vec![0.0], inside: vec![m.saturating_sub(2)] };
    let (mut largest, mut before, mut added) = (0.0, 0.0, 0);
    loop {
        let n = t.len() - k - 1;
        let design = curve.design(&t);
        let (band, z, sum) = curve.least_squares(&design, n);
        let polynomial = t.len() == least;
        if polynomial {
            largest = sum;
        }
        let c = band.solve(&z);
        let finished = |end| Ok(SmoothingSpline { knots: t.clone(), coefficients: c.clone(), residual: sum, end });
        if !sum.is_finite() {
            // Values that are not finite have no interval with the largest residuals: no knot would ever be added.
            return finished(SmoothingEnd::Polynomial);
        }
        let excess = sum - s;
        if s > 0.0 && excess.abs() < accuracy {
            return finished(if polynomial { SmoothingEnd::Polynomial } else { SmoothingEnd::Smoothed });
        }
        if t.len() == most && excess >= 0.0 {
            return Ok(SmoothingSpline { knots: t, coefficients: c, residual: 0.0, end: SmoothingEnd::Interpolating });
        }
        if excess < 0.0 {
            if polynomial {
                return finished(SmoothingEnd::Polynomial);
            }
            return Ok(smoothed(&curve, t, &design, (band, z), [largest - s, excess], s));
        }
        // After the pause one knot is added, as after the polynomial.
        added = if polynomial || t.len() == pause {
            pause = if t.len() == pause { most } else { pause };
            1
        } else {
            let wanted =
                if before - sum > accuracy { (added as f64 * excess / (before - sum)) as usize } else { 2 * added };
            (2 * added).min(wanted.max(added / 2).max(1))
        };
        before = sum;
        // The squared residuals of the intervals: a point at a knot belongs to both by halves.
        let squares = curve.squares(&design, &c);
        let (mut part, mut l, mut all) = (0.0, k + 1, Vec::new());
        for (point, square) in x.iter().zip(&squares) {
            let new = *point >= t[l] && l < n;
            part += square;
            if new {
                l += 1;
                all.push(part - 0.5 * square);
                part = 0.5 * square;
            }
        }
        all.push(part);
        intervals.squares = all;
        for _ in 0..added {
            if !intervals.add_knot(x, &mut t, k) {
                break;
            }
            if t.len() == most {
                t = curve.interpolating(xb, xe);
                break;
            }
            if t.len() == pause {
                break;
            }
        }
    }
}

/// Returns the spline of given knots whose sum of squares is `s`: the jumps of its highest derivative are weighted by the inverse of a parameter.
fn smoothed(
    curve: &Curve<'_>,
    t: Vec<f64>,
    design: &[(usize, Vec<f64>)],
    (band, z): (Band, Vec<f64>),
    [mut f1, mut f3]: [f64; 2],
    s: f64,
) -> SmoothingSpline {
    let (k, n, accuracy) = (curve.k, z.len(), TOLERANCE * s);
    let jumps = jumps(&t, k);
    let (mut p1, mut p3) = (0.0, -1.0);
    let mut p = n as f64 / (0..n).map(|i| band.rows[i * band.width]).sum::<f64>();
    let (mut low, mut high) = (false, false);
    let mut iteration = 0;
    loop {
        let mut wide = Band { rows: vec![0.0; n * (k + 2)], width: k + 2 };
        for i in 0..n {
            wide.rows[i * (k + 2)..][..k + 1].copy_from_slice(&band.rows[i * (k + 1)..][..k + 1]);
        }
        let mut right = z.clone();
        for (begin, row) in jumps.iter().enumerate() {
            wide.add(row.iter().map(|v| v / p).collect(), begin, 0.0, &mut right);
        }
        let c = wide.solve(&right);
        let sum: f64 = curve.squares(design, &c).iter().sum();
        let excess = sum - s;
        iteration += 1;
        let end = if excess.abs() < accuracy {
            Some(SmoothingEnd::Smoothed)
        } else if iteration == ITERATIONS {
            Some(SmoothingEnd::Unfinished)
        } else {
            None
        };
        if let Some(end) = end {
            return SmoothingSpline { knots: t, coefficients: c, residual: sum, end };
        }
        let (p2, f2) = (p, excess);
        if !high {
            if f2 - f3 <= accuracy {
                // The parameter is too large.
                (p3, f3) = (p2, f2);
                p *= 0.04;
                if p <= p1 {
                    p = p1 * 0.9 + p2 * 0.1;
                }
                continue;
            }
            high = f2 < 0.0;
        }
        if !low {
            if f1 - f2 <= accuracy {
                // The parameter is too small.
                (p1, f1) = (p2, f2);
                p /= 0.04;
                if p3 >= 0.0 && p >= p3 {
                    p = p2 * 0.1 + p3 * 0.9;
                }
                continue;
            }
            low = f2 > 0.0;
        }
        if f2 >= f1 || f2 <= f3 {
            return SmoothingSpline { knots: t, coefficients: c, residual: sum, end: SmoothingEnd::Inconsistent };
        }
        p = rational_zero(&mut p1, &mut f1, (p2, f2), &mut p3, &mut f3);
    }
}
