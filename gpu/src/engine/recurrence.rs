//! Linear recurrences along an axis: rational filters, and cascades of sections of order 2.
//!
//! The state of a filter is scanned over chunks, with powers of the matrix by which a state becomes the next without
//! input: see `include/recurrence.cuh`. The coefficients and the order are data of a launch, with kernels for up to 2,
//! 4, 8 and 16 states. Rational filters of more states run one element after another, a line in a block.
//!
//! Lower bound: the input once for lines of one tile, which has 1,024 to 4,096 elements, and twice for longer ones, and
//! the output once.

use std::cell::RefCell;
use std::rc::Rc;

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides as Numbers, Width, Written};
use cuprum_kernels::source::{
    RECURRENCE_GROUP, RECURRENCE_LONG, RECURRENCE_SPAN, RECURRENCE_STATES, RECURRENCE_WARPS, RECURRENCE_WEIGHTS,
    Recurrence, RecurrenceLongParams, RecurrenceParams,
};
use num_complex::Complex64;

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::make;
use super::window::apart;
use crate::array::Array;
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

    /// Returns the weights of the elements of a chunk in the state after it, in C order with the states along the first
    /// axis.
    fn weights(&self, chunk: usize) -> Vec<Complex64> {
        let order = self.states();
        let mut weights = vec![Complex64::default(); order * chunk];
        let mut z = vec![Complex64::default(); order];
        for i in (0..chunk).rev() {
            self.step(&mut z, f64::from(i + 1 == chunk).into());
            for (k, z) in z.iter().enumerate() {
                weights[k * chunk + i] = finite(*z);
            }
        }
        weights
    }

    /// Returns the matrix by which a chunk without input multiplies a state.
    fn chunk_matrix(&self, chunk: usize) -> Matrix {
        let order = self.states();
        let parts = if self.is_complex() { 2 } else { 1 };
        let mut entries = vec![0.0; parts * order * order];
        for c in 0..order {
            let mut z = vec![Complex64::default(); order];
            z[c].re = 1.0;
            for _ in 0..chunk {
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

    /// Returns the matrices by which a state is multiplied in a chunk, a group of chunks, a tile of `warps` warps, a span
    /// of tiles if the line has `spans`, `tile_group` of the tiles or spans, and 16 times as many, each with `room` rows,
    /// as numbers or as pairs of the parts of complex numbers. Those of tiles are 0 if there is one tile.
    fn powers(&self, &Shape { room, warps, tile_group, spans }: &Shape) -> Vec<f64> {
        let chunk = self.chunk_matrix(Recurrence::chunk(room, self.is_complex()));
        let (order, parts) = (chunk.order, chunk.parts);
        let size = room * room * parts;
        let mut all = vec![0.0; (5 + usize::from(spans)) * size];
        let mut put = |k: usize, matrix: &Matrix| {
            for r in 0..order {
                let at = k * size + r * room * parts;
                let row = r * order * parts;
                all[at..at + order * parts].copy_from_slice(&matrix.entries[row..row + order * parts]);
            }
        };
        let group = chunk.power(RECURRENCE_GROUP);
        put(0, &chunk);
        put(1, &group);
        if tile_group > 0 {
            let mut part = group.power(32 * warps / RECURRENCE_GROUP);
            put(2, &part);
            let mut last = 2;
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
    /// Warps of a block.
    warps: usize,
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
    weights: Vec<Complex64>,
    powers: Vec<f64>,
}

impl Plan {
    /// Returns the plan of a filter, which is computed unless this thread has it.
    fn of(filter: &Filter, shape: Shape) -> Rc<Plan> {
        PLANS.with_borrow_mut(|plans| {
            let at = plans.iter().position(|plan| plan.shape == shape && plan.filter == *filter);
            let plan = at.map(|at| plans.remove(at)).unwrap_or_else(|| {
                let weights = filter.weights(Recurrence::chunk(shape.room, filter.is_complex()));
                Rc::new(Plan { filter: filter.clone(), shape, weights, powers: filter.powers(&shape) })
            });
            plans.truncate(PLANS_KEPT - 1);
            plans.insert(0, plan.clone());
            plan
        })
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
        _ => launch(src, axis, filter, first, last, (&Pass::default(), out.shape()[axis]), out),
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
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pass {
    /// Number of elements by which the input is continued at both ends, less than its length.
    pub(crate) pad: usize,
    /// Rule of the continuation.
    pub(crate) rule: PadRule,
    /// Number of results before the first one that is written.
    pub(crate) skip: usize,
    /// The state before a line is multiplied by its first element.
    pub(crate) settled: bool,
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
    let (device, order) = (out.device(), filter.states());
    let complex = filter.is_complex();
    let first = if complex {
        make::of(device, settled, &[order])?
    } else {
        make::of(device, &settled.iter().map(|z| z.re).collect::<Vec<_>>(), &[order])?
    };
    let mut shape: Dims = (0..src.ndim()).filter(|&d| d != axis).map(|d| src.shape()[d]).collect();
    shape.push(order);
    let first = first.broadcast_to_shape(&shape)?;
    let n = src.shape()[axis] + 2 * pass.pad;
    launch(src, axis, filter, Some(&first), None, (&Pass { settled: true, ..*pass }, n), out)
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
    first: Option<&Array>,
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
    let chunk = Recurrence::chunk(room, complex);
    let warps = n.div_ceil(32 * chunk).next_power_of_two().min(RECURRENCE_WARPS[usize::from(complex)]);
    let tiles = n.div_ceil(32 * chunk * warps);
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
    let width = Width::of(others.len(), lines);
    let key = Recurrence { from: src.dtype(), to: out.dtype(), states: room, complex, cascade, long: false, width };
    // A block scans a few states of each group soonest. More of them are reduced to those of spans, of which a line has
    // `scanned`, by as many blocks as they need.
    let spans = (tiles - 1).div_ceil(key.tile_groups()) > RECURRENCE_SPAN;
    let scanned = if spans { (tiles - 1).div_ceil(RECURRENCE_SPAN) } else { tiles };
    let tile_group = (scanned - 1).div_ceil(key.tile_groups());
    let plan = Plan::of(filter, Shape { room, warps, tile_group, spans });
    put(weights.as_flattened_mut(), 0, &plan.weights, complex);
    let powers = make::of(device, &plan.powers, &[plan.powers.len()])?;
    let dtype = if complex { DType::C128 } else { DType::F64 };
    let states = make::zeros(device, &[lines, tiles, room], dtype)?;
    if let Some(first) = first {
        let to = states.index(s![.., ..1, ..order as i64])?;
        super::copy(&first.reshape([lines, 1, order])?, &to)?;
    }
    let ends = last.map(|_| make::empty(device, &[lines, room], dtype)).transpose()?;
    let of_spans = if spans { Some(make::empty(device, &[lines, scanned, room], dtype)?) } else { None };
    let names = ["recurrence_ends", "recurrence_scan", "recurrence_run", "recurrence_reduce", "recurrence_spread"];
    let [end, scan, run, reduce, spread] = kernels(&KERNELS, device, key, names, || (key.name(), key.source()))?;
    let (src_steps, dst_steps) = (steps(src), steps(out));
    let params = RecurrenceParams {
        width,
        n: n as i64,
        pad: pass.pad as i64,
        skip: pass.skip as i64,
        kept: out.shape()[axis] as i64,
        tiles,
        tile_group,
        src: read(src),
        dst: written(out),
        powers: read(&powers),
        states: written(&states),
        spans: of_spans.as_ref().map_or(Written(None), written),
        last: ends.as_ref().map_or(Written(None), written),
        src_step: src.strides()[axis],
        dst_step: out.strides()[axis],
        above,
        below,
        weights,
        sizes: Sizes(&sizes),
        src_steps: Numbers(&src_steps),
        dst_steps: Numbers(&dst_steps),
        axes: sizes.len() as u32,
        order: order as u32,
        pad_rule: pass.rule as u32,
        settled: pass.settled,
    };
    let launcher = Launcher::on(device);
    let go = |function, blocks: usize, threads, params: &RecurrenceParams<'_, DevicePtr<'_>>| {
        // SAFETY: `include/recurrence.cuh` reads and writes the elements of the lines, of which a tile beyond the end of a line has none, and one
        // set of states for each tile and each span, for which there is room.
        unsafe { launcher.launch(function, Blocks::of(blocks, out.size(), "elements"), threads, params) }
    };
    if tiles > 1 {
        go(end, lines * (tiles - 1), 32 * warps, &params)?;
    }
    if let Some(of_spans) = &of_spans {
        let (blocks, threads) = (lines * scanned.div_ceil(key.spans()), room * key.spans());
        go(reduce, blocks, threads, &params)?;
        // Without the first matrix, the third is that of a span instead of that of a tile.
        let matrix = (plan.powers.len() / 6) as i64;
        let powers = powers.index(s![matrix..])?;
        let scanning = RecurrenceParams { tiles: scanned, powers: read(&powers), states: written(of_spans), ..params };
        go(scan, lines, room * key.tile_groups(), &scanning)?;
        go(spread, blocks, threads, &params)?;
    } else if tiles > 1 {
        go(scan, lines, room * key.tile_groups(), &params)?;
    }
    go(run, lines * tiles, 32 * warps, &params)?;
    if let (Some(ends), Some(last)) = (&ends, last) {
        super::copy(&ends.index(s![.., ..order as i64])?.reshape(last.shape())?, last)?;
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
    let key = Recurrence { from: src.dtype(), to: out.dtype(), states: 0, complex, cascade: false, long: true, width };
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
    fn powers_are_those_of_a_chunk_and_its_multiples() {
        let of =
            |pole: f64| Filter::Rational { above: reals([1.0, 0.0]).to_vec(), below: reals([1.0, -pole]).to_vec() };
        // Tiles of one warp, in groups of 2, and in spans of 16.
        let shape = Shape { room: 2, warps: 1, tile_group: 2, spans: false };
        let spans = Shape { spans: true, ..shape };
        let check = |pole: f64, shape: &Shape, elements: &[i32], bound: fn(i32) -> f64| {
            let powers = of(pole).powers(shape);
            assert_eq!(powers.len(), 4 * elements.len());
            for (matrix, &n) in powers.chunks(4).zip(elements) {
                let expected = pole.powi(n);
                assert!((matrix[0] - expected).abs() <= bound(n) * expected, "{n} elements: {}", matrix[0]);
                assert_eq!(matrix[1..], [0.0; 3], "{n} elements");
            }
        };
        check(0.75, &shape, &[32, 512, 1024, 2048, 32768], |_| 1e-13);
        // A product of n factors has the roundings of n.
        check(0.9999, &spans, &[32, 512, 1024, 16384, 32768, 524_288], |n| f64::from(n) * f64::EPSILON);
        assert_eq!(of(0.75).powers(&Shape { tile_group: 0, ..shape })[8..], [0.0; 12]);
    }

    #[test]
    fn powers_and_weights_that_overflow_are_finite() {
        let filter = Filter::Cascade(vec![reals([1.0, 0.0, 0.0, -4.0, 3.0])]);
        let shape = Shape { room: 2, warps: 8, tile_group: 100, spans: true };
        assert!(filter.powers(&shape).iter().all(|x| x.is_finite()));
        let filter = Filter::Cascade(vec![reals([1.0, 0.0, 0.0, -1e200, 0.0])]);
        assert!(filter.weights(32).iter().all(|w| w.is_finite()));
    }

    #[test]
    fn states_follow_from_weights_and_from_matrices() {
        let filter = Filter::Cascade(vec![reals([1.0, 2.0, 1.0, -0.5, 0.25]), reals([1.0, 0.5, 0.25, 0.25, 0.125])]);
        let (power, weights) = (filter.chunk_matrix(16).entries, filter.weights(16));
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
