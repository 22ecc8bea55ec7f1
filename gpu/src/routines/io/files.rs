//! File input, with errors that give the position in the file.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// Converts an I/O error to one that names the file.
pub(super) fn failed(name: impl fmt::Display, what: &str, e: &io::Error) -> Error {
    // This crate's own error, passed through a reader, is returned unchanged.
    if let Some(own) = e.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        return own.clone();
    }
    Error::new(ErrorKind::Io, format!("{name} cannot be {what}: {e}"))
}

/// Returns the error for invalid data at a byte of a file.
pub(super) fn bad(name: &str, offset: u64, reason: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Value, format!("{name}, byte {offset}: {reason}"))
}

/// Appends an extension to a path that does not have it.
pub(super) fn with_extension(path: &Path, extension: &str) -> PathBuf {
    if path.as_os_str().as_encoded_bytes().ends_with(extension.as_bytes()) {
        return path.into();
    }
    let mut name = path.as_os_str().to_os_string();
    name.push(extension);
    name.into()
}

/// A named stream of bytes that tracks its position.
pub(super) struct Input<R> {
    /// Name in error messages.
    pub(super) name: String,
    /// Position in the file.
    pub(super) at: u64,
    /// Source of the bytes.
    reader: R,
}

impl<R: Read> Input<R> {
    pub(super) fn new(name: impl Into<String>, reader: R) -> Input<R> {
        Input { name: name.into(), at: 0, reader }
    }

    /// Replaces the contents of `out` by the next `bytes` bytes, or fewer at the end of the stream. Memory is allocated
    /// for the bytes that exist.
    pub(super) fn up_to(&mut self, bytes: usize, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let read = self.reader.by_ref().take(bytes as u64).read_to_end(out);
        self.at += out.len() as u64;
        read.map(drop).map_err(|e| failed(&self.name, &format!("read after byte {}", self.at), &e))
    }

    /// Returns the next bytes; it is an error if the stream ends before.
    pub(super) fn exactly(&mut self, bytes: usize, what: &str) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.up_to(bytes, &mut out)?;
        match out.len() {
            n if n == bytes => Ok(out),
            n => Err(self.bad(format!("the file ends after {n} of the {bytes} bytes of {what}"))),
        }
    }

    /// Reads and discards the rest.
    #[cfg(feature = "npz")]
    pub(super) fn exhaust(&mut self) -> Result<()> {
        let rest = io::copy(&mut self.reader, &mut io::sink());
        rest.map(drop).map_err(|e| failed(&self.name, "read to the end", &e))
    }

    /// Returns the error for invalid data at the current position.
    pub(super) fn bad(&self, reason: impl fmt::Display) -> Error {
        bad(&self.name, self.at, reason)
    }
}
