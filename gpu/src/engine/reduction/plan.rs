//! Plan of a reduction: walk of the axes, and arrangement of the threads. Pure.
//!
//! The arrangement depends on shape and strides alone, never on the device, so that the order of combination, and with
//! it each bit of the result, is the same everywhere. Rows are reduced by lanes of a warp, by blocks, or are split over
//! several blocks, whose partial results a second launch combines.

use cuprum_kernels::DType;
use cuprum_kernels::registry::ReductionId;
use cuprum_kernels::source::{REDUCTION_SHORT, REDUCTION_STAGED, REDUCTION_VECTOR, ReductionClass};

use crate::array::Array;
use crate::engine::launch::DevicePtr;
use crate::layout::{Axes, Dims, Strides, size_of};

/// Reduction that is ready to run.
pub(crate) struct Reducing<'a> {
    /// The reduction.
    pub(crate) op: ReductionId,
    /// The operand, in any layout.
    pub(crate) a: &'a Array,
    /// The requested dtype of the result.
    pub(crate) result_dtype: Option<DType>,
    /// The axes to reduce, in ascending order.
    pub(crate) axes: &'a [usize],
    /// The mask of the elements that take part: booleans of the shape of `a`.
    pub(crate) mask: Option<&'a Array>,
    /// The initial value, as an element of the result; without it a sum begins with 0.
    pub(crate) initial: Option<[u8; 16]>,
    /// The ddof: what is subtracted from the number of elements before it divides the squares.
    pub(crate) ddof: f64,
    /// The result, of the loop's dtype; its axes are the others of `a` in their order.
    pub(crate) out: &'a Array,
}

/// Threads of a block: `THREADS` of `include/reduce.cuh`.
pub(super) const THREADS: usize = 256;
/// Minimum number of elements that one thread accumulates before a reduction is split over several blocks.
const PER_THREAD: usize = 16;
/// Number of elements that one block accumulates before there are several.
pub(in crate::engine) const TILE: usize = THREADS * PER_THREAD;
/// Maximum number of elements that one thread accumulates, while there can be more splits: bounds the rounding errors.
const MOST_PER_THREAD: usize = 256;
/// Number of blocks that a split reduction aims at. A constant, so that results do not depend on the device.
const BLOCKS: usize = 1024;
/// Bytes of registers for the accumulators of adjacent columns of a thread.
const LANES: usize = 64;

/// The axes of a reduction, collapsed to as few as possible.
pub(super) struct Walk<'a> {
    /// Number of results.
    pub(super) outputs: usize,
    /// Number of elements of each result.
    pub(super) n: usize,
    /// Bytes of an element.
    pub(super) item: usize,
    /// Pointer to the operand: none if its elements are computed as they are read; and its address, or one with the
    /// alignment of new arrays.
    pub(super) pointer: Option<DevicePtr<'a>>,
    /// See `pointer`.
    addr: u64,
    /// Pointer to the mask.
    pub(super) mask: Option<DevicePtr<'a>>,
    /// Strides of the operand, the mask and the result.
    pub(super) kept: Axes<3>,
    /// Strides of the mask and the operand.
    pub(super) reduced: Axes<2>,
}

impl<'a> Walk<'a> {
    /// Plans an operand and a mask at these addresses, or at none: an operand is contiguous then. `ordered`: indices
    /// count the reduced elements in C order, so that their axes keep that order.
    pub(super) fn new(r: &Reducing<'a>, pointers: [Option<DevicePtr<'a>>; 2], ordered: bool) -> Walk<'a> {
        Walk::along(r.a, r.axes, r.mask, r.out.strides(), pointers, ordered)
    }

    /// Plans the axes of an array, and of a result that may not be allocated yet.
    pub(super) fn along(
        a: &Array,
        axes: &[usize],
        mask: Option<&Array>,
        out: &[i64],
        [mut pointer, mut of_mask]: [Option<DevicePtr<'a>>; 2],
        ordered: bool,
    ) -> Walk<'a> {
        let pick = |axes: &[usize], strides: &[i64]| -> Strides { axes.iter().map(|&x| strides[x]).collect() };
        let kept: Dims = (0..a.ndim()).filter(|axis| !axes.contains(axis)).collect();
        let sizes = |axes: &[usize]| -> Dims { axes.iter().map(|&x| a.shape()[x]).collect() };
        let still: Strides = a.shape().iter().map(|_| 0).collect();
        let mask_strides = mask.map_or(still.as_slice(), |m| m.strides());
        let (kept_sizes, reduced_sizes) = (sizes(&kept), sizes(axes));
        let (mut own, mut masks) = (pick(axes, a.strides()), pick(axes, mask_strides));
        if !ordered {
            // The order does not matter: negative strides are reversed.
            for ((own, mask), &size) in own.iter_mut().zip(&mut masks).zip(&reduced_sizes) {
                if *own < 0 && size > 0 {
                    let last = size as i64 - 1;
                    pointer = pointer.map(|at| at.moved(*own * last));
                    of_mask = of_mask.map(|m| m.moved(*mask * last));
                    (*own, *mask) = (-*own, -*mask);
                }
            }
        }
        let kept_strides = (pick(&kept, a.strides()), pick(&kept, mask_strides));
        Walk {
            outputs: size_of(&kept_sizes),
            n: size_of(&reduced_sizes),
            item: a.itemsize(),
            addr: pointer.map_or(0, DevicePtr::addr),
            pointer,
            mask: of_mask,
            kept: Axes::collapse(&kept_sizes, [&kept_strides.0, &kept_strides.1, out], false),
            reduced: Axes::collapse(&reduced_sizes, [&masks, &own], ordered),
        }
    }

    fn is_aligned(&self, bytes: u64) -> bool {
        self.addr.is_multiple_of(bytes)
    }

    pub(super) fn class(&self, masked: bool) -> ReductionClass {
        let (kept, reduced) = (fastest(&self.kept.strides[0]), fastest(&self.reduced.strides[1]));
        if kept < reduced && self.outputs > 1 {
            return ReductionClass::Columns;
        }
        let rows_lie_dense = || {
            self.reduced.strides[1].as_slice() == [self.item as i64]
                && self.kept.strides[0].as_slice() == [(self.n * self.item) as i64]
        };
        let aligned = self.is_aligned(REDUCTION_VECTOR as u64);
        if (2..=REDUCTION_SHORT).contains(&self.n) && self.outputs >= THREADS && !masked && aligned && rows_lie_dense()
        {
            return ReductionClass::Staged;
        }
        ReductionClass::Rows
    }

    /// Reads four elements of one byte as one: four of a row, or of four adjacent outputs.
    pub(super) fn read_words(&mut self, class: ReductionClass, wanted: bool, out_pointer: DevicePtr<'_>) -> bool {
        const WORD: u64 = 4;
        if !wanted || self.item != 1 || class == ReductionClass::Staged {
            return false;
        }
        let columns = class == ReductionClass::Columns;
        let (kept, reduced, out) = (&self.kept.strides[0], &self.reduced.strides[1], &self.kept.strides[2]);
        let (sizes, along, across) =
            if columns { (&self.kept.sizes, kept, reduced) } else { (&self.reduced.sizes, reduced, kept) };
        let (Some((&size, outer)), Some((&step, steps))) = (sizes.split_last(), along.split_last()) else {
            return false;
        };
        let whole = |s: &i64| is_whole(*s, WORD);
        let fits_out = |&last: &i64| last == 1 && out[..outer.len()].iter().all(whole) && out_pointer.is_aligned(WORD);
        let words = step == 1
            && size.is_multiple_of(WORD as usize)
            && self.is_aligned(WORD)
            && steps.iter().chain(across).all(whole)
            && (!columns || out.last().is_some_and(fits_out));
        if words {
            let last = outer.len();
            if columns {
                self.kept.sizes[last] /= WORD as usize;
                self.kept.strides[0][last] = WORD as i64;
                self.kept.strides[2][last] = WORD as i64;
                self.outputs /= WORD as usize;
            } else {
                self.reduced.sizes[last] /= WORD as usize;
                self.reduced.strides[1][last] = WORD as i64;
                self.n /= WORD as usize;
            }
            self.item = WORD as usize;
        }
        words
    }

    /// Returns the number of adjacent elements of a load: those of a row, or adjacent columns, for each of which a
    /// thread needs `lane` bytes.
    pub(super) fn per_load(&self, class: ReductionClass, lane: usize) -> usize {
        match class {
            ReductionClass::Rows => self.per_load_of_rows(),
            ReductionClass::Columns => self.per_load_of_columns(lane),
            ReductionClass::Staged => self.whole_load(),
        }
    }

    /// Returns the number of elements of the widest load.
    fn whole_load(&self) -> usize {
        (REDUCTION_VECTOR / self.item).max(1)
    }

    /// Returns the number of elements of a row that a thread reads at once: 1 unless they are contiguous, aligned, and
    /// a multiple of the load.
    fn per_load_of_rows(&self) -> usize {
        let (Some((&size, _)), Some((&step, outer))) =
            (self.reduced.sizes.split_last(), self.reduced.strides[1].split_last())
        else {
            return 1;
        };
        self.largest_load(size, step, |bytes| self.kept.strides[0].iter().chain(outer).all(|s| is_whole(*s, bytes)))
    }

    /// Returns the number of adjacent columns that a thread reads at once.
    fn per_load_of_columns(&self, lane: usize) -> usize {
        let (Some((&size, _)), Some((&step, outer))) =
            (self.kept.sizes.split_last(), self.kept.strides[0].split_last())
        else {
            return 1;
        };
        let all = |bytes| self.reduced.strides[1].iter().chain(outer).all(|s| is_whole(*s, bytes));
        let mut v = self.largest_load(size, step, all);
        while v * lane > LANES && v * self.item > 4 {
            v /= 2;
        }
        v
    }

    fn largest_load(&self, size: usize, step: i64, strides_are_whole: impl Fn(u64) -> bool) -> usize {
        let mut v = if step == self.item as i64 { self.whole_load() } else { 1 };
        while v > 1 {
            let bytes = (v * self.item) as u64;
            if size.is_multiple_of(v) && self.is_aligned(bytes) && strides_are_whole(bytes) {
                break;
            }
            v /= 2;
        }
        v
    }
}

fn is_whole(stride: i64, bytes: u64) -> bool {
    stride.unsigned_abs().is_multiple_of(bytes)
}

/// Returns the smallest nonzero stride.
fn fastest(strides: &[i64]) -> u64 {
    strides.iter().map(|s| s.unsigned_abs()).filter(|&s| s > 0).min().unwrap_or(u64::MAX)
}

/// Arrangement of the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Base-2 logarithm of the number of adjacent threads along the outputs of a block; the others share their
    /// elements.
    pub(super) outputs_log2: u32,
    /// Blocks along the outputs.
    pub(super) blocks: usize,
    /// Blocks that share the elements of an output; more than 1 needs a second launch.
    pub(super) splits: usize,
    /// Elements of an output that one block combines.
    pub(super) per_split: usize,
    /// Staged rows of a block; or the number of threads with rows, if each reads short rows by itself.
    pub(super) rows: usize,
}

impl Shape {
    pub(super) fn new(outputs: usize, n: usize, class: ReductionClass, per_load: usize, item: usize) -> Shape {
        let log2 = |x: usize| x.max(1).ilog2();
        if class == ReductionClass::Staged {
            // The row pitch is odd, and starts are at whole loads.
            let rows = (REDUCTION_STAGED / item / (n | 1)).min(THREADS) & !15;
            return Shape { outputs_log2: 8, blocks: outputs.div_ceil(rows), splits: 1, per_split: n.max(1), rows };
        }
        let columns = class == ReductionClass::Columns;
        let positions = if columns { outputs.div_ceil(per_load) } else { outputs };
        let outputs_log2 = if columns {
            // A warp's worth of adjacent outputs, more if there is little to share.
            let wanted = if n < 64 { 256 } else { 32 };
            log2(positions.next_power_of_two().min(wanted))
        } else {
            // Short rows share a block.
            let reads = n.div_ceil(per_load);
            log2(THREADS / reads.div_ceil(4).next_power_of_two().clamp(1, THREADS))
                .min(log2(outputs.next_power_of_two()))
        };
        let (side, sharing) = (1 << outputs_log2, THREADS >> outputs_log2);
        let step = if columns { sharing } else { sharing * per_load };
        let blocks = positions.div_ceil(side);
        let most = n.div_ceil(step.max(sharing * PER_THREAD)).max(1);
        let splits = (BLOCKS / blocks.clamp(1, BLOCKS)).clamp(1, most);
        let splits = splits.max(n / (sharing * MOST_PER_THREAD)).min(65535);
        let per_split = n.div_ceil(splits).next_multiple_of(step).max(step);
        Shape { outputs_log2, blocks, splits: n.div_ceil(per_split).max(1), per_split, rows: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_cover_all_elements() {
        for outputs in [1, 2, 3, 31, 32, 33, 1000, 1 << 20] {
            for n in [0, 1, 2, 3, 255, 256, 257, 5000, 1 << 20, (1 << 28) + 1, 1 << 36] {
                for class in [ReductionClass::Rows, ReductionClass::Columns] {
                    let v = if n % 4 == 0 && class == ReductionClass::Rows { 4 } else { 1 };
                    let s = Shape::new(outputs, n, class, v, 4);
                    assert!(s.splits * s.per_split >= n, "{outputs} × {n}: {s:?}");
                    assert!((s.splits - 1) * s.per_split < n.max(1), "{outputs} × {n}: {s:?} has an empty split");
                    assert!(s.per_split.is_multiple_of(v), "{outputs} × {n}: {s:?}");
                    assert!(1 << s.outputs_log2 <= THREADS);
                    assert!((s.blocks << s.outputs_log2) >= outputs, "{outputs} × {n}: {s:?}");
                }
            }
        }
    }

    #[test]
    fn staged_rows_fit_and_begin_at_whole_loads() {
        for item in [1, 2, 4, 8, 16] {
            for n in 2..=REDUCTION_SHORT {
                let s = Shape::new(100_000, n, ReductionClass::Staged, REDUCTION_VECTOR / item, item);
                assert!(s.rows > 0 && s.rows <= THREADS && s.rows * (n | 1) * item <= REDUCTION_STAGED, "{item} {n}");
                assert!((s.rows * n * item).is_multiple_of(REDUCTION_VECTOR));
                assert!(s.blocks * s.rows >= 100_000);
            }
        }
    }

    #[test]
    fn no_thread_sums_more_elements_than_a_pairwise_sum_allows() {
        for n in [1 << 16, 1 << 20, 1 << 28] {
            let s = Shape::new(1, n, ReductionClass::Rows, 4, 4);
            assert!(s.per_split / THREADS <= MOST_PER_THREAD + 16, "{s:?}");
        }
    }
}
