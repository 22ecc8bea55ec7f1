//! Order of points by cuts of the plane that alternate between the axes, as that of a k-d tree.

use std::cmp::Ordering;

use crate::threads::{join, on_chunks};

/// Point with its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) at: [f64; 2],
    pub(crate) number: u32,
}

/// Compares points by the first coordinate, then by the second one.
fn by_x(a: &[f64; 2], b: &[f64; 2]) -> Ordering {
    a[0].total_cmp(&b[0]).then_with(|| a[1].total_cmp(&b[1]))
}

/// Compares points as [`by_x`] does after a clockwise rotation by a right angle.
fn by_y(a: &[f64; 2], b: &[f64; 2]) -> Ordering {
    a[1].total_cmp(&b[1]).then_with(|| b[0].total_cmp(&a[0]))
}

/// Compares points along an axis; those on one line across it are not equal.
pub(crate) fn along(axis: usize, a: &[f64; 2], b: &[f64; 2]) -> Ordering {
    if axis == 0 { by_x(a, b) } else { by_y(a, b) }
}

/// Sorts items along the first axis, equal points by number.
pub(crate) fn sort(items: &mut [Item], threads: usize) {
    let order = |a: &Item, b: &Item| by_x(&a.at, &b.at).then_with(|| a.number.cmp(&b.number));
    let mut length = items.len().div_ceil(threads).max(1);
    on_chunks(items, length, |chunk| chunk.sort_unstable_by(order));
    // A stable sort finds ascending runs and merges them.
    while length < items.len() {
        length *= 2;
        on_chunks(items, length, |chunk| chunk.sort_by(order));
    }
}

/// Removes all but the first one of equal points from sorted items; returns the number of each of the others and that of the first one.
pub(crate) fn remove_duplicates(items: &mut Vec<Item>) -> Vec<[i32; 2]> {
    let mut duplicates = Vec::new();
    items.dedup_by(|item, first| {
        let is_duplicate = item.at == first.at;
        if is_duplicate {
            duplicates.push([item.number as i32, first.number as i32]);
        }
        is_duplicate
    });
    duplicates.sort_unstable();
    duplicates
}

/// Orders the halves of items that are cut in the middle along an axis.
pub(crate) fn cut_halves(items: &mut [Item], axis: usize, threads: usize) {
    if items.len() < 4 {
        return;
    }
    let (low, high) = items.split_at_mut(items.len() / 2);
    join(threads, || cut(low, 1 - axis, threads.div_ceil(2)), || cut(high, 1 - axis, threads / 2));
}

fn cut(items: &mut [Item], axis: usize, threads: usize) {
    if items.len() < 4 {
        return;
    }
    let middle = items.len() / 2;
    if axis == 0 {
        items.select_nth_unstable_by(middle, |a, b| by_x(&a.at, &b.at));
    } else {
        items.select_nth_unstable_by(middle, |a, b| by_y(&a.at, &b.at));
    }
    cut_halves(items, axis, threads);
}
