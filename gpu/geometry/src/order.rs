//! Orders of points: sorted, and cut in the middle.

use std::cmp::Ordering;
use std::thread;

use crate::predicates::Point;
use crate::threads::on_chunks;

/// Points of a chunk among which those that divide the sorted points are chosen.
const SAMPLE: usize = 64;

/// Compares points by the first coordinate, then by the second one.
#[inline]
fn by_x(a: &Point, b: &Point) -> Ordering {
    a.at[0].total_cmp(&b.at[0]).then_with(|| a.at[1].total_cmp(&b.at[1]))
}

/// Compares points as [`by_x`] does after a clockwise rotation by a right angle.
#[inline]
fn by_y(a: &Point, b: &Point) -> Ordering {
    a.at[1].total_cmp(&b.at[1]).then_with(|| b.at[0].total_cmp(&a.at[0]))
}

/// Compares points along an axis; those on one line across it are not equal.
#[inline]
pub(crate) fn along(axis: usize, a: &Point, b: &Point) -> Ordering {
    if axis == 0 { by_x(a, b) } else { by_y(a, b) }
}

/// Orders points so that their middle one is where it is in the order along an axis, between those before it and those after it.
pub(crate) fn cut(points: &mut [Point], axis: usize) {
    let middle = points.len() / 2;
    if axis == 0 {
        points.select_nth_unstable_by(middle, by_x);
    } else {
        points.select_nth_unstable_by(middle, by_y);
    }
}

/// Sorts points along the first axis, equal ones by number.
///
/// Chunks are sorted at once, and then the parts of all of them between two of the points that divide a sample.
pub(crate) fn sort(mut points: Vec<Point>, threads: usize) -> Vec<Point> {
    let order = |a: &Point, b: &Point| by_x(a, b).then_with(|| a.number.cmp(&b.number));
    if threads < 2 {
        points.sort_unstable_by(order);
        return points;
    }
    let length = points.len().div_ceil(threads);
    on_chunks(&mut points, length, |chunk| chunk.sort_unstable_by(order));
    let mut sample: Vec<Point> = points.iter().step_by((length / SAMPLE).max(1)).copied().collect();
    sample.sort_unstable_by(order);
    let divider = |k: usize| &sample[k * sample.len() / threads];
    let mut rests: Vec<&[Point]> = points.chunks(length).collect();
    let mut sorted = vec![Point::default(); points.len()];
    thread::scope(|scope| {
        let mut free = sorted.as_mut_slice();
        for k in 1..=threads {
            let parts: Vec<&[Point]> = rests
                .iter_mut()
                .map(|rest| {
                    let end =
                        if k < threads { rest.partition_point(|p| order(p, divider(k)).is_lt()) } else { rest.len() };
                    rest.split_off(..end).unwrap_or_default()
                })
                .collect();
            let (own, others) = std::mem::take(&mut free).split_at_mut(parts.iter().map(|part| part.len()).sum());
            free = others;
            scope.spawn(move || {
                let mut start = 0;
                for part in parts {
                    own[start..start + part.len()].copy_from_slice(part);
                    start += part.len();
                }
                // A stable sort finds ascending runs and merges them.
                own.sort_by(order);
            });
        }
    });
    sorted
}

/// Removes all but the first one of equal points from sorted ones; returns the number of each of the others and that of the first one.
pub(crate) fn remove_duplicates(points: &mut Vec<Point>) -> Vec<[i32; 2]> {
    let mut duplicates = Vec::new();
    points.dedup_by(|point, first| {
        let is_duplicate = point.at == first.at;
        if is_duplicate {
            duplicates.push([point.number as i32, first.number as i32]);
        }
        is_duplicate
    });
    duplicates.sort_unstable();
    duplicates
}
