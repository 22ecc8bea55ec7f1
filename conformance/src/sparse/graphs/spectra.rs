//! Eigenvalues and singular values, and parts of their solvers.
//!
//! * The Arnoldi process: orthonormal vectors, whose products with the matrix are their combinations.
//! * An inertia: the signs of the eigenvalues by the oracle's Jacobi rotations.
//! * Eigenpairs: small residuals, orthonormal vectors, the eigenvalues of the oracle, and an inertia by which none is missed.
//! * Singular triplets: those of the product of the matrix and its transpose.

use cuprum::scipy::sparse::linalg::{
    self, Arnoldi, Eigenpairs, EigsOptions, EigshOptions, LobpcgOptions, SvdsOptions, Which,
};
use cuprum::scipy::sparse::{Format, Sparse};
use cuprum::{Array, DType, s};
use num_complex::Complex64;

use super::Edges;
use crate::subject::Result;

/// Checks a function for a matrix of edges.
pub(super) fn check(method: &str, edges: &Edges, n: usize) -> Result<bool> {
    match method {
        "arnoldi" => is_decomposition(edges, n),
        "inertia" => is_inertia(edges, n),
        "eigsh" => are_eigenpairs(edges, n, None),
        "shifted" => are_eigenpairs(edges, n, Some(0.75)),
        "eigs" => are_general_eigenpairs(edges, n),
        "svds" => are_singular(edges, n),
        _ => are_of_a_block(edges, n),
    }
}

/// Returns the eigenvalues of a symmetric matrix in ascending order.
fn eigenvalues(a: &[f64], n: usize) -> Vec<f64> {
    cuprum_oracle::hermitian_eigenvalues(&a.iter().map(|x| Complex64::from(*x)).collect::<Vec<_>>(), n)
}

/// Returns the elements of the symmetric matrix of edges in both directions, with a diagonal of both signs that dominates the rows.
fn symmetric(edges: &Edges, n: usize) -> Vec<f64> {
    let mut a = vec![0.0; n * n];
    for ((i, j), w) in edges {
        a[i * n + j] += *w as f64;
        a[j * n + i] += *w as f64;
    }
    for i in 0..n {
        let across: f64 = a[i * n..(i + 1) * n].iter().sum();
        a[i * n + i] = if i % 3 == 0 { -1.0 } else { 1.0 } * (1.0 + across + i as f64 / 8.0);
    }
    a
}

/// Checks the basis and the coefficients of the Arnoldi process.
fn is_decomposition(edges: &Edges, n: usize) -> Result<bool> {
    let a = symmetric(edges, n);
    let operator = Sparse::from_dense(&Array::from_slice(&a, [n, n])?, Format::Csr)?;
    let steps = (n - 1).min(8);
    if steps == 0 {
        return Ok(true);
    }
    let mut process = Arnoldi::new(DType::F64, n, steps, 0)?;
    let norm = (0..n).map(|i| ((i + 1) * (i + 1)) as f64).sum::<f64>().sqrt();
    let first: Vec<f64> = (0..n).map(|i| (i + 1) as f64 / norm).collect();
    process.basis().index(s![0])?.assign(&Array::from_slice(&first, [n])?)?;
    let done = process.extend(&operator, 0, steps, 0)?;
    let (basis, columns) = (process.basis().to_vec::<f64>()?, process.columns().to_vec::<f64>()?);
    let vector = |k: usize| &basis[k * n..(k + 1) * n];
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let size = (0..n).map(|i| a[i * n..(i + 1) * n].iter().map(|x| x.abs()).sum()).fold(1.0, f64::max);
    let bound = 16.0 * n as f64 * f64::EPSILON;
    let mut small = true;
    for j in 0..done {
        for i in 0..=j {
            small &= (dot(vector(i), vector(j)) - f64::from(u8::from(i == j))).abs() <= bound;
        }
        for row in 0..n {
            let product = dot(&a[row * n..(row + 1) * n], vector(j));
            let combined: f64 = (0..=j + 1).map(|i| columns[j * (steps + 1) + i] * vector(i)[row]).sum();
            small &= (product - combined).abs() <= bound * size;
        }
    }
    Ok(small)
}

/// Compares the numbers of positive and of negative eigenvalues.
fn is_inertia(edges: &Edges, n: usize) -> Result<bool> {
    let a = symmetric(edges, n);
    let eigenvalues = eigenvalues(&a, n);
    let expected = [eigenvalues.iter().filter(|w| **w > 0.0).count(), eigenvalues.iter().filter(|w| **w < 0.0).count()];
    let found = linalg::inertia(&Sparse::from_dense(&Array::from_slice(&a, [n, n])?, Format::Csc)?)?;
    Ok(found == expected)
}

/// Number of eigenvalues that are searched.
fn wanted_number(n: usize) -> usize {
    3.min(n - 1)
}

/// Returns the elements of an array on the host, by rows.
fn host(a: &Array) -> Result<Vec<Complex64>> {
    Ok(a.astype(DType::C128)?.to_vec::<Complex64>()?)
}

/// Returns true if the columns of a matrix are orthonormal to a bound.
fn are_orthonormal(vectors: &[Complex64], n: usize, k: usize, bound: f64) -> bool {
    let product =
        |p: usize, q: usize| (0..n).map(|i| vectors[i * k + p].conj() * vectors[i * k + q]).sum::<Complex64>();
    (0..k * k).all(|at| (product(at / k, at % k) - f64::from(u8::from(at / k == at % k))).norm() <= bound)
}

/// Returns the largest norm of a residual `A x - w y` for the columns of two matrices.
fn largest_residual(a: &[f64], w: &[Complex64], x: &[Complex64], y: &[Complex64], [m, n]: [usize; 2]) -> f64 {
    let k = w.len();
    let norm = |column: usize| {
        let row = |i: usize| {
            let product: Complex64 = (0..n).map(|j| x[j * k + column] * a[i * n + j]).sum();
            (product - w[column] * y[i * k + column]).norm_sqr()
        };
        (0..m).map(row).sum::<f64>().sqrt()
    };
    (0..k).map(norm).fold(0.0, f64::max)
}

/// Checks the eigenpairs at each end of a symmetric matrix, or those nearest to a number.
fn are_eigenpairs(edges: &Edges, n: usize, sigma: Option<f64>) -> Result<bool> {
    let a = symmetric(edges, n);
    if n < 2 {
        return Ok(true);
    }
    let matrix = Sparse::from_dense(&Array::from_slice(&a, [n, n])?, Format::Csr)?;
    let (k, exact) = (wanted_number(n), eigenvalues(&a, n));
    let size = exact.iter().fold(1.0_f64, |size, w| size.max(w.abs()));
    let searches = if sigma.is_some() { vec![Which::LM] } else { vec![Which::LA, Which::SA, Which::BE] };
    for which in searches {
        let found = linalg::eigsh(&matrix, k, EigshOptions { which, sigma, ..Default::default() })?;
        let mut expected = exact.clone();
        match (sigma, which) {
            (Some(sigma), _) => expected.sort_by(|x, y| (x - sigma).abs().total_cmp(&(y - sigma).abs())),
            (None, Which::LA) => expected.reverse(),
            (None, Which::BE) => expected = (0..k).map(|j| exact[if j < k / 2 { j } else { n - k + j }]).collect(),
            _ => {}
        }
        expected.truncate(k);
        expected.sort_by(f64::total_cmp);
        if !is_spectrum(&a, &found, &expected, n, size)? {
            return Ok(false);
        }
        // Exactly k eigenvalues are beyond the last one found: that of the inertia.
        let values = found.values.to_vec::<f64>()?;
        let edge = match which {
            Which::LA => values[0] - 1e-9 * size,
            Which::SA => values[k - 1] + 1e-9 * size,
            _ => continue,
        };
        let shifted: Vec<f64> = (0..n * n).map(|at| a[at] - if at / n == at % n { edge } else { 0.0 }).collect();
        let counts = linalg::inertia(&Sparse::from_dense(&Array::from_slice(&shifted, [n, n])?, Format::Csc)?)?;
        let exact_count = if which == Which::LA {
            exact.iter().filter(|w| **w > edge).count()
        } else {
            exact.iter().filter(|w| **w < edge).count()
        };
        if counts[usize::from(which == Which::SA)] != exact_count || exact_count != k {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if pairs are the expected eigenvalues of a symmetric matrix, with orthonormal vectors.
fn is_spectrum(a: &[f64], found: &Eigenpairs, expected: &[f64], n: usize, size: f64) -> Result<bool> {
    let (values, vectors) = (host(&found.values)?, host(&found.vectors)?);
    let bound = 256.0 * n as f64 * f64::EPSILON;
    let equal = values.len() == expected.len()
        && values.iter().zip(expected).all(|(w, expected)| (w.re - expected).abs() <= bound * size);
    Ok(found.info == 0
        && equal
        && are_orthonormal(&vectors, n, values.len(), bound)
        && largest_residual(a, &values, &vectors, &vectors, [n, n]) <= bound * size)
}

/// Checks eigenpairs of a matrix that is not symmetric: that of the edges of one direction is similar to a symmetric one,
/// by a diagonal matrix.
fn are_general_eigenpairs(edges: &Edges, n: usize) -> Result<bool> {
    let a = symmetric(edges, n);
    if n < 3 {
        return Ok(true);
    }
    let scale = |i: usize| 1.0 + (i % 4) as f64;
    let similar: Vec<f64> = (0..n * n).map(|k| a[k] * scale(k / n) / scale(k % n)).collect();
    let matrix = Sparse::from_dense(&Array::from_slice(&similar, [n, n])?, Format::Csr)?;
    let (k, mut exact) = (2, eigenvalues(&a, n));
    let size = exact.iter().fold(1.0_f64, |size, w| size.max(w.abs()));
    exact.sort_by(|x, y| y.abs().total_cmp(&x.abs()));
    let found = linalg::eigs(&matrix, k, EigsOptions::default())?;
    let (values, vectors) = (host(&found.values)?, host(&found.vectors)?);
    // Two eigenvalues of one magnitude may come in any order.
    let bound = 1e-10 * size;
    let in_order = values.iter().zip(&exact).all(|(w, expected)| (w.norm() - expected.abs()).abs() <= bound);
    let are_own = values.iter().all(|w| exact.iter().any(|expected| (w - expected).norm() <= bound));
    Ok(found.info == 0
        && values.len() == k
        && in_order
        && are_own
        && largest_residual(&similar, &values, &vectors, &vectors, [n, n]) <= bound)
}

/// Checks singular triplets of the matrix of edges of one direction.
fn are_singular(edges: &Edges, n: usize) -> Result<bool> {
    let mut a = vec![0.0; n * n];
    edges.iter().for_each(|((i, j), w)| a[i * n + j] = *w as f64);
    (0..n).for_each(|i| a[i * n + i] = 1.0 + (i % 5) as f64);
    let product: Vec<f64> = (0..n * n).map(|at| (0..n).map(|k| a[k * n + at / n] * a[k * n + at % n]).sum()).collect();
    let exact: Vec<f64> = eigenvalues(&product, n).iter().map(|w| w.max(0.0).sqrt()).collect();
    let k = wanted_number(n).max(1);
    let matrix = Sparse::from_dense(&Array::from_slice(&a, [n, n])?, Format::Csr)?;
    let found = linalg::svds(&matrix, k, SvdsOptions::default())?;
    let (left, values, right) = (host(&found.u)?, host(&found.s)?, host(&found.vh.t())?);
    let size = exact[n - 1].max(1.0);
    let bound = 1e-10;
    let equal =
        values.len() == k && values.iter().zip(&exact[n - k..]).all(|(s, exact)| (s.re - exact).abs() <= bound * size);
    Ok(found.info == 0
        && equal
        && are_orthonormal(&left, n, k, bound)
        && are_orthonormal(&right, n, k, bound)
        && largest_residual(&a, &values, &right, &left, [n, n]) <= bound * size)
}

/// Checks eigenpairs by a block of vectors with a preconditioner.
fn are_of_a_block(edges: &Edges, n: usize) -> Result<bool> {
    let a = symmetric(edges, n);
    if n < 9 {
        return Ok(true);
    }
    // Far from the others by the row sums: the iteration converges in few steps.
    let mut a = a;
    (0..2).for_each(|i| a[i * n + i] = 1e5 * (i + 2) as f64);
    let matrix = Sparse::from_dense(&Array::from_slice(&a, [n, n])?, Format::Csr)?;
    let exact = eigenvalues(&a, n);
    let guess: Vec<f64> = (0..2 * n).map(|k| 1.0 / (1.0 + (k / 2 + k % 2 * 3) as f64) + (k % 2) as f64).collect();
    let options = LobpcgOptions { tol: Some(1e-7), maxiter: 60, ..Default::default() };
    let found = linalg::lobpcg(&matrix, &Array::from_slice(&guess, [n, 2])?, options)?;
    let (values, vectors) = (host(&found.values)?, host(&found.vectors)?);
    let bound = 1e-11 * exact[n - 1].abs();
    let equal = values.iter().zip(exact.iter().rev()).all(|(w, exact)| (w.re - exact).abs() <= bound);
    Ok(found.converged
        && values.len() == 2
        && equal
        && are_orthonormal(&vectors, n, 2, 1e-10)
        && largest_residual(&a, &values, &vectors, &vectors, [n, n]) <= 1e-7)
}
