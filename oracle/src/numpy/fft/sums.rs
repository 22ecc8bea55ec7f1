//! Sums of products that are rounded once, and cosines of exactly reduced angles, for the definitions of transforms.

use std::f64::consts::PI;

use num_complex::Complex64;

/// Computes `cos(π num / den)`, with the angle reduced below a quarter of π in integers.
pub(super) fn cos_pi(num: i64, den: i64) -> f64 {
    let mut m = num.rem_euclid(2 * den);
    if m > den {
        m = 2 * den - m;
    }
    if 2 * m > den {
        return -cos_pi(den - m, den);
    }
    if 4 * m > den {
        return (PI * (den - 2 * m) as f64 / (2 * den) as f64).sin();
    }
    (PI * m as f64 / den as f64).cos()
}

/// Computes `sin(π num / den)`.
pub(super) fn sin_pi(num: i64, den: i64) -> f64 {
    cos_pi(2 * num - den, 2 * den)
}

/// A compensated sum (T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot product", 2005).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    pub(super) fn add(&mut self, a: f64, b: f64) {
        let product = a * b;
        let lost = a.mul_add(b, -product);
        let sum = self.high + product;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (product - part) + lost;
        self.high = sum;
    }

    pub(super) fn value(self) -> f64 {
        // After an overflow, or with a NaN, the compensation is meaningless.
        if self.high.is_finite() { self.high + self.low } else { self.high }
    }
}

/// Computes the discrete Fourier transform of a 1-D slice by its definition.
pub(super) fn transform(line: &[Complex64], inverse: bool) -> Vec<Complex64> {
    let n = line.len() as i64;
    let sign = if inverse { 1.0 } else { -1.0 };
    let turns: Vec<Complex64> = (0..n).map(|t| Complex64::new(cos_pi(2 * t, n), sign * sin_pi(2 * t, n))).collect();
    let one = |k: i64| {
        let (mut re, mut im) = (Sum::default(), Sum::default());
        for (m, x) in line.iter().enumerate() {
            let w = turns[(m as i64 * k % n) as usize];
            re.add(x.re, w.re);
            re.add(-x.im, w.im);
            im.add(x.re, w.im);
            im.add(x.im, w.re);
        }
        Complex64::new(re.value(), im.value())
    };
    (0..n).map(one).collect()
}

/// Sums elements times weights that depend on both indices.
pub(super) fn weighted(line: &[f64], weight: impl Fn(i64) -> f64) -> f64 {
    let mut sum = Sum::default();
    line.iter().enumerate().for_each(|(m, x)| sum.add(*x, weight(m as i64)));
    sum.value()
}
