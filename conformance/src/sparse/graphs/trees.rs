//! Trees, orders, components and matrices of graphs.
//!
//! * Orders of searches: by breadth the distances from the first vertex rise; by depth each vertex that an edge leads to is
//!   before the one that it leads from, or descends from it.
//! * A spanning tree: one for each component, in which no edge is longer than another one that would close its cycle.
//! * An order of Cuthill and McKee: neighbours follow the order of their first neighbours, and of their degrees.
//! * A matching: its pairs are edges, and no path alternates between rows and columns without a partner.
//! * Strong components: vertices that reach each other.
//! * A Laplacian: degrees minus edges.

use cuprum::scipy::sparse::csgraph::{LaplacianOptions, PermType, SearchOrder};
use cuprum::scipy::sparse::{Sparse, csgraph};
use cuprum::{Array, DType};

use super::{Edges, exact_lengths, matrix, undirected};
use crate::subject::Result;

/// Checks a function for the graph of edges.
pub(super) fn check(method: &str, edges: &Edges, n: usize) -> Result<bool> {
    let graph = matrix(edges, n, DType::F64)?;
    match method {
        "searches" => are_searches(&graph, edges, n),
        "spanning_tree" => is_spanning_tree(&csgraph::minimum_spanning_tree(&graph)?, &undirected(edges), n),
        "cuthill_mckee" => is_cuthill_mckee(&graph, &undirected(edges), n),
        "bipartite" => is_maximum(&graph, edges, n),
        "strong" => are_strong(&graph, edges, n),
        "laplacian" => is_laplacian(&graph, edges, n),
        "dense" => is_converted(&graph, edges, n),
        unknown => Err(format!("no function of graphs is called {unknown}").into()),
    }
}

/// Returns vertices on the host, of which a negative one is none.
fn host(vertices: &Array) -> Result<Vec<Option<usize>>> {
    Ok(vertices.to_vec::<i32>()?.into_iter().map(|v| usize::try_from(v).ok()).collect())
}

fn are_searches(graph: &Sparse, edges: &Edges, n: usize) -> Result<bool> {
    let mut right = true;
    for directed in [true, false] {
        let edges = if directed { edges.clone() } else { undirected(edges) };
        let ones: Edges = edges.keys().map(|end| (*end, 1)).collect();
        let hops = exact_lengths(&ones, n);
        for first in [0, n / 2] {
            let reached: Vec<usize> = (0..n).filter(|v| hops[first * n + v].is_some()).collect();
            let breadth = csgraph::breadth_first_order(graph, first, directed)?;
            let order = positions(&breadth, &reached, first, &edges, n)?;
            let Some(order) = order else { return Ok(false) };
            let before = host(&breadth.predecessors)?;
            let level = |v: usize| hops[first * n + v].unwrap_or(0);
            right &= reached.iter().all(|&v| reached.iter().all(|&w| level(v) >= level(w) || order[v] < order[w]));
            right &= reached.iter().all(|&v| before[v].is_none_or(|p| level(p) + 1 == level(v)));

            let depth = csgraph::depth_first_order(graph, first, directed)?;
            let order = positions(&depth, &reached, first, &edges, n)?;
            let Some(order) = order else { return Ok(false) };
            let before = host(&depth.predecessors)?;
            let descends = |mut v: usize, from: usize| loop {
                match before[v] {
                    _ if v == from => break true,
                    Some(p) => v = p,
                    None => break false,
                }
            };
            right &= edges
                .keys()
                .filter(|(i, _)| hops[first * n + i].is_some())
                .all(|&(i, j)| order[j] < order[i] || descends(j, i));
            let tree = csgraph::depth_first_tree(graph, first, directed)?.to_dense(())?.to_vec::<f64>()?;
            right &= (0..n * n).all(|k| {
                let is_in_tree = before[k % n] == Some(k / n);
                tree[k] == if is_in_tree { edges[&(k / n, k % n)] as f64 } else { 0.0 }
            });
        }
    }
    Ok(right)
}

/// Returns the position of each vertex in the order of a search, `n` for none; `None` if the order has not exactly the
/// vertices that are reached, the first one at the beginning, or a predecessor is not before its vertex, or no edge
/// leads from it.
fn positions(
    found: &SearchOrder,
    reached: &[usize],
    first: usize,
    edges: &Edges,
    n: usize,
) -> Result<Option<Vec<usize>>> {
    let mut order = vec![n; n];
    let vertices: Vec<usize> = host(&found.order)?.into_iter().flatten().collect();
    vertices.iter().enumerate().for_each(|(at, &v)| order[v] = at);
    let complete = vertices.len() == reached.len() && reached.iter().all(|&v| order[v] < n) && vertices[0] == first;
    let before = host(&found.predecessors)?;
    let right = (0..n).all(|v| match before[v] {
        Some(p) => order[p] < order[v] && edges.contains_key(&(p, v)),
        None => v == first || order[v] == n,
    });
    Ok((complete && right).then_some(order))
}

/// Returns the vertices of a path between two vertices along edges that `leads` accepts.
fn path(from: usize, to: usize, n: usize, leads: impl Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
    let (mut before, mut queue) = (vec![None; n], vec![from]);
    let mut seen = vec![false; n];
    seen[from] = true;
    while let Some(v) = queue.pop() {
        for w in 0..n {
            if !seen[w] && leads(v, w) {
                (seen[w], before[w]) = (true, Some(v));
                queue.push(w);
            }
        }
    }
    let mut vertices = vec![to];
    while vertices[vertices.len() - 1] != from {
        vertices.push(before[vertices[vertices.len() - 1]]?);
    }
    Some(vertices)
}

fn is_spanning_tree(tree: &Sparse, edges: &Edges, n: usize) -> Result<bool> {
    let lengths = tree.to_dense(())?.to_vec::<f64>()?;
    let stored: Vec<(usize, usize)> = (0..n * n).filter(|k| lengths[*k] != 0.0).map(|k| (k / n, k % n)).collect();
    let own = |(i, j): (usize, usize)| edges.get(&(i, j)).is_some_and(|w| *w as f64 == lengths[i * n + j]);
    let in_tree = |v: usize, w: usize| lengths[v * n + w] != 0.0 || lengths[w * n + v] != 0.0;
    let length = |v: usize, w: usize| lengths[v * n + w] + lengths[w * n + v];
    // As many edges as a forest of the components has.
    let (components, _) = csgraph::connected_components(&matrix(edges, n, DType::F64)?)?;
    let is_forest = stored.len() == n - components && stored.iter().all(|&(i, j)| lengths[j * n + i] == 0.0);
    let is_least = edges.iter().all(|(&(i, j), &w)| {
        path(i, j, n, in_tree).is_some_and(|path| path.windows(2).all(|pair| length(pair[0], pair[1]) <= w as f64))
    });
    Ok(is_forest && stored.into_iter().all(own) && is_least)
}

fn is_cuthill_mckee(graph: &Sparse, edges: &Edges, n: usize) -> Result<bool> {
    let mut order: Vec<usize> = host(&csgraph::reverse_cuthill_mckee(graph, false)?)?.into_iter().flatten().collect();
    order.reverse();
    let mut at = vec![n; n];
    order.iter().enumerate().for_each(|(position, &v)| at[v] = position);
    if order.len() != n || at.contains(&n) {
        return Ok(false);
    }
    let degree = |v: usize| edges.keys().filter(|(i, _)| *i == v).count();
    // The position of the first neighbour, for a vertex that another one of its component precedes.
    let parent = |v: usize| edges.keys().filter(|(i, _)| *i == v).map(|(_, j)| at[*j]).min().filter(|p| *p < at[v]);
    let mut right = true;
    for pair in order.windows(2) {
        if let (Some(first), Some(second)) = (parent(pair[0]), parent(pair[1])) {
            right &= first < second || first == second && degree(pair[0]) <= degree(pair[1]);
        }
    }
    // A component begins at a vertex of its least degree.
    let (_, labels) = csgraph::connected_components(&matrix(edges, n, DType::F64)?)?;
    let labels = labels.to_vec::<i32>()?;
    for &v in order.iter().filter(|&&v| parent(v).is_none()) {
        right &= (0..n).filter(|w| labels[*w] == labels[v]).all(|w| degree(v) <= degree(w));
    }
    Ok(right)
}

fn is_maximum(graph: &Sparse, edges: &Edges, n: usize) -> Result<bool> {
    let rows = host(&csgraph::maximum_bipartite_matching(graph, PermType::Row)?)?;
    let columns = host(&csgraph::maximum_bipartite_matching(graph, PermType::Column)?)?;
    let pairs: Vec<(usize, usize)> = (0..n).filter_map(|j| rows[j].map(|i| (i, j))).collect();
    let right = pairs.iter().all(|&(i, j)| columns[i] == Some(j) && edges.contains_key(&(i, j)))
        && columns.iter().flatten().count() == pairs.len()
        && csgraph::structural_rank(graph)? == pairs.len();
    // Rows are 0 to n - 1, columns n to 2 n - 1: pairs lead back to their rows.
    let leads = |v: usize, w: usize| match (v < n, w < n) {
        (true, false) => edges.contains_key(&(v, w - n)) && columns[v] != Some(w - n),
        (false, true) => rows[v - n] == Some(w),
        _ => false,
    };
    let free_rows: Vec<usize> = (0..n).filter(|i| columns[*i].is_none()).collect();
    let free_columns: Vec<usize> = (0..n).filter(|j| rows[*j].is_none()).collect();
    let augments = |i: &usize| free_columns.iter().any(|j| path(*i, n + j, 2 * n, leads).is_some());
    Ok(right && !free_rows.iter().any(augments))
}

fn are_strong(graph: &Sparse, edges: &Edges, n: usize) -> Result<bool> {
    let reach = exact_lengths(edges, n);
    let mutual = |i: usize, j: usize| reach[i * n + j].is_some() && reach[j * n + i].is_some();
    let (mut expected, mut count) = (vec![], 0);
    for i in 0..n {
        let label = (0..i).find(|j| mutual(i, *j)).map(|j| expected[j]);
        expected.push(label.unwrap_or(count));
        count += i32::from(label.is_none());
    }
    let (found, labels) = csgraph::strongly_connected_components(graph)?;
    Ok(found as i32 == count && labels.to_vec::<i32>()? == expected)
}

fn is_laplacian(graph: &Sparse, edges: &Edges, n: usize) -> Result<bool> {
    let weight = |i: usize, j: usize| edges.get(&(i, j)).map_or(0.0, |w| *w as f64);
    let mut right = true;
    for use_out_degree in [false, true] {
        let degree = |v: usize| (0..n).map(|w| if use_out_degree { weight(v, w) } else { weight(w, v) }).sum::<f64>();
        let options = LaplacianOptions { use_out_degree, ..Default::default() };
        let found = csgraph::laplacian(graph, options)?.matrix.to_dense(())?.to_vec::<f64>()?;
        let expected = |k: usize| if k / n == k % n { degree(k / n) } else { -weight(k / n, k % n) };
        right &= (0..n * n).all(|k| found[k] == expected(k));
        let normed = csgraph::laplacian(graph, LaplacianOptions { normed: true, ..options })?;
        let scale = |v: usize| if degree(v) == 0.0 { 1.0 } else { degree(v).sqrt() };
        let expected = |k: usize| {
            let diagonal = f64::from(u8::from(degree(k / n) != 0.0));
            if k / n == k % n { diagonal } else { -weight(k / n, k % n) / scale(k / n) / scale(k % n) }
        };
        let found = normed.matrix.to_dense(())?.to_vec::<f64>()?;
        right &= (0..n * n).all(|k| (found[k] - expected(k)).abs() <= 4.0 * f64::EPSILON * expected(k).abs());
        right &= normed.diagonal.to_vec::<f64>()? == (0..n).map(scale).collect::<Vec<_>>();
    }
    Ok(right)
}

fn is_converted(graph: &Sparse, edges: &Edges, n: usize) -> Result<bool> {
    let expected: Vec<f64> =
        (0..n * n).map(|k| edges.get(&(k / n, k % n)).map_or(f64::INFINITY, |w| *w as f64)).collect();
    let dense = csgraph::csgraph_to_dense(graph, f64::INFINITY)?;
    let [lengths, mask] = csgraph::csgraph_to_masked(graph)?;
    let back = [csgraph::csgraph_from_dense(&dense, ())?, csgraph::csgraph_from_masked(&lengths, &mask)?];
    let mut right = dense.to_vec::<f64>()? == expected;
    for graph in back {
        right &= graph.nnz()? == edges.len()
            && csgraph::csgraph_to_dense(&graph, f64::INFINITY)?.to_vec::<f64>()? == expected;
    }
    Ok(right)
}
