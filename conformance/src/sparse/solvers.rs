//! Solvers of systems of equations, whose results are judged by their residuals.
//!
//! The matrix is the operand with a dominant diagonal; for methods that need it, its Hermitian part. A case has two results: the `info` of
//! the solver, and 1 if the residual of the solution, computed in double precision, is as small as the method promises.

use cuprum::scipy::sparse::linalg::{
    self, GcrotmkOptions, GmresOptions, LgmresOptions, RowOrder, SolverOptions, Trans, TriangularOptions,
};
use cuprum::scipy::sparse::{Format, Sparse};
use cuprum::{Array, DType, ErrorKind};
use num_complex::Complex64;

use super::subject::Given;
use crate::subject::Result;

/// Returns the elements of an array in double precision.
fn host(a: &Array) -> Result<Vec<Complex64>> {
    Ok(a.astype(DType::C128)?.to_vec::<Complex64>()?)
}

/// Changes the elements of a matrix of `n` rows as a method needs it.
fn prepare(method: &str, n: usize, of: &[Complex64]) -> Vec<Complex64> {
    let mut a = of.to_vec();
    for i in 0..n {
        for j in 0..n {
            match method {
                "cg" | "minres" | "cholesky" | "ic0" => a[i * n + j] = (of[i * n + j] + of[j * n + i].conj()) / 2.0,
                "spsolve_triangular" if j > i => a[i * n + j] = Complex64::ZERO,
                _ => {}
            }
        }
    }
    for i in 0..n {
        let across: f64 = (0..n).map(|j| of[i * n + j].norm() + of[j * n + i].norm()).sum();
        // Every second eigenvalue of the indefinite matrix is negative.
        let sign = if method == "minres" && i % 2 == 1 { -1.0 } else { 1.0 };
        a[i * n + i] = Complex64::from(sign * (1.0 + across));
    }
    a
}

/// Returns a matrix that direct solvers find hard, of the entries of an operand with a dominant diagonal.
fn hard(system: &str, n: usize, dominant: &[Complex64], eps: f64) -> Result<Vec<Complex64>> {
    let mut a = dominant.to_vec();
    let last = n.saturating_sub(1).max(1) as f64;
    match system {
        // Rows of very different sizes, in order.
        "graded" => (0..n * n).for_each(|k| a[k] *= eps.powf(0.75 * (k / n) as f64 / last)),
        // Columns of very different sizes.
        "scaled" => (0..n * n).for_each(|k| a[k] *= eps.powf(((k % n * 7) % 13) as f64 / 13.0 - 0.5)),
        // The largest elements are outside of the diagonal, whose elements are rounding errors.
        "shifted" => {
            for i in 0..n {
                a[i * n..(i + 1) * n].rotate_right(1);
                if n > 1 {
                    a[i * n + i] *= eps;
                }
            }
        }
        // Two rows that differ by some units in the last place.
        "nearly" if n > 1 => (0..n).for_each(|j| a[n + j] = a[j] * (1.0 + (8 * (j + 1)) as f64 * eps)),
        "nearly" => {}
        // Two rows that are multiples of each other, apart from the others: the factor has an exact zero.
        "singular" if n > 1 => {
            for k in (0..n * n).filter(|k| k / n < 2 || k % n < 2) {
                let (row, column) = (k / n, k % n);
                a[k] = if row < 2 && column < 2 { Complex64::from((1 + row) as f64) } else { Complex64::ZERO };
            }
        }
        // Two columns with one row, or a matrix without entries.
        "structural" if n > 1 => {
            (0..n).for_each(|i| a[i * n..i * n + 2].fill(if i == 0 { Complex64::ONE } else { Complex64::ZERO }));
        }
        "singular" | "structural" => a.fill(Complex64::ZERO),
        unknown => return Err(format!("no system is called {unknown}").into()),
    }
    Ok(a)
}

/// Returns true if factors multiply to the permuted matrix, with errors of a few units for each row, and if the solution
/// has a backward error of a few units.
fn check_lu(a: &Sparse, b: &Array, eps: f64) -> Result<bool> {
    let n = a.shape()[0];
    let lu = linalg::splu(a, ())?;
    let dense = |a: &Sparse| host(&a.to_dense(())?);
    let (elements, lower, upper) = (dense(a)?, dense(&lu.lower()?)?, dense(&lu.upper()?)?);
    let positions = |p: Array| p.to_vec::<i32>();
    let (rows, columns) = (positions(lu.perm_r()?)?, positions(lu.perm_c()?)?);
    let mut small = is_backward_stable(&elements, &host(&lu.solve(b, Trans::None)?)?, &host(b)?, eps);
    for i in 0..n {
        for j in 0..n {
            let (row, column) = (rows[i] as usize, columns[j] as usize);
            let terms = || (0..n).map(|k| (lower[row * n + k], upper[k * n + column]));
            let product: Complex64 = terms().map(|(l, u)| l * u).sum();
            let size: f64 = terms().map(|(l, u)| l.norm() * u.norm()).sum();
            small &= (product - elements[i * n + j]).norm() <= 4.0 * n as f64 * eps * size;
        }
    }
    Ok(small)
}

/// Returns true if the residual is at most a few units times `|A| |x| + |b|`, in the norm of the largest element.
fn is_backward_stable(a: &[Complex64], x: &[Complex64], b: &[Complex64], eps: f64) -> bool {
    let n = x.len();
    let largest = |v: &[Complex64]| v.iter().map(|z| z.norm()).fold(0.0, f64::max);
    let row = |i: usize| &a[i * n..(i + 1) * n];
    let norm = (0..n).map(|i| row(i).iter().map(|z| z.norm()).sum()).fold(0.0, f64::max);
    let bound = 4.0 * (n + 8) as f64 * eps * (norm * largest(x) + largest(b));
    (0..n).all(|i| (b[i] - row(i).iter().zip(x).map(|(a, x)| a * x).sum::<Complex64>()).norm() <= bound)
}

/// Solves a hard system by `spsolve` and `splu`. The result is 1 if both have small backward errors, or if both report a
/// singular matrix.
fn solve_hard(system: &str, a: &Sparse, b: &Array, eps: f64) -> Result<bool> {
    let is_singular = |e: &cuprum::Error| e.kind() == ErrorKind::LinAlg && e.message().contains("singular");
    if matches!(system, "singular" | "structural") {
        let solved = linalg::spsolve(a, b, ()).map(|_| ());
        let factored = linalg::splu(a, ()).map(|_| ());
        return Ok([solved, factored].into_iter().all(|result| result.is_err_and(|e| is_singular(&e))));
    }
    let x = linalg::spsolve(a, b, ())?;
    let elements = host(&a.to_dense(())?)?;
    Ok(check_lu(a, b, eps)? && is_backward_stable(&elements, &host(&x)?, &host(b)?, eps))
}

/// Checks incomplete factors: their product, with rows and columns where the matrix has them, has its elements at its
/// entries, and solutions are those of the product. Returns true if both have errors of a few units for each row.
fn check_factors(a: &Sparse, b: &Array, cholesky: bool) -> Result<bool> {
    let factors = if cholesky { linalg::ic0 } else { linalg::ilu0 }(a, RowOrder::Natural)?;
    let x = factors.solve(b, Trans::None)?;
    let n = a.shape()[0];
    let positions: Vec<usize> = match factors.permutation()? {
        Some(positions) => positions.to_vec::<i32>()?.into_iter().map(|p| p as usize).collect(),
        None => (0..n).collect(),
    };
    let dense = |a: &Sparse| host(&a.to_dense(())?);
    let (a, lower, upper) = (dense(a)?, dense(&factors.lower()?)?, dense(&factors.upper()?)?);
    let (x, b) = (host(&x)?, host(b)?);
    let single = matches!(factors.dtype(), DType::F32 | DType::C64);
    let bound = 4.0 * n as f64 * if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let mut product = vec![Complex64::ZERO; n * n];
    let mut small = true;
    for i in 0..n {
        for j in 0..n {
            let (row, column) = (positions[i], positions[j]);
            let terms = || (0..n).map(|k| (lower[row * n + k], upper[k * n + column]));
            product[i * n + j] = terms().map(|(l, u)| l * u).sum();
            let size: f64 = terms().map(|(l, u)| l.norm() * u.norm()).sum();
            small &= a[i * n + j] == Complex64::ZERO || (product[i * n + j] - a[i * n + j]).norm() <= bound * size;
        }
        let row = || product[i * n..(i + 1) * n].iter().zip(&x);
        let size = row().map(|(p, x)| p.norm() * x.norm()).sum::<f64>() + b[i].norm();
        small &= (row().map(|(p, x)| p * x).sum::<Complex64>() - b[i]).norm() <= bound * size;
    }
    Ok(small)
}

/// Solves a system by the method of this name: the operand itself, or one of the hard ones.
pub(super) fn solve(method: &str, system: Option<&str>, a: &Sparse, b: &Array) -> Result<Given> {
    // The dtype in which the system is solved.
    let dtype = match a.dtype() {
        dtype @ (DType::F32 | DType::F64 | DType::C64 | DType::C128) => dtype,
        DType::F16 | DType::BF16 => DType::F32,
        _ => DType::F64,
    };
    let n = a.shape()[0];
    let single = matches!(dtype, DType::F32 | DType::C64);
    let eps = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let mut elements = prepare(method, n, &host(&a.to_dense(())?)?);
    if let Some(system) = system {
        elements = hard(system, n, &elements, eps)?;
    }
    let dense = Array::from_slice(&elements, [n, n])?;
    // Casts from complex numbers to real ones are explicit.
    let dense = if dtype.is_complex() { dense } else { dense.real() };
    let a = Sparse::from_dense(&dense.astype(dtype)?, Format::Csr)?;
    if let Some(system) = system {
        let small = solve_hard(system, &a, &b.astype(dtype)?, eps)?;
        return Ok(Given::Dense(Array::from_slice(&[0, i64::from(small)], [2])?));
    }
    if matches!(method, "ilu0" | "ic0") {
        let b = b.astype(dtype)?;
        let small = check_factors(&a, &b, method == "ic0")?;
        return Ok(Given::Dense(Array::from_slice(&[0, i64::from(small)], [2])?));
    }
    let rtol = if matches!(dtype, DType::F32 | DType::C64) { 1e-4 } else { 1e-9 };
    let options = SolverOptions { rtol, ..SolverOptions::default() };
    let (x, info, rtol) = match method {
        "spsolve" => (linalg::spsolve(&a, b, ())?, 0, 0.0),
        "splu" => (linalg::splu(&a, ())?.solve(b, linalg::Trans::None)?, 0, 0.0),
        "cholesky" => (linalg::cholesky(&a)?.solve(&b.astype(dtype)?)?, 0, 0.0),
        "spsolve_triangular" => (linalg::spsolve_triangular(&a, b, TriangularOptions::default())?, 0, 0.0),
        "gmres" => {
            let solution = linalg::gmres(&a, b, GmresOptions { rtol, ..GmresOptions::default() })?;
            (solution.x, solution.info, rtol)
        }
        "lgmres" => {
            let options = LgmresOptions { rtol, inner_m: 6, outer_k: 2, ..LgmresOptions::default() };
            let solution = linalg::lgmres(&a, b, options)?;
            (solution.x, solution.info, rtol)
        }
        "gcrotmk" => {
            let solution = linalg::gcrotmk(&a, b, GcrotmkOptions { rtol, steps: 5, ..GcrotmkOptions::default() })?;
            (solution.x, solution.info, rtol)
        }
        _ => {
            let solver = match method {
                "cg" => linalg::cg,
                "bicg" => linalg::bicg,
                "cgs" => linalg::cgs,
                "bicgstab" => linalg::bicgstab,
                "minres" => linalg::minres,
                "qmr" => linalg::qmr,
                "tfqmr" => linalg::tfqmr,
                unknown => return Err(format!("the library has no solver {unknown}").into()),
            };
            let solution = solver(&a, b, options)?;
            (solution.x, solution.info, rtol)
        }
    };
    let single = matches!(x.dtype(), DType::F32 | DType::C64);
    let eps = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let (elements, x, b) = (host(&a.to_dense(())?)?, host(&x)?, host(b)?);
    let (mut residual, mut size, mut rounding) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let row = || elements[i * n..(i + 1) * n].iter().zip(&x);
        let product: Complex64 = row().map(|(a, x)| a * x).sum();
        residual += (b[i] - product).norm_sqr();
        size += b[i].norm_sqr();
        // Rounding of a product and of the solution of a stable method: a few units for each entry of a row.
        rounding += (row().map(|(a, x)| a.norm() * x.norm()).sum::<f64>() + b[i].norm()).powi(2);
    }
    let small = residual.sqrt() <= rtol * f64::sqrt(size) + 4.0 * n as f64 * eps * f64::sqrt(rounding);
    let flags = [info, i64::from(small)];
    Ok(Given::Dense(Array::from_slice(&flags, [2])?))
}
