//! Sieve of Eratosthenes: multiples are crossed out by assigning to a view with a step.

use cuprum::flatnonzero;
use cuprum::prelude::*;

fn main() -> Result<()> {
    let n = 10_000usize;
    let prime = ones(n, DType::Bool)?;
    prime.set(s![..2], false)?;
    let mut k = 2;
    while k * k < n {
        if prime.index(s![k])?.item::<bool>()? {
            prime.set(s![k * k..;k], false)?;
        }
        k += 1;
    }
    let primes = flatnonzero(&prime)?;
    println!("{} primes below {n}, the last ones {}", primes.size(), primes.index(s![-5..])?);
    assert_eq!(primes.size(), 1229);

    // Histogram of the gaps between consecutive primes.
    let gaps = primes.diff(())?.bincount(())?;
    println!("counterparts: {}", gaps.index(s![2])?);
    assert_eq!(gaps.index(s![2])?.item::<i64>()?, 205);
    Ok(())
}
