//! Options of sampling: shape, dtype and output array.
//!
//! A shape, a dtype and `()` convert to options, so that most calls need no struct.

use cuprum_kernels::DType;

use crate::array::{Array, IntoShape};

/// Options of sampling: a shape, a dtype, or an output array.
///
/// A shape alone is sufficient; `()` is one element, or the broadcast shape of array parameters.
///
/// ```
/// use cuprum::DType;
/// use cuprum::random::{RandomOptions, default_rng};
/// let mut rng = default_rng(1)?;
/// assert_eq!(rng.random([2, 3])?.shape(), [2, 3]);
/// let narrow = RandomOptions::new().size(4).dtype(DType::F32);
/// assert_eq!(rng.random(narrow)?.dtype(), DType::F32);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RandomOptions<'a> {
    pub(super) size: Option<Vec<i64>>,
    pub(super) dtype: Option<DType>,
    pub(super) out: Option<&'a Array>,
    pub(super) endpoint: bool,
}

impl<'a> RandomOptions<'a> {
    /// Creates options for the broadcast shape of the parameters, and the default dtype.
    ///
    /// ```
    /// use cuprum::DType;
    /// use cuprum::random::{RandomOptions, default_rng};
    /// let options = RandomOptions::new().size([2]).dtype(DType::F32);
    /// assert_eq!(default_rng(42)?.random(options)?.dtype(), DType::F32);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new() -> RandomOptions<'a> {
        RandomOptions::default()
    }

    /// Sets the shape.
    ///
    /// Parameters are broadcast to it.
    ///
    /// ```
    /// use cuprum::random::{RandomOptions, default_rng};
    /// let a = default_rng(1)?.normal(0.0, 1.0, RandomOptions::new().size([2, 3]))?;
    /// assert_eq!(a.shape(), [2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn size(self, size: impl IntoShape) -> RandomOptions<'a> {
        RandomOptions { size: Some(size.into_shape()), ..self }
    }

    /// Sets the dtype.
    ///
    /// Which dtypes a distribution has is on its page; another one is an error of kind `Type`.
    ///
    /// ```
    /// use cuprum::{DType, random::{RandomOptions, default_rng}};
    /// let a = default_rng(1)?.random(RandomOptions::new().size(4).dtype(DType::F32))?;
    /// assert_eq!(a.dtype(), DType::F32);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn dtype(self, dtype: DType) -> RandomOptions<'a> {
        RandomOptions { dtype: Some(dtype), ..self }
    }

    /// Sets the output array, in any memory order; its shape and dtype are those of the samples.
    ///
    /// ```
    /// use cuprum::random::{RandomOptions, default_rng};
    /// let out = cuprum::zeros(4, ())?;
    /// default_rng(1)?.random(RandomOptions::new().out(&out))?;
    /// assert!(out.to_vec::<f64>()?.iter().any(|x| *x != 0.0));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn out(self, out: &'a Array) -> RandomOptions<'a> {
        RandomOptions { out: Some(out), ..self }
    }

    /// Sets whether the upper bound of integers is inclusive.
    ///
    /// Only [`Generator::integers`](super::Generator::integers) has it.
    ///
    /// ```
    /// use cuprum::random::{RandomOptions, default_rng};
    /// let ones = default_rng(1)?.integers(1, 1, RandomOptions::new().size(3).endpoint(true))?;
    /// assert_eq!(ones.to_vec::<i64>()?, [1, 1, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn endpoint(self, endpoint: bool) -> RandomOptions<'a> {
        RandomOptions { endpoint, ..self }
    }
}

impl<S: IntoShape> From<S> for RandomOptions<'_> {
    fn from(size: S) -> Self {
        let size = size.into_shape();
        RandomOptions { size: (!size.is_empty()).then_some(size), ..RandomOptions::default() }
    }
}

impl From<DType> for RandomOptions<'_> {
    fn from(dtype: DType) -> Self {
        RandomOptions::new().dtype(dtype)
    }
}
