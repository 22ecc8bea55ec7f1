//! A block: its warps, scheduled until all are done, and its barriers.

use std::sync::{Arc, Mutex};

use super::shared::Shared;
use super::warp::{Arrival, Stop, Warp, lanes_of};
use super::{BarrierKind, Program};
use crate::fault::Site;
use crate::memory::Allocation;
use crate::{Fault, FaultKind, Stats};

/// Instructions that a warp runs before another one gets its turn.
const SLICE: u64 = 20_000;

/// Everything that a block's threads see beside each other.
pub(crate) struct Environment<'a> {
    pub(crate) program: &'a Program,
    pub(crate) entry: usize,
    pub(crate) live: Arc<Vec<Arc<Allocation>>>,
    pub(crate) atomics: &'a Mutex<()>,
    pub(crate) params: &'a [u8],
    pub(crate) grid: [u32; 3],
    pub(crate) block_size: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared: u32,
    pub(crate) shared_bytes: usize,
    pub(crate) max_instructions: u64,
    pub(crate) output: Option<&'a (dyn Fn(&str) + Sync)>,
    /// The order of warps: a seed, or 0 for the order of their numbers.
    pub(crate) seed: u64,
}

impl Environment<'_> {
    pub(super) fn threads(&self) -> u32 {
        self.block_size.iter().product()
    }

    pub(super) fn thread(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.block_size;
        [index % x, index / x % y, index / x / y]
    }

    pub(super) fn print(&self, text: &str) {
        if let Some(output) = self.output {
            output(text);
        }
    }
}

/// Runs one block to its end.
pub(crate) fn run(env: &Environment<'_>, shared: &mut Shared) -> Result<Stats, Fault> {
    shared.start_block(env.shared_bytes);
    let threads = env.threads();
    let mut warps: Vec<Warp> = (0..threads.div_ceil(32))
        .map(|w| {
            let lanes = (threads - 32 * w).min(32);
            Warp::new(w, u32::MAX >> (32 - lanes), env)
        })
        .collect();
    let mut order: Vec<usize> = (0..warps.len()).collect();
    let mut random = env.seed;
    let mut total = 0;
    loop {
        if env.seed != 0 {
            shuffle(&mut order, &mut random);
        }
        let mut all_done = true;
        for &w in &order {
            let warp = &mut warps[w];
            if warp.arrival.is_some() || warp.groups.is_empty() {
                all_done &= warp.groups.is_empty();
                continue;
            }
            let before = warp.instructions;
            let slice = if env.seed == 0 { SLICE } else { 1 + next(&mut random) % 64 };
            let stop = match warp.run(env, shared, slice) {
                Ok(stop) => stop,
                Err((lane, fault)) => return Err(located(env, warp, lane, fault)),
            };
            total += warp.instructions - before;
            if total > env.max_instructions {
                let message = format!("the block ran {} instructions without an end", env.max_instructions);
                return Err(located(env, warp, first_lane(warp), Fault::new(FaultKind::Watchdog, message)));
            }
            all_done &= stop == Stop::Done;
        }
        if all_done {
            break;
        }
        open_barriers(env, shared, &mut warps)?;
    }
    Ok(Stats {
        instructions: warps.iter().map(|w| w.lane_instructions).sum(),
        warp_instructions: warps.iter().map(|w| w.instructions).sum(),
    })
}

/// Opens every barrier that all of its threads have reached. If nothing can go on, the block has a fault.
fn open_barriers(env: &Environment<'_>, shared: &mut Shared, warps: &mut [Warp]) -> Result<(), Fault> {
    let arrivals: Vec<(usize, Arrival)> = warps.iter().enumerate().filter_map(|(i, w)| Some((i, w.arrival?))).collect();
    let mut opened = false;
    for id in 0..16 {
        let here: Vec<(usize, Arrival)> = arrivals.iter().copied().filter(|(_, a)| a.id == id).collect();
        let Some(&(_, first)) = here.first() else { continue };
        let present: u32 = here.iter().map(|(w, _)| warps[*w].lanes.count_ones()).sum();
        let wanted = match first.threads {
            Some(n) => n as u32,
            // Threads that have ended are not waited for.
            None => warps.iter().filter(|w| !w.groups.is_empty()).map(|w| w.lanes.count_ones()).sum(),
        };
        if present < wanted {
            continue;
        }
        if first.threads.is_none()
            && let Some((w, a)) = here.iter().find(|(_, a)| a.line != first.line)
        {
            let message = format!("threads wait at different barriers, at PTX lines {} and {}", first.line, a.line);
            let warp = &warps[*w];
            return Err(located(env, warp, first_lane(warp), Fault::new(FaultKind::BarrierDivergence, message)));
        }
        reduce(env, warps, &here);
        for (w, _) in &here {
            warps[*w].proceed();
        }
        shared.barrier();
        opened = true;
    }
    // An arrival alone does not wait.
    for (w, a) in &arrivals {
        if a.kind == BarrierKind::Arrive && warps[*w].arrival.is_some() {
            warps[*w].proceed();
            opened = true;
        }
    }
    let running = warps.iter().any(|w| !w.groups.is_empty() && w.arrival.is_none());
    if opened || running {
        return Ok(());
    }
    match warps.iter().find(|w| w.arrival.is_some()) {
        Some(warp) => {
            let message = "threads wait at a barrier for others that never come";
            Err(located(env, warp, first_lane(warp), Fault::new(FaultKind::BarrierDivergence, message)))
        }
        None => Ok(()),
    }
}

/// `bar.red`: the reduction of a predicate over all threads at the barrier.
fn reduce(env: &Environment<'_>, warps: &mut [Warp], here: &[(usize, Arrival)]) {
    let predicate = |a: &Arrival| match a.kind {
        BarrierKind::Popc { p, .. } | BarrierKind::And { p, .. } | BarrierKind::Or { p, .. } => Some(p),
        _ => None,
    };
    let (mut count, mut lanes) = (0, 0);
    for (w, a) in here {
        let Some(p) = predicate(a) else { return };
        for g in &warps[*w].groups {
            let function = &env.program.functions[warps[*w].frames[g.frame].function];
            let values = warps[*w].source(function, g.frame, p);
            count += lanes_of(g.mask).filter(|&l| values[l] & 1 == 1).count() as u64;
            lanes += u64::from(g.mask.count_ones());
        }
    }
    for (w, a) in here {
        let (d, value) = match a.kind {
            BarrierKind::Popc { d, .. } => (d, count),
            BarrierKind::And { d, .. } => (d, u64::from(count == lanes)),
            BarrierKind::Or { d, .. } => (d, u64::from(count > 0)),
            _ => return,
        };
        for g in warps[*w].groups.clone() {
            warps[*w].set(g.frame, d, g.mask, |_| value);
        }
    }
}

fn first_lane(warp: &Warp) -> usize {
    warp.groups.first().map_or(0, |g| g.mask.trailing_zeros() as usize)
}

fn located(env: &Environment<'_>, warp: &Warp, lane: usize, mut fault: Fault) -> Fault {
    let line = warp.arrival.map_or(warp.line, |a| a.line);
    fault.site = Some(Box::new(Site {
        kernel: env.program.functions[env.entry].name.clone(),
        line,
        block: env.block,
        thread: env.thread(warp.index * 32 + lane as u32),
    }));
    fault
}

/// SplitMix64 (G. Steele, D. Lea, C. Flood, 2014).
pub(crate) fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Fisher and Yates's shuffle.
pub(crate) fn shuffle<T>(items: &mut [T], state: &mut u64) {
    for i in (1..items.len()).rev() {
        items.swap(i, (next(state) % (i as u64 + 1)) as usize);
    }
}
