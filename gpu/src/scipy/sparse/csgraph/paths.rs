//! The shortest paths between two vertices, one after the other.
//!
//! J. Y. Yen, "Finding the K Shortest Loopless Paths in a Network", 1971.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap, HashSet};

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};

use super::super::Sparse;
use super::host::Rows;
use super::vertices;
use crate::error::{Error, ErrorKind, Result};

/// Options of [`yen`].
///
/// ```
/// use cuprum::scipy::sparse::csgraph::YenOptions;
/// let options = YenOptions { unweighted: true, ..Default::default() };
/// assert!(options.directed);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct YenOptions {
    /// True if edges lead from rows to columns only, the default.
    pub directed: bool,
    /// True if each edge has the length 1.
    pub unweighted: bool,
}

crate::array::default_options!(YenOptions);

impl Default for YenOptions {
    fn default() -> Self {
        YenOptions { directed: true, unweighted: false }
    }
}

/// A path of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The sum of the lengths of its edges.
    pub length: f64,
    /// Its vertices in their order.
    pub vertices: Vec<usize>,
}

/// A length, which is no NaN, with its order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Length(pub(super) f64);

impl Eq for Length {}

impl PartialOrd for Length {
    fn partial_cmp(&self, other: &Length) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Length {
    fn cmp(&self, other: &Length) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Returns up to `count` shortest paths without loops between two vertices, the shortest first; SciPy's `yen`.
///
/// The search is sequential and runs on the host, with a copy of the graph: Dijkstra's algorithm for each vertex where a path can leave those that are
/// found. With negative lengths these are shifted by the distances from the source first, as in Johnson's algorithm.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let lengths = cuprum::array([[0.0, 4.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 3.0], [0.0; 4]])?;
/// let found = csgraph::yen(&Sparse::from_dense(&lengths, Format::Csr)?, 0, 3, 5, ())?;
/// assert_eq!(found.iter().map(|path| path.length).collect::<Vec<_>>(), [4.0, 5.0]);
/// assert_eq!(found[1].vertices, [0, 1, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a matrix that is not square, vertices out of range, and a cycle of negative length that the
/// source reaches.
///
/// # Synchronization
///
/// Synchronises to copy the graph to the host.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_flows.py`")]
#[signature]
pub fn yen(graph: &Sparse, source: usize, sink: usize, count: usize, options: YenOptions) -> Result<Vec<Path>> {
    let go = || {
        let n = vertices(graph)?;
        if source >= n || sink >= n {
            let message = format!("source {source} and sink {sink} must be less than the number of vertices, {n}");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let mut edges = Edges::of(&Rows::of(graph, DType::F64)?, n, options);
        edges.shift(source)?;
        Ok(edges.yen(source, sink, count))
    };
    go().map_err(|e: Error| e.with_op("csgraph.yen"))
}

/// Edges by their first vertices, the shortest of parallel ones, and the shifts by which no length is negative.
struct Edges {
    from: Vec<Vec<(usize, f64)>>,
    shift: Vec<f64>,
}

impl Edges {
    fn of(rows: &Rows<f64>, n: usize, options: YenOptions) -> Edges {
        let mut from = vec![vec![]; n];
        for row in 0..n {
            for (column, &length) in rows.row(row) {
                let length = if options.unweighted { 1.0 } else { length };
                from[row].push((column, length));
                if !options.directed {
                    from[column].push((row, length));
                }
            }
        }
        for edges in &mut from {
            edges.retain(|edge| !edge.1.is_nan());
            edges.sort_unstable_by_key(|&(to, length)| (to, Length(length)));
            edges.dedup_by_key(|edge| edge.0);
        }
        Edges { from, shift: vec![0.0; n] }
    }

    /// Computes the shifts where a length is negative: the distances from the source (R. Bellman, 1958).
    fn shift(&mut self, source: usize) -> Result<()> {
        if self.from.iter().flatten().all(|edge| edge.1 >= 0.0) {
            return Ok(());
        }
        let mut distance = vec![f64::INFINITY; self.from.len()];
        distance[source] = 0.0;
        for round in 0.. {
            let mut changed = false;
            for (vertex, edges) in self.from.iter().enumerate().filter(|(_, edges)| !edges.is_empty()) {
                for &(to, length) in edges {
                    let along = distance[vertex] + length;
                    if along < distance[to] {
                        (distance[to], changed) = (along, true);
                    }
                }
            }
            if !changed {
                break;
            }
            if round > self.from.len() {
                let message = "the graph has a negative cycle: no path is the shortest";
                return Err(Error::new(ErrorKind::Value, message));
            }
        }
        // Vertices that the source does not reach are on no path.
        self.shift = distance.into_iter().map(|d| if d.is_finite() { d } else { 0.0 }).collect();
        Ok(())
    }

    fn yen(&self, source: usize, sink: usize, count: usize) -> Vec<Path> {
        let (mut found, mut candidates): (Vec<Path>, BTreeSet<(Length, Vec<usize>)>) = (vec![], BTreeSet::new());
        let mut blocked = vec![false; self.from.len()];
        if count == 0 {
            return found;
        }
        if let Some(vertices) = self.shortest(source, sink, &blocked, &HashSet::new()) {
            candidates.insert((Length(self.length(&vertices)), vertices));
        }
        while let Some((Length(length), vertices)) = candidates.pop_first() {
            found.push(Path { length, vertices });
            if found.len() == count {
                break;
            }
            let last = found[found.len() - 1].vertices.clone();
            for at in 0..last.len() - 1 {
                let root = &last[..=at];
                let shares = |path: &&Path| path.vertices.len() > at + 1 && path.vertices[..=at] == *root;
                let used: HashSet<usize> = found.iter().filter(shares).map(|path| path.vertices[at + 1]).collect();
                root[..at].iter().for_each(|&v| blocked[v] = true);
                if let Some(spur) = self.shortest(last[at], sink, &blocked, &used) {
                    let whole = [&root[..at], &spur].concat();
                    candidates.insert((Length(self.length(&whole)), whole));
                }
                root[..at].iter().for_each(|&v| blocked[v] = false);
            }
        }
        found
    }

    /// The length of a path.
    fn length(&self, vertices: &[usize]) -> f64 {
        let edge = |pair: &[usize]| self.from[pair[0]].iter().find(|edge| edge.0 == pair[1]).map_or(0.0, |edge| edge.1);
        vertices.windows(2).map(edge).sum()
    }

    /// Dijkstra's algorithm without the blocked vertices, and without the edges from the first vertex to `used`.
    fn shortest(&self, first: usize, last: usize, blocked: &[bool], used: &HashSet<usize>) -> Option<Vec<usize>> {
        let n = self.from.len();
        let (mut distance, mut before, mut done) = (vec![f64::INFINITY; n], vec![usize::MAX; n], vec![false; n]);
        let mut heap = BinaryHeap::from([Reverse((Length(0.0), first))]);
        distance[first] = 0.0;
        while let Some(Reverse((Length(so_far), vertex))) = heap.pop() {
            if vertex == last {
                break;
            }
            if std::mem::replace(&mut done[vertex], true) {
                continue;
            }
            for &(to, length) in &self.from[vertex] {
                if blocked[to] || done[to] || (vertex == first && used.contains(&to)) {
                    continue;
                }
                // Rounding may leave a shifted length slightly negative.
                let along = so_far + (length + self.shift[vertex] - self.shift[to]).max(0.0);
                if along < distance[to] {
                    (distance[to], before[to]) = (along, vertex);
                    heap.push(Reverse((Length(along), to)));
                }
            }
        }
        if distance[last].is_infinite() {
            return None;
        }
        let mut path = vec![last];
        while path[path.len() - 1] != first {
            path.push(before[path[path.len() - 1]]);
        }
        path.reverse();
        Some(path)
    }
}
