//! The plan of an elementwise call: which class of kernel, over which axes, with which parameters.

use cuprum_kernels::DType;
use cuprum_kernels::source::{Class, DEEP_AXES, ELEMENTWISE_THREADS, Elementwise, Input, Mode, SHALLOW_AXES};

use smallvec::{SmallVec, smallvec};

use super::Call;
use crate::array::Array;
use crate::array::Operand;
use crate::engine::params::Params;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Axes, Dims, Strides};

/// An axis shorter than this fills too little of a tile.
const TILED_FROM: usize = 16;

pub(super) struct Plan {
    pub(super) key: Elementwise,
    pub(super) grid: u32,
    pub(super) block: u32,
}

/// The operands in memory, in a fixed place each: inputs first, the results last, the first result being the very last,
/// because the last operand decides the order in which axes are walked. What a call does not have moves nowhere.
struct Operands<'a, const N: usize> {
    arrays: [Option<&'a Array>; N],
    addrs: [u64; N],
}

impl Plan {
    /// Plans a call and writes its parameters. `N` is the number of places for operands: 3 where two inputs and one
    /// result are all, otherwise 6.
    pub(super) fn new<const N: usize>(call: &Call<'_>, params: &mut Params) -> Result<Plan> {
        let mut operands = Operands::<N>::of(call)?;
        if operands.are_dense() {
            return operands.flat(call, params);
        }
        let axes = operands.axes(call.outs[0].shape());
        let n = axes.sizes.iter().product::<usize>() as u64;

        let loop_ = &call.op.loops()[call.signature as usize];
        let still = |k: usize| n > 1 && axes.strides[k].iter().all(|&s| s == 0);
        let mut ins = [Input { dtype: DType::Bool, mode: Mode::Value }; 3];
        for (k, o) in call.ins.iter().enumerate() {
            ins[k] = match o {
                Operand::Scalar(_) => Input { dtype: loop_.ins[k], mode: Mode::Value },
                Operand::Array(a) if still(k) => Input { dtype: a.dtype(), mode: Mode::Uniform },
                Operand::Array(a) => Input { dtype: a.dtype(), mode: Mode::Array },
            };
        }
        let (key, down) = operands.classify(key(call, ins), &axes, n);
        operands.finish(call, key, down, &axes, n, params)
    }
}

/// The key of a call whose operands lie side by side.
fn key(call: &Call<'_>, ins: [Input; 3]) -> Elementwise {
    let mut outs = [DType::Bool; 2];
    for (slot, out) in outs.iter_mut().zip(call.outs) {
        *slot = out.dtype();
    }
    let mask = call.mask.map(|_| Mode::Array);
    Elementwise { op: call.op, signature: call.signature, ins, outs, mask, class: Class::Flat, all: call.all }
}

/// Blocks and threads of a block for so many threads.
fn grid(threads: u64, n: u64) -> Result<(u32, u32)> {
    let block = threads.next_multiple_of(32).min(ELEMENTWISE_THREADS as u64);
    let grid = threads.div_ceil(block);
    if grid > i32::MAX as u64 {
        return Err(Error::new(ErrorKind::Value, format!("{n} elements are more than one launch can reach")));
    }
    Ok((grid as u32, block as u32))
}

impl<'a, const N: usize> Operands<'a, N> {
    const MASK: usize = 3;

    fn of(call: &'a Call<'a>) -> Result<Self> {
        let mut arrays = [None; N];
        for (slot, o) in arrays.iter_mut().zip(call.ins) {
            if let Operand::Array(a) = o {
                *slot = Some(*a);
            }
        }
        if let Some(mask) = call.mask {
            arrays[Self::MASK] = Some(mask);
        }
        for (k, out) in call.outs.iter().enumerate() {
            arrays[N - 1 - k] = Some(*out);
        }
        let device = call.outs[0].device();
        if let Some(other) = arrays.iter().flatten().find(|a| a.device() != device) {
            return Err(Error::new(
                ErrorKind::Value,
                format!("the operands are on different devices: {:?} and {device:?}", other.device()),
            ));
        }
        let mut addrs = [0; N];
        for (addr, a) in addrs.iter_mut().zip(&arrays) {
            if let Some(a) = a {
                *addr = a.addr();
            }
        }
        Ok(Operands { arrays, addrs })
    }

    /// Whether all arrays are of the result's shape and in C order, so that there is one axis to walk.
    fn are_dense(&self) -> bool {
        let Some(out) = self.arrays[N - 1] else { return false };
        self.arrays.iter().flatten().all(|a| a.is_c_contiguous() && a.shape() == out.shape())
    }

    /// The plan of dense operands.
    fn flat(&self, call: &Call<'_>, params: &mut Params) -> Result<Plan> {
        let loop_ = &call.op.loops()[call.signature as usize];
        let mut ins = [Input { dtype: DType::Bool, mode: Mode::Value }; 3];
        for (k, o) in call.ins.iter().enumerate() {
            ins[k] = match o {
                Operand::Scalar(_) => Input { dtype: loop_.ins[k], mode: Mode::Value },
                Operand::Array(a) => Input { dtype: a.dtype(), mode: Mode::Array },
            };
        }
        let (key, n) = (key(call, ins), call.outs[0].size() as u64);
        self.head(call, n, self.aligned(&key).into(), params);
        let (grid, block) = grid(n.div_ceil(key.elements_per_thread() as u64), n)?;
        Ok(Plan { key, grid, block })
    }

    /// Writes the parameters that every class has.
    fn head(&self, call: &Call<'_>, count: u64, word: u64, params: &mut Params) {
        params.u64(count);
        params.u64(word);
        params.u64(self.addrs[N - 1]);
        params.u64(if call.outs.len() > 1 { self.addrs[N - 2] } else { 0 });
        params.u64(if call.mask.is_some() { self.addrs[Self::MASK] } else { 0 });
        params.u64(0);
        let loop_ = &call.op.loops()[call.signature as usize];
        for (k, o) in call.ins.iter().enumerate() {
            match o {
                Operand::Scalar(s) => params.bytes(&s.encode(loop_.ins[k])),
                Operand::Array(_) => {
                    params.u64(self.addrs[k]);
                    params.u64(0);
                }
            }
        }
    }

    /// The axes to walk, all operands together, each in the direction in which the first result grows.
    fn axes(&mut self, shape: &[usize]) -> Axes<N> {
        let mut strides: [Strides; N] = self.arrays.map(|a| match a {
            Some(a) => a.layout().stretched_strides(shape),
            None => smallvec![0; shape.len()],
        });
        for axis in 0..shape.len() {
            if strides[N - 1][axis] < 0 {
                for k in 0..N {
                    let s = strides[k][axis];
                    self.addrs[k] = self.addrs[k].wrapping_add_signed(s * (shape[axis] as i64 - 1));
                    strides[k][axis] = -s;
                }
            }
        }
        Axes::collapse(shape, std::array::from_fn(|k| strides[k].as_slice()), false)
    }

    fn itemsize(&self, k: usize) -> i64 {
        self.arrays[k].map_or(0, |a| a.itemsize() as i64)
    }

    /// Picks the class and what it makes of the modes of the inputs; for tiles, also the axis along which crossed
    /// inputs are contiguous.
    fn classify(&self, mut key: Elementwise, axes: &Axes<N>, n: u64) -> (Elementwise, usize) {
        let outer = axes.sizes.len().saturating_sub(1);
        let step = |k: usize| axes.strides[k].last().copied().unwrap_or_else(|| self.itemsize(k));
        let nin = key.op.record().nin;
        let first_out = N - key.op.record().nout;
        let results_dense = (first_out..N).all(|k| step(k) == self.itemsize(k));
        let inputs = |key: &Elementwise, mode: Mode| -> SmallVec<[usize; 3]> {
            (0..nin).filter(|&k| key.ins[k].mode == mode).collect()
        };
        let moving: SmallVec<[usize; 4]> =
            inputs(&key, Mode::Array).into_iter().chain(key.mask.map(|_| Self::MASK)).collect();

        let strided = Class::Strided { wide: n > u32::MAX.into(), deep: axes.sizes.len() > SHALLOW_AXES };
        let general = (Elementwise { class: strided, ..key }, 0);
        if !results_dense {
            return general;
        }
        if outer == 0 && moving.iter().all(|&k| step(k) == self.itemsize(k)) {
            return (key, 0);
        }
        if outer == 0 || outer > SHALLOW_AXES {
            return general;
        }

        // Along which other axis is an input contiguous that is not along the last one?
        let crosses = |k: usize, axis: usize| {
            step(k) != 0 && step(k) != self.itemsize(k) && axes.strides[k][axis].abs() == self.itemsize(k)
        };
        let down = (0..outer).find(|&axis| {
            axes.sizes[axis].min(axes.sizes[outer]) >= TILED_FROM
                && inputs(&key, Mode::Array).iter().any(|&k| crosses(k, axis))
        });
        if let Some(down) = down {
            for k in inputs(&key, Mode::Array) {
                if crosses(k, down) {
                    key.ins[k].mode = Mode::Crossed;
                }
            }
            key.class = Class::Tiled;
            return (key, down);
        }

        if moving.iter().all(|&k| step(k) == self.itemsize(k) || step(k) == 0) {
            let mut rows = Elementwise { class: Class::Rows { wide: false }, ..key };
            for k in inputs(&key, Mode::Array) {
                if step(k) == 0 {
                    rows.ins[k].mode = Mode::Repeat;
                }
            }
            if key.mask.is_some() && step(Self::MASK) == 0 {
                rows.mask = Some(Mode::Repeat);
            }
            let vector = rows.elements_per_thread();
            let aligned = |k: usize| {
                let to = (vector as u64 * self.itemsize(k) as u64).min(16);
                step(k) == 0
                    || self.addrs[k].is_multiple_of(to)
                        && axes.strides[k][..outer].iter().all(|s| s.unsigned_abs().is_multiple_of(to))
            };
            if axes.sizes[outer] >= vector && moving.iter().copied().chain(first_out..N).all(aligned) {
                rows.class = Class::Rows { wide: n > u32::MAX.into() };
                return (rows, 0);
            }
        }
        general
    }

    /// Whether vectors of every operand lie at multiples of their size.
    fn aligned(&self, key: &Elementwise) -> bool {
        let vector = key.elements_per_thread() as u64;
        (0..N).all(|k| {
            let still = k < 3 && k < key.op.record().nin && key.ins[k].mode == Mode::Uniform;
            still || self.addrs[k].is_multiple_of((vector * self.itemsize(k) as u64).clamp(1, 16))
        })
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one plan")]
    fn finish(
        &self,
        call: &Call<'_>,
        key: Elementwise,
        down: usize,
        axes: &Axes<N>,
        n: u64,
        params: &mut Params,
    ) -> Result<Plan> {
        let rank = axes.sizes.len();
        let outer = rank.saturating_sub(1);
        let length = axes.sizes.last().copied().unwrap_or(1);
        let vector = key.elements_per_thread();
        let tiles = |axis: usize| axes.sizes[axis].div_ceil(key.tile());
        let (count, word) = match key.class {
            Class::Flat => (n, self.aligned(&key).into()),
            Class::Rows { .. } => ((n as usize / length * length.div_ceil(vector)) as u64, outer),
            Class::Tiled => (n, outer - 1),
            Class::Strided { .. } => (n, rank),
        };
        self.head(call, count, word as u64, params);
        let places =
            (0..call.ins.len()).chain(call.mask.map(|_| Self::MASK)).chain((0..call.outs.len()).map(|k| N - 1 - k));
        let elements = match key.class {
            Class::Flat => count.div_ceil(vector as u64),
            Class::Rows { wide } => {
                params.dividers(&[length.div_ceil(vector)], 1, wide);
                if !wide {
                    params.u32(0);
                }
                params.u64(length as u64);
                params.dividers(&axes.sizes[..outer], SHALLOW_AXES, wide);
                places.for_each(|k| params.strides(&axes.strides[k][..outer], SHALLOW_AXES));
                count
            }
            Class::Tiled => {
                params.u64(length as u64);
                params.u64(axes.sizes[down] as u64);
                params.dividers(&[tiles(outer), tiles(down)], 2, false);
                let others = (0..outer).filter(|&axis| axis != down);
                let sizes: Dims = others.clone().map(|axis| axes.sizes[axis]).collect();
                params.dividers(&sizes, SHALLOW_AXES, false);
                for k in places.clone() {
                    params.strides(&[axes.strides[k][outer], axes.strides[k][down]], 2);
                }
                for k in places {
                    let strides: Strides = others.clone().map(|axis| axes.strides[k][axis]).collect();
                    params.strides(&strides, SHALLOW_AXES);
                }
                let blocks = sizes.iter().product::<usize>() * tiles(outer) * tiles(down);
                (blocks * ELEMENTWISE_THREADS) as u64
            }
            Class::Strided { wide, deep } => {
                let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
                params.dividers(&axes.sizes, capacity, wide);
                places.for_each(|k| params.strides(&axes.strides[k], capacity));
                count.div_ceil(vector as u64)
            }
        };
        let (grid, block) = grid(elements, n)?;
        Ok(Plan { key, grid, block })
    }
}
