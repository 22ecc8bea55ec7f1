//! Concatenation of any number of arrays, in one launch.
//!
//! Memory traffic: every element is read and written once, as by a copy, and for more than four parts the table (8
//! bytes for each, and 16 and its strides, which stay in the L2 cache). A thread writes 16 bytes twice, or four times.
//! If the elements of such a chunk are contiguous in one part it reads them together, wherever they begin. Two warps of
//! a block find the first and the last part of its elements, 32 parts at a time; most blocks have one part, and their
//! threads nothing to search.
//!
//! Parts that are shorter than some chunks in a row (columns that become a matrix, `stack` along the last axis) are
//! read element by element, with neighbours from the caches: a chunk takes one division, and is still written as a
//! whole.
//!
//! Other parts (with casts, or not contiguous along the last axis) are copied one by one if they are large, by the
//! elementwise engine and its tiles; a launch each is cheap in comparison.

use cuprum_kernels::params::{Read, Size, Sizes, Strides as Steps, Width};
use cuprum_kernels::source::{CONCATENATE_INLINE, Concatenate, ConcatenateParams, JoinWalk};
use smallvec::{SmallVec, smallvec};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, addresses, canonical, read, written};
use super::make;
use crate::array::Array;
use crate::array::Index;
use crate::error::Result;
use crate::index::Slice;
use crate::layout::{Dims, Strides, size_of};

/// Average bytes of a part from which parts are copied one by one, if they cannot be read in chunks.
const LARGE: usize = 4 << 20;
/// Average bytes of a part in each row below which it is read element by element.
const SHORT: usize = 64;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Concatenate> = Kernels::default();
}

/// Returns the number of elements that a block writes.
pub(super) fn tile(dtype: cuprum_kernels::DType) -> usize {
    Concatenate { walk: JoinWalk::Chunks, ..Concatenate::new(dtype, [dtype], false, Width::default()) }.tile()
}

/// The parts, along axes in which all of them can be walked, the fastest last.
struct Plan<'a> {
    /// The parts, in order.
    parts: SmallVec<[&'a Array; CONCATENATE_INLINE]>,
    /// Sizes of the results' axes; along the joined axis the number of elements of all parts.
    sizes: Dims,
    /// Axis of `sizes` along which the parts are joined.
    joined: usize,
    /// Strides of each part along the axes, in elements.
    strides: SmallVec<[Strides; CONCATENATE_INLINE]>,
}

/// Concatenates arrays along an axis into `out`, which shares no memory with them; their shapes match, and any dtypes
/// are cast to that of `out`.
pub(crate) fn concatenate(parts: &[&Array], axis: usize, out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let same = parts.iter().all(|a| a.dtype() == out.dtype());
    let Some(plan) = Plan::new(parts, axis, out) else { return one_by_one(parts, axis, out) };
    let item = out.itemsize() as i64;
    let walk = if same
        && plan.sizes.len() == 2
        && plan.joined == 1
        && plan.sizes[1] * out.itemsize() < SHORT * plan.parts.len()
    {
        JoinWalk::Short
    } else if same && plan.strides.iter().all(|s| s.last() == Some(&item)) {
        JoinWalk::Chunks
    } else {
        JoinWalk::Elements
    };
    if walk == JoinWalk::Elements && out.nbytes() / plan.parts.len() >= LARGE {
        return one_by_one(parts, axis, out);
    }
    plan.launch(out, walk)
}

/// Copies each part with a launch of its own.
fn one_by_one(parts: &[&Array], axis: usize, out: &Array) -> Result<()> {
    let mut index: SmallVec<[Index; 6]> = smallvec![Index::Slice(Slice::default()); axis + 1];
    let mut at = 0;
    for part in parts {
        let end = at + part.shape()[axis] as i64;
        index[axis] = Index::Slice(Slice::from(at..end));
        super::copy(part, &out.index(&index)?)?;
        at = end;
    }
    Ok(())
}

impl<'a> Plan<'a> {
    /// Returns `None` if `out` is not contiguous, or not aligned to a whole chunk.
    fn new(all: &[&'a Array], axis: usize, out: &Array) -> Option<Plan<'a>> {
        let mut order: Dims = (0..out.ndim()).filter(|&x| out.shape()[x] != 1 || x == axis).collect();
        order.sort_by_key(|&x| (std::cmp::Reverse(out.strides()[x]), x));
        let mut step = out.itemsize() as i64;
        for &x in order.iter().rev() {
            if out.strides()[x] != step && out.shape()[x] != 1 {
                return None;
            }
            step *= out.shape()[x] as i64;
        }
        if !out.addr().is_multiple_of(16) {
            return None;
        }
        let parts: SmallVec<[&Array; CONCATENATE_INLINE]> =
            all.iter().copied().filter(|a| a.shape()[axis] > 0).collect();
        let mut plan =
            Plan { strides: smallvec![Strides::new(); parts.len()], parts, sizes: Dims::new(), joined: usize::MAX };
        for x in order {
            let n = out.shape()[x];
            let along = |k: usize| plan.parts[k].strides()[x];
            // An axis is merged with the one before it if every part walks them as one.
            let merges = x != axis
                && !plan.sizes.is_empty()
                && (0..plan.parts.len()).all(|k| plan.strides[k].last() == Some(&along(k).wrapping_mul(n as i64)));
            if x == axis {
                plan.joined = plan.sizes.len();
            }
            let steps: SmallVec<[i64; CONCATENATE_INLINE]> = (0..plan.parts.len()).map(along).collect();
            for (strides, step) in plan.strides.iter_mut().zip(steps) {
                match strides.last_mut() {
                    Some(last) if merges => *last = step,
                    _ => strides.push(step),
                }
            }
            match plan.sizes.last_mut() {
                Some(last) if merges => *last *= n,
                _ => plan.sizes.push(n),
            }
        }
        Some(plan)
    }

    fn launch(&self, out: &Array, walk: JoinWalk) -> Result<()> {
        let Plan { parts, sizes, joined, strides } = self;
        let device = out.device();
        let width = Width::of(sizes.len(), out.size());
        let table = parts.len() > CONCATENATE_INLINE;
        let key = Concatenate { walk, ..Concatenate::new(out.dtype(), parts.iter().map(|a| a.dtype()), table, width) };
        let [function] = kernels(&KERNELS, device, key, ["concatenate"], || (key.name(), key.source()))?;
        // The offset of each part in a row; the last entry is the end.
        let before = size_of(&sizes[..*joined]);
        let row = out.size() / before;
        let mut starts: SmallVec<[usize; CONCATENATE_INLINE + 1]> = smallvec![0];
        for a in parts {
            starts.push(starts[starts.len() - 1] + a.size() / before);
        }
        let blocks = Blocks::of(out.size().div_ceil(key.tile()), out.size(), "elements");
        let params = ConcatenateParams {
            width,
            results: out.size(),
            out: written(out),
            row: Size(row),
            parts: parts.len() as u32,
            axes: sizes.len() as u32,
            joined: *joined as u32,
            sizes: Sizes(sizes),
            starts: None,
            inputs: None,
            dtypes: None,
            strides: None,
            table: None,
        };
        if table {
            let mut words: Vec<u64> = starts.iter().map(|&n| n as u64).collect();
            let copies: Vec<Array> = parts
                .iter()
                .map(|a| if a.may_have_any_bytes() { canonical(a) } else { Ok((*a).clone()) })
                .collect::<Result<_>>()?;
            let parts: Vec<&Array> = copies.iter().collect();
            for ((a, address), strides) in parts.iter().zip(addresses(device, &parts)?).zip(strides) {
                words.extend([address, Concatenate::number(a.dtype()).into()]);
                words.extend(strides.iter().map(|&s| s as u64));
            }
            let words = make::of(device, &words, &[words.len()])?;
            let params = ConcatenateParams { table: Some(read(&words)), ..params };
            // SAFETY: the table has as many entries as there are parts, with strides along the axes, and with those
            // every position in a row is an element of a part.
            return unsafe { Launcher::on(device).launch(function, blocks, 256, &params) };
        }
        starts.resize(CONCATENATE_INLINE + 1, row);
        let (mut pointers, mut dtypes) = ([Read(None); CONCATENATE_INLINE], [0; CONCATENATE_INLINE]);
        for (k, a) in parts.iter().enumerate() {
            pointers[k] = Read(Some(DevicePtr::of(a)));
            dtypes[k] = Concatenate::number(a.dtype());
        }
        let steps: [Steps<'_>; CONCATENATE_INLINE] =
            std::array::from_fn(|k| Steps(strides.get(k).map_or(&[][..], |s| s.as_slice())));
        let params = ConcatenateParams {
            starts: Some(std::array::from_fn(|k| starts[k])),
            inputs: Some(pointers),
            dtypes: Some(dtypes),
            strides: Some(&steps),
            ..params
        };
        // SAFETY: the sizes and strides of each part reach its elements only, and every position in a row is in a part.
        unsafe { Launcher::on(device).launch(function, blocks, 256, &params) }
    }
}
