//! Orders of rows in which many of them are independent: by colours, and by levels.

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
    positions_by(&color)
}

/// Returns the position of each row in the order of levels, in which rows of one level keep their order.
///
/// The level of a row is above those of its neighbours before it, so that every row stays after these and before its neighbours after it:
/// elimination in this order gives the factors of the order of the matrix, and no two rows of a level depend on each other.
pub fn level_order(pointers: &[usize], rows: &[u32]) -> Vec<u32> {
    let (ends, columns) = transposed(pointers, rows);
    let mut level = vec![0_u32; pointers.len() - 1];
    for row in 0..level.len() {
        let neighbours = rows[pointers[row]..pointers[row + 1]].iter().chain(&columns[ends[row]..ends[row + 1]]);
        let before = neighbours.filter(|&&other| (other as usize) < row);
        level[row] = before.map(|&other| level[other as usize] + 1).max().unwrap_or(0);
    }
    positions_by(&level)
}

/// Returns the position of each element in the stable order of its key.
fn positions_by(keys: &[u32]) -> Vec<u32> {
    let mut next = vec![0_u32; keys.iter().max().map_or(1, |&k| k as usize + 2)];
    keys.iter().for_each(|&k| next[k as usize + 1] += 1);
    (1..next.len()).for_each(|k| next[k] += next[k - 1]);
    let position = |&k: &u32| {
        let at = next[k as usize];
        next[k as usize] += 1;
        at
    };
    keys.iter().map(position).collect()
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

    /// The rows of a square of two by two points: the second and the third depend on the first, the fourth on both.
    #[test]
    fn levels_keep_the_order_of_neighbours() {
        assert_eq!(level_order(&[0, 2, 3, 4, 4], &[1, 2, 3, 3]), [0, 1, 2, 3]);
        // Rows 0 and 2 have no neighbour before them; row 1 has row 0, row 3 row 2.
        assert_eq!(level_order(&[0, 1, 1, 2, 2], &[1, 3]), [0, 2, 1, 3]);
        assert!(level_order(&[0], &[]).is_empty());
    }
}
