//! Determinants of any order: values with a bound of their rounding errors, and exact ones.
//!
//! All minors of the first rows are computed by expansion along the last of them (P.-S. Laplace, 1772), from the minors of one row less: `ndim 2^ndim`
//! products for a determinant of order `ndim`, each entry in one product of a row, as a bound of its error needs it.

use std::cmp::Ordering;

/// Number of a ring whose determinants are computed.
pub(crate) trait Number: Clone {
    fn zero() -> Self;
    fn one() -> Self;
    /// Adds a product to this number, or subtracts it.
    fn add_product(&mut self, a: &Self, b: &Self, subtract: bool);
}

/// Float64 number, and the sum of the magnitudes of the products that it is the sum of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounded {
    pub(crate) value: f64,
    pub(crate) size: f64,
}

impl Bounded {
    pub(crate) fn new(value: f64) -> Bounded {
        Bounded { value, size: value.abs() }
    }
}

impl Number for Bounded {
    fn zero() -> Self {
        Bounded::new(0.0)
    }

    fn one() -> Self {
        Bounded::new(1.0)
    }

    fn add_product(&mut self, a: &Self, b: &Self, subtract: bool) {
        let product = a.value * b.value;
        self.value += if subtract { -product } else { product };
        self.size += a.size * b.size;
    }
}

/// Returns a bound of the error of a [`Bounded`] determinant of an order, relative to its size.
///
/// An entry is a difference, or the sum of the squares of `order - 1` of them; a minor of order m is a sum of m products. The
/// rounding errors of each product, in units of epsilon / 2, are at most `order (order + 1) / 2 + 2 order + 3`, and as many in the size: the bound is twice that.
pub(crate) fn error_bound(order: usize) -> f64 {
    (order * (order + 1) / 2 + 2 * order + 8) as f64 * f64::EPSILON
}

/// Integer of 512 bits, the low words first, in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wide([u64; 8]);

impl Wide {
    /// The bits of a product of coordinates' differences whose sums fit, beside those of their number.
    pub(crate) const BITS: usize = 488;

    pub(crate) fn new(x: i64) -> Wide {
        let mut words = [if x < 0 { u64::MAX } else { 0 }; 8];
        words[0] = x as u64;
        Wide(words)
    }

    fn negated(self) -> Wide {
        let mut carry = true;
        Wide(self.0.map(|word| {
            let (negated, overflow) = (!word).overflowing_add(u64::from(carry));
            carry = overflow;
            negated
        }))
    }

    pub(crate) fn sign(&self) -> Ordering {
        if self.0[7] >> 63 == 1 {
            Ordering::Less
        } else if self.0 == [0; 8] {
            Ordering::Equal
        } else {
            Ordering::Greater
        }
    }
}

impl Number for Wide {
    fn zero() -> Self {
        Wide([0; 8])
    }

    fn one() -> Self {
        Wide::new(1)
    }

    fn add_product(&mut self, a: &Self, b: &Self, subtract: bool) {
        let a = if subtract { a.negated() } else { *a };
        // Modulo 2^512 the product of two's complements is that of their unsigned values.
        for (i, x) in a.0.iter().enumerate() {
            let mut carry = 0u128;
            for (j, y) in b.0[..8 - i].iter().enumerate() {
                let sum = u128::from(*x) * u128::from(*y) + u128::from(self.0[i + j]) + carry;
                self.0[i + j] = sum as u64;
                carry = sum >> 64;
            }
        }
    }
}

/// Returns the minors of the first rows: element `set` is the determinant of the first rows, as many as `set` has bits, and of the columns whose
/// bits are in it.
pub(crate) fn minors<T: Number>(rows: &[Vec<T>]) -> Vec<T> {
    let columns = rows.first().map_or(0, Vec::len);
    let mut all = vec![T::one()];
    for set in 1usize..1 << columns {
        let mut sum = T::zero();
        let order = set.count_ones() as usize;
        if let Some(row) = rows.get(order - 1) {
            for column in (0..columns).filter(|column| set >> column & 1 == 1) {
                let before = (set & ((1 << column) - 1)).count_ones() as usize;
                sum.add_product(&row[column], &all[set ^ 1 << column], (order - 1 + before) % 2 == 1);
            }
        }
        all.push(sum);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::Integer;

    #[test]
    fn determinants_of_all_numbers_agree() {
        let rows = [[3, -1, 4, 1], [-5, 9, 2, -6], [5, 3, -5, 8], [9, -7, 9, 3]];
        // By elimination with rational numbers.
        let expected = 548;
        let wide = minors(&rows.map(|row| row.map(Wide::new).to_vec()));
        assert_eq!(wide[15], Wide::new(expected));
        let bounded = minors(&rows.map(|row| row.map(|x| Bounded::new(x as f64)).to_vec()));
        assert_eq!(bounded[15].value, expected as f64);
        let integers = minors(&rows.map(|row| row.map(|x| Integer::difference(x as f64, 0.0, 0)).to_vec()));
        assert_eq!(integers[15], Integer::difference(expected as f64, 0.0, 0));
        // The minor of the first two rows and the columns 1 and 3.
        assert_eq!(wide[0b1010], Wide::new(-3));
    }

    #[test]
    fn wide_integers_do_not_lose_bits() {
        let x = Wide::new(i64::MIN);
        let mut power = Wide::one();
        for _ in 0..7 {
            let mut next = Wide::zero();
            next.add_product(&power, &x, false);
            power = next;
        }
        // (-2^63)^7 is -2^441, and half of it twice is the same.
        assert_eq!(power.sign(), Ordering::Less);
        let mut words = [0; 8];
        words[6] = (1u64 << 57).wrapping_neg();
        words[7] = u64::MAX;
        assert_eq!(power, Wide(words));
        let mut difference = power;
        difference.add_product(&power, &Wide::one(), true);
        assert_eq!(difference.sign(), Ordering::Equal);
        difference.add_product(&Wide::new(-1), &Wide::new(-1), false);
        assert_eq!(difference.sign(), Ordering::Greater);
    }
}
