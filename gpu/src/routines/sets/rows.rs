//! The parts of an array along an axis, as elements of a set.

use cuprum_kernels::DType;
use cuprum_kernels::source::RunPick;

use super::{Unique, UniqueOptions, finish, wanted};
use crate::array::Array;
use crate::engine;
use crate::engine::make;
use crate::engine::sort::{Runs, take_along};
use crate::error::Result;
use crate::index::s;
use crate::layout::Order;
use crate::routines::{logic, math, sorting};

/// Sorts the parts by their elements, the first of them before all, one sort for each element of a part.
pub(super) fn unique_parts(a: &Array, axis: usize, how: &UniqueOptions) -> Result<Unique> {
    let moved = a.moveaxis([axis as isize], [0])?.copy(Order::C)?;
    let n = moved.shape()[0];
    let m: usize = moved.shape()[1..].iter().product();
    if m == 0 || n == 0 {
        return of_nothing(&moved, axis, n, how);
    }
    let table = moved.reshape([n, m])?;
    let columns: Vec<Array> = (0..m as i64).rev().map(|j| table.index(s![.., j])).collect::<Result<_>>()?;
    let order = sorting::lexsort(columns.iter().collect::<Vec<_>>(), -1)?;
    let sorted = take(&table, &order)?;
    let mask = make::full(moved.device(), &[n], true, DType::Bool)?;
    let differ = logic::not_equal(&sorted.index(s![1..])?, &sorted.index(s![..-1])?)?;
    engine::copy(&logic::any(&differ, 1)?, &mask.index(s![1..])?)?;
    let runs =
        Runs { row: &order, positions: Some(&order), mask: Some(&mask), pick: RunPick::Masked, nan_equal: false };
    let found = runs.find(wanted(how))?;
    let chosen = take(&table, found.values.as_ref().unwrap_or(&order))?;
    let mut shape = moved.shape().to_vec();
    shape[0] = chosen.shape()[0];
    let values = chosen.reshape(shape.as_slice())?.moveaxis([0], [axis as isize])?;
    finish(values, found.inverse.clone(), found)
}

/// Parts without elements are all the same; and there may be none.
fn of_nothing(moved: &Array, axis: usize, n: usize, how: &UniqueOptions) -> Result<Unique> {
    let mut shape = moved.shape().to_vec();
    shape[0] = n.min(1);
    let values = make::empty(moved.device(), &shape, moved.dtype())?.moveaxis([0], [axis as isize])?;
    let made = |on: bool, size: usize, value: i64| {
        on.then(|| make::full(moved.device(), &[size], value, DType::I64)).transpose()
    };
    Ok(Unique {
        values,
        index: made(how.index, n.min(1), 0)?,
        inverse: made(how.inverse, n, 0)?,
        counts: made(how.counts, n.min(1), n as i64)?,
    })
}

/// The rows of a table at these positions.
fn take(table: &Array, positions: &Array) -> Result<Array> {
    let m = table.shape()[1] as i64;
    let starts = math::multiply(&positions.expand_dims([1])?, m)?;
    let places = math::add(&starts, &make::numbers(table.device(), m as usize)?)?.copy(Order::C)?;
    let shape = [positions.size(), table.shape()[1]];
    take_along(&table.ravel()?, &places.ravel()?)?.reshape(shape)
}
