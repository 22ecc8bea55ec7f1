//! Reductions: the plan of a call, and its one or two launches.

use std::cell::RefCell;

use cuprum_kernels::registry::ReductionLoop;
use cuprum_kernels::source::{DEEP_AXES, REDUCTION_VECTOR, ReductionSource, SHALLOW_AXES};

use super::params::Params;
use rustc_hash::FxHashMap;

use crate::array::Array;
use crate::cuda::{Device, Source};
use crate::driver::Function;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Axes, Dims, Strides, size_of};

/// Threads of a block: `THREADS` of `include/reduce.cuh`.
const THREADS: usize = 256;
/// Elements that one thread gathers at the least before a reduction is split over several blocks.
const PER_THREAD: usize = 16;
/// Blocks that a split reduction aims at. A constant, so that results do not depend on the device.
const BLOCKS: usize = 1024;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: RefCell<FxHashMap<(usize, ReductionSource), Function>> = RefCell::default();
}

/// Reduces the axes `reduced` of `a` into `out`, whose axes are the others in their order.
pub(crate) fn reduce(key: ReductionSource, l: &ReductionLoop, a: &Array, reduced: &[usize], out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let kept: Vec<usize> = (0..a.ndim()).filter(|axis| !reduced.contains(axis)).collect();
    let pick = |axes: &[usize]| -> (Dims, Strides) { axes.iter().map(|&x| (a.shape()[x], a.strides()[x])).unzip() };
    let ((kept_shape, kept_strides), (reduced_shape, reduced_strides)) = (pick(&kept), pick(reduced));
    // Positions count the reduced elements in C order: their axes stay in that order.
    let kept_axes = Axes::collapse(&kept_shape, [&kept_strides, out.strides()], false);
    let reduced_axes = Axes::collapse(&reduced_shape, [&reduced_strides], true);
    let (outputs, n) = (size_of(&kept_shape), size_of(&reduced_shape));

    let deep = kept_axes.sizes.len().max(reduced_axes.sizes.len()) > SHALLOW_AXES;
    let wide = outputs.max(n) > u32::MAX as usize;
    let key = ReductionSource { wide, deep, ..key };
    let device = a.device();
    let function = function(device, &key, l)?;

    let vector = vector(a, &kept_axes, &reduced_axes);
    let shape = Shape::new(outputs, n, vector, fastest(&kept_axes.strides[0]), fastest(&reduced_axes.strides[0]));
    let scratch = if shape.splits > 1 {
        device.alloc(shape.splits * outputs * ReductionSource::accumulator_bytes(l.accumulator))?
    } else {
        device.alloc(0)?
    };
    let params = |s: &Shape, second: bool| {
        let mut p = Params::default();
        for word in [outputs as u64, n as u64, s.per_split as u64, out.addr(), a.addr(), scratch.addr()] {
            p.u64(word);
        }
        let axes = [kept_axes.sizes.len(), reduced_axes.sizes.len()];
        for word in
            [s.splits, s.outputs_log2 as usize, s.columns.into(), axes[0], axes[1], s.vector.into(), second.into(), 0]
        {
            p.u32(word as u32);
        }
        let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
        p.dividers(&kept_axes.sizes, capacity, wide);
        p.dividers(&reduced_axes.sizes, capacity, wide);
        p.strides(&kept_axes.strides[0], capacity);
        p.strides(&kept_axes.strides[1], capacity);
        p.strides(&reduced_axes.strides[0], capacity);
        p
    };
    let launch = |s: &Shape, second: bool| {
        let columns = outputs.div_ceil(1 << s.outputs_log2);
        let grid = u32::try_from(columns).ok().filter(|&g| g <= i32::MAX as u32).ok_or_else(|| {
            Error::new(ErrorKind::Value, format!("{outputs} results are more than one launch can reach"))
        })?;
        // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays and of the scratch
        // memory, which the stream's order keeps until the second pass is done, and the sizes and strides reach their
        // elements only.
        unsafe {
            device.launch(
                function,
                [grid, if second { 1 } else { s.splits as u32 }, 1],
                [THREADS as u32, 1, 1],
                params(s, second).as_bytes(),
            )
        }
    };
    launch(&shape, false)?;
    if shape.splits > 1 {
        launch(&shape.of_second_pass(outputs), true)?;
    }
    Ok(())
}

/// The smallest step between neighbours.
fn fastest(strides: &[i64]) -> u64 {
    strides.iter().map(|s| s.unsigned_abs()).filter(|&s| s > 0).min().unwrap_or(u64::MAX)
}

/// Elements that a thread can read at once: 1 where they do not lie side by side, aligned, in whole vectors.
fn vector(a: &Array, kept: &Axes<2>, reduced: &Axes<1>) -> usize {
    let (item, bytes) = (a.itemsize(), REDUCTION_VECTOR as u64);
    let (Some((&length, _)), Some((&step, outer))) = (reduced.sizes.split_last(), reduced.strides[0].split_last())
    else {
        return 1;
    };
    let elements = (REDUCTION_VECTOR / item).max(1);
    let aligned = a.addr().is_multiple_of(bytes)
        && kept.strides[0].iter().chain(outer).all(|s| s.unsigned_abs().is_multiple_of(bytes));
    if aligned && step == item as i64 && length.is_multiple_of(elements) { elements } else { 1 }
}

/// How the threads are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// Outputs side by side in a block, as a power of two; the other threads share the elements of each.
    outputs_log2: u32,
    /// Neighbouring threads have neighbouring outputs, not neighbouring elements.
    columns: bool,
    splits: usize,
    per_split: usize,
    /// Threads read whole vectors.
    vector: bool,
}

impl Shape {
    fn new(outputs: usize, n: usize, vector: usize, kept_step: u64, reduced_step: u64) -> Shape {
        let columns = kept_step < reduced_step && outputs > 1;
        let vector = if columns { 1 } else { vector };
        let log2 = |x: usize| x.max(1).ilog2();
        let outputs_log2 = if columns {
            // A warp's worth of neighbours, more where there is little to share.
            let wanted = if n < 64 { 256 } else { 32 };
            log2(outputs.next_power_of_two().min(wanted))
        } else {
            // Short rows share a block.
            let reads = n.div_ceil(vector);
            log2(THREADS / reads.div_ceil(4).next_power_of_two().clamp(1, THREADS))
                .min(log2(outputs.next_power_of_two()))
        };
        let (side, sharing) = (1 << outputs_log2, THREADS >> outputs_log2);
        let blocks = outputs.div_ceil(side);
        let most = n.div_ceil(sharing * PER_THREAD.max(vector)).max(1);
        let splits = (BLOCKS / blocks.clamp(1, BLOCKS)).clamp(1, most).min(65535);
        let per_split = n.div_ceil(splits).next_multiple_of(sharing * vector).max(vector);
        Shape { outputs_log2, columns, splits: n.div_ceil(per_split).max(1), per_split, vector: vector > 1 }
    }

    /// The partial results of an output lie `outputs` apart: neighbours are outputs.
    fn of_second_pass(&self, outputs: usize) -> Shape {
        let side = outputs.next_power_of_two().min(32);
        Shape { outputs_log2: side.ilog2(), columns: outputs > 1, vector: false, ..*self }
    }
}

fn function(device: Device, key: &ReductionSource, l: &ReductionLoop) -> Result<Function> {
    let place = (device.address(), *key);
    if let Some(found) = KERNELS.with_borrow(|k| k.get(&place).copied()) {
        return Ok(found);
    }
    let source = Source { name: key.name().into(), text: key.source(l).into(), ..Source::default() };
    let function = device.compile(&source, &["reduce"])?[0];
    KERNELS.with_borrow_mut(|k| k.insert(place, function));
    Ok(function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_cover_all_elements() {
        for outputs in [1, 2, 3, 31, 32, 33, 1000, 1 << 20] {
            for n in [0, 1, 2, 3, 255, 256, 257, 5000, 1 << 20, (1 << 28) + 1] {
                for (kept, reduced) in [(4, 8), (8, 4)] {
                    let s = Shape::new(outputs, n, if n % 4 == 0 { 4 } else { 1 }, kept, reduced);
                    assert!(s.splits * s.per_split >= n, "{outputs} × {n}: {s:?}");
                    assert!((s.splits - 1) * s.per_split < n.max(1), "{outputs} × {n}: {s:?} has an empty split");
                    assert!(!s.vector || s.per_split.is_multiple_of(4), "{outputs} × {n}: {s:?}");
                    assert!(1 << s.outputs_log2 <= THREADS);
                }
            }
        }
    }
}
