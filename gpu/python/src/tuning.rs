//! Scopes of block size tuning.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use cuprum::{Tuning, TuningOptions, TuningScope};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::OrRaise;

thread_local! {
    /// The open scopes of this thread.
    static OPEN: RefCell<Vec<TuningScope>> = const { RefCell::new(Vec::new()) };
}

/// Tuned block sizes of a key, held by `cuprum.cupyx.optimizing`.
#[pyclass(name = "TuningHandle", module = "cuprum._cuprum", frozen)]
struct TuningHandle(Tuning);

#[pymethods]
impl TuningHandle {
    #[new]
    fn new(key: Option<&str>, max_trials: usize, timeout: f64, max_time_per_trial: f64) -> TuningHandle {
        let mut options = TuningOptions::default();
        options.max_trials = max_trials;
        options.timeout = Duration::from_secs_f64(timeout);
        options.max_time_per_trial = Duration::from_secs_f64(max_time_per_trial);
        TuningHandle(match key {
            Some(key) => Tuning::with_key(key, options),
            None => Tuning::new(options),
        })
    }

    fn begin(&self) {
        let scope = self.0.begin();
        OPEN.with_borrow_mut(|open| open.push(scope));
    }

    fn end(&self) -> PyResult<()> {
        let ended = OPEN.with_borrow_mut(Vec::pop);
        ended.map(drop).ok_or_else(|| PyRuntimeError::new_err("optimize: no scope of this thread has begun"))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(path)).or_raise()
    }

    fn load(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.load(path)).or_raise()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __bool__(&self) -> bool {
        true
    }

    #[getter]
    fn is_dirty(&self) -> bool {
        self.0.is_dirty()
    }

    #[getter]
    fn key(&self) -> Option<&str> {
        self.0.key()
    }
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TuningHandle>()
}
