//! Factors of matrices whose dtype is known at run time. Values are passed as bytes.
//!
//! All dtypes are compiled here, so that the solver is as fast as this crate is optimised.

use std::fmt;
use std::sync::OnceLock;

use crate::cholesky::crossed;
use crate::{
    C32, C64, Cholesky, Failure, Lu, LuOptions, Matrix, Ordering, Rows, Scalar, Solver, backward_error, refine,
};

/// Pattern of a square matrix in compressed columns, without duplicate entries.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Position at which each column begins, and the end of the last.
    pub pointers: Vec<usize>,
    /// Row of each entry.
    pub rows: Vec<u32>,
}

/// Dtype of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// float32.
    F32,
    /// float64.
    F64,
    /// complex64.
    C64,
    /// complex128.
    C128,
}

/// Factorisation of a square sparse matrix.
#[derive(Clone, Copy, Debug)]
pub enum Method {
    /// LU with pivots.
    Lu(LuOptions),
    /// L L<sup>H</sup> of a Hermitian, positive definite matrix, of which the lower triangle is read.
    Cholesky,
}

/// Backward errors of at most this times the precision are those of stable pivots.
const STABLE: f64 = 1e3;

/// Factors of a square sparse matrix of one dtype: `A = P L U Q` with permutations P and Q.
pub trait Factors: Send + Sync + fmt::Debug {
    /// Factors other values of the same pattern, with the same pivots unless these are too small. Returns true if the patterns of the
    /// factors and the permutations stay the same.
    ///
    /// # Errors
    ///
    /// Those of [`factor`], after which the factors are undefined.
    fn refactor(&mut self, values: &[u8]) -> Result<bool, Failure>;
    /// Copies the factors.
    fn duplicate(&self) -> Box<dyn Factors>;
    /// Returns true if the diagonal of L is one: that of LU factors.
    fn is_unit(&self) -> bool;
    /// Returns the pivot position of each row and of each column of the matrix.
    fn permutations(&self) -> [&[u32]; 2];
    /// Returns the compressed rows of U, or of L: pointers and sorted columns.
    fn pattern(&self, upper: bool) -> (&[usize], &[u32]);
    /// Returns the values of [`Factors::pattern`].
    fn values(&self, upper: bool) -> Vec<u8>;
    /// Solves for right-hand sides, one after the other, with iterative refinement. Returns the solutions and the largest of their backward
    /// errors; 0 for a Cholesky factor, whose solutions are not refined.
    fn solve(&self, b: &[u8]) -> (Vec<u8>, f64);
    /// Returns true if solutions need a step of iterative refinement: the backward error of a system with a known solution was large.
    fn needs_refinement(&self) -> bool;
}

/// Factors a matrix.
///
/// # Errors
///
/// [`Failure::Singular`] for a singular matrix, [`Failure::NotPositive`] for one that is not positive definite,
/// [`Failure::TooLarge`] if there is no memory for the factors.
pub fn factor(pattern: Pattern, values: &[u8], element: Element, method: Method) -> Result<Box<dyn Factors>, Failure> {
    fn of<T: Scalar + bytemuck::Pod>(
        pattern: Pattern,
        values: &[u8],
        method: Method,
    ) -> Result<Box<dyn Factors>, Failure> {
        Ok(match method {
            Method::Lu(options) => Box::new(LuFactors::<T>::new(pattern, values, options)?),
            Method::Cholesky => Box::new(CholeskyFactors::<T>::new(pattern, values)?),
        })
    }
    match element {
        Element::F32 => of::<f32>(pattern, values, method),
        Element::F64 => of::<f64>(pattern, values, method),
        Element::C64 => of::<C32>(pattern, values, method),
        Element::C128 => of::<C64>(pattern, values, method),
    }
}

/// LU factors.
#[derive(Clone, Debug)]
struct LuFactors<T> {
    /// Pattern of the matrix.
    pattern: Pattern,
    /// Values of the matrix.
    values: Vec<T>,
    /// Order and pivoting.
    options: LuOptions,
    /// The factors.
    factors: Decomposition<T>,
    /// The backward error of a system with a known solution.
    error: f64,
    /// L and U of `Lu` by rows, computed when they are first read.
    rows: [OnceLock<Rows>; 2],
}

/// Decomposition from which LU factors are computed.
#[derive(Clone, Debug)]
enum Decomposition<T> {
    Lu(Lu<T>),
    /// That of a Hermitian, positive definite matrix, which takes half of the operations and needs no pivots.
    Hermitian(Cholesky<T>, LowerTriangle),
}

impl<T: Scalar> Solver<T> for Decomposition<T> {
    fn solve_one(&self, b: &mut [T]) {
        match self {
            Decomposition::Lu(lu) => lu.solve(b),
            Decomposition::Hermitian(factor, _) => factor.solve(b),
        }
    }
}

/// Lower triangle of a symmetric pattern with a full diagonal, which is the first entry of each column.
#[derive(Clone, Debug)]
struct LowerTriangle {
    pattern: Pattern,
    /// The position of each entry among those of the matrix, and of the entry across from it.
    entries: Vec<[usize; 2]>,
}

impl LowerTriangle {
    /// Returns the triangle of a pattern, `None` for one that is not symmetric or has no full diagonal.
    fn new<T>(a: &Matrix<'_, T>) -> Option<LowerTriangle> {
        let (ends, columns, from) = crossed(a.pointers, a.rows);
        if ends != a.pointers || columns != a.rows {
            return None;
        }
        let (mut pattern, mut entries) = (Pattern { pointers: vec![0], rows: Vec::new() }, Vec::new());
        for j in 0..a.size() {
            let first = pattern.rows.len();
            for k in a.column(j).filter(|&k| a.rows[k] as usize >= j) {
                pattern.rows.push(a.rows[k]);
                entries.push([k, from[k]]);
            }
            if pattern.rows.get(first) != Some(&(j as u32)) {
                return None;
            }
            pattern.pointers.push(pattern.rows.len());
        }
        Some(LowerTriangle { pattern, entries })
    }

    /// Returns the values of the triangle, `None` if the matrix is not Hermitian or an element of its diagonal is not
    /// positive.
    fn values<T: Scalar>(&self, all: &[T]) -> Option<Vec<T>> {
        let is_hermitian = self.entries.iter().all(|&[own, across]| all[own] == all[across].conjugate());
        let mut diagonal = self.pattern.pointers[..self.pattern.pointers.len() - 1].iter();
        let is_positive = diagonal.all(|&first| all[self.entries[first][0]].is_positive());
        (is_hermitian && is_positive).then(|| self.entries.iter().map(|&[own, _]| all[own]).collect())
    }
}

fn elements<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    bytemuck::pod_collect_to_vec(bytes)
}

impl Pattern {
    fn matrix<'a, T>(&'a self, values: &'a [T]) -> Matrix<'a, T> {
        Matrix { pointers: &self.pointers, rows: &self.rows, values }
    }
}

/// Returns the backward error of the solution for the sums of the rows, which is one everywhere.
fn probe<T: Scalar>(factors: &impl Solver<T>, a: Matrix<'_, T>) -> f64 {
    let mut b = vec![T::default(); a.size()];
    for (&row, &value) in a.rows.iter().zip(a.values) {
        b[row as usize] += value;
    }
    let mut x = b.clone();
    factors.solve_one(&mut x);
    backward_error(a, &x, &b)
}

/// Factors a matrix: by Cholesky's method if it is Hermitian and positive definite; otherwise with strict partial pivoting
/// if the pivots that keep the factors sparse are not stable.
fn factored<T: Scalar>(a: Matrix<'_, T>, options: &LuOptions) -> Result<(Decomposition<T>, f64), Failure> {
    if options.is_default()
        && let Some(lower) = LowerTriangle::new(&a)
        && let Some(values) = lower.values(a.values)
        && let Some(factor) = Cholesky::of_positive(lower.pattern.matrix(&values))
    {
        let error = probe(&factor, a);
        if error <= STABLE * T::EPSILON {
            return Ok((Decomposition::Hermitian(factor, lower), error));
        }
    }
    let lu = Lu::new(a, options)?;
    if options.drop.is_some() {
        return Ok((Decomposition::Lu(lu), 0.0));
    }
    let error = probe(&lu, a);
    let chosen = options.diagonal_threshold.is_some() || options.ordering != Ordering::Automatic;
    if error <= STABLE * T::EPSILON || chosen {
        return Ok((Decomposition::Lu(lu), error));
    }
    let strict = LuOptions { ordering: Ordering::Columns, diagonal_threshold: Some(1.0), ..*options };
    let other = Lu::new(a, &strict)?;
    let other_error = probe(&other, a);
    let (lu, error) = if other_error < error || error.is_nan() { (other, other_error) } else { (lu, error) };
    Ok((Decomposition::Lu(lu), error))
}

impl<T: Scalar + bytemuck::Pod> LuFactors<T> {
    fn new(pattern: Pattern, values: &[u8], options: LuOptions) -> Result<LuFactors<T>, Failure> {
        let values = elements::<T>(values);
        let (factors, error) = factored(pattern.matrix(&values), &options)?;
        Ok(LuFactors { pattern, values, options, factors, error, rows: Default::default() })
    }

    /// Factors the values with the pivots of before. Returns false if these do not suit them.
    fn repeat(&mut self) -> bool {
        let a = self.pattern.matrix(&self.values);
        let done = match &mut self.factors {
            Decomposition::Lu(lu) => self.options.drop.is_none() && lu.refactor(a).is_ok(),
            Decomposition::Hermitian(factor, lower) => {
                let values = lower.values(&self.values);
                values.is_some_and(|values| factor.factor_positive(lower.pattern.matrix(&values)))
            }
        };
        if done {
            self.error = probe(&self.factors, a);
        }
        done && self.error <= STABLE * T::EPSILON
    }
}

impl<T: Scalar + bytemuck::Pod> Factors for LuFactors<T> {
    fn refactor(&mut self, values: &[u8]) -> Result<bool, Failure> {
        self.values = elements(values);
        if self.repeat() {
            return Ok(true);
        }
        (self.factors, self.error) = factored(self.pattern.matrix(&self.values), &self.options)?;
        self.rows = Default::default();
        Ok(false)
    }

    fn duplicate(&self) -> Box<dyn Factors> {
        Box::new(self.clone())
    }

    fn is_unit(&self) -> bool {
        true
    }

    fn permutations(&self) -> [&[u32]; 2] {
        match &self.factors {
            Decomposition::Lu(lu) => [lu.row_permutation(), lu.column_permutation()],
            Decomposition::Hermitian(factor, _) => [factor.permutation(); 2],
        }
    }

    fn pattern(&self, upper: bool) -> (&[usize], &[u32]) {
        match &self.factors {
            Decomposition::Lu(lu) => {
                let rows = self.rows[usize::from(upper)].get_or_init(|| lu.rows(upper));
                (&rows.pointers, &rows.columns)
            }
            Decomposition::Hermitian(factor, _) => factor.pattern(upper),
        }
    }

    fn values(&self, upper: bool) -> Vec<u8> {
        let values = match &self.factors {
            Decomposition::Lu(lu) => lu.gather(self.rows[usize::from(upper)].get_or_init(|| lu.rows(upper))),
            Decomposition::Hermitian(factor, _) => factor.lu_values(upper),
        };
        bytemuck::cast_slice(&values).to_vec()
    }

    fn solve(&self, b: &[u8]) -> (Vec<u8>, f64) {
        let (b, a) = (elements::<T>(b), self.pattern.matrix(&self.values));
        let (mut x, mut error) = (b.clone(), 0.0_f64);
        for (x, b) in x.chunks_exact_mut(a.size().max(1)).zip(b.chunks_exact(a.size().max(1))) {
            self.factors.solve_one(x);
            error = error.max(refine(&self.factors, a, x, b).after);
        }
        (bytemuck::cast_slice(&x).to_vec(), error)
    }

    fn needs_refinement(&self) -> bool {
        self.options.drop.is_none() && (self.error.is_nan() || self.error > STABLE * T::EPSILON)
    }
}

/// A Cholesky factor.
#[derive(Clone, Debug)]
struct CholeskyFactors<T> {
    /// Pattern of the lower triangle.
    pattern: Pattern,
    /// The factor.
    factor: Cholesky<T>,
}

impl<T: Scalar + bytemuck::Pod> CholeskyFactors<T> {
    fn new(pattern: Pattern, values: &[u8]) -> Result<CholeskyFactors<T>, Failure> {
        let factor = Cholesky::new(pattern.matrix(&elements::<T>(values)))?;
        Ok(CholeskyFactors { pattern, factor })
    }
}

impl<T: Scalar + bytemuck::Pod> Factors for CholeskyFactors<T> {
    fn refactor(&mut self, values: &[u8]) -> Result<bool, Failure> {
        self.factor.refactor(self.pattern.matrix(&elements::<T>(values)))?;
        Ok(true)
    }

    fn duplicate(&self) -> Box<dyn Factors> {
        Box::new(self.clone())
    }

    fn is_unit(&self) -> bool {
        false
    }

    fn permutations(&self) -> [&[u32]; 2] {
        [self.factor.permutation(); 2]
    }

    fn pattern(&self, upper: bool) -> (&[usize], &[u32]) {
        self.factor.pattern(upper)
    }

    fn values(&self, upper: bool) -> Vec<u8> {
        bytemuck::cast_slice(&self.factor.values(upper)).to_vec()
    }

    fn solve(&self, b: &[u8]) -> (Vec<u8>, f64) {
        let mut x = elements::<T>(b);
        x.chunks_exact_mut(self.factor.size().max(1)).for_each(|x| self.factor.solve(x));
        (bytemuck::cast_slice(&x).to_vec(), 0.0)
    }

    /// A Cholesky factorisation is stable without pivoting.
    fn needs_refinement(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tiny diagonal makes the pivots of a symmetric pattern unstable: they are chosen again, and a refactorisation
    /// notices it, too.
    #[test]
    fn unstable_pivots_are_replaced() {
        let pattern = Pattern { pointers: vec![0, 2, 5, 7], rows: vec![0, 1, 0, 1, 2, 1, 2] };
        let bytes = |a: [f64; 7]| bytemuck::cast_slice::<f64, u8>(&a).to_vec();
        let good = bytes([4.0, 1.0, 2.0, 4.0, 1.0, 1.0, 4.0]);
        let mut factors = factor(pattern.clone(), &good, Element::F64, Method::Lu(LuOptions::default())).unwrap();
        assert!(factors.refactor(&bytes([5.0, 1.0, 2.0, 6.0, 1.0, 1.0, 4.0])).unwrap());
        let tiny = bytes([1e-18, 1.0, 1.0, 1e-18, 1.0, 1.0, 4.0]);
        assert!(!factors.refactor(&tiny).unwrap());
        assert!(!factors.needs_refinement());
        let x = elements::<f64>(&factors.solve(&bytes([1.0, 2.0, 5.0, 0.0, 0.0, 0.0, 0.0])[..24]).0);
        for (x, want) in x.iter().zip([1.0, 1.0, 1.0]) {
            assert!((x - want).abs() < 1e-14, "{x}");
        }
        let singular = bytes([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        let e = factors.refactor(&singular).unwrap_err();
        assert!(matches!(e, Failure::Singular(_)), "{e}");
    }

    /// The factors of a Hermitian, positive definite matrix are those of its Cholesky factorisation, until other values are
    /// not Hermitian, or not positive definite.
    #[test]
    fn positive_matrices_need_no_pivots() {
        let pattern = Pattern { pointers: vec![0, 2, 5, 7], rows: vec![0, 1, 0, 1, 2, 1, 2] };
        let dense = |values: &[f64]| {
            let mut dense = [[0.0; 3]; 3];
            for j in 0..3 {
                for k in pattern.pointers[j]..pattern.pointers[j + 1] {
                    dense[pattern.rows[k] as usize][j] = values[k];
                }
            }
            dense
        };
        let check = |factors: &dyn Factors, values: &[f64]| {
            let [rows, columns] = factors.permutations();
            let factor = |upper| {
                let ((pointers, at), values) = (factors.pattern(upper), elements::<f64>(&factors.values(upper)));
                let mut dense = [[0.0; 3]; 3];
                for i in 0..3 {
                    (pointers[i]..pointers[i + 1]).for_each(|k| dense[i][at[k] as usize] = values[k]);
                }
                dense
            };
            let (lower, upper) = (factor(false), factor(true));
            let a = dense(values);
            for i in 0..3 {
                assert_eq!(lower[i][i], 1.0);
                for j in 0..3 {
                    let (row, column) = (rows[i] as usize, columns[j] as usize);
                    let product: f64 = (0..3).map(|k| lower[row][k] * upper[k][column]).sum();
                    assert!((product - a[i][j]).abs() < 1e-14);
                }
            }
            let sums: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
            let (x, error) = factors.solve(bytemuck::cast_slice(&sums));
            assert!(elements::<f64>(&x).iter().all(|x| (x - 1.0).abs() < 1e-14) && error < 1e-15);
        };
        let bytes = |a: &[f64; 7]| bytemuck::cast_slice::<f64, u8>(a).to_vec();
        let positive = [2.0, 1.0, 1.0, 5.0, 1.0, 1.0, 4.0];
        let method = Method::Lu(LuOptions::default());
        let mut factors = factor(pattern.clone(), &bytes(&positive), Element::F64, method).unwrap();
        check(&*factors, &positive);
        let other = [4.0, -1.0, -1.0, 3.0, 1.0, 1.0, 8.0];
        assert!(factors.refactor(&bytes(&other)).unwrap());
        check(&*factors, &other);
        for other in [[4.0, -1.0, 1.0, 3.0, 1.0, 1.0, 8.0], [1.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0]] {
            let mut factors = factor(pattern.clone(), &bytes(&positive), Element::F64, method).unwrap();
            assert!(!factors.refactor(&bytes(&other)).unwrap());
            check(&*factors, &other);
        }
    }
}
