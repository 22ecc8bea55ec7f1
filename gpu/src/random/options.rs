//! How many elements are drawn, of which dtype, and where to.

use cuprum_kernels::DType;

use crate::array::{Array, IntoShape};

/// What is drawn: a shape, a dtype, an array that is filled.
///
/// A shape alone is enough; `()` is one element, or as many as parameters that are arrays have together.
///
/// ```
/// use cuprum::DType;
/// use cuprum::random::{DrawOptions, default_rng};
/// let mut rng = default_rng(1)?;
/// assert_eq!(rng.random([2, 3])?.shape(), [2, 3]);
/// let narrow = DrawOptions::new().size(4).dtype(DType::F32);
/// assert_eq!(rng.random(narrow)?.dtype(), DType::F32);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DrawOptions<'a> {
    pub(super) size: Option<Vec<i64>>,
    pub(super) dtype: Option<DType>,
    pub(super) out: Option<&'a Array>,
    pub(super) endpoint: bool,
}

impl<'a> DrawOptions<'a> {
    /// As many elements as the parameters have, of the usual dtype.
    pub fn new() -> DrawOptions<'a> {
        DrawOptions::default()
    }

    /// The shape.
    pub fn size(self, size: impl IntoShape) -> DrawOptions<'a> {
        DrawOptions { size: Some(size.into_shape()), ..self }
    }

    /// The dtype.
    pub fn dtype(self, dtype: DType) -> DrawOptions<'a> {
        DrawOptions { dtype: Some(dtype), ..self }
    }

    /// An array that is filled, in any memory order; its shape and its dtype are those that are requested.
    pub fn out(self, out: &'a Array) -> DrawOptions<'a> {
        DrawOptions { out: Some(out), ..self }
    }

    /// Of integers, whether the upper bound may be drawn, too.
    pub fn endpoint(self, endpoint: bool) -> DrawOptions<'a> {
        DrawOptions { endpoint, ..self }
    }
}

impl<S: IntoShape> From<S> for DrawOptions<'_> {
    fn from(size: S) -> Self {
        let size = size.into_shape();
        DrawOptions { size: (!size.is_empty()).then_some(size), ..DrawOptions::default() }
    }
}

impl From<DType> for DrawOptions<'_> {
    fn from(dtype: DType) -> Self {
        DrawOptions::new().dtype(dtype)
    }
}
