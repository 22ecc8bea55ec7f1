//! Cleaning of a table: missing values are replaced by the median, columns are standardised, and outliers are found by
//! the interquartile range.

use cuprum::prelude::*;

fn main() -> Result<()> {
    let table = array([
        [1.70, 65.0, 41.0],
        [1.82, f64::NAN, 35.0],
        [1.65, 58.0, 29.0],
        [1.75, 71.0, f64::NAN],
        [1.78, 77.0, 250.0],
        [1.69, 63.0, 33.0],
    ])?;
    let missing = table.isnan()?;
    let medians = table.nanmedian(0)?;
    println!("missing {}, medians {medians:.2}", missing.count_nonzero(())?);
    assert_eq!(medians.to_vec::<f64>()?, [1.725, 65.0, 35.0]);

    let filled = where_(&missing, &medians, &table)?;
    let scores = (&filled - filled.mean(0)?) / filled.std(Reduce::axis(0).ddof(1))?;
    println!("{scores:6.2}");
    assert!(scores.mean(0)?.allclose(0.0, ())?);

    let quartiles = filled.percentile([25, 75], 0)?;
    let (low, high) = (quartiles.part(s![0]), quartiles.part(s![1]));
    let fence = (&high - &low) * 3.0;
    let outliers = filled.greater(&high + &fence)? | filled.less(&low - &fence)?;
    for index in outliers.argwhere()?.to_vec::<usize>()?.chunks(2) {
        let (row, column) = (index[0], index[1]);
        println!("row {row}, column {column}: {}", table.index(s![row, column])?.item::<f64>()?);
    }
    assert_eq!(outliers.argwhere()?.to_vec::<usize>()?, [4, 2]);
    Ok(())
}
