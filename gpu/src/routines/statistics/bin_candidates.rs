//! Histograms of 1, 2, 3, … uniform bins between the same ends, for Stone's rule.
//!
//! The elements are sorted once. The count of a bin is then the difference of the positions of its edges, and the edges
//! of all numbers of bins up to m, m^2 / 2 of them, are searched together in n log(n) + m^2 log(n) steps. A histogram
//! for each number of bins would read all elements m times.

use cuprum_kernels::DType;

use super::bin_edges::{Outer, edge_dtype, upload};
use super::histogram::uniform_edges;
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::{self, Bins, make};
use crate::error::Result;
use crate::layout::Order;
use crate::routines::sorting;

/// The number of edges that are searched at once.
const BATCH: usize = 1 << 20;

/// Calls `look` with the counts of each number of bins from 1 to `most`, in some order. The elements are between the
/// ends. Synchronises to read the counts.
pub(super) fn uniform_counts(a: &Array, outer: Outer, most: usize, mut look: impl FnMut(usize, &[i64])) -> Result<()> {
    // Booleans are counted as integers.
    let element = if a.dtype() == DType::Bool { DType::U8 } else { a.dtype() };
    let a = a.cast(element, Order::C)?.in_one_axis()?;
    let dtype = edge_dtype(element);
    let sorted = sorting::sorted(&a, None)?;
    let insertion_points = |edges: &[f64], right: bool| -> Result<Vec<i64>> {
        let needles = upload(edges, dtype, a.device())?;
        let out = make::empty(a.device(), &[edges.len()], DType::I64)?;
        engine::search(&sorted, &needles, promote_types(element, dtype), right, None, &out)?;
        out.to_vec()
    };
    let end = insertion_points(&[outer.edges(1, dtype)[1]], true)?[0];
    let mut batch: Vec<f64> = Vec::new();
    let mut numbers = Vec::new();
    for number in 1..=most {
        let edges = uniform_edges(outer, number, dtype)?;
        if positions_are_exact(&edges, dtype) {
            batch.extend(&edges[..number]);
            numbers.push(number);
        } else {
            let (edges, uniform) = (upload(&edges, dtype, a.device())?, outer.uniform(&edges, dtype));
            look(number, &engine::count(&a, &Bins::Uniform(&edges, uniform), None)?.to_vec::<i64>()?);
        }
        if batch.len() < BATCH && number < most {
            continue;
        }
        let found = insertion_points(&batch, false)?;
        let mut left = found.as_slice();
        for number in numbers.drain(..) {
            let (starts, rest) = left.split_at(number);
            let ends = starts[1..].iter().chain([&end]);
            look(number, &starts.iter().zip(ends).map(|(start, end)| end - start).collect::<Vec<_>>());
            left = rest;
        }
        batch.clear();
    }
    Ok(())
}

/// Returns whether every element is counted between the edges that enclose it. NumPy computes an element's bin by
/// division and corrects it by comparison with its two edges, so that it errs if the computed position is off by a bin
/// or more. The position has three rounding errors and an edge two, each of half a unit of the position or less; the
/// sum that computes the edge, and an integer that is compared with it, half a unit of the largest edge.
fn positions_are_exact(edges: &[f64], dtype: DType) -> bool {
    let unit = match dtype {
        DType::F16 => 2f64.powi(-10),
        DType::F32 => 2f64.powi(-23),
        _ => 2f64.powi(-52),
    };
    let number = (edges.len() - 1) as f64;
    let largest = edges[0].abs().max(edges[edges.len() - 1].abs());
    let width = (edges[edges.len() - 1] - edges[0]) / number;
    5.0 * unit * number < 0.5 && 2.0 * unit * largest < 0.5 * width
}
