//! Function table of cuDSS.
//!
//! Names and values are those of the header of cuDSS 1.0. A parameter has one size, which the library checks.

use std::ffi::{CString, c_char, c_int, c_void};

use super::library::{Loaded, Needs, Part, version};
use super::search_paths;
use super::symbols::symbols;
use crate::error::{Error, ErrorKind, Result};

/// Opaque object of the library: a handle, a configuration, the data of a factorisation, or a matrix.
pub(super) type Object = *mut c_void;

symbols! {
    /// The functions of cuDSS.
    Api, error
    fn property(which: c_int, value: *mut c_int) = "cudssGetProperty";
    fn create(handle: *mut Object) = "cudssCreate";
    fn destroy(handle: Object) = "cudssDestroy";
    fn set_stream(handle: Object, stream: *mut c_void) = "cudssSetStream";
    fn set_threading_layer(handle: Object, file: *const c_char) = "cudssSetThreadingLayer";
    fn create_config(config: *mut Object) = "cudssConfigCreate";
    fn destroy_config(config: Object) = "cudssConfigDestroy";
    fn set_config(config: Object, which: c_int, value: *const c_void, size: usize) = "cudssConfigSet";
    fn create_data(handle: Object, data: *mut Object) = "cudssDataCreate";
    fn destroy_data(handle: Object, data: Object) = "cudssDataDestroy";
    fn get_data(
        handle: Object, data: Object, which: c_int, value: *mut c_void, size: usize, written: *mut usize,
    ) = "cudssDataGet";
    fn create_rows(
        matrix: *mut Object, rows: i64, columns: i64, entries: i64, starts: *const c_void, ends: *const c_void,
        indices: *const c_void, values: *const c_void, offset_type: c_int, index_type: c_int, value_type: c_int,
        kind: c_int, view: c_int, base: c_int,
    ) = "cudssMatrixCreateCsr";
    fn create_dense(
        matrix: *mut Object, rows: i64, columns: i64, leading: i64, values: *const c_void, value_type: c_int,
        layout: c_int,
    ) = "cudssMatrixCreateDn";
    fn set_values(matrix: Object, values: *const c_void) = "cudssMatrixSetValues";
    fn destroy_matrix(matrix: Object) = "cudssMatrixDestroy";
    fn execute(
        handle: Object, phase: c_int, config: Object, data: Object, matrix: Object, solution: Object, rhs: Object,
    ) = "cudssExecute";
}

/// `cudssConfigParam_t`.
pub(super) mod config {
    use std::ffi::c_int;
    /// An int: the operation on the matrix of a solution, `cudssSolveMode_t`.
    pub(crate) const SOLVE_MODE: c_int = 4;
    /// An int: the number of matrices of one pattern.
    pub(crate) const UBATCH_SIZE: c_int = 18;
    /// An int: the matrix of the batch that a phase works on, -1 for all.
    pub(crate) const UBATCH_INDEX: c_int = 19;
    /// An int: 1 for results that repeat to the bit.
    pub(crate) const DETERMINISTIC_MODE: c_int = 24;
}

/// `cudssDataParam_t`.
pub(super) mod data {
    use std::ffi::c_int;
    pub(crate) const INFO: c_int = 0;
    pub(crate) const LU_NNZ: c_int = 1;
    pub(crate) const NPIVOTS: c_int = 2;
    pub(crate) const INERTIA: c_int = 3;
}

/// `cudssPhase_t`.
pub(super) mod phase {
    use std::ffi::c_int;
    pub(crate) const ANALYSIS: c_int = 1 | 2;
    pub(crate) const FACTORIZATION: c_int = 4;
    pub(crate) const REFACTORIZATION: c_int = 8;
    pub(crate) const SOLVE: c_int = 16 | 32 | 64 | 128 | 256 | 512;
}

/// `cudssMatrixType_t` of real and of complex matrices: general; symmetric or Hermitian; and positive definite.
pub(super) const MATRIX_KINDS: [[c_int; 3]; 2] = [[0, 1, 3], [0, 2, 4]];

/// `cudssMatrixViewType_t`: all entries, the lower triangle.
pub(super) const VIEWS: [c_int; 2] = [0, 1];

pub(super) const CUDSS: Loaded = Loaded {
    name: "cuDSS",
    spec: &search_paths::CUDSS,
    since: "cuDSS 1.0",
    parts: &[
        Part { package: Some("cublas"), file: "libcublasLt.so.13" },
        Part { package: Some("cublas"), file: "libcublas.so.13" },
        Part { package: Some("cuda_nvrtc"), file: "libnvrtc.so.13" },
    ],
    needs: Needs::All,
};

impl Api {
    /// Returns true if the library is installed.
    pub(super) fn is_installed() -> bool {
        CUDSS.file().is_ok()
    }

    /// Loads the library.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Library`] if it is not installed, or lacks a function.
    pub(super) fn load() -> Result<Api> {
        CUDSS.functions(|library, absent| Api::resolve(library, absent), Api::version_text)
    }

    /// Returns the file of the library's threads for the analysis on the host, if it is next to the library.
    pub(super) fn threading_layer() -> Option<CString> {
        let file = CUDSS.file().ok()?.with_file_name("libcudss_mtlayer_gomp.so.1");
        file.exists().then(|| CString::new(file.to_string_lossy().as_bytes()).ok())?
    }

    fn version_text(&self) -> String {
        // SAFETY: the value is a live variable.
        version(|which, value| unsafe { self.property(which, value) })
    }

    fn error(&self, call: &str, code: c_int) -> Error {
        let (kind, meaning) = match code {
            1 => (ErrorKind::Driver, "the library is not initialised"),
            2 => (ErrorKind::OutOfMemory, "out of memory"),
            3 => (ErrorKind::Driver, "invalid value"),
            4 => (ErrorKind::NotImplemented, "not supported"),
            5 => (ErrorKind::Driver, "execution failed"),
            6 => (ErrorKind::Driver, "internal error"),
            7 => (ErrorKind::Driver, "the refinement did not converge"),
            _ => (ErrorKind::Driver, "unknown"),
        };
        Error::new(kind, format!("{call} failed: code {code}, {meaning}")).with_status(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function of the table is in the library, if it is installed.
    #[test]
    fn the_table_has_the_functions_of_an_installed_library() {
        let Ok(file) = CUDSS.file() else { return };
        // SAFETY: loading the library runs its initialisers, which have no preconditions.
        let Ok(library) = (unsafe { libloading::Library::new(file) }) else { return };
        let api = Api::resolve(&library, |name| Error::new(ErrorKind::Library, name.to_owned()));
        for found in [api.create.is_ok(), api.execute.is_ok(), api.get_data.is_ok(), api.create_rows.is_ok()] {
            assert!(found, "{api:?}");
        }
    }
}
