//! Atomic instructions.

use super::access::{aligned, resolve, writable};
use super::block::Context;
use super::defined::{Origin, Row, Source};
use super::run::row;
use super::warp::{Lane, Warp, lanes_of};
use super::{Function, Src};
use crate::FaultKind;
use crate::memory::How;
use crate::ops::float::flush;
use crate::ops::half::{self, Format};
use crate::ops::{Lanes, Round, Type, f32_of, f64_of, nan, of_f32, of_f64, round};
use crate::ptx::Space;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareSwap,
    Increment,
    Decrement,
}

impl AtomicOp {
    pub(crate) fn parse(word: &str) -> Option<AtomicOp> {
        Some(match word {
            "add" => AtomicOp::Add,
            "min" => AtomicOp::Min,
            "max" => AtomicOp::Max,
            "and" => AtomicOp::And,
            "or" => AtomicOp::Or,
            "xor" => AtomicOp::Xor,
            "exch" => AtomicOp::Exchange,
            "cas" => AtomicOp::CompareSwap,
            "inc" => AtomicOp::Increment,
            "dec" => AtomicOp::Decrement,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    pub(crate) op: AtomicOp,
    pub(crate) ty: Type,
    pub(crate) space: Space,
    pub(crate) target: Option<u32>,
    pub(crate) address: Src,
    pub(crate) offset: i64,
    pub(crate) sources: [Src; 2],
}

/// Computes the new value of an atomic instruction. `ftz`: additions of float32 flush subnormals, as in global memory.
pub(crate) fn apply(op: AtomicOp, ty: Type, old: u64, a: u64, b: u64, ftz: bool) -> u64 {
    let ones = ty.mask();
    let value = match op {
        AtomicOp::Add => match ty {
            Type::F32 => {
                let f = |x: u64| if ftz { flush(f32_of(x)) } else { f32_of(x) };
                let sum = f(old) + f(a);
                of_f32(if ftz { flush(sum) } else { sum })
            }
            Type::F64 if ftz => nan::of_atomic_f64(f64_of(old) + f64_of(a), old, a),
            Type::F64 => of_f64(f64_of(old) + f64_of(a), [a, old]),
            Type::F16 | Type::Bf16 => add_half(half::format(ty), old, a),
            Type::F16x2 | Type::Bf16x2 => {
                let f = half::format(ty);
                add_half(f, old & 0xffff, a & 0xffff) | add_half(f, old >> 16 & 0xffff, a >> 16 & 0xffff) << 16
            }
            _ => old.wrapping_add(a),
        },
        AtomicOp::Min | AtomicOp::Max => {
            let less = match ty {
                Type::S32 => (old as i32) < a as i32,
                Type::S64 => (old as i64) < a as i64,
                _ => old < a,
            };
            if less == (op == AtomicOp::Min) { old } else { a }
        }
        AtomicOp::And => old & a,
        AtomicOp::Or => old | a,
        AtomicOp::Xor => old ^ a,
        AtomicOp::Exchange => a,
        AtomicOp::CompareSwap => {
            if old == a {
                b
            } else {
                old
            }
        }
        AtomicOp::Increment => {
            if old >= a {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Decrement => {
            if old == 0 || old > a {
                a
            } else {
                old - 1
            }
        }
    };
    value & ones
}

fn add_half(f: Format, a: u64, b: u64) -> u64 {
    f.encode(round::odd_sum(f.decode(a), f.decode(b)), Round::Nearest)
}

/// Computes the marks of the new value of an atomic instruction, from the old value and both operands.
fn marks_of(atomic: &Atomic, [old, a]: [u64; 2], marks: [u64; 3]) -> u64 {
    let [of_old, of_a, of_b] = marks;
    if marks == [0; 3] {
        return 0;
    }
    let ones = atomic.ty.mask();
    let all = |undefined: u64| if undefined != 0 { ones } else { 0 };
    match atomic.op {
        AtomicOp::Exchange => of_a,
        // A defined 0 makes the result of `and` defined, a defined 1 that of `or`.
        AtomicOp::And => (of_old | of_a) & (old | of_old) & (a | of_a),
        AtomicOp::Or => (of_old | of_a) & (!old | of_old) & (!a | of_a),
        AtomicOp::Xor => of_old | of_a,
        AtomicOp::CompareSwap if of_old | of_a == 0 => {
            if old == a {
                of_b
            } else {
                0
            }
        }
        // They differ in a defined bit: the old value is kept.
        AtomicOp::CompareSwap if (old ^ a) & ones & !(of_old | of_a) != 0 => of_old,
        AtomicOp::CompareSwap => ones,
        _ => all(of_old | of_a),
    }
}

impl Warp {
    #[inline(never)]
    pub(super) fn atomic(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &mut [Lanes],
        frame: usize,
        atomic: &Atomic,
        mask: u32,
    ) -> Lane<()> {
        cx.sync();
        let sources = atomic.sources;
        let marked = self.any_marks(frame, &sources);
        // The marks of the old values, once a lane reads undefined bits.
        let mut marks: Option<Box<Row>> = None;
        let bytes = atomic.ty.bytes() as u32;
        let address = *row(registers, function, atomic.address);
        let [a, b] = atomic.sources.map(|s| row(registers, function, s).map(|x| x & atomic.ty.mask()));
        let mut old = [0; 32];
        for l in lanes_of(mask) {
            let (space, at) = resolve(atomic.space, address[l].wrapping_add_signed(atomic.offset));
            let fail = |e| (l, e);
            aligned(at, bytes.into()).map_err(fail)?;
            let new = |old| apply(atomic.op, atomic.ty, old, a[l], b[l], space == Space::Global);
            let given = if marked { sources.map(|s| self.mark_of(frame, s, l).0 & atomic.ty.mask()) } else { [0; 2] };
            let new_marks = |old, undefined| marks_of(atomic, [old, a[l]], [undefined, given[0], given[1]]);
            let mut mark = |bits: u64, origin: Origin| {
                let row = marks.get_or_insert_default();
                (row.bits[l], row.origin[l]) = (bits, origin);
            };
            old[l] = match space {
                Space::Global => {
                    let (allocation, offset) = cx.view.find(at, bytes.into()).map_err(fail)?;
                    writable(allocation, offset, bytes).map_err(fail)?;
                    let by = (self.thread(l), self.epoch);
                    cx.touch(by, (at, bytes.into()), How::Atomic, || false).map_err(fail)?;
                    let defined = allocation.is_written(offset, bytes);
                    let undefined = if defined { 0 } else { allocation.undefined(offset, bytes) };
                    let old = allocation.update(offset, bytes, new);
                    if undefined != 0 {
                        mark(undefined, self.origin(Source::Global(at, bytes), l));
                    }
                    if undefined != 0 || given != [0; 2] {
                        allocation.set_undefined(offset, bytes, new_marks(old, undefined));
                    }
                    old
                }
                Space::Shared => {
                    let both = |old, undefined| (new(old), new_marks(old, undefined));
                    let (old, undefined) = cx.shared.update(at, bytes, self.accessor(l, true), both).map_err(fail)?;
                    if undefined != 0 {
                        mark(undefined, self.origin(Source::Shared(at, bytes, false), l));
                    }
                    old
                }
                Space::Local => {
                    let (old, undefined) = self.local.load(l, at, bytes).map_err(fail)?;
                    if undefined != 0 {
                        mark(undefined, self.origin(Source::Local(at, bytes), l));
                    }
                    self.local.store(l, at, bytes, (new(old), new_marks(old, undefined))).map_err(fail)?;
                    old
                }
                _ => return Err((l, (FaultKind::BadOperand, "an atomic on a kernel's parameters".into()))),
            };
        }
        if let Some(d) = atomic.target {
            super::run::set(registers, d, mask, |l| old[l]);
            match &marks {
                Some(row) => self.set_marks(frame, d as usize, mask, |l| (row.bits[l], row.origin[l])),
                None => self.define(frame, d, mask),
            }
        }
        Ok(())
    }
}
