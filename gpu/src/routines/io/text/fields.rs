//! Lines and fields of text files, and converters of fields.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::super::files::failed;
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// Converter of a column: a function of the text of a field.
///
/// It is cheap to clone, and may be used by several threads.
#[derive(Clone)]
pub struct Converter(Arc<Convert>);

type Convert = dyn Fn(&str) -> Result<Scalar> + Send + Sync;

impl Converter {
    /// Creates a converter from a function.
    ///
    /// The function gets the text of a field without the delimiters, and returns a number, or an error, which the
    /// reading function reports with the line.
    ///
    /// ```
    /// use cuprum::Converter;
    /// let percent = Converter::new(|text| Ok(text.trim_end_matches('%').parse::<f64>().unwrap_or(f64::NAN) / 100.0));
    /// let options = cuprum::LoadtxtOptions::new().converters(0, percent);
    /// assert_eq!(options.converters.len(), 1);
    /// ```
    pub fn new<S: Into<Scalar>>(f: impl Fn(&str) -> Result<S> + Send + Sync + 'static) -> Converter {
        Converter(Arc::new(move |text| f(text).map(Into::into)))
    }

    pub(super) fn call(&self, text: &str) -> Result<Scalar> {
        (self.0)(text)
    }
}

impl fmt::Debug for Converter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Converter")
    }
}

/// Opens a file as text; one whose name ends with `.gz` is decompressed.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let name = path.display();
    let extension = path.extension().and_then(|e| e.to_str());
    if let Some(packed @ ("bz2" | "xz")) = extension {
        let message = format!("{name} is compressed by {packed}: unpack it first");
        return Err(Error::new(ErrorKind::NotImplemented, message));
    }
    let file = File::open(path).map_err(|e| failed(&name, "read", &e))?;
    match extension {
        #[cfg(feature = "npz")]
        Some("gz") => Ok(Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(file)))),
        #[cfg(not(feature = "npz"))]
        Some("gz") => {
            let cure = "turn the feature `npz` of the crate cuprum on";
            Err(Error::new(ErrorKind::Library, format!("{name} is compressed by gzip: {cure}")))
        }
        _ => Ok(Box::new(BufReader::new(file))),
    }
}

/// The lines of a text, with any line endings.
pub(super) struct Lines<R> {
    reader: R,
    pub(super) name: String,
    /// The number of the line that was returned last.
    pub(super) number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(name: impl Into<String>, reader: R) -> Lines<R> {
        Lines { reader, name: name.into(), number: 0 }
    }

    /// Appends the next line to `out`, without its line ending; returns false at the end of the file.
    pub(super) fn next(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        let mut any = false;
        loop {
            let read = self.reader.fill_buf();
            let buffer = read.map_err(|e| failed(&self.name, &format!("read after line {}", self.number), &e))?;
            if buffer.is_empty() {
                self.number += usize::from(any);
                return Ok(any);
            }
            any = true;
            let end = buffer.iter().position(|b| matches!(b, b'\n' | b'\r'));
            let Some(end) = end else {
                let n = buffer.len();
                out.extend_from_slice(buffer);
                self.reader.consume(n);
                continue;
            };
            out.extend_from_slice(&buffer[..end]);
            let is_return = buffer[end] == b'\r';
            self.reader.consume(end + 1);
            if is_return && self.reader.fill_buf().is_ok_and(|buffer| buffer.first() == Some(&b'\n')) {
                self.reader.consume(1);
            }
            self.number += 1;
            return Ok(true);
        }
    }

    /// Skips lines.
    pub(super) fn skip(&mut self, lines: usize) -> Result<()> {
        let mut line = vec![];
        for _ in 0..lines {
            line.clear();
            if !self.next(&mut line)? {
                break;
            }
        }
        Ok(())
    }

    /// Returns the error for invalid data in the line that was returned last.
    pub(super) fn bad(&self, reason: impl fmt::Display) -> Error {
        self.bad_in(self.number, reason)
    }

    pub(super) fn bad_in(&self, line: usize, reason: impl fmt::Display) -> Error {
        Error::new(ErrorKind::Value, format!("{}, line {line}: {reason}", self.name))
    }

    /// Returns the error for invalid data in a field of that line, which is counted from 0 as in `usecols`.
    pub(super) fn bad_field(&self, column: usize, reason: impl fmt::Display) -> Error {
        Error::new(ErrorKind::Value, format!("{}, line {}, column {column}: {reason}", self.name, self.number))
    }
}

/// Returns the position of the first comment mark in a line, or the line's end.
pub(super) fn comment_at(line: &[u8], comments: &[String]) -> usize {
    let at = |comment: &String| line.windows(comment.len()).position(|part| part == comment.as_bytes());
    comments.iter().filter_map(at).min().unwrap_or(line.len())
}

/// Wraps a reader of bytes in a buffered reader.
pub(super) fn buffered(reader: impl Read) -> impl BufRead {
    BufReader::new(reader)
}

/// Normalises a column index among `n` columns; negative ones count from the end.
pub(super) fn column(index: isize, n: usize) -> Option<usize> {
    let position = if index < 0 { index.checked_add_unsigned(n)? } else { index };
    usize::try_from(position).ok().filter(|&position| position < n)
}
