//! Newton fractal: the root of z^3 = 1 to which Newton's method converges from each starting point.

use cuprum::prelude::*;
use num_complex::Complex64;

fn main() -> Result<()> {
    // A grid of starting points without the origin, where the derivative is zero.
    let n = 40;
    let line = (arange(0, n, 1)? + 0.5) / (n as f64 / 4.0) - 2.0;
    let mut z = line.expand_dims(0)? + line.expand_dims(1)? * Complex64::i();
    for _ in 0..50 {
        let square = &z * &z;
        z = &z - (&square * &z - 1.0) / (square * 3.0);
    }

    let roots: Vec<Complex64> = (0..3).map(|k| Complex64::cis(f64::from(k) * std::f64::consts::TAU / 3.0)).collect();
    let near = z.expand_dims(-1)? - array(roots)?;
    let which = near.abs()?.argmin(-1)?;
    let shares = which.ravel()?.bincount(())? / (n * n);
    println!("shares of the roots: {shares:.3}");
    // The picture is symmetric about the real axis, so the two complex roots have equal shares.
    let shares = shares.to_vec::<f64>()?;
    assert!((shares[1] - shares[2]).abs() < 0.01);
    assert!((z.power(3)? - 1.0).abs()?.max(())?.item::<f64>()? < 1e-9);
    Ok(())
}
