//! NumPy's `gradient`, by its formulas, each step of which is rounded.

use cuprum_kernels::{DType, Kind};

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{Order, axis_indices};
use crate::core::value::{Value, max_finite, ulp};
use crate::numpy::math::difference::{DiffOptions, behind_each_other, call, diff, float, part};
use crate::table::{Arguments, Fault, counterparts};

/// Options of [`gradient`].
#[derive(Clone, Debug)]
pub struct GradientOptions<'a> {
    /// The spacing: none, one for all axes, or one for each: a scalar, or the coordinates of the elements.
    pub spacing: Vec<Operand<'a>>,
    /// The axes; `None` for all.
    pub axes: Option<Vec<isize>>,
    /// The order of accuracy at the ends, 1 or 2.
    pub edge_order: usize,
}

impl Default for GradientOptions<'_> {
    fn default() -> Self {
        GradientOptions { spacing: vec![], axes: None, edge_order: 1 }
    }
}

/// The spacing along one axis.
enum Spacing {
    Uniform(NdArray),
    Weak(Value),
    Each(NdArray),
}

impl Spacing {
    fn of(operand: &Operand<'_>, length: usize) -> Result<Spacing> {
        let x = match operand {
            Operand::Scalar(v) => return Ok(Spacing::Weak(*v)),
            Operand::Array(x) if x.ndim() == 0 => return Ok(Spacing::Uniform((*x).clone())),
            Operand::Array(x) if x.ndim() > 1 => return fail(ErrorKind::Value, "distances must be scalars or 1-d"),
            Operand::Array(x) => *x,
        };
        if x.size() != length {
            return fail(ErrorKind::Value, "distances must match the length of the axis");
        }
        let x = if x.dtype().is_integer() { x.astype(DType::F64, Order::K) } else { x.clone() };
        let d = diff(&x, &DiffOptions::default())?;
        let first = d.index(&[Index::At(0)])?;
        let same = call("equal", &[(&d).into(), (&first).into()])?;
        Ok(if same.values().iter().all(|v| v.truth()) { Spacing::Uniform(first) } else { Spacing::Each(d) })
    }
}

/// Computes the gradient along each axis, by central differences of second order in the interior.
///
/// # Errors
///
/// `TypeError` for booleans and a wrong number of spacings, `ValueError` for spacings of a wrong shape, an `edge_order`
/// above 2 or too few elements, `AxisError`.
pub fn gradient(f: &NdArray, options: &GradientOptions<'_>) -> Result<Vec<NdArray>> {
    let axes = match &options.axes {
        None => (0..f.ndim()).collect(),
        Some(axes) => axis_indices(axes, f.ndim(), "axis")?,
    };
    let given = &options.spacing;
    let spacing: Vec<Operand<'_>> = match &given[..] {
        [] => vec![float(1.0); axes.len()],
        [one @ Operand::Scalar(_)] => vec![one.clone(); axes.len()],
        [Operand::Array(one)] if one.ndim() == 0 => vec![Operand::Array(one); axes.len()],
        many if many.len() == axes.len() => many.to_vec(),
        _ => return fail(ErrorKind::Type, "invalid number of distances"),
    };
    let spacing: Vec<Spacing> =
        spacing.iter().zip(&axes).map(|(s, axis)| Spacing::of(s, f.shape()[*axis])).collect::<Result<_>>()?;
    if !matches!(options.edge_order, 1 | 2) {
        return fail(ErrorKind::Value, "edge_order is 1 or 2");
    }
    let f = if f.dtype().is_integer() { f.astype(DType::F64, Order::K) } else { f.clone() };
    let dtype = if matches!(f.dtype().kind(), Kind::Float | Kind::Complex) { f.dtype() } else { DType::F64 };
    axes.iter()
        .zip(&spacing)
        .map(|(&axis, spacing)| {
            let n = f.shape()[axis];
            if n < options.edge_order + 1 {
                return fail(ErrorKind::Value, "too few elements for a slope");
            }
            let slope = Slope { f: &f, axis, spacing };
            let second = options.edge_order == 2;
            let parts = [slope.end(true, second)?, slope.inner()?, slope.end(false, second)?];
            let values = behind_each_other(&parts, axis, |p| p.values());
            let flags = behind_each_other(&parts, axis, |p| p.flags());
            Ok(NdArray::from_order(dtype, f.shape(), &f.order_axes(Order::K), &values).with_flags(flags))
        })
        .collect()
}

struct Slope<'a> {
    f: &'a NdArray,
    axis: usize,
    spacing: &'a Spacing,
}

impl Slope<'_> {
    /// Returns the elements from one index of the axis to another.
    fn of(&self, start: isize, stop: Option<isize>) -> Result<NdArray> {
        part(self.f, self.axis, Some(start), stop)
    }

    /// Returns the spacings of pairs of neighbours, broadcast along the axis.
    fn distances(&self, d: &NdArray, start: isize, stop: Option<isize>) -> Result<NdArray> {
        let part = part(d, 0, Some(start), stop)?;
        let mut shape = vec![1; self.f.ndim()];
        shape[self.axis] = part.size() as isize;
        part.reshape(&shape, Order::C)
    }

    fn inner(&self) -> Result<NdArray> {
        let n = self.f.shape()[self.axis] as isize;
        let (left, right) = (self.of(0, Some(n - 2))?, self.of(2, None)?);
        let across = || call("subtract", &[(&right).into(), (&left).into()]);
        match self.spacing {
            Spacing::Weak(h) => call("true_divide", &[(&across()?).into(), Operand::Scalar(times(2.0, *h))]),
            Spacing::Uniform(h) => {
                let twice = call("multiply", &[float(2.0), h.into()])?;
                call("true_divide", &[(&across()?).into(), (&twice).into()])
            }
            Spacing::Each(d) => {
                let (d1, d2) = (&self.distances(d, 0, Some(n - 2))?, &self.distances(d, 1, None)?);
                let both = &add(d1, d2)?;
                let a = ratio(&minus(d2)?, &product(d1, both)?)?;
                let b = ratio(&call("subtract", &[d2.into(), d1.into()])?, &product(d1, d2)?)?;
                let c = ratio(d1, &product(d2, both)?)?;
                let middle = self.of(1, Some(n - 1))?;
                weighted([(&a).into(), (&b).into(), (&c).into()], [&left, &middle, &right])
            }
        }
    }

    fn end(&self, first: bool, second_order: bool) -> Result<NdArray> {
        let n = self.f.shape()[self.axis] as isize;
        let at = |i: isize| self.of(i, Some(i + 1));
        if !second_order {
            let later = if first { 1 } else { n - 1 };
            let rise = call("subtract", &[(&at(later)?).into(), (&at(later - 1)?).into()])?;
            return match self.spacing {
                Spacing::Weak(h) => call("true_divide", &[(&rise).into(), Operand::Scalar(*h)]),
                Spacing::Uniform(h) => ratio(&rise, h),
                Spacing::Each(d) => ratio(&rise, &self.distances(d, later - 1, Some(later))?),
            };
        }
        let start = if first { 0 } else { n - 3 };
        let outer = [&at(start)?, &at(start + 1)?, &at(start + 2)?];
        let factors = if first { [-1.5, 2.0, -0.5] } else { [0.5, -2.0, 1.5] };
        match self.spacing {
            Spacing::Weak(h) => weighted(factors.map(|x| Operand::Scalar(over(x, *h))), outer),
            Spacing::Uniform(h) => {
                let [a, b, c] = factors.map(|x| call("true_divide", &[float(x), h.into()]));
                weighted([(&a?).into(), (&b?).into(), (&c?).into()], outer)
            }
            Spacing::Each(d) => {
                let d1 = &self.distances(d, start, Some(start + 1))?;
                let d2 = &self.distances(d, start + 1, Some(start + 2))?;
                let both = &add(d1, d2)?;
                let twice = |x: &NdArray, y: &NdArray| add(&call("multiply", &[float(2.0), x.into()])?, y);
                let [a, b, c] = if first {
                    [
                        ratio(&minus(&twice(d1, d2)?)?, &product(d1, both)?)?,
                        ratio(both, &product(d1, d2)?)?,
                        ratio(&minus(d1)?, &product(d2, both)?)?,
                    ]
                } else {
                    [
                        ratio(d2, &product(d1, both)?)?,
                        ratio(&minus(both)?, &product(d1, d2)?)?,
                        ratio(&twice(d2, d1)?, &product(d2, both)?)?,
                    ]
                };
                weighted([(&a).into(), (&b).into(), (&c).into()], outer)
            }
        }
    }
}

fn add(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    call("add", &[a.into(), b.into()])
}

fn product(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    call("multiply", &[a.into(), b.into()])
}

fn ratio(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    call("true_divide", &[a.into(), b.into()])
}

fn minus(a: &NdArray) -> Result<NdArray> {
    call("negative", &[a.into()])
}

/// Multiplies a host scalar by a factor.
fn times(factor: f64, h: Value) -> Value {
    match h {
        Value::Complex(z) => Value::Complex(z * factor),
        h => Value::Float(h.float() * factor),
    }
}

/// Divides a factor by a host scalar.
fn over(factor: f64, h: Value) -> Value {
    match h {
        Value::Complex(z) => Value::Complex(factor / z),
        h => Value::Float(factor / h.float()),
    }
}

/// Computes `a x + b y + c z`, from the left.
fn weighted([a, b, c]: [Operand<'_>; 3], [x, y, z]: [&NdArray; 3]) -> Result<NdArray> {
    let two = add(&call("multiply", &[a, x.into()])?, &call("multiply", &[b, y.into()])?)?;
    add(&two, &call("multiply", &[c, z.into()])?)
}

fn parse_options(t: &Arguments) -> std::result::Result<GradientOptions<'_>, Fault> {
    Ok(GradientOptions { spacing: t.or("spacing", vec![])?, axes: t.get("axis")?, edge_order: t.or("edge_order", 1)? })
}

/// Bounds the error. Complex results are sums of products and quotients that may cancel; real steps are rounded one by
/// one, as they are here.
fn bounds(t: &Arguments) -> std::result::Result<Option<Vec<f64>>, Fault> {
    /// Units of the modulus of each product and quotient of a complex result: those exceed the result, or the terms
    /// that cancel in it, by no more than the ratio of the spacings.
    const STEPS: f64 = 16.0;
    let f: &NdArray = t.get("f")?;
    if !f.dtype().is_complex() {
        return Ok(None);
    }
    let size = |v: &Value| v.complex().norm();
    let largest = f.values().iter().map(size).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let slopes = gradient(f, &parse_options(t)?)?;
    let bound = STEPS * ulp((4.0 * largest).min(max_finite(f.dtype())), f.dtype());
    Ok(Some(vec![bound; slopes.iter().map(NdArray::size).sum()]))
}

counterparts! {
    "numpy.gradient" = |t| gradient(t.get("f")?, &parse_options(t)?), bounds |t| bounds(t)?;
}
