//! Files, and errors that say where in them something is wrong.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// What the system says of a file, as an error that names it.
pub(super) fn failed(name: impl fmt::Display, what: &str, e: &io::Error) -> Error {
    // A failure of the library's own that came by way of a reader is told as it is.
    if let Some(own) = e.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        return own.clone();
    }
    Error::new(ErrorKind::Io, format!("{name} cannot be {what}: {e}"))
}

/// What is wrong at a byte of a file.
pub(super) fn bad(name: &str, offset: u64, reason: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Value, format!("{name}, byte {offset}: {reason}"))
}

/// The path with an extension behind it, where it has not got it.
pub(super) fn with_extension(path: &Path, extension: &str) -> PathBuf {
    if path.as_os_str().as_encoded_bytes().ends_with(extension.as_bytes()) {
        return path.into();
    }
    let mut name = path.as_os_str().to_os_string();
    name.push(extension);
    name.into()
}

/// A stream of bytes that knows its name and where it stands.
pub(super) struct Input<R> {
    pub(super) name: String,
    pub(super) at: u64,
    reader: R,
}

impl<R: Read> Input<R> {
    pub(super) fn new(name: impl Into<String>, reader: R) -> Input<R> {
        Input { name: name.into(), at: 0, reader }
    }

    /// The next bytes, in the place of what is in `out`: so many, or fewer where the stream ends. Memory is taken for those
    /// that are there.
    pub(super) fn up_to(&mut self, bytes: usize, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let read = self.reader.by_ref().take(bytes as u64).read_to_end(out);
        self.at += out.len() as u64;
        read.map(drop).map_err(|e| failed(&self.name, &format!("read behind byte {}", self.at), &e))
    }

    /// The next bytes; an error where the stream ends before.
    pub(super) fn exactly(&mut self, bytes: usize, what: &str) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.up_to(bytes, &mut out)?;
        match out.len() {
            n if n == bytes => Ok(out),
            n => Err(self.bad(format!("the file ends after {n} of the {bytes} bytes of {what}"))),
        }
    }

    /// Reads what is left, and forgets it.
    #[cfg(feature = "npz")]
    pub(super) fn exhaust(&mut self) -> Result<()> {
        let rest = io::copy(&mut self.reader, &mut io::sink());
        rest.map(drop).map_err(|e| failed(&self.name, "read to the end", &e))
    }

    /// What is wrong where the stream stands.
    pub(super) fn bad(&self, reason: impl fmt::Display) -> Error {
        bad(&self.name, self.at, reason)
    }
}
