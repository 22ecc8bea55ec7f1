//! Elements by their positions.

use cuprum_kernels::DType;
use cuprum_kernels::source::gather_source;

use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::params::Params;
use crate::error::Result;
use crate::layout::Layout;

/// Blocks of a launch, each of 256 threads that go on until all elements are done.
const BLOCKS: usize = 1 << 16;

thread_local! {
    /// The kernels that this thread has launched, by device and bytes of an element.
    static KERNELS: Kernels<usize> = Kernels::default();
}

/// The elements of each row of `a` at the positions that the same row of `positions` names: int64, each within the row.
/// Rows go along the last axis; both are in C order, and so is the result. Positions of one axis are those of every row.
pub(crate) fn gather(a: &Array, positions: &Array) -> Result<Array> {
    let device = a.device();
    let mut shape = a.shape().to_vec();
    let (Some(last), Some(&length)) = (shape.last_mut(), positions.shape().last()) else { return Ok(a.clone()) };
    let from = std::mem::replace(last, length);
    let out = Array::of_layout(device, Layout::c_order(&shape, a.itemsize()), a.dtype())?;
    if out.size() == 0 {
        return Ok(out);
    }
    let step = if positions.ndim() == a.ndim() { length } else { 0 };
    let [function] = kernels(&KERNELS, device, a.itemsize(), ["gather"], || {
        // Any dtype of this size will do: elements are only moved.
        let dtype = DType::ALL.into_iter().find(|d| d.size() == a.itemsize()).unwrap_or(a.dtype());
        ("gather".into(), gather_source(dtype))
    })?;
    let mut p = Params::default();
    for size in [out.size(), length, from, step] {
        p.u64(size as u64);
    }
    for address in [a, positions, &out].map(Array::addr) {
        p.u64(address);
    }
    let grid = [out.size().div_ceil(256).min(BLOCKS) as u32, 1, 1];
    // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, and the positions are
    // within their rows.
    unsafe { device.queue().launch(function, grid, [256, 1, 1], p.as_bytes()) }?;
    Ok(out)
}
