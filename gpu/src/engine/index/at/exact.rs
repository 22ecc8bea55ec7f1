//! Exact sums of float32 numbers at given positions, rounded once: integer additions, which do not depend on the order,
//! to the limbs of each element (see `at_limbs.cuh`). Positions need not be sorted.
//!
//! Many additions for each element (`at_exact.cuh`) cost: positions or indices and values are read once, and each value
//! is one 64-bit addition in the L2 cache. Adjacent values that add to the same limb are one addition. Limbs, 8 bytes
//! each and 13 to 32 for each element, are written once; those that any element uses are read once.
//!
//! Few additions for each element (`at_linked.cuh`) are linked, and done in the order of the indices by a thread for
//! each element. They cost a word that is written and one that is exchanged in the L2 cache for each addition, and a
//! word of zeros that is written and read for each element. Elements with more than 16 additions get limbs, of which
//! there are enough for as many elements as can have them.
//!
//! Indices of one axis are checked and converted by the kernels that read them: an index out of bounds sets a flag,
//! with which the last kernel changes nothing.

use cuprum_kernels::DType;
use cuprum_kernels::params::Written;
use cuprum_kernels::source::{At, AtExact, AtParams};

use super::{FEW_STEPS, MANY_STEPS, THREADS, Walks, by_atomics, in_sums};
use crate::array::Array;
use crate::cuda::{Checked, Function};
use crate::engine::index::gather::Pick;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, normalize, one_device, written};
use crate::engine::make;
use crate::error::Result;
use crate::layout::{Layout, size_of};

/// Minimum number of additions, in total and for each real number of the array, for limbs of every element: with few
/// additions, as many as take less time than links; with others, as many as take about as much memory as a sort, at most
/// 40 bytes for each addition.
const FROM: usize = 1 << 16;
const UPDATES_PER_TARGET: [usize; 2] = [2, 4];
/// Maximum number of few additions, which are linked if they have no limbs, and of elements of the array for each of
/// them: their words fit in the L2 cache of a large device. More are sorted.
const MOST_LINKED: usize = 1 << 21;
const TARGETS_PER_UPDATE: usize = 4;
/// Maximum number of additions of an element that are done in order, and threads of a block that does them: as in
/// `include/at_linked.cuh`.
const ALONE: usize = 16;
const WALKERS: usize = 128;
/// Maximum number of blocks that add to the limbs of elements with many additions.
const BLOCKS: usize = 264;
/// Additions of a thread: as in `include/at_limbs.cuh`.
const EACH: usize = 4;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<AtExact, 3> = Kernels::default();
}

/// Positions of additions.
pub(super) enum Positions<'a> {
    /// Positions that are in bounds.
    Flat {
        /// uint32 or int64.
        positions: &'a Array,
        /// A word that is not 0 if nothing must be changed.
        rejected: Option<&'a Array>,
    },
    /// Indices of one axis, C-contiguous.
    Indices {
        /// The indices and the axis.
        pick: &'a Pick,
        /// The function that is named in the error of an index out of bounds.
        caller: Function,
    },
}

/// Returns the key of these additions, if they are to be done exactly or linked.
pub(super) fn key(key: At, a: &Array, n: usize, inner: usize) -> Option<AtExact> {
    if n < FROM || inner != 1 || by_atomics(key, a, n) {
        return None;
    }
    let key = AtExact::of(key, n)?;
    let targets = a.size();
    if n / UPDATES_PER_TARGET[usize::from(n > MOST_LINKED)] >= targets * key.parts() {
        return Some(key);
    }
    let linked = n > FEW_STEPS && n <= MOST_LINKED && targets / TARGETS_PER_UPDATE <= n;
    linked.then_some(AtExact { linked, ..key })
}

/// Adds an element of the operand at each index of one axis, and returns true; or returns false if the indices are to
/// be converted to positions first. The indices are C-contiguous, and the array begins with the indexed axis.
pub(crate) fn add_at_indices(
    at: At,
    a: &Array,
    pick: &Pick,
    operand: Option<&Array>,
    caller: Function,
) -> Result<bool> {
    let (n, inner) = (pick.indices.size(), size_of(&a.shape()[1..]));
    let by_bins = n >= MANY_STEPS && inner == 1 && in_sums(at, a).is_some();
    // A later kernel reads the indices again.
    if by_bins || a.size() == 0 || pick.indices.may_share_memory(a) {
        return Ok(false);
    }
    let Some(key) = key(At { far: false, ..at }, a, n, inner) else { return Ok(false) };
    one_device(a, operand.into_iter().chain([&pick.indices]))?;
    normalize(a)?;
    add(key, a, &Positions::Indices { pick, caller }, operand)?;
    Ok(true)
}

/// Adds an element of the operand at each position.
pub(super) fn add(key: AtExact, a: &Array, positions: &Positions<'_>, operand: Option<&Array>) -> Result<()> {
    let device = a.device();
    let (keys, rejected) = match positions {
        Positions::Flat { positions, rejected } => (*positions, *rejected),
        Positions::Indices { pick, .. } => (&pick.indices, None),
    };
    let walks = Walks::new(a, operand, keys.size());
    let mut params = walks.params(a, keys, operand, rejected);
    let checked: Option<Checked>;
    let mut key = AtExact { at: walks.of(key.at), ..key };
    if let Positions::Indices { pick, caller } = positions {
        checked = Some(device.checked_call(*caller)?);
        key.indices = Some(pick.indices.dtype());
        params.bound = Some(pick.bound);
        params.axis = Some(pick.axis as u32);
        params.record = checked.as_ref().map(|c| Written(Some(DevicePtr::start(&c.memory))));
        params.call = checked.as_ref().map(|c| c.call);
        params.function = checked.as_ref().map(|c| c.function);
    }
    if key.linked { add_linked(key, a, params) } else { add_exactly(key, a, params) }
}

/// Adds with limbs of every element.
fn add_exactly<'a>(key: AtExact, a: &'a Array, params: AtParams<'a, DevicePtr<'a>>) -> Result<()> {
    let (device, n) = (a.device(), params.positions);
    let sums = a.size() * key.parts();
    let limbs = make::empty(device, &[key.limbs() * sums], DType::I64)?;
    let marks = make::zeros(device, &[2 + sums.div_ceil(8)], DType::U32)?;
    let params = AtParams { limbs: written(&limbs), marks: written(&marks), ..params };
    let [begin, add, finish] =
        kernels(&KERNELS, device, key, ["begin", "add", "finish"], || (key.name(), key.source()))?;
    let targets = Blocks::of(a.size().div_ceil(THREADS), a.size(), "targets");
    let steps = Blocks::of(n.div_ceil(THREADS * EACH), n, "steps");
    let launcher = Launcher::on(device);
    // SAFETY: positions are elements of the array or checked, each element has limbs and flags, and strides reach
    // elements only.
    unsafe {
        launcher.launch(begin, targets, THREADS, &params)?;
        launcher.launch(add, steps, THREADS, &params)?;
        launcher.launch(finish, targets, THREADS, &params)
    }
}

/// Adds in order, with limbs of the elements that have many additions.
fn add_linked<'a>(key: AtExact, a: &'a Array, params: AtParams<'a, DevicePtr<'a>>) -> Result<()> {
    let (device, n) = (a.device(), params.positions);
    let room = n / (ALONE + 1) + 1;
    let sums = room * key.parts();
    let limbs = make::empty(device, &[key.limbs() * sums + room], DType::I64)?;
    let links = make::empty(device, &[n], DType::U32)?;
    let marks = 2 + sums.div_ceil(8);
    let zeros = make::zeros(device, &[marks + 2 + a.size()], DType::U32)?;
    let heads = zeros.with_layout(Layout { offset: zeros.layout().offset + 4 * marks, ..Layout::c_order(&[2], 4) });
    let params = AtParams {
        limbs: written(&limbs),
        marks: written(&zeros),
        heads: Some(written(&heads)),
        links: Some(written(&links)),
        room: Some(room),
        ..params
    };
    let [link, walk, many] = kernels(&KERNELS, device, key, ["link", "walk", "many"], || (key.name(), key.source()))?;
    let steps = n.div_ceil(THREADS * EACH);
    let targets = Blocks::of(a.size().div_ceil(WALKERS), a.size(), "targets");
    let launcher = Launcher::on(device);
    // SAFETY: positions are elements of the array or checked, each element has a head and each addition a link, there
    // are limbs and flags for as many elements as can have many additions, and strides reach elements only.
    unsafe {
        launcher.launch(link, Blocks::of(steps, n, "steps"), THREADS, &params)?;
        launcher.launch(walk, targets, WALKERS, &params)?;
        launcher.launch(many, Blocks::of(steps.min(BLOCKS), n, "steps"), THREADS, &params)
    }
}
