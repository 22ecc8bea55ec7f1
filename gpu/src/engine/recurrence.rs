//! Linear recurrences along an axis: rational filters, and cascades of sections of order 2.
//!
//! The state of a filter is scanned over chunks, with powers of the matrix by which a state becomes the next without
//! input: see `include/recurrence.cuh`. The coefficients are data of a launch, with kernels for each number of states.
//! Rational filters of more than 16 states run one element after another, a line in a block.
//!
//! Lower bound: the input once for lines of one segment, which has 512 or 1,024 elements, and twice for longer ones, and
//! the output once.

use std::cell::RefCell;
use std::rc::Rc;

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Size, Sizes, Strides as Numbers, Width, Written};
use cuprum_kernels::source::{
    RECURRENCE_GROUP, RECURRENCE_LONG, RECURRENCE_PASSED, RECURRENCE_SEGMENTS, RECURRENCE_SPAN, RECURRENCE_STATES,
    RECURRENCE_WARPS, RECURRENCE_WEIGHTS, Recurrence, RecurrenceLongParams, RecurrenceParams,
};
use num_complex::Complex64;

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::make;
use super::window::apart;
use crate::array::Array;
use crate::cuda::Device;
use crate::error::Result;
use crate::index::s;
use crate::layout::{Dims, Strides};

/// Most threads of a block of `include/recurrence_long.cuh`.
const LONG_THREADS: usize = 256;

/// Plans that are kept.
const PLANS_KEPT: usize = 8;

thread_local! {
    /// Plans of the last filters, the latest first: the passes of a filter share one.
    static PLANS: RefCell<Vec<Rc<Plan>>> = const { RefCell::new(Vec::new()) };
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Recurrence, 5> = Kernels::default();
    static LONG_KERNELS: Kernels<Recurrence> = Kernels::default();
}

/// A filter of at most [`Filter::most`] states, or a rational one of at most [`Filter::longest`]. States are complex if
/// a coefficient has an imaginary part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Filter {
    /// Coefficients of the input and of the results, both of one length and divided by the first of the results.
    Rational { above: Vec<Complex64>, below: Vec<Complex64> },
    /// Sections: three coefficients of the input, and the last two of the results, of which the first is 1.
    Cascade(Vec<[Complex64; 5]>),
}

impl Filter {
    /// Returns the most states, real or complex, of a filter that is computed in parallel.
    pub(crate) fn most(complex: bool) -> usize {
        RECURRENCE_STATES >> u32::from(complex)
    }

    /// Returns the most states, real or complex, of a rational filter.
    pub(crate) fn longest(complex: bool) -> usize {
        RECURRENCE_LONG >> u32::from(complex)
    }

    /// Returns whether a coefficient has an imaginary part.
    pub(crate) fn is_complex(&self) -> bool {
        let mut all: Box<dyn Iterator<Item = &Complex64>> = match self {
            Filter::Rational { above, below } => Box::new(above.iter().chain(below)),
            Filter::Cascade(sections) => Box::new(sections.iter().flatten()),
        };
        all.any(|c| c.im != 0.0)
    }

    /// Returns the number of states.
    pub(crate) fn states(&self) -> usize {
        match self {
            Filter::Rational { above, .. } => above.len() - 1,
            Filter::Cascade(sections) => 2 * sections.len(),
        }
    }

    /// Advances a state by an element.
    fn step(&self, z: &mut [Complex64], mut x: Complex64) {
        match self {
            Filter::Rational { above, below } => {
                let y = above[0] * x + z[0];
                for k in 0..z.len() {
                    z[k] = above[k + 1] * x + z.get(k + 1).copied().unwrap_or_default() - below[k + 1] * y;
                }
            }
            Filter::Cascade(sections) => {
                for (section, z) in sections.iter().zip(z.chunks_exact_mut(2)) {
                    let y = section[0] * x + z[0];
                    z[0] = section[1] * x - section[3] * y + z[1];
                    z[1] = section[2] * x - section[4] * y;
                    x = y;
                }
            }
        }
    }

    /// Returns the weights in the state after them of elements that are some distance apart, the last of which is followed
    /// by none, in C order with the states along the first axis; and true if one of them overflows.
    fn weights(&self, count: usize, apart: usize) -> (Vec<Complex64>, bool) {
        let order = self.states();
        let mut weights = vec![Complex64::default(); order * count];
        let mut overflows = false;
        let mut z = vec![Complex64::default(); order];
        self.step(&mut z, 1.0.into());
        for i in (0..count).rev() {
            for (k, z) in z.iter().enumerate() {
                overflows |= !z.re.is_finite() || !z.im.is_finite();
                weights[k * count + i] = finite(*z);
            }
            for _ in 0..apart {
                self.step(&mut z, Complex64::default());
            }
        }
        (weights, overflows)
    }

    /// Returns the matrix by which a number of elements that are 0 multiply a state.
    fn matrix(&self, elements: usize) -> Matrix {
        let order = self.states();
        let parts = if self.is_complex() { 2 } else { 1 };
        let mut entries = vec![0.0; parts * order * order];
        for c in 0..order {
            let mut z = vec![Complex64::default(); order];
            z[c].re = 1.0;
            for _ in 0..elements {
                self.step(&mut z, Complex64::default());
            }
            for r in 0..order {
                let z = finite(z[r]);
                let at = parts * (r * order + c);
                entries[at..at + parts].copy_from_slice(&[z.re, z.im][..parts]);
            }
        }
        Matrix { order, parts, entries }
    }

    /// Returns the used entries of the matrices of 1, 2, 4, 8 and 16 chunks, of as many matrices as there is room for. In a
    /// cascade a section depends on itself and on the ones before it only.
    fn passed(&self, chunk: usize) -> [[f64; RECURRENCE_STATES]; RECURRENCE_PASSED / RECURRENCE_STATES] {
        let mut passed = [[0.0; RECURRENCE_STATES]; RECURRENCE_PASSED / RECURRENCE_STATES];
        let mut matrix = self.matrix(chunk);
        let (order, parts) = (matrix.order, matrix.parts);
        let mut free = passed.as_flattened_mut();
        for _ in 0..5 {
            let used = |r: usize| if matches!(self, Filter::Cascade(_)) { (r | 1) + 1 } else { order };
            let rows = matrix.entries.chunks_exact(order * parts).enumerate();
            let entries: Vec<f64> = rows.flat_map(|(r, row)| row[..used(r) * parts].to_vec()).collect();
            let Some((to, rest)) = free.split_at_mut_checked(entries.len()) else { break };
            to.copy_from_slice(&entries);
            free = rest;
            matrix = matrix.times(&matrix);
        }
        passed
    }

    /// Returns `matrices` of `include/recurrence.cuh`, as numbers or as pairs of the parts of complex ones: those of the sums of
    /// lanes, of 1 to 16 chunks, of segments, of a tile, of a span of tiles if the line has `spans`, of `tile_group` of the
    /// tiles or spans, and of 16 times as many. The last ones are 0 if there is one tile.
    fn powers(&self, &Shape { room, tile_group, spans }: &Shape) -> Vec<f64> {
        let chunk = self.matrix(Recurrence::chunk(room, self.is_complex()));
        let (order, parts) = (chunk.order, chunk.parts);
        let size = room * room * parts;
        let (chunks, tile) = (32, 32 + 5 + RECURRENCE_SEGMENTS - 1);
        let mut all = vec![0.0; (tile + 3 + usize::from(spans)) * size];
        // Matrix 31 - t of lane t, of which a lane reads its row, one column after another.
        let one = self.matrix(1);
        let mut power = Matrix::one(order, parts);
        for t in (0..32).rev() {
            for (r, row) in power.entries.chunks_exact(order * parts).enumerate() {
                for (c, number) in row.chunks_exact(parts).enumerate() {
                    let lane = t / room * room + r;
                    let at = ((t % room * room + c) * 32 + lane) * parts;
                    all[at..at + parts].copy_from_slice(number);
                }
            }
            power = power.times(&one);
        }
        let mut put = |k: usize, matrix: &Matrix| {
            for r in 0..order {
                let at = k * size + r * room * parts;
                let row = r * order * parts;
                all[at..at + order * parts].copy_from_slice(&matrix.entries[row..row + order * parts]);
            }
        };
        let mut square = chunk;
        for k in 0..5 {
            put(chunks + k, &square);
            square = square.times(&square);
        }
        let segment = square;
        let mut some = segment.clone();
        for k in 0..RECURRENCE_SEGMENTS - 1 {
            put(chunks + 5 + k, &some);
            some = some.times(&segment);
        }
        if tile_group > 0 {
            let mut part = some;
            put(tile, &part);
            let mut last = tile;
            if spans {
                part = part.power(RECURRENCE_SPAN);
                last += 1;
                put(last, &part);
            }
            let some = part.power(tile_group);
            put(last + 1, &some);
            put(last + 2, &some.power(RECURRENCE_GROUP));
        }
        all
    }
}

/// Sizes of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// States that the kernel has room for.
    room: usize,
    /// Tiles of a group, or spans of one.
    tile_group: usize,
    /// True if tiles are reduced to spans.
    spans: bool,
}

/// Numbers that follow from a filter and the sizes of a launch.
#[derive(Debug)]
struct Plan {
    filter: Filter,
    shape: Shape,
    /// Weights of the elements of a chunk, and of those of a segment that a lane adds up.
    weights: Vec<Complex64>,
    end_weights: Vec<Complex64>,
    /// True if one of the latter overflows.
    overflows: bool,
    powers: Vec<f64>,
    /// The used entries of the matrices of chunks, as parameters.
    chunks: [[f64; RECURRENCE_STATES]; RECURRENCE_PASSED / RECURRENCE_STATES],
    /// The last array of `powers`.
    uploaded: RefCell<Option<Array>>,
}

impl Plan {
    /// Returns the plan of a filter, which is computed unless this thread has it.
    fn of(filter: &Filter, shape: Shape) -> Rc<Plan> {
        PLANS.with_borrow_mut(|plans| {
            let at = plans.iter().position(|plan| plan.shape == shape && plan.filter == *filter);
            let plan = at.map(|at| plans.remove(at)).unwrap_or_else(|| {
                let chunk = Recurrence::chunk(shape.room, filter.is_complex());
                let (weights, _) = filter.weights(chunk, 1);
                let (end_weights, overflows) = filter.weights(chunk, 32);
                let (powers, chunks) = (filter.powers(&shape), filter.passed(chunk));
                let (filter, uploaded) = (filter.clone(), RefCell::default());
                Rc::new(Plan { filter, shape, weights, end_weights, overflows, powers, chunks, uploaded })
            });
            plans.truncate(PLANS_KEPT - 1);
            plans.insert(0, plan.clone());
            plan
        })
    }

    /// Returns the matrices on a device. What a graph captures is its own.
    fn uploaded(&self, device: Device) -> Result<Array> {
        let upload = || make::of(device, &self.powers, &[self.powers.len()]);
        if device.queue().is_captured() {
            return upload();
        }
        let mut kept = self.uploaded.borrow_mut();
        if let Some(powers) = kept.as_ref().filter(|powers| powers.device() == device) {
            return Ok(powers.clone());
        }
        Ok(kept.insert(upload()?).clone())
    }
}

/// A square matrix of real or complex numbers in C order.
#[derive(Clone, Debug)]
struct Matrix {
    order: usize,
    /// 2 for complex numbers, whose parts are adjacent.
    parts: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// Returns the identity.
    fn one(order: usize, parts: usize) -> Matrix {
        let mut entries = vec![0.0; parts * order * order];
        entries.iter_mut().step_by(parts * (order + 1)).for_each(|x| *x = 1.0);
        Matrix { order, parts, entries }
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let (n, parts) = (self.order, self.parts);
        let mut entries = vec![0.0; parts * n * n];
        for (to, from) in entries.chunks_exact_mut(parts * n).zip(self.entries.chunks_exact(parts * n)) {
            for (k, row) in other.entries.chunks_exact(parts * n).enumerate() {
                if parts == 1 {
                    let x = from[k];
                    to.iter_mut().zip(row).for_each(|(sum, y)| *sum += x * y);
                } else {
                    let (re, im) = (from[2 * k], from[2 * k + 1]);
                    for (sum, y) in to.chunks_exact_mut(2).zip(row.chunks_exact(2)) {
                        sum[0] += re * y[0] - im * y[1];
                        sum[1] += re * y[1] + im * y[0];
                    }
                }
            }
        }
        entries.iter_mut().for_each(|x| *x = finite_part(*x));
        Matrix { order: n, parts, entries }
    }

    /// Returns the power with an exponent of at least 1, by squares.
    fn power(&self, exponent: usize) -> Matrix {
        let (mut square, mut rest) = (self.clone(), exponent);
        let mut product: Option<Matrix> = None;
        loop {
            if rest % 2 == 1 {
                product = Some(product.map_or_else(|| square.clone(), |p| p.times(&square)));
            }
            rest /= 2;
            if rest == 0 {
                return product.unwrap_or(square);
            }
            square = square.times(&square);
        }
    }
}

/// Returns a finite number: one that overflows is the largest, so that its product with a state of 0 is 0.
fn finite_part(x: f64) -> f64 {
    if x.is_nan() { f64::MAX } else { x.clamp(-f64::MAX, f64::MAX) }
}

fn finite(x: Complex64) -> Complex64 {
    Complex64::new(finite_part(x.re), finite_part(x.im))
}

/// Filters along an axis into `out`, which has the shape of `src`. `out` is complex if the filter is, and `src` is not
/// unless it is. `first` has the states before the lines, in C order with the states along the last axis, in float64 or
/// complex128; the states after them are written to `last`, of the same form.
pub(crate) fn recurrence(
    src: &Array,
    axis: usize,
    filter: &Filter,
    first: Option<&Array>,
    last: Option<&Array>,
    out: &Array,
) -> Result<()> {
    one_device(src, [out])?;
    if out.size() == 0 {
        return Ok(());
    }
    apart(src, out, |out| match filter {
        Filter::Rational { above, below } if filter.states() > Filter::most(filter.is_complex()) => {
            launch_long(src, axis, (above, below), first, last, out)
        }
        _ => launch(src, axis, filter, First::Each(first), last, (&Pass::default(), out.shape()[axis]), out),
    })
}

/// Continuation of lines at both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PadRule {
    /// Twice the last element less those that are mirrored about it.
    #[default]
    Odd = 0,
    /// Mirrored about the last element.
    Even = 1,
    /// The last element.
    Constant = 2,
}

/// Input and results of a pass of a filter with a continuation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    /// Number of elements by which the input is continued at both ends, less than its length.
    pub(crate) pad: usize,
    /// Rule of the continuation.
    pub(crate) rule: PadRule,
    /// Number of results before the first one that is written.
    pub(crate) skip: usize,
    /// Number of results from one that is written to the next.
    pub(crate) every: usize,
    /// The state before a line is multiplied by its first element.
    pub(crate) settled: bool,
}

impl Default for Pass {
    fn default() -> Self {
        Pass { pad: 0, rule: PadRule::default(), skip: 0, every: 1, settled: false }
    }
}

/// The state before lines, in the form of the states of [`recurrence`], or one for all lines.
#[derive(Clone, Copy, Debug)]
enum First<'a> {
    Each(Option<&'a Array>),
    All(&'a [Complex64]),
}

/// Filters lines along an axis that are continued, from the state in which a step as high as the first element has
/// settled, into `out`, which has another length along the axis. The state after a step of 1 is `settled`. `out` shares
/// no memory with `src`, and is complex if the filter is; neither is empty.
pub(crate) fn recurrence_settled(
    src: &Array,
    axis: usize,
    filter: &Filter,
    settled: &[Complex64],
    pass: &Pass,
    out: &Array,
) -> Result<()> {
    one_device(src, [out])?;
    let n = src.shape()[axis] + 2 * pass.pad;
    launch(src, axis, filter, First::All(settled), None, (&Pass { settled: true, ..*pass }, n), out)
}

/// Writes coefficients from position `at` on, by their parts if they are complex.
fn put(to: &mut [f64], at: usize, list: &[Complex64], complex: bool) {
    for (k, c) in (at..).zip(list) {
        if complex {
            to[2 * k..2 * k + 2].copy_from_slice(&[c.re, c.im]);
        } else {
            to[k] = c.re;
        }
    }
}

fn launch(
    src: &Array,
    axis: usize,
    filter: &Filter,
    first: First<'_>,
    last: Option<&Array>,
    (pass, n): (&Pass, usize),
    out: &Array,
) -> Result<()> {
    let (device, order) = (out.device(), filter.states());
    let room = order.next_power_of_two().max(2);
    let others: Dims = (0..src.ndim()).filter(|&d| d != axis).collect();
    let sizes: Dims = others.iter().map(|&d| src.shape()[d]).collect();
    let steps = |a: &Array| -> Strides { others.iter().map(|&d| a.strides()[d]).collect() };
    let lines: usize = sizes.iter().product();
    let complex = filter.is_complex();
    let warps = RECURRENCE_WARPS[usize::from(complex)];
    let segments = n.div_ceil(32 * Recurrence::chunk(room, complex));
    let tiles = segments.div_ceil(RECURRENCE_SEGMENTS);
    let mut start = [0.0; RECURRENCE_STATES];
    let first = match first {
        First::Each(first) => first,
        First::All(state) => {
            put(&mut start, 0, state, complex);
            None
        }
    };
    let (mut above, mut below) = ([0.0; RECURRENCE_STATES / 2 * 3], [0.0; RECURRENCE_STATES]);
    let mut weights = [[0.0; RECURRENCE_STATES]; RECURRENCE_WEIGHTS / RECURRENCE_STATES];
    let cascade = match filter {
        Filter::Rational { above: b, below: a } => {
            put(&mut above, 0, b, complex);
            put(&mut below, 0, &a[1..], complex);
            false
        }
        Filter::Cascade(sections) => {
            for (k, section) in sections.iter().enumerate() {
                put(&mut above, 3 * k, &section[..3], complex);
                put(&mut below, 2 * k, &section[3..], complex);
            }
            true
        }
    };
    let width = Width::of(others.len(), lines.max(n));
    let key = Recurrence { from: src.dtype(), to: out.dtype(), order, complex, cascade, long: false, width };
    // A block scans a few states of each group soonest. More of them are reduced to those of spans, of which a line has
    // `scanned`, by as many blocks as they need.
    let spans = (tiles - 1).div_ceil(key.tile_groups()) > 2 * RECURRENCE_SPAN;
    let scanned = if spans { (tiles - 1).div_ceil(RECURRENCE_SPAN) } else { tiles };
    let tile_group = (scanned - 1).div_ceil(key.tile_groups());
    let plan = Plan::of(filter, Shape { room, tile_group, spans });
    put(weights.as_flattened_mut(), 0, &plan.weights, complex);
    let powers = plan.uploaded(device)?;
    let dtype = if complex { DType::C128 } else { DType::F64 };
    let some =
        |wanted: bool, count: usize| wanted.then(|| make::empty(device, &[lines, count, room], dtype)).transpose();
    let (states, segment_states) = (some(tiles > 1, tiles)?, some(segments > 1, segments)?);
    let ends = last.map(|_| make::empty(device, &[lines, order], dtype)).transpose()?;
    let of_spans = some(spans, scanned)?;
    let names = ["recurrence_ends", "recurrence_scan", "recurrence_run", "recurrence_reduce", "recurrence_spread"];
    let [end, scan, run, reduce, spread] = kernels(&KERNELS, device, key, names, || (key.name(), key.source()))?;
    let (src_steps, dst_steps) = (steps(src), steps(out));
    let params = RecurrenceParams {
        width,
        lines,
        n: n as i64,
        pad: pass.pad as i64,
        skip: pass.skip as i64,
        kept: out.shape()[axis] as i64,
        segments,
        tiles,
        tile_group,
        src: read(src),
        dst: written(out),
        powers: read(&powers),
        first: first.map_or(Read(None), read),
        states: states.as_ref().map_or(Written(None), written),
        segment_states: segment_states.as_ref().map_or(Written(None), written),
        spans: of_spans.as_ref().map_or(Written(None), written),
        last: ends.as_ref().map_or(Written(None), written),
        src_step: src.strides()[axis],
        dst_step: out.strides()[axis],
        above,
        below,
        start,
        weights,
        chunks: plan.chunks,
        sizes: Sizes(&sizes),
        src_steps: Numbers(&src_steps),
        dst_steps: Numbers(&dst_steps),
        every: Size(pass.every),
        axes: sizes.len() as u32,
        pad_rule: pass.rule as u32,
        settled: pass.settled,
        overflows: plan.overflows,
    };
    let launcher = Launcher::on(device);
    let go = |function, blocks: usize, threads, params: &RecurrenceParams<'_, DevicePtr<'_>>| {
        // SAFETY: `include/recurrence.cuh` reads and writes the elements of the lines, and one set of states for each segment, each tile and each
        // span, for which there is room.
        unsafe { launcher.launch(function, Blocks::of(blocks, out.size(), "elements"), threads, params) }
    };
    if segments > 1 {
        let mut weights = [[0.0; RECURRENCE_STATES]; RECURRENCE_WEIGHTS / RECURRENCE_STATES];
        put(weights.as_flattened_mut(), 0, &plan.end_weights, complex);
        go(end, (lines * tiles).div_ceil(warps), 32 * warps, &RecurrenceParams { weights, ..params })?;
    }
    if let Some(of_spans) = &of_spans {
        let (blocks, threads) = (lines * scanned.div_ceil(key.spans()), room * key.spans());
        go(reduce, blocks, threads, &params)?;
        // Without the first matrix, the kernel reads that of a span as that of a tile.
        let matrix = (room * room) << usize::from(complex);
        let powers = powers.index(s![matrix as i64..])?;
        let scanning = RecurrenceParams { tiles: scanned, powers: read(&powers), states: written(of_spans), ..params };
        go(scan, lines, room * key.tile_groups(), &scanning)?;
        go(spread, blocks, threads, &params)?;
    } else if tiles > 1 {
        go(scan, lines, room * key.tile_groups(), &params)?;
    }
    go(run, (lines * segments).div_ceil(warps), 32 * warps, &params)?;
    if let (Some(ends), Some(last)) = (&ends, last) {
        super::copy(&ends.reshape(last.shape())?, last)?;
    }
    Ok(())
}

fn launch_long(
    src: &Array,
    axis: usize,
    (above, below): (&[Complex64], &[Complex64]),
    first: Option<&Array>,
    last: Option<&Array>,
    out: &Array,
) -> Result<()> {
    let (device, order) = (out.device(), above.len() - 1);
    let others: Dims = (0..src.ndim()).filter(|&d| d != axis).collect();
    let sizes: Dims = others.iter().map(|&d| src.shape()[d]).collect();
    let steps = |a: &Array| -> Strides { others.iter().map(|&d| a.strides()[d]).collect() };
    let lines: usize = sizes.iter().product();
    let complex = above.iter().chain(below).any(|c| c.im != 0.0);
    let [above, below] = [above, below].map(|list| -> Result<Array> {
        let mut numbers = vec![0.0; list.len() << u32::from(complex)];
        put(&mut numbers, 0, list, complex);
        make::of(device, &numbers, &[numbers.len()])
    });
    let (above, below) = (above?, below?);
    let width = Width::of(others.len(), lines);
    let key = Recurrence { from: src.dtype(), to: out.dtype(), order: 0, complex, cascade: false, long: true, width };
    let [function] = kernels(&LONG_KERNELS, device, key, ["recurrence_long"], || (key.name(), key.source()))?;
    let (src_steps, dst_steps) = (steps(src), steps(out));
    let params = RecurrenceLongParams {
        width,
        n: src.shape()[axis] as i64,
        src: read(src),
        dst: written(out),
        above: read(&above),
        below: read(&below),
        first: first.map_or(Read(None), read),
        last: last.map_or(Written(None), written),
        src_step: src.strides()[axis],
        dst_step: out.strides()[axis],
        sizes: Sizes(&sizes),
        src_steps: Numbers(&src_steps),
        dst_steps: Numbers(&dst_steps),
        axes: sizes.len() as u32,
        order: order as u32,
    };
    let threads = order.next_multiple_of(32).min(LONG_THREADS);
    // SAFETY: `include/recurrence_long.cuh` reads and writes the elements of one line and its states, of which there are at most `LONGEST`.
    unsafe { Launcher::on(device).launch(function, Blocks::of(lines, out.size(), "elements"), threads, &params) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reals<const N: usize>(list: [f64; N]) -> [Complex64; N] {
        list.map(Complex64::from)
    }

    #[test]
    fn powers_are_those_of_chunks_and_their_multiples() {
        let of =
            |pole: f64| Filter::Rational { above: reals([1.0, 0.0]).to_vec(), below: reals([1.0, -pole]).to_vec() };
        // Tiles in groups of 2, and in spans of 16.
        let shape = Shape { room: 2, tile_group: 2, spans: false };
        let spans = Shape { spans: true, ..shape };
        let multiples = [32, 64, 128, 256, 512].into_iter().chain((1..16).map(|k| 1024 * k));
        let check = |pole: f64, shape: &Shape, tiles: &[i32]| {
            let powers = of(pole).powers(shape);
            let elements: Vec<i32> = multiples.clone().chain(tiles.iter().copied()).collect();
            assert_eq!(powers.len(), 4 * (32 + elements.len()));
            for (matrix, &n) in powers[4 * 32..].chunks(4).zip(&elements) {
                // A product of n factors has the roundings of n.
                let expected = pole.powi(n);
                assert!((matrix[0] - expected).abs() <= f64::from(n) * f64::EPSILON * expected, "{n}: {}", matrix[0]);
                assert_eq!(matrix[1..], [0.0; 3], "{n} elements");
            }
            // Entry [j][0] of a lane with an even number is that of lane `lane + j`.
            for lane in (0..32).step_by(2) {
                for j in 0..2 {
                    let expected = pole.powi(31 - lane - j);
                    let power = powers[(j * 2 * 32 + lane) as usize];
                    assert!((power - expected).abs() <= 1e-14 * expected, "lane {lane} + {j}: {power}");
                }
            }
        };
        check(0.75, &shape, &[16384, 32768, 524_288]);
        check(0.9999, &spans, &[16384, 262_144, 524_288, 8_388_608]);
        assert_eq!(of(0.75).powers(&Shape { tile_group: 0, ..shape })[4 * (32 + 5 + 15)..], [0.0; 12]);
    }

    #[test]
    fn powers_and_weights_that_overflow_are_finite() {
        let filter = Filter::Cascade(vec![reals([1.0, 0.0, 0.0, -4.0, 3.0])]);
        let shape = Shape { room: 2, tile_group: 100, spans: true };
        assert!(filter.powers(&shape).iter().all(|x| x.is_finite()));
        let (weights, overflows) = filter.weights(32, 32);
        assert!(overflows && weights.iter().all(|w| w.is_finite()));
        assert!(!filter.weights(32, 1).1);
    }

    #[test]
    fn states_follow_from_weights_and_from_matrices() {
        let filter = Filter::Cascade(vec![reals([1.0, 2.0, 1.0, -0.5, 0.25]), reals([1.0, 0.5, 0.25, 0.25, 0.125])]);
        let (power, (weights, _)) = (filter.matrix(16).entries, filter.weights(16, 1));
        let mut z = reals([1.0, -2.0, 3.0, 0.5]);
        let x: Vec<f64> = (0..16).map(|i| 1.0 - 0.3 * f64::from(i)).collect();
        let expected: Vec<f64> = (0..4)
            .map(|r| {
                let of_state: f64 = (0..4).map(|c| power[r * 4 + c] * z[c].re).sum();
                of_state + x.iter().enumerate().map(|(i, x)| weights[r * 16 + i].re * x).sum::<f64>()
            })
            .collect();
        for x in x {
            filter.step(&mut z, x.into());
        }
        for (x, y) in z.iter().zip(&expected) {
            assert!((x.re - y).abs() < 1e-14, "{x} {y}");
        }
    }

    #[test]
    fn powers_of_matrices_multiply() {
        let matrix = Matrix { order: 2, parts: 1, entries: vec![1.0, 1.0, 0.0, 1.0] };
        let turn = Matrix { order: 1, parts: 2, entries: vec![0.0, 1.0] };
        for n in 1..20 {
            assert_eq!(matrix.power(n).entries, [1.0, n as f64, 0.0, 1.0], "{n}");
            let expected = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][n % 4];
            assert_eq!(turn.power(n).entries, expected, "{n}");
        }
    }
}
