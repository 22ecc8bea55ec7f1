//! Elementwise work: the plan of a call, and its launch.

use std::cell::RefCell;

use cuprum_kernels::registry::UfuncId;
use cuprum_kernels::source::{Class, DEEP_AXES, Elementwise, Input, Mode, SHALLOW_AXES};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::params::Params;
use crate::array::Array;
use crate::cuda::{Device, Source};
use crate::driver::Function;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Axes, Layout, Order, Strides};
use crate::scalar::Operand;

/// Threads of a block.
const BLOCK: u64 = 256;
/// Operands of any kernel: three inputs and the result.
const OPERANDS: usize = 4;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: RefCell<FxHashMap<(usize, Elementwise), Function>> = RefCell::default();
}

/// Runs a loop of a ufunc over operands that have been broadcast to the shape of `out`. Inputs may overlap it.
pub(crate) fn elementwise(op: UfuncId, signature: u8, operands: &[Operand<'_>], out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    // An input that the result would overwrite in another order is read from a copy.
    let copies: SmallVec<[Option<Array>; 3]> = operands
        .iter()
        .map(|o| match o {
            Operand::Array(a) if overlaps(a, out) => a.copy(Order::K).map(Some),
            _ => Ok(None),
        })
        .collect::<Result<_>>()?;
    let ins: SmallVec<[Operand<'_>; 3]> =
        operands.iter().zip(&copies).map(|(o, copy)| copy.as_ref().map_or(*o, Operand::Array)).collect();
    let plan = Plan::new(op, signature, &ins, out)?;
    let device = out.device();
    let function = plan.function(device)?;
    let threads = plan.n.div_ceil(plan.key.elements_per_thread() as u64);
    let block = threads.next_multiple_of(32).min(BLOCK);
    let grid = u32::try_from(threads.div_ceil(block)).ok().filter(|&g| g <= i32::MAX as u32).ok_or_else(|| {
        Error::new(ErrorKind::Value, format!("{} elements are more than one launch can reach", plan.n))
    })?;
    // SAFETY: the parameters are laid out as the kernel's text says. The addresses are those of live arrays, and the
    // plan's sizes and strides reach their elements only; inputs and result are kept alive by the caller until the
    // launch is queued, and by the order of the stream from then on.
    unsafe { device.launch(function, [grid, 1, 1], [block as u32, 1, 1], plan.params.as_bytes()) }
}

/// Whether writing `out` element by element could change elements of `a` before they are read.
fn overlaps(a: &Array, out: &Array) -> bool {
    let same_places = a.addr() == out.addr() && a.strides() == out.strides() && a.itemsize() == out.itemsize();
    a.may_share_memory(out) && !same_places
}

struct Plan {
    key: Elementwise,
    n: u64,
    params: Params,
}

impl Plan {
    fn new(op: UfuncId, signature: u8, ins: &[Operand<'_>], out: &Array) -> Result<Plan> {
        let loop_ = &op.loops()[signature as usize];
        let shape = out.shape();
        let mut addrs = [0u64; OPERANDS];
        let mut strides: [Strides; OPERANDS] = std::array::from_fn(|_| smallvec::smallvec![0; shape.len()]);
        for (k, o) in ins.iter().enumerate() {
            if let Operand::Array(a) = o {
                if a.device() != out.device() {
                    return Err(Error::new(
                        ErrorKind::Value,
                        format!("the operands are on different devices: {:?} and {:?}", a.device(), out.device()),
                    ));
                }
                addrs[k] = a.addr();
                strides[k] = a.layout().broadcast_to(shape)?.strides;
            }
        }
        let last = OPERANDS - 1;
        addrs[last] = out.addr();
        strides[last] = out.layout().strides.clone();
        // Every axis is walked in the direction in which the result grows.
        for axis in 0..shape.len() {
            if strides[last][axis] < 0 {
                for k in 0..OPERANDS {
                    let s = strides[k][axis];
                    addrs[k] = addrs[k].wrapping_add_signed(s * (shape[axis] as i64 - 1));
                    strides[k][axis] = -s;
                }
            }
        }
        let axes = Axes::<OPERANDS>::collapse(shape, std::array::from_fn(|k| strides[k].as_slice()), false);
        let n = Layout::size(out.layout()) as u64;

        let mut inputs = [Input { dtype: loop_.ins[0], mode: Mode::Value }; 3];
        for (k, o) in ins.iter().enumerate() {
            inputs[k] = match o {
                Operand::Scalar(_) => Input { dtype: loop_.ins[k], mode: Mode::Value },
                Operand::Array(a) if n > 1 && axes.strides[k].iter().all(|&s| s == 0) => {
                    Input { dtype: a.dtype(), mode: Mode::Uniform }
                }
                Operand::Array(a) => Input { dtype: a.dtype(), mode: Mode::Array },
            };
        }
        let dense = |k: usize, size: usize| axes.strides[k].iter().all(|&s| s == size as i64);
        let flat = axes.sizes.len() <= 1
            && dense(last, out.itemsize())
            && (0..ins.len()).all(|k| inputs[k].mode != Mode::Array || dense(k, inputs[k].dtype.size()));
        let deep = axes.sizes.len() > SHALLOW_AXES;
        let wide = n > u32::MAX.into();
        let class = if flat { Class::Flat } else { Class::Strided { wide, deep } };
        let key = Elementwise { op, signature, ins: inputs, out: out.dtype(), class };

        let aligned = addrs.iter().zip(0..).all(|(a, k)| {
            let moved = k == last || inputs.get(k).is_some_and(|i| i.mode == Mode::Array && k < ins.len());
            !moved || a.is_multiple_of(16)
        });
        let mut params = Params::default();
        params.u64(n);
        params.u64(if flat { aligned.into() } else { axes.sizes.len() as u64 });
        params.u64(addrs[last]);
        params.u64(0);
        for (k, o) in ins.iter().enumerate() {
            match o {
                Operand::Scalar(s) => params.bytes(&s.encode(loop_.ins[k])),
                Operand::Array(_) => {
                    params.u64(addrs[k]);
                    params.u64(0);
                }
            }
        }
        if !flat {
            let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
            params.dividers(&axes.sizes, capacity, wide);
            for k in (0..ins.len()).chain([last]) {
                params.strides(&axes.strides[k], capacity);
            }
        }
        Ok(Plan { key, n, params })
    }

    fn function(&self, device: Device) -> Result<Function> {
        let key = (device.address(), self.key);
        if let Some(found) = KERNELS.with_borrow(|k| k.get(&key).copied()) {
            return Ok(found);
        }
        let source = Source { name: self.key.name().into(), text: self.key.source().into(), ..Source::default() };
        let function = device.compile(&source, &["elementwise"])?[0];
        KERNELS.with_borrow_mut(|k| k.insert(key, function));
        Ok(function)
    }
}
