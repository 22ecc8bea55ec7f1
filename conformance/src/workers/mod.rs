//! Cases in separate processes: a fault ends a worker, not the run, and is attributed to one case.
//!
//! A device does not recover from some faults: after an illegal address every later call of the process fails. A kernel
//! that never ends blocks the process, as do an abort and a lack of memory. So the parent never opens the device; it
//! passes each worker one id at a time and knows what ran when it died. The case is then run again, alone in a new
//! process: if that fails too the case is the cause; if it does not, that is reported as well, for a case that fails
//! only after others is a defect, too.

mod child;
mod process;

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

pub use child::{serve, unable};
use process::{Answer, Process};

use crate::judge::{Failure, Reason};
use crate::report::{About, CaseResult};

/// A pool of workers.
pub struct Pool<'a> {
    /// Builds the command that starts a worker.
    pub command: &'a (dyn Fn() -> Command + Sync),
    /// Number of workers.
    pub workers: usize,
    /// Time limit of a case.
    pub limit: Duration,
}

impl std::fmt::Debug for Pool<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("workers", &self.workers).field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// The results of the workers.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// A result for every id, in their order.
    pub results: Vec<CaseResult>,
    /// The device; compiled kernels are those of all workers that ran to the end.
    pub about: About,
    /// Number of processes that were started.
    pub starts: usize,
}

/// A worker slot: the process, once there is one, and its last successful case.
#[derive(Default)]
struct Slot {
    process: Option<Process>,
    /// The last case that passed.
    last: Option<CaseResult>,
    /// Number of cases that the process ran.
    ran: usize,
}

/// The effect of a case on its process.
struct Fault {
    reason: Reason,
    what: String,
}

fn is_broken(result: &CaseResult) -> bool {
    result.failure.as_ref().is_some_and(|f| f.reason == Reason::Broken)
}

/// Returns the result of a case that returned none.
fn without(id: &str, reason: Reason, message: String) -> CaseResult {
    let mut parts = id.split('/').map(String::from);
    let mut part = || parts.next().unwrap_or_default();
    let (family, op, dtypes, _, layouts) = (part(), part(), part(), part(), part());
    let failure = Some(Failure::new(reason, message));
    CaseResult { id: id.into(), family, op, dtypes, layouts, failure, ..CaseResult::default() }
}

impl Pool<'_> {
    /// Runs the cases; `done` is called after each.
    ///
    /// # Errors
    /// If no worker can be started: the device's message.
    pub fn run(&self, ids: &[String], done: &(dyn Fn(&CaseResult) + Sync)) -> Result<Work, String> {
        let (next, starts, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        let collected: Mutex<(Vec<(usize, CaseResult)>, About)> = Mutex::default();
        let work = || -> Result<(), String> {
            let mut slot = Slot::default();
            while let Some((i, id)) = {
                let i = next.fetch_add(1, Ordering::Relaxed);
                ids.get(i).filter(|_| !stop.load(Ordering::Relaxed)).map(|id| (i, id))
            } {
                let result = self.case(&mut slot, id, &starts)?;
                done(&result);
                collected.lock().expect("no thread panics while it holds the lock").0.push((i, result));
            }
            if let Some(process) = slot.process {
                let about = process.finish();
                let mut collected = collected.lock().expect("no thread panics while it holds the lock");
                let before = std::mem::take(&mut collected.1);
                collected.1 = About {
                    compiled: before.compiled + about.compiled,
                    cached: before.cached + about.cached,
                    compile_seconds: before.compile_seconds + about.compile_seconds,
                    ..about
                };
            }
            Ok(())
        };
        let stopping = || work().inspect_err(|_| stop.store(true, Ordering::Relaxed));
        std::thread::scope(|scope| {
            let workers = self.workers.clamp(1, ids.len().max(1));
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(stopping)).collect();
            threads.into_iter().try_for_each(|t| t.join().map_err(|_| "a thread broke down".to_string())?)
        })?;
        let (mut results, about) = collected.into_inner().expect("no thread panics while it holds the lock");
        results.sort_by_key(|(i, _)| *i);
        let results = results.into_iter().map(|(_, result)| result).collect();
        Ok(Work { results, about, starts: starts.into_inner() })
    }

    /// Runs a case in the slot's process, and after a fault alone in a new one.
    fn case(&self, slot: &mut Slot, id: &str, starts: &AtomicUsize) -> Result<CaseResult, String> {
        let Fault { reason, what } = match self.attempt(slot, id, starts)? {
            Ok(result) => return Ok(result),
            Err(fault) => fault,
        };
        let (fresh, after) = (slot.ran == 1, slot.last.take().map(|last| last.id));
        *slot = Slot::default();
        let alone = self.attempt(slot, id, starts)?;
        Ok(match alone {
            Err(again) => {
                *slot = Slot::default();
                let before = if fresh { "twice, each time alone" } else { "among others and alone" };
                without(id, again.reason, format!("{}, {before}", again.what))
            }
            Ok(result) if is_broken(&result) => result,
            Ok(result) => {
                let after = after.map_or_else(|| "the first time".into(), |id| format!("after {id}"));
                let message = format!("{reason:?} {after}: {what}; not so alone in a new process");
                CaseResult { failure: Some(Failure::new(Reason::Flaky, message)), ..result }
            }
        })
    }

    /// Runs a case, in a new process if there is none. A fault means that the process is lost.
    fn attempt(&self, slot: &mut Slot, id: &str, starts: &AtomicUsize) -> Result<Result<CaseResult, Fault>, String> {
        let process = match &mut slot.process {
            Some(process) => process,
            none => {
                starts.fetch_add(1, Ordering::Relaxed);
                (slot.ran, slot.last) = (0, None);
                none.insert(Process::start((self.command)())?)
            }
        };
        slot.ran += 1;
        let fault = |reason, what| Ok(Err(Fault { reason, what }));
        let result = match process.run(id, self.limit) {
            Answer::Result(result) => *result,
            Answer::Died(reason) => return fault(Reason::Crash, format!("its process died: {reason}")),
            Answer::Hung => {
                return fault(Reason::Hang, format!("it was not done after {} s", self.limit.as_secs_f64()));
            }
        };
        if !is_broken(&result) {
            if result.failure.is_none() {
                slot.last = Some(result.clone());
            }
            return Ok(Ok(result));
        }
        // Most breakdowns are the case's own. After a fault from which the device does not recover nothing works any
        // more: then the process is lost, and a case that failed in it need not be the cause.
        let sound = slot.last.as_ref().is_some_and(|last| match process.run(&last.id, self.limit) {
            Answer::Result(again) => again.failure.is_none() && again.digest == last.digest,
            _ => false,
        });
        if sound {
            return Ok(Ok(result));
        }
        if slot.ran == 1 {
            slot.process = None;
            return Ok(Ok(result));
        }
        fault(Reason::Broken, result.failure.map_or_else(String::new, |f| f.message))
    }
}
