//! The plan of an elementwise call: which class of kernel, over which axes, with which parameters.

use std::thread::LocalKey;

use cuprum_kernels::DType;
use cuprum_kernels::params::{SHALLOW_AXES, Size, Sizes, Strides as Steps};
use cuprum_kernels::source::{
    Class, ELEMENTWISE_THREADS, Elementwise, ElementwiseInput, ElementwiseParams, Input, Mode,
};
use smallvec::{SmallVec, smallvec};

use super::Call;
use crate::array::{Array, Operand};
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, Place};
use crate::error::Result;
use crate::layout::{Axes, Dims, Strides};

/// An axis shorter than this fills too little of a tile.
const TILED_FROM: usize = 16;

/// The operands in memory, in a fixed place each: inputs first, the results last, the first result being the very last,
/// because the last operand decides the order in which axes are walked. What a call does not have moves nowhere.
struct Operands<'a, const N: usize> {
    arrays: [Option<&'a Array>; N],
    places: [Option<Place<'a>>; N],
}

/// Elements that a block copies of operands that lie side by side: more than of others, and than of wider ones.
pub(in crate::engine) fn tile(dtype: DType) -> usize {
    let Ok((op, signature)) = crate::engine::internal("copy", dtype) else { return ELEMENTWISE_THREADS };
    let input = Input { dtype, mode: Mode::Array };
    let key =
        Elementwise { op, signature, ins: [input; 3], outs: [dtype; 2], mask: None, class: Class::Flat, all: false };
    ELEMENTWISE_THREADS * key.elements_per_thread()
}

/// Plans a call and launches it. `N` is the number of places for operands: 3 where two inputs and one result are all,
/// otherwise 6.
pub(super) fn launch<const N: usize>(call: &Call<'_>, launched: &'static LocalKey<Kernels<Elementwise>>) -> Result<()> {
    let mut operands = Operands::<N>::of(call);
    if operands.are_dense() {
        return operands.launch_flat(call, launched);
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
    operands.launch_along(call, launched, key, down, &axes, n)
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

/// Launches the kernel of a key: so many threads for `n` elements.
fn queue(
    call: &Call<'_>,
    launched: &'static LocalKey<Kernels<Elementwise>>,
    told: &ElementwiseParams<'_, Place<'_>>,
    threads: u64,
    n: u64,
) -> Result<()> {
    let (device, key) = (call.outs[0].device(), *told.key);
    let [function] = kernels(launched, device, key, ["elementwise"], || (key.name(), key.source()))?;
    let block = threads.next_multiple_of(32).min(ELEMENTWISE_THREADS as u64);
    let blocks = Blocks::of(threads.div_ceil(block) as usize, n as usize, "elements");
    // SAFETY: the plan's sizes and strides reach the operands' elements only.
    unsafe { Launcher::on(device).launch(function, blocks, block as usize, told) }
}

impl<'a, const N: usize> Operands<'a, N> {
    const MASK: usize = 3;

    fn of(call: &'a Call<'a>) -> Self {
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
        Operands { arrays, places: arrays.map(|a| a.map(Place::of)) }
    }

    /// Whether all arrays are of the result's shape and in C order, so that there is one axis to walk.
    fn are_dense(&self) -> bool {
        let Some(out) = self.arrays[N - 1] else { return false };
        self.arrays.iter().flatten().all(|a| a.is_c_contiguous() && a.shape() == out.shape())
    }

    /// Launches the kernel of dense operands.
    fn launch_flat(&self, call: &Call<'_>, launched: &'static LocalKey<Kernels<Elementwise>>) -> Result<()> {
        let loop_ = &call.op.loops()[call.signature as usize];
        let mut ins = [Input { dtype: DType::Bool, mode: Mode::Value }; 3];
        for (k, o) in call.ins.iter().enumerate() {
            ins[k] = match o {
                Operand::Scalar(_) => Input { dtype: loop_.ins[k], mode: Mode::Value },
                Operand::Array(a) => Input { dtype: a.dtype(), mode: Mode::Array },
            };
        }
        let (key, n) = (key(call, ins), call.outs[0].size() as u64);
        let told = ElementwiseParams { n, word: self.aligned(&key).into(), ..self.told(call, &key) };
        queue(call, launched, &told, n.div_ceil(key.elements_per_thread() as u64), n)
    }

    /// What kernels of every class are told.
    fn told<'k>(&self, call: &Call<'_>, key: &'k Elementwise) -> ElementwiseParams<'k, Place<'a>> {
        let loop_ = &call.op.loops()[call.signature as usize];
        let mut told = ElementwiseParams::new(key);
        for (k, slot) in told.outs.iter_mut().enumerate().take(call.outs.len()) {
            *slot = self.places[N - 1 - k];
        }
        if call.mask.is_some() {
            told.mask = self.places[Self::MASK];
        }
        for (k, o) in call.ins.iter().enumerate() {
            told.ins[k] = match o {
                Operand::Scalar(s) => Some(ElementwiseInput::Value(s.encode(loop_.ins[k]))),
                Operand::Array(_) => self.places[k].map(ElementwiseInput::Place),
            };
        }
        told
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
                    self.places[k] = self.places[k].map(|p| p.moved(s * (shape[axis] as i64 - 1)));
                    strides[k][axis] = -s;
                }
            }
        }
        Axes::collapse(shape, std::array::from_fn(|k| strides[k].as_slice()), false)
    }

    fn is_aligned(&self, k: usize, to: u64) -> bool {
        self.places[k].is_none_or(|place| place.is_aligned(to))
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
                    || self.is_aligned(k, to)
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
            still || self.is_aligned(k, (vector * self.itemsize(k) as u64).clamp(1, 16))
        })
    }

    /// Launches the kernel of the class that was picked; of tiles, `down` is the axis along which crossed inputs are
    /// contiguous.
    fn launch_along(
        &self,
        call: &Call<'_>,
        launched: &'static LocalKey<Kernels<Elementwise>>,
        key: Elementwise,
        down: usize,
        axes: &Axes<N>,
        n: u64,
    ) -> Result<()> {
        let rank = axes.sizes.len();
        let outer = rank.saturating_sub(1);
        let length = axes.sizes.last().copied().unwrap_or(1);
        let vector = key.elements_per_thread();
        let tiles = |axis: usize| axes.sizes[axis].div_ceil(key.tile());
        let told = self.told(call, &key);
        // Operands in the order of the kernel's tables.
        let places: SmallVec<[usize; 6]> = (0..call.ins.len())
            .chain(call.mask.map(|_| Self::MASK))
            .chain((0..call.outs.len()).map(|k| N - 1 - k))
            .collect();
        let along = |axes_of: usize| -> SmallVec<[Steps<'_>; 6]> {
            places.iter().map(|&k| Steps(&axes.strides[k][..axes_of])).collect()
        };
        match key.class {
            Class::Flat => {
                let told = ElementwiseParams { n, word: self.aligned(&key).into(), ..told };
                queue(call, launched, &told, n.div_ceil(vector as u64), n)
            }
            Class::Rows { .. } => {
                let vectors = (n as usize / length * length.div_ceil(vector)) as u64;
                let told = ElementwiseParams {
                    n: vectors,
                    word: outer as u64,
                    tiles: [Size(length.div_ceil(vector)), Size(1)],
                    lengths: [length, 0],
                    sizes: Sizes(&axes.sizes[..outer]),
                    strides: &along(outer),
                    ..told
                };
                queue(call, launched, &told, vectors, n)
            }
            Class::Tiled => {
                let others = || (0..outer).filter(|&axis| axis != down);
                let sizes: Dims = others().map(|axis| axes.sizes[axis]).collect();
                let steps: SmallVec<[[i64; 2]; 6]> =
                    places.iter().map(|&k| [axes.strides[k][outer], axes.strides[k][down]]).collect();
                let strides: SmallVec<[Strides; 6]> =
                    places.iter().map(|&k| others().map(|axis| axes.strides[k][axis]).collect()).collect();
                let strides: SmallVec<[Steps<'_>; 6]> = strides.iter().map(|s| Steps(s)).collect();
                let told = ElementwiseParams {
                    n,
                    word: outer as u64 - 1,
                    tiles: [Size(tiles(outer)), Size(tiles(down))],
                    lengths: [length, axes.sizes[down]],
                    sizes: Sizes(&sizes),
                    steps: &steps,
                    strides: &strides,
                    ..told
                };
                let blocks = sizes.iter().product::<usize>() * tiles(outer) * tiles(down);
                queue(call, launched, &told, (blocks * ELEMENTWISE_THREADS) as u64, n)
            }
            Class::Strided { .. } => {
                let (sizes, strides) = (Sizes(&axes.sizes), &along(rank)[..]);
                let told = ElementwiseParams { n, word: rank as u64, sizes, strides, ..told };
                queue(call, launched, &told, n.div_ceil(vector as u64), n)
            }
        }
    }
}
