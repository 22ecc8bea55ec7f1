//! Elliptic integrals and functions by the arithmetic-geometric mean (M. Abramowitz and I. A. Stegun, "Handbook of
//! Mathematical Functions", sections 16.4 and 17.6).

use std::f64::consts::PI;

/// Iterations of the mean, which converges quadratically.
const STEPS: usize = 40;

/// Complete elliptic integral of the first kind whose complementary parameter is `complement`.
fn complete(complement: f64) -> f64 {
    let (mut a, mut b) = (1.0, complement.sqrt());
    for _ in 0..STEPS {
        if (a - b).abs() <= f64::EPSILON * a {
            break;
        }
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    PI / (a + b)
}

/// Complete elliptic integral of the first kind of a parameter m, the square of the modulus: infinite for 1, NaN
/// beyond.
///
/// ```
/// use cuprum::scipy::signal::design::ellipk;
/// assert!((ellipk(0.5) - 1.8540746773013719).abs() < 1e-15);
/// ```
pub fn ellipk(m: f64) -> f64 {
    complete(1.0 - m)
}

/// Complete elliptic integral of the first kind of the parameter 1 - `complement`, which is exact near 1.
pub(super) fn ellipkm1(complement: f64) -> f64 {
    complete(complement)
}

/// Jacobian elliptic functions sn, cn and dn of u, for the parameter m and its complement.
pub(super) fn ellipj(u: f64, m: f64, complement: f64) -> [f64; 3] {
    let (mut a, mut b, mut c) = (vec![1.0], complement.sqrt(), vec![m.sqrt()]);
    for _ in 0..STEPS {
        let (&last, &difference) = (&a[a.len() - 1], &c[c.len() - 1]);
        if f64::abs(difference) <= f64::EPSILON * last {
            break;
        }
        a.push((last + b) / 2.0);
        c.push((last - b) / 2.0);
        b = (last * b).sqrt();
    }
    let n = a.len() - 1;
    let mut phi = 2f64.powi(n as i32) * a[n] * u;
    for k in (1..=n).rev() {
        phi = (phi + (c[k] * phi.sin() / a[k]).clamp(-1.0, 1.0).asin()) / 2.0;
    }
    let (s, c) = phi.sin_cos();
    [s, c, (c * c + complement * s * s).sqrt()]
}

/// Incomplete elliptic integral of the first kind of an amplitude below pi / 2, for the parameter 1 - `complement`.
pub(super) fn ellipf(amplitude: f64, complement: f64) -> f64 {
    let (mut a, mut b, mut phi, mut scale) = (1.0, complement.sqrt(), amplitude, 1.0);
    for _ in 0..STEPS {
        if (a - b).abs() <= f64::EPSILON * a {
            break;
        }
        // The tangent of the next amplitude less this one; the multiple of pi is that of this one.
        let turns = (phi / PI).round();
        phi += (b / a * phi.tan()).atan() + turns * PI;
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
        scale *= 2.0;
    }
    phi / (scale * a)
}

/// Solution m of the degree equation `n K(m1) / K'(m1) = K(m) / K'(m)` by the nome, as in S. J. Orfanidis, "Lecture
/// Notes on Elliptic Filter Design", 2006.
pub(super) fn ellipdeg(n: usize, m1: f64) -> f64 {
    let q = (-PI * ellipkm1(m1) / ellipk(m1) / n as f64).exp();
    let top: f64 = (0..8).map(|k| q.powi(k * (k + 1))).sum();
    let bottom: f64 = 1.0 + 2.0 * (1..9).map(|k| q.powi(k * k)).sum::<f64>();
    16.0 * q * (top / bottom).powi(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_handbook() {
        // Tables 17.1, 17.5 and 16.1 of the handbook, at m = 0.5.
        assert!((ellipk(0.0) - PI / 2.0).abs() < 1e-15);
        assert!((ellipf(PI / 4.0, 0.5) - 0.826017876249245).abs() < 1e-13);
        assert!((ellipf(PI / 2.0 - 1e-12, 0.5) - ellipk(0.5)).abs() < 1e-10);
        let [sn, cn, dn] = ellipj(ellipk(0.5) / 2.0, 0.5, 0.5);
        // At half of K: dn² = k', and sn² = 1 / (1 + k').
        assert!((dn * dn - 0.5f64.sqrt()).abs() < 1e-14);
        assert!((sn * sn - 1.0 / (1.0 + 0.5f64.sqrt())).abs() < 1e-14);
        assert!((sn * sn + cn * cn - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_degree_equation_holds() {
        for n in [2, 3, 7] {
            let m = ellipdeg(n, 1e-6);
            let [one, two] = [(ellipk(1e-6), ellipkm1(1e-6)), (ellipk(m), ellipkm1(m))].map(|(k, other)| k / other);
            assert!((n as f64 * one / two - 1.0).abs() < 1e-9, "{n}");
        }
    }
}
