//! Graphs, whose edges are the entries of a square matrix.

use super::Sparse;
use crate::core::error::{ErrorKind, Result, fail};

impl Sparse {
    /// Returns the number of weakly connected components, and the component of each vertex: by a search from each vertex that none has
    /// reached, in their order.
    ///
    /// # Errors
    ///
    /// `ValueError` for a matrix that is not square.
    pub fn connected_components(&self) -> Result<(usize, Vec<usize>)> {
        let [m, n] = self.two_axes()?;
        if m != n {
            return fail(ErrorKind::Value, format!("a graph of shape {m} x {n}"));
        }
        let mut neighbours = vec![vec![]; n];
        for entry in self.entries() {
            neighbours[entry.at[0]].push(entry.at[1]);
            neighbours[entry.at[1]].push(entry.at[0]);
        }
        let (mut labels, mut count) = (vec![usize::MAX; n], 0);
        for first in 0..n {
            if labels[first] != usize::MAX {
                continue;
            }
            let mut reached = vec![first];
            while let Some(v) = reached.pop() {
                if labels[v] == usize::MAX {
                    labels[v] = count;
                    reached.extend(&neighbours[v]);
                }
            }
            count += 1;
        }
        Ok((count, labels))
    }
}
