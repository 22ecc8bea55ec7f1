//! Element types of matrices.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

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
    /// The number one.
    const ONE: Self;
    /// The distance of 1 from the next larger number.
    const EPSILON: f64;
    /// Returns the magnitude; of a complex number the sum of the magnitudes of its parts, which orders pivots as well.
    fn magnitude(self) -> f64;
    /// Returns true for a positive real number, with an imaginary part that is rounding error.
    fn is_positive(self) -> bool;
}

macro_rules! real {
    ($of:ty) => {
        impl Scalar for $of {
            const ONE: $of = 1.0;
            const EPSILON: f64 = <$of>::EPSILON as f64;
            fn magnitude(self) -> f64 {
                f64::from(self.abs())
            }
            fn is_positive(self) -> bool {
                self > 0.0
            }
        }
    };
}
real!(f32);
real!(f64);

macro_rules! complex {
    ($of:ty, $part:ty) => {
        impl Scalar for $of {
            const ONE: $of = <$of>::new(1.0, 0.0);
            const EPSILON: f64 = <$part>::EPSILON as f64;
            fn magnitude(self) -> f64 {
                f64::from(self.re.abs()) + f64::from(self.im.abs())
            }
            fn is_positive(self) -> bool {
                self.re > 0.0 && self.im.abs() <= self.re * 1e-3
            }
        }
    };
}
complex!(C32, f32);
complex!(C64, f64);
