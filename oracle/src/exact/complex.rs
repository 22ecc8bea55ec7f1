//! Complex functions: each part rounded once, special values as in NumPy (and Annex G of C).

use std::cell::LazyCell;
use std::cmp::Ordering;

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::value::round;
use crate::core::version::{self, Change};
use crate::exact::big::Big;
use crate::exact::complex_elementary::log_exact;
use crate::exact::real::{self, settled};

/// Builds a complex number.
fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

fn is_finite(z: Complex64) -> bool {
    z.re.is_finite() && z.im.is_finite()
}

pub(crate) fn is_nan(z: Complex64) -> bool {
    z.re.is_nan() || z.im.is_nan()
}

fn rounded(re: f64, im: f64, dtype: DType) -> Complex64 {
    c(round(re, dtype), round(im, dtype))
}

/// Returns the exact part where the formula's own part is finite and not zero, and otherwise the formula's infinity,
/// NaN or signed zero.
fn settle(naive: f64, exact: impl FnOnce() -> Big, dtype: DType) -> f64 {
    if !naive.is_finite() {
        return naive;
    }
    let exact = exact();
    if exact.is_zero() { 0f64.copysign(naive) } else { exact.round(dtype) }
}

/// The number of float64 roundings within which a formula of float64 functions is, if none of its sums cancels.
const ROUNDINGS: f64 = 16.0;

/// Rounds the float64 value of a formula whose sums do not cancel, or the exact one where float64 does not decide.
fn part(fast: f64, exact: impl FnOnce() -> Big, dtype: DType) -> f64 {
    settled(fast, ROUNDINGS, dtype).filter(|y| y.is_normal()).unwrap_or_else(|| exact().round(dtype))
}

/// Multiplies by NumPy's own steps, each of them rounded.
pub(crate) fn multiply_by_steps(a: Complex64, b: Complex64, dtype: DType) -> Complex64 {
    let r = |v| round(v, dtype);
    c(r(r(a.re * b.re) - r(a.im * b.im)), r(r(a.re * b.im) + r(a.im * b.re)))
}

pub(crate) fn multiply(a: Complex64, b: Complex64, dtype: DType) -> Complex64 {
    let naive = multiply_by_steps(a, b, dtype);
    if !is_finite(a) || !is_finite(b) {
        return naive;
    }
    let (ar, ai, br, bi) = (Big::new(a.re), Big::new(a.im), Big::new(b.re), Big::new(b.im));
    let exact = c(
        settle(naive.re, || &(&ar * &br) - &(&ai * &bi), dtype),
        settle(naive.im, || &(&ar * &bi) + &(&ai * &br), dtype),
    );
    // Where the products underflow, the sum of two zeros determines the sign.
    let signed = |exact: f64, naive: f64| if exact == 0.0 && naive == 0.0 { naive } else { exact };
    c(signed(exact.re, naive.re), signed(exact.im, naive.im))
}

/// Divides by Smith's algorithm, as NumPy does, each step of which is rounded.
pub(crate) fn divide_by_steps(a: Complex64, b: Complex64, dtype: DType) -> Complex64 {
    let r = |v| round(v, dtype);
    if b.re.abs() >= b.im.abs() {
        if b.re == 0.0 && b.im == 0.0 {
            return c(r(a.re / b.re.abs()), r(a.im / b.re.abs()));
        }
        let ratio = r(b.im / b.re);
        let scale = r(1.0 / r(b.re + r(b.im * ratio)));
        c(r(r(a.re + r(a.im * ratio)) * scale), r(r(a.im - r(a.re * ratio)) * scale))
    } else {
        let ratio = r(b.re / b.im);
        let scale = r(1.0 / r(b.im + r(b.re * ratio)));
        c(r(r(r(a.re * ratio) + a.im) * scale), r(r(r(a.im * ratio) - a.re) * scale))
    }
}

/// Divides exactly in each part; by Smith's algorithm if an operand is infinite or NaN.
pub(crate) fn divide(a: Complex64, b: Complex64, dtype: DType) -> Complex64 {
    let naive = divide_by_steps(a, b, dtype);
    if b.re == 0.0 && b.im == 0.0 {
        return naive;
    }
    if !is_finite(a) || !is_finite(b) {
        return naive;
    }
    let (ar, ai, br, bi) = (Big::new(a.re), Big::new(a.im), Big::new(b.re), Big::new(b.im));
    let norm = || &(&br * &br) + &(&bi * &bi);
    // NumPy's steps may overflow, or divide by an underflowed number, where the quotient does not: those results are
    // kept.
    let known = |x: f64| if x.is_finite() { x } else { 0.0 };
    c(
        settle(known(naive.re), || &(&(&ar * &br) + &(&ai * &bi)) / &norm(), dtype),
        settle(known(naive.im), || &(&(&ai * &br) - &(&ar * &bi)) / &norm(), dtype),
    )
}

pub(crate) fn exp(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(real::exp(x, dtype), y);
    }
    if is_finite(z) {
        let (length, angle) = (LazyCell::new(|| Big::new(x).exp()), || Big::new(y));
        let re = part(x.exp() * y.cos(), || &*length * &angle().cos(), dtype);
        return c(re, part(x.exp() * y.sin(), || &*length * &angle().sin(), dtype));
    }
    match (x.is_infinite(), y.is_finite()) {
        (true, true) => {
            let size = if x > 0.0 { f64::INFINITY } else { 0.0 };
            c(size * y.cos(), size * y.sin())
        }
        (true, false) if x > 0.0 => c(x, f64::NAN),
        (true, false) => c(0.0, 0.0),
        _ => c(f64::NAN, f64::NAN),
    }
}

pub(crate) fn log(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    let angle = y.atan2(x);
    if !is_finite(z) || x == 0.0 && y == 0.0 {
        let size = if x.is_infinite() || y.is_infinite() { f64::INFINITY } else { x.hypot(y).ln() };
        return c(size, round(angle, dtype));
    }
    let exact_angle = || Big::atan2(&Big::new(y), &Big::new(x));
    let im = if y == 0.0 || x == 0.0 { round(angle, dtype) } else { part(angle, exact_angle, dtype) };
    // A relative error of the modulus is an absolute one of its logarithm.
    let size = Some(x.hypot(y).ln()).filter(|size| size.abs() > 0.5);
    let exact_size = || log_exact(z).0;
    c(size.map_or_else(|| exact_size().round(dtype), |size| part(size, exact_size, dtype)), im)
}

pub(crate) fn sqrt(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y.is_infinite() {
        return c(f64::INFINITY, y);
    }
    if x.is_nan() || y.is_nan() && x.is_finite() {
        return c(f64::NAN, f64::NAN);
    }
    if x.is_infinite() {
        let small = if y.is_nan() { y } else { 0.0 };
        return if x > 0.0 { c(x, small.copysign(y)) } else { c(small.abs(), f64::INFINITY.copysign(y)) };
    }
    if x == 0.0 && y == 0.0 {
        return c(0.0, y);
    }
    // The larger part comes from the sum without cancellation, the other from 2 * re * im = y.
    let exact = LazyCell::new(|| {
        let (bx, by) = (Big::new(x), Big::new(y));
        let size = (&(&bx * &bx) + &(&by * &by)).sqrt();
        (&(&size + &bx.abs()) / &Big::new(2.0)).sqrt()
    });
    let fast = ((x.hypot(y) + x.abs()) / 2.0).sqrt();
    let small = part(y.abs() / (2.0 * fast), || &Big::new(y.abs()) / &(&*exact + &*exact), dtype);
    let large = part(fast, || Big::clone(&exact), dtype);
    if x >= 0.0 { c(large, small.copysign(y)) } else { c(small, large.copysign(y)) }
}

/// A function of a real number.
type Exact = fn(&Big) -> Big;

/// Computes f(x) cos y + i g(x) sin y from the float64 values of f and g and their exact functions.
fn product_of_parts(fast: (f64, f64), exact: (Exact, Exact), z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (|| Big::new(z.re), || Big::new(z.im));
    c(
        part(fast.0 * z.im.cos(), || &exact.0(&x()) * &y().cos(), dtype),
        part(fast.1 * z.im.sin(), || &exact.1(&x()) * &y().sin(), dtype),
    )
}

/// Computes the hyperbolic sine; sine and cosine are the same functions of iz.
pub(crate) fn sinh(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if is_finite(z) {
        if x == 0.0 || y == 0.0 {
            // One factor is exact, so that the zero keeps its sign.
            let re = if x == 0.0 { x * y.cos() } else { Big::new(x).sinh().round(dtype) };
            let im = if y == 0.0 { y } else { real::sin(y, dtype) };
            return c(re, round(im, dtype));
        }
        return product_of_parts((x.sinh(), x.cosh()), (Big::sinh, Big::cosh), z, dtype);
    }
    if y == 0.0 {
        return c(x, y);
    }
    match (x.is_infinite(), y.is_finite()) {
        (true, true) => c(x * y.cos(), f64::INFINITY * y.sin()),
        (true, false) => c(x, f64::NAN),
        _ if x == 0.0 => c(x, f64::NAN),
        _ => c(f64::NAN, f64::NAN),
    }
}

pub(crate) fn cosh(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if is_finite(z) {
        let sign = if (x < 0.0 || x == 0.0 && x.is_sign_negative()) != (y.is_sign_negative()) { -0.0 } else { 0.0 };
        if x == 0.0 || y == 0.0 {
            let re = if x == 0.0 { real::cos(y, dtype) } else { Big::new(x).cosh().round(dtype) };
            // The product of a zero and of a finite number keeps the sign of both factors.
            let im = if y == 0.0 { sign } else { x * y.sin() };
            return c(round(re, dtype), im);
        }
        return product_of_parts((x.cosh(), x.sinh()), (Big::cosh, Big::sinh), z, dtype);
    }
    if y == 0.0 {
        let zero = if x.is_nan() { y } else { y * x.signum() };
        return c(if x.is_nan() { x } else { f64::INFINITY }, zero);
    }
    match (x.is_infinite(), y.is_finite()) {
        (true, true) => c(f64::INFINITY * y.cos(), x * y.sin()),
        (true, false) => c(f64::INFINITY, f64::NAN),
        _ if x == 0.0 => c(f64::NAN, 0.0),
        _ => c(f64::NAN, f64::NAN),
    }
}

pub(crate) fn sin(z: Complex64, dtype: DType) -> Complex64 {
    let w = sinh(c(-z.im, z.re), dtype);
    c(w.im, -w.re)
}

pub(crate) fn cos(z: Complex64, dtype: DType) -> Complex64 {
    cosh(c(-z.im, z.re), dtype)
}

pub(crate) fn tanh(z: Complex64, dtype: DType) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(real::tanh(x, dtype), y);
    }
    if x.is_infinite() {
        let im = if y.is_finite() { 0f64.copysign((2.0 * y).sin()) } else { 0.0 };
        return c(1f64.copysign(x), im);
    }
    if !is_finite(z) {
        return c(if x == 0.0 { x } else { f64::NAN }, f64::NAN);
    }
    if x.abs() > 2000.0 {
        // The imaginary part is below the smallest number of every dtype.
        let y = Big::new(y);
        return c(1f64.copysign(x), 0f64.copysign((&y.sin() * &y.cos()).round(DType::F64)));
    }
    // (sinh x cosh x + i sin y cos y) / (sinh² x + cos² y)
    let (sinh, cos) = (x.sinh(), y.cos());
    let below = sinh * sinh + cos * cos;
    let exact = LazyCell::new(|| (Big::new(x).sinh(), Big::new(y).cos()));
    let exact_below = LazyCell::new(|| &(&exact.0 * &exact.0) + &(&exact.1 * &exact.1));
    let exact_re = || &(&exact.0 * &Big::new(x).cosh()) / &*exact_below;
    let exact_im = || &(&Big::new(y).sin() * &exact.1) / &*exact_below;
    let re = if x == 0.0 { x } else { part(sinh * x.cosh() / below, exact_re, dtype) };
    c(re, part(y.sin() * cos / below, exact_im, dtype))
}

pub(crate) fn power(a: Complex64, b: Complex64, dtype: DType) -> Complex64 {
    if b.re == 0.0 && b.im == 0.0 {
        return c(1.0, 0.0);
    }
    if a.re == 0.0 && a.im == 0.0 {
        let is_zero = b.re > 0.0 && (b.im == 0.0 || version::has(Change::PowerOfZero));
        return if is_zero { c(0.0, 0.0) } else { c(f64::NAN, f64::NAN) };
    }
    if b.im == 0.0 && b.re.fract() == 0.0 && b.re.abs() < 100.0 {
        return integer_power(a, b.re as i32, dtype);
    }
    if !is_finite(a) || !is_finite(b) {
        // An infinite exponent gives infinities for a logarithm close to 0, but not for 0.
        let z = exp(recovered_product(b, log(a, DType::C128)), DType::C128);
        return rounded(z.re, z.im, dtype);
    }
    let (ar, ai, br, bi) = (Big::new(a.re), Big::new(a.im), Big::new(b.re), Big::new(b.im));
    let size = &(&(&ar * &ar) + &(&ai * &ai)).ln() / &Big::new(2.0);
    // The branch cut has two sides, which are distinguished by the sign of a zero.
    let below_cut = a.im == 0.0 && a.im.is_sign_negative() && a.re < 0.0;
    let angle = if below_cut { &Big::new(0.0) - &Big::pi() } else { Big::atan2(&ai, &ar) };
    let length = (&(&br * &size) - &(&bi * &angle)).exp();
    let turn = &(&br * &angle) + &(&bi * &size);
    c((&length * &turn.cos()).round(dtype), (&length * &turn.sin()).round(dtype))
}

/// Multiplies as C's own functions do: an infinity times anything but zero is infinite.
fn recovered_product(a: Complex64, b: Complex64) -> Complex64 {
    let product = |a: Complex64, b: Complex64| c(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
    let naive = product(a, b);
    let is_infinite = |z: Complex64| z.re.is_infinite() || z.im.is_infinite();
    if !(naive.re.is_nan() && naive.im.is_nan()) || !(is_infinite(a) || is_infinite(b)) {
        return naive;
    }
    let part = |x: f64, boxed: bool| match (boxed, x.is_infinite(), x.is_nan()) {
        (true, infinite, _) => (infinite as u8 as f64).copysign(x),
        (false, _, true) => 0f64.copysign(x),
        _ => x,
    };
    let direction = |z: Complex64| c(part(z.re, is_infinite(z)), part(z.im, is_infinite(z)));
    let direction_product = product(direction(a), direction(b));
    c(f64::INFINITY * direction_product.re, f64::INFINITY * direction_product.im)
}

/// Computes a small integer power by multiplication, with the special values of the naive product.
fn integer_power(a: Complex64, n: i32, dtype: DType) -> Complex64 {
    let r = |v| round(v, dtype);
    let product =
        |a: Complex64, b: Complex64| c(r(r(a.re * b.re) - r(a.im * b.im)), r(r(a.re * b.im) + r(a.im * b.re)));
    let count = n.unsigned_abs();
    let mut naive = c(1.0, 0.0);
    let mut square = a;
    let mut bits = count;
    while bits > 0 {
        if bits & 1 == 1 {
            naive = if naive == c(1.0, 0.0) { square } else { product(naive, square) };
        }
        bits >>= 1;
        if bits > 0 {
            square = product(square, square);
        }
    }
    if n < 0 {
        naive = divide(c(1.0, 0.0), naive, dtype);
    }
    if !is_finite(naive) || !is_finite(a) || n == 1 {
        return naive;
    }
    let (ar, ai) = (Big::new(a.re), Big::new(a.im));
    let (mut re, mut im) = (ar.clone(), ai.clone());
    for _ in 1..count {
        (re, im) = (&(&re * &ar) - &(&im * &ai), &(&re * &ai) + &(&im * &ar));
    }
    if n < 0 {
        let norm = &(&re * &re) + &(&im * &im);
        (re, im) = (&re / &norm, &(&Big::new(0.0) - &im) / &norm);
    }
    c(settle(naive.re, || re, dtype), settle(naive.im, || im, dtype))
}

/// Compares in NumPy's order: by the real parts, then by the imaginary ones; a NaN next to unequal real parts is
/// unordered.
pub(crate) fn compare(a: Complex64, b: Complex64) -> Option<Ordering> {
    if a.re == b.re {
        return a.im.partial_cmp(&b.im);
    }
    if a.im.is_nan() || b.im.is_nan() { None } else { a.re.partial_cmp(&b.re) }
}

pub(crate) fn maximum(a: Complex64, b: Complex64) -> Complex64 {
    if is_nan(a) || compare(a, b).is_some_and(Ordering::is_ge) { a } else { b }
}

pub(crate) fn minimum(a: Complex64, b: Complex64) -> Complex64 {
    if is_nan(a) || compare(a, b).is_some_and(Ordering::is_le) { a } else { b }
}
