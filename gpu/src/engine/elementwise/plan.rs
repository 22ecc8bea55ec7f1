//! Plan of an elementwise call: class of the kernel, axes, and parameters.
//!
//! Axes are ordered by the strides of the result and merged where all operands allow it: most calls are left with one
//! axis. The classes of kernels are flat (all operands contiguous), rows (contiguous rows, in accesses of 16 bytes),
//! tiled (inputs that are contiguous along another axis than the results go through shared memory, so that both sides
//! are coalesced) and strided (any other).

use std::thread::LocalKey;

use cuprum_kernels::DType;
use cuprum_kernels::params::{Parameters, SHALLOW_AXES, Size, Sizes, Strides as Steps};
use cuprum_kernels::source::{
    Class, ELEMENTWISE_THREADS, Elementwise, ElementwiseInput, ElementwiseParams, Input, Mode, Walk,
};
use smallvec::{SmallVec, smallvec};

use super::Call;
use crate::array::{Array, Operand};
use crate::cuda::Device;
use crate::driver::Function;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher};
use crate::error::Result;
use crate::layout::{Axes, Dims, Strides};

/// An axis shorter than this fills too little of a tile.
const TILED_FROM: usize = 16;

/// The operands in memory, each at a fixed index: inputs first, the results last, the first result being the very last,
/// because the last operand decides the order in which axes are walked. Missing operands have stride 0.
pub(in crate::engine) struct Operands<'a, const N: usize> {
    pub(in crate::engine) arrays: [Option<&'a Array>; N],
    pub(in crate::engine) pointers: [Option<DevicePtr<'a>>; N],
}

/// Key of a kernel whose class is to be selected.
pub(in crate::engine) trait Key: Copy {
    /// Returns the number of inputs and results.
    fn count(&self) -> [usize; 2];
    /// Returns the mode in which input `k` is read.
    fn mode(&self, k: usize) -> Mode;
    fn set_mode(&mut self, k: usize, mode: Mode);
    fn mask(&mut self) -> Option<&mut Mode>;
    fn class(&mut self) -> &mut Class;
    fn elements_per_thread(&self) -> usize;
    fn tile(&self) -> usize;
}

impl Key for Elementwise {
    #[inline]
    fn count(&self) -> [usize; 2] {
        let record = self.op.record();
        [record.nin, record.nout]
    }

    #[inline]
    fn mode(&self, k: usize) -> Mode {
        self.ins[k].mode
    }

    #[inline]
    fn set_mode(&mut self, k: usize, mode: Mode) {
        self.ins[k].mode = mode;
    }

    #[inline]
    fn mask(&mut self) -> Option<&mut Mode> {
        self.mask.as_mut()
    }

    #[inline]
    fn class(&mut self) -> &mut Class {
        &mut self.class
    }

    #[inline]
    fn elements_per_thread(&self) -> usize {
        Elementwise::elements_per_thread(self)
    }

    #[inline]
    fn tile(&self) -> usize {
        Elementwise::tile(self)
    }
}

/// Returns the number of elements of a block that copies contiguous operands, which is larger than for others, and for
/// narrow dtypes.
pub(in crate::engine) fn tile(dtype: DType) -> usize {
    let Ok((op, signature)) = crate::engine::internal("copy", dtype) else { return ELEMENTWISE_THREADS };
    let input = Input { dtype, mode: Mode::Array };
    let key =
        Elementwise { op, signature, ins: [input; 3], outs: [dtype; 2], mask: None, class: Class::Flat, all: false };
    ELEMENTWISE_THREADS * key.elements_per_thread()
}

/// Plans a call and launches it. `N` is the number of operand slots: 3 if there are at most two inputs and one result,
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
    // Operands in the order of the kernel's tables.
    let slots: SmallVec<[usize; 6]> = (0..call.ins.len())
        .chain(call.mask.map(|_| Operands::<N>::MASK))
        .chain((0..call.outs.len()).map(|k| N - 1 - k))
        .collect();
    operands.along(key, down, &slots, &axes, n, |walk, threads| {
        queue(call, launched, &ElementwiseParams { walk, ..operands.params(call, &key) }, threads, n)
    })
}

/// Returns the key of a call with contiguous operands.
fn key(call: &Call<'_>, ins: [Input; 3]) -> Elementwise {
    let mut outs = [DType::Bool; 2];
    for (slot, out) in outs.iter_mut().zip(call.outs) {
        *slot = out.dtype();
    }
    let mask = call.mask.map(|_| Mode::Array);
    Elementwise { op: call.op, signature: call.signature, ins, outs, mask, class: Class::Flat, all: call.all }
}

/// Launches the kernel of a key with this number of threads for `n` elements.
fn queue(
    call: &Call<'_>,
    launched: &'static LocalKey<Kernels<Elementwise>>,
    params: &ElementwiseParams<'_, DevicePtr<'_>>,
    threads: u64,
    n: u64,
) -> Result<()> {
    let (device, key) = (call.outs[0].device(), *params.key);
    let [function] = kernels(launched, device, key, ["elementwise"], || (key.name(), key.source()))?;
    send(device, function, params, threads, n)
}

/// Launches a kernel with this number of threads for `n` elements.
pub(in crate::engine) fn send<'a>(
    device: Device,
    function: Function,
    params: &impl Parameters<DevicePtr<'a>>,
    threads: u64,
    n: u64,
) -> Result<()> {
    let block = threads.next_multiple_of(32).min(ELEMENTWISE_THREADS as u64);
    let blocks = Blocks::of(threads.div_ceil(block) as usize, n as usize, "elements");
    // SAFETY: the plan's sizes and strides reach the operands' elements only.
    unsafe { Launcher::on(device).launch(function, blocks, block as usize, params) }
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
        Operands { arrays, pointers: arrays.map(|a| a.map(DevicePtr::of)) }
    }

    /// Returns true if all arrays have the result's shape and are in C order, so that there is one axis to walk.
    pub(in crate::engine) fn are_dense(&self) -> bool {
        let Some(out) = self.arrays[N - 1] else { return false };
        self.arrays.iter().flatten().all(|a| a.is_c_contiguous() && a.shape() == out.shape())
    }

    /// Launches the kernel of contiguous operands.
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
        let walk = Walk { n, word: self.aligned(&key).into(), ..Walk::default() };
        let params = ElementwiseParams { walk, ..self.params(call, &key) };
        queue(call, launched, &params, n.div_ceil(key.elements_per_thread() as u64), n)
    }

    /// Returns the parameters common to every class.
    fn params<'k>(&self, call: &Call<'_>, key: &'k Elementwise) -> ElementwiseParams<'k, DevicePtr<'a>> {
        let loop_ = &call.op.loops()[call.signature as usize];
        let mut params = ElementwiseParams::new(key);
        for (k, slot) in params.outs.iter_mut().enumerate().take(call.outs.len()) {
            *slot = self.pointers[N - 1 - k];
        }
        if call.mask.is_some() {
            params.mask = self.pointers[Self::MASK];
        }
        for (k, o) in call.ins.iter().enumerate() {
            params.ins[k] = match o {
                Operand::Scalar(s) => Some(ElementwiseInput::Value(s.encode(loop_.ins[k]))),
                Operand::Array(_) => self.pointers[k].map(ElementwiseInput::Pointer),
            };
        }
        params
    }

    /// Returns the collapsed axes of all operands together, each in the direction in which the first result's addresses
    /// increase.
    pub(in crate::engine) fn axes(&mut self, shape: &[usize]) -> Axes<N> {
        let mut strides: [Strides; N] = self.arrays.map(|a| match a {
            Some(a) => a.layout().broadcast_strides(shape),
            None => smallvec![0; shape.len()],
        });
        for axis in 0..shape.len() {
            if strides[N - 1][axis] < 0 {
                for k in 0..N {
                    let s = strides[k][axis];
                    self.pointers[k] = self.pointers[k].map(|p| p.moved(s * (shape[axis] as i64 - 1)));
                    strides[k][axis] = -s;
                }
            }
        }
        Axes::collapse(shape, std::array::from_fn(|k| strides[k].as_slice()), false)
    }

    fn is_aligned(&self, k: usize, to: u64) -> bool {
        self.pointers[k].is_none_or(|pointer| pointer.is_aligned(to))
    }

    fn itemsize(&self, k: usize) -> i64 {
        self.arrays[k].map_or(0, |a| a.itemsize() as i64)
    }

    /// Selects the class, and the modes of the inputs in it; for tiles, also the axis along which crossed inputs are
    /// contiguous.
    pub(in crate::engine) fn classify<K: Key>(&self, mut key: K, axes: &Axes<N>, n: u64) -> (K, usize) {
        let outer = axes.sizes.len().saturating_sub(1);
        let step = |k: usize| axes.strides[k].last().copied().unwrap_or_else(|| self.itemsize(k));
        let [nin, nout] = key.count();
        let first_out = N - nout;
        let results_dense = (first_out..N).all(|k| step(k) == self.itemsize(k));
        let inputs =
            |key: &K, mode: Mode| -> SmallVec<[usize; 3]> { (0..nin).filter(|&k| key.mode(k) == mode).collect() };
        let masked = key.mask().is_some();
        let moving: SmallVec<[usize; 4]> =
            inputs(&key, Mode::Array).into_iter().chain(masked.then_some(Self::MASK)).collect();

        let strided = Class::Strided { wide: n > u32::MAX.into(), deep: axes.sizes.len() > SHALLOW_AXES };
        let mut general = (key, 0);
        *general.0.class() = strided;
        if !results_dense {
            return general;
        }
        if outer == 0 && moving.iter().all(|&k| step(k) == self.itemsize(k)) {
            return (key, 0);
        }
        if outer == 0 || outer > SHALLOW_AXES {
            return general;
        }

        // Searches another axis along which an input is contiguous that is not contiguous along the last one.
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
                    key.set_mode(k, Mode::Crossed);
                }
            }
            *key.class() = Class::Tiled;
            return (key, down);
        }

        if moving.iter().all(|&k| step(k) == self.itemsize(k) || step(k) == 0) {
            let mut rows = key;
            *rows.class() = Class::Rows { wide: false };
            for k in inputs(&key, Mode::Array) {
                if step(k) == 0 {
                    rows.set_mode(k, Mode::Repeat);
                }
            }
            if let Some(mask) = rows.mask().filter(|_| step(Self::MASK) == 0) {
                *mask = Mode::Repeat;
            }
            let vector = rows.elements_per_thread();
            let aligned = |k: usize| {
                let to = (vector as u64 * self.itemsize(k) as u64).min(16);
                step(k) == 0
                    || self.is_aligned(k, to)
                        && axes.strides[k][..outer].iter().all(|s| s.unsigned_abs().is_multiple_of(to))
            };
            if axes.sizes[outer] >= vector && moving.iter().copied().chain(first_out..N).all(aligned) {
                *rows.class() = Class::Rows { wide: n > u32::MAX.into() };
                return (rows, 0);
            }
        }
        general
    }

    /// Returns true if the vectors of every operand are aligned to their size.
    pub(in crate::engine) fn aligned(&self, key: &impl Key) -> bool {
        let (vector, [nin, _]) = (key.elements_per_thread() as u64, key.count());
        (0..N).all(|k| {
            let still = k < nin && key.mode(k) == Mode::Uniform;
            still || self.is_aligned(k, (vector * self.itemsize(k) as u64).clamp(1, 16))
        })
    }

    /// Calls `send` with the sizes and strides of the selected class, and with the number of threads. For tiles, `down`
    /// is the axis along which crossed inputs are contiguous. `slots` are the operands in the order of the kernel's
    /// tables.
    pub(in crate::engine) fn along(
        &self,
        key: impl Key,
        down: usize,
        slots: &[usize],
        axes: &Axes<N>,
        n: u64,
        send: impl FnOnce(Walk<'_>, u64) -> Result<()>,
    ) -> Result<()> {
        let rank = axes.sizes.len();
        let outer = rank.saturating_sub(1);
        let length = axes.sizes.last().copied().unwrap_or(1);
        let vector = key.elements_per_thread();
        let tiles = |axis: usize| axes.sizes[axis].div_ceil(key.tile());
        let along = |axes_of: usize| -> SmallVec<[Steps<'_>; 6]> {
            slots.iter().map(|&k| Steps(&axes.strides[k][..axes_of])).collect()
        };
        let class = *key.clone().class();
        match class {
            Class::Flat => {
                let walk = Walk { n, word: self.aligned(&key).into(), ..Walk::default() };
                send(walk, n.div_ceil(vector as u64))
            }
            Class::Rows { .. } => {
                let vectors = (n as usize / length * length.div_ceil(vector)) as u64;
                let walk = Walk {
                    n: vectors,
                    word: outer as u64,
                    tiles: [Size(length.div_ceil(vector)), Size(1)],
                    lengths: [length, 0],
                    sizes: Sizes(&axes.sizes[..outer]),
                    strides: &along(outer),
                    ..Walk::default()
                };
                send(walk, vectors)
            }
            Class::Tiled => {
                let others = || (0..outer).filter(|&axis| axis != down);
                let sizes: Dims = others().map(|axis| axes.sizes[axis]).collect();
                let steps: SmallVec<[[i64; 2]; 6]> =
                    slots.iter().map(|&k| [axes.strides[k][outer], axes.strides[k][down]]).collect();
                let strides: SmallVec<[Strides; 6]> =
                    slots.iter().map(|&k| others().map(|axis| axes.strides[k][axis]).collect()).collect();
                let strides: SmallVec<[Steps<'_>; 6]> = strides.iter().map(|s| Steps(s)).collect();
                let walk = Walk {
                    n,
                    word: outer as u64 - 1,
                    tiles: [Size(tiles(outer)), Size(tiles(down))],
                    lengths: [length, axes.sizes[down]],
                    sizes: Sizes(&sizes),
                    steps: &steps,
                    strides: &strides,
                };
                let blocks = sizes.iter().product::<usize>() * tiles(outer) * tiles(down);
                send(walk, (blocks * ELEMENTWISE_THREADS) as u64)
            }
            Class::Strided { .. } => {
                let (sizes, strides) = (Sizes(&axes.sizes), &along(rank)[..]);
                send(Walk { n, word: rank as u64, sizes, strides, ..Walk::default() }, n.div_ceil(vector as u64))
            }
        }
    }
}
