//! Householder reflectors in LAPACK's storage: `I - tau v vᴴ` with an implicit leading one in `v`, below the triangle.

use crate::Number;

pub(crate) fn geqrf<T: Number>(m: usize, n: usize, a: &mut [T], tau: &mut [T]) {
    for j in 0..m.min(n) {
        let (head, tail) = a.split_at_mut((j + 1) * m);
        let column = &mut head[j * m + j..];
        tau[j] = reflector(column);
        let beta = std::mem::replace(&mut column[0], T::ONE);
        for other in tail.chunks_exact_mut(m) {
            reflect(tau[j].conjugate(), column, &mut other[j..]);
        }
        column[0] = beta;
    }
}

/// Overwrites a column with the reflector that maps it to the first axis, and its first element with the real result.
fn reflector<T: Number>(x: &mut [T]) -> T {
    let largest = x.iter().map(|e| e.magnitude()).fold(0.0, f64::max);
    let rest = x[1..].iter().map(|e| e.magnitude()).fold(0.0, f64::max);
    let first = x[0];
    if rest == 0.0 && first == T::of(first.real_part()) {
        return T::ZERO;
    }
    // Scales the column to about 1, so that no square underflows, in two steps that float64 represents.
    let exponent = -largest.log2().floor() as i32;
    let steps = [exponent / 2, exponent - exponent / 2].map(|e| 2f64.powi(e));
    for e in x.iter_mut() {
        *e = *e * T::of(steps[0]) * T::of(steps[1]);
    }
    let (first, norm) = (x[0], x.iter().map(|e| e.magnitude().powi(2)).sum::<f64>().sqrt());
    let beta = -norm.copysign(first.real_part());
    let (near, under) = (T::of(beta), first - T::of(beta));
    for e in &mut x[1..] {
        *e = e.over(under);
    }
    x[0] = T::of(beta / steps[0] / steps[1]);
    (near - first).over(near)
}

/// Subtracts `tau v (vᴴ x)` from `x`.
fn reflect<T: Number>(tau: T, v: &[T], x: &mut [T]) {
    let mut dot = T::ZERO;
    for (v, x) in v.iter().zip(&*x) {
        dot += v.conjugate() * *x;
    }
    let by = tau * dot;
    for (v, x) in v.iter().zip(x) {
        *x -= *v * by;
    }
}

pub(crate) fn orgqr<T: Number>(m: usize, n: usize, k: usize, a: &mut [T], tau: &[T]) {
    let reflectors = a[..m * k].to_vec();
    for (j, column) in a.chunks_exact_mut(m).enumerate().take(n) {
        column.fill(T::ZERO);
        column[j] = T::ONE;
    }
    for j in (0..k).rev() {
        let mut v = reflectors[j * m + j..(j + 1) * m].to_vec();
        v[0] = T::ONE;
        for column in a.chunks_exact_mut(m).take(n) {
            reflect(tau[j], &v, &mut column[j..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Complex;

    #[test]
    fn reflectors_and_triangle_are_the_matrix() {
        let (m, n) = (5, 3);
        let a: Vec<Complex> = (0..m * n).map(|i| Complex::new((i * 7 % 5) as f64 - 1.5, (i * 3 % 4) as f64)).collect();
        let (mut r, mut tau) = (a.clone(), vec![Complex::ZERO; n]);
        geqrf(m, n, &mut r, &mut tau);
        let mut q = r.clone();
        orgqr(m, n, n, &mut q, &tau);
        for i in 0..m {
            for j in 0..n {
                let product: Complex = (0..=j).map(|k| q[i + k * m] * r[k + j * m]).sum();
                assert!((product - a[i + j * m]).norm() < 1e-13);
            }
        }
        assert!((0..n).all(|j| r[j + j * m].im == 0.0));
    }

    #[test]
    fn a_tiny_column_has_a_reflector() {
        for size in [1e-200, 1e-321] {
            let mut x = [Complex::new(size, 2.0 * size), Complex::new(-3.0 * size, size)];
            let tau = reflector(&mut x);
            // The columns of `I - tau v vᴴ` have length 1.
            let v = 1.0 + x[1].norm_sqr();
            assert!((tau.norm_sqr() * v - 2.0 * tau.re).abs() < 1e-14, "{tau} {x:?}");
            assert!((x[0].norm() / (15f64.sqrt() * size) - 1.0).abs() < 1e-2);
        }
    }
}
