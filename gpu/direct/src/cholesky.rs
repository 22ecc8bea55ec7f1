//! Cholesky factorisation of Hermitian, positive definite matrices.
//!
//! The analysis and the factorisation are faer's: by supernodes, whose columns are a dense panel, where these pay, and column by column
//! otherwise. They compute in float64 and complex128 alone, and the factor is rounded to the dtype of the matrix.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::{LdltError, LdltRegularization};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side, Spec};

use crate::ordering::transposed;
use crate::{Failure, Lu, LuOptions, Matrix, Ordering, Scalar};

/// Cholesky factor of a matrix with its rows and columns in another order: `L L^H`, or `L D L^H` with a unit diagonal of L.
#[derive(Clone, Debug)]
pub struct Cholesky<T> {
    /// True for `L D L^H`: the diagonal of the values is D.
    unit: bool,
    symbolic: Arc<SymbolicCholesky<usize>>,
    /// The position of each row of the matrix in the factor.
    positions: Vec<u32>,
    /// The row of the matrix at each position.
    order: Vec<u32>,
    /// The pattern of L by columns, sorted: the diagonal is the first entry of a column.
    pointers: Vec<usize>,
    rows: Vec<u32>,
    /// The position of each entry in the values of the factorisation, which has zeros in its dense panels.
    origins: Vec<usize>,
    values: Vec<T>,
    /// The columns of L by rows: pointers, columns and the positions of the entries by columns.
    by_rows: (Vec<usize>, Vec<u32>, Vec<usize>),
}

/// Returns the structure of a factor, without the pattern of its supernodes for `simplicial`.
fn analyse(
    pattern: SymbolicSparseColMatRef<'_, usize>,
    order: SymmetricOrdering<'_, usize>,
    simplicial: bool,
) -> Result<SymbolicCholesky<usize>, Failure> {
    let mut params = CholeskySymbolicParams::default();
    if simplicial {
        params.supernodal_flop_ratio_threshold = SupernodalThreshold::FORCE_SIMPLICIAL;
    }
    factorize_symbolic_cholesky(pattern, Side::Lower, order, params).map_err(|_| Failure::TooLarge)
}

/// Returns the position of each entry of L among the values of the factorisation.
fn origins(symbolic: &SymbolicCholesky<usize>, pointers: &[usize], rows: &[u32]) -> Vec<usize> {
    let SymbolicCholeskyRaw::Supernodal(panels) = symbolic.raw() else { return (0..rows.len()).collect() };
    let mut origins = Vec::with_capacity(rows.len());
    for s in 0..panels.n_supernodes() {
        let (first, end) = (panels.supernode_begin()[s], panels.supernode_end()[s]);
        let below = panels.supernode(s).pattern();
        let (start, height) = (panels.col_ptr_for_val()[s], end - first + below.len());
        for j in first..end {
            let mut k = 0;
            for &row in &rows[pointers[j]..pointers[j + 1]] {
                let row = row as usize;
                let within = if row < end {
                    row - first
                } else {
                    // Both lists are sorted, and the panel has all rows of its columns.
                    while below[k] < row {
                        k += 1;
                    }
                    end - first + k
                };
                origins.push(start + (j - first) * height + within);
            }
        }
    }
    origins
}

/// Reason why a factorisation stops.
enum Stop {
    /// A pivot at this position of the factor is not positive.
    NotPositive(usize),
    /// There is no memory for the factor.
    TooLarge,
}

impl<T: Scalar> Cholesky<T> {
    /// Factors the matrix of a lower triangle, with the diagonal. Entries above the diagonal are not read.
    ///
    /// # Errors
    ///
    /// [`Failure::NotPositive`] if the matrix is not positive definite, [`Failure::TooLarge`] if there is no memory for the factor.
    pub fn new(lower: Matrix<'_, T>) -> Result<Cholesky<T>, Failure> {
        let mut factor = Cholesky::analysed(lower, false)?;
        factor.refactor(lower)?;
        Ok(factor)
    }

    /// Factors a matrix as `L D L^H`. Returns `None` for one that is not positive definite.
    pub(crate) fn of_positive(lower: Matrix<'_, T>) -> Option<Cholesky<T>> {
        let mut factor = Cholesky::analysed(lower, true).ok()?;
        factor.factor_positive(lower).then_some(factor)
    }

    /// Factors other values in the same order. Returns false if these are not those of a positive definite matrix.
    pub(crate) fn factor_positive(&mut self, lower: Matrix<'_, T>) -> bool {
        self.compute(lower).is_ok()
    }

    /// Finds the order and the pattern of the factor.
    fn analysed(lower: Matrix<'_, T>, unit: bool) -> Result<Cholesky<T>, Failure> {
        let n = lower.size();
        let rows: Vec<usize> = lower.rows.iter().map(|&r| r as usize).collect();
        let pattern = SymbolicSparseColMatRef::new_unsorted_checked(n, n, lower.pointers, None, &rows);
        let symbolic = analyse(pattern, SymmetricOrdering::Amd, false)?;
        let identity: Vec<usize> = (0..n).collect();
        let (order, positions) = symbolic.perm().map_or((&identity[..], &identity[..]), |p| p.arrays());
        let exact = match symbolic.perm() {
            Some(order) => analyse(pattern, SymmetricOrdering::Custom(order), true)?,
            None => analyse(pattern, SymmetricOrdering::Identity, true)?,
        };
        let SymbolicCholeskyRaw::Simplicial(exact) = exact.raw() else { return Err(Failure::TooLarge) };
        let narrow = |list: &[usize]| list.iter().map(|&i| i as u32).collect::<Vec<_>>();
        let (pointers, rows) = (exact.col_ptr().to_vec(), narrow(exact.row_idx()));
        let (ends, columns, from) = crossed(&pointers, &rows);
        let origins = origins(&symbolic, &pointers, &rows);
        let (positions, order) = (narrow(positions), narrow(order));
        let by_rows = (ends, columns, from);
        Ok(Cholesky {
            unit,
            symbolic: Arc::new(symbolic),
            positions,
            order,
            pointers,
            rows,
            origins,
            values: Vec::new(),
            by_rows,
        })
    }

    /// Factors other values of the same pattern in the same order.
    ///
    /// # Errors
    ///
    /// As [`Cholesky::new`], after which the factor is undefined.
    pub fn refactor(&mut self, lower: Matrix<'_, T>) -> Result<(), Failure> {
        self.compute(lower).map_err(|stop| match stop {
            Stop::NotPositive(position) => self.no_pivot(lower, position),
            Stop::TooLarge => Failure::TooLarge,
        })
    }

    fn compute(&mut self, lower: Matrix<'_, T>) -> Result<(), Stop> {
        let n = self.size();
        if n == 0 {
            return Ok(());
        }
        let rows: Vec<usize> = lower.rows.iter().map(|&r| r as usize).collect();
        let values: Vec<T::Wide> = lower.values.iter().map(|v| v.widen()).collect();
        let pattern = SymbolicSparseColMatRef::new_unsorted_checked(n, n, lower.pointers, None, &rows);
        let a = SparseColMatRef::new(pattern, &values[..]);
        let mut factor = vec![T::default().widen(); self.symbolic.len_val()];
        let llt = || self.symbolic.factorize_numeric_llt_scratch::<T::Wide>(Par::Seq, Spec::default());
        let ldlt = || self.symbolic.factorize_numeric_ldlt_scratch::<T::Wide>(Par::Seq, Spec::default());
        let need = if self.unit { ldlt() } else { llt() };
        let mut memory = MemBuffer::try_new(need).map_err(|_| Stop::TooLarge)?;
        let stack = MemStack::new(&mut memory);
        let result = if self.unit {
            let regularization = LdltRegularization::default();
            self.symbolic
                .factorize_numeric_ldlt(&mut factor, a, Side::Lower, regularization, Par::Seq, stack, Spec::default())
                .map(|_| ())
                .map_err(|LdltError::ZeroPivot { index }| index)
        } else {
            let regularization = LltRegularization::default();
            self.symbolic
                .factorize_numeric_llt(&mut factor, a, Side::Lower, regularization, Par::Seq, stack, Spec::default())
                .map(|_| ())
                .map_err(|LltError::NonPositivePivot { index }| index)
        };
        result.map_err(Stop::NotPositive)?;
        self.values = self.origins.iter().map(|&at| T::narrow(factor[at])).collect();
        // A matrix with NaN has a factor without an error.
        match (0..n).find(|&j| !self.values[self.pointers[j]].is_positive()) {
            Some(j) => Err(Stop::NotPositive(j)),
            None => Ok(()),
        }
    }

    /// Returns the failure of the pivot at a position, with the value that elimination column by column finds.
    fn no_pivot(&self, lower: Matrix<'_, T>, position: usize) -> Failure {
        let (pointers, rows, values) = hermitian(lower);
        let options = LuOptions {
            ordering: Ordering::Symmetric,
            diagonal_threshold: Some(0.0),
            positive: true,
            ..LuOptions::default()
        };
        let row = self.order.get(position).map_or(0, |&r| r as usize);
        match Lu::new(Matrix { pointers: &pointers, rows: &rows, values: &values }, &options) {
            Err(Failure::Singular(_)) => Failure::NotPositive { row, pivot: Some(f64::NAN) },
            Err(failure) => failure,
            Ok(_) => Failure::NotPositive { row, pivot: None },
        }
    }

    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.positions.len()
    }

    /// Returns the position in the factor of each row of the matrix.
    pub fn permutation(&self) -> &[u32] {
        &self.positions
    }

    /// Returns the compressed rows of L^H, or of L: pointers and sorted columns.
    pub fn pattern(&self, upper: bool) -> (&[usize], &[u32]) {
        if upper { (&self.pointers, &self.rows) } else { (&self.by_rows.0, &self.by_rows.1) }
    }

    /// Returns the values of [`Cholesky::pattern`].
    pub fn values(&self, upper: bool) -> Vec<T> {
        if upper {
            self.values.iter().map(|v| v.conjugate()).collect()
        } else {
            self.by_rows.2.iter().map(|&at| self.values[at]).collect()
        }
    }

    /// Returns the values of [`Cholesky::pattern`] for the factors L and D L<sup>H</sup>: those of an LU factorisation.
    pub(crate) fn lu_values(&self, upper: bool) -> Vec<T> {
        debug_assert!(self.unit);
        let mut values = self.values(upper);
        for j in 0..self.size() {
            if upper {
                let row = self.pointers[j]..self.pointers[j + 1];
                let (pivot, rest) = values[row].split_first_mut().expect("the diagonal is the first entry of a row");
                rest.iter_mut().for_each(|v| *v = *v * *pivot);
            } else {
                // The diagonal is the last entry of a row.
                values[self.by_rows.0[j + 1] - 1] = T::ONE;
            }
        }
        values
    }

    /// Solves for one right-hand side, which the solution replaces.
    ///
    /// # Panics
    ///
    /// If `b` does not have as many elements as the matrix has rows.
    pub fn solve(&self, b: &mut [T]) {
        assert_eq!(b.len(), self.size());
        let mut x: Vec<T> = self.order.iter().map(|&row| b[row as usize]).collect();
        let column = |j: usize| (self.pointers[j] + 1..self.pointers[j + 1], self.values[self.pointers[j]]);
        for j in 0..x.len() {
            let (below, pivot) = column(j);
            let by = if self.unit { x[j] } else { x[j] / pivot };
            x[j] = by;
            below.for_each(|k| x[self.rows[k] as usize] -= self.values[k] * by);
        }
        for j in (0..x.len()).rev() {
            let (below, pivot) = column(j);
            let own = if self.unit { x[j] / pivot } else { x[j] };
            let sum = below.fold(own, |sum, k| sum - self.values[k].conjugate() * x[self.rows[k] as usize]);
            x[j] = if self.unit { sum } else { sum / pivot };
        }
        self.order.iter().zip(x).for_each(|(&row, x)| b[row as usize] = x);
    }
}

/// Returns the transposed pattern, and the position of each of its entries in the pattern.
pub(crate) fn crossed(pointers: &[usize], rows: &[u32]) -> (Vec<usize>, Vec<u32>, Vec<usize>) {
    let (ends, columns) = transposed(pointers, rows);
    let mut next = ends.clone();
    let mut from = vec![0; rows.len()];
    for (k, &row) in rows.iter().enumerate() {
        from[next[row as usize]] = k;
        next[row as usize] += 1;
    }
    (ends, columns, from)
}

/// Returns the columns of the Hermitian matrix of a lower triangle.
fn hermitian<T: Scalar>(lower: Matrix<'_, T>) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    let (ends, columns, from) = crossed(lower.pointers, lower.rows);
    let (mut pointers, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..lower.size() {
        for k in (ends[j]..ends[j + 1]).filter(|&k| (columns[k] as usize) < j) {
            rows.push(columns[k]);
            values.push(lower.values[from[k]].conjugate());
        }
        for k in lower.column(j).filter(|&k| lower.rows[k] as usize >= j) {
            rows.push(lower.rows[k]);
            values.push(lower.values[k]);
        }
        pointers.push(rows.len());
    }
    (pointers, rows, values)
}
