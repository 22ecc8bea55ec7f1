//! Bounds of random integers: scalars and arrays, in the dtype that the kernel computes in.
//!
//! Integers are sampled without bias, by multiplication and rejection (D. Lemire, "Fast Random Integer Generation in an
//! Interval", 2019).

use cuprum_kernels::DType;

use crate::array::{Array, Operand};
use crate::dtype::{Casting, can_cast};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::routines::{math, statistics};
use crate::scalar::Scalar;

/// An inclusive bound of random integers.
pub(super) enum Bound {
    /// One bound for all elements.
    Integer(i128),
    /// One bound for each element, in the dtype that the kernel computes in.
    Array(Array),
}

impl Bound {
    pub(super) fn operand(&self) -> Operand<'_> {
        match self {
            Bound::Integer(n) => Operand::Scalar(Scalar::Int(*n)),
            Bound::Array(a) => Operand::Array(a),
        }
    }
}

/// Limits against which bounds are checked.
pub(super) struct Limits {
    /// The dtype of the result.
    pub(super) dtype: DType,
    /// The dtype that the kernel computes in.
    pub(super) computed: DType,
    /// The smallest and the largest integer of the result's dtype.
    pub(super) range: (i128, i128),
    /// True if the upper bound is exclusive.
    pub(super) exclusive: bool,
}

/// Converts a scalar bound; floats are truncated.
fn integer(name: &str, bound: Scalar) -> Result<i128> {
    match bound {
        Scalar::Bool(b) => Ok(i128::from(b)),
        Scalar::Int(n) => Ok(n),
        Scalar::Float(x) if x.is_nan() => {
            Err(Error::new(ErrorKind::Value, format!("`{name}` is NaN: a bound is an integer")))
        }
        Scalar::Float(x) if x.is_infinite() => {
            Err(Error::new(ErrorKind::Overflow, format!("`{name}` is {x}: a bound is an integer")))
        }
        // A cast from a float truncates, and saturates beyond every dtype.
        Scalar::Float(x) => Ok(x as i128),
        Scalar::Complex(_) => Err(Error::new(ErrorKind::Type, format!("`{name}` is {bound}: a bound is an integer"))),
    }
}

impl Limits {
    /// Returns the lower bound.
    pub(super) fn low(&self, low: Operand<'_>) -> Result<Bound> {
        match low {
            Operand::Scalar(s) => {
                let low = integer("low", s)?;
                if low < self.range.0 || low > self.range.1 {
                    return Err(self.low_is_outside(low));
                }
                Ok(Bound::Integer(low))
            }
            Operand::Array(a) => {
                if let Some((least, most)) = self.extremes("low", a)? {
                    if below(least, self.range.0) {
                        return Err(self.low_is_outside(least));
                    }
                    if above(most, self.range.1) {
                        return Err(self.low_is_outside(most));
                    }
                }
                Ok(Bound::Array(a.cast(self.computed, Order::K)?))
            }
        }
    }

    /// Converts an upper bound to the largest integer that can be sampled.
    pub(super) fn last(&self, high: Operand<'_>) -> Result<Bound> {
        let less = i128::from(self.exclusive);
        match high {
            Operand::Scalar(s) => {
                let high = integer("high", s)?;
                let last = high.saturating_sub(less);
                if last < self.range.0 || last > self.range.1 {
                    return Err(self.high_is_outside(high));
                }
                Ok(Bound::Integer(last))
            }
            Operand::Array(a) => {
                if let Some((least, most)) = self.extremes("high", a)? {
                    if below(least, self.range.0 + less) {
                        return Err(self.high_is_outside(least));
                    }
                    if above(most, self.range.1 + less) {
                        return Err(self.high_is_outside(most));
                    }
                }
                let a = a.cast(self.computed, Order::K)?;
                // An upper bound one above the largest integer wraps in the cast, and wraps back here.
                Ok(Bound::Array(if self.exclusive { math::subtract(&a, 1)? } else { a }))
            }
        }
    }

    /// Returns the smallest and the largest element of an array of bounds that may not fit the dtype of the kernel,
    /// which synchronises. For an array that fits it returns `None`: the kernel compares its elements with the limits
    /// of the result's dtype.
    fn extremes(&self, name: &str, a: &Array) -> Result<Option<(Scalar, Scalar)>> {
        if a.dtype().is_complex() {
            let message = format!("`{name}` is of {}: bounds are integers", a.dtype());
            return Err(Error::new(ErrorKind::Type, message));
        }
        // An exclusive upper bound of 0 would wrap to the largest integer of uint64.
        let wraps = self.exclusive && name == "high" && self.computed == DType::U64;
        if a.is_empty() || (can_cast(a.dtype(), self.computed, Casting::Safe) && !wraps) {
            return Ok(None);
        }
        let (least, most) = (statistics::min(a, ())?.to_scalar()?, statistics::max(a, ())?.to_scalar()?);
        if matches!(least, Scalar::Float(x) if x.is_nan()) {
            return Err(Error::new(ErrorKind::Value, format!("`{name}` holds NaN: a bound is an integer")));
        }
        Ok(Some((least, most)))
    }

    fn low_is_outside(&self, low: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Value, format!("`low` is {low}: {} does not hold it", self.dtype))
    }

    fn high_is_outside(&self, high: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Value, format!("`high` is {high}: {} does not hold what is below it", self.dtype))
    }

    /// Returns the error for bounds with no integer between them.
    pub(super) fn nothing_between(&self, from: i128, to: i128) -> Error {
        let high = to + i128::from(self.exclusive);
        let message = format!("there is no integer from {from} to below {high}: `low` must be less than `high`");
        Error::new(ErrorKind::Value, message)
    }
}

fn below(element: Scalar, limit: i128) -> bool {
    match element {
        Scalar::Int(n) => n < limit,
        other => other.real() < limit as f64,
    }
}

fn above(element: Scalar, limit: i128) -> bool {
    match element {
        Scalar::Int(n) => n > limit,
        other => other.real() > limit as f64,
    }
}
