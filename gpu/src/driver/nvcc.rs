//! nvcc: discovery of the program, and compilation of users' sources by it.
//!
//! Sources that need the toolkit's headers as nvcc preprocesses them are compiled by it, in a process of its own. The
//! library's kernels are compiled by NVRTC.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::nvrtc::Image;
use super::program::{self, Task};
use super::search_paths;
use crate::error::{Error, ErrorKind, Result};

/// The program, with words that precede its arguments.
#[derive(Debug)]
pub(crate) struct Nvcc {
    /// The program and its first arguments: `ccache nvcc`.
    command: Vec<String>,
    /// Command, path, size and modification time, for cache keys.
    identity: String,
}

/// Returns nvcc: the command in `NVCC`, otherwise that of a CUDA toolkit, of the path or of a Python package.
///
/// # Errors
///
/// [`ErrorKind::Library`], with all search paths and the command that installs it.
pub(crate) fn nvcc() -> Result<&'static Nvcc> {
    static NVCC: OnceLock<Result<Nvcc>> = OnceLock::new();
    let named = || std::env::var("NVCC").unwrap_or_default();
    NVCC.get_or_init(|| Nvcc::find(&named(), &search_paths::program_folders())).as_ref().map_err(Clone::clone)
}

impl Nvcc {
    fn find(named: &str, folders: &[PathBuf]) -> Result<Nvcc> {
        let mut command: Vec<String> = named.split_whitespace().map(String::from).collect();
        // Of `ccache nvcc` the compiler is the last word.
        let program = command.pop().unwrap_or_else(|| "nvcc".into());
        let file = program::find(&program, folders).ok_or_else(|| missing(&program, folders))?;
        let identity = format!("{named} {}", search_paths::identity(&file));
        command.push(file.display().to_string());
        Ok(Nvcc { command, identity })
    }

    /// Returns the program, after the words that precede it.
    pub(crate) fn command(&self) -> String {
        self.command.join(" ")
    }

    /// Returns what identifies the compiler in cache keys.
    pub(crate) fn identity(&self) -> &str {
        &self.identity
    }

    /// Compiles a source for a target: `sm_90` to CUBIN, `compute_80` to PTX.
    ///
    /// # Errors
    ///
    /// Those of [`program::compile`].
    pub(crate) fn compile(&self, source: &str, name: &str, target: &str, options: &[String]) -> Result<Image> {
        let kind = if target.starts_with("sm_") { "--cubin" } else { "--ptx" };
        let mut arguments = [kind, "--gpu-architecture", target].map(String::from).to_vec();
        arguments.extend_from_slice(options);
        program::compile(&self.command, &arguments, Task { name, extension: "cu", source, target })
    }
}

fn missing(program: &str, folders: &[PathBuf]) -> Error {
    let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let message = format!(
        "{program}, which compiles with the backend nvcc, is missing. The backend nvrtc needs none. Install the CUDA toolkit, \
         or name the program with NVCC. Looked for it in {}",
        folders.join(", ")
    );
    Error::new(ErrorKind::Library, message)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Writes a program in place of nvcc.
    fn program(name: &str, script: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cuprum-fake-nvcc-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("nvcc");
        fs::write(&file, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    #[test]
    fn the_target_and_the_options_are_passed_and_the_output_is_read() {
        let folder =
            program("passed", "echo warning >&2\nfor last; do :; done\necho \"$1 $2 $3 $4 $5 $(cat $last)\" > \"$6\"");
        let nvcc = Nvcc::find("", &[folder.clone()]).unwrap();
        let image = nvcc.compile("the source", "raw", "sm_90", &["-DX=1".into()]).unwrap();
        assert_eq!(image.code, b"--cubin --gpu-architecture sm_90 -DX=1 -o the source\n");
        assert_eq!(image.log, "warning");
        // A word before it, as a compiler cache is named.
        let named = Nvcc::find("env nvcc", &[folder.clone()]).unwrap();
        assert!(named.compile("s", "raw", "compute_80", &["-O3".into()]).unwrap().code.starts_with(b"--ptx"));
        assert_ne!(named.identity(), nvcc.identity());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_source_that_fails_is_an_error_with_the_output_and_the_numbered_source() {
        let folder = program("fails", "echo 'raw.cu(1): error: wrong'\nexit 2");
        let e = Nvcc::find("", &[folder.clone()]).unwrap().compile("a b c", "raw", "sm_90", &[]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Compile);
        assert!(e.message().contains("error: wrong\nThe source:\n    1 | a b c"), "{e}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_missing_program_is_an_error_with_a_cure() {
        let e = Nvcc::find("", &["/nowhere".into()]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Library);
        for part in ["nvcc", "/nowhere", "NVCC", "backend nvrtc"] {
            assert!(e.message().contains(part), "{e}");
        }
        assert!(Nvcc::find("/nowhere/nvcc", &[]).unwrap_err().message().starts_with("/nowhere/nvcc, which"));
    }
}
