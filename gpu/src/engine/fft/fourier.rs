//! Fourier transforms of arrays in any layout that the FFT library can describe.
//!
//! For each side the library takes the distance of elements of the last axis, the extents of the other transformed
//! axes, and the distance of the transforms of a batch. So strided and transposed arrays are transformed without a
//! copy; several axes that do not form one batch are several calls, if each is large enough. For other layouts the
//! function returns false, and the caller copies. Lower bound of memory traffic: each element read once and written
//! once for each pass of the library, of which there is one for up to some 4,096 elements along the axis and two
//! beyond.

use cuprum_kernels::DType;
use smallvec::SmallVec;

use crate::array::Array;
use crate::cuda::{Access, keep_captured};
use crate::driver::{BatchLayout, Hook, Transform, TransformKind};
use crate::engine::fft::callbacks::hooked;
use crate::engine::fft::plans::{plan, plans_are_recorded};
use crate::engine::launch::transform;
use crate::error::Result;
use crate::layout::{Dims, Strides};

/// Number of calls instead of one that never costs much.
const FEW: usize = 2;
/// Number of elements from which a call is worth its launch.
const MANY: usize = 1 << 16;

/// User callbacks (load and store) of a transform.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hooks {
    /// Callback for each element that the transform reads.
    pub(crate) load: Option<Hook>,
    /// Callback for each element that the transform writes.
    pub(crate) store: Option<Hook>,
    /// Arrays whose addresses are passed to the callbacks.
    pub(crate) data: SmallVec<[Array; 2]>,
}

/// Axis that is not transformed: its size, and its strides in both arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchAxis {
    /// Number of transforms along the axis.
    pub(super) size: usize,
    /// Stride of the input, in bytes.
    pub(super) input: i64,
    /// Stride of the output, in bytes.
    pub(super) output: i64,
}

/// Returns the layout of the transformed axes in an array, or `None` if the library cannot describe it.
fn batch_layout(a: &Array, axes: &[usize]) -> Option<BatchLayout> {
    let item = a.itemsize() as i64;
    let mut embed = [1; 3];
    // The stride of an axis of one element does not matter: it is derived from the axis after it.
    let mut inner = None;
    for (k, &axis) in axes.iter().enumerate().rev() {
        let (n, bytes) = (a.shape()[axis] as i64, a.strides()[axis]);
        let stride = if n > 1 { bytes } else { inner.map_or(item, |(stride, n)| stride * n) };
        match inner {
            None if stride <= 0 || stride % item != 0 => return None,
            None => {}
            Some((within, count)) => {
                if stride <= 0 || stride % within != 0 || stride / within < count {
                    return None;
                }
                embed[k + 1] = stride / within;
            }
        }
        inner = Some((stride, n));
    }
    embed[0] = a.shape()[axes[0]] as i64;
    let last = axes[axes.len() - 1];
    let stride = if a.shape()[last] > 1 { a.strides()[last] / item } else { 1 };
    Some(BatchLayout { embed, stride, dist: 0 })
}

/// Returns the axes that are not transformed, merged where they are walked as one.
pub(super) fn beside(input: &Array, output: &Array, axes: &[usize]) -> SmallVec<[BatchAxis; 4]> {
    let mut all: SmallVec<[BatchAxis; 4]> = (0..output.ndim())
        .filter(|axis| !axes.contains(axis) && output.shape()[*axis] != 1)
        .map(|k| BatchAxis { size: output.shape()[k], input: input.strides()[k], output: output.strides()[k] })
        .collect();
    all.sort_by_key(|x| std::cmp::Reverse(x.output.unsigned_abs()));
    let mut merged: SmallVec<[BatchAxis; 4]> = SmallVec::new();
    for inner in all {
        let n = inner.size as i64;
        match merged.last_mut() {
            Some(outer) if outer.input == inner.input * n && outer.output == inner.output * n => {
                *outer = BatchAxis { size: outer.size * inner.size, ..inner };
            }
            _ => merged.push(inner),
        }
    }
    merged
}

/// Transforms along one to three axes, the last of which is the halved one of real transforms. Returns false, and does
/// nothing, if the library cannot describe the arrays' layouts. Both arrays are not empty, have the dtypes of the
/// transform, and the same shape except along the halved axis. For complex transforms they may be the same array.
pub(crate) fn fourier(
    turning: TransformKind,
    inverse: bool,
    input: &Array,
    output: &Array,
    axes: &[usize],
    hooks: &Hooks,
) -> Result<bool> {
    let Some((mut from, mut to)) = batch_layout(input, axes).zip(batch_layout(output, axes)) else { return Ok(false) };
    let whole = if turning == TransformKind::Forward { input } else { output };
    let wide = matches!(output.dtype(), DType::F64 | DType::C128);
    // Libraries read pairs of real numbers, and so require the alignment of complex ones.
    let pair = if wide { 16 } else { 8 };
    let mut rest = beside(input, output, axes);
    // The longest axis is the batch.
    let longest = (0..rest.len()).max_by_key(|&k| rest[k].size);
    let batch = longest.map_or(BatchAxis { size: 1, input: 0, output: 0 }, |k| rest.remove(k));
    let size: usize = axes.iter().map(|&axis| whole.shape()[axis]).product();
    let calls: usize = rest.iter().map(|x| x.size).product();
    let (in_item, out_item) = (input.itemsize() as i64, output.itemsize() as i64);
    let odd = |x: i64| x % i64::from(pair) != 0;
    let real_side_is_odd = match turning {
        TransformKind::Complex => false,
        TransformKind::Forward => odd(input.addr() as i64) || rest.iter().any(|x| odd(x.input)),
        TransformKind::Backward => odd(output.addr() as i64) || rest.iter().any(|x| odd(x.output)),
    };
    let misaligned = !input.addr().is_multiple_of(in_item as u64)
        || !output.addr().is_multiple_of(out_item as u64)
        || rest.iter().any(|x| x.input % in_item != 0 || x.output % out_item != 0);
    let backwards = batch.size > 1
        && (batch.input <= 0 || batch.output <= 0 || batch.input % in_item != 0 || batch.output % out_item != 0);
    let too_many = calls > FEW && size * batch.size < MANY;
    if real_side_is_odd || misaligned || backwards || too_many {
        return Ok(false);
    }
    let lines = |a: &Array| axes.iter().map(|&axis| a.shape()[axis] as i64).product::<i64>();
    (from.dist, to.dist) = if batch.size > 1 {
        (batch.input / in_item, batch.output / out_item)
    } else {
        // For a single transform, the distance of the next does not matter.
        (from.stride * lines(input), to.stride * lines(output))
    };
    let mut n = [1; 3];
    n.iter_mut().zip(axes).for_each(|(n, &axis)| *n = whole.shape()[axis] as i64);
    let &Hooks { load, store, ref data } = hooks;
    let (rank, batch) = (axes.len(), batch.size as i64);
    let params = Transform { turning, wide, rank, n, input: from, output: to, batch, load, store };
    let device = output.device();
    let found = plan(device, &params)?;
    if plans_are_recorded() {
        return Ok(true);
    }
    let queue = device.queue();
    if queue.is_captured() {
        // Each launch reads memory that the library keeps for the plan.
        keep_captured(&queue, Box::new((found.clone(), data.clone())))?;
    }
    for array in data {
        array.buffer().touch(&queue, Access::Write)?;
    }
    let texts = [load, store].iter().flatten().any(|hook| matches!(hook, Hook::Text { .. }));
    let apart = texts && !device.driver()?.transforms_call_texts();
    for_each(&rest, |at| {
        // SAFETY: the plan is this thread's; lengths, strides and the number of transforms are those of the arrays, and
        // the addresses are at coordinates of the remaining axes.
        unsafe {
            if apart {
                hooked(params, &found, inverse, (input, output), at)
            } else {
                transform(params, found.planned, inverse, (input, output), at)
            }
        }
    })?;
    Ok(true)
}

/// Calls `call` for all coordinates of axes, with the byte offsets in both arrays.
fn for_each(axes: &[BatchAxis], mut call: impl FnMut((i64, i64)) -> Result<()>) -> Result<()> {
    let calls: usize = axes.iter().map(|x| x.size).product();
    for number in 0..calls {
        let (mut rest, mut at) = (number, (0, 0));
        for axis in axes.iter().rev() {
            let coordinate = (rest % axis.size) as i64;
            rest /= axis.size;
            at = (at.0 + coordinate * axis.input, at.1 + coordinate * axis.output);
        }
        call(at)?;
    }
    Ok(())
}

/// Returns the axes of an array, from the slowest to the fastest.
pub(crate) fn slowest_first(a: &Array, axes: &[usize]) -> Dims {
    let strides: &Strides = &a.layout().strides;
    let mut sorted: Dims = axes.iter().copied().collect();
    sorted.sort_by_key(|&axis| (std::cmp::Reverse(strides[axis].unsigned_abs()), axis));
    sorted
}
