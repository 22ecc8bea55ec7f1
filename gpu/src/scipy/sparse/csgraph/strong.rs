//! Strong components of directed graphs.
//!
//! S. Orzan, "On Distributed Verification and Verified Distribution", 2004: the smallest vertex that reaches a vertex is
//! its colour, and the vertices of the colour that reach that vertex are its component.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::super::entries::counted;
use super::super::{CastTo, Sparse};
use super::{EdgeList, pair, vertices};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, Result};
use crate::index::s;
use crate::layout::Order;
use crate::reduction::{Reduce, reduced};
use crate::routines::indexing::take;
use crate::routines::searching::flatnonzero;
use crate::ufunc::{AccumulateOptions, apply, ufunc};

/// Returns the number of the strong components of a directed graph, and the component of each vertex, of int32; SciPy's
/// `connected_components` with `connection='strong'`.
///
/// Paths lead both ways between the vertices of a component. Components are numbered in the order of their first
/// vertices; SciPy's order is another. Searches from both sides are repeated, which take as many steps as the longest
/// path that they follow.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Sparse, csgraph}};
/// let edges = [&array([0, 1, 1])?, &array([1, 0, 2])?];
/// let graph = Sparse::coo(&array([1, 1, 1])?, &edges, &[3, 3])?;
/// let (n, labels) = csgraph::strongly_connected_components(&graph)?;
/// assert_eq!((n, labels.to_vec::<i32>()?), (2, vec![0, 0, 1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a matrix that is not square.
///
/// # Synchronization
///
/// Synchronises in each step.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn strongly_connected_components(graph: &Sparse) -> Result<(usize, Array)> {
    strong(graph).map_err(|e: Error| e.with_op("csgraph.strongly_connected_components"))
}

fn strong(graph: &Sparse) -> Result<(usize, Array)> {
    let n = vertices(graph)?;
    let none = n as i64;
    let mut edges = EdgeList::of(&graph.astype(DType::Bool)?, DType::Bool)?;
    let own = counted(&edges.rows, n, DType::I64)?;
    if n == 0 {
        return Ok((0, own.to_dtype(DType::I32)?));
    }
    let mut component = make::full(own.device(), &[n], none, DType::I64)?;
    let is_left = |component: &Array| apply("equal", [component.into(), none.into()]);
    loop {
        let alive = is_left(&component)?;
        let inside = pair("logical_and", &take(&alive, &edges.rows, ())?, &take(&alive, &edges.columns, ())?)?;
        edges = edges.at(&flatnonzero(&inside)?)?;
        if edges.rows.is_empty() {
            component = apply("where", [(&alive).into(), (&own).into(), (&component).into()])?;
            break;
        }
        let colour = apply("where", [(&alive).into(), (&own).into(), none.into()])?;
        let colour = lowered(colour, &edges.rows, &edges.columns)?;
        // Backwards within a colour, from the vertex that the colour is named after.
        let same = pair("equal", &take(&colour, &edges.rows, ())?, &take(&colour, &edges.columns, ())?)?;
        let within = edges.at(&flatnonzero(&same)?)?;
        let first = pair("logical_and", &alive, &pair("equal", &colour, &own)?)?;
        let distant = apply("logical_not", [(&first).into()])?.to_dtype(DType::I64)?;
        let reached = lowered(distant, &within.columns, &within.rows)?;
        let found = pair("logical_and", &alive, &apply("equal", [(&reached).into(), 0.into()])?)?;
        component = apply("where", [(&found).into(), (&colour).into(), (&component).into()])?;
        if !reduced("any", &is_left(&component)?, &Reduce::all())?.item::<bool>()? {
            break;
        }
    }
    // The vertex that a component is named after is not always its first one.
    let smallest = make::full(own.device(), &[n], none, DType::I64)?;
    ufunc("minimum")?.at(&smallest, [&component], &own)?;
    let smallest = take(&smallest, &component, ())?;
    let is_first = pair("equal", &smallest, &own)?;
    let numbers = ufunc("add")?.accumulate(&is_first, 0, AccumulateOptions::new().dtype(DType::I64))?;
    let count = numbers.index(s![-1])?.item::<i64>()?;
    let labels = apply("subtract", [(&take(&numbers, &smallest, ())?).into(), 1.into()])?;
    Ok((count as usize, labels.to_dtype(DType::I32)?))
}

/// Lowers the value at the end of each edge to that at its beginning until nothing changes.
fn lowered(values: Array, from: &Array, to: &Array) -> Result<Array> {
    loop {
        let before = values.copy(Order::C)?;
        ufunc("minimum")?.at(&values, [to], &take(&before, from, ())?)?;
        if !reduced("any", &pair("not_equal", &values, &before)?, &Reduce::all())?.item::<bool>()? {
            return Ok(values);
        }
    }
}
