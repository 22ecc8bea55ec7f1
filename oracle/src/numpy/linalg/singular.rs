//! Singular value decomposition, and functions based on it: `pinv`, `matrix_rank`, `lstsq`.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::algorithms::{completed, singular};
use super::linear::of_triangle;
use super::matrix::{Matrix, Stack, ZERO, epsilon, norm, real, work_dtype};
use super::residual::{LIMIT, Residual, holds, orthonormal, residual};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::promote_types;
use crate::core::value::Value;
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, CallResult, counterparts};

/// Returns the matrices of a call; Hermitian ones are completed from their triangle.
fn matrices(a: &NdArray, is_hermitian: bool) -> Result<Stack> {
    let stack = if is_hermitian { Stack::square(a)? } else { Stack::of(a)? };
    let all: Vec<Matrix> =
        stack.all.iter().map(|a| if is_hermitian { of_triangle(a, false) } else { a.clone() }).collect();
    if !all.iter().all(Matrix::is_finite) {
        return fail(ErrorKind::LinAlg, "SVD did not converge");
    }
    Ok(Stack { all, ..stack })
}

/// Computes NumPy's `linalg.svd`.
fn svd(a: &NdArray, full: bool, vectors: bool, is_hermitian: bool) -> Result<Vec<NdArray>> {
    let stack = matrices(a, is_hermitian)?;
    let (m, n, short) = (stack.rows, stack.columns, stack.rows.min(stack.columns));
    let all: Vec<(Matrix, Vec<f64>, Matrix)> = stack.all.iter().map(singular).collect();
    let s: Vec<Vec<Complex64>> = all.iter().map(|(_, s, _)| real(s)).collect();
    let s = stack.vectors(stack.real(), short, &s)?;
    if !vectors {
        return Ok(vec![s]);
    }
    let square = |x: &Matrix| if full { completed(x) } else { x.clone() };
    let u: Vec<Matrix> = all.iter().map(|(u, _, _)| square(u)).collect();
    let vh: Vec<Matrix> = all.iter().map(|(_, _, vh)| square(&vh.adjoint()).adjoint()).collect();
    let [columns, rows] = if full { [m, n] } else { [short; 2] };
    Ok(vec![stack.matrices(stack.dtype, [m, columns], &u)?, s, stack.matrices(stack.dtype, [rows, n], &vh)?])
}

/// Bounds the error of singular values: the norm of a perturbation of the matrix.
fn value_bound(stack: &Stack, a: &Matrix) -> f64 {
    LIMIT * stack.rows.max(stack.columns) as f64 * epsilon(stack.dtype) * a.size()
}

fn svd_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let stack = matrices(t.get("a")?, t.or("hermitian", false)?)?;
    let (mut all, eps) = (vec![], epsilon(stack.dtype));
    let vectors = t.or("compute_uv", true)?;
    let values = Stack::of_any(&results[if vectors { 1 } else { 0 }].expand_dims(&[-2])?);
    let (u, vh) = match results {
        [u, _, vh] => (Some(Stack::of_any(u)), Some(Stack::of_any(vh))),
        _ => (None, None),
    };
    // Read in every mode.
    let _: bool = t.or("full_matrices", true)?;
    for (k, a) in stack.all.iter().enumerate() {
        let n = a.rows.max(a.columns);
        let s: Vec<f64> = values.all[k].at[0].iter().map(|s| s.re).collect();
        all.push(holds("the values fall", s.windows(2).all(|s| s[0] >= s[1]) && s.iter().all(|s| *s >= 0.0)));
        for (own, s) in singular(a).1.iter().zip(&s) {
            all.push(residual("a singular value", (own - s).abs(), a.size(), n, eps));
        }
        let (Some(u), Some(vh)) = (&u, &vh) else { continue };
        let (u, vh) = (&u.all[k], &vh.all[k]);
        all.push(orthonormal("uᴴ u - 1", u, eps));
        all.push(orthonormal("v vᴴ - 1", &vh.adjoint(), eps));
        let scaled = Matrix::of(u.rows, s.len(), |i, j| u.at[i][j] * s[j]);
        let product = scaled.times(&vh.leading(s.len(), vh.columns));
        all.push(residual("a - u s vᴴ", product.minus(a).size(), a.size(), n, eps));
    }
    Ok(all)
}

/// Computes NumPy's `linalg.svdvals`.
fn svdvals(a: &NdArray) -> Result<Bounded> {
    let stack = matrices(a, false)?;
    let short = stack.rows.min(stack.columns);
    let values: Vec<Vec<Complex64>> = stack.all.iter().map(|a| real(&singular(a).1)).collect();
    let bounds = stack.all.iter().flat_map(|a| vec![value_bound(&stack, a); short]).collect();
    Ok(Bounded { result: stack.vectors(stack.real(), short, &values)?, bounds })
}

/// Returns a cutoff for each matrix of a batch, from a scalar or an array of them.
fn shares(given: Option<&crate::Operand<'_>>, default: f64, count: usize) -> Vec<f64> {
    match given {
        None => vec![default; count],
        Some(crate::Operand::Scalar(v)) => vec![v.float(); count],
        Some(crate::Operand::Array(a)) => {
            let all: Vec<f64> = a.values().iter().map(|v| v.float()).collect();
            (0..count).map(|k| all[k % all.len()]).collect()
        }
    }
}

/// Computes the pseudo-inverse of a matrix without the singular values below a fraction of the largest.
fn pseudo_inverse(a: &Matrix, share: f64) -> Matrix {
    let (u, s, vh) = singular(a);
    let least = share * s.first().copied().unwrap_or(0.0);
    let inverse = |s: f64| if s > least { 1.0 / s } else { 0.0 };
    let scaled = Matrix::of(a.columns, s.len(), |i, j| vh.at[j][i].conj() * inverse(s[j]));
    scaled.times(&u.adjoint())
}

fn pinv_shares(t: &Arguments, count: usize) -> CallResult<Vec<f64>> {
    let (rcond, rtol): (Option<crate::Operand<'_>>, Option<crate::Operand<'_>>) = (t.get("rcond")?, t.get("rtol")?);
    Ok(shares(rcond.as_ref().or(rtol.as_ref()), 1e-15, count))
}

/// Computes NumPy's `linalg.pinv`.
fn pinv(t: &Arguments) -> CallResult<NdArray> {
    let stack = matrices(t.get("a")?, t.or("hermitian", false)?)?;
    let shares = pinv_shares(t, stack.all.len())?;
    let all: Vec<Matrix> = stack.all.iter().zip(shares).map(|(a, share)| pseudo_inverse(a, share)).collect();
    Ok(stack.matrices(stack.dtype, [stack.columns, stack.rows], &all)?)
}

/// Computes the residuals of the Moore-Penrose conditions, each product measured by the norms of its factors.
fn pinv_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let stack = matrices(t.get("a")?, t.or("hermitian", false)?)?;
    let (mut all, eps) = (vec![], epsilon(stack.dtype));
    let shares = pinv_shares(t, stack.all.len())?;
    for ((a, p), share) in stack.all.iter().zip(Stack::of_any(&results[0]).all).zip(shares) {
        // Without the singular values below the cutoff.
        let (u, s, vh) = singular(a);
        let least = share * s.first().copied().unwrap_or(0.0);
        // A value at the cutoff itself may fall on either side.
        if s.iter().any(|s| (s - least).abs() <= LIMIT * a.rows.max(a.columns) as f64 * eps * a.size() && *s > 0.0) {
            continue;
        }
        let kept = Matrix::of(a.rows, s.len(), |i, j| if s[j] > least { u.at[i][j] * s[j] } else { ZERO }).times(&vh);
        let (n, product) = (a.rows.max(a.columns), a.size() * p.size());
        let (left, right) = (kept.times(&p), p.times(&kept));
        all.push(residual("a p a - a", left.times(&kept).minus(&kept).size(), product * a.size(), n, eps));
        all.push(residual("p a p - p", right.times(&p).minus(&p).size(), product * p.size(), n, eps));
        all.push(residual("a p is Hermitian", left.minus(&left.adjoint()).size(), product, n, eps));
        all.push(residual("p a is Hermitian", right.minus(&right.adjoint()).size(), product, n, eps));
    }
    Ok(all)
}

/// Computes NumPy's `linalg.matrix_rank`.
fn matrix_rank(t: &Arguments) -> CallResult<NdArray> {
    let a: &NdArray = t.get("A")?;
    let (tol, rtol): (Option<crate::Operand<'_>>, Option<crate::Operand<'_>>) = (t.get("tol")?, t.get("rtol")?);
    let is_hermitian = t.or("hermitian", false)?;
    if a.ndim() < 2 {
        let any = a.values().iter().any(|v| v.truth());
        return Ok(NdArray::from_values(DType::I64, &[], [Value::Int(any.into())])?);
    }
    let stack = matrices(a, is_hermitian)?;
    let default = stack.rows.max(stack.columns) as f64 * epsilon(stack.dtype);
    let (bounds, rtols) = (shares(tol.as_ref(), 0.0, stack.all.len()), shares(rtol.as_ref(), default, stack.all.len()));
    let rank = |(k, a): (usize, &Matrix)| {
        let s = singular(a).1;
        let least = if tol.is_some() { bounds[k] } else { rtols[k] * s.first().copied().unwrap_or(0.0) };
        Value::Int(s.iter().filter(|s| **s > least).count() as i128)
    };
    let values: Vec<Value> = stack.all.iter().enumerate().map(rank).collect();
    Ok(NdArray::from_values(DType::I64, &stack.shape, values)?)
}

/// Returns the two sides of a least-squares problem, and whether the right one is a vector.
fn problem(a: &NdArray, b: &NdArray) -> Result<(Stack, Stack, bool)> {
    let vector = b.ndim() == 1;
    let b = if vector { b.expand_dims(&[1])? } else { b.clone() };
    if a.ndim() != 2 || b.ndim() != 2 {
        return fail(ErrorKind::LinAlg, "array given. Array must be two-dimensional");
    }
    let (own, other) = (Stack::of(a)?, Stack::of(&b)?);
    if own.rows != other.rows {
        return fail(ErrorKind::LinAlg, "Incompatible dimensions");
    }
    if !own.all[0].is_finite() {
        return fail(ErrorKind::LinAlg, "SVD did not converge in Linear Least Squares");
    }
    let dtype = promote_types(own.dtype, other.dtype);
    Ok((Stack { dtype, ..own }, Stack { dtype, ..other }, vector))
}

fn lstsq_share(a: &Stack, rcond: Option<f64>) -> f64 {
    match rcond {
        None => a.rows.max(a.columns) as f64 * epsilon(a.dtype),
        Some(share) if share < 0.0 => epsilon(a.dtype),
        Some(share) => share,
    }
}

/// Computes NumPy's `linalg.lstsq`.
pub(super) fn lstsq(a: &NdArray, b: &NdArray, rcond: Option<f64>) -> Result<Vec<NdArray>> {
    let (a, b, vector) = problem(a, b)?;
    let (one, right) = (&a.all[0], &b.all[0]);
    let (s, share) = (singular(one).1, lstsq_share(&a, rcond));
    let rank = s.iter().filter(|x| **x > share * s[0]).count();
    let x = pseudo_inverse(one, share).times(right);
    let rest = right.minus(&one.times(&x));
    let squares: Vec<Complex64> = (0..b.columns).map(|j| Complex64::new(norm(&rest.column(j)).powi(2), 0.0)).collect();
    let has_rest = rank == a.columns && a.rows > a.columns;
    let squares = if has_rest { squares } else { vec![] };
    let shape: &[usize] = if vector { &[a.columns] } else { &[a.columns, b.columns] };
    let elements = x.at.iter().flatten().map(|z| super::matrix::of_dtype(*z, a.dtype));
    let line =
        |all: Vec<Complex64>| NdArray::from_values(a.real(), &[all.len()], all.iter().map(|z| Value::Float(z.re)));
    Ok(vec![
        NdArray::from_values(a.dtype, shape, elements)?,
        line(squares)?,
        NdArray::from_values(DType::I32, &[], [Value::Int(rank as i128)])?,
        line(real(&s))?,
    ])
}

fn lstsq_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let (a, b): (&NdArray, &NdArray) = (t.get("a")?, t.get("b")?);
    let eps = epsilon(promote_types(work_dtype(a.dtype())?, work_dtype(b.dtype())?));
    Ok(least_squares_residuals(a, b, t.get("rcond")?, results, eps)?)
}

/// Computes the residuals of a least-squares solution, for operands with the relative error `eps`.
pub(super) fn least_squares_residuals(
    left: &NdArray,
    right: &NdArray,
    rcond: Option<f64>,
    results: &[NdArray],
    eps: f64,
) -> Result<Vec<Residual>> {
    let (a, b, vector) = problem(left, right)?;
    let x = if vector { results[0].expand_dims(&[-1])? } else { results[0].clone() };
    let x = &Stack::of_any(&x).all[0];
    let (one, right) = (&a.all[0], &b.all[0]);
    let n = a.rows.max(a.columns);
    let (_, s, vh) = singular(one);
    let (least, rank) = (lstsq_share(&a, rcond) * s.first().copied().unwrap_or(0.0), results[2].values()[0].int());
    // A singular value close to the cutoff may count.
    let beyond = |least: f64| s.iter().filter(|x| **x > least).count() as i128;
    let near = n as f64 * eps * one.size();
    let mut all = vec![holds("the rank", (beyond(least + near)..=beyond(least - near)).contains(&rank))];
    let kept = (rank.max(0) as usize).min(s.len());
    for (got, s) in results[3].values().iter().zip(&s) {
        all.push(residual("a singular value", (got.float() - s).abs(), one.size(), n, eps));
    }
    if s.get(kept).is_some_and(|s| *s > 100.0 * eps * one.size()) {
        // Values below a large cutoff remain in the residual.
        return Ok(all);
    }
    let rest = right.minus(&one.times(x));
    for j in 0..b.columns {
        let scale = one.size() * (one.size() * norm(&x.column(j)) + norm(&right.column(j)));
        let column = rest.column(j);
        let normal = one.adjoint().times(&Matrix::of(a.rows, 1, |i, _| column[i]));
        all.push(residual("aᴴ (b - a x)", normal.size(), scale, n, eps));
        if let Some(got) = results[1].values().get(j) {
            let scale = (one.size() * norm(&x.column(j)) + norm(&right.column(j))).powi(2);
            all.push(residual("the squares that remain", (got.float() - norm(&column).powi(2)).abs(), scale, n, eps));
        }
    }
    // The minimum-norm solution has no component in the null space.
    let rows = vh.leading(kept, a.columns);
    let inside = rows.adjoint().times(&rows.times(x));
    let condition = s.first().copied().unwrap_or(0.0) / s.get(kept.wrapping_sub(1)).copied().unwrap_or(1.0);
    all.push(residual("x outside of the rows", x.minus(&inside).size(), condition * x.size(), n, eps));
    Ok(all)
}

counterparts! {
    "numpy.linalg.svd" = |t| svd(t.get("a")?, t.or("full_matrices", true)?, t.or("compute_uv", true)?, t.or("hermitian", false)?), judged svd_residuals;
    "numpy.linalg.svdvals" = |t| svdvals(t.get("x")?);
    "numpy.linalg.pinv" = |t| Ok(pinv(t)?), judged pinv_residuals;
    "numpy.linalg.matrix_rank" = |t| Ok(matrix_rank(t)?);
    "numpy.linalg.lstsq" = |t| lstsq(t.get("a")?, t.get("b")?, t.get("rcond")?), judged lstsq_residuals;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numpy::linalg::algorithms::hermitian;

    /// Returns the singular values of a Hermitian matrix, by its eigenvalues.
    fn by_eigenvalues(a: &Matrix) -> Vec<f64> {
        let mut s: Vec<f64> = hermitian(a).0.iter().map(|w| w.abs()).collect();
        s.sort_by(|a, b| b.total_cmp(a));
        s
    }

    #[test]
    fn two_ways_give_the_same_values() {
        let a = Matrix::of(5, 5, |i, j| Complex64::new((i + j) as f64 - 3.0, i as f64 - j as f64));
        for (one, other) in singular(&a).1.iter().zip(by_eigenvalues(&a)) {
            assert!((one - other).abs() < 1e-12);
        }
    }
}
