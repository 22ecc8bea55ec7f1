//! Positions of quantiles among the elements of a sorted row.
//!
//! The formulas are those of R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996, and of NumPy's
//! manual; each operation is rounded in the quantiles' dtype, as in NumPy.

use cuprum_kernels::DType;
use half::{bf16, f16};

use super::{QuantileMethod, Quantiles};

/// The ranks of a quantile's two neighbours, and its weight between the lower and the upper one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Statistic {
    /// Rank of the lower element.
    pub(super) lower: usize,
    /// Rank of the upper element.
    pub(super) upper: usize,
    /// Weight of the upper element.
    pub(super) weight: f64,
}

/// Rounds to a float dtype.
pub(super) fn round(x: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::from_f64(x).to_f64(),
        DType::BF16 => bf16::from_f64(x).to_f64(),
        DType::F32 => f64::from(x as f32),
        _ => x,
    }
}

/// Returns whether a quantile is always an element.
pub(super) fn is_discrete(method: QuantileMethod, q: &Quantiles) -> bool {
    use QuantileMethod::*;
    matches!(method, InvertedCdf | ClosestObservation | Lower | Higher | Nearest)
        || (method == Linear && q.dtype.is_integer())
}

/// Returns whether the positions of integer quantiles are integers, in which NumPy interpolates then.
pub(super) fn has_integer_positions(method: QuantileMethod) -> bool {
    use QuantileMethod::*;
    matches!(method, AveragedInvertedCdf | InterpolatedInvertedCdf | Weibull)
}

/// Returns the positions of quantiles in a row of `n` elements, at least one.
pub(super) fn statistics(method: QuantileMethod, n: usize, q: &Quantiles) -> Vec<Statistic> {
    q.values.iter().map(|&q_| statistic(method, n, q_, q.dtype)).collect()
}

fn statistic(method: QuantileMethod, n: usize, q: f64, dtype: DType) -> Statistic {
    use QuantileMethod::*;
    let r = |x: f64| round(x, dtype);
    // An integer combined with quantiles takes their dtype.
    let (count, before_last) = (r(n as f64), r((n - 1) as f64));
    let last = (n - 1) as f64;
    let element = |at: f64| {
        let at = at.clamp(0.0, last) as usize;
        Statistic { lower: at, upper: at, weight: 0.0 }
    };
    // The two-parameter formula that most continuous methods share.
    let between = |alpha: f64, beta: f64| r(r(r(count * q) + r(r(alpha) + r(q * r(1.0 - alpha - beta)))) - 1.0);
    let steps = |index: f64, stays: fn(f64, f64) -> bool| {
        let floor = index.floor();
        element(if stays(r(index - floor), floor) { floor } else { r(floor + 1.0) })
    };
    let linear = r(before_last * q);
    let index = match method {
        InvertedCdf => return steps(r(r(count * q) - 1.0), |part, _| part == 0.0),
        ClosestObservation => {
            let index = r(r(r(count * q) - 1.0) - 0.5);
            return steps(index, |part, floor| part == 0.0 && floor.rem_euclid(2.0) == 1.0);
        }
        Lower => return element(linear.floor()),
        Higher => return element(linear.ceil()),
        Nearest => return element(linear.round_ties_even()),
        AveragedInvertedCdf => r(r(count * q) - 1.0),
        InterpolatedInvertedCdf => between(0.0, 1.0),
        Hazen => between(0.5, 0.5),
        Weibull => between(0.0, 0.0),
        Linear => linear,
        MedianUnbiased => between(1.0 / 3.0, 1.0 / 3.0),
        NormalUnbiased => between(3.0 / 8.0, 3.0 / 8.0),
        Midpoint => r(0.5 * r(linear.floor() + linear.ceil())),
    };
    let floor = index.floor();
    // Outside either end there is one element, and no difference to which the weight could apply. At the upper end
    // NumPy measures the weight from position -1.
    let (lower, upper, from) = if index >= last {
        (n - 1, n - 1, -1.0)
    } else if index < 0.0 {
        (0, 0, 0.0)
    } else {
        (floor as usize, floor as usize + 1, floor)
    };
    let part = r(index - from);
    let weight = match method {
        AveragedInvertedCdf => {
            if part == 0.0 {
                0.5
            } else {
                1.0
            }
        }
        Midpoint => {
            if index.rem_euclid(1.0) == 0.0 {
                0.0
            } else {
                0.5
            }
        }
        _ => part,
    };
    Statistic { lower, upper, weight }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_are_those_of_the_manual() {
        // NumPy's own example: the 37th percentile by each method.
        let row = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0];
        for (name, want) in [
            ("inverted_cdf", 3.0),
            ("averaged_inverted_cdf", 3.0),
            ("closest_observation", 2.0),
            ("interpolated_inverted_cdf", 2.22),
            ("hazen", 2.72),
            ("weibull", 2.59),
            ("linear", 2.85),
            ("median_unbiased", 2.676_666_666_666_667),
            ("normal_unbiased", 2.6875),
            ("lower", 2.0),
            ("higher", 3.0),
            ("midpoint", 2.5),
            ("nearest", 3.0),
        ] {
            let s = statistic(name.parse().unwrap(), row.len(), 0.37, DType::F64);
            let got = row[s.lower] + (row[s.upper] - row[s.lower]) * s.weight;
            assert!((got - want).abs() < 1e-14, "{name}: {got}");
        }
    }

    #[test]
    fn quantiles_stay_within_the_row() {
        for n in [1, 2, 3, 1000] {
            for q in [0.0, 1e-300, 0.5, 1.0] {
                for name in ["weibull", "hazen", "inverted_cdf", "closest_observation", "linear", "midpoint"] {
                    let s = statistic(name.parse().unwrap(), n, q, DType::F64);
                    assert!(s.lower <= s.upper && s.upper < n, "{name} {n} {q}: {s:?}");
                }
            }
        }
    }
}
