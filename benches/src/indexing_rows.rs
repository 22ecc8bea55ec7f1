//! Benchmarks of indexing: a quarter of the elements, at random indices. Random accesses count whole sectors of 32
//! bytes.

use cuprum::{Array, DType, Result, s};

use crate::data::Data;
use crate::device_rows::{Prepared, Row, prepared, row};

/// Bytes of a memory sector.
const SECTOR: usize = 32;
/// Elements of a row of 1 KiB.
const ROW: usize = 256;

/// Returns a quarter of the flat operand, which has as many elements as there are indices.
fn quarter(data: &Data) -> Result<Array> {
    data.a.index(s![..(data.sizes.elements / 4) as i64])
}

/// Returns `count` random indices below `most`.
fn indices(from: &Array, count: usize, most: usize, dtype: DType) -> Result<Array> {
    let random = from.index(s![..count as i64])?.astype(DType::F64)?;
    // The low-order digits.
    let spread =
        cuprum::remainder(&cuprum::multiply(&random, (most * 37) as f64 / 8.0)?.astype(DType::I64)?, most as i64)?;
    spread.astype(dtype)
}

/// Builds a row of a function of the elements and of indices into them.
fn at(name: &str, dtype: DType, sectors: usize, f: fn(&Array, &Array, &Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let a = quarter(data)?.copy(cuprum::Order::C)?;
        let n = a.size();
        let (i, values) = (indices(&data.b, n, n, dtype)?, data.b.index(s![..n as i64])?);
        let bytes = Some((i.nbytes() + n * (sectors * SECTOR + a.itemsize())) as u64);
        Ok(Prepared { bytes, call: Box::new(move || f(&a, &i, &values)) })
    })
}

/// Builds a row of a function of the elements and a mask that is true for half of them.
fn under(name: &str, f: fn(&Array, &Array, &Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let a = quarter(data)?.copy(cuprum::Order::C)?;
        let mask = cuprum::greater(&data.b.index(s![..a.size() as i64])?, 4.5)?;
        let values = data.b.index(s![..cuprum::count_nonzero(&mask, ())?.item::<i64>()?])?;
        // Nearly every sector is written, for half of its elements.
        prepared(&[&mask.clone()], move || f(&a, &mask, &values))
    })
}

/// Returns the rows in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    use DType::{I32, I64};
    vec![
        at("take f32, random i64", I64, 1, |a, i, _| cuprum::take(a, i, ())),
        at("take f32, random i32", I32, 1, |a, i, _| cuprum::take(a, i, ())),
        at("a[i] f32", I64, 1, |a, i, _| a.index(s![i])),
        row("a[i, j] f32", |data| {
            let a = quarter(data)?;
            let n = a.size();
            let columns = data.sizes.square[1].min(n);
            let a = a.reshape([n / columns, columns])?;
            let i = indices(&data.b, n, n / columns, I64)?;
            let j = indices(&data.a, n, columns, I64)?;
            let bytes = Some((i.nbytes() + j.nbytes() + n * (SECTOR + 4)) as u64);
            Ok(Prepared { bytes, call: Box::new(move || a.index(s![&i, &j])) })
        }),
        row("rows of 1 KiB at i", |data| {
            let a = quarter(data)?;
            let a = a.reshape([-1, ROW.min(a.size()) as i64])?;
            let rows = (1 << 16).min(a.shape()[0]);
            let i = indices(&data.b, rows, a.shape()[0], I64)?;
            let bytes = Some((i.nbytes() + 2 * rows * a.shape()[1] * 4) as u64);
            Ok(Prepared { bytes, call: Box::new(move || a.index(s![&i])) })
        }),
        at("a[i] = b f32", I64, 2, |a, i, b| a.set(s![i], b).map(|()| a.clone())),
        at("a[i] = b f32, unique", I64, 2, |a, i, b| a.set_unique(s![i], b).map(|()| a.clone())),
        at("put f32", I64, 2, |a, i, b| cuprum::put(a, i, b, ()).map(|()| a.clone())),
        under("a[mask] = b f32", |a, m, b| a.set(s![m], b).map(|()| a.clone())),
        under("a[mask] = 0 f32", |a, m, _| a.set(s![m], 0).map(|()| a.clone())),
        under("putmask f32", |a, m, _| cuprum::putmask(a, m, a).map(|()| a.clone())),
        row("take_along_axis f32", |data| {
            let a = quarter(data)?;
            let columns = data.sizes.square[1].min(a.size());
            let a = a.reshape([a.size() / columns, columns])?;
            let i = indices(&data.b, a.size(), columns, I64)?.reshape(a.shape())?;
            let bytes = Some((i.nbytes() + 2 * a.nbytes()) as u64);
            Ok(Prepared { bytes, call: Box::new(move || cuprum::take_along_axis(&a, &i, 1)) })
        }),
    ]
}
