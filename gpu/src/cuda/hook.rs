//! Memory hooks: called with what is requested of the pool, and with what the pool requests of the device.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use super::Device;
use super::foreign;
use crate::error::{Error, ErrorKind, Result};

/// What a hook is told of.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MemoryEvent {
    /// The device.
    pub device: Device,
    /// The bytes that were requested.
    pub bytes: usize,
    /// The bytes that the pool or the device gives for them.
    pub given_bytes: usize,
    /// Where the memory is; 0 as long as nobody knows.
    pub address: u64,
}

/// Is told of the memory that one thread takes from a pool and returns; CuPy's `MemoryHook`.
///
/// `malloc` is told of what arrays ask the pool for, `alloc` of what the pool asks the device for, `free` of what arrays
/// return. That the pool had to ask the device is known, and told, when it has; memory that other streams still use goes
/// to the pool later than it is told. An error in front of or behind a request is the error of the call that made it.
pub trait MemoryHook: Send + Sync {
    /// The pool is about to ask the device for memory.
    fn alloc_preprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// The device has given memory to the pool.
    fn alloc_postprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// Memory of the pool is about to be requested.
    fn malloc_preprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// The pool has given memory.
    fn malloc_postprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// Memory is about to go back to the pool.
    fn free_preprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
    /// Memory has gone back to the pool.
    fn free_postprocess(&self, _: &MemoryEvent) -> Result<()> {
        Ok(())
    }
}

/// The hooks of a thread, by name.
type Hooks = Vec<(String, Arc<dyn MemoryHook>)>;

thread_local! {
    static HOOKS: RefCell<Hooks> = const { RefCell::new(Vec::new()) };
}

/// Has a hook told of this thread's memory until [`pop_memory_hook`]. [`with_memory_hook`] does so for a scope.
///
/// # Errors
///
/// [`ErrorKind::Value`] where a hook of this name is there already.
pub fn push_memory_hook(name: &str, hook: Arc<dyn MemoryHook>) -> Result<()> {
    HOOKS.with_borrow_mut(|hooks| {
        if hooks.iter().any(|(known, _)| known == name) {
            let what = format!("the hook {name} is there already: a name stands for one hook of a thread");
            return Err(Error::of_call(ErrorKind::Value, "push_memory_hook", &what));
        }
        hooks.push((name.into(), hook));
        foreign::add_special();
        Ok(())
    })
}

/// Takes away a hook of [`push_memory_hook`].
///
/// # Errors
///
/// [`ErrorKind::Value`] where there is no hook of this name.
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

/// Calls `f` with a hook that is told of this thread's memory.
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
    /// Takes the hook away, also after a panic.
    struct Popped<'a>(&'a str);
    impl Drop for Popped<'_> {
        fn drop(&mut self) {
            // It is there unless `f` took it away.
            let _ = pop_memory_hook(self.0);
        }
    }
    push_memory_hook(name, hook)?;
    let _popped = Popped(name);
    Ok(f())
}

/// Tells all hooks of the thread.
pub(super) fn tell(event: &MemoryEvent, each: impl Fn(&dyn MemoryHook, &MemoryEvent) -> Result<()>) -> Result<()> {
    // A hook may change the hooks, and a thread that ends has none.
    let hooks: Hooks = HOOKS.try_with(|hooks| hooks.borrow().clone()).unwrap_or_default();
    hooks.iter().try_for_each(|(_, hook)| each(&**hook, event))
}

/// A hook that writes each thing that it is told to the standard error; CuPy's `DebugPrintHook`.
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
        print("given back", event)
    }
}
