//! Benchmarks of sorting and of functions based on sorting.

use cuprum::{Array, DType, Order, Result, s};

use crate::device_rows::{Row, prepared, row};

/// Number of elements of the sorted rows, and side of the sorted square.
const SORTED: usize = 1 << 26;
const SIDE: usize = 1 << 13;

/// Returns shuffled integers: multiples of an odd constant modulo 2^64, mixed, of which the upper bits are taken.
fn shuffled(n: usize, dtype: DType, modulus: i64) -> Result<Array> {
    let steps = cuprum::multiply(&cuprum::arange(0, n as i64, 1)?, 0x5851_f42d_4c95_7f2d_i64)?;
    let mixed = cuprum::bitwise_xor(&steps, &cuprum::right_shift(&steps, 29)?)?;
    let mixed = cuprum::multiply(&mixed, 0x2545_f491_4f6c_dd1d_i64)?;
    let upper = cuprum::right_shift(&mixed, if modulus == 0 { 0 } else { 20 })?;
    if modulus == 0 { Ok(upper) } else { cuprum::remainder(&upper, modulus)?.astype(dtype) }
}

/// Builds a row of a function of the first `n` elements of the operand.
fn sorted(name: &str, n: usize, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let a = data.a.index(s![0..n.min(data.a.size()) as i64])?.copy(Order::C)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// Builds a row of a function of a square of unsorted elements.
fn sorted_square(name: &str, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let side = SIDE.min((data.a.size() as f64).sqrt() as usize);
        let a = data.a.index(s![0..(side * side) as i64])?.reshape([side, side])?.copy(Order::C)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// Builds a row of a sort of as many elements of another dtype.
fn converted(name: &str, dtype: DType) -> Row {
    row(name, move |data| {
        let a = data.a.index(s![0..SORTED.min(data.a.size()) as i64])?.astype(dtype)?;
        prepared(&[&a.clone()], move || cuprum::sort(&a, -1))
    })
}

/// Builds a row of a sort along many rows.
fn lines(name: &str, rows: usize, columns: usize) -> Row {
    row(name, move |data| {
        let columns = columns.min(data.a.size());
        let rows = rows.min(data.a.size() / columns);
        let a = data.a.index(s![0..(rows * columns) as i64])?.reshape([rows, columns])?;
        prepared(&[&a.clone()], move || cuprum::sort(&a, 1))
    })
}

/// Returns the rows in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        sorted("sort f32, 2^26", SORTED, |a| cuprum::sort(a, -1)),
        row("sort i64, 2^26", |data| {
            let a = shuffled(SORTED.min(data.sizes.elements), DType::I64, 0)?;
            prepared(&[&a.clone()], move || cuprum::sort(&a, -1))
        }),
        converted("sort f16, 2^26", DType::F16),
        converted("sort f64, 2^26", DType::F64),
        converted("sort c64, 2^26", DType::C64),
        lines("sort f32, 10^6 rows of 64", 1_000_000, 64),
        lines("sort f32, 10^4 rows of 10^4", 10_000, 10_000),
        sorted("argsort f32, 2^26", SORTED, |a| cuprum::argsort(a, -1)),
        sorted_square("sort f32 square, rows", |a| cuprum::sort(a, 1)),
        sorted_square("sort f32 square, columns", |a| cuprum::sort(a, 0)),
        sorted_square("median f32 square, rows", |a| cuprum::median(a, 1)),
        sorted_square("median f32 square, columns", |a| cuprum::median(a, 0)),
        row("unique i64, 2^26 of 10^6", |data| {
            let a = shuffled(SORTED.min(data.sizes.elements), DType::I64, 1_000_000)?;
            prepared(&[&a.clone()], move || Ok(cuprum::unique(&a, ())?.values))
        }),
        row("unique i64, 2^26 distinct", |data| {
            let a = shuffled(SORTED.min(data.sizes.elements), DType::I64, 0)?;
            prepared(&[&a.clone()], move || Ok(cuprum::unique(&a, ())?.values))
        }),
        sorted("percentile f32, 2^28", 1 << 28, |a| cuprum::percentile(a, 37.0, ())),
        sorted("median f32, 2^26", SORTED, |a| cuprum::median(a, ())),
        sorted("partition f32, 2^26", SORTED, |a| cuprum::partition(a, [a.size() as isize / 3], ())),
        sorted("argpartition f32, 2^26", SORTED, |a| cuprum::argpartition(a, [a.size() as isize / 3], ())),
    ]
}
