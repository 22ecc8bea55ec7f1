//! Lexicographic sorting by several keys; NumPy's `lexsort`.
//!
//! Keys of one dtype along one axis are sorted together; otherwise the array is sorted stably by each key, from the
//! last to the first.

use super::{along, positions, rows_of};
use crate::array::Array;
use crate::engine::sort::SortedTable;
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::Order;
use cuprum_macros::{Options, routine};

/// Options of [`lexsort`].
///
/// An integer converts to options that set the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct LexsortOptions {
    /// The axis; by default the last.
    #[from]
    pub axis: isize,
}

impl Default for LexsortOptions {
    fn default() -> LexsortOptions {
        LexsortOptions { axis: -1 }
    }
}

/// Indirect stable sort by several keys of one shape, the last of which is the primary key; NumPy's `lexsort`. The
/// result is int64.
///
/// The result has the shape of a key; its elements are the indices along the axis that sort.
///
/// ```
/// use cuprum::Array;
/// let surnames = Array::from_vec(vec![7, 3, 7])?;
/// let first_names = Array::from_vec(vec![2, 9, 1])?;
/// assert_eq!(cuprum::lexsort([&first_names, &surnames], ())?.to_vec::<i64>()?, [1, 2, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] without keys, [`ErrorKind::Value`] for keys of different shapes, [`ErrorKind::Axis`] for an axis
/// that is out of bounds. 0-d keys result in the 0-d index 0.
#[routine]
pub fn lexsort(keys: &[&Array], options: LexsortOptions) -> Result<Array> {
    let axis = options.axis;
    let run = || {
        let Some((first, rest)) = keys.split_first() else {
            return Err(Error::new(ErrorKind::Type, "there are no keys to sort by: one is needed"));
        };
        if rest.iter().any(|key| key.shape() != first.shape()) {
            return Err(Error::new(ErrorKind::Value, "the keys must have one shape"));
        }
        if first.ndim() == 0 || first.size() == 0 {
            let order = positions(first, Some(axis))?;
            return if first.ndim() == 0 { order.reshape(()) } else { order.copy(Order::C) };
        }
        let (_, axis) = along(first, Some(axis), first.ndim())?;
        if first.ndim() == 1 && keys.len() > 2 && rest.iter().all(|key| key.dtype() == first.dtype()) {
            return by_all(keys);
        }
        let mut order = rows_of(&positions(first, Some(axis as isize))?, axis)?;
        for key in rest {
            // The sort is stable: equal keys keep the order by the previous keys.
            let sorted = engine::sort::take_along(&rows_of(key, axis)?, &order)?;
            order = if sorted.ndim() == 1 {
                engine::sort::sort_pairs(&sorted, &order)?.1
            } else {
                engine::sort::take_along(&order, &positions(&sorted, Some(-1))?)?
            };
        }
        // As in NumPy, the result is in C order.
        order.moveaxis([-1], [axis as isize])?.copy(Order::C)
    };
    run().map_err(|e: Error| e.with_op("lexsort"))
}

/// Sorts indirectly by several keys of one axis and dtype, as rows of a table.
fn by_all(keys: &[&Array]) -> Result<Array> {
    let (n, m) = (keys[0].size(), keys.len());
    let table = make::empty(keys[0].device(), &[n, m], keys[0].dtype())?;
    for (j, key) in keys.iter().rev().enumerate() {
        engine::copy(key, &table.index(s![.., j as i64])?)?;
    }
    Ok(SortedTable::of(&table)?.order)
}
