//! Folds: elements combined sequentially along axes, one thread for each slice.
//!
//! Lower bound: the elements once. The order is NumPy's, so that functions that are not associative have its results;
//! the price is that a slice is the work of one thread, and few slices leave most of a device idle.

use cuprum_kernels::params::{Read, Sizes, Strides as Steps, Value, Width};
use cuprum_kernels::source::{Fold, FoldMethod, FoldParams, FoldStart};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::{Axes, Dims, Strides, size_of};
use crate::scalar::Scalar;

/// Maximum number of threads of a block; the minimum is a warp. Between them, the number is such that there are at
/// least [`BLOCKS`] blocks: a slice is long work, and every multiprocessor should have some.
pub(super) const MOST_THREADS: usize = 256;
const BLOCKS: usize = 512;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Fold> = Kernels::default();
}

/// Fold of the slices of an array.
#[derive(Clone, Copy)]
pub(crate) struct Folding<'a> {
    /// The kernel: the function and its dtypes.
    pub(crate) key: Fold,
    /// The array whose slices are folded.
    pub(crate) a: &'a Array,
    /// The axes along a slice, in C order: one, unless the method is `reduce`.
    pub(crate) axes: &'a [usize],
    /// The mask of the elements that take part: of the shape of `a`.
    pub(crate) mask: Option<&'a Array>,
    /// The start value, if the key has [`FoldStart::Value`].
    pub(crate) initial: Option<Scalar>,
    /// The beginnings of the segments of `reduceat`: int64, contiguous.
    pub(crate) starts: Option<&'a Array>,
    /// The results: for `reduce` without the folded axes, otherwise of the shape of `a`.
    pub(crate) out: &'a Array,
}

impl Folding<'_> {
    /// Runs the fold. The result must not overlap any operand.
    pub(crate) fn run(&self) -> Result<()> {
        if self.out.size() == 0 {
            return Ok(());
        }
        let Folding { a, out, .. } = *self;
        let kept: Dims = (0..a.ndim()).filter(|axis| !self.axes.contains(axis)).collect();
        let pick = |axes: &[usize], strides: &[i64]| -> Strides { axes.iter().map(|&x| strides[x]).collect() };
        let sizes = |axes: &[usize]| -> Dims { axes.iter().map(|&x| a.shape()[x]).collect() };
        let still: Strides = smallvec::smallvec![0; a.ndim()];
        let of_mask = self.mask.map_or(still.as_slice(), Array::strides);
        let (of_line, out_step) = match self.key.method {
            FoldMethod::Reduce { .. } => (out.strides().into(), 0),
            _ => (pick(&kept, out.strides()), out.strides()[self.axes[0]]),
        };
        let (kept_shape, folded_shape) = (sizes(&kept), sizes(self.axes));
        let line = Axes::collapse(&kept_shape, [&pick(&kept, a.strides()), &pick(&kept, of_mask), &of_line], false);
        let folded = Axes::collapse(&folded_shape, [&pick(self.axes, a.strides()), &pick(self.axes, of_mask)], true);
        let (lines, length) = (size_of(&kept_shape), size_of(&folded_shape));
        let segments = self.starts.map_or(1, Array::size);

        let width = Width::of(line.sizes.len().max(folded.sizes.len()), lines.max(length));
        let key = Fold { width, ..self.key };
        let device = one_device(a, self.mask.into_iter().chain(self.starts).chain([out]))?;
        let [function] = kernels(&KERNELS, device, key, ["fold"], || (key.name(), key.source()))?;
        let params = FoldParams {
            width,
            lines,
            length,
            out: written(out),
            input: read(a),
            mask: Read(self.mask.map(DevicePtr::of)),
            starts: Read(self.starts.map(DevicePtr::of)),
            segments,
            out_step,
            initial: Value(self.initial.unwrap_or(Scalar::Bool(false)).encode(out.dtype())),
            line_axes: line.sizes.len() as u32,
            folded_axes: folded.sizes.len() as u32,
            from_start: matches!(key.method, FoldMethod::Reduce { start, .. } if start != FoldStart::Nothing),
            line: Sizes(&line.sizes),
            folded: Sizes(&folded.sizes),
            line_in: Steps(&line.strides[0]),
            line_mask: Steps(&line.strides[1]),
            line_out: Steps(&line.strides[2]),
            folded_in: Steps(&folded.strides[0]),
            folded_mask: Steps(&folded.strides[1]),
        };
        let threads = lines * segments;
        let block = (threads / BLOCKS).next_multiple_of(32).clamp(32, MOST_THREADS);
        let blocks = Blocks::of(threads.div_ceil(block), threads, "results");
        // SAFETY: the sizes and strides reach elements of the arrays only; the starts of segments, which the host has
        // checked and no one else can write, are within a slice.
        unsafe { Launcher::on(device).launch(function, blocks, block, &params) }
    }
}
