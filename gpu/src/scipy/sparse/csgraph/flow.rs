//! Maximum flows.
//!
//! E. A. Dinic, "Algorithm for Solution of a Problem of Maximum Flow in a Network with Power Estimation", 1970.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::super::Sparse;
use super::host::Rows;
use super::vertices;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};

/// A flow between two vertices of a graph.
#[derive(Clone, Debug)]
pub struct MaximumFlow {
    /// Value of the flow: what leaves the source.
    pub value: i64,
    /// Flow along each edge, of int64: an antisymmetric matrix in CSR format, which has an entry for each edge and for its
    /// opposite.
    pub flow: Sparse,
}

/// Returns a flow of the largest value from a vertex to another one, whose flow along each edge is at most the edge's
/// capacity; SciPy's `maximum_flow`.
///
/// The entries of a square matrix of integers are the capacities of edges; duplicates are added, and negative ones
/// count as zero. The search is sequential and runs on the host, with a copy of the graph: in each phase a
/// breadth-first search finds the levels of the vertices, and augmenting paths from each level to the next are
/// followed until there is none.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let capacities = cuprum::array([[0, 3, 2], [0, 0, 1], [0, 0, 0]])?;
/// let found = csgraph::maximum_flow(&Sparse::from_dense(&capacities, Format::Csr)?, 0, 2)?;
/// assert_eq!(found.value, 3);
/// assert_eq!(found.flow.to_dense(())?.to_vec::<i64>()?, [0, 1, 2, -1, 0, 1, -2, -1, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a matrix that is not square, values that are not integers, vertices that are equal or out
/// of range.
///
/// # Synchronization
///
/// Synchronises to copy the graph to the host.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_flows.py`")]
pub fn maximum_flow(graph: &Sparse, source: usize, sink: usize) -> Result<MaximumFlow> {
    let go = || {
        let n = vertices(graph)?;
        let wrong = |message: String| Err(Error::new(ErrorKind::Value, message));
        if !graph.dtype().is_integer() {
            return wrong(format!(
                "graph capacities must be integers, not {}: convert them with astype",
                graph.dtype()
            ));
        }
        for (name, vertex) in [("source", source), ("sink", sink)] {
            if vertex >= n {
                return wrong(format!("{name} {vertex} is out of range for a graph of {n} vertices"));
            }
        }
        if source == sink {
            return wrong(format!("source and sink are both {source}: they must differ"));
        }
        let mut network = Network::of(&Rows::of(graph, DType::I64)?, n);
        while network.levels(source, sink) {
            network.augment(source, sink);
        }
        let value = network.arcs(source).map(|arc| network.flow[arc]).sum();
        let count = network.heads.len();
        let wide = |values: &[usize]| values.iter().map(|&v| v as i64).collect::<Vec<_>>();
        let device = graph.device();
        let flow = Sparse::csr(
            &make::of(device, &network.flow, &[count])?,
            &make::of(device, &wide(&network.heads), &[count])?,
            &make::of(device, &wide(&network.offsets), &[n + 1])?,
            [n, n],
        )?;
        Ok(MaximumFlow { value, flow: flow.with_index_dtype(graph.index_dtype())? })
    };
    go().map_err(|e: Error| e.with_op("csgraph.maximum_flow"))
}

/// Arcs of a flow network by their tails. Each arc has an opposite one, whose flow is the negative.
struct Network {
    /// Offsets of the arcs of each vertex.
    offsets: Vec<usize>,
    /// The vertex that an arc leads to, ascending for each vertex.
    heads: Vec<usize>,
    /// The opposite arc.
    opposite: Vec<usize>,
    /// The capacity of each arc.
    capacity: Vec<i64>,
    /// The flow along each arc.
    flow: Vec<i64>,
    /// Distance of each vertex from the source along arcs that are not full.
    level: Vec<usize>,
}

impl Network {
    fn of(rows: &Rows<i64>, n: usize) -> Network {
        let mut arcs = vec![];
        for row in 0..n {
            for (column, &capacity) in rows.row(row) {
                arcs.extend([(row, column, capacity), (column, row, 0)]);
            }
        }
        arcs.sort_unstable();
        let mut network = Network {
            offsets: vec![0; n + 1],
            heads: vec![],
            opposite: vec![],
            capacity: vec![],
            flow: vec![],
            level: vec![],
        };
        let mut before = None;
        for (tail, head, capacity) in arcs {
            if before == Some((tail, head)) {
                *network.capacity.last_mut().expect("an arc precedes its duplicate") += capacity;
                continue;
            }
            before = Some((tail, head));
            network.offsets[tail + 1] += 1;
            network.heads.push(head);
            network.capacity.push(capacity);
        }
        for vertex in 0..n {
            network.offsets[vertex + 1] += network.offsets[vertex];
        }
        // The pattern is symmetric: tails of the arcs to a vertex ascend as the heads of the arcs from it do.
        let mut next = network.offsets.clone();
        network.opposite = network
            .heads
            .iter()
            .map(|&head| {
                next[head] += 1;
                next[head] - 1
            })
            .collect();
        network.flow = vec![0; network.heads.len()];
        network
    }

    fn arcs(&self, vertex: usize) -> std::ops::Range<usize> {
        self.offsets[vertex]..self.offsets[vertex + 1]
    }

    /// Returns the residual capacity of an arc, which includes the flow of the opposite arc, since it cancels that.
    fn free(&self, arc: usize) -> i64 {
        self.capacity[arc] - self.flow[arc]
    }

    /// Finds the levels of the vertices up to that of the sink; returns false if no path leads there.
    fn levels(&mut self, source: usize, sink: usize) -> bool {
        self.level = vec![usize::MAX; self.offsets.len() - 1];
        self.level[source] = 0;
        let mut queue = vec![source];
        let mut at = 0;
        while at < queue.len() && self.level[sink] == usize::MAX {
            let vertex = queue[at];
            at += 1;
            for arc in self.arcs(vertex) {
                let head = self.heads[arc];
                if self.level[head] == usize::MAX && self.free(arc) > 0 {
                    self.level[head] = self.level[vertex] + 1;
                    queue.push(head);
                }
            }
        }
        self.level[sink] != usize::MAX
    }

    /// Sends as much as possible along paths whose levels ascend. An arc that is left behind is of no further use in
    /// this phase.
    fn augment(&mut self, source: usize, sink: usize) {
        let mut at = self.offsets.clone();
        let mut path: Vec<usize> = vec![];
        loop {
            let vertex = path.last().map_or(source, |&arc| self.heads[arc]);
            if vertex == sink {
                let amount = path.iter().map(|&arc| self.free(arc)).min().unwrap_or(0);
                for &arc in &path {
                    self.flow[arc] += amount;
                    self.flow[self.opposite[arc]] -= amount;
                }
                let full = path.iter().position(|&arc| self.free(arc) == 0).unwrap_or(0);
                path.truncate(full);
                continue;
            }
            let useful = |arc: usize| self.free(arc) > 0 && self.level[self.heads[arc]] == self.level[vertex] + 1;
            match (at[vertex]..self.offsets[vertex + 1]).find(|&arc| useful(arc)) {
                Some(arc) => {
                    at[vertex] = arc;
                    path.push(arc);
                }
                None => {
                    // No path leads on from here: the arc that leads here is left behind, too.
                    at[vertex] = self.offsets[vertex + 1];
                    match path.pop() {
                        Some(arc) => at[self.heads[self.opposite[arc]]] += 1,
                        None => return,
                    }
                }
            }
        }
    }
}
