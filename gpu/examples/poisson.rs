//! Poisson's equation and implicit steps of the heat equation: sparse systems, factored once for many right-hand sides.

use std::f64::consts::PI;

use cuprum::allclose;
use cuprum::prelude::*;
use cuprum::scipy::sparse::linalg::{self, Trans};
use cuprum::scipy::sparse::{Format, Sparse};

/// Returns minus the second derivative on a square of m by m points, with zeros around them.
fn laplacian(m: usize) -> Result<Sparse> {
    let side = ones(m - 1, DType::F64)? * -1.0;
    let line = Sparse::diagonals(&[(&side, -1), (&(ones(m, DType::F64)? * 2.0), 0), (&side, 1)], [m, m])?;
    let scale = ((m + 1) * (m + 1)) as f64;
    let both = line.kronsum(&line)?.to_format(Format::Csc)?;
    both.with_data(&(both.data() * scale))
}

/// A system that is solved once: the solution is an eigenfunction.
fn poisson(a: &Sparse, mode: &Array, eigenvalue: f64) -> Result<()> {
    let u = linalg::spsolve(a, &(mode * eigenvalue), ())?;
    let error = (u - mode).abs()?.max(())?.item::<f64>()?;
    println!("Poisson's equation: error {error:.1e}");
    assert!(error < 1e-12);
    Ok(())
}

/// Implicit steps: one factorisation for all steps of a length, and a cheaper one for another length.
fn heat(a: &Sparse, mode: &Array, eigenvalue: f64) -> Result<()> {
    let identity = Sparse::eye([a.shape()[0]; 2], 0, DType::F64, Format::Csc, a.device())?;
    let step = |length: f64| a.with_data(&(a.data() * length))?.binary("add", &identity);
    let mut factors = linalg::splu(&step(1e-3)?, ())?;
    let (mut u, mut want) = (mode.clone(), 1.0);
    for length in [1e-3, 1e-2] {
        factors.refactor(&step(length)?)?;
        for _ in 0..10 {
            u = factors.solve(&u, Trans::None)?;
            want /= 1.0 + length * eigenvalue;
        }
    }
    println!("heat equation: {:.6} of it is left", u.max(())?.item::<f64>()? / mode.max(())?.item::<f64>()?);
    assert!(allclose(&u, &(mode * want), ())?);
    Ok(())
}

fn main() -> Result<()> {
    let m = 31;
    let x = (arange(1, m as i64 + 1, 1)? * (PI / (m + 1) as f64)).sin()?;
    let mode = (x.reshape([m, 1])? * &x).reshape([m * m])?;
    let eigenvalue = 8.0 * ((m + 1) as f64 * (PI / 2.0 / (m + 1) as f64).sin()).powi(2);
    let a = laplacian(m)?;
    poisson(&a, &mode, eigenvalue)?;
    heat(&a, &mode, eigenvalue)
}
