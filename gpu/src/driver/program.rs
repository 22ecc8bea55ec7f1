//! Compilers that are programs: a source is compiled in a process, in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::nvrtc::Image;
use crate::error::{Error, ErrorKind, Result};

/// A source and its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    /// Name of the source, without its extension.
    pub(super) name: &'a str,
    /// Extension of the source's file.
    pub(super) extension: &'a str,
    /// The source.
    pub(super) source: &'a str,
    /// Architecture in messages.
    pub(super) target: &'a str,
}

/// Returns the file of a program: one of these names in one of the folders, or the file itself if the name is a path.
pub(super) fn find(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return Some(PathBuf::from(name)).filter(|file| file.is_file());
    }
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    folders.iter().map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// Runs a compiler with its first arguments, then those of the call, and returns the code that it writes.
///
/// # Errors
///
/// [`ErrorKind::Compile`], with its output and the numbered source; [`ErrorKind::Library`] if it does not start;
/// [`ErrorKind::Io`] if the folder of temporary files is not writable.
pub(super) fn compile(command: &[String], arguments: &[String], task: Task<'_>) -> Result<Image> {
    let Task { name, extension, source, target } = task;
    let folder = Temporary::new()?;
    let io = |e: std::io::Error| Error::new(ErrorKind::Io, format!("{}: {e}", folder.0.display()));
    let (input, output) = (folder.0.join(format!("{name}.{extension}")), folder.0.join("code"));
    fs::write(&input, source).map_err(io)?;
    let mut process = Command::new(&command[0]);
    let done = process.args(&command[1..]).args(arguments).arg("-o").arg(&output).arg(&input).output();
    let done = done.map_err(|e| {
        Error::new(ErrorKind::Library, format!("the compiler {} does not start: {e}", command.join(" ")))
    })?;
    let log = [done.stdout, done.stderr].concat();
    let log = String::from_utf8_lossy(&log).trim_end().to_string();
    if !done.status.success() {
        let numbered: String = source.lines().enumerate().map(|(i, l)| format!("{:5} | {l}\n", i + 1)).collect();
        let message = format!(
            "kernel {name} does not compile for {target} ({}, {}):\n{log}\nThe source:\n{numbered}",
            command.join(" "),
            done.status
        );
        return Err(Error::new(ErrorKind::Compile, message));
    }
    Ok(Image { code: fs::read(&output).map_err(io)?, names: vec![], log })
}

/// Folder of temporary files, which is removed at the end of its scope.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Temporary> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let name = format!("cuprum-compile-{}-{}", std::process::id(), COUNTER.fetch_add(1, Relaxed));
        let folder = std::env::temp_dir().join(name);
        let created = fs::create_dir(&folder);
        created.map_err(|e| Error::new(ErrorKind::Io, format!("{}: {e}", folder.display())))?;
        Ok(Temporary(folder))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = fs::remove_dir_all(&self.0);
    }
}
