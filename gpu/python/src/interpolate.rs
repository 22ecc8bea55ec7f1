//! Evaluation and construction of splines for `cuprum.cupyx.scipy.interpolate`, whose Python classes read SciPy's arguments.

use cuprum::Array;
use cuprum::num_complex::Complex64;
use cuprum::scipy::interpolate::{
    BPoly, BSpline, Extrapolate, NdBSpline, NdPPoly, PPoly, RadialFunction, RegularGrid, SmoothingEnd, SplineEnd,
    bspline_basis, bspline_normal_equations, cubic_spline, hermite_spline, radial_matrix, radial_sum, smoothing_spline,
    solve_block_tridiagonal,
};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::errors::OrRaise;
use crate::ndimage::array;

type Out<'py> = PyResult<Bound<'py, NdArray>>;

fn extrapolate(number: u8) -> Extrapolate {
    match number {
        0 => Extrapolate::No,
        1 => Extrapolate::Yes,
        _ => Extrapolate::Periodic,
    }
}

fn radial(number: u8) -> RadialFunction {
    match number {
        0 => RadialFunction::Linear,
        1 => RadialFunction::ThinPlateSpline,
        2 => RadialFunction::Cubic,
        3 => RadialFunction::Quintic,
        4 => RadialFunction::Multiquadric,
        5 => RadialFunction::InverseMultiquadric,
        6 => RadialFunction::InverseQuadratic,
        7 => RadialFunction::Gaussian,
        8 => RadialFunction::Distance,
        _ => RadialFunction::SquaredDistance,
    }
}

fn arrays(list: &[Bound<'_, PyAny>]) -> PyResult<Vec<Array>> {
    list.iter().map(|a| array(a).cloned()).collect()
}

#[pyfunction]
fn interpolate_piecewise<'py>(
    py: Python<'py>,
    bernstein: bool,
    polynomial: (Bound<'py, PyAny>, Bound<'py, PyAny>),
    x: &Bound<'py, PyAny>,
    nu: usize,
    outside: u8,
    descending: bool,
) -> Out<'py> {
    let (c, knots, x) = (array(&polynomial.0)?, array(&polynomial.1)?, array(x)?);
    let outside = extrapolate(outside);
    let y = py.detach(|| {
        if bernstein {
            BPoly::new(c, knots)?.extrapolate(outside).descending(descending).evaluate(x, nu)
        } else {
            PPoly::new(c, knots)?.extrapolate(outside).descending(descending).evaluate(x, nu)
        }
    });
    wrap(py, y.or_raise()?)
}

#[pyfunction]
fn interpolate_bspline<'py>(
    py: Python<'py>,
    tck: (Bound<'py, PyAny>, Bound<'py, PyAny>, usize),
    x: &Bound<'py, PyAny>,
    nu: usize,
    outside: u8,
) -> Out<'py> {
    let (t, c, x) = (array(&tck.0)?, array(&tck.1)?, array(x)?);
    let y = py.detach(|| BSpline::new(t, c, tck.2)?.extrapolate(extrapolate(outside)).evaluate(x, nu));
    wrap(py, y.or_raise()?)
}

#[pyfunction]
fn interpolate_basis<'py>(
    py: Python<'py>,
    t: &Bound<'py, PyAny>,
    k: usize,
    x: &Bound<'py, PyAny>,
    nu: usize,
    periodic: bool,
) -> PyResult<(Bound<'py, NdArray>, Bound<'py, NdArray>)> {
    let (t, x) = (array(t)?, array(x)?);
    let (values, begins) = py.detach(|| bspline_basis(t, k, x, nu, periodic)).or_raise()?;
    Ok((wrap(py, values)?, wrap(py, begins)?))
}

#[pyfunction]
#[pyo3(signature = (design, w, y, n, matrix))]
fn interpolate_normal<'py>(
    py: Python<'py>,
    design: (Bound<'py, PyAny>, Bound<'py, PyAny>),
    w: Option<&Bound<'py, PyAny>>,
    y: &Bound<'py, PyAny>,
    n: usize,
    matrix: bool,
) -> PyResult<(Option<Bound<'py, NdArray>>, Bound<'py, NdArray>)> {
    let (values, begins, y) = (array(&design.0)?, array(&design.1)?, array(y)?);
    let w = w.map(array).transpose()?;
    let (matrix, rights) = py.detach(|| bspline_normal_equations(values, begins, w, y, n, matrix)).or_raise()?;
    Ok((matrix.map(|m| wrap(py, m)).transpose()?, wrap(py, rights)?))
}

#[pyfunction]
fn interpolate_solve<'py>(py: Python<'py>, blocks: [Bound<'py, PyAny>; 3], rights: &Bound<'py, PyAny>) -> Out<'py> {
    let (lower, diagonal, upper) = (array(&blocks[0])?, array(&blocks[1])?, array(&blocks[2])?);
    let rights = array(rights)?;
    wrap(py, py.detach(|| solve_block_tridiagonal(lower, diagonal, upper, rights)).or_raise()?)
}

/// A condition at an end: the order of the derivative or 0, and the derivative if it is not 0.
type End<'py> = (u8, Option<Bound<'py, PyAny>>);

#[pyfunction]
fn interpolate_cubic<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    ends: [End<'py>; 2],
) -> Out<'py> {
    let (x, y) = (array(x)?, array(y)?);
    let end = |(order, value): &'_ End<'py>| -> PyResult<(u8, Option<Array>)> {
        Ok((*order, value.as_ref().map(|value| array(value).cloned()).transpose()?))
    };
    let ends = [end(&ends[0])?, end(&ends[1])?];
    let c = py.detach(|| {
        let ends = [0, 1].map(|k| match ends[k].0 {
            0 => SplineEnd::NotAKnot,
            1 => SplineEnd::First(ends[k].1.as_ref()),
            _ => SplineEnd::Second(ends[k].1.as_ref()),
        });
        cubic_spline(x, y, ends).map(|p| p.coefficients().clone())
    });
    wrap(py, c.or_raise()?)
}

#[pyfunction]
fn interpolate_hermite<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    derivatives: &Bound<'py, PyAny>,
) -> Out<'py> {
    let (x, y, derivatives) = (array(x)?, array(y)?, array(derivatives)?);
    wrap(py, py.detach(|| hermite_spline(x, y, derivatives).map(|p| p.coefficients().clone())).or_raise()?)
}

#[pyfunction]
#[pyo3(signature = (points, values, xi, nearest, fill))]
fn interpolate_grid<'py>(
    py: Python<'py>,
    points: Vec<Bound<'py, PyAny>>,
    values: &Bound<'py, PyAny>,
    xi: &Bound<'py, PyAny>,
    nearest: bool,
    fill: Option<(f64, f64)>,
) -> Out<'py> {
    let (points, values, xi) = (arrays(&points)?, array(values)?, array(xi)?);
    let y = py.detach(|| {
        let mut grid = RegularGrid::new(&points, values)?;
        if let Some((re, im)) = fill {
            grid = grid.fill_value(Complex64::new(re, im));
        }
        if nearest { grid.nearest(xi) } else { grid.linear(xi) }
    });
    wrap(py, y.or_raise()?)
}

#[pyfunction]
#[pyo3(signature = (knots, c, k, xi, nu, outside))]
fn interpolate_nd<'py>(
    py: Python<'py>,
    knots: Vec<Bound<'py, PyAny>>,
    c: &Bound<'py, PyAny>,
    k: Option<Vec<usize>>,
    xi: &Bound<'py, PyAny>,
    nu: Vec<usize>,
    outside: bool,
) -> Out<'py> {
    let (knots, c, xi) = (arrays(&knots)?, array(c)?, array(xi)?);
    let y = py.detach(|| match &k {
        Some(k) => NdBSpline::new(&knots, c, k)?.extrapolate(outside).evaluate(xi, Some(&nu)),
        None => NdPPoly::new(c, &knots)?.extrapolate(outside).evaluate(xi, Some(&nu)),
    });
    wrap(py, y.or_raise()?)
}

#[pyfunction]
#[pyo3(signature = (x, centres, coefficients, kind, epsilon))]
fn interpolate_radial<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    centres: &Bound<'py, PyAny>,
    coefficients: Option<&Bound<'py, PyAny>>,
    kind: u8,
    epsilon: f64,
) -> Out<'py> {
    let (x, centres) = (array(x)?, array(centres)?);
    let coefficients = coefficients.map(array).transpose()?;
    let y = py.detach(|| match coefficients {
        Some(c) => radial_sum(x, centres, c, radial(kind), epsilon),
        None => radial_matrix(x, centres, radial(kind), epsilon),
    });
    wrap(py, y.or_raise()?)
}

/// Knots, coefficients, sum of squares, and the number of FITPACK for how the iteration ended.
type Smoothed = (Vec<f64>, Vec<f64>, f64, i32);

#[pyfunction]
#[pyo3(signature = (points, bounds, k, s, first))]
fn interpolate_smoothing(
    py: Python<'_>,
    points: (Vec<f64>, Vec<f64>, Vec<f64>),
    bounds: [f64; 2],
    k: usize,
    s: f64,
    first: Option<usize>,
) -> PyResult<Smoothed> {
    let (x, y, w) = points;
    let spline = py.detach(|| smoothing_spline(&x, &y, &w, bounds, k, s, first)).or_raise()?;
    let end = match spline.end {
        SmoothingEnd::Smoothed => 0,
        SmoothingEnd::Interpolating => -1,
        SmoothingEnd::Polynomial => -2,
        SmoothingEnd::Inconsistent => 2,
        SmoothingEnd::Unfinished => 3,
    };
    Ok((spline.knots, spline.coefficients, spline.residual, end))
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(interpolate_piecewise, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_bspline, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_basis, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_normal, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_solve, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_cubic, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_hermite, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_grid, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_nd, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_radial, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_smoothing, module)?)
}
