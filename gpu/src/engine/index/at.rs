//! The ufunc method `at`: elements updated in place at given positions. Four methods: one thread for each element,
//! which does all its updates in order; atomic operations, if the result does not depend on the order or none is required; exact sums, which
//! do not depend on it either; or additions that are linked for each element and done in order (both in `exact`).
//!
//! If each position has one element and there are few positions, every block scans all of them for updates of its own
//! elements, and the thread at the first update of an element scans those that its block has found: one launch. More
//! positions are sorted first; at the bound both methods take about as long.
//!
//! Cost beyond the sort, which carries operands of 4 or 8 bytes: for each update a position (4 bytes, or 8 in arrays of
//! 2^32 elements, and 8 more for its original index if the operand is not carried) and an operand, and a read and a
//! write of the 32-byte sector of each updated element. Updates of one element depend on each other: a thread does the
//! first of them, loading as it goes, and its warp does the others, of which it loads 128 while 128 are done, so that
//! an update costs little more than its arithmetic.
//!
//! Updates of few elements in any order are done in shared memory: positions and operands are read once, and each block
//! then adds its values to the array's elements. Many floats are added to few elements as weights are to bins (see
//! [`crate::engine::histogram`]).

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides, Width, Written};
use cuprum_kernels::source::{At, AtParams, Sharing};

use crate::array::Array;
use crate::engine::histogram::{self, Bins};
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, normalize, one_device, read, written};
use crate::engine::make;
use crate::engine::sort::{sort_pairs, sort_rows};
use crate::error::Result;
use crate::layout::{Axes, Order, size_of};

mod exact;

use exact::Positions;
pub(crate) use exact::add_at_indices;

pub(in crate::engine) const THREADS: usize = 256;
/// Minimum number of updates of a thread, and maximum number of blocks, if a block has elements of its own: six with 33
/// KB of shared memory on each of the 132 multiprocessors of a large device.
const STEPS: usize = 16;
const BLOCKS: usize = 792;
/// Maximum number of updates for which each block scans all positions, where a sort takes as long; minimum number of a
/// block's own updates before there are more blocks, up to one on each multiprocessor of a large device; its threads,
/// and the minimum number of positions that each of them scans.
const FEW_STEPS: usize = 1 << 16;
const FEW_OWN: usize = 64;
const FEW_BLOCKS: usize = 132;
const FEW_THREADS: usize = 1024;
const FEW_EACH: usize = 4;
/// Number of updates from which floats are added in float64.
pub(crate) const MANY_STEPS: usize = 1 << 20;

/// Maximum number of additions of floats in any order, and minimum number of elements of the array, that are done by
/// atomic instructions, unless the other is in its range: additions to few elements contend.
const FEW_ADDITIONS: usize = 1 << 16;
const LEAST_SPREAD: usize = 1 << 14;
/// Maximum number of such additions to an array of up to this number of elements: of more, exact sums, whose limbs fit in
/// the L2 cache, are as fast, since they read the indices without a pass that checks them.
const MOST_INEXACT: usize = 1 << 24;
const MOST_LIMBED: usize = 1 << 21;
/// Maximum number of bytes of an array for any number of such additions, and of additions if it has more: a sort reads
/// and writes each element of the array once.
const MOST_SPREAD_BYTES: usize = 64 << 20;
const MOST_FAR: usize = 1 << 21;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<At> = Kernels::default();
}

/// Updates elements of `a`. `positions`, flat uint32 or int64 in C order, index its first `leading` axes together and
/// are in bounds. `operand` has `inner` elements for each position, and does not overlap `a`. Nothing is changed if
/// `rejected` is not 0.
pub(crate) fn at(
    key: At,
    a: &Array,
    leading: usize,
    positions: &Array,
    operand: Option<&Array>,
    rejected: Option<&Array>,
) -> Result<()> {
    let (n, inner) = (positions.size(), size_of(&a.shape()[leading..]));
    if n * inner == 0 {
        return Ok(());
    }
    let device = one_device(a, operand.into_iter().chain([positions]))?;
    normalize(a)?;
    let any_order = key.any_order && by_atomics(key, a, n * inner);
    let key = At { far: positions.dtype() == DType::I64, any_order, ..key };
    if let Some(weights) = operand.filter(|_| n >= MANY_STEPS && inner == 1)
        && let Some(key) = in_sums(key, a)
    {
        // Every number is added to -0 unchanged, also for elements without any other update.
        let sums = histogram::weigh_from(-0.0, positions, &Bins::Direct(a.size()), &weights.reshape([n])?)?;
        let each = make::empty(device, &[a.size()], DType::U32)?;
        crate::engine::arange(&each, 0i64.into(), 1i64.into())?;
        return at(key, a, leading, &each, Some(&sums), rejected);
    }
    if let Some(key) = exact::key(key, a, n, inner) {
        return exact::add(key, a, &Positions::Flat { positions, rejected }, operand);
    }
    let walks = Walks::new(a, operand, n * inner);
    let ordered = key.atomic().is_none();
    if ordered && inner == 1 && n <= FEW_STEPS && !key.far {
        let key = At { sharing: Sharing::Elements, ..walks.of(key) };
        let [function] = kernels(&KERNELS, device, key, ["at"], || (key.name(), key.source()))?;
        let threads = n.div_ceil(FEW_EACH).next_multiple_of(32).min(FEW_THREADS);
        let blocks = Blocks::of(n.div_ceil(FEW_OWN).min(FEW_BLOCKS), n, "steps");
        // SAFETY: positions are elements of the array, whose number fits in 32 bits, and strides reach elements only.
        return unsafe {
            Launcher::on(device).launch(function, blocks, threads, &walks.params(a, positions, operand, rejected))
        };
    }
    let sorted = if ordered { Some(Sorted::new(positions, operand, inner)?) } else { None };
    let (keys, order, values) =
        sorted.as_ref().map_or((positions, None, None), |s| (&s.keys, s.order.as_ref(), s.values.as_ref()));
    let operand = values.or(operand);
    let walks = Walks::new(a, operand, n * inner);
    let staged = inner == 1 && (1..=key.most_staged()).contains(&a.size()) && n >= 4 * a.size();
    let key = At { sharing: if staged { Sharing::Copies } else { Sharing::Steps }, ..walks.of(key) };
    let [function] = kernels(&KERNELS, device, key, ["at"], || (key.name(), key.source()))?;
    let params = AtParams { inner, order: Read(order.map(DevicePtr::of)), ..walks.params(a, keys, operand, rejected) };
    let count = if staged { n.div_ceil(THREADS * STEPS).min(BLOCKS) } else { (n * inner).div_ceil(THREADS) };
    let blocks = Blocks::of(count, n * inner, "steps");
    // SAFETY: positions are elements of the array, and strides reach elements only.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}

/// Returns true if floats that may be added in any order are added by atomic instructions, which takes less time than
/// other methods.
fn by_atomics(key: At, a: &Array, additions: usize) -> bool {
    let has_exact = matches!(a.dtype(), DType::F32 | DType::C64) && a.size() <= MOST_LIMBED;
    let exact = has_exact && additions > MOST_INEXACT;
    let spread = additions <= FEW_ADDITIONS || a.size() >= LEAST_SPREAD;
    let near = a.size() * a.itemsize() <= MOST_SPREAD_BYTES || additions <= MOST_FAR;
    key.adds_floats() && spread && near && !exact
}

/// Updates sorted by position, stably.
struct Sorted {
    /// The positions.
    keys: Array,
    /// The index of each of them before the sort, if the operand is not in their order.
    order: Option<Array>,
    /// The operand in the order of the positions: it is sorted with them, which costs less than to read it at random.
    values: Option<Array>,
}

impl Sorted {
    fn new(positions: &Array, operand: Option<&Array>, inner: usize) -> Result<Sorted> {
        let (device, n) = (positions.device(), positions.size());
        let alike = operand.is_none_or(|b| inner == 1 && b.strides().iter().all(|&stride| stride == 0));
        if let Some(values) = operand.filter(|b| inner == 1 && !alike && matches!(b.itemsize(), 4 | 8)) {
            let in_order = if values.is_c_contiguous() { values.clone() } else { values.copy(Order::C)? };
            let (keys, values) = sort_pairs(&positions.reshape([n])?, &in_order.reshape([n])?)?;
            return Ok(Sorted { keys, order: None, values: Some(values) });
        }
        let keys = make::empty(device, &[n], positions.dtype())?;
        let order = if alike { None } else { Some(make::empty(device, &[n], DType::I64)?) };
        sort_rows(positions, n, Some(&keys), order.as_ref())?;
        Ok(Sorted { keys, order, values: None })
    }
}

/// Collapsed axes of an array and of the operand of its updates.
struct Walks {
    /// The axes of the array that is updated.
    array: Axes<1>,
    /// The axes of the operand of the updates.
    operand: Axes<1>,
    /// Widths of indices: 32 or 64 bits.
    width: Width,
}

impl Walks {
    fn new(a: &Array, operand: Option<&Array>, steps: usize) -> Walks {
        let array = Axes::collapse(a.shape(), [a.strides()], true);
        let operand =
            operand.map_or(Axes::collapse(&[], [&[]], true), |b| Axes::collapse(b.shape(), [b.strides()], true));
        let width = Width::of(array.sizes.len().max(operand.sizes.len()), a.size().max(steps));
        Walks { array, operand, width }
    }

    fn of(&self, key: At) -> At {
        At { flat: self.array.sizes.len().max(self.operand.sizes.len()) <= 1, width: self.width, ..key }
    }

    /// Returns the parameters for one element per position.
    fn params<'a>(
        &'a self,
        a: &'a Array,
        keys: &'a Array,
        operand: Option<&'a Array>,
        rejected: Option<&'a Array>,
    ) -> AtParams<'a, DevicePtr<'a>> {
        AtParams {
            width: self.width,
            positions: keys.size(),
            inner: 1,
            targets: a.size(),
            keys: read(keys),
            order: Read(None),
            rejected: Read(rejected.map(DevicePtr::of)),
            array: written(a),
            limbs: Written(None),
            marks: Written(None),
            heads: None,
            links: None,
            room: None,
            bound: None,
            record: None,
            call: None,
            function: None,
            axis: None,
            operand: Read(operand.map(DevicePtr::of)),
            array_axes: self.array.sizes.len() as u32,
            operand_axes: self.operand.sizes.len() as u32,
            array_sizes: Sizes(&self.array.sizes),
            operand_sizes: Sizes(&self.operand.sizes),
            array_strides: Strides(&self.array.strides[0]),
            operand_strides: Strides(&self.operand.strides[0]),
        }
    }
}

/// Returns the key for sums of floats in the array's elements that are so few that a warp holds their sums, in the loop
/// of the sums' dtype: if operands are floats of the array's own dtype, but not float16 or bfloat16.
fn in_sums(key: At, a: &Array) -> Option<At> {
    let sum = match a.dtype() {
        DType::F32 | DType::F64 => DType::F64,
        DType::C64 | DType::C128 => DType::C128,
        _ => return None,
    };
    let fits = key.operand == Some(a.dtype()) && a.size() <= histogram::window(sum.size());
    let loops = key.op.loops();
    let own = loops[key.signature as usize].out() == a.dtype();
    let signature = loops.iter().position(|l| l.out() == sum && l.ins[0] == sum)? as u8;
    (key.op.record().name == "add" && fits && own).then_some(At { signature, operand: Some(sum), ..key })
}
