//! Equations with a symmetric matrix that has a few eigenvalues below a cutoff, without the eigenvectors of the others.
//!
//! The eigenvectors of the few are those of the subspace to which powers of the shifted inverse converge (B. N. Parlett, "The
//! Symmetric Eigenvalue Problem", 1980, chapter 14): of all eigenvalues, which are known, follows how many powers suffice. In the
//! complement of the subspace the shifted inverse is close to the inverse, and a few corrections solve the equations.

use cuprum_kernels::DType;

use super::eigen::{Triangle, hermitian};
use super::matrices::{Matrices, map, pair, transposed};
use crate::array::{Array, Index};
use crate::driver::Task;
use crate::driver::dense::Transpose;
use crate::engine::launch::Sides;
use crate::engine::{Form, Generating, make};
use crate::error::Result;
use crate::index::Slice;
use crate::reduction::{Reduce, reduced};
use crate::routines::linalg::matmul;
use crate::scalar::Scalar;

/// Maximum number of eigenvalues below the cutoff.
const MOST_FEW: usize = 32;
/// Maximum number of vectors of the subspace: its own eigenvectors are computed by one block.
const MOST_VECTORS: usize = 64;
/// Shift, in units of the cutoff: the share of an error that a correction leaves.
const SHIFT: f64 = 1.0 / 256.0;
/// Corrections, after which less than 1e-9 of the error remains.
const CORRECTIONS: usize = 3;
/// Eigenvalues, in units of the cutoff, beyond which there are no further vectors: the squared condition number of the iterated vectors
/// is then far less than the reciprocal epsilon.
const LARGEST: f64 = 100.0;
/// Maximum number of powers.
const MOST_POWERS: usize = 24;
/// Share of a vector's components outside of the subspace that remains.
const REMAINS: f64 = 1e-16;

/// A matrix, and the eigenvectors whose eigenvalues are below a cutoff.
pub(super) struct Few<'a> {
    square: &'a Array,
    /// Orthonormal eigenvectors in columns.
    vectors: Array,
    /// L^-T of the Cholesky factor L of the shifted matrix.
    inverse: Array,
}

/// The vectors that are iterated.
struct Plan {
    shift: f64,
    vectors: usize,
    powers: usize,
}

/// Returns how the eigenvectors of the first `few` of all eigenvalues, the least first, are computed; `None` if the others are too close or
/// the few are too many. `largest` is the largest eigenvalue, of `n`, and `cutoff` that of the few.
fn planned(values: &[f64], few: usize, n: usize, [cutoff, largest]: [f64; 2]) -> Option<Plan> {
    let shift = SHIFT * cutoff;
    // The shifted matrix is definite for any rounding of the factor.
    if shift <= 8.0 * n as f64 * f64::EPSILON * largest {
        return None;
    }
    let most = values.len().min(MOST_VECTORS).min(n - 1);
    if few == 0 || few > MOST_FEW || few >= most {
        return None;
    }
    let vectors = (few..most - 1).find(|&k| values[k] > LARGEST * cutoff).unwrap_or(most - 1);
    let ratio = (values[few - 1].max(0.0) + shift) / (values[vectors] + shift);
    let powers = (REMAINS.ln() / ratio.ln()).ceil();
    (ratio < 1.0 && powers <= MOST_POWERS as f64).then_some(Plan { shift, vectors, powers: powers.max(2.0) as usize })
}

/// Returns columns of numbers from -1/2 to 1/2 that are far from dependent: fractions of squares times an irrational number.
fn first_vectors(of: &Matrices, count: usize, like: &Array) -> Result<Array> {
    let out = make::empty(like.device(), &[of.n, count], DType::F64)?;
    let numbers = [-0.0, 1.0, 0.0].map(Into::into);
    let integers = [i64::MIN, 0, 0, 0];
    Generating { numbers, integers, ..Generating::new(Form::Steps, 1, &[count as i64, 1], &out) }.run()?;
    let squares = pair("multiply", &pair("multiply", &out, &out)?, Scalar::Float(0.754_877_666_246_692_7))?;
    pair("subtract", &pair("subtract", &squares, &map("floor", &squares)?)?, Scalar::Float(0.5))
}

/// Overwrites columns by orthonormal ones, by the Cholesky factor of their products.
fn make_orthonormal(x: &Array, of: &Matrices) -> Result<()> {
    let p = x.shape()[1];
    let sides = Sides { m: p, n: p, k: 0, batch: 1 };
    // The products are symmetric: their orders in memory are the same.
    let products = matmul(x.swapaxes(-1, -2)?, x)?;
    Matrices::run(Task::Potrf { upper: false }, sides, &[Some(&products)])?;
    // In column-major order the array has the vectors in rows.
    let task = Task::Trsm { upper: false, transpose: Transpose::None, unit: false };
    Matrices::run(task, Sides { k: of.n, ..sides }, &[Some(&products), Some(x)])?;
    Ok(())
}

/// Returns L^-T of the Cholesky factor L of a matrix with a number added to its diagonal.
fn inverse_factor(square: &Array, of: &Matrices, shift: f64) -> Result<Array> {
    let factor = of.columns(square)?;
    let diagonal = factor.diagonal(())?;
    diagonal.assign(pair("add", &diagonal, Scalar::Float(shift))?)?;
    Matrices::run(Task::Potrf { upper: false }, of.sides(), &[Some(&factor)])?;
    // In column-major order the array is L^-1.
    let inverse = of.identity(square, of.n)?;
    let task = Task::Trsm { upper: false, transpose: Transpose::None, unit: false };
    Matrices::run(task, Sides { k: of.n, ..of.sides() }, &[Some(&factor), Some(&inverse)])?;
    Ok(inverse)
}

/// Returns the first rows, or elements.
fn rows(x: &Array, count: usize) -> Result<Array> {
    x.part_at(&[Index::Slice(Slice { stop: Some(count as i64), ..Slice::default() })])
}

impl<'a> Few<'a> {
    /// Returns the eigenvectors of the `few` least eigenvalues of a positive semidefinite float64 matrix with these eigenvalues, in
    /// ascending order, if they are computed by powers and found to be eigenvectors; otherwise `None`. `share` is that of the square root
    /// of the largest eigenvalue above which the roots of the others are.
    pub(super) fn of(
        square: &'a Array,
        of: &Matrices,
        values: &Array,
        few: usize,
        share: f64,
    ) -> Result<Option<Few<'a>>> {
        let n = of.n;
        let known = rows(values, MOST_VECTORS.min(n))?.to_vec::<f64>()?;
        let largest = reduced("max", values, &Reduce::all())?.item::<f64>()?;
        let Some(plan) = planned(&known, few, n, [share * share * largest, largest]) else { return Ok(None) };
        let Plan { shift, vectors, powers } = plan;
        let inverse = inverse_factor(square, of, shift)?;
        let adjoint = inverse.swapaxes(-1, -2)?;
        let mut x = first_vectors(of, vectors, square)?;
        for _ in 0..powers {
            x = matmul(&inverse, matmul(&adjoint, &x)?)?;
            make_orthonormal(&x, of)?;
        }
        make_orthonormal(&x, of)?;
        let inner = matmul(x.swapaxes(-1, -2)?, matmul(square, &x)?)?;
        let (found, by) = hermitian("lstsq", &inner, Triangle::L, true)?;
        let by = transposed(&by.expect("the vectors were requested"))?;
        let x = matmul(&x, rows(&by, few)?.swapaxes(-1, -2)?)?;
        let found = rows(&found, few)?;
        // The largest error of an eigenvector, as a share of the norm, and of a product of two.
        let rest = pair("subtract", &matmul(square, &x)?, &pair("multiply", &x, &found)?)?;
        let products = matmul(x.swapaxes(-1, -2)?, &x)?;
        let unit = Matrices { m: few, n: few, ..of.clone() }.identity(square, few)?;
        let error = |x: &Array| reduced("max", &map("absolute", x)?, &Reduce::all());
        let rest = pair("divide", &error(&rest)?, Scalar::Float(largest))?;
        let error = pair("maximum", &rest, &error(&pair("subtract", &products, &unit)?)?)?.item::<f64>()?;
        let is_found = error <= n as f64 * f64::EPSILON;
        Ok(is_found.then(|| Few { square, vectors: x, inverse }))
    }

    /// Returns the solutions for right sides in columns, without components along the few eigenvectors.
    pub(super) fn solve(&self, right: &Array) -> Result<Array> {
        let adjoint = self.inverse.swapaxes(-1, -2)?;
        let nearly = |right: &Array| self.without(&matmul(&self.inverse, matmul(&adjoint, right)?)?);
        let right = self.without(right)?;
        let mut x = nearly(&right)?;
        for _ in 0..CORRECTIONS {
            let rest = self.without(&pair("subtract", &right, &matmul(self.square, &x)?)?)?;
            x = pair("add", &x, &nearly(&rest)?)?;
        }
        Ok(x)
    }

    /// Returns columns without their components along the few eigenvectors.
    fn without(&self, x: &Array) -> Result<Array> {
        pair("subtract", x, &matmul(&self.vectors, matmul(self.vectors.swapaxes(-1, -2)?, x)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `Q diag(values) Q`, with a reflection Q along a vector of ones and one larger element.
    fn reflected(values: &[f64]) -> Result<Array> {
        let n = values.len();
        let v: Vec<f64> = (0..n).map(|k| if k == 3 { 2.0 } else { 1.0 }).collect();
        let size: f64 = v.iter().map(|x| x * x).sum();
        let q = |r: usize, c: usize| f64::from(u8::from(r == c)) - 2.0 * v[r] * v[c] / size;
        let element = |at: usize| (0..n).map(|k| q(at / n, k) * values[k] * q(k, at % n)).sum::<f64>();
        Array::from_vec((0..n * n).map(element).collect::<Vec<f64>>())?.reshape([n, n])
    }

    /// Returns the largest error of the solution without the eigenvectors of the `few` least eigenvalues; `None` where it
    /// is not computed.
    fn error(values: &[f64], few: usize, share: f64) -> Result<Option<f64>> {
        let n = values.len();
        let (square, known) = (reflected(values)?, Array::from_vec(values.to_vec())?);
        let of = Matrices::of(&square)?;
        let Some(found) = Few::of(&square, &of, &known, few, share)? else { return Ok(None) };
        let right = Array::from_vec((0..n).map(|k| 1.0 + (k % 7) as f64).collect::<Vec<f64>>())?.reshape([n, 1])?;
        let inverse: Vec<f64> = values.iter().enumerate().map(|(k, x)| if k < few { 0.0 } else { 1.0 / x }).collect();
        let expected = matmul(reflected(&inverse)?, &right)?;
        let difference = pair("subtract", &found.solve(&right)?, &expected)?;
        let largest = |x: &Array| reduced("max", &map("absolute", x)?, &Reduce::all())?.item::<f64>();
        Ok(Some(largest(&difference)? / largest(&expected)?))
    }

    #[test]
    fn a_few_eigenvalues_do_not_count() -> Result<()> {
        let of = |few: usize, next: f64| -> Vec<f64> {
            (0..48).map(|k| if k < few { 1e-9 * k as f64 } else { next * 1.3f64.powi((k - few) as i32) }).collect()
        };
        for few in [1, 3, 8] {
            for next in [1e-5, 1e-3] {
                let error = error(&of(few, next), few, 1e-4)?.expect("the vectors are found");
                assert!(error < 1e-8, "{few} below {next}: {error}");
            }
        }
        // Equal eigenvalues on both sides of the cutoff, and more of them than vectors.
        assert_eq!(error(&[1.0; 40], 3, 2.0)?, None);
        assert_eq!(error(&of(40, 1.0), 40, 1e-4)?, None);
        Ok(())
    }
}
