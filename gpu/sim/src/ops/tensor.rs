//! One element of a matrix instruction: a sum of products.
//!
//! Integers and bits are exact, and wrap or saturate at the end. float64 is a chain of fused multiply-adds in the order
//! of k, each rounded to nearest. The other floats follow one rule, that of the published models of NVIDIA's tensor
//! cores (M. Fasi et al., Numerical behavior of NVIDIA tensor cores, 2021; F. A. Khattak and M. Mikaitis, Accurate
//! models of NVIDIA tensor cores, 2025), with the widths that those state for Hopper:
//!
//! * The products over the whole k of the instruction are exact, including those of subnormal operands.
//! * They and the addend are aligned to the largest exponent among them: a product's is the sum of its factors'
//!   exponents. Bits below 2^-25 of that are truncated, of each term towards zero.
//! * The aligned terms are added exactly. The sum is truncated to float32, or rounded to nearest to float16.
//!
//! Recordings of an H200 agree to the bit (`tests/golden/matrices`); where all terms fit, as with small integers, every
//! order and width agrees.

use super::Round;
#[cfg(test)]
use super::half::BF16;
use super::half::F16;
use super::round::narrow;

/// Fraction bits of an aligned sum.
const FRACTION: i32 = 25;

/// The NaN of a matrix instruction.
const NAN_F32: u64 = 0x7fff_ffff;
const NAN_F16: u64 = 0x7fff;

/// The type of a matrix's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S8,
    U8,
    S4,
    U4,
    B1,
    S32,
}

impl Element {
    pub(crate) fn parse(word: &str) -> Option<Element> {
        Some(match word {
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "tf32" => Element::Tf32,
            "f32" => Element::F32,
            "f64" => Element::F64,
            "s8" => Element::S8,
            "u8" => Element::U8,
            "s4" => Element::S4,
            "u4" => Element::U4,
            "b1" => Element::B1,
            "s32" => Element::S32,
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> usize {
        match self {
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F64 => 64,
            Element::S8 | Element::U8 => 8,
            Element::S4 | Element::U4 => 4,
            Element::B1 => 1,
        }
    }

    fn is_integer(self) -> bool {
        matches!(self, Element::S8 | Element::U8 | Element::S4 | Element::U4)
    }

    /// Returns the value of an integer's bits.
    fn integer(self, bits: u64) -> i64 {
        match self {
            Element::S8 => i64::from(bits as i8),
            Element::S4 => i64::from((bits as i8) << 4 >> 4),
            Element::S32 => i64::from(bits as i32),
            _ => bits as i64,
        }
    }
}

/// The operation on bits in place of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitProduct {
    And,
    Xor,
}

/// The types and options of a matrix product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    pub(crate) a: Element,
    pub(crate) b: Element,
    /// The type of the addend and of the result.
    pub(crate) c: Element,
    pub(crate) d: Element,
    /// The operation for bits.
    pub(crate) bits: BitProduct,
    /// True if integers saturate.
    pub(crate) saturates: bool,
}

/// A float in parts: `significand * 2^(exponent - point)`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Number {
    significand: i64,
    exponent: i32,
    infinite: bool,
    nan: bool,
}

/// Returns the number of fraction bits of a significand.
fn point(element: Element) -> i32 {
    match element {
        Element::F16 | Element::Tf32 => 10,
        Element::Bf16 => 7,
        _ => 23,
    }
}

fn number(element: Element, bits: u64) -> Number {
    let point = point(element);
    let (bits, width, bias) = match element {
        Element::F16 => (bits, 16, 15),
        Element::Bf16 => (bits, 16, 127),
        // The low bits of the register are ignored.
        Element::Tf32 => (bits >> 13 & 0x7ffff, 19, 127),
        _ => (bits, 32, 127),
    };
    let fraction = (bits & ((1 << point) - 1)) as i64;
    let exponent = (bits >> point & (2 * bias as u64 + 1)) as i32;
    let special = exponent == 2 * bias + 1;
    let magnitude = if exponent == 0 { fraction } else { fraction | 1 << point };
    Number {
        significand: if bits >> (width - 1) & 1 == 1 { -magnitude } else { magnitude },
        exponent: exponent.max(1) - bias,
        infinite: special && fraction == 0,
        nan: special && fraction != 0,
    }
}

impl Sum {
    /// Decodes the elements of a matrix for [`Sum::of`].
    pub(crate) fn numbers(element: Element, bits: &[u64]) -> Vec<Number> {
        match element {
            Element::F16 | Element::Bf16 | Element::Tf32 => bits.iter().map(|&b| number(element, b)).collect(),
            _ => bits.iter().map(|&b| Number { significand: element.integer(b), ..Number::default() }).collect(),
        }
    }

    /// Computes one element: the sum over k of the products, and the addend.
    pub(crate) fn of<'a>(&self, products: impl Iterator<Item = (&'a Number, &'a Number)> + Clone, c: u64) -> u64 {
        match (self.a, self.d) {
            (Element::F64, _) => products
                .fold(f64::from_bits(c), |sum, (a, b)| {
                    f64::from_bits(a.significand as u64).mul_add(f64::from_bits(b.significand as u64), sum)
                })
                .to_bits(),
            (Element::B1, _) => {
                let one = |(a, b): (&Number, &Number)| match self.bits {
                    BitProduct::And => a.significand & b.significand,
                    BitProduct::Xor => a.significand ^ b.significand,
                };
                self.whole(products.map(one).sum::<i64>() + i64::from(c as i32))
            }
            _ if self.a.is_integer() => {
                let sum: i64 = products.map(|(a, b)| a.significand * b.significand).sum();
                self.whole(sum + i64::from(c as i32))
            }
            _ => self.fused(products, c),
        }
    }

    fn whole(&self, sum: i64) -> u64 {
        let sum = if self.saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
        u64::from(sum as u32)
    }

    /// Computes the sum of floats: aligned, truncated and added at once.
    fn fused<'a>(&self, products: impl Iterator<Item = (&'a Number, &'a Number)> + Clone, c: u64) -> u64 {
        let addend = number(self.c, c);
        let (mut largest, mut nan) = (i32::MIN, addend.nan);
        let mut infinite = [addend.infinite && addend.significand > 0, addend.infinite && addend.significand < 0];
        if addend.significand != 0 {
            largest = addend.exponent;
        }
        for (a, b) in products.clone() {
            if a.significand == 0 || b.significand == 0 {
                nan |= a.nan || b.nan || a.infinite || b.infinite;
                continue;
            }
            largest = largest.max(a.exponent + b.exponent);
            nan |= a.nan || b.nan;
            if a.infinite || b.infinite {
                infinite[usize::from((a.significand < 0) != (b.significand < 0))] = true;
            }
        }
        let half = self.d == Element::F16;
        match (nan, infinite) {
            (true, _) | (_, [true, true]) => return if half { NAN_F16 } else { NAN_F32 },
            (_, [true, false]) => return if half { 0x7c00 } else { f32::INFINITY.to_bits().into() },
            (_, [false, true]) => return if half { 0xfc00 } else { f32::NEG_INFINITY.to_bits().into() },
            _ if largest == i32::MIN => return 0,
            _ => {}
        }
        let aligned = |significand: i64, exponent: i32, point: i32| {
            let shift = exponent - largest + FRACTION - point;
            match shift {
                0.. => significand << shift.min(40),
                -62..0 => significand.signum() * (significand.abs() >> -shift),
                _ => 0,
            }
        };
        let behind = point(self.a) + point(self.b);
        let sum = products
            .map(|(a, b)| match a.significand * b.significand {
                0 => 0,
                product => aligned(product, a.exponent + b.exponent, behind),
            })
            .sum::<i64>()
            + if addend.significand == 0 { 0 } else { aligned(addend.significand, addend.exponent, point(self.c)) };
        // The sum has at most 34 bits and is far from the ends of float64's range: this is exact.
        let value = sum as f64 * 2f64.powi(largest - FRACTION);
        if half {
            F16.encode(value, Round::Nearest)
        } else if value.abs() >= 2f64.powi(128) {
            u64::from(if value > 0.0 { f32::INFINITY } else { f32::NEG_INFINITY }.to_bits())
        } else {
            narrow(value, Round::Zero).to_bits().into()
        }
    }
}

/// Returns the value of a float element, for tests and messages.
#[cfg(test)]
fn value(element: Element, bits: u64) -> f64 {
    match element {
        Element::F16 => F16.decode(bits),
        Element::Bf16 => BF16.decode(bits),
        _ => f32::from_bits(bits as u32).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum_of(a: Element, d: Element, terms: &[(f64, f64)], c: f64) -> u64 {
        let bits = |x: f64| match a {
            Element::F16 => F16.encode(x, Round::Nearest),
            Element::Bf16 => BF16.encode(x, Round::Nearest),
            _ => u64::from((x as f32).to_bits()),
        };
        let sum = Sum { a, b: a, c: d, d, bits: BitProduct::And, saturates: false };
        let left = Sum::numbers(a, &terms.iter().map(|t| bits(t.0)).collect::<Vec<_>>());
        let right = Sum::numbers(a, &terms.iter().map(|t| bits(t.1)).collect::<Vec<_>>());
        let c = if d == Element::F16 { F16.encode(c, Round::Nearest) } else { (c as f32).to_bits().into() };
        sum.of(left.iter().zip(&right), c)
    }

    #[test]
    fn small_numbers_are_exact() {
        for a in [Element::F16, Element::Bf16, Element::Tf32] {
            let got = value(Element::F32, sum_of(a, Element::F32, &[(3.0, 5.0), (-2.0, 0.5), (1.5, 1.5)], 100.0));
            assert_eq!(got, 116.25, "{a:?}");
        }
        assert_eq!(value(Element::F16, sum_of(Element::F16, Element::F16, &[(3.0, 5.0), (-2.0, 0.5)], 100.0)), 114.0);
    }

    #[test]
    fn terms_are_cut_off_below_the_largest() {
        let tiny = 2f64.powi(-12);
        // 2^-24 of the largest is kept by the sum and truncated by float32; two of them reach its last bit.
        let of = |n: usize, x: f64| {
            let mut terms = vec![(1.0, 1.0)];
            terms.extend(vec![(x, tiny); n]);
            f32::from_bits(sum_of(Element::F16, Element::F32, &terms, 0.0) as u32)
        };
        assert_eq!(of(1, tiny), 1.0);
        assert_eq!(of(2, tiny), 1.0 + f32::EPSILON);
        // 2^-25 is the last bit that is kept, 2^-26 is lost however many there are.
        assert_eq!(of(4, tiny / 2.0), 1.0 + f32::EPSILON);
        assert_eq!(of(15, tiny / 4.0), 1.0);
        // Each term is truncated towards zero.
        assert_eq!(of(15, -tiny / 4.0), 1.0);
        assert_eq!(of(1, -tiny), 1.0 - f32::EPSILON / 2.0);
    }

    #[test]
    fn float16_sums_round_to_nearest() {
        let got = |x: f64| value(Element::F16, sum_of(Element::F16, Element::F16, &[(2048.0, 1.0), (x, 1.0)], 0.0));
        assert_eq!([got(1.0), got(3.0), got(1.5)], [2048.0, 2052.0, 2050.0]);
    }

    #[test]
    fn infinities_and_nans() {
        let inf = f64::INFINITY;
        let f = |terms: &[(f64, f64)], c| sum_of(Element::F16, Element::F32, terms, c);
        assert_eq!(f(&[(inf, 2.0)], 1.0), f32::INFINITY.to_bits().into());
        assert_eq!(f(&[(inf, -2.0)], 1.0), f32::NEG_INFINITY.to_bits().into());
        for nan in [f(&[(inf, 0.0)], 1.0), f(&[(inf, 1.0)], -inf), f(&[(f64::NAN, 1.0)], 0.0), f(&[], f64::NAN)] {
            assert_eq!(nan, NAN_F32);
        }
        assert_eq!(f(&[(0.0, 1.0)], -0.0), 0);
        // Subnormal operands count.
        assert_eq!(f(&[(2f64.powi(-24), 1.0)], 0.0), 2f32.powi(-24).to_bits().into());
    }

    #[test]
    fn integers_wrap_or_saturate() {
        let mut sum = Sum {
            a: Element::S8,
            b: Element::U8,
            c: Element::S32,
            d: Element::S32,
            bits: BitProduct::And,
            saturates: false,
        };
        let (a, b) = (Sum::numbers(Element::S8, &[0xff, 0x7f]), Sum::numbers(Element::U8, &[0xff, 1]));
        assert_eq!(sum.of(a.iter().zip(&b), 0) as u32 as i32, -255 + 127);
        assert_eq!(sum.of(a.iter().zip(&b), 0x8000_0000), 0x8000_0000u64.wrapping_sub(128) & 0xffff_ffff);
        sum.saturates = true;
        assert_eq!(sum.of(a.iter().zip(&b), 0x8000_0000), 0x8000_0000);
        assert_eq!(Element::S4.integer(0xf), -1);
        assert_eq!(Element::U4.integer(0xf), 15);
    }
}
