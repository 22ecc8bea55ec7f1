//! Phases without jumps.

use cuprum_macros::{Options, routine};

use super::differences::{DiffOptions, differences};
use crate::array::{Array, Operand};
use crate::dtype::result_type;
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, normalize_axis};
use crate::routines::{logic, math, searching};
use crate::scalar::{OperandType, Scalar};
use crate::scan::{ScanOptions, cumsum, part};

/// What counts as a jump for [`unwrap`].
#[derive(Clone, Copy, Debug, Options)]
pub struct UnwrapOptions {
    /// The least distance of neighbours that is one; half of the period unless said, and never less.
    #[from]
    pub discont: Option<Scalar>,
    /// The axis along which neighbours stand.
    pub axis: isize,
    /// By what values that differ are the same: 2π unless said. Integers stay integers with an integer period.
    pub period: Scalar,
}

impl Default for UnwrapOptions {
    fn default() -> Self {
        UnwrapOptions { discont: None, axis: -1, period: Scalar::Float(std::f64::consts::TAU) }
    }
}

/// The elements with multiples of a period added, so that no neighbours along an axis are further apart than half of it;
/// NumPy's `unwrap`.
///
/// ```
/// use cuprum::{UnwrapOptions, array, unwrap};
/// let degrees = array([350, 355, 0, 5])?;
/// let whole = UnwrapOptions::new().period(360);
/// assert_eq!(unwrap(&degrees, whole)?.to_vec::<i32>()?, [350, 355, 360, 365]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array without axes, [`ErrorKind::Axis`], and [`ErrorKind::Type`] for complex numbers.
#[routine]
pub fn unwrap(p: &Array, options: UnwrapOptions) -> Result<Array> {
    unwrapped(p, options)
}

fn unwrapped(p: &Array, UnwrapOptions { discont, axis, period }: UnwrapOptions) -> Result<Array> {
    if p.dtype().is_complex() || matches!(period, Scalar::Complex(_)) {
        return Err(Error::new(ErrorKind::Type, "complex numbers have no order: take their angle first"));
    }
    let dd = differences(p, &DiffOptions { axis, ..DiffOptions::default() })?;
    let axis = normalize_axis(axis, p.ndim())?;
    let dtype = result_type(&[OperandType::from(&dd), OperandType::Scalar(period)])?;
    let half = Scalar::Float(period.real() / 2.0);
    // Half of a whole period is whole, or no difference of integers is just that.
    let (high, ambiguous) = match period {
        Scalar::Int(n) if dtype.is_integer() => (Scalar::Int(n.div_euclid(2)), n.rem_euclid(2) == 0),
        Scalar::Bool(b) if dtype.is_integer() => (Scalar::Int(0), !b),
        _ => (half, true),
    };
    let low = match high {
        Scalar::Int(n) => Scalar::Int(-n),
        other => Scalar::Float(-other.real()),
    };
    let number = Operand::Scalar;
    let mut near = math::add(&math::remainder(&math::subtract(&dd, number(low))?, number(period))?, number(low))?;
    if ambiguous {
        let up = logic::logical_and(&logic::equal(&near, number(low))?, &logic::greater(&dd, 0)?)?;
        near = searching::where_(&up, number(high), &near)?;
    }
    let small = logic::less(&math::absolute(&dd)?, number(discont.unwrap_or(half)))?;
    let correction = searching::where_(&small, 0, &math::subtract(&near, &dd)?)?;
    let out = p.cast(dtype, Order::K)?;
    let steps = cumsum(&correction, ScanOptions { axis: Some(axis as isize), ..ScanOptions::default() })?;
    let moved = math::add(&part(p, axis, 1..)?, &steps)?;
    engine::copy(&moved, &part(&out, axis, 1..)?)?;
    Ok(out)
}
