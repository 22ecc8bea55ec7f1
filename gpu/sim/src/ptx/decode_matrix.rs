//! Decoding of the instructions on matrices.

use super::decode::{Decoder, Result};
use super::decode_memory::space_named;
use super::{Operand, Space, Statement};
use crate::exec::{Arrangement, Code, Collective, Fragment, Matrix, Multiply, Part, Sparse, Src, Tile, register_type};
use crate::ops::Type;
use crate::ops::tensor::{BitProduct, Element, Sum};

/// Rows and columns of the result, and the length of the sums.
type Shape = (usize, usize, usize);

/// Parses `m16n8k16`.
fn shape(word: &str) -> Option<Shape> {
    let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
}

/// The parsed modifiers of an instruction on matrices.
#[derive(Default)]
struct Words<'a> {
    shape: Option<Shape>,
    /// `row` is `false`, `col` is `true`.
    layouts: Vec<bool>,
    elements: Vec<Element>,
    space: Option<Space>,
    saturates: bool,
    bits: Option<BitProduct>,
    rest: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn of(modifiers: &[&'a str]) -> Words<'a> {
        let mut words = Words::default();
        for &m in modifiers {
            match m {
                "sync" | "aligned" | "popc" => {}
                "row" => words.layouts.push(false),
                "col" => words.layouts.push(true),
                "satfinite" => words.saturates = true,
                "and" => words.bits = Some(BitProduct::And),
                "xor" => words.bits = Some(BitProduct::Xor),
                _ => match (shape(m), Element::parse(m), space_named(m)) {
                    (Some(shape), _, _) if words.shape.is_none() => words.shape = Some(shape),
                    (_, Some(element), _) => words.elements.push(element),
                    (_, _, Some(space)) => words.space = Some(space),
                    _ => words.rest.push(m),
                },
            }
        }
        words
    }
}

/// Returns true if there is an `mma` of this shape and these types of factors.
fn is_mma(shape: Shape, a: Element, b: Element) -> bool {
    use Element::*;
    let small = |x| matches!(x, S8 | U8);
    let tiny = |x| matches!(x, S4 | U4);
    match shape {
        (8, 8, 4) => a == b && matches!(a, F64 | F16),
        (16, 8, 8) => a == b && matches!(a, F16 | Bf16 | Tf32),
        (16, 8, 16) => a == b && matches!(a, F16 | Bf16) || small(a) && small(b),
        (16, 8, 4) => (a, b) == (Tf32, Tf32),
        (8, 8, 16) => small(a) && small(b),
        (16, 8, 32) => small(a) && small(b) || tiny(a) && tiny(b),
        (8, 8, 32) | (16, 8, 64) => tiny(a) && tiny(b),
        (8, 8, 128) | (16, 8, 128) | (16, 8, 256) => (a, b) == (B1, B1),
        _ => false,
    }
}

/// Returns true if there is a `wmma` of this shape and this type of factors.
fn is_wmma(shape: Shape, a: Element) -> bool {
    use Element::*;
    match shape {
        (16, 16, 16) | (32, 8, 16) | (8, 32, 16) => matches!(a, F16 | Bf16 | S8 | U8),
        (16, 16, 8) => a == Tf32,
        (8, 8, 4) => a == F64,
        (8, 8, 32) => matches!(a, S4 | U4),
        (8, 8, 128) => a == B1,
        _ => false,
    }
}

/// Returns the accumulator types of products of this type.
fn sums(a: Element, shape: Shape) -> &'static [Element] {
    match a {
        Element::F16 if shape.2 > 0 => &[Element::F16, Element::F32],
        Element::Bf16 | Element::Tf32 => &[Element::F32],
        Element::F64 => &[Element::F64],
        _ => &[Element::S32],
    }
}

/// Returns a fragment with the registers of its matrix.
fn fragment(part: Part, element: Element, arrangement: Arrangement, (m, n, k): Shape) -> Fragment {
    let (rows, columns) = match part {
        Part::A => (m, k),
        Part::B => (k, n),
        Part::C => (m, n),
    };
    let of_lane = rows * columns / 32;
    let mut fragment = Fragment { part, element, arrangement, rows, columns, registers: 0 };
    fragment.registers = match (arrangement, part) {
        // They have room for every matrix more than once.
        (Arrangement::Wmma, Part::A | Part::B) if element == Element::F16 => 8,
        _ => of_lane.div_ceil(fragment.packed()),
    };
    fragment
}

impl Decoder<'_> {
    /// Emits an instruction that the whole warp runs.
    fn whole_warp(&mut self, matrix: Matrix) -> Result<()> {
        let all = self.constant(0xffff_ffff);
        self.emit(Code::Collective(Box::new(Collective::Matrix(Box::new(matrix))), Some(all)));
        Ok(())
    }

    /// Returns the registers in braces.
    fn vector<'s>(&self, s: &'s Statement, at: usize) -> Result<&'s [Operand]> {
        match self.operand(s, at)? {
            Operand::Vector(parts) => Ok(parts),
            one => Ok(std::slice::from_ref(one)),
        }
    }

    pub(super) fn load_rows(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let ["sync", "aligned", "m8n8", count, rest @ ..] = modifiers else { return self.unknown(s) };
        let (transposed, rest) = match rest {
            ["trans", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let space = match rest {
            ["b16"] => Space::Generic,
            ["shared" | "shared::cta", "b16"] => Space::Shared,
            _ => return self.unknown(s),
        };
        let targets: Box<[_]> = self.vector(s, 0)?.iter().map(|p| self.target(p)).collect::<Result<_>>()?;
        if !matches!((*count, targets.len()), ("x1", 1) | ("x2", 2) | ("x4", 4)) {
            return self.unknown(s);
        }
        let (address, offset) = self.address_of(self.operand(s, 1)?, space)?;
        self.whole_warp(Matrix::Rows { targets, transposed, space, address, offset })
    }

    pub(super) fn turn_matrix(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let ["sync", "aligned", "m8n8", "trans", "b16"] = modifiers else { return self.unknown(s) };
        let d = self.register(self.operand(s, 0)?)?;
        let [a] = self.sources(s, 1, Type::B32)?;
        self.whole_warp(Matrix::Turn(d, a))
    }

    pub(super) fn mma(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        if let ["sp" | "sp::ordered_metadata", rest @ ..] = modifiers {
            return self.sparse_mma(s, rest, modifiers[0] != "sp");
        }
        if !modifiers.starts_with(&["sync", "aligned"]) {
            return self.unknown(s);
        }
        let words = Words::of(modifiers);
        let (Some(shape), &[d, a, b, c], &[left, right], true) =
            (words.shape, &words.elements[..], &words.layouts[..], words.rest.is_empty() && words.space.is_none())
        else {
            return self.unknown(s);
        };
        let quads = shape == (8, 8, 4) && a == Element::F16;
        if !is_mma(shape, a, b) || (left, right) != (false, true) && !quads {
            return self.unknown(s);
        }
        if quads {
            let of = |part, element, across, (rows, columns), registers| Fragment {
                part,
                element,
                arrangement: Arrangement::Quads(across),
                rows,
                columns,
                registers,
            };
            let addend = |element| of(Part::C, element, false, (32, 8), if element == Element::F16 { 4 } else { 8 });
            let fragments =
                [addend(d), of(Part::A, a, left, (32, 4), 2), of(Part::B, b, !right, (16, 8), 2), addend(c)];
            return self.product(s, &words, shape.2, fragments, None);
        }
        let of = |part, element| fragment(part, element, Arrangement::Mma, shape);
        self.product(s, &words, shape.2, [of(Part::C, d), of(Part::A, a), of(Part::B, b), of(Part::C, c)], None)
    }

    /// Decodes `mma.sp`: the first factor is laid out like one of half the length, and the operands after the addend
    /// are the metadata.
    fn sparse_mma(&mut self, s: &Statement, modifiers: &[&str], ordered: bool) -> Result<()> {
        let words = Words::of(modifiers);
        let (true, Some(shape), &[d, a, b, c], &[false, true], true) = (
            modifiers.starts_with(&["sync", "aligned"]),
            words.shape,
            &words.elements[..],
            &words.layouts[..],
            words.rest.is_empty() && words.space.is_none(),
        ) else {
            return self.unknown(s);
        };
        let (m, n, k) = shape;
        let half = (m, n, k / 2);
        // It exists for the two long dense shapes, with twice their length.
        let lengths = match a {
            Element::F16 | Element::Bf16 => [16, 32],
            Element::Tf32 => [8, 16],
            Element::S8 | Element::U8 => [32, 64],
            Element::S4 | Element::U4 => [64, 128],
            _ => return self.unknown(s),
        };
        if (m, n) != (16, 8) || !is_mma(half, a, b) || !lengths.contains(&k) || s.operands.len() != 6 {
            return self.unknown(s);
        }
        let [metadata] = self.sources(s, 4, Type::B32)?;
        let mut sparse = Sparse { metadata, selector: 0, ordered, element: a, length: k };
        let most = 4 / sparse.givers();
        let selector = match self.operand(s, 5)? {
            &Operand::Int(value) => usize::try_from(value).ok().filter(|&value| value < most),
            _ => None,
        };
        let Some(selector) = selector else {
            return self.fail(format!("the sparsity selector of {} is a number below {most}", s.opcode));
        };
        sparse.selector = selector as u8;
        let of = |part, element, shape| fragment(part, element, Arrangement::Mma, shape);
        let fragments = [of(Part::C, d, half), of(Part::A, a, half), of(Part::B, b, shape), of(Part::C, c, half)];
        self.product(s, &words, k / 2, fragments, Some(sparse))
    }

    fn product(
        &mut self,
        s: &Statement,
        words: &Words<'_>,
        depth: usize,
        fragments: [Fragment; 4],
        sparse: Option<Sparse>,
    ) -> Result<()> {
        let [d, a, b, c] = fragments.map(|f| f.element);
        let allowed = sums(a, (0, 0, depth));
        let integers = allowed == [Element::S32];
        if !allowed.contains(&d)
            || !allowed.contains(&c)
            || words.saturates && !integers
            || words.bits.is_some() != (a == Element::B1)
        {
            return self.unknown(s);
        }
        for (i, f) in fragments.iter().enumerate() {
            let given = self.vector(s, i)?.len();
            if given != f.registers {
                return self.fail(format!("{} has {given} registers for a matrix of {}", s.opcode, f.registers));
            }
        }
        let targets: Box<[u32]> = self.vector(s, 0)?.iter().map(|p| self.register(p)).collect::<Result<_>>()?;
        let mut sources: [Box<[Src]>; 3] = Default::default();
        for (i, part) in sources.iter_mut().enumerate() {
            let ty = register_type(fragments[i + 1].element);
            *part = self.vector(s, i + 1)?.iter().map(|p| self.source(p, ty)).collect::<Result<_>>()?;
        }
        let bits = words.bits.unwrap_or(BitProduct::And);
        let sum = Sum { a, b, c, d, bits, saturates: words.saturates };
        self.whole_warp(Matrix::Multiply(Multiply { sum, depth, fragments, d: targets, sources, sparse }))
    }

    pub(super) fn wmma(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        match modifiers {
            ["load", part @ ("a" | "b" | "c"), rest @ ..] => self.tile(s, part, rest, true),
            ["store", "d", rest @ ..] => self.tile(s, "d", rest, false),
            ["mma", rest @ ..] => {
                let words = Words::of(rest);
                let (Some(shape), true) = (words.shape, words.rest.iter().all(|w| *w == "rn")) else {
                    return self.unknown(s);
                };
                // float16 names only its accumulator types.
                let types = match words.elements[..] {
                    [d, c] => [d, Element::F16, Element::F16, c],
                    [d, a, b, c] => [d, a, b, c],
                    _ => return self.unknown(s),
                };
                let [d, a, b, c] = types;
                if a != b || !is_wmma(shape, a) || words.layouts.len() != 2 {
                    return self.unknown(s);
                }
                let of = |part, element| fragment(part, element, Arrangement::Wmma, shape);
                self.product(s, &words, shape.2, [of(Part::C, d), of(Part::A, a), of(Part::B, b), of(Part::C, c)], None)
            }
            _ => self.unknown(s),
        }
    }

    /// Decodes `wmma.load` and `wmma.store`.
    fn tile(&mut self, s: &Statement, part: &str, modifiers: &[&str], loads: bool) -> Result<()> {
        let words = Words::of(modifiers);
        let (Some(shape), &[element], &[columns_first], true) =
            (words.shape, &words.elements[..], &words.layouts[..], words.rest.is_empty())
        else {
            return self.unknown(s);
        };
        let of = match part {
            "a" => Part::A,
            "b" => Part::B,
            _ => Part::C,
        };
        let known = match of {
            Part::C => match element {
                Element::F32 => is_wmma(shape, Element::F16) || is_wmma(shape, Element::Tf32),
                Element::F16 => is_wmma(shape, Element::F16),
                Element::F64 => is_wmma(shape, Element::F64),
                Element::S32 => [Element::S8, Element::S4, Element::B1].iter().any(|&a| is_wmma(shape, a)),
                _ => false,
            },
            _ => is_wmma(shape, element),
        };
        if !known {
            return self.unknown(s);
        }
        let fragment = fragment(of, element, Arrangement::Wmma, shape);
        let (registers_at, address_at) = if loads { (0, 1) } else { (1, 0) };
        let registers: Box<[Src]> = if loads {
            self.vector(s, registers_at)?.iter().map(|p| self.register(p)).collect::<Result<_>>()?
        } else {
            let ty = register_type(element);
            self.vector(s, registers_at)?.iter().map(|p| self.source(p, ty)).collect::<Result<_>>()?
        };
        if registers.len() != fragment.registers {
            let (given, wanted) = (registers.len(), fragment.registers);
            return self.fail(format!("{} has {given} registers for a matrix of {wanted}", s.opcode));
        }
        let space = words.space.unwrap_or(Space::Generic);
        let (address, offset) = self.address_of(self.operand(s, address_at)?, space)?;
        let stride = if s.operands.len() > 2 { Some(self.sources::<1>(s, 2, Type::U32)?[0]) } else { None };
        let tile = Tile { fragment, registers, space, address, offset, stride, columns_first };
        self.whole_warp(if loads { Matrix::Load(tile) } else { Matrix::Store(tile) })
    }
}
