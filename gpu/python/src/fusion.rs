//! Scopes in which elementwise calls share kernels, for the blocks of Python.

use std::cell::RefCell;

use cuprum::{FuseOptions, FuseScope};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The scopes of a thread that have not ended.
struct Open(Vec<FuseScope>);

impl Drop for Open {
    fn drop(&mut self) {
        // The thread ends, and what a scope is made of may be no more.
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

/// Ends the scope that this thread began last: what can still be seen is computed.
#[pyfunction]
fn end_fusion(py: Python<'_>) -> PyResult<()> {
    let ended = py.detach(|| {
        let scope = OPEN.with_borrow_mut(|open| open.0.pop());
        scope.map(drop).is_some()
    });
    if ended { Ok(()) } else { Err(PyRuntimeError::new_err("fuse: no scope of this thread has begun")) }
}

/// How many arrays wait to be computed, of how many bytes, and the bytes that they hold.
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
