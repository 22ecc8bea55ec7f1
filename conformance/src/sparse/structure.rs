//! Structures: the stored positions of a sparse operand, in their order.

/// A stored position of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) row: usize,
    pub(super) column: usize,
    /// The index of the value in the dense operand, in C order; `None` for an explicit zero.
    pub(super) value: Option<usize>,
}

/// Scrambles an integer.
fn scrambled(x: usize) -> u64 {
    let x = (x as u64).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (x ^ (x >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 33
}

/// Returns the stored positions of a structure in a matrix.
pub(super) fn stored_positions(name: &str, [m, n]: [usize; 2]) -> Result<Vec<Position>, String> {
    // The length of a row of the grid of which a Poisson matrix has the neighbours.
    let grid = ((m as f64).sqrt().ceil() as usize).max(1);
    // Few ones in both indices, and so few rows and columns with many entries.
    let skewed = |i: usize, j: usize| {
        scrambled(i * n + j).is_multiple_of(1 << (i.count_ones() + j.count_ones()).saturating_sub(1).min(5))
    };
    let stores = |i: usize, j: usize| {
        let apart = i.abs_diff(j);
        match name {
            "full" => true,
            "none" => false,
            "diagonal" => i == j,
            "banded" => apart <= 1,
            "poisson" => apart == 0 || apart == grid || apart == 1 && !i.max(j).is_multiple_of(grid),
            "arrow" => i == 0 || j == 0 || i == j,
            "row" => i == m / 2,
            "column" => j == n / 2,
            // Rows from one entry to all.
            "triangle" => j <= i,
            "empty" => i.is_multiple_of(3) && (i + j).is_multiple_of(2),
            _ => skewed(i, j),
        }
    };
    let known = [
        "full", "none", "diagonal", "banded", "poisson", "arrow", "row", "column", "triangle", "empty", "skewed",
        "huge",
    ];
    // The last three are of wrong indices: see `parts`.
    let changed = ["duplicates", "zeros", "unsorted", "outside", "negative", "falling"];
    if !known.contains(&name) && !changed.contains(&name) {
        return Err(format!("no structure is called {name}"));
    }
    let at = |k: usize| Position { row: k / n, column: k % n, value: Some(k) };
    let plain: Vec<Position> = (0..m * n).filter(|k| stores(k / n, k % n)).map(at).collect();
    let other = |k: usize| Some((k * 7 + 3) % (m * n));
    Ok(match name {
        // Every second position comes twice in a row, every third again at the end.
        "duplicates" => {
            let twice = |(k, p): (usize, &Position)| {
                let again = Position { value: other(k), ..*p };
                if k % 2 == 0 { vec![*p, again] } else { vec![*p] }
            };
            let again = plain.iter().enumerate().filter(|(k, _)| k % 3 == 0);
            let again = again.map(|(k, p)| Position { value: other(k + 1), ..*p });
            plain.iter().enumerate().flat_map(twice).chain(again).collect()
        }
        "zeros" => plain
            .iter()
            .enumerate()
            .map(|(k, p)| if k % 3 == 1 { Position { value: None, ..*p } } else { *p })
            .collect(),
        "unsorted" => {
            let mut order: Vec<usize> = (0..plain.len()).collect();
            order.sort_by_key(|k| scrambled(*k));
            order.into_iter().map(|k| plain[k]).collect()
        }
        _ => plain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Vec<Position> {
        stored_positions(name, [6, 9]).unwrap()
    }

    #[test]
    fn structures_are_what_they_are_called() {
        let sorted = |all: &[Position]| all.windows(2).all(|p| (p[0].row, p[0].column) < (p[1].row, p[1].column));
        for name in ["full", "banded", "poisson", "arrow", "row", "column", "empty", "skewed", "zeros"] {
            assert!(sorted(&of(name)) && of(name).len() > 5, "{name}");
        }
        assert!(!sorted(&of("duplicates")) && !sorted(&of("unsorted")));
        assert!(of("zeros").iter().any(|p| p.value.is_none()));
        assert_eq!((of("full").len(), of("none").len(), of("row").len(), of("column").len()), (54, 0, 9, 6));
        assert!(!of("empty").iter().any(|p| p.row == 1));
        let (mut one, mut other) = (of("unsorted"), of("skewed"));
        one.sort_by_key(|p| p.value);
        other.sort_by_key(|p| p.value);
        assert_eq!(one, other);
        assert!(stored_positions("nothing", [2, 2]).is_err());
    }
}
