//! Linear filters of `scipy.signal`: their difference equations and sums, one element after another.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index};
use crate::core::value::{Value, ulp};
use crate::numpy::searching::multi_indices;
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, Fault, counterparts};

fn numbers(a: &NdArray) -> Vec<Complex64> {
    a.values().iter().map(|v| v.complex()).collect()
}

/// Results of a line with bounds of their errors.
type Line = Vec<(Complex64, f64)>;

/// Filters each line along an axis into one of another length, and rounds to the dtype.
fn lines(
    x: &NdArray,
    axis: usize,
    length: usize,
    dtype: DType,
    run: impl Fn(&[(Complex64, f64)]) -> Line,
) -> Result<Bounded> {
    let mut shape = x.shape().to_vec();
    shape[axis] = length;
    let positions = multi_indices(&shape);
    let (mut values, mut bounds) = (vec![Complex64::default(); positions.len()], vec![0.0; positions.len()]);
    let flat = |position: &[usize]| position.iter().zip(&shape).fold(0, |sum, (i, n)| sum * n + i);
    let mut starts = shape.clone();
    starts[axis] = 1;
    for mut position in multi_indices(&starts) {
        let at = |i: usize| {
            let mut from = position.clone();
            from[axis] = i;
            (x.get(&from).complex(), 0.0)
        };
        let line: Line = (0..x.shape()[axis]).map(at).collect();
        for (i, (v, bound)) in run(&line).into_iter().enumerate() {
            position[axis] = i;
            let k = flat(&position);
            values[k] = v;
            let own = dtype.real();
            bounds[k] = bound + if own == DType::F64 { 0.0 } else { ulp(v.norm() + bound, own) };
        }
    }
    let number = |v: &Complex64| if dtype.is_complex() { Value::Complex(*v) } else { Value::Float(v.re) };
    let wide = if dtype.is_complex() { DType::C128 } else { DType::F64 };
    let result = NdArray::from_values(wide, &shape, values.iter().map(number))?.astype(dtype, Order::C);
    Ok(Bounded { result, bounds })
}

/// The difference equation, with the errors of elements before it. A scan of states rounds as often as there are states, on each of the
/// levels of its tree.
fn recursion(b: &[Complex64], a: &[Complex64], x: &[(Complex64, f64)]) -> Line {
    settled_recursion(b, a, x, Default::default())
}

/// The same after an infinite number of equal elements and results.
fn settled_recursion(
    b: &[Complex64],
    a: &[Complex64],
    x: &[(Complex64, f64)],
    (x_before, y_before): ((Complex64, f64), (Complex64, f64)),
) -> Line {
    let mut y: Line = vec![];
    let states = a.len().max(b.len()) as f64;
    for i in 0..x.len() {
        let (mut sum, mut size, mut error) = (Complex64::default(), 0.0, 0.0);
        for (k, c) in b.iter().enumerate() {
            let (v, own) = i.checked_sub(k).map_or(x_before, |i| x[i]);
            sum += c * v;
            size += c.norm() * v.norm();
            error += c.norm() * own;
        }
        for (k, c) in a.iter().enumerate().skip(1) {
            let (v, own) = i.checked_sub(k).map_or(y_before, |i| y[i]);
            sum -= c * v;
            size += c.norm() * v.norm();
            error += c.norm() * own;
        }
        y.push((sum / a[0], (error + 8.0 * states * f64::EPSILON * size) / a[0].norm()));
    }
    y
}

/// The dtype of results: that of the input and the coefficients, or float64.
fn result_dtype(all: &[&NdArray]) -> DType {
    let complex = all.iter().any(|a| a.dtype().is_complex());
    match all[all.len() - 1].dtype() {
        d if d.is_complex() => d,
        DType::F32 if complex => DType::C64,
        d if d.is_float() && !complex => d,
        _ if complex => DType::C128,
        _ => DType::F64,
    }
}

fn lfilter(t: &Arguments) -> std::result::Result<Bounded, Fault> {
    let [b, a, x]: [&NdArray; 3] = [t.get("b")?, t.get("a")?, t.get("x")?];
    let axis = axis_index(t.or("axis", -1)?, x.ndim())?;
    let dtype = result_dtype(&[b, a, x]);
    let (b, a) = (numbers(b), numbers(a));
    if b.is_empty() || a.first().is_none_or(|c| c.norm() == 0.0) {
        fail(ErrorKind::Value, "there are no coefficients")?;
    }
    Ok(lines(x, axis, x.shape()[axis], dtype, |line| recursion(&b, &a, line))?)
}

/// The difference equation forwards and backwards, each time after equal elements, of a line that is continued oddly at both ends.
fn filtfilt(t: &Arguments) -> std::result::Result<Bounded, Fault> {
    let [b, a, x]: [&NdArray; 3] = [t.get("b")?, t.get("a")?, t.get("x")?];
    let axis = axis_index(t.or("axis", -1)?, x.ndim())?;
    let dtype = result_dtype(&[b, a, x]);
    let (b, a) = (numbers(b), numbers(a));
    if b.is_empty() || a.first().is_none_or(|c| c.norm() == 0.0) {
        fail(ErrorKind::Value, "there are no coefficients")?;
    }
    let (n, pad) = (x.shape()[axis], 3 * b.len().max(a.len()));
    if n <= pad {
        fail(ErrorKind::Value, "the continuation is longer than the line")?;
    }
    let gain = b.iter().sum::<Complex64>() / a.iter().sum::<Complex64>();
    let passed = |line: &[(Complex64, f64)]| {
        let first = line[0];
        let y = (gain * first.0, gain.norm() * (first.1 + 16.0 * f64::EPSILON * first.0.norm()));
        let mut results = settled_recursion(&b, &a, line, (first, y));
        // The first pass is rounded to the dtype, too.
        let own = dtype.real();
        results.iter_mut().for_each(|(v, e)| *e += if own == DType::F64 { 0.0 } else { ulp(v.norm() + *e, own) });
        results
    };
    Ok(lines(x, axis, n, dtype, |line| {
        let odd = |end: usize, i: usize| {
            (line[end].0 * 2.0 - line[i].0, f64::EPSILON * (line[end].0.norm() + line[i].0.norm()))
        };
        let before = (1..=pad).rev().map(|k| odd(0, k));
        let after = (1..=pad).map(|k| odd(n - 1, n - 1 - k));
        let mut both: Line = before.chain(line.iter().copied()).chain(after).collect();
        for _ in 0..2 {
            both = passed(&both);
            both.reverse();
        }
        both[pad..pad + n].to_vec()
    })?)
}

fn sosfilt(t: &Arguments) -> std::result::Result<Bounded, Fault> {
    let [sos, x]: [&NdArray; 2] = [t.get("sos")?, t.get("x")?];
    let axis = axis_index(t.or("axis", -1)?, x.ndim())?;
    if sos.ndim() != 2 || sos.shape()[1] != 6 {
        fail(ErrorKind::Value, "a section has six coefficients")?;
    }
    let (dtype, sections) = (result_dtype(&[sos, x]), numbers(sos));
    if sections.is_empty() || sections.chunks(6).any(|s| s[3] != Complex64::from(1.0)) {
        fail(ErrorKind::Value, "the fourth coefficient of a section is 1")?;
    }
    Ok(lines(x, axis, x.shape()[axis], dtype, |line| {
        sections.chunks(6).fold(line.to_vec(), |line, s| recursion(&s[..3], &s[3..], &line))
    })?)
}

/// Sums of the products of the weights with the elements between inserted zeros.
fn upfirdn(t: &Arguments) -> std::result::Result<Bounded, Fault> {
    let [h, x]: [&NdArray; 2] = [t.get("h")?, t.get("x")?];
    let (up, down): (i64, i64) = (t.or("up", 1)?, t.or("down", 1)?);
    let axis = axis_index(t.or("axis", -1)?, x.ndim())?;
    if h.size() == 0 || up < 1 || down < 1 {
        fail(ErrorKind::Value, "the factors are at least 1")?;
    }
    let (up, down, weights) = (up as usize, down as usize, numbers(h));
    let n = x.shape()[axis];
    let mode: &str = t.or("mode", "constant")?;
    // Position of an element beyond the ends, if there is one.
    let within = |i: i64| match mode {
        "edge" => Some(i.clamp(0, n as i64 - 1)),
        "wrap" => Some(i.rem_euclid(n as i64)),
        "symmetric" => Some(i.rem_euclid(2 * n as i64).min((-1 - i).rem_euclid(2 * n as i64))),
        "reflect" if n == 1 => Some(0),
        "reflect" => Some(i.rem_euclid(2 * n as i64 - 2).min((-i).rem_euclid(2 * n as i64 - 2))),
        _ => (0..n as i64).contains(&i).then_some(i),
    };
    let length = if n == 0 { 0 } else { ((n - 1) * up + weights.len() - 1) / down + 1 };
    Ok(lines(x, axis, length, result_dtype(&[x]), |line| {
        let one = |o: usize| {
            let mut sum = (Complex64::default(), 0.0);
            for (k, w) in weights.iter().enumerate() {
                let at = (o * down) as i64 - k as i64;
                if at.rem_euclid(up as i64) == 0
                    && let Some(i) = within(at.div_euclid(up as i64))
                {
                    let v = line[i as usize].0;
                    sum.0 += w * v;
                    sum.1 += w.norm() * v.norm();
                }
            }
            (sum.0, sum.1 * f64::EPSILON * (weights.len() / up + 2) as f64)
        };
        (0..length).map(one).collect()
    })?)
}

/// The modified Bessel function of order 0 as the mean of exponentials over a circle, which converges as fast as they are smooth.
fn bessel_i0(x: f64) -> f64 {
    (0..256).map(|k| (x * (std::f64::consts::TAU * f64::from(k) / 256.0).cos()).exp()).sum::<f64>() / 256.0
}

/// The signal at a rate times `up` / `down`: sums of the elements with a sinc function times a Kaiser window, about the time of each result.
fn resample_poly(t: &Arguments) -> std::result::Result<Bounded, Fault> {
    let x: &NdArray = t.get("x")?;
    let (up, down): (i64, i64) = (t.get("up")?, t.get("down")?);
    let (axis, beta) = (axis_index(t.or("axis", 0)?, x.ndim())?, t.or("beta", 5.0)?);
    let padtype: &str = t.or("padtype", "constant")?;
    if up < 1 || down < 1 {
        fail(ErrorKind::Value, "the factors are at least 1")?;
    }
    let common = (1..=up.min(down)).rev().find(|d| up % d == 0 && down % d == 0).unwrap_or(1);
    let (up, down) = (up / common, down / common);
    let (n, most) = (x.shape()[axis] as i64, up.max(down));
    let half = 10 * most;
    let weight = |k: i64| {
        let angle = std::f64::consts::PI * k as f64 / most as f64;
        let distance = k as f64 / half as f64;
        let sinc = if k == 0 { 1.0 } else { angle.sin() / angle };
        sinc * bessel_i0(beta * (1.0 - distance * distance).max(0.0).sqrt())
    };
    let weights: Vec<f64> = (-half..=half).map(weight).collect();
    let scale = up as f64 / weights.iter().sum::<f64>();
    let length = (n * up + down - 1) / down;
    Ok(lines(x, axis, length as usize, result_dtype(&[x]), |line| {
        let values: Vec<f64> = line.iter().map(|v| v.0.re).collect();
        let level = match padtype {
            "mean" => values.iter().sum::<f64>() / n as f64,
            "maximum" => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            _ => 0.0,
        };
        let within = |i: i64| match padtype {
            "edge" => Some(i.clamp(0, n - 1)),
            "wrap" => Some(i.rem_euclid(n)),
            "symmetric" => Some(i.rem_euclid(2 * n).min((-1 - i).rem_euclid(2 * n))),
            "reflect" if n == 1 => Some(0),
            "reflect" => Some(i.rem_euclid(2 * n - 2).min((-i).rem_euclid(2 * n - 2))),
            _ => (0..n).contains(&i).then_some(i),
        };
        let one = |o: i64| {
            let (mut sum, mut size) = (0.0, 0.0);
            for k in (-half..=half).filter(|k| (o * down - k).rem_euclid(up) == 0) {
                if up == down {
                    continue;
                }
                if let Some(i) = within((o * down - k).div_euclid(up)) {
                    let v = values[i as usize] - level;
                    sum += scale * weights[(k + half) as usize] * v;
                    // Weights have errors of some units of the largest one.
                    size += scale * weights[half as usize] * (v.abs() + 2.0 * level.abs());
                }
            }
            let value = if up == down { values[o as usize] } else { sum + level };
            (Complex64::from(value), (size + level.abs()) * f64::EPSILON * 64.0)
        };
        (0..length).map(one).collect()
    })?)
}

/// Solves a system of equations by elimination with pivots.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| rows[i][c].abs().total_cmp(&rows[j][c].abs())).unwrap_or(c);
        rows.swap(c, pivot);
        let (row, scale) = (rows[c].clone(), rows[c][c]);
        for (_, other) in rows.iter_mut().enumerate().filter(|(r, _)| *r != c) {
            let factor = other[c] / scale;
            other.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    (0..n).map(|r| rows[r][n] / rows[r][r]).collect()
}

/// A derivative at a position of the polynomial that fits numbers at 0, 1, ... best, by the normal equations about their middle.
fn fitted(y: &[f64], degree: usize, at: f64, deriv: usize) -> f64 {
    let middle = (y.len() as f64 - 1.0) / 2.0;
    let power = |i: usize, k: usize| (i as f64 - middle).powi(k as i32);
    let row = |r: usize| {
        let mut row: Vec<f64> = (0..=degree).map(|c| (0..y.len()).map(|i| power(i, r + c)).sum::<f64>()).collect();
        row.push(y.iter().enumerate().map(|(i, v)| power(i, r) * v).sum());
        row
    };
    let coefficients = solved((0..=degree).map(row).collect());
    let term = |k: usize| {
        let factor: f64 = (0..deriv).map(|d| (k - d) as f64).product();
        coefficients[k] * factor * (at - middle).powi((k - deriv) as i32)
    };
    (deriv..=degree).map(term).sum()
}

/// Fits a polynomial to the elements around each one, or to the outermost window, and evaluates its derivative there.
fn savgol_filter(t: &Arguments) -> std::result::Result<Bounded, Fault> {
    let x: &NdArray = t.get("x")?;
    let (window, degree): (i64, i64) = (t.get("window_length")?, t.get("polyorder")?);
    let (deriv, delta): (i64, f64) = (t.or("deriv", 0)?, t.or("delta", 1.0)?);
    let axis = axis_index(t.or("axis", -1)?, x.ndim())?;
    let mode: &str = t.or("mode", "interp")?;
    let cval: f64 = t.or("cval", 0.0)?;
    let n = x.shape()[axis] as i64;
    if x.dtype().is_complex() {
        fail(ErrorKind::Type, "complex numbers are not filtered")?;
    }
    if degree < 0 || degree >= window || deriv < 0 || (mode == "interp" && window > n) {
        fail(ErrorKind::Value, "the window does not fit")?;
    }
    let dtype = if matches!(x.dtype(), DType::F32 | DType::F64) { x.dtype() } else { DType::F64 };
    // Position of an element beyond the ends, if there is one.
    let within = |i: i64| match mode {
        "nearest" => Some(i.clamp(0, n - 1)),
        "wrap" => Some(i.rem_euclid(n)),
        "mirror" if n == 1 => Some(0),
        "mirror" => Some((i.rem_euclid(2 * n - 2)).min((-i).rem_euclid(2 * n - 2))),
        _ => (0..n).contains(&i).then_some(i),
    };
    let scale = delta.powi(-deriv as i32);
    let one = |line: &[(Complex64, f64)], i: i64| {
        let centred = i - (window - 1) / 2;
        let first = if mode == "interp" { centred.clamp(0, n - window) } else { centred };
        let y: Vec<f64> = (first..first + window).map(|k| within(k).map_or(cval, |k| line[k as usize].0.re)).collect();
        // Windows of an even length are fitted at their middle, between two elements, but for those at the ends.
        let moved = mode == "interp" && (i < window / 2 || i >= n - window / 2);
        let origin = if moved { (i - first) as f64 } else { (window - 1) as f64 / 2.0 };
        let value = scale * fitted(&y, degree as usize, origin, deriv as usize);
        let size: f64 = y.iter().map(|v| v.abs()).sum();
        // The normal equations have at most this condition for the windows and degrees of the cases.
        (Complex64::from(value), 1e4 * f64::EPSILON * scale * size)
    };
    Ok(lines(x, axis, n as usize, dtype, |line| (0..n).map(|i| one(line, i)).collect())?)
}

/// Finds the local maxima of a signal of one axis: the middle of equal elements between lower ones.
fn maxima(x: &[f64]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut i = 1;
    while i + 1 < x.len() {
        let mut end = i;
        while end + 1 < x.len() && x[end + 1] == x[i] {
            end += 1;
        }
        if x[i - 1] < x[i] && end + 1 < x.len() && x[end + 1] < x[i] {
            found.push((i + end) / 2);
        }
        i = end + 1;
    }
    found
}

/// Returns the prominence of a peak, and the positions of the lowest elements before and after it.
fn prominence(x: &[f64], peak: usize) -> (f64, usize, usize) {
    // Of equally low elements the nearest one.
    let lowest = |side: &mut dyn Iterator<Item = usize>| {
        side.take_while(|&i| x[i] <= x[peak]).fold(peak, |low, i| if x[i] < x[low] { i } else { low })
    };
    let (left, right) = (lowest(&mut (0..=peak).rev()), lowest(&mut (peak..x.len())));
    (x[peak] - x[left].max(x[right]), left, right)
}

/// Returns the width of a peak at half of its prominence, between crossings of that height by straight lines.
fn width(x: &[f64], peak: usize) -> f64 {
    let (prominence, left, right) = prominence(x, peak);
    let height = x[peak] - prominence * 0.5;
    let first = (left..=peak).rev().find(|&i| i == left || x[i] <= height).unwrap_or(left);
    let last = (peak..=right).find(|&i| i == right || x[i] <= height).unwrap_or(right);
    let crossing = |low: usize, high: usize| {
        if x[low] < height { (height - x[low]) / (x[high] - x[low]) } else { 0.0 }
    };
    (last as f64 - crossing(last, last.saturating_sub(1))) - (first as f64 + crossing(first, (first + 1).min(peak)))
}

/// Finds the peaks whose properties are large enough.
fn find_peaks(t: &Arguments) -> std::result::Result<NdArray, Fault> {
    let x: &NdArray = t.get("x")?;
    if x.ndim() != 1 {
        fail(ErrorKind::Value, "a signal has one axis")?;
    }
    if x.dtype().is_complex() {
        fail(ErrorKind::Type, "complex numbers have no order")?;
    }
    let values: Vec<f64> = x.values().iter().map(|v| v.float()).collect();
    let x = &values[..];
    let mut found = maxima(x);
    let steps: [(&str, &dyn Fn(usize) -> f64); 4] = [
        ("height", &|i| x[i]),
        ("threshold", &|i| (x[i] - x[i - 1]).min(x[i] - x[i + 1])),
        ("prominence", &|i| prominence(x, i).0),
        ("width", &|i| width(x, i)),
    ];
    for (name, property) in steps {
        if let Some(least) = t.get::<Option<f64>>(name)? {
            found.retain(|i| property(*i) >= least);
        }
    }
    Ok(NdArray::from_values(DType::I64, &[found.len()], found.iter().map(|i| Value::Int(*i as i128)))?)
}

counterparts! {
    "scipy.signal.find_peaks" = |t| find_peaks(t)?;
    "scipy.signal.resample_poly" = |t| resample_poly(t)?;
    "scipy.signal.savgol_filter" = |t| savgol_filter(t)?;
    "scipy.signal.filtfilt" = |t| filtfilt(t)?;
    "scipy.signal.lfilter" = |t| lfilter(t)?;
    "scipy.signal.sosfilt" = |t| sosfilt(t)?;
    "scipy.signal.upfirdn" = |t| upfirdn(t)?;
}
