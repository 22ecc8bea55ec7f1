//! Benchmarks of searching, selection by a condition, and histograms, on a quarter of the elements except for counts.

use cuprum::random::{RandomOptions, default_rng};
use cuprum::{Array, DType, HistogramOptions, PointOptions, Result, SetOptions};

use crate::data::Data;
use crate::device_rows::{Row, prepared, row, square};

/// Returns a quarter of the flat operand, and a mask of its elements above the mean.
fn with_mask(data: &Data) -> Result<(Array, Array)> {
    let a = data.a.index(cuprum::s![..(data.sizes.elements / 4) as i64])?;
    let mask = cuprum::greater(&a, 4.5)?;
    Ok((a, mask))
}

fn counted(name: &str, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let [rows, columns] = data.sizes.square;
        let a = cuprum::remainder(&data.a.astype(DType::I8)?, 3)?.reshape([rows, columns])?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// Builds a row of `ufunc.at` with indices in random order.
fn changed(name: &str, function: &'static str, dtype: DType, cells: i64) -> Row {
    row(name, move |data| {
        let (a, _) = with_mask(data)?;
        let x = cuprum::remainder(&cuprum::multiply(&a, 128)?.astype(DType::I32)?, cells)?;
        let (with, of) = (a.astype(dtype)?, cuprum::zeros([cells as usize], dtype)?);
        let function = cuprum::ufunc(function)?;
        prepared(&[&x.clone(), &with.clone()], move || {
            function.at(&of, [&x], &with)?;
            Ok(of.clone())
        })
    })
}

/// Builds a row of `add.at` with very many cells, with random or sorted indices.
fn spread(name: &str, cells: i64, in_order: bool) -> Row {
    row(name, move |data| {
        let (a, _) = with_mask(data)?;
        let cells = cells.min(data.sizes.elements as i64);
        let x = default_rng(1)?.integers(0, cells, RandomOptions::new().size(a.size()).dtype(DType::I32))?;
        let x = if in_order { cuprum::sort(&x, -1)? } else { x };
        let (of, add) = (cuprum::zeros([cells as usize], DType::F32)?, cuprum::ufunc("add")?);
        prepared(&[&x.clone(), &a.clone()], move || add.at(&of, [&x], &a).map(|()| of.clone()))
    })
}

/// Builds a row of `bincount` with the given number of bins.
fn counts(name: &str, bins: i64) -> Row {
    row(name, move |data| {
        let n = data.sizes.elements / 4;
        let x = default_rng(1)?.integers(0, bins, RandomOptions::new().size(n).dtype(DType::I32))?;
        prepared(&[&x.clone()], move || cuprum::bincount(&x, ()))
    })
}

/// Returns the rows in the order of the table.
pub fn rows() -> Vec<Row> {
    vec![
        row("nonzero of bool", |data| {
            let (_, mask) = with_mask(data)?;
            prepared(&[&mask.clone()], move || Ok(cuprum::nonzero(&mask)?.remove(0)))
        }),
        row("nonzero of f32", |data| {
            let (a, mask) = with_mask(data)?;
            let a = cuprum::multiply(&a, &mask)?;
            prepared(&[&a.clone()], move || Ok(cuprum::nonzero(&a)?.remove(0)))
        }),
        row("a[mask] f32", |data| {
            let (a, mask) = with_mask(data)?;
            // Half of the elements are selected, but nearly every memory sector is read.
            prepared(&[&a.clone(), &mask.clone()], move || a.mask(&mask))
        }),
        row("histogram f32, 256 bins", |data| {
            let (a, _) = with_mask(data)?;
            prepared(&[&a.clone()], move || Ok(cuprum::histogram(&a, 256)?.0))
        }),
        row("histogram f32, 256 bins of a range", |data| {
            let (a, _) = with_mask(data)?;
            let options = HistogramOptions { range: Some((0.0, 9.0)), ..HistogramOptions::from(256) };
            prepared(&[&a.clone()], move || Ok(cuprum::histogram(&a, options)?.0))
        }),
        row("histogram f32, 10^5 bins", |data| {
            let (a, _) = with_mask(data)?;
            prepared(&[&a.clone()], move || Ok(cuprum::histogram(&a, 100_000)?.0))
        }),
        row("bincount i32, 1024 bins", |data| {
            let (a, _) = with_mask(data)?;
            let x = cuprum::remainder(&cuprum::multiply(&a, 128)?.astype(DType::I32)?, 1024)?;
            prepared(&[&x.clone()], move || cuprum::bincount(&x, ()))
        }),
        counts("bincount i32, 16 bins", 16),
        counts("bincount i32, 10^6 bins", 1_000_000),
        row("histogram2d f32, 256 x 256 bins of a range", |data| {
            let (x, y) = (with_mask(data)?.0, data.b.index(cuprum::s![..(data.sizes.elements / 4) as i64])?);
            let options = || PointOptions { range: vec![Some((0.0, 9.0)); 2], ..PointOptions::from(256) };
            prepared(&[&x.clone(), &y.clone()], move || Ok(cuprum::histogram2d(&x, &y, options())?.0))
        }),
        row("bincount i32, weights f32", |data| {
            let (a, _) = with_mask(data)?;
            let x = cuprum::remainder(&cuprum::multiply(&a, 128)?.astype(DType::I32)?, 1024)?;
            prepared(&[&x.clone(), &a.clone()], move || cuprum::bincount(&x, &a))
        }),
        row("bincount i32, weights f64", |data| {
            let (a, _) = with_mask(data)?;
            let x = cuprum::remainder(&cuprum::multiply(&a, 128)?.astype(DType::I32)?, 1024)?;
            let a = a.astype(DType::F64)?;
            prepared(&[&x.clone(), &a.clone()], move || cuprum::bincount(&x, &a))
        }),
        changed("add.at f32, 1024 targets", "add", DType::F32, 1024),
        changed("add.at f32, 16 targets", "add", DType::F32, 16),
        changed("add.at i32, 1024 targets", "add", DType::I32, 1024),
        changed("add.at i32, 16 targets", "add", DType::I32, 16),
        changed("maximum.at i32, 1024 targets", "maximum", DType::I32, 1024),
        changed("maximum.at f32, 1024 targets", "maximum", DType::F32, 1024),
        spread("add.at f32, 10^6 targets", 1_000_000, false),
        spread("add.at f32, 10^6 targets, sorted", 1_000_000, true),
        spread("add.at f32, 10^8 targets", 100_000_000, false),
        row("isin i32, 2^26 in 10^4", |data| {
            let n = data.sizes.elements / 4;
            let x = default_rng(1)?.integers(0, 1_000_000, RandomOptions::new().size(n).dtype(DType::I32))?;
            let among = cuprum::multiply(&cuprum::arange(0, 10_000, 1)?, 100)?.astype(DType::I32)?;
            prepared(&[&x.clone()], move || cuprum::isin(&x, &among, SetOptions::default()))
        }),
        row("searchsorted f32, sorted", |data| {
            let quarter = data.sizes.elements / 4;
            let needles = cuprum::sort(&data.b.index(cuprum::s![..quarter as i64])?, -1)?;
            let values = cuprum::linspace(0.0, 9.0, (quarter / 64).max(1))?.astype(DType::F32)?;
            prepared(&[&needles.clone(), &values.clone()], move || cuprum::searchsorted(&values, &needles, ()))
        }),
        row("searchsorted f32", |data| {
            let quarter = data.sizes.elements / 16;
            let needles = data.b.index(cuprum::s![..quarter as i64])?;
            let values = (quarter / 16).max(1);
            let sorted =
                cuprum::true_divide(&cuprum::arange(0, values as i64, 1)?.astype(DType::F32)?, values as f64 / 9.0)?
                    .astype(DType::F32)?;
            prepared(&[&needles.clone(), &sorted.clone()], move || cuprum::searchsorted(&sorted, &needles, ()))
        }),
        row("digitize f32, 100 edges", |data| {
            let (a, _) = with_mask(data)?;
            let edges = cuprum::true_divide(&cuprum::arange(0, 100, 1)?.astype(DType::F32)?, 11.0)?;
            prepared(&[&a.clone(), &edges.clone()], move || cuprum::digitize(&a, &edges, ()))
        }),
        counted("count_nonzero i8, all", |a| cuprum::count_nonzero(a, ())),
        counted("count_nonzero i8, axis 0", |a| cuprum::count_nonzero(a, 0)),
        counted("count_nonzero i8, axis 1", |a| cuprum::count_nonzero(a, 1)),
        square("count_nonzero f32, all", |a| cuprum::count_nonzero(a, ())),
    ]
}
