//! Segmentation of an image: a median filter removes noise, and the objects above a threshold are labelled and measured.

use cuprum::prelude::*;
use cuprum::random::default_rng;
use cuprum::scipy::ndimage::{FilterOptions, LabelOptions, MorphologyOptions};
use cuprum::scipy::ndimage::{binary_opening, label, mean, median_filter, sum_labels};

/// Centre, radius and brightness of the objects.
const DISCS: [(f64, f64, f64, f64); 4] =
    [(18.0, 18.0, 11.0, 0.9), (44.0, 24.0, 12.0, 0.7), (24.0, 48.0, 9.0, 1.0), (50.0, 52.0, 6.0, 0.8)];

fn scene() -> Result<Array> {
    let x = arange(0, 64, 1)?.astype(DType::F64)?;
    let y = x.expand_dims(1)?;
    let mut image = 0.1 + 0.003 * &x + 0.0 * &y;
    for (row, column, radius, brightness) in DISCS {
        let (down, right) = (&y - row, &x - column);
        image = where_((&down * &down + &right * &right).less(radius * radius)?, brightness, &image)?;
    }
    Ok(image + default_rng(2)?.normal(0.0, 0.1, [64, 64])?)
}

fn main() -> Result<()> {
    let image = scene()?;
    let smooth = median_filter(&image, &[5], FilterOptions::new())?;
    let mask = binary_opening(&smooth.greater(0.5)?, MorphologyOptions::new().iterations(2))?;
    let (labels, count) = label(&mask, LabelOptions::new())?;
    assert_eq!(count, DISCS.len());

    let numbers = arange(1, count + 1, 1)?;
    let areas = sum_labels(&mask.astype(DType::F64)?, &labels, &numbers)?;
    let brightness = mean(&image, &labels, &numbers)?;
    println!("areas      {areas:.0}\nbrightness {brightness:.2}");
    let largest = areas.argmax(())?.item::<i64>()?;
    assert!((brightness.index(s![largest])?.item::<f64>()? - 0.7).abs() < 0.05);
    Ok(())
}
