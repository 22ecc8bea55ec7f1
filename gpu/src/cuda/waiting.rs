//! Calls that wait for the device: whether they may.

use std::cell::Cell;

use super::{Device, status, stream};
use crate::error::{Error, ErrorKind, Result};

thread_local! {
    static ALLOWED: Cell<bool> = const { Cell::new(true) };
}

/// Returns true if calls of this thread may wait for a device: what was allowed before. A call that may not is an error
/// of the kind [`DeviceSynchronized`](ErrorKind::DeviceSynchronized) that names it, and waits for nothing: so every
/// wait of a program is found that should have none. CuPy's `cupyx.allow_synchronize`.
///
/// Asking whether work is done is no wait, and neither is what the end of a stream or of an array takes.
///
/// ```
/// use cuprum::{ErrorKind, cuda::allow_synchronize};
/// let a = cuprum::arange(0, 3, 1)?;
/// let before = allow_synchronize(false);
/// let e = (&a + 1).to_vec::<i64>().unwrap_err();
/// allow_synchronize(before);
/// assert_eq!(e.kind(), ErrorKind::DeviceSynchronized);
/// assert!(e.message().starts_with("to_vec: "));
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn allow_synchronize(allow: bool) -> bool {
    ALLOWED.replace(allow)
}

/// Says that the call is about to wait for the device, and rejects it where it must not.
pub(crate) fn announce(device: Device) -> Result<()> {
    if !ALLOWED.get() {
        let what = "the call waits for the device, which allow_synchronize(false) forbids: move it, or allow it here";
        return Err(Error::new(ErrorKind::DeviceSynchronized, what));
    }
    if stream::current(device).is_some_and(|queue| queue.capture) {
        return Err(captured());
    }
    Ok(())
}

/// The error of a wait while a stream is captured.
pub(super) fn captured() -> Error {
    let what = "the call waits for the device, which no graph can do: call it before the capture or behind it, \
                and give shapes that depend on values as numbers";
    Error::new(ErrorKind::Driver, what).with_status(status::CAPTURE_UNSUPPORTED)
}
