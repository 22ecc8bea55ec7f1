//! Loader of CUDA's libraries at run time, in the same way for all of them: it finds the file, loads its dependencies
//! first, looks the functions up, and returns an error for each that is missing.
//!
//! Messages name the file that was found, the version that is needed, and the package that has it.

use std::ffi::c_int;
use std::path::{Path, PathBuf};

use libloading::Library;

use super::read_ahead;
use super::search_paths::{self, SearchSpec, file_name};
use crate::error::{Error, ErrorKind, Result};

/// A library of CUDA's.
pub(super) struct Loaded {
    /// Its name in messages.
    pub(super) name: &'static str,
    /// Its search paths and file names.
    pub(super) spec: &'static SearchSpec,
    /// The first CUDA version whose library has all functions.
    pub(super) since: &'static str,
    /// Its dependencies, in the same folder or in neighbouring ones, which the loader need not search: it uses a
    /// library that is loaded already.
    pub(super) parts: &'static [Part],
    /// The dependencies that are loaded with it.
    pub(super) needs: Needs,
}

/// The dependencies that are loaded with a library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// All that are found.
    All,
    /// The first that is found.
    One,
    /// None, unless the library does not load without them: some of its calls alone need them, and their callers load them
    /// by [`Loaded::complete`].
    Later,
}

/// File that a library depends on, and the package that contains it if it is not in the library's folder.
pub(super) struct Part {
    /// Python package that contains the file; `None` for the library's own.
    pub(super) package: Option<&'static str>,
    /// Name of the file.
    pub(super) file: &'static str,
}

impl Loaded {
    /// Returns the file of the library in use.
    pub(super) fn file(&self) -> Result<PathBuf> {
        search_paths::find(self.spec, search_paths::driver())
    }

    /// Loads it, and looks its functions up by `resolve`, whose argument creates the error of a missing one. `version`
    /// queries the library itself.
    pub(super) fn functions<A>(
        &self,
        resolve: impl Fn(&Library, &dyn Fn(&str) -> Error) -> A,
        version: impl Fn(&A) -> String,
    ) -> Result<A> {
        let file = self.file()?;
        let library = read_ahead::recorded(self.name, || self.open(&file))?;
        let lacking = |name: &str, version: &str| {
            let Loaded { name: this, since, .. } = self;
            Error::new(
                ErrorKind::Library,
                format!("{this} {version} has no function {name}: the one of {since} or later is needed"),
            )
        };
        let version = version(&resolve(&library, &|name| lacking(name, "")));
        let functions = resolve(&library, &|name| lacking(name, &version));
        // The library stays loaded until the process ends.
        std::mem::forget(library);
        Ok(functions)
    }

    /// Loads the dependencies that were not loaded with it.
    pub(super) fn complete(&self) -> Result<()> {
        self.load_parts(&self.file()?);
        Ok(())
    }

    fn load_parts(&self, file: &Path) {
        for part in self.parts {
            if part.load(file) && self.needs == Needs::One {
                break;
            }
        }
    }

    fn open(&self, file: &Path) -> Result<Library> {
        if self.needs == Needs::Later
            && let Ok(library) = load(file)
        {
            return Ok(library);
        }
        self.load_parts(file);
        load(file).map_err(|e| {
            Error::new(ErrorKind::Library, format!("{} at {} does not load: {e}", self.name, file.display()))
        })
    }
}

/// Loads a library of CUDA's, to find out if the loader accepts it. One that it accepts stays loaded.
///
/// # Errors
///
/// [`ErrorKind::Library`] with the loader's message.
pub(super) fn loads(name: &str, file: &Path) -> Result<()> {
    use super::{cublas_api, cudss_api, cufft, cusolver_api, nccl, nvjitlink};
    let known = [
        &cublas_api::CUBLAS,
        &cusolver_api::CUSOLVER,
        &cufft::CUFFT,
        &nccl::NCCL,
        &cudss_api::CUDSS,
        &nvjitlink::NVJITLINK,
    ];
    match known.into_iter().find(|library| library.name == name) {
        Some(library) => library.open(file).map(std::mem::forget),
        None => Ok(()),
    }
}

/// Loads a library of CUDA, whose dependencies in the same folder are found.
fn load(file: &Path) -> std::result::Result<Library, libloading::Error> {
    #[cfg(windows)]
    {
        use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library};
        // SAFETY: loading a library of CUDA runs its initialisers, which have no preconditions.
        unsafe { Library::load_with_flags(file, LOAD_WITH_ALTERED_SEARCH_PATH) }.map(Into::into)
    }
    // SAFETY: as above.
    #[cfg(not(windows))]
    unsafe {
        Library::new(file)
    }
}

impl Part {
    /// Loads it until the process ends, if it exists.
    fn load(&self, file: &Path) -> bool {
        let Some(name) = file_name(self.file) else { return false };
        let beside = file.with_file_name(&name);
        let root = self.package.and_then(|package| Some(file.ancestors().nth(3)?.join(package)));
        let apart = root.map(|root| root.join(search_paths::LIBRARY_FOLDER).join(&name));
        for part in [Some(beside), apart].into_iter().flatten().filter(|part| part.is_file()) {
            if let Ok(library) = load(&part) {
                std::mem::forget(library);
                return true;
            }
        }
        false
    }
}

/// Returns a library's version: `13.1`. `property` queries its major (0) and minor (1) number.
pub(super) fn version(property: impl Fn(c_int, &mut c_int) -> Result<()>) -> String {
    let part = |which| {
        let mut value = 0;
        property(which, &mut value).ok().map(|()| value)
    };
    match (part(0), part(1)) {
        (Some(major), Some(minor)) => format!("{major}.{minor}"),
        _ => "of no version".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dependency is searched in the library's folder, then in its package; a file that is not a library is skipped.
    #[test]
    fn parts_that_do_not_load_are_passed_by() {
        let root = std::env::temp_dir().join(format!("cuprum-library-{}", std::process::id()));
        let (own, apart) = (root.join("a").join("lib"), root.join("b").join("lib"));
        for folder in [&own, &apart] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("libpart.so"), "no library").unwrap();
        }
        let file = own.join("libwhole.so");
        assert!(!Part { package: Some("b"), file: "libpart.so" }.load(&file));
        assert!(!Part { package: None, file: "libabsent.so" }.load(&file));
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn an_unreported_version_is_none() {
        let property = |which: c_int, value: &mut c_int| {
            *value = 12 + which;
            Ok(())
        };
        assert_eq!(version(property), "12.13");
        assert_eq!(version(|_, _| Err(Error::new(ErrorKind::Driver, "no"))), "of no version");
    }
}
