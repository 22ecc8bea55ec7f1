//! Statistics of labelled elements: sums, extremes, positions and histograms for each label of a list.
//!
//! An element first gets its slot, the number of its label in the sorted list: the labels read and 4 bytes written. Each statistic then
//! reads the elements and their slots. Sums for few slots are kept by each warp in shared memory; for many the elements are sorted by their
//! slots, once for all sums. Sums are in float64 and in an order that depends on shapes alone; extremes and counts do not depend on an order.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Size, Sizes, Strides as Numbers, Width, Written};
use cuprum_kernels::source::{
    LABEL_SEGMENT_TILE, LabelKernels, LabelParams, LabelSlots, LabelSlotsParams, LabelSource,
};

use super::histogram::{Bins, count};
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::sort::{sort_pairs, sort_rows};
use super::{arange, make};
use crate::array::Array;
use crate::cuda::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Axes;
use crate::scalar::Scalar;

/// Threads of a block: as in `include/label_*.cuh`.
const THREADS: usize = 256;
/// Slots whose sums warps keep in shared memory, with 12 bytes each: at most 24 KB for a warp.
const FEW_SLOTS: usize = 2048;
/// Shared memory of a block for them.
const SHARED: usize = 32 << 10;
/// Warps that have a chunk: some that run at the same time on a large device, which do not depend on the device; and the least elements
/// of a chunk.
const CHUNKS: usize = 4608;
const CHUNK: usize = 512;
/// Memory for the sums of all chunks.
const CHUNK_BYTES: usize = 64 << 20;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static SLOTS: Kernels<LabelSlots, 2> = Kernels::default();
    static SUMS: Kernels<LabelSource, 2> = Kernels::default();
    static SEGMENTS: Kernels<LabelSource, 3> = Kernels::default();
    static EXTREMES: Kernels<LabelSource, 4> = Kernels::default();
}

/// Returns an array with its elements cast to a dtype; the array itself if it has it.
pub(crate) fn cast(a: &Array, dtype: DType) -> Result<Array> {
    if a.dtype() == dtype {
        return Ok(a.clone());
    }
    let out = make::empty(a.device(), a.shape(), dtype)?;
    super::copy(a, &out)?;
    Ok(out)
}

/// Returns an array whose dtype is one of those that kernels have for labels.
fn as_labels(a: &Array, float: bool) -> Result<Array> {
    let dtype = match a.dtype() {
        _ if float => DType::F64,
        DType::I32 => DType::I32,
        DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::Bool => DType::I32,
        _ => DType::I64,
    };
    cast(a, dtype)
}

/// Returns an array whose dtype is one of those that kernels have for elements.
fn as_elements(a: &Array) -> Result<Array> {
    let dtype = match a.dtype() {
        DType::Bool => DType::U8,
        DType::I8 | DType::I16 | DType::U16 => DType::I32,
        DType::U32 => DType::I64,
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    };
    cast(a, dtype)
}

/// Elements of a shape, with the slots of their labels in a list.
#[derive(Clone, Debug)]
pub(crate) struct Labelled {
    device: Device,
    shape: Vec<usize>,
    /// Number of slots.
    count: usize,
    /// The slot of each element, or -1: int32, in C order.
    slots: Array,
    /// The slot of each label of the list.
    found: Array,
    /// The sorted slots and the positions of their elements, for sums.
    sorted: Option<(Array, Array)>,
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
    number: u32,
    means: Option<&'a Array>,
    inner: usize,
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

/// Minima and maxima of slots.
#[derive(Clone, Debug)]
pub(crate) struct Extremes {
    pub(crate) least: Array,
    pub(crate) most: Array,
    /// Positions in C order, of int64, if they are requested: of the first minimum, and of the last maximum.
    pub(crate) least_at: Option<Array>,
    pub(crate) most_at: Option<Array>,
}

impl Labelled {
    /// Finds the slots of labels, broadcast to a shape, in a list, neither of which is complex.
    pub(crate) fn new(labels: &Array, index: &Array, shape: &[usize]) -> Result<Labelled> {
        let device = one_device(labels, [index])?;
        let float = labels.dtype().is_float() || index.dtype().is_float();
        let (labels, index) = (as_labels(labels, float)?, as_labels(index, float)?);
        let wide = if labels.dtype() == index.dtype() { labels.dtype() } else { DType::I64 };
        let (labels, index) = (cast(&labels, wide)?, cast(&index, wide)?);
        let labels = labels.broadcast_to_shape(shape)?;
        let count = index.size();
        if count > i32::MAX as usize {
            let message = format!("a list of {count} labels is longer than 2**31 - 1");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let list = make::empty(device, &[count], wide)?;
        super::copy(&index.in_one_axis()?, &list)?;
        let sorted = make::empty(device, &[count], wide)?;
        sort_rows(&list, count.max(1), Some(&sorted), None)?;
        let slots = slots(&labels, &sorted)?;
        let found = cast(&self::slots(&list, &sorted)?, DType::I64)?;
        Ok(Labelled { device, shape: shape.into(), count, slots, found, sorted: None })
    }

    /// Returns the number of slots.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the slot of each label of the list, of int64 and one axis.
    pub(crate) fn found(&self) -> &Array {
        &self.found
    }

    /// Returns the values of slots for the labels of the list.
    pub(crate) fn of_list(&self, values: &Array) -> Result<Array> {
        super::compressed::gather_or_zero(&[(&self.found, values)])
    }

    fn source(&self, kernels: LabelKernels, values: &Array, axes: usize) -> LabelSource {
        LabelSource { kernels, element: values.dtype(), width: Width::of(axes, values.size()) }
    }

    /// Calls a computation with the parameters for some elements, of the shape, and the width of the key.
    fn with<T>(
        &self,
        values: &Array,
        kernels: LabelKernels,
        run: impl FnOnce(LabelSource, LabelParams<'_, DevicePtr<'_>>) -> Result<T>,
    ) -> Result<T> {
        let axes = Axes::collapse(values.shape(), [values.strides()], true);
        let source = self.source(kernels, values, axes.sizes.len());
        let params = LabelParams {
            width: source.width,
            elements: values.size(),
            count: self.count,
            values: read(values),
            slots: read(&self.slots),
            sizes: Sizes(&axes.sizes),
            steps: Numbers(&axes.strides[0]),
            axes: axes.sizes.len() as u32,
            inner: Size(1),
            along: Size(1),
            chunk: 0,
            chunks: 0,
            bins: 0,
            scale: 0.0,
            order: Read(None),
            means: Read(None),
            edges: Read(None),
            sums: Written(None),
            heads: Written(None),
            tails: Written(None),
            ends: Written(None),
            out: Written(None),
            least: Written(None),
            most: Written(None),
            low_values: Written(None),
            high_values: Written(None),
            positions: Written(None),
            bin_numbers: Written(None),
            column: 0,
        };
        run(source, params)
    }

    fn blocks(n: usize, what: &'static str) -> Blocks {
        Blocks::of(n.div_ceil(THREADS), n, what)
    }

    /// Returns the number of elements of each slot: int64.
    pub(crate) fn counts(&self) -> Result<Array> {
        if self.count == 0 || self.slots.size() == 0 {
            return make::zeros(self.device, &[self.count], DType::I64);
        }
        count(&self.slots, &Bins::Direct(self.count), None)
    }

    /// Returns a sum for each slot: float64. The elements are real, and of the shape.
    pub(crate) fn sums(&mut self, values: &Array, summed: Summed<'_>) -> Result<Array> {
        let n = self.slots.size();
        if self.count == 0 || n == 0 {
            return make::zeros(self.device, &[self.count], DType::F64);
        }
        let values = &as_elements(values)?;
        let out = make::empty(self.device, &[self.count], DType::F64)?;
        let column = Column::new(summed, &self.shape);
        if self.count <= FEW_SLOTS {
            return self.few_sums(values, &column, &out).map(|()| out);
        }
        if self.sorted.is_none() {
            let positions = make::empty(self.device, &[n], DType::I64)?;
            arange(&positions, Scalar::from(0), Scalar::from(1))?;
            self.sorted = Some(sort_pairs(&self.slots, &positions)?);
        }
        self.with(values, LabelKernels::Segments, |key, params| {
            let Some((slots, order)) = &self.sorted else { return Ok(()) };
            let names = ["label_segments", "label_ends", "label_segment_totals"];
            let [segments, ends, totals] = kernels(&SEGMENTS, self.device, key, names, || (key.name(), key.source()))?;
            let tiles = n.div_ceil(LABEL_SEGMENT_TILE);
            let [heads, tails] = [(); 2].map(|()| make::empty(self.device, &[tiles], DType::F64));
            let (heads, tails) = (heads?, tails?);
            let bounds = make::empty(self.device, &[self.count + 1], DType::I64)?;
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
                launcher.launch(ends, Labelled::blocks(self.count + 1, "slots"), THREADS, &params)?;
                launcher.launch(totals, Labelled::blocks(32 * self.count, "slots"), THREADS, &params)
            }
        })?;
        Ok(out)
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
            let names = ["label_sums", "label_totals"];
            let [add, total] = kernels(&SUMS, self.device, key, names, || (key.name(), key.source()))?;
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

    /// Returns the minimum and the maximum of each slot, of the dtype of the elements, which are real; 0 for slots without elements.
    pub(crate) fn extremes(&self, input: &Array, [least_at, most_at]: [bool; 2]) -> Result<Extremes> {
        let n = self.slots.size();
        let values = &as_elements(input)?;
        let zeros = |dtype| make::zeros(self.device, &[self.count], dtype);
        let some = |wanted: bool, first: Scalar| {
            wanted.then(|| make::full(self.device, &[self.count], first, DType::U64)).transpose()
        };
        let positions = [some(least_at, Scalar::from(u64::MAX))?, some(most_at, Scalar::from(0))?];
        if self.count == 0 || n == 0 {
            let at = |wanted: bool| wanted.then(|| zeros(DType::I64)).transpose();
            let (least, most) = (zeros(input.dtype())?, zeros(input.dtype())?);
            return Ok(Extremes { least, most, least_at: at(least_at)?, most_at: at(most_at)? });
        }
        let key_dtype = if values.itemsize() == 8 { DType::U64 } else { DType::U32 };
        let largest = if values.itemsize() == 8 { Scalar::from(u64::MAX) } else { Scalar::from(u32::MAX) };
        let (least, most) = (make::full(self.device, &[self.count], largest, key_dtype)?, zeros(key_dtype)?);
        let empty = || make::empty(self.device, &[self.count], values.dtype());
        let (low, high) = (empty()?, empty()?);
        self.with(values, LabelKernels::Extremes, |key, params| {
            let names = ["label_extremes", "label_positions", "label_values", "label_bins"];
            let [extremes, at, values, _] = kernels(&EXTREMES, self.device, key, names, || (key.name(), key.source()))?;
            let launcher = Launcher::on(self.device);
            let params = LabelParams {
                least: written(&least),
                most: written(&most),
                low_values: written(&low),
                high_values: written(&high),
                ..params
            };
            let elements = || Labelled::blocks(n, "elements");
            // SAFETY: slots are below their number, of which tables have an element for each.
            unsafe { launcher.launch(extremes, elements(), THREADS, &params) }?;
            for (column, table) in positions.iter().enumerate() {
                if let Some(table) = table {
                    let params = LabelParams { positions: written(table), column: column as u32, ..params };
                    // SAFETY: as above.
                    unsafe { launcher.launch(at, elements(), THREADS, &params) }?;
                }
            }
            for table in positions.iter().flatten().map(Some).chain([None]) {
                let params = LabelParams { positions: table.map_or(Written(None), written), ..params };
                // SAFETY: as above.
                unsafe { launcher.launch(values, Labelled::blocks(self.count, "slots"), THREADS, &params) }?;
            }
            Ok(())
        })?;
        let [least_at, most_at] = positions.map(|table| table.map(|table| cast(&table, DType::I64)).transpose());
        let own = |a: &Array| cast(a, input.dtype());
        Ok(Extremes { least: own(&low)?, most: own(&high)?, least_at: least_at?, most_at: most_at? })
    }

    /// Returns the number of elements of each slot between the edges of bins, which are of equal width but for rounding: int64, of a row for
    /// each slot. The elements are real.
    pub(crate) fn histograms(&self, values: &Array, edges: &[f64]) -> Result<Array> {
        let (n, bins) = (self.slots.size(), edges.len().saturating_sub(1));
        let shape = [self.count, bins];
        if self.count * bins == 0 || n == 0 {
            return make::zeros(self.device, &shape, DType::I64);
        }
        let values = &as_elements(values)?;
        let numbers = make::empty(self.device, &[n], DType::I64)?;
        let table = make::of(self.device, edges, &[edges.len()])?;
        self.with(values, LabelKernels::Extremes, |key, params| {
            let names = ["label_extremes", "label_positions", "label_values", "label_bins"];
            let [.., find] = kernels(&EXTREMES, self.device, key, names, || (key.name(), key.source()))?;
            let width = edges[bins] - edges[0];
            let scale = if width > 0.0 { bins as f64 / width } else { 0.0 };
            let params = LabelParams { bins, scale, edges: read(&table), bin_numbers: written(&numbers), ..params };
            // SAFETY: a number is written for each element, and edges are one more than bins.
            unsafe { Launcher::on(self.device).launch(find, Labelled::blocks(n, "elements"), THREADS, &params) }
        })?;
        count(&numbers, &Bins::Direct(self.count * bins), None)?.reshape(shape)
    }

    /// Returns the elements of each slot that are in the middle of its order, the lower and the upper one, of the dtype of the elements,
    /// which are real, or of float32 for float16 and bfloat16; and the number of elements. NaN comes last.
    pub(crate) fn middles(&self, values: &Array) -> Result<[Array; 3]> {
        let values = as_elements(values)?;
        let values = if values.itemsize() < 4 { cast(&values, DType::I32)? } else { values };
        let n = self.slots.size();
        let counts = self.counts()?;
        if self.count == 0 || n == 0 {
            let none = make::zeros(self.device, &[self.count], values.dtype())?;
            return Ok([none.clone(), none, counts]);
        }
        let flat = make::empty(self.device, &[n], values.dtype())?;
        super::copy(&values.broadcast_to_shape(&self.shape)?, &flat.reshape(self.shape.as_slice())?)?;
        let (sorted, slots) = sort_pairs(&flat, &self.slots)?;
        let (slots, sorted) = sort_pairs(&slots, &sorted)?;
        let ends = make::empty(self.device, &[self.count + 1], DType::I64)?;
        self.with(&flat, LabelKernels::Segments, |key, params| {
            let names = ["label_segments", "label_ends", "label_segment_totals"];
            let [_, find, _] = kernels(&SEGMENTS, self.device, key, names, || (key.name(), key.source()))?;
            let params = LabelParams { slots: read(&slots), ends: written(&ends), ..params };
            let blocks = Labelled::blocks(self.count + 1, "slots");
            // SAFETY: slots have an element for each of the input.
            unsafe { Launcher::on(self.device).launch(find, blocks, THREADS, &params) }
        })?;
        let (from, to) = (ends.index(crate::index::s![..-1])?, ends.index(crate::index::s![1..])?);
        let of = |upper: i64| -> Result<Array> {
            // The lower middle of positions from a to b - 1 is (a + b - 1) / 2 rounded down, the upper one (a + b) / 2.
            let sum = make::empty(self.device, &[self.count], DType::I64)?;
            binary("add", &from, &to, &sum)?;
            let shift = make::full(self.device, &[self.count], 1, DType::I64)?;
            if upper == 0 {
                binary("subtract", &sum, &shift, &sum)?;
            }
            binary("right_shift", &sum, &shift, &sum)?;
            Ok(sum)
        };
        // A slot without elements has the position before its end, which may be -1: zero is read there.
        let (low, high) = (of(0)?, of(1)?);
        let last = make::full(self.device, &[self.count], n as i64 - 1, DType::I64)?;
        binary("minimum", &high, &last, &high)?;
        let gather = |at: &Array| super::compressed::gather_or_zero(&[(at, &sorted)]);
        Ok([gather(&low)?, gather(&high)?, counts])
    }
}

fn binary(name: &str, a: &Array, b: &Array, out: &Array) -> Result<()> {
    let (op, signature) = super::compressed::binary_loop(name, out.dtype())?;
    super::elementwise(op, signature, &[crate::array::Operand::Array(a), crate::array::Operand::Array(b)], out)
}

/// Returns the slot of each label in a sorted list of the same dtype: int32, of one axis.
fn slots(labels: &Array, sorted: &Array) -> Result<Array> {
    let device = labels.device();
    let out = make::empty(device, &[labels.size()], DType::I32)?;
    if sorted.size() == 0 {
        super::fill(&out, Scalar::from(-1))?;
        return Ok(out);
    }
    find(labels, sorted, Some(&out), None)?;
    Ok(out)
}

/// Launches a search of labels: for their slots, or for the boxes of slots.
fn find(labels: &Array, sorted: &Array, slots: Option<&Array>, boxes: Option<(&Array, &Array)>) -> Result<()> {
    if labels.size() == 0 {
        return Ok(());
    }
    let device = labels.device();
    // Boxes have a coordinate for each axis.
    let axes = match boxes {
        None => Axes::collapse(labels.shape(), [labels.strides()], true),
        Some(_) => Axes { sizes: labels.shape().into(), strides: [labels.strides().into()] },
    };
    let key = LabelSlots { labels: labels.dtype(), width: Width::of(axes.sizes.len(), labels.size()) };
    let names = ["label_slots", "label_boxes"];
    let functions = kernels(&SLOTS, device, key, names, || (key.name(), key.source()))?;
    let params = LabelSlotsParams {
        width: key.width,
        elements: labels.size(),
        count: sorted.size(),
        labels: read(labels),
        index: read(sorted),
        slots: slots.map_or(Written(None), written),
        first: boxes.map_or(Written(None), |(first, _)| written(first)),
        last: boxes.map_or(Written(None), |(_, last)| written(last)),
        sizes: Sizes(&axes.sizes),
        steps: Numbers(&axes.strides[0]),
        axes: axes.sizes.len() as u32,
    };
    let function = functions[usize::from(boxes.is_some())];
    // SAFETY: sizes and strides reach the labels only; the list is not empty, and tables have an element for each of it and axis.
    unsafe { Launcher::on(device).launch(function, Labelled::blocks(labels.size(), "elements"), THREADS, &params) }
}

/// Returns the smallest coordinate of each label from 1 to `count` along each axis, and one more than the largest, of a row for each label:
/// uint64. A label that does not occur has 0 as the second.
pub(crate) fn boxes(labels: &Array, count: usize) -> Result<[Array; 2]> {
    let device = labels.device();
    let labels = as_labels(labels, false)?;
    let list = make::empty(device, &[count], DType::I64)?;
    arange(&list, Scalar::from(1), Scalar::from(2))?;
    let list = cast(&list, labels.dtype())?;
    let shape = [count, labels.ndim()];
    let first = make::full(device, &shape, u64::MAX, DType::U64)?;
    let last = make::zeros(device, &shape, DType::U64)?;
    if count > 0 && labels.ndim() > 0 {
        find(&labels, &list, None, Some((&first, &last)))?;
    }
    Ok([first, last])
}
