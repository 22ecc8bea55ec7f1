//! Source of the kernels of statistics of labelled elements.

use super::window::order_keys;
use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Size, Sizes, Strides, Width, Written, parameters};

/// Elements of a block of the kernel `label_segments`: `SEGMENT_TILE` of `include/label_segments.cuh`.
pub const LABEL_SEGMENT_TILE: usize = 2048;

/// Base-2 logarithm of the weight of a limb of the kernel `label_exact_blocks` in that of the one before: `LIMB` of
/// `include/label_exact_blocks.cuh`.
pub const LABEL_LIMB: usize = 8;

/// Most axes of coordinates of the kernel `label_exact_blocks`.
pub const LABEL_PRODUCTS: usize = 3;

parameters! {
    /// Parameters of the kernels `label_list`, `label_slots` and `label_boxes`.
    LabelSlotsParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// Number of labels in the list.
        count: usize,
        /// The label of each element.
        labels: Read<P> as "const char *",
        /// The list, in ascending order.
        index: Read<P> as "const entry *",
        /// A word that is set to 1 if the list is not one of consecutive numbers of 32 bits, and is 0 before.
        scattered: Written<P> as "u32 *",
        /// The slot of each element, in C order.
        slots: Written<P> as "i32 *",
        /// The smallest coordinate along each axis.
        first: Written<P> as "u64 *",
        /// One more than the largest.
        last: Written<P> as "u64 *",
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Strides of the labels in bytes.
        steps: Strides<'a>,
        /// Number of axes.
        axes: u32,
        /// Bytes of a label.
        bytes: u32,
        /// True if labels are signed integers.
        is_signed: bool,
        /// True if slots in a list of consecutive numbers are not written.
        unless_consecutive: bool,
    }
}

parameters! {
    /// Parameters of the other kernels.
    LabelParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// Number of slots.
        count: usize,
        /// Elements of a chunk.
        chunk: usize,
        /// Number of chunks, or of limbs.
        chunks: usize,
        /// Number of bins of a slot.
        bins: usize,
        /// Bins for each unit.
        scale: f64,
        /// The elements.
        values: Read<P> as "const char *",
        /// The slot of each element, in C order or in ascending order.
        slots: Read<P> as "const i32 *",
        /// The label of each element in C order, or 0; slots are read instead if the flag is set.
        labels: Read<P> as "const i32 *",
        /// The list of labels, in ascending order.
        list: Read<P> as "const i64 *",
        /// The flag of [`LabelSlotsParams`].
        scattered: Read<P> as "const u32 *",
        /// The position of each sorted element.
        order: Read<P> as "const uindex *",
        /// The mean of each slot.
        means: Read<P> as "const f64 *",
        /// The edges of the bins.
        edges: Read<P> as "const f64 *",
        /// The sums of each chunk, or the integers or limbs of each slot.
        sums: Written<P> as "f64 *",
        /// Infinities and NaN of each slot.
        marks: Written<P> as "u32 *",
        /// For each tile the sum of a slot that began before it.
        heads: Written<P> as "f64 *",
        /// For each tile the sum of a slot that goes on after it.
        tails: Written<P> as "f64 *",
        /// The first sorted element of each slot, and the number of all.
        ends: Written<P> as "i64 *",
        /// The sum of each slot.
        out: Written<P> as "f64 *",
        /// The least and the largest key of each slot.
        extremes: Written<P> as "char *",
        /// The least element of each slot.
        low_values: Written<P> as "char *",
        /// The largest one.
        high_values: Written<P> as "char *",
        /// The position of one of them, or 0.
        positions: Written<P> as "u64 *",
        /// The bin of each element, among those of all slots.
        bin_numbers: Written<P> as "char *",
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Strides of the elements in bytes.
        steps: Strides<'a>,
        /// Number of elements for each step along the axis of a coordinate.
        inner: Size,
        /// Size of this axis.
        along: Size,
        /// Sizes of the axes of coordinates, the last of which `inner` belongs to, of the kernel `label_exact_blocks`.
        lengths: [Size; LABEL_PRODUCTS],
        /// Number of these axes.
        products: u32,
        /// Number of sets of sums.
        sets: u32,
        /// Number of axes.
        axes: u32,
        /// Base-2 logarithm of the weight of a limb in that of the one before.
        shift: u32,
        /// Number of limbs of a slot in shared memory.
        window: u32,
        /// Base-2 logarithm of the number of their copies.
        copies_log2: u32,
        /// The number of an element that is summed: itself, the square of its difference from the mean, or its product with a coordinate; of
        /// positions those of the minimum or of the maximum; of bins 0 for numbers of 32 bits.
        column: u32,
    }
}

/// Key of the kernels `label_list`, `label_slots` and `label_boxes`, with the parameters [`LabelSlotsParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelSlots {
    /// True for labels of float64, false for integers.
    pub float: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl LabelSlots {
    /// Returns the dtype of the list.
    fn entry(&self) -> DType {
        if self.float { DType::F64 } else { DType::I64 }
    }

    /// Returns the kernels' name in messages.
    pub fn name(&self) -> String {
        format!("label slots/{}", self.entry())
    }

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        Unit::new(headers([], false), "label_slots")
            .typed("entry", self.entry().device_name())
            .indexed(self.width)
            .params(&LabelSlotsParams::<()> { width: self.width, ..Default::default() })
            .with(body!("label_slots"))
            .finish()
    }
}

/// Kernels of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LabelKernels {
    /// `label_sums`, `label_totals` and `label_integers`.
    Sums,
    /// `label_exact`, `label_exact_totals` and `label_exact_blocks`, for float32.
    Exact,
    /// `label_segments`, `label_ends`, `label_segment_totals` and `label_bounds`.
    Segments,
    /// `label_extremes`, `label_positions`, `label_values` and `label_bins`.
    Extremes,
}

/// Key of a source of kernels with the parameters [`LabelParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelSource {
    /// The kernels.
    pub kernels: LabelKernels,
    /// The dtype of elements: uint8, int32, int64, uint64, float32 or float64.
    pub element: DType,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl LabelSource {
    /// Returns the kernels' name in messages.
    pub fn name(&self) -> String {
        format!("label {:?}/{}", self.kernels, self.element)
    }

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        let unit = Unit::new(headers([], false), "labels")
            .typed("element", self.element.device_name())
            .indexed(self.width)
            .params(&LabelParams::<()> { width: self.width, ..Default::default() })
            .with(body!("label_reading"));
        match self.kernels {
            LabelKernels::Sums => unit.with(body!("lanes_alike")).with(body!("label_sums")),
            LabelKernels::Exact => unit.with(body!("label_exact")).with(body!("label_exact_blocks")),
            LabelKernels::Segments => unit.with(body!("label_segments")),
            LabelKernels::Extremes => {
                let (key, functions) = order_keys(self.element);
                unit.typed("value", "element").typed("key", key).with(&functions).with(body!("label_extremes"))
            }
        }
        .finish()
    }
}
