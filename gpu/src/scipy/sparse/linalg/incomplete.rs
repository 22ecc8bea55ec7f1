//! Incomplete factorisations without fill-in, on the device.
//!
//! The factors have the pattern of the matrix: ILU(0), and IC(0) of a Hermitian one (J. A. Meijerink, H. A. van der
//! Vorst, "An Iterative Solution Method for Linear Systems of Which the Coefficient Matrix is a Symmetric M-Matrix",
//! Mathematics of Computation 31, 1977). Both the factorisation and the solutions run on the device, where rows wait for
//! those that they depend on.

use std::sync::OnceLock;

use cuprum_direct::{color_order, level_order};
use cuprum_kernels::DType;
use cuprum_macros::unrecorded;
use num_complex::Complex64;

use super::super::{CastTo, Format, Sparse, number};
use super::LinearOperator;
use super::options::Trans;
use super::super_lu::{columns_of, order_arrays, read_pattern, safe_right_sides};
use super::triangular::{TriangularRows, canonical_rows, compressed, factor_dtype, square};
use crate::array::Array;
use crate::engine::incomplete_factors::incomplete_factors;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::routines::indexing::take;
use crate::ufunc::apply;

/// Order of the rows of an incomplete factorisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// The factors of the order of the matrix. Rows that do not depend on each other are grouped by levels, which changes
    /// the positions and not the factorisation.
    #[default]
    Natural,
    /// By the colours of a greedy colouring, which no two rows with an entry in each other's column share. A solution
    /// takes as many steps as there are colours instead of the length of the longest chain of rows, and an iterative
    /// solver needs more iterations.
    Colored,
}

impl RowOrder {
    /// Returns the order of a name: `natural` or `colored`.
    ///
    /// ```
    /// use cuprum::scipy::sparse::linalg::RowOrder;
    /// assert_eq!(RowOrder::named("colored")?, RowOrder::Colored);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another name.
    pub fn named(name: &str) -> Result<RowOrder> {
        match name {
            "natural" => Ok(RowOrder::Natural),
            "colored" => Ok(RowOrder::Colored),
            _ => Err(Error::new(ErrorKind::Value, format!("order is natural or colored, not {name:?}"))),
        }
    }
}

/// Incomplete factors without fill-in, as a preconditioner: [`ilu0`] and [`ic0`] return it.
///
/// As a [`LinearOperator`] it is the inverse of the product of its factors.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{RowOrder, SolverOptions, cg, ic0};
/// let a = Sparse::from_dense(&array([[4.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.0, 1.0, 4.0]])?, Format::Csr)?;
/// let m = ic0(&a, RowOrder::Natural)?;
/// let options = SolverOptions { m: Some(&m), rtol: 1e-12, ..Default::default() };
/// let solution = cg(&a, &array([5.0, 6.0, 5.0])?, options)?;
/// assert!(solution.info == 0 && cuprum::allclose(&solution.x, &array([1.0, 1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct IncompleteFactors {
    /// L with a unit diagonal, which is not stored, and U; or L of a Cholesky factorisation. By rows.
    rows: Sparse,
    /// The same by columns.
    columns: OnceLock<Sparse>,
    /// True for a Cholesky factorisation.
    cholesky: bool,
    /// The position of each row of the matrix in the factors, and the row at each position, if they are permuted.
    order: Option<[Array; 2]>,
}

impl IncompleteFactors {
    fn new(a: &Sparse, order: RowOrder, cholesky: bool) -> Result<IncompleteFactors> {
        let n = square(a)?;
        let dtype = factor_dtype(a.dtype())?;
        // Of a Hermitian matrix the lower triangle is read.
        let own = if cholesky { a.triangle(0, false)? } else { a.clone() };
        let order = match order {
            RowOrder::Natural => ordered(&own, level_order)?,
            RowOrder::Colored => ordered(&own, color_order)?,
        };
        let own = own.astype(dtype)?;
        let own = match &order {
            None => own,
            Some([positions, _]) => permuted(&own, positions, cholesky)?,
        };
        let rows = own.to_format(Format::Csr)?.sum_duplicates()?;
        let c = compressed(&rows)?;
        let factors = incomplete_factors(&c.indptr, &c.indices, &c.data, cholesky)?;
        let failed = factors.failed.item::<u64>()?;
        if failed != u64::MAX {
            let at = s![failed as i64];
            let diagonal = number(&factors.diagonals.index(at)?)?;
            let row = match &order {
                None => failed as i64,
                Some([_, rows]) => number(&rows.index(s![failed as i64])?)?,
            };
            let pivot = match diagonal {
                -1 => None,
                at => Some(factors.values.index(s![at])?),
            };
            return Err(no_pivot(row, pivot, cholesky)?);
        }
        let rows = canonical_rows(n, c.indptr.clone(), c.indices.clone(), factors.values);
        Ok(IncompleteFactors { rows, columns: OnceLock::new(), cholesky, order })
    }

    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.rows.shape()[0]
    }

    /// Returns the dtype of the factors: float32, float64, complex64 or complex128.
    pub fn dtype(&self) -> DType {
        self.rows.dtype()
    }

    /// Returns the number of entries that are stored: those of the matrix, or those of its lower triangle.
    pub fn nnz(&self) -> usize {
        self.rows.values().size()
    }

    /// Returns the position of each row and column of the matrix in the factors, as int32; `None` if they are those of the
    /// matrix.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn permutation(&self) -> Result<Option<Array>> {
        self.order.as_ref().map(|[positions, _]| positions.to_dtype(DType::I32)).transpose()
    }

    /// Returns the lower triangular factor, of [`Format::Csr`]: with a unit diagonal for [`ilu0`].
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{RowOrder, ilu0};
    /// let a = Sparse::from_dense(&array([[2.0, 6.0], [1.0, 4.0]])?, Format::Csr)?;
    /// assert_eq!(ilu0(&a, RowOrder::Natural)?.lower()?.to_dense(())?.to_vec::<f64>()?, [1.0, 0.0, 0.5, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of entries, for [`ilu0`].
    pub fn lower(&self) -> Result<Sparse> {
        if self.cholesky {
            return Ok(self.rows.clone());
        }
        let n = self.size();
        let unit = Sparse::eye([n, n], 0, self.dtype(), Format::Csr, self.rows.device())?;
        self.rows.triangle(-1, false)?.to_format(Format::Csr)?.binary("add", &unit)
    }

    /// Returns the upper triangular factor, of [`Format::Csr`]: the conjugate transpose of the lower one for [`ic0`].
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{RowOrder, ic0};
    /// let a = Sparse::from_dense(&array([[4.0, 2.0], [2.0, 5.0]])?, Format::Csr)?;
    /// assert_eq!(ic0(&a, RowOrder::Natural)?.upper()?.to_dense(())?.to_vec::<f64>()?, [2.0, 1.0, 0.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`IncompleteFactors::lower`].
    ///
    /// # Synchronization
    ///
    /// As [`IncompleteFactors::lower`].
    pub fn upper(&self) -> Result<Sparse> {
        if !self.cholesky {
            return self.rows.triangle(0, true)?.to_format(Format::Csr);
        }
        adjoint(&self.rows)?.to_format(Format::Csr)
    }

    /// Solves systems of equations with the product of the factors, its transpose or its conjugate, on the device.
    ///
    /// Returns the solution for a vector or a matrix, in its shape and in the dtype of the factors.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{RowOrder, Trans, ilu0};
    /// let a = Sparse::from_dense(&array([[2.0, 0.0], [1.0, 4.0]])?, Format::Csr)?;
    /// let x = ilu0(&a, RowOrder::Natural)?.solve(&array([4.0, 8.0])?, Trans::Transposed)?;
    /// assert!(cuprum::allclose(&x, &array([1.0, 2.0])?, ())?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a `b` that has not as many rows as the matrix, [`ErrorKind::Type`] for one whose dtype
    /// cannot be cast safely to that of the factors.
    pub fn solve(&self, b: &Array, trans: Trans) -> Result<Array> {
        self.solved(b, trans).map_err(|e| e.with_op("sparse.linalg.IncompleteFactors.solve"))
    }

    fn solved(&self, b: &Array, trans: Trans) -> Result<Array> {
        let b = safe_right_sides(self.size(), self.dtype(), b)?;
        let x = make::empty(self.rows.device(), b.shape(), self.dtype())?;
        if x.size() == 0 {
            return Ok(x);
        }
        let out = x.reshape([b.shape()[0], b.shape().get(1).copied().unwrap_or(1)])?;
        let order = self.order.as_ref().map(|[_, rows]| rows);
        // The first triangle is the lower one of the rows, or of their transpose. L L^H is its own adjoint.
        let transposed = trans != Trans::None && !self.cholesky;
        let [first, second] = match (self.cholesky, transposed) {
            (true, _) => [&self.rows, self.by_columns()?],
            (false, false) => [&self.rows; 2],
            (false, true) => [self.by_columns()?; 2],
        };
        let conjugate = if self.cholesky {
            [trans == Trans::Transposed, trans != Trans::Transposed]
        } else {
            [trans == Trans::Adjoint; 2]
        };
        let unit = if self.cholesky { [false, false] } else { [!transposed, transposed] };
        let triangle = |a, upper, k: usize| {
            Ok::<_, Error>(TriangularRows {
                rows: compressed(a)?,
                upper,
                unit: unit[k],
                conjugate: conjugate[k],
                panels: None,
            })
        };
        let y = triangle(first, false, 0)?.solve(order, &b, None, None)?;
        triangle(second, true, 1)?.solve(None, &y, order, Some(&out))?;
        Ok(x)
    }

    fn by_columns(&self) -> Result<&Sparse> {
        if let Some(known) = self.columns.get() {
            return Ok(known);
        }
        let new = self.rows.to_format(Format::Csc)?;
        Ok(self.columns.get_or_init(|| new))
    }
}

/// Returns the error of a row without a pivot.
fn no_pivot(row: i64, pivot: Option<Array>, cholesky: bool) -> Result<Error> {
    let message = match pivot {
        None => format!("row {row} has no entry on the diagonal, its pivot is 0: store one, or use spilu"),
        Some(pivot) => {
            let value = if pivot.dtype().is_complex() {
                let z = pivot.to_dtype(DType::C128)?.item::<Complex64>()?;
                if cholesky { z.re.to_string() } else { z.to_string() }
            } else {
                pivot.to_dtype(DType::F64)?.item::<f64>()?.to_string()
            };
            let (what, cure) = match cholesky {
                true => ("not a positive number", "add a multiple of its diagonal to the matrix"),
                false => ("not a finite number other than 0", "add a multiple of the identity, or use spilu"),
            };
            format!("the pivot of row {row} is {value}, {what}: {cure}")
        }
    };
    Ok(Error::new(ErrorKind::LinAlg, message))
}

fn adjoint(a: &Sparse) -> Result<Sparse> {
    let a = a.transpose(None)?;
    if a.dtype().is_complex() { a.with_data(&apply("conjugate", [(&a.data()).into()])?) } else { Ok(a) }
}

/// Returns the position of each row in an order of a pattern, and the row at each position; `None` if no row moves.
/// Synchronises.
fn ordered(a: &Sparse, order: fn(&[usize], &[u32]) -> Vec<u32>) -> Result<Option<[Array; 2]>> {
    let columns = columns_of(a, a.dtype())?;
    let pattern = read_pattern(&columns)?;
    let positions = order(&pattern.pointers, &pattern.rows);
    if positions.is_sorted() {
        return Ok(None);
    }
    order_arrays(a.device(), &positions, columns.index_dtype()).map(Some)
}

/// Returns the matrix with its rows and columns at other positions; a lower triangle as the lower triangle of the
/// Hermitian matrix.
fn permuted(a: &Sparse, positions: &Array, triangle: bool) -> Result<Sparse> {
    let coo = a.to_format(Format::Coo)?;
    let [row, column] = coo.stored_coordinates()?.map(|c| take(positions, c, ()));
    let (row, column, data) = (row?, column?, coo.data());
    if !triangle {
        return Sparse::coo(&data, &[&row, &column], a.shape());
    }
    let lower = apply("maximum", [(&row).into(), (&column).into()])?;
    let upper = apply("minimum", [(&row).into(), (&column).into()])?;
    let data = if data.dtype().is_complex() {
        let crossed = apply("less", [(&row).into(), (&column).into()])?;
        apply("where", [(&crossed).into(), (&apply("conjugate", [(&data).into()])?).into(), (&data).into()])?
    } else {
        data
    };
    Sparse::coo(&data, &[&lower, &upper], a.shape())
}

/// Incomplete LU factorisation of a square sparse matrix without fill-in, ILU(0), on the device.
///
/// Returns the factors, in the smallest of float32, float64, complex64 and complex128 to which the matrix can be cast
/// safely. `L U` has the elements of the matrix at its entries. Two factorisations have the same bits. SciPy has no such
/// function: [`spilu`](super::spilu) has a threshold instead, and runs on the host. Y. Saad, "Iterative Methods for
/// Sparse Linear Systems", SIAM, 2003, section 10.3.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{GmresOptions, RowOrder, gmres, ilu0};
/// let a = Sparse::from_dense(&array([[4.0, 1.0], [-1.0, 3.0]])?, Format::Csr)?;
/// let m = ilu0(&a, RowOrder::Natural)?;
/// let solution = gmres(&a, &array([5.0, 2.0])?, GmresOptions { m: Some(&m), rtol: 1e-12, ..Default::default() })?;
/// assert!(solution.info == 0 && cuprum::allclose(&solution.x, &array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a matrix that is not square or of a 16-bit dtype; [`ErrorKind::LinAlg`] for a pivot that is
/// zero or not finite, with its row and value.
///
/// # Synchronization
///
/// Synchronises to find out whether each row has a pivot, and for [`RowOrder::Colored`] to copy the pattern to the host.
#[unrecorded("takes a sparse array: compared with dense arithmetic in `gpu/python/tests/test_sparse_incomplete.py`")]
pub fn ilu0(a: &Sparse, order: RowOrder) -> Result<IncompleteFactors> {
    IncompleteFactors::new(a, order, false).map_err(|e| e.with_op("sparse.linalg.ilu0"))
}

/// Incomplete Cholesky factorisation of a Hermitian sparse matrix without fill-in, IC(0), on the device. The lower
/// triangle is read.
///
/// Returns the factor, in the smallest of float32, float64, complex64 and complex128 to which the matrix can be cast
/// safely. `L L^H` has the elements of the matrix at its entries. It exists for M-matrices; for other positive definite
/// matrices a multiple of the diagonal may have to be added. Two factorisations have the same bits. SciPy has no such
/// function. J. A. Meijerink, H. A. van der Vorst, 1977.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{RowOrder, Trans, ic0};
/// let a = Sparse::from_dense(&array([[4.0, 2.0], [2.0, 5.0]])?, Format::Csr)?;
/// let x = ic0(&a, RowOrder::Natural)?.solve(&array([6.0, 7.0])?, Trans::None)?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a matrix that is not square or of a 16-bit dtype; [`ErrorKind::LinAlg`] for a pivot that is
/// not a positive number, with its row and value.
///
/// # Synchronization
///
/// As [`ilu0`], and to read the number of entries of the lower triangle.
#[unrecorded("takes a sparse array: compared with dense arithmetic in `gpu/python/tests/test_sparse_incomplete.py`")]
pub fn ic0(a: &Sparse, order: RowOrder) -> Result<IncompleteFactors> {
    IncompleteFactors::new(a, order, true).map_err(|e| e.with_op("sparse.linalg.ic0"))
}

/// The inverse of the product of the factors, as a preconditioner.
impl LinearOperator for IncompleteFactors {
    fn shape(&self) -> [usize; 2] {
        [self.size(); 2]
    }

    fn dtype(&self) -> DType {
        self.rows.dtype()
    }

    fn matvec(&self, v: &Array) -> Result<Array> {
        self.solve(v, Trans::None)
    }

    fn rmatvec(&self, v: &Array) -> Result<Array> {
        self.solve(v, Trans::Adjoint)
    }

    fn is_capturable(&self) -> bool {
        true
    }
}
