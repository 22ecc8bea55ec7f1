//! Direct solution of sparse systems of equations: the interface of a factorisation, and the one on the host.
//!
//! Factorisations whose factors are read run on the host for every device; [`super::sparse_library`] is the interface of
//! a library of the device.
//!
//! The pattern is analysed once; matrices of the same pattern are factored again without a new analysis.

use std::fmt;
use std::sync::OnceLock;

use cuprum_direct::{
    C32, C64, Cholesky, Failure, Lu, LuOptions, Matrix, Ordering, Rows, Scalar, backward_error, refine,
};
use cuprum_kernels::DType;

use crate::error::{Error, ErrorKind, Result};

/// Pattern of a square matrix in compressed columns, without duplicate entries.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// Position at which each column begins, and the end of the last.
    pub(crate) pointers: Vec<usize>,
    /// Row of each entry.
    pub(crate) rows: Vec<u32>,
}

/// Backward errors of at most this times the precision are those of stable pivots.
const STABLE: f64 = 1e3;

/// Factorisation of a square sparse matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Method {
    /// LU with pivots.
    Lu(LuOptions),
    /// L L^H of a Hermitian, positive definite matrix, of which the lower triangle is read.
    Cholesky,
}

/// Factors of a square sparse matrix of one dtype: `A = P L U Q` with permutations P and Q. Values are passed as bytes.
pub(crate) trait SparseDirect: Send + Sync + fmt::Debug {
    /// Factors other values of the same pattern, with the same pivots unless these are too small. Returns true if the
    /// patterns of the factors and the permutations stay the same.
    fn refactor(&mut self, values: &[u8]) -> Result<bool>;
    /// Copies the factors.
    fn duplicate(&self) -> Box<dyn SparseDirect>;
    /// Returns true if the diagonal of L is one: that of LU factors.
    fn is_unit(&self) -> bool;
    /// Returns the pivot position of each row and of each column of the matrix.
    fn permutations(&self) -> [&[u32]; 2];
    /// Returns the compressed rows of U, or of L: pointers and sorted columns.
    fn pattern(&self, upper: bool) -> (&[usize], &[u32]);
    /// Returns the values of [`SparseDirect::pattern`].
    fn values(&self, upper: bool) -> Vec<u8>;
    /// Solves for right-hand sides, one after the other, with iterative refinement.
    fn solve(&self, b: &[u8]) -> Vec<u8>;
    /// Returns true if solutions need a step of iterative refinement: the backward error of a system with a known
    /// solution was large.
    fn needs_refinement(&self) -> bool;
}

/// Factors a matrix on the host.
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for a singular matrix, or for one that is not positive definite.
pub(crate) fn factor(pattern: Pattern, values: &[u8], dtype: DType, method: Method) -> Result<Box<dyn SparseDirect>> {
    fn of<T: Scalar + bytemuck::Pod>(pattern: Pattern, values: &[u8], method: Method) -> Result<Box<dyn SparseDirect>> {
        Ok(match method {
            Method::Lu(options) => Box::new(HostFactors::<T>::new(pattern, values, options)?),
            Method::Cholesky => Box::new(HostCholesky::<T>::new(pattern, values)?),
        })
    }
    Ok(match dtype {
        DType::F32 => of::<f32>(pattern, values, method)?,
        DType::F64 => of::<f64>(pattern, values, method)?,
        DType::C64 => of::<C32>(pattern, values, method)?,
        DType::C128 => of::<C64>(pattern, values, method)?,
        other => {
            let message = format!("no sparse factorisation has the dtype {other}: float32, float64 or complex");
            return Err(Error::new(ErrorKind::Type, message));
        }
    })
}

/// Factors on the host.
#[derive(Clone, Debug)]
struct HostFactors<T> {
    /// Pattern of the matrix.
    pattern: Pattern,
    /// Values of the matrix.
    values: Vec<T>,
    /// Order and pivoting.
    options: LuOptions,
    /// The factors.
    lu: Lu<T>,
    /// The backward error of a system with a known solution.
    error: f64,
    /// L and U by rows, computed when they are first read.
    rows: [OnceLock<Rows>; 2],
}

fn elements<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    bytemuck::pod_collect_to_vec(bytes)
}

impl Pattern {
    fn matrix<'a, T>(&'a self, values: &'a [T]) -> Matrix<'a, T> {
        Matrix { pointers: &self.pointers, rows: &self.rows, values }
    }
}

/// Returns the error of a failed factorisation.
fn error_of(failure: Failure) -> Error {
    let message = match failure {
        Failure::Singular(_) => format!("Factor is exactly singular: {failure}"),
        Failure::NotPositive { .. } => format!("the matrix is not positive definite: {failure}"),
        Failure::Unstable(_) | Failure::TooLarge => failure.to_string(),
    };
    Error::new(ErrorKind::LinAlg, message)
}

/// Returns the backward error of the solution for the sums of the rows, which is one everywhere.
fn probe<T: Scalar>(lu: &Lu<T>, a: Matrix<'_, T>) -> f64 {
    let mut b = vec![T::default(); a.size()];
    for (&row, &value) in a.rows.iter().zip(a.values) {
        b[row as usize] += value;
    }
    let mut x = b.clone();
    lu.solve(&mut x);
    backward_error(a, &x, &b)
}

/// Factors a matrix: with strict partial pivoting if the pivots that keep the factors sparse are not stable.
fn factored<T: Scalar>(a: Matrix<'_, T>, options: &LuOptions) -> Result<(Lu<T>, f64)> {
    let lu = Lu::new(a, options).map_err(error_of)?;
    if options.drop.is_some() {
        return Ok((lu, 0.0));
    }
    let error = probe(&lu, a);
    let chosen = options.diagonal_threshold.is_some() || options.ordering != Ordering::Automatic;
    if error <= STABLE * T::EPSILON || chosen {
        return Ok((lu, error));
    }
    let strict = LuOptions { ordering: Ordering::Columns, diagonal_threshold: Some(1.0), ..*options };
    let other = Lu::new(a, &strict).map_err(error_of)?;
    let other_error = probe(&other, a);
    Ok(if other_error < error || error.is_nan() { (other, other_error) } else { (lu, error) })
}

impl<T: Scalar + bytemuck::Pod> HostFactors<T> {
    fn new(pattern: Pattern, values: &[u8], options: LuOptions) -> Result<HostFactors<T>> {
        let values = elements::<T>(values);
        let (lu, error) = factored(pattern.matrix(&values), &options)?;
        Ok(HostFactors { pattern, values, options, lu, error, rows: Default::default() })
    }

    fn rows(&self, upper: bool) -> &Rows {
        self.rows[usize::from(upper)].get_or_init(|| self.lu.rows(upper))
    }
}

impl<T: Scalar + bytemuck::Pod> SparseDirect for HostFactors<T> {
    fn refactor(&mut self, values: &[u8]) -> Result<bool> {
        self.values = elements(values);
        let a = self.pattern.matrix(&self.values);
        if self.options.drop.is_none() && self.lu.refactor(a).is_ok() {
            self.error = probe(&self.lu, a);
            if self.error <= STABLE * T::EPSILON {
                return Ok(true);
            }
        }
        (self.lu, self.error) = factored(a, &self.options)?;
        self.rows = Default::default();
        Ok(false)
    }

    fn duplicate(&self) -> Box<dyn SparseDirect> {
        Box::new(self.clone())
    }

    fn is_unit(&self) -> bool {
        true
    }

    fn permutations(&self) -> [&[u32]; 2] {
        [self.lu.row_permutation(), self.lu.column_permutation()]
    }

    fn pattern(&self, upper: bool) -> (&[usize], &[u32]) {
        let rows = self.rows(upper);
        (&rows.pointers, &rows.columns)
    }

    fn values(&self, upper: bool) -> Vec<u8> {
        bytemuck::cast_slice(&self.lu.gather(self.rows(upper))).to_vec()
    }

    fn solve(&self, b: &[u8]) -> Vec<u8> {
        let (b, a) = (elements::<T>(b), self.pattern.matrix(&self.values));
        let mut x = b.clone();
        for (x, b) in x.chunks_exact_mut(a.size().max(1)).zip(b.chunks_exact(a.size().max(1))) {
            self.lu.solve(x);
            refine(&self.lu, a, x, b);
        }
        bytemuck::cast_slice(&x).to_vec()
    }

    fn needs_refinement(&self) -> bool {
        self.options.drop.is_none() && (self.error.is_nan() || self.error > STABLE * T::EPSILON)
    }
}

/// A Cholesky factor on the host.
#[derive(Clone, Debug)]
struct HostCholesky<T> {
    /// Pattern of the lower triangle.
    pattern: Pattern,
    /// The factor.
    factor: Cholesky<T>,
}

impl<T: Scalar + bytemuck::Pod> HostCholesky<T> {
    fn new(pattern: Pattern, values: &[u8]) -> Result<HostCholesky<T>> {
        let factor = Cholesky::new(pattern.matrix(&elements::<T>(values))).map_err(error_of)?;
        Ok(HostCholesky { pattern, factor })
    }
}

impl<T: Scalar + bytemuck::Pod> SparseDirect for HostCholesky<T> {
    fn refactor(&mut self, values: &[u8]) -> Result<bool> {
        self.factor.refactor(self.pattern.matrix(&elements::<T>(values))).map_err(error_of)?;
        Ok(true)
    }

    fn duplicate(&self) -> Box<dyn SparseDirect> {
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

    fn solve(&self, b: &[u8]) -> Vec<u8> {
        let mut x = elements::<T>(b);
        x.chunks_exact_mut(self.factor.size().max(1)).for_each(|x| self.factor.solve(x));
        bytemuck::cast_slice(&x).to_vec()
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
        let good = bytes([4.0, 1.0, 1.0, 4.0, 1.0, 1.0, 4.0]);
        let mut factors = factor(pattern.clone(), &good, DType::F64, Method::Lu(LuOptions::default())).unwrap();
        assert!(factors.refactor(&bytes([5.0, 1.0, 2.0, 6.0, 1.0, 1.0, 4.0])).unwrap());
        let tiny = bytes([1e-18, 1.0, 1.0, 1e-18, 1.0, 1.0, 4.0]);
        assert!(!factors.refactor(&tiny).unwrap());
        assert!(!factors.needs_refinement());
        let x = elements::<f64>(&factors.solve(&bytes([1.0, 2.0, 5.0, 0.0, 0.0, 0.0, 0.0])[..24]));
        for (x, want) in x.iter().zip([1.0, 1.0, 1.0]) {
            assert!((x - want).abs() < 1e-14, "{x}");
        }
        let singular = bytes([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        let e = factors.refactor(&singular).unwrap_err();
        assert!(e.kind() == ErrorKind::LinAlg && e.message().contains("singular"));
    }
}
