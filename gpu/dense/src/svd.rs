//! Singular values and vectors.

use faer::MatRef;

use crate::{Number, Vectors, all_finite};

pub(crate) fn gesvd<T: Number>(
    [m, n]: [usize; 2],
    vectors: Vectors,
    a: &[T],
    s: &mut [f64],
    u: &mut [T],
    vt: &mut [T],
) -> i32 {
    let fail = |s: &mut [f64], u: &mut [T], vt: &mut [T]| {
        s.fill(f64::NAN);
        u.fill(T::of(f64::NAN));
        vt.fill(T::of(f64::NAN));
        1
    };
    if !all_finite(a) {
        return fail(s, u, vt);
    }
    // Scaling by powers of two keeps products of tiny and of huge elements in range.
    let largest = a.iter().map(|x| x.magnitude()).fold(0.0, f64::max);
    let scale = if largest > 0.0 && !(1e-100..1e100).contains(&largest) { largest.log2().floor().exp2() } else { 1.0 };
    let scaled: Vec<T> = a.iter().map(|x| x.over(T::of(scale))).collect();
    let a = MatRef::from_column_major_slice(&scaled, m, n);
    if vectors == Vectors::None {
        let Ok(values) = a.singular_values() else { return fail(s, u, vt) };
        for (to, value) in s.iter_mut().zip(values) {
            *to = value * scale;
        }
        return 0;
    }
    let Ok(svd) = (if vectors == Vectors::Full { a.svd() } else { a.thin_svd() }) else { return fail(s, u, vt) };
    for (k, to) in s.iter_mut().enumerate() {
        *to = svd.S().column_vector()[k].real_part() * scale;
    }
    let (left, right) = (svd.U(), svd.V());
    for (k, column) in u.chunks_exact_mut(m.max(1)).enumerate() {
        for (i, to) in column.iter_mut().enumerate() {
            *to = left[(i, k)];
        }
    }
    let rows = right.ncols();
    for (j, column) in vt.chunks_exact_mut(rows.max(1)).enumerate() {
        for (k, to) in column.iter_mut().enumerate() {
            *to = right[(j, k)].conjugate();
        }
    }
    0
}
