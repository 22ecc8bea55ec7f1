//! Checks of the cache of kernels and of the library's environment variables.

use std::path::{Path, PathBuf};

use super::Report;
use crate::cuda::ENVIRONMENT;
use crate::driver::cache::{DEFAULT_LIMIT, OPEN};
use crate::driver::folders;
use crate::error::near_names;

/// Free bytes below which compiled kernels no longer fit on the disk: those of a program of some size.
const ROOM: u64 = 64 << 20;

/// The command that moves the cache to a folder that every user can create.
const ELSEWHERE: &str = "export CUPRUM_CACHE_DIR=/var/tmp/cuprum-$(id -u)";

/// Checks them.
pub(super) fn check(report: &mut Report<'_>) {
    cache(report);
    archives(report);
    variables(report);
}

/// Checks the folder of the cache, or the nearest one above it that exists.
fn cache(report: &mut Report<'_>) {
    let host = report.host;
    let limit = report.variable("CUPRUM_CACHE_LIMIT");
    if let Some(text) = &limit
        && text.parse::<u64>().is_err()
    {
        let message = format!("CUPRUM_CACHE_LIMIT={text} is not a number of bytes.");
        report.error("cache-limit", message, format!("export CUPRUM_CACHE_LIMIT={DEFAULT_LIMIT}"));
    }
    if limit.as_deref() == Some("0") {
        report.note("cache-off", "CUPRUM_CACHE_LIMIT=0 turns the cache off: every process compiles its kernels.");
        return;
    }
    let named = host.variable("CUPRUM_CACHE_DIR").map(PathBuf::from);
    let Some(folder) = named.or_else(|| folders::user_on(host).map(|root| root.join("kernels"))) else {
        let message = "Neither HOME nor XDG_CACHE_HOME is set, so that compiled kernels are not kept.";
        report.warning("cache-homeless", message, ELSEWHERE);
        return;
    };
    let Some(existing) = folder.ancestors().find(|path| host.owner(path).is_some()) else { return };
    let Some(owner) = host.owner(existing) else { return };
    let (shown, user) = (existing.display(), host.user());
    if existing == folder && owner.user != user && owner.user != 0 {
        let message =
            format!("The cache of kernels {shown} belongs to user {}, and its files are rejected.", owner.user);
        report.warning("cache-owner", message, format!("sudo chown -R {user} {shown}"));
    } else if existing == folder && owner.mode & OPEN != 0 {
        let message = format!("Others may write to the cache of kernels {shown}, and replace code that programs run.");
        report.warning("cache-open", message, format!("chmod -R go-w {shown}"));
    }
    if !host.is_writable(existing) {
        let message = format!("The cache of kernels {} cannot be written to.", folder.display());
        report.warning("cache-read-only", message, ELSEWHERE);
    } else if let Some(free) = host.free_bytes(existing).filter(|&free| free < ROOM) {
        let message = format!("The disk of the cache of kernels {} has {} MiB free.", folder.display(), free >> 20);
        let command = if existing == folder { format!("rm -r {shown}") } else { ELSEWHERE.into() };
        report.warning("cache-full", message, command);
    }
}

/// Checks that the archives of `CUPRUM_KERNELS` exist.
fn archives(report: &mut Report<'_>) {
    let paths = report.host.variable("CUPRUM_KERNELS").unwrap_or_default();
    for path in std::env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty()) {
        if !report.host.is_file(Path::new(&path)) {
            let message = format!("CUPRUM_KERNELS names {}, which does not exist.", path.display());
            report.error("archive-missing", message, "unset CUPRUM_KERNELS");
        }
    }
}

/// Checks for variables with the library's prefix that it does not read.
fn variables(report: &mut Report<'_>) {
    let known = || ENVIRONMENT.iter().map(|(name, _)| *name);
    let mut names = report.host.variables();
    names.sort();
    for name in names.iter().filter(|name| name.starts_with("CUPRUM_") && !known().any(|k| k == name.as_str())) {
        let message = format!("The library reads no variable {name}{}.", near_names(name, known()));
        report.warning("variable-unknown", message, format!("unset {name}"));
    }
}
