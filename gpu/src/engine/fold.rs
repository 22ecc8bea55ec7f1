//! Folds: elements combined one after the other along axes, a thread to a line.

use cuprum_kernels::source::{DEEP_AXES, Fold, FoldMethod, FoldStart, SHALLOW_AXES};

use super::kernels::{Kernels, kernels};
use super::params::Params;
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Axes, Dims, Strides, size_of};
use crate::scalar::Scalar;

/// Threads of a block are no fewer than a warp's, and no more than this; between them, so many that there are this many
/// blocks: a line is long work, and every multiprocessor should have some.
const MOST_THREADS: usize = 256;
const BLOCKS: usize = 512;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Fold> = Kernels::default();
}

/// One fold of the lines of an array.
#[derive(Clone, Copy)]
pub(crate) struct Folding<'a> {
    pub(crate) key: Fold,
    pub(crate) a: &'a Array,
    /// The axes that a line goes along, in C order: one, unless the method is `reduce`.
    pub(crate) axes: &'a [usize],
    /// Which elements take part: of the shape of `a`.
    pub(crate) mask: Option<&'a Array>,
    /// What the key's start says.
    pub(crate) initial: Option<Scalar>,
    /// Where the segments of `reduceat` begin: int64, in memory one after the other.
    pub(crate) starts: Option<&'a Array>,
    /// The results: of `reduce` the axes that are left, otherwise all.
    pub(crate) out: &'a Array,
}

impl Folding<'_> {
    /// Runs the fold. The result overlaps nothing that is read.
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

        let deep = line.sizes.len().max(folded.sizes.len()) > SHALLOW_AXES;
        let wide = lines.max(length) > u32::MAX as usize;
        let key = Fold { wide, deep, ..self.key };
        let mut p = Params::default();
        p.u64(lines as u64);
        p.u64(length as u64);
        for address in [Some(out), Some(a), self.mask, self.starts] {
            p.u64(address.map_or(0, Array::addr));
        }
        p.u64(segments as u64);
        p.u64(out_step as u64);
        p.bytes(&self.initial.unwrap_or(Scalar::Bool(false)).encode(out.dtype()));
        let starts_with = matches!(key.method, FoldMethod::Reduce { start, .. } if start != FoldStart::Nothing);
        for word in [line.sizes.len(), folded.sizes.len(), starts_with.into(), 0] {
            p.u32(word as u32);
        }
        let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
        p.dividers(&line.sizes, capacity, wide);
        p.dividers(&folded.sizes, capacity, wide);
        for strides in line.strides.iter().chain(&folded.strides) {
            p.strides(strides, capacity);
        }

        let threads = lines * segments;
        let block = (threads / BLOCKS).next_multiple_of(32).clamp(32, MOST_THREADS);
        let grid = u32::try_from(threads.div_ceil(block)).ok().filter(|&g| g <= i32::MAX as u32).ok_or_else(|| {
            Error::new(ErrorKind::Value, format!("{threads} results are more than one launch can reach"))
        })?;
        let device = a.device();
        let [function] = kernels(&KERNELS, device, key, ["fold"], || (key.name(), key.source()))?;
        // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, and the sizes and
        // strides reach their elements only; the starts of segments are known to lie within a line.
        unsafe { device.queue().launch(function, [grid, 1, 1], [block as u32, 1, 1], p.as_bytes()) }
    }
}
