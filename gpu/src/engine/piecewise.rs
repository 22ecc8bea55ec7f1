//! Piecewise polynomials in one variable, and tensor products of functions of one variable.
//!
//! Lower bound of memory traffic: the points once, the results once. Knots are searched in shared memory where they fit, by two comparisons if
//! they are at equal distances, and coefficients are read through the L1 cache. Degrees, sizes and orders are data of a launch.

use cuprum_kernels::params::{Read, Size, Strides as Numbers, Width, Written};
use cuprum_kernels::source::{PiecewiseParams, TensorProductParams, piecewise_source, tensor_product_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use crate::array::Array;
use crate::error::Result;

/// Threads of a block: as in `include/piecewise.cuh` and `include/tensor_product.cuh`.
const THREADS: usize = 256;
/// Maximum number of blocks: eight for each of the multiprocessors of a large device.
const BLOCKS: usize = 1056;
/// Threads of a block of many results, and the maximum number of these: two for each multiprocessor.
const LARGE: [usize; 2] = [1024, 264];
/// Number of results from which blocks are large.
const MANY: usize = 1 << 20;
/// Bytes of knots up to which they are copied to shared memory: four blocks of them fit into a multiprocessor.
const SHARED: usize = 48 << 10;
/// Results of a block from which copying the knots is profitable, for each knot.
const PER_KNOT: usize = 2;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static PIECEWISE: Kernels<bool, 3> = Kernels::default();
    static TENSOR: Kernels<Width> = Kernels::default();
}

/// Returns the bytes of shared memory for knots, and the number of blocks of up to `threads` threads each.
fn plan(results: usize, knots: usize, threads: usize, most: usize) -> (usize, usize) {
    let blocks = results.div_ceil(threads).min(most);
    let shared = 8 * knots <= SHARED && results >= blocks * knots * PER_KNOT;
    (if shared { (8 * knots).next_multiple_of(16) } else { 0 }, blocks)
}

/// Polynomials of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Polynomials {
    Powers = 0,
    Bernstein = 1,
    Spline = 2,
}

/// Piecewise polynomial: all arrays are float64 and in C order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piecewise<'a> {
    pub(crate) kind: Polynomials,
    pub(crate) degree: usize,
    pub(crate) knots: &'a Array,
    /// Positions of the knots where the first interval begins and where the last one ends: two different ones.
    pub(crate) ends: [usize; 2],
    /// Outside of the knots: 0 for NaN, 1 for the polynomial of the nearest interval, 2 for the periodic continuation.
    pub(crate) extrapolate: u32,
    /// True if the knots are the negatives of decreasing ones.
    pub(crate) descending: bool,
}

impl Piecewise<'_> {
    fn params(&self, x: &'_ Array, nu: usize) -> PiecewiseParams<DevicePtr<'_>> {
        PiecewiseParams {
            width: Width::default(),
            results: x.size(),
            count: self.knots.size(),
            first: self.ends[0] as i64,
            last: self.ends[1] as i64,
            degree: self.degree,
            nu,
            x: Read(None),
            knots: Read(None),
            coefficients: Read(None),
            out: Written(None),
            begins: Written(None),
            basis: Read(None),
            weights: Read(None),
            y: Read(None),
            normal: Written(None),
            rights: Written(None),
            trailing: Size(1),
            kind: self.kind as u32,
            extrapolate: self.extrapolate,
            descending: self.descending,
            shared: false,
        }
    }

    /// Writes derivative `nu` at the points `x` to `out`, which has `trailing` elements for each point, as each coefficient has.
    pub(crate) fn evaluate(
        &self,
        coefficients: &Array,
        trailing: usize,
        x: &Array,
        nu: usize,
        out: &Array,
    ) -> Result<()> {
        let device = one_device(x, [self.knots, coefficients, out])?;
        let n = out.size();
        if n == 0 {
            return Ok(());
        }
        let width = Width::of(1, n);
        let [function, _, _] = functions(device, width)?;
        let [threads, most] = if n >= MANY { LARGE } else { [THREADS, BLOCKS] };
        let (shared, blocks) = plan(n, self.knots.size(), threads, most);
        let params = PiecewiseParams {
            width,
            results: n,
            x: read(x),
            knots: read(self.knots),
            coefficients: read(coefficients),
            out: written(out),
            trailing: Size(trailing),
            shared: shared > 0,
            ..self.params(x, nu)
        };
        // SAFETY: an interval is one of those between the ends, whose coefficients the caller has checked to exist.
        unsafe {
            Launcher::on(device).launch_sharing(function, Blocks::of(blocks, n, "results"), threads, shared, &params)
        }
    }

    /// Writes derivative `nu` of the B-splines that are not zero at each point to `out`, of `degree + 1` columns, and the number of the
    /// first one to `begins`, of int64.
    pub(crate) fn basis(&self, x: &Array, nu: usize, out: &Array, begins: &Array) -> Result<()> {
        let device = one_device(x, [self.knots, out, begins])?;
        let n = x.size();
        if n == 0 {
            return Ok(());
        }
        let [_, function, _] = functions(device, Width::default())?;
        let params = PiecewiseParams {
            x: read(x),
            knots: read(self.knots),
            out: written(out),
            begins: written(begins),
            ..self.params(x, nu)
        };
        let blocks = Blocks::of(n.div_ceil(THREADS), n, "points");
        // SAFETY: `out` has `degree + 1` elements and `begins` one for each point.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
    }

    /// Writes the diagonals of the normal equations of least squares to `normal`, of `degree + 1` columns, and the right-hand sides for the values `y` to `rights`.
    pub(crate) fn normal(
        &self,
        design: (&Array, &Array),
        weights: Option<&Array>,
        y: &Array,
        normal: Option<&Array>,
        rights: &Array,
    ) -> Result<()> {
        let (basis, begins) = design;
        let device = one_device(basis, [begins, y, rights].into_iter().chain(weights).chain(normal))?;
        let (points, n) = (begins.size(), rights.shape()[0]);
        if n == 0 {
            return Ok(());
        }
        let [_, _, function] = functions(device, Width::default())?;
        let params = PiecewiseParams {
            results: points,
            begins: written(begins),
            basis: read(basis),
            weights: Read(weights.map(DevicePtr::of)),
            y: read(y),
            normal: Written(normal.map(DevicePtr::of)),
            rights: written(rights),
            trailing: Size(rights.size() / n),
            ..self.params(y, 0)
        };
        // SAFETY: the kernel reads `degree + 1` numbers of each point, and writes those of one coefficient in each block.
        unsafe { Launcher::on(device).launch(function, Blocks::of(n, n, "coefficients"), THREADS, &params) }
    }
}

fn functions(device: crate::cuda::Device, width: Width) -> Result<[crate::driver::Function; 3]> {
    let names = ["piecewise", "spline_basis", "spline_normal"];
    kernels(&PIECEWISE, device, width.wide, names, || ("piecewise".into(), piecewise_source(width)))
}

/// An axis of a tensor product: distances are in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorAxis {
    /// Number of knots.
    pub(crate) knots: usize,
    /// Positions of the knots where the first interval begins and where the last one ends.
    pub(crate) ends: [usize; 2],
    pub(crate) degree: usize,
    pub(crate) nu: usize,
    /// Distance of the nodes, of the coefficients of B-splines, or of the intervals.
    pub(crate) step: i64,
    /// Distance of the coefficients of powers.
    pub(crate) power_step: i64,
}

/// Functions of one variable of a tensor product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TensorKind {
    Linear = 0,
    Nearest = 1,
    Powers = 2,
    Spline = 3,
}

/// Tensor product: arrays are float64, the points and the knots in C order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorProduct<'a> {
    pub(crate) kind: TensorKind,
    pub(crate) axes: &'a [TensorAxis],
    /// The knots of the axes, one after the other.
    pub(crate) knots: &'a Array,
    /// The values or coefficients, whose trailing elements are contiguous.
    pub(crate) values: &'a Array,
    pub(crate) trailing: usize,
    /// The result outside of the knots, of even and of odd trailing elements, if it is not that of the nearest cell.
    pub(crate) fill: Option<[f64; 2]>,
}

impl TensorProduct<'_> {
    /// Writes the values at the points, of a row of coordinates each, to `out`.
    pub(crate) fn evaluate(&self, x: &Array, out: &Array) -> Result<()> {
        let device = one_device(x, [self.knots, self.values, out])?;
        let n = out.size();
        if n == 0 {
            return Ok(());
        }
        let width = Width::of(self.axes.len(), n);
        let source = || ("tensor product".into(), tensor_product_source(width));
        let [function] = kernels(&TENSOR, device, width, ["tensor_product"], source)?;
        let list = |f: &dyn Fn(&TensorAxis) -> i64| -> Vec<i64> { self.axes.iter().map(f).collect() };
        let begins: Vec<i64> = self
            .axes
            .iter()
            .scan(0, |sum, axis| {
                let begin = *sum;
                *sum += axis.knots as i64;
                Some(begin)
            })
            .collect();
        let [firsts, lasts] = [0, 1].map(|k| list(&|axis| axis.ends[k] as i64));
        let (degrees, derivatives) = (list(&|axis| axis.degree as i64), list(&|axis| axis.nu as i64));
        let (steps, power_steps) = (list(&|axis| axis.step), list(&|axis| axis.power_step));
        let (shared, blocks) = plan(n, self.knots.size(), THREADS, BLOCKS);
        let params = TensorProductParams {
            width,
            results: n,
            count: self.knots.size(),
            x: read(x),
            knots: read(self.knots),
            values: read(self.values),
            out: written(out),
            fill: self.fill.unwrap_or_default(),
            trailing: Size(self.trailing),
            rank: self.axes.len() as u32,
            kind: self.kind as u32,
            extrapolate: self.fill.is_none(),
            pairs: self.fill.is_some_and(|fill| fill[0].to_bits() != fill[1].to_bits()),
            shared: shared > 0,
            begins: Numbers(&begins),
            firsts: Numbers(&firsts),
            lasts: Numbers(&lasts),
            degrees: Numbers(&degrees),
            derivatives: Numbers(&derivatives),
            steps: Numbers(&steps),
            power_steps: Numbers(&power_steps),
        };
        // SAFETY: intervals are between the ends of their axis, where the caller has checked that nodes and coefficients exist.
        unsafe {
            Launcher::on(device).launch_sharing(function, Blocks::of(blocks, n, "results"), THREADS, shared, &params)
        }
    }
}
