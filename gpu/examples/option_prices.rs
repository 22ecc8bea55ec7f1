//! Prices of European call options: the Black–Scholes formula for many strikes, and a Monte Carlo simulation that agrees
//! with it.

use cuprum::prelude::*;
use cuprum::random::default_rng;
use cuprum::scipy::special::ndtr;
use cuprum::{exp, log, maximum};

const SPOT: f64 = 100.0;
const RATE: f64 = 0.02;
const VOLATILITY: f64 = 0.3;
const YEARS: f64 = 1.5;

/// Returns the price of a call for each strike.
fn black_scholes(strikes: &Array) -> Result<Array> {
    let root = VOLATILITY * YEARS.sqrt();
    let d1 = (log(SPOT / strikes)? + (RATE + 0.5 * VOLATILITY * VOLATILITY) * YEARS) / root;
    let discounted = strikes * (-RATE * YEARS).exp();
    Ok(SPOT * ndtr(&d1)? - discounted * ndtr(&d1 - root)?)
}

fn main() -> Result<()> {
    let strikes = arange(80, 125, 5)?.astype(DType::F64)?;
    let exact = black_scholes(&strikes)?;

    let paths = 20_000;
    let normal = default_rng(7)?.normal(0.0, 1.0, paths)?;
    let drift = (RATE - 0.5 * VOLATILITY * VOLATILITY) * YEARS;
    let end = SPOT * exp(drift + VOLATILITY * YEARS.sqrt() * &normal)?;
    // A row of payoffs for each strike.
    let payoffs = maximum(&end - strikes.expand_dims(1)?, 0.0)? * (-RATE * YEARS).exp();
    let simulated = payoffs.mean(1)?;
    let error = payoffs.std(Reduce::axis(1).ddof(1))? / (paths as f64).sqrt();

    println!("strikes   {strikes:8.0}\nexact     {exact:8.3}\nsimulated {simulated:8.3}\nerror     {error:8.3}");
    assert!((&simulated - &exact).abs()?.less(&error * 4.0)?.all(())?.item::<bool>()?);
    Ok(())
}
