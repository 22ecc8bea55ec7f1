//! Discrete Fourier transforms of the simulator, in place of cuFFT. Float32 is computed in float64 and rounded at the
//! end.
//!
//! The crate rustfft computes transforms of one axis; several axes are transformed one after the other.

use cuprum_fourier::{Complex, along, lines};
use cuprum_sim::Machine;

use super::fault;
use crate::driver::transform::{BatchLayout, Hook, Transform, TransformKind, Transforming};
use crate::error::Result;

/// One side of a transform: the number of elements along each axis, and the number of parts of each element.
struct Side {
    /// Strides of the side.
    layout: BatchLayout,
    /// Elements along each axis.
    sizes: [usize; 3],
    /// Numbers of an element: 1 or 2.
    parts: usize,
}

impl Side {
    /// Returns the byte offsets of the slices along the last axis, for one transform of the batch.
    fn lines(&self, number: usize, part: usize) -> Vec<u64> {
        let [a, b, _] = self.sizes;
        let (item, layout) = ((part * self.parts) as i64, &self.layout);
        let at = |i: usize, j: usize| {
            let row = (i as i64 * layout.embed[1] + j as i64) * layout.embed[2] * layout.stride;
            ((row + number as i64 * layout.dist) * item) as u64
        };
        (0..a).flat_map(|i| (0..b).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect()
    }
}

fn number(bytes: &[u8]) -> f64 {
    match bytes.len() {
        4 => f32::from_le_bytes(std::array::from_fn(|i| bytes[i])).into(),
        _ => f64::from_le_bytes(std::array::from_fn(|i| bytes[i])),
    }
}

/// Runs a transform immediately.
pub(super) fn run(machine: &Machine, call: &Transforming) -> Result<()> {
    let Transform { turning, wide, rank, n, input, output, batch, store, .. } = call.transform;
    let part = if wide { 8 } else { 4 };
    // Leading axes that do not exist have one element.
    let mut sizes = [1; 3];
    sizes[3 - rank..].iter_mut().zip(&n[..rank]).for_each(|(size, n)| *size = *n as usize);
    let spread = |layout: BatchLayout| {
        let mut embed = [1; 3];
        embed[3 - rank..].copy_from_slice(&layout.embed[..rank]);
        BatchLayout { embed, ..layout }
    };
    let (whole, half) = (sizes, [sizes[0], sizes[1], sizes[2] / 2 + 1]);
    let (from, to) = match turning {
        TransformKind::Complex => ((whole, 2), (whole, 2)),
        TransformKind::Forward => ((whole, 1), (half, 2)),
        TransformKind::Backward => ((half, 2), (whole, 1)),
    };
    let from = Side { layout: spread(input), sizes: from.0, parts: from.1 };
    let to = Side { layout: spread(output), sizes: to.0, parts: to.1 };
    for number in 0..batch as usize {
        let mut all = read(machine, &from, call.input, number, part)?;
        let last = sizes[2];
        match turning {
            TransformKind::Complex => transform(&sizes, call.inverse, &mut all),
            TransformKind::Forward => {
                transform(&sizes, false, &mut all);
                all = all.chunks_exact(last).flat_map(|line| line[..half[2]].iter().copied()).collect();
            }
            TransformKind::Backward => all = all.chunks_exact(half[2]).flat_map(|line| backward(last, line)).collect(),
        }
        if let Some(Hook::Factor { bits, conjugate }) = store {
            all.iter_mut().for_each(|z| *z = times(*z, f64::from_bits(bits), conjugate, wide));
        }
        write(machine, &to, call.output, number, part, &all)?;
    }
    Ok(())
}

/// Returns a result multiplied as a separate pass would: float32 is rounded before and after it.
fn times(z: Complex, by: f64, conjugate: bool, wide: bool) -> Complex {
    let one = |x: f64| if wide { x * by } else { f64::from(x as f32 * by as f32) };
    let (re, im) = (one(z.re), one(z.im));
    Complex::new(re, if conjugate { -im } else { im })
}

/// Transforms a half spectrum to real numbers: the imaginary parts of the first number and of the one in the middle are
/// ignored.
fn backward(n: usize, half: &[Complex]) -> Vec<Complex> {
    let mut line: Vec<Complex> = (0..n).map(|k| if k < half.len() { half[k] } else { half[n - k].conj() }).collect();
    line[0].im = 0.0;
    if n.is_multiple_of(2) {
        line[n / 2].im = 0.0;
    }
    lines(n, true, &mut line);
    line
}

fn transform(sizes: &[usize; 3], inverse: bool, all: &mut [Complex]) {
    let mut step = 1;
    for &n in sizes.iter().rev() {
        if n > 1 {
            along(n, step, inverse, all);
        }
        step *= n;
    }
}

fn read(machine: &Machine, side: &Side, base: u64, number_: usize, part: usize) -> Result<Vec<Complex>> {
    let (item, count) = (part * side.parts, side.sizes[2]);
    let mut all = Vec::with_capacity(side.sizes.iter().product());
    let mut line = vec![0; item * count];
    for at in side.lines(number_, part) {
        if side.layout.stride == 1 {
            machine.read(base + at, &mut line).map_err(fault)?;
        } else {
            for (k, element) in line.chunks_exact_mut(item).enumerate() {
                machine.read(base + at + (k * item) as u64 * side.layout.stride as u64, element).map_err(fault)?;
            }
        }
        all.extend(
            line.chunks_exact(item)
                .map(|e| Complex::new(number(&e[..part]), if side.parts == 2 { number(&e[part..]) } else { 0.0 })),
        );
    }
    Ok(all)
}

fn write(machine: &Machine, side: &Side, base: u64, number: usize, part: usize, all: &[Complex]) -> Result<()> {
    let item = part * side.parts;
    let store = |x: f64, to: &mut Vec<u8>| match part {
        4 => to.extend((x as f32).to_le_bytes()),
        _ => to.extend(x.to_le_bytes()),
    };
    for (at, line) in side.lines(number, part).into_iter().zip(all.chunks_exact(side.sizes[2])) {
        let mut bytes = Vec::with_capacity(line.len() * item);
        for z in line {
            store(z.re, &mut bytes);
            if side.parts == 2 {
                store(z.im, &mut bytes);
            }
        }
        if side.layout.stride == 1 {
            machine.write(base + at, &bytes).map_err(fault)?;
        } else {
            for (k, element) in bytes.chunks_exact(item).enumerate() {
                machine.write(base + at + (k * item) as u64 * side.layout.stride as u64, element).map_err(fault)?;
            }
        }
    }
    Ok(())
}
