//! Distances of all pairs of rows of two matrices.
//!
//! Sizes, exponents and weights are data of a launch; the source varies with the dtype and the kind of sum. Lower bound: the
//! arithmetic of all terms, or the bytes of the distances.

use cuprum_kernels::params::{Read, Width};
use cuprum_kernels::source::{PAIRWISE_SIDE, PairFamily, Pairwise, PairwiseParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use crate::array::Array;
use crate::error::Result;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Pairwise> = Kernels::default();
}

/// Sums of a metric, and what follows them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairDistance<'a> {
    pub(crate) family: PairFamily,
    /// The number of the metric of the family of all others, as in `include/pairwise.cuh`.
    pub(crate) metric: u32,
    /// True for the square root of a sum of squares.
    pub(crate) root: bool,
    pub(crate) exponent: f64,
    /// Weights of the columns in the dtype of the operands, contiguous.
    pub(crate) weights: Option<&'a Array>,
}

impl PairDistance<'_> {
    /// Writes the distances of the rows of `a` and of `b`, which have the dtype of `out`: float32 or float64. An `out` of one axis has
    /// those of the pairs (i, j) with i < j.
    pub(crate) fn run(&self, a: &Array, b: &Array, out: &Array) -> Result<()> {
        let device = one_device(a, [b, out].into_iter().chain(self.weights))?;
        if out.size() == 0 {
            return Ok(());
        }
        let key = Pairwise { dtype: out.dtype(), family: self.family };
        let [function] = kernels(&KERNELS, device, key, ["pairwise"], || (key.name(), key.source()))?;
        let tile = PAIRWISE_SIDE * key.each();
        let rows = [a.shape()[0], b.shape()[0]];
        let [down, across] = rows.map(|n| n.div_ceil(tile));
        let steps = |m: &Array| [m.strides()[0], m.strides()[1]];
        let condensed = out.ndim() == 1;
        let params = PairwiseParams {
            width: Width::default(),
            rows,
            columns: a.shape()[1],
            tiles_across: across,
            metric: self.metric,
            root: self.root,
            condensed,
            weighted: self.weights.is_some(),
            exponent: self.exponent,
            a: read(a),
            a_steps: steps(a),
            b: read(b),
            b_steps: steps(b),
            weights: Read(self.weights.map(DevicePtr::of)),
            out: written(out),
            out_steps: if condensed { [0, out.strides()[0]] } else { steps(out) },
        };
        let blocks = Blocks::of(down * across, out.size(), "distances");
        // SAFETY: `include/pairwise.cuh` reads rows and columns within both matrices, weights within the columns, and writes a distance
        // of each pair that `out` has, by one thread.
        unsafe { Launcher::on(device).launch(function, blocks, PAIRWISE_SIDE * PAIRWISE_SIDE, &params) }
    }
}
