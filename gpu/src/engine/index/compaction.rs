//! Stream compaction: the indices or the elements that a mask selects, in C order.
//!
//! Two launches. `mark` reads the mask once and writes a bit for each element, and counts: of each of its blocks, which are
//! few and have adjacent elements each, and for each unit of 1,024 elements the number before it in its block. Their sum is
//! the size of the result, which the host must know. `compact` reads the bits and writes the results: the number of true
//! elements before a unit is the sum of the counts of earlier blocks and its own, so that no block waits for another, and no
//! memory is cleared before.
//!
//! The device does not wait for the host between them if memory for as many results as there are elements costs little:
//! `compact` is launched at once, the host reads the size on another stream meanwhile, and returns the rest of the
//! memory. Otherwise, and for few elements, the host reads the size before it allocates the results.
//!
//! Memory traffic, for n elements of s bytes of which k are true: the mask n s, the bits n/8 twice, and results 8 k per
//! axis (indices) or twice k s' (elements). For a pending mask (fusion) the operands of its expression are read
//! instead.

use std::cell::OnceCell;
use std::sync::Arc;

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides, Width, Written};
use cuprum_kernels::source::{
    COMPACTION_THREADS, COMPACTION_UNIT, Compact, CompactParams, Compacted, MARK_BLOCKS, Mark, MarkParams, ReadMark,
    ReadMarkParams, ReadingParams,
};

use crate::array::Array;
use crate::cuda::Buffer;
use crate::engine::fusion::{Through, ready, through};
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{self, Blocks, DevicePtr, Launcher, Reading, one_device, read, written};
use crate::engine::make;
use crate::error::Result;
use crate::layout::{Axes, Dims, Layout};

/// Number of elements from which the second kernel is launched before the host knows the size of the results, and from
/// which that kernel takes longer than it takes the host to read the size on another stream.
const AHEAD: usize = 1 << 20;
const ASIDE: usize = 1 << 22;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static MARKS: Kernels<Mark> = Kernels::default();
    static READ_MARKS: Kernels<ReadMark> = Kernels::default();
    static COMPACTS: Kernels<Compact> = Kernels::default();
}

/// Units that a block of either kernel processes at once: one for each warp.
const UNITS: usize = COMPACTION_THREADS / 32;
/// Elements that a block processes at once.
pub(in crate::engine) const TILE: usize = UNITS * COMPACTION_UNIT;

/// The true elements of a mask. Their number is on the device until it is needed.
#[derive(Debug)]
pub(crate) struct TrueElements {
    /// Number of the mask's elements.
    elements: usize,
    /// A bit for each element.
    bits: Array,
    /// Number of adjacent units that a warp has marked.
    each: usize,
    /// For each unit, the number of true elements of its block before it, and then the total of each block.
    counts: Array,
    /// The number of true elements, once it has been read.
    count: OnceCell<usize>,
}

/// Finds the true elements.
pub(crate) fn mark(mask: &Array) -> Result<TrueElements> {
    mark_by(mask, MARK_BLOCKS)
}

/// Finds the true elements by this number of blocks at most.
fn mark_by(mask: &Array, most_blocks: usize) -> Result<TrueElements> {
    let (device, n) = (mask.device(), mask.size());
    let units = n.div_ceil(COMPACTION_UNIT);
    let each = units.div_ceil(UNITS * most_blocks);
    let blocks = if n == 0 { 0 } else { units.div_ceil(UNITS * each) };
    let bits = make::empty(device, &[n.div_ceil(32)], DType::U32)?;
    let counts = make::empty(device, &[units + blocks], DType::U32)?;
    if n == 0 {
        return Ok(TrueElements { elements: 0, bits, each, counts, count: OnceCell::from(0) });
    }
    let params = MarkParams {
        width: Width::default(),
        elements: n,
        input: Read(None),
        bits: written(&bits),
        counts: written(&counts),
        each: each as u32,
        axes: 0,
        sizes: Sizes::default(),
        strides: Strides::default(),
    };
    if through(mask, None, |of| mark_through(mask, of, blocks, params))?.is_none() {
        mark_array(mask, blocks, params)?;
    }
    Ok(TrueElements { elements: n, bits, each, counts, count: OnceCell::new() })
}

/// Returns the key of the kernel that reads the elements one by one.
fn key(mask: &Array, width: Width) -> Mark {
    Mark { element: mask.dtype(), flat: false, width }
}

/// Marks the elements of an array, in this number of blocks.
fn mark_array<'a>(mask: &'a Array, blocks: usize, params: MarkParams<'a, DevicePtr<'a>>) -> Result<()> {
    let (device, n) = (mask.device(), mask.size());
    let axes = Axes::collapse(mask.shape(), [mask.strides()], true);
    let item = mask.itemsize();
    let dense = axes.sizes.len() <= 1 && axes.strides[0].first().is_none_or(|&s| s == item as i64);
    let width = Width::of(axes.sizes.len(), n);
    let flat = dense && mask.addr().is_multiple_of(16);
    let key = Mark { flat, ..key(mask, width) };
    let [function] = kernels(&MARKS, device, key, ["mark"], || (key.name(), key.source()))?;
    let params = MarkParams {
        width,
        input: read(mask),
        axes: axes.sizes.len() as u32,
        sizes: Sizes(&axes.sizes),
        strides: Strides(&axes.strides[0]),
        ..params
    };
    // SAFETY: there are as many words, units and blocks as the number of elements requires, and the strides reach the
    // mask's elements only.
    unsafe { Launcher::on(device).launch(function, Blocks::of(blocks, n, "elements"), COMPACTION_THREADS, &params) }
}

/// Marks the elements of an expression; `None` if its kernel is not compiled yet, or does not accept these operands.
fn mark_through<'a>(
    mask: &Array,
    of: &'a Through,
    blocks: usize,
    params: MarkParams<'a, DevicePtr<'a>>,
) -> Result<Option<()>> {
    let (device, n) = (mask.device(), mask.size());
    let all: Dims = (0..mask.ndim()).collect();
    let (axes, none) = (of.axes(&all, mask.shape(), [mask.strides()], true), of.axes(&[], &[], [&[]], true));
    let width = Width::of(axes.sizes.len(), n);
    let Some(reading) = of.reading(1, true, &axes, &none, width) else { return Ok(None) };
    let key = ReadMark { of_array: key(mask, width), reading };
    let Some([function]) = ready(&READ_MARKS, device, key, ["mark"])? else { return Ok(None) };
    let (ins, kept) = (of.inputs(), of.tables(&axes));
    let mark = MarkParams { width, axes: axes.sizes.len() as u32, sizes: Sizes(&axes.sizes), ..params };
    let params = ReadMarkParams { mark, reading: ReadingParams { width, ins: &ins, kept: &kept, reduced: None } };
    // SAFETY: as for an array, with strides that reach elements of the expression's arrays only.
    unsafe { Launcher::on(device).launch(function, Blocks::of(blocks, n, "elements"), COMPACTION_THREADS, &params) }
        .map(Some)
}

impl TrueElements {
    /// Returns the number of true elements. Synchronises with the device to read it at the first call.
    pub(crate) fn count(&self) -> Result<usize> {
        if let Some(&count) = self.count.get() {
            return Ok(count);
        }
        let totals = self.totals()?.to_vec::<u32>()?;
        Ok(*self.count.get_or_init(|| sum(&totals)))
    }

    /// Returns the number of true elements as [`Self::count`] does, after a call of `queue` that queues work: the host does
    /// not wait for that work if it is long.
    fn count_after(&self, queue: impl FnOnce() -> Result<()>) -> Result<usize> {
        if self.elements < ASIDE {
            queue()?;
            return self.count();
        }
        let totals = self.totals()?;
        let reading = Reading::of(&totals)?;
        queue()?;
        let count = sum(&reading.finish::<u32>()?);
        self.bits.device().check_errors()?;
        Ok(*self.count.get_or_init(|| count))
    }

    /// Returns the number of units.
    fn units(&self) -> usize {
        self.elements.div_ceil(COMPACTION_UNIT)
    }

    /// Returns the number of true elements of each block of `mark`.
    fn totals(&self) -> Result<Array> {
        self.counts.index(crate::index::s![self.units() as i64..])
    }

    /// Returns memory for `bytes` bytes of each true element, which `write` fills.
    fn filled(&self, bytes: usize, write: impl Fn(&Buffer) -> Result<()>) -> Result<Arc<Buffer>> {
        let device = self.bits.device();
        if self.count.get().is_none()
            && self.elements >= AHEAD
            && let Some(most) = self.elements.checked_mul(bytes)
            && let Some(buffer) = device.alloc_upper_bound(most)?
        {
            let count = self.count_after(|| write(&buffer))?;
            return shortened(buffer, count * bytes);
        }
        let buffer = device.alloc(self.count()? * bytes)?;
        if buffer.bytes() > 0 {
            write(&buffer)?;
        }
        Ok(Arc::new(buffer))
    }

    /// Returns the index of every true element along each axis of `shape`, the mask's own or one of as many elements:
    /// an array of shape (number, axes), the axis `fast` being the fastest in memory.
    pub(crate) fn coordinates(&self, shape: &[usize], fast: usize) -> Result<Array> {
        self.coordinates_of(shape, fast, DType::I64)
    }

    /// Returns the same of an index dtype, int32 or int64, which represents every coordinate.
    pub(crate) fn coordinates_of(&self, shape: &[usize], fast: usize, index: DType) -> Result<Array> {
        let (axes, size) = (shape.len(), index.size());
        // In the order of the axes the coordinates of an axis take as much memory as there are results.
        let steps = if fast == 0 { [size as i64, 0] } else { [(axes * size) as i64, size as i64] };
        let what = Compacted::Coordinates(size as u8);
        let out = self.filled(axes * size, |out| {
            self.compact(what, shape, &[], None, Written(Some(DevicePtr::start(out))), steps)
        })?;
        let out_shape = [self.count()?, axes];
        let layout = if fast == 0 { Layout::f_order(&out_shape, size) } else { Layout::c_order(&out_shape, size) };
        Ok(Array::of_buffer(out, layout, index))
    }

    /// Returns the flat index of every true element.
    pub(crate) fn positions(&self) -> Result<Array> {
        let found = self.coordinates(&[self.elements], 0)?;
        Ok(found.with_layout(Layout::c_order(&[found.shape()[0]], 8)))
    }

    /// Returns the elements of `a`, which has as many as the mask, where the mask is true.
    pub(crate) fn elements_of(&self, a: &Array) -> Result<Array> {
        one_device(&self.bits, [a])?;
        let (axes, size) = (Axes::collapse(a.shape(), [a.strides()], true), a.itemsize());
        let what = Compacted::Elements(size as u8);
        let out = self.filled(size, |out| {
            let out = Written(Some(DevicePtr::start(out)));
            self.compact(what, &axes.sizes, &axes.strides[0], Some(a), out, [size as i64, 0])
        })?;
        Ok(Array::of_buffer(out, Layout::c_order(&[self.count()?], size), a.dtype()))
    }

    /// Scatters the elements of `from`, one-dimensional and as many as are true, to the positions of `to` where the
    /// mask is true.
    pub(crate) fn spread(&self, from: &Array, to: &Array) -> Result<()> {
        one_device(&self.bits, [from, to])?;
        let axes = Axes::collapse(to.shape(), [to.strides()], true);
        let what = Compacted::Spread(to.itemsize() as u8);
        let step = from.strides().first().copied().unwrap_or_default();
        if from.size() == 0 || to.size() == 0 {
            return Ok(());
        }
        self.compact(what, &axes.sizes, &axes.strides[0], Some(from), written(to), [step, 0])
    }

    fn compact<'a>(
        &'a self,
        what: Compacted,
        sizes: &'a [usize],
        strides: &'a [i64],
        from: Option<&'a Array>,
        out: Written<DevicePtr<'a>>,
        steps: [i64; 2],
    ) -> Result<()> {
        let device = self.bits.device();
        let width = Width::of(sizes.len(), self.elements);
        let key = Compact { what, width };
        let [function] = kernels(&COMPACTS, device, key, ["compact"], || (key.name(), key.source()))?;
        let params = CompactParams {
            width,
            elements: self.elements,
            bits: read(&self.bits),
            counts: read(&self.counts),
            input: Read(from.map(DevicePtr::of)),
            out,
            each: self.each as u32,
            blocks: (self.counts.size() - self.units()) as u32,
            result_step: steps[0],
            axis_step: steps[1],
            axes: sizes.len() as u32,
            sizes: Sizes(sizes),
            strides: Strides(strides),
        };
        let blocks = Blocks::of(self.units().div_ceil(UNITS), self.elements, "elements");
        // SAFETY: the bits are those of all elements, the result has room for as many as are set, and sizes and strides
        // reach elements of the array only.
        unsafe { Launcher::on(device).launch(function, blocks, COMPACTION_THREADS, &params) }
    }
}

/// Returns the number of true elements, given those of each block.
fn sum(totals: &[u32]) -> usize {
    totals.iter().map(|&total| total as usize).sum()
}

/// Returns the first `kept` bytes of memory: in place, or a copy where that would hold much larger memory.
fn shortened(mut whole: Buffer, kept: usize) -> Result<Arc<Buffer>> {
    if whole.shrink(kept)? {
        return Ok(Arc::new(whole));
    }
    let part = make::empty(whole.device(), &[kept], DType::U8)?;
    let whole = Array::of_buffer(Arc::new(whole), Layout::c_order(&[kept], 1), DType::U8);
    launch::copy_bytes(&whole, &part)?;
    Ok(part.shared_buffer().clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::s;

    /// Returns a mask that is true at every third element and in a long run.
    fn pattern(n: usize) -> Vec<bool> {
        (0..n).map(|i| i % 3 == 0 || (n / 3..n / 2).contains(&i)).collect()
    }

    #[test]
    fn every_tile_finds_its_offset() {
        let (n, most) = (100_011, [1, 2, 3, 5, MARK_BLOCKS]);
        let bools = pattern(n);
        let want: Vec<i64> = (0..n as i64).filter(|&i| bools[i as usize]).collect();
        let flat = Array::from_slice(&bools, n).unwrap();
        let found_all = crate::arange(0, n as i64, 1).unwrap();
        let strided = Array::from_slice(&bools.iter().flat_map(|&b| [!b, b]).collect::<Vec<_>>(), 2 * n).unwrap();
        let strided = strided.index(s![1..;2]).unwrap();
        let of = [DType::I16, DType::F32, DType::F64, DType::C128].map(|dtype| flat.astype(dtype).unwrap());
        for (i, mask) in [&flat, &strided].into_iter().chain(&of).enumerate() {
            // All numbers of blocks for booleans; for other dtypes, which are read by the same loop, two in turn.
            let most = if i < 1 { &most[..] } else { &[most[i % 5], most[(i + 2) % 5]] };
            for &blocks in most {
                let marked = mark_by(mask, blocks).unwrap();
                assert_eq!(marked.count().unwrap(), want.len(), "{} {blocks}", mask.dtype());
                for index in [DType::I64, DType::I32] {
                    let found = marked.coordinates_of(&[n], 1, index).unwrap().astype(DType::I64).unwrap();
                    assert!(found.to_vec::<i64>().unwrap() == want, "{} {blocks} {index}", mask.dtype());
                }
                assert!(marked.elements_of(&found_all).unwrap().to_vec::<i64>().unwrap() == want, "{}", mask.dtype());
            }
        }
    }

    /// Checks results that are written before their number is known, read on the stream itself and on another: whose memory
    /// is shortened, that are copied because they are few, or none; along one axis and two, in both orders; and those of a
    /// known number.
    #[test]
    fn results_are_written_before_their_number_is_known() {
        let device = crate::cuda::Device::another_for_test();
        let go = |n: usize, every: usize, is_known: bool| -> Result<()> {
            let bools: Vec<bool> = (0..n).map(|i| i > 0 && i % every == 0).collect();
            let want: Vec<i64> = (0..n as i64).filter(|&i| bools[i as usize]).collect();
            let (mask, numbers) = (Array::from_vec(bools)?, crate::arange(0, n as i64, 1)?);
            let flags = || {
                let flags = mark(&mask)?;
                if is_known {
                    assert_eq!(flags.count()?, want.len());
                }
                Ok::<_, crate::Error>(flags)
            };
            assert!(flags()?.elements_of(&numbers)?.to_vec::<i64>()? == want, "{n} {every}");
            let columns = n as i64 / 64;
            for fast in [0, 1] {
                let rows = flags()?.coordinates(&[64, n / 64], fast)?;
                assert_eq!((rows.shape(), rows.strides()[fast]), (&[want.len(), 2][..], 8));
                let wanted: Vec<i64> = want.iter().flat_map(|&i| [i / columns, i % columns]).collect();
                assert!(rows.to_vec::<i64>()? == wanted, "{n} {every} {fast}");
            }
            let used = device.memory_pool().stats().used_bytes;
            let found = flags()?.positions()?;
            assert!(found.to_vec::<i64>()? == want, "{n} {every}");
            let more = device.memory_pool().stats().used_bytes - used;
            assert_eq!(more, found.nbytes().next_multiple_of(512), "{n} {every}");
            Ok(())
        };
        for (n, every) in [(AHEAD, 2), (AHEAD, 40_000), (AHEAD, usize::MAX)] {
            for is_known in [false, true] {
                device.with(|| go(n, every, is_known)).unwrap();
            }
        }
        device.with(|| go(ASIDE, 1 << 20, false)).unwrap();
    }

    #[test]
    fn zeros_of_either_sign_are_false_and_nan_is_true() {
        let x = [0.0f32, -0.0, 1e-7, f32::NAN, -5.0, 0.0];
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
            let many: Vec<f32> = x.iter().copied().cycle().take(6 * 512).collect();
            let marked = mark(&Array::from_vec(many).unwrap().astype(dtype).unwrap()).unwrap();
            assert_eq!(marked.count().unwrap(), 3 * 512, "{dtype}");
        }
        let complex = [(0.0, -0.0), (0.0, 1.0), (f64::NAN, 0.0)].map(|(re, im)| num_complex::Complex64::new(re, im));
        let many: Vec<_> = complex.iter().copied().cycle().take(3 * 1024).collect();
        for dtype in [DType::C64, DType::C128] {
            let many = Array::from_slice(&many, many.len()).unwrap().astype(dtype).unwrap();
            assert_eq!(mark(&many).unwrap().count().unwrap(), 2 * 1024, "{dtype}");
        }
    }
}
