//! Radial basis functions, and the nearest of several points, without a matrix of all pairs.
//!
//! Bound: one evaluation of the function for each pair of a point and a centre; the centres are read in tiles through shared memory.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{RADIAL_EACH, RADIAL_THREADS, RadialParams, radial_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::error::Result;

thread_local! {
    static KERNELS: Kernels<(), 3> = Kernels::default();
}

/// Points and centres: arrays of float64 in C order, with a row of coordinates for each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Radial<'a> {
    pub(crate) x: &'a Array,
    pub(crate) y: &'a Array,
    /// Number of the radial function, as in `include/radial.cuh`.
    pub(crate) kind: u32,
    /// Factor of the distances.
    pub(crate) scale: f64,
}

impl Radial<'_> {
    fn functions(&self, device: Device) -> Result<[Function; 3]> {
        let names = ["radial_matrix", "radial_sum", "nearest_centre"];
        kernels(&KERNELS, device, (), names, || ("radial functions".into(), radial_source()))
    }

    fn params(&self) -> RadialParams<DevicePtr<'_>> {
        RadialParams {
            width: Width::default(),
            points: self.x.shape()[0],
            centres: self.y.shape()[0],
            columns: 0,
            scale: self.scale,
            x: read(self.x),
            y: read(self.y),
            coefficients: Read(None),
            out: Written(None),
            nearest: Written(None),
            axes: self.y.shape()[1] as u32,
            kind: self.kind,
        }
    }

    /// Returns the matrix of the function of all pairs.
    pub(crate) fn matrix(&self) -> Result<Array> {
        let device = one_device(self.x, [self.y])?;
        let out = make::empty(device, &[self.x.shape()[0], self.y.shape()[0]], DType::F64)?;
        if out.size() == 0 {
            return Ok(out);
        }
        let [function, _, _] = self.functions(device)?;
        let params = RadialParams { out: written(&out), ..self.params() };
        let blocks = Blocks::of(out.size().div_ceil(RADIAL_THREADS), out.size(), "pairs");
        // SAFETY: rows of `x` and `y` have equally many coordinates, and there is a result for each pair.
        unsafe { Launcher::on(device).launch(function, blocks, RADIAL_THREADS, &params) }?;
        Ok(out)
    }

    /// Returns the sums over the centres of the function times coefficients, of a row for each centre.
    pub(crate) fn sum(&self, coefficients: &Array) -> Result<Array> {
        let device = one_device(self.x, [self.y, coefficients])?;
        let (points, columns) = (self.x.shape()[0], coefficients.shape()[1]);
        let out = make::empty(device, &[points, columns], DType::F64)?;
        if out.size() == 0 {
            return Ok(out);
        }
        let [_, function, _] = self.functions(device)?;
        let params = RadialParams { columns, coefficients: read(coefficients), out: written(&out), ..self.params() };
        let blocks = Blocks::of(points.div_ceil(RADIAL_THREADS), points, "points").by(columns.div_ceil(RADIAL_EACH));
        // SAFETY: there is a row of coefficients for each centre, and a row of results for each point.
        unsafe { Launcher::on(device).launch(function, blocks, RADIAL_THREADS, &params) }?;
        Ok(out)
    }

    /// Returns the number of the nearest centre of each point.
    pub(crate) fn nearest(&self) -> Result<Array> {
        let device = one_device(self.x, [self.y])?;
        let points = self.x.shape()[0];
        let out = make::empty(device, &[points], DType::I64)?;
        if points == 0 {
            return Ok(out);
        }
        let [_, _, function] = self.functions(device)?;
        let params = RadialParams { nearest: written(&out), ..self.params() };
        let blocks = Blocks::of(points.div_ceil(RADIAL_THREADS), points, "points");
        // SAFETY: rows of `x` and `y` have equally many coordinates, of which there is one at least.
        unsafe { Launcher::on(device).launch(function, blocks, RADIAL_THREADS, &params) }?;
        Ok(out)
    }
}
