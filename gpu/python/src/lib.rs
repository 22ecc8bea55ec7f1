//! The Python package: `import cuprum as cp`.
//!
//! The module `cuprum._cuprum` is a thin layer. Functions, with their parameters, defaults and descriptions, are the
//! records of [`cuprum::table`], all bound by `functions`; `array` is `cuprum.ndarray`, and `convert` is the only
//! module in which Python objects are converted to arrays and scalars and back. The Python sources in `python/cuprum`
//! arrange names in modules.

mod arnoldi;
mod array;
mod builtin;
mod callbacks;
mod contraction;
mod convert;
mod creation;
mod cuda;
mod distributed_arrays;
mod distributions;
mod dtypes;
mod errors;
mod face;
mod files;
mod filter_design;
mod functional;
mod functions;
mod fusion;
mod gufunc;
mod indexing;
mod insertion;
mod interop;
mod interpolate;
mod interpolation;
mod ipc;
mod kernels;
mod linear_filters;
mod measurements;
mod memory;
mod methods;
mod nccl;
mod ndimage;
mod nonnumeric;
mod operators;
mod peaks;
mod poly1d;
mod polynomial;
mod radar;
mod random;
mod scalars;
mod shapes;
mod signatures;
mod sparse;
mod sparse_direct;
mod sparse_eigen;
mod sparse_graphs;
mod sparse_incomplete;
mod spatial;
mod special;
mod spectra;
mod standard;
mod text;
mod texture;
mod transfer;
mod transforms;
mod tuning;
mod ufunc;
mod warnings;

use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pymodule(gil_used = false)]
fn _cuprum(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<array::NdArray>()?;
    module.add_class::<ufunc::PyUfunc>()?;
    module.add_function(wrap_pyfunction!(show_config, module)?)?;
    module.add_function(wrap_pyfunction!(diagnose, module)?)?;
    module.add_function(wrap_pyfunction!(nvcc_command, module)?)?;
    module.add_function(wrap_pyfunction!(library_files, module)?)?;
    module.add("OutOfMemoryError", py.get_type::<errors::OutOfMemoryError>())?;
    module.add("CompileException", py.get_type::<errors::CompileException>())?;
    module.add("CUDADriverError", py.get_type::<errors::CUDADriverError>())?;
    module.add("DeviceSynchronized", py.get_type::<errors::DeviceSynchronized>())?;
    module.add_class::<scalars::FlatIter>()?;
    module.add_class::<random::RandomBits>()?;
    distributions::add(module)?;
    errors::add(module)?;
    memory::add(module)?;
    cuda::add(module)?;
    fusion::add(module)?;
    gufunc::add(module)?;
    callbacks::add(module)?;
    transforms::add(module)?;
    tuning::add(module)?;
    face::add(module)?;
    files::add(module)?;
    kernels::add(module)?;
    texture::add(module)?;
    ipc::add(module)?;
    interop::add(module)?;
    nccl::add(module)?;
    distributed_arrays::add(module)?;
    ndimage::add(module)?;
    measurements::add(module)?;
    interpolate::add(module)?;
    interpolation::add(module)?;
    linear_filters::add(module)?;
    peaks::add(module)?;
    filter_design::add(module)?;
    radar::add(module)?;
    spatial::add(module)?;
    spectra::add(module)?;
    nonnumeric::add(module)?;
    polynomial::add(module)?;
    text::add(module)?;
    sparse_direct::add(module)?;
    sparse_incomplete::add(module)?;
    arnoldi::add(module)?;
    sparse_eigen::add(module)?;
    sparse_graphs::add(module)?;
    sparse::add(module)?;
    methods::add(py)?;
    functions::add(module, &own_functions(module)?)
}

/// Returns the functions of the main namespace with signatures that no record has, by their names.
fn own_functions<'py>(module: &Bound<'py, PyModule>) -> PyResult<Bound<'py, PyDict>> {
    let names = PyDict::new(module.py());
    creation::add(module, &names)?;
    special::add(module, &names)?;
    functional::add(module, &names)?;
    contraction::add(module, &names)?;
    polynomial::add_names(module, &names)?;
    for (name, function) in names.copy()? {
        names.set_item(name, nonnumeric::guarded(&function)?)?;
    }
    Ok(names)
}

/// Checks the installation; returns the findings as text or as JSON, and true if none of them is an error.
#[pyfunction]
fn diagnose(
    py: Python<'_>,
    executable: std::path::PathBuf,
    folder: std::path::PathBuf,
    version: Option<String>,
    numpy: String,
    json: bool,
) -> (String, bool) {
    let python = cuprum::cuda::PythonInstallation { executable, folder, version, numpy };
    let diagnosis = py.detach(|| cuprum::cuda::diagnose(Some(&python)));
    (if json { diagnosis.to_json() } else { diagnosis.to_string() }, diagnosis.is_healthy())
}

/// Describes the runtime of the library as text.
#[pyfunction]
fn show_config() -> String {
    cuprum::show_config()
}

#[pyfunction]
fn nvcc_command() -> Option<String> {
    cuprum::cuda::nvcc_command()
}

#[pyfunction]
fn library_files() -> Vec<(&'static str, Option<std::path::PathBuf>)> {
    cuprum::cuda::library_files()
}
