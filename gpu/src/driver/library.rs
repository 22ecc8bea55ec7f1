//! Loads CUDA's libraries at run time, all of them in one way: found, the parts that they need loaded before them, their
//! functions looked up, and an error for each that is missing.

use std::ffi::c_int;
use std::path::{Path, PathBuf};

use libloading::Library;

use super::places::{self, Wanted};
use crate::error::{Error, ErrorKind, Result};

/// A library of CUDA's.
pub(super) struct Loaded {
    /// What it is called in messages.
    pub(super) name: &'static str,
    /// Where it is looked for.
    pub(super) wanted: &'static Wanted,
    /// The first CUDA whose library has all functions.
    pub(super) since: &'static str,
    /// Parts of it lie beside it or in folders beside its own, and the loader need not look there: one that is loaded already
    /// serves.
    pub(super) parts: &'static [Part],
    /// True if one of the parts is enough.
    pub(super) one_part: bool,
}

/// A file that a library needs, and the package that has it where it does not lie beside the library.
pub(super) struct Part {
    pub(super) package: Option<&'static str>,
    pub(super) file: &'static str,
}

impl Loaded {
    /// Returns the library that is used.
    pub(super) fn file(&self) -> Result<PathBuf> {
        places::find(self.wanted, places::driver())
    }

    /// Loads it, and looks its functions up by `resolve`, whose argument makes the error of one that is not there. `version` asks
    /// the library itself.
    pub(super) fn functions<A>(
        &self,
        resolve: impl Fn(&Library, &dyn Fn(&str) -> Error) -> A,
        version: impl Fn(&A) -> String,
    ) -> Result<A> {
        let library = self.open(&self.file()?)?;
        let lacking = |name: &str, version: &str| {
            let Loaded { name: this, since, .. } = self;
            Error::new(
                ErrorKind::Library,
                format!("{this} {version} has no function {name}: the one of {since} or later is needed"),
            )
        };
        let version = version(&resolve(&library, &|name| lacking(name, "")));
        let functions = resolve(&library, &|name| lacking(name, &version));
        // The library stays loaded for as long as the process lives.
        std::mem::forget(library);
        Ok(functions)
    }

    fn open(&self, file: &Path) -> Result<Library> {
        for part in self.parts {
            if part.load(file) && self.one_part {
                break;
            }
        }
        // SAFETY: loading a library of CUDA runs its initialisers, which have no preconditions.
        unsafe { Library::new(file) }.map_err(|e| {
            Error::new(ErrorKind::Library, format!("{} at {} does not load: {e}", self.name, file.display()))
        })
    }
}

impl Part {
    /// Loads it for as long as the process lives, if it is there.
    fn load(&self, file: &Path) -> bool {
        let beside = file.with_file_name(self.file);
        let root = self.package.and_then(|package| Some(file.ancestors().nth(3)?.join(package)));
        let apart = root.map(|root| root.join("lib").join(self.file));
        for part in [Some(beside), apart].into_iter().flatten().filter(|part| part.is_file()) {
            // SAFETY: loading a part of CUDA runs its initialisers, which have no preconditions.
            if let Ok(library) = unsafe { Library::new(&part) } {
                std::mem::forget(library);
                return true;
            }
        }
        false
    }
}

/// Returns a version as the library tells it: `13.1`. `property` asks for its first number (0) and its second one (1).
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

    /// A part is looked for beside the library, then in its package; what is no library is passed by.
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
    fn a_version_that_is_not_told_is_none() {
        let told = |which: c_int, value: &mut c_int| {
            *value = 12 + which;
            Ok(())
        };
        assert_eq!(version(told), "12.13");
        assert_eq!(version(|_, _| Err(Error::new(ErrorKind::Driver, "no"))), "of no version");
    }
}
