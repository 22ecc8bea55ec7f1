//! Numerical gradient; NumPy's `gradient`.
//!
//! Each axis takes one launch, whose formula depends on the position and on the spacing.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Options, routine};

use super::difference::{DiffOptions, differences};
use crate::array::Index;
use crate::array::{Array, Axes, Operand};
use crate::cuda::Device;
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, normalize_axes, shape_text};
use crate::routines::{creation, logic, math};
use crate::scalar::Scalar;
use crate::scan::part;

/// Options of [`gradient`].
///
/// By default the spacing is 1 along all axes and the order of accuracy at the boundaries 1.
///
/// ```
/// use cuprum::{GradientOptions, array, gradient};
/// let a = array([0.0, 1.0, 4.0])?;
/// let half_steps = GradientOptions { spacing: vec![0.5.into()], ..Default::default() };
/// assert_eq!(gradient(&a, half_steps)?[0].to_vec::<f64>()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Options)]
pub struct GradientOptions<'a> {
    /// The spacing of samples: none for 1, one scalar for all axes, or for each axis a scalar or a 1-D array of sample
    /// positions.
    #[from]
    pub spacing: Vec<Operand<'a>>,
    /// The axes; by default all.
    #[keyword(axis)]
    pub axes: Axes,
    /// The order of accuracy at the boundaries: 1 or 2. By default 1.
    pub edge_order: usize,
}

impl Default for GradientOptions<'_> {
    fn default() -> Self {
        GradientOptions { spacing: vec![], axes: Axes::default(), edge_order: 1 }
    }
}

/// Gradient along each axis, by central differences in the interior and one-sided differences at the boundaries;
/// NumPy's `gradient`. The result is one array for each axis.
///
/// Each has the shape of `f` and its floating-point or complex dtype, float64 for integers.
///
/// ```
/// use cuprum::{array, gradient};
/// let f = array([1.0, 2.0, 4.0, 7.0])?;
/// let slopes = gradient(&f, ())?;
/// assert_eq!(slopes[0].to_vec::<f64>()?, [1.0, 1.5, 2.5, 3.0]);
/// assert_eq!(gradient(&f, 0.5)?[0].to_vec::<f64>()?, [2.0, 3.0, 5.0, 6.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for booleans and for a number of spacings that does not match the axes, [`ErrorKind::Value`] for
/// positions that are not a 1-D array of the axis' length, for an `edge_order` other than 1 and 2 and for an axis of no
/// more elements than that, [`ErrorKind::Axis`].
///
/// # Synchronization
///
/// Synchronises if sample positions are passed: as in NumPy, equidistant positions are treated as a uniform spacing.
#[routine(
    python(keyword_only = 2, varargs = "spacing", rounded = [("edge_order", Rounding::Cut)], axis = AxisForm::Sequence)
)]
pub fn gradient(f: &Array, options: GradientOptions<'_>) -> Result<Vec<Array>> {
    slopes(f, &options)
}

/// The spacing along an axis: uniform, or one for each pair of neighbours.
enum Spacing {
    Weak(Scalar),
    Strong(Array),
    Each(Array),
}

impl Spacing {
    fn new(operand: &Operand<'_>, length: usize) -> Result<Spacing> {
        let rejected = |message: String| Err(Error::new(ErrorKind::Value, message));
        let x = match operand {
            Operand::Scalar(s) => return Ok(Spacing::Weak(*s)),
            Operand::Array(x) if x.ndim() == 0 => return Ok(Spacing::Strong((*x).clone())),
            Operand::Array(x) => x,
        };
        if x.ndim() != 1 || x.size() != length {
            let shape = shape_text(x.shape());
            return rejected(format!("positions of shape {shape} are not those of an axis of length {length}"));
        }
        // Differences of integers could wrap.
        let x = if x.dtype().is_integer() { x.astype(DType::F64)? } else { (*x).clone() };
        let d = differences(&x, &DiffOptions::default())?;
        let first = d.index([Index::At(0)])?;
        let even = logic::all(&logic::equal(&d, &first)?, ())?.item::<bool>()?;
        Ok(if even { Spacing::Strong(first) } else { Spacing::Each(d) })
    }

    /// Returns the spacings from pair `start` to pair `stop`, exclusive, reshaped to an axis of `ndim`.
    fn at(&self, start: i64, stop: Option<i64>, axis: usize, ndim: usize) -> Result<Distance> {
        match self {
            Spacing::Weak(s) => Ok(Distance::Weak(*s)),
            Spacing::Strong(d) => Ok(Distance::Strong(d.clone())),
            Spacing::Each(d) => {
                let part = match stop {
                    Some(stop) => part(d, 0, start..stop)?,
                    None => part(d, 0, start..)?,
                };
                let mut shape = vec![1; ndim];
                shape[axis] = part.size() as i64;
                Ok(Distance::Strong(part.reshape(shape)?))
            }
        }
    }
}

/// A spacing as an operand of a formula.
enum Distance {
    Weak(Scalar),
    Strong(Array),
}

impl Distance {
    fn operand(&self) -> Operand<'_> {
        match self {
            Distance::Weak(s) => Operand::Scalar(*s),
            Distance::Strong(a) => Operand::Array(a),
        }
    }

    /// Multiplies the spacing by `factor`.
    fn times(&self, factor: f64) -> Result<Distance> {
        Ok(match self {
            Distance::Weak(Scalar::Complex(z)) => Distance::Weak(Scalar::Complex(*z * factor)),
            Distance::Weak(s) => Distance::Weak(Scalar::Float(s.real() * factor)),
            Distance::Strong(a) => Distance::Strong(math::multiply(factor, a)?),
        })
    }

    /// Divides `factor` by the spacing.
    fn under(&self, factor: f64) -> Result<Distance> {
        Ok(match self {
            Distance::Weak(Scalar::Complex(z)) => Distance::Weak(Scalar::Complex(factor / *z)),
            Distance::Weak(s) => Distance::Weak(Scalar::Float(factor / s.real())),
            Distance::Strong(a) => Distance::Strong(math::true_divide(factor, a)?),
        })
    }
}

fn slopes(f: &Array, options: &GradientOptions<'_>) -> Result<Vec<Array>> {
    let axes: Dims = match options.axes.as_slice() {
        None => (0..f.ndim()).collect(),
        Some(axes) => normalize_axes(axes, f.ndim())?,
    };
    let one = [Operand::Scalar(Scalar::Float(1.0))];
    let given = if options.spacing.is_empty() { &one[..] } else { &options.spacing[..] };
    let same = given.len() == 1 && !matches!(given[0], Operand::Array(x) if x.ndim() > 0);
    if !same && given.len() != axes.len() {
        let message = format!("{} distances do not go with {} axes", given.len(), axes.len());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let spacings: Vec<Spacing> = axes
        .iter()
        .enumerate()
        .map(|(k, &axis)| Spacing::new(&given[if same { 0 } else { k }], f.shape()[axis]))
        .collect::<Result<_>>()?;
    if !matches!(options.edge_order, 1 | 2) {
        return Err(Error::new(ErrorKind::Value, format!("edge_order is 1 or 2, not {}", options.edge_order)));
    }
    // Differences of integers could wrap.
    let f = if f.dtype().is_integer() { f.astype(DType::F64)? } else { f.clone() };
    let dtype = if matches!(f.dtype().kind(), Kind::Float | Kind::Complex) { f.dtype() } else { DType::F64 };
    axes.iter()
        .zip(&spacings)
        .map(|(&axis, spacing)| {
            if f.shape()[axis] < options.edge_order + 1 {
                let (has, needs) = (f.shape()[axis], options.edge_order + 1);
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("axis {axis} has {has} elements, {needs} are needed for edge_order {}", options.edge_order),
                ));
            }
            let out = creation::empty_like(&f, Some(dtype))?;
            Slopes { f: &f, out: &out, axis, spacing }.run(options.edge_order)?;
            Ok(out)
        })
        .collect()
}

/// The computation of the gradient along one axis.
struct Slopes<'a> {
    f: &'a Array,
    out: &'a Array,
    axis: usize,
    spacing: &'a Spacing,
}

impl Slopes<'_> {
    fn run(&self, edge_order: usize) -> Result<()> {
        let (axis, ndim, n) = (self.axis, self.f.ndim(), self.f.shape()[self.axis] as i64);
        let at = |i: i64| part(self.f, axis, i..i + 1);
        let distance = |start, stop| self.spacing.at(start, stop, axis, ndim);
        // Interior: the parabola through three neighbours.
        let (left, middle, right) =
            (part(self.f, axis, ..-2)?, part(self.f, axis, 1..n - 1)?, part(self.f, axis, 2..)?);
        let inner = match self.spacing {
            Spacing::Each(_) => {
                let (d1, d2) = (distance(0, Some(-1))?, distance(1, None)?);
                let (d1, d2) = (&array_of(&d1, self.f.device())?, &array_of(&d2, self.f.device())?);
                let sum = &math::add(d1, d2)?;
                let a = math::true_divide(&math::negative(d2)?, &math::multiply(d1, sum)?)?;
                let b = math::true_divide(&math::subtract(d2, d1)?, &math::multiply(d1, d2)?)?;
                let c = math::true_divide(d1, &math::multiply(d2, sum)?)?;
                weighted([(&a).into(), (&b).into(), (&c).into()], [&left, &middle, &right])?
            }
            _ => {
                let twice = distance(0, None)?.times(2.0)?;
                math::true_divide(&math::subtract(&right, &left)?, twice.operand())?
            }
        };
        engine::copy(&inner, &part(self.out, axis, 1..n - 1)?)?;
        let (first, last) = if edge_order == 1 {
            let slope = |later: i64, d: Distance| {
                math::true_divide(&math::subtract(&at(later)?, &at(later - 1)?)?, d.operand())
            };
            (slope(1, distance(0, Some(1))?)?, slope(n - 1, distance(-1, None)?)?)
        } else {
            // Boundary: the end of the parabola through the outermost three elements.
            let ends = |outer: [i64; 3], [a, b, c]: [Distance; 3]| {
                let [x, y, z] = outer.map(at);
                weighted([a.operand(), b.operand(), c.operand()], [&x?, &y?, &z?])
            };
            let first = self.end_weights(distance(0, Some(1))?, distance(1, Some(2))?, true)?;
            let before_last = match self.spacing {
                Spacing::Each(d) => d.size() as i64 - 2,
                _ => 0,
            };
            let last = self.end_weights(distance(before_last, Some(before_last + 1))?, distance(-1, None)?, false)?;
            (ends([0, 1, 2], first)?, ends([n - 3, n - 2, n - 1], last)?)
        };
        engine::copy(&first, &part(self.out, axis, ..1)?)?;
        engine::copy(&last, &part(self.out, axis, n - 1..)?)
    }

    /// Returns the weights of the outermost three elements for the slope at the first or the last of them, with
    /// spacings `d1` and `d2`.
    fn end_weights(&self, d1: Distance, d2: Distance, first: bool) -> Result<[Distance; 3]> {
        if !matches!(self.spacing, Spacing::Each(_)) {
            let factors = if first { [-1.5, 2.0, -0.5] } else { [0.5, -2.0, 1.5] };
            let [a, b, c] = factors.map(|factor| d1.under(factor));
            return Ok([a?, b?, c?]);
        }
        let (d1, d2) = (&array_of(&d1, self.f.device())?, &array_of(&d2, self.f.device())?);
        let sum = &math::add(d1, d2)?;
        let weight = |above: &Array, below: Array| math::true_divide(above, &below).map(Distance::Strong);
        let minus = |x: &Array| math::negative(x);
        Ok(if first {
            let twice = math::add(&math::multiply(2.0, d1)?, d2)?;
            [
                weight(&minus(&twice)?, math::multiply(d1, sum)?)?,
                weight(sum, math::multiply(d1, d2)?)?,
                weight(&minus(d1)?, math::multiply(d2, sum)?)?,
            ]
        } else {
            let twice = math::add(&math::multiply(2.0, d2)?, d1)?;
            [
                weight(d2, math::multiply(d1, sum)?)?,
                weight(&minus(sum)?, math::multiply(d1, d2)?)?,
                weight(&twice, math::multiply(d2, sum)?)?,
            ]
        })
    }
}

fn array_of(d: &Distance, device: Device) -> Result<Array> {
    d.operand().strong(Some(device))
}

/// Computes `a x + b y + c z`, from left to right.
fn weighted([a, b, c]: [Operand<'_>; 3], [x, y, z]: [&Array; 3]) -> Result<Array> {
    let two = math::add(&math::multiply(a, x)?, &math::multiply(b, y)?)?;
    math::add(&two, &math::multiply(c, z)?)
}
