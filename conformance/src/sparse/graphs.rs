//! Functions of graphs, and parts of eigenvalue solvers, whose results are judged by what defines them.
//!
//! The entries of the operand become edges with small integers as lengths, capacities or weights, so that sums are exact. A case has one
//! result: 1 if the library's result is right.
//!
//! * Lengths of shortest paths: those of Floyd and Warshall's algorithm in integers.
//! * A maximum flow: it respects the capacities, no vertex but two loses or gains, and no path of the residual graph leads to the sink.
//! * A matching: a permutation of the least weight of all permutations.
//! * The first paths between two vertices: the shortest of all paths without loops, which are enumerated.
//! * The Arnoldi process: orthonormal vectors, whose products with the matrix are their combinations.
//! * An inertia: the signs of the eigenvalues by Jacobi's method.

use std::collections::BTreeMap;

use cuprum::scipy::sparse::linalg::{self, Arnoldi};
use cuprum::scipy::sparse::{Format, Sparse, csgraph};
use cuprum::{Array, DType, ErrorKind, s};

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
        "arnoldi" => is_decomposition(&edges(a, n)?, n)?,
        "inertia" => is_inertia(&edges(a, n)?, n)?,
        unknown => return Err(format!("no function of graphs is called {unknown}").into()),
    };
    Ok(Given::Dense(Array::from_slice(&[i64::from(is_right)], ())?))
}

/// Compares the lengths of the shortest paths between all vertices.
fn are_shortest(edges: &Edges, n: usize) -> Result<bool> {
    let into = matrix(edges, n, DType::F64)?.transpose(None)?.to_format(Format::Csr)?;
    let start: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { 0.0 } else { f64::INFINITY }).collect();
    let mut lengths = Array::from_slice(&start, [n, n])?;
    for _ in 1..n {
        lengths = cuprum::ufunc("minimum")?.call((&lengths, &csgraph::min_plus(&into, &lengths)?), ())?;
    }
    let found = lengths.to_vec::<f64>()?;
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
    let same = |i: usize, j: usize| found[j * n + i] == exact[i * n + j].map_or(f64::INFINITY, |w| w as f64);
    Ok((0..n * n).all(|k| same(k / n, k % n)))
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
    let found = csgraph::yen(&matrix(edges, n, DType::F64)?, 0, n - 1, count, Default::default())?;
    if n == 1 {
        // The path of one vertex, or none.
        return Ok(found.iter().all(|path| path.length == 0.0));
    }
    let right = |path: &csgraph::Path| length(&path.vertices).is_some_and(|exact| exact as f64 == path.length);
    let distinct = (1..found.len()).all(|k| found[..k].iter().all(|path| path.vertices != found[k].vertices));
    let shortest = found.iter().map(|path| path.length as i64).eq(all.into_iter().take(count));
    Ok(distinct && shortest && found.iter().all(right))
}

/// Returns the elements of the symmetric matrix of edges in both directions, with a diagonal of both signs that dominates the rows.
fn symmetric(edges: &Edges, n: usize) -> Vec<f64> {
    let mut a = vec![0.0; n * n];
    for ((i, j), w) in edges {
        a[i * n + j] += *w as f64;
        a[j * n + i] += *w as f64;
    }
    for i in 0..n {
        let across: f64 = a[i * n..(i + 1) * n].iter().sum();
        a[i * n + i] = if i % 3 == 0 { -1.0 } else { 1.0 } * (1.0 + across + i as f64 / 8.0);
    }
    a
}

/// Checks the basis and the coefficients of the Arnoldi process.
fn is_decomposition(edges: &Edges, n: usize) -> Result<bool> {
    let a = symmetric(edges, n);
    let operator = Sparse::from_dense(&Array::from_slice(&a, [n, n])?, Format::Csr)?;
    let steps = (n - 1).min(8);
    if steps == 0 {
        return Ok(true);
    }
    let mut process = Arnoldi::new(DType::F64, n, steps, 0)?;
    let norm = (0..n).map(|i| ((i + 1) * (i + 1)) as f64).sum::<f64>().sqrt();
    let first: Vec<f64> = (0..n).map(|i| (i + 1) as f64 / norm).collect();
    process.basis().index(s![0])?.assign(&Array::from_slice(&first, [n])?)?;
    let done = process.extend(&operator, 0, steps, 0)?;
    let (basis, columns) = (process.basis().to_vec::<f64>()?, process.columns().to_vec::<f64>()?);
    let vector = |k: usize| &basis[k * n..(k + 1) * n];
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let size = (0..n).map(|i| a[i * n..(i + 1) * n].iter().map(|x| x.abs()).sum()).fold(1.0, f64::max);
    let bound = 16.0 * n as f64 * f64::EPSILON;
    let mut small = true;
    for j in 0..done {
        for i in 0..=j {
            small &= (dot(vector(i), vector(j)) - f64::from(u8::from(i == j))).abs() <= bound;
        }
        for row in 0..n {
            let product = dot(&a[row * n..(row + 1) * n], vector(j));
            let combined: f64 = (0..=j + 1).map(|i| columns[j * (steps + 1) + i] * vector(i)[row]).sum();
            small &= (product - combined).abs() <= bound * size;
        }
    }
    Ok(small)
}

/// Compares the numbers of positive and of negative eigenvalues.
fn is_inertia(edges: &Edges, n: usize) -> Result<bool> {
    let a = symmetric(edges, n);
    let eigenvalues = jacobi(a.clone(), n);
    let expected = [eigenvalues.iter().filter(|w| **w > 0.0).count(), eigenvalues.iter().filter(|w| **w < 0.0).count()];
    let found = linalg::inertia(&Sparse::from_dense(&Array::from_slice(&a, [n, n])?, Format::Csc)?)?;
    Ok(found == expected)
}

/// Returns the eigenvalues of a symmetric matrix by cyclic rotations (C. G. J. Jacobi, 1846).
fn jacobi(mut a: Vec<f64>, n: usize) -> Vec<f64> {
    for _ in 0..30 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p * n + q] == 0.0 {
                    continue;
                }
                let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    (0..n).map(|i| a[i * n + i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_are_those_of_a_known_matrix() {
        let mut found = jacobi(vec![2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0], 3);
        found.sort_by(f64::total_cmp);
        let root = 2.0_f64.sqrt();
        for (w, expected) in found.iter().zip([2.0 - root, 2.0, 2.0 + root]) {
            assert!((w - expected).abs() < 1e-14, "{w} {expected}");
        }
        assert_eq!(permutations(3).len(), 6);
    }
}
