//! Functions of `cuprum.cupyx.signal`, which SciPy does not have.

use cuprum::scipy::signal::{
    PulseOptions, ca_cfar, cfar_alpha, channelize_poly, convolve1d3o, freq_shift, pulse_compression, pulse_doppler,
};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::errors::OrRaise;
use crate::ndimage::array;

#[pyfunction]
fn radar_cfar<'py>(
    py: Python<'py>,
    cells: &Bound<'_, PyAny>,
    guard_cells: Vec<usize>,
    reference_cells: Vec<usize>,
    pfa: f64,
) -> PyResult<(Bound<'py, NdArray>, Bound<'py, NdArray>)> {
    let cells = array(cells)?;
    let (threshold, found) = py.detach(|| ca_cfar(cells, &guard_cells, &reference_cells, pfa)).or_raise()?;
    Ok((wrap(py, threshold)?, wrap(py, found)?))
}

#[pyfunction]
fn radar_alpha(pfa: f64, n: f64) -> f64 {
    cfar_alpha(pfa, n)
}

#[pyfunction]
fn radar_shift<'py>(py: Python<'py>, x: &Bound<'_, PyAny>, freq: f64, fs: f64) -> PyResult<Bound<'py, NdArray>> {
    let x = array(x)?;
    wrap(py, py.detach(|| freq_shift(x, freq, fs)).or_raise()?)
}

#[pyfunction]
fn radar_convolve<'py>(
    py: Python<'py>,
    in1: &Bound<'_, PyAny>,
    in2: &Bound<'_, PyAny>,
) -> PyResult<Bound<'py, NdArray>> {
    let (in1, in2) = (array(in1)?, array(in2)?);
    wrap(py, py.detach(|| convolve1d3o(in1, in2)).or_raise()?)
}

#[pyfunction]
fn radar_channels<'py>(
    py: Python<'py>,
    x: &Bound<'_, PyAny>,
    h: &Bound<'_, PyAny>,
    n_chans: usize,
) -> PyResult<Bound<'py, NdArray>> {
    let (x, h) = (array(x)?, array(h)?);
    wrap(py, py.detach(|| channelize_poly(x, h, n_chans)).or_raise()?)
}

#[pyfunction]
#[pyo3(signature = (x, template, normalize, window, nfft))]
fn radar_pulses<'py>(
    py: Python<'py>,
    x: &Bound<'_, PyAny>,
    template: Option<&Bound<'_, PyAny>>,
    normalize: bool,
    window: Option<&Bound<'_, PyAny>>,
    nfft: Option<usize>,
) -> PyResult<Bound<'py, NdArray>> {
    let (x, template, window) = (array(x)?, template.map(array).transpose()?, window.map(array).transpose()?);
    let options = PulseOptions { normalize, window, nfft };
    let found = py.detach(|| match template {
        Some(template) => pulse_compression(x, template, options),
        None => pulse_doppler(x, options),
    });
    wrap(py, found.or_raise()?)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(radar_cfar, module)?)?;
    module.add_function(wrap_pyfunction!(radar_alpha, module)?)?;
    module.add_function(wrap_pyfunction!(radar_shift, module)?)?;
    module.add_function(wrap_pyfunction!(radar_convolve, module)?)?;
    module.add_function(wrap_pyfunction!(radar_channels, module)?)?;
    module.add_function(wrap_pyfunction!(radar_pulses, module)?)
}
