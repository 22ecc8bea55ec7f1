//! Slots of labels in a sorted list, and the boxes of labels.

use cuprum_kernels::params::{Sizes, Strides as Numbers, Width, Written};
use cuprum_kernels::source::{LabelSlots, LabelSlotsParams};
use cuprum_kernels::{DType, Kind};

use super::{Labelled, THREADS};
use crate::array::Array;
use crate::driver::Function;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, read, written};
use crate::engine::{arange, fill, make};
use crate::error::Result;
use crate::layout::Axes;
use crate::scalar::Scalar;

/// Elements of a thread that searches slots, as in `include/label_slots.cuh`.
const AHEAD: usize = 4;
/// Blocks that search slots: some that run at the same time on a large device.
const BLOCKS: usize = 2112;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static SLOTS: Kernels<LabelSlots, 3> = Kernels::default();
}

/// A sorted list of labels, of int64 or float64.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// The labels.
    pub(super) sorted: Array,
    /// A word that is not 0 if they are not consecutive numbers of 32 bits.
    pub(super) scattered: Array,
}

/// Results of a search.
#[derive(Clone, Copy, Debug)]
enum Wanted<'a> {
    /// Slots, which are written even if readers can compute them, or not.
    Slots(&'a Array, bool),
    /// Boxes of slots.
    Boxes([&'a Array; 2]),
}

impl List {
    /// Examines a sorted list.
    pub(super) fn new(sorted: Array) -> Result<List> {
        let device = sorted.device();
        let scattered = make::zeros(device, &[1], DType::U32)?;
        let list = List { sorted, scattered };
        if list.sorted.size() > 0 {
            let flat = Axes::collapse(&[], [&[]], true);
            let [examine, ..] = list.kernels(&flat, 0)?;
            let params = list.params(&list.sorted, &flat, 0);
            let entries = Labelled::blocks(list.sorted.size(), "labels");
            // SAFETY: the kernel reads the list and sets the word.
            unsafe { Launcher::on(device).launch(examine, entries, THREADS, &params)? };
        }
        Ok(list)
    }

    /// Returns the slot of each label, of int64, or of float64 as the list: int32, of one axis. With `always` false, those in
    /// a list of consecutive numbers are uninitialised.
    pub(super) fn slots(&self, labels: &Array, always: bool) -> Result<Array> {
        let out = make::empty(labels.device(), &[labels.size()], DType::I32)?;
        if self.sorted.size() == 0 {
            fill(&out, Scalar::from(-1))?;
            return Ok(out);
        }
        self.find(labels, Wanted::Slots(&out, always))?;
        Ok(out)
    }

    fn width(axes: &Axes<1>, labels: usize) -> Width {
        Width::of(axes.sizes.len(), labels)
    }

    fn kernels(&self, axes: &Axes<1>, labels: usize) -> Result<[Function; 3]> {
        let key = LabelSlots { float: self.sorted.dtype() == DType::F64, width: List::width(axes, labels) };
        let names = ["label_list", "label_slots", "label_boxes"];
        kernels(&SLOTS, self.sorted.device(), key, names, || (key.name(), key.source()))
    }

    fn params<'a>(
        &'a self,
        labels: &'a Array,
        axes: &'a Axes<1>,
        elements: usize,
    ) -> LabelSlotsParams<'a, DevicePtr<'a>> {
        LabelSlotsParams {
            width: List::width(axes, elements),
            elements,
            count: self.sorted.size(),
            labels: read(labels),
            index: read(&self.sorted),
            scattered: written(&self.scattered),
            slots: Written(None),
            first: Written(None),
            last: Written(None),
            sizes: Sizes(&axes.sizes),
            steps: Numbers(&axes.strides[0]),
            axes: axes.sizes.len() as u32,
            bytes: labels.itemsize() as u32,
            is_signed: labels.dtype().kind() == Kind::Signed,
            unless_consecutive: false,
        }
    }

    /// Searches the list for labels. It is not empty.
    fn find(&self, labels: &Array, wanted: Wanted<'_>) -> Result<()> {
        let n = labels.size();
        if n == 0 {
            return Ok(());
        }
        // Boxes have a coordinate for each axis.
        let axes = match wanted {
            Wanted::Slots(..) => Axes::collapse(labels.shape(), [labels.strides()], true),
            Wanted::Boxes(_) => Axes { sizes: labels.shape().into(), strides: [labels.strides().into()] },
        };
        let [_, slots, boxes] = self.kernels(&axes, n)?;
        let params = self.params(labels, &axes, n);
        let launcher = Launcher::on(labels.device());
        // SAFETY: sizes and strides reach the labels only; the list is not empty, and tables have an element for each of it and axis.
        unsafe {
            match wanted {
                Wanted::Slots(to, always) => {
                    let params = LabelSlotsParams { slots: written(to), unless_consecutive: !always, ..params };
                    let blocks = Blocks::of(n.div_ceil(THREADS * AHEAD).min(BLOCKS), n, "elements");
                    launcher.launch(slots, blocks, THREADS, &params)
                }
                Wanted::Boxes([first, last]) => {
                    let params = LabelSlotsParams { first: written(first), last: written(last), ..params };
                    launcher.launch(boxes, Labelled::blocks(n, "elements"), THREADS, &params)
                }
            }
        }
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
        List::new(list)?.find(labels, Wanted::Boxes([&first, &last]))?;
    }
    Ok([first, last])
}
