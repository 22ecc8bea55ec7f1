//! Windows: results that depend on the elements around a position.
//!
//! The size of a window, its weights, its footprint and the rule at the borders are data of a launch, so that a kernel
//! is compiled for an operation and a pair of dtypes only. [`passes`] runs windows along single axes one after another,
//! those along the last two axes of a dense array, and small ones for extremes along three, in one launch; [`Area`] is a window of any footprint over all axes, and [`Area::rank`] takes the element of a rank in it. All
//! accept any strides, and results that share memory with the input.
//!
//! Lower bound: the bytes of input and output once for each pass.

mod area;
mod bits;
mod bits_tile;
mod boxes;
mod line;
mod ordered;
mod patch;
mod product;
mod rank;
mod stream;
mod tables;
mod tile;

pub(crate) use area::{Area, AreaOp, Binary, changes};
pub(crate) use line::{LineOp, Pass, passes};

use cuprum_kernels::{DType, Kind};
use cuprum_macros::Choice;

use crate::array::Array;
use crate::cuda::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Dims, Strides};

use super::{copy, make};

/// Rule for positions beyond the ends of an axis, numbered as `border_rule` of `include/window_border.cuh`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum BorderRule {
    /// Mirrored about the edge of the last element: d c b a | a b c d | d c b a.
    #[default]
    Reflect = 0,
    /// Mirrored about the centre of the last element: d c b | a b c d | c b a.
    Mirror = 1,
    /// The nearest element: a a a | a b c d | d d d.
    Nearest = 2,
    /// Periodic: b c d | a b c d | a b c.
    Wrap = 3,
    /// One value for all.
    Constant = 4,
}

/// Lines from which adjacent lanes have adjacent lines.
const MANY_LINES: usize = 16;

/// The lines of two arrays along an axis: the other axes that are longer than 1.
pub(super) struct Lines {
    /// Number of lines.
    pub(super) count: usize,
    /// Lengths of the other axes.
    pub(super) sizes: Dims,
    /// Strides of the input along the other axes, in bytes.
    pub(super) src_steps: Strides,
    /// Strides of the output along the other axes, in bytes.
    pub(super) dst_steps: Strides,
    /// True if lanes follow the axis: the input is densest along it, or there are too few lines.
    pub(super) along: bool,
}

impl Lines {
    pub(super) fn of(src: &Array, out: &Array, axis: usize) -> Lines {
        let others: Dims = (0..src.ndim()).filter(|&d| d != axis && src.shape()[d] > 1).collect();
        let sizes: Dims = others.iter().map(|&d| src.shape()[d]).collect();
        let steps = |a: &Array| -> Strides { others.iter().map(|&d| a.strides()[d]).collect() };
        let (src_steps, dst_steps) = (steps(src), steps(out));
        let count: usize = sizes.iter().product();
        let dense = src_steps.last().is_none_or(|step| src.strides()[axis].unsigned_abs() <= step.unsigned_abs());
        Lines { count, sizes, src_steps, dst_steps, along: dense || count < MANY_LINES }
    }
}

/// Runs a computation whose results may share memory with its input.
pub(super) fn apart(src: &Array, out: &Array, run: impl FnOnce(&Array) -> Result<()>) -> Result<()> {
    if !src.may_share_memory(out) {
        return run(out);
    }
    let result = make::empty(out.device(), out.shape(), out.dtype())?;
    run(&result)?;
    copy(&result, out)
}

/// Returns values in rows of 32, as parameters of a kernel, or as an array on the device if there are more than the parameters
/// have room for.
pub(super) fn few_or_list<T: Element + Default, const ROWS: usize>(
    device: Device,
    values: &[T],
) -> Result<([[T; 32]; ROWS], Option<Array>)> {
    let mut few = [[T::default(); 32]; ROWS];
    match few.as_flattened_mut().get_mut(..values.len()) {
        Some(some) => some.copy_from_slice(values),
        None => return Ok((few, Some(make::of(device, values, &[values.len()])?))),
    }
    Ok((few, None))
}

/// Returns the range of the dtype, if its elements are integers or booleans.
fn range(dtype: DType) -> Option<(f64, f64)> {
    let bits = 8 * dtype.size() as i32;
    match dtype.kind() {
        Kind::Bool => Some((0.0, 1.0)),
        Kind::Signed => Some((-2f64.powi(bits - 1), 2f64.powi(bits - 1) - 1.0)),
        Kind::Unsigned => Some((0.0, 2f64.powi(bits) - 1.0)),
        _ => None,
    }
}

/// Returns true for a dtype of integers or booleans.
fn is_whole(dtype: DType) -> bool {
    range(dtype).is_some()
}

/// Returns true for a constant beyond the borders that is no element of the dtype, and so is above or below all of them.
fn is_beyond(dtype: DType, cval: f64) -> bool {
    range(dtype).is_some_and(|(low, high)| cval.trunc() < low || cval.trunc() > high)
}

/// Returns the constant beyond the borders for elements that are compared as the dtype: that of integers is in their
/// range, so that its order among them is kept.
fn constant(dtype: DType, cval: f64) -> f64 {
    range(dtype).map_or(cval, |(low, high)| cval.clamp(low, high))
}

/// Returns the constant beyond the borders as an element of the dtype: that of integers wraps, and that of
/// booleans is true where it is not 0, as in a cast of SciPy.
fn wrapped(dtype: DType, cval: f64) -> f64 {
    if dtype == DType::Bool {
        return f64::from(u8::from(cval.trunc() != 0.0));
    }
    if !matches!(dtype.kind(), Kind::Signed | Kind::Unsigned) {
        return cval;
    }
    let bits = 8 * dtype.size() as u32;
    let low = if cval.is_finite() { cval as i128 & ((1 << bits) - 1) } else { 0 };
    let negative = dtype.kind() == Kind::Signed && low >> (bits - 1) == 1;
    (if negative { low - (1 << bits) } else { low }) as f64
}
