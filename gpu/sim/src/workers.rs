//! The worker threads of a machine, which run blocks in addition to the launching thread.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::Fault;
use crate::exec::Arena;
use crate::job::{INTERVAL, Interrupt, Job};
use crate::machine::Stats;

/// Worker threads, which are started by the first launch that has work for them, and end with the machine.
#[derive(Debug)]
pub(crate) struct Workers {
    count: usize,
    desk: Arc<Desk>,
}

/// The queue of launches.
#[derive(Debug, Default)]
struct Desk {
    state: Mutex<State>,
    /// Signals that there is a launch to work on, or that the machine is dropped.
    come: Condvar,
    /// Signals that a worker has left its launch.
    left: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: Vec<Arc<Shared>>,
    started: bool,
    closed: bool,
}

/// A launch that workers may join.
#[derive(Debug)]
struct Shared {
    job: Job,
    /// Number of workers on it; changed under the queue's lock.
    workers: AtomicUsize,
}

thread_local! {
    /// The arena that this thread's launches reuse.
    static ARENA: RefCell<Arena> = RefCell::default();
}

/// Works on a launch with the thread's own arena.
fn work(job: &Job, output: Option<&(dyn Fn(&str) + Sync)>, interrupt: Option<&Interrupt<'_>>) {
    let shared = ARENA.try_with(|arena| match arena.try_borrow_mut() {
        Ok(mut arena) => {
            job.work(&mut arena, output, interrupt);
            true
        }
        Err(_) => false,
    });
    // The output callback has launched another kernel, or the thread is exiting and its arena is gone.
    if shared != Ok(true) {
        job.work(&mut Arena::default(), output, interrupt);
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop of a worker.
    fn serve(&self) {
        let mut state = self.lock();
        while !state.closed {
            let Some(shared) = state.open.iter().find(|s| s.job.has_more()).cloned() else {
                state = self.come.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            shared.workers.fetch_add(1, Relaxed);
            drop(state);
            work(&shared.job, None, None);
            state = self.lock();
            shared.workers.fetch_sub(1, Relaxed);
            self.left.notify_all();
        }
    }
}

impl Workers {
    pub(crate) fn new(count: usize) -> Workers {
        Workers { count, desk: Arc::default() }
    }

    /// Runs a launch to its end, on this thread and on idle workers.
    pub(crate) fn run(
        &self,
        job: Job,
        output: Option<&(dyn Fn(&str) + Sync)>,
        interrupt: Option<&Interrupt<'_>>,
    ) -> Result<Stats, Fault> {
        if self.count == 0 || !job.is_shared() {
            work(&job, output, interrupt);
            return job.outcome();
        }
        let shared = Arc::new(Shared { job, workers: AtomicUsize::new(0) });
        let mut state = self.desk.lock();
        if !state.started {
            state.started = true;
            for _ in 0..self.count {
                let desk = self.desk.clone();
                // Without a worker the launch takes longer, but completes.
                let _ = std::thread::Builder::new().name("cuprum-sim".into()).spawn(move || desk.serve());
            }
        }
        state.open.push(shared.clone());
        drop(state);
        self.desk.come.notify_all();
        work(&shared.job, output, interrupt);
        let mut state = self.desk.lock();
        state.open.retain(|s| !Arc::ptr_eq(s, &shared));
        while shared.workers.load(Relaxed) > 0 {
            state = self.desk.left.wait_timeout(state, INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
            if interrupt.is_some_and(Interrupt::asked) {
                shared.job.interrupt();
            }
        }
        drop(state);
        shared.job.outcome()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.desk.lock().closed = true;
        self.desk.come.notify_all();
    }
}
