//! The associated Legendre function on the cut, of integer order and real degree.

use super::Real;
use super::gamma::{log_gamma, psi_of, sin_pi};
use super::ops::series;
use crate::exact::big::Big;

/// Up to this degree, or order, the series keep a hundred bits and more.
const DIRECT: f64 = 80.0;
/// Orders and degrees beyond which there is no value.
const MOST_ORDER: f64 = 300.0;
const MOST_DEGREE: f64 = 70_000.0;

/// Arguments of an evaluation: order -n, degree v, argument x within -1 and 1.
struct Point {
    n: f64,
    v: Big,
    x: Big,
}

fn one() -> Big {
    Big::new(1.0)
}

fn factorial(n: f64) -> Big {
    (1..=n as u32).fold(one(), |product, k| product * f64::from(k))
}

/// Computes `1 / Γ(y)`, which is 0 at the poles.
fn inverse_gamma(y: &Big) -> Big {
    if *y > 0.0 { (-log_gamma(y)).exp() } else { sin_pi(y) * log_gamma(&(one() - y)).exp() / Big::pi() }
}

/// Computes the digamma function away from its poles.
fn psi(y: &Big) -> Big {
    if *y > 0.0 {
        return psi_of(y);
    }
    // DLMF 5.5.4, whose cotangent is that of the distance to an integer.
    let sine = sin_pi(y);
    let cosine = sin_pi(&(y + &Big::new(0.5)));
    psi_of(&(one() - y)) - Big::pi() * cosine / sine
}

impl Point {
    /// Computes `((1 - x) / (1 + x))^(n/2)`.
    fn factor(&self) -> Big {
        let square = (one() - &self.x) / (one() + &self.x);
        let whole = square.powi((self.n / 2.0).floor() as usize);
        if self.n % 2.0 == 0.0 { whole } else { whole * square.sqrt() }
    }

    /// Computes DLMF 14.3.1, the hypergeometric series about x = 1.
    fn about_1(&self) -> Big {
        let z = (one() - &self.x) / 2.0;
        let sum = series(one(), |k, term| {
            let ratio = (&self.v + k) * (Big::new(k - 1.0) - &self.v) / (k * (k + self.n));
            term * &ratio * &z
        });
        self.factor() * sum / factorial(self.n)
    }

    /// Computes the expansion about x = -1, where it has a logarithm: Abramowitz & Stegun 15.3.10 and 15.3.11.
    fn about_minus_1(&self) -> Big {
        let (n, u) = (self.n, (one() + &self.x) / 2.0);
        let (a, b) = (&self.v + 1.0, -self.v.clone());
        let mut finite = Big::new(0.0);
        if n > 0.0 {
            let mut term = one();
            for k in 0..n as u32 {
                let k = f64::from(k);
                finite = finite + &term;
                if k + 1.0 < n {
                    term = term * (&a + k) * (&b + k) / ((k + 1.0) * (1.0 - n + k)) * &u;
                }
            }
            finite = finite * factorial(n - 1.0) * inverse_gamma(&(&a + n)) * inverse_gamma(&(&b + n));
        }
        let mut digammas = psi(&(&a + n)) + psi(&(&b + n)) - psi_of(&one()) - psi_of(&Big::new(n + 1.0)) + u.ln();
        let mut term = one() / factorial(n);
        let (mut sum, mut small) = (Big::new(0.0), 0);
        for k in 0..100_000 {
            let k = f64::from(k);
            let next = &term * &digammas;
            sum = sum + &next;
            small = if next.is_below(300, &sum) { small + 1 } else { 0 };
            if small > 3 {
                break;
            }
            let (above, below) = (&a + (n + k), &b + (n + k));
            digammas = digammas + one() / &above + one() / &below - one() / (k + 1.0) - one() / (n + k + 1.0);
            term = term * above * below / ((k + 1.0) * (n + k + 1.0)) * &u;
        }
        // 1 / (Γ(1 + v) Γ(-v)) is -sin(πv) / π.
        let sign = if n % 2.0 == 0.0 { 1.0 } else { -1.0 };
        let logarithmic = sum * u.powi(n as usize) * sin_pi(&self.v) / Big::pi() * sign;
        self.factor() * (finite + logarithmic)
    }

    fn direct(&self) -> Big {
        if self.x.is_negative() { self.about_minus_1() } else { self.about_1() }
    }

    fn of_degree(&self, v: Big) -> Big {
        Point { n: self.n, v, x: self.x.clone() }.direct()
    }

    /// Computes an integer degree v by upward recurrence from that of degree n, `s^n / (2^n n!)` with s the root of 1 -
    /// x^2 (DLMF 14.10.3): near x = 0, where every other one has its zero, no term cancels another.
    fn of_whole_degree(&self, s: Big) -> Big {
        let (mut before, mut now) = (Big::new(0.0), (s / 2.0).powi(self.n as usize) / factorial(self.n));
        let mut v = self.n;
        while self.v > v {
            let up = &self.x * (2.0 * v + 1.0) * &now - before * (v - self.n);
            before = now;
            now = up / (v + self.n + 1.0);
            v += 1.0;
        }
        now
    }

    /// Computes the value. Large degrees follow from two smaller ones; DLMF 14.10.3.
    fn value(&self) -> Big {
        let most = DIRECT.max(self.n + 1.0);
        if self.v <= most {
            return self.direct();
        }
        let steps = (self.v.to_f64() - most).ceil();
        let mut v = &self.v - steps;
        let (mut before, mut now) = (self.of_degree(&v - 1.0), self.of_degree(v.clone()));
        for _ in 0..steps as u32 {
            let up = (&v * 2.0 + 1.0) * &self.x * &now - (&v - self.n) * &before;
            before = now;
            now = up / (&v + (self.n + 1.0));
            v = v + 1.0;
        }
        now
    }
}

/// Computes the spherical Legendre function, normalised on the sphere: DLMF 14.30.1 without the azimuthal factor.
pub(super) fn spherical(degree: i64, order: i64, theta: f64) -> Real {
    let (v, n) = (degree as f64, order.unsigned_abs() as f64);
    if v < n {
        return Real::Zero;
    }
    if v == 0.0 {
        // SciPy's constant, whatever the angle.
        return (one() / (Big::pi() * 4.0).sqrt()).into();
    }
    if !theta.is_finite() {
        return f64::NAN.into();
    }
    // An angle of many turns has lost its digits.
    if n > MOST_ORDER || v > MOST_DEGREE || theta.abs() > 1e15 {
        return Real::Unknown;
    }
    let cosine = Big::new(theta).cos();
    if cosine.is_zero() {
        return Real::Unknown;
    }
    let behind = cosine.is_negative();
    let argument = if behind { -cosine } else { cosine };
    // The root of 1 - cos^2, which keeps its digits near the axis.
    let mut y = Point { n, v: Big::new(v), x: argument }.of_whole_degree(Big::new(theta).sin().abs());
    // (v + n)! / (v - n)! by integers, and the area of the sphere.
    let between = (1..=2 * n as u32).fold(one(), |product, j| product * (v - n + f64::from(j)));
    y = y * (between * (2.0 * v + 1.0) / (Big::pi() * 4.0)).sqrt();
    if y.is_zero() {
        return Real::Zero;
    }
    let odd = order % 2 != 0;
    let flipped = behind && odd != (degree % 2 != 0);
    (if (order > 0 && odd) != flipped { -y } else { y }).into()
}

/// Computes SciPy's function: NaN where the order is no integer and outside of the cut, and its infinities at -1.
pub(super) fn lpmv(m: f64, v: f64, x: f64) -> Real {
    if !(x.abs() <= 1.0 && v.is_finite() && m.is_finite() && m == m.floor()) {
        return f64::NAN.into();
    }
    let (n, whole) = (m.abs(), v == v.floor());
    // The function of degree -1 - v is the same.
    let degree = if v < -0.5 { Big::new(-1.0) - v } else { Big::new(v) };
    if whole && degree < n {
        return if m < 0.0 { f64::NAN.into() } else { Real::Zero };
    }
    let odd = whole && (degree.to_f64() + n) % 2.0 != 0.0;
    if x.abs() == 1.0 {
        return match (n == 0.0, x < 0.0 && !whole) {
            (true, true) => f64::NEG_INFINITY.into(),
            (false, true) => f64::INFINITY.into(),
            (true, false) => (if x < 0.0 && odd { -1.0 } else { 1.0 }).into(),
            (false, false) => Real::Zero,
        };
    }
    if n > MOST_ORDER || degree > MOST_DEGREE {
        return Real::Unknown;
    }
    // For an integer degree it is odd or even.
    let argument = Big::new(if whole { x.abs() } else { x });
    let point = Point { n, v: degree.clone(), x: argument };
    let mut y = if whole { point.of_whole_degree((one() - &point.x * &point.x).sqrt()) } else { point.value() };
    if m > 0.0 {
        // DLMF 14.9.3.
        for j in 1..=n as u32 {
            y = -(y * (&degree - (n - f64::from(j))) * (&degree + f64::from(j)));
        }
    }
    if y.is_zero() {
        return Real::Zero;
    }
    (if x < 0.0 && odd { -y } else { y }).into()
}
