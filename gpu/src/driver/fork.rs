//! Detection of processes that were forked from one with an open device.
//!
//! The threads of the simulator and of the CUDA driver do not exist in the child, and a lock that another thread held
//! stays locked there. So a child whose parent had opened a device gets an error instead of a deadlock.

#[cfg(unix)]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::error::{Error, ErrorKind, Result};

static FORKED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
extern "C" fn in_child() {
    FORKED.store(true, Relaxed);
}

/// Registers the fork handler, which marks later children of this process. It is called before the first device is
/// opened.
#[cfg(unix)]
pub(crate) fn watch() -> Result<()> {
    static WATCHED: OnceLock<i32> = OnceLock::new();
    // SAFETY: the handler stores a constant into a static, which a child may do whatever its parent's threads did.
    match WATCHED.get_or_init(|| unsafe { libc::pthread_atfork(None, None, Some(in_child)) }) {
        0 => Ok(()),
        code => Err(Error::new(ErrorKind::Driver, format!("pthread_atfork failed with code {code}"))),
    }
}

/// Registers nothing: processes are not forked there.
#[cfg(not(unix))]
pub(crate) fn watch() -> Result<()> {
    Ok(())
}

/// Registers a function to be called as the process ends; returns true on success.
pub(crate) fn at_exit(f: extern "C" fn()) -> bool {
    // SAFETY: a function of no arguments, which may be called at any time.
    unsafe { libc::atexit(f) == 0 }
}

/// Returns true if this process was forked from one that had opened a device.
pub(crate) fn forked() -> bool {
    FORKED.load(Relaxed)
}

/// Rejects the devices of the process that this one was forked from.
pub(crate) fn check() -> Result<()> {
    if forked() { Err(rejection()) } else { Ok(()) }
}

#[cold]
fn rejection() -> Error {
    Error::new(
        ErrorKind::Driver,
        "this process was forked from one that had opened a device, which does not work in the child: open devices \
         after the fork, or start the child as a new program (spawn)",
    )
}
