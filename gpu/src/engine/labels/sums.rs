//! Sums for each slot.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Size};
use cuprum_kernels::source::{LABEL_LIMB, LABEL_PRODUCTS, LABEL_SEGMENT_TILE, LabelKernels, LabelParams, LabelSource};

use super::{Labelled, THREADS, as_elements, cast};
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, read, written};
use crate::engine::sort::sort_pairs;
use crate::engine::{arange, make};
use crate::error::Result;
use crate::index::s;
use crate::scalar::Scalar;

/// Slots whose sums warps keep in shared memory, with 12 bytes each: at most 24 KB for a warp.
const FEW_SLOTS: usize = 2048;
/// Shared memory of a block for them.
const SHARED: usize = 32 << 10;
/// Warps that have a chunk: some that run at the same time on a large device, which do not depend on the device; and
/// the least elements of a chunk.
const CHUNKS: usize = 4608;
const CHUNK: usize = 512;
/// Memory for the sums of all chunks.
const CHUNK_BYTES: usize = 64 << 20;

/// Limbs of a slot, as in `include/label_exact.cuh`, and of all slots for each element.
const MOST_LIMBS: usize = 64;
const LIMBS_PER_ELEMENT: usize = 4;

/// Exact sums of blocks, as in `include/label_exact_blocks.cuh`: threads; most elements of a block; blocks that run at the same time on a
/// large device; the elements for which they pay, and those for which limbs in memory hold the sums.
const BLOCK_THREADS: usize = 1024;
const MOST_IN_BLOCK: usize = 1 << 18;
const EXACT_BLOCKS: usize = 264;
const LEAST_EXACT: usize = 1 << 16;
const MOST_EXACT: usize = 1 << 30;
/// Base-2 logarithm of the longest axis of a coordinate: longer ones leave a block too few elements.
const MOST_ALONG_LOG2: u32 = 16;
/// Bytes of a limb in shared memory; bytes of a multiprocessor's for all limbs; and bytes that their copies may take.
const LIMB_BYTES: usize = 8;
const BLOCK_BYTES: usize = 220 << 10;
const COPIES_BYTES: usize = 48 << 10;
/// Limbs of a slot in shared memory: most, fewest of which two blocks run at the same time, and fewest.
const MOST_WINDOW: usize = 8;
const LEAST_OF_TWO: usize = 4;
const LEAST_WINDOW: usize = 3;

const SUM_NAMES: [&str; 3] = ["label_sums", "label_totals", "label_integers"];
const NAMES: [&str; 4] = ["label_segments", "label_ends", "label_segment_totals", "label_bounds"];

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static SUMS: Kernels<LabelSource, 3> = Kernels::default();
    static EXACT: Kernels<LabelSource, 3> = Kernels::default();
    static SEGMENTS: Kernels<LabelSource, 4> = Kernels::default();
}

/// Statistic of the elements of a slot: its sum, or that of other numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Summed<'a> {
    /// The elements.
    Elements,
    /// The squares of their differences from the mean of their slot, of float64.
    Squares(&'a Array),
    /// Their products with the coordinate along an axis.
    Coordinates(usize),
}

/// Parameters of the number of an element that is summed.
struct Column<'a> {
    /// The number that is summed: 0 for the element, 1 for its squared difference from the mean, 2 for its
    /// product with a coordinate.
    number: u32,
    /// Means of the slots that are subtracted before a square is taken.
    means: Option<&'a Array>,
    /// Elements for each step along the axis of a coordinate.
    inner: usize,
    /// Length of the axis of a coordinate.
    along: usize,
}

impl<'a> Column<'a> {
    fn new(summed: Summed<'a>, shape: &[usize]) -> Column<'a> {
        let of = |number, means| Column { number, means, inner: 1, along: 1 };
        match summed {
            Summed::Elements => of(0, None),
            Summed::Squares(means) => of(1, Some(means)),
            Summed::Coordinates(axis) => {
                Column { inner: shape[axis + 1..].iter().product(), along: shape[axis], ..of(2, None) }
            }
        }
    }

    /// Returns true if sums of these elements are exact in int64.
    fn fits_integers(&self, values: &Array) -> bool {
        let most = match values.dtype() {
            DType::U8 => 1u128 << 8,
            DType::I32 => 1 << 31,
            _ => return false,
        };
        self.means.is_none() && most * self.along as u128 * (values.size() as u128) < 1 << 63
    }

    fn fill<'b>(&'b self, params: LabelParams<'b, DevicePtr<'b>>) -> LabelParams<'b, DevicePtr<'b>> {
        LabelParams {
            column: self.number,
            means: self.means.map_or(Read(None), read),
            inner: Size(self.inner),
            along: Size(self.along),
            ..params
        }
    }
}

/// Products with coordinates that the kernel `label_exact_blocks` sums.
struct Products {
    /// Elements for each step along the last of the axes.
    inner: usize,
    /// Lengths of the axes.
    lengths: Vec<usize>,
    /// Number of sums: those of the elements, if they are summed, and those of the products.
    sets: usize,
}

impl Products {
    /// Returns those of no axis.
    fn none() -> Products {
        Products { inner: 1, lengths: vec![], sets: 1 }
    }

    /// Returns those of a column, without the elements.
    fn one(column: &Column<'_>) -> Products {
        if column.number == 2 {
            return Products { inner: column.inner, lengths: vec![column.along], sets: 1 };
        }
        Products::none()
    }
}

/// Limbs of exact sums of float32: as in `include/label_exact.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exact {
    /// Number of limbs of a sum.
    limbs: usize,
    /// Bits that a limb covers.
    shift: u32,
    /// Limbs in shared memory; `None` if all numbers are added in memory.
    block: Option<Block>,
}

/// Limbs of a block in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    /// Number of limbs of a slot.
    window: usize,
    /// Base-2 logarithm of the number of their copies.
    copies_log2: u32,
    /// Most elements of the block.
    most: usize,
}

impl Exact {
    /// Returns the limbs for these elements, if there are not too many of them for the elements.
    fn of(column: &Column<'_>, values: &Array, count: usize) -> Option<Exact> {
        if !Exact::is_exact(column, values) {
            return None;
        }
        // The sum of all numbers of 24 bits and the shift is below 2^63.
        let shift = 39u32.checked_sub(values.size().next_power_of_two().ilog2())?.min(32);
        let limbs = Exact::exponents(column.number == 2).div_ceil(shift.max(1) as usize);
        (shift > 0 && limbs <= MOST_LIMBS && limbs * count <= LIMBS_PER_ELEMENT * values.size()).then_some(Exact {
            limbs,
            shift,
            block: None,
        })
    }

    /// Returns the limbs for these elements, if there are many of them and shared memory has room for some limbs of each slot of each
    /// of the sums.
    fn of_blocks(column: &Column<'_>, values: &Array, count: usize, sets: usize, most_shared: u64) -> Option<Exact> {
        let products = column.number == 2 || sets > 1;
        let count = count * sets;
        let along_log2 = column.along.next_power_of_two().ilog2();
        if !Exact::is_exact(column, values)
            || !(LEAST_EXACT..=MOST_EXACT).contains(&values.size())
            || along_log2 > MOST_ALONG_LOG2
        {
            return None;
        }
        let bytes = BLOCK_BYTES.min(most_shared as usize);
        let room = |bytes: usize| (bytes / (LIMB_BYTES * count)).min(MOST_WINDOW);
        let of_two = room(bytes / 2);
        let window = if of_two < LEAST_OF_TWO { room(bytes) } else { of_two };
        let copies = COPIES_BYTES / (LIMB_BYTES * count * window).max(1);
        let block = Block {
            window,
            copies_log2: copies.max(1).ilog2().min(5),
            // The high words of products are below 2^along_log2, and their sum is below 2^31.
            most: MOST_IN_BLOCK.min(1 << (30 - along_log2)),
        };
        // The upper parts of products are added to the limbs above those of their numbers.
        let limbs = (Exact::exponents(products) + if products { 8 } else { 0 }).div_ceil(LABEL_LIMB);
        (window >= LEAST_WINDOW).then_some(Exact { limbs, shift: LABEL_LIMB as u32, block: Some(block) })
    }

    fn is_exact(column: &Column<'_>, values: &Array) -> bool {
        values.dtype() == DType::F32 && column.means.is_none() && column.along <= 1 << 24
    }

    /// Returns the number of exponents: those of products with coordinates are larger by 24.
    fn exponents(products: bool) -> usize {
        254 + if products { 24 } else { 0 }
    }
}

impl Labelled {
    /// Returns a sum for each slot: float64. The elements are real, and of the shape.
    pub(crate) fn sums(&mut self, values: &Array, summed: Summed<'_>) -> Result<Array> {
        let n = self.slots.size();
        if self.count == 0 || n == 0 {
            return make::zeros(self.device, &[self.count], DType::F64);
        }
        let values = &as_elements(values)?;
        let out = make::empty(self.device, &[self.count], DType::F64)?;
        let column = Column::new(summed, &self.shape);
        if let Some(exact) = Exact::of_blocks(&column, values, self.count, 1, self.device.info().shared_bytes) {
            let axes = Products::one(&column);
            return self.exact_sums(values, &column, exact, &axes)?.reshape([self.count]);
        }
        if self.count <= FEW_SLOTS {
            return self.few_sums(values, &column, &out).map(|()| out);
        }
        if column.fits_integers(values) {
            return self.integer_sums(values, &column);
        }
        if let Some(exact) = Exact::of(&column, values, self.count) {
            return self.exact_sums(values, &column, exact, &Products::none())?.reshape([self.count]);
        }
        if self.sorted.is_none() {
            let dtype = if n > u32::MAX as usize { DType::U64 } else { DType::U32 };
            let positions = make::empty(self.device, &[n], dtype)?;
            arange(&positions, Scalar::from(0), Scalar::from(1))?;
            self.sorted = Some(sort_pairs(self.all_slots()?, &positions)?);
        }
        self.with(values, LabelKernels::Segments, |key, params| {
            let Some((slots, order)) = &self.sorted else { return Ok(()) };
            let [segments, _, totals, _] = kernels(&SEGMENTS, self.device, key, NAMES, || (key.name(), key.source()))?;
            let tiles = n.div_ceil(LABEL_SEGMENT_TILE);
            let [heads, tails] = [(); 2].map(|()| make::empty(self.device, &[tiles], DType::F64));
            let (heads, tails) = (heads?, tails?);
            let bounds = self.ends(values, slots)?;
            let params = LabelParams {
                slots: read(slots),
                order: read(order),
                heads: written(&heads),
                tails: written(&tails),
                ends: written(&bounds),
                out: written(&out),
                ..column.fill(params)
            };
            let launcher = Launcher::on(self.device);
            // SAFETY: sorted positions are those of elements, a tile has one sum of each kind, and slots are below their number.
            unsafe {
                launcher.launch(segments, Blocks::of(tiles, n, "elements"), THREADS, &params)?;
                launcher.launch(totals, Labelled::blocks(32 * self.count, "slots"), THREADS, &params)
            }
        })?;
        Ok(out)
    }

    /// Returns the first sorted element of each slot, and the number of all: int64. Kernels are those for these
    /// elements.
    pub(super) fn ends(&self, values: &Array, slots: &Array) -> Result<Array> {
        let ends = make::empty(self.device, &[self.count + 1], DType::I64)?;
        self.with(values, LabelKernels::Segments, |key, params| {
            let [_, find, ..] = kernels(&SEGMENTS, self.device, key, NAMES, || (key.name(), key.source()))?;
            let params = LabelParams { slots: read(slots), ends: written(&ends), ..params };
            let blocks = Labelled::blocks(self.count + 1, "slots");
            // SAFETY: slots have an element for each of the input.
            unsafe { Launcher::on(self.device).launch(find, blocks, THREADS, &params) }
        })?;
        Ok(ends)
    }

    /// Returns the first of the elements with each slot, in a first row, and one more than the last, in a second: int64. `keys`
    /// are the sorted labels of the elements, or their slots if there are no labels. Kernels are those for these elements.
    pub(super) fn bounds(&self, values: &Array, keys: &Array) -> Result<Array> {
        let bounds = make::empty(self.device, &[2, self.count], DType::I64)?;
        self.with(values, LabelKernels::Segments, |key, params| {
            let [.., find] = kernels(&SEGMENTS, self.device, key, NAMES, || (key.name(), key.source()))?;
            let params = LabelParams { slots: read(keys), ends: written(&bounds), ..params };
            let blocks = Labelled::blocks(2 * self.count, "slots");
            // SAFETY: keys have an element for each of the input.
            unsafe { Launcher::on(self.device).launch(find, blocks, THREADS, &params) }
        })?;
        Ok(bounds)
    }

    /// Returns a sum for each slot, and those of the products with the coordinates along each axis: float64. The elements are
    /// real, and of the shape.
    pub(crate) fn coordinate_sums(&mut self, values: &Array) -> Result<(Array, Vec<Array>)> {
        let elements = &as_elements(values)?;
        let (shape, count) = (self.shape.clone(), self.count);
        let axes = shape.len();
        let shared = self.device.info().shared_bytes;
        let exact = |first: usize, products: usize| {
            let longest = shape[first..first + products].iter().max().copied().unwrap_or(1);
            let column = Column { along: longest, ..Column::new(Summed::Elements, &shape) };
            if count == 0 {
                return None;
            }
            Exact::of_blocks(&column, elements, count, 1 + products, shared).map(|exact| (column, exact))
        };
        // Some axes at once, as many as shared memory has room for.
        let mut total = None;
        let mut sums = Vec::with_capacity(axes);
        while sums.len() < axes {
            let first = sums.len();
            let most = (axes - first).min(LABEL_PRODUCTS);
            let some = (1..=most).rev().find_map(|k| exact(first, k).map(|(column, exact)| (k, column, exact)));
            match some {
                Some((k, column, exact)) => {
                    let inner = shape[first + k..].iter().product();
                    let products = Products { inner, lengths: shape[first..first + k].to_vec(), sets: 1 + k };
                    let all = self.exact_sums(elements, &column, exact, &products)?;
                    total = Some(all.index(s![0])?);
                    for axis in 1..=k {
                        sums.push(all.index(s![axis as i64])?);
                    }
                }
                None => sums.push(self.sums(values, Summed::Coordinates(first))?),
            }
        }
        let total = match total {
            Some(total) => total,
            None => self.sums(values, Summed::Elements)?,
        };
        Ok((total, sums))
    }

    /// Exact sums of float32, of a row for each set.
    fn exact_sums(&self, values: &Array, column: &Column<'_>, exact: Exact, products: &Products) -> Result<Array> {
        let sets = products.sets;
        let limbs = make::zeros(self.device, &[sets, exact.limbs, self.count], DType::I64)?;
        let marks = make::zeros(self.device, &[sets, self.count], DType::U32)?;
        let out = make::empty(self.device, &[sets, self.count], DType::F64)?;
        let lengths = std::array::from_fn(|k| Size(products.lengths.get(k).copied().unwrap_or(1)));
        self.with(values, LabelKernels::Exact, |key, params| {
            let names = ["label_exact", "label_exact_totals", "label_exact_blocks"];
            let [add, total, add_blocks] = kernels(&EXACT, self.device, key, names, || (key.name(), key.source()))?;
            let n = values.size();
            let Block { window, copies_log2, most } =
                exact.block.unwrap_or(Block { window: 0, copies_log2: 0, most: n });
            let chunk = n.div_ceil(EXACT_BLOCKS).next_multiple_of(4 * BLOCK_THREADS).min(most);
            let params = LabelParams {
                chunk,
                chunks: exact.limbs,
                window: window as u32,
                copies_log2,
                shift: exact.shift,
                sums: written(&limbs),
                marks: written(&marks),
                out: written(&out),
                products: products.lengths.len() as u32,
                sets: sets as u32,
                ..column.fill(params)
            };
            let params = if products.lengths.is_empty() {
                params
            } else {
                LabelParams { inner: Size(products.inner), lengths, ..params }
            };
            let launcher = Launcher::on(self.device);
            // SAFETY: slots are below their number, of which there are limbs for each, and an exponent has a limb; shared memory has room for
            // the limbs of all copies.
            unsafe {
                if exact.block.is_none() {
                    launcher.launch(add, Labelled::blocks(n, "elements"), THREADS, &params)?;
                } else {
                    let blocks = Blocks::of(n.div_ceil(chunk), n, "elements");
                    let shared = ((LIMB_BYTES * window * self.count * sets) << copies_log2).next_multiple_of(16);
                    launcher.launch_sharing(add_blocks, blocks, BLOCK_THREADS, shared, &params)?;
                }
                launcher.launch(total, Labelled::blocks(sets * self.count, "slots"), THREADS, &params)
            }
        })?;
        Ok(out)
    }

    /// Sums of integers, which do not depend on an order.
    fn integer_sums(&self, values: &Array, column: &Column<'_>) -> Result<Array> {
        let sums = make::zeros(self.device, &[self.count], DType::I64)?;
        self.with(values, LabelKernels::Sums, |key, params| {
            let [.., add] = kernels(&SUMS, self.device, key, SUM_NAMES, || (key.name(), key.source()))?;
            let params = LabelParams { sums: written(&sums), ..column.fill(params) };
            let blocks = Labelled::blocks(values.size(), "elements");
            // SAFETY: slots are below their number, of which there is a sum for each.
            unsafe { Launcher::on(self.device).launch(add, blocks, THREADS, &params) }
        })?;
        cast(&sums, DType::F64)
    }

    /// Sums for slots whose sums each warp keeps in shared memory.
    fn few_sums(&self, values: &Array, column: &Column<'_>, out: &Array) -> Result<()> {
        let (n, count) = (self.slots.size(), self.count);
        let warps = (SHARED / (12 * count)).clamp(1, THREADS / 32);
        let most = CHUNKS.min(CHUNK_BYTES / (8 * count)).max(1);
        let chunk = n.div_ceil(most).max(CHUNK).next_multiple_of(128);
        let chunks = n.div_ceil(chunk);
        let sums = make::empty(self.device, &[chunks, count], DType::F64)?;
        self.with(values, LabelKernels::Sums, |key, params| {
            let [add, total, _] = kernels(&SUMS, self.device, key, SUM_NAMES, || (key.name(), key.source()))?;
            let launcher = Launcher::on(self.device);
            let params = LabelParams { chunk, chunks, sums: written(&sums), out: written(out), ..column.fill(params) };
            let blocks = Blocks::of(chunks.div_ceil(warps), n, "elements");
            let shared = (12 * count * warps).next_multiple_of(16);
            // SAFETY: a chunk has a sum for each slot, and slots are below their number.
            unsafe {
                launcher.launch_sharing(add, blocks, 32 * warps, shared, &params)?;
                launcher.launch(total, Blocks::of(count.div_ceil(8), count, "slots"), THREADS, &params)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_hold_the_sums_of_all_elements() {
        let limbs = |n: usize, summed: Summed<'_>, count| {
            let device = crate::cuda::Device::current().unwrap();
            let values = make::zeros(device, &[1], DType::F32).unwrap().broadcast_to_shape(&[n]).unwrap();
            Exact::of(&Column::new(summed, &[n]), &values, count)
        };
        assert_eq!(limbs(1 << 26, Summed::Elements, 100_000), Some(Exact { limbs: 20, shift: 13, block: None }));
        assert_eq!(limbs(9000, Summed::Coordinates(0), 2600), Some(Exact { limbs: 12, shift: 25, block: None }));
        assert_eq!(limbs((1 << 24) + 1, Summed::Coordinates(0), 1), None);
        assert_eq!(limbs(1 << 36, Summed::Elements, 1), None);
        assert_eq!(limbs(1000, Summed::Elements, 1000), None);
    }

    #[test]
    fn limbs_of_blocks_fit_into_shared_memory() {
        let sets = |n: usize, summed: Summed<'_>, count, sets| {
            let device = crate::cuda::Device::current().unwrap();
            let values = make::zeros(device, &[1], DType::F32).unwrap().broadcast_to_shape(&[n]).unwrap();
            Exact::of_blocks(&Column::new(summed, &[n]), &values, count, sets, 227 << 10)
        };
        let exact = |n, summed, count| sets(n, summed, count, 1);
        let of = |limbs, window, copies_log2, most| {
            Some(Exact { limbs, shift: 8, block: Some(Block { window, copies_log2, most }) })
        };
        assert_eq!(exact(1 << 26, Summed::Elements, 1000), of(32, 8, 0, 1 << 18));
        assert_eq!(exact(1 << 16, Summed::Coordinates(0), 1), of(36, 8, 5, 1 << 14));
        assert_eq!(exact(1 << 20, Summed::Coordinates(0), 1), None);
        assert_eq!(exact(1 << 20, Summed::Elements, 64), of(32, 8, 3, 1 << 18));
        assert_eq!(exact(1 << 26, Summed::Elements, 5000), of(32, 5, 0, 1 << 18));
        assert_eq!(sets(1 << 26, Summed::Elements, 1000, 3), of(36, 4, 0, 1 << 18));
        assert_eq!(exact(1 << 26, Summed::Elements, 9387), None);
        assert_eq!(exact(1000, Summed::Elements, 10), None);
    }
}
