//! Values gathered in the elements that an index of any kind picks.

use cuprum_macros::routine;

use crate::array::{Array, AsArray, AsIndex, AsOperand, Index, Operand};
use crate::error::Result;
use crate::ufunc::ufunc;

/// Adds values to the elements that an index picks, as often as it names each; CuPy's `cupyx.scatter_add`, NumPy's `add.at`.
/// The index has parts of any kind; the values are broadcast to the shape of what it picks. The steps of an element are done
/// in the order of the indices, but for many floats, of which [`Ufunc::at`](crate::Ufunc::at) tells: always with the same bits.
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
/// As [`Array::index`](crate::Array::index) and [`Ufunc::at`](crate::Ufunc::at).
///
/// # Synchronization
///
/// With a mask the host waits for the number of its places.
pub fn scatter_add(a: impl AsArray, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
    scatter("add", "scatter_add", a.as_array(), slices.as_ref(), value.as_operand())
}

/// The larger one of each element that an index picks and of the values for it; CuPy's `cupyx.scatter_max`, NumPy's
/// `maximum.at`.
///
/// # Errors
///
/// As [`scatter_add`].
///
/// # Synchronization
///
/// As [`scatter_add`].
pub fn scatter_max(a: impl AsArray, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
    scatter("maximum", "scatter_max", a.as_array(), slices.as_ref(), value.as_operand())
}

/// The smaller one of each element that an index picks and of the values for it; CuPy's `cupyx.scatter_min`, NumPy's
/// `minimum.at`.
///
/// # Errors
///
/// As [`scatter_add`].
///
/// # Synchronization
///
/// As [`scatter_add`].
pub fn scatter_min(a: impl AsArray, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
    scatter("minimum", "scatter_min", a.as_array(), slices.as_ref(), value.as_operand())
}

impl Array {
    /// As [`scatter_add`](fn@crate::scatter_add).
    ///
    /// # Errors
    ///
    /// As [`scatter_add`](fn@crate::scatter_add).
    pub fn scatter_add(&self, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
        scatter_add(self, slices, value)
    }

    /// As [`scatter_max`](fn@crate::scatter_max).
    ///
    /// # Errors
    ///
    /// As [`scatter_add`](fn@crate::scatter_add).
    pub fn scatter_max(&self, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
        scatter_max(self, slices, value)
    }

    /// As [`scatter_min`](fn@crate::scatter_min).
    ///
    /// # Errors
    ///
    /// As [`scatter_add`](fn@crate::scatter_add).
    pub fn scatter_min(&self, slices: impl AsIndex, value: impl AsOperand) -> Result<()> {
        scatter_min(self, slices, value)
    }
}

fn scatter(function: &'static str, caller: &'static str, a: &Array, index: &[Index], value: Operand<'_>) -> Result<()> {
    let go = || ufunc(function)?.change(a, index, Some(value), (caller, ""));
    go().map_err(|e| e.with_op(caller))
}

/// NumPy's forms, for the call table: arrays of indices for the first axes.
mod forms {
    use super::*;

    fn of_arrays(slices: &[&Array]) -> Vec<Index> {
        slices.iter().map(|a| Index::from(*a)).collect()
    }

    /// Adds values to the elements that indices name, as often as each is named.
    #[routine(namespace = "cupyx")]
    fn scatter_add(a: &Array, slices: &[&Array], value: Operand<'_>) -> Result<()> {
        super::scatter_add(a, of_arrays(slices), value)
    }

    /// The larger one of each element that indices name and of the values for it.
    #[routine(namespace = "cupyx")]
    fn scatter_max(a: &Array, slices: &[&Array], value: Operand<'_>) -> Result<()> {
        super::scatter_max(a, of_arrays(slices), value)
    }

    /// The smaller one of each element that indices name and of the values for it.
    #[routine(namespace = "cupyx")]
    fn scatter_min(a: &Array, slices: &[&Array], value: Operand<'_>) -> Result<()> {
        super::scatter_min(a, of_arrays(slices), value)
    }
}
