//! Indices and number of nonzero elements.
//!
//! Nonzero elements are flagged and numbered in one pass, and a second pass writes their indices, while the host reads
//! their number if memory is not scarce.

use crate::array::{Array, AsArray, IntoArgument};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::reduction::{Reduce, reduced};
use cuprum_macros::routine;

/// Returns the indices of nonzero elements in C order, an array of int64 for each axis; NumPy's `nonzero`. NaN is
/// nonzero, a zero of either sign is not.
///
/// As in NumPy, the arrays are columns of one array of shape (number, axes).
///
/// # Errors
///
/// [`ErrorKind::Value`] for a 0-d array.
///
/// # Synchronization
///
/// Synchronises to read the number of nonzero elements.
///
/// ```
/// let a = cuprum::array([[3, 0], [0, 4]])?;
/// let indices = cuprum::nonzero(&a)?;
/// assert_eq!(indices[0].to_vec::<i64>()?, [0, 1]);
/// assert_eq!(indices[1].to_vec::<i64>()?, [0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method)]
pub fn nonzero(a: &Array) -> Result<Vec<Array>> {
    let go = || {
        if a.ndim() == 0 {
            let message = "an array of shape () has no axis to index: reshape(1) gives it one";
            return Err(Error::new(ErrorKind::Value, message));
        }
        let indices = engine::mark(a)?.coordinates(a.shape(), a.ndim() - 1)?;
        (0..a.ndim()).map(|axis| indices.index(s![.., axis as i64])).collect()
    };
    go().map_err(|e| e.with_op("nonzero"))
}

/// Returns the flat indices of nonzero elements in C order; NumPy's `flatnonzero`. The result is int64.
///
/// The result has one axis, as long as there are nonzero elements.
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the number of nonzero elements.
///
/// ```
/// let a = cuprum::array([[3, 0], [0, 4]])?;
/// assert_eq!(cuprum::flatnonzero(&a)?.to_vec::<i64>()?, [0, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method)]
pub fn flatnonzero(a: &Array) -> Result<Array> {
    let go = || engine::mark(a)?.positions();
    go().map_err(|e: Error| e.with_op("flatnonzero"))
}

/// Returns the indices of nonzero elements, a row for each; NumPy's `argwhere`. As in NumPy, the array is in Fortran
/// order.
///
/// The result is int64 of the shape `[n, ndim]` for `n` nonzero elements.
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the number of nonzero elements.
///
/// ```
/// let a = cuprum::array([[3, 0], [0, 4]])?;
/// assert_eq!(cuprum::argwhere(&a)?.to_vec::<i64>()?, [0, 0, 1, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method)]
pub fn argwhere(a: &Array) -> Result<Array> {
    let go = || engine::mark(a)?.coordinates(a.shape(), 0);
    go().map_err(|e: Error| e.with_op("argwhere"))
}

/// Counts nonzero elements, as int64; NumPy's `count_nonzero`. The result is always an array, of no axes for a single
/// count.
///
/// The result has the shape of `a` without the reduced axes. NaN counts as nonzero.
///
/// # Errors
///
/// Same as [`Reduction::call`](crate::Reduction::call).
///
/// ```
/// let a = cuprum::array([[3, 0], [5, 4]])?;
/// assert_eq!(cuprum::count_nonzero(&a, 0)?.to_vec::<i64>()?, [2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn count_nonzero(a: impl AsArray, options: impl IntoArgument<Reduce>) -> Result<Array> {
    reduced("count_nonzero", a.as_array(), &options.into())
}

impl Array {
    /// Counts nonzero elements; see [`count_nonzero`](count_nonzero()).
    ///
    /// ```
    /// let a = cuprum::array([[0, 1], [2, 0]])?;
    /// assert_eq!(a.count_nonzero(())?.item::<i64>()?, 2);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`Reduction::call`](crate::Reduction::call).
    pub fn count_nonzero(&self, options: impl IntoArgument<Reduce>) -> Result<Array> {
        reduced("count_nonzero", self, &options.into())
    }
}
