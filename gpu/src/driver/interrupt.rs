//! Interrupts of kernels on the simulator, and waits for them.
//!
//! A simulated kernel can run for minutes, and the simulator runs it on the calling thread. It may run while it holds
//! the queues of the simulator: a thread that needs them then waits.

#[cfg(feature = "sim")]
use std::sync::{Mutex, MutexGuard, TryLockError};
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

/// A function that calls its argument once.
type WaitFunction = fn(&mut dyn FnMut());

static WAIT: RwLock<Option<WaitFunction>> = RwLock::new(None);

/// Sets the function in which a thread waits for a kernel that another thread runs on the simulator, for all threads. It
/// calls its argument once. The function of [`set_interrupt_check`] may need a lock, and a thread that holds this lock
/// must not wait with it: the Python package sets a function that releases the interpreter's lock meanwhile.
///
/// ```
/// use cuprum::cuda::set_wait_function;
/// set_wait_function(|wait| wait());
/// assert_eq!(cuprum::ones(3, cuprum::DType::I32)?.to_vec::<i32>()?, [1; 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn set_wait_function(function: fn(&mut dyn FnMut())) {
    *WAIT.write().unwrap_or_else(PoisonError::into_inner) = Some(function);
}

/// Locks a mutex that a thread may hold while it runs a kernel.
#[cfg(feature = "sim")]
pub(crate) fn lock_of_kernels<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.try_lock() {
        Ok(guard) => return guard,
        Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => {}
    }
    let function = *WAIT.read().unwrap_or_else(PoisonError::into_inner);
    let mut guard = None;
    if let Some(function) = function {
        function(&mut || guard = Some(mutex.lock().unwrap_or_else(PoisonError::into_inner)));
    }
    guard.unwrap_or_else(|| mutex.lock().unwrap_or_else(PoisonError::into_inner))
}
