//! Exact signs of the determinants of a triangulation: the side of a line, and of a circle, on which a point is.
//!
//! A determinant is first computed in float64 with a bound of its error (J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic
//! and Fast Robust Geometric Predicates", 1997). Where the bound does not decide, it is computed exactly: with integers, if the
//! coordinates are multiples of a power of two within 60 bits, as those of grids are, or if their differences are exact and
//! such multiples; otherwise with integers of any size. Coordinates are scaled so that products do not overflow, which
//! rounds those below 2^-1022 of the largest one.

use std::cmp::Ordering;
use std::sync::OnceLock;

use crate::determinants::{Number, minors};
use crate::floats::{multiples, scale_to_one};
use crate::integer::{Integer, lowest_exponent};

/// Half a unit in the last place of 1.
const EPS: f64 = f64::EPSILON / 2.0;
const ORIENT_BOUND: f64 = (3.0 + 16.0 * EPS) * EPS;
const CIRCLE_BOUND: f64 = (10.0 + 96.0 * EPS) * EPS;

/// Bits of an integer coordinate for which no operation of a determinant rounds: those of a circle are sums of 24 products of four differences.
const ROUNDED_BITS: i32 = 11;

/// Coordinates as multiples of one power of two.
#[derive(Debug)]
struct Fixed {
    points: Vec<[i64; 2]>,
    /// The bits of the largest coordinate.
    bits: i32,
}

/// Point, scaled so that coordinates are at most 1, and its number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    pub(crate) at: [f64; 2],
    pub(crate) number: u32,
}

/// Points of the plane by their numbers.
#[derive(Debug)]
pub(crate) struct Plane<'a> {
    points: &'a [[f64; 2]],
    /// The powers of two by which coordinates are multiplied.
    factors: [f64; 2],
    /// The coordinates as integers, if these fit; computed for the first determinant that float64 does not decide.
    fixed: OnceLock<Option<Fixed>>,
}

/// Returns the sum of two numbers and its error.
fn two_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let part = sum - a;
    [(a - (sum - part)) + (b - part), sum]
}

/// Returns the 256 bits of a product, the high ones first.
fn wide_product(a: u128, b: u128) -> [u128; 2] {
    let mask = u128::from(u64::MAX);
    let [a1, a0, b1, b0] = [a >> 64, a & mask, b >> 64, b & mask];
    let (low, middle) = (a0 * b0, a1 * b0);
    let middle = middle + (low >> 64);
    let other = a0 * b1 + (middle & mask);
    [a1 * b1 + (middle >> 64) + (other >> 64), (other << 64) | (low & mask)]
}

/// Returns the sign of the sum of products of a number of at least 0 and another one.
fn sign_of_products(products: [(u128, i128); 3]) -> Ordering {
    let mut sums = [[0u128; 2]; 2];
    for (a, b) in products {
        let [high, low] = wide_product(a, b.unsigned_abs());
        let sum = &mut sums[usize::from(b < 0)];
        let (added, carry) = sum[1].overflowing_add(low);
        *sum = [sum[0] + high + u128::from(carry), added];
    }
    sums[0].cmp(&sums[1])
}

fn cross(a: [i64; 2], b: [i64; 2]) -> i128 {
    i128::from(a[0]) * i128::from(b[1]) - i128::from(a[1]) * i128::from(b[0])
}

fn square(a: [i64; 2]) -> u128 {
    let one = |x: i64| u128::from(x.unsigned_abs()) * u128::from(x.unsigned_abs());
    one(a[0]) + one(a[1])
}

fn circle_of_integers([a, b, c]: [[i64; 2]; 3]) -> Ordering {
    sign_of_products([(square(a), cross(b, c)), (square(b), cross(c, a)), (square(c), cross(a, b))])
}

/// Returns differences of points, if no bit of them is lost and they are multiples of one power of two.
fn exact_differences<const N: usize>(points: [[f64; 2]; N], d: [f64; 2]) -> Option<[[i64; 2]; N]> {
    let mut differences = [[0.0; 2]; N];
    for (to, point) in differences.iter_mut().zip(points) {
        let [x, y] = [0, 1].map(|k| two_sum(point[k], -d[k]));
        if x[0] != 0.0 || y[0] != 0.0 {
            return None;
        }
        *to = [x[1], y[1]];
    }
    let mut whole = [[0; 2]; N];
    multiples(differences.as_flattened(), whole.as_flattened_mut()).map(|_| whole)
}

/// Returns differences of points as integers of any size, in units of a power of two.
fn integer_differences<const N: usize>(points: [[f64; 2]; N], d: [f64; 2]) -> [Vec<Integer>; N] {
    let low = lowest_exponent(points.as_flattened().iter().copied().chain(d));
    points.map(|p| [0, 1].map(|k| Integer::difference(p[k], d[k], low)).to_vec())
}

/// Returns the sign of the determinant of as many rows as columns.
fn sign_of(rows: &[Vec<Integer>]) -> Ordering {
    minors(rows).last().map_or(Ordering::Equal, Integer::sign)
}

impl<'a> Plane<'a> {
    /// Creates a plane of finite points.
    pub(crate) fn new(points: &'a [[f64; 2]]) -> Plane<'a> {
        Plane { points, factors: scale_to_one(points.as_flattened()).0, fixed: OnceLock::new() }
    }

    /// Returns a point; zeros lose their sign.
    pub(crate) fn point(&self, number: u32) -> Point {
        let at = self.points[number as usize].map(|x| x * self.factors[0] * self.factors[1] + 0.0);
        Point { at, number }
    }

    fn fixed(&self) -> Option<&Fixed> {
        let compute = || {
            let mut points = vec![[0; 2]; self.points.len()];
            let bits = multiples(self.points.as_flattened(), points.as_flattened_mut())?;
            Some(Fixed { points, bits })
        };
        self.fixed.get_or_init(compute).as_ref()
    }

    /// Compares the side of the line from a to b on which c is with its left one: `Greater` is left.
    #[inline]
    pub(crate) fn side(&self, a: &Point, b: &Point, c: &Point) -> Ordering {
        let left = (a.at[0] - c.at[0]) * (b.at[1] - c.at[1]);
        let right = (a.at[1] - c.at[1]) * (b.at[0] - c.at[0]);
        let value = left - right;
        if value.abs() > ORIENT_BOUND * (left.abs() + right.abs()) + f64::MIN_POSITIVE {
            return value.total_cmp(&0.0);
        }
        self.exact_side([a, b], c)
    }

    #[cold]
    fn exact_side(&self, line: [&Point; 2], c: &Point) -> Ordering {
        if let Some(fixed) = self.fixed() {
            let [a, b] = fixed.differences(line, c);
            return cross(a, b).cmp(&0);
        }
        let line = line.map(|p| p.at);
        if let Some([a, b]) = exact_differences(line, c.at) {
            return cross(a, b).cmp(&0);
        }
        sign_of(&integer_differences(line, c.at))
    }

    /// Compares the side of the circle through a, b and c, which turn left, on which d is with its inner one: `Greater` is
    /// inside.
    #[inline]
    pub(crate) fn in_circle(&self, triangle: [&Point; 3], d: &Point) -> Ordering {
        let [[ax, ay], [bx, by], [cx, cy], [dx, dy]] = [triangle[0].at, triangle[1].at, triangle[2].at, d.at];
        let (ax, ay, bx, by, cx, cy) = (ax - dx, ay - dy, bx - dx, by - dy, cx - dx, cy - dy);
        let (bc, cb, ca, ac, ab, ba) = (bx * cy, cx * by, cx * ay, ax * cy, ax * by, bx * ay);
        let (a2, b2, c2) = (ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy);
        let value = a2 * (bc - cb) + b2 * (ca - ac) + c2 * (ab - ba);
        let size = (bc.abs() + cb.abs()) * a2 + (ca.abs() + ac.abs()) * b2 + (ab.abs() + ba.abs()) * c2;
        if value.abs() > CIRCLE_BOUND * size + f64::MIN_POSITIVE {
            return value.total_cmp(&0.0);
        }
        self.undecided_in_circle(value, triangle, d)
    }

    #[cold]
    fn undecided_in_circle(&self, value: f64, triangle: [&Point; 3], d: &Point) -> Ordering {
        match self.fixed() {
            Some(fixed) if fixed.bits <= ROUNDED_BITS => value.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
            _ => self.exact_in_circle(triangle, d),
        }
    }

    fn exact_in_circle(&self, triangle: [&Point; 3], d: &Point) -> Ordering {
        if let Some(fixed) = self.fixed() {
            return circle_of_integers(fixed.differences(triangle, d));
        }
        let triangle = triangle.map(|p| p.at);
        if let Some(differences) = exact_differences(triangle, d.at) {
            return circle_of_integers(differences);
        }
        let mut rows = integer_differences(triangle, d.at);
        for row in &mut rows {
            let mut square = Integer::zero();
            row.iter().for_each(|x| square.add_product(x, x, false));
            row.push(square);
        }
        sign_of(&rows)
    }
}

impl Fixed {
    fn differences<const N: usize>(&self, points: [&Point; N], d: &Point) -> [[i64; 2]; N] {
        let d = self.points[d.number as usize];
        points.map(|p| {
            let p = self.points[p.number as usize];
            [p[0] - d[0], p[1] - d[1]]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_degenerate_points_are_exact() {
        // A coordinate of 2^-100 excludes integers for all points, and one of 2^-30 those of differences.
        for tiny in [0.0, f64::powi(2.0, -100)] {
            let mut points = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5], [tiny, 0.0]];
            points.push([1.0, f64::EPSILON + 1.0]);
            let plane = Plane::new(&points);
            let p: Vec<Point> = (0..7).map(|i| plane.point(i)).collect();
            let in_circle = |[a, b, c]: [usize; 3], d: usize| plane.in_circle([&p[a], &p[b], &p[c]], &p[d]);
            let side = |a: usize, b: usize, c: usize| plane.side(&p[a], &p[b], &p[c]);
            assert_eq!(in_circle([0, 1, 2], 3), Ordering::Equal);
            assert_eq!(in_circle([0, 1, 2], 4), Ordering::Greater);
            assert_eq!(in_circle([0, 1, 2], 6), Ordering::Less);
            assert_eq!(side(0, 2, 4), Ordering::Equal);
            assert_eq!(side(0, 2, 6), Ordering::Greater);
            assert_eq!(side(2, 0, 6), Ordering::Less);
            let expected = if tiny > 0.0 { Ordering::Greater } else { Ordering::Equal };
            assert_eq!(side(3, 0, 5), expected);
            assert_eq!(in_circle([1, 2, 3], 5), expected);
        }
    }

    #[test]
    fn integers_of_all_sizes_agree() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64
        };
        for round in 0..300 {
            let grid = if round % 2 == 0 { 8.0 } else { 1e6 };
            let mut points: Vec<[f64; 2]> = (0..4).map(|_| [next() % grid, next() % grid]).collect();
            let few = points.clone();
            let integers = Plane::new(&few);
            // Cannot be represented with the others in 60 bits, and enlarges no coordinate.
            points.push([f64::powi(2.0, -200), 0.0]);
            let floats = Plane::new(&points);
            let p: [Point; 4] = [0, 1, 2, 3].map(|i| floats.point(i));
            let [a, b, c, d] = p.each_ref();
            assert!(integers.fixed().is_some() && floats.fixed().is_none());
            assert_eq!(integers.exact_in_circle([a, b, c], d), floats.exact_in_circle([a, b, c], d));
            assert_eq!(integers.exact_side([a, b], c), floats.exact_side([a, b], c));
            let skewed: Vec<[f64; 2]> = points.iter().map(|p| [p[0] + 1e-9 * p[1], p[1]]).collect();
            let plane = Plane::new(&skewed);
            let [a, b, _, d] = [0, 1, 2, 3].map(|i| plane.point(i));
            assert_eq!(plane.side(&a, &b, &d), sign_of(&integer_differences([a.at, b.at], d.at)));
        }
    }

    #[test]
    fn a_product_has_256_bits() {
        assert_eq!(wide_product(u128::MAX, u128::MAX), [u128::MAX - 1, 1]);
        assert_eq!(wide_product(1 << 127, 6), [3, 0]);
        assert_eq!(wide_product((1 << 64) + 3, (1 << 64) + 5), [1, (8 << 64) + 15]);
    }
}
