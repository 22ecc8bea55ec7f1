//! NumPy's estimators for the number of bins: `auto`, `fd`, `scott`, `rice`, `sturges`, `doane`, `sqrt`, `stone`.

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::{Value, round};
use crate::numpy::statistics::histogram::{HistogramOptions, extremes, histogram, outer, work_dtype};

/// Returns the number of bins by one of NumPy's rules.
///
/// # Errors
///
/// `ValueError` for an unknown name, and for an invalid range.
pub(crate) fn rule_bins(name: &str, a: &NdArray, range: Option<(f64, f64)>) -> Result<usize> {
    if !["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"].contains(&name) {
        return fail(ErrorKind::Value, format!("no rule is called {name}"));
    }
    let outer = outer(a, range)?;
    let inside = |v: &Value| range.is_none_or(|(first, last)| v.float() >= first && v.float() <= last);
    let kept: Vec<Value> = a.values().into_iter().filter(inside).collect();
    if kept.is_empty() {
        return Ok(1);
    }
    let x = NdArray::from_values(a.dtype(), &[kept.len()], kept)?;
    let (mut width, own) = width(name, &x, range.map(|_| (outer.first.float(), outer.last.float())))?;
    if width == 0.0 {
        return Ok(1);
    }
    if !a.dtype().is_float() {
        width = width.max(1.0);
    }
    let bins = outer.length(a.dtype()) / width;
    // Between two elements, a width in their dtype divides in that dtype.
    Ok(if own && outer.own { round(bins, work_dtype(a.dtype())) } else { bins }.ceil() as usize)
}

/// Computes the width of a bin, and whether it has the dtype of the elements: Python's floats take that, NumPy's are
/// float64.
fn width(name: &str, x: &NdArray, range: Option<(f64, f64)>) -> Result<(f64, bool)> {
    let r = |v: f64| round(v, work_dtype(x.dtype()));
    let n = x.size() as f64;
    let values: Vec<f64> = x.values().iter().map(|v| v.float()).collect();
    let spread = match extremes(x) {
        (Value::Float(low), Value::Float(high)) => r(high - low),
        (low, high) => (high.int() - low.int()) as f64,
    };
    let mean = values.iter().sum::<f64>() / n;
    let moment = |k: i32, unit: f64| values.iter().map(|v| ((v - mean) / unit).powi(k)).sum::<f64>() / n;
    let deviation = moment(2, 1.0).sqrt();
    let width = match name {
        "sqrt" => spread / n.sqrt(),
        "sturges" => spread / (n.log2() + 1.0),
        "rice" => r(spread / r(2.0 * n.powf(1.0 / 3.0))),
        "scott" => r(r((24.0 * std::f64::consts::PI.sqrt() / n).powf(1.0 / 3.0)) * r(deviation)),
        "doane" if values.len() <= 2 || deviation <= 0.0 => 0.0,
        "doane" => {
            let sigma = (6.0 * (n - 2.0) / ((n + 1.0) * (n + 3.0))).sqrt();
            spread / (1.0 + n.log2() + (1.0 + moment(3, deviation).abs() / sigma).log2())
        }
        "stone" => stone(x, spread, range)?,
        "fd" => {
            let mut sorted = values;
            sorted.sort_by(f64::total_cmp);
            // Two quantiles are an array, which is float64; only the difference of neighbours is computed in their
            // dtype.
            let quantile = |q: f64| {
                let position = q * (n - 1.0);
                let (i, t) = (position as usize, position.fract());
                let (a, b) = (sorted[i], sorted[(i + 1).min(sorted.len() - 1)]);
                let apart = r(b - a);
                if t >= 0.5 { b - apart * (1.0 - t) } else { a + apart * t }
            };
            2.0 * (quantile(0.75) - quantile(0.25)) * n.powf(-1.0 / 3.0)
        }
        // The rule `auto`.
        _ => {
            let of = |name| width(name, x, range);
            of("fd")?.0.max(of("sqrt")?.0 / 2.0).min(of("sturges")?.0)
        }
    };
    Ok((width, matches!(name, "rice" | "scott" | "stone")))
}

/// Returns the first number of bins whose estimated loss is the least.
fn stone(x: &NdArray, spread: f64, range: Option<(f64, f64)>) -> Result<f64> {
    let n = x.size() as f64;
    if x.size() <= 1 || spread == 0.0 {
        return Ok(0.0);
    }
    let r = |v: f64| round(v, work_dtype(x.dtype()));
    let mut best: Option<(f64, f64)> = None;
    for bins in 1..=100.max(n.sqrt() as usize) {
        let bins_of = crate::numpy::statistics::histogram::HistogramBins::Count(bins);
        let (counts, _) = histogram(x, &HistogramOptions { bins: bins_of, range, ..Default::default() })?;
        let width = r(spread / bins as f64);
        let squares: f64 = counts.values().iter().map(|c| (c.float() / n) * (c.float() / n)).sum();
        let loss = (2.0 - (n + 1.0) * squares) / width;
        if best.is_none_or(|(least, _)| loss < least) {
            best = Some((loss, width));
        }
    }
    Ok(best.map_or(0.0, |(_, width)| width))
}
