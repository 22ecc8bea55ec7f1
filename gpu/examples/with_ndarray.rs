//! Conversion between the crate ndarray and arrays on the device.

use cuprum::prelude::*;
use ndarray::{Array2, Axis};

fn main() -> Result<()> {
    let host = Array2::from_shape_fn((4, 3), |(row, column)| (row * 3 + column) as f64);
    // Views are accepted: a transposed one is made contiguous during the transfer.
    let a = Array::from_ndarray(&host.t())?;
    assert_eq!(a.shape(), [3, 4]);

    let shares = &a / a.sum(Reduce::axis(0).keepdims(true))?;
    let back = shares.to_ndarray::<f64>()?;
    println!("{back:.3}");
    for column in back.axis_iter(Axis(1)) {
        assert!((column.sum() - 1.0).abs() < 1e-12);
    }
    Ok(())
}
