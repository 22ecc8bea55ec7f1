//! Eigenvalues of symmetric matrices whose columns are in several blocks.

use super::{BLOCKS, band, parts, symmetric_eigenvalues};
use crate::array::Array;
use crate::error::Result;

/// Returns the eigenvalues that the kernels compute with at most `blocks` blocks.
fn eigenvalues(rows: &[f64], n: usize, upper: bool, blocks: usize) -> Result<Vec<f64>> {
    let a = Array::from_vec(rows.to_vec())?.reshape([n, n])?;
    BLOCKS.set(Some(blocks));
    let found = symmetric_eigenvalues(&a, upper);
    BLOCKS.set(None);
    found?.expect("the matrix fits into the blocks").to_vec()
}

/// Returns numbers from -1 to 1 that a linear congruence generates.
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Returns `Q diag(values) Q`, with a reflection Q along a vector of these numbers: its eigenvalues are known.
fn reflected(values: &[f64]) -> Vec<f64> {
    let (n, mut next) = (values.len(), numbers());
    let v: Vec<f64> = (0..n).map(|_| next()).collect();
    let size: f64 = v.iter().map(|x| x * x).sum();
    let q = |r: usize, c: usize| f64::from(u8::from(r == c)) - 2.0 * v[r] * v[c] / size;
    let mut a = vec![0.0; n * n];
    for r in 0..n {
        for c in 0..=r {
            let x: f64 = (0..n).map(|k| q(r, k) * values[k] * q(k, c)).sum();
            (a[r * n + c], a[c * n + r]) = (x, x);
        }
    }
    a
}

/// The computed eigenvalues are those of a matrix that differs by the rounding of the reduction, of at most some 10 n units for
/// a matrix of norm 1.
fn assert_near(found: &[f64], expected: &[f64], name: &str) {
    let mut expected = expected.to_vec();
    expected.sort_by(f64::total_cmp);
    assert!(found.is_sorted(), "{name}: {found:?}");
    let bound = 10.0 * expected.len() as f64 * f64::EPSILON;
    for (x, y) in found.iter().zip(&expected) {
        assert!((x - y).abs() <= bound, "{name}: {x} in place of {y}");
    }
}

/// Asserts that `found`, of the elements of a matrix of `n` rows, computes the eigenvalues of the first `kinds` of five kinds of
/// matrices, and of a diagonal one.
fn assert_kinds(
    n: usize,
    kinds: usize,
    next: &mut impl FnMut() -> f64,
    found: impl Fn(&[f64]) -> Result<Vec<f64>>,
) -> Result<()> {
    let cases = [
        ("random", (0..n).map(|_| next()).collect::<Vec<_>>()),
        ("graded", (0..n).map(|k| 0.5f64.powi(k as i32)).collect()),
        ("clustered", (0..n).map(|k| if k % 3 == 0 { 1.0 } else { -0.5 + 1e-14 * k as f64 }).collect()),
        ("rank one", (0..n).map(|k| f64::from(u8::from(k == n / 2))).collect()),
        ("zero", vec![0.0; n]),
    ];
    for (name, values) in cases.into_iter().take(kinds) {
        assert_near(&found(&reflected(&values))?, &values, name);
    }
    let values: Vec<f64> = (0..n).map(|_| next()).collect();
    let mut diagonal = vec![0.0; n * n];
    (0..n).for_each(|k| diagonal[k * (n + 1)] = values[k]);
    assert_near(&found(&diagonal)?, &values, "diagonal");
    Ok(())
}

#[test]
fn eigenvalues_of_matrices_in_several_blocks() -> Result<()> {
    let mut next = numbers();
    for (n, blocks) in [(2, 2), (3, 1), (21, 4), (40, 3), (65, 4), (70, 2)] {
        // Large matrices have more rows for a thread alone.
        let kinds = if n > 40 { 2 } else { 5 };
        assert_kinds(n, kinds, &mut next, |rows| eigenvalues(rows, n, false, blocks))?;
    }
    Ok(())
}

/// Returns the eigenvalues that are computed by way of a band.
fn by_band(rows: &[f64], n: usize, upper: bool) -> Result<Vec<f64>> {
    let least = band::LEAST.replace(1);
    let found = eigenvalues(rows, n, upper, 1);
    band::LEAST.set(least);
    found
}

#[test]
fn eigenvalues_by_way_of_a_band() -> Result<()> {
    let mut next = numbers();
    for n in [37, 64, 130] {
        let kinds = if n > 100 { 2 } else { 5 };
        assert_kinds(n, kinds, &mut next, |rows| by_band(rows, n, n == 64))?;
    }
    Ok(())
}

#[test]
fn a_band_with_nan_and_infinity_ends() -> Result<()> {
    for odd in [f64::NAN, f64::from_bits(u64::MAX), f64::INFINITY] {
        let mut a = reflected(&[0.5; 40]);
        a[35 * 40 + 3] = odd;
        by_band(&a, 40, false)?;
    }
    Ok(())
}

/// The results do not depend on the other triangle.
#[test]
fn one_triangle_is_read() -> Result<()> {
    let n = 37;
    let values: Vec<f64> = (0..n).map(|k| k as f64 / n as f64).collect();
    let whole = reflected(&values);
    let part = |upper: bool| -> Vec<f64> {
        let is_part = |r: usize, c: usize| if upper { r <= c } else { r >= c };
        (0..n * n).map(|i| if is_part(i / n, i % n) { whole[i] } else { f64::NAN }).collect()
    };
    let [lower, upper] = [eigenvalues(&part(false), n, false, 3)?, eigenvalues(&part(true), n, true, 3)?];
    assert_near(&lower, &values, "lower");
    assert_eq!(lower, upper);
    Ok(())
}

/// NaN ends neither the exchange nor the multisection, and infinity does not either.
#[test]
fn matrices_with_nan_and_infinity_end() -> Result<()> {
    for odd in [f64::NAN, f64::from_bits(u64::MAX), f64::INFINITY] {
        for at in [0, 5, 7 * 20 + 3, 20 * 20 - 1] {
            let mut a = reflected(&[0.5; 20]);
            a[at] = odd;
            eigenvalues(&a, 20, false, 3)?;
        }
    }
    Ok(())
}

#[test]
fn matrices_that_fit_into_a_device() {
    let of = |n, blocks| parts(n, blocks).map(|(key, used)| (key.threads, key.rows, key.columns, used));
    assert_eq!(of(100, 132), Some((256, 1, 1, 100)));
    assert_eq!(of(256, 132), Some((256, 1, 2, 128)));
    assert_eq!(of(1024, 132), Some((512, 2, 8, 128)));
    assert_eq!(of(1536, 132), Some((512, 3, 12, 128)));
    assert_eq!(of(1600, 132), None);
    assert_eq!(of(100, 2), None);
}
