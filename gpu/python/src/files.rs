//! Archives of arrays, which `load` reads on request.

use std::path::PathBuf;

use cuprum::{ErrorKind, NpzFile};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::errors::OrRaise;

/// An archive of arrays (`.npz`) that the library reads.
#[pyclass(name = "NpzArchive", module = "cuprum._cuprum", frozen)]
pub(crate) struct NpzArchive(NpzFile);

#[pymethods]
impl NpzArchive {
    #[new]
    fn new(path: PathBuf) -> PyResult<NpzArchive> {
        Ok(NpzArchive(cuprum::load_npz(path, ()).or_raise()?))
    }

    /// Reads an array; returns `None` where NumPy has to read it, or to say what is wrong with it.
    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, NdArray>>> {
        match py.detach(|| self.0.get(name)) {
            Err(e) if matches!(e.kind(), ErrorKind::Value | ErrorKind::Type | ErrorKind::NotImplemented) => Ok(None),
            found => wrap(py, found.or_raise()?).map(Some),
        }
    }
}

/// Adds the class to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NpzArchive>()
}
