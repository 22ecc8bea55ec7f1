//! NumPy's `numpy.polynomial.polyutils`.
//!
//! They prepare coefficients for the functions of the bases.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

pub use super::domains::{getdomain, mapdomain, mapparms};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::routines::dtypes::common_type;
use crate::routines::{logic, math};
use crate::scan::part;

/// Options of [`as_series`].
///
/// NumPy's parameter `trim` is true by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct AsSeriesOptions {
    /// If true, trailing zeros are trimmed. By default `true`.
    #[from]
    pub trim: bool,
}

impl Default for AsSeriesOptions {
    fn default() -> Self {
        AsSeriesOptions { trim: true }
    }
}

/// Converts arrays to series coefficients: copies of one axis, in their promoted floating-point dtype, without trailing
/// zeros; NumPy's `as_series`.
///
/// ```
/// use cuprum::{array, polynomial::polyutils::as_series};
/// let series = as_series([array([1, 2, 0])?, array([5, 0, 7])?], ())?;
/// assert_eq!(series[0].to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array that is empty or has several axes, and for booleans.
///
/// # Synchronization
///
/// With `trim`, synchronises to find the last nonzero coefficients.
#[routine(namespace = "numpy.polynomial.polyutils", python(returns_list))]
pub fn as_series(alist: &[&Array], options: AsSeriesOptions) -> Result<Vec<Array>> {
    series(alist, options.trim)
}

pub(super) fn series(arrays: &[&Array], trim: bool) -> Result<Vec<Array>> {
    let mut lines = vec![];
    for a in arrays {
        let a = if a.ndim() == 0 { a.reshape([1])? } else { (*a).clone() };
        if a.is_empty() || a.ndim() != 1 {
            let shape = shape_text(a.shape());
            return Err(Error::new(ErrorKind::Value, format!("an array of shape {shape} holds no coefficients")));
        }
        lines.push(if trim { trimmed(&a)? } else { a });
    }
    let dtype = common_type(&lines).map_err(|_| {
        Error::new(ErrorKind::Value, "coefficients of bool have no floating-point dtype: cast them to integers")
    })?;
    lines.iter().map(|a| a.cast(dtype, Order::C)).collect()
}

/// Trims trailing zeros, leaving at least one coefficient. Synchronises.
pub(super) fn trimmed(a: &Array) -> Result<Array> {
    if a.is_empty() {
        return Ok(a.clone());
    }
    let last = logic::not_equal(a, 0)?.to_vec::<bool>()?.iter().rposition(|x| *x).unwrap_or(0);
    part(a, 0, ..last as i64 + 1)
}

/// Trims trailing zeros, leaving at least one coefficient; a view. NumPy's `trimseq`.
///
/// The result has one axis and the dtype of `seq`.
///
/// ```
/// use cuprum::{array, polynomial::polyutils::trimseq};
/// assert_eq!(trimseq(array([1, 0, 2, 0, 0])?)?.to_vec::<i32>()?, [1, 0, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for coefficients that do not have one axis.
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficient.
#[routine(namespace = "numpy.polynomial.polyutils")]
pub fn trimseq(seq: &Array) -> Result<Array> {
    if seq.ndim() != 1 {
        let shape = shape_text(seq.shape());
        return Err(Error::new(ErrorKind::Value, format!("coefficients of shape {shape} have not one axis")));
    }
    trimmed(seq)
}

/// Trims trailing coefficients of magnitude `tol` or less, converting to floats; NumPy's `trimcoef`.
///
/// The result has one axis, and at least one coefficient.
///
/// ```
/// use cuprum::{array, polynomial::polyutils::trimcoef};
/// assert_eq!(trimcoef(array([0.0, 3.0, 1e-5, 0.0])?, 1e-3)?.to_vec::<f64>()?, [0.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`as_series`], and [`ErrorKind::Value`] for a negative `tol`.
///
/// # Synchronization
///
/// Synchronises to find the last remaining coefficient.
#[routine(namespace = "numpy.polynomial.polyutils", tol = 0.0)]
pub fn trimcoef(c: &Array, tol: f64) -> Result<Array> {
    above(c, tol)
}

/// Trims trailing coefficients that are not above a magnitude. Synchronises.
pub(super) fn above(c: &Array, tol: f64) -> Result<Array> {
    if tol < 0.0 {
        return Err(Error::new(ErrorKind::Value, format!("tol is {tol}: a magnitude is never below 0")));
    }
    let c = series(&[c], true)?.remove(0);
    let above = logic::greater(math::absolute(&c)?, tol)?.to_vec::<bool>()?;
    match above.iter().rposition(|x| *x) {
        Some(last) => part(&c, 0, ..last as i64 + 1),
        None => math::multiply(&part(&c, 0, ..1)?, 0),
    }
}

/// Casts integers and booleans to float64, as NumPy does by adding 0.0.
pub(super) fn floated(c: &Array) -> Result<Array> {
    if matches!(c.dtype(), DType::Bool) || c.dtype().is_integer() { c.astype(DType::F64) } else { Ok(c.clone()) }
}

pub(super) fn ones(a: &Array, n: usize) -> Result<Array> {
    make::full(a.device(), &[n], 1, DType::F64)
}
