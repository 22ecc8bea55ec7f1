//! Scans of a pending operand (prologue fusion): the plan is that of the array that would hold the elements, so that
//! they are combined in the same order.
//!
//! The expression is computed as the scan loads its elements, which saves a write and a read of all of them.

use cuprum_kernels::params::{Sizes, Strides as Steps, Width};
use cuprum_kernels::source::{ReadScan, ReadScanParams, ReadingParams, SCAN_THREADS, Scan, ScanMethod, ScanParams};

use super::{Scanning, Tuning, scratch};
use crate::cuda::Device;
use crate::engine::fusion::{TABLES, Through, ready};
use crate::engine::kernels::Kernels;
use crate::engine::launch::Launcher;
use crate::error::Result;
use crate::layout::{Dims, Strides, size_of};

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<ReadScan> = Kernels::default();
}

impl Scanning<'_> {
    /// Scans the elements of an expression. Returns `None` if its kernel is not compiled yet, would be worse than one
    /// that reads an array, or would read what it writes.
    pub(super) fn run_through(&self, of: &Through, device: Device, tuning: Tuning) -> Result<Option<()>> {
        let (a, out, axis) = (self.a, self.out, self.axis);
        if of.reads_from(out) {
            return Ok(None);
        }
        let (_, plan) = self.lines(0, tuning);
        let kept = self.other_axes();
        let pick = |strides: &[i64]| -> Strides { kept.iter().map(|&x| strides[x]).collect() };
        let shape: Dims = kept.iter().map(|&x| a.shape()[x]).collect();
        let line = of.axes(&kept, &shape, [&pick(a.strides()), &pick(out.strides())], false);
        let along = of.axes(&[axis], &a.shape()[axis..=axis], [&a.strides()[axis..=axis]], true);
        let lines = size_of(&shape);
        let width = Width::of(line.sizes.len(), lines);
        let along_lines = plan.vector && plan.method != ScanMethod::Columns;
        let neighbours = if along_lines { Scan::vector_elements(a.dtype(), out.dtype()) } else { 1 };
        let Some(reading) = of.reading(neighbours, true, &along, &line, width) else { return Ok(None) };
        let key = ReadScan { of_array: self.key(&plan, width), reading };
        let Some([function]) = ready(&KERNELS, device, key, ["scan"])? else { return Ok(None) };
        let scratch = scratch(device, &plan, &key.of_array)?;
        let scan = ScanParams {
            width,
            line_axes: line.sizes.len() as u32,
            line: Sizes(&line.sizes),
            line_out: Steps(&line.strides[TABLES - 1]),
            ..self.params(&plan, lines, scratch.as_ref())
        };
        let (ins, kept, reduced) = (of.inputs(), of.tables(&line), of.tables(&along));
        let params =
            ReadScanParams { scan, reading: ReadingParams { width, ins: &ins, kept: &kept, reduced: Some(&reduced) } };
        // SAFETY: the sizes and strides reach elements of the expression's arrays and of the result only, and the
        // scratch memory has the totals of the plan.
        unsafe { Launcher::on(device).launch(function, plan.grid(), SCAN_THREADS, &params) }.map(Some)
    }
}
