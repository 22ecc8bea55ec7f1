//! Textures and surfaces: what memory they are of, and how a texture computes what it gives.
//!
//! The rules are those of the programming guide's chapter on texture fetching: linear filtering weighs with numbers of 9
//! bits, 8 of them of the fraction, so that a texel's own place has exactly the weight 1. The guide leaves open how a
//! weight is rounded; here it is to the nearest. Sums are exact, and rounded once.

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
}

/// What a handle stands for: a texture where it is known how it is read, else a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub(crate) image: Image,
    pub(crate) sampling: Option<Sampling>,
}

/// The textures and surfaces of a machine, by handle.
#[derive(Debug, Default)]
pub(crate) struct Images(RwLock<(BTreeMap<u64, Arc<Bound>>, u64)>);

impl Images {
    pub(crate) fn add(&self, image: Image, sampling: Option<Sampling>) -> u64 {
        let mut images = self.0.write().unwrap_or_else(PoisonError::into_inner);
        images.1 += 1;
        let handle = images.1;
        images.0.insert(handle, Arc::new(Bound { image, sampling }));
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
            let whole = x.floor();
            x = match address {
                Address::Wrap => x - whole,
                Address::Mirror if whole.rem_euclid(2.0) == 0.0 => x - whole,
                Address::Mirror => 1.0 - (x - whole),
                _ => x,
            } * f64::from(n);
        }
        let inside = |i: i64| match address {
            Address::Border => u32::try_from(i).ok().filter(|&i| i < n),
            Address::Wrap => Some(i.rem_euclid(i64::from(n)) as u32),
            _ => Some(i.clamp(0, i64::from(n) - 1) as u32),
        };
        if !self.linear {
            return [(inside(x.floor() as i64), ONE), (None, 0)];
        }
        // The place among the texels' centres, in 256ths.
        let place = ((x - 0.5) * f64::from(ONE) + 0.5).floor() as i64;
        let (i, weight) = (place.div_euclid(i64::from(ONE)), place.rem_euclid(i64::from(ONE)) as u32);
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

    /// The four numbers of a texture at a place: the bits of floats, or integers. `read` gives the numbers of a texel as
    /// they are in memory. Coordinates of axes that the texture has not are not looked at.
    pub(crate) fn fetch<E>(
        &self,
        sampling: &Sampling,
        at: [f32; 3],
        layer: u32,
        mut read: impl FnMut([u32; 3]) -> Result<[u32; 4], E>,
    ) -> Result<[u32; 4], E> {
        let image = &self.image;
        let axes = self.taps_at(sampling, at, layer);
        let mut sums = [0.0; 4];
        for [(x, wx), (y, wy), (z, wz)] in corners(&axes) {
            let weight = f64::from(wx) * f64::from(wy) * f64::from(wz) / f64::from(ONE).powi(3);
            if weight == 0.0 {
                continue;
            }
            let texel = match (x, y, z) {
                (Some(x), Some(y), Some(z)) => Some(read([x, y, z])?),
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
        let integers = sampling.gives_integers(image.texels);
        Ok(sums.map(|sum| if integers { sum as i64 as u32 } else { (sum as f32).to_bits() }))
    }

    fn taps_at(&self, sampling: &Sampling, at: [f32; 3], layer: u32) -> [[Tap; 2]; 3] {
        let image = &self.image;
        std::array::from_fn(|axis| {
            let n = image.size[axis];
            if axis == 2 && image.layered {
                let layer = (layer as i32).clamp(0, n.max(1) as i32 - 1) as u32;
                [(Some(layer), ONE), (None, 0)]
            } else if n == 0 {
                [(Some(0), ONE), (None, 0)]
            } else {
                sampling.taps(axis, at[axis], n)
            }
        })
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
        let [x, y, _] = self.taps_at(&linear, [at[0], at[1], 0.0], 0);
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

/// The corners of the box of texels that are weighed.
fn corners(axes: &[[Tap; 2]; 3]) -> impl Iterator<Item = [Tap; 3]> + '_ {
    (0..8).map(|k| std::array::from_fn(|axis| axes[axis][k >> axis & 1]))
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

/// The light of a number of sRGB.
fn linear_light(c: f64) -> f64 {
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}
