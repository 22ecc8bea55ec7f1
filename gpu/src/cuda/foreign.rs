//! Memory that belongs to somebody else: who keeps it alive, and when that one is let go.

use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::order::Signal;
use super::pool::Signals;
use crate::error::Result;

/// What keeps memory alive: dropping it lets the memory go.
pub(crate) type Owner = Box<dyn Send + Sync>;

/// What a buffer of somebody else's memory knows of it.
pub(super) struct Foreign {
    pub(super) read_only: bool,
    pub(super) owner: Owner,
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreign").field("read_only", &self.read_only).finish_non_exhaustive()
    }
}

/// Owners of memory that no array has any more, but that work which is queued still uses.
///
/// Nobody waits for that work: the next allocation, and whoever waits for the device, looks whether it is done.
#[derive(Default)]
pub(super) struct Leaving {
    some: AtomicBool,
    all: Mutex<Vec<(Signals, Owner)>>,
}

impl Leaving {
    /// Lets the owner go as soon as all signals are reached.
    pub(super) fn leave(&self, signals: Signals, owner: Owner) -> Result<()> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((signals, owner));
        self.some.store(true, Relaxed);
        drop(all);
        self.look()
    }

    /// Lets those owners go whose memory is used no more.
    #[inline]
    pub(super) fn look(&self) -> Result<()> {
        if self.some.load(Relaxed) { self.collect(Signal::is_done) } else { Ok(()) }
    }

    /// Lets all owners go, and waits for the work that uses their memory.
    pub(super) fn wait(&self) -> Result<()> {
        if self.some.load(Relaxed) { self.collect(|signal| signal.wait().map(|()| true)) } else { Ok(()) }
    }

    #[cold]
    fn collect(&self, is_done: impl Fn(&Signal) -> Result<bool>) -> Result<()> {
        let mut free = Vec::new();
        let result = {
            let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            let mut result = Ok(());
            for (mut signals, owner) in mem::take(&mut *all) {
                while result.is_ok()
                    && let Some(signal) = signals.last()
                {
                    match is_done(signal) {
                        Ok(true) => drop(signals.pop()),
                        Ok(false) => break,
                        Err(e) => result = Err(e),
                    }
                }
                if signals.is_empty() { free.push(owner) } else { all.push((signals, owner)) }
            }
            self.some.store(!all.is_empty(), Relaxed);
            result
        };
        // An owner may be code of another language, which may call the library: no lock is held.
        drop(free);
        result
    }
}
