//! Callbacks of Fourier transforms, as `cuprum.fft.config` builds on them.

use cuprum::fft::{FftCallback, FftCallbacks};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::errors::OrRaise;

/// A text, the name of its function, and the array whose address it is told.
type Given<'py> = (String, Option<String>, Option<Bound<'py, NdArray>>);

/// What is called for each element that transforms read and for each that they write.
#[pyclass(name = "FftCallbacks", module = "cuprum._cuprum", frozen)]
pub(crate) struct Callbacks(FftCallbacks);

#[pymethods]
impl Callbacks {
    #[new]
    fn new(load: Option<Given<'_>>, store: Option<Given<'_>>, options: Vec<String>) -> Callbacks {
        let one = |given: Option<Given<'_>>| {
            let (text, name, data) = given?;
            let data = data.map(|a| a.get().array().clone());
            Some(FftCallback { text, name, data, options: options.clone() })
        };
        Callbacks(FftCallbacks { load: one(load), store: one(store) })
    }

    /// Begins a scope in which transforms of the thread call them.
    fn enter(&self) -> PyResult<()> {
        self.0.enter().or_raise()
    }

    /// Ends the scope that was begun last.
    #[staticmethod]
    fn leave() {
        FftCallbacks::leave();
    }
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Callbacks>()
}
