//! Checks of the GPU, its driver and its device files.

use std::path::{Path, PathBuf};

use super::Report;
use crate::driver::host::{DriverFacts, DriverFault, Host};

/// The oldest CUDA version of a driver that is supported.
const OLDEST_CUDA: i32 = 12;
/// The oldest compute capability that is supported.
const OLDEST_GPU: (i32, i32) = (7, 5);
/// The folder in which WSL has the driver of Windows.
const WSL_FOLDER: &str = "/usr/lib/wsl/lib";
/// Bytes of shared memory below which ranks of collective operations run out of it.
const SHARED_MEMORY: u64 = 256 << 20;

/// Checks them, and returns the driver if it works.
pub(super) fn check(report: &mut Report<'_>) -> Option<DriverFacts> {
    if cfg!(not(feature = "cuda")) {
        report.note("without-cuda", "This program is built without CUDA (feature `cuda`) and runs on the simulator.");
        return None;
    }
    let driver = match report.host.driver() {
        Ok(driver) => driver,
        Err(fault) => {
            match fault {
                DriverFault::Absent => absent(report),
                DriverFault::Unloadable(message) => unloadable(report, &message),
                DriverFault::Failed(status, message) => failed(report, status, &message),
            }
            choice(report, 0);
            return None;
        }
    };
    let (major, minor) = driver.version;
    if major < OLDEST_CUDA {
        let message =
            format!("The driver is of CUDA {major}.{minor}, and CUDA {OLDEST_CUDA} is the oldest that works.");
        let command = update_driver(report);
        report.error("driver-old", message, command);
    }
    if driver.devices.is_empty() {
        without_devices(report);
    }
    for (number, (name, capability)) in driver.devices.iter().enumerate() {
        if *capability < OLDEST_GPU {
            let (major, minor) = capability;
            let message = format!(
                "cuda:{number}, {name}, has compute capability {major}.{minor}, and {}.{} is the oldest that works.",
                OLDEST_GPU.0, OLDEST_GPU.1
            );
            let others = (0..driver.devices.len()).filter(|&n| driver.devices[n].1 >= OLDEST_GPU);
            let command = match others.map(|n| n.to_string()).collect::<Vec<_>>().join(",") {
                none if none.is_empty() => "export CUPRUM_DEVICE=sim".into(),
                others => format!("export CUDA_VISIBLE_DEVICES={others}"),
            };
            report.error("gpu-old", message, command);
        }
    }
    if driver.devices.len() > 1
        && let Some(free) = report.host.free_bytes(Path::new("/dev/shm")).filter(|&free| free < SHARED_MEMORY)
    {
        let message = format!(
            "/dev/shm has {} MiB free, which is too little for collective operations of {} GPUs.",
            free >> 20,
            driver.devices.len()
        );
        let command = match container(report) {
            Some(Container::Docker | Container::Podman) => "docker run --gpus all --shm-size=1g IMAGE",
            _ => "sudo mount -o remount,size=1g /dev/shm",
        };
        report.warning("shared-memory", message, command);
    }
    choice(report, driver.devices.len());
    Some(driver)
}

/// The container that the process runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Docker,
    Podman,
    Kubernetes,
}

fn container(report: &Report<'_>) -> Option<Container> {
    let exists = |path: &str| report.host.is_file(Path::new(path));
    let groups = report.text("/proc/1/cgroup").unwrap_or_default();
    if report.variable("KUBERNETES_SERVICE_HOST").is_some() || groups.contains("kubepods") {
        Some(Container::Kubernetes)
    } else if exists("/run/.containerenv") {
        Some(Container::Podman)
    } else if exists("/.dockerenv") || groups.contains("docker") || groups.contains("containerd") {
        Some(Container::Docker)
    } else {
        None
    }
}

fn is_wsl(report: &Report<'_>) -> bool {
    report.text("/proc/version").is_some_and(|text| text.to_lowercase().contains("microsoft"))
}

/// Returns true if the PCI bus has a display or compute controller of NVIDIA's.
fn has_gpu(report: &Report<'_>) -> bool {
    let host = report.host;
    let attribute = |device: &Path, name: &str| {
        host.read(&device.join(name), 16).map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    host.list(Path::new("/sys/bus/pci/devices")).iter().any(|device| {
        attribute(device, "vendor").as_deref() == Some("0x10de")
            && attribute(device, "class").is_some_and(|class| class.starts_with("0x03"))
    })
}

/// Returns the version of the driver's kernel module: `580.95.05`.
fn module_version(report: &Report<'_>) -> Option<String> {
    let text = report.text("/proc/driver/nvidia/version")?;
    let is_version = |word: &&str| word.contains('.') && word.bytes().all(|b| b == b'.' || b.is_ascii_digit());
    Some(text.split_whitespace().find(is_version)?.to_owned())
}

/// Returns a field of the system's description: `ID` is `ubuntu`.
fn system(report: &Report<'_>, field: &str) -> String {
    let text = report.text("/etc/os-release").unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix('='));
    value.unwrap_or_default().trim_matches('"').to_owned()
}

/// Returns the command that installs NVIDIA's driver on this distribution.
fn install_driver(report: &Report<'_>) -> String {
    let names = format!("{} {}", system(report, "ID"), system(report, "ID_LIKE"));
    let command = names.split_whitespace().find_map(|name| match name {
        "ubuntu" => Some("sudo ubuntu-drivers install"),
        "debian" => Some("sudo apt-get install nvidia-driver"),
        "fedora" => Some("sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda"),
        "arch" => Some("sudo pacman -S nvidia-open nvidia-utils"),
        _ => None,
    });
    command.unwrap_or("xdg-open https://www.nvidia.com/drivers").to_owned()
}

/// Returns the command that updates NVIDIA's driver.
fn update_driver(report: &Report<'_>) -> String {
    if is_wsl(report) {
        // The driver of WSL is that of Windows.
        return "powershell.exe start https://www.nvidia.com/drivers".into();
    }
    match install_driver(report) {
        command if command.starts_with("sudo apt-get") => "sudo apt-get install --only-upgrade nvidia-driver".into(),
        command => command,
    }
}

fn absent(report: &mut Report<'_>) {
    let library = |folder: &str| report.host.is_file(&Path::new(folder).join("libcuda.so.1"));
    if is_wsl(report) {
        if library(WSL_FOLDER) {
            report.error(
                "wsl-path",
                format!("WSL has the driver in {WSL_FOLDER}, which the loader does not search."),
                format!("echo {WSL_FOLDER} | sudo tee /etc/ld.so.conf.d/ld.wsl.conf && sudo ldconfig"),
            );
        } else if report.host.owner(Path::new("/dev/dxg")).is_some() {
            report.error(
                "wsl-driver",
                "Windows has no driver of NVIDIA's that supports WSL.",
                "powershell.exe start https://www.nvidia.com/drivers",
            );
        } else {
            report.error(
                "wsl-version",
                "WSL passes no GPU on: version 2 does, version 1 does not.",
                "wsl.exe --set-default-version 2",
            );
        }
    } else if let Some(container) = container(report)
        && (has_gpu(report) || module_version(report).is_some())
    {
        without_gpus(report, container);
    } else if let Some(version) = module_version(report) {
        let command = match system(report, "ID").as_str() {
            "ubuntu" => {
                format!("sudo apt-get install libnvidia-compute-{}", version.split('.').next().unwrap_or_default())
            }
            "debian" => "sudo apt-get install libcuda1".into(),
            _ => install_driver(report),
        };
        let message =
            format!("The driver's kernel module {version} is loaded, and its library libcuda.so.1 is not installed.");
        report.error("driver-library", message, command);
    } else if has_gpu(report) {
        let nouveau = report.text("/proc/modules").is_some_and(|text| text.lines().any(|l| l.starts_with("nouveau ")));
        let (id, message) = if nouveau {
            ("driver-nouveau", "The GPU is driven by nouveau, which has no CUDA: NVIDIA's driver is not installed.")
        } else {
            ("driver-missing", "There is a GPU of NVIDIA's, and no driver of NVIDIA's is installed.")
        };
        let command = install_driver(report);
        report.error(id, message, command);
    } else {
        report.note("no-gpu", "This machine has no GPU of NVIDIA's: programs run on the simulator.");
    }
}

/// Reports a container that was started without GPUs.
fn without_gpus(report: &mut Report<'_>, container: Container) {
    let command = match container {
        Container::Docker => "docker run --gpus all IMAGE",
        Container::Podman => "podman run --device nvidia.com/gpu=all IMAGE",
        Container::Kubernetes => "kubectl set resources deployment NAME --limits=nvidia.com/gpu=1",
    };
    report.error("container-without-gpu", "The machine has a GPU, and this container was started without it.", command);
}

fn unloadable(report: &mut Report<'_>, message: &str) {
    // An entry of the variable may hide the system's driver.
    let hidden = driver_in_library_path(report);
    let (id, command) = match hidden {
        Some(folder) => ("driver-shadowed", without_folder(report, &folder)),
        None => ("driver-broken", update_driver(report)),
    };
    report.error(id, format!("{}.", message.trim_end_matches('.')), command);
}

/// Returns the first folder of `LD_LIBRARY_PATH` that has a driver library.
fn driver_in_library_path(report: &Report<'_>) -> Option<PathBuf> {
    let path = report.host.variable("LD_LIBRARY_PATH")?;
    std::env::split_paths(&path).find(|folder| report.host.is_file(&folder.join("libcuda.so.1")))
}

/// Returns the command that removes a folder from `LD_LIBRARY_PATH`.
pub(super) fn without_folder(report: &Report<'_>, folder: &Path) -> String {
    let path = report.host.variable("LD_LIBRARY_PATH").unwrap_or_default();
    let others: Vec<String> =
        std::env::split_paths(&path).filter(|f| f != folder).map(|f| f.display().to_string()).collect();
    if others.is_empty() {
        "unset LD_LIBRARY_PATH".into()
    } else {
        format!("export LD_LIBRARY_PATH={}", others.join(":"))
    }
}

/// Reports a driver that loads and does not start, by CUDA's status code.
fn failed(report: &mut Report<'_>, status: Option<i32>, message: &str) {
    if let Some(file) = denied(report) {
        return permission(report, &file);
    }
    let hidden = driver_in_library_path(report);
    match (status, hidden) {
        // CUDA_ERROR_STUB_LIBRARY
        (Some(34), Some(folder)) => {
            let message = format!("LD_LIBRARY_PATH has {}, whose libcuda.so.1 is a stub for linking.", folder.display());
            let command = without_folder(report, &folder);
            report.error("driver-stub", message, command);
        }
        // CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
        (Some(804), Some(folder)) => {
            let message = format!(
                "LD_LIBRARY_PATH has the compatibility driver in {}, which supports data-centre GPUs alone.",
                folder.display()
            );
            let command = without_folder(report, &folder);
            report.error("driver-compatibility", message, command);
        }
        // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
        (Some(803), _) => report.error(
            "driver-mismatch",
            "The driver's library and its kernel module are of different versions, as after an update without a restart.",
            "sudo reboot",
        ),
        // CUDA_ERROR_SYSTEM_NOT_READY
        (Some(802), _) => report.error(
            "fabric-manager",
            "The GPUs are connected by NVSwitch, and the service that configures it does not run.",
            "sudo systemctl enable --now nvidia-fabricmanager",
        ),
        // A function that the driver lacks has no code.
        (None, _) => {
            let command = update_driver(report);
            report.error("driver-old", format!("{}.", message.trim_end_matches('.')), command);
        }
        _ if is_missing_unified_memory(report.host) => report.error(
            "device-file",
            "The device file /dev/nvidia-uvm does not exist.",
            "sudo nvidia-modprobe -u -c=0",
        ),
        // CUDA_ERROR_UNKNOWN
        (Some(999), _) => report.error(
            "driver-suspended",
            "The driver fails with an unknown error, as after the machine was suspended.",
            "sudo modprobe --remove nvidia_uvm && sudo modprobe nvidia_uvm",
        ),
        _ => report.error("driver-fails", format!("{}.", message.trim_end_matches('.')), "sudo reboot"),
    }
}

fn is_missing_unified_memory(host: &dyn Host) -> bool {
    let exists = |name: &str| host.owner(Path::new(name)).is_some();
    exists("/dev/nvidiactl") && !exists("/dev/nvidia-uvm")
}

/// Returns a device file that this process may not open.
fn denied(report: &Report<'_>) -> Option<PathBuf> {
    let host = report.host;
    let names = host.list(Path::new("/dev")).into_iter().filter(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let rest = name.strip_prefix("nvidia");
        rest.is_some_and(|rest| rest == "ctl" || rest == "-uvm" || rest.parse::<u32>().is_ok())
    });
    names.into_iter().find(|file| host.owner(file).is_some() && !host.is_writable(file))
}

fn permission(report: &mut Report<'_>, file: &Path) {
    let owner = report.host.owner(file);
    let group = owner.filter(|owner| owner.mode & 0o060 == 0o060 && owner.group != 0).and_then(|owner| {
        let groups = report.text("/etc/group")?;
        let number = owner.group.to_string();
        let name = groups.lines().find(|line| line.split(':').nth(2) == Some(&number))?.split(':').next()?;
        Some(name.to_owned())
    });
    let command = match group {
        Some(group) => format!("sudo usermod --append --groups {group} $USER"),
        None => format!("sudo chmod a+rw {}", file.display()),
    };
    report.error("device-permission", format!("This user may not open {}.", file.display()), command);
}

/// Reports why a driver that works has no device.
fn without_devices(report: &mut Report<'_>) {
    let hidden = |name: &str| {
        let value = report.variable(name);
        value.or_else(|| report.host.variables().iter().any(|known| known == name).then(String::new))
    };
    let has_files = report.host.owner(Path::new("/dev/nvidia0")).is_some();
    if let Some(container) = container(report)
        && !has_files
        && !is_wsl(report)
    {
        without_gpus(report, container);
    } else if let Some(value) = hidden("CUDA_VISIBLE_DEVICES") {
        let message = format!("CUDA_VISIBLE_DEVICES=\"{value}\" hides every GPU.");
        report.error("hidden-devices", message, "unset CUDA_VISIBLE_DEVICES");
    } else if is_partitioned_without_instance(report.host) {
        report.error(
            "mig-without-instance",
            "MIG is enabled on the GPU, which has no instance that programs could use.",
            "sudo nvidia-smi mig --create-gpu-instance 0 --default-compute-instance",
        );
    } else if let Some(file) = denied(report) {
        permission(report, &file);
    } else if has_gpu(report) || has_files {
        report.error(
            "gpu-lost",
            "There is a GPU, and the driver does not list it.",
            "sudo nvidia-smi --gpu-reset || sudo reboot",
        );
    } else {
        report.note("no-gpu", "The driver works and finds no GPU: programs run on the simulator.");
    }
}

/// Returns true if a GPU has MIG enabled, and none has an instance.
fn is_partitioned_without_instance(host: &dyn Host) -> bool {
    let gpus = host.list(Path::new("/proc/driver/nvidia/capabilities")).into_iter().map(|gpu| gpu.join("mig"));
    let partitioned: Vec<PathBuf> = gpus.filter(|mig| host.owner(mig).is_some()).collect();
    let is_instance = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("gi"));
    !partitioned.is_empty() && !partitioned.iter().any(|mig| host.list(mig).iter().any(is_instance))
}

/// Checks the device that `CUPRUM_DEVICE` chooses.
fn choice(report: &mut Report<'_>, devices: usize) {
    let Some(chosen) = report.variable("CUPRUM_DEVICE") else { return };
    let number = |rest: &str| rest.parse::<usize>().ok();
    let message = match (chosen.as_str(), chosen.strip_prefix("cuda:").and_then(number)) {
        ("sim", _) => return,
        (_, Some(number)) if number < devices => return,
        (_, Some(_)) => format!("CUPRUM_DEVICE={chosen} names a GPU of which there are {devices}."),
        _ if chosen.strip_prefix("sim:").and_then(number).is_some() => return,
        _ if chosen.strip_prefix("hip:").and_then(number).is_some() => return,
        _ => format!("CUPRUM_DEVICE={chosen} is neither sim nor cuda:0."),
    };
    report.error("device-choice", message, "unset CUPRUM_DEVICE");
}
