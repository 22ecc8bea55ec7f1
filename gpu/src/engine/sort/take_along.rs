//! Elements of rows at given positions (`take_along_axis`).
//!
//! Lower bound: positions and results once, and an element for each position.

use cuprum_kernels::DType;
use cuprum_kernels::source::{TakeAlongParams, take_along_source};

use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, one_device, read, written};
use crate::engine::make;
use crate::error::Result;

/// Maximum number of blocks of a launch, each of 256 threads that loop over the elements.
const BLOCKS: usize = 1 << 16;

thread_local! {
    /// The kernels that this thread has launched, by device and bytes of an element.
    static KERNELS: Kernels<usize> = Kernels::default();
}

/// Returns the elements of each row of `a` at the positions in the same row of `positions`: int64, each within the row.
/// Rows are along the last axis; both arrays are in C order, and so is the result. One-dimensional positions apply to
/// every row.
pub(crate) fn take_along(a: &Array, positions: &Array) -> Result<Array> {
    let device = one_device(a, [positions])?;
    let mut shape = a.shape().to_vec();
    let (Some(last), Some(&length)) = (shape.last_mut(), positions.shape().last()) else { return Ok(a.clone()) };
    let from = std::mem::replace(last, length);
    let out = make::empty(device, &shape, a.dtype())?;
    if out.size() == 0 {
        return Ok(out);
    }
    let step = if positions.ndim() == a.ndim() { length } else { 0 };
    let [function] = kernels(&KERNELS, device, a.itemsize(), ["sort_take_along"], || {
        // Any dtype of this size is suitable: elements are only moved.
        let dtype = DType::ALL.into_iter().find(|d| d.size() == a.itemsize()).unwrap_or(a.dtype());
        ("sort_take_along".into(), take_along_source(dtype))
    })?;
    let params = TakeAlongParams {
        width: Default::default(),
        size: out.size(),
        length,
        from_length: from,
        step,
        input: read(a),
        positions: read(positions),
        out: written(&out),
    };
    let blocks = Blocks::of(out.size().div_ceil(256).min(BLOCKS), out.size(), "results");
    // SAFETY: the sizes are those of the arrays, and the kernel uses only positions within its row.
    unsafe { Launcher::on(device).launch(function, blocks, 256, &params) }?;
    Ok(out)
}
