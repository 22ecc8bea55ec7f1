//! Failures of calls that were queued before: the next call of the host that waits for the device returns them.
//!
//! A communicator that is aborted lets its kernels end without their results, and without an error of CUDA's.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};

/// Number of failures that were not returned.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The failures, with the contexts of their devices.
static FAILURES: Mutex<Vec<(usize, Error)>> = Mutex::new(Vec::new());

/// Records the failure of calls on the device of a context.
pub(super) fn add(context: usize, error: Error) {
    let mut failures = FAILURES.lock().unwrap_or_else(PoisonError::into_inner);
    failures.push((context, error));
    COUNT.store(failures.len(), Ordering::Release);
}

/// Returns a failure of calls on the device of a context, once.
pub(in crate::driver) fn check(context: usize) -> Result<()> {
    if COUNT.load(Ordering::Acquire) == 0 {
        return Ok(());
    }
    let mut failures = FAILURES.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(at) = failures.iter().position(|(of, _)| *of == context) else { return Ok(()) };
    let (_, error) = failures.remove(at);
    COUNT.store(failures.len(), Ordering::Release);
    Err(error)
}

/// Forgets a failure of calls on the device of a context, which a call has returned.
pub(super) fn forget(context: usize, error: &Error) {
    if COUNT.load(Ordering::Acquire) == 0 {
        return;
    }
    let mut failures = FAILURES.lock().unwrap_or_else(PoisonError::into_inner);
    failures.retain(|(of, known)| *of != context || known.message() != error.message());
    COUNT.store(failures.len(), Ordering::Release);
}
