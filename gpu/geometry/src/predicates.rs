//! Exact signs of the determinants of a triangulation: the side of a line, and of a circle, on which a point is.
//!
//! A determinant is first computed in float64 with a bound of its error (J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic
//! and Fast Robust Geometric Predicates", 1997). Where the bound does not decide, it is computed exactly: with integers, if the
//! coordinates are multiples of a power of two within 60 bits, as those of grids are, or if their differences are exact and
//! such multiples; otherwise as a sum of float64 numbers that do not overlap. The exact sums need products that do not underflow: differences above
//! 2^-250 of the largest one of the determinant.

use std::cmp::Ordering;
use std::sync::OnceLock;

/// Half a unit in the last place of 1.
const EPS: f64 = f64::EPSILON / 2.0;
const ORIENT_BOUND: f64 = (3.0 + 16.0 * EPS) * EPS;
const CIRCLE_BOUND: f64 = (10.0 + 96.0 * EPS) * EPS;

/// Bits of an integer coordinate: its differences have one more, and a sum of products of four of them fits 256 bits.
pub(crate) const FIXED_BITS: i32 = 60;

/// Bits of an integer coordinate for which no operation of a determinant rounds: those of a circle are sums of 24 products of four differences.
const ROUNDED_BITS: i32 = 11;

/// Coordinates as multiples of one power of two.
#[derive(Debug)]
struct Fixed {
    points: Vec<[i64; 2]>,
    /// The bits of the largest coordinate.
    bits: i32,
}

/// Points of the plane, scaled by a power of two to at most 1.
#[derive(Debug)]
pub(crate) struct Plane {
    pub(crate) points: Vec<[f64; 2]>,
    /// The coordinates as integers, if these fit; computed for the first determinant that float64 does not decide.
    fixed: OnceLock<Option<Fixed>>,
}

/// Returns the mantissa and the exponent of the lowest bit of a finite number other than 0.
fn parts(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    (if x < 0.0 { -mantissa } else { mantissa }, exponent + zeros as i32)
}

/// Writes numbers as multiples of one power of two and returns the bits of the largest one, if these are at most [`FIXED_BITS`].
pub(crate) fn multiples(numbers: &[f64], write: &mut [i64]) -> Option<i32> {
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for &x in numbers.iter().filter(|x| **x != 0.0) {
        let (mantissa, exponent) = parts(x);
        low = low.min(exponent);
        high = high.max(exponent + 64 - mantissa.unsigned_abs().leading_zeros() as i32);
        if i64::from(high) - i64::from(low) > i64::from(FIXED_BITS) {
            return None;
        }
    }
    for (x, to) in numbers.iter().zip(write) {
        *to = if *x == 0.0 {
            0
        } else {
            let (mantissa, exponent) = parts(*x);
            mantissa << (exponent - low)
        };
    }
    Some(high.saturating_sub(low).max(0))
}

/// Multiplies finite numbers by a power of two, so that the largest one is at most 1, and returns its exponent.
pub(crate) fn scale_to_one(numbers: &mut [f64]) -> i32 {
    let most = numbers.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if most == 0.0 {
        return 0;
    }
    let exponent = (most.to_bits() >> 52) as i32 - 1022;
    // Two factors: one of 2^1074 is infinite.
    let half = exponent / 2;
    let factors = [f64::powi(2.0, -half), f64::powi(2.0, half - exponent)];
    numbers.iter_mut().for_each(|x| *x = *x * factors[0] * factors[1]);
    -exponent
}

/// Returns the sum of two numbers and its error.
fn two_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let part = sum - a;
    [(a - (sum - part)) + (b - part), sum]
}

/// Sum of numbers that do not overlap, in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expansion(Vec<f64>);

impl Expansion {
    pub(crate) fn difference(a: f64, b: f64) -> Expansion {
        let mut sum = Expansion::default();
        two_sum(a, -b).into_iter().filter(|x| *x != 0.0).for_each(|x| sum.0.push(x));
        sum
    }

    fn add(&mut self, x: f64) {
        let (mut carry, mut kept) = (x, 0);
        for i in 0..self.0.len() {
            let [error, sum] = two_sum(carry, self.0[i]);
            carry = sum;
            if error != 0.0 {
                self.0[kept] = error;
                kept += 1;
            }
        }
        self.0.truncate(kept);
        if carry != 0.0 {
            self.0.push(carry);
        }
    }

    pub(crate) fn plus(mut self, other: &Expansion, sign: f64) -> Expansion {
        other.0.iter().for_each(|x| self.add(sign * x));
        self
    }

    pub(crate) fn times(&self, other: &Expansion) -> Expansion {
        let mut sum = Expansion::default();
        for a in &self.0 {
            for b in &other.0 {
                let product = a * b;
                sum.add(a.mul_add(*b, -product));
                sum.add(product);
            }
        }
        sum
    }

    pub(crate) fn sign(&self) -> Ordering {
        self.0.last().map_or(Ordering::Equal, |x| x.total_cmp(&0.0))
    }
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

/// Returns differences of points, multiplied by a power of two so that the largest one is at most 1.
fn scaled_differences<const N: usize>(points: [[f64; 2]; N], d: [f64; 2]) -> [[Expansion; 2]; N] {
    let mut parts = points.map(|point| [0, 1].map(|k| two_sum(point[k], -d[k])));
    scale_to_one(parts.as_flattened_mut().as_flattened_mut());
    parts.map(|point| point.map(|[error, sum]| Expansion::difference(sum, -error)))
}

impl Plane {
    /// Creates a plane of finite points.
    pub(crate) fn new(mut points: Vec<[f64; 2]>) -> Plane {
        scale_to_one(points.as_flattened_mut());
        Plane { points, fixed: OnceLock::new() }
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
    pub(crate) fn side(&self, a: u32, b: u32, c: u32) -> Ordering {
        let [pa, pb, pc] = [a, b, c].map(|i| self.points[i as usize]);
        let left = (pa[0] - pc[0]) * (pb[1] - pc[1]);
        let right = (pa[1] - pc[1]) * (pb[0] - pc[0]);
        let value = left - right;
        if value.abs() > ORIENT_BOUND * (left.abs() + right.abs()) {
            return value.total_cmp(&0.0);
        }
        self.exact_side(a, b, c)
    }

    #[cold]
    fn exact_side(&self, a: u32, b: u32, c: u32) -> Ordering {
        if let Some(fixed) = self.fixed() {
            let [a, b, c] = [a, b, c].map(|i| fixed.points[i as usize]);
            return cross([a[0] - c[0], a[1] - c[1]], [b[0] - c[0], b[1] - c[1]]).cmp(&0);
        }
        let [a, b, c] = [a, b, c].map(|i| self.points[i as usize]);
        if let Some([a, b]) = exact_differences([a, b], c) {
            return cross(a, b).cmp(&0);
        }
        let [[ax, ay], [bx, by]] = scaled_differences([a, b], c);
        ax.times(&by).plus(&ay.times(&bx), -1.0).sign()
    }

    /// Compares the side of the circle through a, b and c, which turn left, on which d is with its inner one: `Greater` is
    /// inside.
    pub(crate) fn in_circle(&self, [a, b, c]: [u32; 3], d: u32) -> Ordering {
        let p = self.points[d as usize];
        let [[ax, ay], [bx, by], [cx, cy]] = [a, b, c].map(|i| {
            let q = self.points[i as usize];
            [q[0] - p[0], q[1] - p[1]]
        });
        let (bc, cb, ca, ac, ab, ba) = (bx * cy, cx * by, cx * ay, ax * cy, ax * by, bx * ay);
        let (a2, b2, c2) = (ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy);
        let value = a2 * (bc - cb) + b2 * (ca - ac) + c2 * (ab - ba);
        let size = (bc.abs() + cb.abs()) * a2 + (ca.abs() + ac.abs()) * b2 + (ab.abs() + ba.abs()) * c2;
        if value.abs() > CIRCLE_BOUND * size {
            return value.total_cmp(&0.0);
        }
        self.undecided_in_circle(value, [a, b, c], d)
    }

    #[cold]
    fn undecided_in_circle(&self, value: f64, triangle: [u32; 3], d: u32) -> Ordering {
        match self.fixed() {
            Some(fixed) if fixed.bits <= ROUNDED_BITS => value.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
            _ => self.exact_in_circle(triangle, d),
        }
    }

    fn exact_in_circle(&self, triangle: [u32; 3], d: u32) -> Ordering {
        if let Some(fixed) = self.fixed() {
            let d = fixed.points[d as usize];
            return circle_of_integers(triangle.map(|i| {
                let p = fixed.points[i as usize];
                [p[0] - d[0], p[1] - d[1]]
            }));
        }
        let (points, d) = (triangle.map(|i| self.points[i as usize]), self.points[d as usize]);
        if let Some(differences) = exact_differences(points, d) {
            return circle_of_integers(differences);
        }
        let all = scaled_differences(points, d);
        let mut sum = Expansion::default();
        for k in 0..3 {
            let ([x, y], [ux, uy], [vx, vy]) = (&all[k], &all[(k + 1) % 3], &all[(k + 2) % 3]);
            let square = x.times(x).plus(&y.times(y), 1.0);
            let cross = ux.times(vy).plus(&uy.times(vx), -1.0);
            sum = sum.plus(&square.times(&cross), 1.0);
        }
        sum.sign()
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
            let plane = Plane::new(points);
            assert_eq!(plane.in_circle([0, 1, 2], 3), Ordering::Equal);
            assert_eq!(plane.in_circle([0, 1, 2], 4), Ordering::Greater);
            assert_eq!(plane.in_circle([0, 1, 2], 6), Ordering::Less);
            assert_eq!(plane.side(0, 2, 4), Ordering::Equal);
            assert_eq!(plane.side(0, 2, 6), Ordering::Greater);
            assert_eq!(plane.side(2, 0, 6), Ordering::Less);
            let expected = if tiny > 0.0 { Ordering::Greater } else { Ordering::Equal };
            assert_eq!(plane.side(3, 0, 5), expected);
            assert_eq!(plane.in_circle([1, 2, 3], 5), expected);
        }
    }

    #[test]
    fn integers_and_sums_of_floats_agree() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64
        };
        for round in 0..300 {
            let grid = if round % 2 == 0 { 8.0 } else { 1e6 };
            let mut points: Vec<[f64; 2]> = (0..4).map(|_| [next() % grid, next() % grid]).collect();
            let integers = Plane::new(points.clone());
            // Cannot be represented with the others in 60 bits, and enlarges no coordinate.
            points.push([f64::powi(2.0, -200), 0.0]);
            let mut floats = Plane::new(points);
            let exact = floats.exact_in_circle([0, 1, 2], 3);
            assert_eq!(integers.exact_in_circle([0, 1, 2], 3), exact);
            assert_eq!(integers.exact_side(0, 1, 2), floats.exact_side(0, 1, 2));
            floats.points.iter_mut().for_each(|p| p[0] += 1e-9 * p[1]);
            let all =
                [0, 1, 2].map(|i| [0, 1].map(|k| Expansion::difference(floats.points[i][k], floats.points[3][k])));
            let [[ax, ay], [bx, by], _] = &all;
            let side = ax.times(by).plus(&ay.times(bx), -1.0).sign();
            assert_eq!(floats.side(0, 1, 3), side);
        }
    }

    #[test]
    fn a_product_has_256_bits() {
        assert_eq!(wide_product(u128::MAX, u128::MAX), [u128::MAX - 1, 1]);
        assert_eq!(wide_product(1 << 127, 6), [3, 0]);
        assert_eq!(wide_product((1 << 64) + 3, (1 << 64) + 5), [1, (8 << 64) + 15]);
    }
}
