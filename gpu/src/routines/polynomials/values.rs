//! Evaluation of polynomials; NumPy's `polyval`.
//!
//! Horner's rule is one launch: a thread for each element of `x` reads all coefficients, which stay in the cache.
//!
//! Coefficients begin with the highest power.

use cuprum_macros::routine;

use crate::array::{Array, Operand};
use crate::dtype::promote_types;
use crate::engine::{self, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::layout::{Layout, Order};
use crate::routines::{creation, math};

/// Evaluates a polynomial at points, by Horner's rule; NumPy's `polyval`. The coefficients `p` are ordered from the
/// highest power; the result has the promoted dtype of coefficients and points, in which every step is rounded. If `p`
/// has several axes, its slices along the first are the coefficients, which are broadcast with the points.
///
/// ```
/// use cuprum::{array, polyval};
/// let p = array([3, 0, 1])?; // 3 x² + 1
/// assert_eq!(polyval(&p, 5)?.item::<i64>()?, 76);
/// assert_eq!(polyval(&p, array([0.5, 2.0])?)?.to_vec::<f64>()?, [1.75, 13.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for coefficients without an axis.
#[routine]
pub fn polyval(p: &Array, x: Operand<'_>) -> Result<Array> {
    let x = x.strong(Some(p.device()))?;
    one_device(p, [&x])?;
    if p.ndim() == 0 {
        return Err(Error::new(ErrorKind::Type, "p is 0-D: the coefficients are along an axis"));
    }
    if p.ndim() > 1 {
        let mut y = creation::zeros_like(&x, None)?;
        for k in 0..p.shape()[0] as i64 {
            y = math::add(&math::multiply(&y, &x)?, &p.index([Index::At(k)])?)?;
        }
        return Ok(y);
    }
    if p.is_empty() {
        return creation::zeros_like(&x, None);
    }
    // NumPy's first step starts from zeros with the layout of a copy of the points.
    let zeros = x.layout().in_order(x.itemsize(), Order::K);
    horner_of(p, &x, &[&zeros.strides, x.strides()])
}

/// Evaluates coefficients of one axis, at least one, in one launch; the result is laid out like arrays of these
/// strides.
pub(crate) fn horner_of(p: &Array, x: &Array, like: &[&[i64]]) -> Result<Array> {
    let dtype = promote_types(p.dtype(), x.dtype());
    let layout = Layout::like(x.shape(), dtype.size(), like);
    let out = Array::of_layout(x.device(), layout, dtype)?;
    let coefficients = if p.dtype() == dtype && p.is_c_contiguous() { p.clone() } else { p.cast(dtype, Order::C)? };
    engine::horner(&coefficients, x, &out)?;
    Ok(out)
}
