//! Condition numbers of special functions: no floating-point computation can be more accurate everywhere.

use num_complex::Complex64;

use super::{Real, complex, of_reals};
use crate::core::value::Value;
use crate::exact::big::Big;
use cuprum_kernels::DType;

/// Relative perturbation of an operand. Of the 256 bits of the values the upper 40 cancel in their difference, and the
/// square of this is the error.
const STEP: f64 = 1.0 / (1u64 << 40) as f64;

/// Relative perturbation of a complex operand: the values have 53 bits.
const COMPLEX_STEP: f64 = 1.0 / (1u64 << 20) as f64;

/// Returns true for operands that are integers, which are never rounded.
fn is_whole(name: &str, k: usize) -> bool {
    matches!((name, k), ("yn" | "lpmv", 0) | ("sph_legendre_p", 0 | 1))
}

fn of_big(name: &str, x: &[f64]) -> Option<Big> {
    match of_reals(name, x) {
        Real::Big(v) => Some(v),
        Real::Float(v) if v.is_finite() => Some(Big::new(v)),
        Real::Zero => Some(Big::new(0.0)),
        Real::Float(_) | Real::Unknown => None,
    }
}

/// Computes the sum of |x ∂f/∂x| over the operands: a relative error of ε in each of them changes the value by ε times
/// this. The derivatives are differences of values of 256 bits. 0 where the function has no neighbours to compare with.
pub fn special_condition(name: &str, x: &[f64]) -> f64 {
    if let Some(steepest) = waves(name, x) {
        return steepest;
    }
    let of_operand = |k: usize| {
        if x[k] == 0.0 || !x[k].is_finite() || is_whole(name, k) {
            return 0.0;
        }
        let at = |by: f64| {
            let mut moved = x.to_vec();
            moved[k] *= by;
            Some((of_big(name, &moved)?, moved[k]))
        };
        // At the edge of a domain a one-sided difference is used.
        let (Some((above, high)), Some((below, low))) =
            (at(1.0 + STEP).or_else(|| at(1.0)), at(1.0 - STEP).or_else(|| at(1.0)))
        else {
            return 0.0;
        };
        if high == low {
            return 0.0;
        }
        let slope = &(&above - &below) / &Big::new(high - low);
        (&slope * &Big::new(x[k])).round(DType::F64).abs()
    };
    (0..x.len()).map(of_operand).sum()
}

/// Returns the float64 value of a special function of real numbers, before it is rounded to a narrower dtype.
pub fn special_value(name: &str, x: &[f64]) -> Option<f64> {
    of_big(name, x).map(|value| value.round(DType::F64))
}

/// Returns the amplitude of x f'(x) for oscillating functions at arguments so large that whole periods fit within a
/// step, where the difference is meaningless: for Bessel functions by their envelope, DLMF 10.18.17 and 10.18.21, where
/// the phase changes by w / x.
fn waves(name: &str, x: &[f64]) -> Option<f64> {
    let (order, x) = match (name, x) {
        ("j0" | "y0", [x]) => (0.0, x.abs()),
        ("j1" | "y1", [x]) => (1.0, x.abs()),
        ("yn", [n, x]) => (n.trunc().abs(), *x),
        _ => return None,
    };
    let w = ((x - order) * (x + order)).sqrt();
    let within = x.is_finite() && x > order && w * STEP > 1.0 / 64.0;
    within.then(|| (2.0 * w / std::f64::consts::PI).sqrt())
}

/// Computes [`special_condition`] for functions of complex numbers.
pub fn complex_special_condition(name: &str, z: &[Complex64]) -> f64 {
    let of_operand = |k: usize| {
        let at = |by: f64| {
            let mut moved = z.to_vec();
            moved[k] *= by;
            match complex::value(name, &moved, DType::C128).0 {
                Value::Complex(w) if w.is_finite() => Some(w),
                _ => None,
            }
        };
        // Near a pole within a step, only the difference from the value itself measures the slope.
        match (at(1.0 + COMPLEX_STEP), at(1.0), at(1.0 - COMPLEX_STEP)) {
            (Some(above), Some(here), Some(below)) => {
                let steepest = (above - here).norm().max((here - below).norm()) / COMPLEX_STEP;
                let mean = (above - below).norm() / (2.0 * COMPLEX_STEP);
                if steepest > 2.0 * mean { steepest } else { mean }
            }
            _ => 0.0,
        }
    };
    (0..z.len()).map(of_operand).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x f'(x), by the derivatives in the Digital Library of Mathematical Functions.
    #[test]
    fn derivatives_are_those_of_the_tables() {
        let near = |found: f64, exact: f64| assert!((found - exact).abs() <= 1e-11 * exact.abs(), "{found} {exact}");
        near(special_condition("erf", &[1.5]), 1.5 * 2.0 / std::f64::consts::PI.sqrt() * (-2.25f64).exp());
        // -x J1(x).
        let j1 = 0.576_724_807_756_873_4;
        near(special_condition("j0", &[2.0]), 2.0 * j1);
        // Near its root, where the value is small, psi still has the slope of the trigamma function.
        let found = special_condition("psi", &[1.461_632_144_968_362_3]);
        near(found, 1.461_632_144_968_362_3 * 0.967_672_245_447_621_2);
        // Both operands: x log y.
        near(special_condition("xlogy", &[3.0, 2.0]), 3.0 * 2f64.ln() + 3.0);
    }

    #[test]
    fn waves_that_are_shorter_than_a_step_have_their_envelope() {
        // x Y1'(x) = x Y0(x) - Y1(x), of which the largest near 1e15 is the square root of 2e15 / pi.
        let envelope = (2e15 / std::f64::consts::PI).sqrt();
        let found = special_condition("yn", &[1.0, 1e15]);
        assert!((found - envelope).abs() <= 1e-9 * envelope, "{found}");
        // At smaller arguments, the slope at the argument itself.
        let near = special_condition("yn", &[1.0, 1e3]);
        assert!(near < (2e3 / std::f64::consts::PI).sqrt() && near > 0.0, "{near}");
    }

    #[test]
    fn whole_operands_and_edges_have_none() {
        assert_eq!(special_condition("erf", &[0.0]), 0.0);
        assert_eq!(special_condition("erf", &[f64::INFINITY]), 0.0);
        let one = special_condition("yn", &[1.0, 2.0]);
        let y1 = special_condition("y1", &[2.0]);
        assert!((one - y1).abs() <= 1e-12 * y1, "the order does not count");
        assert!(special_condition("erfinv", &[1.0 - f64::EPSILON]).is_finite());
    }

    #[test]
    fn a_complex_function_turns_as_fast_as_it_grows() {
        let z = Complex64::new(2.0, 0.0);
        let along = special_condition("gamma", &[2.0]);
        assert!((complex_special_condition("gamma", &[z]) - along).abs() < 1e-8 * along);
    }
}
