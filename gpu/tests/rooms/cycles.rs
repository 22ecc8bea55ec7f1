//! Import cycles: in no crate do more than [`LIMIT`] files import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{code, rust_files};

/// Number of files that may form a cycle.
const LIMIT: usize = 8;

/// The crates, by their folders.
const CRATES: [&str; 9] =
    ["kernels", "oracle", "gpu", "gpu/macros", "gpu/sim", "gpu/dense", "gpu/python", "conformance", "generate"];

type Module = Vec<String>;

/// Returns the files of a crate by the paths of their modules.
fn modules(folder: &Path) -> BTreeMap<Module, PathBuf> {
    let mut files = vec![];
    rust_files(folder, &mut files);
    files.retain(|file| !file.strip_prefix(folder).is_ok_and(|path| path.starts_with("bin")));
    let module = |file: &PathBuf| {
        let path = file.strip_prefix(folder).expect("a file of the folder").with_extension("");
        let mut parts: Module = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        parts.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
        parts
    };
    files.into_iter().map(|file| (module(&file), file)).collect()
}

/// Adds the paths that an import names: `a::{b, c::d}` names `a::b` and `a::c::d`.
pub(super) fn expand(prefix: &[String], import: &str, out: &mut Vec<Module>) {
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

/// Returns the modules that a file names, in imports and in paths.
fn imports(module: &Module, text: &str, known: &BTreeMap<Module, PathBuf>) -> BTreeSet<Module> {
    let text = code(text);
    let parent = &module[..module.len().saturating_sub(1)];
    let mut paths = vec![];
    for (root, mut base) in [("crate::", vec![]), ("super::", parent.to_vec()), ("self::", module.clone())] {
        for (at, _) in text.match_indices(root) {
            if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let mut rest = &text[at + root.len()..];
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
    let resolve =
        |path: Module| (1..=path.len()).rev().map(|n| path[..n].to_vec()).find(|path| known.contains_key(path));
    paths.into_iter().filter_map(resolve).filter(|path| path != module).collect()
}

/// Returns the modules that can be reached from one by imports.
fn reached<'a>(from: &'a Module, graph: &'a BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<&'a Module> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(graph[module].iter().filter(|next| seen.insert(*next)));
    }
    seen
}

fn graph(folder: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let known = modules(folder);
    let text = |file: &PathBuf| std::fs::read_to_string(file).expect("a source file");
    known.iter().map(|(module, file)| (module.clone(), imports(module, &text(file), &known))).collect()
}

#[test]
fn cycles_of_imports_are_small() {
    let mut edges = 0;
    for of in CRATES {
        let graph = graph(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(of).join("src"));
        edges += graph.values().map(BTreeSet::len).sum::<usize>();
        let all: BTreeMap<&Module, BTreeSet<&Module>> = graph.keys().map(|m| (m, reached(m, &graph))).collect();
        for module in graph.keys() {
            let cycle: Vec<String> =
                all[module].iter().filter(|other| all[**other].contains(module)).map(|m| m.join("/")).collect();
            assert!(cycle.len() <= LIMIT, "{of}: {} files import each other: {}", cycle.len(), cycle.join(", "));
        }
    }
    assert!(edges > 3000, "only {edges} imports were found");
}

#[test]
fn groups_of_imports_are_expanded() {
    let mut paths = vec![];
    expand(&[], "a::{b::{C, D as E}, f::g}", &mut paths);
    let paths: Vec<String> = paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["a::b::C", "a::b::D", "a::f::g"]);
}
