//! Integers of any size, and determinants of them.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, Mul, Neg, Sub};

/// Integer: its sign, and its digits of 32 bits, the lowest one first and the highest one not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Integer {
    negative: bool,
    digits: Vec<u32>,
}

impl Integer {
    /// Returns a float multiplied by a power of two that makes it an integer.
    fn scaled(x: f64, exponent: i32) -> Integer {
        if x == 0.0 {
            return Integer::default();
        }
        let (mantissa, own) = parts(x);
        let shift = (own - exponent) as usize;
        let mut digits = vec![0; shift / 32];
        let low = u128::from(mantissa) << (shift % 32);
        digits.extend((0..3).map(|k| (low >> (32 * k)) as u32));
        Integer { negative: x < 0.0, digits }.trimmed()
    }

    fn trimmed(mut self) -> Integer {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self.negative &= !self.digits.is_empty();
        self
    }

    pub(super) fn sign(&self) -> Ordering {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => Ordering::Equal,
            (_, true) => Ordering::Less,
            (_, false) => Ordering::Greater,
        }
    }

    /// Returns the nearest float, but for some units in the last place.
    pub(super) fn to_f64(&self) -> f64 {
        let magnitude = self.digits.iter().rev().fold(0.0, |sum, d| sum * f64::powi(2.0, 32) + f64::from(*d));
        if self.negative { -magnitude } else { magnitude }
    }

    fn digit(&self, k: usize) -> i64 {
        self.digits.get(k).copied().unwrap_or(0).into()
    }

    fn has_less_digits(&self, other: &Integer) -> bool {
        let lengths = self.digits.len().cmp(&other.digits.len());
        lengths.then_with(|| self.digits.iter().rev().cmp(other.digits.iter().rev())).is_lt()
    }
}

/// Returns the mantissa of a finite float and the exponent of its unit.
fn parts(x: f64) -> (u64, i32) {
    let (exponent, fraction) = ((x.to_bits() >> 52 & 0x7ff) as i32, x.to_bits() & ((1 << 52) - 1));
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}

impl From<u32> for Integer {
    fn from(x: u32) -> Integer {
        Integer { negative: false, digits: vec![x] }.trimmed()
    }
}

impl Neg for Integer {
    type Output = Integer;

    fn neg(self) -> Integer {
        Integer { negative: !self.negative, ..self }.trimmed()
    }
}

impl Add for &Integer {
    type Output = Integer;

    fn add(self, other: &Integer) -> Integer {
        let (large, small) = if self.has_less_digits(other) { (other, self) } else { (self, other) };
        let sign = if large.negative == small.negative { 1 } else { -1 };
        let mut digits = Vec::with_capacity(large.digits.len() + 1);
        let mut carry = 0;
        for k in 0..=large.digits.len() {
            let sum = large.digit(k) + sign * small.digit(k) + carry;
            digits.push(sum as u32);
            carry = sum >> 32;
        }
        Integer { negative: large.negative, digits }.trimmed()
    }
}

impl Sub for &Integer {
    type Output = Integer;

    fn sub(self, other: &Integer) -> Integer {
        self + &-other.clone()
    }
}

impl Mul for &Integer {
    type Output = Integer;

    fn mul(self, other: &Integer) -> Integer {
        let mut digits = vec![0u32; self.digits.len() + other.digits.len() + 1];
        for (i, a) in self.digits.iter().enumerate() {
            let mut carry = 0;
            for (k, digit) in digits[i..].iter_mut().enumerate() {
                let b = other.digits.get(k).copied().unwrap_or(0);
                let sum = u64::from(*digit) + u64::from(*a) * u64::from(b) + carry;
                *digit = sum as u32;
                carry = sum >> 32;
            }
        }
        Integer { negative: self.negative != other.negative, digits }.trimmed()
    }
}

impl<'a> Sum<&'a Integer> for Integer {
    fn sum<I: Iterator<Item = &'a Integer>>(all: I) -> Integer {
        all.fold(Integer::default(), |sum, x| &sum + x)
    }
}

/// Vector of integers.
pub(super) type Vector = Vec<Integer>;

pub(super) fn difference(a: &Vector, b: &Vector) -> Vector {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

pub(super) fn multiple(a: &Vector, factor: u32) -> Vector {
    a.iter().map(|x| x * &factor.into()).collect()
}

/// Returns the sum of vectors.
pub(super) fn sum(all: &[&Vector]) -> Vector {
    (0..all[0].len()).map(|k| all.iter().map(|v| &v[k]).sum()).collect()
}

/// Returns the determinant of a square matrix by expansion along its first row.
pub(super) fn determinant(rows: &[Vector]) -> Integer {
    let Some((first, others)) = rows.split_first() else { return 1.into() };
    let mut found = Integer::default();
    for (k, x) in first.iter().enumerate().filter(|(_, x)| x.sign() != Ordering::Equal) {
        let without = |row: &Vector| [&row[..k], &row[k + 1..]].concat();
        let product = x * &determinant(&others.iter().map(without).collect::<Vec<_>>());
        found = if k % 2 == 0 { &found + &product } else { &found - &product };
    }
    found
}

/// Returns the determinant of the differences of points from the first one: the volume of their simplex times a factorial.
pub(super) fn volume(points: &[&Vector]) -> Integer {
    determinant(&points[1..].iter().map(|p| difference(p, points[0])).collect::<Vec<_>>())
}

/// Returns the positions of the first vectors of which none is a combination of those before it.
pub(super) fn independent(vectors: &[Vector]) -> Vec<usize> {
    let (mut found, mut echelon): (Vec<usize>, Vec<(usize, Vector)>) = (vec![], vec![]);
    for (i, vector) in vectors.iter().enumerate() {
        let mut rest = vector.clone();
        for (column, pivot) in &echelon {
            let (own, other) = (rest[*column].clone(), pivot[*column].clone());
            rest = rest.iter().zip(pivot).map(|(x, p)| &(x * &other) - &(p * &own)).collect();
        }
        if let Some(column) = rest.iter().position(|x| x.sign() != Ordering::Equal) {
            echelon.push((column, rest));
            found.push(i);
        }
    }
    found
}

/// Returns finite floats as integers, multiplied by a power of two, and the exponent of its reciprocal.
pub(super) fn integers(values: &[f64]) -> (Vector, i32) {
    let exponent = values.iter().filter(|x| **x != 0.0).map(|x| parts(*x).1).min().unwrap_or(0);
    (values.iter().map(|x| Integer::scaled(*x, exponent)).collect(), exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_exact() {
        let (all, exponent) = integers(&[1e30, -3.0, 0.25, 0.0, -1e30]);
        assert_eq!(exponent, -54);
        assert_eq!(&all[0] + &all[4], Integer::default());
        assert_eq!((&(&all[0] + &all[1]) - &all[0]), all[1]);
        assert_eq!((&all[1] * &all[2]).to_f64(), -0.75 * f64::powi(2.0, 108));
        assert_eq!(all[1].sign(), Ordering::Less);
        assert_eq!((&all[0] * &all[4]).to_f64(), -1e30 * 1e30 * f64::powi(2.0, 108));
        let rows = |values: &[f64]| integers(values).0.chunks(3).map(<[_]>::to_vec).collect::<Vec<_>>();
        assert_eq!(
            determinant(&rows(&[2.0, 0.0, 1.0, 1.0, 3.0, 2.0, 0.0, 1.0, 4.0])).to_f64() / f64::powi(2.0, 156),
            21.0
        );
        assert_eq!(independent(&rows(&[0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 1.0, 0.0])), [1, 3]);
    }
}
