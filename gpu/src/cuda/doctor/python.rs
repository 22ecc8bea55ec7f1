//! Checks of the Python package.

use std::path::PathBuf;

use super::Report;

/// Checks it, if the diagnosis is made from Python.
pub(super) fn check(report: &mut Report<'_>) {
    let Some(python) = report.python else { return };
    let (pip, own) = (format!("{} -m pip", python.executable.display()), env!("CARGO_PKG_VERSION"));
    if let Some(version) = python.version.as_deref().filter(|version| *version != own) {
        let message = format!("The package cuprum is of version {version}, and its extension module of {own}.");
        report.error("python-version", message, format!("{pip} install --force-reinstall cuprum=={version}"));
    }
    let named = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let entries = report.host.list(&python.folder);
    let modules: Vec<&PathBuf> =
        entries.iter().filter(|path| named(path).starts_with("_cuprum.") && named(path).ends_with(".so")).collect();
    if modules.len() > 1 {
        // Python prefers the one that names its own version, which an installation over an older one leaves.
        let names: Vec<String> = modules.iter().map(|path| named(path)).collect();
        let message = format!("{} has several extension modules: {}.", python.folder.display(), names.join(", "));
        let stale = modules.iter().find(|path| !named(path).contains("abi3")).unwrap_or(&modules[0]);
        report.error("python-extensions", message, format!("rm {}", stale.display()));
    }
    let siblings = python.folder.parent().map(|folder| report.host.list(folder)).unwrap_or_default();
    if siblings.iter().any(|path| named(path) == "cuprum-stubs") {
        let message = "The package cuprum-stubs hides the types that come with the package cuprum.";
        report.warning("python-stubs", message, format!("{pip} uninstall --yes cuprum-stubs"));
    }
    if python.numpy.split('.').next().and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major < 2) {
        let message = format!("NumPy {} is too old: 2.0 or later is needed.", python.numpy);
        report.error("python-numpy", message, format!("{pip} install 'numpy>=2'"));
    }
}
