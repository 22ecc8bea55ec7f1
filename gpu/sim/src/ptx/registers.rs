//! Register allocation: registers that are never live together share a slot. A compiler gives every value a new name,
//! and a warp's registers should stay in the cache.

use crate::exec::{Async, CONSTANT, Callee, Code, Collective, Function};

/// Maximum number of bits of liveness; beyond, the registers are left unchanged. No compiler generates such a function.
const MAX_BITS: usize = 1 << 27;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Use,
    Def,
    /// Read, then written.
    Both,
}

/// Visits the registers that an instruction reads and then those that it writes, each location once.
fn visit(code: &mut Code, f: &mut dyn FnMut(&mut u32, Role)) {
    macro_rules! uses {
        ($($s:expr),+) => {$(
            let s: &mut u32 = $s;
            if *s & CONSTANT == 0 {
                f(s, Role::Use);
            }
        )+};
    }
    macro_rules! defs {
        ($($d:expr),+) => {$( f($d, Role::Def); )+};
    }
    match code {
        Code::Map1(_, d, a) | Code::IsSpace(_, d, a) => {
            uses!(a);
            defs!(d);
        }
        Code::Map2(_, d, s) => {
            s.iter_mut().for_each(|s| {
                uses!(s);
            });
            defs!(d);
        }
        Code::Map3(_, d, s) | Code::Scalar(_, _, d, s) | Code::Lop3(_, d, s) | Code::Video(_, d, s) => {
            s.iter_mut().for_each(|s| {
                uses!(s);
            });
            defs!(d);
        }
        Code::Bfi(_, d, s) => {
            s.iter_mut().for_each(|s| {
                uses!(s);
            });
            defs!(d);
        }
        Code::Carry { d, s, cc, takes, set, .. } => {
            s.iter_mut().for_each(|s| {
                uses!(s);
            });
            // Each location is visited once: a renaming must not apply twice.
            let role = match (*takes, *set) {
                (true, true) => Role::Both,
                (true, false) => Role::Use,
                _ => Role::Def,
            };
            f(cc, role);
            d.iter_mut().for_each(|d| f(d, Role::Def));
        }
        Code::Pack(d, parts, _) => {
            parts.iter_mut().for_each(|s| {
                uses!(s);
            });
            defs!(d);
        }
        Code::Unpack(targets, a, _) => {
            uses!(a);
            targets.iter_mut().flatten().for_each(|d| f(d, Role::Def));
        }
        Code::Alloca(d, bytes, _) => {
            uses!(bytes);
            defs!(d);
        }
        Code::StackRestore(a) => {
            uses!(a);
        }
        Code::StackSave(d) | Code::Special(d, _) | Code::LocalAddress(d, _) | Code::ActiveMask(d) => {
            defs!(d);
        }
        Code::Load(load) => {
            uses!(&mut load.address);
            load.targets.iter_mut().flatten().for_each(|d| f(d, Role::Def));
        }
        Code::Store(store) => {
            uses!(&mut store.address);
            store.sources.iter_mut().for_each(|s| {
                uses!(s);
            });
        }
        Code::Atomic(atomic) => {
            uses!(&mut atomic.address);
            atomic.sources.iter_mut().for_each(|s| {
                uses!(s);
            });
            atomic.target.iter_mut().for_each(|d| f(d, Role::Def));
        }
        Code::Image(image) => {
            uses!(&mut image.image);
            image.coordinates.iter_mut().chain(&mut image.sources).for_each(|s| {
                uses!(s);
            });
            image.targets.iter_mut().flatten().for_each(|d| f(d, Role::Def));
        }
        Code::BranchTable(index, _) | Code::Divisor(index, _) => {
            uses!(index);
        }
        Code::Call(call) => {
            if let Callee::Indirect(pointer) = &mut call.callee {
                uses!(pointer);
            }
        }
        Code::Barrier(barrier) => {
            uses!(&mut barrier.id);
            for s in [&mut barrier.count, &mut barrier.predicate].into_iter().flatten() {
                uses!(s);
            }
            barrier.target.iter_mut().for_each(|d| f(d, Role::Def));
        }
        Code::Async(what) => match &mut **what {
            Async::Copy(copy) => {
                for s in [&mut copy.to, &mut copy.from].into_iter().chain(&mut copy.size).chain(&mut copy.ignore) {
                    uses!(s);
                }
            }
            Async::Wait(Some(newest)) => {
                uses!(newest);
            }
            Async::Wait(None) | Async::Commit => {}
        },
        Code::Mbarrier(what) => {
            for s in [&mut what.address].into_iter().chain(&mut what.operand) {
                uses!(s);
            }
            what.target.iter_mut().for_each(|d| f(d, Role::Def));
        }
        Code::Collective(what, members) => {
            if let Some(members) = members {
                uses!(members);
            }
            match &mut **what {
                Collective::Sync => {}
                Collective::Matrix(matrix) => {
                    for s in matrix.sources() {
                        uses!(s);
                    }
                    matrix.targets().into_iter().for_each(|d| f(d, Role::Def));
                }
                Collective::Shuffle { d, p, sources, .. } => {
                    sources.iter_mut().for_each(|s| {
                        uses!(s);
                    });
                    [d, p].into_iter().flatten().for_each(|d| f(d, Role::Def));
                }
                Collective::MatchAll { d, p, a } => {
                    uses!(a);
                    [d, p].into_iter().flatten().for_each(|d| f(d, Role::Def));
                }
                Collective::Vote { d, a, .. } | Collective::MatchAny { d, a } | Collective::Redux { d, a, .. } => {
                    uses!(a);
                    d.iter_mut().for_each(|d| f(d, Role::Def));
                }
            }
        }
        Code::Branch(_) | Code::Return | Code::Exit | Code::Trap | Code::Fence | Code::Nothing => {}
    }
}

#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(count: usize) -> Set {
        Set(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, r: u32) {
        self.0[r as usize / 64] |= 1 << (r % 64);
    }

    fn has(&self, r: u32) -> bool {
        self.0[r as usize / 64] >> (r % 64) & 1 == 1
    }

    fn each(&self, mut f: impl FnMut(u32)) {
        for (i, word) in self.0.iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                f(i as u32 * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }
}

/// A basic block: code with one entry and one exit.
struct Piece {
    start: usize,
    end: usize,
    next: Vec<usize>,
    reads: Set,
    writes: Set,
    live_in: Set,
    live_out: Set,
}

/// Returns the basic blocks of a function; `None` if there are too many.
fn pieces(f: &mut Function) -> Option<Vec<Piece>> {
    let count = f.code.len();
    let mut starts = vec![false; count + 1];
    starts[0] = true;
    for (i, instruction) in f.code.iter().enumerate() {
        match &instruction.code {
            Code::Branch(to) => starts[*to as usize] = true,
            Code::BranchTable(_, to) => to.iter().for_each(|t| starts[*t as usize] = true),
            Code::Return | Code::Exit | Code::Trap => {}
            _ => continue,
        }
        starts[i + 1] = true;
    }
    let heads: Vec<usize> = (0..count).filter(|&i| starts[i]).collect();
    let registers = f.registers as usize;
    if heads.len().saturating_mul(registers) > MAX_BITS {
        return None;
    }
    let piece_at = |i: usize| heads.binary_search(&i).ok();
    let mut all = Vec::with_capacity(heads.len());
    for (k, &start) in heads.iter().enumerate() {
        let end = heads.get(k + 1).copied().unwrap_or(count);
        let last = &f.code[end - 1];
        let mut next = Vec::new();
        let falls = match &last.code {
            Code::Branch(to) => {
                next.extend(piece_at(*to as usize));
                last.guard.is_some()
            }
            Code::BranchTable(_, to) => {
                next.extend(to.iter().filter_map(|t| piece_at(*t as usize)));
                last.guard.is_some()
            }
            Code::Return | Code::Exit | Code::Trap => last.guard.is_some(),
            _ => true,
        };
        if falls {
            next.extend(piece_at(end));
        }
        let (mut reads, mut writes) = (Set::new(registers), Set::new(registers));
        for instruction in &mut f.code[start..end] {
            let guard = instruction.guard.map(|g| g.register);
            if let Some(g) = guard
                && !writes.has(g)
            {
                reads.insert(g);
            }
            visit(&mut instruction.code, &mut |r, role| match role {
                Role::Use | Role::Both if !writes.has(*r) => reads.insert(*r),
                // A guarded write keeps the old value for some lanes.
                Role::Def if guard.is_none() => writes.insert(*r),
                _ => {}
            });
        }
        let (live_in, live_out) = (Set::new(registers), Set::new(registers));
        all.push(Piece { start, end, next, reads, writes, live_in, live_out });
    }
    Some(all)
}

/// Returns the live range of each register: from the first to the last position, over the whole code.
fn spans(f: &mut Function) -> Option<Vec<Option<(usize, usize)>>> {
    let mut pieces = pieces(f)?;
    let mut changed = true;
    while changed {
        changed = false;
        for k in (0..pieces.len()).rev() {
            let mut out = Set::new(f.registers as usize);
            for &n in &pieces[k].next {
                for (a, b) in out.0.iter_mut().zip(&pieces[n].live_in.0) {
                    *a |= b;
                }
            }
            let p = &mut pieces[k];
            for i in 0..out.0.len() {
                let live = p.reads.0[i] | out.0[i] & !p.writes.0[i];
                changed |= live != p.live_in.0[i];
                p.live_in.0[i] = live;
            }
            p.live_out = out;
        }
    }
    let mut spans: Vec<Option<(usize, usize)>> = vec![None; f.registers as usize];
    let mut widen = |r: u32, from: usize, to: usize| {
        let span = spans[r as usize].get_or_insert((from, to));
        *span = (span.0.min(from), span.1.max(to));
    };
    for p in &pieces {
        p.live_in.each(|r| widen(r, p.start, p.start));
        p.live_out.each(|r| widen(r, p.end, p.end));
        for (i, instruction) in f.code[p.start..p.end].iter_mut().enumerate() {
            let at = p.start + i;
            let guarded = instruction.guard.is_some();
            if let Some(g) = instruction.guard {
                widen(g.register, at, at);
            }
            visit(&mut instruction.code, &mut |r, role| match role {
                Role::Use => widen(*r, at, at),
                Role::Both => widen(*r, at, at + 1),
                // The value that a guarded write keeps was live before it.
                Role::Def => widen(*r, if guarded { at.saturating_sub(1) } else { at }, at + 1),
            });
        }
    }
    // A register that is live at the start is read before it is written: it starts as zero.
    if let Some(p) = pieces.first() {
        p.live_in.each(|r| f.cleared.push(r));
    }
    Some(spans)
}

/// Renames registers to as few slots as their live ranges allow.
pub(super) fn compact(f: &mut Function) {
    f.cleared.clear();
    let Some(spans) = spans(f) else {
        f.cleared = (0..f.registers).collect();
        return;
    };
    let mut order: Vec<(usize, usize, u32)> =
        spans.iter().enumerate().filter_map(|(r, s)| s.map(|(from, to)| (from, to, r as u32))).collect();
    order.sort_unstable();
    let mut slots = vec![0u32; spans.len()];
    let mut used = 0;
    let mut free: Vec<u32> = Vec::new();
    // The slots in use, by the position at which they become free.
    let mut busy = std::collections::BinaryHeap::new();
    for (from, to, r) in order {
        while let Some(&(std::cmp::Reverse(end), slot)) = busy.peek()
            && end <= from
        {
            busy.pop();
            free.push(slot);
        }
        let slot = free.pop().unwrap_or_else(|| {
            used += 1;
            used - 1
        });
        slots[r as usize] = slot;
        busy.push((std::cmp::Reverse(to), slot));
    }
    for instruction in &mut f.code {
        if let Some(g) = &mut instruction.guard {
            g.register = slots[g.register as usize];
        }
        visit(&mut instruction.code, &mut |r, _| *r = slots[*r as usize]);
    }
    for r in &mut f.cleared {
        *r = slots[*r as usize];
    }
    f.registers = used;
}
