//! Cubic splines: the tridiagonal system of their first derivatives, and their coefficients.
//!
//! Two kernels and the solution of the system: lower bound, the values read twice and the coefficients written.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{CubicParams, cubic_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::{make, solve_block_tridiagonal};
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::error::Result;

/// Threads of a block: as in `include/cubic.cuh`.
const THREADS: usize = 256;

thread_local! {
    static KERNELS: Kernels<(), 2> = Kernels::default();
}

/// Points, and values of two axes with a row for each: float64, in C order. There are two points and one column at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cubic<'a> {
    pub(crate) x: &'a Array,
    pub(crate) y: &'a Array,
}

/// Condition at an end: 0 not-a-knot, 1 a first derivative, 2 a second one; and the derivatives of the columns, if they are not 0.
pub(crate) type End<'a> = (u32, Option<&'a Array>);

impl Cubic<'_> {
    fn functions(&self, device: Device) -> Result<[Function; 2]> {
        kernels(&KERNELS, device, (), ["cubic_rows", "cubic_coefficients"], || ("cubic".into(), cubic_source()))
    }

    fn params(&self) -> CubicParams<DevicePtr<'_>> {
        CubicParams {
            width: Width::default(),
            points: self.x.size() as i64,
            columns: self.y.shape()[1],
            x: read(self.x),
            y: read(self.y),
            slopes: Read(None),
            values: [Read(None), Read(None)],
            lower: Written(None),
            diagonal: Written(None),
            upper: Written(None),
            rights: Written(None),
            out: Written(None),
            kinds: [0; 2],
        }
    }

    /// Returns the first derivatives of the spline at the points.
    pub(crate) fn slopes(&self, ends: [End<'_>; 2]) -> Result<Array> {
        let device = one_device(self.x, [self.y].into_iter().chain(ends.iter().filter_map(|end| end.1)))?;
        let [function, _] = self.functions(device)?;
        let n = self.x.size();
        let diagonal = || make::empty(device, &[n, 1, 1], DType::F64);
        let parts = [diagonal()?, diagonal()?, diagonal()?];
        let rights = make::empty(device, self.y.shape(), DType::F64)?;
        let params = CubicParams {
            values: ends.map(|(_, value)| Read(value.map(DevicePtr::of))),
            lower: written(&parts[0]),
            diagonal: written(&parts[1]),
            upper: written(&parts[2]),
            rights: written(&rights),
            kinds: ends.map(|end| end.0),
            ..self.params()
        };
        let blocks = Blocks::of(rights.size().div_ceil(THREADS), rights.size(), "values");
        // SAFETY: each thread writes one element, and one row of the matrix; derivatives at the ends have a number for each column.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }?;
        solve_block_tridiagonal([&parts[0], &parts[1], &parts[2]], &rights)
    }

    /// Returns the coefficients for first derivatives: the axes are the power, the interval and the column.
    pub(crate) fn coefficients(&self, slopes: &Array) -> Result<Array> {
        let device = one_device(self.x, [self.y, slopes])?;
        let [_, function] = self.functions(device)?;
        let (intervals, columns) = (self.x.size() - 1, self.y.shape()[1]);
        let out = make::empty(device, &[4, intervals, columns], DType::F64)?;
        let params = CubicParams { slopes: read(slopes), out: written(&out), ..self.params() };
        let threads = intervals * columns;
        let blocks = Blocks::of(threads.div_ceil(THREADS), threads, "values");
        // SAFETY: slopes have the shape of the values, and there are four coefficients for each interval and column.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }?;
        Ok(out)
    }
}
