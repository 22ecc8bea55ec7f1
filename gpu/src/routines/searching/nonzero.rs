//! The places of elements that are not zero.

use crate::array::{Array, AsArray, IntoArgument};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::reduction::{Reduce, reduced};
use cuprum_macros::routine;

/// The indices of the elements that are not zero, in C order: an array of int64 for each axis. NumPy's `nonzero`. NaN is
/// not zero, a zero of either sign is.
///
/// As in NumPy, the arrays are columns of one array of shape (number, axes).
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array of no axes.
///
/// # Synchronization
///
/// The host waits for the number of elements that are found.
///
/// ```
/// let a = cuprum::array([[3, 0], [0, 4]])?;
/// let places = cuprum::nonzero(&a)?;
/// assert_eq!(places[0].to_vec::<i64>()?, [0, 1]);
/// assert_eq!(places[1].to_vec::<i64>()?, [0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method)]
pub fn nonzero(a: &Array) -> Result<Vec<Array>> {
    let go = || {
        if a.ndim() == 0 {
            let message = "an array of shape () has no places: reshape(1) gives it an axis";
            return Err(Error::new(ErrorKind::Value, message));
        }
        let places = engine::mark(a)?.coordinates(a.shape(), a.ndim() - 1)?;
        (0..a.ndim()).map(|axis| places.index(s![.., axis as i64])).collect()
    };
    go().map_err(|e| e.with_op("nonzero"))
}

/// The indices of the elements that are not zero among all in C order; NumPy's `flatnonzero`.
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device.
///
/// # Synchronization
///
/// The host waits for the number of elements that are found.
///
/// ```
/// let a = cuprum::array([[3, 0], [0, 4]])?;
/// assert_eq!(cuprum::flatnonzero(&a)?.to_vec::<i64>()?, [0, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method)]
pub fn flatnonzero(a: &Array) -> Result<Array> {
    let go = || engine::mark(a)?.places();
    go().map_err(|e: Error| e.with_op("flatnonzero"))
}

/// The indices of the elements that are not zero, a row for each; NumPy's `argwhere`. As in NumPy, the array is in
/// Fortran order.
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device.
///
/// # Synchronization
///
/// The host waits for the number of elements that are found.
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

/// How many elements are not zero, as int64; NumPy's `count_nonzero`. The result is an array, also where it has no axes.
///
/// # Errors
///
/// As [`Reduction::call`](crate::Reduction::call).
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
    /// How many elements are not zero: [`count_nonzero`](count_nonzero()) as a method.
    ///
    /// # Errors
    ///
    /// As [`Reduction::call`](crate::Reduction::call).
    pub fn count_nonzero(&self, options: impl IntoArgument<Reduce>) -> Result<Array> {
        reduced("count_nonzero", self, &options.into())
    }
}
