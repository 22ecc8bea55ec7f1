//! Minima, maxima, medians and histograms of slots.

use cuprum_kernels::DType;
use cuprum_kernels::params::Written;
use cuprum_kernels::source::{LabelKernels, LabelParams, LabelSource};

use super::{Labelled, THREADS, as_elements, cast, counted, in_c_order};
use crate::array::{Array, Operand};
use crate::engine::compressed::{binary_loop, gather_or_zero};
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::engine::sort::sort_pairs;
use crate::engine::{elementwise, fill, make};
use crate::error::Result;
use crate::index::s;
use crate::scalar::Scalar;

/// Shared memory of a block for the tables of its slots, and the elements for which such blocks pay.
const SHARED: usize = 24 << 10;
const LEAST_IN_BLOCKS: usize = 1 << 16;
/// Blocks with a chunk of elements: those that run at the same time on a large device.
const CHUNKS: usize = 1056;

const NAMES: [&str; 5] = ["label_extremes", "label_positions", "label_values", "label_bins", "label_extremes_blocks"];

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static EXTREMES: Kernels<LabelSource, 5> = Kernels::default();
}

/// Minima and maxima of slots.
#[derive(Clone, Debug)]
pub(crate) struct Extremes {
    /// The minimum of each slot.
    pub(crate) least: Array,
    /// The maximum of each slot.
    pub(crate) most: Array,
    /// Positions in C order, of int64, if they are requested: of the first minimum, and of the last maximum.
    pub(crate) least_at: Option<Array>,
    /// See `least_at`.
    pub(crate) most_at: Option<Array>,
}

impl Labelled {
    /// Returns the minimum and the maximum of each slot, of the dtype of the elements, which are real; 0 for slots
    /// without elements.
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
        let pairs = make::zeros(self.device, &[self.count, 2], key_dtype)?;
        fill(&pairs.index(s![.., 0])?, largest)?;
        let empty = || make::empty(self.device, &[self.count], values.dtype());
        let (low, high) = (empty()?, empty()?);
        self.with(values, LabelKernels::Extremes, |key, params| {
            let [extremes, at, values, _, in_blocks] =
                kernels(&EXTREMES, self.device, key, NAMES, || (key.name(), key.source()))?;
            let launcher = Launcher::on(self.device);
            let params = LabelParams {
                extremes: written(&pairs),
                low_values: written(&low),
                high_values: written(&high),
                ..params
            };
            let elements = || Labelled::blocks(n, "elements");
            let shared = 2 * self.count * key_dtype.size();
            // SAFETY: slots are below their number, of which tables have an element for each, in shared memory as well.
            unsafe {
                if shared <= SHARED && n >= LEAST_IN_BLOCKS {
                    let chunk = n.div_ceil(CHUNKS).next_multiple_of(4 * THREADS);
                    let params = LabelParams { chunk, ..params };
                    let blocks = Blocks::of(n.div_ceil(chunk), n, "elements");
                    launcher.launch_sharing(in_blocks, blocks, THREADS, shared.next_multiple_of(16), &params)?;
                } else {
                    launcher.launch(extremes, elements(), THREADS, &params)?;
                }
            }
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

    /// Returns the number of elements of each slot between the edges of bins, which are of equal width but for
    /// rounding: int64, of a row for each slot. The elements are real.
    pub(crate) fn histograms(&self, values: &Array, edges: &[f64]) -> Result<Array> {
        let (n, bins) = (self.slots.size(), edges.len().saturating_sub(1));
        let shape = [self.count, bins];
        if self.count * bins == 0 || n == 0 {
            return make::zeros(self.device, &shape, DType::I64);
        }
        let values = &as_elements(values)?;
        let narrow = self.count * bins <= i32::MAX as usize;
        let numbers = make::empty(self.device, &[n], if narrow { DType::I32 } else { DType::I64 })?;
        let table = make::of(self.device, edges, &[edges.len()])?;
        self.with(values, LabelKernels::Extremes, |key, params| {
            let [.., find, _] = kernels(&EXTREMES, self.device, key, NAMES, || (key.name(), key.source()))?;
            let width = edges[bins] - edges[0];
            let scale = if width > 0.0 { bins as f64 / width } else { 0.0 };
            let column = u32::from(!narrow);
            let edges = read(&table);
            let params = LabelParams { bins, scale, edges, column, bin_numbers: written(&numbers), ..params };
            // SAFETY: a number is written for each element, and edges are one more than bins.
            unsafe { Launcher::on(self.device).launch(find, Labelled::blocks(n, "elements"), THREADS, &params) }
        })?;
        counted(&numbers, self.count * bins)?.reshape(shape)
    }

    /// Returns the elements of each slot that are in the middle of its order, the lower and the upper one, of the dtype
    /// of the elements, which are real, or of float32 for float16 and bfloat16; and the number of elements. NaN comes
    /// last.
    pub(crate) fn middles(&self, values: &Array) -> Result<[Array; 3]> {
        let values = as_elements(values)?;
        let values = if values.itemsize() < 4 { cast(&values, DType::I32)? } else { values };
        let n = self.slots.size();
        if self.count == 0 || n == 0 {
            let none = make::zeros(self.device, &[self.count], values.dtype())?;
            return Ok([none.clone(), none, make::zeros(self.device, &[self.count], DType::I64)?]);
        }
        let flat = in_c_order(&values.broadcast_to_shape(&self.shape)?, &[n])?;
        // Elements with one label are together as those with one slot are.
        let (sorted, keys) = sort_pairs(&flat, self.labels.as_ref().unwrap_or(&self.slots))?;
        let (keys, sorted) = sort_pairs(&keys, &sorted)?;
        let bounds = self.bounds(&flat, &keys)?;
        let (from, to) = (bounds.index(s![0])?, bounds.index(s![1])?);
        let counts = make::empty(self.device, &[self.count], DType::I64)?;
        binary("subtract", &to, &from, &counts)?;
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
        let gather = |at: &Array| gather_or_zero(&[(at, &sorted)]);
        Ok([gather(&low)?, gather(&high)?, counts])
    }
}

fn binary(name: &str, a: &Array, b: &Array, out: &Array) -> Result<()> {
    let (op, signature) = binary_loop(name, out.dtype())?;
    elementwise(op, signature, &[Operand::Array(a), Operand::Array(b)], out)
}
