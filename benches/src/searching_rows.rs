//! The rows of searching, picking by a condition, and histograms: a quarter of the elements, but for counts.

use cuprum::{Array, DType, HistogramOptions, Result};

use crate::data::Data;
use crate::device_rows::{Row, prepared, row, square};

/// A quarter of the flat operand, and which of its elements are above the middle.
fn halves(data: &Data) -> Result<(Array, Array)> {
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

/// Steps of a function at places in no order.
fn changed(name: &str, function: &'static str, dtype: DType, places: i64) -> Row {
    row(name, move |data| {
        let (a, _) = halves(data)?;
        let x = cuprum::remainder(&cuprum::multiply(&a, 128)?.astype(DType::I32)?, places)?;
        let (with, of) = (a.astype(dtype)?, cuprum::zeros([places as usize], dtype)?);
        let function = cuprum::ufunc(function)?;
        prepared(&[&x.clone(), &with.clone()], move || {
            function.at(&of, [&x], &with)?;
            Ok(of.clone())
        })
    })
}

/// All of them, in the order of the table.
pub fn rows() -> Vec<Row> {
    vec![
        row("nonzero of bool", |data| {
            let (_, mask) = halves(data)?;
            prepared(&[&mask.clone()], move || Ok(cuprum::nonzero(&mask)?.remove(0)))
        }),
        row("nonzero of f32", |data| {
            let (a, mask) = halves(data)?;
            let a = cuprum::multiply(&a, &mask)?;
            prepared(&[&a.clone()], move || Ok(cuprum::nonzero(&a)?.remove(0)))
        }),
        row("a[mask] f32", |data| {
            let (a, mask) = halves(data)?;
            // Half of the elements are used, and nearly every sector of memory is read for them.
            prepared(&[&a.clone(), &mask.clone()], move || a.mask(&mask))
        }),
        row("histogram f32, 256 bins", |data| {
            let (a, _) = halves(data)?;
            prepared(&[&a.clone()], move || Ok(cuprum::histogram(&a, 256)?.0))
        }),
        row("histogram f32, 256 bins of a range", |data| {
            let (a, _) = halves(data)?;
            let how = HistogramOptions { range: Some((0.0, 9.0)), ..HistogramOptions::from(256) };
            prepared(&[&a.clone()], move || Ok(cuprum::histogram(&a, how)?.0))
        }),
        row("histogram f32, 10^5 bins", |data| {
            let (a, _) = halves(data)?;
            prepared(&[&a.clone()], move || Ok(cuprum::histogram(&a, 100_000)?.0))
        }),
        row("bincount i32, 1024 bins", |data| {
            let (a, _) = halves(data)?;
            let x = cuprum::remainder(&cuprum::multiply(&a, 128)?.astype(DType::I32)?, 1024)?;
            prepared(&[&x.clone()], move || cuprum::bincount(&x, ()))
        }),
        row("bincount i32, weights f32", |data| {
            let (a, _) = halves(data)?;
            let x = cuprum::remainder(&cuprum::multiply(&a, 128)?.astype(DType::I32)?, 1024)?;
            prepared(&[&x.clone(), &a.clone()], move || cuprum::bincount(&x, &a))
        }),
        row("bincount i32, weights f64", |data| {
            let (a, _) = halves(data)?;
            let x = cuprum::remainder(&cuprum::multiply(&a, 128)?.astype(DType::I32)?, 1024)?;
            let a = a.astype(DType::F64)?;
            prepared(&[&x.clone(), &a.clone()], move || cuprum::bincount(&x, &a))
        }),
        changed("add.at f32, 1024 places", "add", DType::F32, 1024),
        changed("add.at f32, 16 places", "add", DType::F32, 16),
        changed("add.at i32, 1024 places", "add", DType::I32, 1024),
        changed("add.at i32, 16 places", "add", DType::I32, 16),
        changed("maximum.at i32, 1024 places", "maximum", DType::I32, 1024),
        changed("maximum.at f32, 1024 places", "maximum", DType::F32, 1024),
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
            let (a, _) = halves(data)?;
            let edges = cuprum::true_divide(&cuprum::arange(0, 100, 1)?.astype(DType::F32)?, 11.0)?;
            prepared(&[&a.clone(), &edges.clone()], move || cuprum::digitize(&a, &edges, ()))
        }),
        counted("count_nonzero i8, all", |a| cuprum::count_nonzero(a, ())),
        counted("count_nonzero i8, axis 0", |a| cuprum::count_nonzero(a, 0)),
        counted("count_nonzero i8, axis 1", |a| cuprum::count_nonzero(a, 1)),
        square("count_nonzero f32, all", |a| cuprum::count_nonzero(a, ())),
    ]
}
