//! The logarithm and the reciprocal of the gamma function, and the exponential, sine and cosine integrals of complex
//! numbers.

use super::super::gamma::euler;
use super::{Big, Complex64, DType, Flag, Pair, Value, bernoulli, gamma_of, is_pole, stirling_sum};

/// The modulus up to which series keep enough of 256 bits, of which cancellation takes up to three a unit.
const LARGE: f64 = 50.0;

/// Sums `z^k / (k k!)` from k of 1.
fn exponential_series(z: &Pair) -> Pair {
    let (mut term, mut sum) = (z.clone(), z.clone());
    for k in 2..2000 {
        let k = f64::from(k);
        term = term.mul(z).times(&(Big::new(1.0) / Big::new(k)));
        let next = term.times(&(Big::new(1.0) / Big::new(k)));
        sum = sum.add(&next);
        if next.re.abs().to_f64() + next.im.abs().to_f64() < 1e-60 {
            break;
        }
    }
    sum
}

/// Computes E1 by DLMF 6.6.2.
fn e1(z: &Pair) -> Pair {
    let log = z.ln();
    let sum = exponential_series(&z.times(&Big::new(-1.0)));
    Pair { re: -(&log.re + &euler()) - sum.re, im: -log.im - sum.im }
}

/// Computes log Γ by DLMF 5.11.1 to the right, after the recurrence, and to the left by DLMF 5.5.3 above the axis.
fn log_gamma(z: &Pair) -> Pair {
    if z.re.is_negative() {
        let below = z.im.is_negative();
        let z = Pair { re: z.re.clone(), im: z.im.abs() };
        // log 2π + iπ(z - 1/2) - log(1 - e^(2iπz)) - log Γ(1 - z).
        let turn = Pair::half_turns(&z.re);
        let square = turn.mul(&turn).times(&(-(&z.im * &Big::pi()) * 2.0).exp());
        let rest = square.complement().ln();
        let right = log_gamma(&z.complement());
        let re = (Big::pi() * 2.0).ln() - &z.im * &Big::pi() - rest.re - right.re;
        let im = (&z.re - &Big::new(0.5)) * Big::pi() - rest.im - right.im;
        return Pair { re, im: if below { -im } else { im } };
    }
    let (mut z, mut steps) = (z.clone(), Pair::real(0.0));
    while z.is_small() {
        steps = steps.add(&z.ln());
        z.re = z.re + 1.0;
    }
    let rest = stirling_sum(&z, |k| bernoulli(k) / (2.0 * k as f64 * (2.0 * k as f64 - 1.0)));
    let mut log = z.sub(&Pair::real(0.5)).mul(&z.ln()).sub(&z).add(&rest).sub(&steps);
    log.re = log.re + (Big::pi() * 2.0).ln() / 2.0;
    log
}

/// Computes erfc to the right of the imaginary axis by its series, or by DLMF 7.12.1.
fn complement(t: &Pair) -> Pair {
    let square = t.mul(t);
    let scale = square.times(&Big::new(-1.0)).exp();
    let size = t.re.abs().to_f64() + t.im.abs().to_f64();
    let root = Big::pi().sqrt();
    let (mut term, mut sum) = (Pair::real(1.0), Pair::real(1.0));
    if size > 8.0 && t.re.to_f64() > 1.0 {
        let inverse = Pair::real(1.0).div(&square.times(&Big::new(2.0)));
        for n in 1..60 {
            term = term.mul(&inverse).times(&Big::new(-(2.0 * f64::from(n) - 1.0)));
            sum = sum.add(&term);
        }
        return scale.mul(&sum).div(&t.times(&root));
    }
    for n in 1..4000 {
        term = term.mul(&square).times(&(Big::new(2.0) / Big::new(2.0 * f64::from(n) + 1.0)));
        sum = sum.add(&term);
        if term.re.abs().to_f64() + term.im.abs().to_f64() < 1e-60 * (1.0 + sum.re.abs().to_f64()) {
            break;
        }
    }
    t.mul(&sum).mul(&scale).times(&(Big::new(2.0) / root)).complement()
}

/// Returns a value whose zeros have any sign.
fn rounded(w: &Pair, dtype: DType) -> (Value, Flag) {
    let w = w.round(dtype);
    let vanishes = w.re == 0.0 || w.im == 0.0;
    (Value::Complex(w), if vanishes { Flag::AnySign } else { Flag::Exact })
}

fn unknown() -> (Value, Flag) {
    (Value::Complex(Complex64::new(f64::NAN, f64::NAN)), Flag::Any)
}

pub(super) fn value(name: &str, z: Complex64, dtype: DType) -> (Value, Flag) {
    if !z.is_finite() || z.norm() > LARGE || z.norm() < 1e-100 {
        return unknown();
    }
    let p = Pair::new(z);
    // On the axis, the signs of zeros and the sides of cuts are those that SciPy's formulas have.
    let is_real = z.im == 0.0;
    match name {
        "rgamma" if is_real && is_pole(z.re) => (Value::Complex(Complex64::new(0.0, 0.0)), Flag::AnySign),
        "rgamma" => rounded(&Pair::real(1.0).div(&gamma_of(&p)), dtype),
        "loggamma" if is_real && z.re <= 0.0 => unknown(),
        "loggamma" => rounded(&log_gamma(&p), dtype),
        "exp1" | "expi" if is_real && z.re <= 0.0 => unknown(),
        "exp1" => rounded(&e1(&p), dtype),
        "expi" => {
            let mut w = e1(&p.times(&Big::new(-1.0))).times(&Big::new(-1.0));
            if is_real {
                w.im = Big::new(0.0);
            } else {
                w.im = w.im + Big::pi().with_sign(z.im);
            }
            rounded(&w, dtype)
        }
        // Far from the axis the logarithm's turns are those of the exponent.
        _ if z.norm() > 12.0 => unknown(),
        _ => {
            let left = z.re < 0.0;
            let t = p.times(&(Big::new(if left { -1.0 } else { 1.0 }) / Big::new(2.0).sqrt()));
            let half = complement(&t).times(&Big::new(0.5));
            rounded(&if left { half } else { half.complement() }.ln(), dtype)
        }
    }
}

/// Computes the sine or cosine integral for a `sign` of -1, and otherwise their hyperbolic counterparts, by series.
pub(in super::super) fn integral(z: Complex64, sign: f64, k: usize, dtype: DType) -> (Value, Flag) {
    if !z.is_finite() || z.norm() > LARGE || z.norm() < 1e-100 || z.im == 0.0 && z.re < 0.0 {
        return unknown();
    }
    let z = Pair::new(z);
    let square = z.mul(&z).times(&Big::new(sign));
    let (mut term, mut sum) = if k == 0 { (z.clone(), z.clone()) } else { (Pair::real(1.0), Pair::real(0.0)) };
    for n in 1..2000 {
        // The factorial's next two factors, and the divisor.
        let top = 2.0 * f64::from(n) + if k == 0 { 1.0 } else { 0.0 };
        term = term.mul(&square).times(&(Big::new(1.0) / (Big::new(top) * (top - 1.0))));
        let next = term.times(&(Big::new(1.0) / Big::new(top)));
        sum = sum.add(&next);
        if next.re.abs().to_f64() + next.im.abs().to_f64() < 1e-60 {
            break;
        }
    }
    if k == 1 {
        sum = sum.add(&z.ln());
        sum.re = sum.re + euler();
    }
    rounded(&sum, dtype)
}
