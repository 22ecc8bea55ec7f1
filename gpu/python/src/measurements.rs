//! Labels, measurements and distance transforms of `cuprum.cupyx.scipy.ndimage`, whose Python functions read SciPy's arguments.

use cuprum::Array;
use cuprum::scipy::ndimage::{self, ChamferMetric, DistanceMetric, DistanceOptions, LabelBox, LabelOptions};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

use crate::array::NdArray;
use crate::convert::{array_of, wrap};
use crate::errors::{OrRaise, type_error};

fn array<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a Array> {
    match array_of(object) {
        Some(a) => Ok(a),
        None => type_error(format!("ndimage: an array is needed, not {}", object.get_type().name()?)),
    }
}

#[pyfunction]
fn label_components(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    structure: Vec<bool>,
    out: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    let (input, options) = (array(input)?, LabelOptions::new().structure(&structure).out(array(out)?));
    Ok(py.detach(|| ndimage::label(input, &options)).or_raise()?.1)
}

#[pyfunction]
fn label_watershed(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    markers: &Bound<'_, PyAny>,
    structure: Vec<bool>,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, markers) = (array(input)?, array(markers)?);
    let options = LabelOptions::new().structure(&structure).out(array(out)?);
    py.detach(|| ndimage::watershed_ift(input, markers, &options)).or_raise()?;
    Ok(())
}

/// Returns the smallest box of each label: a tuple of slices, or `None` for a label that does not occur.
#[pyfunction]
fn label_boxes<'py>(
    py: Python<'py>,
    input: &Bound<'_, PyAny>,
    max_label: usize,
) -> PyResult<Vec<Option<Bound<'py, PyTuple>>>> {
    let input = array(input)?;
    let boxes = py.detach(|| ndimage::find_objects(input, max_label)).or_raise()?;
    let slice = py.get_type::<PySlice>();
    let slices = |ranges: LabelBox| {
        let slices: Vec<_> = ranges.into_iter().map(|range| slice.call1(range)).collect::<PyResult<_>>()?;
        PyTuple::new(py, slices)
    };
    boxes.into_iter().map(|ranges| ranges.map(slices).transpose()).collect()
}

#[pyfunction]
fn label_statistic<'py>(
    py: Python<'py>,
    name: &str,
    input: &Bound<'_, PyAny>,
    labels: &Bound<'_, PyAny>,
    index: &Bound<'_, PyAny>,
) -> PyResult<Bound<'py, NdArray>> {
    let (input, labels, index) = (array(input)?, array(labels)?, array(index)?);
    let statistic = match name {
        "mean" => ndimage::mean,
        "variance" => ndimage::variance,
        "standard_deviation" => ndimage::standard_deviation,
        "minimum" => ndimage::minimum,
        "maximum" => ndimage::maximum,
        "minimum_position" => ndimage::minimum_position,
        "maximum_position" => ndimage::maximum_position,
        "median" => ndimage::median,
        "center_of_mass" => ndimage::center_of_mass,
        _ => ndimage::sum_labels,
    };
    wrap(py, py.detach(|| statistic(input, labels, index)).or_raise()?)
}

#[pyfunction]
fn label_extrema<'py>(
    py: Python<'py>,
    input: &Bound<'_, PyAny>,
    labels: &Bound<'_, PyAny>,
    index: &Bound<'_, PyAny>,
) -> PyResult<Vec<Bound<'py, NdArray>>> {
    let (input, labels, index) = (array(input)?, array(labels)?, array(index)?);
    let found = py.detach(|| ndimage::extrema(input, labels, index)).or_raise()?;
    [found.minimum, found.maximum, found.minimum_position, found.maximum_position]
        .into_iter()
        .map(|a| wrap(py, a))
        .collect()
}

#[pyfunction]
fn label_histogram<'py>(
    py: Python<'py>,
    input: &Bound<'_, PyAny>,
    edges: Vec<f64>,
    labels: &Bound<'_, PyAny>,
    index: &Bound<'_, PyAny>,
) -> PyResult<Bound<'py, NdArray>> {
    let (input, labels, index) = (array(input)?, array(labels)?, array(index)?);
    wrap(py, py.detach(|| ndimage::histogram(input, &edges, labels, index)).or_raise()?)
}

/// Writes distances and indices, where arrays for them are passed. `function` is `edt`, `bf` or `cdt`.
#[pyfunction]
#[pyo3(signature = (function, input, metric, structure, sampling, distances, indices))]
#[expect(clippy::too_many_arguments, reason = "the arguments of three functions of Python")]
fn distance_transform(
    py: Python<'_>,
    function: &str,
    input: &Bound<'_, PyAny>,
    metric: &str,
    structure: Option<Vec<bool>>,
    sampling: Option<Vec<f64>>,
    distances: Option<&Bound<'_, PyAny>>,
    indices: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let input = array(input)?;
    let mut options = DistanceOptions::new();
    if let Some(sampling) = sampling {
        options = options.sampling(&sampling);
    }
    options = match distances {
        Some(out) => options.distances_out(array(out)?),
        None => options.without_distances(),
    };
    if let Some(out) = indices {
        options = options.indices_out(array(out)?);
    }
    let run = || match function {
        "edt" => ndimage::distance_transform_edt(input, &options),
        "bf" => {
            let metric = match metric {
                "euclidean" => DistanceMetric::Euclidean,
                "taxicab" => DistanceMetric::Taxicab,
                _ => DistanceMetric::Chessboard,
            };
            ndimage::distance_transform_bf(input, metric, &options)
        }
        _ => {
            let metric = match (structure, metric) {
                (Some(elements), _) => ChamferMetric::Steps(elements),
                (None, "taxicab") => ChamferMetric::Taxicab,
                (None, _) => ChamferMetric::Chessboard,
            };
            ndimage::distance_transform_cdt(input, &metric, &options)
        }
    };
    py.detach(run).or_raise().map(|_| ())
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(label_components, module)?)?;
    module.add_function(wrap_pyfunction!(label_boxes, module)?)?;
    module.add_function(wrap_pyfunction!(label_watershed, module)?)?;
    module.add_function(wrap_pyfunction!(label_statistic, module)?)?;
    module.add_function(wrap_pyfunction!(label_extrema, module)?)?;
    module.add_function(wrap_pyfunction!(label_histogram, module)?)?;
    module.add_function(wrap_pyfunction!(distance_transform, module)?)
}
