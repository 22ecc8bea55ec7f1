//! Benchmarks of mathematical functions that are not ufuncs: clipping, rounding, interpolation, polynomials, packing of
//! bits.

use cuprum::{Array, DType, Result};

use crate::data::Data;
use crate::device_rows::{Row, prepared, row};

fn flat(name: &str, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data: &Data| {
        let a = data.a.clone();
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// Returns the rows in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        flat("clip f32", |a| cuprum::clip(a, 2.0, 7.0, ())),
        flat("round f32, 2 decimals", |a| cuprum::round(a, 2)),
        flat("nan_to_num f32", |a| cuprum::nan_to_num(a, ())),
        row("interp f64, 10^4 knots", |data| {
            let n = data.sizes.elements / 4;
            let x = data.a.index(cuprum::s![..n as i64])?.astype(DType::F64)?;
            let knots = cuprum::true_divide(&cuprum::arange(0, 10_000, 1)?, 1000.0)?;
            let values = cuprum::sin(&knots)?;
            prepared(&[&x.clone()], move || cuprum::interp(&x, &knots, &values, ()))
        }),
        row("polyval f32, 4 coefficients", |data| {
            let (a, p) = (data.a.clone(), cuprum::array([0.5f32, -1.0, 2.0, 3.0])?);
            prepared(&[&a.clone()], move || cuprum::polyval(&p, &a))
        }),
        row("packbits bool", |data| {
            let a = cuprum::greater(&data.a, 4.5)?;
            prepared(&[&a.clone()], move || cuprum::packbits(&a, ()))
        }),
        row("unpackbits", |data| {
            let a = cuprum::packbits(&cuprum::greater(&data.a, 4.5)?, ())?;
            prepared(&[&a.clone()], move || cuprum::unpackbits(&a, ()))
        }),
    ]
}
