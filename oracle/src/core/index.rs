//! Basic indexing, and assignment through it.

use std::sync::Arc;

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{self, Order};
use crate::core::promote::{Casting, can_cast, weak_as};
use crate::core::value::{Value, assigned_as, scalar_as};
use crate::table::counterparts;
use crate::ufunc::elementwise::own_dtype;

/// One part of a basic index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// One element of an axis, which is removed; negative counts from the end.
    At(isize),
    /// A slice, with Python's defaults and clamping.
    Slice(Option<isize>, Option<isize>, Option<isize>),
    /// A new axis of length 1.
    NewAxis,
    /// All axes that the other parts do not index.
    Ellipsis,
}

impl NdArray {
    /// Returns the view that a basic index selects.
    ///
    /// # Errors
    ///
    /// `IndexError` for too many parts, two ellipses or an element out of bounds; `ValueError` for a step of 0.
    pub fn index(&self, index: &[Index]) -> Result<NdArray> {
        let used = index.iter().filter(|i| matches!(i, Index::At(_) | Index::Slice(..))).count();
        let ellipses = index.iter().filter(|i| matches!(i, Index::Ellipsis)).count();
        if ellipses > 1 {
            return fail(ErrorKind::Index, "an index can only have a single ellipsis");
        }
        if used > self.ndim() {
            let message = format!("too many indices: the array has {} axes, {used} were indexed", self.ndim());
            return fail(ErrorKind::Index, message);
        }
        let rest = self.ndim() - used;
        let mut parts: Vec<Index> = Vec::new();
        for part in index {
            match part {
                Index::Ellipsis => parts.extend(vec![Index::Slice(None, None, None); rest]),
                other => parts.push(*other),
            }
        }
        if ellipses == 0 {
            parts.extend(vec![Index::Slice(None, None, None); rest]);
        }
        let (mut shape, mut strides, mut offset, mut axis) = (vec![], vec![], self.offset as isize, 0);
        for part in parts {
            match part {
                Index::NewAxis => {
                    shape.push(1);
                    strides.push(0);
                    continue;
                }
                Index::At(at) => {
                    let n = self.shape[axis] as isize;
                    if at < -n || at >= n {
                        let message = format!("index {at} is out of bounds for axis {axis} with size {n}");
                        return fail(ErrorKind::Index, message);
                    }
                    offset += (if at < 0 { at + n } else { at }) * self.strides[axis];
                }
                Index::Slice(start, stop, step) => {
                    let (start, count, step) = slice(start, stop, step, self.shape[axis] as isize)?;
                    shape.push(count);
                    strides.push(self.strides[axis] * step);
                    // An empty slice may start after the end; it selects nothing, so its start does not matter.
                    offset += if count > 0 { start * self.strides[axis] } else { 0 };
                }
                Index::Ellipsis => unreachable!("ellipses were expanded"),
            }
            axis += 1;
        }
        Ok(self.view(shape, strides, offset as usize))
    }

    /// Assigns to the elements that a basic index selects, casting to this array's dtype. The value is broadcast;
    /// leading axes of length 1 that the target lacks are dropped. The value is read before anything is written.
    ///
    /// # Errors
    ///
    /// As [`index`](NdArray::index); `ValueError` if the value does not broadcast or elements of the array share
    /// memory; for a weak scalar `OverflowError` (an integer out of range, an infinity into integers), `ValueError`
    /// (NaN into integers) or `TypeError` (complex into real).
    pub fn assign(&mut self, index: &[Index], value: &Operand<'_>) -> Result<()> {
        self.check_writable()?;
        let target = self.index(index)?;
        let scalar;
        let source = match value {
            Operand::Array(a) => *a,
            Operand::Scalar(v) => {
                scalar = NdArray::from_values(self.dtype(), &[], [assigned_as(*v, self.dtype())?])?;
                &scalar
            }
        };
        let mut from = source.clone();
        while from.ndim() > target.ndim() && from.shape()[0] == 1 {
            from = from.index(&[Index::At(0)])?;
        }
        let bytes = from.astype(self.dtype(), layout::Order::C).broadcast_to(target.shape())?.to_c_bytes();
        let data = Arc::make_mut(&mut self.data);
        let offsets = layout::offsets(target.shape(), target.strides(), target.offset());
        for (element, at) in bytes.chunks(self.dtype.size()).zip(offsets) {
            data[at..at + element.len()].copy_from_slice(element);
        }
        Ok(())
    }
}

/// Writes a value to an array where the cast is allowed (`copyto`). A scalar takes the dtype of the array where its
/// kind allows it, a boolean its own; then it is cast like an array.
fn copyto(to: &NdArray, value: &Operand<'_>, casting: Casting, mask: Option<&NdArray>) -> Result<NdArray> {
    let (from, source_dtype) = match value {
        Operand::Array(a) => (a.dtype(), a.dtype()),
        Operand::Scalar(v) => {
            let from = if matches!(v, Value::Bool(_)) { DType::Bool } else { weak_as(v, to.dtype()) };
            // For a scalar the rule "equiv" requires its default dtype.
            (from, if casting == Casting::Equiv { own_dtype(v) } else { from })
        }
    };
    if !can_cast(source_dtype, to.dtype(), casting) {
        return fail(
            ErrorKind::Type,
            format!("{source_dtype} cannot be cast to {} by the rule {casting:?}", to.dtype()),
        );
    }
    let value = match value {
        Operand::Array(a) => (*a).clone(),
        Operand::Scalar(v) => NdArray::from_values(from, &[], [scalar_as(*v, from)?])?,
    };
    let mut changed = to.clone();
    changed.assign(&[Index::Ellipsis], &Operand::Array(&value))?;
    if let Some(mask) = mask {
        if mask.dtype() != DType::Bool {
            return fail(ErrorKind::Type, format!("a mask is boolean, not {}", mask.dtype()));
        }
        let there = mask.broadcast_to(to.shape())?.values();
        let new = changed.values().into_iter().zip(changed.flags());
        let elements: Vec<_> = new.zip(there).map(|(element, m)| m.truth().then_some(element)).collect();
        changed = to.with_elements(&elements);
    }
    // The changed array is returned as a copy.
    Ok(changed.copy(Order::K))
}

counterparts! {
    "numpy.copyto" = |t| copyto(t.get("dst")?, &t.get("src")?, t.or("casting", Casting::SameKind)?, t.get("where")?);
}

/// Returns the first element, the number of elements and the step of a Python slice of `n` elements.
pub(crate) fn slice(
    start: Option<isize>,
    stop: Option<isize>,
    step: Option<isize>,
    n: isize,
) -> Result<(isize, usize, isize)> {
    let step = step.unwrap_or(1);
    if step == 0 {
        return fail(ErrorKind::Value, "slice step cannot be zero");
    }
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let bound = |at: isize| if at < 0 { at.saturating_add(n).max(low) } else { at.min(high) };
    let start = start.map_or(if step > 0 { low } else { high }, bound);
    let stop = stop.map_or(if step > 0 { high } else { low }, bound);
    let span = if step > 0 { stop - start } else { start - stop };
    let count = if span <= 0 { 0 } else { (span - 1) / step.abs() + 1 };
    Ok((start, count as usize, step))
}
