//! Interrupts of kernels on the simulator.
//!
//! A simulated kernel can run for minutes, and the simulator runs it on the calling thread.

use std::sync::{PoisonError, RwLock};

static CHECK: RwLock<Option<fn() -> bool>> = RwLock::new(None);

/// Sets the function that tests if the user has requested an interrupt, for all threads. A thread that runs a kernel on
/// the simulator calls it every 20 ms; if it returns true, the kernel ends with an error of the kind
/// [`Interrupted`](crate::ErrorKind::Interrupted) that contains the position in the kernel. The Python package sets one
/// that handles signals, so that Ctrl-C ends a kernel. A GPU cannot be interrupted.
///
/// ```
/// use cuprum::cuda::set_interrupt_check;
/// set_interrupt_check(|| false);
/// assert_eq!(cuprum::ones(3, cuprum::DType::I32)?.to_vec::<i32>()?, [1; 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn set_interrupt_check(check: fn() -> bool) {
    *CHECK.write().unwrap_or_else(PoisonError::into_inner) = Some(check);
}

/// Returns true if the user has requested an interrupt.
#[cfg(any(feature = "cuda", feature = "sim"))]
pub(crate) fn is_interrupted() -> bool {
    let check = *CHECK.read().unwrap_or_else(PoisonError::into_inner);
    check.is_some_and(|check| check())
}
