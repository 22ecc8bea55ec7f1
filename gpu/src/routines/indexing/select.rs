//! Elementwise selection among arrays; NumPy's `choose`, `select` and `place`.
//!
//! Choices are evaluated before the call, as all arguments are: `choose` and `select` pick among arrays that exist. A
//! [fusing scope](crate::fuse) avoids the temporaries of expressions among the choices.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::bounds::check_numbers;
use super::{IndexMode, TakeOptions, take};
use crate::array::{Array, IntoArgument, Operand};
use crate::dtype::{Casting, can_cast, result_type};
use crate::engine::{self, Call, ChooseMode};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, broadcast_shapes, shape_text};
use crate::reduction::Reduce;
use crate::routines::{logic, math};
use crate::scalar::{OperandType, Scalar};
use crate::scan::cumsum;

/// Options of [`choose`](fn@choose).
///
/// An [`IndexMode`] converts to options that set the mode alone.
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct ChooseOptions<'a> {
    /// The output array, of the result's shape and any dtype and layout; by default a new one.
    pub out: Option<&'a Array>,
    /// The treatment of indices out of bounds. By default [`IndexMode::Raise`].
    #[from]
    pub mode: IndexMode,
}

/// The maximum number of arrays to choose from, as in NumPy.
const MOST: usize = 63;

/// Selects, for each element, from the array whose number `a` holds; NumPy's `choose`. The arrays are broadcast
/// together. One kernel takes up to sixteen arrays.
///
/// The result has the shape to which `a` and the choices are broadcast, and the dtype to which the choices are
/// promoted.
///
/// ```
/// use cuprum::{array, choose};
/// let which = array([0, 1, 1, 0])?;
/// let chosen = choose(&which, [array([1, 2, 3, 4])?, array([10, 20, 30, 40])?], ())?;
/// assert_eq!(chosen.to_vec::<i32>()?, [1, 20, 30, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for no arrays or more than 63, and for shapes that cannot be broadcast; [`ErrorKind::Type`] for
/// indices that cannot be cast safely to int64, and for an `out` of another shape. With [`IndexMode::Raise`] an index
/// out of bounds is reported by the next call of this thread that synchronises, as [`ErrorKind::Value`].
#[routine(python(weak_scalars))]
pub fn choose(a: &Array, choices: &[&Array], options: ChooseOptions<'_>) -> Result<Array> {
    if choices.is_empty() || choices.len() > MOST {
        let message = format!("{} arrays are given to choose from: there are 1 to {MOST}", choices.len());
        return Err(Error::new(ErrorKind::Value, message));
    }
    if !can_cast(a.dtype(), DType::I64, Casting::Safe) {
        let message = format!("{} is not cast safely to int64, in which arrays are counted: use astype", a.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    engine::one_device(a, choices.iter().copied().chain(options.out))?;
    let types: Vec<OperandType> = choices.iter().map(|c| (*c).into()).collect();
    let dtype = result_type(&types)?;
    let shapes: Vec<&[usize]> = [a.shape()].into_iter().chain(choices.iter().map(|c| c.shape())).collect();
    let shape = broadcast_shapes(&shapes)?;
    if let Some(out) = options.out.filter(|out| out.shape() != shape.as_slice()) {
        let (own, expected) = (shape_text(out.shape()), shape_text(&shape));
        return Err(Error::new(
            ErrorKind::Type,
            format!("out, of shape {own}, is not of the result's shape {expected}"),
        ));
    }
    if options.mode == IndexMode::Raise && !shape.contains(&0) {
        check_numbers(a, choices.len(), 0, ("choose", ""))?;
    }
    let broadcast = |c: &&Array| {
        if c.dtype() == dtype { c.broadcast_to_shape(&shape) } else { c.astype(dtype)?.broadcast_to_shape(&shape) }
    };
    let broadcast: Vec<Array> = choices.iter().map(broadcast).collect::<Result<_>>()?;
    let index = a.broadcast_to_shape(&shape)?;
    let mode = match options.mode {
        IndexMode::Wrap => ChooseMode::Wrap,
        // For a rejected index the choice does not matter.
        IndexMode::Raise | IndexMode::Clip => ChooseMode::Clip,
    };
    let direct = options
        .out
        .filter(|out| out.dtype() == dtype && ![&index].into_iter().chain(&broadcast).any(|a| a.may_share_memory(out)));
    if let Some(out) = options.out {
        out.check_writable()?;
    }
    let result = direct.map_or_else(|| engine::make::empty(a.device(), &shape, dtype), |out| Ok(out.clone()))?;
    engine::choose(&index, &broadcast, mode, &result)?;
    match (options.out, direct) {
        (Some(out), None) => {
            engine::copy(&result, out)?;
            Ok(out.clone())
        }
        _ => Ok(result),
    }
}

/// Options of [`select`].
///
/// A scalar or an array converts to options that set the default.
///
/// ```
/// use cuprum::{array, select};
/// let a = array([1, 2, 3])?;
/// let small = cuprum::less(&a, 2)?;
/// assert_eq!(select(&[&small], &[&a], -1)?.to_vec::<i32>()?, [1, -1, -1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct SelectOptions<'a> {
    /// The value where no condition holds: a scalar or an array. By default 0.
    #[from]
    pub default: Operand<'a>,
}

impl Default for SelectOptions<'_> {
    fn default() -> Self {
        SelectOptions { default: Operand::Scalar(Scalar::Int(0)) }
    }
}

/// Selects, for each element, from the first choice whose condition is true; NumPy's `select`. Conditions and choices
/// are broadcast together.
///
/// The result has the shape to which all are broadcast, and the dtype to which the choices and the default are
/// promoted; a scalar takes part by its kind. One pass writes the default, and one more for each condition.
///
/// ```
/// use cuprum::{arange, less, greater, select};
/// let x = arange(0, 6, 1)?;
/// let picked = select([less(&x, 3)?, greater(&x, 3)?], [&x, &(&x * &x)], 42)?;
/// assert_eq!(picked.to_vec::<i64>()?, [0, 1, 2, 42, 16, 25]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for no conditions, for another number of choices, and for shapes that cannot be broadcast,
/// [`ErrorKind::Type`] for conditions that are not boolean.
pub fn select<'a, C: crate::array::AsArray, V: crate::array::AsOperand>(
    condlist: impl IntoIterator<Item = C>,
    choicelist: impl IntoIterator<Item = V>,
    options: impl IntoArgument<SelectOptions<'a>>,
) -> Result<Array> {
    let conditions: Vec<C> = condlist.into_iter().collect();
    let choices: Vec<V> = choicelist.into_iter().collect();
    let conditions: Vec<&Array> = conditions.iter().map(C::as_array).collect();
    let choices: Vec<Operand<'_>> = choices.iter().map(V::as_operand).collect();
    selected(&conditions, &choices, options.into().default).map_err(|e| e.with_op("select"))
}

fn selected(conditions: &[&Array], choices: &[Operand<'_>], default: Operand<'_>) -> Result<Array> {
    let (n, m) = (conditions.len(), choices.len());
    if n != m {
        return Err(Error::new(ErrorKind::Value, format!("{n} conditions have {m} choices: each has one")));
    }
    let Some(first) = conditions.first() else {
        return Err(Error::new(ErrorKind::Value, "there are no conditions to select by"));
    };
    let arrays =
        choices.iter().chain([&default]).filter_map(|o| if let Operand::Array(a) = o { Some(*a) } else { None });
    let arrays: Vec<&Array> = arrays.collect();
    engine::one_device(first, conditions.iter().chain(&arrays).copied())?;
    let types: Vec<OperandType> = choices.iter().chain([&default]).map(Into::into).collect();
    let dtype = result_type(&types)?;
    let together = |all: &[&Array]| broadcast_shapes(&all.iter().map(|a| a.shape()).collect::<Vec<_>>());
    let (of_conditions, of_choices) = (together(conditions)?, together(&arrays)?);
    if let Some(k) = conditions.iter().position(|c| c.dtype() != DType::Bool) {
        let message = format!("condition {k} is of {}: conditions are boolean", conditions[k].dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let shape: Dims = broadcast_shapes(&[&of_conditions, &of_choices])?;
    let out = engine::make::empty(first.device(), &shape, dtype)?;
    // A scalar takes part in promotion by its kind, and is then cast as an array is.
    out.assign(default.strong(Some(first.device()))?)?;
    // Written in reverse, so that the first condition that holds takes precedence.
    for (condition, choice) in conditions.iter().zip(choices).rev() {
        let choice = choice.strong(Some(first.device()))?;
        if !can_cast(choice.dtype(), dtype, Casting::SameKind) {
            let message = format!("a choice of {} cannot become {dtype}, which is what all are", choice.dtype());
            return Err(Error::new(ErrorKind::Type, message));
        }
        assign_where(&out, condition, Operand::Array(&choice))?;
    }
    Ok(out)
}

/// Writes a value to the elements at which a mask is true; both are broadcast.
fn assign_where(out: &Array, mask: &Array, value: Operand<'_>) -> Result<()> {
    let (op, signature) = engine::internal("copy", out.dtype())?;
    let mask = mask.broadcast_to_shape(out.shape())?;
    let broadcast;
    let value = match value {
        Operand::Array(a) => {
            broadcast = a.broadcast_to_shape(out.shape())?;
            Operand::Array(&broadcast)
        }
        scalar => scalar,
    };
    Call { op, signature, ins: &[value], mask: Some(&mask), outs: &[out], all: false }.run()
}

/// Writes values, repeated cyclically, to the elements of `arr` at which a mask is nonzero, in C order; NumPy's
/// `place`. It does not synchronise to count them.
///
/// `arr` is changed, and nothing is returned. The mask has as many elements as `arr`, of any shape and dtype; the value
/// for the selected element number `i` is value `i` modulo their number. It costs a scan of the mask and a gather.
///
/// ```
/// let a = cuprum::array([1, 2, 3, 4])?;
/// cuprum::place(&a, cuprum::array([true, false, true, true])?, cuprum::array([7, 8])?)?;
/// assert_eq!(a.to_vec::<i32>()?, [7, 2, 8, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the mask is not as long as the array, and for no values where the mask selects elements;
/// [`ErrorKind::Type`] for values that cannot be cast safely to the dtype of the array.
///
/// # Synchronization
///
/// If there are no values, synchronises to check that the mask selects no elements.
#[routine(python(written = "vals", changes_first))]
pub fn place(arr: &Array, mask: &Array, vals: &Array) -> Result<()> {
    engine::one_device(arr, [mask, vals])?;
    arr.check_writable()?;
    if mask.size() != arr.size() {
        let (own, other) = (shape_text(arr.shape()), shape_text(mask.shape()));
        let message = format!("a mask of shape {other} has not as many elements as an array of shape {own}");
        return Err(Error::new(ErrorKind::Value, message));
    }
    if !can_cast(vals.dtype(), arr.dtype(), Casting::Safe) {
        let message = format!("{} is not cast safely to {}: use astype", vals.dtype(), arr.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let mask = mask.in_one_axis()?.astype(DType::Bool)?;
    if vals.size() == 0 {
        if logic::any(&mask, Reduce::all())?.item::<bool>()? {
            return Err(Error::new(ErrorKind::Value, "there are no values to place"));
        }
        return Ok(());
    }
    let own: Vec<i64> = arr.shape().iter().map(|n| *n as i64).collect();
    // The number of selected elements before each element.
    let before = math::subtract(&cumsum(&mask, ())?, 1)?;
    let values = take(&vals.in_one_axis()?, &before, TakeOptions::new().mode(IndexMode::Wrap))?;
    assign_where(arr, &mask.reshape(own.clone())?, Operand::Array(&values.reshape(own)?))
}

/// NumPy's signature, for the call table.
mod forms {
    use super::*;

    /// Selects, for each element, from the first choice whose condition is true.
    #[routine(keywords = "condlist choicelist default")]
    fn select(condlist: &[&Array], choicelist: &[Operand<'_>], options: SelectOptions<'_>) -> Result<Array> {
        selected(condlist, choicelist, options.default)
    }
}
