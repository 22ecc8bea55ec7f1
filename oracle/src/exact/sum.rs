//! Exact sums of floats.

use cuprum_kernels::DType;

use crate::core::value::round;

/// Computes the exact sum of floats, rounded once to `dtype`.
///
/// Infinities and NaN follow IEEE addition; so does a sum whose parts overflow.
pub(crate) fn exact_sum(terms: impl IntoIterator<Item = f64>, dtype: DType) -> f64 {
    let mut sum = ExactSum::default();
    terms.into_iter().for_each(|term| sum.add(term));
    sum.rounded(dtype)
}

/// An exact sum of floats: non-overlapping parts (Shewchuk's expansions).
#[derive(Clone, Debug)]
pub(crate) struct ExactSum {
    parts: Vec<f64>,
    plain: f64,
}

impl Default for ExactSum {
    fn default() -> ExactSum {
        ExactSum { parts: vec![], plain: -0.0 }
    }
}

impl ExactSum {
    pub(crate) fn add(&mut self, term: f64) {
        let ExactSum { parts, plain } = self;
        *plain += term;
        if !plain.is_finite() {
            parts.clear();
            return;
        }
        let mut x = term;
        let mut kept = 0;
        for i in 0..parts.len() {
            let mut y = parts[i];
            if x.abs() < y.abs() {
                (x, y) = (y, x);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                parts[kept] = low;
                kept += 1;
            }
            x = high;
        }
        parts.truncate(kept);
        parts.push(x);
    }

    /// Returns the current sum, rounded once.
    pub(crate) fn rounded(&self, dtype: DType) -> f64 {
        let ExactSum { parts, plain } = self;
        if !plain.is_finite() {
            return round(*plain, dtype);
        }
        let mut parts = parts.iter().rev().copied();
        let Some(mut high) = parts.next() else { return *plain };
        let mut low = 0.0;
        for part in parts.by_ref() {
            let sum = high + part;
            low = part - (sum - high);
            high = sum;
            if low != 0.0 {
                break;
            }
        }
        if low == 0.0 {
            return if high == 0.0 { *plain } else { round(high, dtype) };
        }
        if dtype.real() != DType::F64 {
            return round(to_odd(high, low), dtype);
        }
        // `high` is the nearest double of high + low; the remaining parts below only matter at a tie.
        if parts.next().is_some_and(|p| (p < 0.0) == (low < 0.0)) {
            let twice = low * 2.0;
            let next = high + twice;
            if twice == next - high {
                return next;
            }
        }
        high
    }
}

/// Rounds to odd: `high` with an odd last bit where the exact value, `high + low`, is not `high`, so that further
/// rounding is correct.
fn to_odd(high: f64, low: f64) -> f64 {
    if high.to_bits() & 1 == 1 {
        high
    } else if (low > 0.0) == (high > 0.0) {
        f64::from_bits(high.to_bits() + 1)
    } else {
        f64::from_bits(high.to_bits() - 1)
    }
}

/// Splits a product into two floats whose exact sum it is (barring underflow).
pub(crate) fn product_parts(a: f64, b: f64) -> [f64; 2] {
    let high = a * b;
    let low = a.mul_add(b, -high);
    [high, if high.is_finite() { low } else { 0.0 }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        assert_eq!(exact_sum([1e100, 1.0, -1e100], DType::F64), 1.0);
        assert_eq!(exact_sum([1.0, 2f64.powi(-53), 2f64.powi(-106)], DType::F64), 1.0 + f64::EPSILON);
        assert_eq!(exact_sum([f64::INFINITY, 1.0], DType::F64), f64::INFINITY);
        assert!(exact_sum([f64::INFINITY, f64::NEG_INFINITY], DType::F64).is_nan());
        // 1 + 2^-24 is a tie of float32; the last term breaks it.
        assert_eq!(exact_sum([1.0, 2f64.powi(-24), 2f64.powi(-80)], DType::F32), 1.0 + 2f64.powi(-23));
        assert!(exact_sum([-0.0, -0.0], DType::F64).is_sign_negative());
    }
}
