//! Eigenvalues and eigenvectors.

use faer::{MatRef, Side};

use crate::{Complex, Number, all_finite};

pub(crate) fn syevd<T: Number>(upper: bool, vectors: bool, n: usize, a: &mut [T], w: &mut [f64]) -> i32 {
    // The triangle that is not read may hold any values.
    let at = |i: usize, j: usize| i + j * n;
    for j in 0..n {
        for i in j + 1..n {
            if upper { a[at(i, j)] = a[at(j, i)].conjugate() } else { a[at(j, i)] = a[at(i, j)].conjugate() }
        }
        a[at(j, j)] = T::of(a[at(j, j)].real_part());
    }
    if !all_finite(a) {
        w.fill(f64::NAN);
        a.fill(T::of(f64::NAN));
        return 1;
    }
    let largest = a.iter().map(|x| x.magnitude()).fold(0.0, f64::max);
    let scale = if largest > 0.0 && !(1e-100..1e100).contains(&largest) { largest.log2().floor().exp2() } else { 1.0 };
    let scaled: Vec<T> = a.iter().map(|x| x.over(T::of(scale))).collect();
    let matrix = MatRef::from_column_major_slice(&scaled, n, n);
    if !vectors {
        let Ok(values) = matrix.self_adjoint_eigenvalues(Side::Lower) else { return 1 };
        for (to, value) in w.iter_mut().zip(values) {
            *to = value * scale;
        }
        return 0;
    }
    let Ok(eigen) = matrix.self_adjoint_eigen(Side::Lower) else { return 1 };
    for j in 0..n {
        w[j] = eigen.S().column_vector()[j].real_part() * scale;
        for i in 0..n {
            a[at(i, j)] = eigen.U()[(i, j)];
        }
    }
    0
}

/// Normalises a column to length one with a real largest element.
fn normalized(column: Vec<Complex>) -> Vec<Complex> {
    let norm = column.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
    let largest = column.iter().copied().fold(Complex::ZERO, |a, b| if b.norm() > a.norm() { b } else { a });
    let by = if norm > 0.0 { largest.conj() / (largest.norm() * norm) } else { Complex::ONE };
    column.into_iter().map(|x| x * by).collect()
}

pub(crate) fn real(vectors: bool, n: usize, a: &[f64], w: &mut [Complex], v: &mut [f64]) -> i32 {
    if !all_finite(a) {
        return 1;
    }
    let matrix = MatRef::from_column_major_slice(a, n, n);
    if !vectors {
        let Ok(values) = matrix.eigenvalues() else { return 1 };
        w.copy_from_slice(&values);
        return 0;
    }
    let Ok(eigen) = matrix.eigen() else { return 1 };
    let column = |j: usize| normalized((0..n).map(|i| eigen.U()[(i, j)]).collect());
    let mut j = 0;
    while j < n {
        let value = eigen.S().column_vector()[j];
        if value.im == 0.0 {
            w[j] = value;
            // The vector of a real eigenvalue is real, as its largest element is.
            for (to, x) in v[j * n..(j + 1) * n].iter_mut().zip(column(j)) {
                *to = x.re;
            }
            j += 1;
            continue;
        }
        // A complex pair: the value with the positive imaginary part comes first; the columns are the real and
        // imaginary parts of its vector.
        let own = column(j);
        let sign = if value.im > 0.0 { 1.0 } else { -1.0 };
        (w[j], w[j + 1]) = (Complex::new(value.re, value.im.abs()), Complex::new(value.re, -value.im.abs()));
        for (i, x) in own.into_iter().enumerate() {
            (v[i + j * n], v[i + (j + 1) * n]) = (x.re, sign * x.im);
        }
        j += 2;
    }
    0
}

pub(crate) fn complex(vectors: bool, n: usize, a: &[Complex], w: &mut [Complex], v: &mut [Complex]) -> i32 {
    if !all_finite(a) {
        return 1;
    }
    let matrix = MatRef::from_column_major_slice(a, n, n);
    if !vectors {
        let Ok(values) = matrix.eigenvalues() else { return 1 };
        w.copy_from_slice(&values);
        return 0;
    }
    let Ok(eigen) = matrix.eigen() else { return 1 };
    for j in 0..n {
        w[j] = eigen.S().column_vector()[j];
        let own = normalized((0..n).map(|i| eigen.U()[(i, j)]).collect());
        v[j * n..(j + 1) * n].copy_from_slice(&own);
    }
    0
}
