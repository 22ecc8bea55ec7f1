//! Histogram equalisation: the shades of a dark picture, spread over all that there are.

use cuprum::BincountOptions;
use cuprum::prelude::*;

fn main() -> Result<()> {
    // A picture of 64 by 64 whose shades are all between 40 and 103.
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

    // Half of the picture is now below the middle shade, near enough.
    let dark = equalised.less(128)?.mean(())?.item::<f64>()?;
    println!("{:.0} % are dark", 100.0 * dark);
    assert!((dark - 0.5).abs() < 0.05);
    Ok(())
}
