//! Imports of the project's source files, read from their text.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// The path of a module in its crate.
pub type Module = Vec<String>;

/// Adds the Rust files of a folder and of the folders in it.
///
/// # Errors
/// A folder that cannot be read.
pub fn rust_files(folder: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            rust_files(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    Ok(())
}

/// Returns a source without comments and without tests, which may use any module.
pub fn code(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.trim_start().starts_with("//") && !line.contains("](crate::"));
    let kept: Vec<&str> = kept.collect();
    let kept = kept.join("\n");
    kept.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_string()
}

/// Returns the files of a crate by the paths of their modules. `folder` is its `src`.
///
/// # Errors
/// A folder that cannot be read.
pub fn modules(folder: &Path) -> io::Result<BTreeMap<Module, PathBuf>> {
    let mut files = vec![];
    rust_files(folder, &mut files)?;
    files.retain(|file| !file.strip_prefix(folder).is_ok_and(|path| path.starts_with("bin")));
    let module = |file: &PathBuf| {
        let path = file.strip_prefix(folder).unwrap_or(file).with_extension("");
        let mut parts: Module = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        parts.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
        parts
    };
    Ok(files.into_iter().map(|file| (module(&file), file)).collect())
}

/// Adds the paths that an import names: `a::{b, c::d}` names `a::b` and `a::c::d`.
pub fn expand(prefix: &[String], import: &str, out: &mut Vec<Module>) {
    let mut path = prefix.to_vec();
    let mut rest = import.trim();
    while let Some((part, after)) =
        rest.split_once("::").filter(|(part, _)| part.chars().all(|c| c.is_alphanumeric() || c == '_'))
    {
        path.push(part.to_string());
        rest = after.trim_start();
    }
    let Some(group) = rest.strip_prefix('{') else {
        path.extend(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_string));
        return out.push(path);
    };
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                expand(&path, &group[start..at], out);
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
}

/// Returns the paths of its crate that a source names, in imports and in paths: of each, the modules and the item.
pub fn named(module: &[String], code: &str) -> Vec<Module> {
    let parent = &module[..module.len().saturating_sub(1)];
    let mut paths = vec![];
    for (root, mut base) in [("crate::", vec![]), ("super::", parent.to_vec()), ("self::", module.to_vec())] {
        for (at, _) in code.match_indices(root) {
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let mut rest = &code[at + root.len()..];
            let own = base.clone();
            while let Some(after) = rest.strip_prefix("super::") {
                base.pop();
                rest = after;
            }
            let end = rest.find(';').unwrap_or(rest.len());
            expand(&base, &rest[..end], &mut paths);
            base = own;
        }
    }
    paths
}

/// Returns the module of a path: the longest part of it that is one.
pub fn module_of(path: &[String], known: &BTreeMap<Module, PathBuf>) -> Option<Module> {
    (1..=path.len()).rev().map(|n| path[..n].to_vec()).find(|path| known.contains_key(path))
}

/// Returns the modules of a crate that each of its modules imports. `folder` is its `src`.
///
/// # Errors
/// A file that cannot be read.
pub fn graph(folder: &Path) -> io::Result<BTreeMap<Module, BTreeSet<Module>>> {
    let known = modules(folder)?;
    let mut graph = BTreeMap::new();
    for (module, file) in &known {
        let paths = named(module, &code(&std::fs::read_to_string(file)?));
        let imports = paths.iter().filter_map(|path| module_of(path, &known)).filter(|path| path != module);
        graph.insert(module.clone(), imports.collect());
    }
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_imports_are_expanded() {
        let mut paths = vec![];
        expand(&[], "a::{b::{C, D as E}, f::g}", &mut paths);
        let paths: Vec<String> = paths.iter().map(|path| path.join("::")).collect();
        assert_eq!(paths, ["a::b::C", "a::b::D", "a::f::g"]);
    }
}
