//! The rows of random numbers.

use cuprum::random::{ChoiceOptions, DrawOptions, Generator, default_rng};
use cuprum::{Array, DType};

use crate::data::Data;
use crate::device_rows::{Row, prepared, row};

/// A row that draws as many elements as the others have, or a part of them. Each call begins with the same state, a value
/// of the host.
fn drawn(name: &str, part: usize, draw: fn(&mut Generator, usize) -> cuprum::Result<Array>) -> Row {
    row(name, move |data: &Data| {
        let (rng, n) = (default_rng(1)?, data.sizes.elements / part);
        prepared(&[], move || draw(&mut rng.clone(), n))
    })
}

fn of(n: usize, dtype: DType) -> DrawOptions<'static> {
    DrawOptions::new().size(n).dtype(dtype)
}

/// All of them, in the order of the table.
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
        drawn("permutation", 4, |rng, n| rng.permutation(n)),
        drawn("choice without replacement", 4, |rng, n| rng.choice(n, ChoiceOptions::new().size(n / 4).replace(false))),
    ]
}
