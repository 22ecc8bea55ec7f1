//! Decoding of what textures and surfaces do, by handles of 64 bits.

use super::decode::{Decoder, Result};
use super::{Operand, Statement};
use crate::exec::{AtomicOp, Code, Geometry, ImageCode, ImageOp, Outside, Query, Src};
use crate::ops::Type;

fn geometry(word: &str) -> Option<Geometry> {
    let (axes, layered) = match word {
        "1d" => (1, false),
        "2d" => (2, false),
        "3d" => (3, false),
        "a1d" => (1, true),
        "a2d" => (2, true),
        _ => return None,
    };
    Some(Geometry { axes, layered })
}

fn outside(word: &str) -> Option<Outside> {
    Some(match word {
        "trap" => Outside::Trap,
        "clamp" => Outside::Clamp,
        "zero" => Outside::Zero,
        _ => return None,
    })
}

/// The bytes of an element of a surface.
fn element(word: &str) -> Option<u32> {
    Some(match word {
        "b8" => 1,
        "b16" => 2,
        "b32" => 4,
        "b64" => 8,
        _ => return None,
    })
}

fn count(word: &str) -> Option<usize> {
    match word {
        "v2" => Some(2),
        "v4" => Some(4),
        _ => None,
    }
}

impl Decoder<'_> {
    pub(super) fn texture(&mut self, s: &Statement, base: &str, modifiers: &[&str]) -> Result<()> {
        match base {
            "tex" => {
                // A texture has one level: all of them are it.
                let (at, least) = match modifiers {
                    ["level" | "base", rest @ ..] => (rest, 1),
                    ["grad", rest @ ..] => (rest, 2),
                    rest => (rest, 0),
                };
                let [word, "v4", "f32" | "s32" | "u32", of @ ("f32" | "s32")] = at else { return self.unknown(s) };
                let Some(geometry) = geometry(word) else { return self.unknown(s) };
                if s.operands.len() < 2 + least * usize::from(modifiers[0] != "base") {
                    return self.unknown(s);
                }
                self.image(s, ImageOp::Fetch(geometry, *of == "f32"), Some(geometry), 0)
            }
            "tld4" => {
                let [word, "2d", "v4", "f32" | "s32" | "u32", "f32"] = modifiers else { return self.unknown(s) };
                let Some(channel) = ["r", "g", "b", "a"].iter().position(|c| c == word) else { return self.unknown(s) };
                self.image(s, ImageOp::Gather(channel), Some(Geometry { axes: 2, layered: false }), 0)
            }
            "txq" | "suq" => {
                let query = match modifiers {
                    ["width", "b32"] => Query::Size(0),
                    ["height", "b32"] => Query::Size(1),
                    ["depth", "b32"] => Query::Size(2),
                    ["array_size", "b32"] => Query::Layers,
                    _ => return self.unknown(s),
                };
                self.image(s, ImageOp::Query(query), None, 0)
            }
            "suld" => self.surface(s, modifiers, true),
            "sust" => self.surface(s, modifiers, false),
            "sured" => {
                let ["b", op, word, ty, mode] = modifiers else { return self.unknown(s) };
                let (Some(geometry), Some(outside)) = (geometry(word), outside(mode)) else { return self.unknown(s) };
                let ty = match (*op, *ty) {
                    ("add", "u32" | "s32" | "b32") => Type::U32,
                    ("add", "u64") => Type::U64,
                    ("min" | "max", "u32") => Type::U32,
                    ("min" | "max", "s32") => Type::S32,
                    ("and" | "or", "b32") => Type::B32,
                    _ => return self.unknown(s),
                };
                let Some(op) = AtomicOp::parse(op) else { return self.unknown(s) };
                self.image(s, ImageOp::Reduce(geometry, op, ty, outside), Some(geometry), 1)
            }
            _ => self.unknown(s),
        }
    }

    fn surface(&mut self, s: &Statement, modifiers: &[&str], load: bool) -> Result<()> {
        // How it is cached changes nothing.
        let ["b", rest @ ..] = modifiers else { return self.unknown(s) };
        let (mut form, mut parts, mut bytes, mut mode) = (None, 1, None, Outside::Trap);
        for word in rest {
            if let Some(found) = geometry(word) {
                form = Some(found);
            } else if let Some(found) = count(word) {
                parts = found;
            } else if let Some(found) = element(word) {
                bytes = Some(found);
            } else if let Some(found) = outside(word) {
                mode = found;
            } else if !matches!(*word, "ca" | "cg" | "cs" | "cv" | "wb" | "wt") {
                return self.unknown(s);
            }
        }
        let (Some(form), Some(bytes)) = (form, bytes) else { return self.unknown(s) };
        if load {
            return self.image(s, ImageOp::Load(form, bytes, mode), Some(form), 0);
        }
        self.image(s, ImageOp::Store(form, bytes, mode), Some(form), parts)
    }

    /// An instruction that gives values where it stores none.
    fn image(&mut self, s: &Statement, op: ImageOp, geometry: Option<Geometry>, stored: usize) -> Result<()> {
        let parts = |o: &Operand| match o {
            Operand::Vector(parts) => parts.clone(),
            one => vec![one.clone()],
        };
        let (given, place) = if stored == 0 { (Some(0), 1) } else { (None, 0) };
        let targets = match given {
            Some(at) => parts(self.operand(s, at)?).iter().map(|p| self.target(p)).collect::<Result<Vec<_>>>()?,
            None => Vec::new(),
        };
        let (image, coordinates) = match self.operand(s, place)? {
            Operand::Mem(base, 0) => ((**base).clone(), Vec::new()),
            Operand::List(all) => match all.as_slice() {
                [base, at] => (base.clone(), parts(at)),
                _ => return self.unknown(s),
            },
            _ => return self.unknown(s),
        };
        let image = self.source(&image, Type::B64)?;
        let wanted = geometry.map_or(0, |g| g.axes + usize::from(g.layered));
        // Coordinates come in vectors of 1, 2 or 4; the last one is not looked at where 3 count.
        if coordinates.len() < wanted || targets.len() > 4 {
            return self.unknown(s);
        }
        let coordinates: Vec<Src> = coordinates[..wanted]
            .iter()
            .map(|c| match c {
                Operand::F32(_) | Operand::F64(_) => self.source(c, Type::F32),
                other => self.source(other, Type::B32),
            })
            .collect::<Result<_>>()?;
        let sources: Vec<Src> = match stored {
            0 => Vec::new(),
            _ => parts(self.operand(s, 1)?).iter().map(|p| self.source(p, Type::B64)).collect::<Result<_>>()?,
        };
        if sources.len() != stored {
            return self.unknown(s);
        }
        let code =
            ImageCode { op, targets: targets.into(), image, coordinates: coordinates.into(), sources: sources.into() };
        self.emit(Code::Image(Box::new(code)));
        Ok(())
    }
}
