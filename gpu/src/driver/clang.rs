//! clang: compilation of translated kernels to code objects of AMD GPUs, ahead of time. Compiled, never run.
//!
//! It takes no ROCm: the header of the translation declares what HIP's headers would, and of ROCm's device libraries,
//! which distributions package, the mathematical functions are linked.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cuprum_kernels::hip::translate;

use super::nvrtc::Image;
use super::program::{self, Task};
use super::search_paths;
use crate::error::{Error, ErrorKind, Result};

/// Versions of LLVM that distributions name programs by, the newest first. Older ones do not know gfx942.
const VERSIONS: std::ops::Range<u32> = 18..31;

/// Bitcode of the device libraries, besides the constants of an architecture: the mathematical functions, and their modes,
/// with denormal numbers, infinities and NaN, exact square roots and wavefronts of 64 lanes.
const LIBRARIES: [&str; 7] = [
    "ocml",
    "ockl",
    "oclc_daz_opt_off",
    "oclc_unsafe_math_off",
    "oclc_finite_only_off",
    "oclc_correctly_rounded_sqrt_on",
    "oclc_wavefrontsize64_on",
];

/// The compiler and the device libraries.
#[derive(Debug)]
pub(super) struct Clang {
    /// The program.
    program: PathBuf,
    /// Folder of the bitcode.
    libraries: PathBuf,
}

/// Returns true if a target is an AMD GPU: `gfx90a`.
pub(super) fn is_target(target: &str) -> bool {
    target.starts_with("gfx")
}

/// Returns true if `CUPRUM_CLANG` names hipRTC in place of a program.
pub(super) fn is_hiprtc() -> bool {
    std::env::var_os("CUPRUM_CLANG").is_some_and(|name| name == "hiprtc")
}

/// Returns clang: the program in `CUPRUM_CLANG`, otherwise ROCm's or that of the path.
///
/// # Errors
///
/// [`ErrorKind::Library`], with the command that installs it.
pub(super) fn clang() -> Result<&'static Clang> {
    static CLANG: OnceLock<Result<Clang>> = OnceLock::new();
    CLANG.get_or_init(find).as_ref().map_err(Clone::clone)
}

fn find() -> Result<Clang> {
    let missing = |what: String, package: &str| {
        let message =
            format!("{what}, which kernels for AMD GPUs need, is missing. On Debian: apt-get install {package}");
        Error::new(ErrorKind::Library, message)
    };
    let rocm: Vec<PathBuf> =
        std::env::var_os("ROCM_PATH").map(PathBuf::from).into_iter().chain(["/opt/rocm".into()]).collect();
    let folders: Vec<PathBuf> =
        rocm.iter().map(|root| root.join("llvm/bin")).chain(search_paths::program_folders()).collect();
    let named = std::env::var("CUPRUM_CLANG").ok().filter(|name| !name.is_empty());
    let program = match &named {
        Some(name) => program::find(name, &folders),
        None => {
            let versions = VERSIONS.rev().map(|version| format!("clang++-{version}"));
            ["amdclang++".into()].into_iter().chain(versions).find_map(|name| program::find(&name, &folders))
        }
    };
    let program =
        program.ok_or_else(|| missing(named.unwrap_or_else(|| "clang 18 or later".into()), "clang-19 lld-19"))?;
    let system = ["x86_64", "aarch64"].map(|arch| PathBuf::from(format!("/usr/lib/{arch}-linux-gnu")));
    let mut roots = rocm.into_iter().chain(system).map(|root| root.join("amdgcn/bitcode"));
    let libraries = roots.find(|folder| folder.join("ocml.bc").is_file());
    let libraries = libraries.ok_or_else(|| missing("ROCm's device library ocml.bc".into(), "rocm-device-libs"))?;
    Ok(Clang { program, libraries })
}

impl Clang {
    /// Compiles a source of the library's kernels for an architecture.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Compile`], with clang's output and the numbered source, or with inline PTX that has no counterpart.
    pub(super) fn compile(&self, source: &str, name: &str, target: &str) -> Result<Image> {
        let untranslated = |e: String| Error::new(ErrorKind::Compile, format!("kernel {name}, for {target}: {e}"));
        let source = translate(source).map_err(untranslated)?;
        let mut arguments: Vec<String> = [
            "-x",
            "hip",
            "--offload-device-only",
            "--no-gpu-bundle-output",
            &format!("--offload-arch={target}"),
            "-nogpuinc",
            "-nogpulib",
            "-std=c++17",
            "-O2",
            "-ffp-contract=off",
            "-mcode-object-version=4",
        ]
        .map(String::from)
        .into();
        for library in
            LIBRARIES.map(|name| self.libraries.join(format!("{name}.bc"))).iter().chain(&[self.constants(target)?])
        {
            arguments.extend(["-Xclang", "-mlink-builtin-bitcode", "-Xclang"].map(String::from));
            arguments.push(library.display().to_string());
        }
        arguments.push("-c".into());
        let command = [self.program.display().to_string()];
        let name = name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        program::compile(&command, &arguments, Task { name: &name, extension: "hip", source: &source, target })
    }

    /// Returns the bitcode with the constants of an architecture, or of the nearest earlier one of its generation.
    fn constants(&self, target: &str) -> Result<PathBuf> {
        let found = nearest(target, |isa| self.libraries.join(format!("oclc_isa_version_{isa}.bc")).is_file());
        let file = found.map(|isa| self.libraries.join(format!("oclc_isa_version_{isa}.bc")));
        let folder: &Path = &self.libraries;
        file.ok_or_else(|| {
            Error::new(ErrorKind::Compile, format!("the device libraries in {} do not know {target}", folder.display()))
        })
    }
}

/// Returns the number of an architecture, or of the last one before it with the same first digits that is there.
fn nearest(target: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
    let isa = target.strip_prefix("gfx")?;
    let (generation, step) = isa.split_at_checked(isa.len().checked_sub(1)?)?;
    let step = step.chars().next()?.to_digit(16)?;
    (0..=step).rev().map(|step| format!("{generation}{step:x}")).find(|isa| is_there(isa))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_architecture_that_the_libraries_know_is_chosen() {
        let known = ["906", "908", "90a", "940", "1030"];
        let nearest = |target| nearest(target, |isa| known.contains(&isa));
        assert_eq!(nearest("gfx90a").as_deref(), Some("90a"));
        assert_eq!(nearest("gfx942").as_deref(), Some("940"));
        assert_eq!(nearest("gfx1030").as_deref(), Some("1030"));
        assert_eq!(nearest("gfx1100"), None);
        assert_eq!(nearest("gfx"), None);
        assert!(is_target("gfx90a") && !is_target("sm_90"));
    }
}
