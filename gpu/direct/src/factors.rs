//! The factors: columns of L by supernodes, and columns of U.

use crate::Scalar;
use crate::kernels::Panel;

/// LU factors of a square matrix: `L U` is the matrix with its rows and columns in the order of the pivots.
///
/// L has a unit diagonal. Its columns are grouped by supernodes: consecutive ones that have the same rows below the last of them.
#[derive(Clone, Debug)]
pub struct Lu<T> {
    /// The pivot position of each column of the matrix, and the column of each.
    pub(crate) column_position: Vec<u32>,
    pub(crate) column_order: Vec<u32>,
    /// The pivot position of each row of the matrix.
    pub(crate) row_position: Vec<u32>,
    pub(crate) lower: Lower<T>,
    pub(crate) upper: Upper<T>,
}

/// The factor L.
#[derive(Clone, Debug)]
pub(crate) struct Lower<T> {
    /// The first column of each supernode, and the number of columns.
    pub(crate) starts: Vec<u32>,
    /// The supernode of each column.
    pub(crate) supernode: Vec<u32>,
    /// The position of each supernode's first row in `rows`. The first rows are the pivots of its columns.
    pub(crate) row_starts: Vec<usize>,
    pub(crate) rows: Vec<u32>,
    /// The position of the values below each column's pivot.
    pub(crate) columns: Vec<usize>,
    pub(crate) values: Vec<T>,
}

/// The factor U, by columns. A column has a segment for each supernode that updates it.
#[derive(Clone, Debug)]
pub(crate) struct Upper<T> {
    pub(crate) segment_starts: Vec<usize>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) value_starts: Vec<usize>,
    pub(crate) values: Vec<T>,
    pub(crate) diagonal: Vec<T>,
}

/// Consecutive elements of a column of U: those in the rows of a part of a supernode's columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) supernode: u32,
    /// The first of the columns and their end, counted from the supernode's first.
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl<T: Scalar> Lower<T> {
    /// Returns the rows of a supernode.
    pub(crate) fn rows_of(&self, supernode: usize) -> &[u32] {
        let end = self.row_starts.get(supernode + 1).copied().unwrap_or(self.rows.len());
        &self.rows[self.row_starts[supernode]..end]
    }

    pub(crate) fn panel(&self, supernode: usize) -> Panel<'_, T> {
        let first = self.starts[supernode] as usize;
        let end = self.starts.get(supernode + 1).map_or(self.columns.len(), |&e| e as usize);
        Panel { columns: &self.columns[first..end], values: &self.values, height: self.rows_of(supernode).len() }
    }

    /// Subtracts from `x` what the columns of a segment contribute; its own elements of `x` become those of U.
    pub(crate) fn update(&self, segment: Segment, x: &mut [T], head: &mut Vec<T>, product: &mut Vec<T>) {
        let (rows, panel) = (self.rows_of(segment.supernode as usize), self.panel(segment.supernode as usize));
        let (first, end) = (segment.first as usize, segment.end as usize);
        if end - first == 1 {
            let by = x[rows[first] as usize];
            head.clear();
            head.push(by);
            let below = &panel.values[panel.columns[first]..];
            for (&r, &l) in rows[end..].iter().zip(&below[end - first - 1..]) {
                x[r as usize] -= l * by;
            }
            return;
        }
        head.clear();
        head.extend(rows[first..end].iter().map(|&r| x[r as usize]));
        panel.solve(first, end, head);
        for (&r, &u) in rows[first..end].iter().zip(&*head) {
            x[r as usize] = u;
        }
        let below = &rows[end..];
        product.resize(below.len().max(product.len()), T::default());
        let product = &mut product[..below.len()];
        panel.multiply(first, end, head, product);
        for (&r, &p) in below.iter().zip(&*product) {
            x[r as usize] -= p;
        }
    }
}

impl<T: Scalar> Lu<T> {
    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.column_order.len()
    }

    /// Returns the pivot position of each row of the matrix: SciPy's `perm_r`.
    pub fn row_permutation(&self) -> &[u32] {
        &self.row_position
    }

    /// Returns the pivot position of each column of the matrix: SciPy's `perm_c`.
    pub fn column_permutation(&self) -> &[u32] {
        &self.column_position
    }

    /// Returns the diagonal of U.
    pub fn pivots(&self) -> &[T] {
        &self.upper.diagonal
    }

    /// Returns the number of entries of both factors, the diagonal of L included.
    pub fn entries(&self) -> usize {
        self.lower.values.len() + self.upper.values.len() + 2 * self.size()
    }
}
