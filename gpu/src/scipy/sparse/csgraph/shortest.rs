//! Lengths of shortest paths between all vertices, or from some of them.
//!
//! Products over the semiring of minimum and sum are repeated for all first vertices together until no length changes
//! (R. Bellman, "On a Routing Problem", 1958). Lower bound of a step: the edges are read once, and the lengths twice.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};

use super::super::entries::counted;
use super::super::{CastTo, Sparse};
use super::host::NO_PREDECESSOR;
use super::{EdgeList, check_vertex, min_plus, pair, vertices};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::reduction::{Reduce, reduced};
use crate::routines::indexing::{TakeOptions, take};
use crate::routines::manipulation::concatenate;
use crate::routines::searching::argmin;
use crate::ufunc::{apply, ufunc};

/// Steps between two reads of whether a length has changed, at most.
const MOST_UNREAD: usize = 16;

/// Pairs of an edge and a first vertex that are compared at a time.
const PAIRS_AT_ONCE: usize = 1 << 24;

/// Options of [`shortest_path`] and the functions of its methods.
///
/// The names are SciPy's.
///
/// ```
/// use cuprum::scipy::sparse::csgraph::ShortestPathOptions;
/// let options = ShortestPathOptions { indices: Some(&[0]), ..Default::default() };
/// assert!(options.directed && !options.unweighted);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ShortestPathOptions<'a> {
    /// True if edges lead from rows to columns only, the default.
    pub directed: bool,
    /// True if each edge has the length 1.
    pub unweighted: bool,
    /// The first vertices of the paths, by default all.
    pub indices: Option<&'a [usize]>,
    /// True for the predecessors of vertices, in addition to the lengths.
    pub return_predecessors: bool,
    /// Paths that are longer are left out: infinite by default.
    pub limit: f64,
}

crate::array::default_options!(ShortestPathOptions<'a>);

impl Default for ShortestPathOptions<'_> {
    fn default() -> Self {
        ShortestPathOptions {
            directed: true,
            unweighted: false,
            indices: None,
            return_predecessors: false,
            limit: f64::INFINITY,
        }
    }
}

/// Lengths of shortest paths.
#[derive(Clone, Debug)]
pub struct ShortestPaths {
    /// The length of the path from each first vertex, in a row, to each vertex: float64, infinite where there is none.
    pub lengths: Array,
    /// The vertex before the last one of each path, of int32: -9999 where there is none.
    pub predecessors: Option<Array>,
}

/// Shortest paths from the nearest one of some vertices.
#[derive(Clone, Debug)]
pub struct NearestPaths {
    /// The length of the path to each vertex: float64, infinite where there is none.
    pub lengths: Array,
    /// The vertex before the last one of each path, of int32: -9999 where there is none.
    pub predecessors: Array,
    /// The first vertex of each path, of int32: -9999 where there is none.
    pub sources: Array,
}

/// Returns the lengths of the shortest paths between all vertices, or from those of `indices`; SciPy's `shortest_path`.
///
/// The entries of a square matrix are the lengths of edges; of parallel ones the shortest counts, an explicit zero is an
/// edge of length 0, and a NaN is none. Whatever SciPy's method, steps over all edges are repeated until no length
/// changes, as many as the longest of the paths has edges. Of several predecessors the one of the lowest number counts,
/// among those by which a path has the fewest edges where edges of length 0 or of negative lengths could lead in a
/// cycle.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let lengths = cuprum::array([[0.0, 2.0, 9.0], [0.0, 0.0, 3.0], [0.0; 3]])?;
/// let found = csgraph::shortest_path(&Sparse::from_dense(&lengths, Format::Csr)?, ())?;
/// assert_eq!(found.lengths.to_vec::<f64>()?[..3], [0.0, 2.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a matrix that is not square, vertices out of range, a limit that is negative or NaN, and a
/// cycle of negative length that a path reaches; [`ErrorKind::Type`] for complex lengths.
///
/// # Synchronization
///
/// Synchronises every few steps to read whether a length has changed.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
#[signature]
pub fn shortest_path(graph: &Sparse, options: ShortestPathOptions<'_>) -> Result<ShortestPaths> {
    paths("csgraph.shortest_path", graph, options, Method::BellmanFord)
}

/// Returns the lengths of the shortest paths whose edges have lengths that are not negative; SciPy's `dijkstra`.
///
/// Otherwise as [`shortest_path`].
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph, csgraph::ShortestPathOptions};
/// let lengths = cuprum::array([[0.0, 2.0, 9.0], [0.0, 0.0, 3.0], [0.0; 3]])?;
/// let options = ShortestPathOptions { indices: Some(&[0]), limit: 4.0, ..Default::default() };
/// let found = csgraph::dijkstra(&Sparse::from_dense(&lengths, Format::Csr)?, options)?;
/// assert_eq!(found.lengths.to_vec::<f64>()?, [0.0, 2.0, f64::INFINITY]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`shortest_path`], and [`ErrorKind::Value`] for a negative length.
///
/// # Synchronization
///
/// As [`shortest_path`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
#[signature]
pub fn dijkstra(graph: &Sparse, options: ShortestPathOptions<'_>) -> Result<ShortestPaths> {
    paths("csgraph.dijkstra", graph, options, Method::Dijkstra)
}

/// Returns the shortest paths to each vertex from the nearest one of the first vertices; SciPy's `dijkstra` with
/// `min_only`.
///
/// Of first vertices that are equally near the first one counts. Lengths may be negative, as in [`shortest_path`].
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph, csgraph::ShortestPathOptions};
/// let lengths = cuprum::array([[0.0, 2.0, 9.0], [0.0, 0.0, 3.0], [0.0; 3]])?;
/// let options = ShortestPathOptions { indices: Some(&[0, 1]), ..Default::default() };
/// let found = csgraph::dijkstra_min_only(&Sparse::from_dense(&lengths, Format::Csr)?, options)?;
/// assert_eq!((found.lengths.to_vec::<f64>()?, found.sources.to_vec::<i32>()?), (vec![0.0, 0.0, 3.0], vec![0, 1, 1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`shortest_path`], and [`ErrorKind::Value`] without a first vertex.
///
/// # Synchronization
///
/// As [`shortest_path`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
#[signature]
pub fn dijkstra_min_only(graph: &Sparse, options: ShortestPathOptions<'_>) -> Result<NearestPaths> {
    let name = "csgraph.dijkstra_min_only";
    let options = ShortestPathOptions { return_predecessors: true, ..options };
    let found = paths(name, graph, options, Method::BellmanFord)?;
    let go = || {
        let n = vertices(graph)?;
        let (Some(before), true) = (found.predecessors, found.lengths.shape()[0] > 0) else {
            return Err(Error::new(ErrorKind::Value, "there is no first vertex: `indices` is empty"));
        };
        let nearest = argmin(&found.lengths, 0)?;
        let at = apply(
            "add",
            [
                (&apply("multiply", [(&nearest).into(), (n as i64).into()])?).into(),
                (&counted(&nearest, n, DType::I64)?).into(),
            ],
        )?;
        let lengths = take(&found.lengths, &at, ())?;
        let firsts: Vec<i32> = match options.indices {
            Some(indices) => indices.iter().map(|&i| i as i32).collect(),
            None => (0..n as i32).collect(),
        };
        let firsts = make::of(graph.device(), &firsts, &[firsts.len()])?;
        let is_reached = apply("isfinite", [(&lengths).into()])?;
        let sources = apply(
            "where",
            [(&is_reached).into(), (&take(&firsts, &nearest, ())?).into(), i64::from(NO_PREDECESSOR).into()],
        )?;
        Ok(NearestPaths { lengths, predecessors: take(&before, &at, ())?, sources })
    };
    go().map_err(|e: Error| e.with_op(name))
}

/// Returns the lengths of the shortest paths, by steps over all edges; SciPy's `bellman_ford`.
///
/// As [`shortest_path`].
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let lengths = cuprum::array([[0.0, 2.0, 1.0], [0.0, 0.0, -3.0], [0.0; 3]])?;
/// let found = csgraph::bellman_ford(&Sparse::from_dense(&lengths, Format::Csr)?, ())?;
/// assert_eq!(found.lengths.to_vec::<f64>()?[..3], [0.0, 2.0, -1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`shortest_path`].
///
/// # Synchronization
///
/// As [`shortest_path`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
#[signature]
pub fn bellman_ford(graph: &Sparse, options: ShortestPathOptions<'_>) -> Result<ShortestPaths> {
    paths("csgraph.bellman_ford", graph, options, Method::BellmanFord)
}

/// Returns the lengths of the shortest paths of a graph whose edges may have negative lengths; SciPy's `johnson`.
///
/// As [`shortest_path`], whose steps need no shifted lengths.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let lengths = cuprum::array([[0.0, 2.0, 1.0], [0.0, 0.0, -3.0], [0.0; 3]])?;
/// let found = csgraph::johnson(&Sparse::from_dense(&lengths, Format::Csr)?, ())?;
/// assert_eq!(found.lengths.to_vec::<f64>()?[..3], [0.0, 2.0, -1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`shortest_path`].
///
/// # Synchronization
///
/// As [`shortest_path`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
#[signature]
pub fn johnson(graph: &Sparse, options: ShortestPathOptions<'_>) -> Result<ShortestPaths> {
    paths("csgraph.johnson", graph, options, Method::BellmanFord)
}

/// Returns the lengths of the shortest paths between all vertices; SciPy's `floyd_warshall`.
///
/// Options are those of [`shortest_path`]; all vertices are first ones, and `indices` are not used. Edges from a vertex to itself are not
/// followed: one of negative length is no cycle.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let lengths = cuprum::array([[0.0, 2.0], [0.0, 0.0]])?;
/// let found = csgraph::floyd_warshall(&Sparse::from_dense(&lengths, Format::Csr)?, ())?;
/// assert_eq!(found.lengths.to_vec::<f64>()?, [0.0, 2.0, f64::INFINITY, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`shortest_path`].
///
/// # Synchronization
///
/// As [`shortest_path`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
#[signature]
pub fn floyd_warshall(graph: &Sparse, options: ShortestPathOptions<'_>) -> Result<ShortestPaths> {
    paths("csgraph.floyd_warshall", graph, ShortestPathOptions { indices: None, ..options }, Method::FloydWarshall)
}

/// SciPy's methods, which are one search here.
#[derive(Clone, Copy, PartialEq)]
enum Method {
    /// Negative lengths are rejected.
    Dijkstra,
    BellmanFord,
    /// Edges from a vertex to itself are not followed: one of negative length is no cycle.
    FloydWarshall,
}

fn paths(name: &str, graph: &Sparse, options: ShortestPathOptions<'_>, method: Method) -> Result<ShortestPaths> {
    let go = || {
        let n = vertices(graph)?;
        options.indices.into_iter().flatten().try_for_each(|&index| check_vertex("an index", index, n))?;
        let limit = options.limit;
        if limit.is_nan() || limit < 0.0 {
            return Err(Error::new(ErrorKind::Value, format!("limit is {limit}: it must be at least 0")));
        }
        let search = Search::of(graph, options, method)?;
        if search.has_negative && method == Method::Dijkstra {
            let message = "an edge has a negative length: use bellman_ford or johnson";
            return Err(Error::new(ErrorKind::Value, message));
        }
        let lengths = search.lengths()?;
        let before = if options.return_predecessors { Some(search.predecessors(&lengths)?) } else { None };
        // The beginnings are columns during the search.
        let lengths = lengths.t().copy(crate::layout::Order::C)?;
        let before = before.map(|before| before.t().copy(crate::layout::Order::C)).transpose()?;
        if limit == f64::INFINITY {
            return Ok(ShortestPaths { lengths, predecessors: before });
        }
        let far = apply("greater", [(&lengths).into(), limit.into()])?;
        let without = |a: &Array, value: f64| -> Result<Array> {
            let value = make::full(a.device(), &[], value, a.dtype())?;
            apply("where", [(&far).into(), (&value).into(), a.into()])
        };
        let predecessors = before.map(|before| without(&before, f64::from(NO_PREDECESSOR))).transpose()?;
        Ok(ShortestPaths { lengths: without(&lengths, f64::INFINITY)?, predecessors })
    };
    go().map_err(|e: Error| e.with_op(name))
}

/// A search from some vertices.
struct Search {
    /// Number of vertices.
    n: usize,
    /// Edges, in both directions where they count in both.
    edges: EdgeList,
    /// The first vertices, of int64.
    starts: Array,
    /// True if an edge has a negative length.
    has_negative: bool,
}

impl Search {
    fn of(graph: &Sparse, options: ShortestPathOptions<'_>, method: Method) -> Result<Search> {
        let n = vertices(graph)?;
        let mut edges = EdgeList::of(graph, DType::F64)?;
        if options.unweighted {
            edges.lengths = make::full(graph.device(), &[edges.lengths.size()], 1.0, DType::F64)?;
        }
        let is_nan = apply("isnan", [(&edges.lengths).into()])?;
        edges.lengths = apply("where", [(&is_nan).into(), f64::INFINITY.into(), (&edges.lengths).into()])?;
        if method == Method::FloydWarshall {
            let is_loop = pair("equal", &edges.rows, &edges.columns)?;
            edges.lengths = apply("where", [(&is_loop).into(), 0.0.into(), (&edges.lengths).into()])?;
        }
        if !options.directed {
            let EdgeList { rows, columns, lengths } = edges;
            edges = EdgeList {
                rows: concatenate([&rows, &columns], ())?,
                columns: concatenate([&columns, &rows], ())?,
                lengths: concatenate([&lengths, &lengths], ())?,
            };
        }
        let has_negative = any(&apply("less", [(&edges.lengths).into(), 0.into()])?)?;
        let starts: Vec<i64> = match options.indices {
            Some(indices) => indices.iter().map(|&i| i as i64).collect(),
            None => (0..n as i64).collect(),
        };
        let starts = make::of(graph.device(), &starts, &[starts.len()])?;
        Ok(Search { n, edges, starts, has_negative })
    }

    /// The numbers of the first vertices: 0, 1, …
    fn numbers(&self) -> Result<Array> {
        counted(&self.starts, self.starts.size(), DType::I64)
    }

    /// The lengths of the paths, a row for each vertex and a column for each first one.
    fn lengths(&self) -> Result<Array> {
        let (n, count) = (self.n, self.starts.size());
        let mut lengths = make::full(self.starts.device(), &[n, count], f64::INFINITY, DType::F64)?;
        if count == 0 {
            return Ok(lengths);
        }
        ufunc("minimum")?.at(&lengths, [&self.starts, &self.numbers()?], 0.0)?;
        let EdgeList { rows, columns, lengths: steps } = &self.edges;
        // Parallel edges, of which the shortest counts, stay apart: a conversion to CSR would add them.
        let into = Sparse::coo(steps, &[columns, rows], &[n, n])?.recompressed(0)?;
        let (mut done, mut unread) = (0, 1);
        loop {
            let before = lengths.clone();
            for _ in 0..unread {
                lengths = pair("minimum", &lengths, &min_plus(&into, &lengths)?)?;
            }
            done += unread;
            if !any(&pair("not_equal", &lengths, &before)?)? {
                return Ok(lengths);
            }
            if self.has_negative && done > n {
                let message = "the graph has a negative cycle: no path is the shortest";
                return Err(Error::new(ErrorKind::Value, message));
            }
            unread = (2 * unread).min(MOST_UNREAD);
        }
    }

    /// The vertex before the last one of each path, of int32, laid out as the lengths.
    fn predecessors(&self, lengths: &Array) -> Result<Array> {
        let (n, count) = (self.n, self.starts.size());
        let out = make::full(lengths.device(), &[n, count], n as i64, DType::I64)?;
        let at_once = (PAIRS_AT_ONCE / self.edges.rows.size().max(1)).clamp(1, count.max(1));
        for first in (0..count).step_by(at_once) {
            let part = s![.., first as i64..(first + at_once).min(count) as i64];
            let starts = self.starts.index(s![first as i64..(first + at_once).min(count) as i64])?;
            self.find_predecessors(&lengths.index(part.clone())?, &starts, &out.index(part)?)?;
        }
        let is_missing = apply("equal", [(&out).into(), (n as i64).into()])?;
        apply("where", [(&is_missing).into(), i64::from(NO_PREDECESSOR).into(), (&out).into()])?.to_dtype(DType::I32)
    }

    /// Writes the lowest vertex from which an edge leads to each one along a shortest path.
    fn find_predecessors(&self, lengths: &Array, starts: &Array, out: &Array) -> Result<()> {
        let EdgeList { rows, columns, lengths: steps } = &self.edges;
        let along = |a: &Array, at: &Array| take(a, at, TakeOptions::new().axis(0));
        let (from, to) = (along(lengths, rows)?, along(lengths, columns)?);
        let reached = apply("isfinite", [(&to).into()])?;
        let is_start = pair("equal", &columns.expand_dims(1)?, starts)?;
        let mut is_tight = pair("equal", &pair("add", &from, &steps.expand_dims(1)?)?, &to)?;
        is_tight = pair("logical_and", &is_tight, &reached)?;
        is_tight = pair("logical_and", &is_tight, &apply("logical_not", [(&is_start).into()])?)?;
        // Lengths that rise along each edge form no cycle.
        let level = pair("logical_and", &is_tight, &pair("equal", &from, &to)?)?;
        if self.has_negative || any(&level)? {
            let hops = self.hops(&is_tight, starts)?;
            let next = apply("add", [(&along(&hops, rows)?).into(), 1.into()])?;
            is_tight = pair("logical_and", &is_tight, &pair("equal", &next, &along(&hops, columns)?)?)?;
        }
        let candidates = apply("where", [(&is_tight).into(), (&rows.expand_dims(1)?).into(), (self.n as i64).into()])?;
        ufunc("minimum")?.at(out, [columns], &candidates)
    }

    /// The number of edges of a shortest path with the fewest edges to each vertex, of int64.
    fn hops(&self, is_tight: &Array, starts: &Array) -> Result<Array> {
        let EdgeList { rows, columns, .. } = &self.edges;
        let (n, count) = (self.n, starts.size());
        // No path has as many edges.
        let hops = make::full(starts.device(), &[n, count], n as i64, DType::I64)?;
        ufunc("minimum")?.at(&hops, [starts, &counted(starts, count, DType::I64)?], 0)?;
        loop {
            let before = hops.copy(crate::layout::Order::C)?;
            let next = apply("add", [(&take(&before, rows, TakeOptions::new().axis(0))?).into(), 1.into()])?;
            let next = apply("where", [is_tight.into(), (&next).into(), (n as i64).into()])?;
            ufunc("minimum")?.at(&hops, [columns], &next)?;
            if !any(&pair("not_equal", &hops, &before)?)? {
                return Ok(hops);
            }
        }
    }
}

/// Returns true if an element is true. Synchronises.
fn any(a: &Array) -> Result<bool> {
    reduced("any", a, &Reduce::all())?.item::<bool>()
}
