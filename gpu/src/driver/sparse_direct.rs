//! Direct solution of sparse systems of equations: the interface of a factorisation on the host.
//!
//! [`super::sparse_library`] is the interface of a library of the device, which gives no access to its factors.
//!
//! The pattern is analysed once; matrices of the same pattern are factored again without a new analysis.

use std::fmt;

use cuprum_direct::{Element, Failure};
pub(crate) use cuprum_direct::{Method, Pattern};
use cuprum_kernels::DType;

use crate::error::{Error, ErrorKind, Result};

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
    /// Solves for right-hand sides, one after the other, with iterative refinement. Returns the solutions and the largest
    /// of their backward errors; 0 for a Cholesky factor, whose solutions are not refined.
    fn solve(&self, b: &[u8]) -> (Vec<u8>, f64);
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
    let element = match dtype {
        DType::F32 => Element::F32,
        DType::F64 => Element::F64,
        DType::C64 => Element::C64,
        DType::C128 => Element::C128,
        other => {
            let message = format!("no sparse factorisation has the dtype {other}: float32, float64 or complex");
            return Err(Error::new(ErrorKind::Type, message));
        }
    };
    Ok(Box::new(HostFactors(cuprum_direct::factor(pattern, values, element, method).map_err(error_of)?)))
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

/// Factors on the host.
#[derive(Debug)]
struct HostFactors(Box<dyn cuprum_direct::Factors>);

impl SparseDirect for HostFactors {
    fn refactor(&mut self, values: &[u8]) -> Result<bool> {
        self.0.refactor(values).map_err(error_of)
    }

    fn duplicate(&self) -> Box<dyn SparseDirect> {
        Box::new(HostFactors(self.0.duplicate()))
    }

    fn is_unit(&self) -> bool {
        self.0.is_unit()
    }

    fn permutations(&self) -> [&[u32]; 2] {
        self.0.permutations()
    }

    fn pattern(&self, upper: bool) -> (&[usize], &[u32]) {
        self.0.pattern(upper)
    }

    fn values(&self, upper: bool) -> Vec<u8> {
        self.0.values(upper)
    }

    fn solve(&self, b: &[u8]) -> (Vec<u8>, f64) {
        self.0.solve(b)
    }

    fn needs_refinement(&self) -> bool {
        self.0.needs_refinement()
    }
}
