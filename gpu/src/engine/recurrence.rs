//! Linear recurrences along an axis: rational filters, and cascades of sections of order 2.
//!
//! The state of a filter is scanned over chunks, with powers of the matrix by which a state becomes the next without input: see
//! `include/recurrence.cuh`. The coefficients and the order are data of a launch, with kernels for up to 2, 4, 8 and 16 states. Rational
//! filters of more states run one element after another, a line in a block.
//!
//! Lower bound: the input once for lines of up to 4,096 elements and twice for longer ones, and the output once.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides as Numbers, Width, Written};
use cuprum_kernels::source::{
    RECURRENCE_CHUNK, RECURRENCE_LEVELS, RECURRENCE_LONG, RECURRENCE_STATES, Recurrence, RecurrenceLongParams,
    RecurrenceParams,
};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, one_device, read, written};
use super::make;
use super::window::apart;
use crate::array::Array;
use crate::error::Result;
use crate::index::s;
use crate::layout::{Dims, Strides};

/// Most warps of a block, as in `include/recurrence.cuh`.
const WARPS: usize = 8;
/// Most threads of a block of `include/recurrence_long.cuh`.
const LONG_THREADS: usize = 256;
/// Powers of the matrix of a tile: a block scans 256 tiles.
const TILE_LEVELS: usize = 8;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Recurrence, 3> = Kernels::default();
    static LONG_KERNELS: Kernels<Recurrence> = Kernels::default();
}

/// A filter of at most [`Filter::MOST`] states, or a rational one of at most [`Filter::LONGEST`].
#[derive(Clone, Debug)]
pub(crate) enum Filter {
    /// Coefficients of the input and of the results, both of one length and divided by the first of the results.
    Rational { above: Vec<f64>, below: Vec<f64> },
    /// Sections: three coefficients of the input, and the last two of the results, of which the first is 1.
    Cascade(Vec<[f64; 5]>),
}

impl Filter {
    /// Most states of a filter that is computed in parallel.
    pub(crate) const MOST: usize = RECURRENCE_STATES;

    /// Most states of a rational filter.
    pub(crate) const LONGEST: usize = RECURRENCE_LONG;

    /// Returns the number of states.
    pub(crate) fn states(&self) -> usize {
        match self {
            Filter::Rational { above, .. } => above.len() - 1,
            Filter::Cascade(sections) => 2 * sections.len(),
        }
    }

    /// Advances a state by an element 0.
    fn step(&self, z: &mut [f64]) {
        match self {
            Filter::Rational { below, .. } => {
                let y = z[0];
                for k in 0..z.len() {
                    z[k] = z.get(k + 1).copied().unwrap_or(0.0) - below[k + 1] * y;
                }
            }
            Filter::Cascade(sections) => {
                let mut x = 0.0;
                for (section, z) in sections.iter().zip(z.chunks_exact_mut(2)) {
                    let y = section[0] * x + z[0];
                    z[0] = section[1] * x - section[3] * y + z[1];
                    z[1] = section[2] * x - section[4] * y;
                    x = y;
                }
            }
        }
    }

    /// Returns the matrices by which a state is multiplied in a chunk, 2 chunks, ..., a warp, a tile of `warps` warps, 2 tiles, ..., each with
    /// `room` rows. A power that overflows is the largest number, so that its product with a state of 0 is 0.
    fn powers(&self, room: usize, warps: usize) -> Vec<f64> {
        let order = self.states();
        let finite = |x: f64| if x.is_nan() { f64::MAX } else { x.clamp(-f64::MAX, f64::MAX) };
        let mut power = vec![0.0; order * order];
        for c in 0..order {
            let mut z = vec![0.0; order];
            z[c] = 1.0;
            for _ in 0..RECURRENCE_CHUNK {
                self.step(&mut z);
            }
            for r in 0..order {
                power[r * order + c] = finite(z[r]);
            }
        }
        let square = |a: &[f64]| -> Vec<f64> {
            let entry = |i: usize| (0..order).map(|k| a[i / order * order + k] * a[k * order + i % order]).sum();
            (0..order * order).map(|i| finite(entry(i))).collect()
        };
        let mut all = Vec::new();
        let add = |all: &mut Vec<f64>, power: &[f64]| {
            for r in 0..room {
                all.extend((0..room).map(|c| if r < order && c < order { power[r * order + c] } else { 0.0 }));
            }
        };
        for _ in 0..RECURRENCE_LEVELS {
            add(&mut all, &power);
            power = square(&power);
        }
        add(&mut all, &power);
        for _ in 0..warps.ilog2() {
            power = square(&power);
        }
        for _ in 0..TILE_LEVELS {
            add(&mut all, &power);
            power = square(&power);
        }
        all
    }
}

/// Filters along an axis into `out`, which has the shape of `src`; neither is complex. `first` has the states before the lines, in C order with the states along
/// the last axis, in float64; the states after them are written to `last`, of the same form.
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
        Filter::Rational { above, below } if filter.states() > Filter::MOST => {
            launch_long(src, axis, (above, below), first, last, out)
        }
        _ => launch(src, axis, filter, first, last, out),
    })
}

fn launch(
    src: &Array,
    axis: usize,
    filter: &Filter,
    first: Option<&Array>,
    last: Option<&Array>,
    out: &Array,
) -> Result<()> {
    let (device, n, order) = (out.device(), src.shape()[axis], filter.states());
    let room = order.next_power_of_two().max(2);
    let others: Dims = (0..src.ndim()).filter(|&d| d != axis).collect();
    let sizes: Dims = others.iter().map(|&d| src.shape()[d]).collect();
    let steps = |a: &Array| -> Strides { others.iter().map(|&d| a.strides()[d]).collect() };
    let lines: usize = sizes.iter().product();
    let warps = n.div_ceil(32 * RECURRENCE_CHUNK).next_power_of_two().min(WARPS);
    let tiles = n.div_ceil(32 * RECURRENCE_CHUNK * warps);
    let (mut above, mut below) = ([0.0; RECURRENCE_STATES / 2 * 3], [0.0; RECURRENCE_STATES]);
    let cascade = match filter {
        Filter::Rational { above: b, below: a } => {
            above[..b.len()].copy_from_slice(b);
            below[..order].copy_from_slice(&a[1..]);
            false
        }
        Filter::Cascade(sections) => {
            for (k, section) in sections.iter().enumerate() {
                above[3 * k..3 * k + 3].copy_from_slice(&section[..3]);
                below[2 * k..2 * k + 2].copy_from_slice(&section[3..]);
            }
            true
        }
    };
    let powers = filter.powers(room, warps);
    let powers = make::of(device, &powers, &[powers.len()])?;
    let states = make::zeros(device, &[lines, tiles, room], DType::F64)?;
    if let Some(first) = first {
        let to = states.index(s![.., ..1, ..order as i64])?;
        super::copy(&first.reshape([lines, 1, order])?, &to)?;
    }
    let ends = last.map(|_| make::empty(device, &[lines, room], DType::F64)).transpose()?;
    let width = Width::of(others.len(), lines);
    let key = Recurrence { from: src.dtype(), to: out.dtype(), states: room, cascade, long: false, width };
    let names = ["recurrence_ends", "recurrence_scan", "recurrence_run"];
    let [end, scan, run] = kernels(&KERNELS, device, key, names, || (key.name(), key.source()))?;
    let (src_steps, dst_steps) = (steps(src), steps(out));
    let params = RecurrenceParams {
        width,
        n: n as i64,
        tiles,
        src: read(src),
        dst: written(out),
        powers: read(&powers),
        states: written(&states),
        last: ends.as_ref().map_or(Written(None), written),
        src_step: src.strides()[axis],
        dst_step: out.strides()[axis],
        above,
        below,
        sizes: Sizes(&sizes),
        src_steps: Numbers(&src_steps),
        dst_steps: Numbers(&dst_steps),
        axes: sizes.len() as u32,
        order: order as u32,
    };
    let launcher = Launcher::on(device);
    let go = |function, blocks: usize, threads| {
        // SAFETY: `include/recurrence.cuh` reads and writes the elements of the lines, of which a tile beyond the end of a line has none, and one
        // set of states for each tile, for which there is room.
        unsafe { launcher.launch(function, Blocks::of(blocks, out.size(), "elements"), threads, &params) }
    };
    if tiles > 1 {
        go(end, lines * (tiles - 1), 32 * warps)?;
        go(scan, lines, 256)?;
    }
    go(run, lines * tiles, 32 * warps)?;
    if let (Some(ends), Some(last)) = (&ends, last) {
        super::copy(&ends.index(s![.., ..order as i64])?.reshape(last.shape())?, last)?;
    }
    Ok(())
}

fn launch_long(
    src: &Array,
    axis: usize,
    (above, below): (&[f64], &[f64]),
    first: Option<&Array>,
    last: Option<&Array>,
    out: &Array,
) -> Result<()> {
    let (device, order) = (out.device(), above.len() - 1);
    let others: Dims = (0..src.ndim()).filter(|&d| d != axis).collect();
    let sizes: Dims = others.iter().map(|&d| src.shape()[d]).collect();
    let steps = |a: &Array| -> Strides { others.iter().map(|&d| a.strides()[d]).collect() };
    let lines: usize = sizes.iter().product();
    let (above, below) = (make::of(device, above, &[order + 1])?, make::of(device, below, &[order + 1])?);
    let width = Width::of(others.len(), lines);
    let key = Recurrence { from: src.dtype(), to: out.dtype(), states: 0, cascade: false, long: true, width };
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

    #[test]
    fn powers_are_those_of_a_chunk_and_its_multiples() {
        let filter = Filter::Rational { above: vec![1.0, 0.0], below: vec![1.0, -0.5] };
        let powers = filter.powers(2, 1);
        let entry = |k: usize| powers[4 * k];
        assert_eq!(powers.len(), 4 * (RECURRENCE_LEVELS + 1 + TILE_LEVELS));
        for k in 0..=RECURRENCE_LEVELS {
            assert_eq!(entry(k), 0.5f64.powi(16 << k), "level {k}");
            assert_eq!(powers[4 * k + 1..4 * k + 4], [0.0; 3]);
        }
        // A tile of one warp.
        assert_eq!(entry(RECURRENCE_LEVELS + 1), 0.5f64.powi(512));
    }

    #[test]
    fn powers_that_overflow_are_finite() {
        let filter = Filter::Cascade(vec![[1.0, 0.0, 0.0, -4.0, 3.0]]);
        assert!(filter.powers(2, 8).iter().all(|x| x.is_finite()));
    }

    #[test]
    fn a_matrix_is_a_step_without_input() {
        let filter = Filter::Cascade(vec![[1.0, 2.0, 1.0, -0.5, 0.25], [1.0, 0.5, 0.25, 0.25, 0.125]]);
        let power = filter.powers(4, 1);
        let mut z = [1.0, -2.0, 3.0, 0.5];
        let product: Vec<f64> = (0..4).map(|r| (0..4).map(|c| power[r * 4 + c] * z[c]).sum()).collect();
        for _ in 0..RECURRENCE_CHUNK {
            filter.step(&mut z);
        }
        for (x, y) in z.iter().zip(&product) {
            assert!((x - y).abs() < 1e-15, "{x} {y}");
        }
    }
}
