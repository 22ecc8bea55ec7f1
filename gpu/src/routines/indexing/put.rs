//! Writing to elements at indices or masks: `put`, `putmask` and `put_along_axis`.
//!
//! Where an index occurs several times the last value counts, as in NumPy: the kernel finds the last writer of each
//! element before it writes, so that the result does not depend on the order in which threads run.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::take::{AlongLines, lines_of};
use super::{AlongAxisOptions, IndexMode, TakeOptions};
use crate::array::{Array, Operand};
use crate::dtype::{Casting, can_cast};
use crate::elements::along;
use crate::engine::{self, Gathering, Pick, Source, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order};

/// Options of [`put`].
///
/// An [`IndexMode`] converts to options that set the mode.
///
/// ```
/// use cuprum::{IndexMode, array, put};
/// let a = array([1, 2, 3])?;
/// put(&a, &array([4])?, 9, IndexMode::Wrap)?;
/// assert_eq!(a.to_vec::<i32>()?, [1, 9, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct PutOptions {
    /// The treatment of indices out of bounds; by default an error.
    #[from]
    pub mode: IndexMode,
}

/// Writes values to the elements of `a` at flat indices in C order; NumPy's `put`. If there are fewer values than
/// indices, they are repeated cyclically; for a repeated index the last value counts, reproducibly.
///
/// `a` is changed in place, and nothing is returned; values are cast to its dtype.
///
/// # Errors
///
/// [`ErrorKind::Type`] for indices that are not integers, [`ErrorKind::Index`] where `a` is empty, and those of
/// [`Array::assign`]. An index out of bounds is reported by the next call of this thread that synchronises, as
/// [`ErrorKind::Index`]; unlike in NumPy, nothing is changed then.
///
/// ```
/// use cuprum::{IndexMode, array, put};
/// let a = array([[1, 2], [3, 4]])?;
/// put(&a, array([0, -1])?, array([7, 8])?, ())?;
/// put(&a, array([5])?, 9, IndexMode::Wrap)?;
/// assert_eq!(a.to_vec::<i32>()?, [7, 9, 3, 8]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(
    method,
    python(written = "v", changes_first, aliases = [("indices", "ind"), ("values", "v")], indices = "ind")
)]
pub fn put(a: &Array, ind: &Array, v: Operand<'_>, options: PutOptions) -> Result<()> {
    a.check_writable()?;
    engine::one_device(a, [ind])?;
    if ind.dtype().is_float() || ind.dtype().is_complex() {
        let message = format!("indices are integers: {} cannot be cast to int64", ind.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let number = number_of(a, v)?;
    let n = ind.size();
    if n == 0 || matches!(v, Operand::Array(b) if b.size() == 0) {
        return Ok(());
    }
    if a.size() == 0 {
        return Err(Error::new(ErrorKind::Index, "an empty array has no elements to put values at"));
    }
    let ind = if ind.may_share_memory(a) { ind.copy(Order::C)? } else { ind.clone() };
    let pick = Pick { indices: ind, bound: a.size(), axis: 0, step: a.itemsize() as i64, cell_step: 1 };
    let mut axes = along(pick.indices.shape(), std::slice::from_ref(&pick));
    let split = match a.layout().reshape(&[a.size()], a.itemsize(), Order::C) {
        Some(_) if a.is_c_contiguous() => None,
        _ => Some((a.layout().shape.clone(), a.layout().strides.clone())),
    };
    let values = match v {
        Operand::Scalar(_) => None,
        Operand::Array(b) => Some(repeated(a, b, n)?),
    };
    if let Some(values) = &values {
        for axis in &mut axes {
            axis.value = if values.size() == 1 { 0 } else { axis.position * values.strides()[0] };
        }
    }
    let gathering = Gathering {
        out_of_bounds: options.mode.out_of_bounds(),
        split,
        most: a.size(),
        ..Gathering::new(("put", ""), smallvec::smallvec![pick], axes)
    };
    let source = values.as_ref().map_or(Source::Value(number), Source::Elements);
    gathering.store(a, a.size(), source, false)
}

/// Converts a scalar to an element of `a`.
fn number_of(a: &Array, v: Operand<'_>) -> Result<[u8; 16]> {
    match v {
        Operand::Scalar(number) => {
            number.check_assigns(a.dtype())?;
            Ok(number.encode(a.dtype()))
        }
        Operand::Array(b) => engine::one_device(a, [b]).map(|_| [0; 16]),
    }
}

/// Returns the elements of `b` repeated cyclically, in one axis of `n` or of 1; a copy if it shares memory with `a`.
fn repeated(a: &Array, b: &Array, n: usize) -> Result<Array> {
    let b = if b.may_share_memory(a) { b.copy(Order::C)? } else { b.clone() };
    let flat = b.in_one_axis()?;
    if flat.size() == 1 || flat.size() >= n {
        return Ok(flat);
    }
    let positions = make::empty(a.device(), &[n], DType::I64)?;
    engine::arange(&positions, 0.into(), 1.into())?;
    super::take(&flat, &positions, TakeOptions::new().mode(IndexMode::Wrap))
}

/// Writes values to the elements of `a` where a mask of as many elements is nonzero; NumPy's `putmask`. Each element
/// receives the value at its own flat index in C order, with the values repeated cyclically.
///
/// # Errors
///
/// [`ErrorKind::Value`] for a mask of another size, and those of [`Array::assign`].
///
/// ```
/// use cuprum::{array, putmask};
/// let a = array([1, 2, 3, 4, 5])?;
/// putmask(&a, a.greater(2)?, array([-1, -2])?)?;
/// assert_eq!(a.to_vec::<i32>()?, [1, 2, -1, -2, -1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(python(positional_only = 1, written = "values", changes_first))]
pub fn putmask(a: &Array, mask: &Array, values: Operand<'_>) -> Result<()> {
    a.check_writable()?;
    engine::one_device(a, [mask])?;
    if mask.size() != a.size() {
        let (given, own) = (mask.size(), a.size());
        return Err(Error::new(ErrorKind::Value, format!("a mask of {given} elements does not go with {own}")));
    }
    number_of(a, values)?;
    if let Operand::Array(b) = values
        && !can_cast(b.dtype(), a.dtype(), Casting::Safe)
    {
        let (from, to) = (b.dtype(), a.dtype());
        let message = format!("values of {from} are not cast to {to} under the rule Safe: use astype, or copyto");
        return Err(Error::new(ErrorKind::Type, message));
    }
    // A mask that is written as well is copied where the elements are stored.
    let mask = if mask.dtype() == DType::Bool { mask.clone() } else { mask.cast(DType::Bool, Order::K)? };
    let mask = mask.reshape(a.shape())?;
    let b = match values {
        Operand::Scalar(_) => return engine::copy_where(values, &mask, a),
        Operand::Array(b) if b.size() == 0 || a.size() == 0 => return Ok(()),
        Operand::Array(b) if b.shape() == a.shape() => return engine::copy_where(values, &mask, a),
        Operand::Array(b) => repeated(a, b, a.size())?,
    };
    if b.size() == 1 {
        return engine::copy_where(Operand::Array(&b.reshape(())?), &mask, a);
    }
    let layout = Layout { shape: [a.size()].into_iter().collect(), ..b.layout().clone() };
    engine::copy_where(Operand::Array(&b.with_layout(layout).reshape(a.shape())?), &mask, a)
}

/// Writes values to the elements of `arr` at indices along an axis, by default the last; NumPy's `put_along_axis`. The
/// values are broadcast to the shape of the indices; for a repeated index the last value counts, reproducibly.
///
/// # Errors
///
/// Those of [`take_along_axis`](super::take_along_axis()) and [`Array::assign`]; with an index out of bounds nothing is
/// changed.
///
/// ```
/// use cuprum::{argmax, array, put_along_axis};
/// let a = array([[3, 1, 2], [4, 6, 5]])?;
/// let largest = argmax(&a, 1)?.expand_dims(1)?;
/// put_along_axis(&a, largest, 0, 1)?;
/// assert_eq!(a.to_vec::<i32>()?, [0, 1, 2, 4, 0, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(python(written = "values", changes_first))]
pub fn put_along_axis(arr: &Array, indices: &Array, values: Operand<'_>, options: AlongAxisOptions) -> Result<()> {
    arr.check_writable()?;
    let lines = AlongLines::of(arr, indices, options)?;
    let number = number_of(arr, values)?;
    let a = lines_of(arr, options)?;
    if !a.may_share_memory(arr) && !arr.is_empty() {
        // Without an axis, an array that cannot be flattened as a view is changed through a copy.
        let flat = a;
        put_along_axis(&flat, indices, values, 0)?;
        return engine::copy(&flat.reshape(arr.shape())?, arr);
    }
    let indices = if indices.may_share_memory(arr) { indices.copy(Order::K)? } else { indices.clone() };
    let values = match values {
        Operand::Scalar(_) => None,
        Operand::Array(b) => {
            let b = if b.may_share_memory(arr) { b.copy(Order::K)? } else { b.clone() };
            Some(b.broadcast_into(&lines.shape)?)
        }
    };
    let source = values.as_ref().map_or(Source::Value(number), Source::Elements);
    let gathering = lines.gathering(&a, &indices, ("put_along_axis", ""), values.as_ref());
    gathering.store(&a, a.size(), source, false)
}
