//! Weights of filters.
//!
//! Weights are computed on the host in float64, in SciPy's steps, and passed to the kernels as parameters.

use cuprum_macros::unrecorded;

use crate::error::Result;

use super::wrong;

/// Weights of a derivative of a Gaussian, of 2 `radius` + 1 elements in the order of a correlation.
///
/// The Gaussian is normalised to the sum 1 before it is multiplied by the polynomial of the derivative, which follows
/// from q' - q x / sigma**2.
///
/// The result is a host list; derivatives of order 0, the Gaussian itself, sum to 1.
///
/// ```
/// use cuprum::scipy::ndimage::gaussian_weights;
/// let weights = gaussian_weights(1.0, 0, 4)?;
/// assert!(weights.len() == 9 && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a radius above 2**28.
#[unrecorded("returns host weights: those of `gaussian_filter`, whose conformance cases compare it")]
pub fn gaussian_weights(sigma: f64, order: usize, radius: usize) -> Result<Vec<f64>> {
    if radius > 1 << 28 {
        return wrong(format!("gaussian_filter1d: a radius of {radius} is larger than 2**28"));
    }
    if radius == 0 {
        // The derivative at 0 of odd orders is 0; the sum of one weight is 1.
        let mut at = polynomial(sigma, order);
        return Ok(vec![if order == 0 { 1.0 } else { at.swap_remove(0) }]);
    }
    let variance = sigma * sigma;
    let x = |i: usize| i as f64 - radius as f64;
    let phi: Vec<f64> = (0..2 * radius + 1).map(|i| (-0.5 / variance * (x(i) * x(i))).exp()).collect();
    let sum = pairwise_sum(&phi);
    let q = polynomial(sigma, order);
    // A correlation uses the weights in the opposite order.
    let weight = |i: usize| {
        let x = x(2 * radius - i);
        phi[i] / sum * q.iter().rev().fold(0.0, |sum, c| sum * x + c)
    };
    Ok((0..2 * radius + 1).map(weight).collect())
}

/// Sums numbers in the order of NumPy, so that the weights have the bits of SciPy's: eight sums of every eighth number, of blocks of at most 128.
fn pairwise_sum(x: &[f64]) -> f64 {
    if x.len() < 8 {
        return x.iter().sum();
    }
    if x.len() > 128 {
        let half = x.len() / 2;
        let (low, high) = x.split_at(half - half % 8);
        return pairwise_sum(low) + pairwise_sum(high);
    }
    let (eights, rest) = x.as_chunks::<8>();
    let mut r = eights[0];
    for eight in &eights[1..] {
        for (sum, x) in r.iter_mut().zip(eight) {
            *sum += x;
        }
    }
    let sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    rest.iter().fold(sum, |sum, x| sum + x)
}

/// Returns the coefficients of the polynomial by which a derivative of a Gaussian differs from it, in rising powers.
fn polynomial(sigma: f64, order: usize) -> Vec<f64> {
    let variance = sigma * sigma;
    let mut q = vec![1.0];
    for _ in 0..order {
        let mut next = vec![0.0; q.len() + 1];
        for (k, c) in q.iter().enumerate() {
            if k > 0 {
                next[k - 1] += c * k as f64;
            }
            next[k + 1] -= c / variance;
        }
        q = next;
    }
    q
}
