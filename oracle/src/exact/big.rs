//! Real functions with 256 bits of precision, rounded once.

use std::cell::RefCell;

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};
use cuprum_kernels::DType;

use crate::core::value::round;

/// Working precision in bits.
pub(crate) const P: usize = 256;
/// Number of bits to which a result is rounded first, which makes a result of few bits exact, so that ties are
/// detected.
const TRUSTED: usize = 192;
pub(crate) const RM: RoundingMode = RoundingMode::ToEven;

thread_local! {
    static CONSTS: RefCell<Consts> = RefCell::new(Consts::new().expect("the constants' first table fits in memory"));
}

/// A finite real number of 256 bits.
#[derive(Clone, Debug)]
pub(crate) struct Big(pub(crate) BigFloat);

macro_rules! functions {
    ($($name:ident)*) => {
        $(pub(crate) fn $name(&self) -> Big {
            CONSTS.with_borrow_mut(|c| Big(self.0.$name(P, RM, c)))
        })*
    };
}

impl Big {
    pub(crate) fn new(v: f64) -> Big {
        if v.is_subnormal() {
            // The library's conversion halves subnormal numbers.
            const SCALE: f64 = (1u64 << 54) as f64;
            return &Big::new(v * SCALE) / &Big::new(SCALE);
        }
        Big(BigFloat::from_f64(v, P))
    }

    functions! { ln sin cos tan tanh asin acos atan asinh acosh atanh }

    /// Computes the exponential; arguments beyond the range of every dtype are clamped.
    pub(crate) fn exp(&self) -> Big {
        let edge = |v| Big::new(v).0;
        let v = self.0.clamp(&edge(-5000.0), &edge(5000.0));
        CONSTS.with_borrow_mut(|c| Big(v.exp(P, RM, c)))
    }

    pub(crate) fn sinh(&self) -> Big {
        let edge = |v| Big::new(v).0;
        let v = self.0.clamp(&edge(-5000.0), &edge(5000.0));
        CONSTS.with_borrow_mut(|c| Big(v.sinh(P, RM, c)))
    }

    pub(crate) fn cosh(&self) -> Big {
        let edge = |v| Big::new(v).0;
        let v = self.0.clamp(&edge(-5000.0), &edge(5000.0));
        CONSTS.with_borrow_mut(|c| Big(v.cosh(P, RM, c)))
    }

    /// Computes e^x - 1 without cancellation.
    pub(crate) fn exp_m1(&self) -> Big {
        let half = self / &Big::new(2.0);
        &(&half.sinh() * &half.exp()) * &Big::new(2.0)
    }

    pub(crate) fn exp2(&self) -> Big {
        (self * &Big::new(2.0).ln()).exp()
    }

    pub(crate) fn exp10(&self) -> Big {
        (self * &Big::new(10.0).ln()).exp()
    }

    /// Computes log(1 + x) without cancellation.
    pub(crate) fn ln_1p(&self) -> Big {
        let one = Big::new(1.0);
        if self.is_above(&one, -2) {
            return (self + &one).ln();
        }
        // 2 atanh(x / (2 + x))
        &(self / &(self + &Big::new(2.0))).atanh() * &Big::new(2.0)
    }

    pub(crate) fn log2(&self) -> Big {
        &self.ln() / &Big::new(2.0).ln()
    }

    pub(crate) fn log10(&self) -> Big {
        &self.ln() / &Big::new(10.0).ln()
    }

    pub(crate) fn cbrt(&self) -> Big {
        Big(self.0.cbrt(P, RM))
    }

    /// Returns true if the magnitude is above that of `other` times 2^`shift`.
    pub(crate) fn is_above(&self, other: &Big, shift: i32) -> bool {
        let bound = &other.abs() * &Big::new(2f64.powi(shift));
        self.0.abs_cmp(&bound.0).is_some_and(|o| o > 0)
    }

    pub(crate) fn sqrt(&self) -> Big {
        Big(self.0.sqrt(P, RM))
    }

    pub(crate) fn abs(&self) -> Big {
        Big(self.0.abs())
    }

    pub(crate) fn pi() -> Big {
        CONSTS.with_borrow_mut(|c| Big(c.pi(P, RM)))
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Computes the angle of the point (x, y), which is not the origin.
    pub(crate) fn atan2(y: &Big, x: &Big) -> Big {
        let half_pi = || &Big::pi() / &Big::new(2.0);
        let steep = y.0.abs_cmp(&x.0).is_some_and(|o| o > 0);
        if steep {
            // atan2 = ±π/2 - atan(x / y)
            let quarter = if y.0.is_negative() { Big(half_pi().0.neg()) } else { half_pi() };
            return &quarter - &(x / y).atan();
        }
        let angle = (y / x).atan();
        match (x.0.is_negative(), y.0.is_negative()) {
            (false, _) => angle,
            (true, false) => &angle + &Big::pi(),
            (true, true) => &angle - &Big::pi(),
        }
    }

    /// Returns the nearest value of a float dtype (of a complex one's parts). A zero is positive.
    pub(crate) fn round(&self, dtype: DType) -> f64 {
        let mut v = self.0.clone();
        if v.is_nan() {
            return f64::NAN;
        }
        if v.is_inf() {
            return if v.is_inf_neg() { f64::NEG_INFINITY } else { f64::INFINITY };
        }
        if v.is_zero() {
            return 0.0;
        }
        v.set_precision(TRUSTED, RM).expect("a shorter mantissa needs no memory");
        let Some((words, _, sign, exponent, _)) = v.as_raw_parts() else { return f64::NAN };
        let top = *words.last().expect("a number that is not zero has a mantissa");
        // The value is 0.mantissa * 2^exponent; the bits below the first 64 only matter as "not zero".
        let lead = top.leading_zeros();
        let below = words[..words.len() - 1].iter().any(|w| *w != 0);
        let mut m = top << lead;
        let next = words.len().checked_sub(2).map_or(0, |i| words[i]);
        if lead > 0 {
            m |= next >> (64 - lead);
        }
        let e = exponent - lead as i32 - 64; // value = m * 2^e, with m of 64 bits
        let magnitude = assemble(m, below, e, dtype.real() == DType::F64);
        round(if sign == Sign::Neg { -magnitude } else { magnitude }, dtype)
    }
}

/// Returns `m * 2^e` as an `f64`: to nearest even, or to odd, from which a narrower dtype rounds as from the value
/// itself.
fn assemble(m: u64, sticky: bool, e: i32, nearest: bool) -> f64 {
    let top = e + 63; // exponent of the leading bit
    if top > 1023 {
        return f64::INFINITY;
    }
    // Number of dropped bits: 11 for a normal number, more for a subnormal one.
    let drop = 11 + (-1022 - top).max(0);
    if drop > 64 {
        return 0.0;
    }
    let (kept, lost) = if drop == 64 { (0, m) } else { (m >> drop, m & ((1 << drop) - 1)) };
    let half = 1u64 << (drop - 1);
    let inexact = lost != 0 || sticky;
    let kept = if nearest {
        kept + (lost > half || lost == half && (sticky || kept & 1 == 1)) as u64
    } else {
        kept | inexact as u64
    };
    let scale = top.max(-1022) - 52;
    // Two steps, because 2^scale alone may be subnormal; both are exact.
    kept as f64 * 2f64.powi(scale / 2) * 2f64.powi(scale - scale / 2)
}

macro_rules! operator {
    ($trait:ident $method:ident) => {
        impl std::ops::$trait<&Big> for &Big {
            type Output = Big;
            fn $method(self, other: &Big) -> Big {
                Big(self.0.$method(&other.0, P, RM))
            }
        }
    };
}

operator!(Add add);
operator!(Sub sub);
operator!(Mul mul);
operator!(Div div);

#[cfg(test)]
mod tests {
    use super::*;

    /// Values to 20 digits and more from published tables.
    #[test]
    fn rounds_to_the_nearest_double() {
        assert_eq!(Big::new(1.0).exp().round(DType::F64), std::f64::consts::E);
        assert_eq!(Big::new(2.0).ln().round(DType::F64), std::f64::consts::LN_2);
        assert_eq!(Big::pi().round(DType::F64), std::f64::consts::PI);
        // sin(10^22) = -0.8522008497671888017727...
        assert_eq!(Big::new(1e22).sin().round(DType::F64), -0.852_200_849_767_188_8);
        // cos(2^1023) is finite and within 1: the reduction takes every bit of pi that it needs.
        assert!(Big::new(2f64.powi(1023)).cos().round(DType::F64).abs() <= 1.0);
        // e^-745 = 0.39e-323: the smallest subnormal.
        assert_eq!(Big::new(-745.0).exp().round(DType::F64), f64::from_bits(1));
        assert_eq!(Big::new(710.0).exp().round(DType::F64), f64::INFINITY);
        assert_eq!(Big::new(3.0).round(DType::F16), 3.0);
        assert_eq!(Big::new(f64::from_bits(3)).round(DType::F64), f64::from_bits(3));
    }

    #[test]
    fn rounds_once() {
        // 1 + 2^-11 + 2^-60 is just above a tie of float16: rounding to float64 first would lose the last term.
        let v = &(&Big::new(1.0) + &Big::new(2f64.powi(-11))) + &Big::new(2f64.powi(-60));
        assert_eq!(v.round(DType::F16), 1.0 + 2f64.powi(-10));
    }
}
