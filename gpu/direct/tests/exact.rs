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

/// A sum of two floats, the second of which is less than a unit in the last place of the first: 106 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Double(f64, f64);

impl Double {
    const ZERO: Double = Double(0.0, 0.0);

    fn of(a: f64) -> Double {
        Double(a, 0.0)
    }

    /// Returns the exact sum (D. E. Knuth, "The Art of Computer Programming", volume 2, 4.2.2).
    fn exact_sum(a: f64, b: f64) -> Double {
        let s = a + b;
        let t = s - a;
        Double(s, (a - (s - t)) + (b - t))
    }

    fn add(self, other: Double) -> Double {
        let (high, low) = (Double::exact_sum(self.0, other.0), Double::exact_sum(self.1, other.1));
        let first = Double::exact_sum(high.0, high.1 + low.0);
        Double::exact_sum(first.0, first.1 + low.1)
    }

    fn negative(self) -> Double {
        Double(-self.0, -self.1)
    }

    fn times(self, other: Double) -> Double {
        let product = self.0 * other.0;
        let rest = self.0.mul_add(other.0, -product) + (self.0 * other.1 + self.1 * other.0);
        Double::exact_sum(product, rest)
    }

    fn over(self, other: Double) -> Double {
        let first = Double::of(self.0 / other.0);
        let rest = self.add(first.times(other).negative());
        let second = Double::of(rest.0 / other.0);
        let rest = rest.add(second.times(other).negative());
        first.add(second).add(Double::of(rest.0 / other.0))
    }
}

/// Returns the inverse by elimination with full pivoting in doubled precision, `None` if a pivot is zero.
fn inverse(a: &[Vec<f64>]) -> Option<Vec<Vec<Double>>> {
    let n = a.len();
    let widen = |row: &Vec<f64>| row.iter().map(|&x| Double::of(x)).collect::<Vec<_>>();
    let (mut a, mut order): (Vec<Vec<Double>>, Vec<usize>) = (a.iter().map(widen).collect(), (0..n).collect());
    let mut x: Vec<Vec<Double>> =
        (0..n).map(|i| (0..n).map(|j| Double::of(f64::from(u8::from(i == j)))).collect()).collect();
    for k in 0..n {
        let candidates = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let (row, column) = candidates.max_by(|&p, &q| a[p.0][p.1].0.abs().total_cmp(&a[q.0][q.1].0.abs()))?;
        a.swap(k, row);
        x.swap(k, row);
        a.iter_mut().for_each(|r| r.swap(k, column));
        order.swap(k, column);
        let pivot = a[k][k];
        if pivot == Double::ZERO {
            return None;
        }
        let (pivot_row, pivot_sides) = (a[k].clone(), x[k].clone());
        for i in (0..n).filter(|&i| i != k) {
            let by = a[i][k].over(pivot).negative();
            a[i].iter_mut().zip(&pivot_row).for_each(|(a, &p)| *a = a.add(by.times(p)));
            x[i].iter_mut().zip(&pivot_sides).for_each(|(x, &p)| *x = x.add(by.times(p)));
        }
    }
    let mut result = vec![Vec::new(); n];
    for k in 0..n {
        result[order[k]] = x[k].iter().map(|&x| x.over(a[k][k])).collect();
    }
    Some(result)
}

fn product(a: &[Vec<Double>], b: &[f64]) -> Vec<Double> {
    a.iter().map(|row| row.iter().zip(b).fold(Double::ZERO, |s, (&a, &b)| s.add(a.times(Double::of(b))))).collect()
}

/// The reference is exact for matrices of integers: Cramer's rule gives the same solutions.
#[test]
fn doubled_precision_finds_exact_solutions() {
    let a = [[2, -1, 3], [4, 4, -7], [-5, 9, 8]].map(|row: [i128; 3]| row.to_vec()).to_vec();
    let (det, numerators) = (determinant(a.clone()), solution(&a, &[5, -3, 11]));
    let floats: Vec<Vec<f64>> = a.iter().map(|row| row.iter().map(|&x| x as f64).collect()).collect();
    for (x, numerator) in product(&inverse(&floats).unwrap(), &[5.0, -3.0, 11.0]).into_iter().zip(numerators) {
        // The difference from the quotient, times the determinant.
        let rest = x.times(Double::of(det as f64)).add(Double::of(-numerator as f64));
        assert!(rest.0.abs() < 1e-28 * numerator.abs() as f64, "{rest:?}");
    }
    assert!(inverse(&[vec![1.0, 2.0], vec![2.0, 4.0]]).is_none());
}

/// Solutions of systems of random floats of very different sizes, whose backward error is at most `3 n eps |L| |U|` element
/// by element (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, SIAM 2002, theorem 9.4).
#[test]
fn solutions_for_floats_are_near_those_of_doubled_precision() {
    let mut state = 11_u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut solved = 0;
    while solved < 200 {
        let n = 2 + (next() * 11.0) as usize;
        let mut entry = || if next() < 0.45 { (next() - 0.5) * (next() * 24.0 - 12.0).exp2() } else { 0.0 };
        let a: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| entry()).collect()).collect();
        let Some(inverse) = inverse(&a) else { continue };
        let b: Vec<f64> = (0..n).map(|_| next() - 0.5).collect();
        let exact = product(&inverse, &b);
        let (mut pointers, mut rows, mut values) = (vec![0], vec![], vec![]);
        for j in 0..n {
            for (i, row) in a.iter().enumerate().filter(|(_, row)| row[j] != 0.0) {
                rows.push(i as u32);
                values.push(row[j]);
            }
            pointers.push(rows.len());
        }
        let matrix = Matrix { pointers: &pointers, rows: &rows, values: &values };
        for ordering in ORDERINGS {
            // A matrix that is nearly singular may be singular to the working precision.
            let Ok(lu) = Lu::new(matrix, &LuOptions { ordering, ..LuOptions::default() }) else { continue };
            solved += 1;
            let mut x = b.clone();
            lu.solve(&mut x);
            let factor = |upper| {
                let (rows, mut dense) = (lu.rows(upper), vec![vec![0.0_f64; n]; n]);
                let values = lu.gather(&rows);
                for i in 0..n {
                    (rows.pointers[i]..rows.pointers[i + 1])
                        .for_each(|k| dense[i][rows.columns[k] as usize] = values[k].abs());
                }
                dense
            };
            let (lower, upper) = (factor(false), factor(true));
            let [of_rows, of_columns] = [lu.row_permutation(), lu.column_permutation()];
            // |L| |U| |x|, in the order of the rows of the matrix.
            let sizes: Vec<f64> = (0..n)
                .map(|i| {
                    let of = |k: usize| (0..n).map(|j| upper[k][of_columns[j] as usize] * x[j].abs()).sum::<f64>();
                    (0..n).map(|k| lower[of_rows[i] as usize][k] * of(k)).sum()
                })
                .collect();
            let bound = 3.0 * n as f64 * f64::EPSILON;
            for i in 0..n {
                let error = Double::of(x[i]).add(exact[i].negative()).0.abs();
                let most = bound * (0..n).map(|j| inverse[i][j].0.abs() * sizes[j]).sum::<f64>();
                assert!(error <= most, "{a:?} {ordering:?}: {error:e} {most:e}");
            }
        }
    }
}
