//! Piecewise linear interpolation: the search for the two knots around a point, and the line through them, in one
//! kernel.
//!
//! Lower bound of memory traffic: the points once, the results once. The other bound is the reads of knots, about six
//! for each point at random: the L1 cache serves one lane after the other. So the knots are loaded to shared memory if
//! they fit, 16 bytes for each, where a warp only waits for bank conflicts. A table of 8192 intervals replaces most
//! steps of the search: with 10^4 knots one or two are compared. Each block fills its table by searches of its own,
//! which is why it is omitted for few points.

use cuprum_kernels::params::{Sizes, Strides, Width};
use cuprum_kernels::source::{INTERP_BUCKETS, Interp, InterpParams};
use num_complex::Complex64;

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Axes;

/// Threads of a block: as in `include/interp.cuh`.
pub(super) const THREADS: usize = 512;
/// Threads of a block that has the knots in shared memory, and the number of points that it processes together: as in
/// the header.
const SHARING: [usize; 2] = [1024, 4096];
/// Maximum number of blocks: four for each of the multiprocessors of a large device, or one that takes all its shared
/// memory.
const BLOCKS: [usize; 2] = [528, 132];
/// Number of points from which a table of the knots is profitable.
const MANY: usize = 1 << 22;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Interp> = Kernels::default();
}

/// Interpolation that is ready to run.
pub(crate) struct Interpolation<'a> {
    /// The points of evaluation, of any real dtype and any layout.
    pub(crate) x: &'a Array,
    /// The abscissas of the knots: float64, contiguous, increasing; at least one.
    pub(crate) xs: &'a Array,
    /// The values at the knots: float64 or complex128, contiguous.
    pub(crate) ys: &'a Array,
    /// The value to the left of the first knot, if not its value.
    pub(crate) left: Option<Complex64>,
    /// The value to the right of the last knot.
    pub(crate) right: Option<Complex64>,
    /// The results, of the dtype of the values, in C order.
    pub(crate) out: &'a Array,
}

impl Interpolation<'_> {
    pub(crate) fn run(&self) -> Result<()> {
        let buckets = self.x.size() >= MANY && self.xs.size() < u32::MAX as usize;
        self.run_as(buckets, buckets && self.shared() <= self.x.device().info().shared_bytes as usize)
    }

    /// Returns the bytes of the knots and of the table, whose counts have 16 bits.
    fn shared(&self) -> usize {
        if self.xs.size() > u16::MAX as usize {
            return usize::MAX;
        }
        self.xs.size() * (8 + self.ys.itemsize()) + 2 * (INTERP_BUCKETS + 1)
    }

    fn run_as(&self, buckets: bool, shared: bool) -> Result<()> {
        let n = self.x.size();
        if n == 0 {
            return Ok(());
        }
        let axes = Axes::collapse(self.x.shape(), [self.x.strides()], true);
        let width = Width::of(axes.sizes.len(), n);
        let key = Interp { given: self.x.dtype(), complex: self.ys.dtype().is_complex(), buckets, shared, width };
        let device = self.x.device();
        let [function] = kernels(&KERNELS, device, key, ["interp"], || (key.name(), key.source()))?;
        let parts = |z: Option<Complex64>| z.map_or([0.0; 2], |z| [z.re, z.im]);
        let params = InterpParams {
            width,
            results: n,
            knots: self.xs.size(),
            input: read(self.x),
            xs: read(self.xs),
            ys: read(self.ys),
            out: written(self.out),
            left: parts(self.left),
            right: parts(self.right),
            has_left: self.left.is_some(),
            has_right: self.right.is_some(),
            axes: axes.sizes.len() as u32,
            sizes: Sizes(&axes.sizes),
            strides: Strides(&axes.strides[0]),
        };
        let [threads, tile] = if shared { SHARING } else { [THREADS; 2] };
        let blocks = Blocks::of(n.div_ceil(tile).min(BLOCKS[usize::from(shared)]), n, "arguments");
        let shared = if shared { self.shared() } else { 0 };
        // SAFETY: sizes and strides reach elements of the points only, the kernel reads existing knots whatever their
        // values are, and as many results are written as there are points.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, threads, shared, &params) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    /// Compares results with and without the table: at, between and beyond the knots, for knots equal or far apart.
    #[test]
    fn tables_lead_to_the_same_knots() -> Result<()> {
        let far = [f64::NEG_INFINITY, -1e300, 0.0, 1e-300, 1.0, f64::INFINITY];
        let even: Vec<f64> = (0..1900).map(f64::from).collect();
        let crowded: Vec<f64> = (0..1900).map(|i| if i < 1890 { f64::from(i) * 1e-9 } else { f64::from(i) }).collect();
        let equal = [2.0, 2.0, 2.0];
        let ended = [0.0, 1.0, 2.0, f64::NAN];
        for knots in [&even[..], &crowded, &far, &equal, &ended, &[5.0]] {
            let middles = knots.windows(2).map(|w| w[0] / 2.0 + w[1] / 2.0);
            let outside = [f64::NAN, f64::NEG_INFINITY, f64::INFINITY, -1.0, 1e301, -0.0, 1899.5];
            let x: Vec<f64> = knots.iter().copied().chain(middles).chain(outside).collect();
            let values: Vec<f64> = (0..knots.len()).map(|i| (i * i % 1013) as f64).collect();
            let (x, xs, ys) = (Array::from_vec(x)?, Array::from_slice(knots, knots.len())?, Array::from_vec(values)?);
            let [shared, with, without] = [(true, true), (true, false), (false, false)].map(|(buckets, shared)| {
                let out = crate::empty([x.size()], crate::DType::F64)?;
                let (left, right) = (Some(Complex64::from(-7.0)), None);
                Interpolation { x: &x, xs: &xs, ys: &ys, left, right, out: &out }.run_as(buckets, shared)?;
                out.to_vec::<f64>()
            });
            let bits = |all: Vec<f64>| all.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            let without = bits(without?);
            assert_eq!(bits(with?), without, "{} knots", knots.len());
            assert_eq!(bits(shared?), without, "{} knots in shared memory", knots.len());
        }
        Ok::<(), Error>(())
    }
}
