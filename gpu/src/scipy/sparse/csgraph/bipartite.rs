//! Matchings of rows and columns with as many pairs as there can be.
//!
//! J. E. Hopcroft, R. M. Karp, "An n^5/2 Algorithm for Maximum Matchings in Bipartite Graphs", 1973.

use cuprum_macros::unrecorded;

use super::super::Sparse;
use super::host::{NONE, Neighbours, vertices_array};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

/// The side whose partners [`maximum_bipartite_matching`] returns.
///
/// SciPy's `perm_type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PermType {
    /// The row that is matched to each column.
    #[default]
    Row,
    /// The column that is matched to each row.
    Column,
}

/// Returns a matching of rows and columns with as many pairs as there can be, along the entries of a matrix; SciPy's
/// `maximum_bipartite_matching`.
///
/// The result is of int32, with -1 where there is no partner. The search for paths is sequential and runs on the host,
/// with a copy of the structure of the matrix. SciPy may find another matching.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph, csgraph::PermType};
/// let a = Sparse::from_dense(&cuprum::array([[1, 1], [1, 0]])?, Format::Csr)?;
/// assert_eq!(csgraph::maximum_bipartite_matching(&a, PermType::Row)?.to_vec::<i32>()?, [1, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array that has not two axes.
///
/// # Synchronization
///
/// Synchronises to copy the matrix to the host.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn maximum_bipartite_matching(graph: &Sparse, perm_type: PermType) -> Result<Array> {
    let go = || {
        let Matching { of_row, of_column } = Matching::of(graph)?;
        vertices_array(graph.device(), if perm_type == PermType::Row { &of_column } else { &of_row }, -1)
    };
    go().map_err(|e: Error| e.with_op("csgraph.maximum_bipartite_matching"))
}

/// Returns the largest rank of the matrices that have the entries of this one: the size of a maximum matching; SciPy's
/// `structural_rank`.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let a = Sparse::from_dense(&cuprum::array([[1, 1, 0], [1, 0, 0], [1, 0, 0]])?, Format::Csr)?;
/// assert_eq!(csgraph::structural_rank(&a)?, 2);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`maximum_bipartite_matching`].
///
/// # Synchronization
///
/// As [`maximum_bipartite_matching`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn structural_rank(graph: &Sparse) -> Result<usize> {
    let matching = Matching::of(graph).map_err(|e: Error| e.with_op("csgraph.structural_rank"))?;
    Ok(matching.of_row.iter().filter(|&&column| column != NONE).count())
}

/// The partners of rows and of columns so far.
struct Matching {
    of_row: Vec<usize>,
    of_column: Vec<usize>,
}

impl Matching {
    /// Finds a maximum matching.
    fn of(graph: &Sparse) -> Result<Matching> {
        let &[rows, columns] = graph.shape() else {
            let message = format!("the graph has {} axes: it must have two", graph.ndim());
            return Err(Error::new(ErrorKind::Value, message));
        };
        let graph = Neighbours::of(graph)?;
        let mut matching = Matching { of_row: vec![NONE; rows], of_column: vec![NONE; columns] };
        for row in 0..rows {
            if let Some(&column) = graph.at(row).iter().find(|&&column| matching.of_column[column] == NONE) {
                (matching.of_row[row], matching.of_column[column]) = (column, row);
            }
        }
        while let Some(distance) = matching.distances(&graph) {
            let mut at = vec![0; rows];
            for first in 0..rows {
                if matching.of_row[first] == NONE {
                    matching.augment(&graph, first, &mut at, &distance);
                }
            }
        }
        Ok(matching)
    }

    /// The distance of each row from the rows without a column, along paths that alternate; `None` if no such path ends
    /// at a column without a row.
    fn distances(&self, graph: &Neighbours) -> Option<Vec<usize>> {
        let mut distance = vec![NONE; self.of_row.len()];
        let mut level: Vec<usize> = (0..self.of_row.len()).filter(|&row| self.of_row[row] == NONE).collect();
        level.iter().for_each(|&row| distance[row] = 0);
        let mut found = false;
        while !found && !level.is_empty() {
            let mut following = vec![];
            for row in level {
                for &column in graph.at(row) {
                    let other = self.of_column[column];
                    if other == NONE {
                        found = true;
                    } else if distance[other] == NONE {
                        distance[other] = distance[row] + 1;
                        following.push(other);
                    }
                }
            }
            level = following;
        }
        found.then_some(distance)
    }

    /// Follows one shortest path from a row without a column to a column without a row, and exchanges its pairs. `at`
    /// counts the columns of each row that are of no further use.
    fn augment(&mut self, graph: &Neighbours, first: usize, at: &mut [usize], distance: &[usize]) {
        let mut path = vec![first];
        while let Some(&row) = path.last() {
            let Some(&column) = graph.at(row).get(at[row]) else {
                path.pop();
                if let Some(&before) = path.last() {
                    at[before] += 1;
                }
                continue;
            };
            let other = self.of_column[column];
            if other == NONE {
                for row in path {
                    let column = graph.at(row)[at[row]];
                    (self.of_row[row], self.of_column[column]) = (column, row);
                    // A row is on one path of a phase.
                    at[row] = graph.at(row).len();
                }
                return;
            }
            if distance[other] == distance[row] + 1 {
                path.push(other);
            } else {
                at[row] += 1;
            }
        }
    }
}
