//! Textures and surfaces: what memory they are of, and how a texture computes what it gives.
//!
//! The rules are those of the programming guide's chapter on texture fetching: linear filtering weighs with numbers of 9
//! bits, 8 of them of the fraction, so that a texel's own place has exactly the weight 1. The guide leaves open how a
//! weight is rounded; here it is to the nearest. Sums are exact, and rounded once.
//!
//! A direction into a cube map chooses a face and a place on it by the guide's table. Of a texture of several levels the
//! level that is requested, or that makes a step of the gradient one texel at most, is read; between two levels weights have
//! 8 bits of a fraction, too.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The numbers of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelKind {
    /// Unsigned integers of 8, 16 or 32 bits.
    Unsigned,
    /// Signed integers of 8, 16 or 32 bits.
    Signed,
    /// Floats of 16 or 32 bits.
    Float,
}

/// What a texel is: one, two or four numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texels {
    /// What the numbers are.
    pub kind: TexelKind,
    /// Bits of each.
    pub bits: u32,
    /// How many there are.
    pub channels: u32,
}

impl Texels {
    /// Bytes of a texel.
    pub fn bytes(self) -> u32 {
        self.bits / 8 * self.channels
    }
}

/// Memory that is read as a texture or used as a surface.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Where it begins.
    pub addr: u64,
    /// What its elements are.
    pub texels: Texels,
    /// Width, height and depth; what it has not is 0. The last one counts layers where it has any.
    pub size: [u32; 3],
    /// Whether the depth counts layers, between which nothing is filtered.
    pub layered: bool,
    /// Whether six layers each are the faces of a cube, which a direction is looked up in.
    pub cube: bool,
    /// Bytes from a row to the next.
    pub pitch: u64,
    /// Whether it is plain memory in one axis, which is read by number alone.
    pub linear: bool,
}

/// What becomes of a coordinate outside of the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The texture repeats.
    Wrap,
    /// The texel at the edge.
    Clamp,
    /// The texture repeats, each time turned around.
    Mirror,
    /// The colour of the border.
    Border,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// By axis. Wrapping and mirroring need normalised coordinates and are clamping without.
    pub address: [Address; 3],
    /// Whether neighbours are weighed, or the nearest texel is read.
    pub linear: bool,
    /// Whether integers of 8 and 16 bits are read as floats from 0, or -1, to 1.
    pub normalized_float: bool,
    /// Whether coordinates go from 0 to 1.
    pub normalized: bool,
    /// Whether bytes that are read as floats are of sRGB.
    pub srgb: bool,
    /// The colour of the border.
    pub border: [f32; 4],
    /// Whether two levels are weighed, or the nearest one is read.
    pub levels_linear: bool,
    /// What is added to a level that is requested.
    pub bias: f32,
    /// The least and the greatest level that is read.
    pub clamp: [f32; 2],
    /// How much longer than wide the part of a texture may be that a fetch by gradients weighs; 0 and 1 are none.
    pub anisotropy: u32,
}

/// The level that a fetch reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// The first one.
    Base,
    Of(f32),
    /// By how much the coordinates change along two axes of a picture.
    Steps([[f32; 3]; 2]),
}

/// What a handle stands for: a texture where it is known how it is read, else a surface. The image is the first level.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) image: Image,
    /// The levels behind the first.
    pub(crate) smaller: Box<[Image]>,
    pub(crate) sampling: Option<Sampling>,
}

/// The textures and surfaces of a machine, by handle.
#[derive(Debug, Default)]
pub(crate) struct Images(RwLock<(BTreeMap<u64, Arc<Bound>>, u64)>);

impl Images {
    pub(crate) fn add(&self, image: Image, smaller: &[Image], sampling: Option<Sampling>) -> u64 {
        let mut images = self.0.write().unwrap_or_else(PoisonError::into_inner);
        images.1 += 1;
        let handle = images.1;
        images.0.insert(handle, Arc::new(Bound { image, smaller: smaller.into(), sampling }));
        handle
    }

    pub(crate) fn remove(&self, handle: u64) -> bool {
        self.0.write().unwrap_or_else(PoisonError::into_inner).0.remove(&handle).is_some()
    }

    pub(crate) fn find(&self, handle: u64) -> Option<Arc<Bound>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).0.get(&handle).cloned()
    }
}

/// A weight that is all: 8 bits of a fraction.
const ONE: u32 = 256;

/// A texel's number along an axis, where it is in the texture, and its weight.
type Tap = (Option<u32>, u32);

impl Image {
    /// The address of a texel's first byte.
    pub(crate) fn at(&self, [x, y, z]: [u32; 3]) -> u64 {
        let row = u64::from(z) * u64::from(self.size[1].max(1)) + u64::from(y);
        self.addr + row * self.pitch + u64::from(x) * u64::from(self.texels.bytes())
    }

    /// Whether the depth counts layers or faces.
    pub(crate) fn counts_layers(&self) -> bool {
        self.layered || self.cube
    }

    /// The level at which the longer of two steps is a texel.
    fn level_of(&self, sampling: &Sampling, steps: [[f32; 3]; 2]) -> f64 {
        let longest = steps.iter().map(|step| {
            let along = |axis: usize| match self.size[axis] {
                _ if axis == 2 && self.counts_layers() => 0.0,
                n => f64::from(step[axis]) * f64::from(if sampling.normalized { n } else { n.min(1) }),
            };
            (0..3).map(|axis| along(axis).powi(2)).sum::<f64>()
        });
        0.5 * longest.fold(0.0, f64::max).log2()
    }

    fn taps_at(&self, sampling: &Sampling, at: [f32; 3], layer: u32) -> [[Tap; 2]; 3] {
        std::array::from_fn(|axis| {
            let n = self.size[axis];
            if axis == 2 && self.counts_layers() {
                let layer = (layer as i32).clamp(0, n.max(1) as i32 - 1) as u32;
                [(Some(layer), ONE), (None, 0)]
            } else if n == 0 {
                [(Some(0), ONE), (None, 0)]
            } else {
                sampling.taps(axis, at[axis], n)
            }
        })
    }
}

impl Sampling {
    /// The two texels of an axis that count at a coordinate.
    fn taps(&self, axis: usize, x: f32, n: u32) -> [Tap; 2] {
        let mut x = if x.is_nan() { 0.0 } else { f64::from(x).clamp(-1e12, 1e12) };
        let mut address = self.address[axis];
        if !self.normalized && matches!(address, Address::Wrap | Address::Mirror) {
            address = Address::Clamp;
        }
        if self.normalized {
            x *= f64::from(n);
        }
        let size = i64::from(n);
        let inside = |i: i64| match address {
            Address::Border => u32::try_from(i).ok().filter(|&i| i < n),
            Address::Wrap => Some(i.rem_euclid(size) as u32),
            Address::Mirror => Some(i.rem_euclid(2 * size).min(2 * size - 1 - i.rem_euclid(2 * size)) as u32),
            Address::Clamp => Some(i.clamp(0, size - 1) as u32),
        };
        if !self.linear {
            return [(inside(x.floor() as i64), ONE), (None, 0)];
        }
        // The place among the texels' centres, in 256ths.
        let place = ((x - 0.5) * f64::from(ONE) + 0.5).floor() as i64;
        let (i, mut weight) = (place.div_euclid(i64::from(ONE)), place.rem_euclid(i64::from(ONE)) as u32);
        if address == Address::Clamp && !(0..size - 1).contains(&i) {
            // Both are the texel at the edge, and no weight of theirs is rounded.
            weight = 0;
        }
        [(inside(i), ONE - weight), (inside(i + 1), weight)]
    }

    /// Whether integers come as integers.
    fn gives_integers(&self, texels: Texels) -> bool {
        texels.kind != TexelKind::Float && (texels.bits == 32 || !self.normalized_float)
    }
}

impl Bound {
    /// What stands for numbers of the given bits: floats, but for integers that are read as they are.
    fn number(&self, sampling: &Sampling, raw: u32, channel: usize) -> f64 {
        let Texels { kind, bits, .. } = self.image.texels;
        let signed = ((raw << (32 - bits)) as i32 >> (32 - bits)) as f64;
        let most = f64::from(u32::MAX >> (32 - bits));
        match kind {
            TexelKind::Float if bits == 16 => half_to_f64(raw as u16),
            TexelKind::Float => f64::from(f32::from_bits(raw)),
            TexelKind::Unsigned if sampling.gives_integers(self.image.texels) => f64::from(raw),
            TexelKind::Signed if sampling.gives_integers(self.image.texels) => signed,
            TexelKind::Unsigned if sampling.srgb && bits == 8 && channel < 3 => linear_light(f64::from(raw) / most),
            TexelKind::Unsigned => f64::from(raw) / most,
            TexelKind::Signed => (signed / f64::from(i32::MAX >> (32 - bits))).max(-1.0),
        }
    }

    /// The bits that a weighted sum is rounded to: those of the texels.
    fn precision(&self) -> u32 {
        match self.image.texels {
            Texels { kind: TexelKind::Float, bits: 16, .. } => 11,
            _ => f32::MANTISSA_DIGITS,
        }
    }

    /// The four numbers of a texture at a place: the bits of floats, or integers. `read` gives the numbers of a texel of a
    /// level as they are in memory. Coordinates of axes that the texture has not are not looked at.
    pub(crate) fn fetch<E>(
        &self,
        sampling: &Sampling,
        mut at: [f32; 3],
        mut layer: u32,
        level: Level,
        mut read: impl FnMut(&Image, [u32; 3]) -> Result<[u32; 4], E>,
    ) -> Result<[u32; 4], E> {
        let mut options = *sampling;
        let mut steps = level;
        if self.image.cube {
            let (face, place, moved) = on_cube(at, level);
            (at, steps) = (place, moved);
            layer = (layer as i32).clamp(0, self.image.size[2] as i32 / 6 - 1) as u32 * 6 + face;
            // A place on a face is from 0 to 1, and nothing of the next face is read.
            options = Sampling { normalized: true, address: [Address::Clamp; 3], ..options };
        }
        let mut sums = [0.0; 4];
        for (image, part) in self.levels(&options, steps) {
            if part == 0 {
                continue;
            }
            let taps = image.taps_at(&options, at, layer);
            for ([x, y, z], weight) in corners(&taps, part) {
                let weight = f64::from(weight) / f64::from(ONE);
                if weight == 0.0 {
                    continue;
                }
                let texel = match (x, y, z) {
                    (Some(x), Some(y), Some(z)) => Some(read(image, [x, y, z])?),
                    _ => None,
                };
                for (channel, sum) in sums.iter_mut().enumerate().take(image.texels.channels as usize) {
                    let number = match texel {
                        Some(raw) => self.number(sampling, raw[channel], channel),
                        None => f64::from(sampling.border[channel]),
                    };
                    // A texel that alone counts is given as it is, a NaN or an infinity, too.
                    *sum = if weight == 1.0 { number } else { *sum + weight * number };
                }
            }
        }
        let integers = sampling.gives_integers(self.image.texels);
        Ok(sums.map(|sum| if integers { sum as i64 as u32 } else { half_up(sum, self.precision()).to_bits() }))
    }

    /// The two levels that are read and their weights.
    fn levels(&self, sampling: &Sampling, level: Level) -> [(&Image, u32); 2] {
        let of = |k: usize| if k == 0 { &self.image } else { &self.smaller[(k - 1).min(self.smaller.len() - 1)] };
        let asked = match level {
            Level::Base => 0.0,
            _ if self.smaller.is_empty() => 0.0,
            Level::Of(level) => f64::from(level),
            Level::Steps(steps) => self.image.level_of(sampling, steps),
        };
        if matches!(level, Level::Base) || self.smaller.is_empty() {
            return [(&self.image, ONE), (&self.image, 0)];
        }
        let [least, most] = sampling.clamp.map(f64::from);
        let last = self.smaller.len() as f64;
        let level = (asked + f64::from(sampling.bias)).max(least).min(most).clamp(0.0, last);
        if !sampling.levels_linear {
            // Half way it is the level behind.
            return [(of((level + 0.5).floor() as usize), ONE), (&self.image, 0)];
        }
        // Of a level's fraction eight bits count, as a sweep on an H200 shows.
        let place = (level * f64::from(ONE)).floor() as u32;
        let (k, weight) = ((place / ONE) as usize, place % ONE);
        [(of(k), ONE - weight), (of(k + 1), weight)]
    }

    /// One channel of the four texels about a place in two axes, from the lower left one on, against the clock.
    pub(crate) fn gather<E>(
        &self,
        sampling: &Sampling,
        at: [f32; 2],
        channel: usize,
        mut read: impl FnMut([u32; 3]) -> Result<[u32; 4], E>,
    ) -> Result<[u32; 4], E> {
        let linear = Sampling { linear: true, ..*sampling };
        let [x, y, _] = self.image.taps_at(&linear, [at[0], at[1], 0.0], 0);
        let mut out = [0; 4];
        for (slot, (x, y)) in out.iter_mut().zip([(x[0], y[1]), (x[1], y[1]), (x[1], y[0]), (x[0], y[0])]) {
            let number = match (x.0, y.0) {
                (Some(x), Some(y)) => self.number(sampling, read([x, y, 0])?[channel], channel),
                _ => f64::from(sampling.border[channel]),
            };
            let integers = sampling.gives_integers(self.image.texels);
            *slot = if integers { number as i64 as u32 } else { (number as f32).to_bits() };
        }
        Ok(out)
    }
}

/// The face of a cube that a direction meets, the place on it from 0 to 1, and by how much a step of the direction moves it:
/// the table of the guide's section on cube maps.
fn on_cube(at: [f32; 3], level: Level) -> (u32, [f32; 3], Level) {
    let [x, y, z] = at.map(|v| v.abs());
    let axis = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    let back = at[axis].is_sign_negative() && at[axis] != 0.0;
    // What of a vector is across the face, and which way.
    let turn = |v: [f32; 3]| -> [f64; 3] {
        let v = v.map(f64::from);
        let [m, s, t] = match (axis, back) {
            (0, false) => [v[0], -v[2], -v[1]],
            (0, true) => [-v[0], v[2], -v[1]],
            (1, false) => [v[1], v[0], v[2]],
            (1, true) => [-v[1], v[0], -v[2]],
            (_, false) => [v[2], v[0], -v[1]],
            (_, true) => [-v[2], -v[0], -v[1]],
        };
        [s, t, m]
    };
    let [s, t, m] = turn(at);
    let place = [s, t].map(|c| (c / m + 1.0) / 2.0);
    let moved = match level {
        Level::Steps(steps) => Level::Steps(steps.map(|step| {
            let [ds, dt, dm] = turn(step);
            [(ds - s / m * dm) / m / 2.0, (dt - t / m * dm) / m / 2.0, 0.0].map(|c| c as f32)
        })),
        other => other,
    };
    (2 * axis as u32 + u32::from(back), [place[0] as f32, place[1] as f32, 0.0], moved)
}

/// The corners of the box of texels, and their weights, whose sum is that of the level. A weight is rounded to 256ths, as a sweep
/// on an H200 shows: what z takes of the level, what x takes of that, and what y takes of that, where halves go up for the upper x and
/// down for the lower.
fn corners(taps: &[[Tap; 2]; 3], part: u32) -> impl Iterator<Item = ([Option<u32>; 3], u32)> + '_ {
    let [x, y, z] = taps.map(|[_, (_, upper)]| upper);
    let back = (part * z + ONE / 2) / ONE;
    (0..8).map(move |k| {
        let of = |axis: usize| taps[axis][k >> axis & 1];
        let plane = if k & 4 == 0 { part - back } else { back };
        let right = (plane * x + ONE / 2) / ONE;
        let (both, above) = match k & 1 {
            0 => (plane - right, ((plane - right) * y + ONE / 2 - 1) / ONE),
            _ => (right, (right * y + ONE / 2) / ONE),
        };
        let weight = if k & 2 == 0 { both - above } else { above };
        (std::array::from_fn(|axis| of(axis).0), weight)
    })
}

/// The nearest float of so many bits, and half way the larger one, as an H200 rounds sums.
fn half_up(sum: f64, bits: u32) -> f32 {
    let lost = f64::MANTISSA_DIGITS - bits;
    if !sum.is_finite() {
        return sum as f32;
    }
    f64::from_bits((sum.to_bits() + (1 << (lost - 1))) >> lost << lost) as f32
}

fn half_to_f64(bits: u16) -> f64 {
    let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if sign == 1 { -size } else { size }
}

/// The light of a number of sRGB, of which the hardware's table has eight bits.
fn linear_light(c: f64) -> f64 {
    let light = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    if light == 0.0 {
        return light;
    }
    let step = (light.log2().floor() - 7.0).exp2();
    (light / step).round() * step
}
