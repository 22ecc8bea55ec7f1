//! Dense operations on the columns of a supernode.

use crate::Scalar;

/// Columns of a supernode: below each one's pivot its elements, in the order of the supernode's rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panel<'a, T> {
    /// The position of each column's elements in `values`.
    pub(crate) columns: &'a [usize],
    pub(crate) values: &'a [T],
    /// The number of rows of the supernode.
    pub(crate) height: usize,
}

impl<'a, T: Scalar> Panel<'a, T> {
    /// Returns the elements of a column at rows `from..to` of the supernode, all below its pivot.
    fn part(&self, column: usize, from: usize, to: usize) -> &'a [T] {
        let start = self.columns[column];
        &self.values[start + from - column - 1..start + to - column - 1]
    }

    /// Solves with the unit lower triangle of the columns from `first` up to `end`.
    pub(crate) fn solve(&self, first: usize, end: usize, x: &mut [T]) {
        for column in first..end {
            let (head, tail) = x.split_at_mut(column - first + 1);
            let by = head[column - first];
            for (x, &l) in tail.iter_mut().zip(self.part(column, column + 1, end)) {
                *x -= l * by;
            }
        }
    }

    /// Writes the product of the rows below `end` of the columns from `first` up to `end` with `x` to `out`.
    pub(crate) fn multiply(&self, first: usize, end: usize, x: &[T], out: &mut [T]) {
        let rows = |column| self.part(column, end, self.height);
        let mut column = first;
        let mut begun = false;
        while column < end {
            let by = &x[column - first..];
            if column + 4 <= end {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| rows(column + k));
                let product = a
                    .iter()
                    .zip(b)
                    .zip(c)
                    .zip(d)
                    .map(|(((&a, &b), &c), &d)| (a * by[0] + b * by[1]) + (c * by[2] + d * by[3]));
                store(out, product, begun);
                column += 4;
            } else if column + 2 <= end {
                let [a, b] = [0, 1].map(|k| rows(column + k));
                store(out, a.iter().zip(b).map(|(&a, &b)| a * by[0] + b * by[1]), begun);
                column += 2;
            } else {
                store(out, rows(column).iter().map(|&a| a * by[0]), begun);
                column += 1;
            }
            begun = true;
        }
    }
}

/// Writes products, or adds them.
fn store<T: Scalar>(out: &mut [T], product: impl Iterator<Item = T>, add: bool) {
    if add {
        out.iter_mut().zip(product).for_each(|(out, p)| *out += p);
    } else {
        out.iter_mut().zip(product).for_each(|(out, p)| *out = p);
    }
}
