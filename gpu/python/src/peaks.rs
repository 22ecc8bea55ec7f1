//! Peaks of `cuprum.scipy.signal`, whose Python functions read SciPy's arguments.

use cuprum::scipy::signal::{
    ExtremaEnds, PeakBound, PeakInterval, PeakOptions, Prominences, Relation, argrelextrema, find_peaks,
    peak_prominences, peak_widths,
};
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::errors::OrRaise;
use crate::ndimage::array;

/// The bounds of a property: numbers or arrays.
type Interval<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

fn interval((lower, upper): Interval<'_>) -> PyResult<PeakInterval> {
    let bound = |border: Option<Bound<'_, PyAny>>| {
        border
            .map(|border| -> PyResult<PeakBound> {
                match border.cast::<PyFloat>() {
                    Ok(number) => Ok(PeakBound::Number(number.value())),
                    Err(_) => Ok(PeakBound::Elements(array(&border)?.clone())),
                }
            })
            .transpose()
    };
    Ok([bound(lower)?, bound(upper)?])
}

/// Returns the order of NumPy's `argsort`, which decides between equal peaks as in SciPy; the given order where NumPy fails.
fn order(heights: &[f64]) -> Vec<usize> {
    let sorted = |py: Python<'_>| -> PyResult<Vec<usize>> {
        let numpy = py.import("numpy")?;
        let heights = numpy.call_method1("array", (heights.to_vec(),))?;
        numpy.call_method1("argsort", (heights,))?.call_method0("tolist")?.extract()
    };
    Python::attach(sorted).unwrap_or_else(|_| (0..heights.len()).collect())
}

/// Properties by their names.
type Properties<'py> = Vec<(&'static str, Bound<'py, NdArray>)>;

/// Positions, properties, and whether some prominences and some widths are 0.
type Found<'py> = (Bound<'py, NdArray>, Properties<'py>, [bool; 2]);

#[pyfunction]
#[pyo3(signature = (x, conditions, distance, wlen, rel_height))]
fn peaks_find<'py>(
    py: Python<'py>,
    x: &Bound<'_, PyAny>,
    conditions: Vec<(String, Interval<'py>)>,
    distance: Option<f64>,
    wlen: Option<usize>,
    rel_height: f64,
) -> PyResult<Found<'py>> {
    let x = array(x)?;
    let mut options = PeakOptions::new().rel_height(rel_height).order(order);
    if let Some(distance) = distance {
        options = options.distance(distance);
    }
    if let Some(wlen) = wlen {
        options = options.wlen(wlen);
    }
    for (name, bounds) in conditions {
        let bounds = interval(bounds)?;
        options = match name.as_str() {
            "height" => options.height(bounds),
            "threshold" => options.threshold(bounds),
            "prominence" => options.prominence(bounds),
            "width" => options.width(bounds),
            _ => options.plateau_size(bounds),
        };
    }
    let found = py.detach(|| find_peaks(x, &options)).or_raise()?;
    let properties = found.properties.into_iter().map(|(name, a)| Ok((name, wrap(py, a)?))).collect::<PyResult<_>>()?;
    Ok((wrap(py, found.positions)?, properties, [found.some_flat, found.some_narrow]))
}

#[pyfunction]
fn peaks_prominences<'py>(
    py: Python<'py>,
    x: &Bound<'_, PyAny>,
    peaks: &Bound<'_, PyAny>,
    wlen: Option<usize>,
) -> PyResult<Vec<Bound<'py, NdArray>>> {
    let (x, peaks) = (array(x)?, array(peaks)?);
    let found = py.detach(|| peak_prominences(x, peaks, wlen)).or_raise()?;
    [found.prominences, found.left_bases, found.right_bases].into_iter().map(|a| wrap(py, a)).collect()
}

/// Prominences and both bases.
type Data<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

#[pyfunction]
fn peaks_widths<'py>(
    py: Python<'py>,
    x: &Bound<'_, PyAny>,
    peaks: &Bound<'_, PyAny>,
    rel_height: f64,
    data: Option<Data<'py>>,
    wlen: Option<usize>,
) -> PyResult<Vec<Bound<'py, NdArray>>> {
    let (x, peaks) = (array(x)?, array(peaks)?);
    let data = match &data {
        None => None,
        Some((prominences, left, right)) => Some(Prominences {
            prominences: array(prominences)?.clone(),
            left_bases: array(left)?.clone(),
            right_bases: array(right)?.clone(),
        }),
    };
    let found = py.detach(|| peak_widths(x, peaks, rel_height, data.as_ref(), wlen)).or_raise()?;
    [found.widths, found.width_heights, found.left_ips, found.right_ips].into_iter().map(|a| wrap(py, a)).collect()
}

#[pyfunction]
fn peaks_extrema<'py>(
    py: Python<'py>,
    data: &Bound<'_, PyAny>,
    relation: u8,
    axis: isize,
    order: usize,
    wrapped: bool,
) -> PyResult<Vec<Bound<'py, NdArray>>> {
    let data = array(data)?;
    let relation = match relation {
        0 => Relation::Less,
        1 => Relation::Greater,
        2 => Relation::LessEqual,
        _ => Relation::GreaterEqual,
    };
    let ends = if wrapped { ExtremaEnds::Wrap } else { ExtremaEnds::Clip };
    let found = py.detach(|| argrelextrema(data, relation, axis, order, ends)).or_raise()?;
    found.into_iter().map(|a| wrap(py, a)).collect()
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(peaks_find, module)?)?;
    module.add_function(wrap_pyfunction!(peaks_prominences, module)?)?;
    module.add_function(wrap_pyfunction!(peaks_widths, module)?)?;
    module.add_function(wrap_pyfunction!(peaks_extrema, module)?)
}
