//! Discrete prolate spheroidal sequences, computed on the host.
//!
//! The sequences are the eigenvectors of a symmetric tridiagonal matrix that commutes with the matrix of the sinc
//! kernel, in the order of falling eigenvalues (D. Slepian, "Prolate Spheroidal Wave Functions, Fourier Analysis, and
//! Uncertainty V", Bell System Technical Journal 57(5), 1978). Eigenvalues are found by bisection with Sturm counts,
//! and eigenvectors by inverse iteration.

use std::f64::consts::PI;

use num_complex::Complex64;

/// Scale of the sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DpssNorm {
    /// The sum of the squares of each sequence is 1.
    Unit,
    /// The largest element is 1; for even lengths, where no element is at the maximum, `n^2 / (n^2 + nw)`.
    Approximate,
    /// The largest element is 1; for even lengths that of the first sequence moved by half an element.
    Subsample,
}

/// A symmetric tridiagonal matrix.
struct Tridiagonal {
    diagonal: Vec<f64>,
    /// Element k is that of row k and column k + 1.
    beside: Vec<f64>,
}

impl Tridiagonal {
    /// Returns the number of eigenvalues above x: the positive pivots of the factorisation of the matrix minus x.
    fn above(&self, x: f64, tiny: f64) -> usize {
        let (mut count, mut pivot) = (0, 1.0f64);
        for (k, d) in self.diagonal.iter().enumerate() {
            let e = if k > 0 { self.beside[k - 1] } else { 0.0 };
            pivot = d - x - e * e / pivot;
            if pivot.abs() < tiny {
                pivot = -tiny;
            }
            count += usize::from(pivot > 0.0);
        }
        count
    }

    /// Returns the `rank`-th largest eigenvalue, from 0 on, between bounds.
    fn eigenvalue(&self, rank: usize, (mut low, mut high): (f64, f64), tiny: f64) -> f64 {
        // At least rank + 1 eigenvalues are above `low`, at most rank above `high`.
        loop {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                return middle;
            }
            if self.above(middle, tiny) > rank { low = middle } else { high = middle }
        }
    }

    /// Solves (matrix - x) v = v by Gaussian elimination with exchanges of neighbouring rows.
    fn solve(&self, x: f64, v: &mut [f64], tiny: f64) {
        let n = v.len();
        // The rows of the upper triangle have at most three elements.
        let mut rows = vec![[0.0; 3]; n];
        let beside = |k: usize| self.beside.get(k).copied().unwrap_or(0.0);
        let mut row = [self.diagonal[0] - x, beside(0), 0.0];
        for k in 0..n - 1 {
            let mut next = [beside(k), self.diagonal[k + 1] - x, beside(k + 1)];
            if next[0].abs() > row[0].abs() {
                std::mem::swap(&mut row, &mut next);
                v.swap(k, k + 1);
            }
            if row[0] == 0.0 {
                row[0] = tiny;
            }
            let factor = next[0] / row[0];
            v[k + 1] -= factor * v[k];
            rows[k] = row;
            row = [next[1] - factor * row[1], next[2] - factor * row[2], 0.0];
        }
        if row[0].abs() < tiny {
            row[0] = tiny;
        }
        rows[n - 1] = row;
        for k in (0..n).rev() {
            let sum: f64 = (1..3).filter(|j| k + j < n).map(|j| rows[k][j] * v[k + j]).sum();
            v[k] = (v[k] - sum) / rows[k][0];
        }
    }
}

fn normalize(v: &mut [f64]) {
    // The largest element first, so that squares are neither too large nor too small.
    let largest = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    v.iter_mut().for_each(|x| *x /= largest);
    let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.iter_mut().for_each(|x| *x /= norm);
}

/// Returns the first `count` sequences of n elements and half bandwidth `nw / n`, with sums of squares of 1. Even ones
/// have a positive sum, odd ones begin with a positive lobe.
pub(super) fn sequences(n: usize, nw: f64, count: usize) -> Vec<Vec<f64>> {
    let (length, factor) = (n as f64, (2.0 * PI * nw / n as f64).cos());
    let diagonal = (0..n).map(|k| ((length - 1.0 - 2.0 * k as f64) / 2.0).powi(2) * factor).collect();
    let beside: Vec<f64> = (1..n).map(|k| k as f64 * (length - k as f64) / 2.0).collect();
    let matrix = Tridiagonal { diagonal, beside };
    let radius = |k: usize| {
        let at = |k: usize| matrix.beside.get(k).copied().unwrap_or(0.0);
        if k > 0 { at(k - 1) + at(k) } else { at(k) }
    };
    let ends = |sign: f64| (0..n).map(move |k| (k, sign));
    let high = ends(1.0).map(|(k, s)| matrix.diagonal[k] + s * radius(k)).fold(f64::MIN, f64::max);
    let low = ends(-1.0).map(|(k, s)| matrix.diagonal[k] + s * radius(k)).fold(f64::MAX, f64::min);
    // The matrix of one element is 0.
    let size = high.abs().max(low.abs()).max(1.0);
    let (tiny, margin) = (size * f64::EPSILON * f64::EPSILON, size * 1e-10);
    let mut all: Vec<Vec<f64>> = Vec::with_capacity(count);
    let mut high = high + margin;
    for rank in 0..count {
        let x = matrix.eigenvalue(rank, (low - margin, high), tiny);
        high = x + margin;
        // A start without symmetry.
        let mut v: Vec<f64> = (0..n).map(|k| 1.0 + ((k * 7919 + rank * 104_729) % 1009) as f64 / 2018.0).collect();
        for _ in 0..4 {
            matrix.solve(x, &mut v, tiny);
            normalize(&mut v);
        }
        for before in &all {
            let product: f64 = before.iter().zip(&v).map(|(a, b)| a * b).sum();
            v.iter_mut().zip(before).for_each(|(x, b)| *x -= product * b);
        }
        normalize(&mut v);
        let is_negative = if rank % 2 == 0 {
            v.iter().sum::<f64>() < 0.0
        } else {
            let least = 1e-7f64.max(1.0 / length);
            v.iter().find(|x| **x * **x > least).is_some_and(|x| *x < 0.0)
        };
        if is_negative {
            v.iter_mut().for_each(|x| *x = -*x);
        }
        all.push(v);
    }
    all
}

/// Returns the part of the energy of each sequence within the band, for which the autocorrelation is weighted by the
/// sinc kernel.
pub(super) fn ratios(sequences: &[Vec<f64>], nw: f64) -> Vec<f64> {
    let ratio = |v: &Vec<f64>| {
        let n = v.len();
        let width = nw / n as f64;
        let correlation = autocorrelation(v);
        (0..n)
            .map(|k| {
                correlation[k]
                    * if k == 0 { 2.0 * width } else { 2.0 * (2.0 * PI * width * k as f64).sin() / (PI * k as f64) }
            })
            .sum()
    };
    sequences.iter().map(ratio).collect()
}

/// Returns the sums of products of elements that are k apart, for each k.
fn autocorrelation(v: &[f64]) -> Vec<f64> {
    let size = (2 * v.len()).next_power_of_two();
    let mut spectrum: Vec<Complex64> = v.iter().map(|x| Complex64::from(*x)).collect();
    spectrum.resize(size, Complex64::default());
    transform(&mut spectrum);
    for z in &mut spectrum {
        *z = z.norm_sqr().into();
    }
    // The autocorrelation is even: a forward transform is its inverse but for the scale.
    transform(&mut spectrum);
    spectrum.iter().take(v.len()).map(|z| z.re / size as f64).collect()
}

/// Discrete Fourier transform of a power of two of elements, in place.
fn transform(x: &mut [Complex64]) {
    let n = x.len();
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits.max(1));
        if bits > 0 && i < j {
            x.swap(i, j);
        }
    }
    let roots: Vec<Complex64> = (0..n / 2).map(|k| Complex64::cis(-2.0 * PI * k as f64 / n as f64)).collect();
    let mut half = 1;
    while half < n {
        for block in x.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let product = *b * roots[k * (n / 2 / half)];
                (*a, *b) = (*a + product, *a - product);
            }
        }
        half *= 2;
    }
}

/// Scales sequences to a norm.
pub(super) fn scale(sequences: &mut [Vec<f64>], nw: f64, norm: DpssNorm) {
    let Some(n) = sequences.first().map(Vec::len).filter(|_| norm != DpssNorm::Unit) else { return };
    let length = n as f64;
    let largest = sequences.iter().flatten().fold(f64::MIN, |m, x| m.max(*x));
    let mut factor = 1.0 / largest;
    if n.is_multiple_of(2) {
        factor *= match norm {
            DpssNorm::Approximate => length * length / (length * length + nw),
            _ => {
                // The value half an element next to the middle, by the terms of the transform.
                let scaled: Vec<f64> = sequences[0].iter().map(|x| x / largest).collect();
                let moved =
                    |k: usize| 2.0 * (term(&scaled, k) * Complex64::cis(PI * (1.0 - 1.0 / length) * k as f64)).re;
                length / (term(&scaled, 0).re + (1..=n / 2).map(moved).sum::<f64>())
            }
        };
    }
    sequences.iter_mut().flatten().for_each(|x| *x *= factor);
}

/// Returns a term of the discrete Fourier transform.
fn term(v: &[f64], k: usize) -> Complex64 {
    let n = v.len();
    v.iter().enumerate().map(|(i, x)| x * Complex64::cis(-2.0 * PI * ((i * k) % n) as f64 / n as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_orthonormal_eigenvectors_of_the_sinc_kernel() {
        let (n, nw) = (37, 2.5);
        let all = sequences(n, nw, 5);
        let parts = ratios(&all, nw);
        let width = nw / n as f64;
        for (i, v) in all.iter().enumerate() {
            for (j, w) in all.iter().enumerate() {
                let product: f64 = v.iter().zip(w).map(|(a, b)| a * b).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-13, "{i} {j} {product}");
            }
            for row in 0..n {
                let kernel = |k: usize| {
                    let d = row.abs_diff(k) as f64;
                    if d == 0.0 { 2.0 * width } else { (2.0 * PI * width * d).sin() / (PI * d) }
                };
                let sum: f64 = (0..n).map(|k| kernel(k) * v[k]).sum();
                assert!((sum - parts[i] * v[row]).abs() < 1e-13, "{i} {row}");
            }
        }
        assert!(parts.windows(2).all(|pair| pair[0] > pair[1]) && parts[0] > 0.9999);
    }

    #[test]
    fn one_element_is_a_sequence() {
        assert_eq!(sequences(1, 0.25, 1), [[1.0]]);
        assert!((ratios(&[vec![1.0]], 0.25)[0] - 0.5).abs() < 1e-15);
    }
}
