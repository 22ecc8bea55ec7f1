//! NumPy's npz files: zip archives of npy files.
//!
//! An archive is read member by member: opening one reads its directory alone, and each array is decompressed, where it
//! is compressed, as it is requested.

use cuprum_macros::unrecorded;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::files::{Input, bad, failed, with_extension};
use super::npy::{LoadOptions, from_stream, to_stream};
use crate::array::{Array, AsArray, IntoArgument};
use crate::error::{Error, ErrorKind, Result};

/// An array of an archive: with a name, or without one, named `arr_0`, `arr_1` and so on by its position.
pub trait NamedArray {
    /// Returns the name of the array at this position, and the array.
    ///
    /// `position` counts from 0 among the arrays of one call.
    fn named(&self, position: usize) -> (String, &Array);
}

impl<S: AsRef<str>, A: AsArray> NamedArray for (S, A) {
    fn named(&self, _: usize) -> (String, &Array) {
        (self.0.as_ref().into(), self.1.as_array())
    }
}

impl NamedArray for Array {
    fn named(&self, position: usize) -> (String, &Array) {
        (format!("arr_{position}"), self)
    }
}

impl NamedArray for &Array {
    fn named(&self, position: usize) -> (String, &Array) {
        (format!("arr_{position}"), self)
    }
}

/// Saves arrays to an uncompressed archive; NumPy's `savez`. `.npz` is appended to a name that does not end with it.
/// Arrays of more than 4 GiB are supported.
///
/// ```
/// use cuprum::{array, load_npz, savez};
/// let path = std::env::temp_dir().join("cuprum-doc-savez.npz");
/// let (x, y) = (array([1.0, 2.0])?, array([3i64])?);
/// savez(&path, [("x", &x), ("y", &y)])?;
/// let archive = load_npz(&path, ())?;
/// assert_eq!(archive.names(), ["x", "y"]);
/// assert_eq!(archive.get("y")?.to_vec::<i64>()?, [3]);
/// // By their positions.
/// savez(&path, [&x, &y])?;
/// assert_eq!(load_npz(&path, ())?.names(), ["arr_0", "arr_1"]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a repeated name, [`ErrorKind::Io`] where the file cannot be written.
///
/// # Synchronization
///
/// Synchronises with the current stream.
pub fn savez(file: impl AsRef<Path>, arrays: impl IntoIterator<Item = impl NamedArray>) -> Result<()> {
    write(file.as_ref(), arrays, CompressionMethod::Stored).map_err(|e| e.with_op("savez"))
}

/// Saves arrays to an archive compressed by deflate; NumPy's `savez_compressed`. See [`savez`]. One host thread
/// compresses.
///
/// ```
/// use cuprum::{load_npz, savez_compressed, zeros};
/// let path = std::env::temp_dir().join("cuprum-doc-savez-compressed.npz");
/// savez_compressed(&path, [("a", zeros(10_000, ())?)])?;
/// assert!(std::fs::metadata(&path).unwrap().len() < 1000);
/// assert_eq!(load_npz(&path, ())?.get("a")?.shape(), [10_000]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`savez`].
///
/// # Synchronization
///
/// Synchronises with the current stream.
pub fn savez_compressed(file: impl AsRef<Path>, arrays: impl IntoIterator<Item = impl NamedArray>) -> Result<()> {
    write(file.as_ref(), arrays, CompressionMethod::Deflated).map_err(|e| e.with_op("savez_compressed"))
}

fn write(path: &Path, arrays: impl IntoIterator<Item = impl NamedArray>, method: CompressionMethod) -> Result<()> {
    let path = with_extension(path, ".npz");
    let name = path.display().to_string();
    let unwritten = |e| failed(&name, "written", &e);
    let mut names = BTreeSet::new();
    let arrays: Vec<_> = arrays.into_iter().collect();
    let arrays: Vec<_> = arrays.iter().enumerate().map(|(position, array)| array.named(position)).collect();
    if let Some((twice, _)) = arrays.iter().find(|(own, _)| !names.insert(own)) {
        return Err(Error::new(ErrorKind::Value, format!("two arrays are called {twice:?}: rename one")));
    }
    let mut archive = ZipWriter::new(BufWriter::new(File::create(&path).map_err(unwritten)?));
    // As in NumPy, fields for lengths beyond 4 GiB are reserved for every array, since the length of a stream is not
    // known in advance.
    let options = SimpleFileOptions::default().compression_method(method).large_file(true);
    for (own, array) in &arrays {
        archive.start_file(format!("{own}.npy"), options).map_err(|e| failed(&name, "written", &e.into()))?;
        to_stream(&mut archive, &name, array)?;
    }
    let mut file = archive.finish().map_err(|e| failed(&name, "written", &e.into()))?;
    file.flush().map_err(unwritten)
}

/// Opens an npz file; NumPy's `load` of an archive.
///
/// The names in the archive are read at once, each array when it is requested.
///
/// ```
/// use cuprum::{array, load_npz, savez};
/// let path = std::env::temp_dir().join("cuprum-doc-npz.npz");
/// savez(&path, [("x", array([1.0, 2.0])?), ("y", array([3.0])?)])?;
/// for item in load_npz(&path, ())?.iter() {
///     let (name, a) = item?;
///     println!("{name}: {a}");
/// }
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`] where the file cannot be read, [`ErrorKind::Value`] where it is not an archive.
#[unrecorded("reads a file: compared with NumPy's in `gpu/tests/io.json`")]
pub fn load_npz(file: impl AsRef<Path>, options: impl IntoArgument<LoadOptions>) -> Result<NpzFile> {
    NpzFile::open(file.as_ref(), options.into()).map_err(|e| e.with_op("load_npz"))
}

/// An open npz archive, as [`load_npz`] returns it, whose arrays are read on request.
///
/// Several threads may read from one value; each read holds a lock on the file.
#[derive(Debug)]
pub struct NpzFile {
    /// Path, for error messages.
    path: String,
    /// Names of the members without the suffix.
    names: Vec<String>,
    /// The archive: one member is read at a time.
    archive: Mutex<ZipArchive<BufReader<File>>>,
    /// Options with which members are read.
    options: LoadOptions,
}

impl NpzFile {
    fn open(path: &Path, options: LoadOptions) -> Result<NpzFile> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| failed(&name, "read", &e))?;
        let archive = ZipArchive::new(BufReader::new(file)).map_err(|e| damaged(&name, e))?;
        let names = archive
            .file_names()
            .map(|member| member.map(|member| member.strip_suffix(".npy").unwrap_or(&member).to_string()))
            .collect::<std::result::Result<_, _>>()
            .map_err(|e| damaged(&name, e))?;
        Ok(NpzFile { path: name, names, archive: Mutex::new(archive), options })
    }

    /// Returns the names of the arrays, in the order of the archive; NumPy's `files`.
    ///
    /// The names are without the suffix `.npy`.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("cuprum-doc-npz-names.npz");
    /// let (a, b) = (cuprum::array([1])?, cuprum::array([2.0])?);
    /// cuprum::savez(&path, [("a", &a), ("b", &b)])?;
    /// let file = cuprum::load_npz(&path, ())?;
    /// assert_eq!(file.names(), ["a", "b"]);
    /// assert!(file.len() == 2 && !file.is_empty() && file.contains("b"));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of arrays.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether the archive has no arrays.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns whether there is an array of this name.
    ///
    /// Python's `name in archive`.
    pub fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// Reads the array of a name, and verifies the checksum of the archive.
    ///
    /// The result has the dtype, the shape and the memory order of the file.
    ///
    /// Nothing but this array is read from the file.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("cuprum-doc-npz-get.npz");
    /// cuprum::savez(&path, [("weights", &cuprum::array([1.5, 2.5])?)])?;
    /// let file = cuprum::load_npz(&path, ())?;
    /// assert_eq!(file.get("weights")?.to_vec::<f64>()?, [1.5, 2.5]);
    /// assert!(file.get("bias").is_err());
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an unknown name, and for a damaged array.
    pub fn get(&self, name: &str) -> Result<Array> {
        self.read(name).map_err(|e| e.with_op("NpzFile::get"))
    }

    fn read(&self, name: &str) -> Result<Array> {
        let stem = name.strip_suffix(".npy").unwrap_or(name);
        let Some(position) = self.names.iter().position(|own| own == name || own == stem) else {
            let names = self.names.join(", ");
            let what = format!("{} has no array called {name:?}; there are {names}", self.path);
            return Err(Error::new(ErrorKind::Value, what));
        };
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let member = archive.by_index(position).map_err(|e| damaged(&self.path, e))?;
        let mut input = Input::new(format!("{}, {stem}.npy", self.path), member);
        let array = from_stream(&mut input, self.options.max_header_size)?;
        // The checksum is verified at the end of the member.
        input.exhaust()?;
        Ok(array)
    }

    /// Iterates over the arrays with their names, reading each on request.
    ///
    /// Each item is an error where the array cannot be read: see [`NpzFile::get`].
    ///
    /// ```
    /// let path = std::env::temp_dir().join("cuprum-doc-npz-iter.npz");
    /// cuprum::savez(&path, [("a", &cuprum::array([1])?), ("b", &cuprum::array([2])?)])?;
    /// for item in cuprum::load_npz(&path, ())?.iter() {
    ///     let (name, array) = item?;
    ///     assert_eq!((name.len(), array.shape()), (1, &[1][..]));
    /// }
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Result<(&str, Array)>> {
        self.names.iter().map(|name| Ok((name.as_str(), self.get(name)?)))
    }
}

fn damaged(name: &str, e: ZipError) -> Error {
    match e {
        ZipError::Io(e) => failed(name, "read", &e),
        other => bad(name, 0, format!("it is no archive that can be read: {other}")),
    }
}
