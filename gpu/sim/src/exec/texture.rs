//! Textures and surfaces: fetches, loads, stores and questions.

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
use crate::ops::{Lanes, Type};
use crate::texture::{Bound, Sampling};

/// The axes of an instruction: one to three of coordinates, or one and two with a layer in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) axes: usize,
    pub(crate) layered: bool,
}

/// What becomes of an access outside of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Trap,
    Clamp,
    /// Loads give zero and stores do nothing.
    Zero,
}

/// What is asked of a texture or a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// Width, height or depth.
    Size(usize),
    Layers,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ImageOp {
    /// A texture at coordinates, which are floats or integers.
    Fetch(Geometry, bool),
    /// One channel of four texels.
    Gather(usize),
    /// Elements of so many bytes.
    Load(Geometry, u32, Outside),
    Store(Geometry, u32, Outside),
    Reduce(Geometry, AtomicOp, Type, Outside),
    Query(Query),
}

#[derive(Clone, Debug)]
pub(crate) struct ImageCode {
    pub(crate) op: ImageOp,
    pub(crate) targets: Box<[Option<u32>]>,
    pub(crate) image: Src,
    pub(crate) coordinates: Box<[Src]>,
    /// What is stored.
    pub(crate) sources: Box<[Src]>,
}

/// Four values of each lane, and which of them are undefined.
struct Given {
    values: [Lanes; 4],
    marks: Option<Box<Row>>,
}

impl Warp {
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
                ImageOp::Fetch(geometry, floats) => {
                    self.fetch_texels(cx, image, geometry, floats, &at, l, &mut given).map_err(fail)?;
                }
                ImageOp::Gather(channel) => {
                    let sampling = texture(image).map_err(fail)?;
                    let at = [at[0], at[1]].map(|x| f32::from_bits(x as u32));
                    let read = |texel| self.texel(cx, image, texel, l, &mut given.marks);
                    let found = image.gather(&sampling, at, channel, read).map_err(fail)?;
                    (0..4).for_each(|k| given.values[k][l] = found[k].into());
                }
                ImageOp::Load(geometry, bytes, outside) => {
                    let all = bytes * code.targets.len() as u32;
                    let Some(addr) = place(image, geometry, &at, all, outside).map_err(fail)? else { continue };
                    for k in 0..code.targets.len() {
                        let addr = addr + k as u64 * u64::from(bytes);
                        given.values[k][l] = self.peek_at(cx, addr, bytes, l, &mut given.marks).map_err(fail)?;
                    }
                }
                ImageOp::Store(geometry, bytes, outside) => {
                    let all = bytes * code.sources.len() as u32;
                    let Some(addr) = place(image, geometry, &at, all, outside).map_err(fail)? else { continue };
                    for (k, &source) in code.sources.iter().enumerate() {
                        let value = row(registers, function, source)[l];
                        let marks = self.mark_of(frame, source, l).0;
                        let addr = addr + k as u64 * u64::from(bytes);
                        self.poke_at(cx, addr, bytes, (value, marks), l).map_err(fail)?;
                    }
                }
                ImageOp::Reduce(geometry, op, ty, outside) => {
                    let bytes = ty.bytes() as u32;
                    let Some(addr) = place(image, geometry, &at, bytes, outside).map_err(fail)? else { continue };
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
        geometry: Geometry,
        floats: bool,
        at: &[u64],
        l: usize,
        given: &mut Given,
    ) -> Result<(), Denied> {
        let sampling = texture(image)?;
        agree(image, geometry, "texture")?;
        let (layer, at) = if geometry.layered { (at[0] as u32, &at[1..]) } else { (0, at) };
        if image.image.linear {
            // Plain memory is read by number, and is zero outside.
            let x = if floats { f32::from_bits(at[0] as u32).floor() as i64 } else { i64::from(at[0] as i32) };
            let Some(x) = u32::try_from(x).ok().filter(|&x| x < image.image.size[0]) else { return Ok(()) };
            let whole = Sampling { linear: false, ..sampling };
            // A float does not count all of them: the number goes to the memory and not into a coordinate.
            let found = image.fetch(&whole, [0.0; 3], 0, |_| self.texel(cx, image, [x, 0, 0], l, &mut given.marks))?;
            (0..4).for_each(|k| given.values[k][l] = found[k].into());
            return Ok(());
        }
        let number = |axis: usize| match at.get(axis) {
            Some(&x) if floats => f32::from_bits(x as u32),
            Some(&x) => x as i32 as f32,
            None => 0.0,
        };
        let at = [number(0), number(1), number(2)];
        let read = |texel| self.texel(cx, image, texel, l, &mut given.marks);
        let found = image.fetch(&sampling, at, layer, read)?;
        (0..4).for_each(|k| given.values[k][l] = found[k].into());
        Ok(())
    }

    /// The numbers of a texel as they are in memory.
    fn texel(
        &self,
        cx: &mut Context<'_>,
        image: &Bound,
        texel: [u32; 3],
        l: usize,
        marks: &mut Option<Box<Row>>,
    ) -> Result<[u32; 4], Denied> {
        let (addr, bytes) = (image.image.at(texel), image.image.texels.bits / 8);
        let mut numbers = [0; 4];
        for (k, number) in numbers.iter_mut().enumerate().take(image.image.texels.channels as usize) {
            *number = self.peek_at(cx, addr + k as u64 * u64::from(bytes), bytes, l, marks)? as u32;
        }
        Ok(numbers)
    }

    /// What stands at an address of the image. Undefined bits are marked.
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
            // What is computed from it is undefined as a whole.
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

    /// Where a mark on an image or its coordinates is looked for.
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

/// Refuses an instruction of other axes than the image's.
fn agree(image: &Bound, geometry: Geometry, what: &str) -> Result<(), Denied> {
    let image = &image.image;
    let axes = if image.layered || image.size[2] == 0 { 1 + usize::from(image.size[1] > 0) } else { 3 };
    if geometry.axes == axes && geometry.layered == image.layered {
        return Ok(());
    }
    let text = |axes: usize, layered: bool| format!("{axes}-D{}", if layered { " layered" } else { "" });
    let (asked, has) = (text(geometry.axes, geometry.layered), text(axes, image.layered));
    Err((FaultKind::BadOperand, format!("a {has} {what} is used as a {asked} one")))
}

/// The address of an access to a surface, whose first coordinate counts bytes; none where nothing is to be done.
fn place(image: &Bound, geometry: Geometry, at: &[u64], bytes: u32, outside: Outside) -> Result<Option<u64>, Denied> {
    if image.sampling.is_some() {
        return Err((FaultKind::BadOperand, "a texture is used as a surface".into()));
    }
    agree(image, geometry, "surface")?;
    let size = image.image.size;
    let (layer, at) = if geometry.layered { (Some(at[0] as i32), &at[1..]) } else { (None, at) };
    let width = i64::from(size[0]) * i64::from(image.image.texels.bytes());
    let mut whole = [0; 3];
    for (axis, slot) in whole.iter_mut().enumerate() {
        let (i, n, step) = match (axis, layer) {
            (0, _) => (at[0] as i32, width, i64::from(bytes)),
            (2, Some(layer)) => (layer, i64::from(size[2]), 1),
            (axis, _) if axis < geometry.axes => (at[axis] as i32, i64::from(size[axis]), 1),
            _ => continue,
        };
        let i = i64::from(i);
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
    let image = &image.image;
    let depth = image.size[2].into();
    match query {
        Query::Size(2) if image.layered => 0,
        Query::Size(axis) => image.size[axis].into(),
        Query::Layers if image.layered => depth,
        Query::Layers => 0,
    }
}
