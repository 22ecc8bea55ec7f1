//! Factors of small matrices of integers, compared with exact arithmetic.

use cuprum_direct::{Failure, Lu, LuOptions, Matrix, Ordering};

const ORDERINGS: [Ordering; 4] = [Ordering::Automatic, Ordering::Natural, Ordering::Symmetric, Ordering::Columns];

/// Returns the determinant by fraction-free elimination (E. H. Bareiss, Mathematics of Computation 22, 1968).
fn determinant(mut a: Vec<Vec<i128>>) -> i128 {
    let (n, mut sign, mut before) = (a.len(), 1, 1);
    for k in 0..n {
        let Some(pivot) = (k..n).find(|&i| a[i][k] != 0) else { return 0 };
        if pivot != k {
            a.swap(pivot, k);
            sign = -sign;
        }
        for i in k + 1..n {
            for j in k + 1..n {
                a[i][j] = (a[i][j] * a[k][k] - a[i][k] * a[k][j]) / before;
            }
        }
        before = a[k][k];
    }
    sign * a[n - 1][n - 1]
}

/// Returns the solution by Cramer's rule: its numerators over the determinant.
fn solution(a: &[Vec<i128>], b: &[i128]) -> Vec<i128> {
    let with_column = |j: usize| {
        let mut a = a.to_vec();
        a.iter_mut().zip(b).for_each(|(row, &b)| row[j] = b);
        determinant(a)
    };
    (0..a.len()).map(with_column).collect()
}

fn factored(a: &[Vec<i128>], ordering: Ordering) -> Result<Lu<f64>, Failure> {
    let (mut pointers, mut rows, mut values) = (vec![0], vec![], vec![]);
    for j in 0..a.len() {
        for (i, row) in a.iter().enumerate().filter(|(_, row)| row[j] != 0) {
            rows.push(i as u32);
            values.push(row[j] as f64);
        }
        pointers.push(rows.len());
    }
    let matrix = Matrix { pointers: &pointers, rows: &rows, values: &values };
    Lu::new(matrix, &LuOptions { ordering, ..LuOptions::default() })
}

/// The product of the pivots is the determinant up to the sign of the permutations.
fn pivots(lu: &Lu<f64>) -> f64 {
    lu.pivots().iter().product()
}

/// All matrices of three rows with elements of -1, 0 and 1: the elimination is exact, so that exactly the singular ones
/// have no factors.
#[test]
fn exactly_the_singular_matrices_of_three_rows_have_no_factors() {
    let mut singular = 0;
    for code in 0..3_i128.pow(9) {
        let element = |k: u32| code / 3_i128.pow(k) % 3 - 1;
        let a: Vec<Vec<i128>> = (0..3).map(|i| (0..3).map(|j| element(3 * i + j)).collect()).collect();
        let det = determinant(a.clone());
        singular += usize::from(det == 0);
        for ordering in ORDERINGS {
            match factored(&a, ordering) {
                Err(Failure::Singular(_)) => assert_eq!(det, 0, "{a:?}"),
                Err(other) => panic!("{other}"),
                Ok(lu) => assert_eq!(pivots(&lu).abs(), det.abs() as f64, "{a:?} {ordering:?}"),
            }
        }
    }
    // Counted by expansion by minors.
    assert_eq!(singular, 7875);
}

/// Solutions of random systems are near the exact ones: the error is at most the rounding of the elimination times the
/// condition of the matrix.
#[test]
fn solutions_are_near_the_exact_ones() {
    let mut state = 7_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let (mut solved, mut singular) = (0, 0);
    while solved < 300 {
        let n = 2 + next(7) as usize;
        let a: Vec<Vec<i128>> =
            (0..n).map(|_| (0..n).map(|_| if next(3) == 0 { next(19) as i128 - 9 } else { 0 }).collect()).collect();
        let b: Vec<i128> = (0..n).map(|_| next(19) as i128 - 9).collect();
        let det = determinant(a.clone());
        if det == 0 {
            singular += 1;
            continue;
        }
        solved += 1;
        let exact: Vec<f64> = solution(&a, &b).into_iter().map(|x| x as f64 / det as f64).collect();
        // The norms of the matrix and of its inverse, whose columns solve for the unit vectors.
        let norm = a.iter().map(|row| row.iter().map(|x| x.unsigned_abs()).sum::<u128>()).max().unwrap() as f64;
        let columns = (0..n).map(|k| solution(&a, &(0..n).map(|i| i128::from(i == k)).collect::<Vec<_>>()));
        let columns: Vec<Vec<i128>> = columns.collect();
        let sums = (0..n).map(|i| columns.iter().map(|c| c[i].unsigned_abs()).sum::<u128>());
        let inverse = sums.max().unwrap() as f64 / det.abs() as f64;
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        for ordering in ORDERINGS {
            let lu = factored(&a, ordering).unwrap_or_else(|e| panic!("{a:?}: {e}"));
            let mut x: Vec<f64> = b.iter().map(|&b| b as f64).collect();
            lu.solve(&mut x);
            let error = x.iter().zip(&exact).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
            // Growth of the elements in the order of a symmetric pattern, whose pivots may be ten times smaller.
            let bound = 50.0 * n as f64 * f64::EPSILON * norm * inverse * (largest(&exact) + 1.0);
            assert!(error <= bound, "{a:?} {ordering:?}: {error:e} {bound:e}");
        }
    }
    assert!(singular > 50);
}
