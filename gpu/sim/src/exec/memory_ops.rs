//! Loads, stores and atomic operations of a warp.

use std::sync::Arc;

use super::block::Environment;
use super::shared::{Accessor, Shared};
use super::warp::{Lane, Warp, lanes_of};
use super::{AtomicOp, Code, Function, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use crate::memory::find;
use crate::ops::float::Modifiers;
use crate::ops::{Round, Type, f32_of, f64_of, half, of_f32, of_f64};
use crate::ptx::Space;
use crate::{Fault, FaultKind};

/// The space that a generic address lies in, and the address there.
fn resolve(space: Space, addr: u64) -> (Space, u64) {
    if space != Space::Generic {
        return (space, addr);
    }
    match addr >> 56 {
        1 => (Space::Shared, addr - SHARED_WINDOW),
        2 => (Space::Local, addr - LOCAL_WINDOW),
        3 => (Space::Param, addr - PARAM_WINDOW),
        _ => (Space::Global, addr),
    }
}

impl Warp {
    pub(super) fn memory(
        &mut self,
        env: &Environment<'_>,
        shared: &mut Shared,
        function: &Function,
        code: &Code,
        frame: usize,
        mask: u32,
    ) -> Lane<()> {
        match code {
            Code::Load { space, ty, d, addr, offset } => {
                let base = *self.source(function, frame, *addr);
                let size = ty.bytes() as u64;
                for l in lanes_of(mask) {
                    let (space, at) = resolve(*space, base[l].wrapping_add_signed(*offset));
                    aligned(at, size * d.len() as u64).map_err(|f| (l, f))?;
                    for (i, d) in d.iter().enumerate() {
                        let raw =
                            self.load(env, shared, space, at + size * i as u64, size, frame, l).map_err(|f| (l, f))?;
                        if let Some(d) = d {
                            self.frames[frame].registers[*d as usize][l] = extend(raw, *ty);
                        }
                    }
                }
            }
            Code::Store { space, ty, s, addr, offset } => {
                let base = *self.source(function, frame, *addr);
                let size = ty.bytes() as u64;
                for l in lanes_of(mask) {
                    let (space, at) = resolve(*space, base[l].wrapping_add_signed(*offset));
                    aligned(at, size * s.len() as u64).map_err(|f| (l, f))?;
                    for (i, s) in s.iter().enumerate() {
                        let value = self.source(function, frame, *s)[l];
                        self.store(env, shared, space, at + size * i as u64, size, value, frame, l)
                            .map_err(|f| (l, f))?;
                    }
                }
            }
            Code::Atomic { space, op, ty, d, addr, offset, s } => {
                let base = *self.source(function, frame, *addr);
                let [a, b] = s.map(|s| *self.source(function, frame, s));
                for l in lanes_of(mask) {
                    let (space, at) = resolve(*space, base[l].wrapping_add_signed(*offset));
                    let old = self.atomic(env, shared, space, at, *op, *ty, [a[l], b[l]], l).map_err(|f| (l, f))?;
                    if let Some(d) = d {
                        self.frames[frame].registers[*d as usize][l] = old;
                    }
                }
            }
            Code::IsSpace(space, d, a) => {
                let a = *self.source(function, frame, *a);
                self.set(frame, *d, mask, |l| u64::from(resolve(Space::Generic, a[l]).0 == *space));
            }
            _ => {}
        }
        Ok(())
    }

    fn allocation(&mut self, env: &Environment<'_>, addr: u64) -> Result<&Arc<crate::memory::Allocation>, Fault> {
        let hit = self.last.as_ref().is_some_and(|a| addr.wrapping_sub(a.base) < a.bytes);
        if !hit {
            self.last = Some(find(&env.live, addr)?.clone());
        }
        self.last.as_ref().ok_or_else(|| Fault::new(FaultKind::OutOfBounds, "nothing is allocated"))
    }

    #[expect(clippy::too_many_arguments, reason = "an access is made of all of these")]
    fn load(
        &mut self,
        env: &Environment<'_>,
        shared: &mut Shared,
        space: Space,
        addr: u64,
        size: u64,
        frame: usize,
        lane: usize,
    ) -> Result<u64, Fault> {
        match space {
            Space::Global | Space::Generic => self.allocation(env, addr)?.load(addr, size),
            Space::Shared => shared.load(addr, size, self.accessor(lane, false)),
            Space::Local => {
                let local = &self.local[lane];
                let range = bytes_of(addr, size, local.data.len(), "local")?;
                if !local.written[range.clone()].iter().all(|w| *w) {
                    let message = format!("{size} bytes at {addr:#x} of local memory are read but were never written");
                    return Err(Fault::new(FaultKind::Unwritten, message));
                }
                Ok(little_endian(&local.data[range]))
            }
            Space::Param => {
                let (data, start) = self.param_space(env, addr, frame, lane);
                let range = bytes_of(addr, size, data.len() - start, "param")?;
                Ok(little_endian(&data[start + range.start..start + range.end]))
            }
        }
    }

    /// The bytes that an address of the param space refers to, and where the frame's own begin among them.
    fn param_space<'a>(&'a self, env: &'a Environment<'_>, addr: u64, frame: usize, lane: usize) -> (&'a [u8], usize) {
        let f = &env.program.functions[self.frames[frame].function];
        // The launch's parameters are for all; addresses in them may also be passed to functions.
        if f.entry && addr < env.params.len() as u64 {
            return (env.params, 0);
        }
        let stride = f.param_bytes as usize;
        (&self.frames[frame].params[..(lane + 1) * stride], lane * stride)
    }

    #[expect(clippy::too_many_arguments, reason = "an access is made of all of these")]
    fn store(
        &mut self,
        env: &Environment<'_>,
        shared: &mut Shared,
        space: Space,
        addr: u64,
        size: u64,
        value: u64,
        frame: usize,
        lane: usize,
    ) -> Result<(), Fault> {
        let bytes = value.to_le_bytes();
        match space {
            Space::Global | Space::Generic => self.allocation(env, addr)?.store(addr, size, value),
            Space::Shared => shared.store(addr, size, value, self.accessor(lane, false)),
            Space::Local => {
                let local = &mut self.local[lane];
                let range = bytes_of(addr, size, local.data.len(), "local")?;
                local.data[range.clone()].copy_from_slice(&bytes[..size as usize]);
                local.written[range].fill(true);
                Ok(())
            }
            Space::Param => {
                let f = &env.program.functions[self.frames[frame].function];
                if f.entry && addr < env.params.len() as u64 {
                    return Err(Fault::new(FaultKind::OutOfBounds, "a kernel writes to its parameters"));
                }
                let stride = f.param_bytes as usize;
                let range = bytes_of(addr, size, stride, "param")?;
                let start = lane * stride + range.start;
                self.frames[frame].params[start..start + size as usize].copy_from_slice(&bytes[..size as usize]);
                Ok(())
            }
        }
    }

    fn accessor(&self, lane: usize, atomic: bool) -> Accessor {
        Accessor { thread: self.index * 32 + lane as u32, step: self.step, atomic }
    }

    #[expect(clippy::too_many_arguments, reason = "an access is made of all of these")]
    fn atomic(
        &mut self,
        env: &Environment<'_>,
        shared: &mut Shared,
        space: Space,
        addr: u64,
        op: AtomicOp,
        ty: Type,
        operands: [u64; 2],
        lane: usize,
    ) -> Result<u64, Fault> {
        let size = ty.bytes() as u64;
        aligned(addr, size)?;
        match space {
            Space::Global | Space::Generic => {
                // One lock for all atomic operations: simple, and right for every width.
                let _serial = env.atomics.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let allocation = self.allocation(env, addr)?;
                let old = allocation.load(addr, size)?;
                allocation.store(addr, size, combine(op, ty, old, operands))?;
                Ok(old)
            }
            Space::Shared => {
                let by = self.accessor(lane, true);
                let old = shared.load(addr, size, by)?;
                shared.store(addr, size, combine(op, ty, old, operands), by)?;
                Ok(old)
            }
            _ => Err(Fault::new(FaultKind::BadOperand, "an atomic operation on local or parameter memory")),
        }
    }
}

fn aligned(addr: u64, size: u64) -> Result<(), Fault> {
    if size.is_power_of_two() && addr % size != 0 {
        return Err(Fault::new(FaultKind::Misaligned, format!("{size} bytes at {addr:#x} are misaligned")));
    }
    Ok(())
}

fn bytes_of(addr: u64, size: u64, available: usize, space: &str) -> Result<std::ops::Range<usize>, Fault> {
    match addr.checked_add(size) {
        Some(end) if end <= available as u64 => Ok(addr as usize..end as usize),
        _ => Err(Fault::new(
            FaultKind::OutOfBounds,
            format!("{size} bytes at {addr:#x} of {space} memory are out of bounds: there are {available}"),
        )),
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))
}

fn extend(raw: u64, ty: Type) -> u64 {
    match ty {
        Type::S8 => raw as i8 as u32 as u64,
        _ => raw,
    }
}

/// What an atomic operation leaves in memory.
fn combine(op: AtomicOp, ty: Type, old: u64, [a, b]: [u64; 2]) -> u64 {
    let mask = ty.mask();
    let signed = |x: u64| if ty.bytes() == 8 { x as i64 } else { (x as i32).into() };
    let m = Modifiers {
        round: Round::Nearest,
        integral: false,
        ftz: false,
        sat: false,
        nan: false,
        relu: false,
        approx: false,
        ty,
        from: ty,
    };
    let value = match op {
        AtomicOp::Add => old.wrapping_add(a),
        AtomicOp::FAdd => match ty {
            Type::F32 => of_f32(f32_of(old) + f32_of(a)),
            Type::F64 => of_f64(f64_of(old) + f64_of(a)),
            Type::F16x2 | Type::Bf16x2 => half::packed("add").map_or(old, |f| f([old, a, 0], &m)),
            _ => half::scalar("add").map_or(old, |f| f([old, a, 0], &m)),
        },
        AtomicOp::Min if ty.is_signed() => {
            if signed(a) < signed(old) {
                a
            } else {
                old
            }
        }
        AtomicOp::Max if ty.is_signed() => {
            if signed(a) > signed(old) {
                a
            } else {
                old
            }
        }
        AtomicOp::Min => old.min(a & mask),
        AtomicOp::Max => old.max(a & mask),
        AtomicOp::And => old & a,
        AtomicOp::Or => old | a,
        AtomicOp::Xor => old ^ a,
        AtomicOp::Exch => a,
        AtomicOp::Cas => {
            if old == a & mask {
                b
            } else {
                old
            }
        }
        AtomicOp::Inc => {
            if old >= a & mask {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > a & mask {
                a
            } else {
                old - 1
            }
        }
    };
    value & mask
}
