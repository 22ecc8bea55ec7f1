//! Risk figures of three assets from daily returns: volatility, correlation, maximum drawdown, and value at risk at 95
//! %.

use cuprum::prelude::*;
use cuprum::{corrcoef, cumprod, percentile, ufunc};

fn main() -> Result<()> {
    // Two strongly correlated assets, and an independent one.
    let t = arange(0, 500, 1)?;
    let market = (&t * 0.7).sin()? * 0.01 + (&t * 0.13).cos()? * 0.004;
    let returns = zeros([3, 500], DType::F64)?;
    returns.set(s![0], &market + 0.0004)?;
    returns.set(s![1], &market * 1.5 + (&t * 2.1).sin()? * 0.002)?;
    returns.set(s![2], (&t * 1.9).sin()? * 0.006)?;

    let volatility = returns.std(Reduce::axis(1).ddof(1))? * 252f64.sqrt();
    println!("volatility  {volatility:.3}");
    let together = corrcoef(&returns, ())?;
    println!("correlation\n{together:.2}");
    assert!(together.index(s![0, 1])?.item::<f64>()? > 0.95);
    assert!(together.index(s![0, 2])?.item::<f64>()?.abs() < 0.1);

    // Maximum drawdown: the largest fall from the highest value so far.
    let value = cumprod(&returns + 1.0, 1)?;
    let peak = ufunc("maximum")?.accumulate(&value, 1, ())?;
    println!("worst fall  {:.3}", (&value / &peak - 1.0).min(1)?);

    let at_risk = -percentile(&returns, 5, 1)?;
    println!("at risk     {at_risk:.4}");
    let worse = returns.less(-at_risk.expand_dims(1)?)?.mean(1)?;
    assert!((worse - 0.05).abs()?.max(())?.item::<f64>()? < 0.005);
    Ok(())
}
