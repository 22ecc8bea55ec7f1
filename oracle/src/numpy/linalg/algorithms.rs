//! Textbook algorithms: Gaussian elimination with pivoting, Householder QR, Jacobi rotations, and shifted QR
//! iterations.

use num_complex::Complex64;

use super::matrix::{Matrix, ONE, ZERO, norm};

/// The LU factorisation of a matrix with row exchanges.
#[derive(Clone, Debug)]
pub(crate) struct Lu {
    /// Both triangles; the diagonal of the lower one is one.
    pub(crate) lu: Matrix,
    /// The row with which each was exchanged, in sequence.
    pub(crate) exchanged: Vec<usize>,
    /// The index of the first pivot that is zero.
    pub(crate) singular: Option<usize>,
}

impl Lu {
    pub(crate) fn of(a: &Matrix) -> Lu {
        let mut lu = a.clone();
        let (mut exchanged, mut singular) = (vec![], None);
        for k in 0..a.rows.min(a.columns) {
            // LAPACK measures complex numbers by the sum of the magnitudes of their parts.
            let size = |z: Complex64| z.re.abs() + z.im.abs();
            let mut best = k;
            for i in k + 1..a.rows {
                if size(lu.at[i][k]) > size(lu.at[best][k]) {
                    best = i;
                }
            }
            exchanged.push(best);
            lu.at.swap(k, best);
            let pivot = lu.at[k][k];
            if pivot == ZERO {
                singular = singular.or(Some(k));
                continue;
            }
            for i in k + 1..a.rows {
                let by = lu.at[i][k] / pivot;
                lu.at[i][k] = by;
                for j in k + 1..a.columns {
                    let part = by * lu.at[k][j];
                    lu.at[i][j] -= part;
                }
            }
        }
        Lu { lu, exchanged, singular }
    }

    /// Returns the permutation of the rows that the triangles factor.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.lu.rows).collect();
        for (k, other) in self.exchanged.iter().enumerate() {
            order.swap(k, *other);
        }
        order
    }

    pub(crate) fn determinant(&self) -> Complex64 {
        if self.singular.is_some() {
            return ZERO;
        }
        let odd = self.exchanged.iter().enumerate().filter(|(k, other)| k != *other).count() % 2 == 1;
        let product: Complex64 = (0..self.lu.rows).map(|k| self.lu.at[k][k]).product();
        if odd { -product } else { product }
    }

    pub(crate) fn solve(&self, b: &Matrix) -> Matrix {
        let (n, order) = (self.lu.rows, self.order());
        let mut x = Matrix::of(n, b.columns, |i, j| b.at[order[i]][j]);
        for j in 0..b.columns {
            for i in 0..n {
                let sum: Complex64 = (0..i).map(|k| self.lu.at[i][k] * x.at[k][j]).sum();
                x.at[i][j] -= sum;
            }
            for i in (0..n).rev() {
                let sum: Complex64 = (i + 1..n).map(|k| self.lu.at[i][k] * x.at[k][j]).sum();
                x.at[i][j] = (x.at[i][j] - sum) / self.lu.at[i][i];
            }
        }
        x
    }
}

/// Computes the Cholesky factor: the lower triangle whose product with its adjoint is the matrix, of which only the
/// lower triangle is read; `None` if it is not positive definite.
pub(crate) fn cholesky(a: &Matrix) -> Option<Matrix> {
    let n = a.rows;
    let mut l = Matrix::of(n, n, |_, _| ZERO);
    for j in 0..n {
        let pivot = a.at[j][j].re - (0..j).map(|k| l.at[j][k].norm_sqr()).sum::<f64>();
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        l.at[j][j] = Complex64::new(pivot.sqrt(), 0.0);
        for i in j + 1..n {
            let sum: Complex64 = (0..j).map(|k| l.at[i][k] * l.at[j][k].conj()).sum();
            l.at[i][j] = (a.at[i][j] - sum) / l.at[j][j];
        }
    }
    Some(l)
}

/// Computes the QR factorisation by Householder reflections: a square matrix of orthonormal columns, and a triangle.
pub(crate) fn qr(a: &Matrix) -> (Matrix, Matrix) {
    let (mut q, mut r) = (Matrix::identity(a.rows), a.clone());
    for k in 0..a.rows.min(a.columns) {
        let mut v: Vec<Complex64> = (k..a.rows).map(|i| r.at[i][k]).collect();
        let size = norm(&v);
        if size == 0.0 {
            continue;
        }
        let phase = if v[0] == ZERO { ONE } else { v[0] / v[0].norm() };
        v[0] += phase * size;
        let length = norm(&v);
        v.iter_mut().for_each(|x| *x /= length);
        // Rows of the triangle, and columns of the square matrix, are reflected at the plane orthogonal to `v`.
        for j in 0..a.columns {
            let dot: Complex64 = v.iter().enumerate().map(|(i, x)| x.conj() * r.at[k + i][j]).sum();
            for (i, x) in v.iter().enumerate() {
                r.at[k + i][j] -= 2.0 * x * dot;
            }
        }
        for row in &mut q.at {
            let dot: Complex64 = v.iter().enumerate().map(|(i, x)| row[k + i] * x).sum();
            for (i, x) in v.iter().enumerate() {
                row[k + i] -= 2.0 * dot * x.conj();
            }
        }
        for i in k + 1..a.rows {
            r.at[i][k] = ZERO;
        }
    }
    (q, r)
}

/// Number of Jacobi sweeps: more than any matrix of a test needs.
const SWEEPS: usize = 60;

/// Computes the eigenvalues, ascending, and eigenvectors in columns of a Hermitian matrix, by Jacobi rotations.
pub(crate) fn hermitian(a: &Matrix) -> (Vec<f64>, Matrix) {
    let n = a.rows;
    let scale = a.size();
    let by = if scale > 0.0 { scale } else { 1.0 };
    let mut d = Matrix::of(n, n, |i, j| a.at[i][j] / by);
    let mut v = Matrix::identity(n);
    for _ in 0..SWEEPS {
        let beside: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| d.at[i][j].norm_sqr()).sum();
        if beside.sqrt() < 1e-18 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let size = d.at[p][q].norm();
                // The phase of such a small element is undefined.
                if size < 1e-30 {
                    continue;
                }
                let phase = d.at[p][q] / size;
                let theta = (d.at[q][q].re - d.at[p][p].re) / (2.0 * size);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                let ends = [d.at[p][p].re - t * size, d.at[q][q].re + t * size];
                for row in d.at.iter_mut().chain(&mut v.at) {
                    let (x, y) = (row[p], row[q] * phase.conj());
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
                // The matrix is kept exactly Hermitian, else the deviation grows from sweep to sweep.
                for k in 0..n {
                    (d.at[p][k], d.at[q][k]) = (d.at[k][p].conj(), d.at[k][q].conj());
                }
                (d.at[p][p], d.at[q][q]) = (ends[0].into(), ends[1].into());
                (d.at[p][q], d.at[q][p]) = (ZERO, ZERO);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| d.at[i][i].re.total_cmp(&d.at[j][j].re));
    let values = order.iter().map(|&k| d.at[k][k].re * by).collect();
    (values, Matrix::of(n, n, |i, j| v.at[i][order[j]]))
}

/// Computes the singular values, descending, with as many left vectors in columns and right vectors in rows, by
/// one-sided Jacobi rotations.
pub(crate) fn singular(a: &Matrix) -> (Matrix, Vec<f64>, Matrix) {
    if a.rows < a.columns {
        let (u, s, vh) = singular(&a.adjoint());
        return (vh.adjoint(), s, u.adjoint());
    }
    let (m, n) = (a.rows, a.columns);
    let scale = a.size();
    let by = if scale > 0.0 { scale } else { 1.0 };
    let mut w = Matrix::of(m, n, |i, j| a.at[i][j] / by);
    let mut v = Matrix::identity(n);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (x, y) = (w.column(p), w.column(q));
                let dot: Complex64 = x.iter().zip(&y).map(|(x, y)| x.conj() * y).sum();
                let (a, b, size) = (norm(&x), norm(&y), dot.norm());
                // Rounding errors are of this size; and the phase of such a small product is undefined.
                if size <= 1e-15 * a * b || size < 1e-34 {
                    continue;
                }
                rotated = true;
                let phase = dot / size;
                let theta = (b - a) * (b + a) / (2.0 * size);
                let t = if theta == 0.0 { 1.0 } else { theta.signum() / (theta.abs() + theta.hypot(1.0)) };
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for row in w.at.iter_mut().chain(&mut v.at) {
                    let (x, y) = (row[p], row[q] * phase.conj());
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let sizes: Vec<f64> = (0..n).map(|j| norm(&w.column(j))).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| sizes[j].total_cmp(&sizes[i]));
    // The column of a singular value that is practically zero is any that is orthogonal to the others.
    let given = Matrix::of(m, n, |i, j| w.at[i][order[j]]);
    let mut u = Matrix::of(m, n, |_, _| ZERO);
    for j in 0..n {
        let size = sizes[order[j]];
        let column = if size > 1e-15 { given.column(j).iter().map(|x| x / size).collect() } else { across(&u, j) };
        for i in 0..m {
            u.at[i][j] = column[i];
        }
    }
    let s = order.iter().map(|&k| sizes[k] * by).collect();
    (u, s, Matrix::of(n, n, |i, j| v.at[j][order[i]].conj()))
}

/// Returns a unit vector that is orthogonal to the first columns.
fn across(u: &Matrix, count: usize) -> Vec<Complex64> {
    let mut best = vec![ZERO; u.rows];
    for axis in 0..u.rows {
        let mut x: Vec<Complex64> = (0..u.rows).map(|i| if i == axis { ONE } else { ZERO }).collect();
        for _ in 0..2 {
            for j in 0..count {
                let dot: Complex64 = (0..u.rows).map(|i| u.at[i][j].conj() * x[i]).sum();
                (0..u.rows).for_each(|i| x[i] -= dot * u.at[i][j]);
            }
        }
        if norm(&x) > norm(&best) {
            best = x;
        }
    }
    let size = norm(&best);
    best.into_iter().map(|x| x / size).collect()
}

/// Completes the columns to a square matrix of orthonormal ones.
pub(crate) fn completed(u: &Matrix) -> Matrix {
    let mut whole = Matrix::of(u.rows, u.rows, |i, j| if j < u.columns { u.at[i][j] } else { ZERO });
    for j in u.columns..u.rows {
        let column = across(&whole, j);
        for i in 0..u.rows {
            whole.at[i][j] = column[i];
        }
    }
    whole
}

/// Computes the eigenvalues of a square matrix by shifted QR iterations.
pub(crate) fn eigenvalues(a: &Matrix) -> Vec<Complex64> {
    let mut n = a.rows;
    let scale = a.size();
    let mut t = a.clone();
    let mut values = vec![ZERO; n];
    let mut steps = 0;
    while n > 0 {
        let small: f64 = (0..n - 1).map(|j| t.at[n - 1][j].norm()).sum();
        if n == 1 || small <= 1e-17 * scale || steps > 10_000 {
            values[n - 1] = t.at[n - 1][n - 1];
            n -= 1;
            t = t.leading(n, n);
            steps = 0;
            continue;
        }
        steps += 1;
        // The shift is the eigenvalue of the last two rows that is nearer to the last element; occasionally an
        // exceptional one.
        let [a, b] = [t.at[n - 2][n - 2], t.at[n - 2][n - 1]];
        let [c, d] = [t.at[n - 1][n - 2], t.at[n - 1][n - 1]];
        let (half, root) = ((a + d) / 2.0, (((a - d) / 2.0).powi(2) + b * c).sqrt());
        let near = if (half + root - d).norm() < (half - root - d).norm() { half + root } else { half - root };
        let shift = if steps % 11 == 10 { near + Complex64::new(0.3, 0.7) * small } else { near };
        let shifted = Matrix::of(n, n, |i, j| if i == j { t.at[i][j] - shift } else { t.at[i][j] });
        let (q, r) = qr(&shifted);
        let next = r.times(&q);
        t = Matrix::of(n, n, |i, j| if i == j { next.at[i][j] + shift } else { next.at[i][j] });
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(m: usize, n: usize) -> Matrix {
        let part = |k: usize| (k * 7919 % 101) as f64 / 50.0 - 1.0;
        Matrix::of(m, n, |i, j| Complex64::new(part(i * n + j + 1), part(3 * i + 5 * j + 2)))
    }

    fn near(a: &Matrix, b: &Matrix) {
        assert!(a.minus(b).size() < 1e-12 * a.size().max(1.0), "{a:?} {b:?}");
    }

    #[test]
    fn factors_multiply_to_the_matrix() {
        for (m, n) in [(5, 3), (3, 5), (4, 4), (1, 1)] {
            let a = some(m, n);
            let (q, r) = qr(&a);
            near(&q.times(&r), &a);
            near(&q.adjoint().times(&q), &Matrix::identity(m));
            let (u, s, vh) = singular(&a);
            let k = s.len();
            let d = Matrix::of(k, k, |i, j| if i == j { s[i].into() } else { ZERO });
            near(&u.times(&d).times(&vh), &a);
            near(&u.adjoint().times(&u), &Matrix::identity(k));
            near(&completed(&u).adjoint().times(&completed(&u)), &Matrix::identity(m));
        }
        let a = some(4, 4);
        near(&a.times(&Lu::of(&a).solve(&Matrix::identity(4))), &Matrix::identity(4));
        let h = a.times(&a.adjoint());
        let l = cholesky(&h).unwrap();
        near(&l.times(&l.adjoint()), &h);
        let (w, v) = hermitian(&h);
        let d = Matrix::of(4, 4, |i, j| if i == j { w[i].into() } else { ZERO });
        near(&v.times(&d).times(&v.adjoint()), &h);
    }

    #[test]
    fn eigenvalues_have_the_trace_and_the_determinant() {
        let a = some(6, 6);
        let values = eigenvalues(&a);
        let trace: Complex64 = (0..6).map(|k| a.at[k][k]).sum();
        assert!((values.iter().sum::<Complex64>() - trace).norm() < 1e-11);
        assert!((values.iter().product::<Complex64>() - Lu::of(&a).determinant()).norm() < 1e-10);
    }
}
