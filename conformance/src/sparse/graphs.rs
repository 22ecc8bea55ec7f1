//! Functions of graphs, and parts of eigenvalue solvers, whose results are judged by what defines them.
//!
//! The entries of the operand become edges with small integers as lengths, capacities or weights, so that sums are exact. A case has one
//! result: 1 if the library's result is right.
//!
//! * Lengths of shortest paths: those of Floyd and Warshall's algorithm in integers. Predecessors: the lengths of their paths.
//! * A maximum flow: it respects the capacities, no vertex but two loses or gains, and no path of the residual graph leads to the sink.
//! * A matching: a permutation of the least weight of all permutations.
//! * The first paths between two vertices: the shortest of all paths without loops, which are enumerated.
//!
//! Trees, orders and components are in `trees`, eigenvalues in `spectra`.

mod spectra;
mod trees;

use std::collections::BTreeMap;

use cuprum::scipy::sparse::csgraph::ShortestPathOptions;
use cuprum::scipy::sparse::{Format, Sparse, csgraph};
use cuprum::{Array, DType, ErrorKind};

use super::subject::Given;
use crate::subject::Result;

/// Vertices and edges up to which all paths, or all permutations, are enumerated.
const FEW: usize = 6;

/// Edges between different vertices, each with a positive integer of its own.
type Edges = BTreeMap<(usize, usize), i64>;

/// Returns the edges of the entries of an operand between its first `n` vertices.
fn edges(a: &Sparse, n: usize) -> Result<Edges> {
    let coo = a.to_format(Format::Coo)?;
    let column = |axis: usize| -> Result<Vec<i64>> { Ok(coo.coords()?[axis].astype(DType::I64)?.to_vec::<i64>()?) };
    let values = coo.data().astype(DType::F64)?.to_vec::<f64>()?;
    let positions = column(0)?.into_iter().zip(column(1)?).map(|(i, j)| (i as usize, j as usize));
    let weight = |value: f64| 1 + (4.0 * value.abs()).min(1e6) as i64;
    let all = positions.zip(values.into_iter().map(weight));
    Ok(all.filter(|((i, j), _)| i != j && *i < n && *j < n).collect())
}

/// Returns the matrix of edges.
fn matrix(edges: &Edges, n: usize, dtype: DType) -> Result<Sparse> {
    let of = |part: fn((&(usize, usize), &i64)) -> i64| {
        Array::from_slice(&edges.iter().map(part).collect::<Vec<_>>(), [edges.len()])
    };
    let coords = [of(|((i, _), _)| *i as i64)?, of(|((_, j), _)| *j as i64)?];
    let data = of(|(_, w)| *w)?.astype(dtype)?;
    Ok(Sparse::coo(&data, &[&coords[0], &coords[1]], &[n, n])?.to_format(Format::Csr)?)
}

/// Checks a function for the edges of an operand.
pub(super) fn check(method: &str, a: &Sparse) -> Result<Given> {
    let n = a.shape()[0].min(a.shape()[1]);
    let is_right = match method {
        "paths" => are_shortest(&edges(a, n)?, n)?,
        "maximum_flow" => is_maximum_flow(&edges(a, n)?, n)?,
        "matching" => is_least_matching(&edges(a, n.min(FEW))?, n.min(FEW))?,
        "yen" => are_first_paths(&edges(a, n.min(FEW))?, n.min(FEW))?,
        "arnoldi" | "inertia" | "eigsh" | "shifted" | "eigs" | "svds" | "lobpcg" => {
            spectra::check(method, &edges(a, n)?, n)?
        }
        _ => trees::check(method, &edges(a, n)?, n)?,
    };
    Ok(Given::Dense(Array::from_slice(&[i64::from(is_right)], ())?))
}

/// Returns the exact lengths of the shortest paths between all vertices by the algorithm of R. W. Floyd and S. Warshall.
fn exact_lengths(edges: &Edges, n: usize) -> Vec<Option<i64>> {
    let mut exact: Vec<Option<i64>> = (0..n * n).map(|k| (k / n == k % n).then_some(0)).collect();
    edges.iter().for_each(|((i, j), w)| exact[i * n + j] = Some(*w));
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                if let (Some(first), Some(second)) = (exact[i * n + k], exact[k * n + j]) {
                    let through = first + second;
                    exact[i * n + j] = Some(exact[i * n + j].map_or(through, |length| length.min(through)));
                }
            }
        }
    }
    exact
}

/// Returns the edges in both directions: the shorter one where both are stored.
fn undirected(edges: &Edges) -> Edges {
    let mut both = Edges::new();
    for ((i, j), w) in edges {
        for end in [(*i, *j), (*j, *i)] {
            both.entry(end).and_modify(|own| *own = (*own).min(*w)).or_insert(*w);
        }
    }
    both
}

/// Compares the lengths of the shortest paths between all vertices, and of the paths of their predecessors.
fn are_shortest(edges: &Edges, n: usize) -> Result<bool> {
    let graph = matrix(edges, n, DType::F64)?;
    let mut right = true;
    for directed in [true, false] {
        let exact = exact_lengths(&if directed { edges.clone() } else { undirected(edges) }, n);
        let expected: Vec<f64> = exact.iter().map(|w| w.map_or(f64::INFINITY, |w| w as f64)).collect();
        let options = ShortestPathOptions { directed, return_predecessors: true, ..Default::default() };
        let found = csgraph::dijkstra(&graph, options)?;
        let Some(before) = found.predecessors else { return Ok(false) };
        let along = csgraph::construct_dist_matrix(&graph, &before, directed, f64::INFINITY)?;
        right &= found.lengths.to_vec::<f64>()? == expected && along.to_vec::<f64>()? == expected;
        // Some first vertices, of which the nearest one counts.
        let firsts: Vec<usize> = (0..n).rev().step_by(3).collect();
        let options = ShortestPathOptions { directed, indices: Some(&firsts), ..Default::default() };
        let nearest = csgraph::dijkstra_min_only(&graph, options)?;
        let least = |j: usize| firsts.iter().map(|i| expected[i * n + j]).fold(f64::INFINITY, f64::min);
        let sources = nearest.sources.to_vec::<i32>()?;
        for (j, length) in nearest.lengths.to_vec::<f64>()?.into_iter().enumerate() {
            let from_source = usize::try_from(sources[j]).ok().map(|i| expected[i * n + j]);
            right &= length == least(j) && from_source.is_none_or(|own| own == length);
            right &= from_source.is_some() == length.is_finite();
        }
    }
    Ok(right)
}

/// Checks the maximum flow from the first vertex to the last one.
fn is_maximum_flow(edges: &Edges, n: usize) -> Result<bool> {
    let capacities = matrix(edges, n, DType::I32)?;
    if n < 2 {
        let error = csgraph::maximum_flow(&capacities, 0, 0);
        return Ok(error.is_err_and(|e| e.kind() == ErrorKind::Value));
    }
    let found = csgraph::maximum_flow(&capacities, 0, n - 1)?;
    let flow = found.flow.to_dense(())?.to_vec::<i64>()?;
    let capacity = |i: usize, j: usize| edges.get(&(i, j)).copied().unwrap_or(0);
    let antisymmetric = (0..n * n).all(|k| flow[k] == -flow[k % n * n + k / n] && flow[k] <= capacity(k / n, k % n));
    let leaving = |i: usize| flow[i * n..(i + 1) * n].iter().sum::<i64>();
    let conserved = (1..n - 1).all(|i| leaving(i) == 0) && leaving(0) == found.value && leaving(n - 1) == -found.value;
    let (mut reached, mut queue) = (vec![false; n], vec![0]);
    reached[0] = true;
    while let Some(i) = queue.pop() {
        for j in 0..n {
            if !reached[j] && flow[i * n + j] < capacity(i, j) {
                reached[j] = true;
                queue.push(j);
            }
        }
    }
    Ok(antisymmetric && conserved && !reached[n - 1])
}

/// Returns all permutations of the first `n` numbers.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        let longer =
            |p: &Vec<usize>| (0..n).filter(|k| !p.contains(k)).map(|k| [&p[..], &[k]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Checks the matchings of the least and of the largest weight. The diagonal is among the edges.
fn is_least_matching(edges: &Edges, n: usize) -> Result<bool> {
    let mut edges = edges.clone();
    edges.extend((0..n).step_by(2).map(|i| ((i, i), 3)));
    let weights = matrix(&edges, n, DType::F64)?;
    let weight =
        |columns: &[usize]| columns.iter().enumerate().map(|(i, j)| edges.get(&(i, *j)).copied()).sum::<Option<i64>>();
    let all: Vec<i64> = permutations(n).iter().filter_map(|p| weight(p)).collect();
    for maximize in [false, true] {
        let found = csgraph::min_weight_full_bipartite_matching(&weights, maximize);
        let best = if maximize { all.iter().max() } else { all.iter().min() };
        let Some(best) = best else {
            if !found.is_err_and(|e| e.kind() == ErrorKind::Value) {
                return Ok(false);
            }
            continue;
        };
        let [rows, columns] = found?;
        let columns: Vec<usize> = columns.to_vec::<i32>()?.into_iter().map(|j| j as usize).collect();
        let in_order = rows.to_vec::<i64>()?.into_iter().eq(0..n as i64);
        let distinct = (0..n).all(|j| columns.contains(&j));
        if !in_order || !distinct || weight(&columns) != Some(*best) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Checks the first paths from the first vertex to the last one.
fn are_first_paths(edges: &Edges, n: usize) -> Result<bool> {
    let length = |path: &[usize]| path.windows(2).map(|p| edges.get(&(p[0], p[1])).copied()).sum::<Option<i64>>();
    let (mut all, mut open) = (vec![], vec![vec![0]]);
    while let Some(path) = open.pop() {
        let last = path[path.len() - 1];
        if last == n - 1 {
            all.push(length(&path).unwrap_or(0));
            continue;
        }
        let next = (0..n).filter(|v| !path.contains(v) && edges.contains_key(&(last, *v)));
        open.extend(next.map(|v| [&path[..], &[v]].concat()));
    }
    all.sort_unstable();
    let count = 7;
    let found = csgraph::yen(&matrix(edges, n, DType::F64)?, 0, n - 1, count, ())?;
    if n == 1 {
        // The path of one vertex, or none.
        return Ok(found.iter().all(|path| path.length == 0.0));
    }
    let right = |path: &csgraph::Path| length(&path.vertices).is_some_and(|exact| exact as f64 == path.length);
    let distinct = (1..found.len()).all(|k| found[..k].iter().all(|path| path.vertices != found[k].vertices));
    let shortest = found.iter().map(|path| path.length as i64).eq(all.into_iter().take(count));
    Ok(distinct && shortest && found.iter().all(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_all() {
        assert_eq!(permutations(3).len(), 6);
    }
}
