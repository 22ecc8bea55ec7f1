//! Treatment of calls by each thread: at once or deferred, compiled synchronously or in the background, together or one
//! by one.
//!
//! `CUPRUM_FUSE` sets the mode of a program; a [scope](crate::fuse) sets it for a thread.

use std::cell::Cell;
use std::sync::OnceLock;

use crate::error::{Error, ErrorKind, Result};

/// Treatment of elementwise calls of this thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The environment variable has not been read.
    Unknown,
    Now,
    Later,
    /// The environment variable is invalid: the first call that could be deferred reports it.
    Nonsense,
}

thread_local! {
    pub(super) static MODE: Cell<Mode> = const { Cell::new(Mode::Unknown) };
    /// True if kernels are compiled synchronously.
    pub(super) static WAITS: Cell<bool> = const { Cell::new(false) };
    /// True if pending calls are made one by one.
    static STEPS: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if elementwise calls of this thread are deferred.
#[inline]
pub(crate) fn fuses() -> bool {
    match MODE.get() {
        Mode::Now => false,
        Mode::Later | Mode::Nonsense => true,
        Mode::Unknown => ask(),
    }
}

#[cold]
fn ask() -> bool {
    let mode = match std::env::var("CUPRUM_FUSE").unwrap_or_default().as_str() {
        "" => Mode::Now,
        "always" => Mode::Later,
        _ => Mode::Nonsense,
    };
    MODE.set(mode);
    mode != Mode::Now
}

/// Rejects an invalid value of the environment variable `CUPRUM_FUSE`.
///
/// # Errors
///
/// [`ErrorKind::Value`] if the environment variable is invalid.
pub(super) fn check() -> Result<()> {
    if MODE.get() == Mode::Nonsense { nonsense("CUPRUM_FUSE", "always") } else { Ok(()) }
}

#[cold]
fn nonsense<T>(name: &str, known: &str) -> Result<T> {
    let value = std::env::var(name).unwrap_or_default();
    Err(Error::new(ErrorKind::Value, format!("{name} is {value:?}: set it to {known:?}, or not at all")))
}

/// Returns true if a kernel is compiled when it is first needed, and not in the background.
///
/// # Errors
///
/// [`ErrorKind::Value`] if the environment variable is invalid.
pub(super) fn waits() -> Result<bool> {
    static ALWAYS: OnceLock<Option<bool>> = OnceLock::new();
    if WAITS.get() {
        return Ok(true);
    }
    let ask = || match std::env::var("CUPRUM_FUSE_WAIT").unwrap_or_default().as_str() {
        "" => Some(false),
        "1" => Some(true),
        _ => None,
    };
    ALWAYS.get_or_init(ask).map_or_else(|| nonsense("CUPRUM_FUSE_WAIT", "1"), Ok)
}

/// Returns true if pending calls are made one by one.
pub(super) fn goes_step_by_step() -> bool {
    STEPS.get()
}

/// Calls `f` with pending calls made one by one.
pub(super) fn step_by_step<R>(f: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            STEPS.set(self.0);
        }
    }
    let _before = Before(STEPS.replace(true));
    f()
}
