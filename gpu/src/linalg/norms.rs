//! Norms.

use std::fmt;

use cuprum_macros::{Options, routine};
use smallvec::SmallVec;

use crate::array::{Array, Axes};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::normalize_axes;
use crate::reduction::{Reduce, reduction};
use crate::table::{Argument, ParameterKind, Value};

/// Which norm of vectors is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum NormOrder {
    /// The Euclidean norm, of matrices the one of Frobenius; over any axes.
    #[default]
    Euclidean,
    /// The sum of the magnitudes, of their squares (2), or the largest one (infinity); along one axis.
    P(f64),
}

impl Argument<'_> for NormOrder {
    const KIND: ParameterKind = ParameterKind::Float;
    const OPTIONAL: bool = true;

    fn read(value: &Value) -> Result<NormOrder> {
        Ok(Option::<f64>::read(value)?.map_or(NormOrder::Euclidean, NormOrder::P))
    }

    fn value(&self) -> Value {
        match self {
            NormOrder::Euclidean => Value::None,
            NormOrder::P(order) => Value::from(*order),
        }
    }
}

impl fmt::Display for NormOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NormOrder::Euclidean => f.write_str("the Euclidean norm"),
            NormOrder::P(order) => write!(f, "order {order}"),
        }
    }
}

/// A number is the order itself.
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

/// Which norm, of what.
#[derive(Clone, Debug, Default, PartialEq, Options)]
pub struct NormOptions {
    /// Which norm.
    #[from]
    #[keyword(ord)]
    pub order: NormOrder,
    /// The axis that the vectors lie along, or the two of the matrices; without, the whole array is one vector.
    pub axis: Axes,
    /// Whether the axes stay, with size 1.
    pub keepdims: bool,
}

/// The norm of vectors; NumPy's `linalg.norm`, as far as it is one reduction: the Euclidean norm over any axes, and along
/// one axis the orders 1, 2 and infinity. Real; integers give float64.
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
/// [`ErrorKind::Value`] for an order along other than one axis, [`ErrorKind::NotImplemented`] for one of matrices and for
/// other numbers, [`ErrorKind::Axis`].
#[routine(namespace = "numpy.linalg", names = "x")]
pub fn norm(a: &Array, how: NormOptions) -> Result<Array> {
    normed(a, how.order, &Reduce::from(how.axis).keepdims(how.keepdims))
}

fn normed(a: &Array, order: NormOrder, how: &Reduce) -> Result<Array> {
    let axes: SmallVec<[usize; 6]> = match &how.axes {
        None => (0..a.ndim()).collect(),
        Some(axes) => normalize_axes(axes, a.ndim())?.into_iter().collect(),
    };
    let name = match order {
        // Without an axis and an order, of any array as one vector.
        NormOrder::Euclidean if how.axes.is_none() || matches!(axes.len(), 1 | 2) => "norm_2",
        NormOrder::P(p) if axes.len() == 2 => {
            let message = format!("order {p} of matrices is not implemented: along one axis it is a norm of vectors");
            return Err(Error::new(ErrorKind::NotImplemented, message));
        }
        _ if axes.len() != 1 => {
            let message = format!("{order} is no norm over {} axes: name one", axes.len());
            return Err(Error::new(ErrorKind::Value, message));
        }
        NormOrder::P(1.0) => "norm_1",
        NormOrder::P(f64::INFINITY) => "norm_inf",
        NormOrder::P(2.0) | NormOrder::Euclidean => "norm_2",
        NormOrder::P(p) => {
            return Err(Error::new(
                ErrorKind::NotImplemented,
                format!("order {p} is not implemented: 1, 2 and infinity are"),
            ));
        }
    };
    reduction(name)?.call(a, how.same_axes())
}
