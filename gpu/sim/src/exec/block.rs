//! Execution of a block: its warps run in turn until all are done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::Program;
use super::copies::Copies;
use super::mbarrier::Mbarriers;
use super::warp::{Arena, Warp};
use crate::fault::Site;
use crate::job::Interrupt;
use crate::memory::{Allocation, By, Denied, How, Memory, Races, Shared, View};
use crate::{Fault, FaultKind};

/// Number of named barriers of a block.
pub(super) const BARRIERS: usize = 16;

/// The reason why a warp stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    Done,
    /// All remaining lanes wait at barriers.
    Waiting,
    Slice,
}

/// Number of instructions that a warp runs before the next one.
const SLICE: u64 = 20_000;

/// The parts of a launch that all blocks share.
pub(crate) struct Grid<'a> {
    pub(crate) program: &'a Program,
    pub(crate) entry: usize,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) params: &'a [u8],
    pub(crate) shared_bytes: u64,
    pub(crate) dynamic_shared: u64,
    pub(crate) live: &'a [Arc<Allocation>],
    pub(crate) memory: &'a Memory,
    pub(crate) output: Option<&'a (dyn Fn(&str) + Sync)>,
    pub(crate) interrupt: Option<&'a Interrupt<'a>>,
    pub(crate) max_instructions: u64,
    pub(crate) seed: Option<u64>,
    /// Set when another block has failed: execution stops.
    pub(crate) stop: &'a AtomicBool,
    /// The race check of global memory, if requested.
    pub(crate) races: Option<&'a Races>,
    /// Memory of the grid barrier of a cooperative launch; 0 for another launch.
    pub(crate) workspace: u64,
}

/// The state that the warps of a block share while they run.
pub(super) struct Context<'a> {
    pub(super) grid: &'a Grid<'a>,
    pub(super) shared: &'a mut Shared,
    pub(super) view: View<'a>,
    pub(super) block: [u32; 3],
    pub(super) arrived: [u32; BARRIERS],
    /// Instructions of the block that other warps have run: the clock of special registers.
    pub(super) clock: u64,
    /// Number of atomics, fences and strong accesses of the block, counted if races are checked.
    pub(super) syncs: u32,
    pub(super) copies: Copies,
    pub(super) mbarriers: Mbarriers,
}

impl Context<'_> {
    fn block_number(&self) -> u32 {
        let [[x, y, z], [nx, ny, _]] = [self.block, self.grid.grid];
        z.wrapping_mul(ny).wrapping_add(y).wrapping_mul(nx).wrapping_add(x)
    }

    /// Counts an atomic, a fence or a strong access, which may order earlier and later accesses.
    #[inline]
    pub(super) fn sync(&mut self) {
        if let Some(races) = self.grid.races {
            self.syncs += 1;
            races.sync(self.block_number(), self.syncs);
        }
    }

    /// Records an access to global memory if races are checked.
    pub(super) fn touch(
        &self,
        (thread, warp_epoch): (u16, u32),
        (addr, bytes): (u64, u64),
        options: How,
        same: impl Fn() -> bool,
    ) -> Result<(), Denied> {
        let Some(races) = self.grid.races else { return Ok(()) };
        let (block, epoch, syncs) = (self.block_number(), self.shared.epoch(), self.syncs);
        races.access(addr, bytes, By { block, thread, epoch, warp_epoch, syncs }, options, same())
    }

    pub(super) fn site(&self, warp: u32, lane: usize, line: u32) -> Site {
        let thread = warp * 32 + lane as u32;
        let [x, y, _] = self.grid.block;
        Site {
            kernel: self.grid.program.functions[self.grid.entry].name.clone(),
            line,
            source: self.grid.program.sources.location(line),
            block: self.block,
            thread: [thread % x, thread / x % y, thread / x / y],
        }
    }

    pub(super) fn fault(&self, warp: u32, lane: usize, line: u32, (kind, message): Denied) -> Fault {
        let site = self.site(warp, lane, line);
        let arguments = super::arguments::nearest(self.grid, kind, &message);
        let message = self.grid.program.sources.explain(message) + &arguments;
        Fault { kind, message, site: Some(Box::new(site)) }
    }
}

pub(super) struct Block<'a, 'b> {
    pub(super) cx: Context<'a>,
    pub(super) warps: &'b mut [Warp],
}

/// A small generator for scheduling orders (splitmix64).
struct Order(u64);

impl Order {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// Runs one block to its end; returns the number of instructions, of warps and of lanes.
pub(crate) fn run_block(grid: &Grid<'_>, arena: &mut Arena, block: [u32; 3]) -> Result<(u64, u64), Fault> {
    let count = grid.block.iter().product::<u32>().div_ceil(32);
    if arena.warps.len() < count as usize {
        arena.warps.resize_with(count as usize, Warp::default);
    }
    arena.shared.reset(&grid.program.functions[grid.entry].shared, grid.dynamic_shared, grid.program.grain);
    let cx = Context {
        grid,
        shared: &mut arena.shared,
        view: View::new(grid.live, grid.memory),
        block,
        arrived: [0; BARRIERS],
        clock: 0,
        syncs: 0,
        copies: Copies::default(),
        mbarriers: Mbarriers::default(),
    };
    let mut block = Block { cx, warps: &mut arena.warps[..count as usize] };
    for i in 0..count {
        let warp = &mut block.warps[i as usize];
        warp.start(i, grid);
        if let Err((lane, denied)) = warp.enter_kernel(&block.cx) {
            return Err(block.cx.fault(i, lane, 0, denied));
        }
    }
    block.run()?;
    let sum = |f: fn(&Warp) -> u64| block.warps.iter().map(f).sum();
    Ok((sum(|w| w.instructions), sum(|w| w.lane_instructions)))
}

impl Block<'_, '_> {
    fn run(&mut self) -> Result<(), Fault> {
        let [x, y, z] = self.cx.block.map(u64::from);
        let mut order = self.cx.grid.seed.map(|s| Order(s ^ x.wrapping_mul(0x1_0001) ^ y << 24 ^ z << 48));
        let mut turns: Vec<usize> = (0..self.warps.len()).collect();
        let mut left = self.cx.grid.max_instructions;
        loop {
            if let Some(order) = &mut order {
                for i in (1..turns.len()).rev() {
                    turns.swap(i, (order.next() % (i as u64 + 1)) as usize);
                }
            }
            let (mut done, mut runnable) = (true, false);
            for &i in &turns {
                if self.cx.grid.stop.load(Relaxed) {
                    return Ok(());
                }
                if self.cx.grid.interrupt.is_some_and(Interrupt::asked) {
                    let warp = &self.warps[i];
                    let lane = warp.live.trailing_zeros().min(31) as usize;
                    let denied = (FaultKind::Interrupted, "the kernel was interrupted".into());
                    return Err(self.cx.fault(warp.index, lane, warp.line, denied));
                }
                let slice = order.as_mut().map_or(SLICE, |o| 1 + o.next() % 200).min(left.max(1));
                let warp = &mut self.warps[i];
                let before = warp.instructions;
                let ran = warp.run(&mut self.cx, slice);
                let spent = warp.instructions - before;
                self.cx.clock += spent;
                left = left.saturating_sub(spent);
                match ran {
                    Ok(Pause::Done) => {}
                    Ok(Pause::Waiting) => done = false,
                    Ok(Pause::Slice) => (done, runnable) = (false, true),
                    Err((lane, denied)) => return Err(self.cx.fault(warp.index, lane, warp.line, denied)),
                }
                if left == 0 && ran != Ok(Pause::Done) {
                    let most = self.cx.grid.max_instructions;
                    let why = warp.waits_for.and_then(|at| self.cx.mbarriers.waiting(at)).unwrap_or_default();
                    let message = format!("the block ran more than {most} instructions{why}");
                    let lane = warp.live.trailing_zeros().min(31) as usize;
                    return Err(self.cx.fault(warp.index, lane, warp.line, (FaultKind::Watchdog, message)));
                }
            }
            if done {
                return Ok(());
            }
            self.open_barriers(!runnable)?;
        }
    }
}
