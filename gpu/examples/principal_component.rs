//! Principal component analysis: the covariance matrix and its dominant eigenvector by power iteration.

use cuprum::prelude::*;
use cuprum::{CovOptions, cov, linalg};

fn main() -> Result<()> {
    // Observations along the direction (3, 4), with a little noise across it.
    let t = arange(-50, 51, 1)? / 10.0;
    let noise = (&t * 7.0).sin()? * 0.1;
    let data = zeros([t.len(), 2], DType::F64)?;
    data.set(s![.., 0], &t * 0.6 - &noise * 0.8)?;
    data.set(s![.., 1], &t * 0.8 + &noise * 0.6)?;

    // The variables are in columns.
    let covariance = cov(&data, CovOptions::new().rowvar(false))?;
    println!("covariance\n{covariance:.3}");

    let mut v = ones(2, DType::F64)?;
    for _ in 0..50 {
        v = covariance.matmul(&v)?;
        v = &v / linalg::norm(&v, ())?;
    }
    println!("direction {v:.4}");
    assert!(v.allclose(array([0.6, 0.8])?, cuprum::CloseOptions::new().atol(0.01))?);

    let centred = &data - data.mean(0)?;
    let along = centred.matmul(&v)?;
    let kept = (along.var(())? / centred.var(0)?.sum(())?).item::<f64>()?;
    println!("variance kept {kept:.4}");
    assert!(kept > 0.999);
    Ok(())
}
