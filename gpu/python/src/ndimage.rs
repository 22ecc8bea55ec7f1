//! Windows of `cuprum.cupyx.scipy.ndimage`, whose Python functions read SciPy's arguments.

use cuprum::scipy::ndimage::{
    AreaWindow, AxisOp, AxisWindow, BorderRule, WindowOp, correlate_at, erode, filter_area, filter_axes, filter_rank,
};
use pyo3::prelude::*;

use crate::convert::array_of;
use crate::errors::{OrRaise, type_error};

/// A window along an axis: the axis, the operation, its size, weights, origin, border rule and constant.
type Along = (usize, String, usize, Vec<f64>, isize, u8, (f64, f64));

/// A window over all axes: its shape, footprint, weights, origins, border rules and constant.
type Over = (Vec<usize>, Vec<bool>, Option<Vec<f64>>, Vec<isize>, Vec<u8>, (f64, f64));

pub(crate) fn array<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a cuprum::Array> {
    match array_of(object) {
        Some(a) => Ok(a),
        None => type_error(format!("ndimage: an array is needed, not {}", object.get_type().name()?)),
    }
}

fn complex((re, im): (f64, f64)) -> cuprum::num_complex::Complex64 {
    cuprum::num_complex::Complex64::new(re, im)
}

fn rule(number: u8) -> BorderRule {
    match number {
        1 => BorderRule::Mirror,
        2 => BorderRule::Nearest,
        3 => BorderRule::Wrap,
        4 => BorderRule::Constant,
        _ => BorderRule::Reflect,
    }
}

fn axis_window((axis, op, size, weights, origin, mode, cval): Along) -> AxisWindow {
    let op = match op.as_str() {
        "weights" => AxisOp::Weights(weights),
        "mean" => AxisOp::Mean(size),
        "minimum" => AxisOp::Minimum(size),
        _ => AxisOp::Maximum(size),
    };
    AxisWindow { axis, op, origin, mode: rule(mode), cval: complex(cval) }
}

fn area_window((shape, footprint, weights, origins, modes, cval): Over) -> AreaWindow {
    AreaWindow { shape, footprint, weights, origins, modes: modes.into_iter().map(rule).collect(), cval: complex(cval) }
}

#[pyfunction]
fn window_axes(py: Python<'_>, input: &Bound<'_, PyAny>, windows: Vec<Along>, out: &Bound<'_, PyAny>) -> PyResult<()> {
    let (input, out) = (array(input)?, array(out)?);
    let windows: Vec<AxisWindow> = windows.into_iter().map(axis_window).collect();
    py.detach(|| filter_axes(input, &windows, out)).or_raise()
}

#[pyfunction]
fn window_area(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    window: Over,
    op: &str,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, window, out) = (array(input)?, area_window(window), array(out)?);
    let op = match op {
        "weighted" => WindowOp::Weighted,
        "minimum" => WindowOp::Minimum,
        _ => WindowOp::Maximum,
    };
    py.detach(|| filter_area(input, &window, op, out)).or_raise()
}

#[pyfunction]
fn window_place(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    window: Over,
    leads: Vec<i64>,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, window, out) = (array(input)?, area_window(window), array(out)?);
    py.detach(|| correlate_at(input, &window, &leads, out)).or_raise()
}

#[pyfunction]
fn window_rank(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    window: Over,
    rank: usize,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, window, out) = (array(input)?, area_window(window), array(out)?);
    py.detach(|| filter_rank(input, &window, rank, out)).or_raise()
}

#[pyfunction]
#[pyo3(signature = (input, window, mask, invert, iterations, out))]
fn window_erode(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    window: Over,
    mask: Option<&Bound<'_, PyAny>>,
    invert: bool,
    iterations: usize,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, window, out) = (array(input)?, area_window(window), array(out)?);
    let mask = mask.map(array).transpose()?;
    py.detach(|| erode(input, &window, mask, invert, iterations, out)).or_raise()
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(window_axes, module)?)?;
    module.add_function(wrap_pyfunction!(window_area, module)?)?;
    module.add_function(wrap_pyfunction!(window_place, module)?)?;
    module.add_function(wrap_pyfunction!(window_rank, module)?)?;
    module.add_function(wrap_pyfunction!(window_erode, module)?)
}
