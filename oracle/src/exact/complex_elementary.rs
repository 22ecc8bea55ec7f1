//! Elementary complex functions beyond those of `complex`: each part rounded once, special values as in NumPy (and
//! Annex G of C).

use std::f64::consts::FRAC_PI_2;

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::value::round;
use crate::exact::big::Big;
use crate::exact::complex;
use crate::exact::elementary;

/// The magnitude from which neighbouring float64 numbers are more than one turn apart as angles.
pub(crate) const MANY_TURNS: f64 = (1u64 << 52) as f64;

/// Builds a complex number.
fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

fn is_finite(z: Complex64) -> bool {
    z.re.is_finite() && z.im.is_finite()
}

/// Evaluates a function by its name; a function of one operand ignores the second.
pub(crate) fn of_complex(name: &str, a: Complex64, b: Complex64, dtype: DType) -> Complex64 {
    let z = match name {
        "tan" => times_minus_i(complex::tanh(times_i(a), dtype)),
        "sinh" => complex::sinh(a, dtype),
        "cosh" => complex::cosh(a, dtype),
        "arcsin" => arcsin(a, dtype),
        "arccos" => arccos(a, dtype),
        "arctan" => times_minus_i(arctanh(times_i(a), dtype)),
        "arcsinh" => times_minus_i(arcsin(times_i(a), dtype)),
        "arccosh" => {
            let w = arccos(a, dtype);
            c(w.im.abs(), w.re.copysign(a.im))
        }
        "arctanh" => arctanh(a, dtype),
        "expm1" => expm1(a, dtype),
        "exp2" => exp2(a, dtype),
        "log2" => log_to_base(a, 2.0, dtype),
        "log10" => log_to_base(a, 10.0, dtype),
        "log1p" => log1p(a, dtype),
        "sinc" => sinc(a, dtype),
        "square" => complex::multiply(a, a, dtype),
        "reciprocal" => reciprocal(a, dtype),
        "rsqrt" => rsqrt(a, dtype),
        "float_power" => complex::power(a, b, dtype),
        _ => unreachable!("{name} has no form for complex numbers"),
    };
    c(round(z.re, dtype), round(z.im, dtype))
}

/// Multiplies by ±i: trigonometric and hyperbolic functions are each other's at iz.
fn times_i(z: Complex64) -> Complex64 {
    c(-z.im, z.re)
}

fn times_minus_i(z: Complex64) -> Complex64 {
    c(z.im, -z.re)
}

/// Computes the root of x + iy in the right half-plane, for y that is not negative; neither part cancels.
fn root(x: &Big, y: &Big) -> (Big, Big) {
    let size = (&(x * x) + &(y * y)).sqrt();
    if size.is_zero() {
        return (Big::new(0.0), Big::new(0.0));
    }
    let large = (&(&size + &x.abs()) / &Big::new(2.0)).sqrt();
    let small = y / &(&large + &large);
    if x.is_negative() { (small, large) } else { (large, small) }
}

/// Computes the roots of 1 - conj z and 1 + z with z in the upper half-plane, by which Kahan ("Branch cuts for complex
/// elementary functions", 1987) evaluates the inverse functions without cancellation.
fn roots(x: f64, y: f64) -> ((Big, Big), (Big, Big)) {
    let (one, x, y) = (Big::new(1.0), Big::new(x), Big::new(y));
    (root(&(&one - &x), &y), root(&(&one + &x), &y))
}

/// Computes the imaginary part of the inverse sine in the upper half-plane.
fn imaginary_part(p: &(Big, Big), q: &(Big, Big), dtype: DType) -> f64 {
    (&(&p.0 * &q.1) + &(&p.1 * &q.0)).asinh().round(dtype)
}

fn arcsin(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = match (x.is_infinite() || y.is_infinite(), x.is_nan() || y.is_nan()) {
        (true, _) => (x.atan2(y), f64::INFINITY),
        (_, true) => (if x == 0.0 { x } else { f64::NAN }, f64::NAN),
        _ => {
            let (p, q) = roots(x, y);
            let right = &(&p.0 * &q.0) + &(&p.1 * &q.1);
            let re = if x == 0.0 { x } else { Big::atan2(&Big::new(x), &right).round(dtype) };
            (re, imaginary_part(&p, &q, dtype))
        }
    };
    c(re.copysign(z.re), im.copysign(z.im))
}

fn arccos(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im.abs());
    let (re, im) = match (x.is_infinite() || y.is_infinite(), x.is_nan() || y.is_nan()) {
        (true, _) => (y.atan2(x), f64::INFINITY),
        (_, true) => (if x == 0.0 { FRAC_PI_2 } else { f64::NAN }, f64::NAN),
        _ => {
            let (p, q) = roots(x, y);
            let re = if p.0.is_zero() { 0.0 } else { (&Big::atan2(&p.0, &q.0) * &Big::new(2.0)).round(dtype) };
            (re, imaginary_part(&p, &q, dtype))
        }
    };
    c(re, -im.copysign(z.im))
}

fn arctanh(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = match (x.is_infinite() || y.is_infinite(), x.is_nan() || y.is_nan()) {
        (true, _) => (0.0, if y.is_nan() { y } else { FRAC_PI_2 }),
        (_, true) => (if x == 0.0 { x } else { f64::NAN }, f64::NAN),
        _ if x == 1.0 && y == 0.0 => (f64::INFINITY, y),
        _ => {
            let (one, bx, by) = (Big::new(1.0), Big::new(x), Big::new(y));
            let left = &one - &bx;
            let below = &(&left * &left) + &(&by * &by);
            let four = Big::new(4.0);
            let re = if x == 0.0 { x } else { (&(&(&four * &bx) / &below).ln_1p() / &four).round(dtype) };
            let right = &(&left * &(&one + &bx)) - &(&by * &by);
            let im = match (y == 0.0, x > 1.0) {
                (true, true) => FRAC_PI_2,
                (true, false) => 0.0,
                _ => (&Big::atan2(&(&by + &by), &right) / &Big::new(2.0)).round(dtype),
            };
            (re, im)
        }
    };
    c(re.copysign(z.re), im.copysign(z.im))
}

/// Computes e^x cos y - 1 as (e^x - 1) cos y - 2 sin²(y/2), like NumPy, also next to infinities.
fn expm1(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if !is_finite(z) {
        let half = (y / 2.0).sin();
        return c(x.exp_m1() * y.cos() - 2.0 * half * half, x.exp() * y.sin());
    }
    if y == 0.0 {
        return c(elementary::of_floats("expm1", x, 0.0, dtype), y);
    }
    let (bx, by) = (Big::new(x), Big::new(y));
    let half = (&by / &Big::new(2.0)).sin();
    let re = &(&bx.exp_m1() * &by.cos()) - &(&(&half * &half) * &Big::new(2.0));
    // Where the square of a small sine underflows in float64, the other term determines the sign of the zero.
    let re = if re.round(DType::C128) == 0.0 { 0f64.copysign(x) } else { re.round(dtype) };
    c(re, (&bx.exp() * &by.sin()).round(dtype))
}

fn exp2(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(elementary::of_floats("exp2", x, 0.0, dtype), y);
    }
    if !is_finite(z) {
        return complex::exp(c(x, y * std::f64::consts::LN_2), dtype);
    }
    let (length, angle) = (Big::new(x).exp2(), &Big::new(y) * &Big::new(2.0).ln());
    c((&length * &angle.cos()).round(dtype), (&length * &angle.sin()).round(dtype))
}

/// Computes the natural logarithm of u + iy, where `square` is the square of its modulus, less 1 if that is `near_one`.
fn log_parts(u: &Big, y: f64, square: &Big, near_one: bool) -> (Big, Big) {
    let twice = if near_one { square.ln_1p() } else { square.ln() };
    // Both sides of the cut have an angle, which are distinguished by the sign of the zero.
    let below_cut = y == 0.0 && y.is_sign_negative() && u.is_negative();
    let angle = if below_cut { &Big::new(0.0) - &Big::pi() } else { Big::atan2(&Big::new(y), u) };
    (&twice / &Big::new(2.0), angle)
}

fn log_to_base(z: Complex64, base: f64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if !is_finite(z) || x == 0.0 && y == 0.0 {
        let w = complex::log(z, DType::C128);
        return c(w.re, w.im / base.ln());
    }
    let (below, (size, angle)) = (Big::new(base).ln(), log_exact(z));
    let im = if y == 0.0 && x > 0.0 { y } else { (&angle / &below).round(dtype) };
    c((&size / &below).round(dtype), im)
}

fn log1p(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if !is_finite(z) || x == -1.0 && y == 0.0 {
        return complex::log(c(1.0 + x, y), dtype);
    }
    if y == 0.0 && x > -1.0 {
        return c(elementary::of_floats("log1p", x, 0.0, dtype) + 0.0, y);
    }
    let (size, angle) = log1p_exact(z);
    // The logarithm of a modulus of 1 is never a negative zero.
    c(size.round(dtype) + 0.0, angle.round(dtype))
}

/// Computes both parts of log z, for a finite z that is not 0.
pub(crate) fn log_exact(z: Complex64) -> (Big, Big) {
    let (bx, by) = (Big::new(z.re), Big::new(z.im));
    let square = &(&bx * &bx) + &(&by * &by);
    if !(0.5..2.0).contains(&square.to_f64()) {
        return log_parts(&bx, z.im, &square, false);
    }
    // The square of the modulus less 1, without cancellation.
    let (large, small) = if z.re.abs() > z.im.abs() { (&bx, &by) } else { (&by, &bx) };
    let one = Big::new(1.0);
    log_parts(&bx, z.im, &(&(&(large - &one) * &(large + &one)) + &(small * small)), true)
}

/// Computes both parts of log(1 + z), for a finite z that is not -1.
pub(crate) fn log1p_exact(z: Complex64) -> (Big, Big) {
    let (bx, by) = (Big::new(z.re), Big::new(z.im));
    let u = &Big::new(1.0) + &bx;
    if z.re < -0.5 {
        return log_parts(&u, z.im, &(&(&u * &u) + &(&by * &by)), false);
    }
    // The square of the modulus less 1, its largest terms first.
    log_parts(&u, z.im, &(&(&(&bx + &bx) + &(&by * &by)) + &(&bx * &bx)), true)
}

/// Computes sin πz / πz.
fn sinc(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if !is_finite(z) {
        return c(f64::NAN, f64::NAN);
    }
    if y == 0.0 {
        return c(elementary::of_floats("sinc", x, 0.0, dtype), y);
    }
    let (bx, by) = (Big::new(x), Big::new(y));
    if x.abs().max(y.abs()) < 1e-3 {
        return sinc_next_to_0(&bx, &by, dtype);
    }
    let tall = &Big::pi() * &by;
    // cos πx is the sine a quarter turn on.
    let (sin, cos) = (elementary::sin_pi(x), elementary::cos_pi(x));
    let (re, im) = (&sin * &tall.cosh(), &cos * &tall.sinh());
    let below = &(&(&bx * &bx) + &(&by * &by)) * &Big::pi();
    c((&(&(&re * &bx) + &(&im * &by)) / &below).round(dtype), (&(&(&im * &bx) - &(&re * &by)) / &below).round(dtype))
}

/// Computes `sinc` by the series in the square of πz, where the parts of the quotient would cancel.
fn sinc_next_to_0(x: &Big, y: &Big, dtype: DType) -> Complex64 {
    let pi_square = &Big::pi() * &Big::pi();
    let twice = &(x * y) + &(x * y);
    let square = (&(&(x * x) - &(y * y)) * &pi_square, &twice * &pi_square);
    let (mut term, mut sum) = ((Big::new(1.0), Big::new(0.0)), (Big::new(1.0), Big::new(0.0)));
    // Each term is less than 2e-5 of the previous one.
    for k in 1..20 {
        let below = Big::new(-f64::from(2 * k * (2 * k + 1)));
        let re = &(&term.0 * &square.0) - &(&term.1 * &square.1);
        let im = &(&term.0 * &square.1) + &(&term.1 * &square.0);
        term = (&re / &below, &im / &below);
        sum = (&sum.0 + &term.0, &sum.1 + &term.1);
    }
    c(sum.0.round(dtype), sum.1.round(dtype))
}

/// Computes 1 / z; for 0, NaN in both parts, as in NumPy's division by the larger part.
fn reciprocal(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if !is_finite(z) || x == 0.0 && y == 0.0 {
        let wide = y.abs() <= x.abs();
        let ratio = if wide { y / x } else { x / y };
        let below = if wide { x + y * ratio } else { x * ratio + y };
        return if wide { c(1.0 / below, -ratio / below) } else { c(ratio / below, -1.0 / below) };
    }
    let (bx, by) = (Big::new(x), Big::new(y));
    let square = &(&bx * &bx) + &(&by * &by);
    c((&bx / &square).round(dtype).copysign(x), (&by / &square).round(dtype).copysign(-y))
}

fn rsqrt(z: Complex64, dtype: DType) -> Complex64 {
    if !is_finite(z) || z.re == 0.0 && z.im == 0.0 {
        return reciprocal(complex::sqrt(z, DType::C128), dtype);
    }
    let (re, im) = root(&Big::new(z.re), &Big::new(z.im.abs()));
    let square = &(&re * &re) + &(&im * &im);
    c((&re / &square).round(dtype), (&im / &square).round(dtype).copysign(-z.im))
}
