//! The generated files: their contents, writing them, and comparing them with the existing ones.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use similar::TextDiff;

use crate::Project;
use crate::jobs::{self, MARK};
use crate::page;
use crate::workflow;

/// The folder of the targets' files; a file in it without a target is an orphan.
const JOBS: &str = "ci/jobs";

/// Returns every generated file: its path from the root of the project, and its text. `covered` is the second part of
/// the coverage page, `given` are the pages that do not depend on the targets.
pub fn contents(project: &Project, covered: &str, given: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut files = given;
    for target in project.targets.iter().filter(|target| !target.external) {
        files.insert(format!("{JOBS}/{}.sh", target.name), jobs::script(&project.schema, target));
        files.insert(format!("{JOBS}/{}.Dockerfile", target.name), jobs::dockerfile(&project.schema, target));
    }
    files.insert(".github/workflows/ci.yml".to_owned(), workflow::workflow(&project.schema, &project.targets));
    files.insert("ci/tags.json".to_owned(), workflow::tags(&project.targets));
    files.insert("docs/src/coverage.md".to_owned(), page::coverage(project, covered));
    let attributes = workflow::attributes(files.keys().map(String::as_str));
    files.insert(".gitattributes".to_owned(), attributes);
    files
}

/// Returns the paths of the handwritten scripts that targets with `extern` require.
fn by_hand(project: &Project) -> impl Iterator<Item = String> {
    project.targets.iter().filter(|target| target.external).map(|target| format!("{JOBS}/{}.sh", target.name))
}

/// Returns the files under `ci/jobs` that belong to no target.
fn orphans(root: &Path, project: &Project, files: &BTreeMap<String, String>) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(root.join(JOBS)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = format!("{JOBS}/{}", entry?.file_name().to_string_lossy());
        if !files.contains_key(&path) && !by_hand(project).any(|known| known == path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Describes every difference between the tree at `root` and `files`; empty if the tree is current.
///
/// # Errors
///
/// Returns an error if an existing file cannot be read.
pub fn differences(root: &Path, project: &Project, files: &BTreeMap<String, String>) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for (path, wanted) in files {
        let actual = match fs::read_to_string(root.join(path)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        if actual != *wanted {
            let diff = TextDiff::from_lines(&actual, wanted);
            found.push(diff.unified_diff().header(path, &format!("{path} (generated)")).to_string());
        } else if path.ends_with(".sh") && !is_executable(&root.join(path))? {
            found.push(format!("{path}: not executable\n"));
        }
    }
    for path in orphans(root, project, files)? {
        found.push(format!("{path}: belongs to no target of matrix.yaml\n"));
    }
    for path in by_hand(project).filter(|path| !root.join(path).exists()) {
        found.push(format!("{path}: the target is extern, but its script is not there\n"));
    }
    Ok(found)
}

/// Writes the files that differ, deletes generated files that belong to no target, and returns the paths.
///
/// # Errors
///
/// Returns an error at the first file that cannot be read, written or deleted.
pub fn write(root: &Path, project: &Project, files: &BTreeMap<String, String>) -> io::Result<Vec<String>> {
    let mut changed = Vec::new();
    for (path, wanted) in files {
        let full = root.join(path);
        let stale = fs::read_to_string(&full).ok().as_ref() != Some(wanted);
        if stale {
            if let Some(folder) = full.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&full, wanted)?;
        }
        let made_executable = path.ends_with(".sh") && make_executable(&full)?;
        if stale || made_executable {
            changed.push(format!("wrote {path}"));
        }
    }
    for path in orphans(root, project, files)? {
        let full = root.join(&path);
        // Handwritten files are not deleted; the check reports them.
        if fs::read_to_string(&full).is_ok_and(|text| text.lines().take(2).any(|line| line.contains(MARK))) {
            fs::remove_file(&full)?;
            changed.push(format!("deleted {path}"));
        }
    }
    Ok(changed)
}

#[cfg(unix)]
fn is_executable(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::metadata(path)?.permissions().mode() & 0o111 != 0)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    if is_executable(path)? {
        return Ok(false);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(true)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<bool> {
    Ok(false)
}
