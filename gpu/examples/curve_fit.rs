//! A piecewise linear curve through noisy points: sparse least squares by normal equations and their Cholesky factor.

use cuprum::concatenate;
use cuprum::prelude::*;
use cuprum::scipy::sparse::{Sparse, linalg};

fn main() -> Result<()> {
    let (points, knots) = (2000, 21);
    let x = arange(0, points as i64, 1)? * ((knots - 1) as f64 / points as f64);
    let y = (&x * 0.5).sin()? + (&x * 40.0).sin()? * 0.01;
    let left = x.floor()?;
    let weight = &x - &left;
    let row = concatenate(vec![arange(0, points as i64, 1)?; 2], ())?;
    let column = concatenate(vec![left.astype(DType::I64)?, (left + 1.0).astype(DType::I64)?], ())?;
    let design = Sparse::coo(&concatenate(vec![1.0 - &weight, weight], ())?, &[&row, &column], &[points, knots])?;
    let transposed = design.transpose(None)?;
    let heights = linalg::cholesky(&transposed.matmul(&design)?)?.solve(&transposed.matmul_dense(&y)?)?;
    let error = (design.matmul_dense(&heights)? - y).abs()?.max(())?.item::<f64>()?;
    println!("{knots} heights of the curve, error {error:.3}");
    assert!(error < 0.06);
    Ok(())
}
