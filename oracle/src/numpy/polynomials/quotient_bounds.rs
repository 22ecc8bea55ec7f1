//! Error bounds of quotients of complex polynomials: every step divides once, and its remainder propagates the error.

use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::value::ulp;

/// Units of the modulus by which a complex quotient errs, and a product or a sum.
const DIVISION: f64 = 6.0;
const STEP: f64 = 4.0;

/// Returns the coefficients with the highest power first.
fn coefficients(a: &NdArray, lowest_first: bool) -> Vec<Complex64> {
    let all = a.values().into_iter().map(|v| v.complex());
    if lowest_first { all.rev().collect() } else { all.collect() }
}

/// Bounds the error of the quotient and of the remainder of `u` by `v`, in their order; 0 where they are real.
pub(crate) fn quotient_bounds(u: &NdArray, v: &NdArray, results: &[&NdArray], lowest_first: bool) -> Vec<f64> {
    let (q, r) = (results[0], results[1]);
    if !q.dtype().is_complex() {
        return vec![0.0; q.size() + r.size()];
    }
    let eps = ulp(1.0, q.dtype());
    let (mut left, v) = (coefficients(u, lowest_first), coefficients(v, lowest_first));
    let mut errors = vec![0.0; left.len()];
    let mut of_quotient = vec![];
    for k in 0..(left.len() + 1).saturating_sub(v.len()) {
        let d = left[k] / v[0];
        let error = errors[k] / v[0].norm() + DIVISION * eps * d.norm();
        of_quotient.push(error);
        for (j, v) in v.iter().enumerate() {
            let product = d * v;
            errors[k + j] += error * v.norm() + STEP * eps * (product.norm() + left[k + j].norm());
            left[k + j] -= product;
        }
    }
    // If the dividend has a lower degree than the divisor, the quotient is one exact zero.
    of_quotient.resize(q.size(), 0.0);
    let mut of_remainder: Vec<f64> = if lowest_first {
        // Including those after the last nonzero one, which rounding decides.
        errors.into_iter().rev().take(r.size().max(v.len() - 1)).collect()
    } else {
        let skipped = errors.len().saturating_sub(r.size());
        errors.split_off(skipped)
    };
    of_remainder.resize(r.size().max(of_remainder.len()), f64::INFINITY);
    if lowest_first {
        of_quotient.reverse();
    }
    let bound = |b: f64| if b.is_nan() { f64::INFINITY } else { b };
    of_quotient.into_iter().chain(of_remainder).map(bound).collect()
}
