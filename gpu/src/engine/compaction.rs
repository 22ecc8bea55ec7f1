//! Compaction: the places or the elements that a mask picks, in C order.
//!
//! Two launches and one word to the host between them. `mark` reads the mask once and leaves a bit for each element and
//! the number of true ones before each group of words; the last of these numbers is the size of the result, which the
//! host must know. `select` reads the bits and writes the results, no more memory than they need being taken.
//!
//! Bytes moved, of n elements of s bytes, k of them true: mask n s, bits n/8 twice, results 8 k an axis (places) or twice
//! k s' (elements). For 2^26 float32, half of them true: 268 + 17 + 268 MB, which 4.25 TB/s move in 0.13 ms; reading the
//! mask again in place of the bits would be 268 MB more. The launches, the zeros for the look-back and the host's look at
//! the number add some 20 µs.

use cuprum_kernels::source::{DEEP_AXES, Mark, SHALLOW_AXES, Select, Selected};

use super::kernels::{Kernels, kernels};
use super::params::Params;
use crate::array::Array;
use crate::cuda::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Axes, Layout};
use crate::scalar::Scalar;

/// From so many elements on, blocks are large; below, there are to be many.
const LARGE: usize = 1 << 18;
/// Bytes that a block marks at once, so that the look-back is little beside them.
const TILE_BYTES: usize = 32 << 10;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static MARKS: Kernels<Mark> = Kernels::default();
    static SELECTS: Kernels<Select> = Kernels::default();
}

/// How elements are shared among blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    /// Threads of a block, and words of a group.
    threads: usize,
    /// Groups of a tile.
    groups: usize,
}

impl Plan {
    fn new(n: usize, itemsize: usize) -> Plan {
        if n < LARGE {
            return Plan { threads: 32, groups: 1 };
        }
        Plan { threads: 256, groups: (TILE_BYTES / (256 * 32 * itemsize)).max(1) }
    }
}

/// The true elements of a mask.
#[derive(Debug)]
pub(crate) struct Marked {
    plan: Plan,
    /// The mask's elements.
    elements: usize,
    /// A bit for each.
    bits: Array,
    /// The number of true ones before each group, and of all.
    before: Array,
    /// How many there are.
    pub(crate) count: usize,
}

fn scratch(device: Device, n: usize, dtype: cuprum_kernels::DType) -> Result<Array> {
    Array::of_layout(device, Layout::c_order(&[n], dtype.size()), dtype)
}

fn grid(blocks: usize) -> Result<u32> {
    u32::try_from(blocks)
        .ok()
        .filter(|&g| g <= i32::MAX as u32)
        .ok_or_else(|| Error::new(ErrorKind::Value, "there are more elements than one launch can reach"))
}

/// Finds the true elements. The host waits for their number.
pub(crate) fn mark(mask: &Array) -> Result<Marked> {
    mark_by(mask, Plan::new(mask.size(), mask.itemsize()))
}

fn mark_by(mask: &Array, plan: Plan) -> Result<Marked> {
    use cuprum_kernels::DType::{U32, U64};
    let (device, n) = (mask.device(), mask.size());
    let words = n.div_ceil(32);
    let groups = words.div_ceil(plan.threads);
    let tiles = groups.div_ceil(plan.groups);
    let (bits, before) = (scratch(device, words, U32)?, scratch(device, groups + 1, U64)?);
    if n == 0 {
        return Ok(Marked { plan, elements: 0, bits, before, count: 0 });
    }
    let states = scratch(device, tiles + 1, U64)?;
    super::fill(&states, Scalar::Int(0))?;

    let axes = Axes::collapse(mask.shape(), [mask.strides()], true);
    let item = mask.itemsize();
    let dense = axes.sizes.len() <= 1 && axes.strides[0].first().is_none_or(|&s| s == item as i64);
    let (deep, wide) = (axes.sizes.len() > SHALLOW_AXES, n > u32::MAX as usize);
    let key = Mark {
        element: mask.dtype(),
        flat: item <= 2 && dense && mask.addr().is_multiple_of(16),
        threads: plan.threads as u16,
        groups: plan.groups as u8,
        wide,
        deep,
    };
    let mut p = Params::default();
    for word in [n as u64, mask.addr(), bits.addr(), before.addr(), states.addr()] {
        p.u64(word);
    }
    p.u32(axes.sizes.len() as u32);
    p.u32(0);
    let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
    p.dividers(&axes.sizes, capacity, wide);
    p.strides(&axes.strides[0], capacity);
    let [function] = kernels(&MARKS, device, key, ["mark"], || (key.name(), key.source()))?;
    // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, of as many words, groups
    // and tiles as the number of elements makes, and the strides reach the mask's elements only.
    unsafe { device.queue().launch(function, [grid(tiles)?, 1, 1], [plan.threads as u32, 1, 1], p.as_bytes())? };
    let mut count = [0; 8];
    super::launch::download(&mut count, &before, 8 * groups)?;
    Ok(Marked { plan, elements: n, bits, before, count: u64::from_le_bytes(count) as usize })
}

impl Marked {
    /// The index of every true element along each axis of `shape`, the mask's own or one of as many elements: an array
    /// of shape (number, axes), the axis `fast` being the fastest in memory.
    pub(crate) fn coordinates(&self, shape: &[usize], fast: usize) -> Result<Array> {
        let out_shape = [self.count, shape.len()];
        let layout = if fast == 0 { Layout::f_order(&out_shape, 8) } else { Layout::c_order(&out_shape, 8) };
        let out = Array::of_layout(self.bits.device(), layout, cuprum_kernels::DType::I64)?;
        let steps = [out.strides()[0], out.strides()[1]];
        self.select(Selected::Coordinates, shape, &[], 0, &out, steps)?;
        Ok(out)
    }

    /// The index of every true element among all, in one axis.
    pub(crate) fn places(&self) -> Result<Array> {
        self.coordinates(&[self.elements], 0).map(|places| places.with_layout(Layout::c_order(&[self.count], 8)))
    }

    /// The elements of `a`, which has as many as the mask, where the mask is true.
    pub(crate) fn elements_of(&self, a: &Array) -> Result<Array> {
        let out = scratch(a.device(), self.count, a.dtype())?;
        let axes = Axes::collapse(a.shape(), [a.strides()], true);
        let what = Selected::Elements(a.itemsize() as u8);
        self.select(what, &axes.sizes, &axes.strides[0], a.addr(), &out, [a.itemsize() as i64, 0])?;
        Ok(out)
    }

    fn select(
        &self,
        what: Selected,
        sizes: &[usize],
        strides: &[i64],
        from: u64,
        out: &Array,
        steps: [i64; 2],
    ) -> Result<()> {
        if out.size() == 0 {
            return Ok(());
        }
        let device = self.bits.device();
        let (deep, wide) = (sizes.len() > SHALLOW_AXES, self.elements > u32::MAX as usize);
        let mut p = Params::default();
        for word in [self.elements as u64, self.bits.addr(), self.before.addr(), from, out.addr()] {
            p.u64(word);
        }
        p.u64(steps[0] as u64);
        p.u64(steps[1] as u64);
        p.u32(sizes.len() as u32);
        p.u32(0);
        let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
        p.dividers(sizes, capacity, wide);
        p.strides(strides, capacity);
        let threads = self.plan.threads;
        let key = Select { what, threads: threads as u16, wide, deep };
        let [function] = kernels(&SELECTS, device, key, ["select"], || (key.name(), key.source()))?;
        let groups = self.before.size() - 1;
        // SAFETY: the parameters are the kernel's struct; the bits are those of all elements, the result has room for
        // as many as are set, and sizes and strides reach elements of the array only.
        unsafe { device.queue().launch(function, [grid(groups)?, 1, 1], [threads as u32, 1, 1], p.as_bytes()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, s};

    /// Ones at every third element and at a long run, zeros elsewhere.
    fn pattern(n: usize) -> Vec<bool> {
        (0..n).map(|i| i % 3 == 0 || (n / 3..n / 2).contains(&i)).collect()
    }

    #[test]
    fn every_tile_finds_its_place() {
        let (n, plans) = (20_011, [(32, 1), (32, 4), (64, 2), (256, 1), (256, 4)]);
        let bools = pattern(n);
        let want: Vec<i64> = (0..n as i64).filter(|&i| bools[i as usize]).collect();
        let flat = Array::from_slice(&bools, n).unwrap();
        let strided = Array::from_slice(&bools.iter().flat_map(|&b| [!b, b]).collect::<Vec<_>>(), 2 * n).unwrap();
        let strided = strided.index(s![1..;2]).unwrap();
        for mask in [&flat, &strided, &flat.astype(DType::I16).unwrap(), &flat.astype(DType::F64).unwrap()] {
            for (threads, groups) in plans {
                let marked = mark_by(mask, Plan { threads, groups }).unwrap();
                assert_eq!(marked.count, want.len(), "{} {threads} {groups}", mask.dtype());
                let found = marked.coordinates(&[n], 1).unwrap();
                assert!(found.to_vec::<i64>().unwrap() == want, "{} {threads} {groups}", mask.dtype());
                assert!(marked.elements_of(&flat).unwrap().to_vec::<bool>().unwrap().iter().all(|&b| b));
            }
        }
    }

    #[test]
    fn zeros_of_either_sign_are_false_and_nan_is_true() {
        let x = [0.0f32, -0.0, 1e-7, f32::NAN, -5.0, 0.0];
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
            let many: Vec<f32> = x.iter().copied().cycle().take(6 * 64).collect();
            let marked = mark(&Array::from_vec(many).unwrap().astype(dtype).unwrap()).unwrap();
            assert_eq!(marked.count, 3 * 64, "{dtype}");
        }
        let complex = [(0.0, -0.0), (0.0, 1.0), (f64::NAN, 0.0)].map(|(re, im)| num_complex::Complex64::new(re, im));
        assert_eq!(mark(&Array::from_slice(&complex, 3).unwrap()).unwrap().count, 2);
    }

    #[test]
    fn tiles_hold_as_many_bytes_whatever_the_dtype() {
        for (itemsize, groups) in [(1, 4), (2, 2), (4, 1), (8, 1), (16, 1)] {
            assert_eq!(Plan::new(LARGE, itemsize), Plan { threads: 256, groups });
        }
        assert_eq!(Plan::new(LARGE - 1, 1), Plan { threads: 32, groups: 1 });
    }
}
