//! Permission of calls to synchronise with the device.
//!
//! A program that must not wait, such as one that feeds a device from one thread, forbids synchronisation and gets an
//! error with the name of the function that would wait, in place of a pause that is hard to find.

use std::cell::Cell;

use super::{Device, status, stream};
use crate::error::{Error, ErrorKind, Result};

thread_local! {
    static ALLOWED: Cell<bool> = const { Cell::new(true) };
}

/// Allows or forbids synchronisation of this thread's calls with a device, and returns the previous setting. A
/// forbidden call returns an error of the kind [`DeviceSynchronized`](ErrorKind::DeviceSynchronized) that names it, and
/// does not wait: so every unwanted synchronisation of a program is found. CuPy's `cupyx.allow_synchronize`.
///
/// Queries of completion are not synchronisation, and neither is dropping a stream or an array.
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

/// Announces a synchronisation, and rejects it if it is forbidden.
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

/// Returns the error of a synchronisation while a stream is captured.
pub(super) fn captured() -> Error {
    let what = "the call waits for the device, which no graph can do: call it before the capture or after it, \
                and give shapes that depend on values as numbers";
    Error::new(ErrorKind::Driver, what).with_status(status::CAPTURE_UNSUPPORTED)
}
