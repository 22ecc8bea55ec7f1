//! Factorisations of square matrices, and the solvers that use them.

use faer::linalg::triangular_solve as triangular;
use faer::{MatMut, MatRef, Par, Side};

use crate::{Number, Transpose, all_finite};

pub(crate) fn potrf<T: Number>(upper: bool, n: usize, a: &mut [T]) -> i32 {
    // The transpose of the upper triangle is the lower triangle of the conjugated matrix, and likewise for its factor.
    let at = |i: usize, j: usize| if upper { j + i * n } else { i + j * n };
    let mut lower = vec![T::ZERO; n * n];
    for j in 0..n {
        for i in j..n {
            lower[i + j * n] = a[at(i, j)];
        }
        // The imaginary part of the diagonal is ignored.
        lower[j + j * n] = T::of(lower[j + j * n].real_part());
    }
    if !all_finite(&lower) {
        return not_positive(n, &lower);
    }
    match MatRef::from_column_major_slice(&lower, n, n).llt(Side::Lower) {
        Ok(llt) => {
            let l = llt.L();
            for j in 0..n {
                for i in j..n {
                    a[at(i, j)] = l[(i, j)];
                }
                // The imaginary part is rounding error.
                a[at(j, j)] = T::of(l[(j, j)].real_part());
            }
            0
        }
        Err(_) => not_positive(n, &lower),
    }
}

/// Returns the order of the first leading minor that is not positive.
fn not_positive<T: Number>(n: usize, lower: &[T]) -> i32 {
    let mut l = lower.to_vec();
    for j in 0..n {
        let mut pivot = l[j + j * n].real_part();
        for k in 0..j {
            pivot -= l[j + k * n].magnitude().powi(2);
        }
        if !(pivot > 0.0 && pivot.is_finite()) {
            return j as i32 + 1;
        }
        let root = pivot.sqrt();
        l[j + j * n] = T::of(root);
        for i in j + 1..n {
            let mut sum = l[i + j * n];
            for k in 0..j {
                sum -= l[i + k * n] * l[j + k * n].conjugate();
            }
            l[i + j * n] = sum * (1.0 / root);
        }
    }
    n as i32
}

/// Follows LAPACK: a column without a pivot is unchanged, and the elimination continues.
pub(crate) fn getrf<T: Number>(m: usize, n: usize, a: &mut [T], pivots: &mut [i64]) -> i32 {
    let mut singular = 0;
    for k in 0..m.min(n) {
        let size = |i: usize| a[i + k * m].weight();
        let best = (k + 1..m).fold(k, |best, i| if size(i) > size(best) { i } else { best });
        pivots[k] = best as i64 + 1;
        for column in a.chunks_exact_mut(m) {
            column.swap(k, best);
        }
        let pivot = a[k + k * m];
        if pivot == T::ZERO {
            singular = if singular == 0 { k as i32 + 1 } else { singular };
            continue;
        }
        let (left, right) = a.split_at_mut((k + 1) * m);
        let own = &mut left[k * m..];
        for element in &mut own[k + 1..] {
            *element = element.over(pivot);
        }
        for column in right.chunks_exact_mut(m) {
            let by = column[k];
            for i in k + 1..m {
                column[i] -= own[i] * by;
            }
        }
    }
    singular
}

pub(crate) fn getrs<T: Number>(transpose: Transpose, [n, k]: [usize; 2], a: &[T], pivots: &[i64], b: &mut [T]) {
    let exchange = |b: &mut [T], i: usize| {
        let other = pivots[i] as usize - 1;
        for column in b.chunks_exact_mut(n) {
            column.swap(i, other);
        }
    };
    if transpose == Transpose::None {
        (0..n).for_each(|i| exchange(b, i));
        trsm(false, transpose, true, [n, k], a, b);
        trsm(true, transpose, false, [n, k], a, b);
    } else {
        trsm(true, transpose, false, [n, k], a, b);
        trsm(false, transpose, true, [n, k], a, b);
        (0..n).rev().for_each(|i| exchange(b, i));
    }
}

pub(crate) fn trsm<T: Number>(upper: bool, transpose: Transpose, unit: bool, [n, k]: [usize; 2], a: &[T], b: &mut [T]) {
    let a = MatRef::from_column_major_slice(a, n, n);
    let conjugated;
    let a = match transpose {
        Transpose::None => a,
        Transpose::Transposed => a.transpose(),
        Transpose::Adjoint => {
            conjugated = a.adjoint().to_owned();
            conjugated.as_ref()
        }
    };
    let upper = upper != (transpose != Transpose::None);
    let b = MatMut::from_column_major_slice_mut(b, n, k);
    match (upper, unit) {
        (true, true) => triangular::solve_unit_upper_triangular_in_place(a, b, Par::Seq),
        (true, false) => triangular::solve_upper_triangular_in_place(a, b, Par::Seq),
        (false, true) => triangular::solve_unit_lower_triangular_in_place(a, b, Par::Seq),
        (false, false) => triangular::solve_lower_triangular_in_place(a, b, Par::Seq),
    }
}
