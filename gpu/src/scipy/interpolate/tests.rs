//! Tests of systems of all sizes, and of launches with many results.

use super::*;
use crate::error::Result;

/// Returns numbers from -1 to 1 that repeat nowhere.
fn numbers_of(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(next).collect()
}

/// Multiplies the matrix by solutions that are known: every number of rows takes another sequence of levels.
#[test]
fn block_tridiagonal_systems_of_all_sizes() -> Result<()> {
    for side in [1, 2, 3, 5] {
        for rows in [1, 2, 3, 4, 5, 7, 8, 16, 33] {
            let (size, columns) = (side * side, 2);
            let blocks: Vec<Vec<f64>> = (0..3).map(|k| numbers_of(rows * size, 7 + k)).collect();
            let mut diagonal = blocks[1].clone();
            for i in 0..rows * side {
                // Diagonally dominant.
                diagonal[i / side * size + i % side * (side + 1)] += 3.0 * side as f64;
            }
            let x = numbers_of(rows * side * columns, 3);
            let mut rights = vec![0.0; x.len()];
            for i in 0..rows * side {
                let (row, r) = (i / side, i % side);
                for (k, part) in [&blocks[0], &diagonal, &blocks[2]].into_iter().enumerate() {
                    if row + k == 0 || row + k > rows {
                        continue;
                    }
                    for q in 0..side {
                        for t in 0..columns {
                            let known = x[((row + k - 1) * side + q) * columns + t];
                            rights[i * columns + t] += part[row * size + r * side + q] * known;
                        }
                    }
                }
            }
            let shape = [rows, side, side];
            let of = |values: &[f64]| Array::from_slice(values, shape);
            let rights = Array::from_slice(&rights, [rows * side, columns])?;
            let found = solve_block_tridiagonal(&of(&blocks[0])?, &of(&diagonal)?, &of(&blocks[2])?, &rights)?;
            for (one, two) in found.to_vec::<f64>()?.iter().zip(&x) {
                assert!((one - two).abs() < 1e-13, "{rows} rows of blocks of {side}: {one} for {two}");
            }
        }
    }
    Ok(())
}

/// Large blocks of threads, which share a copy of the knots, evaluate the same polynomials as small ones.
#[test]
fn many_results_are_those_of_few() -> Result<()> {
    let (intervals, many) = (300, (1 << 20) + 3);
    let c = Array::from_slice(&numbers_of(2 * intervals, 5), [2, intervals])?;
    let knots: Vec<f64> = (0..=intervals).map(|i| i as f64 + 0.4 * (i % 3) as f64).collect();
    let p = PPoly::new(&c, &Array::from_vec(knots)?)?;
    let x: Vec<f64> = numbers_of(1024, 9).iter().map(|v| 170.0 * (v + 0.9)).collect();
    let few = p.evaluate(&Array::from_slice(&x, [1024])?, 0)?.to_vec::<f64>()?;
    let points = Array::from_vec((0..many).map(|i| x[i % 1024]).collect::<Vec<f64>>())?;
    let all = p.evaluate(&points, 0)?.to_vec::<f64>()?;
    assert!(all.iter().enumerate().all(|(i, y)| y.to_bits() == few[i % 1024].to_bits()));
    Ok(())
}
