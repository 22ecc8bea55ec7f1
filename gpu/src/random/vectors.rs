//! Multivariate normal distribution: independent normal numbers, times a factor of the covariance.
//!
//! The factor is computed by the library of the device, once for each call.

use cuprum_kernels::DType;

use super::generator::Generator;
use super::legacy::shared;
use super::options::RandomOptions;
use crate::array::{Array, AsArray, IntoArgument, IntoShape, checked_shape};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::linalg;
use crate::routines::linalg::matmul;
use crate::routines::{logic, math, statistics};

/// Factorisation of the covariance in [`Generator::multivariate_normal`].
///
/// NumPy spells them in lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CovarianceFactor {
    /// Singular value decomposition.
    #[default]
    Svd,
    /// Eigenvalue decomposition.
    Eigh,
    /// Cholesky decomposition, the fastest; a covariance that is not positive definite is reported by the next call
    /// that synchronises.
    Cholesky,
}

/// Options of [`Generator::multivariate_normal`]: shape, dtype, and checks and factorisation of the covariance.
///
/// A shape alone is sufficient; `()` is one vector.
///
/// ```
/// use cuprum::{DType, array, random::{CovarianceFactor, MultivariateNormalOptions, default_rng}};
/// let options = MultivariateNormalOptions::new().size(10).method(CovarianceFactor::Cholesky).dtype(DType::F32);
/// let points = default_rng(1)?.multivariate_normal(array([0.0, 0.0])?, array([[1.0, 0.0], [0.0, 1.0]])?, options)?;
/// assert_eq!((points.shape(), points.dtype()), (&[10, 2][..], DType::F32));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MultivariateNormalOptions {
    size: Vec<i64>,
    check_valid: bool,
    tol: f64,
    method: CovarianceFactor,
    dtype: DType,
}

impl Default for MultivariateNormalOptions {
    fn default() -> Self {
        MultivariateNormalOptions {
            size: vec![],
            check_valid: true,
            tol: 1e-8,
            method: CovarianceFactor::Svd,
            dtype: DType::F64,
        }
    }
}

impl MultivariateNormalOptions {
    /// Creates options for one vector, with the singular value decomposition of a checked covariance.
    pub fn new() -> MultivariateNormalOptions {
        MultivariateNormalOptions::default()
    }

    /// Sets the shape, to which the axis of a vector is added.
    pub fn size(self, size: impl IntoShape) -> MultivariateNormalOptions {
        MultivariateNormalOptions { size: size.into_shape(), ..self }
    }

    /// Sets whether a covariance that is not positive semidefinite is rejected; NumPy's `'raise'` and `'ignore'`.
    pub fn check_valid(self, check_valid: bool) -> MultivariateNormalOptions {
        MultivariateNormalOptions { check_valid, ..self }
    }

    /// Sets the tolerance of that check.
    ///
    /// By default 1e-8, as in NumPy.
    pub fn tol(self, tol: f64) -> MultivariateNormalOptions {
        MultivariateNormalOptions { tol, ..self }
    }

    /// Sets the factorisation of the covariance.
    pub fn method(self, method: CovarianceFactor) -> MultivariateNormalOptions {
        MultivariateNormalOptions { method, ..self }
    }

    /// Sets the dtype: float64 or float32.
    pub fn dtype(self, dtype: DType) -> MultivariateNormalOptions {
        MultivariateNormalOptions { dtype, ..self }
    }
}

impl<S: IntoShape> From<S> for MultivariateNormalOptions {
    fn from(size: S) -> Self {
        MultivariateNormalOptions::new().size(size)
    }
}

/// Casts a real parameter to a dtype.
fn real(name: &str, a: &Array, dtype: DType) -> Result<Array> {
    if a.dtype().is_complex() {
        let message = format!("`{name}` is of {}: a parameter is a real number", a.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    a.cast(dtype, Order::K)
}

/// Returns a matrix `f` with `f fᵀ = cov`, in float64, so that `tol` means the same for all dtypes; `None` if a check
/// finds that `cov` is not a covariance.
fn factor(cov: &Array, options: &MultivariateNormalOptions) -> Result<Option<Array>> {
    let columns = |u: &Array, values: &Array| math::multiply(u, &math::sqrt(values)?);
    match options.method {
        // The decomposition fails by itself.
        CovarianceFactor::Cholesky => linalg::cholesky(cov, ()).map(Some),
        CovarianceFactor::Eigh => {
            let (values, u) = linalg::eigh(cov, ())?;
            if options.check_valid
                && !values.is_empty()
                && statistics::min(&values, ())?.to_scalar()?.real() < -options.tol
            {
                return Ok(None);
            }
            // A zero eigenvalue may be computed as slightly negative.
            columns(&u, &math::absolute(&values)?).map(Some)
        }
        CovarianceFactor::Svd => {
            let (Some(u), values, Some(vh)) = linalg::svd(cov, ())? else {
                return Err(Error::new(ErrorKind::LinAlg, "the covariance has no singular vectors"));
            };
            if options.check_valid {
                let back = matmul(&math::multiply(vh.t(), &values)?, &vh)?;
                if !logic::allclose(&back, cov, logic::CloseOptions::new().rtol(options.tol).atol(options.tol))? {
                    return Ok(None);
                }
            }
            columns(&u, &values).map(Some)
        }
    }
}

impl Generator {
    /// Multivariate normal distribution of a mean and a covariance; NumPy's `multivariate_normal`. The last axis has an
    /// element for each of `mean`. The underlying normal numbers are bitwise equal on every device; the factor of the
    /// covariance, and so the vectors, depend on the device's library.
    ///
    /// The result has the shape of the options with the axis of the mean after it.
    ///
    /// The result has the axis of the mean last.
    ///
    /// The result has the shape of the options and a last axis as long as the mean, and dtype float64 unless
    /// the options name float32.
    ///
    /// ```
    /// use cuprum::{array, random::default_rng};
    /// let mut rng = default_rng(1)?;
    /// let points = rng.multivariate_normal(array([1.0, -1.0])?, array([[2.0, 0.5], [0.5, 1.0]])?, [100])?;
    /// assert_eq!(points.shape(), [100, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a mean of more than one axis, a covariance that is not square or does not match the
    /// mean, and one that is not symmetric and positive semidefinite where that is checked; [`ErrorKind::LinAlg`] for
    /// the Cholesky factor of such a covariance, at the next synchronisation; [`ErrorKind::Type`] for complex numbers,
    /// float16 and bfloat16.
    ///
    /// # Synchronization
    ///
    /// Synchronises if the covariance is checked, except with the Cholesky factor.
    pub fn multivariate_normal(
        &mut self,
        mean: impl AsArray,
        cov: impl AsArray,
        options: impl IntoArgument<MultivariateNormalOptions>,
    ) -> Result<Array> {
        self.normal_vectors(mean.as_array(), cov.as_array(), &options.into())
            .map_err(|e| e.with_op("multivariate_normal"))
    }

    fn normal_vectors(&mut self, mean: &Array, cov: &Array, options: &MultivariateNormalOptions) -> Result<Array> {
        if mean.ndim() != 1 {
            let message = format!("`mean` has {} axes: it has one", mean.ndim());
            return Err(Error::new(ErrorKind::Value, message));
        }
        let n = mean.size();
        if cov.shape() != [n, n] {
            let (shape, square) = (shape_text(cov.shape()), shape_text(&[n, n]));
            let message = format!("`cov` has the shape {shape}: for a mean of {n} elements it must be {square}");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let (mean, cov) = (real("mean", mean, options.dtype)?, real("cov", cov, DType::F64)?);
        let Some(factor) = factor(&cov, options)? else {
            let message = format!(
                "`cov` is not symmetric and positive semidefinite to {}: fix it, allow more by `tol`, or skip the \
                 check",
                options.tol
            );
            return Err(Error::new(ErrorKind::Value, message));
        };
        let shape = [&checked_shape(&options.size)?[..], &[n]].concat();
        let samples =
            mean.device().with(|| self.standard_normal(RandomOptions::new().size(&shape[..]).dtype(options.dtype)))?;
        let factor = factor.cast(options.dtype, Order::K)?;
        math::add(&matmul(&samples, factor.t())?, &mean)
    }
}

/// Samples from the multivariate normal distribution with the global generator; see [`Generator::multivariate_normal`].
///
/// The result has the shape of the options and a last axis as long as `mean`.
///
/// # Errors
///
/// Same as the method.
pub fn multivariate_normal(
    mean: impl AsArray,
    cov: impl AsArray,
    options: impl IntoArgument<MultivariateNormalOptions>,
) -> Result<Array> {
    shared()?.multivariate_normal(mean, cov, options)
}
