//! Relative extrema along an axis.
//!
//! One pass compares each element with its `order` neighbours on both sides; the indices of the marked
//! elements are then compacted.
//!
//! Lower bound: the data is read once, the mask is written and read once.

use std::sync::LazyLock;

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::peak_kernels::{Lazy, kernel, run};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, normalize_axis};
use crate::routines::searching::nonzero;

/// Comparison of an element with those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Less than all of them.
    Less = 0,
    /// Greater than all of them.
    Greater = 1,
    /// Less than or equal to all of them.
    LessEqual = 2,
    /// Greater than or equal to all of them.
    GreaterEqual = 3,
}

/// Elements beyond the ends of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExtremaEnds {
    /// The last element.
    #[default]
    Clip,
    /// The other end of the axis.
    Wrap,
}

static EXTREMA: Lazy = LazyLock::new(|| {
    kernel(
        "signal_extrema",
        "raw T x, int64 n, int64 inner, int64 order, int32 wrap, int32 relation",
        "bool y",
        "
    const long long at = i / inner % n;
    const T here = x[i];
    y = true;
    for (long long s = 1; y && s <= order; ++s) {
      for (int side = 0; y && side < 2; ++side) {
        long long other = side ? at - s : at + s;
        if (other >= n) other = wrap ? other - n : n - 1;
        if (other < 0) other = wrap ? other + n : 0;
        const T there = x[i + (other - at) * inner];
        y = relation == 0 ? here < there : relation == 1 ? here > there : relation == 2 ? here <= there : here >= there;
      }
    }",
        "",
    )
});

/// Marks the relative extrema of an array; see [`argrelextrema`].
fn marked(data: &Array, relation: Relation, axis: isize, order: usize, ends: ExtremaEnds) -> Result<Array> {
    if data.dtype().is_complex() {
        let message = format!("argrelextrema: `data` is {}, which is not ordered: pass real numbers", data.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let axis = normalize_axis(axis, data.ndim())?;
    if order == 0 {
        return Err(Error::new(ErrorKind::Value, "argrelextrema: the order must be at least 1, not 0".to_string()));
    }
    if data.size() == 0 {
        return make::empty(data.device(), data.shape(), DType::Bool);
    }
    let dtype = if matches!(data.dtype(), DType::F16 | DType::BF16) { DType::F32 } else { data.dtype() };
    let x = data.astype(dtype)?;
    let x = if x.is_c_contiguous() { x } else { x.copy(Order::C)? };
    let n = data.shape()[axis];
    let inner: usize = data.shape()[axis + 1..].iter().product();
    let wrap = i64::from(ends == ExtremaEnds::Wrap);
    // Beyond n positions the same elements are compared again.
    let order = order.min(n) as i64;
    let inputs =
        [(&x).into(), (n as i64).into(), (inner as i64).into(), order.into(), wrap.into(), (relation as i64).into()];
    run(&EXTREMA, &inputs, &[], Some(x.size()))?.remove(0).reshape(data.shape())
}

/// Indices of the relative extrema along an axis, one array for each axis; SciPy's `scipy.signal.argrelextrema`. They
/// are the elements for which a comparison with each of the `order` elements on both sides holds.
///
/// The arrays are int64, and have one axis with an element for each extremum.
///
/// ```
/// use cuprum::scipy::signal::{ExtremaEnds, Relation, argrelextrema};
/// let x = cuprum::array([2, 1, 2, 3, 2, 0, 1])?;
/// let found = argrelextrema(&x, Relation::Greater, 0, 1, ExtremaEnds::Clip)?;
/// assert_eq!(found[0].to_vec::<i64>()?, [3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order of 0, [`ErrorKind::Type`] for complex numbers, [`ErrorKind::Axis`].
///
/// # Synchronization
///
/// Synchronises: the size of the result depends on the elements.
#[unrecorded("returns a list: compared with SciPy's in `gpu/python/tests/test_signal_peaks.py`")]
pub fn argrelextrema(
    data: &Array,
    relation: Relation,
    axis: isize,
    order: usize,
    ends: ExtremaEnds,
) -> Result<Vec<Array>> {
    nonzero(marked(data, relation, axis, order, ends)?)
}

/// Indices of the relative maxima along an axis; SciPy's `scipy.signal.argrelmax`. See [`argrelextrema`].
///
/// The result has one int64 array of coordinates for each axis of the data.
///
/// ```
/// use cuprum::scipy::signal::{ExtremaEnds, argrelmax};
/// let a = cuprum::array([2, 1, 2, 3, 2, 0, 1, 0])?;
/// assert_eq!(argrelmax(&a, 0, 1, ExtremaEnds::Clip)?[0].to_vec::<i64>()?, [3, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`argrelextrema`].
///
/// # Synchronization
///
/// Synchronises: the size of the result depends on the elements.
#[unrecorded("calls `argrelextrema`")]
pub fn argrelmax(data: &Array, axis: isize, order: usize, ends: ExtremaEnds) -> Result<Vec<Array>> {
    argrelextrema(data, Relation::Greater, axis, order, ends)
}

/// Indices of the relative minima along an axis; SciPy's `scipy.signal.argrelmin`. See [`argrelextrema`].
///
/// The result has one int64 array of coordinates for each axis of the data.
///
/// ```
/// use cuprum::scipy::signal::{ExtremaEnds, argrelmin};
/// let a = cuprum::array([2, 1, 2, 3, 2, 0, 1, 0])?;
/// assert_eq!(argrelmin(&a, 0, 1, ExtremaEnds::Clip)?[0].to_vec::<i64>()?, [1, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`argrelextrema`].
///
/// # Synchronization
///
/// Synchronises: the size of the result depends on the elements.
#[unrecorded("calls `argrelextrema`")]
pub fn argrelmin(data: &Array, axis: isize, order: usize, ends: ExtremaEnds) -> Result<Vec<Array>> {
    argrelextrema(data, Relation::Less, axis, order, ends)
}
