//! Spectra of segments of `cuprum.scipy.signal`, whose Python functions read SciPy's arguments.

use cuprum::scipy::signal::{
    SegmentBorder, SegmentOptions, SegmentTrend, overlap_add, segment_spectra, spectral_power,
};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::errors::OrRaise;
use crate::ndimage::array;

/// Step, length of transforms, number of the trend, number of the border, padded, half spectra.
type Segments = (usize, usize, u8, u8, bool, bool);

#[pyfunction]
fn spectra_segments<'py>(
    py: Python<'py>,
    x: &Bound<'_, PyAny>,
    window: &Bound<'_, PyAny>,
    axis: isize,
    options: Segments,
) -> PyResult<Bound<'py, NdArray>> {
    let (x, window) = (array(x)?, array(window)?);
    let (step, nfft, detrend, border, padded, onesided) = options;
    let detrend = match detrend {
        0 => SegmentTrend::None,
        1 => SegmentTrend::Constant,
        _ => SegmentTrend::Linear,
    };
    let border = match border {
        0 => SegmentBorder::None,
        1 => SegmentBorder::Zeros,
        2 => SegmentBorder::Even,
        3 => SegmentBorder::Odd,
        _ => SegmentBorder::Constant,
    };
    let options = SegmentOptions { step, nfft: Some(nfft), detrend, border, padded, onesided, axis };
    wrap(py, py.detach(|| segment_spectra(x, window, options)).or_raise()?)
}

#[pyfunction]
#[pyo3(signature = (x, y, scale, half_of, mean))]
fn spectra_power<'py>(
    py: Python<'py>,
    x: &Bound<'_, PyAny>,
    y: Option<&Bound<'_, PyAny>>,
    scale: f64,
    half_of: Option<usize>,
    mean: bool,
) -> PyResult<Bound<'py, NdArray>> {
    let x = array(x)?;
    let y = y.map(array).transpose()?;
    wrap(py, py.detach(|| spectral_power(x, y, scale, half_of, mean)).or_raise()?)
}

#[pyfunction]
fn spectra_overlap_add<'py>(
    py: Python<'py>,
    spectra: &Bound<'_, PyAny>,
    window: &Bound<'_, PyAny>,
    segments: (usize, usize),
    onesided: bool,
    trim: usize,
    scale: f64,
) -> PyResult<Bound<'py, NdArray>> {
    let (spectra, window, (step, nfft)) = (array(spectra)?, array(window)?, segments);
    let x = py.detach(|| overlap_add(spectra, window, step, nfft, onesided, trim, scale)).or_raise()?;
    wrap(py, x)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(spectra_segments, module)?)?;
    module.add_function(wrap_pyfunction!(spectra_power, module)?)?;
    module.add_function(wrap_pyfunction!(spectra_overlap_add, module)?)
}
