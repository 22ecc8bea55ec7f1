//! Moving average of a series in three ways: a convolution, differences of cumulative sums, and sliding windows, which
//! are views.

use cuprum::prelude::*;
use cuprum::{CorrelateMode, convolve};

fn main() -> Result<()> {
    let n = 60usize;
    let window = 5usize;
    let t = arange(0, n, 1)?;
    let series = (&t * 0.2).sin()? + where_((&t % 2).equal(0)?, 0.1, -0.1)?;

    let by_convolution = convolve(&series, full(window, 1.0 / window as f64, ())?, CorrelateMode::Valid)?;

    let sums = zeros(n + 1, DType::F64)?;
    sums.set(s![1..], series.cumsum(())?)?;
    let by_sums = (sums.index(s![window..])? - sums.index(s![..n + 1 - window])?) / window;

    let step = series.itemsize() as i64;
    let windows = series.as_strided([n + 1 - window, window], &[step, step])?;
    let by_windows = windows.mean(1)?;

    println!("{:.3}", by_windows.index(s![..;8])?);
    assert!(by_convolution.allclose(&by_sums, ())?);
    assert!(by_convolution.allclose(&by_windows, ())?);
    let roughness = |a: &Array| a.diff(())?.abs()?.mean(())?.item::<f64>();
    println!("steps of {:.3} became {:.3}", roughness(&series)?, roughness(&by_windows)?);
    assert!(roughness(&by_windows)? < roughness(&series)?);
    Ok(())
}
