//! Textures and surfaces: their memory, and the computation of texture fetches.
//!
//! The rules are those of the programming guide's chapter on texture fetching: linear filtering uses 9-bit weights, 8
//! of them of the fraction, so that a texel's own position has exactly the weight 1. The guide leaves the rounding of a
//! weight undefined; here it is to the nearest. Sums are exact, and rounded once.
//!
//! A direction into a cube map selects a face and a position on it by the guide's table. Of a texture with several
//! levels the requested level, or the one at which a step of the gradient is at most one texel, is read; between two
//! levels weights have an 8-bit fraction, too.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The type of a texel's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelKind {
    /// Unsigned integers of 8, 16 or 32 bits.
    Unsigned,
    /// Signed integers of 8, 16 or 32 bits.
    Signed,
    /// Floats of 16 or 32 bits.
    Float,
}

/// The format of a texel: one, two or four components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texels {
    /// The type of the components.
    pub kind: TexelKind,
    /// The bits of each component.
    pub bits: u32,
    /// The number of components.
    pub channels: u32,
}

impl Texels {
    /// Returns the number of bytes of a texel.
    pub fn bytes(self) -> u32 {
        self.bits / 8 * self.channels
    }
}

/// Memory that is read as a texture or used as a surface.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// The start address.
    pub addr: u64,
    /// The format of its elements.
    pub texels: Texels,
    /// Width, height and depth; missing axes are 0. The last one is the number of layers if it has any.
    pub size: [u32; 3],
    /// True if the depth is a number of layers, between which nothing is filtered.
    pub layered: bool,
    /// True if each six layers are the faces of a cube, which is accessed by a direction.
    pub cube: bool,
    /// Bytes between consecutive rows.
    pub pitch: u64,
    /// True if it is linear memory with one axis, which is read by index only.
    pub linear: bool,
}

/// The address mode: the treatment of a coordinate outside of the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The texture repeats.
    Wrap,
    /// The texel at the edge.
    Clamp,
    /// The texture repeats, alternately mirrored.
    Mirror,
    /// The border colour.
    Border,
}

/// The sampling mode of a texture.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// The address mode by axis. Wrapping and mirroring need normalised coordinates and are clamping without.
    pub address: [Address; 3],
    /// True for linear filtering between neighbours, false for the nearest texel.
    pub linear: bool,
    /// True if 8- and 16-bit integers are read as floats from 0, or -1, to 1.
    pub normalized_float: bool,
    /// True if coordinates are normalised to 0 to 1.
    pub normalized: bool,
    /// True if bytes that are read as floats are sRGB.
    pub srgb: bool,
    /// The border colour.
    pub border: [f32; 4],
    /// True for linear filtering between two levels, false for the nearest one.
    pub levels_linear: bool,
    /// The bias that is added to a requested level.
    pub bias: f32,
    /// The smallest and the largest level that is read.
    pub clamp: [f32; 2],
    /// The maximum anisotropy of a fetch by gradients; 0 and 1 are none.
    pub anisotropy: u32,
}

/// The level that a fetch reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// The first level.
    Base,
    Of(f32),
    /// The gradients: the change of the coordinates along two axes of an image.
    Steps([[f32; 3]; 2]),
}

/// The object of a handle: a texture if it has a sampling mode, else a surface. The image is the first level.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) image: Image,
    /// The levels after the first.
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

/// The weight 1, with an 8-bit fraction.
const ONE: u32 = 256;

/// A texel's index along an axis, if it is in the texture, and its weight.
type Tap = (Option<u32>, u32);

impl Image {
    /// Returns the address of a texel's first byte.
    pub(crate) fn at(&self, [x, y, z]: [u32; 3]) -> u64 {
        let row = u64::from(z) * u64::from(self.size[1].max(1)) + u64::from(y);
        self.addr + row * self.pitch + u64::from(x) * u64::from(self.texels.bytes())
    }

    /// Returns true if the depth is a number of layers or faces.
    pub(crate) fn counts_layers(&self) -> bool {
        self.layered || self.cube
    }

    /// Returns the level at which the longer of two steps is one texel.
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
    /// Returns the two texels of an axis that contribute at a coordinate.
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
        // The position relative to the texels' centres, in units of 1/256.
        let position = ((x - 0.5) * f64::from(ONE) + 0.5).floor() as i64;
        let (i, mut weight) = (position.div_euclid(i64::from(ONE)), position.rem_euclid(i64::from(ONE)) as u32);
        if address == Address::Clamp && !(0..size - 1).contains(&i) {
            // Both are the texel at the edge, and their weights are not rounded.
            weight = 0;
        }
        [(inside(i), ONE - weight), (inside(i + 1), weight)]
    }

    /// Returns true if integers are returned as integers.
    fn gives_integers(&self, texels: Texels) -> bool {
        texels.kind != TexelKind::Float && (texels.bits == 32 || !self.normalized_float)
    }
}

impl Bound {
    /// Converts a component to a number: floats, except for integers that are returned as integers.
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

    /// Returns the number of bits to which a weighted sum is rounded: that of the texels.
    fn precision(&self) -> u32 {
        match self.image.texels {
            Texels { kind: TexelKind::Float, bits: 16, .. } => 11,
            _ => f32::MANTISSA_DIGITS,
        }
    }

    /// Returns the four components of a texture at coordinates: the bits of floats, or integers. `read` returns the
    /// components of a texel of a level as they are in memory. Coordinates of axes that the texture lacks are ignored.
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
            let (face, position, moved) = on_cube(at, level);
            (at, steps) = (position, moved);
            layer = (layer as i32).clamp(0, self.image.size[2] as i32 / 6 - 1) as u32 * 6 + face;
            // Coordinates on a face are from 0 to 1, and the adjacent face is not read.
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
                    // A single texel is returned as it is, also if it is NaN or infinite.
                    *sum = if weight == 1.0 { number } else { *sum + weight * number };
                }
            }
        }
        let integers = sampling.gives_integers(self.image.texels);
        Ok(sums.map(|sum| if integers { sum as i64 as u32 } else { half_up(sum, self.precision()).to_bits() }))
    }

    /// Returns the two levels that are read and their weights.
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
            // Half way it is the next level.
            return [(of((level + 0.5).floor() as usize), ONE), (&self.image, 0)];
        }
        // Eight bits of a level's fraction are used, as a sweep on an H200 shows.
        let position = (level * f64::from(ONE)).floor() as u32;
        let (k, weight) = ((position / ONE) as usize, position % ONE);
        [(of(k), ONE - weight), (of(k + 1), weight)]
    }

    /// Returns one channel of the four texels around a position in two axes, from the lower left one on,
    /// counterclockwise.
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

/// Returns the face of a cube that a direction meets, the coordinates on it from 0 to 1, and their change by a step of
/// the direction: the table of the guide's section on cube maps.
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
    // The components of a vector across the face, with their signs.
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
    let position = [s, t].map(|c| (c / m + 1.0) / 2.0);
    let moved = match level {
        Level::Steps(steps) => Level::Steps(steps.map(|step| {
            let [ds, dt, dm] = turn(step);
            [(ds - s / m * dm) / m / 2.0, (dt - t / m * dm) / m / 2.0, 0.0].map(|c| c as f32)
        })),
        other => other,
    };
    (2 * axis as u32 + u32::from(back), [position[0] as f32, position[1] as f32, 0.0], moved)
}

/// Returns the corners of the box of texels, and their weights, whose sum is that of the level. A weight is rounded to
/// multiples of 1/256, as a sweep on an H200 shows: first the part of z in the level, then that of x in it, and then
/// that of y in it, where ties are rounded up for the upper x and down for the lower.
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

/// Rounds to the nearest float of this many bits, ties up, as an H200 rounds sums.
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

/// Converts an sRGB component to a linear value, for which the hardware's table has eight bits.
fn linear_light(c: f64) -> f64 {
    let light = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    if light == 0.0 {
        return light;
    }
    let step = (light.log2().floor() - 7.0).exp2();
    (light / step).round() * step
}
