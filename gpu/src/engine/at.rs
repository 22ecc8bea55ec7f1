//! Elements changed in place at given positions: by one thread for each element, which does all its steps in their order, by atomic
//! operations where no order can be told from another, or by exact sums (see `exact`), of which none can either.
//!
//! Where one element stands behind each position and these are few, every block looks through all of them for those of its own elements,
//! and the thread of an element's first step looks through what its block has: one launch. 2^16 positions are 256 KB, which 132 blocks read
//! of the second-level cache in 8 us; of the 500 steps of a block each of 16 warps reads half twice and half once, some 10 us. More are
//! sorted first: 2^16 take about as long either way.
//!
//! What it costs beyond the sort: a position (4 bytes, or 8 in arrays of 2^32 elements, and 8 more for where it comes from) and an operand for each
//! step, a reading and a writing of the 32-byte sector of each element that is changed. Steps of one element wait for each other: a
//! thread does the first of them, reading as it goes, and its warp all others, of which it reads 128 while 128 are done, so
//! that a step costs little more than its arithmetic.
//!
//! Steps of few elements and in no order are done in shared memory: positions and operands are read once. 2^26 additions of int32 to 1,024
//! elements: 537 MB, 0.13 ms at 4.25 TB/s; blocks add what they have to the array's elements, 792 times 8,192 words at the most, some
//! 0.04 ms. Many floats are added to few elements as weights are to bins (see [`super::tally`]): the same bytes, 40 instructions for 32
//! elements and 0.1 ms; beside them what is added to the elements at the end counts for nothing. Making positions of indices of int32
//! takes another 537 MB.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides, Width, Written};
use cuprum_kernels::source::{At, AtParams, Sharing};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, Place, normalize, one_device, read, written};
use super::make;
use super::sort::sort_rows;
use super::tally::{self, Bins};
use crate::array::Array;
use crate::error::Result;
use crate::layout::{Axes, size_of};

mod exact;

pub(super) const THREADS: usize = 256;
/// Steps of a thread at the least, and blocks at the most, where a block has elements of its own: six with 33 KB of shared memory on
/// each of the 132 multiprocessors of a large device.
const STEPS: usize = 16;
const BLOCKS: usize = 792;
/// The most steps for which each block looks through all positions, where a sort takes as long; those of a block at the least before there are
/// more blocks, up to one on each multiprocessor of a large device; its threads, and positions that each of them looks at, at the least.
const FEW_STEPS: usize = 1 << 16;
const FEW_OWN: usize = 64;
const FEW_BLOCKS: usize = 132;
const FEW_THREADS: usize = 1024;
const FEW_EACH: usize = 4;
/// From so many steps on, floats are added in float64.
pub(crate) const MANY_STEPS: usize = 1 << 20;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<At> = Kernels::default();
}

/// Changes elements of `a`. `positions`, flat uint32 or int64 in C order, count the places of its first `leading` axes, each of
/// which exists. `operand` has a part for each position, and overlaps `a` nowhere. Nothing is
/// changed where `rejected` is not 0.
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
    let key = At { far: positions.dtype() == DType::I64, ..key };
    if let Some(weights) = operand.filter(|_| n >= MANY_STEPS && inner == 1)
        && let Some(key) = in_sums(key, a)
    {
        // To -0 every number is added without a change, to those too that get nothing else.
        let sums = tally::weigh_from(-0.0, positions, &Bins::Direct(a.size()), &weights.reshape([n])?)?;
        let each = make::empty(device, &[a.size()], DType::U32)?;
        super::arange(&each, 0i64.into(), 1i64.into())?;
        return at(key, a, leading, &each, Some(&sums), rejected);
    }
    if let Some(key) = exact::key(key, a, n, inner) {
        return exact::add(key, a, positions, operand, rejected);
    }
    let walks = Walks::new(a, operand, n * inner);
    let ordered = key.atomic().is_none();
    if ordered && inner == 1 && n <= FEW_STEPS && !key.far {
        let key = At { sharing: Sharing::Elements, ..walks.of(key) };
        let [function] = kernels(&KERNELS, device, key, ["at"], || (key.name(), key.source()))?;
        let threads = n.div_ceil(FEW_EACH).next_multiple_of(32).min(FEW_THREADS);
        let blocks = Blocks::of(n.div_ceil(FEW_OWN).min(FEW_BLOCKS), n, "steps");
        // SAFETY: positions are places of the array, which 32 bits count, and strides reach elements only.
        return unsafe {
            Launcher::on(device).launch(function, blocks, threads, &walks.params(a, positions, operand, rejected))
        };
    }
    let (keys, order) = match ordered {
        false => (positions.clone(), None),
        true => {
            let made = |dtype| make::empty(device, &[n], dtype);
            let (sorted, order) = (made(positions.dtype())?, made(DType::I64)?);
            sort_rows(positions, n, Some(&sorted), Some(&order))?;
            (sorted, Some(order))
        }
    };
    let staged = inner == 1 && (1..=key.most_staged()).contains(&a.size()) && n >= 4 * a.size();
    let key = At { sharing: if staged { Sharing::Copies } else { Sharing::Steps }, ..walks.of(key) };
    let [function] = kernels(&KERNELS, device, key, ["at"], || (key.name(), key.source()))?;
    let params =
        AtParams { inner, order: Read(order.as_ref().map(Place::of)), ..walks.params(a, &keys, operand, rejected) };
    let count = if staged { n.div_ceil(THREADS * STEPS).min(BLOCKS) } else { (n * inner).div_ceil(THREADS) };
    let blocks = Blocks::of(count, n * inner, "steps");
    // SAFETY: positions are places of the array, and strides reach elements only.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
}

/// How an array and the operand of its changes are walked.
struct Walks {
    array: Axes<1>,
    operand: Axes<1>,
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

    /// What kernels are told where one element stands behind each position.
    fn params<'a>(
        &'a self,
        a: &'a Array,
        keys: &'a Array,
        operand: Option<&'a Array>,
        rejected: Option<&'a Array>,
    ) -> AtParams<'a, Place<'a>> {
        AtParams {
            width: self.width,
            positions: keys.size(),
            inner: 1,
            places: a.size(),
            keys: read(keys),
            order: Read(None),
            rejected: Read(rejected.map(Place::of)),
            array: written(a),
            limbs: Written(None),
            marks: Written(None),
            operand: Read(operand.map(Place::of)),
            array_axes: self.array.sizes.len() as u32,
            operand_axes: self.operand.sizes.len() as u32,
            array_sizes: Sizes(&self.array.sizes),
            operand_sizes: Sizes(&self.operand.sizes),
            array_strides: Strides(&self.array.strides[0]),
            operand_strides: Strides(&self.operand.strides[0]),
        }
    }
}

/// Returns the key of adding sums of floats to the elements of an array that are few enough for a warp to hold their
/// sums, in the loop of the sums' dtype: where operands are floats of the array's own dtype, and no half ones.
fn in_sums(key: At, a: &Array) -> Option<At> {
    let sum = match a.dtype() {
        DType::F32 | DType::F64 => DType::F64,
        DType::C64 | DType::C128 => DType::C128,
        _ => return None,
    };
    let fits = key.operand == Some(a.dtype()) && a.size() <= tally::window(sum.size());
    let loops = key.op.loops();
    let own = loops[key.signature as usize].out() == a.dtype();
    let signature = loops.iter().position(|l| l.out() == sum && l.ins[0] == sum)? as u8;
    (key.op.record().name == "add" && fits && own).then_some(At { signature, operand: Some(sum), ..key })
}
