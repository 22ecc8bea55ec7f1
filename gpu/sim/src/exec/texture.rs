//! Textures and surfaces: fetches, loads, stores and queries.

use std::sync::Arc;

use super::access::{aligned, writable};
use super::atomic::apply;
use super::block::Context;
use super::defined::{Row, Source};
use super::run::{row, set};
use super::warp::{Lane, Warp, lanes_of};
use super::{AtomicOp, Function, Src};
use crate::FaultKind;
use crate::memory::{Denied, How, View};
use crate::ops::{Lanes, Round, Type, half};
use crate::texture::{Bound, Image, Level, Sampling, TexelKind};

/// The geometry of an instruction: one to three coordinates, or one and two preceded by a layer; or a direction into a
/// cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) axes: usize,
    pub(crate) layered: bool,
    pub(crate) cube: bool,
}

impl Geometry {
    /// Returns the number of coordinates, including the layer.
    pub(crate) fn coordinates(self) -> usize {
        self.axes + usize::from(self.layered) + usize::from(self.cube)
    }
}

/// The level of a fetch. The words after the coordinates are the level, or the gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mip {
    Base,
    Level,
    Gradient,
}

/// The behaviour of an access outside of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Trap,
    Clamp,
    /// Loads return zero and stores do nothing.
    Zero,
}

/// The operation on a texture or a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// Width, height or depth.
    Size(usize),
    Layers,
    Levels,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ImageOp {
    /// A texture fetch at coordinates, which are floats or integers.
    Fetch(Geometry, Mip, bool),
    /// One channel of four texels.
    Gather(usize),
    /// A surface load of elements of this many bytes.
    Load(Geometry, u32, Outside),
    Store(Geometry, u32, Outside),
    /// A formatted store of texels, whose first coordinate is an index, with conversion.
    StoreTexel(Geometry, Outside),
    Reduce(Geometry, AtomicOp, Type, Outside),
    Query(Query),
}

#[derive(Clone, Debug)]
pub(crate) struct ImageCode {
    pub(crate) op: ImageOp,
    pub(crate) targets: Box<[Option<u32>]>,
    pub(crate) image: Src,
    pub(crate) coordinates: Box<[Src]>,
    /// The values that are stored.
    pub(crate) sources: Box<[Src]>,
}

/// Four values of each lane, and which of them are undefined.
struct Given {
    values: [Lanes; 4],
    marks: Option<Box<Row>>,
}

impl Warp {
    #[inline(never)]
    pub(super) fn image(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &mut [Lanes],
        frame: usize,
        code: &ImageCode,
        mask: u32,
    ) -> Lane<()> {
        let handle = *row(registers, function, code.image);
        let coordinates: Vec<Lanes> = code.coordinates.iter().map(|&c| *row(registers, function, c)).collect();
        let mut given = Given { values: [[0; 32]; 4], marks: None };
        let mut last: Option<(u64, Arc<Bound>)> = None;
        for l in lanes_of(mask) {
            let fail = |e| (l, e);
            if last.as_ref().is_none_or(|(known, _)| *known != handle[l]) {
                last = Some((handle[l], bound(cx, handle[l]).map_err(fail)?));
            }
            let Some((_, image)) = &last else { continue };
            let at: Vec<u64> = coordinates.iter().map(|c| c[l]).collect();
            match code.op {
                ImageOp::Fetch(geometry, mip, floats) => {
                    self.fetch_texels(cx, image, (geometry, mip), floats, &at, l, &mut given).map_err(fail)?;
                }
                ImageOp::Gather(channel) => {
                    let sampling = texture(image).map_err(fail)?;
                    let at = [at[0], at[1]].map(|x| f32::from_bits(x as u32));
                    let read = |texel| self.texel(cx, &image.image, texel, l, &mut given.marks);
                    let found = image.gather(&sampling, at, channel, read).map_err(fail)?;
                    (0..4).for_each(|k| given.values[k][l] = found[k].into());
                }
                ImageOp::Load(geometry, bytes, outside) => {
                    let all = bytes * code.targets.len() as u32;
                    let Some(addr) = place(image, geometry, &at, (1, all), outside).map_err(fail)? else { continue };
                    for k in 0..code.targets.len() {
                        let addr = addr + k as u64 * u64::from(bytes);
                        given.values[k][l] = self.peek_at(cx, addr, bytes, l, &mut given.marks).map_err(fail)?;
                    }
                }
                ImageOp::Store(geometry, bytes, outside) => {
                    let all = bytes * code.sources.len() as u32;
                    let Some(addr) = place(image, geometry, &at, (1, all), outside).map_err(fail)? else { continue };
                    for (k, &source) in code.sources.iter().enumerate() {
                        let value = row(registers, function, source)[l];
                        let marks = self.mark_of(frame, source, l).0;
                        let addr = addr + k as u64 * u64::from(bytes);
                        self.poke_at(cx, addr, bytes, (value, marks), l).map_err(fail)?;
                    }
                }
                ImageOp::StoreTexel(geometry, outside) => {
                    let texels = image.image.texels;
                    let unit = (texels.bytes(), texels.bytes());
                    let Some(addr) = place(image, geometry, &at, unit, outside).map_err(fail)? else { continue };
                    for k in 0..texels.channels as usize {
                        // Components that the vector lacks are written with undefined values.
                        let (value, marks) = match code.sources.get(k) {
                            Some(&source) => {
                                let raw = row(registers, function, source)[l] as u32;
                                let undefined = self.mark_of(frame, source, l).0 & u64::from(u32::MAX);
                                let marks = if undefined == 0 { 0 } else { u64::MAX };
                                (number(&image.image, raw).map_err(fail)?, marks)
                            }
                            None => (0, u64::MAX),
                        };
                        let bytes = texels.bits / 8;
                        let addr = addr + k as u64 * u64::from(bytes);
                        self.poke_at(cx, addr, bytes, (value.into(), marks), l).map_err(fail)?;
                    }
                }
                ImageOp::Reduce(geometry, op, ty, outside) => {
                    let bytes = ty.bytes() as u32;
                    let Some(addr) = place(image, geometry, &at, (1, bytes), outside).map_err(fail)? else { continue };
                    let value = row(registers, function, code.sources[0])[l] & ty.mask();
                    let (a, offset) = cx.view.find(addr, bytes.into()).map_err(fail)?;
                    writable(a, offset, bytes).map_err(fail)?;
                    cx.touch((self.thread(l), self.epoch), (addr, bytes.into()), How::Atomic, || false)
                        .map_err(fail)?;
                    a.update(offset, bytes, |old| apply(op, ty, old, value, value, true));
                    if self.mark_of(frame, code.sources[0], l).0 != 0 {
                        a.set_undefined(offset, bytes, ty.mask());
                    }
                }
                ImageOp::Query(query) => given.values[0][l] = answer(image, query),
            }
        }
        for (k, target) in code.targets.iter().enumerate() {
            let Some(d) = target else { continue };
            set(registers, *d, mask, |l| given.values[k][l]);
            match &given.marks {
                Some(row) => self.set_marks(frame, *d as usize, mask, |l| (row.bits[l], row.origin[l])),
                None => self.define(frame, *d, mask),
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "a lane's part of an instruction, and where its result goes")]
    fn fetch_texels(
        &self,
        cx: &mut Context<'_>,
        image: &Bound,
        (geometry, mip): (Geometry, Mip),
        floats: bool,
        at: &[u64],
        l: usize,
        given: &mut Given,
    ) -> Result<(), Denied> {
        let sampling = texture(image)?;
        agree(&image.image, geometry, "texture")?;
        let (at, behind) = at.split_at(geometry.coordinates());
        let (layer, at) = if geometry.layered { (at[0] as u32, &at[1..]) } else { (0, at) };
        if image.image.linear {
            // Linear memory is read by index, and is zero outside.
            let x = if floats { f32::from_bits(at[0] as u32).floor() as i64 } else { i64::from(at[0] as i32) };
            let Some(x) = u32::try_from(x).ok().filter(|&x| x < image.image.size[0]) else { return Ok(()) };
            let whole = Sampling { linear: false, ..sampling };
            // A float does not represent all indices: the index is passed to the memory and not as a coordinate.
            let read = |of: &Image, _| self.texel(cx, of, [x, 0, 0], l, &mut given.marks);
            let found = image.fetch(&whole, [0.0; 3], 0, Level::Base, read)?;
            (0..4).for_each(|k| given.values[k][l] = found[k].into());
            return Ok(());
        }
        let float = |x: u64| f32::from_bits(x as u32);
        let number = |axis: usize| match at.get(axis) {
            Some(&x) if floats => float(x),
            Some(&x) => x as i32 as f32,
            None => 0.0,
        };
        let at = [number(0), number(1), number(2)];
        let level = match mip {
            Mip::Base => Level::Base,
            Mip::Level => Level::Of(float(behind[0])),
            Mip::Gradient if sampling.anisotropy > 1 => {
                let what = format!(
                    "the texture was made with an anisotropy of {}, which the simulator does not weigh by: 1 is none",
                    sampling.anisotropy
                );
                return Err((FaultKind::BadOperand, what));
            }
            Mip::Gradient => {
                let (x, y) = behind.split_at(behind.len() / 2);
                Level::Steps([x, y].map(|step| std::array::from_fn(|axis| step.get(axis).map_or(0.0, |&v| float(v)))))
            }
        };
        let read = |of: &Image, texel| self.texel(cx, of, texel, l, &mut given.marks);
        let found = image.fetch(&sampling, at, layer, level, read)?;
        (0..4).for_each(|k| given.values[k][l] = found[k].into());
        Ok(())
    }

    /// Returns the components of a texel as they are in memory.
    fn texel(
        &self,
        cx: &mut Context<'_>,
        image: &Image,
        texel: [u32; 3],
        l: usize,
        marks: &mut Option<Box<Row>>,
    ) -> Result<[u32; 4], Denied> {
        let (addr, bytes) = (image.at(texel), image.texels.bits / 8);
        let mut numbers = [0; 4];
        for (k, number) in numbers.iter_mut().enumerate().take(image.texels.channels as usize) {
            *number = self.peek_at(cx, addr + k as u64 * u64::from(bytes), bytes, l, marks)? as u32;
        }
        Ok(numbers)
    }

    /// Returns the value at an address of the image. Undefined bits are marked.
    fn peek_at(
        &self,
        cx: &mut Context<'_>,
        addr: u64,
        bytes: u32,
        l: usize,
        marks: &mut Option<Box<Row>>,
    ) -> Result<u64, Denied> {
        aligned(addr, bytes.into())?;
        let (a, offset) = cx.view.find(addr, bytes.into())?;
        cx.touch((self.thread(l), self.epoch), (addr, bytes.into()), How::Read, || false)?;
        if !a.is_written(offset, bytes) {
            if a.is_freed(offset, bytes) {
                return Err(View::freed(a, offset, bytes.into()));
            }
            let row = marks.get_or_insert_default();
            // A value that is computed from it is undefined as a whole.
            row.bits[l] = u64::MAX;
            row.origin[l] = self.origin(Source::Global(addr, bytes), l);
        }
        Ok(a.load(offset, bytes))
    }

    fn poke_at(
        &self,
        cx: &mut Context<'_>,
        addr: u64,
        bytes: u32,
        (value, marks): (u64, u64),
        l: usize,
    ) -> Result<(), Denied> {
        aligned(addr, bytes.into())?;
        let ones = u64::MAX >> (64 - 8 * bytes);
        let (a, offset) = cx.view.find(addr, bytes.into())?;
        writable(a, offset, bytes)?;
        let same = || a.is_written(offset, bytes) && a.load(offset, bytes) == value & ones;
        cx.touch((self.thread(l), self.epoch), (addr, bytes.into()), How::Write, same)?;
        a.update(offset, bytes, |_| value & ones);
        a.set_undefined(offset, bytes, marks & ones);
        if marks & ones != 0 {
            a.note_store(offset, cx.site(self.index, l, self.line));
        }
        Ok(())
    }

    /// Returns the sources of an image instruction whose marks are checked.
    pub(super) fn image_depends_on(code: &ImageCode) -> impl Iterator<Item = Src> + '_ {
        std::iter::once(code.image).chain(code.coordinates.iter().copied())
    }
}

fn bound(cx: &Context<'_>, handle: u64) -> Result<Arc<Bound>, Denied> {
    let what = || format!("{handle:#x} is no texture and no surface, or one that was destroyed");
    cx.grid.memory.images.find(handle).ok_or_else(|| (FaultKind::BadOperand, what()))
}

fn texture(image: &Bound) -> Result<Sampling, Denied> {
    image.sampling.ok_or_else(|| (FaultKind::BadOperand, "a surface is read as a texture".into()))
}

/// Rejects an instruction of another geometry than the image's.
fn agree(image: &Image, geometry: Geometry, what: &str) -> Result<(), Denied> {
    let axes = if image.counts_layers() || image.size[2] == 0 { 1 + usize::from(image.size[1] > 0) } else { 3 };
    let has = Geometry { axes, layered: image.layered, cube: image.cube };
    if geometry == has {
        return Ok(());
    }
    let text = |of: Geometry| {
        let form = if of.cube { "cube".to_string() } else { format!("{}-D", of.axes) };
        format!("{form}{}", if of.layered { " layered" } else { "" })
    };
    Err((FaultKind::BadOperand, format!("a {} {what} is used as a {} one", text(has), text(geometry))))
}

/// Converts a 32-bit word to the bits of a component of an image: a float is rounded to the nearest 16-bit float.
fn number(image: &Image, raw: u32) -> Result<u32, Denied> {
    let bits = image.texels.bits;
    let kept = match image.texels.kind {
        TexelKind::Float if bits == 16 => {
            return Ok(half::format(Type::F16).encode(f32::from_bits(raw).into(), Round::Nearest) as u32);
        }
        _ if bits == 32 => return Ok(raw),
        TexelKind::Float | TexelKind::Unsigned => i64::from(raw) == i64::from(raw << (32 - bits) >> (32 - bits)),
        TexelKind::Signed => raw as i32 == (raw << (32 - bits)) as i32 >> (32 - bits),
    };
    if kept {
        return Ok(raw & (u32::MAX >> (32 - bits)));
    }
    let signed = image.texels.kind == TexelKind::Signed;
    let value = if signed { i64::from(raw as i32) } else { i64::from(raw) };
    let what = format!("{value} is stored to a surface of integers of {bits} bits, which has no defined result");
    Err((FaultKind::BadOperand, what))
}

/// Returns the address of an access to a surface, whose first coordinate is in units of this many bytes; `None` where
/// nothing is to be done.
fn place(
    image: &Bound,
    geometry: Geometry,
    at: &[u64],
    (unit, bytes): (u32, u32),
    outside: Outside,
) -> Result<Option<u64>, Denied> {
    if image.sampling.is_some() {
        return Err((FaultKind::BadOperand, "a texture is used as a surface".into()));
    }
    // A surface has the faces of a cube as layers.
    let faces = Image { cube: false, layered: image.image.counts_layers(), ..image.image };
    agree(&faces, geometry, "surface")?;
    let size = image.image.size;
    let (layer, at) = if geometry.layered { (Some(at[0] as i32), &at[1..]) } else { (None, at) };
    let width = i64::from(size[0]) * i64::from(image.image.texels.bytes());
    let mut whole = [0; 3];
    for (axis, slot) in whole.iter_mut().enumerate() {
        let (i, n, step) = match (axis, layer) {
            (0, _) => (i64::from(at[0] as i32) * i64::from(unit), width, i64::from(bytes)),
            (2, Some(layer)) => (i64::from(layer), i64::from(size[2]), 1),
            (axis, _) if axis < geometry.axes => (i64::from(at[axis] as i32), i64::from(size[axis]), 1),
            _ => continue,
        };
        *slot = match outside {
            _ if i >= 0 && i + step <= n => i,
            Outside::Clamp => i.clamp(0, n - step),
            Outside::Zero => return Ok(None),
            Outside::Trap => {
                let what = ["byte", "row", "slice"][axis];
                return Err((FaultKind::OutOfBounds, format!("{what} {i} of a surface that has {n} of them")));
            }
        };
    }
    let [x, y, z] = whole.map(|i| i as u32);
    Ok(Some(image.image.at([0, y, z]) + u64::from(x)))
}

fn answer(image: &Bound, query: Query) -> u64 {
    let levels = image.smaller.len() as u64 + 1;
    let image = &image.image;
    let depth = u64::from(image.size[2]);
    match query {
        Query::Levels => levels,
        Query::Size(2) if image.counts_layers() => 0,
        Query::Size(axis) => image.size[axis].into(),
        Query::Layers if image.layered => depth,
        Query::Layers => 0,
    }
}
