//! Loader of ROCm's libraries at run time.
//!
//! A library is looked for on the loader's path, then in the folders of ROCm. Its dependencies have paths of their own.

use std::path::PathBuf;

use crate::error::{Error, ErrorKind, Result};

/// A library of ROCm.
pub(super) struct Library {
    /// Its name in messages.
    name: &'static str,
    /// Its purpose, in messages.
    purpose: &'static str,
    /// The names of its file, of ROCm 7 to 5, and the one without a version.
    files: &'static [&'static str],
    /// The package that has it, in AMD's repositories.
    package: &'static str,
}

/// The runtime.
pub(super) const HIP: Library = Library {
    name: "the HIP runtime",
    purpose: "which runs AMD GPUs",
    files: &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"],
    package: "hip-runtime-amd",
};

/// The compiler, which is a part of the runtime in ROCm before 6.
pub(super) const HIPRTC: Library = Library {
    name: "hipRTC",
    purpose: "which compiles kernels for AMD GPUs",
    files: &["libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libamdhip64.so.5", "libhiprtc.so"],
    package: "hip-runtime-amd",
};

/// Matrix products. hipBLAS forwards to it, and changes its enumerations from version to version.
pub(super) const ROCBLAS: Library = Library {
    name: "rocBLAS",
    purpose: "which multiplies matrices on AMD GPUs",
    files: &["librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0", "librocblas.so"],
    package: "rocblas",
};

/// Matrix decompositions.
pub(super) const ROCSOLVER: Library = Library {
    name: "rocSOLVER",
    purpose: "which decomposes matrices on AMD GPUs",
    files: &["librocsolver.so.1", "librocsolver.so.0", "librocsolver.so"],
    package: "rocsolver",
};

/// Fourier transforms.
pub(super) const HIPFFT: Library = Library {
    name: "hipFFT",
    purpose: "which transforms on AMD GPUs",
    files: &["libhipfft.so.1", "libhipfft.so.0", "libhipfft.so"],
    package: "hipfft",
};

/// Returns the folder of ROCm: `ROCM_PATH`, otherwise the usual one.
fn folder() -> PathBuf {
    let named = std::env::var_os("ROCM_PATH").filter(|path| !path.is_empty());
    named.map_or_else(|| "/opt/rocm".into(), PathBuf::from).join("lib")
}

impl Library {
    /// Loads the library, and looks its functions up by `resolve`, whose argument creates the error of a missing one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Library`] if it is missing or does not load, with what was looked for.
    pub(super) fn functions<A>(
        &self,
        resolve: impl FnOnce(&libloading::Library, &dyn Fn(&str) -> Error) -> A,
    ) -> Result<A> {
        let Library { name, package, .. } = self;
        let library = self.open()?;
        let functions = resolve(&library, &|function| {
            let what = format!("{name} has no function {function}: a newer {package} of ROCm is needed");
            Error::new(ErrorKind::Library, what)
        });
        // The library stays loaded until the process ends.
        std::mem::forget(library);
        Ok(functions)
    }

    fn open(&self) -> Result<libloading::Library> {
        let Library { name, purpose, files, package } = self;
        let folder = folder();
        let named = files.iter().map(|file| folder.join(file));
        let paths = files.iter().map(PathBuf::from).chain(named.filter(|path| path.is_file()));
        let mut failed = None;
        for path in paths {
            // SAFETY: loading a library of ROCm runs its initialisers, which have no preconditions.
            match unsafe { libloading::Library::new(&path) } {
                Ok(library) => return Ok(library),
                // A file that was found is one that should have loaded.
                Err(e) if path.is_absolute() => failed = failed.or(Some((path, e))),
                Err(_) => {}
            }
        }
        let what = match failed {
            Some((path, e)) => format!("{name} at {} does not load: {e}", path.display()),
            None => format!(
                "{name}, {purpose}, is missing. Install ROCm's package {package}, or name its folder with ROCM_PATH. \
                 Looked for {} on the loader's path and in {}",
                files.join(", "),
                folder.display()
            ),
        };
        Err(Error::new(ErrorKind::Library, what))
    }
}
