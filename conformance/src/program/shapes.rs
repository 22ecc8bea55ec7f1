//! Random shapes, scalars, indices and layouts of programs.

use cuprum_kernels::DType;

use crate::case::{Layout, Scalar, ValueSet};
use crate::random::Rng;
use crate::text::{Key, Shape};

/// Lengths of axes: 0, 1, small ones, and those around warps, blocks and the tiles of the engines.
const LENGTHS: [usize; 40] = [
    1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 255,
    256, 257, 300, 511, 512, 513, 1023, 1024, 1025,
];

/// Lengths of single axes around larger tiles.
const LONG: [usize; 12] = [2047, 2048, 2049, 3000, 4095, 4096, 4097, 5121, 8191, 8192, 8193, 9001];

/// Lengths beyond several blocks.
const LONGEST: [usize; 5] = [12_289, 16_385, 32_769, 65_537, 100_003];

/// Chooses a shape of at most `limit` elements.
pub fn shape(rng: &mut Rng, limit: usize) -> Vec<usize> {
    let rank = match rng.below(100) {
        0..6 => 0,
        6..40 => 1,
        40..66 => 2,
        66..82 => 3,
        82..89 => 4,
        89..97 => 5 + rng.below(4),
        _ => 9 + rng.below(24),
    };
    if rank == 1 && limit >= 9001 && rng.below(12) == 0 {
        return vec![rng.pick(&LONG)];
    }
    if rank == 1 && limit >= 9001 && rng.below(60) == 0 {
        return vec![rng.pick(&LONGEST)];
    }
    let mut room = limit.max(1);
    let mut shape: Vec<usize> = (0..rank)
        .map(|_| {
            let wide = if rank > 3 { 14 } else { LENGTHS.len() };
            let n = rng.pick(&LENGTHS[..wide]).min(room);
            room /= n;
            n
        })
        .collect();
    rng.shuffle(&mut shape);
    if rng.below(16) == 0 && rank > 0 {
        let axis = rng.below(rank);
        shape[axis] = 0;
    }
    shape
}

/// Chooses a shape that broadcasts with another one; occasionally one that does not.
pub fn partner(rng: &mut Rng, shape: &[usize]) -> Vec<usize> {
    let dropped = if rng.below(3) == 0 { rng.below(shape.len() + 1) } else { 0 };
    let mut out: Vec<usize> = shape[dropped..].to_vec();
    for n in &mut out {
        if rng.below(6) == 0 {
            *n = 1;
        }
    }
    if rng.below(40) == 0 && !out.is_empty() {
        let axis = rng.below(out.len());
        out[axis] += 1;
    }
    out
}

/// Chooses a host scalar.
pub fn scalar(rng: &mut Rng) -> Scalar {
    match rng.below(20) {
        0 => Scalar::Bool(rng.below(2) == 0),
        1..11 => Scalar::Int(rng.pick(&[0, 1, 2, 3, -1, -2, 7, 10, 255, 300])),
        11 => Scalar::Int(rng.pick(&[1 << 31, 1 << 40, -(1 << 31), (1 << 63) - 1, 1 << 63, 1 << 64])),
        12..17 => Scalar::Float(rng.pick(&[0.5, -0.5, 1.0, 2.5, -0.0, 3.75, 1e-3])),
        17 => Scalar::Float(rng.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, 1e-310])),
        _ => Scalar::Imaginary(rng.pick(&[1.0, -0.5, 2.0])),
    }
}

/// Chooses an axis of an array; occasionally one out of bounds.
pub fn axis(rng: &mut Rng, ndim: usize) -> i64 {
    let n = ndim as i64;
    if rng.below(40) == 0 || n == 0 {
        return rng.pick(&[n, -n - 1, 0, -1]);
    }
    rng.below(2 * ndim) as i64 - n
}

/// Chooses distinct axes of an array.
pub fn axes(rng: &mut Rng, ndim: usize, count: usize) -> Vec<i64> {
    let mut all: Vec<i64> = (0..ndim as i64).collect();
    rng.shuffle(&mut all);
    all.truncate(count);
    for axis in &mut all {
        if rng.below(3) == 0 {
            *axis -= ndim as i64;
        }
    }
    if rng.below(60) == 0 && !all.is_empty() {
        all.push(all[0]);
    }
    all
}

/// Chooses an index expression: integers, slices of any step, new axes, an ellipsis.
pub fn key(rng: &mut Rng, shape: &[usize]) -> Vec<Key> {
    let mut key = vec![];
    let mut ellipsis = false;
    let mut axis = 0;
    while axis < shape.len() {
        let n = shape[axis] as i64;
        match rng.below(12) {
            0 if shape.len() < 30 => {
                key.push(Key::NewAxis);
                continue;
            }
            1 if !ellipsis && rng.below(2) == 0 => {
                ellipsis = true;
                let skipped = rng.below(shape.len() - axis + 1);
                key.push(Key::Ellipsis);
                axis += skipped;
                continue;
            }
            2 | 3 if n > 0 => {
                let beyond = rng.below(60) == 0;
                key.push(Key::At(if beyond { n } else { rng.below(2 * n as usize) as i64 - n }));
            }
            4..8 => {
                let end = |rng: &mut Rng| match rng.below(3) {
                    0 => None,
                    _ => Some(rng.below(2 * n as usize + 3) as i64 - n - 1),
                };
                let step = rng.pick(&[1, 1, 2, 3, -1, -1, -2, -3, 7]);
                let (start, stop) = (end(rng), end(rng));
                // Most slices are not empty.
                let empty = matches!((start, stop), (Some(a), Some(b)) if (b.rem_euclid(n.max(1)) - a.rem_euclid(n.max(1))).signum() != i64::signum(step));
                key.push(if empty && rng.below(8) > 0 {
                    Key::Slice(None, None, step)
                } else {
                    Key::Slice(start, stop, step)
                });
            }
            _ => key.push(Key::Slice(None, None, 1)),
        }
        axis += 1;
        if rng.below(5) == 0 {
            break;
        }
    }
    if shape.is_empty() && rng.below(2) == 0 {
        key.push(Key::NewAxis);
    }
    key
}

/// Chooses a shape with the same number of elements, one length of which may be -1.
pub fn reshaped(rng: &mut Rng, size: usize) -> Vec<i64> {
    let mut left = size;
    let mut shape: Vec<i64> = vec![];
    let rank = if rng.below(20) == 0 { 8 + rng.below(25) } else { rng.below(5) };
    for _ in 0..rank {
        let divisors: Vec<usize> = (1..=left.min(70)).filter(|d| left.is_multiple_of(*d)).collect();
        let n = if divisors.is_empty() { left } else { rng.pick(&divisors) };
        shape.push(n as i64);
        left /= n.max(1);
    }
    if left != 1 || size == 0 {
        shape.push(if size == 0 { 0 } else { left as i64 });
    }
    rng.shuffle(&mut shape);
    if rng.below(4) == 0 && !shape.is_empty() {
        let at = rng.below(shape.len());
        shape[at] = -1;
    }
    if rng.below(40) == 0 {
        shape.push(2);
    }
    shape
}

/// Chooses the memory layout of a new array.
pub fn layout(rng: &mut Rng, shape: &[usize]) -> Layout {
    let layout = match rng.below(10) {
        0..5 => Layout::C,
        _ => rng.pick(Layout::ALL),
    };
    let size = |shape: &[usize]| shape.iter().fold(1usize, |n, m| n.saturating_mul(*m));
    // With gaps along each of many axes the memory would be mostly gaps.
    let is_small = || size(&layout.plan(shape).0) <= 4 * size(shape) + 64;
    if layout.applies(&Shape(shape.to_vec())) && is_small() { layout } else { Layout::C }
}

/// Chooses the value set of a new array of a dtype.
pub fn values(rng: &mut Rng, dtype: DType, of_function: &[ValueSet]) -> ValueSet {
    const USUAL: [ValueSet; 8] = [
        ValueSet::Small,
        ValueSet::Small,
        ValueSet::Small,
        ValueSet::Natural,
        ValueSet::Uniform,
        ValueSet::Special,
        ValueSet::Limits,
        ValueSet::Positive,
    ];
    let set = if of_function.is_empty() || rng.below(3) == 0 { rng.pick(&USUAL) } else { rng.pick(of_function) };
    if set.applies(dtype) { set } else { ValueSet::Small }
}
