//! Elements changed in place at given positions: sorted, so that one thread does all steps of an element in their order,
//! or by atomic operations where no order can be told from another.
//!
//! What it costs beyond the sort: a position (8 bytes, and 8 more for where it comes from) and an operand for each step,
//! a reading and a writing of the 32-byte sector of each element that is changed. Steps of one element wait for each other: a
//! thread does the first of them, reading as it goes, and its warp all others, of which it reads 128 while 128 are done, so
//! that a step costs little more than its arithmetic.

use cuprum_kernels::params::{Read, Sizes, Strides, Width};
use cuprum_kernels::source::{At, AtParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, Place, one_device, read, written};
use super::make;
use super::sort::sort_rows;
use crate::array::Array;
use crate::error::Result;
use crate::layout::{Axes, size_of};

pub(super) const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<At> = Kernels::default();
}

/// Changes elements of `a`. `positions`, flat int64 in C order, count the places of its first `leading` axes, each of
/// which exists. `operand` has a part for each position, and overlaps `a` nowhere. Nothing is
/// changed where `refused` is not 0.
pub(crate) fn at(
    key: At,
    a: &Array,
    leading: usize,
    positions: &Array,
    operand: Option<&Array>,
    refused: Option<&Array>,
) -> Result<()> {
    let (n, inner) = (positions.size(), size_of(&a.shape()[leading..]));
    if n * inner == 0 {
        return Ok(());
    }
    let device = one_device(a, operand.into_iter().chain([positions]))?;
    let (keys, order) = match key.atomic() {
        Some(_) => (positions.clone(), None),
        None => {
            let made = || make::empty(device, &[n], positions.dtype());
            let (sorted, order) = (made()?, made()?);
            sort_rows(positions, n, Some(&sorted), Some(&order))?;
            (sorted, Some(order))
        }
    };
    let array = Axes::collapse(a.shape(), [a.strides()], true);
    let with = operand.map_or(Axes::collapse(&[], [&[]], true), |b| Axes::collapse(b.shape(), [b.strides()], true));
    let width = Width::of(array.sizes.len().max(with.sizes.len()), a.size().max(n * inner));
    let flat = array.sizes.len().max(with.sizes.len()) <= 1;
    let key = At { flat, width, ..key };
    let [function] = kernels(&KERNELS, device, key, ["at"], || (key.name(), key.source()))?;
    let told = AtParams {
        width,
        positions: n,
        inner,
        keys: read(&keys),
        order: Read(order.as_ref().map(Place::of)),
        refused: Read(refused.map(Place::of)),
        array: written(a),
        operand: Read(operand.map(Place::of)),
        array_axes: array.sizes.len() as u32,
        operand_axes: with.sizes.len() as u32,
        array_sizes: Sizes(&array.sizes),
        operand_sizes: Sizes(&with.sizes),
        array_strides: Strides(&array.strides[0]),
        operand_strides: Strides(&with.strides[0]),
    };
    let blocks = Blocks::of((n * inner).div_ceil(THREADS), n * inner, "steps");
    // SAFETY: positions are places of the array, and strides reach elements only.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &told) }
}
