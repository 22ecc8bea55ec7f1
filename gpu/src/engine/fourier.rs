//! Fourier transforms of arrays in whatever layout, as far as the library can say it.
//!
//! A library is told of each side how far apart elements of the last axis are, how many of them the axes in front span, and how
//! far apart the transforms of a batch are. So strided and transposed arrays are transformed where they lie; several axes that
//! are no one batch are several calls, where each is large enough to be worth it. What cannot be said is said to the caller,
//! who copies. Floor: each element read once and written once for each pass of the library, of which there is one for up to
//! some 4,096 elements of a line and two beyond.

use cuprum_kernels::DType;
use smallvec::SmallVec;

use super::hooked::hooked;
use super::launch::transform;
use super::plans::plan;
use crate::array::Array;
use crate::cuda::{Access, keep_captured};
use crate::driver::{Hook, Lie, Transform, Turning};
use crate::error::Result;
use crate::layout::{Dims, Strides};

/// So many calls in place of one are no loss in any case.
const FEW: usize = 2;
/// From so many elements on a call is worth its launch.
const MANY: usize = 1 << 16;

/// What the library calls for the elements of a transform.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hooks {
    pub(crate) load: Option<Hook>,
    pub(crate) store: Option<Hook>,
    /// What they are told the addresses of.
    pub(crate) data: SmallVec<[Array; 2]>,
}

/// An axis beside those of a transform: its size, and its strides in both arrays.
#[derive(Clone, Copy, Debug)]
struct Beside {
    size: usize,
    input: i64,
    output: i64,
}

/// How the axes of a transform lie in an array, or nothing where the library has no words for it.
fn lie(a: &Array, axes: &[usize]) -> Option<Lie> {
    let item = a.itemsize() as i64;
    let mut embed = [1; 3];
    // The stride of an axis of one element counts for nothing: it is what the axis behind it makes of it.
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
    Some(Lie { embed, stride, dist: 0 })
}

/// Returns the axes beside those of a transform, those together that are walked as one.
fn beside(input: &Array, output: &Array, axes: &[usize]) -> SmallVec<[Beside; 4]> {
    let mut all: SmallVec<[Beside; 4]> = (0..output.ndim())
        .filter(|axis| !axes.contains(axis) && output.shape()[*axis] != 1)
        .map(|k| Beside { size: output.shape()[k], input: input.strides()[k], output: output.strides()[k] })
        .collect();
    all.sort_by_key(|x| std::cmp::Reverse(x.output.unsigned_abs()));
    let mut merged: SmallVec<[Beside; 4]> = SmallVec::new();
    for inner in all {
        let n = inner.size as i64;
        match merged.last_mut() {
            Some(outer) if outer.input == inner.input * n && outer.output == inner.output * n => {
                *outer = Beside { size: outer.size * inner.size, ..inner };
            }
            _ => merged.push(inner),
        }
    }
    merged
}

/// Transforms along one to three axes, the last of which is the halved one; `false`, and nothing done, where the library cannot
/// be told how the arrays lie. Both have elements, are of the dtypes of the transform, and of one shape but along the halved
/// axis. They may be one array, where the numbers are complex.
pub(crate) fn fourier(
    turning: Turning,
    inverse: bool,
    input: &Array,
    output: &Array,
    axes: &[usize],
    hooks: &Hooks,
) -> Result<bool> {
    let Some((mut from, mut to)) = lie(input, axes).zip(lie(output, axes)) else { return Ok(false) };
    let whole = if turning == Turning::Forward { input } else { output };
    let wide = matches!(output.dtype(), DType::F64 | DType::C128);
    // Libraries read pairs of real numbers, and so ask for addresses as of complex ones.
    let pair = if wide { 16 } else { 8 };
    let mut rest = beside(input, output, axes);
    // The longest axis is the batch.
    let longest = (0..rest.len()).max_by_key(|&k| rest[k].size);
    let batch = longest.map_or(Beside { size: 1, input: 0, output: 0 }, |k| rest.remove(k));
    let size: usize = axes.iter().map(|&axis| whole.shape()[axis]).product();
    let calls: usize = rest.iter().map(|x| x.size).product();
    let (in_item, out_item) = (input.itemsize() as i64, output.itemsize() as i64);
    let odd = |x: i64| x % i64::from(pair) != 0;
    let real_side_is_odd = match turning {
        Turning::Complex => false,
        Turning::Forward => odd(input.addr() as i64) || rest.iter().any(|x| odd(x.input)),
        Turning::Backward => odd(output.addr() as i64) || rest.iter().any(|x| odd(x.output)),
    };
    let misplaced = !input.addr().is_multiple_of(in_item as u64)
        || !output.addr().is_multiple_of(out_item as u64)
        || rest.iter().any(|x| x.input % in_item != 0 || x.output % out_item != 0);
    let backwards = batch.size > 1
        && (batch.input <= 0 || batch.output <= 0 || batch.input % in_item != 0 || batch.output % out_item != 0);
    let too_many = calls > FEW && size * batch.size < MANY;
    if real_side_is_odd || misplaced || backwards || too_many {
        return Ok(false);
    }
    let lines = |a: &Array| axes.iter().map(|&axis| a.shape()[axis] as i64).product::<i64>();
    (from.dist, to.dist) = if batch.size > 1 {
        (batch.input / in_item, batch.output / out_item)
    } else {
        // Of one transform, nobody asks how far the next is.
        (from.stride * lines(input), to.stride * lines(output))
    };
    let mut n = [1; 3];
    n.iter_mut().zip(axes).for_each(|(n, &axis)| *n = whole.shape()[axis] as i64);
    let &Hooks { load, store, ref data } = hooks;
    let (rank, batch) = (axes.len(), batch.size as i64);
    let params = Transform { turning, wide, rank, n, input: from, output: to, batch, load, store };
    let device = output.device();
    let found = plan(device, &params)?;
    let queue = device.queue();
    if queue.is_captured() {
        // Each launch reads what the library keeps for the plan.
        keep_captured(&queue, Box::new((found.clone(), data.clone())))?;
    }
    for array in data {
        array.buffer().touch(&queue, Access::Write)?;
    }
    let texts = [load, store].iter().flatten().any(|hook| matches!(hook, Hook::Text { .. }));
    let apart = texts && !device.driver()?.transforms_call_texts();
    for_each(&rest, |at| {
        // SAFETY: the plan is this thread's; lengths, strides and the number of transforms are those of the arrays, and the
        // places lie at coordinates of the axes that are left.
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

/// Walks all coordinates of axes, with the bytes to them in both arrays.
fn for_each(axes: &[Beside], mut call: impl FnMut((i64, i64)) -> Result<()>) -> Result<()> {
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

/// Returns the axes from the slowest to the fastest of an array.
pub(crate) fn slowest_first(a: &Array, axes: &[usize]) -> Dims {
    let strides: &Strides = &a.layout().strides;
    let mut sorted: Dims = axes.iter().copied().collect();
    sorted.sort_by_key(|&axis| (std::cmp::Reverse(strides[axis].unsigned_abs()), axis));
    sorted
}
