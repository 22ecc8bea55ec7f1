//! Elements changed in place at given positions: sorted, so that one thread does all steps of an element in their order,
//! or by atomic operations where no order can be told from another.
//!
//! What it costs beyond the sort: a position (8 bytes, and 8 more for where it comes from) and an operand for each step,
//! a reading and a writing of the 32-byte sector of each element that is changed. Steps of one element wait for each other: a
//! thread does the first of them, reading as it goes, and its warp all others, of which it reads 128 while 128 are done, so
//! that a step costs little more than its arithmetic.

use cuprum_kernels::source::{At, DEEP_AXES, SHALLOW_AXES};

use super::kernels::{Kernels, kernels};
use super::params::Params;
use super::sort::sort_rows;
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Axes, size_of};

const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<At> = Kernels::default();
}

/// Changes elements of `a`. `positions`, flat int64 in C order, count the places of its first `leading` axes, each of
/// which exists. `operand` has a part for each position, and overlaps `a` nowhere.
pub(crate) fn at(key: At, a: &Array, leading: usize, positions: &Array, operand: Option<&Array>) -> Result<()> {
    let (n, inner) = (positions.size(), size_of(&a.shape()[leading..]));
    if n * inner == 0 {
        return Ok(());
    }
    let device = a.device();
    let (keys, order) = match key.atomic() {
        Some(_) => (positions.clone(), None),
        None => {
            let made = || Array::unwritten(device, &[n], positions.dtype());
            let (sorted, order) = (made()?, made()?);
            sort_rows(positions, n, Some(&sorted), Some(&order))?;
            (sorted, Some(order))
        }
    };
    let array = Axes::collapse(a.shape(), [a.strides()], true);
    let with = operand.map_or(Axes::collapse(&[], [&[]], true), |b| Axes::collapse(b.shape(), [b.strides()], true));
    let deep = array.sizes.len().max(with.sizes.len()) > SHALLOW_AXES;
    let wide = a.size().max(n * inner) > u32::MAX as usize;
    let flat = array.sizes.len().max(with.sizes.len()) <= 1;
    let key = At { flat, wide, deep, ..key };

    let mut p = Params::default();
    for word in [n as u64, inner as u64, keys.addr(), order.as_ref().map_or(0, Array::addr), a.addr()] {
        p.u64(word);
    }
    p.u64(operand.map_or(0, Array::addr));
    p.u32(array.sizes.len() as u32);
    p.u32(with.sizes.len() as u32);
    let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
    p.dividers(&array.sizes, capacity, wide);
    p.dividers(&with.sizes, capacity, wide);
    p.strides(&array.strides[0], capacity);
    p.strides(&with.strides[0], capacity);

    let grid =
        u32::try_from((n * inner).div_ceil(THREADS)).ok().filter(|&g| g <= i32::MAX as u32).ok_or_else(|| {
            Error::new(ErrorKind::Value, format!("{} steps are more than one launch can reach", n * inner))
        })?;
    let [function] = kernels(&KERNELS, device, key, ["at"], || (key.name(), key.source()))?;
    // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, which the stream's order
    // keeps until the launch is done; positions are places of the array, and strides reach elements only.
    unsafe { device.queue().launch(function, [grid, 1, 1], [THREADS as u32, 1, 1], p.as_bytes()) }
}
