//! Statistics of labelled elements: sums, extremes, positions and histograms for each label of a list.
//!
//! An element has a slot, the number of its label in the sorted list. Labels of int32 are read as they are, and their slots
//! follow from the first label of a list of consecutive numbers; otherwise slots are found first: the labels read and 4
//! bytes written. Each statistic then reads the elements and their labels or slots. Sums for few slots are kept by each warp in shared memory, and
//! exact ones of float32 by blocks;
//! for many, integers and float32 are added in memory, exactly, and others are sorted by their slots, once for all
//! sums. Sums are in float64 and in an order that depends on shapes alone; extremes and counts do not depend on an
//! order.

mod extremes;
mod slots;
mod sums;

pub(crate) use extremes::Extremes;
use slots::List;
pub(crate) use slots::boxes;
pub(crate) use sums::Summed;

use std::cell::OnceCell;

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Size, Sizes, Strides as Numbers, Width, Written};
use cuprum_kernels::source::{LABEL_PRODUCTS, LabelKernels, LabelParams, LabelSource};

use super::histogram::{Bins, count};
use super::launch::{Blocks, DevicePtr, one_device, read};
use super::make;
use super::sort::sort_rows;
use crate::array::Array;
use crate::cuda::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Axes;

/// Threads of a block: as in `include/label_*.cuh`.
const THREADS: usize = 256;
/// Returns an array with its elements cast to a dtype; the array itself if it has it.
pub(crate) fn cast(a: &Array, dtype: DType) -> Result<Array> {
    if a.dtype() == dtype {
        return Ok(a.clone());
    }
    let out = make::empty(a.device(), a.shape(), dtype)?;
    super::copy(a, &out)?;
    Ok(out)
}

/// Returns an array in C order with another shape of the same size, a view if it is in C order.
fn in_c_order(a: &Array, shape: &[usize]) -> Result<Array> {
    if a.is_c_contiguous() {
        return a.reshape(shape);
    }
    let out = make::empty(a.device(), a.shape(), a.dtype())?;
    super::copy(a, &out)?;
    out.reshape(shape)
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
    /// Device of the labels.
    device: Device,
    /// Shape of the labels, to which the input is broadcast.
    shape: Vec<usize>,
    /// Number of slots.
    count: usize,
    /// The list.
    list: List,
    /// The labels of the elements, of one axis; if they are of int32 and in C order.
    labels: Option<Array>,
    /// The slot of each element, or -1: int32, in C order; uninitialised if they follow from `labels`.
    slots: Array,
    /// The same, of all elements.
    all_slots: OnceCell<Array>,
    /// The labels, broadcast to the shape.
    broadcast: Array,
    /// The slot of each label of the list.
    found: Array,
    /// The sorted slots and the positions of their elements, for sums.
    sorted: Option<(Array, Array)>,
}

impl Labelled {
    /// Finds the slots of labels, broadcast to a shape, in a list, neither of which is complex.
    pub(crate) fn new(labels: &Array, index: &Array, shape: &[usize]) -> Result<Labelled> {
        let device = one_device(labels, [index])?;
        let float = labels.dtype().is_float() || index.dtype().is_float();
        let entry = if float { DType::F64 } else { DType::I64 };
        let labels = if float { cast(labels, entry)? } else { labels.clone() };
        let index = cast(index, entry)?;
        let labels = labels.broadcast_to_shape(shape)?;
        let count = index.size();
        if count > i32::MAX as usize {
            let message = format!("a list of {count} labels is longer than 2**31 - 1");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let index = in_c_order(&index, &[count])?;
        let sorted = make::empty(device, &[count], entry)?;
        sort_rows(&index, count.max(1), Some(&sorted), None)?;
        let list = List::new(sorted)?;
        let found = cast(&list.slots(&index, true)?, DType::I64)?;
        let are_read = labels.dtype() == DType::I32 && labels.is_c_contiguous() && count > 0;
        let of_elements = if are_read { Some(labels.in_one_axis()?) } else { None };
        let slots = list.slots(&labels, !are_read)?;
        Ok(Labelled {
            device,
            shape: shape.into(),
            count,
            list,
            labels: of_elements,
            slots,
            all_slots: OnceCell::new(),
            broadcast: labels,
            found,
            sorted: None,
        })
    }

    /// Returns the slot of each element, or -1: int32, in C order.
    fn all_slots(&self) -> Result<&Array> {
        if self.labels.is_none() {
            return Ok(&self.slots);
        }
        if self.all_slots.get().is_none() {
            let slots = self.list.slots(&self.broadcast, true)?;
            return Ok(self.all_slots.get_or_init(|| slots));
        }
        Ok(self.all_slots.get().unwrap_or(&self.slots))
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
            labels: self.labels.as_ref().map_or(Read(None), read),
            list: self.labels.as_ref().map_or(Read(None), |_| read(&self.list.sorted)),
            scattered: read(&self.list.scattered),
            sizes: Sizes(&axes.sizes),
            steps: Numbers(&axes.strides[0]),
            axes: axes.sizes.len() as u32,
            inner: Size(1),
            along: Size(1),
            lengths: [Size(1); LABEL_PRODUCTS],
            products: 0,
            sets: 1,
            chunk: 0,
            chunks: 0,
            bins: 0,
            scale: 0.0,
            order: Read(None),
            means: Read(None),
            edges: Read(None),
            sums: Written(None),
            marks: Written(None),
            shift: 1,
            heads: Written(None),
            tails: Written(None),
            ends: Written(None),
            out: Written(None),
            extremes: Written(None),
            low_values: Written(None),
            high_values: Written(None),
            positions: Written(None),
            bin_numbers: Written(None),
            window: 0,
            copies_log2: 0,
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
        counted(self.all_slots()?, self.count)
    }
}

/// Returns the number of elements that are equal to each index below a number: int64.
fn counted(a: &Array, bins: usize) -> Result<Array> {
    // The kernel updates the smallest and the largest element, which are not used.
    let ends = make::of(a.device(), &[i64::MAX, i64::MIN], &[2])?;
    count(a, &Bins::Direct(bins), Some(&ends))
}
