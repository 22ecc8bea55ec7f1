//! Special functions of complex numbers, in arithmetic of 256 bits; each part rounded once.

use cuprum_kernels::DType;
use num_complex::Complex64;

#[path = "complex_integrals.rs"]
mod integrals;

pub(super) use integrals::integral;

use super::gamma::{LARGE, bernoulli, fraction, is_pole};
use crate::core::value::{Flag, Value};
use crate::exact::big::Big;
use crate::exact::complex as elementary;
use crate::exact::complex_elementary;

/// A complex number of two 256-bit parts.
#[derive(Clone, Debug)]
struct Pair {
    re: Big,
    im: Big,
}

impl Pair {
    fn new(z: Complex64) -> Pair {
        Pair { re: Big::new(z.re), im: Big::new(z.im) }
    }

    fn real(v: f64) -> Pair {
        Pair { re: Big::new(v), im: Big::new(0.0) }
    }

    fn add(&self, other: &Pair) -> Pair {
        Pair { re: &self.re + &other.re, im: &self.im + &other.im }
    }

    fn sub(&self, other: &Pair) -> Pair {
        Pair { re: &self.re - &other.re, im: &self.im - &other.im }
    }

    fn mul(&self, other: &Pair) -> Pair {
        let re = &self.re * &other.re - &self.im * &other.im;
        Pair { re, im: &self.re * &other.im + &self.im * &other.re }
    }

    fn times(&self, factor: &Big) -> Pair {
        Pair { re: &self.re * factor, im: &self.im * factor }
    }

    fn div(&self, other: &Pair) -> Pair {
        let square = &other.re * &other.re + &other.im * &other.im;
        let re = &self.re * &other.re + &self.im * &other.im;
        Pair { re: re / &square, im: (&self.im * &other.re - &self.re * &other.im) / &square }
    }

    fn ln(&self) -> Pair {
        let square = &self.re * &self.re + &self.im * &self.im;
        Pair { re: square.ln() / 2.0, im: Big::atan2(&self.im, &self.re) }
    }

    fn exp(&self) -> Pair {
        let size = self.re.exp();
        Pair { re: &size * &self.im.cos(), im: &size * &self.im.sin() }
    }

    /// Computes `e^(iπx)`, from x reduced by integers.
    fn half_turns(x: &Big) -> Pair {
        let (rest, odd) = fraction(x);
        let angle = rest * Big::pi();
        let rotation = Pair { re: angle.cos(), im: angle.sin() };
        if odd { rotation.times(&Big::new(-1.0)) } else { rotation }
    }

    /// Computes `1 - z`.
    fn complement(&self) -> Pair {
        Pair::real(1.0).sub(self)
    }

    /// Returns true if Stirling's formula needs a larger argument.
    fn is_small(&self) -> bool {
        self.re < LARGE && self.im.abs() < LARGE
    }

    fn round(&self, dtype: DType) -> Complex64 {
        Complex64::new(self.re.round(dtype), self.im.round(dtype))
    }
}

impl From<(Big, Big)> for Pair {
    fn from((re, im): (Big, Big)) -> Pair {
        Pair { re, im }
    }
}

/// Computes `Σ c(k) / z^(2k-1)`, until the terms vanish, for z with a real part that is not small.
fn stirling_sum(z: &Pair, coefficient: impl Fn(usize) -> Big) -> Pair {
    let inverse = Pair::real(1.0).div(z);
    let (square, mut power, mut sum) = (inverse.mul(&inverse), inverse, Pair::real(0.0));
    for k in 1..50 {
        let term = power.times(&coefficient(k));
        sum = sum.add(&term);
        power = power.mul(&square);
    }
    sum
}

/// Computes `log Γ(z) - log(2π)/2` and the factors to divide by, for z to the right of the imaginary axis; DLMF 5.11.1.
fn log_gamma(z: &Pair) -> (Pair, Pair) {
    let (mut z, mut product) = (z.clone(), Pair::real(1.0));
    while z.is_small() {
        product = product.mul(&z);
        z.re = z.re + 1.0;
    }
    let k2 = |k: usize| 2.0 * k as f64;
    let rest = stirling_sum(&z, |k| bernoulli(k) / (k2(k) * (k2(k) - 1.0)));
    let log = z.sub(&Pair::real(0.5)).mul(&z.ln()).sub(&z).add(&rest);
    (log, product)
}

fn gamma_of(z: &Pair) -> Pair {
    let root = (Big::pi() * 2.0).sqrt();
    if !z.re.is_negative() {
        let (log, product) = log_gamma(z);
        return log.exp().times(&root).div(&product);
    }
    // DLMF 5.5.3 with sin πz = (i/2) e^(-iπz) (1 - e^(2iπz)) above the axis, whose large factor is added to the
    // exponent.
    let below = z.im.is_negative();
    let z = Pair { re: z.re.clone(), im: z.im.abs() };
    let (log, product) = log_gamma(&z.complement());
    let decay = -(&z.im * &Big::pi());
    let turn = Pair::half_turns(&z.re);
    let square = turn.mul(&turn).times(&(&decay * 2.0).exp());
    let rest = if z.im < 1e-3 { one_less_exponential(&z) } else { square.complement() };
    let exponent = Pair { re: &decay - &log.re, im: -log.im };
    let up = exponent.exp().mul(&turn).mul(&product).times(&root);
    // Divided by i.
    let quotient = up.div(&rest);
    Pair { re: quotient.im.clone(), im: if below { quotient.re } else { -quotient.re } }
}

/// Computes `1 - e^(2iπz)` near the axis, as `-2i e^(iπz) sin πz`.
fn one_less_exponential(z: &Pair) -> Pair {
    let (rest, odd) = fraction(&z.re);
    let (angle, rise) = (rest * Big::pi(), &z.im * &Big::pi());
    let sine = Pair { re: angle.sin() * rise.cosh(), im: angle.cos() * rise.sinh() };
    let turn = Pair::half_turns(&z.re).times(&(-rise).exp());
    let product = turn.mul(&sine).times(&Big::new(if odd { -2.0 } else { 2.0 }));
    Pair { re: product.im, im: -product.re }
}

/// Computes DLMF 5.11.2 after 5.5.2, and 5.5.4 on the left.
fn psi_of(z: &Pair) -> Pair {
    if z.re.is_negative() {
        let (rest, _) = fraction(&z.re);
        let (a, b) = (rest * Big::pi(), &z.im * &Big::pi());
        let cotangent = if b.abs() > 2000.0 {
            Pair { re: Big::new(0.0), im: Big::new(if b.is_negative() { 1.0 } else { -1.0 }) }
        } else {
            let sine = Pair { re: a.sin() * b.cosh(), im: a.cos() * b.sinh() };
            let cosine = Pair { re: a.cos() * b.cosh(), im: -(a.sin() * b.sinh()) };
            cosine.div(&sine)
        };
        return psi_of(&z.complement()).sub(&cotangent.times(&Big::pi()));
    }
    let (mut z, mut sum) = (z.clone(), Pair::real(0.0));
    while z.is_small() {
        sum = sum.sub(&Pair::real(1.0).div(&z));
        z.re = z.re + 1.0;
    }
    let rest = stirling_sum(&z, |k| bernoulli(k) / (2.0 * k as f64));
    sum.add(&z.ln()).sub(&Pair::real(0.5).div(&z)).sub(&rest.div(&z))
}

fn is_zero(z: Complex64) -> bool {
    z.re == 0.0 && z.im == 0.0
}

/// Computes `x log y` with SciPy's zero; `log` in float64 decides where there is no finite value, and the sign of a
/// zero.
fn product(
    x: Complex64,
    y: Complex64,
    log: Complex64,
    exact: impl FnOnce() -> Pair,
    dtype: DType,
) -> (Complex64, Flag) {
    if is_zero(x) && !elementary::is_nan(y) {
        return (Complex64::default(), Flag::Exact);
    }
    let plain = x * log;
    if !(x.is_finite() && log.is_finite()) {
        return (plain, Flag::Exact);
    }
    let unrounded = Pair::new(x).mul(&exact());
    let w = unrounded.round(dtype);
    // The sign of a part that is too small for the dtype, or of terms that cancel, is undetermined; near a modulus of 1
    // the logarithm's real part is too small for any digits.
    let tiny = log.re == 0.0 && y.im != 0.0;
    let lost = |part: f64, exact: &Big, plain: f64| part == 0.0 && (tiny || !exact.is_zero() || plain != 0.0);
    let vanishes = lost(w.re, &unrounded.re, plain.re) || lost(w.im, &unrounded.im, plain.im);
    let flag = if vanishes { Flag::AnySign } else { Flag::Exact };
    // The exact zero has no sign: the terms in float64 determine it.
    let signed = |w: f64, plain: f64| if w == 0.0 { 0f64.copysign(plain) } else { w };
    (Complex64::new(signed(w.re, plain.re), signed(w.im, plain.im)), flag)
}

/// Computes the value of a special function of complex numbers.
pub(super) fn value(name: &str, z: &[Complex64], dtype: DType) -> (Value, Flag) {
    let nan = Complex64::new(f64::NAN, f64::NAN);
    let w = match (name, z) {
        ("gamma", &[z]) if !z.is_finite() => {
            // Where SciPy's formula has the limit.
            let vanishes = z.im.is_infinite() && z.re.is_finite() && z.re < 0.5;
            if vanishes { Complex64::default() } else { nan }
        }
        ("psi", &[z]) if !z.is_finite() => {
            if z.re == f64::NEG_INFINITY && z.im.is_finite() {
                nan
            } else {
                elementary::log(z, dtype)
            }
        }
        ("rgamma" | "loggamma" | "exp1" | "expi" | "log_ndtr", &[z]) => return integrals::value(name, z, dtype),
        ("gamma" | "psi", &[z]) if z.im == 0.0 && is_pole(z.re) => nan,
        ("gamma", &[z]) => gamma_of(&Pair::new(z)).round(dtype),
        ("psi", &[z]) => psi_of(&Pair::new(z)).round(dtype),
        ("xlogy", &[x, y]) => {
            let (log, exact) = (elementary::log(y, DType::C128), || complex_elementary::log_exact(y).into());
            let (w, flag) = product(x, y, log, exact, dtype);
            return (Value::Complex(w), flag);
        }
        ("xlog1py", &[x, y]) => {
            let log = complex_elementary::of_complex("log1p", y, y, DType::C128);
            let (w, flag) = product(x, y, log, || complex_elementary::log1p_exact(y).into(), dtype);
            return (Value::Complex(w), flag);
        }
        _ => unreachable!("{name} has no form of {} complex operands", z.len()),
    };
    // The sign of SciPy's zeros depends on which of several formulas is used.
    let vanishes = name == "gamma" && (w.re == 0.0 || w.im == 0.0);
    (Value::Complex(w), if vanishes { Flag::AnySign } else { Flag::Exact })
}

/// Computes `2^bias e^(2iy (log 2 - offset)) Γ(up + iy) / Γ(down - iy)` with `y = π k / (n dln)` and half of `mu + 1 ±
/// bias`: the factor of the spectrum in a Hankel transform.
pub(crate) fn hankel_factor([dln, mu, offset, bias]: [f64; 4], k: usize, n: usize) -> Complex64 {
    let half = |by: f64| (Big::new(mu) + 1.0 + Big::new(by)) / 2.0;
    let (up, down) = (half(bias), half(-bias));
    let y = Big::pi() * Big::new(k as f64) / (Big::new(n as f64) * Big::new(dln));
    let [at_up, at_down] = [&up, &down].map(|x| is_pole(x.round(DType::F64)));
    let quotient = match (k == 0 && at_up, k == 0 && at_down) {
        (true, false) => return Complex64::new(f64::INFINITY, 0.0),
        (false, true) => return Complex64::default(),
        // The residues at 1 - m and 1 - l are (-1)^(m - 1) / Γ(m) and correspondingly.
        (true, true) => {
            let over = |x: &Big| gamma_of(&Pair { re: Big::new(1.0) - x, im: Big::new(0.0) });
            let sign = if (up.round(DType::F64) - down.round(DType::F64)) % 2.0 == 0.0 { 1.0 } else { -1.0 };
            over(&down).div(&over(&up)).times(&Big::new(sign))
        }
        (false, false) => gamma_of(&Pair { re: up, im: y.clone() }).div(&gamma_of(&Pair { re: down, im: -y.clone() })),
    };
    let angle = y * 2.0 * (Big::new(2.0).ln() - Big::new(offset));
    let rotation = Pair { re: Big::new(0.0), im: angle }.exp();
    quotient.mul(&rotation).times(&Big::new(bias).exp2()).round(DType::C128)
}
