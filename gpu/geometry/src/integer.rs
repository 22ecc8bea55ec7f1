//! Integers of any size, for determinants whose coordinates do not fit a fixed number of bits.

use std::cmp::Ordering;

use crate::determinants::Number;
use crate::floats::parts;

/// Integer: its sign, and its digits of 64 bits, the lowest one first and the highest one not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Integer {
    negative: bool,
    digits: Vec<u64>,
}

/// Returns the exponent of the lowest bit of any of some numbers.
pub(crate) fn lowest_exponent(numbers: impl Iterator<Item = f64>) -> i32 {
    numbers.filter(|x| *x != 0.0).map(|x| parts(x).1).min().unwrap_or(0)
}

impl Integer {
    /// Returns a finite number divided by a power of two that divides it.
    fn new(x: f64, exponent: i32) -> Integer {
        if x == 0.0 {
            return Integer::default();
        }
        let (mantissa, own) = parts(x);
        let shift = (own - exponent) as usize;
        let wide = u128::from(mantissa.unsigned_abs()) << (shift % 64);
        let mut digits = vec![0; shift / 64];
        digits.extend([wide as u64, (wide >> 64) as u64]);
        Integer { negative: x < 0.0, digits }.trimmed()
    }

    /// Returns the difference of two finite numbers divided by a power of two that divides both.
    pub(crate) fn difference(a: f64, b: f64, exponent: i32) -> Integer {
        let mut difference = Integer::new(a, exponent);
        difference.add(&Integer::new(b, exponent), true);
        difference
    }

    fn trimmed(mut self) -> Integer {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self.negative &= !self.digits.is_empty();
        self
    }

    pub(crate) fn sign(&self) -> Ordering {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => Ordering::Equal,
            (_, true) => Ordering::Less,
            (_, false) => Ordering::Greater,
        }
    }

    fn add(&mut self, other: &Integer, subtract: bool) {
        let negative = other.negative != subtract;
        let lengths = self.digits.len().cmp(&other.digits.len());
        let is_larger = lengths.then_with(|| self.digits.iter().rev().cmp(other.digits.iter().rev())).is_ge();
        let (large, small) = if is_larger { (&self.digits, &other.digits) } else { (&other.digits, &self.digits) };
        let is_sum = self.negative == negative;
        let (mut digits, mut carry) = (Vec::with_capacity(large.len() + 1), false);
        for (k, &a) in large.iter().enumerate() {
            let b = small.get(k).copied().unwrap_or(0);
            let (part, first) = if is_sum { a.overflowing_add(b) } else { a.overflowing_sub(b) };
            let own = u64::from(carry);
            let (digit, second) = if is_sum { part.overflowing_add(own) } else { part.overflowing_sub(own) };
            digits.push(digit);
            carry = first || second;
        }
        if carry {
            digits.push(1);
        }
        *self = Integer { negative: if is_larger { self.negative } else { negative }, digits }.trimmed();
    }

    fn times(&self, other: &Integer) -> Integer {
        let mut digits = vec![0; self.digits.len() + other.digits.len()];
        for (i, a) in self.digits.iter().enumerate() {
            let mut carry = 0;
            for (j, b) in other.digits.iter().enumerate() {
                let sum = u128::from(*a) * u128::from(*b) + u128::from(digits[i + j]) + carry;
                digits[i + j] = sum as u64;
                carry = sum >> 64;
            }
            digits[i + other.digits.len()] = carry as u64;
        }
        Integer { negative: self.negative != other.negative, digits }.trimmed()
    }
}

impl Number for Integer {
    fn zero() -> Self {
        Integer::default()
    }

    fn one() -> Self {
        Integer { negative: false, digits: vec![1] }
    }

    fn add_product(&mut self, a: &Self, b: &Self, subtract: bool) {
        self.add(&a.times(b), subtract);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_exact() {
        let of = |x: f64| Integer::new(x, -1074);
        let mut sum = of(1e300);
        for (x, subtract) in [(3e-300, true), (1e300, true), (-5e-324, false)] {
            sum.add(&of(x), subtract);
        }
        assert_eq!(sum.sign(), Ordering::Less);
        sum.add(&of(3e-300), false);
        assert_eq!(sum, of(-5e-324));
        assert_eq!(sum, Integer { negative: true, digits: vec![1] });
        let power = of(-1e300).times(&of(1e300));
        let mut difference = power.clone();
        difference.add_product(&of(1e300), &of(1e300), false);
        assert_eq!((power.sign(), difference.sign()), (Ordering::Less, Ordering::Equal));
        // (2^64 - 1)^2 = 2^128 - 2^65 + 1
        let most = Integer { negative: false, digits: vec![u64::MAX] };
        assert_eq!(most.times(&most).digits, [1, u64::MAX - 1]);
        assert_eq!(Integer::difference(0.0, -2.0, 1), Integer::one());
        assert_eq!(lowest_exponent([0.0, 12.0, -1.0].into_iter()), 0);
    }
}
