//! Benchmarks of array creation: ranges, grids and triangles.

use cuprum::{Array, DType};

use crate::data::Data;
use crate::device_rows::{Prepared, Row, prepared, row};

/// Returns a 1-D operand as long as the shorter side of the square.
fn line(data: &Data) -> cuprum::Result<Array> {
    let side = data.sizes.square.into_iter().min().unwrap_or(1);
    data.a.index(cuprum::s![..side as i64])
}

/// Returns the rows in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        row("linspace f64", |data| {
            let n = data.sizes.elements / 2;
            prepared(&[], move || cuprum::linspace(0, 1, n))
        }),
        row("triu f32", |data| {
            let (a, _) = data.shaped(&data.sizes.square)?;
            // A triangle reads half of the elements.
            let bytes = Some(a.nbytes() as u64 * 3 / 2);
            Ok(Prepared { bytes, call: Box::new(move || cuprum::triu(&a, 0)) })
        }),
        row("diag f32", |data| {
            let v = line(data)?;
            prepared(&[&v.clone()], move || cuprum::diag(&v, 0))
        }),
        row("eye f32", |data| {
            let n = data.sizes.square.into_iter().min().unwrap_or(1);
            prepared(&[], move || cuprum::eye(n, DType::F32))
        }),
        row("meshgrid f32", |data| {
            let x = line(data)?;
            let bytes = Some(2 * (x.nbytes() * x.size()) as u64);
            Ok(Prepared { bytes, call: Box::new(move || Ok(cuprum::meshgrid([&x, &x], ())?.remove(0))) })
        }),
        row("choose f32, 4 arrays", |data| {
            let n = data.sizes.elements / 8;
            let part = |k: usize| data.a.index(cuprum::s![(k * n) as i64..((k + 1) * n) as i64]);
            let choices = (0..4).map(part).collect::<cuprum::Result<Vec<_>>>()?;
            let index = cuprum::remainder(&part(4)?.astype(DType::I8)?, 4)?;
            let operands: Vec<&Array> = choices.iter().chain([&index]).collect();
            let (chosen, by) = (choices.clone(), index.clone());
            prepared(&operands, move || cuprum::choose(&by, &chosen, ()))
        }),
    ]
}
