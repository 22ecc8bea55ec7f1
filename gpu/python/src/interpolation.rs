//! Splines and Fourier filters of `cuprum.cupyx.scipy.ndimage`, whose Python functions read SciPy's arguments.

use cuprum::num_complex::Complex64;
use cuprum::scipy::ndimage::{
    FourierOptions, InterpolationOptions, SampleMap, SampleMode, fourier_ellipsoid, fourier_gaussian, fourier_shift,
    fourier_uniform, rotation, sample, spline_filter, spline_filter1d,
};
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::ndimage::array;

/// A spline: its order, mode, constant, and whether its coefficients are to be computed.
type Spline = (usize, u8, (f64, f64), bool);

fn mode(number: u8) -> SampleMode {
    match number {
        1 => SampleMode::Nearest,
        2 => SampleMode::Mirror,
        3 => SampleMode::Reflect,
        4 => SampleMode::Wrap,
        5 => SampleMode::GridWrap,
        6 => SampleMode::GridConstant,
        _ => SampleMode::Constant,
    }
}

fn options((order, number, (re, im), prefilter): Spline) -> InterpolationOptions {
    InterpolationOptions::new().order(order).mode(mode(number)).cval(Complex64::new(re, im)).prefilter(prefilter)
}

#[pyfunction]
fn sample_scaled(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    lists: (Vec<f64>, Vec<f64>, Vec<f64>),
    spline: Spline,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, out, options) = (array(input)?, array(out)?, options(spline));
    let axes: Vec<usize> = (0..input.ndim()).collect();
    let map = SampleMap::Diagonal { before: &lists.0, scales: &lists.1, after: &lists.2 };
    py.detach(|| sample(input, &axes, &map, &options, out)).or_raise()
}

#[pyfunction]
fn sample_affine(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    axes: Vec<usize>,
    affine: (Vec<f64>, Vec<f64>),
    spline: Spline,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, out, options) = (array(input)?, array(out)?, options(spline));
    let map = SampleMap::Affine { matrix: &affine.0, offsets: &affine.1 };
    py.detach(|| sample(input, &axes, &map, &options, out)).or_raise()
}

#[pyfunction]
fn sample_array(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    coordinates: &Bound<'_, PyAny>,
    spline: Spline,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, coordinates, out, options) = (array(input)?, array(coordinates)?, array(out)?, options(spline));
    let axes: Vec<usize> = (0..input.ndim()).collect();
    py.detach(|| sample(input, &axes, &SampleMap::Array(coordinates), &options, out)).or_raise()
}

#[pyfunction]
fn sample_rotation(plane: [usize; 2], degrees: f64, reshape: bool) -> ([usize; 2], [f64; 4], [f64; 2]) {
    rotation(plane, degrees, reshape)
}

#[pyfunction]
fn spline_axes(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    axes: Vec<isize>,
    order: usize,
    number: u8,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, out) = (array(input)?, array(out)?);
    let options = InterpolationOptions::new().order(order).mode(mode(number)).out(out);
    py.detach(|| match axes[..] {
        [axis] => spline_filter1d(input, axis, &options),
        _ => spline_filter(input, &options),
    })
    .or_raise()?;
    Ok(())
}

#[pyfunction]
fn fourier_filter(
    py: Python<'_>,
    name: &str,
    input: &Bound<'_, PyAny>,
    values: Vec<f64>,
    real: (i64, isize),
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, out) = (array(input)?, array(out)?);
    let options = FourierOptions::new().out(out);
    let options = if real.0 < 0 { options } else { options.real(real.0 as usize, real.1) };
    let filter = match name {
        "gaussian" => fourier_gaussian,
        "uniform" => fourier_uniform,
        "ellipsoid" => fourier_ellipsoid,
        _ => fourier_shift,
    };
    py.detach(|| filter(input, &values, &options)).or_raise()?;
    Ok(())
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sample_scaled, module)?)?;
    module.add_function(wrap_pyfunction!(sample_affine, module)?)?;
    module.add_function(wrap_pyfunction!(sample_array, module)?)?;
    module.add_function(wrap_pyfunction!(sample_rotation, module)?)?;
    module.add_function(wrap_pyfunction!(fourier_filter, module)?)?;
    module.add_function(wrap_pyfunction!(spline_axes, module)?)
}
