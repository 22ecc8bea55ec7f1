//! Search paths of CUDA's libraries: decided from the file system, so that no library is opened before it is needed.
//!
//! Folders are searched group by group: the file or folder that the variable of the library names, Python packages, an
//! installed CUDA toolkit, and the loader's paths; a library must not be newer than the driver.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::folders;
use super::host::{Host, Machine};
use super::nvrtc::Version;
use crate::error::{Error, ErrorKind, Result};

/// A library to be found.
#[derive(Debug)]
pub(crate) struct SearchSpec {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// Its purpose, in messages.
    pub(crate) purpose: &'static str,
    /// The names of the file on Linux, in order of preference: of a library that belongs to a CUDA version, that of CUDA 13,
    /// that of CUDA 12, and the one without a version.
    pub(crate) files: [&'static str; 3],
    /// True if the library belongs to a CUDA version, and not to a series of its own.
    pub(crate) of_cuda: bool,
    /// The environment variable that names the file or its folder; if it is set nothing else is searched.
    pub(crate) variable: Option<&'static str>,
    /// Its PyPI package for CUDA 13.
    pub(crate) package: &'static str,
    /// The folder under `nvidia/` in which the packages for CUDA 12 have it.
    wheel: &'static str,
}

/// The version of NVRTC that `cuprum setup` fetches, and for which the simulator's results are specified.
pub(crate) const PINNED: &str = "13.0.88";

/// The runtime compiler.
pub(crate) static NVRTC: SearchSpec = SearchSpec {
    name: "NVRTC",
    purpose: "which compiles kernels",
    files: ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"],
    of_cuda: true,
    variable: Some("CUPRUM_NVRTC"),
    package: "nvidia-cuda-nvrtc",
    wheel: "cuda_nvrtc",
};

/// The compiler of CUDA toolkits, a program; of the specification only the package is used.
static NVCC: SearchSpec = SearchSpec {
    name: "nvcc",
    purpose: "which compiles with the backend nvcc",
    files: ["nvcc", "nvcc", "nvcc"],
    of_cuda: true,
    variable: None,
    package: "nvidia-cuda-nvcc",
    wheel: "cuda_nvcc",
};

/// Matrix products.
pub(crate) static CUBLAS: SearchSpec = SearchSpec {
    name: "cuBLAS",
    purpose: "which multiplies matrices on GPUs",
    files: ["libcublas.so.13", "libcublas.so.12", "libcublas.so"],
    of_cuda: true,
    variable: None,
    package: "nvidia-cublas",
    wheel: "cublas",
};

/// Matrix decompositions.
pub(crate) static CUSOLVER: SearchSpec = SearchSpec {
    name: "cuSOLVER",
    purpose: "which decomposes matrices on GPUs",
    files: ["libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"],
    of_cuda: true,
    variable: None,
    package: "nvidia-cusolver",
    wheel: "cusolver",
};

/// Fourier transforms.
pub(crate) static CUFFT: SearchSpec = SearchSpec {
    name: "cuFFT",
    purpose: "which transforms on GPUs",
    files: ["libcufft.so.12", "libcufft.so.11", "libcufft.so"],
    of_cuda: true,
    variable: None,
    package: "nvidia-cufft",
    wheel: "cufft",
};

/// Collective operations.
pub(crate) static NCCL: SearchSpec = SearchSpec {
    name: "NCCL",
    purpose: "which combines and exchanges arrays of several GPUs",
    files: ["libnccl.so.2", "libnccl.so.3", "libnccl.so"],
    of_cuda: false,
    variable: None,
    package: "nvidia-nccl-cu13",
    wheel: "nccl",
};

/// Factorisations of sparse matrices.
pub(crate) static CUDSS: SearchSpec = SearchSpec {
    name: "cuDSS",
    purpose: "which factors sparse matrices on GPUs",
    files: ["libcudss.so.1", "libcudss.so.0", "libcudss.so"],
    of_cuda: false,
    variable: None,
    package: "nvidia-cudss-cu13",
    wheel: "cudss",
};

/// The linker of device code.
pub(crate) static NVJITLINK: SearchSpec = SearchSpec {
    name: "nvJitLink",
    purpose: "which links device code",
    files: ["libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"],
    of_cuda: true,
    variable: None,
    package: "nvidia-nvjitlink",
    wheel: "nvjitlink",
};

/// The libraries that are loaded when they are first needed.
#[cfg(feature = "cuda")]
pub(super) static LIBRARIES: [&SearchSpec; 6] = [&CUBLAS, &CUSOLVER, &CUFFT, &NVJITLINK, &NCCL, &CUDSS];

/// The NVRTC in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChosenLibrary {
    /// Path of the library.
    pub(super) file: PathBuf,
    /// Its identity without opening it: path, size and modification time.
    pub(super) identity: String,
}

static DRIVER: OnceLock<Version> = OnceLock::new();

/// Sets the CUDA version of the driver. Libraries that are chosen afterwards are ones that this driver can load.
pub(crate) fn driver_is(version: Version) {
    // There is one driver in a process.
    let _ = DRIVER.set(version);
}

/// Returns the driver's version, if there is a driver.
pub(super) fn driver() -> Option<Version> {
    DRIVER.get().copied()
}

/// Returns the NVRTC in use, decided once with a driver and once without.
pub(super) fn nvrtc(driver: Option<Version>) -> Result<&'static ChosenLibrary> {
    static CHOSEN: [OnceLock<Result<ChosenLibrary>>; 2] = [OnceLock::new(), OnceLock::new()];
    let choice = CHOSEN[usize::from(driver.is_some())].get_or_init(|| {
        let file = find(&NVRTC, driver)?;
        Ok(ChosenLibrary { identity: identity(&file), file })
    });
    choice.as_ref().map_err(Clone::clone)
}

/// Returns the file of a library: the first that is no newer than the driver.
///
/// # Errors
///
/// [`ErrorKind::Library`], with all search paths and the command that installs it.
pub(super) fn find(spec: &SearchSpec, driver: Option<Version>) -> Result<PathBuf> {
    find_on(&Machine, spec, driver)
}

/// Returns the file of a library on a machine, as [`find`] does on this one.
pub(crate) fn find_on(host: &dyn Host, spec: &SearchSpec, driver: Option<Version>) -> Result<PathBuf> {
    choose(host, spec, search_paths(host, spec), driver)
}

/// Returns every file of a library on a machine, in the order of the search.
pub(crate) fn candidates(host: &dyn Host, spec: &SearchSpec) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for file in search_paths(host, spec).flat_map(|path| files(host, spec, &path)) {
        if !found.contains(&file) {
            found.push(file);
        }
    }
    found
}

/// Function that returns the paths of one group on which a library is searched.
type Group = fn(&dyn Host, &SearchSpec) -> Vec<PathBuf>;

/// Returns the paths on which a library is searched.
fn search_paths<'a>(host: &'a dyn Host, spec: &'a SearchSpec) -> Box<dyn Iterator<Item = PathBuf> + 'a> {
    if let Some(path) = spec.variable.and_then(|name| variable(host, name)) {
        return Box::new(std::iter::once(path));
    }
    // One group after the other: if the first has it, no other is searched.
    let groups: [Group; 4] = [loader_paths, toolkit_paths, python_paths, user_paths];
    Box::new(groups.into_iter().flat_map(move |paths| paths(host, spec)))
}

/// Returns the folder or file that an environment variable names.
pub(crate) fn variable(host: &dyn Host, name: &str) -> Option<PathBuf> {
    host.variable(name).map(PathBuf::from)
}

/// Folder of a Python package that its libraries are in.
pub(super) const LIBRARY_FOLDER: &str = if cfg!(windows) { "bin" } else { "lib" };

/// Returns the name of a library's file on this system from that on Linux: `libcublas.so.13`.
pub(super) fn file_name(name: &str) -> Option<String> {
    if cfg!(windows) { dll(name) } else { Some(name.into()) }
}

/// Returns the name of a library's file on Windows, where it contains the version; `None` for a name without one.
fn dll(name: &str) -> Option<String> {
    let (stem, version) = name.strip_prefix("lib")?.split_once(".so.")?;
    Some(match stem {
        "nvrtc" => format!("nvrtc64_{version}0_0.dll"),
        "nvJitLink" => format!("nvJitLink_{version}0_0.dll"),
        _ => format!("{stem}64_{version}.dll"),
    })
}

/// Returns the loader's search paths: `LD_LIBRARY_PATH`, the cache of `ldconfig`, the system's folders; on Windows `PATH`.
pub(crate) fn loader_paths(host: &dyn Host, spec: &SearchSpec) -> Vec<PathBuf> {
    if cfg!(windows) {
        return variable(host, "PATH").iter().flat_map(std::env::split_paths).collect();
    }
    let mut paths: Vec<PathBuf> = variable(host, "LD_LIBRARY_PATH").iter().flat_map(std::env::split_paths).collect();
    let cache = host.read(Path::new("/etc/ld.so.cache"), u64::MAX).unwrap_or_default();
    paths.extend(spec.files.iter().flat_map(|name| cached(&cache, name)));
    paths.extend(["/lib64", "/usr/lib64", "/lib", "/usr/lib"].map(PathBuf::from));
    paths
}

/// Returns the folders of an installed CUDA toolkit.
fn toolkit_paths(host: &dyn Host, _: &SearchSpec) -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(|name| variable(host, name));
    let usual = ["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from);
    let folders = if cfg!(windows) { ["bin/x64", "bin"] } else { ["lib64", "lib"] };
    named.chain(usual).flat_map(|root| folders.map(|folder| root.join(folder))).collect()
}

/// Returns the folders of programs: those of CUDA toolkits, of `PATH` and of Python packages.
pub(super) fn program_folders() -> Vec<PathBuf> {
    let host = &Machine;
    let named =
        ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(|name| variable(host, name)).map(|root| root.join("bin"));
    let path = variable(host, "PATH");
    let on_path = path.iter().flat_map(std::env::split_paths);
    let usual = ["/usr/local/cuda/bin", "/opt/cuda/bin"].map(PathBuf::from);
    let packages = python_paths(host, &NVCC).into_iter().map(|libraries| libraries.with_file_name("bin"));
    named.chain(on_path).chain(usual).chain(packages).collect()
}

/// Returns the folders of Python packages: those of the interpreter in `CUPRUM_PYTHON`, of the active environment, of
/// conda, of the first Python on the path, of the user and of `PYTHONPATH`.
fn python_paths(host: &dyn Host, spec: &SearchSpec) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let interpreters = || {
        let path = variable(host, "PATH");
        let name = if cfg!(windows) { "python.exe" } else { "python3" };
        let on_path: Vec<PathBuf> = path.iter().flat_map(std::env::split_paths).map(|f| f.join(name)).collect();
        on_path.into_iter().find(|file| host.is_file(file))
    };
    // `/opt/env/bin/python` has its packages under `/opt/env`, and, if it is a link, under the prefix of its target.
    let prefixes = |python: PathBuf| {
        let real = host.real(&python).unwrap_or_default();
        [python, real].into_iter().filter_map(|p| Some(p.parent()?.parent()?.to_path_buf()))
    };
    let mut roots: Vec<PathBuf> = variable(host, "CUPRUM_PYTHON").into_iter().flat_map(prefixes).collect();
    roots.extend(variable(host, "VIRTUAL_ENV"));
    if let Some(conda) = variable(host, "CONDA_PREFIX") {
        // conda's own CUDA packages are in the same folder as its other libraries.
        paths.push(conda.join("lib"));
        roots.push(conda);
    }
    roots.extend(interpreters().into_iter().flat_map(prefixes));
    roots.extend(variable(host, "HOME").map(|home| home.join(".local")));
    if cfg!(windows) {
        // `python.exe` is in its prefix, or in the folder `Scripts` of an environment.
        let named = variable(host, "CUPRUM_PYTHON").into_iter().chain(interpreters());
        roots.extend(named.filter_map(|python| Some(python.parent()?.into())));
        paths.extend(roots.iter().flat_map(|root| wheel_layouts(spec, &root.join("Lib").join("site-packages"))));
    }
    for root in &roots {
        for library in [root.join("lib"), root.join("local/lib")] {
            for python in host.list(&library) {
                if python.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python")) {
                    for packages in ["site-packages", "dist-packages"] {
                        paths.extend(wheel_layouts(spec, &python.join(packages)));
                    }
                }
            }
        }
    }
    for root in variable(host, "PYTHONPATH").iter().flat_map(std::env::split_paths) {
        paths.extend(wheel_layouts(spec, &root));
    }
    let mut seen = std::collections::HashSet::new();
    paths.retain(|candidate| seen.insert(candidate.clone()));
    paths
}

/// Returns the folders that `cuprum setup` installs to.
fn user_paths(host: &dyn Host, spec: &SearchSpec) -> Vec<PathBuf> {
    folders::user_on(host).iter().flat_map(|root| wheel_layouts(spec, root)).collect()
}

/// Returns the folders of PyPI's packages, of CUDA 13 and of CUDA 12.
fn wheel_layouts(spec: &SearchSpec, root: &Path) -> [PathBuf; 2] {
    let root = root.join("nvidia");
    let newest = if cfg!(windows) { "cu13/bin/x86_64" } else { "cu13/lib" };
    [root.join(newest), root.join(spec.wheel).join(LIBRARY_FOLDER)]
}

/// Returns the files with a name in the loader's cache, in glibc's current format; none for another format.
fn cached(cache: &[u8], name: &str) -> Vec<PathBuf> {
    const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
    const HEADER: usize = 48;
    const ENTRY: usize = 24;
    // A cache in the old format may precede it.
    let Some(start) = cache.windows(MAGIC.len()).position(|w| w == MAGIC) else { return vec![] };
    let cache = &cache[start..];
    let number = |at: usize| {
        let bytes = cache.get(at..at + 4)?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?) as usize)
    };
    let text = |at: usize| {
        let rest = cache.get(at..)?;
        std::str::from_utf8(&rest[..rest.iter().position(|&b| b == 0)?]).ok()
    };
    let count = number(MAGIC.len()).unwrap_or(0).min(cache.len() / ENTRY);
    (0..count)
        .map(|i| HEADER + i * ENTRY)
        .filter(|at| number(at + 4).and_then(text) == Some(name))
        .filter_map(|at| number(at + 8).and_then(text).map(PathBuf::from))
        .collect()
}

/// Returns the files of a library at a path.
fn files(host: &dyn Host, spec: &SearchSpec, candidate: &Path) -> Vec<PathBuf> {
    if host.is_file(candidate) {
        return vec![candidate.into()];
    }
    let names = spec.files.iter().filter_map(|name| file_name(name));
    names.map(|name| candidate.join(name)).filter(|f| host.is_file(f)).collect()
}

/// Returns the major version of a library from its name: `libnvrtc.so.12`, or from the name of the file that a link leads
/// to. On Windows it is in the name: `nvrtc64_120_0.dll`, `cublas64_12.dll`.
fn major(host: &dyn Host, file: &Path) -> Option<i32> {
    let of = |path: &Path| -> Option<i32> {
        let name = path.file_name()?.to_str()?;
        if let Some(name) = name.strip_suffix(".dll") {
            let version: i32 = name.split('_').nth(1)?.parse().ok()?;
            return Some(if version >= 100 { version / 10 } else { version });
        }
        name.split_once(".so.")?.1.split('.').next()?.parse().ok()
    };
    of(file).or_else(|| of(&host.real(file)?))
}

/// Returns the CUDA version that a library belongs to, by the major version of its own; `None` for one of a series of its
/// own and for one without a version.
pub(crate) fn cuda_of(host: &dyn Host, spec: &SearchSpec, file: &Path) -> Option<i32> {
    let major = major(host, file).filter(|_| spec.of_cuda)?;
    let of = |name: &str| name.split_once(".so.")?.1.parse::<i32>().ok();
    // The names are of CUDA 13 and 12, and libraries have counted up by one with each CUDA since.
    of(spec.files[0]).map(|newest| 13 + major - newest)
}

/// Returns the first library that is no newer than the driver, which does not load code of a newer CUDA.
fn choose(
    host: &dyn Host,
    spec: &SearchSpec,
    paths: impl Iterator<Item = PathBuf>,
    driver: Option<Version>,
) -> Result<PathBuf> {
    let (mut tried, mut newer) = (Vec::new(), None);
    for candidate in paths {
        for file in files(host, spec, &candidate) {
            match (driver, cuda_of(host, spec, &file)) {
                (Some(driver), Some(cuda)) if cuda > driver.0 => {
                    newer.get_or_insert((file, cuda));
                }
                _ => return Ok(file),
            }
        }
        tried.push(candidate.display().to_string());
    }
    Err(match (newer, driver) {
        (Some((file, cuda)), Some(driver)) => too_new(spec, &file, &format!("of CUDA {cuda}"), driver),
        _ => missing(host, spec, &tried),
    })
}

/// Returns the command that installs a library of a CUDA version with pip, into the user's folder.
pub(crate) fn install_command(host: &dyn Host, spec: &SearchSpec, driver: Option<Version>) -> String {
    let SearchSpec { package, of_cuda, .. } = spec;
    let folder = folders::user_on(host).map_or_else(|| "FOLDER".into(), |f| f.display().to_string());
    let requirement = match driver {
        Some((major, minor)) if major < 13 && *of_cuda => format!("'{package}-cu{major}<={major}.{minor}.999'"),
        Some((major, _)) if major < 13 => package.replace("-cu13", &format!("-cu{major}")),
        _ if std::ptr::eq(spec, &raw const NVRTC) => format!("{package}=={PINNED}"),
        _ => (*package).to_owned(),
    };
    format!("python3 -m pip install --target {folder} {requirement}")
}

fn missing(host: &dyn Host, spec: &SearchSpec, tried: &[String]) -> Error {
    let SearchSpec { name, purpose, files, .. } = spec;
    let command = install_command(host, spec, None);
    let help = if std::ptr::eq(spec, &raw const NVRTC) {
        format!(
            "Get it with `cuprum setup` (`cargo install cuprum` installs that program), or, with pip alone, with `{command}`"
        )
    } else {
        format!("Get it with `{command}`, or install the CUDA toolkit")
    };
    Error::new(
        ErrorKind::Library,
        format!("{name}, {purpose}, is missing. {help}. Looked for {} in {}", files.join(", "), tried.join(", ")),
    )
}

/// Returns the error for a library that the driver does not support.
pub(super) fn too_new(spec: &SearchSpec, file: &Path, version: &str, driver: Version) -> Error {
    let (major, minor) = driver;
    let SearchSpec { name, package, variable, .. } = spec;
    let named = variable.map_or("put its folder into LD_LIBRARY_PATH".into(), |v| format!("name it with {v}"));
    Error::new(
        ErrorKind::Library,
        format!(
            "{name} {version} at {} is too new for the driver, which is of CUDA {major}.{minor} and does not load what is \
             made for a later one. Install one of CUDA {major} (`pip install '{package}-cu{major}<={major}.{minor}.999'`) and \
             {named}, or update the driver",
            file.display()
        ),
    )
}

/// Returns the identity of a library without opening it: path, size and modification time.
pub(super) fn identity(file: &Path) -> String {
    let made = |m: &std::fs::Metadata| m.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok();
    let (bytes, nanos) = file.metadata().map_or((0, 0), |m| (m.len(), made(&m).map_or(0, |t| t.as_nanos())));
    format!("{} {bytes} {nanos}", file.display())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_missing_nvrtc_is_an_error_that_says_where_it_was_looked_for_and_how_to_get_it() {
        let e = choose(&Machine, &NVRTC, ["/nonexistent/here".into()].into_iter(), None).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Library);
        for part in ["libnvrtc.so.13", "/nonexistent/here", "cuprum setup", "pip install --target"] {
            assert!(e.message().contains(part), "{e}");
        }
    }

    #[test]
    fn names_on_windows_contain_the_version() {
        let named = |spec: &SearchSpec| spec.files.iter().filter_map(|name| dll(name)).collect::<Vec<_>>();
        assert_eq!(named(&NVRTC), ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]);
        #[cfg(feature = "cuda")]
        {
            assert_eq!(named(&CUBLAS), ["cublas64_13.dll", "cublas64_12.dll"]);
            assert_eq!(named(&NVJITLINK), ["nvJitLink_130_0.dll", "nvJitLink_120_0.dll"]);
            assert_eq!(named(&CUDSS), ["cudss64_1.dll", "cudss64_0.dll"]);
        }
        for (name, version) in [("nvrtc64_120_0.dll", 12), ("cublas64_13.dll", 13), ("nvJitLink_130_0.dll", 13)] {
            assert_eq!(major(&Machine, Path::new(name)), Some(version));
        }
        assert_eq!(major(&Machine, Path::new("other.dll")), None);
    }

    #[test]
    fn the_version_that_is_named_is_the_one_that_is_fetched() {
        let script = include_str!("../bin/cuprum/setup.py");
        assert!(script.contains(&format!("PINNED = \"{PINNED}\"")));
    }

    #[test]
    fn the_nvrtc_that_the_driver_can_load_is_chosen() {
        let root = std::env::temp_dir().join(format!("cuprum-nvrtc-{}", std::process::id()));
        let library_in = |folder: &str, name: &str| {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), name).unwrap();
            folder
        };
        let (new, old) = (library_in("new", "libnvrtc.so.13"), library_in("old", "libnvrtc.so.12"));
        let plain = library_in("plain", "libnvrtc.so.12.4.127");
        std::os::unix::fs::symlink("libnvrtc.so.12.4.127", plain.join("libnvrtc.so")).unwrap();
        let both = [new.clone(), old.clone()];
        let file = |paths: &[PathBuf], driver| choose(&Machine, &NVRTC, paths.iter().cloned(), driver).unwrap();
        assert_eq!(file(&both, None), new.join("libnvrtc.so.13"));
        assert_eq!(file(&both, Some((13, 1))), new.join("libnvrtc.so.13"));
        assert_eq!(file(&both, Some((12, 4))), old.join("libnvrtc.so.12"));
        assert_eq!(file(&[new.clone(), plain.clone()], Some((12, 4))), plain.join("libnvrtc.so"));
        let e = choose(&Machine, &NVRTC, [new].into_iter(), Some((12, 4))).unwrap_err();
        for part in ["NVRTC of CUDA 13", "CUDA 12.4", "libnvrtc.so.13", "CUPRUM_NVRTC"] {
            assert!(e.message().contains(part), "{e}");
        }
        let before = identity(&old.join("libnvrtc.so.12"));
        fs::write(old.join("libnvrtc.so.12"), "another").unwrap();
        assert_ne!(identity(&old.join("libnvrtc.so.12")), before, "a new file at the same path");
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn the_loaders_cache_is_read() {
        let mut cache = b"glibc-ld.so.cache1.1".to_vec();
        let strings = b"libz.so.1\0/lib/libz.so.1\0libnvrtc.so.12\0/opt/libnvrtc.so.12\0";
        let start = 48 + 2 * 24;
        cache.extend([2u32.to_ne_bytes(), (strings.len() as u32).to_ne_bytes()].concat());
        cache.resize(48, 0);
        for (key, value) in [(0u32, 10u32), (25, 40)] {
            cache.extend([3, start + key, start + value, 0, 0, 0].map(u32::to_ne_bytes).concat());
        }
        cache.extend(strings);
        assert_eq!(cached(&cache, "libnvrtc.so.12"), [PathBuf::from("/opt/libnvrtc.so.12")]);
        assert!(cached(&cache, "libnvrtc.so.13").is_empty() && cached(b"another", "libz.so.1").is_empty());
        for cut in 0..cache.len() {
            cached(&cache[..cut], "libnvrtc.so.12");
        }
    }
}
