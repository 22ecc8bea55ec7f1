//! Files that only their owner may write to, on Unix and on Windows.
//!
//! On Windows the user's folders have access lists that keep other users out, and files inherit them. So nothing is set
//! or examined there.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Owner and permissions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// User id.
    pub(crate) user: u32,
    /// Group id.
    pub(crate) group: u32,
    /// Permission bits: `0o644`.
    pub(crate) mode: u32,
}

#[cfg(unix)]
mod system {
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};

    use super::*;

    /// Returns the owner of a file; `None` where files have none.
    pub(crate) fn owner(meta: &Metadata) -> Option<Owner> {
        Some(Owner { user: meta.uid(), group: meta.gid(), mode: meta.mode() & 0o7777 })
    }

    /// Returns the user whose rights the process has.
    pub(crate) fn effective_user() -> u32 {
        // SAFETY: the call has no preconditions.
        unsafe { libc::geteuid() }
    }

    /// Opens a file to be read: a link is not followed, and a pipe does not block.
    pub(crate) fn open_unlinked(path: &Path) -> io::Result<File> {
        File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
    }

    /// Creates a folder and those above it, of the user alone.
    pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    /// Creates a file of the user alone; an error if it exists.
    pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
        File::options().write(true).create_new(true).mode(0o600).open(path)
    }

    /// Returns true if this process may read and write a file, or create files in a folder.
    pub(crate) fn is_writable(path: &Path) -> bool {
        let kind = if path.is_dir() { libc::W_OK | libc::X_OK } else { libc::R_OK | libc::W_OK };
        let Ok(name) = CString::new(path.as_os_str().as_bytes()) else { return false };
        // SAFETY: the string ends with NUL and outlives the call.
        unsafe { libc::access(name.as_ptr(), kind) == 0 }
    }

    /// Returns the bytes that are free on the file system of a folder.
    pub(crate) fn free_bytes(folder: &Path) -> Option<u64> {
        let name = CString::new(folder.as_os_str().as_bytes()).ok()?;
        // SAFETY: all bytes zero are a valid value of the structure.
        let mut system: libc::statvfs = unsafe { std::mem::zeroed() };
        // SAFETY: the string ends with NUL, and the structure is a live variable.
        let done = unsafe { libc::statvfs(name.as_ptr(), &mut system) };
        (done == 0).then(|| (system.f_bavail as u64).saturating_mul(system.f_frsize as u64))
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;

    /// Returns the owner of a file; `None` where files have none.
    pub(crate) fn owner(_: &Metadata) -> Option<Owner> {
        None
    }

    /// Returns the user whose rights the process has.
    pub(crate) fn effective_user() -> u32 {
        0
    }

    /// Opens a file to be read.
    pub(crate) fn open_unlinked(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    /// Creates a folder and those above it.
    pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)
    }

    /// Creates a file; an error if it exists.
    pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
        File::options().write(true).create_new(true).open(path)
    }

    /// Returns true unless a file or folder is marked as one that is only read.
    pub(crate) fn is_writable(path: &Path) -> bool {
        path.metadata().is_ok_and(|meta| !meta.permissions().readonly())
    }

    /// Returns the bytes that are free on the file system of a folder: unknown here.
    pub(crate) fn free_bytes(_: &Path) -> Option<u64> {
        None
    }
}

pub(crate) use system::*;
