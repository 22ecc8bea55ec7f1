//! Ten calls from 10^3 to 10^9 elements, at powers of ten and one above each, to reveal performance cliffs between the
//! sizes of the table.

use cuprum::random::{RandomOptions, default_rng};
use cuprum::{Array, DType, HistogramOptions, Result};

/// A call that is ready to be timed.
pub type Call = Box<dyn Fn() -> Result<Array>>;

/// A row: its name, and the function that builds its call for a number of elements.
pub type Row = (&'static str, fn(usize) -> Result<Call>);

/// Number of cells that `add.at` updates, and number of sorted elements that `searchsorted` searches.
const CELLS: i64 = 1024;
const SORTED: i64 = 1 << 20;

/// Returns the sizes up to the largest.
pub fn sizes(largest: usize) -> impl Iterator<Item = usize> {
    (3..=9).map(|power| 10usize.pow(power)).take_while(move |n| *n <= largest).flat_map(|n| [n, n + 1])
}

/// Returns uniform random numbers in [0, 1).
fn numbers(n: usize) -> Result<Array> {
    default_rng(1)?.random(RandomOptions::new().size(n).dtype(DType::F32))
}

fn of_one(n: usize, f: impl Fn(&Array) -> Result<Array> + 'static) -> Result<Call> {
    let a = numbers(n)?;
    Ok(Box::new(move || f(&a)))
}

/// The rows. `ladder.py` has those of the other libraries under the same names.
pub const ROWS: [Row; 10] = [
    ("add", |n| {
        let (a, b) = (numbers(n)?, numbers(n)?);
        Ok(Box::new(move || cuprum::add(&a, &b)))
    }),
    ("sum", |n| of_one(n, |a| cuprum::sum(a, ()))),
    ("var", |n| of_one(n, |a| cuprum::var(a, ()))),
    ("cumsum", |n| of_one(n, |a| cuprum::cumsum(a, ()))),
    ("sort", |n| of_one(n, |a| cuprum::sort(a, -1))),
    ("median", |n| of_one(n, |a| cuprum::median(a, ()))),
    ("a[mask]", |n| {
        let a = numbers(n)?;
        let mask = cuprum::greater(&a, 0.5)?;
        Ok(Box::new(move || a.mask(&mask)))
    }),
    ("histogram, 256 bins", |n| {
        let options = HistogramOptions { range: Some((0.0, 1.0)), ..HistogramOptions::from(256) };
        of_one(n, move |a| Ok(cuprum::histogram(a, options)?.0))
    }),
    ("add.at, 1,024 targets", |n| {
        let with = numbers(n)?;
        let indices = default_rng(2)?.integers(0, CELLS, n)?;
        let (of, add) = (cuprum::zeros([CELLS as usize], DType::F32)?, cuprum::ufunc("add")?);
        Ok(Box::new(move || add.at(&of, [&indices], &with).map(|()| of.clone())))
    }),
    ("searchsorted, 2^20", |n| {
        let values = cuprum::sort(&numbers(SORTED as usize)?, -1)?;
        of_one(n, move |a| cuprum::searchsorted(&values, a, ()))
    }),
];
