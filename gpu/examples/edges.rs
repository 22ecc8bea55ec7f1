//! Edge detection by the Sobel operator, as sums of shifted views.

use cuprum::prelude::*;

/// Returns the picture without its border, shifted by rows and columns.
fn shifted(picture: &Array, down: i64, right: i64) -> Result<Array> {
    let (rows, columns) = (picture.shape()[0] as i64, picture.shape()[1] as i64);
    picture.index(s![1 + down..rows - 1 + down, 1 + right..columns - 1 + right])
}

fn main() -> Result<()> {
    // A bright disc on a dark background.
    let line = arange(0, 48, 1)? - 23.5;
    let (y, x) = (line.expand_dims(1)?, line.expand_dims(0)?);
    let picture = ((&x * &x + &y * &y).less(15.0 * 15.0)?).astype(DType::F32)?;

    let across = |down| -> Result<Array> { Ok(shifted(&picture, down, 1)? - shifted(&picture, down, -1)?) };
    let along = |right| -> Result<Array> { Ok(shifted(&picture, 1, right)? - shifted(&picture, -1, right)?) };
    let gx = across(-1)? + across(0)? * 2.0 + across(1)?;
    let gy = along(-1)? + along(0)? * 2.0 + along(1)?;
    let strength = gx.hypot(&gy)?;

    // The edge pixels are near the circle.
    let radius = shifted(&(&x * &x + &y * &y).sqrt()?, 0, 0)?;
    let off = (radius - 15.0).abs()?.mask(strength.greater(0)?)?;
    println!("{} pixels on the edge, at most {:.2} off the circle", off.size(), off.max(())?);
    assert!(off.size() > 80 && off.max(())?.item::<f64>()? < 2.0);
    Ok(())
}
