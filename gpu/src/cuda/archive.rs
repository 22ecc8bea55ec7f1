//! Ahead-of-time compilation of kernels, for machines without NVRTC and for a first call without a compile.
//!
//! A program runs once with `CUPRUM_KERNEL_LIST` naming a file, which lists the kernels that it needed;
//! [`build_kernels`] compiles the list for the targets into one file; programs load that with [`load_kernels`] or by
//! `CUPRUM_KERNELS`.

use std::fs;
use std::path::Path;

use super::device::OPTIONS;
use crate::driver::archive;
use crate::driver::nvrtc::nvrtc;
use crate::error::{Error, ErrorKind, Result};

/// Loads an archive of compiled kernels, which are then not compiled at run time. `CUPRUM_KERNELS` names archives that
/// are loaded when the first kernel is needed.
///
/// An archive matches only the version of the library that it was built with; kernels that it lacks are compiled as
/// usual.
///
/// A kernel that is in no archive is compiled as usual. Several archives may be loaded; the first one that has a kernel
/// provides it.
///
/// ```no_run
/// cuprum::cuda::load_kernels("kernels.bin")?;
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`] if the file cannot be read, or is not a complete archive.
pub fn load_kernels(path: impl AsRef<Path>) -> Result<()> {
    archive::load(path.as_ref()).map_err(|e| e.with_op("load_kernels"))
}

/// Loads an archive as [`load_kernels`] does, from memory that is part of the program: `include_bytes!("kernels.bin")`.
///
/// # Errors
///
/// [`ErrorKind::Io`] if it is not a complete archive.
pub fn load_kernels_from(bytes: &'static [u8]) -> Result<()> {
    archive::load_bytes(bytes).map_err(|e| e.with_op("load_kernels_from"))
}

/// Adds a folder of archives with one for each architecture, named by it: `sm_90.bin`. The one for a device is loaded
/// when the device first needs a kernel: that of its own architecture, or of the nearest earlier minor version of the same
/// major version, whose code runs on it. A folder without one changes nothing.
///
/// ```no_run
/// cuprum::cuda::add_kernel_folder("/usr/share/my-program/kernels");
/// ```
///
/// Nothing is read before. A damaged archive is an error of the first call that needs a kernel.
pub fn add_kernel_folder(path: impl AsRef<Path>) {
    archive::add_folder(path.as_ref());
}

/// Compiles every kernel of a list for every target into one archive, and returns its size in bytes. It needs NVRTC,
/// but no GPU.
///
/// A list is written by a program that runs, on any device, with `CUPRUM_KERNEL_LIST` naming a file. Targets are
/// architectures, such as `sm_90` for an H100 or H200, and `compute_80` for the simulator. The program `cuprum kernels`
/// does the same from a shell. For AMD GPUs, such as `gfx90a`, the sources are translated to HIP and compiled by clang;
/// no device loads that code yet.
///
/// ```no_run
/// let bytes = cuprum::cuda::build_kernels("kernels.list", &["sm_80", "sm_90"], "kernels.bin")?;
/// println!("{bytes} bytes");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`] for files that cannot be read or written, [`ErrorKind::Value`] for an invalid list,
/// [`ErrorKind::Library`] if there is no NVRTC, or no clang for an AMD GPU, [`ErrorKind::Compile`] for a target that it
/// does not know.
pub fn build_kernels(list: impl AsRef<Path>, targets: &[&str], archive: impl AsRef<Path>) -> Result<usize> {
    let io = |path: &Path, e: std::io::Error| Error::new(ErrorKind::Io, format!("{}: {e}", path.display()));
    let go = || {
        let list = fs::read_to_string(list.as_ref()).map_err(|e| io(list.as_ref(), e))?;
        let bytes = archive::build(&list, targets)?;
        fs::write(archive.as_ref(), &bytes).map_err(|e| io(archive.as_ref(), e))?;
        Ok(bytes.len())
    };
    go().map_err(|e: Error| e.with_op("build_kernels"))
}

/// Compiles CUDA C++ source to PTX, for `compute_80` and with the options of the library's own kernels: the code that
/// the simulator runs, for inspection. It needs NVRTC, but no GPU.
///
/// ```no_run
/// let text = cuprum::cuda::ptx("extern \"C\" __global__ void nothing() {}")?;
/// assert!(text.contains(".entry nothing"));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Compile`] with the compiler's log; [`ErrorKind::Library`] if there is no NVRTC.
pub fn ptx(text: &str) -> Result<String> {
    let options = OPTIONS.map(String::from);
    let image = nvrtc().and_then(|nvrtc| nvrtc.compile(text, "ptx", "compute_80", &options, &[]));
    Ok(String::from_utf8_lossy(&image.map_err(|e| e.with_op("ptx"))?.code).into_owned())
}
