//! Histogram equalisation: the grey levels of a dark picture are spread over the whole range.

use cuprum::BincountOptions;
use cuprum::prelude::*;

fn main() -> Result<()> {
    // A 64 by 64 picture with grey levels between 40 and 102.
    let (rows, columns) = (arange(0, 64, 1)?.expand_dims(1)?, arange(0, 64, 1)?);
    let picture = (((rows * columns) >> 6) + 40).astype(DType::U8)?;

    let counts = picture.ravel()?.bincount(BincountOptions::new().minlength(256))?;
    let part_below = counts.cumsum(())? / picture.size();
    let lowest = part_below.mask(part_below.greater(0)?)?.min(())?;
    let spread = ((part_below - &lowest) / (1.0 - &lowest) * 255.0).rint()?;
    let table = spread.maximum(0)?.astype(DType::U8)?;
    let equalised = table.take(&picture, ())?;

    let range = |a: &Array| -> Result<(u8, u8)> { Ok((a.min(())?.item()?, a.max(())?.item()?)) };
    println!("shades from {:?} to {:?}", range(&picture)?, range(&equalised)?);
    assert_eq!(range(&picture)?, (40, 102));
    assert_eq!(range(&equalised)?, (0, 255));

    // About half of the pixels are now below the middle grey level.
    let dark = equalised.less(128)?.mean(())?.item::<f64>()?;
    println!("{:.0} % are dark", 100.0 * dark);
    assert!((dark - 0.5).abs() < 0.05);
    Ok(())
}
