//! Fusing scopes of elementwise calls, for Python's `with` blocks.

use std::cell::RefCell;

use cuprum::{FuseOptions, FuseScope};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The open scopes of a thread.
struct Open(Vec<FuseScope>);

impl Drop for Open {
    fn drop(&mut self) {
        // The thread exits, and the data of a scope may be destroyed already.
        self.0.drain(..).for_each(std::mem::forget);
    }
}

thread_local! {
    static OPEN: RefCell<Open> = const { RefCell::new(Open(Vec::new())) };
}

/// Begins a scope of this thread.
#[pyfunction]
fn begin_fusion(wait: bool) {
    let scope = FuseScope::begin(FuseOptions::new().wait(wait));
    OPEN.with_borrow_mut(|open| open.0.push(scope));
}

/// Ends the innermost scope of this thread: pending arrays that are still referenced are computed.
#[pyfunction]
fn end_fusion(py: Python<'_>) -> PyResult<()> {
    let ended = py.detach(|| {
        let scope = OPEN.with_borrow_mut(|open| open.0.pop());
        scope.map(drop).is_some()
    });
    if ended { Ok(()) } else { Err(PyRuntimeError::new_err("fuse: no scope of this thread has begun")) }
}

/// Returns the number of pending arrays, their bytes, and the bytes that they keep alive.
#[pyfunction]
fn fusion_stats() -> (usize, usize, usize) {
    let stats = cuprum::fuse_stats();
    (stats.pending, stats.pending_bytes, stats.held_bytes)
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(begin_fusion, module)?)?;
    module.add_function(wrap_pyfunction!(end_fusion, module)?)?;
    module.add_function(wrap_pyfunction!(fusion_stats, module)?)
}
