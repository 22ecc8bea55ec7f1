//! Colouring of the rows of a matrix.

use crate::ordering::transposed;

/// Returns the position of each row in the order of the colours of a greedy colouring, in which rows of one colour keep their order.
///
/// Two rows have different colours if one has an entry in the column of the other. The rows are coloured in their order, each by the
/// first colour that no neighbour has: a row with d neighbours has one of the first d + 1 colours.
pub fn color_order(pointers: &[usize], rows: &[u32]) -> Vec<u32> {
    let n = pointers.len() - 1;
    let (ends, columns) = transposed(pointers, rows);
    let mut color = vec![u32::MAX; n];
    // The row that has last seen each colour at a neighbour.
    let mut seen: Vec<u32> = Vec::new();
    for row in 0..n {
        let neighbours = rows[pointers[row]..pointers[row + 1]].iter().chain(&columns[ends[row]..ends[row + 1]]);
        for &other in neighbours {
            if let Some(stamp) = seen.get_mut(color[other as usize] as usize) {
                *stamp = row as u32;
            }
        }
        let free = seen.iter().position(|&stamp| stamp != row as u32).unwrap_or(seen.len());
        if free == seen.len() {
            seen.push(u32::MAX);
        }
        color[row] = free as u32;
    }
    let mut next = vec![0_u32; seen.len() + 1];
    color.iter().for_each(|&c| next[c as usize + 1] += 1);
    (0..seen.len()).for_each(|c| next[c + 1] += next[c]);
    let position = |&c: &u32| {
        let at = next[c as usize];
        next[c as usize] += 1;
        at
    };
    color.iter().map(position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path has two colours, a triangle three; entries on one side of the diagonal are enough.
    #[test]
    fn neighbours_have_different_colours() {
        // Column j has the row j + 1.
        assert_eq!(color_order(&[0, 1, 2, 3, 3], &[1, 2, 3]), [0, 2, 1, 3]);
        assert_eq!(color_order(&[0, 2, 3, 3], &[1, 2, 2]), [0, 1, 2]);
        assert_eq!(color_order(&[0, 1, 2], &[0, 1]), [0, 1]);
        assert!(color_order(&[0], &[]).is_empty());
    }
}
