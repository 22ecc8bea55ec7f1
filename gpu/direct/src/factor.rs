//! The factorisation, column by column.

use crate::factors::{Lower, Segment, Upper};
use crate::ordering::{Ordering, order};
use crate::{Failure, Lu, LuOptions, Matrix, Scalar};

/// No position.
const NONE: u32 = u32::MAX;

/// Columns of a supernode, at most: its triangle stays in the first-level cache.
const MOST_COLUMNS: usize = 96;

/// State of a factorisation. Rows and columns have the numbers of the matrix in the order of the columns.
pub(crate) struct Factoring<'a, T> {
    options: &'a LuOptions,
    threshold: f64,
    /// The pivot position of each row.
    position: Vec<u32>,
    pub(crate) lower: Lower<T>,
    pub(crate) upper: Upper<T>,
    /// The rows below each supernode's pivots that a search visits: after pruning, only pivots.
    next_starts: Vec<usize>,
    next_ends: Vec<usize>,
    next: Vec<u32>,
    pruned: Vec<bool>,
    /// The column for which a supernode or a row was last visited, and the first column of the supernode that it updates by.
    visited: Vec<u32>,
    first: Vec<u32>,
    marked: Vec<u32>,
    /// The supernodes that update a column, in reverse order; the rows of the column that are no pivots yet.
    order: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    stack: Vec<(u32, usize)>,
    pub(crate) x: Vec<T>,
}

impl<T: Scalar> Lu<T> {
    /// Factors a matrix.
    ///
    /// # Errors
    ///
    /// [`Failure::Singular`] if a column has no pivot.
    pub fn new(a: Matrix<'_, T>, options: &LuOptions) -> Result<Lu<T>, Failure> {
        let n = a.size();
        if n >= NONE as usize {
            return Err(Failure::TooLarge);
        }
        let (ordering, column_order) = order(options.ordering, a.pointers, a.rows);
        let threshold = if ordering == Ordering::Symmetric { 0.1 } else { 1.0 };
        let mut column_position = vec![0; n];
        column_order.iter().enumerate().for_each(|(k, &j)| column_position[j as usize] = k as u32);
        let mut state = Factoring::new(n, options, options.diagonal_threshold.unwrap_or(threshold));
        let mut entries = 0;
        for (j, &column) in column_order.iter().enumerate() {
            let range = a.column(column as usize);
            entries += range.len();
            state.scatter(j, &a, range, &column_position);
            state.update(j);
            let pivot = state.pivot(j).map_err(|failure| match failure {
                Failure::NotPositive { pivot, .. } => Failure::NotPositive { row: column as usize, pivot },
                other => other,
            })?;
            state.append(j, pivot, entries);
        }
        let Factoring { position, mut lower, upper, .. } = state;
        lower.rows.iter_mut().for_each(|r| *r = position[*r as usize]);
        lower.starts.push(n as u32);
        lower.row_starts.push(lower.rows.len());
        let row_position = column_position.iter().map(|&k| position[k as usize]).collect();
        Ok(Lu { column_position, column_order, row_position, lower, upper })
    }
}

impl<'a, T: Scalar> Factoring<'a, T> {
    fn new(n: usize, options: &'a LuOptions, threshold: f64) -> Factoring<'a, T> {
        let lower = Lower {
            starts: Vec::new(),
            supernode: Vec::with_capacity(n),
            row_starts: Vec::new(),
            rows: Vec::new(),
            columns: Vec::with_capacity(n),
            values: Vec::new(),
        };
        let upper = Upper {
            segment_starts: vec![0],
            segments: Vec::new(),
            value_starts: vec![0],
            values: Vec::new(),
            diagonal: Vec::with_capacity(n),
        };
        Factoring {
            options,
            threshold,
            position: vec![NONE; n],
            lower,
            upper,
            next_starts: Vec::new(),
            next_ends: Vec::new(),
            next: Vec::new(),
            pruned: Vec::new(),
            visited: vec![NONE; n],
            first: vec![0; n],
            marked: vec![NONE; n],
            order: Vec::new(),
            rows: Vec::new(),
            stack: Vec::new(),
            x: vec![T::default(); n],
        }
    }

    /// Writes a column of the matrix to `x`, and finds the supernodes that update it.
    fn scatter(&mut self, j: usize, a: &Matrix<'_, T>, range: std::ops::Range<usize>, position: &[u32]) {
        self.order.clear();
        self.rows.clear();
        for k in range {
            let row = position[a.rows[k] as usize];
            self.x[row as usize] = a.values[k];
            self.visit(j as u32, row);
        }
    }

    /// Visits a row: marks it, or searches from the supernode whose pivot it is.
    fn visit(&mut self, j: u32, row: u32) {
        if !self.enter(j, row) {
            return;
        }
        while let Some((supernode, at)) = self.stack.last_mut() {
            let s = *supernode as usize;
            if *at == self.next_ends[s] {
                self.order.push(s as u32);
                self.stack.pop();
                continue;
            }
            let row = self.next[*at];
            *at += 1;
            // Rows of the supernode's own pivots lead nowhere else.
            let pivot = self.position[row as usize];
            if pivot == NONE || self.lower.supernode[pivot as usize] != s as u32 {
                self.enter(j, row);
            }
        }
    }

    /// Marks a row of column j. Returns true if it is the pivot of a supernode that was not visited: it is on the stack then.
    fn enter(&mut self, j: u32, row: u32) -> bool {
        let pivot = self.position[row as usize];
        if pivot == NONE {
            if self.marked[row as usize] != j {
                self.marked[row as usize] = j;
                self.rows.push(row);
            }
            return false;
        }
        let s = self.lower.supernode[pivot as usize] as usize;
        let local = pivot - self.lower.starts[s];
        if self.visited[s] == j {
            self.first[s] = self.first[s].min(local);
            return false;
        }
        self.visited[s] = j;
        self.first[s] = local;
        self.stack.push((s as u32, self.next_starts[s]));
        true
    }

    /// Computes column j of U, and of L times its pivot.
    fn update(&mut self, j: usize) {
        let (mut head, mut product) = (Vec::new(), Vec::new());
        for k in (0..self.order.len()).rev() {
            let s = self.order[k] as usize;
            let end = self.lower.starts.get(s + 1).map_or(j, |&e| e as usize) as u32 - self.lower.starts[s];
            let segment = Segment { supernode: s as u32, first: self.first[s], end };
            self.lower.update(segment, &mut self.x, &mut head, &mut product);
            for &r in &self.lower.rows_of(s)[self.first[s] as usize..end as usize] {
                self.x[r as usize] = T::default();
            }
            self.upper.segments.push(segment);
            self.upper.values.extend_from_slice(&head);
        }
    }

    /// Chooses the pivot of column j: returns its position in `rows`.
    fn pivot(&mut self, j: usize) -> Result<usize, Failure> {
        let (mut best, mut size, mut diagonal) = (None, 0.0, None);
        for (k, &r) in self.rows.iter().enumerate() {
            let magnitude = self.x[r as usize].magnitude();
            if r as usize == j && magnitude > 0.0 {
                diagonal = Some((k, magnitude));
            }
            if magnitude.is_nan() {
                return Err(Failure::Singular(j));
            }
            if magnitude > size {
                (best, size) = (Some(k), magnitude);
            }
        }
        if self.options.positive {
            let positive = diagonal.filter(|_| self.x[j].is_positive());
            let failure = || Failure::NotPositive { row: j, pivot: Some(self.x[j].real()) };
            return positive.map(|(k, _)| k).ok_or_else(failure);
        }
        match (diagonal, best) {
            (Some((k, magnitude)), _) if magnitude >= self.threshold * size => Ok(k),
            (_, Some(k)) => Ok(k),
            _ => Err(Failure::Singular(j)),
        }
    }

    /// Appends column j to the factors.
    fn append(&mut self, j: usize, pivot: usize, entries: usize) {
        let row = self.rows[pivot];
        let value = self.x[row as usize];
        self.rows.swap(0, pivot);
        if let Some(drop) = self.options.drop {
            self.drop_small(&drop, value.magnitude(), entries);
        }
        let joins = self.options.drop.is_none() && self.joins(j);
        if joins {
            self.extend_supernode(j, row);
        } else {
            self.begin_supernode(j);
        }
        let s = self.lower.starts.len() - 1;
        let local = j - self.lower.starts[s] as usize;
        self.lower.supernode.push(s as u32);
        self.lower.columns.push(self.lower.values.len());
        let below = &self.lower.rows[self.lower.row_starts[s] + local + 1..];
        self.lower.values.extend(below.iter().map(|&r| self.x[r as usize] / value));
        for &r in &self.rows {
            self.x[r as usize] = T::default();
        }
        self.position[row as usize] = j as u32;
        self.upper.diagonal.push(value);
        self.upper.segment_starts.push(self.upper.segments.len());
        self.upper.value_starts.push(self.upper.values.len());
        if self.options.drop.is_none() {
            self.prune(j, row, s);
        }
    }

    /// Returns true if column j has the rows of the last supernode.
    fn joins(&self, j: usize) -> bool {
        let Some(s) = self.lower.starts.len().checked_sub(1) else { return false };
        let width = j - self.lower.starts[s] as usize;
        let below = self.lower.rows.len() - self.lower.row_starts[s] - width;
        self.visited[s] == j as u32 && self.rows.len() == below && width < MOST_COLUMNS
    }

    /// Makes `row` the pivot of the last supernode's next column.
    fn extend_supernode(&mut self, j: usize, row: u32) {
        let s = self.lower.starts.len() - 1;
        let (first, start) = (self.lower.starts[s] as usize, self.lower.row_starts[s]);
        let width = j - first;
        let Some(at) = self.lower.rows[start + width..].iter().position(|&r| r == row) else { return };
        if at == 0 {
            return;
        }
        self.lower.rows.swap(start + width, start + width + at);
        for column in 0..width {
            let own = self.lower.columns[first + column] + width - column - 1;
            self.lower.values.swap(own, own + at);
        }
    }

    fn begin_supernode(&mut self, j: usize) {
        self.lower.starts.push(j as u32);
        self.lower.row_starts.push(self.lower.rows.len());
        self.lower.rows.extend_from_slice(&self.rows);
        self.next_starts.push(self.next.len());
        self.next.extend_from_slice(&self.rows[1..]);
        self.next_ends.push(self.next.len());
        self.pruned.push(false);
    }

    /// Removes rows from the searches of supernodes that the new pivot's supernode has, too (S. C. Eisenstat, J. W. H. Liu, "Exploiting
    /// Structural Symmetry in a Sparse Partial Pivoting Code", SIAM Journal on Scientific Computing 14, 1993).
    fn prune(&mut self, j: usize, row: u32, last: usize) {
        for k in self.upper.segment_starts[j]..self.upper.segments.len() {
            let s = self.upper.segments[k].supernode as usize;
            if s == last || self.pruned[s] {
                continue;
            }
            let range = self.next_starts[s]..self.next_ends[s];
            let next = &mut self.next[range];
            if !next.contains(&row) {
                continue;
            }
            let mut kept = 0;
            for i in 0..next.len() {
                if self.position[next[i] as usize] != NONE {
                    next[kept] = next[i];
                    kept += 1;
                }
            }
            self.next_ends[s] = self.next_starts[s] + kept;
            self.pruned[s] = true;
        }
    }
}
