//! Cholesky factorisation.
//!
//! The factorisation runs on the host; solutions with its factors run on the device.

use cuprum_direct::{LuOptions, Ordering};
use cuprum_kernels::DType;

use super::super::{CastTo, Format, Sparse};
use super::options::Trans;
use super::super_lu::SuperLu;
use super::triangular::square;
use crate::array::Array;
use crate::error::{Error, Result};
use crate::reduction::{Reduce, reduced};
use crate::routines::indexing::take;
use crate::ufunc::apply;

/// Cholesky factor of a Hermitian, positive definite sparse matrix: with the rows and columns in another order it is `L
/// L^H`.
///
/// It is half as large as LU factors and takes half of the operations, and needs no pivots.
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
    /// The factors without square roots: U is D L<sup>H</sup>.
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

    fn pivots(&self) -> Result<Array> {
        apply("absolute", [(&self.lu.pivots()?).into()])
    }

    /// Returns the factor L, of [`Format::Csc`].
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
        let lower = self.lu.lower()?;
        let roots = apply("sqrt", [(&self.pivots()?).into()])?;
        let coo = lower.to_format(Format::Coo)?;
        let scales = take(&roots, coo.coords()?.remove(1), ())?.to_dtype(self.lu.dtype())?;
        coo.with_data(&apply("multiply", [(&coo.data()).into(), (&scales).into()])?)?.to_format(Format::Csc)
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
        let logarithms = apply("log", [(&self.pivots()?).into()])?;
        reduced("sum", &logarithms, &Reduce::all())
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
        let go = |lu: &mut SuperLu| lu.refactored(&hermitian(a)?);
        go(&mut self.lu).map_err(|e| e.with_op("sparse.linalg.Cholesky.refactor"))
    }
}

/// Returns the Hermitian matrix of a lower triangle.
fn hermitian(a: &Sparse) -> Result<Sparse> {
    square(a)?;
    let lower = a.triangle(0, false)?;
    let above = a.triangle(-1, false)?.transpose(None)?;
    let above =
        if a.dtype().is_complex() { above.with_data(&apply("conjugate", [(&above.data()).into()])?)? } else { above };
    lower.to_format(Format::Csc)?.binary("add", &above.to_format(Format::Csc)?)
}

/// Cholesky factorisation of a Hermitian, positive definite sparse matrix, of which the lower triangle is read.
///
/// Returns the factor, in float32, float64, complex64 or complex128. The rows and columns are in the order of an
/// approximate minimum degree. SciPy has no such function. The factorisation is that of [`splu`](super::splu) with the
/// diagonal as the pivots, on the host.
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
/// [`LinAlg`](crate::ErrorKind::LinAlg) for one that is not positive definite.
///
/// # Synchronization
///
/// As [`splu`](super::splu).
pub fn cholesky(a: &Sparse) -> Result<Cholesky> {
    let options = LuOptions {
        ordering: Ordering::Symmetric,
        diagonal_threshold: Some(0.0),
        positive: true,
        ..LuOptions::default()
    };
    let go = || SuperLu::new(&hermitian(a)?, options).map(|lu| Cholesky { lu });
    go().map_err(|e: Error| e.with_op("sparse.linalg.cholesky"))
}
