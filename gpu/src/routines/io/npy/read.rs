//! Reading of npy files: `load`.
//!
//! The header is read first; the elements go to the device without a copy of the whole file on the host. Arrays in
//! Fortran order keep it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::super::files::{Input, bad, failed};
use super::header::Header;
use crate::array::{Array, IntoArgument};
use crate::cuda::Device;
use crate::driver::mapped::Mapped;
use crate::driver::positioned::read_exact_at;
use crate::engine::{launch, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, Slice};
use crate::layout::size_of;

/// Memory mapping of a file that is loaded; NumPy's `mmap_mode`. The array is on the device: in any mode, nothing that
/// is written to it goes back to the file. If the file is truncated while it is read, the process is terminated, as
/// with any mapped file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MmapMode {
    /// `r`
    Read,
    /// `r+`
    ReadWrite,
    /// `c`
    CopyOnWrite,
}

/// Options of [`load`].
///
/// By default a file is read, and headers of more than 10,000 bytes are rejected, as in NumPy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadOptions {
    /// The mode of memory mapping in place of reading, which is faster if the pages of the file are cached.
    pub mmap_mode: Option<MmapMode>,
    /// The maximum length of a header, in bytes. By default 10,000.
    pub max_header_size: usize,
}

impl Default for LoadOptions {
    fn default() -> Self {
        LoadOptions { mmap_mode: None, max_header_size: 10_000 }
    }
}

impl LoadOptions {
    /// Creates the defaults.
    ///
    /// ```
    /// use cuprum::LoadOptions;
    /// assert_eq!(LoadOptions::new().max_header_size(64).max_header_size, 64);
    /// ```
    pub fn new() -> LoadOptions {
        LoadOptions::default()
    }

    /// Sets the mode of memory mapping.
    pub fn mmap_mode(self, mode: impl Into<Option<MmapMode>>) -> LoadOptions {
        LoadOptions { mmap_mode: mode.into(), ..self }
    }

    /// Sets the maximum length of a header, in bytes.
    ///
    /// The limit protects from files that were written to occupy a parser.
    ///
    /// ```
    /// let bytes = cuprum::array([1, 2])?.dumps()?;
    /// assert!(cuprum::load_from(&bytes[..], cuprum::LoadOptions::new().max_header_size(8)).is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn max_header_size(self, bytes: usize) -> LoadOptions {
        LoadOptions { max_header_size: bytes, ..self }
    }
}

impl From<()> for LoadOptions {
    fn from((): ()) -> LoadOptions {
        LoadOptions::default()
    }
}

impl From<MmapMode> for LoadOptions {
    fn from(mode: MmapMode) -> LoadOptions {
        LoadOptions::new().mmap_mode(mode)
    }
}

/// Loads an array from an npy file; NumPy's `load`. All versions, both memory orders and both byte orders are
/// supported; two bytes without a type (`V2`) are bfloat16. [`load_npz`](crate::load_npz) opens an archive.
///
/// The bytes are copied from the file to the device through pinned memory, by several threads: the host never holds a
/// copy of the whole file.
///
/// The result has the shape, the dtype and the memory order of the file.
///
/// ```
/// use cuprum::{arange, load, save};
/// let path = std::env::temp_dir().join("cuprum-doc-load.npy");
/// save(&path, arange(0, 6, 1)?.reshape([2, 3])?)?;
/// let a = load(&path, ())?;
/// assert_eq!((a.shape(), a.to_vec::<i64>()?), (&[2, 3][..], vec![0, 1, 2, 3, 4, 5]));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`] where the file cannot be read, [`ErrorKind::Value`] where it is not an npy file, is damaged or
/// contains an unsupported array: the message gives the file, the byte and the reason. Pickles are rejected.
pub fn load(file: impl AsRef<Path>, options: impl IntoArgument<LoadOptions>) -> Result<Array> {
    load_file(file.as_ref(), &options.into()).map_err(|e| e.with_op("load"))
}

/// Loads an array from a stream in npy format; NumPy's `load` of an open file. Nothing after the array is read.
///
/// Device memory is allocated as bytes arrive, at most twice their number.
///
/// The result has the shape, the dtype and the memory order of the data.
///
/// ```
/// use cuprum::{array, load_from, save_to};
/// let mut bytes = vec![];
/// save_to(&mut bytes, array([1.5, 2.5])?)?;
/// assert_eq!(load_from(&bytes[..], ())?.to_vec::<f64>()?, [1.5, 2.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`load`].
#[unrecorded("reads a stream: compared with NumPy's in `gpu/tests/io.json`")]
pub fn load_from(reader: impl Read, options: impl IntoArgument<LoadOptions>) -> Result<Array> {
    let options = options.into();
    from_stream(&mut Input::new("the stream", reader), options.max_header_size).map_err(|e| e.with_op("load_from"))
}

fn load_file(path: &Path, options: &LoadOptions) -> Result<Array> {
    let name = path.display().to_string();
    let unread = |e| failed(&name, "read", &e);
    let file = File::open(path).map_err(unread)?;
    let about = file.metadata().map_err(unread)?;
    let mut input = Input::new(&*name, &file);
    if !about.is_file() {
        return from_stream(&mut input, options.max_header_size);
    }
    let header = Header::read(&mut input, options.max_header_size)?;
    let start = input.at;
    let needed = size_of(&header.shape) * header.dtype.size();
    check_there(&name, about.len(), start, needed)?;
    let out = make::empty(Device::current()?, &header.axes(), header.dtype)?;
    match options.mmap_mode {
        None => launch::upload_from(&out, &|at, part| {
            read_exact_at(&file, part, start + at as u64).map_err(unread)?;
            header.put_right(part);
            Ok(())
        })?,
        Some(_) => {
            let mapped = Mapped::of(&file, start as usize + needed).map_err(|e| failed(&name, "mapped", &e))?;
            launch::upload_from(&out, &|at, part| {
                mapped.read(start as usize + at, part);
                header.put_right(part);
                Ok(())
            })?;
        }
    }
    arranged(&out, &header)
}

/// Checks that a file has the bytes that its header claims, before anything is allocated.
fn check_there(name: &str, length: u64, start: u64, needed: usize) -> Result<()> {
    let there = length.saturating_sub(start);
    if there >= needed as u64 {
        return Ok(());
    }
    Err(bad(name, length, format!("the file ends after {there} of the {needed} bytes of its elements")))
}

/// Reads an array from a stream.
pub(in super::super) fn from_stream<R: Read>(input: &mut Input<R>, max_header_size: usize) -> Result<Array> {
    let header = Header::read(input, max_header_size)?;
    let bytes = streamed(input, size_of(&header.shape) * header.dtype.size(), |part| header.put_right(part))?;
    arranged(&bytes.view(header.dtype)?.reshape(&header.axes()[..])?, &header)
}

/// Returns the elements in the memory order of the file.
fn arranged(out: &Array, header: &Header) -> Result<Array> {
    if header.fortran { out.transpose(()) } else { Ok(out.clone()) }
}

/// The size in bytes of the parts in which a stream is read.
const PART: usize = 2 << 20;
/// The initial allocation of device memory in bytes; it is doubled as bytes arrive.
const FIRST: usize = 16 << 20;

/// Reads `needed` bytes of a stream to the device.
pub(in super::super) fn streamed<R: Read>(
    input: &mut Input<R>,
    needed: usize,
    put_right: impl Fn(&mut [u8]),
) -> Result<Array> {
    let device = Device::current()?;
    let mut out = make::empty(device, &[needed.min(FIRST)], DType::U8)?;
    let (mut at, mut part) = (0, Vec::new());
    while at < needed {
        input.up_to(PART.min(needed - at), &mut part)?;
        if part.len() < PART.min(needed - at) {
            let there = at + part.len();
            return Err(input.bad(format!("the file ends after {there} of the {needed} bytes of its elements")));
        }
        put_right(&mut part);
        if at + part.len() > out.size() {
            let larger = make::empty(device, &[needed.min(2 * out.size())], DType::U8)?;
            launch::copy_bytes(&range(&out, 0, at)?, &range(&larger, 0, at)?)?;
            out = larger;
        }
        launch::upload(&range(&out, at, part.len())?, &part)?;
        at += part.len();
    }
    Ok(out)
}

fn range(bytes: &Array, start: usize, n: usize) -> Result<Array> {
    let slice = Slice { start: Some(start as i64), stop: Some((start + n) as i64), step: None };
    bytes.index([Index::Slice(slice)])
}

/// Parses NumPy's name of a mode.
impl std::str::FromStr for MmapMode {
    type Err = Error;

    fn from_str(name: &str) -> Result<MmapMode> {
        match name {
            "r" => Ok(MmapMode::Read),
            "r+" => Ok(MmapMode::ReadWrite),
            "c" => Ok(MmapMode::CopyOnWrite),
            _ => Err(Error::new(ErrorKind::Value, format!("{name:?} is no mode of mapping a file; they are r, r+, c"))),
        }
    }
}
