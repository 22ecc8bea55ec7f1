//! Writing of npy files: `save`.
//!
//! An array in Fortran order is written in that order, any other one in C order, as NumPy does.

use cuprum_macros::unrecorded;

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::super::files::{failed, with_extension};
use super::header::Header;
use crate::array::{Array, AsArray};
use crate::driver::positioned::write_all_at;
use crate::engine::launch;
use crate::error::Result;
use crate::layout::Order;

/// The size in bytes of the parts in which a stream is written.
const PART: usize = 2 << 20;

/// Saves an array to an npy file; NumPy's `save`. `.npy` is appended to a name that does not end with it. The file is
/// byte for byte the one that NumPy writes. bfloat16 is `V2`, as NumPy writes it with the package ml_dtypes; NumPy
/// reads it with `numpy.load(file).view(ml_dtypes.bfloat16)`.
///
/// ```
/// use cuprum::{array, load, save};
/// let path = std::env::temp_dir().join("cuprum-doc-save.npy");
/// save(&path, array([[1.5f32], [2.5]])?)?;
/// assert_eq!(load(&path, ())?.shape(), [2, 1]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`](crate::ErrorKind::Io) where the file cannot be written.
///
/// # Synchronization
///
/// Synchronises with the current stream.
pub fn save(file: impl AsRef<Path>, arr: impl AsArray) -> Result<()> {
    save_file(&with_extension(file.as_ref(), ".npy"), arr.as_array()).map_err(|e| e.with_op("save"))
}

/// Saves an array to a stream in npy format, see [`save`]; NumPy's `save` to an open file, and `dumps` of an array.
///
/// ```
/// use cuprum::{array, save_to};
/// let mut bytes = vec![];
/// save_to(&mut bytes, array([1u8, 2])?)?;
/// assert_eq!((bytes.len(), &bytes[1..6]), (130, &b"NUMPY"[..]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`](crate::ErrorKind::Io) where the stream returns an error.
///
/// # Synchronization
///
/// Synchronises with the current stream.
#[unrecorded("writes a stream: equal to NumPy's to the byte in `gpu/tests/io.json`")]
pub fn save_to(mut writer: impl Write, arr: impl AsArray) -> Result<()> {
    to_stream(&mut writer, "the stream", arr.as_array()).map_err(|e| e.with_op("save_to"))
}

/// Returns the header, and the array whose elements in C order follow it.
fn parts(a: &Array) -> Result<(Vec<u8>, Array)> {
    let fortran = a.is_f_contiguous() && !a.is_c_contiguous();
    let header = Header { dtype: a.dtype(), swapped: false, fortran, shape: a.shape().into() };
    let dense = match (fortran, a.is_c_contiguous()) {
        (true, _) => a.t(),
        (_, true) => a.clone(),
        _ => a.copy(Order::C)?,
    };
    Ok((header.bytes()?, dense))
}

/// Writes a file of this name.
pub(in super::super) fn save_file(path: &Path, a: &Array) -> Result<()> {
    let unwritten = |e| failed(path.display(), "written", &e);
    let (header, dense) = parts(a)?;
    let file = File::create(path).map_err(unwritten)?;
    if !file.metadata().map_err(unwritten)?.is_file() {
        // A pipe accepts bytes in order only.
        return to_stream(&mut &file, &path.display().to_string(), a);
    }
    write_all_at(&file, &header, 0).map_err(unwritten)?;
    launch::download_to(&dense, &|at, part| write_all_at(&file, part, (header.len() + at) as u64).map_err(unwritten))
}

/// Writes the file to a stream.
pub(in super::super) fn to_stream(writer: &mut dyn Write, name: &str, a: &Array) -> Result<()> {
    let unwritten = |e| failed(name, "written", &e);
    let (header, dense) = parts(a)?;
    writer.write_all(&header).map_err(unwritten)?;
    elements_to(writer, name, &dense)?;
    writer.flush().map_err(unwritten)
}

/// Writes the bytes of an array in C order.
pub(in super::super) fn elements_to(writer: &mut dyn Write, name: &str, dense: &Array) -> Result<()> {
    let (bytes, start) = (dense.nbytes(), dense.layout().offset);
    let mut part = vec![0; bytes.min(PART)];
    for at in (0..bytes).step_by(PART) {
        let part = &mut part[..PART.min(bytes - at)];
        launch::download(part, dense, start + at)?;
        writer.write_all(part).map_err(|e| failed(name, "written", &e))?;
    }
    Ok(())
}
