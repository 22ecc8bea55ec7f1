//! Which NVRTC is used: decided by looking at files, so that kernels from the cache need none to be opened.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::Version;
use crate::error::{Error, ErrorKind, Result};

/// By preference, where one folder has several.
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

/// The NVRTC that is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) file: PathBuf,
    /// What tells it from others without opening it: the file, how large it is and when it was made.
    pub(super) identity: String,
}

static DRIVER: OnceLock<Version> = OnceLock::new();

/// Says which CUDA the driver is of. What is chosen after that is what this driver can load.
pub(crate) fn driver_is(version: Version) {
    // There is one driver in a process.
    let _ = DRIVER.set(version);
}

/// The driver's version, if there is a driver.
pub(super) fn driver() -> Option<Version> {
    DRIVER.get().copied()
}

/// The NVRTC that is used, decided once with a driver and once without.
pub(super) fn chosen(driver: Option<Version>) -> Result<&'static Chosen> {
    static CHOSEN: [OnceLock<Result<Chosen>>; 2] = [OnceLock::new(), OnceLock::new()];
    let choice = CHOSEN[usize::from(driver.is_some())].get_or_init(|| choose(&places(), driver));
    choice.as_ref().map_err(Clone::clone)
}

/// A folder, or a file.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|p| !p.as_os_str().is_empty())
}

/// Where NVRTC may be, best first.
fn places() -> Vec<PathBuf> {
    if let Some(path) = variable("CUPRUM_NVRTC") {
        return vec![path];
    }
    let mut places = loader_places();
    for root in ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(variable) {
        places.extend([root.join("lib64"), root.join("lib")]);
    }
    for root in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable) {
        for python in fs::read_dir(root.join("lib")).into_iter().flatten().flatten() {
            places.extend(wheel_layouts(&python.path().join("site-packages")));
        }
    }
    for root in variable("PYTHONPATH").iter().flat_map(std::env::split_paths) {
        places.extend(wheel_layouts(&root));
    }
    let here = std::env::current_dir().unwrap_or_default();
    for folder in here.ancestors() {
        places.extend(wheel_layouts(&folder.join(".cuda")));
    }
    places
}

/// Where PyPI's packages have NVRTC, of CUDA 13 and of CUDA 12.
fn wheel_layouts(root: &Path) -> [PathBuf; 2] {
    [root.join("nvidia/cu13/lib"), root.join("nvidia/cuda_nvrtc/lib")]
}

/// Where the loader looks for a library: `LD_LIBRARY_PATH`, what `ldconfig` found, the system's own folders.
fn loader_places() -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = variable("LD_LIBRARY_PATH").iter().flat_map(std::env::split_paths).collect();
    let cache = fs::read("/etc/ld.so.cache").unwrap_or_default();
    places.extend(NAMES.iter().flat_map(|name| cached(&cache, name)));
    places.extend(["/lib64", "/usr/lib64", "/lib", "/usr/lib"].map(PathBuf::from));
    places
}

/// The files of a name in the loader's cache, in glibc's format of today; none in a cache of another.
fn cached(cache: &[u8], name: &str) -> Vec<PathBuf> {
    const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
    const HEADER: usize = 48;
    const ENTRY: usize = 24;
    // Before it may stand a cache in the format of long ago.
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

/// The files of NVRTC in a place.
fn files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.into()];
    }
    NAMES.iter().map(|n| place.join(n)).filter(|f| f.is_file()).collect()
}

/// The CUDA that a library is of, as its name says: `libnvrtc.so.12`, or what a link of that name leads to.
fn major(file: &Path) -> Option<i32> {
    let of = |path: &Path| -> Option<i32> {
        path.file_name()?.to_str()?.split_once(".so.")?.1.split('.').next()?.parse().ok()
    };
    of(file).or_else(|| of(&file.canonicalize().ok()?))
}

/// The first NVRTC that is no newer than the driver. Code of a newer CUDA the driver does not load.
fn choose(places: &[PathBuf], driver: Option<Version>) -> Result<Chosen> {
    let found: Vec<PathBuf> = places.iter().flat_map(|p| files(p)).collect();
    let fits = |f: &&PathBuf| driver.is_none_or(|driver| major(f).is_none_or(|major| major <= driver.0));
    match (found.iter().find(fits), found.first(), driver) {
        (Some(file), ..) => Ok(Chosen { identity: identity(file), file: file.clone() }),
        (None, Some(first), Some(driver)) => Err(too_new(first, &major(first).unwrap_or(0).to_string(), driver)),
        _ => {
            let tried: Vec<_> = places.iter().map(|p| p.display().to_string()).collect();
            Err(Error::new(
                ErrorKind::Library,
                format!(
                    "NVRTC, which compiles kernels, is missing: looked for {} in {}. `./ci/run.sh sim build` fetches it \
                     into .cuda; `pip install nvidia-cuda-nvrtc` into the active environment serves as well",
                    NAMES.join(", "),
                    tried.join(", ")
                ),
            ))
        }
    }
}

/// The error of an NVRTC whose code the driver does not load.
pub(super) fn too_new(file: &Path, nvrtc: &str, driver: Version) -> Error {
    let (major, minor) = driver;
    Error::new(
        ErrorKind::Library,
        format!(
            "NVRTC {nvrtc} at {} is too new for the driver, which is of CUDA {major}.{minor} and does not load what it \
             compiles. Install an NVRTC of CUDA {major} (`pip install 'nvidia-cuda-nvrtc-cu{major}<={major}.{minor}.999'`) \
             and name it with CUPRUM_NVRTC, or update the driver",
            file.display()
        ),
    )
}

fn identity(file: &Path) -> String {
    let made = |m: &fs::Metadata| m.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok();
    let (bytes, nanos) = file.metadata().map_or((0, 0), |m| (m.len(), made(&m).map_or(0, |t| t.as_nanos())));
    format!("{} {bytes} {nanos}", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_nvrtc_is_an_error_that_says_where_it_was_looked_for_and_how_to_get_it() {
        let e = choose(&["/nonexistent/here".into()], None).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Library);
        for part in ["libnvrtc.so.13", "/nonexistent/here", "./ci/run.sh sim build"] {
            assert!(e.message().contains(part), "{e}");
        }
    }

    #[test]
    fn the_nvrtc_that_the_driver_can_load_is_chosen() {
        let root = std::env::temp_dir().join(format!("cuprum-nvrtc-{}", std::process::id()));
        let place = |folder: &str, name: &str| {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), name).unwrap();
            folder
        };
        let (new, old) = (place("new", "libnvrtc.so.13"), place("old", "libnvrtc.so.12"));
        let plain = place("plain", "libnvrtc.so.12.4.127");
        std::os::unix::fs::symlink("libnvrtc.so.12.4.127", plain.join("libnvrtc.so")).unwrap();
        let both = [new.clone(), old.clone()];
        let file = |places: &[PathBuf], driver| choose(places, driver).unwrap().file;
        assert_eq!(file(&both, None), new.join("libnvrtc.so.13"));
        assert_eq!(file(&both, Some((13, 1))), new.join("libnvrtc.so.13"));
        assert_eq!(file(&both, Some((12, 4))), old.join("libnvrtc.so.12"));
        assert_eq!(file(&[new.clone(), plain.clone()], Some((12, 4))), plain.join("libnvrtc.so"));
        let e = choose(&[new], Some((12, 4))).unwrap_err();
        for part in ["NVRTC 13", "CUDA 12.4", "libnvrtc.so.13", "CUPRUM_NVRTC"] {
            assert!(e.message().contains(part), "{e}");
        }
        let before = choose(std::slice::from_ref(&old), None).unwrap().identity;
        fs::write(old.join("libnvrtc.so.12"), "another").unwrap();
        assert_ne!(choose(&[old], None).unwrap().identity, before, "a new file in the same place");
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
