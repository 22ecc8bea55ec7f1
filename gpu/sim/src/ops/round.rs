//! Correctly rounded float operations in the directed rounding modes.
//!
//! Each takes the result rounded to nearest and the sign of the rounding error, and steps to the neighbour where the
//! mode requires it. The error is computed exactly: in double precision for float32, by error-free transformations for
//! float64 (D. Knuth's two-sum; the fused multiply-add's remainder).

use super::Round;

/// Returns the neighbour of `near` that `mode` requires, `lost` having the sign of exact minus `near`.
macro_rules! directed {
    ($name:ident, $float:ty) => {
        fn $name(near: $float, lost: $float, mode: Round) -> $float {
            if mode == Round::Nearest || near.is_nan() {
                return near;
            }
            if near.is_infinite() {
                // Overflow: the exact value is finite, which the caller indicates by a nonzero `lost`.
                let stays = lost == 0.0 || (mode == Round::Up && near > 0.0) || (mode == Round::Down && near < 0.0);
                return if stays { near } else { <$float>::MAX.copysign(near) };
            }
            let up = match mode {
                Round::Up => lost > 0.0,
                Round::Zero => near < 0.0 && lost > 0.0,
                _ => false,
            };
            let down = match mode {
                Round::Down => lost < 0.0,
                Round::Zero => near > 0.0 && lost < 0.0,
                _ => false,
            };
            if up {
                near.next_up()
            } else if down {
                near.next_down()
            } else {
                near
            }
        }
    };
}
directed!(step32, f32);
directed!(step64, f64);

/// Rounds the exact value `high + low` (`low` below half a unit of `high`) to float32.
fn to_f32(high: f64, low: f64, mode: Round) -> f32 {
    // Rounding `high` to nearest may cross a tie that `low` decides: it is rounded to odd first.
    let odd = to_odd(high, low);
    if mode == Round::Nearest {
        return odd as f32;
    }
    let near = odd as f32;
    let lost = if near.is_infinite() && odd.is_finite() { 1.0 } else { odd - f64::from(near) };
    step32(
        near,
        if lost > 0.0 {
            1.0
        } else if lost < 0.0 {
            -1.0
        } else {
            0.0
        },
        mode,
    )
}

/// Rounds `high + low` to odd: an inexact value becomes the neighbour with an odd significand, so that a second
/// rounding to fewer bits is correct.
pub(crate) fn to_odd(high: f64, low: f64) -> f64 {
    if low == 0.0 || low.is_nan() || high.to_bits() & 1 == 1 {
        return high;
    }
    if (low > 0.0) == (high > 0.0) { f64::from_bits(high.to_bits() | 1) } else { f64::from_bits(high.to_bits() - 1) }
}

/// Computes a sum rounded to odd.
pub(crate) fn odd_sum(a: f64, b: f64) -> f64 {
    let (high, low) = two_sum(a, b);
    to_odd(high, low)
}

pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// Returns -0 for a sum that is exactly zero when rounding down.
fn zero_sum32(a: f32, b: f32, r: f32, mode: Round) -> f32 {
    if r == 0.0 && mode == Round::Down && (a != 0.0 || b != 0.0 || a.is_sign_negative() || b.is_sign_negative()) {
        -0.0
    } else {
        r
    }
}

/// Rounds a float64 that is exact, or rounded to odd, to float32.
pub(crate) fn narrow(x: f64, mode: Round) -> f32 {
    to_f32(x, 0.0, mode)
}

/// Rounds an integer to float64.
pub(crate) fn integer64(n: i128, mode: Round) -> f64 {
    let near = n as f64;
    step64(near, (n - near as i128) as f64, mode)
}

pub(crate) fn add32(a: f32, b: f32, mode: Round) -> f32 {
    let near = a + b;
    if mode == Round::Nearest || !(a.is_finite() && b.is_finite()) {
        return near;
    }
    let (high, low) = two_sum(a.into(), b.into());
    zero_sum32(a, b, to_f32(high, low, mode), mode)
}

pub(crate) fn mul32(a: f32, b: f32, mode: Round) -> f32 {
    let near = a * b;
    if mode == Round::Nearest || !(a.is_finite() && b.is_finite()) {
        return near;
    }
    to_f32(f64::from(a) * f64::from(b), 0.0, mode)
}

pub(crate) fn fma32(a: f32, b: f32, c: f32, mode: Round) -> f32 {
    let near = a.mul_add(b, c);
    if mode == Round::Nearest || !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return near;
    }
    let product = f64::from(a) * f64::from(b);
    let (high, low) = two_sum(product, c.into());
    if high == 0.0 && low == 0.0 {
        let negative = product.is_sign_negative() && c.is_sign_negative();
        let cancelled = product.is_sign_negative() != c.is_sign_negative();
        return if negative || cancelled && mode == Round::Down { -0.0 } else { 0.0 };
    }
    to_f32(high, low, mode)
}

pub(crate) fn div32(a: f32, b: f32, mode: Round) -> f32 {
    let near = a / b;
    if mode == Round::Nearest || !(a.is_finite() && b.is_finite()) || b == 0.0 || a == 0.0 {
        return near;
    }
    let (x, y) = (f64::from(a), f64::from(b));
    let q = x / y;
    let remainder = (-q).mul_add(y, x);
    to_f32(q, if y > 0.0 { remainder } else { -remainder }, mode)
}

pub(crate) fn sqrt32(a: f32, mode: Round) -> f32 {
    let near = a.sqrt();
    if mode == Round::Nearest || near.is_nan() || near.is_infinite() || a == 0.0 {
        return near;
    }
    let x = f64::from(a);
    let r = x.sqrt();
    to_f32(r, (-r).mul_add(r, x), mode)
}

pub(crate) fn add64(a: f64, b: f64, mode: Round) -> f64 {
    let near = a + b;
    if mode == Round::Nearest || !(a.is_finite() && b.is_finite()) {
        return near;
    }
    if near.is_infinite() {
        return step64(near, 1.0, mode);
    }
    if near == 0.0 && mode == Round::Down && (a != 0.0 || a.is_sign_negative() || b.is_sign_negative()) {
        return -0.0;
    }
    step64(near, two_sum(a, b).1, mode)
}

pub(crate) fn mul64(a: f64, b: f64, mode: Round) -> f64 {
    if mode == Round::Nearest || !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return a * b;
    }
    fma64(a, b, 0.0f64.copysign(a * b), mode)
}

pub(crate) fn fma64(a: f64, b: f64, c: f64, mode: Round) -> f64 {
    let near = a.mul_add(b, c);
    if mode == Round::Nearest || !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return near;
    }
    if near.is_infinite() {
        return step64(near, 1.0, mode);
    }
    let sign = exact_sign(a, b, c, near);
    if near == 0.0 && sign == 0.0 {
        let product_negative = a.is_sign_negative() != b.is_sign_negative();
        let cancelled = product_negative != c.is_sign_negative();
        return if cancelled && mode == Round::Down { -0.0 } else { near };
    }
    step64(near, sign, mode)
}

/// Returns the sign of `a * b + c - near`, exactly, with 2200-bit fixed-point numbers: rare modes need no speed.
fn exact_sign(a: f64, b: f64, c: f64, near: f64) -> f64 {
    let mut sum = Wide::default();
    let (ma, ea) = parts(a);
    let (mb, eb) = parts(b);
    sum.add(u128::from(ma) * u128::from(mb), ea + eb, a.is_sign_negative() != b.is_sign_negative());
    for (x, flip) in [(c, false), (near, true)] {
        let (m, e) = parts(x);
        sum.add(m.into(), e, x.is_sign_negative() != flip);
    }
    sum.sign()
}

/// Returns mantissa and exponent: `x == m * 2^e` in magnitude.
fn parts(x: f64) -> (u64, i32) {
    let bits = x.to_bits() & !(1 << 63);
    let exponent = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}

/// A signed fixed-point number, two's complement, whose lowest bit is 2^-2148.
struct Wide([u64; 68]);

impl Default for Wide {
    fn default() -> Wide {
        Wide([0; 68])
    }
}

impl Wide {
    fn add(&mut self, m: u128, e: i32, negative: bool) {
        let shift = (e + 2148) as usize;
        let (word, bit) = (shift / 64, shift % 64);
        let low = m << bit;
        let high = if bit == 0 { 0 } else { m >> (128 - bit) };
        let mut digits = [0u64; 68];
        for (i, d) in [low as u64, (low >> 64) as u64, high as u64].into_iter().enumerate() {
            if let Some(slot) = digits.get_mut(word + i) {
                *slot = d;
            }
        }
        let mut carry = u64::from(negative);
        for (slot, d) in self.0.iter_mut().zip(digits) {
            let d = if negative { !d } else { d };
            let (s, c1) = slot.overflowing_add(d);
            let (s, c2) = s.overflowing_add(carry);
            *slot = s;
            carry = u64::from(c1 | c2);
        }
    }

    fn sign(&self) -> f64 {
        if self.0[67] >> 63 == 1 {
            -1.0
        } else if self.0.iter().any(|&d| d != 0) {
            1.0
        } else {
            0.0
        }
    }
}

pub(crate) fn div64(a: f64, b: f64, mode: Round) -> f64 {
    let near = a / b;
    if mode == Round::Nearest || !(a.is_finite() && b.is_finite()) || b == 0.0 || a == 0.0 {
        return near;
    }
    if near.is_infinite() {
        return step64(near, 1.0, mode);
    }
    // The sign of a - near * b, times the divisor's.
    let lost = exact_sign(-near, b, a, 0.0);
    step64(near, if b > 0.0 { lost } else { -lost }, mode)
}

pub(crate) fn sqrt64(a: f64, mode: Round) -> f64 {
    let near = a.sqrt();
    if mode == Round::Nearest || !near.is_finite() || a == 0.0 {
        return near;
    }
    step64(near, exact_sign(-near, near, a, 0.0), mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directed_results_bracket_the_exact_one() {
        let cases = [(1.0f64, 3.0), (1e300, 7e-300), (5e-324, 0.3), (-2.5, 1e-17), (1.0, -1.0)];
        for (a, b) in cases {
            for op in [add64 as fn(f64, f64, Round) -> f64, mul64, div64] {
                let (down, near, up) = (op(a, b, Round::Down), op(a, b, Round::Nearest), op(a, b, Round::Up));
                assert!(down <= near && near <= up, "{a} {b}: {down} {near} {up}");
                assert!(up == down || up == down.next_up() || (down == 0.0 && up > 0.0), "{a} {b}: {down} {up}");
                let zero = op(a, b, Round::Zero);
                assert_eq!(zero, if near < 0.0 { up } else { down });
            }
        }
    }

    #[test]
    fn exact_results_do_not_move() {
        for mode in [Round::Down, Round::Up, Round::Zero] {
            assert_eq!(add32(1.0, 2.0, mode), 3.0);
            assert_eq!(div64(6.0, 3.0, mode), 2.0);
            assert_eq!(sqrt32(4.0, mode), 2.0);
            assert_eq!(sqrt64(2.25, mode), 1.5);
        }
    }

    #[test]
    fn one_third_rounds_both_ways() {
        assert_eq!(div32(1.0, 3.0, Round::Down).to_bits() + 1, div32(1.0, 3.0, Round::Up).to_bits());
        assert_eq!(add32(1.0, f32::EPSILON / 8.0, Round::Up), 1.0 + f32::EPSILON);
        assert_eq!(fma32(1.0, 1.0, -1e-30, Round::Zero), 1.0f32.next_down());
        assert_eq!(mul32(f32::MAX, 2.0, Round::Zero), f32::MAX);
        assert_eq!(add64(1.0, -1.0, Round::Down).to_bits(), (-0.0f64).to_bits());
    }
}
