//! Series in a basis of orthogonal polynomials: all values in one kernel, all columns of a Vandermonde matrix in
//! another.
//!
//! Lower bound of memory traffic: points, coefficients and values once. A coefficient is read by all threads of a warp
//! at once, and costs three products and two sums, which are not contracted.

use cuprum_kernels::params::Width;
use cuprum_kernels::source::{Series, SeriesValuesParams, SeriesVandermondeParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;

/// Threads of a block: as in `include/series.cuh`.
const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Series, 2> = Kernels::default();
}

/// Evaluates series and writes their values to `out`. The coefficients have those of one degree along the second axis,
/// the points have one axis. All three are contiguous and of one floating-point or complex dtype. If `paired`, each
/// point has a series of its own, otherwise `out` has the values of one series after those of another.
pub(crate) fn series_values(basis: u32, coefficients: &Array, x: &Array, out: &Array, paired: bool) -> Result<()> {
    let results = out.size();
    if results == 0 {
        return Ok(());
    }
    let device = out.device();
    let key = Series { element: out.dtype() };
    let [function, _] =
        kernels(&KERNELS, device, key, ["series_values", "series_vandermonde"], || (key.name(), key.source()))?;
    let params = SeriesValuesParams {
        results,
        points: x.size(),
        count: coefficients.shape()[0],
        columns: coefficients.shape()[1],
        basis,
        paired,
        input: read(x),
        coefficients: read(coefficients),
        out: written(out),
        width: Width::default(),
    };
    let blocks = Blocks::of(results.div_ceil(THREADS), results, "values");
    // SAFETY: `include/series.cuh` reads a point and a column for each value, both below their number: the product of
    // both numbers is that of the values, or all three are equal if `paired`; it writes each value once.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}

/// Writes the values of the basis polynomials up to a degree at points to `out`, those of one degree along the second
/// axis. Both arrays are contiguous and of one floating-point or complex dtype.
pub(crate) fn series_vandermonde(basis: u32, x: &Array, degree: usize, out: &Array) -> Result<()> {
    let points = x.size();
    if points == 0 {
        return Ok(());
    }
    let device = out.device();
    let key = Series { element: out.dtype() };
    let [_, function] =
        kernels(&KERNELS, device, key, ["series_values", "series_vandermonde"], || (key.name(), key.source()))?;
    let params =
        SeriesVandermondeParams { points, degree, basis, input: read(x), out: written(out), width: Width::default() };
    let blocks = Blocks::of(points.div_ceil(THREADS), points, "points");
    // SAFETY: `include/series.cuh` reads each point once, and writes `degree + 1` values for it, for which the new
    // results have room.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}
