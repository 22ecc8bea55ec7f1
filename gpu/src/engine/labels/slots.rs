//! Slots of labels in a sorted list, and the boxes of labels.

use cuprum_kernels::params::{Sizes, Strides as Numbers, Width, Written};
use cuprum_kernels::source::{LabelSlots, LabelSlotsParams};
use cuprum_kernels::{DType, Kind};

use super::{Labelled, THREADS};
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Launcher, read, written};
use crate::engine::{arange, fill, make};
use crate::error::Result;
use crate::layout::Axes;
use crate::scalar::Scalar;

/// Elements of a thread that searches slots, as in `include/label_slots.cuh`.
const AHEAD: usize = 4;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static SLOTS: Kernels<LabelSlots, 3> = Kernels::default();
}

/// Returns the slot of each label in a sorted list, of int64, or of float64 as the labels: int32, of one axis.
pub(super) fn slots(labels: &Array, sorted: &Array) -> Result<Array> {
    let device = labels.device();
    let out = make::empty(device, &[labels.size()], DType::I32)?;
    if sorted.size() == 0 {
        fill(&out, Scalar::from(-1))?;
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
    let float = labels.dtype() == DType::F64;
    let key = LabelSlots { float, width: Width::of(axes.sizes.len(), labels.size()) };
    let names = ["label_list", "label_slots", "label_boxes"];
    let [list, search, search_boxes] = kernels(&SLOTS, device, key, names, || (key.name(), key.source()))?;
    let scattered = make::zeros(device, &[1], DType::U32)?;
    let params = LabelSlotsParams {
        width: key.width,
        elements: labels.size(),
        count: sorted.size(),
        labels: read(labels),
        index: read(sorted),
        scattered: written(&scattered),
        slots: slots.map_or(Written(None), written),
        first: boxes.map_or(Written(None), |(first, _)| written(first)),
        last: boxes.map_or(Written(None), |(_, last)| written(last)),
        sizes: Sizes(&axes.sizes),
        steps: Numbers(&axes.strides[0]),
        axes: axes.sizes.len() as u32,
        bytes: labels.itemsize() as u32,
        is_signed: labels.dtype().kind() == Kind::Signed,
    };
    let function = if boxes.is_some() { search_boxes } else { search };
    let ahead = if boxes.is_some() { 1 } else { AHEAD };
    let entries = Labelled::blocks(sorted.size(), "labels");
    let elements = Labelled::blocks(labels.size().div_ceil(ahead), "elements");
    // SAFETY: sizes and strides reach the labels only; the list is not empty, and tables have an element for each of it and axis.
    unsafe {
        Launcher::on(device).launch(list, entries, THREADS, &params)?;
        Launcher::on(device).launch(function, elements, THREADS, &params)
    }
}

/// Returns the smallest coordinate of each label from 1 to `count` along each axis, and one more than the largest, of a
/// row for each label: uint64. A label that does not occur has 0 as the second.
pub(crate) fn boxes(labels: &Array, count: usize) -> Result<[Array; 2]> {
    let device = labels.device();
    let list = make::empty(device, &[count], DType::I64)?;
    arange(&list, Scalar::from(1), Scalar::from(2))?;
    let shape = [count, labels.ndim()];
    let first = make::full(device, &shape, u64::MAX, DType::U64)?;
    let last = make::zeros(device, &shape, DType::U64)?;
    if count > 0 && labels.ndim() > 0 {
        find(labels, &list, None, Some((&first, &last)))?;
    }
    Ok([first, last])
}
