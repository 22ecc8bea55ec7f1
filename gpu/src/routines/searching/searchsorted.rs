//! Binary search in sorted arrays: `searchsorted` and `digitize`.
//!
//! A thread searches for each value by bisection: `log2(n)` reads of a sorted array of `n` elements, without a check
//! that it is sorted.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Choice, Options, routine};

use crate::array::{Array, Operand};
use crate::dtype::promote_types;
use crate::engine::{self, Reading, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Layout, Order, shape_text};
use crate::reduction::Reduce;
use crate::routines::{math, statistics};
use crate::scalar::Scalar;

/// Position of a value among equal elements; NumPy's `side`.
///
/// NumPy spells them `"left"` and `"right"`.
///
/// ```
/// use cuprum::{Side, array, searchsorted};
/// let a = array([1, 2, 2, 3])?;
/// assert_eq!(searchsorted(&a, 2, Side::Left)?.item::<i64>()?, 1);
/// assert_eq!(searchsorted(&a, 2, Side::Right)?.item::<i64>()?, 3);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum Side {
    /// Before them.
    #[default]
    Left,
    /// After them.
    Right,
}

/// Options of [`searchsorted`].
///
/// A [`Side`] converts to options that set it alone.
///
/// ```
/// use cuprum::{Side, array, searchsorted};
/// let a = array([1, 2, 2, 3])?;
/// assert_eq!(searchsorted(&a, array([2])?, ())?.to_vec::<i64>()?, [1]);
/// assert_eq!(searchsorted(&a, array([2])?, Side::Right)?.to_vec::<i64>()?, [3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct SearchOptions<'a> {
    /// The position of a value among equal elements. By default [`Side::Left`].
    #[from]
    pub side: Side,
    /// The indices that sort the array if it is not sorted: integers, one for each element.
    pub sorter: Option<&'a Array>,
}

/// Returns, for each of the values `v`, the index in the sorted array `a` before which it can be inserted in order;
/// NumPy's `searchsorted`. Both are compared in their promoted dtype, in which NaN is last. For an array that is not
/// sorted the result is meaningless. The result has the shape of `v` and dtype int64.
///
/// # Errors
///
/// [`ErrorKind::Value`] where `a` does not have one axis, and for a sorter without an index in bounds for each element;
/// [`ErrorKind::Type`] for a sorter that does not hold integers.
///
/// # Synchronization
///
/// With a sorter, synchronises to check that its indices are in bounds. (NumPy rejects an index out of bounds only if
/// the search encounters it; here every such index is rejected.)
///
/// ```
/// use cuprum::{Side, array, searchsorted};
/// let edges = array([1.0, 2.0, 4.0])?;
/// let values = array([0.5, 2.0, 9.0])?;
/// assert_eq!(searchsorted(&edges, &values, ())?.to_vec::<i64>()?, [0, 1, 3]);
/// assert_eq!(searchsorted(&edges, &values, Side::Right)?.to_vec::<i64>()?, [0, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method)]
pub fn searchsorted(a: &Array, v: Operand<'_>, options: SearchOptions<'_>) -> Result<Array> {
    let go = || match v {
        Operand::Array(v) => placed(a, v, options),
        Operand::Scalar(number) => {
            let dtype = match number {
                Scalar::Bool(_) => DType::Bool,
                Scalar::Int(n) if n > i64::MAX.into() => DType::U64,
                Scalar::Int(_) => DType::I64,
                Scalar::Float(_) => DType::F64,
                Scalar::Complex(_) => DType::C128,
            };
            placed(a, &make::full(a.device(), &[], number, dtype)?, options)
        }
    };
    go().map_err(|e| e.with_op("searchsorted"))
}

fn placed(a: &Array, v: &Array, options: SearchOptions<'_>) -> Result<Array> {
    engine::one_device(a, options.sorter.into_iter().chain([v]))?;
    if a.ndim() != 1 {
        let shape = shape_text(a.shape());
        return Err(Error::new(
            ErrorKind::Value,
            format!("an array of shape {shape} is searched: it must have one axis"),
        ));
    }
    let sorter = options.sorter.map(|sorter| checked_sorter(sorter, a.size())).transpose()?;
    let out = Array::of_layout(v.device(), Layout::c_order(v.shape(), 8), DType::I64)?;
    let common = promote_types(a.dtype(), v.dtype());
    engine::search(a, v, common, options.side == Side::Right, sorter.as_ref(), &out)?;
    Ok(out)
}

/// Returns the sorter as int64 in C order, after checking that every index is in bounds.
fn checked_sorter(sorter: &Array, n: usize) -> Result<Array> {
    if !matches!(sorter.dtype().kind(), Kind::Signed | Kind::Unsigned) {
        let message = format!("the sorter must only contain integers, not {}", sorter.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    if sorter.ndim() != 1 || sorter.size() != n {
        let message =
            format!("the sorter, of shape {}, must have an index for each of {n} elements", shape_text(sorter.shape()));
        return Err(Error::new(ErrorKind::Value, message));
    }
    let indices = sorter.cast(DType::I64, Order::C)?;
    if n > 0 {
        let ends = [
            statistics::min(&indices, Reduce::all())?.item::<i64>()?,
            statistics::max(&indices, Reduce::all())?.item()?,
        ];
        if let Some(wrong) = ends.into_iter().find(|&i| i < 0 || i as u64 >= n as u64) {
            let message = format!("the index {wrong} of the sorter is out of bounds for an array of size {n}");
            return Err(Error::new(ErrorKind::Value, message));
        }
    }
    Ok(indices)
}

/// Options of [`digitize`].
///
/// By default an edge belongs to the bin after it, if edges increase.
///
/// ```
/// use cuprum::{DigitizeOptions, array, digitize};
/// let bins = array([0.0, 1.0, 2.0])?;
/// assert_eq!(digitize(&array([1.0])?, &bins, ())?.to_vec::<i64>()?, [2]);
/// assert_eq!(digitize(&array([1.0])?, &bins, DigitizeOptions::new().right(true))?.to_vec::<i64>()?, [1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct DigitizeOptions {
    /// If true, an edge belongs to the bin before it if edges increase, or to the bin after it if they decrease. By
    /// default `false`.
    pub right: bool,
}

/// Returns the index of the bin of each element of `x`: 0 before the first edge, the number of edges after the last;
/// NumPy's `digitize`. Edges increase or decrease; with `right` an edge belongs to the bin before it (for increasing
/// edges; for decreasing ones, to the bin after it). The result has the shape of `x` and dtype int64.
///
/// # Errors
///
/// [`ErrorKind::Value`] where the edges do not have one axis, or are not monotonic; [`ErrorKind::Type`] for complex
/// numbers.
///
/// # Synchronization
///
/// Synchronises with the copy of the edges to the host, to determine their direction.
///
/// ```
/// let x = cuprum::array([0.2, 6.4, 3.0])?;
/// let edges = cuprum::array([0.0, 1.0, 3.0, 5.0])?;
/// assert_eq!(cuprum::digitize(&x, &edges, ())?.to_vec::<i64>()?, [1, 4, 3]);
/// let right = cuprum::DigitizeOptions::new().right(true);
/// assert_eq!(cuprum::digitize(&x, &edges, right)?.to_vec::<i64>()?, [1, 4, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine]
pub fn digitize(x: &Array, bins: &Array, options: DigitizeOptions) -> Result<Array> {
    let go = || {
        if x.dtype().is_complex() {
            return Err(Error::new(ErrorKind::Type, format!("elements of {} have no order", x.dtype())));
        }
        if bins.ndim() != 1 {
            let shape = shape_text(bins.shape());
            return Err(Error::new(ErrorKind::Value, format!("the edges, of shape {shape}, must have one axis")));
        }
        if bins.dtype().is_complex() {
            return Err(Error::new(ErrorKind::Type, format!("edges of {} have no order", bins.dtype())));
        }
        let side = if options.right { Side::Left } else { Side::Right };
        engine::one_device(bins, [x])?;
        // The search runs while the edges are checked.
        let read = bins.cast(DType::F64, Order::C)?;
        let reading = Reading::of(&read)?;
        let found = Array::of_layout(x.device(), Layout::c_order(x.shape(), 8), DType::I64)?;
        engine::search_rising(bins, x, promote_types(bins.dtype(), x.dtype()), !options.right, &found)?;
        let edges = reading.finish::<f64>()?;
        match direction(&edges) {
            None => Err(Error::new(ErrorKind::Value, "the edges must increase or decrease monotonically")),
            // With a NaN between them, the first and the last edge may be in any order.
            Some(true) if edges.last() < edges.first() => placed(bins, x, side.into()),
            Some(true) => Ok(found),
            Some(false) => {
                let found = placed(&bins.index(s![..;-1])?, x, side.into())?;
                math::subtract(bins.size() as i64, &found)
            }
        }
    };
    go().map_err(|e| e.with_op("digitize"))
}

/// Returns whether edges increase (`true`) or decrease; `None` if they are not monotonic. The first change decides; a
/// change to NaN counts as a decrease.
fn direction(edges: &[f64]) -> Option<bool> {
    let Some(first) = edges.windows(2).position(|w| w[0] != w[1]) else { return Some(true) };
    let rising = edges[first] < edges[first + 1];
    let broken = edges[first + 1..].windows(2).any(|w| if rising { w[0] > w[1] } else { w[0] < w[1] });
    (!broken).then_some(rising)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the direction that the first and the last edge determine, also with NaN between them, with a search in
    /// float64.
    #[test]
    fn edges_go_either_way() -> Result<()> {
        let x = crate::array([-2.0, 0.0, 0.5, 1.0, 3.0])?;
        for (edges, want) in [
            (vec![0.0, 1.0], [0, 1, 1, 2, 2]),
            (vec![1.0, 0.0], [2, 1, 1, 0, 0]),
            (vec![1.0, 1.0], [0, 0, 0, 2, 2]),
            (vec![0.5], [0, 0, 1, 1, 1]),
            (vec![], [0; 5]),
        ] {
            let edges = Array::from_vec(edges)?;
            assert_eq!(digitize(&x, &edges, ())?.to_vec::<i64>()?, want, "{edges}");
        }
        // A search of unsorted edges is meaningless, but returns an index.
        let broken = crate::array([0.0, 1.0, f64::NAN, -1.0])?;
        let found = digitize(&x, &broken, ())?.to_vec::<i64>()?;
        assert!(found.iter().all(|at| (0..=4).contains(at)), "{found:?}");
        assert!(digitize(&x, &crate::array([0.0, 1.0, 0.5])?, ()).is_err());
        Ok(())
    }
}
