//! Functions of several variables: on rectilinear grids, piecewise polynomials, and B-splines.

use cuprum_kernels::DType;
use cuprum_kernels::source::TENSOR_WEIGHTS;

use super::piecewise::check_degree;
use super::{numbers, parts, reals, wrong};
use crate::array::Array;
use crate::engine::make;
use crate::engine::piecewise::{TensorAxis, TensorKind, TensorProduct};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;
use num_complex::Complex64;

/// Tensor product with its knots and coefficients.
#[derive(Clone, Debug)]
struct Tensor {
    kind: TensorKind,
    axes: Vec<TensorAxis>,
    knots: Array,
    values: Array,
    trailing: Vec<usize>,
    fill: Option<Complex64>,
}

impl Tensor {
    /// `axes` are the lengths of the knots of each axis and the axes without their steps.
    fn new(
        function: &str,
        kind: TensorKind,
        knots: &[Array],
        values: &Array,
        degrees: Option<&[usize]>,
    ) -> Result<Tensor> {
        let rank = knots.len();
        let knots: Vec<Array> = knots.iter().map(|a| reals(function, "points", a)).collect::<Result<_>>()?;
        let own = if kind == TensorKind::Powers { 2 * rank } else { rank };
        if rank == 0 || values.ndim() < own || knots.iter().any(|a| a.ndim() != 1 || a.size() == 0) {
            return wrong(format!(
                "{function}: values of shape {} do not have the axes of {rank} lists of knots",
                shape_text(values.shape())
            ));
        }
        let values = numbers(values)?;
        let (shape, parts) = (values.shape().to_vec(), parts(&values));
        // Distances in numbers of float64.
        let distances: Vec<i64> = values.strides().iter().map(|s| s / (values.itemsize() / parts) as i64).collect();
        let mut axes = Vec::new();
        for (d, knots) in knots.iter().enumerate() {
            let n = knots.size();
            let (degree, ends, nodes, at) = match (kind, degrees) {
                (TensorKind::Powers, _) => (shape[d].max(1) - 1, [0, n - 1], n - 1, rank + d),
                (TensorKind::Spline, Some(k)) => {
                    check_degree(function, k[d])?;
                    if n < 2 * k[d] + 2 {
                        return wrong(format!("{function}: {n} knots of axis {d} are too few for degree {}", k[d]));
                    }
                    (k[d], [k[d], n - k[d] - 1], n - k[d] - 1, d)
                }
                _ => (1, [0, n - 1], n, d),
            };
            if shape[at] < nodes || (kind != TensorKind::Spline && shape[at] != nodes) || shape[d] == 0 {
                return wrong(format!("{function}: there are {n} points and {} values along dimension {d}", shape[at]));
            }
            let (step, power_step) = (distances[at], distances[d]);
            axes.push(TensorAxis { knots: n, ends, degree, nu: 0, step, power_step });
        }
        if axes.iter().map(|axis| axis.degree + 1).sum::<usize>() > TENSOR_WEIGHTS {
            let message = format!("{function}: the orders of the axes are more than {TENSOR_WEIGHTS} in total");
            return Err(Error::new(ErrorKind::NotImplemented, message));
        }
        let total: usize = knots.iter().map(Array::size).sum();
        let all = make::empty(values.device(), &[total], DType::F64)?;
        let mut begin = 0;
        for knots in &knots {
            let end = begin + knots.size() as i64;
            crate::engine::copy(knots, &all.index(crate::index::s![begin..end])?)?;
            begin = end;
        }
        Ok(Tensor { kind, axes, knots: all, trailing: shape[own..].into(), values, fill: None })
    }

    fn evaluate(&self, function: &str, x: &Array, nu: Option<&[usize]>) -> Result<Array> {
        let points = reals(function, "xi", x)?;
        let rank = self.axes.len();
        if x.ndim() == 0 || x.shape()[x.ndim() - 1] != rank {
            return wrong(format!(
                "{function}: points of shape {} do not have {rank} coordinates along the last axis",
                shape_text(x.shape())
            ));
        }
        let mut axes = self.axes.clone();
        for (axis, nu) in axes.iter_mut().zip(nu.unwrap_or_default()) {
            axis.nu = *nu;
        }
        let shape: Vec<usize> = x.shape()[..x.ndim() - 1].iter().chain(&self.trailing).copied().collect();
        let out = make::empty(x.device(), &shape, self.values.dtype())?;
        let parts = parts(&out);
        let real = if parts == 2 { out.reshape([out.size()])?.view(DType::F64)? } else { out.clone() };
        TensorProduct {
            kind: self.kind,
            axes: &axes,
            knots: &self.knots,
            values: &self.values,
            trailing: self.trailing.iter().product::<usize>() * parts,
            fill: self.fill.map(|z| [z.re, if parts == 2 { z.im } else { z.re }]),
        }
        .evaluate(&points, &real)?;
        Ok(out)
    }
}

/// Values on a rectilinear grid, between which functions of several variables are linear or constant; SciPy's `RegularGridInterpolator`.
///
/// ```
/// use cuprum::scipy::interpolate::RegularGrid;
/// let axis = cuprum::array([0.0, 1.0])?;
/// let grid = RegularGrid::new(&[axis.clone(), axis], &cuprum::array([[0.0, 1.0], [2.0, 3.0]])?)?;
/// assert_eq!(grid.linear(&cuprum::array([[0.5, 0.25]])?)?.to_vec::<f64>()?, [1.25]);
/// assert_eq!(grid.nearest(&cuprum::array([[0.75, 0.25]])?)?.to_vec::<f64>()?, [2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RegularGrid(Tensor);

impl RegularGrid {
    /// Creates a grid of the coordinates of its nodes along each axis, which increase, and of values with these axes and any others.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for shapes that do not fit; [`ErrorKind::Type`] for complex coordinates.
    pub fn new(points: &[Array], values: &Array) -> Result<RegularGrid> {
        Tensor::new("RegularGrid", TensorKind::Linear, points, values, None).map(RegularGrid)
    }

    /// Sets the value outside of the grid.
    ///
    /// By default the nearest cell is continued.
    pub fn fill_value(mut self, value: impl Into<Complex64>) -> RegularGrid {
        self.0.fill = Some(value.into());
        self
    }

    /// Linear interpolation at points, whose coordinates are along the last axis of `xi`.
    ///
    /// The result has the other axes of `xi`, then those of the values after the grid's.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another number of coordinates than the grid has axes.
    pub fn linear(&self, xi: &Array) -> Result<Array> {
        self.0.evaluate("RegularGrid::linear", xi, None)
    }

    /// Value at the nearest node.
    ///
    /// In the middle between two nodes it is the lower one along an axis.
    ///
    /// # Errors
    ///
    /// Same as for [`Self::linear`].
    pub fn nearest(&self, xi: &Array) -> Result<Array> {
        let tensor = Tensor { kind: TensorKind::Nearest, ..self.0.clone() };
        tensor.evaluate("RegularGrid::nearest", xi, None)
    }
}

macro_rules! evaluated {
    ($name:ident, $evaluate:literal) => {
        impl $name {
            /// Takes NaN outside of the domain if false; by default the nearest cell is continued.
            ///
            /// SciPy's parameter `extrapolate`.
            pub fn extrapolate(mut self, extrapolate: bool) -> $name {
                self.0.fill = (!extrapolate).then_some(Complex64::new(f64::NAN, f64::NAN));
                self
            }

            /// Derivatives, of an order for each axis, at points, whose coordinates are along the last axis of `xi`.
            ///
            /// Without orders these are values. The result has the other axes of `xi`, then those of the coefficients that belong to no variable.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`] for another number of coordinates than there are variables.
            pub fn evaluate(&self, xi: &Array, nu: Option<&[usize]>) -> Result<Array> {
                self.0.evaluate($evaluate, xi, nu)
            }
        }
    };
}

/// Piecewise polynomial of several variables in powers of the distances from the lower knots of a cell, highest power first; SciPy's `NdPPoly`.
///
/// ```
/// use cuprum::scipy::interpolate::NdPPoly;
/// // 3 x y on one cell: the axes are the powers of x, of y, and the intervals of x and of y.
/// let c = cuprum::array([[[[3.0]], [[0.0]]], [[[0.0]], [[0.0]]]])?;
/// let axis = cuprum::array([0.0, 1.0])?;
/// let p = NdPPoly::new(&c, &[axis.clone(), axis])?;
/// assert_eq!(p.evaluate(&cuprum::array([[0.5, 2.0]])?, None)?.to_vec::<f64>()?, [3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NdPPoly(Tensor);

impl NdPPoly {
    /// Creates a polynomial of coefficients, whose axes are the powers of each variable, the intervals of each variable, and any others.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for shapes that do not fit; [`ErrorKind::NotImplemented`] for more than 160 powers of all variables.
    pub fn new(c: &Array, x: &[Array]) -> Result<NdPPoly> {
        if x.iter().any(|x| x.size() < 2) {
            return wrong("NdPPoly: a variable has fewer than two knots".into());
        }
        Tensor::new("NdPPoly", TensorKind::Powers, x, c, None).map(NdPPoly)
    }
}

evaluated!(NdPPoly, "NdPPoly::evaluate");

/// Sum of products of B-splines of several variables; SciPy's `NdBSpline`.
///
/// ```
/// use cuprum::scipy::interpolate::NdBSpline;
/// let t = cuprum::array([0.0, 0.0, 1.0, 1.0])?;
/// let p = NdBSpline::new(&[t.clone(), t], &cuprum::array([[0.0, 1.0], [2.0, 3.0]])?, &[1, 1])?;
/// assert_eq!(p.evaluate(&cuprum::array([[0.5, 0.25]])?, None)?.to_vec::<f64>()?, [1.25]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NdBSpline(Tensor);

impl NdBSpline {
    /// Creates a spline of a list of knots and a degree for each variable, and of coefficients with these axes and any others.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for shapes that do not fit; [`ErrorKind::NotImplemented`] for a degree above 31.
    pub fn new(t: &[Array], c: &Array, k: &[usize]) -> Result<NdBSpline> {
        if k.len() != t.len() {
            return wrong(format!("NdBSpline: {} degrees do not belong to {} lists of knots", k.len(), t.len()));
        }
        Tensor::new("NdBSpline", TensorKind::Spline, t, c, Some(k)).map(NdBSpline)
    }
}

evaluated!(NdBSpline, "NdBSpline::evaluate");
