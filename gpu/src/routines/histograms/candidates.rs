//! How many elements fall into 1, 2, 3, … bins of equal widths between the same ends.
//!
//! The elements are sorted once. From then on what a bin has is the distance between the places of its edges, and all
//! the edges of all numbers of bins up to m, m^2 / 2 of them, are searched together: n log(n) + m^2 log(n) steps. Counting
//! for one number after the other would read all elements m times.

use cuprum_kernels::DType;

use super::edges::{Outer, edge_dtype, upload};
use super::histogram::uniform_edges;
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::{self, Bins, make};
use crate::error::Result;
use crate::layout::Order;
use crate::routines::sorting;

/// Edges that are searched at once.
const BATCH: usize = 1 << 20;

/// Tells `look` the counts of each number of bins from 1 to `most`, in some order. The elements lie between the ends. The host
/// waits for the counts.
pub(super) fn uniform_counts(a: &Array, outer: Outer, most: usize, mut look: impl FnMut(usize, &[i64])) -> Result<()> {
    // Booleans are counted as the integers that they are.
    let element = if a.dtype() == DType::Bool { DType::U8 } else { a.dtype() };
    let a = a.cast(element, Order::C)?.in_one_axis()?;
    let dtype = edge_dtype(element);
    let sorted = sorting::sorted(&a, None)?;
    let places = |edges: &[f64], right: bool| -> Result<Vec<i64>> {
        let needles = upload(edges, dtype, a.device())?;
        let out = make::empty(a.device(), &[edges.len()], DType::I64)?;
        engine::search(&sorted, &needles, promote_types(element, dtype), right, None, &out)?;
        out.to_vec()
    };
    let end = places(&[outer.edges(1, dtype)[1]], true)?[0];
    let mut batch: Vec<f64> = Vec::new();
    let mut numbers = Vec::new();
    for number in 1..=most {
        let edges = uniform_edges(outer, number, dtype)?;
        if places_are_near(&edges, dtype) {
            batch.extend(&edges[..number]);
            numbers.push(number);
        } else {
            let (edges, uniform) = (upload(&edges, dtype, a.device())?, outer.uniform(&edges, dtype));
            look(number, &engine::count(&a, &Bins::Uniform(&edges, uniform), None)?.to_vec::<i64>()?);
        }
        if batch.len() < BATCH && number < most {
            continue;
        }
        let found = places(&batch, false)?;
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

/// Whether every element is counted between the edges that it lies between. NumPy computes its place and then looks at the two
/// edges there, so that it errs where that place is off by a bin or more. Of the place three steps are rounded and of an edge
/// two, each by half a unit of the place or less; the sum that makes the edge, and an integer that is compared with it, by half
/// a unit of the largest edge.
fn places_are_near(edges: &[f64], dtype: DType) -> bool {
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
