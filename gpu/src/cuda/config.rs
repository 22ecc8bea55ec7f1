//! Configuration report of the library, which bug reports should contain.
//!
//! `cuprum info` prints it, and `show_config` returns it.

use std::fmt::Write;
use std::path::PathBuf;

use super::Device;
use crate::driver::{self, folders, nvrtc};
use crate::error::{ErrorKind, Result};

/// The environment variables that the library reads, with their purposes.
///
/// They are read once, when the library first needs them.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("CUPRUM_DEVICE", "the device of a program that names none: `cuda:N`, `sim` or `hip:N`"),
    ("CUPRUM_NVRTC", "the run-time compiler: the file, or its folder; nothing else is checked then"),
    (
        "CUPRUM_CLANG",
        "the clang that compiles kernels ahead of time for AMD GPUs, or `hiprtc` for the library that compiles on their \
         machines; otherwise the newest on the path, or ROCm's",
    ),
    ("CUPRUM_PYTHON", "a Python interpreter, in whose packages NVRTC and the CUDA libraries are looked for"),
    ("CUPRUM_CACHE_DIR", "the folder of the disk cache of compiled kernels"),
    ("CUPRUM_CACHE_LIMIT", "the most bytes of that cache; 0 turns it off; 512 MiB unless set"),
    (
        "CUPRUM_CACHE_SOURCE",
        "`1`: the source of a kernel that is compiled is stored in that folder, too, next to its code",
    ),
    (
        "CUPRUM_COMPILE_DEBUG",
        "`1`: every kernel is compiled with debug information and lines (`--device-debug`, `--generate-line-info`)",
    ),
    (
        "CUPRUM_COMPILE_PTX",
        "`1`: kernels are compiled to PTX, from which the driver generates the machine code of the GPU",
    ),
    ("CUPRUM_KERNELS", "archives of kernels compiled ahead of time, separated as in `PATH`"),
    ("CUPRUM_KERNEL_LIST", "a file to which every kernel is written that the program compiles"),
    ("CUPRUM_MEMORY_LIMIT", "the limit of each device's memory pool: bytes, or a share of its memory (`50%`)"),
    (
        "CUPRUM_MEMORY_GUARD",
        "`1`: each array has an allocation of its own with guard zones, which are checked for writes; `exact`: one without guard zones",
    ),
    ("CUPRUM_PER_THREAD_DEFAULT_STREAM", "`1`: work of each thread goes to a default stream of its own"),
    ("CUPRUM_TF32", "`1`: cuBLAS rounds factors of float32 and complex64 to TF32, which tensor cores multiply"),
    ("CUPRUM_SEED", "an integer, in Python the seed of the generator that the functions of `cuprum.random` share"),
    (
        "CUPRUM_CUDA_ARRAY_INTERFACE_SYNC",
        "`0`: an array that Python imports by the CUDA Array Interface does not wait for the stream of its owner",
    ),
    (
        "CUPRUM_CUDA_ARRAY_INTERFACE_EXPORT_VERSION",
        "`2`: Python exports the CUDA Array Interface without the stream of the array's work; `3` unless set",
    ),
    ("CUPRUM_SIM_DEVICES", "the number of simulated devices that Python sees if the simulator is the device: 1 to 16"),
    (
        "CUPRUM_COLLECTIVES_TIMEOUT",
        "the seconds that ranks of a group wait for each other, to form the group and in each call; 300 unless set",
    ),
    (
        "CUPRUM_STORE_TOKEN",
        "a secret text that all processes of `cupyx.distributed` have: needed where they are on several machines",
    ),
    ("CUPRUM_CHECK", "`now`: check for indices out of bounds at every call, not at the next one that synchronises"),
    ("CUPRUM_FUSE", "`always`: every thread fuses elementwise calls, as in a scope of `fuse` that never ends"),
    (
        "CUPRUM_FUSE_WAIT",
        "`1`: kernels of fused calls and of medians of 7 to 13 rows are compiled as they are first needed, and not in the background",
    ),
    (
        "CUPRUM_FFT_CALLBACKS",
        "`1`: the factor of a transform's norm is applied by the library's call, and not by a pass after it",
    ),
    (
        "CUPRUM_LOG",
        "words separated by commas: `launch`, a line on the standard error for each kernel, compilation and synchronisation; `source`, the source of a kernel that does not compile",
    ),
    ("CUPRUM_PROGRESS", "`0`: no line on a terminal about a compilation that takes more than half a second"),
    ("CUPRUM_SIM_SEED", "the seed of a random order in which the simulator runs blocks, warps and streams"),
    ("CUPRUM_SIM_RACES", "`1`: check for races on global memory on the simulator"),
    (
        "CUPRUM_SIM_INSTRUCTIONS",
        "the instructions of a block after which the simulator stops a kernel as an infinite loop; 2000000000 unless set",
    ),
];

/// Variables of CUDA and of the system that affect the search for libraries.
const FOREIGN: [&str; 13] = [
    "ROCM_PATH",
    "HIP_VISIBLE_DEVICES",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_PATH",
    "CUDA_HOME",
    "NVCC",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYTHONPATH",
    "XDG_CACHE_HOME",
];

/// Returns a readable description of the environment: version and features, devices with their memory, the driver, the
/// compiler and the libraries, the caches, and the environment variables in force. NumPy's and CuPy's `show_config`,
/// which print it. The program `cuprum info` prints it, too.
///
/// Missing parts are reported in their position, with advice; they are not errors here.
///
/// # Synchronization
///
/// None. Every device is opened.
///
/// ```
/// println!("{}", cuprum::show_config());
/// ```
pub fn show_config() -> String {
    let mut text = String::new();
    let mut line = |name: &str, what: &str| {
        let _ = writeln!(text, "{name:<22}{}", what.replace('\n', "\n                      "));
    };
    let on = |on: bool, name: &'static str| on.then_some(name);
    let features = [
        on(cfg!(feature = "cuda"), "cuda"),
        on(cfg!(feature = "sim"), "sim"),
        on(cfg!(feature = "ndarray"), "ndarray"),
    ];
    let features: Vec<&str> = features.into_iter().flatten().collect();
    line("Cuprum", &format!("{} ({})", env!("CARGO_PKG_VERSION"), features.join(", ")));
    line("Platform", &format!("{} {}", std::env::consts::OS, std::env::consts::ARCH));
    match driver::driver_version() {
        Ok(version) => line("CUDA driver", &format!("of CUDA {version}")),
        Err(e) => line("CUDA driver", e.message()),
    }
    match driver::hip_version() {
        Ok(version) => line("HIP runtime", &format!("{version}, whose devices were never run")),
        // Few machines have one.
        Err(e) if e.kind() == ErrorKind::Library => {}
        Err(e) => line("HIP runtime", e.message()),
    }
    let count = Device::count().unwrap_or(0);
    for id in (0..count).map(|n| format!("cuda:{n}")).chain(cfg!(feature = "sim").then(|| "sim".into())) {
        line(&format!("Device {id}"), &or_message(Device::open(&id).and_then(|d| device(&d))));
    }
    line(
        "NVRTC",
        &or_message(nvrtc::nvrtc().and_then(|n| Ok(format!("{}, {}", n.version(), nvrtc::file()?.display())))),
    );
    for (name, file) in library_files() {
        let found = match file {
            // It is loaded, which shows whether it can be, and has a version.
            _ if name == "cuBLAS" && (count > 0 || file.is_some()) => {
                or_message(driver::cublas().map(|(file, version)| format!("{version}, {}", file.display())))
            }
            Some(file) => file.display().to_string(),
            None if count > 0 => "not found".into(),
            None => "not found: GPUs alone need it".into(),
        };
        line(name, &found);
    }
    line("nvcc", &nvcc_command().unwrap_or_else(|| "not found: the backend nvcc needs it, and nothing else".into()));
    let simulator = if driver::sim_is_optimised() { "optimised" } else { "not optimised: some twenty times slower" };
    line("Simulator", if cfg!(feature = "sim") { simulator } else { "left out (feature `sim`)" });
    line(
        "User's folder",
        &folders::user().map_or("none: neither XDG_CACHE_HOME nor HOME is set".into(), |f| f.display().to_string()),
    );
    line(
        "Kernel cache",
        &match driver::cache::DiskCache::from_environment().measure() {
            Some((folder, bytes, limit)) => {
                format!("{}, {} of {} MiB", folder.display(), bytes >> 20, limit >> 20)
            }
            None => "off".into(),
        },
    );
    for (name, value) in environment() {
        line(&name, &value);
    }
    text
}

/// Returns the command that compiles with [`CompileBackend::Nvcc`](crate::CompileBackend::Nvcc): the one in the variable
/// `NVCC`, or the program that is found. `None` if there is none. CuPy's `get_nvcc_path`.
///
/// ```
/// if let Some(command) = cuprum::cuda::nvcc_command() {
///     println!("RawModules may be compiled by {command}");
/// }
/// ```
pub fn nvcc_command() -> Option<String> {
    driver::nvcc::nvcc().ok().map(|nvcc| nvcc.command())
}

/// Returns the libraries that are loaded when they are first needed, with their files. `None` for one that is missing.
///
/// ```
/// for (name, file) in cuprum::cuda::library_files() {
///     println!("{name}: {file:?}");
/// }
/// ```
pub fn library_files() -> Vec<(&'static str, Option<PathBuf>)> {
    driver::library_files()
}

fn or_message(found: Result<String>) -> String {
    found.unwrap_or_else(|e| e.message().to_string())
}

fn device(device: &Device) -> Result<String> {
    let info = device.info();
    let pool = device.memory_pool().stats();
    Ok(format!(
        "{}, {}, {} multiprocessors, {} of {} MiB free, {} MiB in the pool",
        info.name,
        info.target,
        info.multiprocessors,
        device.free_bytes()? >> 20,
        info.memory_bytes >> 20,
        pool.total_bytes >> 20
    ))
}

/// Returns the variables that are set and have an effect; an unknown one of ours is reported as such.
fn environment() -> Vec<(String, String)> {
    let set =
        |name: &&str| std::env::var_os(name).map(|value| (name.to_string(), value.to_string_lossy().into_owned()));
    let known = || ENVIRONMENT.iter().map(|(name, _)| name);
    let mut all: Vec<_> = known().chain(&FOREIGN).filter_map(set).collect();
    for (name, value) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CUPRUM_") && !known().any(|k| *k == name) {
            all.push((name, format!("{} (no variable of the library's)", value.to_string_lossy())));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_listed_and_missing_ones_with_a_cure() {
        let text = show_config();
        for part in ["Cuprum ", "CUDA driver", "NVRTC", "nvcc ", "Kernel cache", "User's folder"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!cfg!(feature = "sim") || text.contains("Device sim"), "{text}");
        let rows = text.lines().filter(|line| line.starts_with("cuBLAS ")).count();
        assert!(rows <= 1, "{text}");
    }
}
