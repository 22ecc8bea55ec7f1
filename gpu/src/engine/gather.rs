//! Rows of an array at given indices.
//!
//! Bytes moved: the results twice and the indices, eight bytes each; what lies side by side along the innermost axis is
//! read and written side by side.

use cuprum_kernels::source::{DEEP_AXES, Gather, SHALLOW_AXES};

use super::kernels::{Kernels, kernels};
use super::params::Params;
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Axes, Dims, Strides, size_of};

/// Threads of a block: as in `include/gather.cuh`.
const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Gather> = Kernels::default();
}

/// Axes of an operand, the fastest of the result's last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) sizes: Dims,
    pub(crate) strides: Strides,
}

impl Rows {
    /// These axes of an array.
    pub(crate) fn of(a: &Array, axes: impl Iterator<Item = usize>) -> Rows {
        let (sizes, strides) = axes.map(|x| (a.shape()[x], a.strides()[x])).unzip();
        Rows { sizes, strides }
    }
}

/// Writes the elements of `a` at `outer`, at an index of the axes `indexed` and at `inner` into `out`, whose memory holds
/// them one after the other in this order. The indices are int64, one after the other, and count the elements of the
/// indexed axes in C order; every one of them is in bounds.
pub(crate) fn gather(a: &Array, [outer, indexed, inner]: [&Rows; 3], indices: &Array, out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let collapsed = [outer, indexed, inner].map(|r| Axes::collapse(&r.sizes, [&r.strides], true));
    let most = collapsed.iter().map(|x| x.sizes.len()).max().unwrap_or(0);
    let (deep, wide) = (most > SHALLOW_AXES, out.size().max(size_of(&indexed.sizes)) > u32::MAX as usize);
    let mut p = Params::default();
    for word in [out.size() as u64, a.addr(), out.addr(), indices.addr()] {
        p.u64(word);
    }
    for axes in &collapsed {
        p.u32(axes.sizes.len() as u32);
    }
    p.u32(0);
    p.dividers(&[indices.size(), size_of(&inner.sizes)], 2, wide);
    let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
    for axes in &collapsed {
        p.dividers(&axes.sizes, capacity, wide);
    }
    for axes in &collapsed {
        p.strides(&axes.strides[0], capacity);
    }
    let device = a.device();
    let key = Gather { item: a.itemsize() as u8, wide, deep };
    let [function] = kernels(&KERNELS, device, key, ["gather"], || (key.name(), key.source()))?;
    let blocks =
        u32::try_from(out.size().div_ceil(THREADS)).ok().filter(|&g| g <= i32::MAX as u32).ok_or_else(|| {
            Error::new(ErrorKind::Value, format!("{} results are more than one launch can reach", out.size()))
        })?;
    // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, the caller answers for the
    // indices, and sizes and strides reach the operand's elements only.
    unsafe { device.queue().launch(function, [blocks, 1, 1], [THREADS as u32, 1, 1], p.as_bytes()) }
}
