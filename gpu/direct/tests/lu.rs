//! Factors of random, structured and singular matrices.

use cuprum_direct::{
    C32, C64, Cholesky, Drop, Failure, Lu, LuOptions, Matrix, Ordering, Scalar, backward_error, refine,
};

/// A matrix with its arrays.
struct Columns<T> {
    pointers: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<T>,
}

impl<T: Scalar> Columns<T> {
    fn of_dense(n: usize, element: impl Fn(usize, usize) -> T) -> Columns<T> {
        let (mut pointers, mut rows, mut values) = (vec![0], vec![], vec![]);
        for j in 0..n {
            for i in 0..n {
                if element(i, j) != T::default() {
                    rows.push(i as u32);
                    values.push(element(i, j));
                }
            }
            pointers.push(rows.len());
        }
        Columns { pointers, rows, values }
    }

    fn matrix(&self) -> Matrix<'_, T> {
        Matrix { pointers: &self.pointers, rows: &self.rows, values: &self.values }
    }
}

/// Numbers in [-1, 1) that depend on their positions.
fn noise(i: usize, j: usize, seed: u64) -> f64 {
    let mut x = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (j as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ seed;
    for _ in 0..3 {
        x ^= x >> 29;
        x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// A random pattern with large elements away from the diagonal.
fn random(n: usize, seed: u64) -> impl Fn(usize, usize) -> f64 {
    move |i, j| {
        let shifted = if (i + 3) % n == j { 3.0 } else { 0.0 };
        shifted + if noise(i, j, seed) > 1.0 - 8.0 / n as f64 { noise(i, j, seed + 1) } else { 0.0 }
    }
}

/// The five-point Laplacian of a square of m by m points.
fn laplacian(m: usize) -> impl Fn(usize, usize) -> f64 {
    move |i, j| {
        let (dx, dy) = ((i / m).abs_diff(j / m), (i % m).abs_diff(j % m));
        match dx + dy {
            0 => 4.0,
            1 => -1.0,
            _ => 0.0,
        }
    }
}

fn right_side<T: Scalar>(n: usize, of: impl Fn(f64) -> T) -> Vec<T> {
    (0..n).map(|i| of(noise(i, 7, 9))).collect()
}

const ORDERINGS: [Ordering; 4] = [Ordering::Automatic, Ordering::Natural, Ordering::Symmetric, Ordering::Columns];

fn check<T: Scalar>(a: &Columns<T>, of: impl Fn(f64) -> T) {
    let n = a.pointers.len() - 1;
    let b = right_side(n, of);
    for ordering in ORDERINGS {
        let mut lu = Lu::new(a.matrix(), &LuOptions { ordering, ..LuOptions::default() }).unwrap();
        let mut x = b.clone();
        lu.solve(&mut x);
        let error = backward_error(a.matrix(), &x, &b);
        assert!(error < 50.0 * T::EPSILON, "{ordering:?} {n}: {error:e}");
        assert!(refine(&lu, a.matrix(), &mut x, &b).after <= error.max(T::EPSILON));
        // The factors multiplied out are the permuted matrix.
        let (lower, upper) = (lu.rows(false), lu.rows(true));
        let (l, u) = (lu.gather(&lower), lu.gather(&upper));
        assert_eq!(l.len() + u.len(), lu.entries());
        let mut product = vec![T::default(); n * n];
        for i in 0..n {
            for k in lower.pointers[i]..lower.pointers[i + 1] {
                let by = lower.columns[k] as usize;
                assert!(by <= i && (k == lower.pointers[i] || lower.columns[k - 1] < lower.columns[k]));
                for m in upper.pointers[by]..upper.pointers[by + 1] {
                    product[i * n + upper.columns[m] as usize] += l[k] * u[m];
                }
            }
        }
        for j in 0..n {
            for k in a.pointers[j]..a.pointers[j + 1] {
                let row = lu.row_permutation()[a.rows[k] as usize] as usize;
                product[row * n + lu.column_permutation()[j] as usize] -= a.values[k];
            }
        }
        let worst = product.iter().map(|x| x.magnitude()).fold(0.0, f64::max);
        assert!(worst < 500.0 * T::EPSILON, "{ordering:?} {n}: {worst:e}");
        // The same values give the same factors.
        lu.refactor(a.matrix()).unwrap();
        let same = |x: &[T], y: &[T]| x.iter().zip(y).all(|(x, y)| (*x - *y).magnitude() <= 100.0 * T::EPSILON);
        assert!(same(&lu.gather(&lower), &l) && same(&lu.gather(&upper), &u));
    }
}

#[test]
fn factors_multiply_to_the_matrix() {
    for n in [1, 2, 5, 30, 80, 200] {
        for seed in 0..4 {
            let element = random(n, seed);
            check(&Columns::of_dense(n, &element), |x| x);
            if n <= 80 {
                check(&Columns::of_dense(n, |i, j| element(i, j) as f32), |x| x as f32);
                let complex = |i, j| C64::new(element(i, j), element(j, i) / 2.0 * f64::from(element(i, j) != 0.0));
                check(&Columns::of_dense(n, complex), |x| C64::new(x, -x));
                let narrow = |i, j| C32::new(complex(i, j).re as f32, complex(i, j).im as f32);
                check(&Columns::of_dense(n, narrow), |x| C32::new(x as f32, 1.0));
            }
        }
    }
    check(&Columns::of_dense(225, laplacian(15)), |x| x);
    // A dense matrix is one supernode after another.
    check(&Columns::of_dense(130, |i, j| noise(i, j, 3) + 0.01), |x| x);
    check(&Columns::<f64>::of_dense(0, |_, _| 1.0), |x| x);
}

#[test]
fn a_symmetric_order_keeps_the_factors_of_a_grid_sparse() {
    let a = Columns::of_dense(400, laplacian(20));
    let entries = |ordering| Lu::new(a.matrix(), &LuOptions { ordering, ..LuOptions::default() }).unwrap().entries();
    assert!(entries(Ordering::Automatic) == entries(Ordering::Symmetric));
    assert!(entries(Ordering::Symmetric) < entries(Ordering::Columns));
    assert!(entries(Ordering::Columns) < entries(Ordering::Natural));
}

#[test]
fn singular_matrices_have_no_factors() {
    let options = LuOptions::default();
    let fails = |n, element: &dyn Fn(usize, usize) -> f64| {
        matches!(Lu::new(Columns::of_dense(n, element).matrix(), &options), Err(Failure::Singular(_)))
    };
    assert!(fails(2, &|i, j| [1.0, 2.0, 2.0, 4.0][2 * i + j]));
    assert!(fails(3, &|i, j| if i == 0 || j == 0 { 1.0 } else { 0.0 }));
    assert!(fails(3, &|_, _| 0.0));
    assert!(fails(2, &|i, _| if i == 0 { f64::NAN } else { 1.0 }));
    let positive = LuOptions { positive: true, ordering: Ordering::Symmetric, ..options };
    let indefinite = Columns::of_dense(2, |i, j| if i == j { 1.0 } else { 2.0 });
    assert!(matches!(Lu::new(indefinite.matrix(), &positive), Err(Failure::NotPositive { pivot: Some(-3.0), .. })));
    let mut lu = Lu::new(Columns::of_dense(2, |i, j| if i == j { 3.0 } else { 1.0 }).matrix(), &options).unwrap();
    assert!(matches!(lu.refactor(Columns::of_dense(2, |_, _| 1.0).matrix()), Err(Failure::Unstable(_))));
}

#[test]
fn incomplete_factors_are_bounded_and_exact_without_dropping() {
    let a = Columns::of_dense(225, laplacian(15));
    let exact = Lu::new(a.matrix(), &LuOptions::default()).unwrap();
    let factors = |tolerance, fill| {
        Lu::new(a.matrix(), &LuOptions { drop: Some(Drop { tolerance, fill }), ..LuOptions::default() }).unwrap()
    };
    let all = factors(0.0, 1e9);
    assert_eq!(all.entries(), exact.entries());
    let mut x = right_side(225, |x| x);
    let b = x.clone();
    all.solve(&mut x);
    assert!(backward_error(a.matrix(), &x, &b) < 1e-15);
    assert!(factors(1e-2, 10.0).entries() < exact.entries());
    assert!(factors(0.0, 1.5).entries() as f64 <= 1.5 * a.rows.len() as f64);
}

/// Checks `P A P^T = L L^H`, both triangular solutions and a factorisation of other values, for the matrix of a lower triangle.
fn check_cholesky<T: Scalar>(n: usize, element: impl Fn(usize, usize) -> T) {
    let lower = Columns::of_dense(n, |i, j| if i < j { T::default() } else { element(i, j) });
    let full = Columns::of_dense(n, &element);
    let mut factor = Cholesky::new(lower.matrix()).unwrap();
    for scale in [T::ONE, T::ONE + T::ONE] {
        let values: Vec<T> = lower.values.iter().map(|&v| scale * v).collect();
        factor.refactor(Matrix { values: &values, ..lower.matrix() }).unwrap();
        let dense = |upper: bool| {
            let ((pointers, columns), values) = (factor.pattern(upper), factor.values(upper));
            let mut out = vec![T::default(); n * n];
            for i in 0..n {
                for k in pointers[i]..pointers[i + 1] {
                    out[i * n + columns[k] as usize] = values[k];
                }
            }
            out
        };
        let (l, u) = (dense(false), dense(true));
        let p = factor.permutation();
        for i in 0..n {
            for j in 0..n {
                assert!(i >= j || l[i * n + j] == T::default());
                assert_eq!(u[j * n + i], l[i * n + j].conjugate());
            }
        }
        for i in 0..n {
            for j in 0..n {
                let (r, c) = (p[i] as usize, p[j] as usize);
                let product = (0..n).fold(T::default(), |sum, k| sum + l[r * n + k] * u[k * n + c]);
                let want = scale * element(i, j);
                assert!((product - want).magnitude() <= 200.0 * T::EPSILON * want.magnitude().max(8.0), "{i} {j}");
            }
        }
    }
    let b: Vec<T> = (0..n).map(|i| element(i, i)).collect();
    let mut x = b.clone();
    factor.solve(&mut x);
    let twice = Columns { values: full.values.iter().map(|&v| v + v).collect(), ..full };
    assert!(backward_error(twice.matrix(), &x, &b) <= 10.0 * T::EPSILON);
}

#[test]
fn cholesky_factors_multiply_to_the_matrix() {
    check_cholesky(100, laplacian(10));
    // Dense rows are panels of supernodes.
    check_cholesky(70, |i, j| if i == j { 80.0 } else { noise(i.min(j), i.max(j), 5) });
    check_cholesky(60, |i, j| (if i == j { 9.0 } else { -f64::from(u8::from(i.abs_diff(j) % 13 == 1)) }) as f32);
    check_cholesky(40, |i, j| {
        let z = C64::new(noise(i.min(j), i.max(j), 1), noise(i.min(j), i.max(j), 2));
        if i == j {
            C64::new(60.0, 0.0)
        } else if i > j {
            z
        } else {
            z.conj()
        }
    });
    check_cholesky(1, |_, _| C32::new(2.0, 0.0));
    check_cholesky(0, |_, _| 1.0_f64);
}

#[test]
fn matrices_that_are_not_positive_definite_have_a_row_and_a_pivot() {
    let fails = |n, element: &dyn Fn(usize, usize) -> f64| {
        Cholesky::new(Columns::of_dense(n, |i, j| if i < j { 0.0 } else { element(i, j) }).matrix()).unwrap_err()
    };
    let pivot = |failure| match failure {
        Failure::NotPositive { row, pivot } => (row, pivot),
        other => panic!("{other}"),
    };
    assert_eq!(pivot(fails(2, &|i, j| if i == j { 1.0 } else { 2.0 })).1, Some(-3.0));
    assert_eq!(pivot(fails(3, &|i, j| if i == j { [4.0, -1.0, 5.0][i] } else { 0.0 })), (1, Some(-1.0)));
    assert_eq!(pivot(fails(3, &|i, j| if i == j { [4.0, 0.0, 5.0][i] } else { 0.0 })), (1, Some(0.0)));
    assert!(pivot(fails(2, &|i, j| if i == j { f64::NAN } else { 0.0 })).1.is_some_and(f64::is_nan));
}
