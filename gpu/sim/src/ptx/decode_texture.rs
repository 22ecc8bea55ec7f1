//! Decoding of texture and surface instructions, with handles of 64 bits.

use super::decode::{Decoder, Result};
use super::{Operand, Statement};
use crate::exec::{AtomicOp, Code, Geometry, ImageCode, ImageOp, Mip, Outside, Query, Src};
use crate::ops::Type;

fn geometry(word: &str) -> Option<Geometry> {
    let (axes, layered, cube) = match word {
        "1d" => (1, false, false),
        "2d" => (2, false, false),
        "3d" => (3, false, false),
        "a1d" => (1, true, false),
        "a2d" => (2, true, false),
        "cube" => (2, false, true),
        "acube" => (2, true, true),
        _ => return None,
    };
    Some(Geometry { axes, layered, cube })
}

fn outside(word: &str) -> Option<Outside> {
    Some(match word {
        "trap" => Outside::Trap,
        "clamp" => Outside::Clamp,
        "zero" => Outside::Zero,
        _ => return None,
    })
}

/// Returns the number of bytes of an element of a surface.
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
                let (mip, at) = match modifiers {
                    ["base", rest @ ..] => (Mip::Base, rest),
                    ["level", rest @ ..] => (Mip::Level, rest),
                    ["grad", rest @ ..] => (Mip::Gradient, rest),
                    rest => (Mip::Base, rest),
                };
                let [word, "v4", "f32" | "s32" | "u32", of @ ("f32" | "s32")] = at else { return self.unknown(s) };
                let Some(geometry) = geometry(word) else { return self.unknown(s) };
                if geometry.cube && *of != "f32" {
                    return self.unknown(s);
                }
                self.image(s, ImageOp::Fetch(geometry, mip, *of == "f32"), Some(geometry), 0)
            }
            "tld4" => {
                let [word, "2d", "v4", "f32" | "s32" | "u32", "f32"] = modifiers else { return self.unknown(s) };
                let Some(channel) = ["r", "g", "b", "a"].iter().position(|c| c == word) else { return self.unknown(s) };
                self.image(s, ImageOp::Gather(channel), geometry("2d"), 0)
            }
            "txq" | "suq" => {
                let query = match modifiers {
                    ["width", "b32"] => Query::Size(0),
                    ["height", "b32"] => Query::Size(1),
                    ["depth", "b32"] => Query::Size(2),
                    ["array_size", "b32"] => Query::Layers,
                    ["num_mipmap_levels", "b32"] if base == "txq" => Query::Levels,
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
        // Cache modifiers do not affect the result.
        let (formatted, rest) = match modifiers {
            ["b", rest @ ..] => (false, rest),
            ["p", rest @ ..] if !load => (true, rest),
            _ => return self.unknown(s),
        };
        let (mut form, mut parts, mut bytes, mut mode) = (None, 1, None, Outside::Trap);
        for word in rest {
            if let Some(found) = geometry(word).filter(|g| !g.cube) {
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
        if formatted {
            if bytes != 4 {
                return self.unknown(s);
            }
            return self.image(s, ImageOp::StoreTexel(form, mode), Some(form), parts);
        }
        self.image(s, ImageOp::Store(form, bytes, mode), Some(form), parts)
    }

    /// Emits an instruction that returns values unless it stores some.
    fn image(&mut self, s: &Statement, op: ImageOp, geometry: Option<Geometry>, stored: usize) -> Result<()> {
        let parts = |o: &Operand| match o {
            Operand::Vector(parts) => parts.clone(),
            one => vec![one.clone()],
        };
        let (given, first) = if stored == 0 { (Some(0), 1) } else { (None, 0) };
        let targets = match given {
            Some(at) => parts(self.operand(s, at)?).iter().map(|p| self.target(p)).collect::<Result<Vec<_>>>()?,
            None => Vec::new(),
        };
        let (image, coordinates) = match self.operand(s, first)? {
            Operand::Mem(base, 0) => ((**base).clone(), Vec::new()),
            Operand::List(all) => match all.as_slice() {
                [base, at] => (base.clone(), parts(at)),
                _ => return self.unknown(s),
            },
            _ => return self.unknown(s),
        };
        let image = self.source(&image, Type::B64)?;
        let wanted = geometry.map_or(0, Geometry::coordinates);
        // Coordinates are vectors of 1, 2 or 4; the last one is ignored if there are 3.
        if coordinates.len() < wanted || targets.len() > 4 {
            return self.unknown(s);
        }
        let mut coordinates = coordinates[..wanted].to_vec();
        // They are followed by the level, or by the gradients for each axis.
        if let (ImageOp::Fetch(form, mip, _), given) = (op, first + 1) {
            let axes = form.axes + usize::from(form.cube);
            let (words, each) = match mip {
                Mip::Base => (0, 0),
                Mip::Level => (1, 1),
                Mip::Gradient => (2, axes),
            };
            for word in 0..words {
                let found = parts(self.operand(s, given + word)?);
                if found.len() < each {
                    return self.unknown(s);
                }
                coordinates.extend_from_slice(&found[..each]);
            }
        }
        let coordinates: Vec<Src> = coordinates
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
