//! Callbacks of Fourier transforms, for `cuprum.fft.config`.

use cuprum::fft::{FftCallback, FftCallbacks};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::errors::OrRaise;

/// The source, the name of its function, and the array whose address is passed to it.
type CallbackSource<'py> = (String, Option<String>, Option<Bound<'py, NdArray>>);

/// The callbacks for each element that transforms read and write.
#[pyclass(name = "FftCallbacks", module = "cuprum._cuprum", frozen)]
pub(crate) struct Callbacks(FftCallbacks);

#[pymethods]
impl Callbacks {
    #[new]
    fn new(load: Option<CallbackSource<'_>>, store: Option<CallbackSource<'_>>, options: Vec<String>) -> Callbacks {
        let one = |given: Option<CallbackSource<'_>>| {
            let (text, name, data) = given?;
            let data = data.map(|a| a.get().array().clone());
            Some(FftCallback { text, name, data, options: options.clone() })
        };
        Callbacks(FftCallbacks { load: one(load), store: one(store) })
    }

    /// Begins a scope in which the thread's transforms call them.
    fn enter(&self) -> PyResult<()> {
        self.0.enter().or_raise()
    }

    /// Ends the innermost scope.
    #[staticmethod]
    fn leave() {
        FftCallbacks::leave();
    }
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Callbacks>()
}
