//! A launch in execution: its blocks, which several threads may run.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::exec::{Arena, Grid, run_block};
use crate::machine::{Config, Kernel, Launch, Stats};
use crate::memory::{Memory, Races, Snapshot};
use crate::{Fault, FaultKind};

/// Interval in which a launch polls for an interrupt.
pub(crate) const INTERVAL: Duration = Duration::from_millis(20);

/// The caller's interrupt callback, which the launching thread polls.
pub(crate) struct Interrupt<'a> {
    wish: &'a dyn Fn() -> bool,
    last: Cell<Instant>,
    granted: Cell<bool>,
}

impl<'a> Interrupt<'a> {
    pub(crate) fn new(wish: &'a dyn Fn() -> bool) -> Interrupt<'a> {
        Interrupt { wish, last: Cell::new(Instant::now()), granted: Cell::new(false) }
    }

    /// Returns true once, if the launch is to be interrupted. The caller is polled once in an interval, and not again while the
    /// blocks that run come to their end.
    pub(crate) fn asked(&self) -> bool {
        let now = Instant::now();
        if self.granted.get() || now.duration_since(self.last.get()) < INTERVAL {
            return false;
        }
        self.last.set(now);
        self.granted.set((self.wish)());
        self.granted.get()
    }
}

/// The data for running the blocks; only the output of the kernel stays with the thread that launched it.
#[derive(Debug)]
pub(crate) struct Job {
    kernel: Kernel,
    memory: Arc<Memory>,
    live: Snapshot,
    grid: [u32; 3],
    block: [u32; 3],
    params: Vec<u8>,
    shared_bytes: u64,
    dynamic_shared: u64,
    max_instructions: u64,
    /// The accesses of threads to global memory, if races are checked.
    races: Option<Races>,
    seed: Option<u64>,
    blocks: u64,
    /// The order of the blocks, if it is random.
    shuffle: Option<Shuffle>,
    next: AtomicU64,
    stop: AtomicBool,
    /// The fault of the first block in order that has one.
    fault: Mutex<Option<(u64, Fault)>>,
    /// Memory of the grid barrier of a cooperative launch; 0 for another launch.
    pub(crate) workspace: u64,
    instructions: AtomicU64,
    warp_instructions: AtomicU64,
}

impl Job {
    pub(crate) fn new(
        config: &Config,
        memory: Arc<Memory>,
        kernel: &Kernel,
        launch: &Launch<'_>,
        shared_bytes: u64,
    ) -> Job {
        let blocks = launch.grid.iter().map(|&n| u64::from(n)).product();
        Job {
            kernel: kernel.clone(),
            live: memory.snapshot(),
            memory,
            grid: launch.grid,
            block: launch.block,
            params: launch.params[..kernel.param_bytes].into(),
            shared_bytes,
            dynamic_shared: u64::from(launch.shared_bytes),
            max_instructions: config.max_instructions,
            races: config.races.then(|| Races::new(kernel.program().grain)),
            seed: config.seed,
            blocks,
            shuffle: config.seed.map(|seed| Shuffle::new(blocks, seed)),
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            fault: Mutex::new(None),
            workspace: 0,
            instructions: AtomicU64::new(0),
            warp_instructions: AtomicU64::new(0),
        }
    }

    /// Returns true if several threads are useful: there are several blocks, and none of them prints.
    pub(crate) fn is_shared(&self) -> bool {
        self.blocks > 1 && !self.kernel.program().prints
    }

    /// Returns true if any block has not been started.
    pub(crate) fn has_more(&self) -> bool {
        self.next.load(Relaxed) < self.blocks && !self.stop.load(Relaxed)
    }

    /// Runs blocks until none is left.
    pub(crate) fn work(
        &self,
        arena: &mut Arena,
        output: Option<&(dyn Fn(&str) + Sync)>,
        interrupt: Option<&Interrupt<'_>>,
    ) {
        let [x, y, _] = self.grid.map(u64::from);
        let grid = self.grid_of(output, interrupt);
        loop {
            if self.stop.load(Relaxed) || !self.run_next(&grid, arena, [x, y]) {
                return;
            }
        }
    }

    /// Runs one block of a launch whose blocks all run at the same time.
    pub(crate) fn work_one(&self, arena: &mut Arena, output: Option<&(dyn Fn(&str) + Sync)>) {
        let [x, y, _] = self.grid.map(u64::from);
        self.run_next(&self.grid_of(output, None), arena, [x, y]);
    }

    /// Stops the launch while its blocks are run by other threads.
    pub(crate) fn interrupt(&self) {
        self.stop.store(true, Relaxed);
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let message = format!("the kernel {} was interrupted", self.kernel.name());
        first.get_or_insert((u64::MAX, Fault::new(FaultKind::Interrupted, message)));
    }

    fn grid_of<'a>(
        &'a self,
        output: Option<&'a (dyn Fn(&str) + Sync)>,
        interrupt: Option<&'a Interrupt<'a>>,
    ) -> Grid<'a> {
        Grid {
            program: self.kernel.program(),
            entry: self.kernel.index,
            grid: self.grid,
            block: self.block,
            params: &self.params,
            shared_bytes: self.shared_bytes,
            dynamic_shared: self.dynamic_shared,
            live: &self.live,
            memory: &self.memory,
            output,
            interrupt,
            max_instructions: self.max_instructions,
            seed: self.seed,
            stop: &self.stop,
            races: self.races.as_ref(),
            workspace: self.workspace,
        }
    }

    /// Runs the next block; returns `false` if none is left.
    fn run_next(&self, grid: &Grid<'_>, arena: &mut Arena, [x, y]: [u64; 2]) -> bool {
        let index = self.next.fetch_add(1, Relaxed);
        if index >= self.blocks {
            return false;
        }
        let index = self.shuffle.as_ref().map_or(index, |s| s.at(index));
        let block = [index % x, index / x % y, index / x / y].map(|i| i as u32);
        match run_block(grid, arena, block) {
            Ok((warp, lane)) => {
                self.warp_instructions.fetch_add(warp, Relaxed);
                self.instructions.fetch_add(lane, Relaxed);
            }
            Err(e) => {
                self.stop.store(true, Relaxed);
                let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|(at, _)| index < *at) {
                    *first = Some((index, e));
                }
            }
        }
        true
    }

    /// Returns the result of the launch, after all threads have left it.
    pub(crate) fn outcome(&self) -> Result<Stats, Fault> {
        match self.fault.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some((_, fault)) => Err(fault),
            None => Ok(Stats {
                warp_instructions: self.warp_instructions.load(Relaxed),
                instructions: self.instructions.load(Relaxed),
            }),
        }
    }
}

/// A pseudo-random permutation of `0..count`: steps of a stride that is coprime to it.
#[derive(Debug)]
struct Shuffle {
    count: u64,
    start: u64,
    stride: u64,
}

impl Shuffle {
    fn new(count: u64, seed: u64) -> Shuffle {
        fn gcd(a: u64, b: u64) -> u64 {
            if b == 0 { a } else { gcd(b, a % b) }
        }
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed >> 29;
        let mut stride = mixed % count + 1;
        while gcd(stride, count) != 1 {
            stride = stride % count + 1;
        }
        Shuffle { count, start: mixed.rotate_left(32) % count, stride }
    }

    fn at(&self, i: u64) -> u64 {
        ((u128::from(self.start) + u128::from(i) * u128::from(self.stride)) % u128::from(self.count)) as u64
    }
}
