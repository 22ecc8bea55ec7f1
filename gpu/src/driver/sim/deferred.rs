//! Deferred execution of streams on the simulated device: queued work, events, and the first fault that is not yet
//! reported.
//!
//! Deferring is what finds missing dependencies: work that another stream needs and that nothing waits for has not run
//! yet.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use cuprum_sim::Kernel;

use super::captures::Captures;
use super::queues::{DEFAULT, Point, Queues};
use super::runtime::{call, not_captured};
use super::{Sim, dense, fault, invalid, product, transform};
use crate::driver::runtime_api::HostCall;
use crate::driver::{Dense, Gemm, Mark, StreamHandle, Transforming};
use crate::error::{Error, Result};

/// Maximum number of items, and of bytes of uploads, that are queued before some of them are run.
const MOST_ITEMS: usize = 256;
const MOST_BYTES: usize = 64 << 20;

/// Deferred call.
#[derive(Debug)]
pub(super) enum Work {
    Launch {
        kernel: Kernel,
        size: [[u32; 3]; 2],
        shared: u32,
        params: Box<[u8]>,
    },
    Upload {
        dst: u64,
        data: Box<[u8]>,
    },
    Copy {
        dst: u64,
        src: u64,
        bytes: usize,
    },
    Product(Gemm),
    Dense(Dense),
    Transform(Transforming),
    Mark {
        addr: u64,
        bytes: usize,
        mark: Mark,
    },
    Record(usize),
    Host(Host),
    /// Runs if the byte at `flag` is not 0, or as long as it is not.
    Condition {
        flag: u64,
        repeats: bool,
        body: Arc<OnceLock<Vec<Work>>>,
    },
}

/// Host function. Work is inspected by several threads, and this is called by one, which the lock ensures.
pub(super) struct Host(Mutex<HostCall>);

impl Host {
    pub(super) fn new(call: HostCall) -> Host {
        Host(Mutex::new(call))
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Host")
    }
}

impl Work {
    fn upload_bytes(&self) -> usize {
        if let Work::Upload { data, .. } = self { data.len() } else { 0 }
    }
}

/// The last record of an event, and the time at which it was reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    /// Position in the stream.
    pub(super) point: Point,
    /// Time at which the work before it had run.
    pub(super) reached: Option<Instant>,
}

/// Streams of a device with their deferred work.
#[derive(Debug)]
pub(super) struct DeferredWork {
    /// The queues.
    pub(super) queues: Queues<Work>,
    /// Events by handle; `None` for one that was never recorded.
    pub(super) events: HashMap<usize, Option<Recorded>>,
    /// Captures in progress.
    pub(super) captures: Captures,
    /// First fault that is not yet reported.
    failed: Option<Error>,
    /// Bytes of queued copies from the host: beyond a limit the queues run.
    upload_bytes: usize,
}

/// Returns a handle for a stream or an event that no device of this process has returned before: one that is passed to
/// the wrong device is detected.
pub(super) fn handle() -> usize {
    // 1 and 2 are CUDA's handles of the default stream and of the per-thread default stream.
    static NEXT: AtomicUsize = AtomicUsize::new(3);
    NEXT.fetch_add(1, Relaxed)
}

impl DeferredWork {
    /// Creates the state with the default stream; the seed selects the order of the streams.
    pub(super) fn new(seed: u64) -> DeferredWork {
        DeferredWork {
            queues: Queues::new(seed),
            events: HashMap::new(),
            captures: Captures::default(),
            failed: None,
            upload_bytes: 0,
        }
    }

    /// Returns true if nothing is queued, captured or failed.
    pub(super) fn is_quiet(&self) -> bool {
        self.queues.len() == 0 && self.failed.is_none() && self.captures.is_empty()
    }

    /// Reports the first fault of deferred work since the last report.
    pub(super) fn report(&mut self) -> Result<()> {
        self.failed.take().map_or(Ok(()), |e| Err(e.late()))
    }

    /// Rejects a stream that is not one of this device's.
    pub(super) fn check(&self, stream: StreamHandle) -> Result<()> {
        if self.queues.has(stream) { Ok(()) } else { Err(invalid("a stream")) }
    }

    /// Returns the last record of an event; `None` if it was never recorded.
    pub(super) fn event(&self, event: usize) -> Result<Option<Recorded>> {
        self.events.get(&event).copied().ok_or_else(|| invalid("an event"))
    }

    /// Rejects operations that a captured stream cannot do.
    pub(super) fn check_not_captured(&self, stream: StreamHandle, what: &str) -> Result<()> {
        if self.captures.has(stream) { Err(not_captured(what)) } else { Ok(()) }
    }

    /// Queues work, or records it for a graph.
    pub(super) fn push(&mut self, sim: &Sim, stream: StreamHandle, work: Work) -> Result<()> {
        self.check(stream)?;
        let Some(work) = self.captures.keep(stream, work)? else { return Ok(()) };
        self.upload_bytes += work.upload_bytes();
        self.queues.push(stream, work);
        self.shorten(sim);
        Ok(())
    }

    /// Runs some of the queued work, if there is much.
    fn shorten(&mut self, sim: &Sim) {
        if self.queues.len() > MOST_ITEMS || self.upload_bytes > MOST_BYTES {
            self.run_until(sim, |late| late.queues.len() <= MOST_ITEMS / 2 && late.upload_bytes <= MOST_BYTES / 2);
        }
    }

    /// Records an event after the queued work of a stream.
    pub(super) fn record(&mut self, sim: &Sim, event: usize, stream: StreamHandle) -> Result<()> {
        self.check(stream)?;
        self.event(event)?;
        if self.captures.record(event, stream) {
            self.events.insert(event, None);
            return Ok(());
        }
        let recorded = if self.queues.is_done(stream) {
            Recorded { point: self.queues.point(stream), reached: Some(Instant::now()) }
        } else {
            Recorded { point: self.queues.push(stream, Work::Record(event)), reached: None }
        };
        self.events.insert(event, Some(recorded));
        self.shorten(sim);
        Ok(())
    }

    /// Queues a state mark, if it must follow queued work; returns false if it is to be applied immediately.
    ///
    /// The pool marks memory on the host in stream order: earlier queued work may still use memory that is freed, and
    /// memory that is reused is fresh only after that.
    pub(super) fn mark(&mut self, sim: &Sim, addr: u64, bytes: usize, mark: Mark, stream: StreamHandle) -> bool {
        if matches!(self.captures.keep(stream, Work::Mark { addr, bytes, mark }), Ok(None)) {
            return true;
        }
        let end = addr + bytes as u64;
        let follows = match mark {
            // Memory is free for the default stream after the work of all streams.
            Mark::Freed if stream == DEFAULT => self.queues.len() > 0,
            Mark::Freed => !self.queues.is_done(stream),
            Mark::Fresh => self.queues.queued().any(
                |work| matches!(work, Work::Mark { addr: at, bytes, .. } if *at < end && addr < at + *bytes as u64),
            ),
        };
        // A destroyed stream has completed its work.
        if !follows || !self.queues.has(stream) {
            return false;
        }
        let work = Work::Mark { addr, bytes, mark };
        match mark {
            Mark::Freed => drop(self.queues.push(stream, work)),
            Mark::Fresh => self.queues.push_fence(stream, work),
        }
        self.shorten(sim);
        true
    }

    /// Runs all queued work.
    pub(super) fn run_all(&mut self, sim: &Sim) {
        self.run_until(sim, |late| late.queues.len() == 0);
    }

    /// Runs queued work until a point in the queues is reached.
    pub(super) fn run_to(&mut self, sim: &Sim, point: Point) {
        self.run_until(sim, |late| late.queues.reached(point));
    }

    /// Runs the work of a stream, and what it waits for.
    pub(super) fn run_stream(&mut self, sim: &Sim, stream: StreamHandle) {
        self.run_until(sim, |late| late.queues.is_done(stream));
    }

    /// Runs queued work until `done` or until nothing is left.
    fn run_until(&mut self, sim: &Sim, done: impl Fn(&DeferredWork) -> bool) {
        while !done(self) && self.step(sim) {}
    }

    /// Runs one item; returns false if none is left.
    pub(super) fn step(&mut self, sim: &Sim) -> bool {
        let Some((point, work)) = self.queues.take() else { return false };
        self.upload_bytes -= work.upload_bytes();
        let ran = self.perform(sim, work, Some(point));
        if let Err(e) = ran
            && self.failed.is_none()
        {
            let message = format!("work that was queued on a stream has failed: {}", e.message());
            self.failed = Some(Error::new(e.kind(), message));
        }
        true
    }

    /// Runs an item of work, which was at this point of its queue.
    pub(super) fn perform(&mut self, sim: &Sim, work: Work, point: Option<Point>) -> Result<()> {
        match work {
            Work::Launch { kernel, size, shared, params } => sim.launch_now(&kernel, size, shared, &params),
            Work::Upload { dst, data } => sim.machine.write(dst, &data).map_err(fault),
            Work::Copy { dst, src, bytes } => sim.machine.copy(dst, src, bytes as u64).map_err(fault),
            Work::Product(gemm) => product(&sim.machine, &gemm),
            Work::Dense(task) => dense::run(&sim.machine, &task),
            Work::Transform(call) => transform::run(&sim.machine, &call),
            Work::Mark { addr, bytes, mark } => sim.mark_now(addr, bytes, mark),
            Work::Record(event) => {
                // Unless the event was recorded anew, or destroyed.
                if let Some(Some(recorded)) = self.events.get_mut(&event)
                    && Some(recorded.point) == point
                {
                    recorded.reached = Some(Instant::now());
                }
                Ok(())
            }
            Work::Condition { flag, repeats, body } => {
                let body = body.get().map_or(&[][..], Vec::as_slice);
                let mut set = [0];
                loop {
                    sim.machine.read(flag, &mut set).map_err(fault)?;
                    if set == [0] {
                        return Ok(());
                    }
                    body.iter().try_for_each(|work| self.perform(sim, work.again()?, None))?;
                    if !repeats {
                        return Ok(());
                    }
                }
            }
            Work::Host(Host(host)) => {
                call(host.into_inner().unwrap_or_else(PoisonError::into_inner));
                Ok(())
            }
        }
    }
}
