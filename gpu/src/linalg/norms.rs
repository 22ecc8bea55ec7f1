//! Vector and matrix norms; NumPy's `linalg.norm`.
//!
//! Vector norms are one reduction of magnitudes or of their squares; matrix norms are a reduction along one axis and an
//! extreme along the other, or come from the singular values.

use std::fmt;

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};
use smallvec::SmallVec;

use super::matrices::{map, pair};
use crate::array::{Array, Axes};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, normalize_axes};
use crate::reduction::{Reduce, reduced, reduction};
use crate::scalar::Scalar;
use crate::table::{Argument, ParameterKind, Value};

/// Order of a norm.
///
/// Numbers convert to the p-norm; Python passes `"fro"`, `"nuc"`, `inf` and numbers.
///
/// ```
/// use cuprum::{array, linalg::{NormOptions, NormOrder, norm}};
/// let a = array([3.0, -4.0])?;
/// assert_eq!(norm(&a, ())?.item::<f64>()?, 5.0);
/// assert_eq!(norm(&a, NormOptions::new().ord(NormOrder::P(1.0)).axis(0))?.item::<f64>()?, 7.0);
/// assert_eq!(norm(&a, NormOptions::new().ord(NormOrder::P(f64::INFINITY)).axis(0))?.item::<f64>()?, 4.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum NormOrder {
    /// The Euclidean norm, or the Frobenius norm of matrices; over any axes.
    #[default]
    Euclidean,
    /// The p-norm. For vectors the sum of the magnitudes (1), the square root of the sum of squares (2), the largest or
    /// the smallest magnitude (infinity and its negative), the number of nonzero elements (0), or the root of the sum
    /// of powers. For matrices the largest or the smallest column sum (1, -1), row sum (infinity and its negative), or
    /// singular value (2, -2).
    P(f64),
    /// The Frobenius norm of matrices.
    Frobenius,
    /// The nuclear norm of matrices: the sum of the singular values.
    Nuclear,
}

impl Argument<'_> for NormOrder {
    const KIND: ParameterKind = ParameterKind::Float;
    const OPTIONAL: bool = true;

    fn read(value: &Value) -> Result<NormOrder> {
        match value {
            Value::Text(name) if name == "fro" => Ok(NormOrder::Frobenius),
            Value::Text(name) if name == "nuc" => Ok(NormOrder::Nuclear),
            Value::Text(name) => {
                let message = format!("the order `{name}` is no norm: a number, fro or nuc is expected");
                Err(Error::new(ErrorKind::Value, message))
            }
            other => Ok(Option::<f64>::read(other)?.map_or(NormOrder::Euclidean, NormOrder::P)),
        }
    }

    fn value(&self) -> Value {
        match self {
            NormOrder::Euclidean => Value::None,
            NormOrder::P(order) => Value::from(*order),
            NormOrder::Frobenius => Value::from("fro"),
            NormOrder::Nuclear => Value::from("nuc"),
        }
    }
}

impl fmt::Display for NormOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NormOrder::Euclidean => f.write_str("the Euclidean norm"),
            NormOrder::P(order) => write!(f, "order {order}"),
            NormOrder::Frobenius => f.write_str("the norm of Frobenius"),
            NormOrder::Nuclear => f.write_str("the nuclear norm"),
        }
    }
}

/// Converts a number to the norm of that order.
impl From<f64> for NormOrder {
    fn from(order: f64) -> NormOrder {
        NormOrder::P(order)
    }
}

impl From<i32> for NormOrder {
    fn from(order: i32) -> NormOrder {
        NormOrder::P(order.into())
    }
}

/// Options of [`norm`].
///
/// By default it is the Euclidean norm over all elements.
///
/// ```
/// use cuprum::{array, linalg::{NormOptions, norm}};
/// let a = array([[3.0, 4.0], [6.0, 8.0]])?;
/// assert_eq!(norm(&a, NormOptions::new().axis(1))?.to_vec::<f64>()?, [5.0, 10.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Options)]
pub struct NormOptions {
    /// The order of the norm. By default [`NormOrder::Euclidean`].
    #[from]
    #[keyword(ord)]
    pub order: NormOrder,
    /// The axis of the vectors, or the two axes of the matrices; by default the whole array is one vector.
    pub axis: Axes,
    /// If true, the reduced axes are kept with size 1. By default `false`.
    pub keepdims: bool,
}

/// Norm of vectors or matrices; NumPy's `linalg.norm`: the Euclidean norm over any axes, or along one or
/// two axes the orders of [`NormOrder`].
///
/// The result has the shape of `a` without the axes, or with axes of size 1 by `keepdims`. It is real, and
/// float64 for integers.
///
/// ```
/// use cuprum::linalg::{NormOptions, norm};
/// let a = cuprum::array([3.0, -4.0])?;
/// assert_eq!(norm(&a, ())?.item::<f64>()?, 5.0);
/// assert_eq!(norm(&a, NormOptions::new().ord(1).axis(0))?.item::<f64>()?, 7.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order over other than one or two axes, and for one that is not defined for matrices;
/// [`ErrorKind::Axis`].
#[routine(namespace = "numpy.linalg", names = "x")]
pub fn norm(a: &Array, options: NormOptions) -> Result<Array> {
    normed(a, options.order, &Reduce::from(options.axis).keepdims(options.keepdims))
}

fn normed(a: &Array, order: NormOrder, options: &Reduce) -> Result<Array> {
    let axes: SmallVec<[usize; 6]> = match &options.axes {
        None => (0..a.ndim()).collect(),
        Some(axes) => normalize_axes(axes, a.ndim())?.into_iter().collect(),
    };
    let plain = || reduction("norm_2")?.call(a, options.same_axes());
    match (order, axes.len()) {
        // Without an axis and an order, an array of any dimension is one vector.
        (NormOrder::Euclidean, _) if options.axes.is_none() => plain(),
        (NormOrder::Euclidean, 1 | 2) => plain(),
        (NormOrder::Frobenius, 2) => plain(),
        (NormOrder::P(p), 1) => of_vectors(a, p, options),
        (order, 2) if axes[0] != axes[1] => of_matrices(a, order, axes[0], axes[1], options.keepdims),
        _ => {
            let message = format!("{order} is no norm over {} axes: name one", axes.len());
            Err(Error::new(ErrorKind::Value, message))
        }
    }
}

/// Computes norms along one axis.
fn of_vectors(a: &Array, p: f64, options: &Reduce) -> Result<Array> {
    let named = |name: &str| reduction(name)?.call(a, options.same_axes());
    let (sizes, real) = (|| map("absolute", a), a.dtype().real());
    let real = if real.is_float() { real } else { DType::F64 };
    // The magnitude of the smallest integer is not representable in its dtype.
    let sizes = || {
        if a.dtype().is_float() || a.dtype().is_complex() { sizes() } else { map("absolute", &a.cast(real, Order::K)?) }
    };
    match p {
        1.0 => named("norm_1"),
        2.0 => named("norm_2"),
        f64::INFINITY => named("norm_inf"),
        f64::NEG_INFINITY => reduced("min", &sizes()?, &options.same_axes())?.cast(real, Order::K),
        0.0 => reduced("count_nonzero", a, &options.same_axes())?.cast(real, Order::K),
        p => {
            // Powers in float16 and bfloat16 overflow where the norm does not.
            let wide = if real.size() < 4 { DType::F32 } else { real };
            let powers = pair("power", &sizes()?.cast(wide, Order::K)?, Scalar::Float(p))?;
            let sum = reduced("sum", &powers, &options.same_axes())?;
            pair("power", &sum, Scalar::Float(1.0 / p))?.cast(real, Order::K)
        }
    }
}

/// Computes norms of the matrices formed by two axes.
fn of_matrices(a: &Array, order: NormOrder, rows: usize, columns: usize, keepdims: bool) -> Result<Array> {
    let transposed = a.moveaxis([rows, columns], [-2isize, -1])?;
    // Reduces the row or column sums to the largest or the smallest. The maximum over none is 0, the lower bound of
    // norms.
    let chosen = |sizes: &Array, end: &str| {
        let over = Reduce::axis(-1);
        let none = end == "max" && sizes.shape().last() == Some(&0);
        reduced(end, sizes, &if none { over.initial(0.0) } else { over })
    };
    let sums = |along: isize, end: &str| chosen(&reduction("norm_1")?.call(&transposed, Reduce::axis(along))?, end);
    let values = |end: &str| chosen(&super::singular::svdvals(&transposed)?, end);
    let result = match order {
        NormOrder::P(1.0) => sums(-2, "max"),
        NormOrder::P(-1.0) => sums(-2, "min"),
        NormOrder::P(f64::INFINITY) => sums(-1, "max"),
        NormOrder::P(f64::NEG_INFINITY) => sums(-1, "min"),
        NormOrder::P(2.0) => values("max"),
        NormOrder::P(-2.0) => values("min"),
        NormOrder::Nuclear => values("sum"),
        other => {
            let message = format!("{other} is no norm of matrices: 1, 2, infinity, their negatives and nuc are");
            Err(Error::new(ErrorKind::Value, message))
        }
    }?;
    if !keepdims {
        return Ok(result);
    }
    let axes = [rows.min(columns) as isize, rows.max(columns) as isize];
    result.expand_dims(axes)
}
