//! Row-wise fusion: pending reductions, and chains of calls and reductions along rows, in one kernel whose threads hold
//! their rows.
//!
//! A reduction whose axes are kept is pending in a scope like a call, if a block can hold its rows. The calls that
//! depend on its result and on its operand are then collected into a [`RowProgram`]: `exp(x - max(x)) / sum(exp(x -
//! max(x)))` is one. Each reduction combines its elements in the order of the kernel that would reduce an array of
//! them. Reductions that distribute rows differently from the first are computed before, as is everything that is too
//! much for a kernel.
//!
//! Lower bound of memory traffic: each array that the program reads once, each result written once.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cuprum_kernels::DType;
use cuprum_kernels::params::{SHALLOW_AXES, Sizes, Strides as Steps, Width};
use cuprum_kernels::registry::{Accumulator, ReductionId};
use cuprum_kernels::source::{
    ElementwiseInput, FUSED_INPUTS, FUSED_RESULTS, FUSED_STEPS, ROWS_HELD, ROWS_REDUCTIONS, RowCall, RowMode, RowNode,
    RowOperand, RowProgram, RowProgramId, Rows, RowsParams,
};
use smallvec::SmallVec;

use super::collect::{Leaf, inlined};
use super::compiling::ready;
use super::prologue::crosses;
use super::{DEEPEST, HeldArray, Input, LaunchOutcome, Pending, mode, scope};
use crate::array::Array;
use crate::cuda::{Buffer, Work};
use crate::engine::Reducing;
use crate::engine::kernels::Kernels;
use crate::engine::launch::{Blocks, DevicePtr, Launcher};
use crate::engine::reduction::shared_out::RowShare;
use crate::error::Result;
use crate::layout::{Axes, Dims, Layout, Strides, checked_bytes};

/// Threads of a block: `THREADS` of `include/rows.cuh`.
const THREADS: usize = 256;

/// Number of tables of strides: those of the inputs, then those of the results, of which the first is the last.
const TABLES: usize = FUSED_INPUTS + FUSED_RESULTS;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Rows> = Kernels::default();
}

/// Pending reduction with kept axes.
#[derive(Debug)]
pub(super) struct PendingRow {
    /// The reduction.
    op: ReductionId,
    /// The operand, which may be pending.
    a: HeldArray,
    /// Dtype that the caller requested.
    result_dtype: Option<DType>,
    /// The reduced axes, in ascending order.
    axes: Dims,
    /// Degrees of freedom that are subtracted from the number of elements, for variances.
    ddof: f64,
    /// The layout of the result, without the reduced axes and with them.
    bare: Layout,
    layout: Layout,
    /// Dtype of the result.
    dtype: DType,
    /// Distribution of rows among threads.
    share: RowShare,
    /// Length of the longest chain of pending calls.
    depth: usize,
}

/// Reduction that can be deferred: the operands of [`Reducing`], without options.
pub(crate) struct Later<'a> {
    /// The reduction.
    pub(crate) op: ReductionId,
    /// The operand.
    pub(crate) a: &'a Array,
    /// Dtype that the caller requested.
    pub(crate) result_dtype: Option<DType>,
    /// The reduced axes, in ascending order.
    pub(crate) axes: &'a [usize],
    /// Degrees of freedom that are subtracted from the number of elements, for variances.
    pub(crate) ddof: f64,
    /// The layout of the result, without the reduced axes.
    pub(crate) layout: Layout,
    /// Dtype of the result.
    pub(crate) dtype: DType,
}

impl Later<'_> {
    /// Returns the pending array of the reduction's result, with the reduced axes of size 1. Returns `None` if it
    /// cannot or need not be deferred, and must be made now.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a shape whose size in bytes exceeds the address space.
    pub(crate) fn defer(self) -> Result<Option<Array>> {
        mode::check()?;
        let Later { op, a, result_dtype, axes, ddof, layout: bare, dtype } = self;
        let queue = a.device().queue();
        let Some(l) = op.resolve(a.dtype(), result_dtype, false) else { return Ok(None) };
        let positions = matches!(l.accumulator, Accumulator::Indexed(_));
        // A search for the first element if none is a number reads memory, and complex products begin with 1.
        let special = positions && op.skips(a.dtype()) || op.multiplies() && l.out.is_complex();
        let may_wait = a.buffer().may_be_read_later() && !a.buffer().waits_beside(&queue) && !queue.is_captured();
        let waits = a.buffer().work().is_some();
        if special || !may_wait || a.size() == 0 || waits && !is_whole(a) || !one_order(a, axes) {
            return Ok(None);
        }
        let Some(share) = RowShare::of(a, axes, &bare.strides, waits, positions) else { return Ok(None) };
        if share.loads() * share.per_load * a.itemsize() > ROWS_HELD {
            return Ok(None);
        }
        let child = a.buffer().work().and_then(PendingNode::from).map_or(0, |waiting| waiting.depth());
        if child >= DEEPEST {
            return Ok(None);
        }
        let layout = expanded(&bare, axes, a.ndim());
        let bytes = checked_bytes(&bare.shape, dtype.size())?;
        let (held, axes) = (HeldArray(a.clone()), axes.into());
        let (depth, shown) = (child + 1, layout.clone());
        let work = Arc::new(PendingRow { op, a: held, result_dtype, axes, ddof, bare, layout, dtype, share, depth });
        let buffer = Arc::new(Buffer::deferred(bytes, queue, work));
        a.buffer().read_later_by(Arc::downgrade(&buffer));
        scope::note(&buffer);
        Ok(Some(Array::of_buffer(buffer, shown, dtype)))
    }
}

/// Returns the layout with axes of size 1 inserted at these positions.
fn expanded(bare: &Layout, axes: &[usize], ndim: usize) -> Layout {
    let mut own = bare.shape.iter().zip(&bare.strides);
    let mut next =
        |axis: usize| if axes.contains(&axis) { (1, 0) } else { own.next().map_or((1, 0), |(n, s)| (*n, *s)) };
    let (shape, strides) = (0..ndim).map(&mut next).unzip();
    Layout { shape, strides, offset: bare.offset }
}

/// Returns true if a pending array is the whole result of its call.
fn is_whole(a: &Array) -> bool {
    inlined(a, a.size()).is_some_and(|work| work.layout.offset == 0 && work.layout.strides.iter().all(|&s| s >= 0))
}

/// Returns true if elements of a row are combined in C order of its axes: there is one axis, with a positive stride, or
/// the array has that order.
fn one_order(a: &Array, axes: &[usize]) -> bool {
    let mut long = axes.iter().filter(|&&axis| a.shape()[axis] > 1);
    match (long.next(), long.next()) {
        (Some(&axis), None) => a.strides()[axis] > 0,
        _ => a.is_c_contiguous(),
    }
}

/// Pending call or reduction.
#[derive(Clone)]
pub(super) enum PendingNode {
    Call(Arc<Pending>),
    Row(Arc<PendingRow>),
}

impl PendingNode {
    /// Returns the pending work of an array that is a whole result.
    pub(super) fn of(a: &Array) -> Option<PendingNode> {
        let waiting = PendingNode::from(a.buffer().work()?)?;
        (*a.layout() == *waiting.layout() && a.dtype() == waiting.dtype()).then_some(waiting)
    }

    pub(super) fn from(work: Arc<dyn Work>) -> Option<PendingNode> {
        if let Ok(call) = work.clone().as_any().downcast() {
            return Some(PendingNode::Call(call));
        }
        work.as_any().downcast().ok().map(PendingNode::Row)
    }

    /// Returns true if it is a pending reduction, or depends on one.
    pub(super) fn has_rows(&self) -> bool {
        match self {
            PendingNode::Call(call) => call.rows,
            PendingNode::Row(_) => true,
        }
    }

    /// Returns the length of the longest chain of pending calls.
    pub(super) fn depth(&self) -> usize {
        match self {
            PendingNode::Call(call) => call.depth,
            PendingNode::Row(row) => row.depth,
        }
    }

    fn layout(&self) -> &Layout {
        match self {
            PendingNode::Call(call) => &call.layout,
            PendingNode::Row(row) => &row.layout,
        }
    }

    fn dtype(&self) -> DType {
        match self {
            PendingNode::Call(call) => call.dtype,
            PendingNode::Row(row) => row.dtype,
        }
    }

    fn is(&self, other: &PendingNode) -> bool {
        match (self, other) {
            (PendingNode::Call(a), PendingNode::Call(b)) => Arc::ptr_eq(a, b),
            (PendingNode::Row(a), PendingNode::Row(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Returns the first pending reduction that it depends on, or itself: the rows are its rows.
    fn first_row(&self) -> Option<Arc<PendingRow>> {
        match self {
            PendingNode::Row(row) => Some(row.clone()),
            PendingNode::Call(call) if call.rows => call.ins.iter().find_map(|input| match input {
                Input::Array(a) => PendingNode::of(&a.0)?.first_row(),
                Input::Value(_) => None,
            }),
            PendingNode::Call(_) => None,
        }
    }
}

/// Program with its inputs, and the pending work of each node.
struct Collected {
    /// The reduction that decides the distribution of rows.
    row: Arc<PendingRow>,
    /// The shape of the elements, and that of values of which there is one for each row.
    wide: Dims,
    /// See `wide`.
    narrow: Dims,
    /// The nodes: calls on elements, reductions, and calls on values of rows.
    program: RowProgram,
    /// The inputs of the kernel.
    leaves: SmallVec<[Leaf; 4]>,
    /// The pending work of each node, which gets its result if it is visible.
    nodes: SmallVec<[PendingNode; 8]>,
}

impl Collected {
    fn of(root: &PendingNode) -> Option<Collected> {
        let row = root.first_row()?;
        let wide: Dims = row.a.0.shape().into();
        let narrow: Dims = row.layout.shape.as_slice().into();
        let mut collected = Collected {
            row,
            wide,
            narrow,
            program: RowProgram::default(),
            leaves: SmallVec::new(),
            nodes: SmallVec::new(),
        };
        let node = collected.node(root)?;
        collected.program.outs.push(node);
        Some(collected)
    }

    /// Returns the index of a node, which follows those of its operands; `None` if it is too much for a kernel.
    fn node(&mut self, waiting: &PendingNode) -> Option<u8> {
        if let Some(known) = self.nodes.iter().position(|w| w.is(waiting)) {
            return Some(known as u8);
        }
        let (call, wide) = match waiting {
            PendingNode::Call(call) => {
                let wide = call.layout.shape.as_slice() == &*self.wide;
                if call.op.record().distribution.is_some() || !wide && call.layout.shape.as_slice() != &*self.narrow {
                    return None;
                }
                let of = &call.op.loops()[usize::from(call.signature)];
                let mut from = [RowOperand::Input(0); 3];
                for ((slot, input), &dtype) in from.iter_mut().zip(&call.ins).zip(&of.ins) {
                    *slot = match input {
                        &Input::Value(bytes) => RowOperand::Input(self.leaf(Leaf::Value(bytes), dtype)?),
                        Input::Array(a) => self.operand(&a.0)?,
                    };
                }
                // A value with one element per row is computed from such values.
                if !wide && from[..call.op.record().nin].iter().any(|from| self.is_wide(*from)) {
                    return None;
                }
                (RowCall::Step { op: call.op, signature: call.signature, from }, wide)
            }
            PendingNode::Row(row) => {
                if self.program.reductions().count() >= ROWS_REDUCTIONS {
                    return None;
                }
                let from = self.operand(&row.a.0)?;
                // A scalar is not reduced.
                if !self.is_wide(from) {
                    return None;
                }
                (RowCall::Reduce { op: row.op, result_dtype: row.result_dtype, from }, false)
            }
        };
        if self.nodes.len() >= FUSED_STEPS {
            return None;
        }
        self.nodes.push(waiting.clone());
        self.program.nodes.push(RowNode { call, wide });
        Some(self.nodes.len() as u8 - 1)
    }

    fn is_wide(&self, operand: RowOperand) -> bool {
        match operand {
            RowOperand::Node(k) => self.program.nodes[usize::from(k)].wide,
            RowOperand::Input(k) => match &self.leaves[usize::from(k)] {
                Leaf::Array(a) => {
                    let strides = a.layout().broadcast_strides(&self.wide);
                    self.row.axes.iter().any(|&axis| strides[axis] != 0)
                }
                Leaf::Value(_) => false,
            },
        }
    }

    /// Returns a pending operand as a part of the program, if it can be one; any other as an input.
    fn operand(&mut self, a: &Array) -> Option<RowOperand> {
        let part = PendingNode::of(a).filter(|waiting| match waiting {
            // An array that another engine has read through is needed again.
            PendingNode::Call(call) => {
                let shape = call.layout.shape.as_slice();
                let is_here = shape == &*self.wide || shape == &*self.narrow;
                is_here && !call.read.load(Relaxed) && call.op.record().distribution.is_none()
            }
            PendingNode::Row(row) => {
                row.axes == self.row.axes && row.a.0.shape() == &*self.wide && row.share == self.row.share
            }
        });
        match part {
            Some(waiting) => Some(RowOperand::Node(self.node(&waiting)?)),
            None => Some(RowOperand::Input(self.array(a)?)),
        }
    }

    fn array(&mut self, a: &Array) -> Option<u8> {
        let same = |leaf: &Leaf| match leaf {
            Leaf::Array(b) => {
                Arc::ptr_eq(a.shared_buffer(), b.shared_buffer()) && a.layout() == b.layout() && a.dtype() == b.dtype()
            }
            Leaf::Value(_) => false,
        };
        match self.leaves.iter().position(same) {
            Some(known) => Some(known as u8),
            None => self.leaf(Leaf::Array(a.clone()), a.dtype()),
        }
    }

    fn leaf(&mut self, leaf: Leaf, dtype: DType) -> Option<u8> {
        if self.leaves.len() >= FUSED_INPUTS {
            return None;
        }
        self.leaves.push(leaf);
        self.program.ins.push(dtype);
        Some(self.leaves.len() as u8 - 1)
    }
}

/// Computes pending work that depends on reductions, in one kernel, and those arrays of `seen` that are computed in it:
/// pairs of a result and of its index in `seen`, after that of the root.
pub(super) fn run(root: &PendingNode, seen: &[Arc<Buffer>]) -> Result<Option<(LaunchOutcome, Vec<usize>)>> {
    if mode::goes_step_by_step() {
        return Ok(None);
    }
    let Some(mut of) = Collected::of(root) else { return Ok(None) };
    let mut others = vec![];
    for (k, buffer) in seen.iter().enumerate() {
        let Some(waiting) = buffer.work().and_then(PendingNode::from).filter(|w| !w.is(root)) else { continue };
        if let Some(node) = of.nodes.iter().position(|w| w.is(&waiting))
            && of.program.outs.len() < FUSED_RESULTS
        {
            of.program.outs.push(node as u8);
            others.push(k);
        }
    }
    // A single reduction has a kernel that holds nothing.
    if of.program.reductions().count() < 2 && of.program.outs.len() < 2 && matches!(root, PendingNode::Row(_)) {
        return Ok(None);
    }
    Ok(of.launch()?.map(|made| (made, others)))
}

impl Collected {
    fn launch(&self) -> Result<Option<LaunchOutcome>> {
        let share = self.row.share;
        let device = self.row.a.0.device();
        let loads = share.loads();
        let held = self.program.held_bytes(|k| self.is_wide(RowOperand::Input(k as u8)));
        if held * loads * share.per_load > ROWS_HELD {
            return Ok(None);
        }
        let outs: SmallVec<[Array; 2]> = (self.program.outs.iter())
            .map(|&node| {
                let (layout, dtype) = match &self.nodes[usize::from(node)] {
                    PendingNode::Call(call) => (call.layout.clone(), call.dtype),
                    PendingNode::Row(row) => (row.layout.clone(), row.dtype),
                };
                Array::of_layout(device, layout, dtype)
            })
            .collect::<Result<_>>()?;
        let Some((key, walks)) = self.plan(&outs, loads)? else { return Ok(None) };
        let Some([function]) = ready(&KERNELS, device, key, ["rows"])? else { return Ok(Some(LaunchOutcome::NotYet)) };
        let arrays = || (0..self.leaves.len()).filter(|&k| key.ins[k] != RowMode::Value);
        let results = || (0..outs.len()).map(|k| TABLES - 1 - k);
        let ins: SmallVec<[ElementwiseInput<DevicePtr<'_>>; 4]> = (self.leaves.iter())
            .map(|leaf| match leaf {
                &Leaf::Value(bytes) => ElementwiseInput::Value(bytes),
                Leaf::Array(a) => ElementwiseInput::Pointer(DevicePtr::of(a)),
            })
            .collect();
        let pointers: SmallVec<[DevicePtr<'_>; 2]> = outs.iter().map(DevicePtr::of).collect();
        let ddofs: SmallVec<[f64; ROWS_REDUCTIONS]> = (self.nodes.iter())
            .filter_map(|node| match node {
                PendingNode::Row(row) => Some(row.ddof),
                PendingNode::Call(_) => None,
            })
            .collect();
        let params = RowsParams {
            width: key.width,
            outputs: share.outputs,
            reduced: share.n,
            outputs_log2: share.outputs_log2,
            kept_axes: walks.kept.sizes.len() as u32,
            reduced_axes: walks.reduced.sizes.len() as u32,
            kept: Sizes(&walks.kept.sizes),
            reduced_sizes: Sizes(&walks.reduced.sizes),
            ddofs: &ddofs,
            outs: &pointers,
            ins: &ins,
            read_kept: &tables(&walks.kept, arrays()),
            read_reduced: &tables(&walks.reduced, arrays()),
            write_kept: &tables(&walks.kept, results()),
            write_reduced: &tables(&walks.reduced, results()),
        };
        let blocks = Blocks::of(share.blocks, share.outputs, "rows");
        // SAFETY: the sizes and strides reach elements of the inputs and of the results only.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }?;
        drop(pointers);
        Ok(Some(LaunchOutcome::Together(outs.into_vec())))
    }

    /// Returns the kernel, and the axes that it walks; `None` if another kernel is better for the operands' layouts.
    fn plan(&self, outs: &[Array], loads: usize) -> Result<Option<(Rows, Walks)>> {
        let share = self.row.share;
        let axes = &self.row.axes;
        let strides: SmallVec<[Option<Strides>; 4]> = (self.leaves.iter())
            .map(|leaf| match leaf {
                Leaf::Array(a) => Some(a.layout().broadcast_strides(&self.wide)),
                Leaf::Value(_) => None,
            })
            .collect();
        let written: SmallVec<[Strides; 2]> =
            outs.iter().map(|out| out.layout().broadcast_strides(&self.wide)).collect();
        let still: Strides = self.wide.iter().map(|_| 0).collect();
        let of_slot = |slot: usize| -> &Strides {
            let read = strides.get(slot).and_then(Option::as_ref);
            read.or_else(|| written.get(TABLES - 1 - slot)).unwrap_or(&still)
        };
        let collapse = |of: &[usize], keep_order: bool| -> Axes<TABLES> {
            let sizes: Dims = of.iter().map(|&axis| self.wide[axis]).collect();
            let picked: [Strides; TABLES] =
                std::array::from_fn(|slot| of.iter().map(|&axis| of_slot(slot)[axis]).collect());
            Axes::collapse(&sizes, std::array::from_fn(|slot| picked[slot].as_slice()), keep_order)
        };
        let kept: Dims = (0..self.wide.len()).filter(|axis| !axes.contains(axis)).collect();
        let walks = Walks { kept: collapse(&kept, false), reduced: collapse(axes, true) };
        let v = share.per_load;
        let last = walks.reduced.sizes.last().copied().unwrap_or(1);
        let most = walks.kept.sizes.len().max(walks.reduced.sizes.len());
        if most > SHALLOW_AXES || !last.is_multiple_of(v) {
            return Ok(None);
        }
        let mode = |slot: usize, pointer: DevicePtr<'_>, item: usize| {
            let (along, across) = (&walks.reduced.strides[slot], &walks.kept.strides[slot]);
            let Some((&step, outer)) = along.split_last().filter(|_| along.iter().any(|&s| s != 0)) else {
                return RowMode::Row;
            };
            let bytes = (v * item).min(16) as u64;
            let steps = outer.iter().chain(across).all(|s| s.unsigned_abs().is_multiple_of(bytes));
            let dense = v > 1 && step == item as i64 && steps && pointer.is_aligned(bytes);
            if dense { RowMode::Dense } else { RowMode::Apart }
        };
        let mut key = Rows {
            program: RowProgramId::of(&self.program),
            ins: [RowMode::Value; FUSED_INPUTS],
            outs: [RowMode::Row; FUSED_RESULTS],
            per_load: v as u8,
            loads: loads as u8,
            one_axis: walks.reduced.sizes.len() <= 1,
            all_loads: share.fills(loads),
            width: Width { wide: share.outputs.max(share.n) > i32::MAX as usize, ..Width::default() },
        };
        for (k, leaf) in self.leaves.iter().enumerate() {
            let Leaf::Array(a) = leaf else { continue };
            if crosses(a, of_slot(k), &self.wide, self.row.a.0.strides()) {
                return Ok(None);
            }
            key.ins[k] = mode(k, DevicePtr::of(a), a.itemsize());
        }
        for (k, out) in outs.iter().enumerate() {
            key.outs[k] = mode(TABLES - 1 - k, DevicePtr::of(out), out.itemsize());
        }
        Ok(Some((key, walks)))
    }
}

/// The axes of the rows, and of the elements of a row.
struct Walks {
    /// The axes along which rows are counted.
    kept: Axes<TABLES>,
    /// The axes of the elements of a row.
    reduced: Axes<TABLES>,
}

/// Returns the strides of some arrays.
fn tables(axes: &Axes<TABLES>, slots: impl Iterator<Item = usize>) -> SmallVec<[Steps<'_>; 4]> {
    slots.map(|slot| Steps(&axes.strides[slot])).collect()
}

impl PendingRow {
    /// Makes this reduction alone.
    fn alone(&self) -> Result<Array> {
        let out = Array::of_layout(self.a.0.device(), self.bare.clone(), self.dtype)?;
        let (op, a, result_dtype) = (self.op, &self.a.0, self.result_dtype);
        Reducing { op, a, result_dtype, axes: &self.axes, mask: None, initial: None, ddof: self.ddof, out: &out }
            .run()?;
        Ok(out)
    }
}

impl Work for PendingRow {
    fn run(self: Arc<Self>) -> Result<Arc<Buffer>> {
        let behind = PendingNode::of(&self.a.0).is_some_and(|waiting| waiting.has_rows());
        let made = match behind {
            true => run(&PendingNode::Row(self.clone()), &[]),
            false => Ok(None),
        };
        let made = made.and_then(|made| match made {
            Some((LaunchOutcome::Together(mut made), _)) => Ok(made.remove(0)),
            Some((LaunchOutcome::NotYet, _)) => mode::step_by_step(|| self.alone()),
            Some((LaunchOutcome::Apart, _)) | None => self.alone(),
        });
        made.map(|made| made.shared_buffer().clone()).map_err(|e| e.with_op(self.op.record().name))
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
