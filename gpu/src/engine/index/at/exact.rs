//! Exact sums of float32 numbers at given positions, rounded once: integer additions, which do not depend on the order,
//! to the limbs of each element (see `at_exact.cuh`). Positions need not be sorted.
//!
//! Cost: positions and values are read once (4 bytes each), and each value is one 64-bit addition in the L2 cache.
//! Adjacent values that add to the same limb are one addition. Limbs, 8 bytes each and 19 for each element, are written
//! once and read once.

use cuprum_kernels::DType;
use cuprum_kernels::source::{At, AtExact, AtParams};

use super::{THREADS, Walks};
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, written};
use crate::engine::make;
use crate::error::Result;

/// Minimum number of additions, in total and for each real number of the array. Fewer are done in their order. Then
/// limbs take at most 32 bytes of memory for each addition, as a sort does.
const FROM: usize = 1 << 16;
const UPDATES_PER_TARGET: usize = 8;
/// Additions of a thread: as in `include/at_exact.cuh`.
const EACH: usize = 4;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<AtExact, 3> = Kernels::default();
}

/// Returns the key of these additions, if they are to be done exactly.
pub(super) fn key(key: At, a: &Array, n: usize, inner: usize) -> Option<AtExact> {
    let many = n >= FROM && inner == 1;
    many.then(|| AtExact::of(key, n)).flatten().filter(|key| n / UPDATES_PER_TARGET >= a.size() * key.parts())
}

/// Adds an element of the operand at each position.
pub(super) fn add(
    key: AtExact,
    a: &Array,
    positions: &Array,
    operand: Option<&Array>,
    rejected: Option<&Array>,
) -> Result<()> {
    let (device, n) = (a.device(), positions.size());
    let walks = Walks::new(a, operand, n);
    let key = AtExact { at: walks.of(key.at), ..key };
    let sums = a.size() * key.parts();
    let limbs = make::empty(device, &[key.limbs() * sums], DType::I64)?;
    let marks = make::zeros(device, &[1 + sums.div_ceil(8)], DType::U32)?;
    let params =
        AtParams { limbs: written(&limbs), marks: written(&marks), ..walks.params(a, positions, operand, rejected) };
    let [begin, add, finish] =
        kernels(&KERNELS, device, key, ["begin", "add", "finish"], || (key.name(), key.source()))?;
    let targets = Blocks::of(a.size().div_ceil(THREADS), a.size(), "targets");
    let steps = Blocks::of(n.div_ceil(THREADS * EACH), n, "steps");
    let launcher = Launcher::on(device);
    // SAFETY: positions are elements of the array, each of which has limbs and flags, and strides reach elements only.
    unsafe {
        launcher.launch(begin, targets, THREADS, &params)?;
        launcher.launch(add, steps, THREADS, &params)?;
        launcher.launch(finish, targets, THREADS, &params)
    }
}
