//! Scatter operations: `scatter_add`, `scatter_max` and `scatter_min`.
//!
//! Repeated indices accumulate, and results are bitwise reproducible: integers use atomic instructions, whose order
//! does not matter, and floats are added in an order, or by exact sums, that [`Ufunc::at`](crate::Ufunc::at) documents.

use cuprum_macros::routine;

use crate::array::{Array, AsArray, AsIndex, AsOperand, Index, Operand};
use crate::error::Result;
use crate::routines::indexing::AtOrder;
use crate::ufunc::ufunc;

/// Adds values to the elements that an index selects, once for each occurrence; CuPy's `cupyx.scatter_add`, NumPy's
/// `add.at`. The index is of any kind; the values are broadcast to the shape that it selects. The additions to an
/// element are done in the order of the indices, except for many floats, as [`Ufunc::at`](crate::Ufunc::at) documents;
/// the results are bitwise reproducible.
///
/// ```
/// use cuprum::{array, s, scatter_add, zeros};
/// let a = zeros([2, 3], ())?;
/// scatter_add(&a, s![.., [0, 2, 0]], array([1.0, 2.0, 3.0])?)?;
/// assert_eq!(a.to_vec::<f64>()?, [4.0, 0.0, 2.0, 4.0, 0.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`Array::index`](crate::Array::index) and [`Ufunc::at`](crate::Ufunc::at).
///
/// # Synchronization
///
/// Synchronises to count the true elements of a mask.
pub fn scatter_add(a: impl AsArray, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
    scatter("add", "scatter_add", a.as_array(), slices.as_ref(), value.as_operand())
}

/// Replaces each element that an index selects by the maximum of it and the values for it; CuPy's `cupyx.scatter_max`,
/// NumPy's `maximum.at`.
///
/// Floating-point NaN counts as the maximum, as of [`maximum`](crate::maximum). The result does not depend
/// on the order of threads.
///
/// ```
/// use cuprum::{array, scatter_max};
/// let a = array([0, 5])?;
/// scatter_max(&a, cuprum::s![[0, 0, 1]], array([3, 2, 4])?)?;
/// assert_eq!(a.to_vec::<i32>()?, [3, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`scatter_add`].
///
/// # Synchronization
///
/// Same as [`scatter_add`].
pub fn scatter_max(a: impl AsArray, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
    scatter("maximum", "scatter_max", a.as_array(), slices.as_ref(), value.as_operand())
}

/// Replaces each element that an index selects by the minimum of it and the values for it; CuPy's `cupyx.scatter_min`,
/// NumPy's `minimum.at`.
///
/// Floating-point NaN counts as the minimum, as of [`minimum`](crate::minimum). The result does not depend
/// on the order of threads.
///
/// ```
/// use cuprum::{array, scatter_min};
/// let a = array([9, 5])?;
/// scatter_min(&a, cuprum::s![[0, 0, 1]], array([3, 2, 7])?)?;
/// assert_eq!(a.to_vec::<i32>()?, [2, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`scatter_add`].
///
/// # Synchronization
///
/// Same as [`scatter_add`].
pub fn scatter_min(a: impl AsArray, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
    scatter("minimum", "scatter_min", a.as_array(), slices.as_ref(), value.as_operand())
}

impl Array {
    /// Adds values to the selected elements; see [`scatter_add`](fn@crate::scatter_add).
    ///
    /// ```
    /// let a = cuprum::array([0, 0])?;
    /// a.scatter_add(cuprum::s![[0, 0, 1]], 1)?;
    /// assert_eq!(a.to_vec::<i32>()?, [2, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`scatter_add`](fn@crate::scatter_add).
    pub fn scatter_add(&self, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
        scatter_add(self, slices, value)
    }

    /// Takes the maximum with values at the selected elements; see [`scatter_max`](fn@crate::scatter_max).
    ///
    /// ```
    /// let a = cuprum::array([0, 5])?;
    /// a.scatter_max(cuprum::s![[0, 1]], 3)?;
    /// assert_eq!(a.to_vec::<i32>()?, [3, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`scatter_add`](fn@crate::scatter_add).
    pub fn scatter_max(&self, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
        scatter_max(self, slices, value)
    }

    /// Takes the minimum with values at the selected elements; see [`scatter_min`](fn@crate::scatter_min).
    ///
    /// ```
    /// let a = cuprum::array([0, 5])?;
    /// a.scatter_min(cuprum::s![[0, 1]], 3)?;
    /// assert_eq!(a.to_vec::<i32>()?, [0, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`scatter_add`](fn@crate::scatter_add).
    pub fn scatter_min(&self, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
        scatter_min(self, slices, value)
    }
}

fn scatter(function: &'static str, caller: &'static str, a: &Array, index: &[Index], value: Operand<'_>) -> Result<()> {
    let go = || ufunc(function)?.change(a, index, Some(value), AtOrder::Deterministic, (caller, ""));
    go().map_err(|e| e.with_op(caller))
}

/// NumPy's signatures, for the call table: index arrays for the first axes.
mod forms {
    use super::*;

    fn of_arrays(slices: &[&Array]) -> Vec<Index> {
        slices.iter().map(|a| Index::from(*a)).collect()
    }

    /// Adds values to the elements at indices, once for each occurrence.
    #[routine(namespace = "cupyx")]
    fn scatter_add(a: &Array, slices: &[&Array], value: Operand<'_>) -> Result<()> {
        super::scatter_add(a, of_arrays(slices), value)
    }

    /// Replaces each element at the indices by the maximum of it and the values for it.
    #[routine(namespace = "cupyx")]
    fn scatter_max(a: &Array, slices: &[&Array], value: Operand<'_>) -> Result<()> {
        super::scatter_max(a, of_arrays(slices), value)
    }

    /// Replaces each element at the indices by the minimum of it and the values for it.
    #[routine(namespace = "cupyx")]
    fn scatter_min(a: &Array, slices: &[&Array], value: Operand<'_>) -> Result<()> {
        super::scatter_min(a, of_arrays(slices), value)
    }
}
