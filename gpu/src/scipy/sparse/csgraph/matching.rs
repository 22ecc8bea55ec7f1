//! Matchings of least weight.
//!
//! R. Jonker, A. Volgenant, "A Shortest Augmenting Path Algorithm for Dense and Sparse Linear Assignment Problems",
//! 1987.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::super::Sparse;
use super::host::Rows;
use super::paths::Length;
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};

/// Returns the rows and columns of a matching of the smaller set of the two with the larger one whose entries have the
/// least sum, or with `maximize` the largest; SciPy's `min_weight_full_bipartite_matching`.
///
/// Each row that is matched has an element, rows ascending: the first array has the rows of int64, the second one their
/// columns of int32. The entries of the matrix are real numbers. The search is sequential and runs on the host, with a
/// copy of the matrix: a shortest augmenting path for each row. SciPy may find another matching of equal weight.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let weights = Sparse::from_dense(&cuprum::array([[7, 2, 9], [4, 8, 1], [5, 6, 3]])?, Format::Csr)?;
/// let [rows, columns] = csgraph::min_weight_full_bipartite_matching(&weights, false)?;
/// assert_eq!((rows.to_vec::<i64>()?, columns.to_vec::<i32>()?), (vec![0, 1, 2], vec![1, 2, 0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] if there is no such matching, for NaN, and for an array that has not two axes.
///
/// # Synchronization
///
/// Synchronises to copy the matrix to the host.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_flows.py`")]
pub fn min_weight_full_bipartite_matching(graph: &Sparse, maximize: bool) -> Result<[Array; 2]> {
    let go = || {
        let wrong = |message: String| Error::new(ErrorKind::Value, message);
        let &[rows, columns] = graph.shape() else {
            return Err(wrong(format!("the graph has {} axes: it must have two", graph.ndim())));
        };
        let wide = columns < rows;
        let oriented = if wide { graph.transpose(None)? } else { graph.clone() };
        let mut weights = Rows::<f64>::of(&oriented, DType::F64)?;
        if weights.values.iter().any(|w| w.is_nan()) {
            return Err(wrong("the graph has a NaN among its weights: weights must be numbers".into()));
        }
        if maximize {
            weights.values.iter_mut().for_each(|w| *w = -*w);
        }
        let few = rows.min(columns);
        let matched = Assignment::of(&weights, few, rows.max(columns)).ok_or_else(|| {
            wrong(format!("no full matching exists: no {few} pairs of the graph's entries are disjoint"))
        })?;
        let mut pairs: Vec<(usize, usize)> = matched.into_iter().enumerate().collect();
        if wide {
            pairs.iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
            pairs.sort_unstable();
        }
        let device = graph.device();
        let first: Vec<i64> = pairs.iter().map(|pair| pair.0 as i64).collect();
        let second: Vec<i32> = pairs.iter().map(|pair| pair.1 as i32).collect();
        Ok([make::of(device, &first, &[few])?, make::of(device, &second, &[few])?])
    };
    go().map_err(|e: Error| e.with_op("csgraph.min_weight_full_bipartite_matching"))
}

/// The matching so far, and prices: the reduced weight of no entry is negative, that of an entry of the matching is zero.
struct Assignment {
    column_of: Vec<usize>,
    row_of: Vec<usize>,
    row_price: Vec<f64>,
    column_price: Vec<f64>,
}

const NONE: usize = usize::MAX;

impl Assignment {
    /// Returns the column of each row in a matching of least weight, if there is a matching of all rows.
    fn of(weights: &Rows<f64>, rows: usize, columns: usize) -> Option<Vec<usize>> {
        let least = |row: usize| weights.row(row).map(|(_, &w)| w).fold(f64::INFINITY, f64::min);
        let mut state = Assignment {
            column_of: vec![NONE; rows],
            row_of: vec![NONE; columns],
            row_price: (0..rows).map(least).collect(),
            column_price: vec![0.0; columns],
        };
        let mut search =
            Search { length: vec![f64::INFINITY; columns], from: vec![NONE; columns], done: vec![false; columns] };
        (0..rows).try_for_each(|row| state.augment(weights, row, &mut search))?;
        Some(state.column_of)
    }

    /// Matches one more row along a shortest path of reduced weights.
    fn augment(&mut self, weights: &Rows<f64>, first: usize, search: &mut Search) -> Option<()> {
        let mut heap = BinaryHeap::new();
        let (mut touched, mut row, mut so_far) = (vec![], first, 0.0);
        let end = loop {
            for (column, &weight) in weights.row(row) {
                let length = so_far + (weight - self.row_price[row] - self.column_price[column]);
                if !search.done[column] && length < search.length[column] {
                    if search.length[column] == f64::INFINITY {
                        touched.push(column);
                    }
                    search.length[column] = length;
                    search.from[column] = row;
                    heap.push(Reverse((Length(length), column)));
                }
            }
            let column = loop {
                let Reverse((Length(length), column)) = heap.pop()?;
                if !search.done[column] && length == search.length[column] {
                    break column;
                }
            };
            search.done[column] = true;
            so_far = search.length[column];
            match self.row_of[column] {
                NONE => break column,
                next => row = next,
            }
        };
        self.row_price[first] += so_far;
        for &column in touched.iter().filter(|&&column| search.done[column] && column != end) {
            let gain = so_far - search.length[column];
            self.column_price[column] -= gain;
            self.row_price[self.row_of[column]] += gain;
        }
        let mut column = end;
        loop {
            let row = search.from[column];
            self.row_of[column] = row;
            std::mem::swap(&mut self.column_of[row], &mut column);
            if row == first {
                break;
            }
        }
        for column in touched {
            (search.length[column], search.from[column], search.done[column]) = (f64::INFINITY, NONE, false);
        }
        Some(())
    }
}

/// Scratch of a search for each column, in its first state between two searches.
struct Search {
    length: Vec<f64>,
    from: Vec<usize>,
    done: Vec<bool>,
}
