//! Scales of special functions: the magnitude to which the error of a plain computation, such as SciPy's, is relative.

use std::f64::consts::PI;

use num_complex::Complex64;

/// Returns the magnitude of the terms of which a special function is the sum, or which the rounding of its operands
/// causes: errors are relative to it where the value `y` itself is smaller. 0 where that never occurs.
pub fn special_scale(name: &str, x: &[f64], y: f64) -> f64 {
    let y = y.abs();
    match (name, x) {
        // The amplitude of the oscillation, whose phase is as exact as its size.
        ("j0" | "j1" | "y0" | "y1", &[x]) if x.abs() > 8.0 => (2.0 / (PI * x.abs())).sqrt(),
        ("yn", &[n, x]) if n.abs() < 2.0 && x > 8.0 => (2.0 / (PI * x)).sqrt(),
        // The phase is a product of two rounded factors.
        ("yn", &[n, x]) if x > 0.0 && n.abs() >= 2.0 => {
            let n = n.abs().trunc();
            let width = ((x - n).abs() * (x + n)).sqrt().max(n.powf(2.0 / 3.0));
            // The steps of the recurrence; the rounded phase, and the steps near the argument; the exponent.
            let steps = if n <= 1000.0 { n } else { 100.0 * n.cbrt() };
            if x < n {
                y * (1.0 + steps / 16.0 + y.ln().abs() / 8.0)
            } else {
                let phase = if n <= 1000.0 { 0.0 } else { width };
                y.max((2.0 / (PI * width)).sqrt()) * (1.0 + steps / 16.0 + phase / 8.0)
            }
        }
        ("lpmv", &[m, v, x]) if x.abs() < 1.0 && v.is_finite() && m.abs() < 1e6 => {
            let (n, v) = (m.abs(), if v < -0.5 { -1.0 - v } else { v });
            // The amplitude of the oscillation, by Liouville and Green, between the turning points; the two orders are
            // reciprocal.
            let within = (v + 0.5).powi(2) * (1.0 - x) * (1.0 + x) - n * n;
            let between: f64 = (1..=n as u32).map(|j| ((v - (n - f64::from(j))) * (v + f64::from(j))).abs().ln()).sum();
            let size =
                (2.0 / PI).sqrt() * (m.signum() * between / 2.0).exp() * within.max(n.powf(4.0 / 3.0)).powf(-0.25);
            y.max(if within > 0.0 { size } else { 0.0 }) * (1.0 + (n + v) / 16.0)
        }
        // As above; the two factors of the spherical function give the oscillation an amplitude of its own.
        ("sph_legendre_p", &[v, m, theta]) if v >= m.abs() && theta.is_finite() && v < 1e6 => {
            let n = m.abs();
            let within = ((v + 0.5) * theta.sin()).powi(2) - n * n;
            let size = (v + 0.5).sqrt() / PI * within.max(n.powf(4.0 / 3.0)).max(1.0).powf(-0.25);
            y.max(if within > 0.0 { size } else { 0.0 }) * (1.0 + (n + v) / 16.0)
        }
        ("kl_div", &[x, y]) if x > 0.0 && y > 0.0 => (x * (x.ln() - y.ln())).abs() + x + y,
        ("radian", &[d, m, s]) => (d.abs() + m.abs() / 60.0 + s.abs() / 3600.0) * (PI / 180.0),
        // The reflection subtracts log gamma(1 - x).
        ("gammaln", &[x]) if x < 0.0 => 1.0 + (1.0 - x) * (1.0 - x).ln(),
        // Up to ten reciprocals and a logarithm; below zero the cotangent and another psi.
        ("psi", &[x]) if x > 0.0 => 3.0,
        ("psi", &[x]) => 6.0 + 2.0 * (1.0 - x).ln(),
        // The complement to 1 counts up to a + 1; the exponential beyond keeps the absolute error of its operand.
        ("gammainc" | "gammaincc", &[a, x]) if a > 0.0 && x > 0.0 => {
            let exponent = (a * (x / a).ln() - x + a).abs();
            let above = x >= a + 1.0 || a < 0.5 && x >= 1.1;
            // Below 1/2 the upper function is not computed as a complement.
            let complement = if name == "gammainc" { above } else { !above && a >= 0.5 };
            (y * (1.0 + exponent / 4.0)).max(if complement { 1.0 } else { 0.0 })
        }
        // A difference of logarithms of gamma functions.
        ("poch", &[a, m]) if a.is_finite() && m.is_finite() => {
            let (b, size) = (a + m, |x: f64| (x.abs() + 1.0) * (2.0 + x.abs()).ln());
            let same_side = (a > 0.0) == (b > 0.0);
            let logs = if same_side { m.abs() * (2.0 + a.abs().max(b.abs())).ln() } else { size(a) + size(b) };
            y * (1.0 + logs / 4.0)
        }
        // The operand of a power is rounded, which counts x times.
        ("zeta", &[x, q]) if q > 0.0 => y * (1.0 + x / 8.0),
        ("zeta", &[x, q]) if x.is_finite() && q.is_finite() => {
            let nearest = (q - q.floor()).min(q.ceil() - q);
            let terms = if nearest == 0.5 && x % 2.0 != 0.0 { y } else { 2.0 * nearest.powf(-x) };
            terms * (1.0 + x / 8.0)
        }
        // For a small shape parameter the inverse is a high power.
        ("gammaincinv" | "gammainccinv", &[a, _]) if a > 0.0 => y * (1.0 + 1.0 / a),
        _ => 0.0,
    }
}

/// Returns [`special_scale`] for functions of complex numbers, from the modulus of the value.
pub fn complex_special_scale(name: &str, z: &[Complex64], modulus: f64) -> f64 {
    let right = |z: Complex64| if z.re < 0.0 { 1.0 - z } else { z };
    match (name, z) {
        // The exponential keeps the absolute error of Stirling's logarithm, which is evaluated at 10 or beyond.
        ("gamma", &[z]) if z.is_finite() => {
            let (size, turns) = (right(z).norm().max(10.0), if z.re < 0.0 { PI * z.im.abs() } else { 0.0 });
            modulus * (1.0 + (size * size.ln() + turns) / 4.0)
        }
        // Ten reciprocals and a logarithm, and the cotangent on the left.
        ("psi", &[z]) if z.is_finite() && z.re >= 0.0 => modulus.max(3.0),
        ("psi", &[z]) if z.is_finite() => modulus.max(6.0 + 2.0 * right(z).norm().ln()),
        _ => 0.0,
    }
}
