//! Copies of the structure and the values of a graph on the host.

use cuprum_kernels::DType;

use super::super::{CastTo, Format, Sparse};
use crate::array::Array;
use crate::cuda::Device;
use crate::element::Element;
use crate::engine::make;
use crate::error::Result;
use crate::layout::Order;

/// Rows of a sparse matrix on the host.
pub(super) struct Rows<T> {
    /// Offsets of the entries of each row, and their number.
    pub(super) offsets: Vec<usize>,
    /// The column of each entry.
    pub(super) columns: Vec<usize>,
    /// The value of each entry.
    pub(super) values: Vec<T>,
}

impl<T: Element> Rows<T> {
    /// Copies the rows of a matrix, with values of `dtype`, that of `T`. Synchronises.
    pub(super) fn of(graph: &Sparse, dtype: DType) -> Result<Rows<T>> {
        let graph = graph.to_format(Format::Csr)?;
        Ok(Rows {
            offsets: positions(&graph.indptr()?)?,
            columns: positions(&graph.indices()?)?,
            values: graph.data().cast(dtype, Order::C)?.to_vec::<T>()?,
        })
    }

    /// The columns and values of a row, in their order.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (usize, &T)> {
        let entries = self.offsets[row]..self.offsets[row + 1];
        self.columns[entries.clone()].iter().copied().zip(&self.values[entries])
    }
}

/// Neighbours of the vertices of a graph on the host, without the lengths of edges.
pub(super) struct Neighbours {
    /// Offsets of the neighbours of each vertex, and their number.
    offsets: Vec<usize>,
    heads: Vec<usize>,
}

impl Neighbours {
    /// Copies the columns of each row in ascending order. Synchronises.
    pub(super) fn of(graph: &Sparse) -> Result<Neighbours> {
        let graph = graph.to_format(Format::Csr)?.sort_indices()?;
        Ok(Neighbours { offsets: positions(&graph.indptr()?)?, heads: positions(&graph.indices()?)? })
    }

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Neighbours of a vertex.
    pub(super) fn at(&self, vertex: usize) -> &[usize] {
        &self.heads[self.offsets[vertex]..self.offsets[vertex + 1]]
    }

    /// The graph with each edge in both directions: after the neighbours of a vertex come those whose neighbour it is.
    pub(super) fn undirected(&self) -> Neighbours {
        let n = self.len();
        let edges = || (0..n).flat_map(|tail| self.at(tail).iter().map(move |&head| (tail, head)));
        let mut offsets = vec![0; n + 1];
        edges().for_each(|(tail, head)| {
            offsets[tail + 1] += 1;
            offsets[head + 1] += 1;
        });
        (0..n).for_each(|vertex| offsets[vertex + 1] += offsets[vertex]);
        let (mut next, mut heads) = (offsets.clone(), vec![0; offsets[n]]);
        let mut push = |vertex: usize, neighbour: usize| {
            heads[next[vertex]] = neighbour;
            next[vertex] += 1;
        };
        edges().for_each(|(tail, head)| push(tail, head));
        edges().for_each(|(tail, head)| push(head, tail));
        Neighbours { offsets, heads }
    }

    /// The graph with each edge in both directions, in ascending order and without parallel edges.
    pub(super) fn symmetric(&self) -> Neighbours {
        let both = self.undirected();
        let (mut offsets, mut heads) = (vec![0], vec![]);
        for vertex in 0..self.len() {
            let mut own = both.at(vertex).to_vec();
            own.sort_unstable();
            own.dedup();
            heads.extend(own);
            offsets.push(heads.len());
        }
        Neighbours { offsets, heads }
    }
}

/// Copies an index array to the host.
fn positions(indices: &Array) -> Result<Vec<usize>> {
    Ok(indices.to_dtype(DType::I64)?.to_vec::<i64>()?.into_iter().map(|i| i as usize).collect())
}

/// Copies vertices to the device, as int32, with -1 or -9999 in place of [`NONE`].
pub(super) fn vertices_array(device: Device, vertices: &[usize], none: i32) -> Result<Array> {
    let number = |&v: &usize| if v == NONE { none } else { v as i32 };
    make::of(device, &vertices.iter().map(number).collect::<Vec<_>>(), &[vertices.len()])
}

/// No vertex.
pub(super) const NONE: usize = usize::MAX;

/// No predecessor, in the results of searches: SciPy's number.
pub(super) const NO_PREDECESSOR: i32 = -9999;
