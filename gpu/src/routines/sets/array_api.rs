//! The array API's variants of `unique`, one for each combination of results. NaN never equals NaN.

use cuprum_macros::routine;

use super::{UniqueOptions, unique};
use crate::array::Array;
use crate::error::Result;

/// Returns the unique elements of an array, sorted; NumPy's `unique_values`, whose order is unspecified.
///
/// The result has one axis and the dtype of `x`.
///
/// ```
/// let a = cuprum::array([3, 1, 3])?;
/// assert_eq!(cuprum::unique_values(&a)?.to_vec::<i32>()?, [1, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the number of elements.
#[routine]
pub fn unique_values(x: &Array) -> Result<Array> {
    Ok(unique(x, UniqueOptions { equal_nan: false, ..UniqueOptions::default() })?.values)
}

/// Returns the unique elements of an array and their counts; NumPy's `unique_counts`. The counts are int64.
///
/// Both have one axis; the elements have the dtype of `x`.
///
/// ```
/// let (values, counts) = cuprum::unique_counts(cuprum::array([3, 1, 3])?)?;
/// assert_eq!((values.to_vec::<i32>()?, counts.to_vec::<i64>()?), (vec![1, 3], vec![1, 2]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the number of elements.
#[routine(python(positional_only = 1, result_class = "UniqueCountsResult"))]
pub fn unique_counts(x: &Array) -> Result<(Array, Array)> {
    let found = unique(x, UniqueOptions { counts: true, equal_nan: false, ..UniqueOptions::default() })?;
    Ok((found.values, unwrap_part(found.counts)))
}

/// Returns the unique elements of an array, and the inverse indices in its shape; NumPy's `unique_inverse`. The inverse
/// indices are int64.
///
/// ```
/// let (values, inverse) = cuprum::unique_inverse(cuprum::array([[3], [1], [3]])?)?;
/// assert_eq!((inverse.shape(), inverse.to_vec::<i64>()?), (&[3, 1][..], vec![1, 0, 1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the number of elements.
#[routine(python(positional_only = 1, result_class = "UniqueInverseResult"))]
pub fn unique_inverse(x: &Array) -> Result<(Array, Array)> {
    let found = unique(x, UniqueOptions { inverse: true, equal_nan: false, ..UniqueOptions::default() })?;
    Ok((found.values, unwrap_part(found.inverse)))
}

/// Returns the unique elements of an array, their first indices, the inverse indices, and their counts; NumPy's
/// `unique_all`. All but the elements are int64.
///
/// The inverse has the shape of `x`, the others one axis; the elements have the dtype of `x`.
///
/// ```
/// let (values, (first, inverse, counts)) = cuprum::unique_all(cuprum::array([3, 1, 3])?)?;
/// assert_eq!((values.to_vec::<i32>()?, first.to_vec::<i64>()?), (vec![1, 3], vec![1, 0]));
/// assert_eq!((inverse.to_vec::<i64>()?, counts.to_vec::<i64>()?), (vec![1, 0, 1], vec![1, 2]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the number of elements.
#[routine(python(positional_only = 1, result_class = "UniqueAllResult"))]
pub fn unique_all(x: &Array) -> Result<(Array, (Array, Array, Array))> {
    let found = unique(x, UniqueOptions { index: true, inverse: true, counts: true, axis: None, equal_nan: false })?;
    Ok((found.values, (unwrap_part(found.index), unwrap_part(found.inverse), unwrap_part(found.counts))))
}

/// Unwraps a result that was requested.
fn unwrap_part(part: Option<Array>) -> Array {
    part.expect("unique returns what is requested")
}
