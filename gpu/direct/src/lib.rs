//! Sparse LU and Cholesky factorisations on the CPU: the direct solver of the crate cuprum.
//!
//! The LU factorisation is left-looking, column by column (J. R. Gilbert, T. Peierls, "Sparse Partial Pivoting in Time Proportional to
//! Arithmetic Operations", SIAM Journal on Scientific and Statistical Computing 9, 1988), with updates by supernodes and symmetric pruning
//! (J. W. Demmel and others, "A Supernodal Approach to Sparse Partial Pivoting", SIAM J. Matrix Anal. Appl. 20, 1999). Fill-reducing
//! orderings and the Cholesky factorisation are faer's.
//!
//! ```
//! use cuprum_direct::{Lu, LuOptions, Matrix};
//!
//! // [[4, 1], [2, 3]] by columns.
//! let a = Matrix { pointers: &[0, 2, 4], rows: &[0, 1, 0, 1], values: &[4.0, 2.0, 1.0, 3.0] };
//! let lu = Lu::new(a, &LuOptions::default()).unwrap();
//! let mut x = [5.0, 5.0];
//! lu.solve(&mut x);
//! assert_eq!(x, [1.0, 1.0]);
//! ```

mod accuracy;
mod cholesky;
mod coloring;
mod export;
mod factor;
mod factors;
mod host;
mod incomplete;
mod kernels;
mod ordering;
mod panels;
mod refactor;
mod scalar;
mod solve;

use std::fmt;

pub use accuracy::{Refined, Solver, backward_error, refine};
pub use cholesky::Cholesky;
pub use coloring::{color_order, level_order};
pub use export::Rows;
pub use factors::Lu;
pub use host::{Element, Factors, Method, Pattern, factor};
pub use ordering::Ordering;
pub use panels::{MOST_PANEL_ROWS, Panels, panels};
pub use scalar::Scalar;

/// A complex number of float32 parts.
pub type C32 = num_complex::Complex<f32>;
/// A complex number of float64 parts.
pub type C64 = num_complex::Complex<f64>;

/// A square matrix by columns, without duplicate entries.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    /// The position of the first entry of each column, and the number of entries.
    pub pointers: &'a [usize],
    /// The row of each entry.
    pub rows: &'a [u32],
    /// The value of each entry.
    pub values: &'a [T],
}

impl<T> Matrix<'_, T> {
    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.pointers.len() - 1
    }

    fn column(&self, j: usize) -> std::ops::Range<usize> {
        self.pointers[j]..self.pointers[j + 1]
    }
}

/// Options of a factorisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LuOptions {
    /// The order of the columns.
    pub ordering: Ordering,
    /// The diagonal element is the pivot if its magnitude is at least this times the largest of its column: 1 for partial pivoting, 0 for
    /// the diagonal wherever it is not zero. `None` depends on the ordering: 0.1 if it is that of a symmetric pattern, otherwise 1.
    pub diagonal_threshold: Option<f64>,
    /// Small entries are dropped: an incomplete factorisation.
    pub drop: Option<Drop>,
    /// Only positive diagonal elements are pivots, as in a Cholesky factorisation.
    pub positive: bool,
}

impl LuOptions {
    /// Returns true if neither the order nor the pivots are given, and nothing is dropped.
    pub fn is_default(&self) -> bool {
        *self == LuOptions::default()
    }
}

impl Default for LuOptions {
    fn default() -> Self {
        LuOptions { ordering: Ordering::Automatic, diagonal_threshold: None, drop: None, positive: false }
    }
}

/// Dropping rule of an incomplete factorisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drop {
    /// Entries whose magnitude is less than this times the largest of their column are dropped.
    pub tolerance: f64,
    /// Upper bound of the number of entries of the factors, as a multiple of that of the matrix.
    pub fill: f64,
}

/// Failure of a factorisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    /// No element of a column of the factor, by its number, is a pivot: the matrix is singular.
    Singular(usize),
    /// The pivot of a row of the matrix is not positive; its value, where it is known beyond rounding.
    NotPositive {
        /// The row.
        row: usize,
        /// The pivot.
        pivot: Option<f64>,
    },
    /// The pivots of an earlier factorisation are too small for these values.
    Unstable(usize),
    /// The matrix has 2<sup>32</sup> - 1 rows or more.
    TooLarge,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Singular(j) => write!(f, "column {j} of the factor has no pivot that is not zero"),
            Failure::NotPositive { row, pivot: Some(pivot) } => write!(f, "the pivot of row {row} is {pivot}"),
            Failure::NotPositive { row, pivot: None } => write!(f, "the pivot of row {row} is rounding error"),
            Failure::Unstable(j) => write!(f, "the pivot of column {j} of the factor is too small for the new values"),
            Failure::TooLarge => write!(f, "matrices of at least 4294967295 rows have no factorisation on the host"),
        }
    }
}

impl std::error::Error for Failure {}
