//! Atomic instructions.

use super::access::{aligned, resolve, writable};
use super::block::Context;
use super::run::row;
use super::warp::{Lane, Warp, lanes_of};
use super::{Function, Src};
use crate::FaultKind;
use crate::memory::View;
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

/// The new value that an atomic instruction leaves. `ftz`: additions of float32 flush subnormals, as they do in
/// global memory.
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

impl Warp {
    pub(super) fn atomic(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &mut [Lanes],
        atomic: &Atomic,
        mask: u32,
    ) -> Lane<()> {
        let bytes = atomic.ty.bytes() as u32;
        let address = *row(registers, function, atomic.address);
        let [a, b] = atomic.sources.map(|s| row(registers, function, s).map(|x| x & atomic.ty.mask()));
        let mut old = [0; 32];
        for l in lanes_of(mask) {
            let (space, at) = resolve(atomic.space, address[l].wrapping_add_signed(atomic.offset));
            let fail = |e| (l, e);
            aligned(at, bytes.into()).map_err(fail)?;
            let new = |old| apply(atomic.op, atomic.ty, old, a[l], b[l], space == Space::Global);
            old[l] = match space {
                Space::Global => {
                    let (allocation, offset) = cx.view.find(at, bytes.into()).map_err(fail)?;
                    writable(allocation, offset, bytes).map_err(fail)?;
                    if !allocation.is_written(offset, bytes) {
                        return Err((l, View::unwritten(allocation, offset, bytes)));
                    }
                    allocation.update(offset, bytes, new)
                }
                Space::Shared => cx.shared.update(at, bytes, self.accessor(l, true), new).map_err(fail)?,
                Space::Local => {
                    let value = self.local.load(l, at, bytes).map_err(fail)?;
                    self.local.store(l, at, bytes, new(value)).map_err(fail)?;
                    value
                }
                _ => return Err((l, (FaultKind::BadOperand, "an atomic on a kernel's parameters".into()))),
            };
        }
        if let Some(d) = atomic.target {
            super::run::set(registers, d, mask, |l| old[l]);
        }
        Ok(())
    }
}
