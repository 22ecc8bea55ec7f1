//! Orders of the columns that keep the factors sparse.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::{amd, colamd};

/// An order of the columns of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// [`Ordering::Symmetric`] for a pattern that is nearly symmetric with a full diagonal, otherwise [`Ordering::Columns`].
    Automatic,
    /// The order of the matrix.
    Natural,
    /// Approximate minimum degree of the pattern of A + A<sup>T</sup>.
    Symmetric,
    /// Approximate minimum degree of the columns (COLAMD), for any choice of pivots.
    Columns,
}

/// Returns the order of the columns of a matrix by rows of each column, and the order's kind.
pub(crate) fn order(ordering: Ordering, pointers: &[usize], rows: &[u32]) -> (Ordering, Vec<u32>) {
    let n = pointers.len() - 1;
    let chosen = match ordering {
        Ordering::Automatic if is_nearly_symmetric(pointers, rows) => Ordering::Symmetric,
        Ordering::Automatic => Ordering::Columns,
        given => given,
    };
    let identity = || (0..n as u32).collect();
    if n == 0 || chosen == Ordering::Natural {
        return (chosen, identity());
    }
    let mut order = vec![0_usize; n];
    let mut inverse = vec![0_usize; n];
    let done = if chosen == Ordering::Symmetric {
        let (pointers, rows) = upper_of_both(pointers, rows);
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &pointers, None, &rows);
        let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, rows.len()));
        amd::order(&mut order, &mut inverse, pattern, amd::Control::default(), MemStack::new(&mut memory)).is_ok()
    } else {
        let rows: Vec<usize> = rows.iter().map(|&r| r as usize).collect();
        let pattern = SymbolicSparseColMatRef::new_unsorted_checked(n, n, pointers, None, &rows);
        let mut memory = MemBuffer::new(colamd::order_scratch::<usize>(n, n, rows.len()));
        colamd::order(&mut order, &mut inverse, pattern, colamd::Control::default(), MemStack::new(&mut memory)).is_ok()
    };
    (chosen, if done { order.into_iter().map(|j| j as u32).collect() } else { identity() })
}

/// Returns the transposed pattern.
pub(crate) fn transposed(pointers: &[usize], rows: &[u32]) -> (Vec<usize>, Vec<u32>) {
    let n = pointers.len() - 1;
    let mut ends = vec![0_usize; n + 1];
    rows.iter().for_each(|&r| ends[r as usize + 1] += 1);
    (0..n).for_each(|j| ends[j + 1] += ends[j]);
    let mut next = ends.clone();
    let mut columns = vec![0_u32; rows.len()];
    for j in 0..n {
        for &r in &rows[pointers[j]..pointers[j + 1]] {
            columns[next[r as usize]] = j as u32;
            next[r as usize] += 1;
        }
    }
    (ends, columns)
}

/// Returns true if the diagonal is full and at least nine of ten entries outside of it have an entry across from them.
fn is_nearly_symmetric(pointers: &[usize], rows: &[u32]) -> bool {
    let n = pointers.len() - 1;
    let (ends, columns) = transposed(pointers, rows);
    let mut stamp = vec![u32::MAX; n];
    let (mut both, mut outside, mut diagonal) = (0, 0, 0);
    for j in 0..n {
        rows[pointers[j]..pointers[j + 1]].iter().for_each(|&r| stamp[r as usize] = j as u32);
        for &c in &columns[ends[j]..ends[j + 1]] {
            let across = stamp[c as usize] == j as u32;
            if c as usize == j {
                diagonal += 1;
            } else {
                outside += 1;
                both += usize::from(across);
            }
        }
    }
    diagonal == n && 10 * both >= 9 * outside
}

/// Returns the entries above the diagonal of A + A<sup>T</sup>, sorted by row within each column.
fn upper_of_both(pointers: &[usize], rows: &[u32]) -> (Vec<usize>, Vec<usize>) {
    let n = pointers.len() - 1;
    let (ends, columns) = transposed(pointers, rows);
    let (mut upper_pointers, mut upper) = (Vec::with_capacity(n + 1), Vec::with_capacity(rows.len()));
    upper_pointers.push(0);
    for j in 0..n {
        let first = upper.len();
        let own = rows[pointers[j]..pointers[j + 1]].iter().chain(&columns[ends[j]..ends[j + 1]]);
        upper.extend(own.map(|&r| r as usize).filter(|&r| r < j));
        upper[first..].sort_unstable();
        let mut kept = first;
        for k in first..upper.len() {
            if kept == first || upper[kept - 1] != upper[k] {
                upper[kept] = upper[k];
                kept += 1;
            }
        }
        upper.truncate(kept);
        upper_pointers.push(kept);
    }
    (upper_pointers, upper)
}
