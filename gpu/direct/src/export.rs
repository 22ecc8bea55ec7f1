//! The factors as compressed rows.

use crate::{Lu, Scalar};

/// The pattern of a factor in compressed rows, sorted by column, and the origin of each value.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The position of the first entry of each row, and the number of entries.
    pub pointers: Vec<usize>,
    /// The column of each entry.
    pub columns: Vec<u32>,
    /// The position of each value among those of the factor: [`Lu::gather`] reads it.
    origins: Vec<u64>,
    upper: bool,
}

/// The origin of a value on the diagonal.
const DIAGONAL: u64 = 1 << 63;

impl<T: Scalar> Lu<T> {
    /// Calls `visit(row, column, origin)` for the entries of a factor, column by column.
    fn entries_of(&self, upper: bool, mut visit: impl FnMut(usize, usize, u64)) {
        for j in 0..self.size() {
            if upper {
                let mut at = self.upper.value_starts[j] as u64;
                for segment in &self.upper.segments[self.upper.segment_starts[j]..self.upper.segment_starts[j + 1]] {
                    let first = self.lower.starts[segment.supernode as usize];
                    for row in first + segment.first..first + segment.end {
                        visit(row as usize, j, at);
                        at += 1;
                    }
                }
                visit(j, j, DIAGONAL | j as u64);
            } else {
                visit(j, j, DIAGONAL | j as u64);
                let s = self.lower.supernode[j] as usize;
                let local = j - self.lower.starts[s] as usize;
                let start = self.lower.columns[j] as u64;
                for (k, &row) in self.lower.rows_of(s)[local + 1..].iter().enumerate() {
                    visit(row as usize, j, start + k as u64);
                }
            }
        }
    }

    /// Returns the pattern of U, or of L, by rows.
    pub fn rows(&self, upper: bool) -> Rows {
        let mut pointers = vec![0_usize; self.size() + 1];
        self.entries_of(upper, |row, _, _| pointers[row + 1] += 1);
        (0..self.size()).for_each(|row| pointers[row + 1] += pointers[row]);
        let entries = pointers[self.size()];
        let (mut columns, mut origins) = (vec![0; entries], vec![0; entries]);
        let mut next = pointers.clone();
        self.entries_of(upper, |row, column, origin| {
            columns[next[row]] = column as u32;
            origins[next[row]] = origin;
            next[row] += 1;
        });
        Rows { pointers, columns, origins, upper }
    }

    /// Returns the values of a pattern of [`Lu::rows`].
    pub fn gather(&self, rows: &Rows) -> Vec<T> {
        let values = if rows.upper { &self.upper.values } else { &self.lower.values };
        let value = |&origin: &u64| match origin & DIAGONAL {
            0 => values[origin as usize],
            _ if rows.upper => self.upper.diagonal[(origin & !DIAGONAL) as usize],
            _ => T::ONE,
        };
        rows.origins.iter().map(value).collect()
    }
}
