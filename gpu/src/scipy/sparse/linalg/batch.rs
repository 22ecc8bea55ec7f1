//! Batches of matrices of one pattern.

use std::sync::OnceLock;

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};

use super::super::{CastTo, Compressed, EntryOrder, Format, Sparse, index_dtype};
use super::options::{FactorOptions, Trans};
use super::super_lu::{SuperLu, read_pattern, safe_right_sides, upload};
use super::triangular::{factor_dtype, square};
use crate::array::Array;
use crate::driver::sparse_direct::{Method, Pattern};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::routines::indexing::take;

/// LU factors of a batch of square sparse matrices of one pattern: [`splu_batch`] returns it.
///
/// The factors of all matrices are those of one block-diagonal matrix, whose systems are solved by one launch for each
/// triangle.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{Trans, splu_batch};
/// let pattern = Sparse::from_dense(&array([[2.0, 0.0], [1.0, 4.0]])?, Format::Csr)?;
/// let mut lu = splu_batch(&pattern, &array([[2.0, 1.0, 4.0], [1.0, 1.0, 1.0]])?, ())?;
/// let b = array([[2.0, 9.0], [1.0, 3.0]])?;
/// assert!(cuprum::allclose(&lu.solve(&b, Trans::None)?, &array([[1.0, 2.0], [1.0, 2.0]])?, ())?);
/// lu.refactor(&array([[1.0, 1.0, 1.0], [2.0, 1.0, 4.0]])?)?;
/// assert!(cuprum::allclose(&lu.solve(&b, Trans::None)?, &array([[2.0, 7.0], [0.5, 0.625]])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct BatchedLu {
    /// The factors of the block-diagonal matrix.
    lu: SuperLu,
    /// Number of matrices.
    batch: usize,
    /// The position of each value of the given pattern in compressed columns; `None` if they are in their order.
    positions: Option<Array>,
}

impl BatchedLu {
    /// Returns the number of matrices.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Returns the number of rows of each matrix.
    pub fn size(&self) -> usize {
        self.lu.size() / self.batch
    }

    /// Returns the dtype of the factors: float32, float64, complex64 or complex128.
    pub fn dtype(&self) -> DType {
        self.lu.dtype()
    }

    /// Solves a system of equations with each matrix on the device, without a transfer.
    ///
    /// `b` has the shape (batch, n) or (batch, n, k). The result has its shape and the dtype of the factors. Each
    /// solution is that of [`SuperLu::solve`].
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{Trans, splu_batch};
    /// let pattern = Sparse::from_dense(&array([[1.0, 0.0], [0.0, 1.0]])?, Format::Csr)?;
    /// let lu = splu_batch(&pattern, &array([[2.0, 4.0]])?, ())?;
    /// assert_eq!(lu.solve(&array([[2.0, 4.0]])?, Trans::None)?.to_vec::<f64>()?, [1.0, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a `b` of another shape, [`ErrorKind::Type`] for one whose dtype cannot be cast safely
    /// to that of the factors.
    pub fn solve(&self, b: &Array, trans: Trans) -> Result<Array> {
        let go = || {
            let (batch, n) = (self.batch, self.size());
            if !matches!(b.ndim(), 2 | 3) || b.shape()[..2] != [batch, n] {
                let shape = shape_text(b.shape());
                let message = format!(
                    "b has shape {shape}, the batch {batch} matrices of {n} rows: ({batch}, {n}) or ({batch}, {n}, k) is needed"
                );
                return Err(Error::new(ErrorKind::Value, message));
            }
            let across = b.shape().get(2).copied().unwrap_or(1);
            let rows = b.copy(Order::C)?.reshape([batch * n, across])?;
            let rows = safe_right_sides(batch * n, self.dtype(), &rows)?;
            self.lu.solved(&rows, trans)?.reshape(b.shape())
        };
        go().map_err(|e: Error| e.with_op("sparse.linalg.BatchedLu.solve"))
    }

    /// Factors other values of the pattern, of shape (batch, number of entries), with the same order and the same
    /// pivots. Pivots that are too small for a matrix are chosen again.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{Trans, splu_batch};
    /// let pattern = Sparse::from_dense(&array([[1.0, 0.0], [0.0, 1.0]])?, Format::Csr)?;
    /// let mut lu = splu_batch(&pattern, &array([[2.0, 4.0]])?, ())?;
    /// lu.refactor(&array([[1.0, 2.0]])?)?;
    /// assert_eq!(lu.solve(&array([[2.0, 4.0]])?, Trans::None)?.to_vec::<f64>()?, [2.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for values of another shape, [`ErrorKind::LinAlg`] for a singular matrix: the factors are
    /// undefined then.
    ///
    /// # Synchronization
    ///
    /// Synchronises to copy the values to the host.
    pub fn refactor(&mut self, values: &Array) -> Result<()> {
        let go = |this: &mut BatchedLu| {
            let entries = this.lu.entries() / this.batch;
            let values = ordered(values, this.batch, entries, this.dtype(), this.positions.as_ref())?;
            this.lu.refactor_values(&values)
        };
        go(self).map_err(|e: Error| e.with_op("sparse.linalg.BatchedLu.refactor"))
    }
}

/// Returns the values of all matrices by columns, one matrix after the other.
fn ordered(values: &Array, batch: usize, entries: usize, dtype: DType, positions: Option<&Array>) -> Result<Array> {
    if values.shape() != [batch, entries] {
        let shape = shape_text(values.shape());
        let message = format!("the values have shape {shape}: ({batch}, {entries}) is needed, a row for each matrix");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let values = values.to_dtype(dtype)?;
    let values = match positions {
        Some(positions) => take(&values, positions, 1)?,
        None => values,
    };
    values.reshape([batch * entries])
}

/// Returns the pattern by columns, and the position of each of its values among those of the matrix.
fn pattern_of(a: &Sparse) -> Result<(Sparse, Option<Array>)> {
    let entries = a.data().size();
    let numbers = super::super::entries::counted(&a.data(), entries, DType::I64)?;
    let columns = a.with_data(&numbers)?.to_format(Format::Csc)?.sum_duplicates()?;
    if columns.data().size() != entries {
        let message = "the pattern has several entries at one position: add them by sum_duplicates";
        return Err(Error::new(ErrorKind::Value, message));
    }
    let positions = columns.data();
    Ok((columns, (a.format() != Format::Csc).then_some(positions)))
}

/// Returns the block-diagonal pattern of a batch.
fn blocks(pattern: &Pattern, batch: usize) -> (impl Iterator<Item = usize>, impl Iterator<Item = usize>) {
    let (n, entries) = (pattern.pointers.len() - 1, pattern.rows.len());
    let pointers = (0..batch).flat_map(move |k| pattern.pointers[1..].iter().map(move |&p| k * entries + p));
    let rows = (0..batch).flat_map(move |k| pattern.rows.iter().map(move |&r| k * n + r as usize));
    (std::iter::once(0).chain(pointers), rows)
}

/// LU factorisation of a batch of square sparse matrices of one pattern: the pattern is analysed once.
///
/// `values` has the shape (batch, number of entries): the values of each matrix in the order of the entries of
/// `pattern`, of a compressed or coordinate format without duplicates, whose own values are not used. The dtype of the
/// factors is the smallest of float32, float64, complex64 and complex128 to which the values can be cast safely. The
/// first matrix is factored as by [`splu`](super::splu), the others with its order and pivots, in several threads of the
/// host; a matrix for which these pivots are too small gets its own. On a GPU with NVIDIA's cuDSS the batch is factored
/// there: its results may differ in the last bits from run to run. SciPy has no such function.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{Trans, splu_batch};
/// let pattern = Sparse::from_dense(&array([[1.0, 1.0], [1.0, 1.0]])?, Format::Csr)?;
/// let lu = splu_batch(&pattern, &array([[4.0, 1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 1.0]])?, ())?;
/// let x = lu.solve(&array([[5.0, 5.0], [1.0, 2.0]])?, Trans::None)?;
/// assert!(cuprum::allclose(&x, &array([[1.0, 1.0], [1.0, 2.0]])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a pattern that is not square or has duplicates, an empty batch, values of another shape or
/// of a 16-bit dtype; [`ErrorKind::LinAlg`] for a singular matrix, with its number.
///
/// # Synchronization
///
/// Synchronises to copy the matrices to the host.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_direct.py`")]
#[signature]
pub fn splu_batch(pattern: &Sparse, values: &Array, options: FactorOptions) -> Result<BatchedLu> {
    batched(pattern, values, options).map_err(|e| e.with_op("sparse.linalg.splu_batch"))
}

fn batched(a: &Sparse, values: &Array, options: FactorOptions) -> Result<BatchedLu> {
    let n = square(a)?;
    if values.ndim() != 2 || values.shape()[0] == 0 {
        let shape = shape_text(values.shape());
        let message = format!("the values have shape {shape}: (batch, entries) is needed, of one matrix or more");
        return Err(Error::new(ErrorKind::Value, message));
    }
    if matches!(a.format(), Format::Bsr | Format::Dia) {
        let format = a.format().name();
        let message = format!("the pattern is of the format {format}, which has no list of entries: convert it to csr");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let (dtype, batch) = (factor_dtype(values.dtype())?, values.shape()[0]);
    let (columns, positions) = pattern_of(a)?;
    let entries = columns.data().size();
    let values = ordered(values, batch, entries, dtype, positions.as_ref())?;
    let device = a.device();
    let pattern = read_pattern(&columns)?;
    if n.checked_mul(batch).is_none_or(|rows| rows >= u32::MAX as usize) {
        let message = format!("a batch of {batch} matrices of {n} rows has 4294967295 rows or more");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let index = index_dtype([n * batch, entries * batch]);
    let (pointers, rows) = blocks(&pattern, batch);
    let (pointers, rows) = (upload(device, pointers, index)?, upload(device, rows, index)?);
    let order = OnceLock::from(EntryOrder::Canonical);
    let whole = Sparse::of_compressed([n * batch; 2], Compressed::new(1, pointers, rows, values, order));
    let lu = SuperLu::of_columns(whole, Method::Lu(options.lu_options()), batch, true)?;
    Ok(BatchedLu { lu, batch, positions })
}
