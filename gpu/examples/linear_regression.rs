//! Linear regression by gradient descent on the mean squared error.

use cuprum::prelude::*;

fn main() -> Result<()> {
    let x = arange(0, 100, 1)? / 50.0 - 1.0;
    let wobble = (&x * 40.0).cos()? * 0.05;
    let y = &x * 3.0 - 0.5 + wobble;

    // A column of ones next to x: the weights are the slope and the intercept.
    let design = ones([x.len(), 2], DType::F64)?;
    design.set(s![.., 0], &x)?;
    let mut weights = zeros(2, DType::F64)?;
    let n = x.len();
    for step in 0..200 {
        let residual = design.matmul(&weights)? - &y;
        if step % 50 == 0 {
            println!("step {step}: error {:.5}", (&residual * &residual).mean(())?.item::<f64>()?);
        }
        weights -= design.t().matmul(&residual)? * (0.5 / n as f64);
    }
    println!("weights {weights:.2}");
    assert!((weights.index(s![0])?.item::<f64>()? - 3.0).abs() < 0.05);
    assert!((weights.index(s![1])?.item::<f64>()? + 0.5).abs() < 0.05);
    Ok(())
}
