//! Diagnosis of an installation: what keeps programs from running on a GPU or on the simulator, and for each fault the
//! command that repairs it.
//!
//! `cuprum doctor` and `python -m cuprum doctor` print it. Every check reads the machine through [`Host`] alone.

mod files;
mod gpu;
mod libraries;
mod python;
#[cfg(test)]
mod tests;

use std::fmt::{self, Write};
use std::path::PathBuf;

use crate::driver::host::{DriverFacts, Host, Machine};

/// Severity of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// Nothing to repair: a fact that explains what programs do.
    Note,
    /// Some functions fail, or run slowly.
    Warning,
    /// Programs fail, or run on the simulator although there is a GPU.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// A fault of an installation, or a fact about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Identifier that does not change between releases: `nvrtc-missing`.
    pub id: String,
    /// Severity.
    pub severity: Severity,
    /// One sentence that describes it.
    pub message: String,
    /// The command that repairs it; `None` if nothing is to be repaired.
    pub command: Option<String>,
}

/// Installation of the Python package, which Python knows and this library does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PythonInstallation {
    /// The interpreter: `sys.executable`.
    pub executable: PathBuf,
    /// The folder of the package.
    pub folder: PathBuf,
    /// The version in the package's metadata; `None` if it is imported from a checkout.
    pub version: Option<String>,
    /// The version of NumPy.
    pub numpy: String,
}

/// Result of [`diagnose`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    findings: Vec<Finding>,
    device: String,
}

impl Diagnosis {
    /// Returns the findings, the most severe ones first.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns true if no finding is an error.
    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity < Severity::Error)
    }

    /// Returns the findings as JSON: `version`, `healthy`, `device` and the list `findings`, each with `id`, `severity`,
    /// `message` and `command`, which may be null.
    pub fn to_json(&self) -> String {
        let finding = |f: &Finding| {
            let command = f.command.as_deref().map_or("null".into(), quoted);
            format!(
                "{{\"id\": {}, \"severity\": \"{}\", \"message\": {}, \"command\": {command}}}",
                quoted(&f.id),
                f.severity,
                quoted(&f.message)
            )
        };
        let findings: Vec<String> = self.findings.iter().map(finding).collect();
        format!(
            "{{\"version\": {}, \"healthy\": {}, \"device\": {}, \"findings\": [{}]}}\n",
            quoted(env!("CARGO_PKG_VERSION")),
            self.is_healthy(),
            quoted(&self.device),
            findings.join(", ")
        )
    }
}

/// Returns a string of JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { id, severity, message, command } in &self.findings {
            writeln!(f, "{severity}: {message} [{id}]")?;
            if let Some(command) = command {
                writeln!(f, "    {command}")?;
            }
        }
        let count = |severity| self.findings.iter().filter(|finding| finding.severity == severity).count();
        match (count(Severity::Error), count(Severity::Warning)) {
            (0, 0) => writeln!(f, "Nothing to repair. Programs run on {}.", self.device),
            (0, warnings) => writeln!(f, "{} to repair. Programs run on {}.", plural(warnings, "warning"), self.device),
            (errors, warnings) => {
                writeln!(f, "{} and {} to repair.", plural(errors, "error"), plural(warnings, "warning"))
            }
        }
    }
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Findings so far, and the machine that is checked.
struct Report<'a> {
    host: &'a dyn Host,
    python: Option<&'a PythonInstallation>,
    findings: Vec<Finding>,
}

impl Report<'_> {
    fn add(&mut self, severity: Severity, id: impl Into<String>, message: impl Into<String>, command: Option<String>) {
        self.findings.push(Finding { id: id.into(), severity, message: message.into(), command });
    }

    fn error(&mut self, id: impl Into<String>, message: impl Into<String>, command: impl Into<String>) {
        self.add(Severity::Error, id, message, Some(command.into()));
    }

    fn warning(&mut self, id: impl Into<String>, message: impl Into<String>, command: impl Into<String>) {
        self.add(Severity::Warning, id, message, Some(command.into()));
    }

    fn note(&mut self, id: impl Into<String>, message: impl Into<String>) {
        self.add(Severity::Note, id, message, None);
    }

    /// Returns a file of text.
    fn text(&self, file: &str) -> Option<String> {
        // Files of the kernel and of the system's configuration are small.
        let bytes = self.host.read(file.as_ref(), 1 << 20)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns an environment variable as text.
    fn variable(&self, name: &str) -> Option<String> {
        self.host.variable(name).map(|value| value.to_string_lossy().into_owned())
    }
}

/// Checks the installation of this machine: the GPU and its driver, the compiler and the libraries of CUDA, the cache of
/// kernels and the environment variables; with `python`, also the Python package.
///
/// The checks read files and variables, open libraries and start the driver. They change nothing, and create no context on
/// a GPU. `cuprum doctor` prints the result.
///
/// # Synchronization
///
/// None.
///
/// ```
/// let diagnosis = cuprum::cuda::diagnose(None);
/// for finding in diagnosis.findings() {
///     println!("{}: {}", finding.id, finding.message);
/// }
/// assert!(diagnosis.to_json().starts_with("{\"version\""));
/// ```
pub fn diagnose(python: Option<&PythonInstallation>) -> Diagnosis {
    examine(&Machine, python)
}

/// Checks the installation of a machine.
fn examine(host: &dyn Host, python: Option<&PythonInstallation>) -> Diagnosis {
    let mut report = Report { host, python, findings: vec![] };
    let driver = gpu::check(&mut report);
    libraries::check(&mut report, driver.as_ref());
    files::check(&mut report);
    python::check(&mut report);
    let device = device(&report, driver.as_ref());
    let mut findings = report.findings;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Diagnosis { findings, device }
}

/// Returns the device of a program that names none.
fn device(report: &Report<'_>, driver: Option<&DriverFacts>) -> String {
    let devices = driver.map_or(&[][..], |driver| &driver.devices);
    let chosen = report.variable("CUPRUM_DEVICE").unwrap_or_else(|| "cuda:0".into());
    let number = chosen.strip_prefix("cuda:").and_then(|number| number.parse::<usize>().ok());
    match number.and_then(|number| devices.get(number)) {
        Some((name, _)) => format!("{chosen}, {name}"),
        None if chosen.starts_with("hip") => format!("{chosen}, an AMD GPU: its support was never run"),
        None => "the simulator".into(),
    }
}
