//! Benchmarks of random number generation.

use cuprum::random::{
    ChoiceOptions, CovarianceFactor, Generator, MultivariateNormalOptions, RandomOptions, default_rng,
};
use cuprum::{Array, DType, array, eye, linspace, zeros};

use crate::data::Data;
use crate::device_rows::{Row, prepared, row};

/// Builds a row that samples as many elements as the other rows have, divided by `part`. Each call starts from the same
/// generator state, a host value.
fn drawn(name: &str, part: usize, draw: fn(&mut Generator, usize) -> cuprum::Result<Array>) -> Row {
    row(name, move |data: &Data| {
        let (rng, n) = (default_rng(1)?, data.sizes.elements / part);
        prepared(&[], move || draw(&mut rng.clone(), n))
    })
}

fn of(n: usize, dtype: DType) -> RandomOptions<'static> {
    RandomOptions::new().size(n).dtype(dtype)
}

/// Returns the rows in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        drawn("uniform f32", 1, |rng, n| rng.random(of(n, DType::F32))),
        drawn("uniform f64", 1, |rng, n| rng.random(n)),
        drawn("normal f32", 1, |rng, n| rng.standard_normal(of(n, DType::F32))),
        drawn("normal f64", 1, |rng, n| rng.standard_normal(n)),
        drawn("exponential f32", 1, |rng, n| rng.standard_exponential(of(n, DType::F32))),
        drawn("integers i32 below 1000", 1, |rng, n| rng.integers(0, 1000, of(n, DType::I32))),
        drawn("integers i64 below 10^12", 1, |rng, n| rng.integers(0, 1_000_000_000_000i64, n)),
        drawn("bernoulli", 1, |rng, n| rng.bernoulli(0.3, n)),
        drawn("gamma f64, 2.5", 8, |rng, n| rng.standard_gamma(2.5, n)),
        drawn("beta f64", 8, |rng, n| rng.beta(2.0, 3.0, n)),
        drawn("poisson of 5", 8, |rng, n| rng.poisson(5.0, n)),
        drawn("poisson of 500", 8, |rng, n| rng.poisson(500.0, n)),
        drawn("binomial of 100", 8, |rng, n| rng.binomial(100, 0.4, n)),
        row("poisson of an array", |data: &Data| {
            let (rng, n) = (default_rng(1)?, data.sizes.elements / 8);
            let rates = linspace(0.5, 40.0, n)?;
            prepared(&[], move || rng.clone().poisson(&rates, ()))
        }),
        row("dirichlet of 8", |data: &Data| {
            let (rng, n) = (default_rng(1)?, data.sizes.elements / 64);
            let alpha = array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0])?;
            prepared(&[], move || rng.clone().dirichlet(&alpha, n))
        }),
        row("multivariate normal of 8", |data: &Data| {
            let (rng, n) = (default_rng(1)?, data.sizes.elements / 64);
            let (mean, cov) = (zeros(8, DType::F64)?, eye(8, ())?.add(0.5)?);
            prepared(&[], move || {
                rng.clone().multivariate_normal(
                    &mean,
                    &cov,
                    MultivariateNormalOptions::new().size(n).method(CovarianceFactor::Cholesky),
                )
            })
        }),
        drawn("permutation", 4, |rng, n| rng.permutation(n)),
        drawn("choice without replacement", 4, |rng, n| rng.choice(n, ChoiceOptions::new().size(n / 4).replace(false))),
    ]
}
