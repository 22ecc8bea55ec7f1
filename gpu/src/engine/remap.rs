//! Results that are each one element of an operand, at computed coordinates: `roll`, `tile`, `repeat`, `pad`.
//!
//! Memory traffic: the results once, and of the operand the elements that they come from; repeated source elements are
//! read from the caches. A thread writes twice 16 bytes, and reads what goes into them before it writes any. If the
//! elements of such a chunk are contiguous in the operand it reads them together, wherever they begin, so that a roll,
//! a tile or a padding of rows has the speed of a copy; repeated elements take one division for a chunk. Elements at
//! the ends of rows, or outside, come last, one by one. Axes that are only copied are merged with the one before them,
//! together with its formula: for a roll along the first axis one axis is left.
//!
//! If the slowest axis is tiled, blocks alternate between its repetitions: those that read the same source elements are
//! adjacent, and the second finds them in the L2 cache.
//!
//! An operand that is contiguous along another axis than the results is first copied to their order.

use cuprum_kernels::params::{Read, Sizes, Strides as Steps, Width};
use cuprum_kernels::source::{Remap, RemapParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::{Dims, Layout, Strides};

/// Number of elements from which an operand in another order is copied first.
const MANY: usize = 1 << 12;
/// Number of repetitions from which blocks with the same sources are too far apart.
const MOST_TURNS: usize = 1 << 10;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Remap> = Kernels::default();
}

/// Returns the number of results that a block writes.
pub(super) fn tile(dtype: cuprum_kernels::DType) -> usize {
    Remap { item: dtype.size() as u8, searched: false, repeats: false, width: Width::default() }.tile()
}

/// Formula for the source of result i along an axis of n elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    /// i.
    Same,
    /// i plus the offset; beyond the end from the beginning again.
    Wrapped(i64),
    /// i minus the offset; reflected at the ends, whose elements are not repeated.
    Reflected(usize),
    /// The same, with the element at the end repeated.
    Symmetric(usize),
    /// i minus the offset; beyond an end, the element at the end.
    Clamped(usize),
    /// i minus the offset; beyond an end, no element.
    Bounded(usize),
    /// i divided by the number of repetitions.
    Repeated(usize),
    /// The first index whose end is greater than i.
    Counted,
}

/// Axis of the results.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// Number of results along the axis.
    size: usize,
    /// The formula's number in the kernel.
    formula: i64,
    /// Position in the period of the first result, or its distance from the first element.
    first: i64,
    /// Number of elements of the operand along the axis.
    length: usize,
    /// Results after which the formula repeats.
    period: usize,
    /// Sum of the positions of an element and its mirror image.
    turn: i64,
    /// Stride of the operand, in bytes.
    stride: i64,
}

impl Axis {
    fn new(size: usize, n: usize, stride: i64, formula: Formula) -> Axis {
        let same = Axis { size, formula: 0, first: 0, length: n, period: 1, turn: 0, stride };
        let mirrored = |before: usize, period: usize, turn: usize| {
            let first = (-(before as i64)).rem_euclid(period as i64);
            Axis { formula: 2, first, period, turn: turn as i64, ..same }
        };
        let less = |before: usize| -(before as i64);
        match formula {
            Formula::Same => same,
            Formula::Wrapped(first) => Axis { formula: 1, first: first.rem_euclid(n as i64), period: n, ..same },
            // A single element has nothing to be reflected but itself.
            Formula::Reflected(_) if n == 1 => Axis { formula: 3, ..same },
            Formula::Reflected(before) => mirrored(before, 2 * n - 2, 2 * n - 2),
            Formula::Symmetric(before) => mirrored(before, 2 * n, 2 * n - 1),
            Formula::Clamped(before) => Axis { formula: 3, first: less(before), ..same },
            Formula::Bounded(before) => Axis { formula: 4, first: less(before), ..same },
            Formula::Repeated(times) => Axis { formula: 5, period: times, ..same },
            Formula::Counted => Axis { formula: 6, ..same },
        }
    }

    /// Merges a faster axis that is only copied, if both are walked as one.
    fn merge(&mut self, inner: &Axis) -> bool {
        let copied = inner.formula == 0 && inner.size == inner.length;
        // The formulas that are unchanged for groups of elements.
        let grouped = matches!(self.formula, 0 | 1 | 4);
        if !(copied && grouped && self.stride == inner.stride.wrapping_mul(inner.size as i64)) {
            return false;
        }
        let n = inner.size;
        *self = Axis {
            size: self.size * n,
            formula: self.formula,
            first: self.first * n as i64,
            length: self.length * n,
            period: if self.formula == 1 { self.period * n } else { 1 },
            turn: 0,
            stride: inner.stride,
        };
        true
    }
}

/// Writes to every element of `out`, which is contiguous in any memory order, the element of `a` that the formulas of
/// the axes select, or the bytes `fill` if one selects none. `ends` are int64, contiguous, for the one axis with
/// counts. `a` is not empty, and shares no memory with `out`.
pub(crate) fn remap(a: &Array, formulas: &[Formula], ends: Option<&Array>, fill: [u8; 16], out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let mut order: Dims = (0..out.ndim()).collect();
    order.sort_by_key(|&x| (std::cmp::Reverse(out.strides()[x]), x));
    let item = a.itemsize() as i64;
    let side_by_side = |x: usize| a.strides()[x].abs() == item && a.shape()[x] > 1;
    let last = order.iter().rev().copied().find(|&x| a.shape()[x] > 1);
    let crossed = last.is_some_and(|x| !side_by_side(x)) && (0..a.ndim()).any(side_by_side);
    let copied = if crossed && a.size() >= MANY { Some(in_order(a, &order)?) } else { None };
    let a = copied.as_ref().unwrap_or(a);

    let mut axes: Vec<Axis> = Vec::with_capacity(out.ndim().max(1));
    for x in order {
        let axis = Axis::new(out.shape()[x], a.shape()[x], a.strides()[x], formulas[x]);
        let nothing = axis.size == 1 && axis.formula == 0;
        if !nothing && !axes.last_mut().is_some_and(|outer| outer.merge(&axis)) {
            axes.push(axis);
        }
    }
    if axes.is_empty() {
        axes.push(Axis::new(1, 1, item, Formula::Same));
    }
    let reach = axes.iter().map(|x| x.first.unsigned_abs() as usize + x.size.max(2 * x.length)).max().unwrap_or(0);
    let width = Width::of(axes.len(), out.size().max(reach));
    let device = out.device();
    let repeats = axes.last().is_some_and(|x| x.formula == 5);
    let key = Remap { item: item as u8, searched: ends.is_some(), repeats, width };
    let [function] = kernels(&KERNELS, device, key, ["remap"], || (key.name(), key.source()))?;
    let each = |f: fn(&Axis) -> i64| axes.iter().map(f).collect::<Strides>();
    let sizes: Dims = axes.iter().map(|x| x.size).collect();
    let period: Dims = axes.iter().map(|x| x.period).collect();
    let (formula, first) = (each(|x| x.formula), each(|x| x.first));
    let (length, turn, strides) = (each(|x| x.length as i64), each(|x| x.turn), each(|x| x.stride));
    let words = u128::from_le_bytes(fill);
    let runs = axes.last().is_some_and(|x| x.stride == item && x.formula < 6);
    // The slowest axis is tiled: a block for each repetition, then the next ones.
    let slowest = &axes[0];
    let turn_results = slowest.period * (out.size() / slowest.size);
    let takes_turns = slowest.formula == 1
        && slowest.first == 0
        && slowest.size > slowest.period
        && slowest.size.is_multiple_of(slowest.period)
        && (turn_results * item as usize).is_multiple_of(16)
        && slowest.size / slowest.period <= MOST_TURNS
        && turn_results > key.tile();
    let turns = if takes_turns { slowest.size / slowest.period } else { 1 };
    let params = RemapParams {
        width,
        results: out.size(),
        input: read(a),
        out: written(out),
        ends: Read(ends.map(DevicePtr::of)),
        counts: ends.map_or(0, |e| e.size() as i64),
        fill: [words as u64, (words >> 64) as u64],
        axes: axes.len() as u32,
        runs,
        turns: turns as u32,
        turn_results,
        sizes: Sizes(&sizes),
        period: Sizes(&period),
        formula: Steps(&formula),
        first: Steps(&first),
        length: Steps(&length),
        turn: Steps(&turn),
        strides: Steps(&strides),
    };
    let blocks = Blocks::of(turns * (out.size() / turns).div_ceil(key.tile()), out.size(), "results");
    // SAFETY: for every coordinate a formula selects a source of its axis or none, and at most the last index of the
    // ends.
    unsafe { Launcher::on(device).launch(function, blocks, 256, &params) }
}

/// Returns a contiguous copy with its axes in this memory order.
fn in_order(a: &Array, order: &[usize]) -> Result<Array> {
    let shape: Dims = order.iter().map(|&x| a.shape()[x]).collect();
    let dense = Layout::c_order(&shape, a.itemsize());
    let mut layout = dense.clone();
    for (k, &x) in order.iter().enumerate() {
        layout.shape[x] = dense.shape[k];
        layout.strides[x] = dense.strides[k];
    }
    let copy = Array::of_layout(a.device(), layout, a.dtype())?;
    super::copy(a, &copy)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use crate::{Array, DType, tile};

    /// Blocks that alternate between repetitions, with a last one that is not full; rows that end within a chunk.
    #[test]
    fn turns_of_blocks_write_every_result() {
        for (rows, columns, reps) in [(3, 4096, (3, 2)), (7, 1204, (2, 1)), (5, 1001, (4, 3)), (1, 20_004, (5, 1))] {
            let n = rows * columns;
            let numbers: Vec<u32> = (0..n as u32).collect();
            let a = Array::from_slice(&numbers, [rows, columns]).unwrap();
            let want: Vec<u32> = (0..rows * reps.0)
                .flat_map(|i| (0..columns * reps.1).map(move |j| (i % rows * columns + j % columns) as u32))
                .collect();
            for dtype in [DType::U32, DType::F64] {
                let found = tile(a.astype(dtype).unwrap(), reps).unwrap().astype(DType::U32).unwrap();
                assert!(found.to_vec::<u32>().unwrap() == want, "{rows} {columns} {reps:?} {dtype}");
            }
        }
    }
}
