//! Element types of matrices.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use faer::traits::ComplexField;

use crate::{C32, C64};

/// An element of a matrix: float32, float64, or a complex number of them.
pub trait Scalar:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// The type in which a Cholesky factorisation computes: float64, or complex128.
    type Wide: ComplexField + Copy;
    /// The number one.
    const ONE: Self;
    /// The distance of 1 from the next larger number.
    const EPSILON: f64;
    /// Returns the magnitude; of a complex number the sum of the magnitudes of its parts, which orders pivots as well.
    fn magnitude(self) -> f64;
    /// Returns true for a positive real number, with an imaginary part that is rounding error.
    fn is_positive(self) -> bool;
    /// Returns the real part.
    fn real(self) -> f64;
    /// Returns the complex conjugate.
    fn conjugate(self) -> Self;
    /// Converts it to the wide type.
    fn widen(self) -> Self::Wide;
    /// Rounds a number of the wide type.
    fn narrow(wide: Self::Wide) -> Self;
}

macro_rules! real {
    ($of:ty) => {
        impl Scalar for $of {
            type Wide = f64;
            const ONE: $of = 1.0;
            const EPSILON: f64 = <$of>::EPSILON as f64;
            fn magnitude(self) -> f64 {
                f64::from(self.abs())
            }
            fn is_positive(self) -> bool {
                self > 0.0
            }
            fn real(self) -> f64 {
                self.into()
            }
            fn conjugate(self) -> $of {
                self
            }
            fn widen(self) -> f64 {
                self.into()
            }
            fn narrow(wide: f64) -> $of {
                wide as $of
            }
        }
    };
}
real!(f32);
real!(f64);

macro_rules! complex {
    ($of:ty, $part:ty) => {
        impl Scalar for $of {
            type Wide = C64;
            const ONE: $of = <$of>::new(1.0, 0.0);
            const EPSILON: f64 = <$part>::EPSILON as f64;
            fn magnitude(self) -> f64 {
                f64::from(self.re.abs()) + f64::from(self.im.abs())
            }
            fn is_positive(self) -> bool {
                self.re > 0.0 && self.im.abs() <= self.re * 1e-3
            }
            fn real(self) -> f64 {
                self.re.into()
            }
            fn conjugate(self) -> $of {
                self.conj()
            }
            fn widen(self) -> C64 {
                C64::new(self.re.into(), self.im.into())
            }
            fn narrow(wide: C64) -> $of {
                <$of>::new(wide.re as $part, wide.im as $part)
            }
        }
    };
}
complex!(C32, f32);
complex!(C64, f64);
