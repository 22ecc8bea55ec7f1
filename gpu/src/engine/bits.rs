//! `packbits` and `unpackbits`.
//!
//! Lower bound of memory traffic: the booleans and their bits once. If both sides are contiguous a thread moves 16
//! elements, four times when packing, where the bits of four elements are combined by one multiplication. Otherwise it
//! has a byte, and reads or writes its eight elements at once if they are contiguous.

use cuprum_kernels::params::{Sizes, Strides, Width};
use cuprum_kernels::source::{Packing, PackingParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::{Dims, size_of};

/// Threads of a block: as in `include/packing.cuh`.
pub(super) const THREADS: usize = 256;
/// Packed bytes of a block if both sides are contiguous, for packing and for unpacking: as in the header.
const FLAT: [usize; 2] = [THREADS * 4 * 2, THREADS * 2];

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Packing> = Kernels::default();
}

/// Packs the elements of `a` that are not zero to bits of `out`, uint8, which has an eighth of its elements along the
/// axis. `a` holds integers or booleans.
pub(crate) fn pack(a: &Array, out: &Array, axis: usize, little: bool) -> Result<()> {
    run(a, out, out, a, axis, little, true)
}

/// Unpacks the bits of `a`, uint8, to the elements of `out`, uint8. If `out` has more elements along the axis than `a`
/// has bits, the rest is 0.
pub(crate) fn unpack(a: &Array, out: &Array, axis: usize, little: bool) -> Result<()> {
    run(a, out, a, out, axis, little, false)
}

fn run(input: &Array, out: &Array, packed: &Array, loose: &Array, axis: usize, little: bool, pack: bool) -> Result<()> {
    // The bytes are contiguous if the last one of a row is full, or if there is one row.
    let one_row = loose.shape()[axis] == loose.size();
    let full = axis + 1 == loose.ndim() && (one_row || packed.size() * 8 == loose.size());
    let aligned = loose.addr().is_multiple_of(16) && packed.addr().is_multiple_of(2);
    let dense = loose.is_c_contiguous() && packed.is_c_contiguous();
    let flat = full && dense && aligned && loose.itemsize() == 1;
    let mut shape: Dims = loose.shape().into();
    shape[axis] = shape[axis].div_ceil(8);
    let bytes = size_of(&shape);
    if bytes == 0 {
        return Ok(());
    }
    // The fastest axis of the result last, so that adjacent threads write adjacent elements.
    let mut order: Dims = (0..shape.len()).collect();
    order.sort_by_key(|&x| std::cmp::Reverse(out.strides()[x].unsigned_abs()));
    let of = |strides: &[i64], factor: i64| -> crate::layout::Strides {
        order.iter().map(|&x| strides[x] * if x == axis { factor } else { 1 }).collect()
    };
    let (packed_strides, loose_strides) = (of(packed.strides(), 1), of(loose.strides(), 8));
    let sizes: Dims = order.iter().map(|&x| shape[x]).collect();
    let width = Width::of(sizes.len(), bytes);
    let (device, key) = (input.device(), Packing { item: loose.itemsize() as u8, pack, little, flat, width });
    let [function] = kernels(&KERNELS, device, key, ["packing"], || (key.name(), key.source()))?;
    let params = PackingParams {
        width,
        bytes,
        count: if flat { loose.size() } else { loose.shape()[axis] },
        given: if flat { packed.size() } else { packed.shape()[axis] },
        input: read(input),
        out: written(out),
        step: loose.strides()[axis],
        axes: sizes.len() as u32,
        along: order.iter().position(|&x| x == axis).unwrap_or(0) as u32,
        sizes: Sizes(&sizes),
        packed_strides: Strides(&packed_strides),
        loose_strides: Strides(&loose_strides),
    };
    let tile = if flat { FLAT[usize::from(!pack)] } else { THREADS };
    let blocks = Blocks::of(bytes.div_ceil(tile), bytes, "bytes");
    // SAFETY: sizes and strides reach elements of both arrays only; packed bytes beyond the end are not read.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}
