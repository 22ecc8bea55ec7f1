//! Monte Carlo estimate of pi: the fraction of random points of the unit square inside the circle.

use cuprum::prelude::*;

/// Returns uniform random numbers in [0, 1) by SplitMix64, a hash of consecutive 64-bit counters.
fn random(n: usize, seed: u64) -> Result<Array> {
    let counters = arange(1, n + 1, 1)?.astype(DType::U64)?;
    let mut z = counters * 0x9e37_79b9_7f4a_7c15_u64 + seed;
    z = (&z ^ (&z >> 30)) * 0xbf58_476d_1ce4_e5b9_u64;
    z = (&z ^ (&z >> 27)) * 0x94d0_49bb_1331_11eb_u64;
    z = &z ^ (&z >> 31);
    Ok((z >> 11).astype(DType::F64)? / (1u64 << 53))
}

fn main() -> Result<()> {
    let n = 20_000;
    let (x, y) = (random(n, 1)?, random(n, 2_000_003)?);
    let inside = x.hypot(&y)?.less_equal(1.0)?;
    let part = inside.mean(())?.item::<f64>()?;
    let error = 4.0 * inside.std(Reduce::all().ddof(1))?.item::<f64>()? / (n as f64).sqrt();
    let pi = 4.0 * part;
    println!("pi is about {pi:.3}, give or take {error:.3}");
    assert!((pi - std::f64::consts::PI).abs() < 4.0 * error);
    Ok(())
}
