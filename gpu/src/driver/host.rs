//! Machine as the search for libraries and the diagnosis of an installation see it: environment variables, files, and the
//! libraries that the loader opens.
//!
//! Everything that they read goes through [`Host`], so that a test can describe a machine by data.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::nvrtc::Version;
use super::ownership;
pub(crate) use super::ownership::Owner;

/// A machine.
pub(crate) trait Host {
    /// Returns an environment variable; `None` also for an empty one.
    fn variable(&self, name: &str) -> Option<OsString>;
    /// Returns the names of all environment variables.
    fn variables(&self) -> Vec<String>;
    /// Returns the first bytes of a file, `limit` at most; `None` if it cannot be read.
    fn read(&self, file: &Path, limit: u64) -> Option<Vec<u8>>;
    /// Returns true for a regular file, also through links.
    fn is_file(&self, path: &Path) -> bool;
    /// Returns the entries of a folder, sorted by name; none if it cannot be read.
    fn list(&self, folder: &Path) -> Vec<PathBuf>;
    /// Returns the file that a path leads to through links.
    fn real(&self, path: &Path) -> Option<PathBuf>;
    /// Returns the owner and the permissions of a file or folder; `None` if it does not exist.
    fn owner(&self, path: &Path) -> Option<Owner>;
    /// Returns true if this process may read and write a file, or create files in a folder.
    fn is_writable(&self, path: &Path) -> bool;
    /// Returns the user id of this process.
    fn user(&self) -> u32;
    /// Returns the bytes that are free on the file system of a folder.
    fn free_bytes(&self, folder: &Path) -> Option<u64>;
    /// Returns the loader's message if a library does not load.
    fn load(&self, library: &Library) -> Result<(), String>;
    /// Starts the CUDA driver.
    fn driver(&self) -> Result<DriverFacts, DriverFault>;
}

/// A library that the loader is to open.
#[derive(Debug)]
pub(crate) struct Library<'a> {
    /// Its file.
    pub(crate) file: &'a Path,
    /// Its name in messages: `cuBLAS`.
    pub(crate) name: &'a str,
}

/// Driver that works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DriverFacts {
    /// CUDA version of the driver.
    pub(crate) version: Version,
    /// Name and compute capability of each device.
    pub(crate) devices: Vec<(String, Version)>,
}

/// Failure of the CUDA driver to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DriverFault {
    /// The loader finds no driver.
    Absent,
    /// The driver's library exists and does not load; the loader's message.
    Unloadable(String),
    /// The driver loads and does not start: CUDA's status code, if there is one, and the message.
    Failed(Option<i32>, String),
}

/// This machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine;

impl Host for Machine {
    fn variable(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name).filter(|value| !value.is_empty())
    }

    fn variables(&self) -> Vec<String> {
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    fn read(&self, file: &Path, limit: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        fs::File::open(file).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        entries
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }

    fn owner(&self, path: &Path) -> Option<Owner> {
        ownership::owner(&path.metadata().ok()?)
    }

    fn is_writable(&self, path: &Path) -> bool {
        ownership::is_writable(path)
    }

    fn user(&self) -> u32 {
        ownership::effective_user()
    }

    fn free_bytes(&self, folder: &Path) -> Option<u64> {
        ownership::free_bytes(folder)
    }

    fn load(&self, library: &Library<'_>) -> Result<(), String> {
        super::loads(library)
    }

    fn driver(&self) -> Result<DriverFacts, DriverFault> {
        super::driver_facts()
    }
}
