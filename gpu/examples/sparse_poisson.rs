//! The potential of two charges in a grounded box: Poisson's equation as a sparse system, solved by conjugate gradients.

use cuprum::prelude::*;
use cuprum::scipy::sparse::linalg::{SolverOptions, cg};
use cuprum::scipy::sparse::{Format, Sparse};

/// Returns the negated Laplace operator on a grid of n x n points, times the square of their distance.
fn laplacian(n: usize) -> Result<Sparse> {
    let (two, one) = (full(n, 2.0, ())?, full(n - 1, -1.0, ())?);
    let line = Sparse::diagonals(&[(&two, 0), (&one, 1), (&one, -1)], [n, n])?;
    line.kronsum(&line)?.to_format(Format::Csr)
}

fn main() -> Result<()> {
    let n = 20;
    let a = laplacian(n)?;
    let charge = zeros([n, n], ())?;
    charge.set(s![6, 5], 1)?;
    charge.set(s![13, 14], -1)?;

    let solution = cg(&a, &charge.ravel()?, SolverOptions { rtol: 1e-10, ..Default::default() })?;
    assert_eq!(solution.info, 0);
    let potential = solution.x.reshape([n, n])?;
    println!(
        "{} entries; every third row and column of the potential\n{:.2}",
        a.nnz()?,
        potential.index(s![..;3, ..;3])?
    );

    let residual = (a.matmul_dense(&solution.x)? - charge.ravel()?).abs()?.max(())?.item::<f64>()?;
    assert!(residual < 1e-9);
    // The charges are opposite, and so is the potential of opposite points.
    assert!(potential.allclose(-potential.flip(())?, ())?);
    Ok(())
}
