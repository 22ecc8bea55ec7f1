//! QR factorisation: NumPy's `linalg.qr`.

use super::algorithms::qr;
use super::matrix::{Matrix, Stack, ZERO, epsilon};
use super::residual::{Residual, holds, orthonormal, residual};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::table::{Arguments, CallResult, counterparts};

/// Computes NumPy's `linalg.qr`; in the mode `raw` the elements of the results are not compared.
fn factors(a: &NdArray, mode: &str) -> Result<Vec<NdArray>> {
    let stack = Stack::of(a)?;
    let (m, n, short) = (stack.rows, stack.columns, stack.rows.min(stack.columns));
    let all: Vec<(Matrix, Matrix)> = stack.all.iter().map(qr).collect();
    let cut = |rows: usize| -> Result<[NdArray; 2]> {
        let q: Vec<Matrix> = all.iter().map(|(q, _)| q.leading(m, rows)).collect();
        let r: Vec<Matrix> = all.iter().map(|(_, r)| r.leading(rows, n)).collect();
        Ok([stack.matrices(stack.dtype, [m, rows], &q)?, stack.matrices(stack.dtype, [rows, n], &r)?])
    };
    match mode {
        "reduced" => Ok(cut(short)?.into()),
        "complete" => Ok(cut(m)?.into()),
        "r" => Ok(vec![cut(short)?[1].clone()]),
        "raw" => {
            let r: Vec<Matrix> = all.iter().map(|(_, r)| r.transposed()).collect();
            let tau = vec![vec![ZERO; short]; all.len()];
            Ok(vec![stack.matrices(stack.dtype, [n, m], &r)?, stack.vectors(stack.dtype, short, &tau)?])
        }
        other => fail(ErrorKind::Value, format!("qr has no mode {other}")),
    }
}

/// Expands Householder reflectors and the triangle, as LAPACK stores both, to columns and triangle.
fn unpacked(h: &Matrix, tau: &[num_complex::Complex64]) -> (Matrix, Matrix) {
    let a = h.transposed();
    let (m, n) = (a.rows, a.columns);
    let mut q = Matrix::identity(m);
    for (k, tau) in tau.iter().enumerate() {
        let v = Matrix::of(m, 1, |i, _| {
            if i < k {
                ZERO
            } else if i == k {
                super::matrix::ONE
            } else {
                a.at[i][k]
            }
        });
        let outer = v.times(&v.adjoint());
        let reflection = Matrix::of(m, m, |i, j| Matrix::identity(m).at[i][j] - tau * outer.at[i][j]);
        q = q.times(&reflection);
    }
    (q, Matrix::of(m, n, |i, j| if i <= j { a.at[i][j] } else { ZERO }))
}

fn residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let (stack, mode) = (Stack::of(t.get("a")?)?, t.or("mode", "reduced")?);
    let mut all = vec![];
    for (k, a) in stack.all.iter().enumerate().filter(|(_, a)| a.is_finite()) {
        let (n, eps) = (a.rows.max(a.columns), epsilon(stack.dtype));
        let part = |index: usize| Stack::of_any(&results[index]).all[k].clone();
        let (q, r) = match mode {
            "r" => (None, part(0)),
            "raw" => {
                let tau = Stack::of_any(&results[1].expand_dims(&[-2])?).all[k].at[0].clone();
                let (q, r) = unpacked(&part(0), &tau);
                (Some(q), r)
            }
            _ => (Some(part(0)), part(1)),
        };
        all.push(holds("r is a triangle", (0..r.rows).all(|i| (0..i.min(r.columns)).all(|j| r.at[i][j] == ZERO))));
        // Without the columns: the triangle and the matrix have the same Gram matrix.
        let (left, right) = (r.adjoint().times(&r), a.adjoint().times(a));
        all.push(residual("rᴴ r - aᴴ a", left.minus(&right).size(), a.size() * a.size(), n, eps));
        if let Some(q) = q {
            all.push(orthonormal("qᴴ q - 1", &q, eps));
            all.push(residual("a - q r", q.times(&r).minus(a).size(), a.size(), n, eps));
        }
    }
    Ok(all)
}

counterparts! {
    "numpy.linalg.qr" = |t| factors(t.get("a")?, t.or("mode", "reduced")?), judged residuals;
}
