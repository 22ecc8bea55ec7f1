//! Cholesky factorisation.
//!
//! The factorisation runs on a GPU with cuDSS, otherwise on the host; solutions with its factors run on the device.

use cuprum_kernels::DType;

use super::super::Sparse;
use super::options::Trans;
use super::super_lu::SuperLu;
use super::triangular::square;
use crate::array::Array;
use crate::driver::sparse_direct::Method;
use crate::error::{Error, Result};
use crate::reduction::{Reduce, reduced};
use crate::ufunc::apply;

/// Cholesky factor of a Hermitian, positive definite sparse matrix: with the rows and columns in another order it is `L
/// L^H`.
///
/// Its values on the host are half of those of LU factors; it takes half of the operations, and needs no pivots.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::cholesky;
/// let a = Sparse::from_dense(&array([[4.0, 0.0], [0.0, 9.0]])?, Format::Csc)?;
/// let factor = cholesky(&a)?;
/// assert_eq!((factor.size(), factor.dtype()), (2, cuprum::DType::F64));
/// assert!(cuprum::allclose(&factor.solve(&array([8.0, 9.0])?)?, &array([2.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct Cholesky {
    /// The factors: U is L<sup>H</sup>.
    lu: SuperLu,
}

impl Cholesky {
    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.lu.size()
    }

    /// Returns the dtype of the factor.
    pub fn dtype(&self) -> DType {
        self.lu.dtype()
    }

    /// Returns the position in L of each row and column of the matrix, as int32.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::cholesky;
    /// let a = Sparse::from_dense(&array([[4.0, 0.0], [0.0, 9.0]])?, Format::Csc)?;
    /// let mut positions = cholesky(&a)?.permutation()?.to_vec::<i32>()?;
    /// positions.sort();
    /// assert_eq!(positions, [0, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) and errors of the device.
    pub fn permutation(&self) -> Result<Array> {
        self.lu.perm_c()
    }

    /// Returns the factor L, of [`Format::Csc`](crate::scipy::sparse::Format::Csc).
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::cholesky;
    /// let a = Sparse::from_dense(&array([[4.0]])?, Format::Csc)?;
    /// assert_eq!(cholesky(&a)?.lower()?.to_dense(())?.to_vec::<f64>()?, [2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) and errors of the device.
    pub fn lower(&self) -> Result<Sparse> {
        self.lu.lower()
    }

    /// Returns the logarithm of the determinant of the matrix, an array of no axes.
    ///
    /// It is real, in the real dtype of the factor: twice the sum of the logarithms of the diagonal of L.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::cholesky;
    /// let a = Sparse::from_dense(&array([[4.0, 0.0], [0.0, 9.0]])?, Format::Csc)?;
    /// assert!((cholesky(&a)?.logdet()?.item::<f64>()? - 36.0_f64.ln()).abs() < 1e-12);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) and errors of the device.
    pub fn logdet(&self) -> Result<Array> {
        let logarithms = apply("log", [(&apply("absolute", [(&self.lu.pivots()?).into()])?).into()])?;
        apply("multiply", [(&reduced("sum", &logarithms, &Reduce::all())?).into(), 2.into()])
    }

    /// Solves systems of equations on the device; see [`SuperLu::solve`](super::SuperLu::solve).
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::cholesky;
    /// let a = Sparse::from_dense(&array([[2.0, 1.0], [1.0, 2.0]])?, Format::Csc)?;
    /// let x = cholesky(&a)?.solve(&array([3.0, 3.0])?)?;
    /// assert!(cuprum::allclose(&x, &array([1.0, 1.0])?, ())?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`SuperLu::solve`].
    pub fn solve(&self, b: &Array) -> Result<Array> {
        self.lu.solved(b, Trans::None).map_err(|e| e.with_op("sparse.linalg.Cholesky.solve"))
    }

    /// Factors another matrix of the same pattern, in the same order; see
    /// [`SuperLu::refactor`](super::SuperLu::refactor).
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::cholesky;
    /// let a = Sparse::from_dense(&array([[4.0]])?, Format::Csc)?;
    /// let mut factor = cholesky(&a)?;
    /// factor.refactor(&a.with_data(&array([9.0])?)?)?;
    /// assert_eq!(factor.solve(&array([9.0])?)?.to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`SuperLu::refactor`], and [`LinAlg`](crate::ErrorKind::LinAlg) for a matrix that is not positive definite.
    ///
    /// # Synchronization
    ///
    /// Synchronises to copy the values to the host.
    pub fn refactor(&mut self, a: &Sparse) -> Result<()> {
        let go = |lu: &mut SuperLu| lu.refactored(&lower_triangle(a)?);
        go(&mut self.lu).map_err(|e| e.with_op("sparse.linalg.Cholesky.refactor"))
    }
}

/// Returns the entries of a square matrix that are not above the diagonal.
fn lower_triangle(a: &Sparse) -> Result<Sparse> {
    square(a)?;
    a.triangle(0, false)
}

/// Cholesky factorisation of a Hermitian, positive definite sparse matrix, of which the lower triangle is read.
///
/// Returns the factor, in float32, float64, complex64 or complex128. The rows and columns are in the order of an
/// approximate minimum degree. SciPy has no such function. On a GPU with cuDSS the matrix is factored there, as by
/// [`splu`](super::splu); on the host in float64 or complex128, by supernodes that are dense panels where these pay.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::{Format, Sparse, linalg};
/// let a = Sparse::from_dense(&array([[4.0, 2.0], [2.0, 5.0]])?, Format::Csc)?;
/// let factor = linalg::cholesky(&a)?;
/// assert_eq!(factor.solve(&array([6.0, 7.0])?)?.to_vec::<f64>()?, [1.0, 1.0]);
/// assert!((factor.logdet()?.item::<f64>()? - 16_f64.ln()).abs() < 1e-14);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Value`](crate::ErrorKind::Value) for a matrix that is not square or of a 16-bit dtype,
/// [`LinAlg`](crate::ErrorKind::LinAlg) for one that is not positive definite, with a row and its pivot.
///
/// # Synchronization
///
/// As [`splu`](super::splu).
pub fn cholesky(a: &Sparse) -> Result<Cholesky> {
    let go = || SuperLu::new(&lower_triangle(a)?, Method::Cholesky, true).map(|lu| Cholesky { lu });
    go().map_err(|e: Error| e.with_op("sparse.linalg.cholesky"))
}
