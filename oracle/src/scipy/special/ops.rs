//! Operators on numbers of 256 bits, and sums of series.

use std::cmp::Ordering;

use crate::exact::big::{Big, P, RM};

macro_rules! operators {
    ($($trait:ident $method:ident;)*) => {$(
        impl std::ops::$trait<Big> for Big {
            type Output = Big;
            fn $method(self, other: Big) -> Big {
                (&self).$method(&other)
            }
        }
        impl std::ops::$trait<&Big> for Big {
            type Output = Big;
            fn $method(self, other: &Big) -> Big {
                (&self).$method(other)
            }
        }
        impl std::ops::$trait<Big> for &Big {
            type Output = Big;
            fn $method(self, other: Big) -> Big {
                self.$method(&other)
            }
        }
        impl std::ops::$trait<f64> for Big {
            type Output = Big;
            fn $method(self, other: f64) -> Big {
                (&self).$method(&Big::new(other))
            }
        }
        impl std::ops::$trait<f64> for &Big {
            type Output = Big;
            fn $method(self, other: f64) -> Big {
                self.$method(&Big::new(other))
            }
        }
    )*};
}

operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl std::ops::Neg for Big {
    type Output = Big;
    fn neg(self) -> Big {
        Big(self.0.neg())
    }
}

impl PartialEq<f64> for Big {
    fn eq(&self, other: &f64) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd<f64> for Big {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.0.cmp(&Big::new(*other).0).map(|o| o.cmp(&0))
    }
}

impl Big {
    /// Returns the nearest float64.
    pub(crate) fn to_f64(&self) -> f64 {
        let v = self.round(cuprum_kernels::DType::F64);
        if self.0.is_zero() { 0.0 } else { v }
    }

    /// Returns the smallest exponent of two above the magnitude.
    fn magnitude(&self) -> i32 {
        if self.is_zero() { i32::MIN / 2 } else { self.0.exponent().unwrap_or(i32::MAX / 2) }
    }

    /// Returns true if this is less than `2^-bits` of another number.
    pub(crate) fn is_below(&self, bits: i32, other: &Big) -> bool {
        self.magnitude() < other.magnitude() - bits
    }

    /// Returns the number with the sign of another.
    pub(crate) fn with_sign(self, sign: f64) -> Big {
        if sign.is_sign_negative() { -self } else { self }
    }

    /// Computes a non-negative integer power.
    pub(crate) fn powi(&self, n: usize) -> Big {
        Big(self.0.powi(n, P, RM))
    }
}

/// Sums a series that converges; `step` computes term n from term n - 1.
pub(super) fn series(first: Big, mut step: impl FnMut(f64, &Big) -> Big) -> Big {
    /// Upper bound of the number of terms for any argument that is passed to a series.
    const MOST: u32 = 100_000;
    let (mut sum, mut term) = (first.clone(), first);
    for n in 1..MOST {
        term = step(n.into(), &term);
        if term.is_zero() || term.is_below(P as i32, &sum) {
            break;
        }
        sum = &sum + &term;
    }
    sum
}

/// Sums an asymptotic series up to its smallest term.
pub(super) fn asymptotic(first: Big, mut step: impl FnMut(f64, &Big) -> Big) -> Big {
    let (mut sum, mut term) = (first.clone(), first);
    for n in 1.. {
        let next = step(n.into(), &term);
        if next.is_zero() || next.is_below(P as i32, &sum) || !next.is_below(0, &term) && n > 2 {
            break;
        }
        sum = &sum + &next;
        term = next;
    }
    sum
}
