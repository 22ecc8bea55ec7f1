//! Instructions on matrices that the lanes of a warp hold together: `ldmatrix`, `movmatrix`, `mma` and `wmma`.
//!
//! The fragments of `mma` are laid out over the lanes as the PTX ISA specifies. For `wmma` it specifies only the number
//! of registers: here an addend is laid out as `mma`'s, in blocks of 8 rows and 8 columns, and a factor row by row over
//! the lanes, repeated where the registers have room for more than the matrix.

use super::access::{aligned, resolve};
use super::block::Context;
use super::defined::{Origin, Row};
use super::run::row;
use super::sparse::Sparse;
use super::warp::{Lane, Warp, first, lanes_of};
use super::{Function, Src};
use crate::FaultKind;
use crate::ops::tensor::{Element, Sum};
use crate::ops::{Lanes, Type};
use crate::ptx::Space;

/// The matrix of `d = a * b + c` to which a fragment belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    A,
    B,
    /// The addend, and the result.
    C,
}

/// The arrangement of a fragment's elements in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// `mma` of 8 or 16 rows.
    Mma,
    /// `wmma`.
    Wmma,
    /// `mma.m8n8k4` of float16: four products of 8 x 8 x 4, each held by eight lanes. The elements of the factor in a
    /// lane are along k, or (`true`) across it.
    Quads(bool),
}

/// A matrix in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub(crate) part: Part,
    pub(crate) element: Element,
    pub(crate) arrangement: Arrangement,
    /// Rows and columns of the matrix.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Number of registers of a lane.
    pub(crate) registers: usize,
}

impl Fragment {
    /// Returns the number of elements in one register.
    pub(crate) fn packed(&self) -> usize {
        if self.element == Element::F64 { 1 } else { 32 / self.element.bits() }
    }

    /// Returns the number of elements of a lane.
    pub(crate) fn each(&self) -> usize {
        self.registers * self.packed()
    }

    /// Returns the row and column of a lane's element.
    fn position(&self, lane: usize, i: usize) -> (usize, usize) {
        let (group, four) = (lane / 4, lane % 4);
        match (self.arrangement, self.part) {
            (Arrangement::Quads(across), part) => Self::quad(part, across, self.element, lane, i),
            (_, Part::C) => {
                let (block, tall) = (i / 2, self.rows / 8);
                (group + 8 * (block % tall), four * 2 + i % 2 + 8 * (block / tall))
            }
            (Arrangement::Wmma, _) => {
                let at = (lane * self.each() + i) % (self.rows * self.columns);
                (at / self.columns, at % self.columns)
            }
            (_, part) => {
                let packed = self.packed();
                let (register, within) = (i / packed, i % packed);
                let along = |block: usize| four * packed + within + 4 * packed * block;
                if part == Part::A {
                    (group + 8 * (register % 2), along(register / 2))
                } else {
                    (along(register), group)
                }
            }
        }
    }

    /// Returns the row and column of a lane's element where the four products are stacked (see [`Fragment::position`]).
    fn quad(part: Part, across: bool, element: Element, lane: usize, i: usize) -> (usize, usize) {
        let (quad, upper, four) = (lane % 16 / 4, lane / 16 * 4, lane % 4);
        match part {
            Part::A if across => (8 * quad + i + upper, four),
            Part::A => (8 * quad + four + upper, i),
            Part::B if across => (4 * quad + four, i + upper),
            Part::B => (4 * quad + i, four + upper),
            Part::C if element == Element::F16 => (8 * quad + four + upper, i),
            Part::C => (8 * quad + (lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)),
        }
    }
}

/// `wmma.load` and `wmma.store`.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub(crate) fragment: Fragment,
    pub(crate) registers: Box<[Src]>,
    pub(crate) space: Space,
    pub(crate) address: Src,
    pub(crate) offset: i64,
    /// Distance between rows, or columns, in elements; `None` for a contiguous matrix.
    pub(crate) stride: Option<Src>,
    pub(crate) columns_first: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Multiply {
    pub(crate) sum: Sum,
    /// The length of the sums (k).
    pub(crate) depth: usize,
    pub(crate) fragments: [Fragment; 4],
    /// Registers of the result, of the factors and of the addend.
    pub(crate) d: Box<[u32]>,
    pub(crate) sources: [Box<[Src]>; 3],
    /// Metadata of a sparse first factor, of which half of the elements are left out; only the kept ones are
    /// multiplied.
    pub(crate) sparse: Option<Sparse>,
}

#[derive(Clone, Debug)]
pub(crate) enum Matrix {
    /// `ldmatrix`: for each target 8 rows of 16 bytes, whose addresses eight lanes hold.
    Rows {
        targets: Box<[Option<u32>]>,
        transposed: bool,
        space: Space,
        address: Src,
        offset: i64,
    },
    /// `movmatrix`: transposes 8 x 8 elements of 16 bits.
    Turn(u32, Src),
    Load(Tile),
    Store(Tile),
    Multiply(Multiply),
}

impl Matrix {
    /// Returns the name in messages.
    fn name(&self) -> &'static str {
        match self {
            Matrix::Rows { .. } => "ldmatrix",
            Matrix::Turn(..) => "movmatrix",
            Matrix::Load(_) => "wmma.load",
            Matrix::Store(_) => "wmma.store",
            Matrix::Multiply(_) => "a product of matrices (mma)",
        }
    }

    /// Returns the registers that are read.
    pub(crate) fn sources(&mut self) -> Vec<&mut Src> {
        match self {
            Matrix::Rows { address, .. } => vec![address],
            Matrix::Turn(_, a) => vec![a],
            Matrix::Load(tile) => [&mut tile.address].into_iter().chain(&mut tile.stride).collect(),
            Matrix::Store(tile) => {
                [&mut tile.address].into_iter().chain(&mut tile.stride).chain(&mut tile.registers).collect()
            }
            Matrix::Multiply(m) => {
                m.sources.iter_mut().flatten().chain(m.sparse.as_mut().map(|sparse| &mut sparse.metadata)).collect()
            }
        }
    }

    /// Returns the registers that are written.
    pub(crate) fn targets(&mut self) -> Vec<&mut u32> {
        match self {
            Matrix::Rows { targets, .. } => targets.iter_mut().flatten().collect(),
            Matrix::Turn(d, _) => vec![d],
            Matrix::Load(tile) => tile.registers.iter_mut().collect(),
            Matrix::Store(_) => vec![],
            Matrix::Multiply(m) => m.d.iter_mut().collect(),
        }
    }

    /// Returns the size of the smallest memory access.
    pub(crate) fn access(&self) -> Option<u32> {
        match self {
            Matrix::Rows { .. } => Some(8),
            Matrix::Load(tile) | Matrix::Store(tile) => Some((tile.fragment.element.bits() as u32 / 8).max(1)),
            _ => None,
        }
    }
}

/// The elements of a matrix, row by row, and which of them are undefined.
struct Gathered {
    bits: Vec<u64>,
    /// Empty if all are defined.
    undefined: Vec<Option<Origin>>,
}

impl Warp {
    /// Executes an instruction on matrices, at which the whole warp has arrived.
    pub(super) fn matrix(
        &mut self,
        cx: &mut Context<'_>,
        registers: &mut [Lanes],
        function: &Function,
        frame: usize,
        matrix: &Matrix,
        team: u32,
    ) -> Lane<()> {
        if team != u32::MAX {
            let message = format!(
                "{} is run by all 32 threads of a warp, and of this one only those of {team:#010x} run it",
                matrix.name()
            );
            return Err((first(team), (FaultKind::LaneMask, message)));
        }
        match matrix {
            Matrix::Rows { targets, transposed, space, address, offset } => {
                let address = *row(registers, function, *address);
                for (i, target) in targets.iter().enumerate() {
                    let mut words = [[0u64; 2]; 8];
                    let mut marks = [[(0u64, Origin::default()); 2]; 8];
                    for k in 0..8 {
                        let lane = 8 * i + k;
                        let fail = |e| (lane, e);
                        let (space, at) = resolve(*space, address[lane].wrapping_add_signed(*offset));
                        if space != Space::Shared {
                            let message = format!("ldmatrix reads shared memory, and {at:#x} is not in it");
                            return Err((lane, (FaultKind::BadOperand, message)));
                        }
                        aligned(at, 16).map_err(fail)?;
                        for half in 0..2 {
                            let (value, undefined, source) =
                                self.fetch(cx, lane, (space, at + 8 * half as u64, 8)).map_err(fail)?;
                            words[k][half] = value;
                            marks[k][half] = (undefined, self.origin(source, lane));
                        }
                    }
                    let Some(d) = *target else { continue };
                    // The element of a row and column, 16 bits of a word.
                    let part = |r: usize, c: usize| (r, c / 4, 16 * (c % 4));
                    let two = |lane: usize| -> [(usize, usize, usize); 2] {
                        let (group, four) = (lane / 4, lane % 4);
                        [0, 1].map(|i| {
                            let (r, c) = (group, four * 2 + i);
                            if *transposed { part(c, r) } else { part(r, c) }
                        })
                    };
                    super::run::set(registers, d, u32::MAX, |lane| {
                        let [low, high] = two(lane).map(|(r, word, shift)| words[r][word] >> shift & 0xffff);
                        low | high << 16
                    });
                    self.set_marks(frame, d as usize, u32::MAX, |lane| {
                        let [(low, from), (high, or)] = two(lane).map(|(r, word, shift)| {
                            let (bits, origin) = marks[r][word];
                            (bits >> shift & 0xffff, origin)
                        });
                        (low | high << 16, if low != 0 { from } else { or })
                    });
                }
                Ok(())
            }
            Matrix::Turn(d, a) => {
                let values = *row(registers, function, *a);
                let marks: [_; 32] = std::array::from_fn(|l| self.mark_of(frame, *a, l));
                // Row and column of a lane's 16-bit elements are exchanged.
                let from = |lane: usize, i: usize| {
                    let (r, c) = (lane % 4 * 2 + i, lane / 4);
                    (r * 4 + c / 2, 16 * (c % 2))
                };
                let half = |lane: usize, i: usize, bits: &dyn Fn(usize) -> u64| {
                    let (lane, shift) = from(lane, i);
                    bits(lane) >> shift & 0xffff
                };
                let both = |lane: usize, bits: &dyn Fn(usize) -> u64| half(lane, 0, bits) | half(lane, 1, bits) << 16;
                super::run::set(registers, *d, u32::MAX, |lane| both(lane, &|l| values[l]));
                self.set_marks(frame, *d as usize, u32::MAX, |lane| {
                    let origin = [0, 1].map(|i| marks[from(lane, i).0]).into_iter().find(|m| m.0 != 0);
                    (both(lane, &|l| marks[l].0), origin.map_or(Origin::default(), |m| m.1))
                });
                Ok(())
            }
            Matrix::Load(tile) => self.load_tile(cx, registers, function, frame, tile),
            Matrix::Store(tile) => self.store_tile(cx, registers, function, frame, tile),
            Matrix::Multiply(multiply) => self.multiply(registers, function, frame, multiply),
        }
    }

    /// Returns the location of an element of a tile in memory: its address, and for elements of less than a byte the
    /// bit in it.
    fn element_at(&self, registers: &[Lanes], function: &Function, tile: &Tile, lane: usize, i: usize) -> (u64, usize) {
        let (r, c) = tile.fragment.position(lane, i);
        let (slow, fast, dense) =
            if tile.columns_first { (c, r, tile.fragment.rows) } else { (r, c, tile.fragment.columns) };
        let stride = tile.stride.map_or(dense as u64, |s| row(registers, function, s)[lane] & 0xffff_ffff);
        let base = row(registers, function, tile.address)[lane].wrapping_add_signed(tile.offset);
        let bit = (slow as u64 * stride + fast as u64) * tile.fragment.element.bits() as u64;
        (base.wrapping_add(bit / 8), (bit % 8) as usize)
    }

    /// Checks that the address and the stride of a tile are the same for all lanes, and aligned.
    fn check_tile(&self, registers: &[Lanes], function: &Function, tile: &Tile) -> Lane<()> {
        for (s, what) in [(Some(tile.address), "address"), (tile.stride, "stride")] {
            let Some(values) = s.map(|s| row(registers, function, s)) else { continue };
            if let Some(lane) = (0..32).find(|&l| values[l] != values[0]) {
                let message = format!("lane {lane} gives another {what} of a matrix (wmma) than lane 0");
                return Err((lane, (FaultKind::BadOperand, message)));
            }
        }
        let fragment = &tile.fragment;
        let base = row(registers, function, tile.address)[0].wrapping_add_signed(tile.offset);
        let bytes = (fragment.each() * fragment.element.bits() / 8).clamp(1, 16) as u64;
        aligned(resolve(tile.space, base).1, bytes).map_err(|e| (0, e))
    }

    fn load_tile(
        &mut self,
        cx: &mut Context<'_>,
        registers: &mut [Lanes],
        function: &Function,
        frame: usize,
        tile: &Tile,
    ) -> Lane<()> {
        self.check_tile(registers, function, tile)?;
        let fragment = &tile.fragment;
        let (bits, packed) = (fragment.element.bits(), fragment.packed());
        let ones = u64::MAX >> (64 - bits);
        let mut values = vec![[0u64; 32]; tile.registers.len()];
        let mut marks = vec![Row::default(); if self.undefined == 0 { 0 } else { tile.registers.len() }];
        for lane in 0..32 {
            for i in 0..fragment.each() {
                let (address, bit) = self.element_at(registers, function, tile, lane, i);
                let (space, at) = resolve(tile.space, address);
                let bytes = (bits as u32 / 8).max(1);
                let (value, undefined, source) =
                    self.fetch(cx, lane, (space, at, bytes)).map_err(|denied| (lane, denied))?;
                let (register, shift) = (i / packed, i % packed * bits);
                values[register][lane] |= (value >> bit & ones) << shift;
                let undefined = undefined >> bit & ones;
                if undefined != 0 {
                    marks.resize_with(tile.registers.len(), Row::default);
                    marks[register].bits[lane] |= undefined << shift;
                    marks[register].origin[lane] = self.origin(source, lane);
                }
            }
        }
        for (i, (&d, values)) in tile.registers.iter().zip(&values).enumerate() {
            registers[d as usize] = *values;
            match marks.get(i) {
                Some(row) => self.set_marks(frame, d as usize, u32::MAX, |l| (row.bits[l], row.origin[l])),
                None => self.define(frame, d, u32::MAX),
            }
        }
        Ok(())
    }

    fn store_tile(
        &mut self,
        cx: &mut Context<'_>,
        registers: &mut [Lanes],
        function: &Function,
        frame: usize,
        tile: &Tile,
    ) -> Lane<()> {
        self.check_tile(registers, function, tile)?;
        let fragment = &tile.fragment;
        let (bits, packed) = (fragment.element.bits(), fragment.packed());
        let ones = u64::MAX >> (64 - bits);
        for lane in 0..32 {
            for i in 0..fragment.each() {
                let (address, _) = self.element_at(registers, function, tile, lane, i);
                let target = resolve(tile.space, address);
                let (register, shift) = (tile.registers[i / packed], i % packed * bits);
                let value = row(registers, function, register)[lane] >> shift & ones;
                let (marks, origin) = self.mark_of(frame, register, lane);
                let target = (target.0, target.1, bits as u32 / 8);
                self.deposit(cx, frame, lane, target, (value, marks >> shift & ones, origin), false)
                    .map_err(|denied| (lane, denied))?;
            }
        }
        Ok(())
    }

    /// Returns the matrix that the lanes hold.
    fn gather(
        &self,
        registers: &[Lanes],
        function: &Function,
        frame: usize,
        fragment: &Fragment,
        sources: &[Src],
    ) -> Gathered {
        let count = fragment.rows * fragment.columns;
        let (bits, packed) = (fragment.element.bits(), fragment.packed());
        let ones = u64::MAX >> (64 - bits);
        let marked = self.any_marks(frame, sources);
        let mut all = Gathered { bits: vec![0; count], undefined: vec![None; if marked { count } else { 0 }] };
        for (register, s) in sources.iter().enumerate() {
            let values = row(registers, function, *s);
            for (lane, value) in values.iter().enumerate() {
                for within in 0..packed {
                    let (r, c) = fragment.position(lane, register * packed + within);
                    let at = r * fragment.columns + c;
                    all.bits[at] = value >> (within * bits) & ones;
                    if marked {
                        let (marks, origin) = self.mark_of(frame, *s, lane);
                        all.undefined[at] = (marks >> (within * bits) & ones != 0).then_some(origin);
                    }
                }
            }
        }
        all
    }

    fn multiply(&mut self, registers: &mut [Lanes], function: &Function, frame: usize, m: &Multiply) -> Lane<()> {
        let [d, a, b, c] = &m.fragments;
        let [left, right, addend] =
            [(a, 0), (b, 1), (c, 2)].map(|(f, i)| self.gather(registers, function, frame, f, &m.sources[i]));
        let (x, y) = (Sum::numbers(a.element, &left.bits), Sum::numbers(b.element, &right.bits));
        let (depth, columns) = (m.depth, d.columns);
        // With several stacked products, each has separate factors.
        let below = |r: usize| r / 8 * if b.rows == depth || m.sparse.is_some() { 0 } else { depth };
        // The row of the second factor that corresponds to an element of the first.
        let mut kept = vec![];
        if let Some(sparse) = &m.sparse {
            let metadata = *row(registers, function, sparse.metadata);
            for r in 0..d.rows {
                kept.push(sparse.columns(r, &metadata)?);
            }
        }
        let opposite = |r: usize, k: usize| kept.get(r).map_or(below(r) + k, |columns| columns[k]);
        let mut results = vec![0; d.rows * columns];
        for r in 0..d.rows {
            for n in 0..columns {
                let across = &x[r * depth..(r + 1) * depth];
                let down = (0..depth).map(|k| &y[opposite(r, k) * columns + n]);
                results[r * columns + n] = m.sum.of(across.iter().zip(down), addend.bits[r * columns + n]);
            }
        }
        let selector = m.sparse.filter(|sparse| self.any_marks(frame, &[sparse.metadata]));
        let marked = selector.is_some() || [&left, &right, &addend].iter().any(|g| !g.undefined.is_empty());
        let of_metadata: Vec<Option<Origin>> = (0..d.rows)
            .map(|r| {
                let sparse = selector?;
                let marks = |lane| self.mark_of(frame, sparse.metadata, lane);
                sparse.lanes(r).map(marks).find(|(bits, _)| *bits != 0).map(|(_, origin)| origin)
            })
            .collect();
        let undefined = |r: usize, n: usize| -> Option<Origin> {
            let at = |g: &Gathered, i: usize| g.undefined.get(i).copied().flatten();
            let of_k = |k: usize| at(&left, r * depth + k).or(at(&right, opposite(r, k) * columns + n));
            of_metadata[r].or(at(&addend, r * columns + n)).or_else(|| (0..depth).find_map(of_k))
        };
        let (bits, packed) = (d.element.bits(), d.packed());
        let ones = u64::MAX >> (64 - bits);
        for (register, &target) in m.d.iter().enumerate() {
            let positions = |lane: usize| (0..packed).map(move |i| (i, d.position(lane, register * packed + i)));
            super::run::set(registers, target, u32::MAX, |lane| {
                positions(lane).fold(0, |word, (i, (r, n))| word | results[r * columns + n] << (i * bits))
            });
            if !marked {
                self.define(frame, target, u32::MAX);
                continue;
            }
            let mut marks = Row::default();
            for lane in lanes_of(u32::MAX) {
                for (i, (r, n)) in positions(lane) {
                    if let Some(origin) = undefined(r, n) {
                        marks.bits[lane] |= ones << (i * bits);
                        marks.origin[lane] = origin;
                    }
                }
            }
            self.set_marks(frame, target as usize, u32::MAX, |l| (marks.bits[l], marks.origin[l]));
        }
        Ok(())
    }
}

/// Returns the width of the registers of a fragment.
pub(crate) fn register_type(element: Element) -> Type {
    if element == Element::F64 { Type::F64 } else { Type::B32 }
}
