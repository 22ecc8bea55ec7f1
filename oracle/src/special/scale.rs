//! What the error of a careful computation is relative to.

use std::f64::consts::PI;

/// The size of the terms that a special function is the sum of, or that its operands' rounding within the computation makes:
/// what errors are relative to where the value `y` itself is smaller. 0 where that is never so.
pub fn special_scale(name: &str, x: &[f64], y: f64) -> f64 {
    let y = y.abs();
    match (name, x) {
        // The oscillation, whose phase is as exact as its size.
        ("j0" | "j1" | "y0" | "y1", &[x]) if x.abs() > 8.0 => (2.0 / (PI * x.abs())).sqrt(),
        ("kl_div", &[x, y]) if x > 0.0 && y > 0.0 => (x * (x.ln() - y.ln())).abs() + x + y,
        ("radian", &[d, m, s]) => (d.abs() + m.abs() / 60.0 + s.abs() / 3600.0) * (PI / 180.0),
        // The reflection subtracts log gamma(1 - x).
        ("gammaln", &[x]) if x < 0.0 => 1.0 + (1.0 - x) * (1.0 - x).ln(),
        // Up to ten reciprocals and a logarithm; below zero the cotangent and another psi.
        ("psi", &[x]) if x > 0.0 => 3.0,
        ("psi", &[x]) => 6.0 + 2.0 * (1.0 - x).ln(),
        // What remains of 1 counts up to a + 1; the exponential beyond keeps the absolute error of its operand.
        ("gammainc", &[a, x]) if a > 0.0 && x > 0.0 => {
            let exponent = (a * (x / a).ln() - x + a).abs();
            let complement = if x >= a + 1.0 { 1.0 } else { 0.0 };
            (y * (1.0 + exponent / 4.0)).max(complement)
        }
        // Of a small shape the inverse is a high power.
        ("gammaincinv" | "gammainccinv", &[a, _]) if a > 0.0 => y * (1.0 + 1.0 / a),
        _ => 0.0,
    }
}
