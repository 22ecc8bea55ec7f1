//! Launch of the kernel of an expression.
//!
//! Lower bound: the inputs once and the visible results once; intermediate results stay in registers.

use std::sync::Arc;

use cuprum_kernels::DType;
use cuprum_kernels::params::SHALLOW_AXES;
use cuprum_kernels::source::{
    Class, ElementwiseInput, ExpressionId, FUSED_INPUTS, FUSED_RESULTS, Fused, FusedParams, Mode, Walk,
};
use smallvec::SmallVec;

use super::collect::{Collected, Leaf};
use super::compiling::ready;
use super::{Pending, mode, row_wise};
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::engine::elementwise::{Key, Operands, send};
use crate::engine::kernels::Kernels;
use crate::engine::launch::DevicePtr;
use crate::error::Result;
use crate::layout::{Layout, MAX_NDIM};

/// Number of operand slots: inputs first, then the results backwards from the end.
const OPERANDS: usize = FUSED_INPUTS + FUSED_RESULTS;

/// Bytes of shared memory that a block has on every device.
const SHARED: usize = 48 << 10;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Fused> = Kernels::default();
}

impl Key for Fused {
    fn count(&self) -> [usize; 2] {
        [self.nin(), self.nout()]
    }

    fn mode(&self, k: usize) -> Mode {
        self.modes[k]
    }

    fn set_mode(&mut self, k: usize, mode: Mode) {
        self.modes[k] = mode;
    }

    fn mask(&mut self) -> Option<&mut Mode> {
        None
    }

    fn class(&mut self) -> &mut Class {
        &mut self.class
    }

    fn elements_per_thread(&self) -> usize {
        Fused::elements_per_thread(self)
    }

    fn tile(&self) -> usize {
        Fused::tile(self)
    }
}

/// Outcome of calls that were to share a kernel.
pub(super) enum LaunchOutcome {
    /// Their results.
    Together(Vec<Array>),
    /// The kernel is being compiled: for now each call is made alone, and so are the calls that it depends on.
    NotYet,
    /// No kernel: the calls are a single call, or too much for one kernel.
    Apart,
}

/// Computes the results of calls, which have the same layout, in one kernel.
pub(super) fn run(roots: &[&Arc<Pending>]) -> Result<LaunchOutcome> {
    if mode::goes_step_by_step() {
        return Ok(LaunchOutcome::Apart);
    }
    if let [root] = roots
        && root.rows
        && let Some((made, _)) = row_wise::run(&row_wise::PendingNode::Call((*root).clone()), &[])?
    {
        return Ok(made);
    }
    let Some(collected) = Collected::of(roots).filter(|c| c.expression.steps.len() > 1) else {
        return Ok(LaunchOutcome::Apart);
    };
    let outs = roots.iter().map(|root| root.out()).collect::<Result<_>>()?;
    into(&collected, roots[0].device, &roots[0].layout, outs)
}

/// Computes an expression into arrays of one layout.
pub(super) fn into(collected: &Collected, device: Device, layout: &Layout, outs: Vec<Array>) -> Result<LaunchOutcome> {
    // Random numbers depend on the index of an element in C order, which is known if all operands are in C order.
    let numbered = collected.expression.steps.iter().any(|s| s.op.record().distribution.is_some());
    if numbered && !layout.is_c_contiguous(collected.expression.dtype(collected.expression.outs[0]).size()) {
        return Ok(LaunchOutcome::Apart);
    }
    let mut operands = Operands::<OPERANDS> { arrays: [None; OPERANDS], pointers: [None; OPERANDS] };
    let expression = ExpressionId::of(&collected.expression);
    let mut key = Fused { expression, modes: [Mode::Value; FUSED_INPUTS], class: Class::Flat };
    for (k, leaf) in collected.leaves.iter().enumerate() {
        if let Leaf::Array(a) = leaf {
            operands.arrays[k] = Some(a);
            operands.pointers[k] = Some(DevicePtr::of(a));
            key.modes[k] = Mode::Array;
        }
    }
    for (k, out) in outs.iter().enumerate() {
        operands.arrays[OPERANDS - 1 - k] = Some(out);
        operands.pointers[OPERANDS - 1 - k] = Some(DevicePtr::of(out));
    }
    let count = layout.size() as u64;
    if operands.are_dense() {
        let Some([function]) = ready(&KERNELS, device, key, ["elementwise"])? else { return Ok(LaunchOutcome::NotYet) };
        let walk = Walk { n: count, word: operands.aligned(&key).into(), ..Walk::default() };
        let threads = count.div_ceil(key.elements_per_thread() as u64);
        queue(collected, &operands, device, function, key, walk, threads, count)?;
        return Ok(LaunchOutcome::Together(outs));
    }
    if numbered {
        return Ok(LaunchOutcome::Apart);
    }
    let axes = operands.axes(&layout.shape);
    let n = axes.sizes.iter().product::<usize>() as u64;
    for k in 0..collected.leaves.len() {
        if key.modes[k] == Mode::Array && n > 1 && axes.strides[k].iter().all(|&s| s == 0) {
            key.modes[k] = Mode::Uniform;
        }
    }
    let (mut picked, down) = operands.classify(key, &axes, n);
    if picked.class == Class::Tiled && shared_bytes(&picked) > SHARED {
        let deep = axes.sizes.len() > SHALLOW_AXES;
        picked = Fused { class: Class::Strided { wide: n > u32::MAX.into(), deep }, ..key };
    }
    if matches!(picked.class, Class::Strided { deep: true, .. }) && picked.nin() + picked.nout() > DEEP_OPERANDS {
        return Ok(LaunchOutcome::Apart);
    }
    let Some([function]) = ready(&KERNELS, device, picked, ["elementwise"])? else { return Ok(LaunchOutcome::NotYet) };
    let slots: SmallVec<[usize; OPERANDS]> =
        (0..collected.leaves.len()).chain((0..outs.len()).map(|k| OPERANDS - 1 - k)).collect();
    operands.along(picked, down, &slots, &axes, n, |walk, threads| {
        queue(collected, &operands, device, function, picked, walk, threads, n)
    })?;
    Ok(LaunchOutcome::Together(outs))
}

/// Maximum number of operands whose tables of strides along the maximum number of axes fit in a kernel's parameters.
const DEEP_OPERANDS: usize = 2048 / (8 * MAX_NDIM);

/// Returns the bytes of the tiles of a block.
fn shared_bytes(key: &Fused) -> usize {
    let tile = key.tile();
    let crossed = key.expression.expression().ins.iter().zip(&key.modes).filter(|(_, mode)| **mode == Mode::Crossed);
    crossed.map(|(dtype, _): (&DType, _)| tile * (tile + 1) * dtype.size()).sum()
}

/// Launches the kernel.
#[allow(clippy::too_many_arguments, reason = "the parameters of a launch")]
fn queue(
    collected: &Collected,
    operands: &Operands<'_, OPERANDS>,
    device: Device,
    function: Function,
    mut key: Fused,
    walk: Walk<'_>,
    threads: u64,
    n: u64,
) -> Result<()> {
    let input = |(k, leaf): (usize, &Leaf)| match (leaf, operands.pointers[k]) {
        (Leaf::Value(bytes), _) => Some(ElementwiseInput::Value(*bytes)),
        (Leaf::Array(_), pointer) => pointer.map(ElementwiseInput::Pointer),
    };
    let ins: SmallVec<[ElementwiseInput<DevicePtr<'_>>; 4]> =
        collected.leaves.iter().enumerate().filter_map(input).collect();
    let outs: SmallVec<[DevicePtr<'_>; 1]> =
        (0..key.nout()).filter_map(|k| operands.pointers[OPERANDS - 1 - k]).collect();
    send(device, function, &FusedParams { class: *Key::class(&mut key), walk, outs: &outs, ins: &ins }, threads, n)
}
