//! The beta function, binomial coefficients, the incomplete beta functions and their inverses, and the distributions that
//! they define.

use super::Real;
use super::gamma::{gamma_of, is_pole, log_gamma};
use super::incomplete::{gammainc, gammaincc, gammainccinv};
use super::ops::series;
use crate::exact::big::Big;

fn one() -> Big {
    Big::new(1.0)
}

fn log_beta(a: &Big, b: &Big) -> Big {
    log_gamma(a) + log_gamma(b) - log_gamma(&(a + b))
}

/// Returns SciPy's beta function at a pole of its first operand, as the operands of one without poles; `None` where it
/// is infinite.
fn at_pole(a: f64, b: f64) -> Option<(f64, f64)> {
    (b == b.floor() && 1.0 - a - b > 0.0 && b > 0.0).then_some((1.0 - a - b, b))
}

pub(super) fn beta(a: f64, b: f64) -> Real {
    match () {
        () if !a.is_finite() || !b.is_finite() => Real::Unknown,
        () if a > 0.0 && b > 0.0 => log_beta(&Big::new(a), &Big::new(b)).exp().into(),
        () if is_pole(a) || is_pole(b) => {
            let (a, b) = if is_pole(a) { (a, b) } else { (b, a) };
            match at_pole(a, b) {
                Some((a, b)) => {
                    let size = log_beta(&Big::new(a), &Big::new(b)).exp();
                    (if b % 2.0 == 0.0 { size } else { -size }).into()
                }
                None => f64::INFINITY.into(),
            }
        }
        () => {
            let sum = Big::new(a) + b;
            if is_pole(sum.to_f64()) && Big::new(sum.to_f64()) - &sum == 0.0 {
                return Real::Zero;
            }
            (gamma_of(&Big::new(a)) * gamma_of(&Big::new(b)) / gamma_of(&sum)).into()
        }
    }
}

pub(super) fn betaln(a: f64, b: f64) -> Real {
    if a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite() {
        if a == 1.0 && b == 1.0 {
            return 0.0.into();
        }
        return log_beta(&Big::new(a), &Big::new(b)).into();
    }
    match beta(a, b) {
        Real::Big(v) if v.abs() == 1.0 => 0.0.into(),
        Real::Big(v) => v.abs().ln().into(),
        Real::Float(v) => v.abs().ln().into(),
        Real::Zero => f64::NEG_INFINITY.into(),
        Real::Unknown => Real::Unknown,
    }
}

pub(super) fn binom(n: f64, k: f64) -> Real {
    if !n.is_finite() || !k.is_finite() {
        return if n.is_nan() || k.is_nan() { f64::NAN.into() } else { Real::Unknown };
    }
    if n < 0.0 && n == n.floor() {
        return f64::NAN.into();
    }
    let (n, mut k) = (Big::new(n), k);
    let rest = &n - &Big::new(k);
    // The smaller of two integers.
    if rest.to_f64() == rest.to_f64().floor() && n.to_f64() == n.to_f64().floor() && k > rest.to_f64() {
        k = rest.to_f64();
    }
    if k == k.floor() && k < 2000.0 {
        if k < 0.0 {
            return Real::Zero;
        }
        let product = (0..k as usize).fold(one(), |y, i| y * (&n - &Big::new(i as f64)) / (i as f64 + 1.0));
        return if product.is_zero() { Real::Zero } else { product.into() };
    }
    let (above, below) = (&n - &Big::new(k) + 1.0, Big::new(k) + 1.0);
    if [&above, &below].into_iter().any(|x| is_pole(x.to_f64()) && Big::new(x.to_f64()) - x == 0.0) {
        return Real::Zero;
    }
    (gamma_of(&(n + 1.0)) / gamma_of(&above) / gamma_of(&below)).into()
}

/// Computes the lower function by DLMF 8.17.8, whose terms are positive.
fn lower(a: &Big, b: &Big, x: &Big, y: &Big, log_beta: &Big) -> Big {
    let sum = series(one(), |n, term| term * x * (a + b + (n - 1.0)) / (a + &Big::new(n)));
    let front = (x.ln() * a + y.ln() * b - log_beta).exp();
    front * sum / a
}

/// Computes both functions. Complements keep 256 bits less those of the value.
fn both(a: &Big, b: &Big, x: &Big, y: &Big, log_beta: &Big) -> (Big, Big) {
    if *x <= 0.5 {
        let p = lower(a, b, x, y, log_beta);
        let q = one() - &p;
        if q.is_below(150, &one()) { (p, lower(b, a, y, x, log_beta)) } else { (p, q) }
    } else {
        let q = lower(b, a, y, x, log_beta);
        let p = one() - &q;
        if p.is_below(150, &one()) { (lower(a, b, x, y, log_beta), q) } else { (p, q) }
    }
}

/// Computes the pair for any operands: `None` for NaN.
fn pair(a: f64, b: f64, x: &Big) -> Option<(Real, Real)> {
    let certain = |p: f64| Some((Real::Float(p), Real::Float(1.0 - p)));
    match () {
        () if a.is_nan() || b.is_nan() || a < 0.0 || b < 0.0 || *x < 0.0 || *x > 1.0 => None,
        () if a == 0.0 && b == 0.0 || a.is_infinite() && b.is_infinite() => None,
        () if a == 0.0 || b.is_infinite() => certain(if *x > 0.0 { 1.0 } else { 0.0 }),
        () if b == 0.0 || a.is_infinite() => certain(if *x < 1.0 { 0.0 } else { 1.0 }),
        () if x.is_zero() => certain(0.0),
        () if *x == 1.0 => certain(1.0),
        () => {
            let (a, b) = (Big::new(a), Big::new(b));
            let (p, q) = both(&a, &b, x, &(one() - x), &log_beta(&a, &b));
            Some((p.into(), q.into()))
        }
    }
}

fn first(pair: Option<(Real, Real)>) -> Real {
    pair.map_or(f64::NAN.into(), |pair| pair.0)
}

fn second(pair: Option<(Real, Real)>) -> Real {
    pair.map_or(f64::NAN.into(), |pair| pair.1)
}

/// Returns the pair at a float64, `None` for NaN.
fn at(a: f64, b: f64, x: f64) -> Option<(Real, Real)> {
    x.is_finite().then(|| pair(a, b, &Big::new(x)))?
}

pub(super) fn betainc(a: f64, b: f64, x: f64) -> Real {
    first(at(a, b, x))
}

/// Finds the point by Newton's method on the logarithm of the smaller function, as a function of log(x / (1 - x)), within
/// known bounds; and its complement.
fn inverse(a: f64, b: f64, p: &Big, q: &Big) -> (Big, Big) {
    let is_lower = p.to_f64() <= q.to_f64();
    let goal = if is_lower { p.ln() } else { q.ln() };
    let (size_a, size_b) = (a, b);
    let (a, b) = (Big::new(a), Big::new(b));
    let log_beta = log_beta(&a, &b);
    let (mut low, mut high) = (-1e6f64, 1e6f64);
    let mut t = Big::new((size_a / size_b).ln());
    // Where the series is its first term.
    let of_p = if is_lower { p.ln() } else { (-q.clone()).ln_1p() };
    let small = (of_p + &log_beta + a.ln()) / &a;
    if small < -30.0 {
        t = small;
    }
    let at = |t: &Big| {
        let e = (-t.abs()).exp();
        let (near, far) = (&e / &(&e + 1.0), one() / (&e + 1.0));
        if t.is_negative() { (near, far) } else { (far, near) }
    };
    for _ in 0..200 {
        let (x, y) = at(&t);
        let (p, q) = both(&a, &b, &x, &y, &log_beta);
        let value = if is_lower { p } else { q };
        let error = value.ln() - &goal;
        if (error < 0.0) == is_lower {
            low = t.to_f64();
        } else {
            high = t.to_f64();
        }
        let slope = (x.ln() * &a + y.ln() * &b - &log_beta).exp() / &value;
        let step = if slope.is_zero() { Big::new(f64::MAX) } else { error / slope };
        let mut next = if is_lower { &t - &step } else { &t + &step };
        if next < low || next > high {
            next = Big::new((low.max(-1e5) + high.min(1e5)) / 2.0);
        }
        let moved = (&next - &t).abs();
        t = next;
        if moved.is_zero() || moved.to_f64() < 1e-22 {
            break;
        }
    }
    at(&t)
}

fn point(a: f64, b: f64, p: &Big, q: &Big) -> Result<(Big, Big), Real> {
    let inside = a > 0.0 && b > 0.0 && *p >= 0.0 && *q >= 0.0;
    match () {
        () if !inside => Err(f64::NAN.into()),
        () if p.is_zero() => Err(0.0.into()),
        () if q.is_zero() => Err(1.0.into()),
        () if a.is_infinite() || b.is_infinite() => Err(Real::Unknown),
        () => Ok(inverse(a, b, p, q)),
    }
}

/// Returns the point at which the lower function, or the upper one, is y.
fn inverse_at(a: f64, b: f64, y: f64, of_lower: bool) -> Real {
    if !y.is_finite() {
        return f64::NAN.into();
    }
    let (y, rest) = (Big::new(y), one() - y);
    let found = if of_lower { point(a, b, &y, &rest) } else { point(a, b, &rest, &y) };
    match found {
        Ok((x, _)) => x.into(),
        Err(end) => end,
    }
}

pub(super) fn betaincinv(a: f64, b: f64, p: f64) -> Real {
    inverse_at(a, b, p, true)
}

pub(super) fn bdtr(k: f64, n: f64, p: f64, complement: bool) -> Real {
    let (k, n) = (k.floor(), n.trunc());
    match () {
        () if !k.is_finite() || !n.is_finite() || !(0.0..=1.0).contains(&p) || n < k => f64::NAN.into(),
        () if k < 0.0 => (if complement { 1.0 } else { f64::NAN }).into(),
        () if k == n => (if complement { 0.0 } else { 1.0 }).into(),
        () if complement => first(at(k + 1.0, n - k, p)),
        () => second(at(k + 1.0, n - k, p)),
    }
}

pub(super) fn bdtri(k: f64, n: f64, y: f64) -> Real {
    let (k, n) = (k.floor(), n.trunc());
    if !k.is_finite() || !n.is_finite() || k < 0.0 || n <= k {
        return f64::NAN.into();
    }
    inverse_at(k + 1.0, n - k, y, false)
}

pub(super) fn nbdtr(k: f64, n: f64, p: f64, complement: bool) -> Real {
    let (k, n) = (k.trunc(), n.trunc());
    if !k.is_finite() || !n.is_finite() || k < 0.0 || n <= 0.0 {
        return f64::NAN.into();
    }
    let pair = at(n, k + 1.0, p);
    if complement { second(pair) } else { first(pair) }
}

pub(super) fn nbdtri(k: f64, n: f64, y: f64) -> Real {
    let (k, n) = (k.trunc(), n.trunc());
    match y {
        _ if !k.is_finite() || k < 0.0 || n.is_nan() => f64::NAN.into(),
        // At the ends SciPy does not check n.
        0.0 | 1.0 => y.into(),
        _ => inverse_at(n, k + 1.0, y, true),
    }
}

pub(super) fn fdtr(n: f64, d: f64, x: f64, complement: bool) -> Real {
    if !(n > 0.0 && d > 0.0 && x >= 0.0) {
        return f64::NAN.into();
    }
    if !(n.is_finite() && d.is_finite() && x.is_finite()) {
        return Real::Unknown;
    }
    let t = Big::new(n) * x;
    let pair = pair(n / 2.0, d / 2.0, &(&t / &(&t + &Big::new(d))));
    if complement { second(pair) } else { first(pair) }
}

pub(super) fn fdtri(n: f64, d: f64, y: f64) -> Real {
    if !(n > 0.0 && d > 0.0 && (0.0..=1.0).contains(&y)) {
        return f64::NAN.into();
    }
    match point(n / 2.0, d / 2.0, &Big::new(y), &(one() - y)) {
        Ok((x, rest)) => (x * d / (rest * n)).into(),
        Err(Real::Float(0.0)) => 0.0.into(),
        Err(Real::Float(1.0)) => f64::INFINITY.into(),
        Err(end) => end,
    }
}

/// The distributions of the gamma function.
pub(super) fn of_gamma(name: &str, x: &[f64]) -> Real {
    let nan = || f64::NAN.into();
    match (name, x) {
        ("gdtr" | "gdtrc", &[_, _, x]) if x < 0.0 => nan(),
        ("gdtr", &[a, b, x]) => gammainc(b, a * x),
        ("gdtrc", &[a, b, x]) => gammaincc(b, a * x),
        ("chdtr", &[v, x]) => gammainc(v / 2.0, x / 2.0),
        ("chdtrc", &[v, x]) => gammaincc(v / 2.0, x / 2.0),
        ("chdtri", &[v, y]) => match gammainccinv(v / 2.0, y) {
            Real::Big(x) => (x * 2.0).into(),
            other => other,
        },
        ("pdtr" | "pdtrc", &[k, m]) if k < 0.0 || m < 0.0 => nan(),
        ("pdtr", &[_, 0.0]) => 1.0.into(),
        ("pdtrc", &[_, 0.0]) => 0.0.into(),
        ("pdtr", &[k, m]) => gammaincc(k.floor() + 1.0, m),
        ("pdtrc", &[k, m]) => gammainc(k.floor() + 1.0, m),
        ("pdtri", &[k, y]) => {
            let k = k.trunc();
            if !k.is_finite() || k < 0.0 || !(0.0..1.0).contains(&y) { nan() } else { gammainccinv(k + 1.0, y) }
        }
        _ => unreachable!("{name} is no distribution of the gamma function"),
    }
}
