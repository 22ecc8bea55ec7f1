//! Bases of orthogonal polynomials, by the explicit powers of each polynomial (NIST Digital Library of Mathematical
//! Functions, section 18.5), in 256 bits. The recurrences only give the magnitudes of the terms of a sum, by which the
//! errors of any order of summation are bounded.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::value::Value;
use crate::exact::big::Big;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Basis {
    Chebyshev,
    Legendre,
    Laguerre,
    Hermite,
    HermiteE,
}

/// A complex number of 256 bits.
#[derive(Clone)]
pub(crate) struct Wide {
    pub(crate) re: Big,
    pub(crate) im: Big,
}

impl Wide {
    pub(crate) fn new(v: Value) -> Wide {
        let z = v.complex();
        Wide { re: Big::new(z.re), im: Big::new(z.im) }
    }

    pub(crate) fn zero() -> Wide {
        Wide::new(Value::Int(0))
    }

    pub(crate) fn plus(&self, other: &Wide) -> Wide {
        Wide { re: &self.re + &other.re, im: &self.im + &other.im }
    }

    pub(crate) fn minus(&self, other: &Wide) -> Wide {
        Wide { re: &self.re - &other.re, im: &self.im - &other.im }
    }

    pub(crate) fn times(&self, other: &Wide) -> Wide {
        Wide {
            re: &(&self.re * &other.re) - &(&self.im * &other.im),
            im: &(&self.re * &other.im) + &(&self.im * &other.re),
        }
    }

    pub(crate) fn scaled(&self, by: &Big) -> Wide {
        Wide { re: &self.re * by, im: &self.im * by }
    }

    pub(crate) fn over(&self, other: &Wide) -> Wide {
        let square = &(&other.re * &other.re) + &(&other.im * &other.im);
        let conjugate = Wide { re: other.re.clone(), im: &Big::new(0.0) - &other.im };
        self.times(&conjugate).scaled(&(&Big::new(1.0) / &square))
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.re.is_zero() && self.im.is_zero()
    }

    pub(crate) fn norm(&self) -> f64 {
        Complex64::new(self.re.round(DType::F64), self.im.round(DType::F64)).norm()
    }

    pub(crate) fn rounded(&self, dtype: DType) -> Value {
        if dtype.is_complex() {
            Value::Complex(Complex64::new(self.re.round(dtype), self.im.round(dtype)))
        } else {
            Value::Float(self.re.round(dtype))
        }
    }
}

fn factorial(n: usize) -> Big {
    (1..=n).fold(Big::new(1.0), |product, k| &product * &Big::new(k as f64))
}

/// The recurrence `B(k + 1) = up (x - shift) B(k) - down B(k - 1)`.
struct Recurrence {
    up: f64,
    shift: f64,
    down: f64,
}

impl Basis {
    /// Returns the coefficients of the powers in the polynomial of a degree.
    pub(crate) fn powers(self, n: usize) -> Vec<Big> {
        let mut all = vec![Big::new(0.0); n + 1];
        let signed = |m: usize, v: Big| if m % 2 == 1 { &Big::new(0.0) - &v } else { v };
        let two = |k: usize| Big::new(2f64.powi(k as i32));
        if self == Basis::Laguerre {
            for (j, a) in all.iter_mut().enumerate() {
                let below = &factorial(n - j) * &(&factorial(j) * &factorial(j));
                *a = signed(j, &factorial(n) / &below);
            }
            return all;
        }
        for m in 0..=n / 2 {
            let k = n - 2 * m;
            let below = &factorial(m) * &factorial(k);
            let v = match self {
                Basis::Chebyshev if n == 0 => Big::new(1.0),
                Basis::Chebyshev => {
                    let above = &(&Big::new(n as f64) * &factorial(n - m - 1)) * &two(k);
                    &above / &(&below * &Big::new(2.0))
                }
                Basis::Legendre => &factorial(2 * n - 2 * m) / &(&(&below * &factorial(n - m)) * &two(n)),
                Basis::Hermite => &(&factorial(n) * &two(k)) / &below,
                _ => &factorial(n) / &(&below * &two(m)),
            };
            all[k] = signed(m, v);
        }
        all
    }

    fn recurrence(self, k: usize) -> Recurrence {
        let n = k as f64;
        let (up, shift, down) = match self {
            Basis::Chebyshev => (if k == 0 { 1.0 } else { 2.0 }, 0.0, 1.0),
            Basis::Legendre => ((2.0 * n + 1.0) / (n + 1.0), 0.0, n / (n + 1.0)),
            Basis::Laguerre => (-1.0 / (n + 1.0), 2.0 * n + 1.0, n / (n + 1.0)),
            Basis::Hermite => (2.0, 0.0, 2.0 * n),
            Basis::HermiteE => (1.0, 0.0, n),
        };
        Recurrence { up: f64::abs(up), shift, down }
    }

    /// Returns the power series of a series.
    pub(crate) fn to_powers(self, c: &[Wide]) -> Vec<Wide> {
        let mut out = vec![Wide::zero(); c.len()];
        for (k, c) in c.iter().enumerate() {
            for (out, a) in out.iter_mut().zip(self.powers(k)) {
                *out = out.plus(&c.scaled(&a));
            }
        }
        out
    }

    /// Returns the series of a power series.
    pub(crate) fn of_powers(self, p: &[Wide]) -> Vec<Wide> {
        let (mut left, mut out) = (p.to_vec(), vec![Wide::zero(); p.len()]);
        for k in (0..p.len()).rev() {
            let powers = self.powers(k);
            out[k] = left[k].scaled(&(&Big::new(1.0) / &powers[k]));
            for (left, a) in left.iter_mut().zip(&powers) {
                *left = left.minus(&out[k].scaled(a));
            }
        }
        out
    }

    /// Returns the magnitudes of the terms of a series times the variable.
    fn size_by_x(self, c: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; c.len() + 1];
        for (k, c) in c.iter().enumerate() {
            let step = self.recurrence(k);
            out[k + 1] += c / step.up;
            out[k] += c * step.shift;
            if k > 0 {
                out[k - 1] += c * step.down / step.up;
            }
        }
        out
    }

    /// Returns the magnitudes of the terms of the basis polynomials up to a degree times a series.
    pub(crate) fn sizes_of_products(self, degree: usize, c: &[f64]) -> Vec<Vec<f64>> {
        let mut all = vec![c.to_vec()];
        for k in 0..degree {
            let step = self.recurrence(k);
            let mut next = self.size_by_x(&all[k]);
            next.iter_mut().zip(&all[k]).for_each(|(n, c)| *n += c * step.shift);
            next.iter_mut().for_each(|n| *n *= step.up);
            if k > 0 {
                next.iter_mut().zip(&all[k - 1]).for_each(|(n, c)| *n += c * step.down);
            }
            all.push(next);
        }
        all
    }

    /// Returns the magnitudes of the terms of the basis polynomials at a point of a magnitude.
    pub(crate) fn sizes(self, degree: usize, x: f64) -> Vec<f64> {
        let mut all = vec![1.0];
        for k in 0..degree {
            let step = self.recurrence(k);
            let before = if k > 0 { step.down * all[k - 1] } else { 0.0 };
            all.push(step.up * (x + step.shift) * all[k] + before);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_powers_satisfy_the_recurrences() {
        for basis in [Basis::Chebyshev, Basis::Legendre, Basis::Laguerre, Basis::Hermite, Basis::HermiteE] {
            let at = |n: usize, x: f64| {
                let powers = basis.powers(n);
                powers.iter().rev().fold(0.0, |sum, a| sum * x + a.round(DType::F64))
            };
            for (k, x) in [(1, 0.75), (2, -1.5), (3, 0.5), (6, 1.25)] {
                let step = basis.recurrence(k);
                let up = if basis == Basis::Laguerre { -step.up } else { step.up };
                let next = up * (x - step.shift) * at(k, x) - step.down * at(k - 1, x);
                assert!((at(k + 1, x) - next).abs() < 1e-9 * (1.0 + next.abs()), "{k} {x}");
            }
        }
    }

    #[test]
    fn a_series_and_its_power_series_are_converted_both_ways() {
        let c: Vec<Wide> = [2.0, -1.0, 0.5, 3.0].map(|v| Wide::new(Value::Float(v))).to_vec();
        for basis in [Basis::Chebyshev, Basis::Legendre, Basis::Laguerre, Basis::Hermite, Basis::HermiteE] {
            let back = basis.of_powers(&basis.to_powers(&c));
            assert!(back.iter().zip(&c).all(|(a, b)| a.minus(b).norm() < 1e-30));
        }
    }
}
