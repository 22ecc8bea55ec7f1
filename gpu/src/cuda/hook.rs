//! Memory hooks, which are called for requests to the pool, and for requests of the pool to the device.
//!
//! Hooks measure and log memory: CuPy's `MemoryHook`, with the names of its methods. They are called on the thread that
//! requests or frees.
//!
//! The order of the calls for a request that the pool cannot serve from cached memory: `malloc_preprocess`,
//! `alloc_preprocess`, `alloc_postprocess`, `malloc_postprocess`.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use super::Device;
use super::foreign;
use crate::error::{Error, ErrorKind, Result};

/// Event that is passed to a memory hook.
///
/// Which fields are set depends on the method: before an allocation there is no address yet.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MemoryEvent {
    /// The device.
    pub device: Device,
    /// The requested bytes.
    pub bytes: usize,
    /// The bytes that the pool or the device provides for them.
    pub given_bytes: usize,
    /// The address; 0 before the memory is allocated.
    pub address: u64,
}

/// Hook that is called for the memory that one thread takes from a pool and returns; CuPy's `MemoryHook`.
///
/// `malloc` is called for requests of arrays to the pool, `alloc` for requests of the pool to the device, `free` for
/// memory that arrays return. `alloc` is called after the pool has made the request; memory that other streams still
/// use returns to the pool later than reported. An error of a hook is returned by the call that made the request.
pub trait MemoryHook: Send + Sync {
    /// Called first for memory that the pool has requested from the device.
    ///
    /// An error ends the request.
    fn alloc_preprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// Called with the address of memory that the device has provided to the pool.
    fn alloc_postprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// Called before memory of the pool is requested.
    fn malloc_preprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// Called after the pool has provided memory.
    fn malloc_postprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// Called before memory returns to the pool.
    fn free_preprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// Called after memory has returned to the pool.
    fn free_postprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
}

/// The hooks of a thread, by name.
type Hooks = Vec<(String, Arc<dyn MemoryHook>)>;

thread_local! {
    static HOOKS: RefCell<Hooks> = const { RefCell::new(Vec::new()) };
}

/// Adds a hook for this thread's memory, until [`pop_memory_hook`]. [`with_memory_hook`] does so for a scope.
///
/// ```
/// use cuprum::cuda::{PrintMemory, pop_memory_hook, push_memory_hook};
/// push_memory_hook("print", std::sync::Arc::new(PrintMemory))?;
/// pop_memory_hook("print")?;
/// assert!(pop_memory_hook("print").is_err());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] if there is a hook of this name.
pub fn push_memory_hook(name: &str, hook: Arc<dyn MemoryHook>) -> Result<()> {
    HOOKS.with_borrow_mut(|hooks| {
        if hooks.iter().any(|(known, _)| known == name) {
            let what = format!("the hook {name} is there already: a name identifies one hook of a thread");
            return Err(Error::of_call(ErrorKind::Value, "push_memory_hook", &what));
        }
        hooks.push((name.into(), hook));
        foreign::add_special();
        Ok(())
    })
}

/// Removes a hook of [`push_memory_hook`].
///
/// # Errors
///
/// [`ErrorKind::Value`] if there is no hook of this name.
pub fn pop_memory_hook(name: &str) -> Result<()> {
    let found = HOOKS.with_borrow_mut(|hooks| {
        let at = hooks.iter().position(|(known, _)| known == name)?;
        Some(hooks.remove(at))
    });
    match found {
        Some(_) => foreign::remove_special(),
        None => {
            let what = format!("there is no hook {name} on this thread");
            return Err(Error::of_call(ErrorKind::Value, "pop_memory_hook", &what));
        }
    }
    Ok(())
}

/// Calls `f` with a hook for this thread's memory.
///
/// # Errors
///
/// As [`push_memory_hook`].
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
/// use cuprum::{DType, cuda::{MemoryEvent, MemoryHook, with_memory_hook}};
///
/// #[derive(Default)]
/// struct Bytes(AtomicUsize);
/// impl MemoryHook for Bytes {
///     fn malloc_postprocess(&self, event: &MemoryEvent) -> cuprum::Result<()> {
///         self.0.fetch_add(event.bytes, Ordering::Relaxed);
///         Ok(())
///     }
/// }
/// let counted = Arc::new(Bytes::default());
/// with_memory_hook("bytes", counted.clone(), || cuprum::empty([100], DType::F32))??;
/// assert_eq!(counted.0.load(Ordering::Relaxed), 400);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn with_memory_hook<R>(name: &str, hook: Arc<dyn MemoryHook>, f: impl FnOnce() -> R) -> Result<R> {
    /// Removes the hook, also after a panic.
    struct Popped<'a>(&'a str);
    impl Drop for Popped<'_> {
        fn drop(&mut self) {
            // It exists unless `f` removed it.
            let _ = pop_memory_hook(self.0);
        }
    }
    push_memory_hook(name, hook)?;
    let _popped = Popped(name);
    Ok(f())
}

/// Calls all hooks of the thread.
pub(super) fn notify(event: &MemoryEvent, each: impl Fn(&dyn MemoryHook, &MemoryEvent) -> Result<()>) -> Result<()> {
    // A hook may change the hooks, and a thread that ends has none.
    let hooks: Hooks = HOOKS.try_with(|hooks| hooks.borrow().clone()).unwrap_or_default();
    hooks.iter().try_for_each(|(_, hook)| each(&**hook, event))
}

/// Hook that writes each event to the standard error; CuPy's `DebugPrintHook`.
///
/// ```
/// use std::sync::Arc;
/// use cuprum::cuda::{PrintMemory, with_memory_hook};
/// let a = with_memory_hook("print", Arc::new(PrintMemory), || cuprum::arange(0, 3, 1))??;
/// # let _ = a;
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct PrintMemory;

impl fmt::Debug for PrintMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrintMemory")
    }
}

fn print(what: &str, event: &MemoryEvent) -> Result<()> {
    let (id, bytes, given, address) = (&event.device.info().id, event.bytes, event.given_bytes, event.address);
    eprintln!("{what}: {bytes} bytes ({given} given) of {id} at {address:#x}");
    Ok(())
}

impl MemoryHook for PrintMemory {
    fn alloc_postprocess(&self, event: &MemoryEvent) -> Result<()> {
        print("taken from the device", event)
    }

    fn malloc_postprocess(&self, event: &MemoryEvent) -> Result<()> {
        print("taken from the pool", event)
    }

    fn free_postprocess(&self, event: &MemoryEvent) -> Result<()> {
        print("freed", event)
    }
}
