//! Panels of the rows of a triangular factor: supernodes as a solution by rows sees them.

/// Rows of a panel, at most.
pub const MOST_PANEL_ROWS: usize = 32;

/// Rows of a chain that is a panel of its own, at least.
const LEAST_CHAIN: usize = 8;

/// Part of a panel's triangle that is stored, at least, for a dense panel: 3 of 10.
const DENSITY: [usize; 2] = [3, 10];

/// Partition of the rows of a triangular factor into panels of consecutive rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panels {
    /// The first row of each panel, and the number of rows.
    pub starts: Vec<u32>,
    /// The number of each dense panel among the dense ones, from 0 on; -1 for another one.
    pub slots: Vec<i32>,
    /// Number of dense panels.
    pub dense: usize,
}

/// Returns the panels of a factor in compressed rows that are sorted and have a diagonal, the upper one for `upper`.
///
/// A chain is a sequence of rows of which each has an entry in the column of its neighbour: they are solved one after the other. A chain of
/// some length whose triangle is dense enough is a panel of its own, cut into equal parts of at most [`MOST_PANEL_ROWS`] rows; the rows
/// between such panels are grouped. The transposed factor has the same chains, and the same panels.
pub fn panels(pointers: &[usize], columns: &[u32], upper: bool) -> Panels {
    let n = pointers.len() - 1;
    // The neighbour of the diagonal is the second entry of a row, or the last but one.
    let follows = |row: usize| {
        let at = if upper { pointers[row - 1] + 1 } else { pointers[row + 1].wrapping_sub(2) };
        let own = if upper { pointers[row - 1]..pointers[row] } else { pointers[row]..pointers[row + 1] };
        own.contains(&at) && columns[at] as usize == if upper { row } else { row - 1 }
    };
    let is_dense = |first: usize, end: usize| {
        let entries = |row: usize| {
            let own = &columns[pointers[row]..pointers[row + 1]];
            let inside = |&&c: &&u32| (first..end).contains(&(c as usize));
            if upper { own.iter().take_while(inside).count() } else { own.iter().rev().take_while(inside).count() }
        };
        let (stored, size) = ((first..end).map(entries).sum::<usize>(), end - first);
        DENSITY[1] * stored >= DENSITY[0] * (size * (size + 1) / 2)
    };
    let mut found = Panels::default();
    let mut add = |first: usize, end: usize, dense: bool| {
        found.starts.push(first as u32);
        found.slots.push(if dense { found.dense as i32 } else { -1 });
        found.dense += usize::from(dense);
        end
    };
    let (mut row, mut grouped) = (0, 0);
    while row < n {
        let mut end = row + 1;
        while end < n && follows(end) {
            end += 1;
        }
        let (length, parts) = (end - row, (end - row).div_ceil(MOST_PANEL_ROWS));
        let cut = |k: usize| row + length * k / parts;
        if length >= LEAST_CHAIN && (0..parts).any(|k| is_dense(cut(k), cut(k + 1))) {
            group(&mut add, &mut grouped, row);
            for k in 0..parts {
                grouped = add(cut(k), cut(k + 1), is_dense(cut(k), cut(k + 1)));
            }
        }
        row = end;
    }
    group(&mut add, &mut grouped, n);
    found.starts.push(n as u32);
    found
}

/// Adds panels that are not dense for the rows up to `end`.
fn group(add: &mut impl FnMut(usize, usize, bool) -> usize, first: &mut usize, end: usize) {
    while *first < end {
        *first = add(*first, end.min(*first + MOST_PANEL_ROWS), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The compressed rows of a triangle whose entries a function returns.
    fn rows(n: usize, stored: impl Fn(usize, usize) -> bool) -> (Vec<usize>, Vec<u32>) {
        let (mut pointers, mut columns) = (vec![0], Vec::new());
        for i in 0..n {
            columns.extend((0..n).filter(|&j| stored(i, j)).map(|j| j as u32));
            pointers.push(columns.len());
        }
        (pointers, columns)
    }

    fn of(n: usize, stored: impl Fn(usize, usize) -> bool) -> Panels {
        let (pointers, columns) = rows(n, |i, j| i == j || (j < i && stored(i, j)));
        let lower = panels(&pointers, &columns, false);
        // The transposed triangle has the same panels.
        let (pointers, columns) = rows(n, |i, j| i == j || (i < j && stored(j, i)));
        assert_eq!(panels(&pointers, &columns, true), lower);
        lower
    }

    #[test]
    fn dense_chains_are_panels() {
        // A dense triangle in equal parts.
        let dense = of(70, |_, _| true);
        assert_eq!((dense.starts, dense.slots, dense.dense), (vec![0, 23, 46, 70], vec![0, 1, 2], 3));
        // Rows without a chain are grouped, those of a chain of nine rows are not.
        let mixed = of(50, |i, j| (35..44).contains(&i) && (35..44).contains(&j));
        assert_eq!((mixed.starts, mixed.slots), (vec![0, 32, 35, 44, 50], vec![-1, -1, 0, -1]));
        // A chain of seven rows.
        assert_eq!(of(20, |i, j| i < 7 && j < 7).slots, [-1]);
    }

    #[test]
    fn sparse_chains_are_grouped() {
        // Two entries a row: 63 of 528 are 12 %.
        let chain = of(64, |i, j| i == j + 1);
        assert_eq!((chain.starts, chain.slots), (vec![0, 32, 64], vec![-1, -1]));
        // Two entries a row of a short chain: 15 of 36.
        assert_eq!(of(8, |i, j| i == j + 1).slots, [0]);
        assert_eq!(of(0, |_, _| true).starts, [0]);
        assert_eq!(of(1, |_, _| true).starts, [0, 1]);
    }
}
