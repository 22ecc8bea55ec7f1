//! Eigenvalues and eigenvectors.

use num_complex::Complex64;

use super::algorithms::{eigenvalues, hermitian, singular};
use super::linear::of_triangle;
use super::matrix::{Matrix, Stack, epsilon, norm, real};
use super::residual::{Residual, holds, orthonormal, residual};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, CallResult, counterparts};

fn triangle(uplo: &str) -> Result<bool> {
    match uplo {
        "L" | "l" => Ok(false),
        "U" | "u" => Ok(true),
        _ => fail(ErrorKind::Value, "UPLO argument must be 'L' or 'U'"),
    }
}

/// Returns the Hermitian matrices of which a triangle is passed.
fn whole(a: &NdArray, uplo: &str) -> Result<Stack> {
    let upper = triangle(uplo)?;
    let stack = Stack::square(a)?;
    let all: Vec<Matrix> = stack.all.iter().map(|a| of_triangle(a, upper)).collect();
    Ok(Stack { all, ..stack })
}

/// Computes the eigenvalues and eigenvectors of a Hermitian matrix; NaN if it is not finite.
fn spectrum(a: &Matrix) -> (Vec<f64>, Matrix) {
    if a.is_finite() {
        return hermitian(a);
    }
    (vec![f64::NAN; a.rows], Matrix::of(a.rows, a.rows, |_, _| Complex64::new(f64::NAN, f64::NAN)))
}

/// Computes the eigenvalues of a Hermitian matrix of `n` rows in ascending order, by Jacobi rotations. `elements` are those
/// of all rows.
///
/// ```
/// use num_complex::Complex64;
/// let elements = [2.0, 1.0, 1.0, 2.0].map(Complex64::from);
/// let values = cuprum_oracle::hermitian_eigenvalues(&elements, 2);
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// ```
pub fn hermitian_eigenvalues(elements: &[Complex64], n: usize) -> Vec<f64> {
    spectrum(&Matrix::of(n, n, |i, j| elements[i * n + j])).0
}

/// Computes NumPy's `linalg.eigh`.
fn eigh(a: &NdArray, uplo: &str) -> Result<(NdArray, NdArray)> {
    let stack = whole(a, uplo)?;
    let (values, vectors): (Vec<_>, Vec<_>) = stack.all.iter().map(spectrum).unzip();
    let values: Vec<Vec<Complex64>> = values.iter().map(|w| real(w)).collect();
    let n = stack.rows;
    Ok((stack.vectors(stack.real(), n, &values)?, stack.matrices(stack.dtype, [n, n], &vectors)?))
}

fn eigh_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let stack = whole(t.get("a")?, t.or("UPLO", "L")?)?;
    let (w, v) = (Stack::of_any(&results[0].expand_dims(&[-2])?), Stack::of_any(&results[1]));
    let (mut all, eps) = (vec![], epsilon(stack.dtype));
    for ((a, w), v) in stack.all.iter().zip(&w.all).zip(&v.all) {
        if !a.is_finite() {
            let nan = w.at.iter().chain(&v.at).flatten().all(|x| x.is_nan());
            all.push(holds("the results of a matrix that is not finite are NaN", nan));
            continue;
        }
        let values = &w.at[0];
        let scaled = Matrix::of(v.rows, v.columns, |i, j| v.at[i][j] * values[j]);
        all.push(residual("a v - v w", a.times(v).minus(&scaled).size(), a.size(), a.rows, eps));
        all.push(orthonormal("vᴴ v - 1", v, eps));
        all.push(holds("the values rise", values.windows(2).all(|w| w[0].re <= w[1].re)));
    }
    Ok(all)
}

/// Computes NumPy's `linalg.eigvalsh`. A perturbation of the matrix moves no eigenvalue by more than its norm.
fn eigvalsh(a: &NdArray, uplo: &str) -> Result<Bounded> {
    let stack = whole(a, uplo)?;
    let n = stack.rows;
    let values: Vec<Vec<Complex64>> = stack.all.iter().map(|a| real(&spectrum(a).0)).collect();
    let bound = |a: &Matrix| vec![super::LIMIT * n as f64 * epsilon(stack.dtype) * a.size(); n];
    let bounds = stack.all.iter().flat_map(bound).collect();
    Ok(Bounded { result: stack.vectors(stack.real(), n, &values)?, bounds })
}

/// Returns the batch if all matrices are finite.
fn finite(a: &NdArray) -> Result<Stack> {
    let stack = Stack::square(a)?;
    if !stack.all.iter().all(Matrix::is_finite) {
        return fail(ErrorKind::LinAlg, "Array must not contain infs or NaNs");
    }
    Ok(stack)
}

/// Computes the eigenvalues, and the dtype that NumPy gives them.
fn values(stack: &Stack) -> (Vec<Vec<Complex64>>, cuprum_kernels::DType) {
    use cuprum_kernels::DType;
    let mut all: Vec<Vec<Complex64>> = stack.all.iter().map(eigenvalues).collect();
    let complex = if stack.real() == DType::F32 { DType::C64 } else { DType::C128 };
    if stack.dtype.is_complex() {
        return (all, complex);
    }
    // Values that are practically real are real: the values of a complex pair of a real matrix differ by far more than
    // that.
    let scale = stack.all.iter().map(Matrix::size).fold(0.0, f64::max);
    let are_real = all.iter().flatten().all(|w| w.im.abs() <= 1e-9 * scale);
    if are_real {
        all.iter_mut().flatten().for_each(|w| w.im = 0.0);
    }
    (all, if are_real { stack.dtype } else { complex })
}

/// Computes NumPy's `linalg.eigvals`.
pub(super) fn eigvals(a: &NdArray) -> Result<NdArray> {
    let stack = finite(a)?;
    let (all, dtype) = values(&stack);
    stack.vectors(dtype, stack.rows, &all)
}

/// Computes residuals: each value is an eigenvalue of a nearby matrix, and together they have the trace.
pub(super) fn value_residuals(stack: &Stack, w: &NdArray) -> Result<Vec<Residual>> {
    let (mut all, eps) = (vec![], epsilon(stack.dtype));
    for (a, w) in stack.all.iter().zip(Stack::of_any(&w.expand_dims(&[-2])?).all) {
        let n = a.rows;
        for w in &w.at[0] {
            let shifted = Matrix::of(n, n, |i, j| if i == j { a.at[i][j] - w } else { a.at[i][j] });
            let least = singular(&shifted).1.last().copied().unwrap_or(0.0);
            all.push(residual("an eigenvalue of a matrix nearby", least, a.size(), n, eps));
        }
        let trace: Complex64 = (0..n).map(|k| a.at[k][k]).sum();
        let sum: Complex64 = w.at[0].iter().sum();
        all.push(residual("the trace", (sum - trace).norm(), a.size(), n, eps));
    }
    Ok(all)
}

fn eigvals_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    Ok(value_residuals(&finite(t.get("a")?)?, &results[0])?)
}

/// Computes NumPy's `linalg.eig`: eigenvectors from the null spaces of shifted matrices.
fn eig(a: &NdArray) -> Result<(NdArray, NdArray)> {
    let stack = finite(a)?;
    let (all, dtype) = values(&stack);
    let n = stack.rows;
    let vectors = |(a, w): (&Matrix, &Vec<Complex64>)| {
        let one = |w: &Complex64| {
            let shifted = Matrix::of(n, n, |i, j| if i == j { a.at[i][j] - w } else { a.at[i][j] });
            let (_, _, vh) = singular(&shifted);
            vh.at[n - 1].iter().map(|x| x.conj()).collect::<Vec<_>>()
        };
        let columns: Vec<Vec<Complex64>> = w.iter().map(one).collect();
        Matrix::of(n, n, |i, j| columns[j][i])
    };
    let v: Vec<Matrix> = stack.all.iter().zip(&all).map(vectors).collect();
    Ok((stack.vectors(dtype, n, &all)?, stack.matrices(dtype, [n, n], &v)?))
}

fn eig_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let stack = finite(t.get("a")?)?;
    let mut all = value_residuals(&stack, &results[0])?;
    let (w, v) = (Stack::of_any(&results[0].expand_dims(&[-2])?), Stack::of_any(&results[1]));
    let eps = epsilon(stack.dtype);
    for ((a, w), v) in stack.all.iter().zip(&w.all).zip(&v.all) {
        for j in 0..a.rows {
            let column = v.column(j);
            let product = a.times(&Matrix::of(a.rows, 1, |i, _| column[i]));
            let rest: Vec<Complex64> = (0..a.rows).map(|i| product.at[i][0] - w.at[0][j] * column[i]).collect();
            all.push(residual("a v - v w", norm(&rest), a.size(), a.rows, eps));
            all.push(residual("the length of a vector", (norm(&column) - 1.0).abs(), 1.0, a.rows, eps));
        }
    }
    Ok(all)
}

counterparts! {
    "numpy.linalg.eigh" = |t| eigh(t.get("a")?, t.or("UPLO", "L")?), judged eigh_residuals;
    "numpy.linalg.eigvalsh" = |t| eigvalsh(t.get("a")?, t.or("UPLO", "L")?);
    "numpy.linalg.eig" = |t| eig(t.get("a")?), judged eig_residuals;
    "numpy.linalg.eigvals" = |t| eigvals(t.get("a")?), judged eigvals_residuals;
}
