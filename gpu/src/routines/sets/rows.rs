//! Unique slices of an array along an axis.

use cuprum_kernels::DType;
use cuprum_kernels::source::RunPick;

use super::{Unique, UniqueOptions, finish, run_request};
use crate::array::Array;
use crate::engine::make;
use crate::engine::sort::{Runs, SortedTable, take_along};
use crate::error::Result;
use crate::layout::Order;
use crate::routines::{indexing, logic};

/// Sorts the slices lexicographically, and returns the unique ones.
pub(super) fn unique_parts(a: &Array, axis: usize, options: &UniqueOptions) -> Result<Unique> {
    let moved = a.moveaxis([axis as isize], [0])?.copy(Order::C)?;
    let n = moved.shape()[0];
    let m: usize = moved.shape()[1..].iter().product();
    if m == 0 || n == 0 {
        return of_nothing(&moved, axis, n, options);
    }
    let table = moved.reshape([n, m])?;
    let sorted = SortedTable::of(&table)?;
    let (order, mut mask) = (&sorted.order, sorted.differs()?);
    if table.dtype().is_float() || table.dtype().is_complex() {
        // The table treats all NaNs as equal; a slice with NaN equals no other.
        let nan = logic::any(&logic::isnan(&table)?, 1)?;
        mask = logic::logical_or(&mask, &take_along(&nan, order)?)?;
    }
    let runs = Runs { row: order, positions: Some(order), mask: Some(&mask), pick: RunPick::Masked, nan_equal: false };
    let found = runs.find(run_request(options))?;
    let chosen = indexing::parts_at(&table, 0, found.values.as_ref().unwrap_or(order))?;
    let mut shape = moved.shape().to_vec();
    shape[0] = chosen.shape()[0];
    let values = chosen.reshape(shape.as_slice())?.moveaxis([0], [axis as isize])?;
    finish(values, found.inverse.clone(), found)
}

/// Slices without elements are all equal; and there may be none.
fn of_nothing(moved: &Array, axis: usize, n: usize, options: &UniqueOptions) -> Result<Unique> {
    let mut shape = moved.shape().to_vec();
    shape[0] = n.min(1);
    let values = make::empty(moved.device(), &shape, moved.dtype())?.moveaxis([0], [axis as isize])?;
    let made = |on: bool, size: usize, value: i64| {
        on.then(|| make::full(moved.device(), &[size], value, DType::I64)).transpose()
    };
    Ok(Unique {
        values,
        index: made(options.index, n.min(1), 0)?,
        inverse: made(options.inverse, n, 0)?,
        counts: made(options.counts, n.min(1), n as i64)?,
    })
}
