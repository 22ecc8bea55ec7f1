//! `mbarrier`: barrier objects in shared memory, with consecutive phases.
//!
//! The contents of the object are opaque; here its state is stored separately, by its address. A state that `arrive`
//! returns has the phase in its upper half and the number of missing arrivals in its lower half.

use std::collections::BTreeMap;

use super::access::{aligned, resolve};
use super::block::Context;
use super::defined::depends_on;
use super::run::{Flow, row, set};
use super::warp::{Group, Lane, Warp, first, lanes_of};
use super::{Function, Src};
use crate::FaultKind;
use crate::memory::Denied;
use crate::ops::Lanes;
use crate::ptx::Space;

/// Maximum number of arrivals of a phase.
const MOST: u64 = (1 << 20) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MbarrierKind {
    Init,
    Invalidate,
    /// Arrivals; `drop`: the thread will not arrive again; `whole`: they may complete the phase.
    Arrive {
        drop: bool,
        whole: bool,
    },
    /// Tests whether the phase of a state is complete.
    Test,
    /// Tests whether the phase of a parity is complete.
    TestParity,
    /// Returns the number of missing arrivals in a state.
    Pending,
    /// `cp.async.mbarrier.arrive`: an arrival when the thread's copies are done; `counted`: included in the expected
    /// count.
    Copies {
        counted: bool,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Mbarrier {
    pub(crate) kind: MbarrierKind,
    pub(crate) space: Space,
    pub(crate) address: Src,
    pub(crate) offset: i64,
    pub(crate) target: Option<u32>,
    /// A count, a state or a parity.
    pub(crate) operand: Option<Src>,
}

/// One barrier object.
#[derive(Clone, Debug)]
struct Object {
    expected: u32,
    missing: u32,
    phase: u32,
    /// Copies that must be complete before the phase is.
    copies: Vec<u32>,
}

/// The barrier objects of a block.
#[derive(Debug, Default)]
pub(super) struct Mbarriers(BTreeMap<u64, Object>);

impl Mbarriers {
    /// Describes the `mbarrier` that a permanently waiting thread waits for, if there is one.
    pub(super) fn waiting(&self, at: u64) -> Option<String> {
        let object = self.0.get(&at)?;
        let Object { expected, missing, phase, .. } = object;
        Some(format!(
            "; it waits for the mbarrier at {at:#x} of shared memory, which is in phase {phase} (parity {}) and lacks {missing} of \
             {expected} arrivals",
            phase & 1
        ))
    }
}

impl Object {
    fn state(&self) -> u64 {
        u64::from(self.phase) << 32 | u64::from(self.missing)
    }
}

fn bad<T>(message: String) -> Result<T, Denied> {
    Err((FaultKind::BadOperand, message))
}

impl Warp {
    #[inline(never)]
    pub(super) fn mbarrier(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &mut [Lanes],
        group: &mut Group,
        what: &Mbarrier,
        mask: u32,
    ) -> Lane<Flow> {
        cx.sync();
        let address = *row(registers, function, what.address);
        let operand = what.operand.map(|s| *row(registers, function, s));
        let mut results = [0; 32];
        let mut all_wait = true;
        for l in lanes_of(mask) {
            if let Some(s) = what.operand
                && let (marks, origin) = self.mark_of(group.frame, s, l)
                && marks != 0
            {
                return Err((l, depends_on(cx, "an mbarrier", &origin)));
            }
            let at = address[l].wrapping_add_signed(what.offset);
            let done = self.one_mbarrier(cx, what, l, at, operand.map(|o| o[l]));
            results[l] = done.map_err(|denied| (l, denied))?;
            all_wait &= matches!(what.kind, MbarrierKind::Test | MbarrierKind::TestParity) && results[l] == 0;
        }
        if let Some(d) = what.target {
            set(registers, d, mask, |l| results[l]);
            self.define(group.frame, d, mask);
        }
        if all_wait && mask != 0 {
            // Other threads must run for the phase to complete.
            let waited = address[first(mask)].wrapping_add_signed(what.offset);
            self.waits_for = Some(resolve(what.space, waited).1);
            group.pc += 1;
            self.groups.push(*group);
            self.tired = true;
            return Ok(Flow::Gone);
        }
        Ok(Flow::Next)
    }

    fn one_mbarrier(
        &mut self,
        cx: &mut Context<'_>,
        what: &Mbarrier,
        l: usize,
        address: u64,
        operand: Option<u64>,
    ) -> Result<u64, Denied> {
        if what.kind == MbarrierKind::Pending {
            return Ok(operand.unwrap_or(0) & MOST);
        }
        let (space, at) = resolve(what.space, address);
        if space != Space::Shared {
            return bad(format!("an mbarrier at {address:#x}, which is not in shared memory"));
        }
        aligned(at, 8)?;
        if what.kind == MbarrierKind::Init {
            let count = operand.unwrap_or(0) & 0xffff_ffff;
            if count == 0 || count > MOST {
                return bad(format!("an mbarrier of {count} arrivals: there are 1 to {MOST}"));
            }
            cx.shared.store(at, 8, (count, 0), self.accessor(l, false))?;
            let count = count as u32;
            cx.mbarriers.0.insert(at, Object { expected: count, missing: count, phase: 0, copies: Vec::new() });
            return Ok(0);
        }
        // A thread that did not wait for the initialisation of the object gets the race reported.
        cx.shared.load(at, 8, self.accessor(l, what.kind != MbarrierKind::Invalidate))?;
        let Some(object) = cx.mbarriers.0.get_mut(&at) else {
            return bad(format!("{at:#x} of shared memory is no mbarrier: mbarrier.init has not made one there"));
        };
        match what.kind {
            MbarrierKind::Invalidate => {
                cx.mbarriers.0.remove(&at);
                Ok(0)
            }
            MbarrierKind::Test => {
                let phase = (operand.unwrap_or(0) >> 32) as u32;
                if phase != object.phase && phase.wrapping_add(1) != object.phase {
                    return bad(format!(
                        "the mbarrier at {at:#x} of shared memory is in phase {}, and the state that is waited for is of phase \
                         {phase}: only the current one and the one before can be waited for",
                        object.phase
                    ));
                }
                Ok(u64::from(phase != object.phase))
            }
            MbarrierKind::TestParity => Ok(u64::from(operand.unwrap_or(0) & 1 != u64::from(object.phase & 1))),
            MbarrierKind::Arrive { drop, whole } => {
                let state = object.state();
                let count = operand.map_or(1, |n| n & 0xffff_ffff);
                if count == 0 || count > u64::from(object.missing) {
                    return bad(format!(
                        "{count} arrivals at the mbarrier at {at:#x} of shared memory, whose phase {} lacks {} of {}",
                        object.phase, object.missing, object.expected
                    ));
                }
                if !whole && count == u64::from(object.missing) {
                    return bad(format!(
                        "an arrival that must not complete a phase (noComplete) completes phase {} of the mbarrier at {at:#x} of \
                         shared memory",
                        object.phase
                    ));
                }
                if drop {
                    object.expected -= count as u32;
                }
                object.missing -= count as u32;
                self.complete(cx, at)?;
                Ok(state)
            }
            MbarrierKind::Copies { counted } => {
                let issued: Vec<u32> =
                    cx.copies.issued(self.thread(l)).filter(|&number| cx.shared.is_under_way(number)).collect();
                object.copies.extend(issued);
                if counted {
                    if object.missing == 0 {
                        return bad(format!("an arrival too many at the mbarrier at {at:#x} of shared memory"));
                    }
                    object.missing -= 1;
                    self.complete(cx, at)?;
                }
                Ok(0)
            }
            MbarrierKind::Init | MbarrierKind::Pending => Ok(0),
        }
    }

    /// Completes the phase if no arrival is missing: earlier accesses are ordered before later ones.
    fn complete(&mut self, cx: &mut Context<'_>, at: u64) -> Result<(), Denied> {
        let Some(object) = cx.mbarriers.0.get_mut(&at).filter(|object| object.missing == 0) else { return Ok(()) };
        object.phase = object.phase.wrapping_add(1);
        object.missing = object.expected;
        for number in std::mem::take(&mut object.copies) {
            cx.shared.land_copy(number, 0)?;
        }
        cx.shared.barrier();
        Ok(())
    }
}
