//! Elementwise calls: plan and launch.
//!
//! Lower bound: each operand is read once and each result written once; casts, the mask and broadcasting cost no
//! further pass. A thread computes a few neighbouring elements, so that loads and stores are of 16 bytes where layouts
//! are contiguous.

mod plan;

pub(super) use plan::{Key, Operands, send, tile};

use cuprum_kernels::DType;
use cuprum_kernels::registry::UfuncId;
use cuprum_kernels::source::Elementwise;
use smallvec::SmallVec;

use crate::array::Array;
use crate::array::Operand;
use crate::cuda::Device;
use crate::engine::kernels::Kernels;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, shape_text};
use crate::scalar::Scalar;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Elementwise> = Kernels::default();
}

/// Call of one loop of a ufunc over operands and a mask that broadcast to the shape of all of `outs`.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The function.
    pub(crate) op: UfuncId,
    /// Index of the loop among those of the function's record.
    pub(crate) signature: u8,
    /// The operands: arrays of any layout, and scalars.
    pub(crate) ins: &'a [Operand<'a>],
    /// Results are written only where the mask is true.
    pub(crate) mask: Option<&'a Array>,
    /// The results, which may share memory with operands of the same layout.
    pub(crate) outs: &'a [&'a Array],
    /// If set, the one result is not written: its first byte, true before, becomes false if any element would be false.
    pub(crate) all: bool,
}

impl Call<'_> {
    /// Runs the call. Inputs and mask may overlap the results: the effect is as if they had been copied before.
    pub(crate) fn run(&self) -> Result<()> {
        let [first, rest @ ..] = self.outs else { return Ok(()) };
        if first.size() == 0 {
            return Ok(());
        }
        if rest.iter().any(|out| out.may_share_memory(first)) {
            let shape = shape_text(first.shape());
            return Err(Error::new(ErrorKind::Value, format!("the results of shape {shape} overlap each other")));
        }
        if super::fusion::masked(self)? {
            return Ok(());
        }
        let spoiled = |a: &Array| self.outs.iter().any(|out| overlaps(a, out));
        let arrays = self.ins.iter().filter_map(|o| match o {
            Operand::Array(a) => Some(*a),
            Operand::Scalar(_) => None,
        });
        if !arrays.chain(self.mask).any(spoiled) {
            return self.launch();
        }
        let copied = |a: &Array| if spoiled(a) { a.copy(Order::K).map(Some) } else { Ok(None) };
        let copies: SmallVec<[Option<Array>; 3]> = self
            .ins
            .iter()
            .map(|o| match o {
                Operand::Array(a) => copied(a),
                Operand::Scalar(_) => Ok(None),
            })
            .collect::<Result<_>>()?;
        let mask = self.mask.map(copied).transpose()?.flatten();
        let ins: SmallVec<[Operand<'_>; 3]> =
            self.ins.iter().zip(&copies).map(|(o, copy)| copy.as_ref().map_or(*o, Operand::Array)).collect();
        Call { ins: &ins, mask: mask.as_ref().or(self.mask), ..*self }.launch()
    }

    fn launch(&self) -> Result<()> {
        if self.ins.len() <= 2 && self.outs.len() == 1 && self.mask.is_none() {
            plan::launch::<3>(self, &KERNELS)
        } else {
            plan::launch::<6>(self, &KERNELS)
        }
    }
}

/// Runs a loop with one result and no mask.
pub(crate) fn elementwise(op: UfuncId, signature: u8, ins: &[Operand<'_>], out: &Array) -> Result<()> {
    Call { op, signature, ins, mask: None, outs: &[out], all: false }.run()
}

/// Returns true if a loop with bool results is true everywhere: one pass over the operands, which broadcast to the
/// shape of `layout`. Synchronises with the device.
///
/// Lower bound of memory traffic: the operands once. A bool array as intermediate would be written and read again, 2
/// bytes more for each element.
pub(crate) fn all_of(op: UfuncId, signature: u8, ins: &[Operand<'_>], device: Device, layout: Layout) -> Result<bool> {
    if layout.shape.contains(&0) {
        return Ok(true);
    }
    let flag = Array::of_layout(device, Layout::c_order(&[], 1), DType::Bool)?;
    super::fill(&flag, Scalar::Bool(true))?;
    // The axes are walked as if there were a result.
    let result = flag.with_layout(layout);
    Call { op, signature, ins, mask: None, outs: &[&result], all: true }.launch()?;
    flag.item::<bool>()
}

/// Returns true if writing `out` element by element could change elements of `a` before they are read.
fn overlaps(a: &Array, out: &Array) -> bool {
    // An operand that is broadcast along an axis is read again after its first element was written.
    let same_layout = a.shape() == out.shape() && a.strides() == out.strides();
    let same_elements = a.addr() == out.addr() && same_layout && a.itemsize() == out.itemsize();
    a.may_share_memory(out) && !same_elements
}
