//! Benchmarks of joining, repeating and padding arrays, which move about as many bytes as a copy of the flat operand.

use cuprum::{Array, DType, PadMode, Result, Sections, s};

use crate::data::Data;
use crate::device_rows::{Row, prepared, row};

/// Returns the first half of each flat operand.
fn pair(data: &Data) -> Result<[Array; 2]> {
    let half = (data.sizes.elements / 2) as i64;
    Ok([data.a.index(s![..half])?, data.b.index(s![..half])?])
}

/// Returns the operand as a square.
fn square(data: &Data) -> Result<Array> {
    let [rows, columns] = data.sizes.square;
    data.a.index(s![..(rows * columns) as i64])?.reshape([rows, columns])
}

/// Builds a row of a function of the square.
fn of_square(name: &str, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let a = square(data)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// Returns the rows in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        row("concatenate of 2", |data| {
            let [a, b] = pair(data)?;
            prepared(&[&a.clone(), &b.clone()], move || cuprum::concatenate([&a, &b], ()))
        }),
        row("concatenate of 2, columns", |data| {
            let [a, b] = pair(data)?;
            let [rows, columns] = data.sizes.square;
            let side = |a: &Array| a.index(s![..(rows * columns / 2) as i64])?.reshape([rows, columns / 2]);
            let (a, b) = (side(&a)?, side(&b)?);
            prepared(&[&a.clone(), &b.clone()], move || cuprum::concatenate([&a, &b], 1))
        }),
        row("concatenate of 1000", |data| {
            let each = data.sizes.elements / 1000;
            let all = data.a.index(s![..(1000 * each) as i64])?;
            let parts = cuprum::split(&all, Sections::Equal(1000), ())?;
            prepared(&[&all.clone()], move || cuprum::concatenate(&parts, ()))
        }),
        row("stack of 2, last axis", |data| {
            let [a, b] = pair(data)?;
            prepared(&[&a.clone(), &b.clone()], move || cuprum::stack([&a, &b], -1))
        }),
        of_square("tile 2 x 2", |a| cuprum::tile(a, (2, 2))),
        of_square("repeat 3", |a| cuprum::repeat(a, 3, ())),
        row("repeat by an array", |data| {
            let a = data.a.index(s![..(data.sizes.elements / 4) as i64])?;
            let counts = cuprum::remainder(cuprum::arange(0, a.size() as i64, 1)?, 4)?.astype(DType::I64)?;
            prepared(&[&a.clone(), &counts.clone()], move || cuprum::repeat(&a, &counts, ()))
        }),
        of_square("roll, flat", |a| cuprum::roll(a, 12345, ())),
        of_square("roll, both axes", |a| cuprum::roll(a, (7, 11), (0, 1))),
        of_square("flip, copied", |a| cuprum::flip(a, ())?.copy(cuprum::Order::C)),
        of_square("rot90, copied", |a| cuprum::rot90(a, ())?.copy(cuprum::Order::C)),
        of_square("pad constant", |a| cuprum::pad(a, 3, ())),
        of_square("pad edge", |a| cuprum::pad(a, 3, PadMode::Edge)),
        of_square("pad reflect", |a| cuprum::pad(a, 3, PadMode::Reflect)),
    ]
}
