//! Coordinate grids: `meshgrid`, `indices`, `mgrid` and `ogrid`.
//!
//! Sparse grids are views of the coordinate vectors, with size 1 along the other axes; dense ones are one copy for each
//! axis.

use std::ops::Range;

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine, unrecorded};

use super::arange_of;
use crate::array::{Array, IntoArgument, IntoOptional, IntoShape, checked_shape};
use crate::cuda::Device;
use crate::dtype::result_type;
use crate::engine::{self, Form, Generating};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, broadcast_shapes};
use crate::scalar::{OperandType, Scalar};

/// Axis order of [`meshgrid`].
///
/// NumPy spells them `"xy"` and `"ij"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum Indexing {
    /// Cartesian: the first array runs along the second axis, as in a plot.
    #[default]
    Xy,
    /// Matrix: the first array runs along the first axis.
    Ij,
}

/// Options of [`meshgrid`].
///
/// ```
/// use cuprum::{Indexing, MeshgridOptions, array, meshgrid};
/// let (x, y) = (array([1, 2, 3])?, array([10, 20])?);
/// assert_eq!(meshgrid(&[&x, &y], ())?[0].shape(), [2, 3]);
/// assert_eq!(meshgrid(&[&x, &y], Indexing::Ij)?[0].shape(), [3, 2]);
/// let sparse = meshgrid(&[&x, &y], MeshgridOptions::new().sparse(true))?;
/// assert_eq!((sparse[0].shape(), sparse[1].shape()), (&[1, 3][..], &[2, 1][..]));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct MeshgridOptions {
    /// If true, the results are new arrays, otherwise broadcast views of the arguments. By default `true`.
    pub copy: bool,
    /// If true, each result has size 1 along all axes but its own. By default `false`.
    pub sparse: bool,
    /// The order of the first two axes. By default [`Indexing::Xy`].
    #[from]
    pub indexing: Indexing,
}

impl Default for MeshgridOptions {
    fn default() -> Self {
        MeshgridOptions { copy: true, sparse: false, indexing: Indexing::Xy }
    }
}

/// Coordinate matrices from coordinate vectors; NumPy's `meshgrid`.
///
/// ```
/// use cuprum::{Indexing, MeshgridOptions, array, meshgrid};
/// let (x, y) = (array([1, 2, 3])?, array([10, 20])?);
/// let grid = meshgrid([&x, &y], ())?;
/// assert_eq!(grid[0].to_vec::<i32>()?, [1, 2, 3, 1, 2, 3]);
/// assert_eq!(grid[1].to_vec::<i32>()?, [10, 10, 10, 20, 20, 20]);
/// let views = meshgrid([&x, &y], MeshgridOptions::new().copy(false).indexing(Indexing::Ij))?;
/// assert!(views[0].may_share_memory(&x) && views[0].shape() == [3, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for more axes than an array can have, [`ErrorKind::OutOfMemory`].
#[routine(names = "xi", keywords = "xi copy sparse indexing", python(keyword_only = 3, varargs = "xi"))]
pub fn meshgrid(arrays: &[&Array], options: MeshgridOptions) -> Result<Vec<Array>> {
    let n = arrays.len();
    let along = |k: usize| match k {
        0 | 1 if options.indexing == Indexing::Xy && n > 1 => 1 - k,
        k => k,
    };
    let lines: Vec<Array> = arrays.iter().enumerate().map(|(k, a)| on_axis(a, along(k), n)).collect::<Result<_>>()?;
    let shape = broadcast_shapes(&lines.iter().map(Array::shape).collect::<Vec<_>>())?;
    let grid = lines.iter().map(|line| {
        let seen = if options.sparse { line.clone() } else { line.broadcast_to_shape(&shape)? };
        if options.copy { seen.copy(Order::C) } else { Ok(seen) }
    });
    grid.collect()
}

/// Reshapes an array to extend along one of `n` axes.
fn on_axis(a: &Array, axis: usize, n: usize) -> Result<Array> {
    let mut shape = vec![1; n];
    shape[axis] = a.size() as i64;
    a.reshape(shape)
}

/// Returns the indices of all elements of a shape, along each axis; NumPy's `indices`. The first axis of the result
/// selects the axis. The dtype is int64 by default.
///
/// ```
/// let at = cuprum::indices([2, 3], None)?;
/// assert_eq!(at.shape(), [2, 2, 3]);
/// assert_eq!(at.to_vec::<i64>()?, [0, 0, 0, 1, 1, 1, 0, 1, 2, 0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`empty`](fn@super::empty), and [`ErrorKind::Type`] for booleans with an axis longer than two.
pub fn indices(dimensions: impl IntoShape, dtype: impl IntoOptional<DType>) -> Result<Array> {
    filled(&dimensions.into_shape(), dtype.into_optional()).map_err(|e| e.with_op("indices"))
}

/// Returns open index grids, of size 1 along all axes but one; NumPy's `indices` with `sparse`.
///
/// ```
/// let at = cuprum::indices_sparse([2, 3], None)?;
/// assert_eq!((at[0].shape(), at[1].shape()), ([2, 1].as_slice(), [1, 3].as_slice()));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`indices`].
#[unrecorded("`numpy.indices` with `sparse`")]
pub fn indices_sparse(dimensions: impl IntoShape, dtype: impl IntoOptional<DType>) -> Result<Vec<Array>> {
    let go = || numbered(&checked_shape(&dimensions.into_shape())?, dtype.into_optional().unwrap_or(DType::I64));
    go().map_err(|e: Error| e.with_op("indices"))
}

fn numbered(shape: &[usize], dtype: DType) -> Result<Vec<Array>> {
    let line = |(axis, n): (usize, &usize)| on_axis(&arange_of(0, *n, 1, dtype)?, axis, shape.len());
    shape.iter().enumerate().map(line).collect()
}

fn filled(shape: &[i64], dtype: Option<DType>) -> Result<Array> {
    let (shape, dtype) = (checked_shape(shape)?, dtype.unwrap_or(DType::I64));
    dense(&numbered(&shape, dtype)?, &shape, dtype)
}

/// Broadcasts 1-D arrays over the whole grid and stacks them along a new first axis.
fn dense(lines: &[Array], shape: &[usize], dtype: DType) -> Result<Array> {
    let all: Vec<usize> = [lines.len()].iter().chain(shape).copied().collect();
    let out = engine::make::empty(Device::current()?, &all, dtype)?;
    for (axis, line) in lines.iter().enumerate() {
        out.index(s![axis as i64])?.assign(line)?;
    }
    Ok(out)
}

/// An axis of [`mgrid`] and [`ogrid`]; NumPy writes it as a slice.
///
/// | NumPy | here |
/// |---|---|
/// | `0:5` | `0..5`, or `GridAxis::new(0, 5)` |
/// | `0:1:0.25` | `GridAxis::new(0, 1).step(0.25)` |
/// | `-1:1:9j` | `GridAxis::new(-1, 1).points(9)` |
///
/// ```
/// use cuprum::{GridAxis, mgrid};
/// let grid = mgrid([GridAxis::new(0, 4).step(2), GridAxis::new(0.0, 1.0).points(3)])?;
/// assert_eq!(grid.shape(), [2, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridAxis {
    /// First value.
    start: Scalar,
    /// End, which is excluded unless a number of points is passed.
    stop: Scalar,
    /// Step, or number of points.
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// A step between neighbours; the end is excluded.
    By(Scalar),
    /// A number of points; the end is included.
    Points(usize),
}

impl GridAxis {
    /// Creates an axis from `start` in steps of 1, excluding `stop`.
    pub fn new(start: impl IntoArgument<Scalar>, stop: impl IntoArgument<Scalar>) -> GridAxis {
        GridAxis { start: start.into(), stop: stop.into(), step: Step::By(1.into()) }
    }

    /// Sets the step.
    pub fn step(self, step: impl IntoArgument<Scalar>) -> GridAxis {
        GridAxis { step: Step::By(step.into()), ..self }
    }

    /// Sets the number of equidistant points, including the end; NumPy's imaginary step.
    pub fn points(self, points: usize) -> GridAxis {
        GridAxis { step: Step::Points(points), ..self }
    }

    /// Returns the operands that determine the dtype.
    fn types(&self) -> [OperandType; 3] {
        let step = match self.step {
            Step::By(step) => step,
            Step::Points(n) => Scalar::Float(n as f64),
        };
        [self.start, self.stop, step].map(OperandType::Scalar)
    }

    /// Returns the number of points and the step.
    fn steps(&self) -> Result<(usize, Scalar)> {
        match self.step {
            Step::By(step) => Ok((super::arange::length(self.start, self.stop, step)?, step)),
            Step::Points(1) => Ok((1, 1.into())),
            Step::Points(n) => Ok((n, Scalar::Float((self.stop.real() - self.start.real()) / (n as f64 - 1.0)))),
        }
    }

    /// Returns whether the step leads away from the end, so that the number of points would be negative.
    fn runs_backwards(&self) -> bool {
        match self.step {
            Step::By(step) => ((self.stop.real() - self.start.real()) / step.real()).ceil() < 0.0,
            Step::Points(_) => false,
        }
    }

    /// Computes the coordinates: index times step plus start.
    fn line(&self, dtype: DType) -> Result<Array> {
        let (n, step) = self.steps()?;
        if !dtype.is_float() {
            let out = engine::make::empty(Device::current()?, &[n], dtype)?;
            engine::arange(&out, self.start, super::arange::next(self.start, step))?;
            return Ok(out);
        }
        let out = engine::make::empty(Device::current()?, &[n], dtype)?;
        let numbers = [self.start, Scalar::Float(step.real()), 0.into()];
        Generating { numbers, integers: [-1, 0, 0, 0], ..Generating::new(Form::Steps, 0, &[1], &out) }.run()?;
        Ok(out)
    }
}

impl<T: Into<Scalar>> From<Range<T>> for GridAxis {
    fn from(range: Range<T>) -> GridAxis {
        GridAxis::new(range.start, range.end)
    }
}

/// Dense coordinate grid, with an entry of the first axis for each grid axis; NumPy's `mgrid`.
///
/// The result has the shape `[axes, points of the first axis, points of the second, …]`, and the dtype to
/// which the axes are promoted: int64 if all have integer bounds and steps, else float64.
///
/// ```
/// use cuprum::{GridAxis, mgrid};
/// let at = mgrid([GridAxis::from(0..2), GridAxis::new(-1, 1).points(3)])?;
/// assert_eq!(at.shape(), [2, 2, 3]);
/// assert_eq!(at.to_vec::<f64>()?, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::ZeroDivision`] for a step of 0, [`ErrorKind::Value`] for one that leads away from the end (for which
/// [`ogrid`] returns no points), [`ErrorKind::Type`] for complex numbers, [`ErrorKind::OutOfMemory`].
pub fn mgrid<A: Into<GridAxis>>(axes: impl IntoIterator<Item = A>) -> Result<Array> {
    let go = || {
        let axes: Vec<GridAxis> = axes.into_iter().map(Into::into).collect();
        if let Some(axis) = axes.iter().position(GridAxis::runs_backwards) {
            let GridAxis { start, stop, .. } = axes[axis];
            let message = format!("axis {axis} runs from {start:?} away from {stop:?}: turn the sign of its step");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let (lines, dtype) = lines(&axes)?;
        let shape: Vec<usize> = lines.iter().map(Array::size).collect();
        dense(&lines, &shape, dtype)
    };
    go().map_err(|e: Error| e.with_op("mgrid"))
}

/// Open coordinate grid, of size 1 along all axes but one; NumPy's `ogrid`.
///
/// ```
/// let at = cuprum::ogrid([0..2, 0..3])?;
/// assert_eq!((at[0].shape(), at[1].shape()), ([2, 1].as_slice(), [1, 3].as_slice()));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`mgrid`].
pub fn ogrid<A: Into<GridAxis>>(axes: impl IntoIterator<Item = A>) -> Result<Vec<Array>> {
    let go = || Ok(lines(&axes.into_iter().map(Into::into).collect::<Vec<_>>())?.0);
    go().map_err(|e: Error| e.with_op("ogrid"))
}

/// Returns the coordinates along each axis, and their common dtype.
fn lines(axes: &[GridAxis]) -> Result<(Vec<Array>, DType)> {
    let types: Vec<OperandType> =
        axes.iter().flat_map(GridAxis::types).chain([OperandType::Scalar(0.into())]).collect();
    let dtype = result_type(&types)?;
    if dtype.is_complex() {
        return Err(Error::new(
            ErrorKind::Type,
            "the ends of a grid are real: `points` says how many numbers there are",
        ));
    }
    let line = |(k, axis): (usize, &GridAxis)| on_axis(&axis.line(dtype)?, k, axes.len());
    Ok((axes.iter().enumerate().map(line).collect::<Result<_>>()?, dtype))
}

/// NumPy's signatures, for the call table.
mod forms {
    use super::*;

    /// Returns the indices of all elements of a shape, along each axis.
    #[routine(names = "dimensions dtype sparse", dtype = DType::I64, sparse = false)]
    fn indices(shape: impl IntoShape, dtype: DType, sparse: bool) -> Result<(Option<Array>, Option<Vec<Array>>)> {
        if sparse {
            return Ok((None, Some(super::indices_sparse(shape, dtype)?)));
        }
        Ok((Some(super::indices(shape, dtype)?), None))
    }

    /// Converts slices, as lists of starts, stops and steps: an imaginary step is a number of points.
    fn axes(start: &[Scalar], stop: &[Scalar], step: &[Scalar]) -> Vec<GridAxis> {
        let one = |((start, stop), step): ((&Scalar, &Scalar), &Scalar)| match step {
            Scalar::Complex(points) => GridAxis::new(*start, *stop).points(points.norm() as usize),
            step => GridAxis::new(*start, *stop).step(*step),
        };
        start.iter().zip(stop).zip(step).map(one).collect()
    }

    /// Dense coordinate grid.
    #[routine(no_programs = "takes host ranges only, which its conformance cases pass")]
    fn mgrid(start: &[Scalar], stop: &[Scalar], step: &[Scalar]) -> Result<Array> {
        super::mgrid(axes(start, stop, step))
    }

    /// Open coordinate grid.
    #[routine(no_programs = "takes host ranges only, which its conformance cases pass")]
    fn ogrid(start: &[Scalar], stop: &[Scalar], step: &[Scalar]) -> Result<Vec<Array>> {
        super::ogrid(axes(start, stop, step))
    }
}
