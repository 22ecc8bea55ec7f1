//! Threads of the host: parts of a computation that do not change its result.

use std::sync::LazyLock;
use std::thread;

/// The number of threads that the host runs at once.
pub(crate) static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// Calls a function for each chunk of a slice, in a thread if there are several.
pub(crate) fn on_chunks<T: Send>(slice: &mut [T], length: usize, call: impl Fn(&mut [T]) + Sync) {
    if slice.len() <= length {
        return call(slice);
    }
    thread::scope(|scope| {
        for chunk in slice.chunks_mut(length) {
            scope.spawn(|| call(chunk));
        }
    });
}

/// Calls two functions, the second one in another thread if there are several.
pub(crate) fn join<A: Send>(threads: usize, first: impl FnOnce() -> A, second: impl FnOnce() -> A + Send) -> [A; 2] {
    if threads < 2 {
        return [first(), second()];
    }
    thread::scope(|scope| {
        let second = scope.spawn(second);
        let first = first();
        [first, second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))]
    })
}
