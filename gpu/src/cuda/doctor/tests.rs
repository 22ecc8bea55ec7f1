//! Machines that are described by data, each with one fault, and the finding that the diagnosis makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Diagnosis, PythonInstallation, Severity, examine};
use crate::driver::host::{DriverFacts, DriverFault, Host, Library, Owner};

/// A machine.
#[derive(Clone)]
struct Fake {
    variables: BTreeMap<String, OsString>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    owners: BTreeMap<PathBuf, Owner>,
    read_only: BTreeSet<PathBuf>,
    full: BTreeSet<PathBuf>,
    unloadable: BTreeMap<PathBuf, String>,
    driver: Result<DriverFacts, DriverFault>,
}

const USER: u32 = 1000;

impl Host for Fake {
    fn variable(&self, name: &str) -> Option<OsString> {
        self.variables.get(name).filter(|value| !value.is_empty()).cloned()
    }

    fn variables(&self) -> Vec<String> {
        self.variables.keys().cloned().collect()
    }

    fn read(&self, file: &Path, limit: u64) -> Option<Vec<u8>> {
        let bytes = self.files.get(file)?;
        Some(bytes[..bytes.len().min(limit as usize)].to_vec())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        let below = self.files.keys().filter_map(|path| {
            let rest = path.strip_prefix(folder).ok()?;
            Some(folder.join(rest.components().next()?))
        });
        below.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        self.is_file(path).then(|| path.to_path_buf())
    }

    fn owner(&self, path: &Path) -> Option<Owner> {
        let exists = self.files.keys().any(|file| file.starts_with(path));
        let usual = Owner { user: USER, group: USER, mode: 0o700 };
        exists.then(|| self.owners.get(path).copied().unwrap_or(usual))
    }

    fn is_writable(&self, path: &Path) -> bool {
        !self.read_only.contains(path)
    }

    fn user(&self) -> u32 {
        USER
    }

    fn free_bytes(&self, folder: &Path) -> Option<u64> {
        Some(if self.full.contains(folder) { 1 << 20 } else { 100 << 30 })
    }

    fn load(&self, library: &Library<'_>) -> Result<(), String> {
        self.unloadable.get(library.file).map_or(Ok(()), |message| Err(message.clone()))
    }

    fn driver(&self) -> Result<DriverFacts, DriverFault> {
        self.driver.clone()
    }
}

/// Returns the beginning of a library: ELF of 64 (class 2) or 32 bits, for a processor.
fn elf(class: u8, machine: u16) -> Vec<u8> {
    let mut head = vec![0x7f, b'E', b'L', b'F', class];
    head.resize(18, 0);
    head.extend(machine.to_le_bytes());
    head
}

fn own_elf() -> Vec<u8> {
    elf(2, if cfg!(target_arch = "aarch64") { 183 } else { 62 })
}

const PACKAGES: &str = "/home/ann/.cache/cuprum/nvidia/cu13/lib";

impl Fake {
    /// A machine without a GPU, on which programs run on the simulator.
    fn without_gpu() -> Fake {
        let mut fake = Fake {
            variables: BTreeMap::new(),
            files: BTreeMap::new(),
            owners: BTreeMap::new(),
            read_only: BTreeSet::new(),
            full: BTreeSet::new(),
            unloadable: BTreeMap::new(),
            driver: Err(DriverFault::Absent),
        };
        fake.set("HOME", "/home/ann");
        fake.text("/etc/os-release", "NAME=Ubuntu\nID=ubuntu\nID_LIKE=debian\n");
        fake.text("/proc/version", "Linux version 6.8.0 (gcc)");
        fake.text("/home/ann/.cache/cuprum/kernels/ab/cd", "");
        fake.library(&format!("{PACKAGES}/libnvrtc.so.13"));
        fake.library(&format!("{PACKAGES}/libnvrtc-builtins.so.13.0"));
        fake
    }

    /// A machine with a GPU on its bus, and nothing of NVIDIA's but the compiler.
    fn with_gpu() -> Fake {
        let mut fake = Fake::without_gpu();
        fake.text("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
        fake.text("/sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
        fake
    }

    /// A machine with a GPU on which everything works.
    fn complete() -> Fake {
        let mut fake = Fake::with_gpu();
        fake.text(
            "/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release\n",
        );
        for device in ["nvidia0", "nvidiactl", "nvidia-uvm"] {
            fake.text(&format!("/dev/{device}"), "");
        }
        for name in ["cublas.so.13", "cusolver.so.12", "cufft.so.12", "nvJitLink.so.13", "cudss.so.0", "nccl.so.2"] {
            fake.library(&format!("{PACKAGES}/lib{name}"));
        }
        fake.driver = Ok(DriverFacts { version: (13, 0), devices: vec![("NVIDIA H200".into(), (9, 0))] });
        fake
    }

    fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.into(), value.into());
    }

    fn text(&mut self, file: &str, text: &str) {
        self.files.insert(file.into(), text.as_bytes().to_vec());
    }

    fn library(&mut self, file: &str) {
        self.files.insert(file.into(), own_elf());
    }

    fn remove(&mut self, part: &str) {
        self.files.retain(|path, _| !path.to_string_lossy().contains(part));
    }

    fn fails(&mut self, status: i32) {
        self.driver = Err(DriverFault::Failed(Some(status), "cuInit failed".into()));
    }

    /// Leaves a driver of a CUDA version without devices.
    fn no_devices(&mut self) {
        self.driver = Ok(DriverFacts { version: (13, 0), devices: vec![] });
    }
}

/// Asserts that a machine has one error or warning, of this id, whose command contains a text.
#[track_caller]
fn finds(fake: &Fake, severity: Severity, id: &str, command: &str) -> String {
    let diagnosis = examine(fake, None);
    let faults: Vec<_> = diagnosis.findings().iter().filter(|f| f.severity > Severity::Note).collect();
    let [fault] = faults[..] else { panic!("one fault is expected, {id}, and not\n{diagnosis}") };
    assert_eq!((fault.id.as_str(), fault.severity), (id, severity), "{diagnosis}");
    let found = fault.command.as_deref().unwrap_or_default();
    assert!(found.contains(command), "{found} lacks {command}");
    assert_eq!(diagnosis.is_healthy(), severity < Severity::Error);
    assert!(fault.message.ends_with('.') && !found.contains('\n'), "{fault:?}");
    fault.message.clone()
}

#[track_caller]
fn error(fake: &Fake, id: &str, command: &str) -> String {
    finds(fake, Severity::Error, id, command)
}

#[track_caller]
fn warning(fake: &Fake, id: &str, command: &str) -> String {
    finds(fake, Severity::Warning, id, command)
}

fn ids(diagnosis: &Diagnosis) -> Vec<&str> {
    diagnosis.findings().iter().map(|finding| finding.id.as_str()).collect()
}

#[test]
fn machines_without_a_fault_have_no_finding_to_repair() {
    let diagnosis = examine(&Fake::complete(), None);
    assert!(diagnosis.findings().is_empty(), "{diagnosis}");
    assert_eq!(diagnosis.to_string(), "Nothing to repair. Programs run on cuda:0, NVIDIA H200.\n");
    let diagnosis = examine(&Fake::without_gpu(), None);
    assert_eq!(ids(&diagnosis), ["no-gpu"]);
    assert!(
        diagnosis.is_healthy() && diagnosis.to_string().ends_with("Programs run on the simulator.\n"),
        "{diagnosis}"
    );
}

#[test]
fn a_machine_without_a_driver() {
    error(&Fake::with_gpu(), "driver-missing", "sudo ubuntu-drivers install");
    let mut fake = Fake::with_gpu();
    fake.text("/etc/os-release", "ID=debian\n");
    fake.text("/proc/modules", "nouveau 2023424 1 - Live\n");
    error(&fake, "driver-nouveau", "sudo apt-get install nvidia-driver");
    let mut fake = Fake::complete();
    fake.driver = Err(DriverFault::Absent);
    error(&fake, "driver-library", "sudo apt-get install libnvidia-compute-580");
}

#[test]
fn a_driver_that_is_too_old() {
    let mut fake = Fake::complete();
    fake.remove(PACKAGES);
    fake.library("/usr/local/cuda/lib64/libnvrtc.so.11.2");
    fake.driver = Ok(DriverFacts { version: (11, 4), devices: vec![("Tesla T4".into(), (7, 5))] });
    let diagnosis = examine(&fake, None);
    assert!(ids(&diagnosis).contains(&"driver-old"), "{diagnosis}");
    assert!(diagnosis.to_string().contains("CUDA 11.4, and CUDA 12 is the oldest"), "{diagnosis}");
}

#[test]
fn containers_that_were_started_without_gpus() {
    let mut docker = Fake::with_gpu();
    docker.text("/.dockerenv", "");
    error(&docker, "container-without-gpu", "docker run --gpus all");
    let mut podman = Fake::with_gpu();
    podman.text("/run/.containerenv", "");
    error(&podman, "container-without-gpu", "podman run --device nvidia.com/gpu=all");
    let mut pod = Fake::with_gpu();
    pod.set("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    error(&pod, "container-without-gpu", "nvidia.com/gpu=1");
    // An image that has a driver of its own.
    let mut own = Fake::complete();
    own.text("/.dockerenv", "");
    own.remove("/dev/");
    own.no_devices();
    error(&own, "container-without-gpu", "docker run --gpus all");
}

#[test]
fn the_linux_of_windows() {
    let mut fake = Fake::without_gpu();
    fake.text("/proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2");
    error(&fake, "wsl-version", "wsl.exe --set-default-version 2");
    fake.text("/dev/dxg", "");
    error(&fake, "wsl-driver", "https://www.nvidia.com/drivers");
    fake.library("/usr/lib/wsl/lib/libcuda.so.1");
    error(&fake, "wsl-path", "echo /usr/lib/wsl/lib | sudo tee");
}

#[test]
fn a_driver_that_does_not_load_or_start() {
    let mut fake = Fake::complete();
    fake.driver =
        Err(DriverFault::Unloadable("the CUDA driver libcuda.so.1 is there, but does not load: truncated".into()));
    error(&fake, "driver-broken", "sudo ubuntu-drivers install");
    fake.set("LD_LIBRARY_PATH", "/opt/old:/opt/good");
    fake.text("/opt/old/libcuda.so.1", "nothing");
    error(&fake, "driver-shadowed", "export LD_LIBRARY_PATH=/opt/good");

    let failing = |status| {
        let mut fake = Fake::complete();
        fake.fails(status);
        fake
    };
    error(&failing(803), "driver-mismatch", "sudo reboot");
    error(&failing(802), "fabric-manager", "systemctl enable --now nvidia-fabricmanager");
    error(&failing(999), "driver-suspended", "modprobe nvidia_uvm");
    error(&failing(3), "driver-fails", "sudo reboot");
    let mut lacking = Fake::complete();
    lacking.driver = Err(DriverFault::Failed(None, "the CUDA driver 12.0 has no function cuDeviceGet".into()));
    error(&lacking, "driver-old", "sudo ubuntu-drivers install");
    let mut stub = failing(34);
    stub.set("LD_LIBRARY_PATH", "/usr/local/cuda/lib64/stubs");
    stub.library("/usr/local/cuda/lib64/stubs/libcuda.so.1");
    error(&stub, "driver-stub", "unset LD_LIBRARY_PATH");
    let mut compatibility = failing(804);
    compatibility.set("LD_LIBRARY_PATH", "/usr/local/cuda/compat");
    compatibility.library("/usr/local/cuda/compat/libcuda.so.1");
    error(&compatibility, "driver-compatibility", "unset LD_LIBRARY_PATH");
    let mut memory = failing(999);
    memory.remove("nvidia-uvm");
    error(&memory, "device-file", "nvidia-modprobe -u");
}

#[test]
fn device_files_that_the_user_may_not_open() {
    let mut fake = Fake::complete();
    fake.fails(100);
    fake.read_only.insert("/dev/nvidia0".into());
    error(&fake, "device-permission", "sudo chmod a+rw /dev/nvidia0");
    fake.owners.insert("/dev/nvidia0".into(), Owner { user: 0, group: 44, mode: 0o660 });
    fake.text("/etc/group", "root:x:0:\nvideo:x:44:\n");
    error(&fake, "device-permission", "usermod --append --groups video $USER");
    fake.no_devices();
    error(&fake, "device-permission", "usermod --append --groups video $USER");
}

#[test]
fn gpus_that_are_hidden() {
    let mut fake = Fake::complete();
    fake.no_devices();
    error(&fake, "gpu-lost", "nvidia-smi --gpu-reset");
    // An empty list hides all, too.
    for value in ["-1", ""] {
        fake.set("CUDA_VISIBLE_DEVICES", value);
        let message = error(&fake, "hidden-devices", "unset CUDA_VISIBLE_DEVICES");
        assert!(message.contains(&format!("\"{value}\"")), "{message}");
    }
    let mut mig = Fake::complete();
    mig.no_devices();
    mig.text("/proc/driver/nvidia/capabilities/mig/config", "");
    mig.text("/proc/driver/nvidia/capabilities/gpu0/mig/access", "");
    error(&mig, "mig-without-instance", "nvidia-smi mig --create-gpu-instance 0");
    mig.text("/proc/driver/nvidia/capabilities/gpu0/mig/gi1/access", "");
    error(&mig, "gpu-lost", "nvidia-smi");
    let mut named = Fake::complete();
    named.set("CUPRUM_DEVICE", "cuda:3");
    assert!(error(&named, "device-choice", "unset CUPRUM_DEVICE").contains("of which there are 1"));
    named.set("CUPRUM_DEVICE", "gpu");
    error(&named, "device-choice", "unset CUPRUM_DEVICE");
}

#[test]
fn gpus_that_are_too_old() {
    let mut fake = Fake::complete();
    fake.driver = Ok(DriverFacts { version: (12, 4), devices: vec![("P100".into(), (6, 0)), ("A100".into(), (8, 0))] });
    let diagnosis = examine(&fake, None);
    let old = diagnosis.findings().iter().find(|finding| finding.id == "gpu-old").unwrap();
    assert_eq!(old.command.as_deref(), Some("export CUDA_VISIBLE_DEVICES=1"));
}

#[test]
fn compilers_that_are_missing_or_wrong() {
    let mut fake = Fake::without_gpu();
    fake.remove("nvrtc");
    error(&fake, "nvrtc-missing", "cuprum setup");
    let python =
        PythonInstallation { executable: "/opt/env/bin/python".into(), numpy: "2.4.6".into(), ..Default::default() };
    let diagnosis = examine(&fake, Some(&python));
    let command = diagnosis.findings()[0].command.as_deref().unwrap();
    assert!(
        command.starts_with("/opt/env/bin/python -m pip install") && command.contains("nvidia-cuda-nvrtc=="),
        "{command}"
    );

    let file = format!("{PACKAGES}/libnvrtc.so.13");
    let mut bits = Fake::without_gpu();
    bits.files.insert(file.clone().into(), elf(1, 3));
    assert!(error(&bits, "nvrtc-format", "cuprum setup").contains("a 32-bit library"));
    bits.files.insert(file.clone().into(), elf(2, 21));
    assert!(error(&bits, "nvrtc-format", "cuprum setup").contains("another processor"));
    bits.text(&file, "version https://git-lfs.github.com/spec/v1");
    assert!(error(&bits, "nvrtc-format", "cuprum setup").contains("not a library"));

    let mut parts = Fake::without_gpu();
    parts.remove("builtins");
    error(&parts, "nvrtc-builtins", "cuprum setup");

    let mut broken = Fake::without_gpu();
    broken.unloadable.insert(file.clone().into(), "NVRTC does not load: GLIBC_2.38 not found".into());
    assert!(error(&broken, "nvrtc-load", "cuprum setup").contains("GLIBC_2.38"));

    let mut named = Fake::without_gpu();
    named.set("CUPRUM_NVRTC", "/opt/nowhere");
    error(&named, "nvrtc-variable", "unset CUPRUM_NVRTC");

    let mut old = Fake::without_gpu();
    old.set("CUPRUM_NVRTC", "/opt/old/libnvrtc.so.11.2");
    old.library("/opt/old/libnvrtc.so.11.2");
    error(&old, "nvrtc-old", "cuprum setup");
}

#[test]
fn a_compiler_that_is_newer_than_the_driver() {
    let mut fake = Fake::complete();
    for name in ["cublas.so.12", "cusolver.so.11", "cufft.so.11", "nvJitLink.so.12"] {
        fake.library(&format!("/usr/local/cuda/lib64/lib{name}"));
    }
    fake.driver = Ok(DriverFacts { version: (12, 4), devices: vec![("NVIDIA A100".into(), (8, 0))] });
    let message = error(&fake, "nvrtc-new", "'nvidia-cuda-nvrtc-cu12<=12.4.999'");
    assert!(message.contains("of CUDA 13") && message.contains("driver of CUDA 12.4"), "{message}");
}

#[test]
fn libraries_of_a_gpu_that_are_missing_or_wrong() {
    let mut fake = Fake::complete();
    fake.remove("cufft");
    warning(&fake, "cufft-missing", "nvidia-cufft");
    let text = examine(&fake, None).to_string();
    assert!(text.ends_with("\n1 warning to repair. Programs run on cuda:0, NVIDIA H200.\n"), "{text}");
    let mut fake = Fake::complete();
    fake.files.insert(
        format!("{PACKAGES}/libcublas.so.13").into(),
        elf(2, if cfg!(target_arch = "aarch64") { 62 } else { 183 }),
    );
    warning(&fake, "cublas-format", "nvidia-cublas");
    let mut fake = Fake::complete();
    let message = "cuSOLVER does not load: libcusparse.so.12: cannot open shared object file";
    fake.unloadable.insert(format!("{PACKAGES}/libcusolver.so.12").into(), message.into());
    assert!(warning(&fake, "cusolver-load", "nvidia-cusolver").contains("libcusparse"));
    // Libraries that few programs need are mentioned alone; several GPUs need NCCL.
    let mut fake = Fake::complete();
    fake.remove("cudss");
    fake.remove("nccl");
    assert_eq!(ids(&examine(&fake, None)), ["cudss-missing", "nccl-missing"]);
    fake.driver = Ok(DriverFacts { version: (13, 0), devices: vec![("NVIDIA H200".into(), (9, 0)); 2] });
    warning(&fake, "nccl-missing", "nvidia-nccl-cu13");
}

#[test]
fn libraries_that_hide_others_or_are_of_different_versions() {
    let mut fake = Fake::complete();
    fake.library("/opt/cuda-12/lib/libcublas.so.12");
    fake.set("LD_LIBRARY_PATH", "/opt/cuda-12/lib");
    let diagnosis = examine(&fake, None);
    assert_eq!(ids(&diagnosis), ["library-shadowed", "cuda-mixed"], "{diagnosis}");
    assert_eq!(diagnosis.findings()[0].command.as_deref(), Some("unset LD_LIBRARY_PATH"));
    let mut fake = Fake::complete();
    for name in ["libcublas.so", "libcusolver.so"] {
        fake.remove(name);
    }
    fake.library("/usr/local/cuda/lib64/libcublas.so.12");
    fake.library("/usr/local/cuda/lib64/libcusolver.so.11");
    let message = warning(&fake, "cuda-mixed", "nvidia-cublas nvidia-cusolver");
    assert!(message.contains("cuBLAS of CUDA 12") && message.contains("cuFFT of CUDA 13"), "{message}");
}

#[test]
fn shared_memory_of_a_container_that_is_too_small() {
    let mut fake = Fake::complete();
    fake.driver = Ok(DriverFacts { version: (13, 0), devices: vec![("NVIDIA H200".into(), (9, 0)); 2] });
    fake.text("/.dockerenv", "");
    fake.full.insert("/dev/shm".into());
    warning(&fake, "shared-memory", "--shm-size=1g");
}

#[test]
fn caches_that_cannot_be_used() {
    let folder = PathBuf::from("/home/ann/.cache/cuprum/kernels");
    let changed = |change: &dyn Fn(&mut Fake)| {
        let mut fake = Fake::without_gpu();
        change(&mut fake);
        fake
    };
    let owner = |user, mode| Owner { user, group: USER, mode };
    let read_only = changed(&|fake| {
        fake.read_only.insert(folder.clone());
    });
    warning(&read_only, "cache-read-only", "export CUPRUM_CACHE_DIR=");
    let full = changed(&|fake| {
        fake.full.insert(folder.clone());
    });
    warning(&full, "cache-full", "rm -r /home/ann/.cache/cuprum/kernels");
    let other = changed(&|fake| {
        fake.owners.insert(folder.clone(), owner(1001, 0o755));
    });
    warning(&other, "cache-owner", "sudo chown -R 1000");
    let open = changed(&|fake| {
        fake.owners.insert(folder.clone(), owner(USER, 0o777));
    });
    warning(&open, "cache-open", "chmod -R go-w");
    let homeless = changed(&|fake| {
        fake.variables.remove("HOME");
        fake.set("CUPRUM_NVRTC", PACKAGES);
    });
    warning(&homeless, "cache-homeless", "export CUPRUM_CACHE_DIR=");
    error(&changed(&|fake| fake.set("CUPRUM_CACHE_LIMIT", "1G")), "cache-limit", "export CUPRUM_CACHE_LIMIT=");
    let off = examine(&changed(&|fake| fake.set("CUPRUM_CACHE_LIMIT", "0")), None);
    assert_eq!(ids(&off), ["no-gpu", "cache-off"]);
    // A folder that does not exist yet is created below one that does.
    let absent = changed(&|fake| {
        fake.set("CUPRUM_CACHE_DIR", "/home/ann/new/kernels");
        fake.read_only.insert("/home/ann".into());
    });
    warning(&absent, "cache-read-only", "export CUPRUM_CACHE_DIR=");
}

#[test]
fn variables_that_name_nothing() {
    let mut fake = Fake::without_gpu();
    fake.set("CUPRUM_DEVICES", "sim");
    assert!(warning(&fake, "variable-unknown", "unset CUPRUM_DEVICES").contains("near it: CUPRUM_DEVICE"));
    let mut fake = Fake::without_gpu();
    fake.set("CUPRUM_KERNELS", "/opt/kernels.bin");
    error(&fake, "archive-missing", "unset CUPRUM_KERNELS");
}

#[test]
fn python_packages_that_do_not_match() {
    let mut fake = Fake::without_gpu();
    fake.text("/env/site-packages/cuprum/_cuprum.abi3.so", "");
    let python = PythonInstallation {
        executable: "/env/bin/python".into(),
        folder: "/env/site-packages/cuprum".into(),
        version: Some(env!("CARGO_PKG_VERSION").into()),
        numpy: "2.4.6".into(),
    };
    assert!(examine(&fake, Some(&python)).is_healthy());
    let found = |fake: &Fake, python: PythonInstallation| {
        let diagnosis = examine(fake, Some(&python));
        let finding = diagnosis.findings()[0].clone();
        (finding.id, finding.command.unwrap())
    };
    let (id, command) = found(&fake, PythonInstallation { version: Some("0.0.9".into()), ..python.clone() });
    assert_eq!((id.as_str(), command.contains("--force-reinstall cuprum==0.0.9")), ("python-version", true));
    let (id, command) = found(&fake, PythonInstallation { numpy: "1.26.4".into(), ..python.clone() });
    assert_eq!((id.as_str(), command.contains("'numpy>=2'")), ("python-numpy", true));
    fake.text("/env/site-packages/cuprum-stubs/__init__.pyi", "");
    assert_eq!(found(&fake, python.clone()).0, "python-stubs");
    fake.text("/env/site-packages/cuprum/_cuprum.cpython-312-x86_64-linux-gnu.so", "");
    let (id, command) = found(&fake, python);
    assert_eq!(
        (id.as_str(), command.contains("rm /env/site-packages/cuprum/_cuprum.cpython-312")),
        ("python-extensions", true)
    );
}

#[test]
fn findings_are_written_as_json() {
    let mut fake = Fake::without_gpu();
    fake.set("CUPRUM_DEVICE", "a\"b\\c\n");
    let json = examine(&fake, None).to_json();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["healthy"], false);
    assert_eq!(value["findings"][0]["id"], "device-choice");
    assert!(value["findings"][0]["message"].as_str().unwrap().contains("a\"b\\c\n"));
    assert_eq!(value["findings"][1]["command"], serde_json::Value::Null);
}
