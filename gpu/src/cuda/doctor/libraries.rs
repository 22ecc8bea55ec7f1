//! Checks of the run-time compiler and of CUDA's libraries.

use std::path::{Path, PathBuf};

use super::gpu::without_folder;
use super::{Report, Severity};
use crate::driver::host::{DriverFacts, Library};
use crate::driver::nvrtc::Version;
use crate::driver::search_paths::{
    CUBLAS, CUDSS, CUFFT, CUSOLVER, NCCL, NVJITLINK, NVRTC, SearchSpec, candidates, cuda_of, find_on, install_command,
    variable,
};

/// Checks the compiler, and the libraries of a GPU if there is one.
pub(super) fn check(report: &mut Report<'_>, driver: Option<&DriverFacts>) {
    let devices = driver.map_or(0, |driver| driver.devices.len());
    let driver = driver.filter(|_| devices > 0).map(|driver| driver.version);
    let mut found: Vec<(&SearchSpec, PathBuf)> = vec![];
    if let Some(file) = compiler(report, driver) {
        found.push((&NVRTC, file));
    }
    if devices == 0 {
        return;
    }
    for spec in [&CUBLAS, &CUSOLVER, &CUFFT] {
        if let Some(file) = library(report, spec, driver, Severity::Warning) {
            found.push((spec, file));
        }
    }
    for (spec, is_needed) in [(&NVJITLINK, false), (&CUDSS, false), (&NCCL, devices > 1)] {
        let missing = if is_needed { Severity::Warning } else { Severity::Note };
        if let Some(file) = library(report, spec, driver, missing) {
            found.push((spec, file));
        }
    }
    mixed(report, &found, driver);
}

/// Checks NVRTC, without which nothing runs.
fn compiler(report: &mut Report<'_>, driver: Option<Version>) -> Option<PathBuf> {
    let host = report.host;
    if let Some(named) = variable(host, "CUPRUM_NVRTC")
        && candidates(host, &NVRTC).is_empty()
    {
        let message = format!("CUPRUM_NVRTC names {}, which has no NVRTC.", named.display());
        report.error("nvrtc-variable", message, "unset CUPRUM_NVRTC");
        return None;
    }
    let file = library(report, &NVRTC, driver, Severity::Error)?;
    if let Some(cuda) = cuda_of(host, &NVRTC, &file).filter(|cuda| *cuda < 12) {
        let message = format!("NVRTC at {} is of CUDA {cuda}, and 12.0 is the oldest that works.", file.display());
        let command = install(report, &NVRTC, driver);
        report.error("nvrtc-old", message, command);
        return None;
    }
    let folders = [Some(file.clone()), host.real(&file)].into_iter().flatten();
    let mut entries = folders.filter_map(|file| Some(host.list(file.parent()?))).flatten();
    let is_second =
        |path: PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libnvrtc-builtins.so"));
    if !entries.any(is_second) {
        let message = format!("NVRTC at {} lacks its second library, libnvrtc-builtins.so.", file.display());
        let command = install(report, &NVRTC, driver);
        report.error("nvrtc-builtins", message, command);
    }
    Some(file)
}

/// Returns the command that installs a library.
fn install(report: &Report<'_>, spec: &SearchSpec, driver: Option<Version>) -> String {
    let pinned = driver.is_none_or(|(major, _)| major >= 13);
    if std::ptr::eq(spec, &raw const NVRTC) && pinned && report.python.is_none() {
        return "cuprum setup".into();
    }
    let command = install_command(report.host, spec, driver);
    match report.python {
        Some(python) => command.replacen("python3", &python.executable.display().to_string(), 1),
        None => command,
    }
}

/// Checks a library of a machine, and returns its file if it can be used. `missing` is the severity if there is none.
fn library(report: &mut Report<'_>, spec: &SearchSpec, driver: Option<Version>, missing: Severity) -> Option<PathBuf> {
    let host = report.host;
    let (name, id) = (spec.name, spec.name.to_lowercase());
    let severity = missing.max(Severity::Warning);
    let command = install(report, spec, driver);
    let all = candidates(host, spec);
    let Ok(file) = find_on(host, spec, driver) else {
        match all.first().zip(driver) {
            Some((file, (major, minor))) => {
                let cuda = cuda_of(host, spec, file).map_or_else(String::new, |cuda| format!(" of CUDA {cuda}"));
                let message =
                    format!("{name}{cuda} at {} is too new for the driver of CUDA {major}.{minor}.", file.display());
                report.add(severity, format!("{id}-new"), message, Some(command));
            }
            None => {
                let message = format!("{name}, {}, is not installed.", spec.purpose);
                let command = (missing > Severity::Note).then_some(command);
                report.add(missing, format!("{id}-missing"), message, command);
            }
        }
        return None;
    };
    if let Some(fault) = host.read(&file, 20).and_then(|head| wrong_format(&head)) {
        let message = format!("{name} at {} is {fault}.", file.display());
        report.add(severity, format!("{id}-format"), message, Some(command));
        return None;
    }
    if let Err(message) = host.load(&Library { file: &file, name }) {
        let message = format!("{}.", message.trim_end_matches('.'));
        report.add(severity, format!("{id}-load"), message, Some(command));
        return None;
    }
    shadowed(report, spec, &file, &all, driver);
    Some(file)
}

/// Reports a folder of `LD_LIBRARY_PATH` whose library hides a newer one that the driver could load.
fn shadowed(report: &mut Report<'_>, spec: &SearchSpec, file: &Path, all: &[PathBuf], driver: Option<Version>) {
    let host = report.host;
    let path = host.variable("LD_LIBRARY_PATH").unwrap_or_default();
    let Some(folder) = std::env::split_paths(&path).find(|folder| file.parent() == Some(folder)) else { return };
    let Some(cuda) = cuda_of(host, spec, file) else { return };
    let newest = driver.map_or(i32::MAX, |driver| driver.0);
    let newer = all.iter().filter_map(|other| Some((other, cuda_of(host, spec, other)?)));
    let Some((other, newer)) = newer.filter(|(_, c)| *c > cuda && *c <= newest).max_by_key(|(_, c)| *c) else { return };
    let message = format!(
        "LD_LIBRARY_PATH has {}, whose {} of CUDA {cuda} hides the one of CUDA {newer} at {}.",
        folder.display(),
        spec.name,
        other.display()
    );
    let command = without_folder(report, &folder);
    report.warning("library-shadowed", message, command);
}

/// Reports libraries of different CUDA versions, which load each other's parts.
fn mixed(report: &mut Report<'_>, found: &[(&SearchSpec, PathBuf)], driver: Option<Version>) {
    let host = report.host;
    let versions: Vec<(&SearchSpec, i32)> =
        found.iter().filter_map(|(spec, file)| Some((*spec, cuda_of(host, spec, file)?))).collect();
    let Some(newest) = versions.iter().map(|(_, cuda)| *cuda).max() else { return };
    let older: Vec<&SearchSpec> = versions.iter().filter(|(_, cuda)| *cuda < newest).map(|(spec, _)| *spec).collect();
    let Some(first) = older.first() else { return };
    let names: Vec<String> = versions.iter().map(|(spec, cuda)| format!("{} of CUDA {cuda}", spec.name)).collect();
    let mut command = install(report, first, driver);
    if command == "cuprum setup" {
        command = install_command(host, first, driver);
    }
    for spec in &older[1..] {
        let one = install_command(host, spec, driver);
        command = format!("{command} {}", one.rsplit(' ').next().unwrap_or_default());
    }
    report.warning(
        "cuda-mixed",
        format!("Libraries of different CUDA versions are installed: {}.", names.join(", ")),
        command,
    );
}

/// Returns what is wrong with a library's format, from its first bytes: it is for another processor, or no library.
fn wrong_format(head: &[u8]) -> Option<String> {
    // The processor of a Windows library is in a header that is not at its beginning.
    if cfg!(windows) {
        return (!head.starts_with(b"MZ")).then(|| "not a library".into());
    }
    let [0x7f, b'E', b'L', b'F', class, ..] = head else { return Some("not a library".into()) };
    let machine = head.get(18..20).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    let wanted = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    match (class, machine) {
        (1, _) => Some("a 32-bit library".into()),
        (_, Some(machine)) if machine == wanted => None,
        (_, Some(62)) => Some("a library for x86-64".into()),
        (_, Some(183)) => Some("a library for aarch64".into()),
        _ => Some("a library for another processor".into()),
    }
}
