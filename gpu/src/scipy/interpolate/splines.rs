//! Parts of the construction of splines: values of B-splines, normal equations, and banded systems.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::piecewise::check_degree;
use super::{reals, wrong};
use crate::array::Array;
use crate::engine::piecewise::{Piecewise, Polynomials};
use crate::engine::{make, solve_block_tridiagonal as solve_blocks};
use crate::error::Result;
use crate::layout::shape_text;

fn spline(knots: &Array, k: usize, periodic: bool) -> Piecewise<'_> {
    Piecewise {
        kind: Polynomials::Spline,
        degree: k,
        knots,
        ends: [k, knots.size() - k - 1],
        extrapolate: if periodic { 2 } else { 1 },
        descending: false,
    }
}

/// Checks knots of a spline.
fn check_knots(function: &str, t: &Array, k: usize) -> Result<Array> {
    check_degree(function, k)?;
    let t = reals(function, "t", t)?;
    if t.ndim() != 1 || t.size() < 2 * k + 2 {
        return wrong(format!(
            "{function}: {} knots are too few for degree {k}: pass {} at least",
            t.size(),
            2 * k + 2
        ));
    }
    Ok(t)
}

/// Values of the B-splines of degree `k` that are not zero at each point, or of their derivative of order `nu`.
///
/// The first result, of float64, has a row of k + 1 values for each point, the second one, of int64, the number of the first B-spline of the row. With
/// `periodic` points are taken modulo the distance of the ends of the domain; otherwise those outside belong to the nearest interval.
/// SciPy's `BSpline.design_matrix` has the same values as a sparse matrix.
///
/// ```
/// use cuprum::scipy::interpolate::bspline_basis;
/// let t = cuprum::array([0.0, 0.0, 1.0, 2.0, 2.0])?;
/// let (values, first) = bspline_basis(&t, 1, &cuprum::array([1.25])?, 0, false)?;
/// assert_eq!((values.to_vec::<f64>()?, first.to_vec::<i64>()?), (vec![0.75, 0.25], vec![1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for too few knots; [`ErrorKind::Type`](crate::ErrorKind::Type) for complex points;
/// [`ErrorKind::NotImplemented`](crate::ErrorKind::NotImplemented) for a degree above 31.
#[unrecorded(
    "has two results of its own form: compared with SciPy's in `gpu/python/tests/test_interpolate_splines.py`"
)]
pub fn bspline_basis(t: &Array, k: usize, x: &Array, nu: usize, periodic: bool) -> Result<(Array, Array)> {
    let (t, x) = (check_knots("bspline_basis", t, k)?, reals("bspline_basis", "x", x)?);
    let values = make::empty(x.device(), &[x.size(), k + 1], DType::F64)?;
    let begins = make::empty(x.device(), &[x.size()], DType::I64)?;
    spline(&t, k, periodic).basis(&x, nu, &values, &begins)?;
    Ok((values, begins))
}

/// Normal equations of the least squares of splines: the matrix, if `matrix`, and the right-hand sides for values `y` at points in increasing order.
///
/// `values` and `begins` are those of [`bspline_basis`] at the points; the squares of `w` weight the points. The matrix, which is symmetric, has a row of
/// k + 1 elements, from the diagonal on, for each of the `n` coefficients. Sums are in a fixed order.
///
/// ```
/// use cuprum::scipy::interpolate::{bspline_basis, bspline_normal_equations};
/// let (t, x) = (cuprum::array([0.0, 0.0, 1.0, 1.0])?, cuprum::array([0.0, 1.0])?);
/// let (values, begins) = bspline_basis(&t, 1, &x, 0, false)?;
/// let y = cuprum::array([[3.0], [4.0]])?;
/// let (matrix, right) = bspline_normal_equations(&values, &begins, None, &y, 2, true)?;
/// assert_eq!(matrix.map(|m| m.to_vec::<f64>()).transpose()?, Some(vec![1.0, 0.0, 1.0, 0.0]));
/// assert_eq!(right.to_vec::<f64>()?, [3.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that do not fit.
#[unrecorded(
    "takes the results of `bspline_basis`: `make_lsq_spline` is compared with SciPy's in `gpu/python/tests/test_interpolate_splines.py`"
)]
pub fn bspline_normal_equations(
    values: &Array,
    begins: &Array,
    w: Option<&Array>,
    y: &Array,
    n: usize,
    matrix: bool,
) -> Result<(Option<Array>, Array)> {
    let function = "bspline_normal_equations";
    let (values, y) = (reals(function, "values", values)?, reals(function, "y", y)?);
    let w = w.map(|w| reals(function, "w", w)).transpose()?;
    let points = begins.size();
    let fits = values.ndim() == 2 && values.shape()[0] == points && y.ndim() == 2 && y.shape()[0] == points;
    if !fits
        || begins.dtype() != DType::I64
        || !begins.is_c_contiguous()
        || w.as_ref().is_some_and(|w| w.size() != points)
    {
        return wrong(format!(
            "{function}: `values` of shape {} and `y` of shape {} do not have a row for each of {points} points",
            shape_text(values.shape()),
            shape_text(y.shape())
        ));
    }
    let columns = values.shape()[1];
    let normal = matrix.then(|| make::empty(y.device(), &[n, columns], DType::F64)).transpose()?;
    let rights = make::empty(y.device(), &[n, y.shape()[1]], DType::F64)?;
    // The kernel needs no knots.
    let engine = Piecewise { knots: &y, ..spline_of(&y, columns - 1) };
    engine.normal((&values, begins), w.as_ref(), &y, normal.as_ref(), &rights)?;
    Ok((normal, rights))
}

fn spline_of(knots: &Array, degree: usize) -> Piecewise<'_> {
    Piecewise { kind: Polynomials::Spline, degree, knots, ends: [0, 1], extrapolate: 1, descending: false }
}

/// Solutions of a system of equations with a block tridiagonal matrix, on the device by cyclic reduction.
///
/// The arrays `lower`, `diagonal` and `upper` have the shape (rows of blocks, side, side), and `rights` has a row for each row of the matrix; the blocks before the first row
/// and after the last one are not read. A banded matrix is block tridiagonal with blocks as large as its bandwidth, a tridiagonal one with blocks of
/// one element. Only rows of a block are exchanged: the matrix is to be diagonally dominant, positive definite, or one of splines. One step of
/// iterative refinement follows. The result is float64, of the shape of `rights`.
///
/// ```
/// use cuprum::scipy::interpolate::solve_block_tridiagonal;
/// let off = cuprum::ones([3, 1, 1], ())?;
/// let x = solve_block_tridiagonal(&off, &cuprum::full([3, 1, 1], 4.0, ())?, &off, &cuprum::array([[5.0], [6.0], [5.0]])?)?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0; 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that do not fit; [`ErrorKind::Type`](crate::ErrorKind::Type) for complex numbers. A singular matrix
/// gives infinities and NaN.
#[unrecorded(
    "NumPy and SciPy have no such function: splines that it solves are compared in `gpu/python/tests/test_interpolate_splines.py`"
)]
pub fn solve_block_tridiagonal(lower: &Array, diagonal: &Array, upper: &Array, rights: &Array) -> Result<Array> {
    let function = "solve_block_tridiagonal";
    let (lower, diagonal) = (reals(function, "lower", lower)?, reals(function, "diagonal", diagonal)?);
    let (upper, rights) = (reals(function, "upper", upper)?, reals(function, "rights", rights)?);
    let shape = diagonal.shape();
    let fits = shape.len() == 3 && shape[1] == shape[2] && lower.shape() == shape && upper.shape() == shape;
    if !fits || rights.ndim() != 2 || rights.shape()[0] != shape[0] * shape[1] {
        return wrong(format!(
            "{function}: blocks of the shapes {}, {} and {} do not fit each other or right-hand sides of shape {}",
            shape_text(lower.shape()),
            shape_text(shape),
            shape_text(upper.shape()),
            shape_text(rights.shape())
        ));
    }
    if rights.size() == 0 {
        return Ok(rights);
    }
    solve_blocks([&lower, &diagonal, &upper], &rights)
}
