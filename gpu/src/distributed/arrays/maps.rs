//! Index maps: which device holds which regions of an array.

use cuprum_macros::unrecorded;

use super::region::{Coverage, Region, Span};
use crate::array::{AsIndex, Index};
use crate::cuda::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

/// Device and region of each chunk of an array.
pub(super) type Map = Vec<(Device, Region)>;

/// Returns the regions of an index map.
pub(super) fn regions(shape: &[usize], map: impl IntoIterator<Item = (Device, impl AsIndex)>) -> Result<Map> {
    let mut regions = Map::new();
    for (device, index) in map {
        regions.push((device, Region::of(shape, index.as_ref())?));
    }
    check_cover(shape, &regions)?;
    Ok(regions)
}

/// Checks that the chunks of a map hold every element.
pub(super) fn check_cover(shape: &[usize], map: &[(Device, Region)]) -> Result<()> {
    if map.is_empty() {
        return Err(Error::new(ErrorKind::Value, "the index map has no chunk: it needs one at least"));
    }
    let mut coverage = Coverage::of(Region::all(shape));
    for (_, region) in map {
        coverage.add(region);
    }
    match coverage.missing() {
        None => Ok(()),
        Some(piece) => {
            let shape = shape_text(shape);
            let message = format!(
                "the index map leaves out the elements {piece} of the shape {shape}: its chunks must cover the array"
            );
            Err(Error::new(ErrorKind::Value, message))
        }
    }
}

/// Returns an index map that divides an axis evenly among devices, in their order; the first devices have one element
/// more where the number does not divide.
///
/// ```
/// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray, split_evenly}};
/// let devices = [Device::open("sim")?, Device::open("sim:1")?];
/// let a = cuprum::arange(0, 5, 1)?;
/// let d = DistributedArray::new(&a, split_evenly(a.shape(), 0, &devices)?, ChunkMode::Replica)?;
/// assert_eq!(d.chunks()[0].array().to_vec::<i64>()?, [0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Value`] without a device.
#[unrecorded("takes no array: tested in `gpu/src/distributed/arrays/tests.rs`")]
pub fn split_evenly(shape: &[usize], axis: usize, devices: &[Device]) -> Result<Vec<(Device, Vec<Index>)>> {
    let go = || {
        let Some(&n) = shape.get(axis) else {
            let message = format!("axis {axis} is out of bounds for array of dimension {}", shape.len());
            return Err(Error::new(ErrorKind::Axis, message));
        };
        if devices.is_empty() {
            return Err(Error::new(ErrorKind::Value, "no device is named: the array needs one at least"));
        }
        let (each, more) = (n / devices.len(), n % devices.len());
        let whole = Region::all(shape);
        let span = |k: usize| Span::new(k * each + k.min(more), each + usize::from(k < more), 1);
        Ok(devices.iter().enumerate().map(|(k, &device)| (device, whole.with(axis, span(k)).to_index())).collect())
    };
    go().map_err(|e: Error| e.with_op("split_evenly"))
}
