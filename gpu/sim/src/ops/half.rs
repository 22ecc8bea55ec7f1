//! Instructions on float16 and bfloat16, each with one rounding, and their packed pairs.

use super::float::{Modifiers, Scalar};
use super::round::{odd_sum, two_sum};
use super::{Round, Type, nan};

/// A 16-bit float format: bits of the significand and of the exponent.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    precision: i32,
    bias: i32,
}

pub(crate) const F16: Format = Format { precision: 11, bias: 15 };
pub(crate) const BF16: Format = Format { precision: 8, bias: 127 };

pub(crate) fn format(ty: Type) -> Format {
    if matches!(ty, Type::Bf16 | Type::Bf16x2) { BF16 } else { F16 }
}

impl Format {
    /// Returns the largest number.
    pub(crate) fn largest(self) -> f64 {
        self.decode((self.exponent_ones() << (self.precision - 1)) - 1)
    }

    /// Returns the number of bits of a NaN's payload.
    pub(crate) fn fraction_bits(self) -> u32 {
        self.precision as u32 - 1
    }

    fn exponent_ones(self) -> u64 {
        2 * self.bias as u64 + 1
    }

    /// Returns the exact value.
    pub(crate) fn decode(self, bits: u64) -> f64 {
        let stored = self.precision - 1;
        let fraction = bits & ((1 << stored) - 1);
        let exponent = (bits & 0x7fff) >> stored;
        let magnitude = if exponent == self.exponent_ones() {
            if fraction == 0 { f64::INFINITY } else { f64::NAN }
        } else if exponent == 0 {
            fraction as f64 * exp2(1 - self.bias - stored)
        } else {
            (fraction | 1 << stored) as f64 * exp2(exponent as i32 - self.bias - stored)
        };
        if bits & 0x8000 != 0 { -magnitude } else { magnitude }
    }

    /// Rounds `x` to the format and returns its bits. `x` is exact, or rounded to odd.
    pub(crate) fn encode(self, x: f64, mode: Round) -> u64 {
        if x.is_nan() {
            return nan::HALF;
        }
        let sign = u64::from(x.is_sign_negative()) << 15;
        let stored = self.precision - 1;
        let infinity = self.exponent_ones() << stored;
        let largest = infinity - 1;
        if x.is_infinite() {
            return sign | infinity;
        }
        let magnitude = x.abs();
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - self.bias);
        let units = magnitude * exp2(stored - exponent);
        let away = match mode {
            Round::Up => sign == 0,
            Round::Down => sign != 0,
            _ => false,
        };
        let rounded = match mode {
            Round::Nearest => units.round_ties_even(),
            _ if away => units.ceil(),
            _ => units.trunc(),
        };
        // A carry out of the significand increments the exponent.
        let bits = rounded as u64 + ((exponent + self.bias - 1) as u64) * (1 << stored);
        if bits >= infinity {
            return sign | if mode == Round::Nearest || away { infinity } else { largest };
        }
        sign | bits
    }
}

/// Computes 2^e, exactly, also where it is subnormal.
fn exp2(e: i32) -> f64 {
    if e >= -1022 { f64::from_bits(((e + 1023) as u64) << 52) } else { f64::from_bits(1 << (e + 1074).max(0)) }
}

/// Flushes subnormal float16 values of a pair to zeros of their sign.
pub(crate) fn flush_pair(bits: u64) -> u64 {
    [0, 16].into_iter().fold(0, |out, shift| {
        let half = bits >> shift & 0xffff;
        out | if half & 0x7c00 == 0 { half & 0x8000 } else { half } << shift
    })
}

fn finish(x: f64, m: &Modifiers) -> u64 {
    let f = format(m.ty);
    let x = if m.sat { if x > 0.0 { x.min(1.0) } else { 0.0 } } else { x };
    let x = if m.relu && x <= 0.0 { 0.0 } else { x };
    let bits = f.encode(x, m.round);
    if m.ftz && bits & 0x7fff < 1 << (f.precision - 1) { bits & 0x8000 } else { bits }
}

fn value(bits: u64, m: &Modifiers) -> f64 {
    let f = format(m.ty);
    let x = f.decode(bits & 0xffff);
    if m.ftz && x.abs() < exp2(1 - f.bias) { 0.0f64.copysign(x) } else { x }
}

/// Returns a 16-bit instruction; `None` if there is none of the name.
pub(crate) fn scalar(op: &str) -> Option<Scalar> {
    Some(match op {
        "add" => |[a, b, _], m| finish(odd_sum(value(a, m), value(b, m)), m),
        "sub" => |[a, b, _], m| finish(odd_sum(value(a, m), -value(b, m)), m),
        "mul" => |[a, b, _], m| finish(value(a, m) * value(b, m), m),
        "fma" => |[a, b, c], m| finish(odd_sum(value(a, m) * value(b, m), value(c, m)), m),
        "neg" => |[a, _, _], m| finish(-value(a, m), m),
        "abs" => |[a, _, _], m| finish(value(a, m).abs(), m),
        "min" => |[a, b, _], m| min_max(a, b, m, false),
        "max" => |[a, b, _], m| min_max(a, b, m, true),
        "ex2" => |[a, _, _], m| finish(value(a, m).exp2(), m),
        "tanh" => |[a, _, _], m| finish(value(a, m).tanh(), m),
        _ => return None,
    })
}

fn min_max(a: u64, b: u64, m: &Modifiers, larger: bool) -> u64 {
    let (x, y) = (value(a, m), value(b, m));
    let negative = m.xorsign && (a ^ b) >> 15 & 1 == 1;
    let (x, y) = if m.xorsign { (x.abs(), y.abs()) } else { (x, y) };
    let finish = |x: f64| finish(if negative { -x } else { x }, m);
    match (x.is_nan(), y.is_nan()) {
        (true, true) => return nan::HALF,
        (true, _) | (_, true) if m.nan => return nan::HALF,
        (true, _) => return finish(y),
        (_, true) => return finish(x),
        _ => {}
    }
    let pick_a = if x == y { x.is_sign_negative() != larger } else { (x > y) == larger };
    finish(if pick_a { x } else { y })
}

/// Returns the same instruction on both halves of a packed pair.
pub(crate) fn packed(op: &str) -> Option<Scalar> {
    macro_rules! both {
        ($($name:literal),+) => {
            match op {
                $($name => Some(|operands: [u64; 3], m: &Modifiers| {
                    let f = scalar($name).expect("named in this list");
                    let low = f(operands.map(|x| x & 0xffff), m);
                    let high = f(operands.map(|x| x >> 16 & 0xffff), m);
                    low | high << 16
                }),)+
                _ => None,
            }
        };
    }
    both!("add", "sub", "mul", "fma", "neg", "abs", "min", "max", "ex2", "tanh")
}

/// Compares two 16-bit floats by the condition's name.
pub(crate) fn compare(condition: &str, x: f64, y: f64) -> Option<bool> {
    let unordered = x.is_nan() || y.is_nan();
    Some(match condition {
        "eq" => x == y,
        "ne" => !unordered && x != y,
        "lt" => x < y,
        "le" => x <= y,
        "gt" => x > y,
        "ge" => x >= y,
        "equ" => unordered || x == y,
        "neu" => unordered || x != y,
        "ltu" => unordered || x < y,
        "leu" => unordered || x <= y,
        "gtu" => unordered || x > y,
        "geu" => unordered || x >= y,
        "num" => !unordered,
        "nan" => unordered,
        _ => return None,
    })
}

/// Converts a 64-bit integer to a float64 rounded to odd.
pub(crate) fn odd_integer(x: i128) -> f64 {
    let near = x as f64;
    let (high, low) = two_sum(near, (x - near as i128) as f64);
    super::round::to_odd(high, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_survives_decoding_and_encoding() {
        for f in [F16, BF16] {
            for bits in 0..0x1_0000u64 {
                let x = f.decode(bits);
                if !x.is_nan() {
                    assert_eq!(f.encode(x, Round::Nearest), bits);
                    assert_eq!(f.encode(x, Round::Up), bits);
                }
            }
        }
    }

    #[test]
    fn ties_go_to_even_and_overflow_to_infinity() {
        assert_eq!(F16.encode(65519.9, Round::Nearest), 0x7bff);
        assert_eq!(F16.encode(65520.0, Round::Nearest), 0x7c00);
        assert_eq!(F16.encode(65520.0, Round::Zero), 0x7bff);
        assert_eq!(F16.encode(2049.0, Round::Nearest), F16.encode(2048.0, Round::Nearest));
        assert_eq!(F16.encode(2051.0, Round::Nearest), F16.encode(2052.0, Round::Nearest));
        assert_eq!(BF16.encode(1.0 + 1.0 / 256.0, Round::Nearest), 0x3f80);
        assert_eq!(BF16.encode(-1e-45, Round::Down), 0x8001);
    }
}
