//! Layering of the modules of `gpu/src`: a module uses only modules of its own layer or of lower ones.
//!
//! The layers are those of the table in `docs/src/architecture.md`, which the test thereby keeps up to date. `cargo
//! test -p cuprum-tests --test workspace layers -- --nocapture` prints the modules that each module uses.
//!
//! Import cycles: in no crate do more than [`LIMIT`] files import each other in a circle. Chapters: a file of NumPy's
//! functions in the oracle has the name of the library's file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cuprum_conformance::imports::{Module, code, expand, graph, rust_files};

/// Number of files that may form a cycle.
const LIMIT: usize = 8;

/// The crates, by their folders.
const CRATES: [&str; 11] = [
    "kernels",
    "oracle",
    "gpu",
    "gpu/macros",
    "gpu/sim",
    "gpu/dense",
    "gpu/direct",
    "gpu/geometry",
    "gpu/python",
    "conformance",
    "generate",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Reads the layer of each module from the table.
fn layers() -> BTreeMap<String, u32> {
    let page = std::fs::read_to_string(root().join("docs/src/architecture.md")).unwrap();
    let mut layers = BTreeMap::new();
    for line in page.lines() {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (Some(layer), Some(modules)) = (cells.next().and_then(|c| c.parse().ok()), cells.next()) else { continue };
        for module in modules.split('`').skip(1).step_by(2) {
            let module = module.trim_end_matches('/').trim_end_matches(".rs");
            assert_eq!(layers.insert(module.to_string(), layer), None, "{module} is in two layers");
        }
    }
    layers
}

/// Returns the modules that are compiled for tests alone: `#[cfg(test)] mod name;`.
fn test_modules(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[cfg(test)]\nmod ").skip(1).filter_map(|rest| rest.split_once(';')).map(|(name, _)| name)
}

/// Returns the names that follow `crate::`; of a group in braces, each member.
fn used(code: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let (before, path) = (&code[..at], &code[at + "crate::".len()..]);
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let mut paths = vec![];
        expand(&[], path.split(';').next().unwrap_or_default(), &mut paths);
        for name in paths.into_iter().filter_map(|path| path.into_iter().next()) {
            // A macro that users call refers to public items.
            let seen = || name.starts_with(char::is_uppercase) || path[name.len()..].starts_with('!');
            if path.starts_with('{') || !(before.ends_with('$') && seen()) {
                out.insert(name);
            }
        }
    }
    out.remove("");
    out
}

/// Returns the modules that each module uses, each with a file that does.
fn dependencies() -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    let source = root().join("gpu/src");
    let mut files = Vec::new();
    rust_files(&source, &mut files).unwrap();
    files.sort();
    let texts: Vec<(PathBuf, String)> =
        files.into_iter().map(|f| (f.clone(), std::fs::read_to_string(&f).unwrap())).collect();
    let mut tests = BTreeSet::new();
    for (file, text) in &texts {
        let folder = match file.file_name().unwrap().to_str().unwrap() {
            "mod.rs" | "lib.rs" => file.parent().unwrap().to_path_buf(),
            _ => file.with_extension(""),
        };
        tests.extend(test_modules(text).map(|name| folder.join(name).with_extension("rs")));
    }
    let mut modules: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for (file, text) in texts.iter().filter(|(file, _)| !tests.contains(file)) {
        let inside = file.strip_prefix(&source).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs").to_string();
        if matches!(module.as_str(), "lib" | "bin") {
            continue;
        }
        let uses = modules.entry(module.clone()).or_default();
        for other in used(&code(text)).into_iter().filter(|other| *other != module) {
            uses.entry(other).or_insert_with(|| inside.to_path_buf());
        }
    }
    modules
}

#[test]
fn modules_use_only_lower_layers() {
    let (layers, dependencies) = (layers(), dependencies());
    let mut faults = Vec::new();
    for (module, uses) in &dependencies {
        let Some(layer) = layers.get(module) else {
            faults.push(format!("{module}: the table in docs/src/architecture.md does not have it"));
            continue;
        };
        let names: Vec<&str> = uses.keys().map(String::as_str).collect();
        println!("{layer} {module}: {}", names.join(", "));
        for (other, file) in uses {
            match layers.get(other) {
                None => faults
                    .push(format!("{}: crate::{other} is not a module: name the one that defines it", file.display())),
                Some(above) if above > layer => {
                    faults.push(format!("{}: {module} (layer {layer}) uses {other} (layer {above})", file.display()));
                }
                Some(_) => {}
            }
        }
    }
    for module in layers.keys().filter(|module| !dependencies.contains_key(*module) && *module != "lib") {
        faults.push(format!("{module}: the table has it, gpu/src does not"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn used_modules_are_found() {
    let text = "use crate::{a, b::{c, d}};\nfn f() { crate::e::g(); macro_crate::no(); $crate::Seen; $crate::h::i }\n\
                // crate::comment\n\"[a link](crate::doc)\"\n#[cfg(test)]\nmod tests { use crate::t; }";
    let found: Vec<String> = used(&code(text)).into_iter().collect();
    assert_eq!(found, ["a", "b", "e", "h"]);
    assert_eq!(test_modules("#[cfg(test)]\nmod golden;\nmod real;\n").collect::<Vec<_>>(), ["golden"]);
}

/// Folders of the library that belong to a chapter of the oracle under another name.
const FOLDERS: [(&str, &[&str]); 3] = [
    ("fft", &["fft", "scipy"]),
    ("linalg", &["linalg"]),
    ("polynomials", &["routines/polynomials", "polynomial", "polynomial/bases"]),
];

/// Files of the oracle without a counterpart in the library: its own algorithms, bounds and options, and the functions
/// that the library has in the file of its chapter.
const OF_THE_ORACLE: [(&str, &[&str]); 4] = [
    ("fft", &["lines", "options", "sums", "tests"]),
    ("linalg", &["algorithms", "dot", "matmul", "matrix", "residual"]),
    ("polynomials", &["power_bounds", "power_series", "quotient_bounds", "series"]),
    ("statistics", &["named"]),
];

#[test]
fn chapters_have_the_same_files_in_the_oracle() {
    let source = root().join("gpu/src");
    let chapters = root().join("oracle/src/numpy");
    let of = |table: &[(&'static str, &'static [&'static str])], chapter: &str| -> Vec<&'static str> {
        table.iter().filter(|(name, _)| *name == chapter).flat_map(|(_, all)| all.iter().copied()).collect()
    };
    let mut files = Vec::new();
    rust_files(&chapters, &mut files).unwrap();
    let mut missing = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&chapters).unwrap().with_extension("");
        let names: Vec<&str> = inside.iter().map(|part| part.to_str().unwrap()).collect();
        let found = match names[..] {
            [_, "mod"] | ["mod"] => true,
            [chapter] => ["routines", ""].iter().any(|folder| {
                let path = source.join(folder).join(chapter);
                path.is_dir() || path.with_extension("rs").is_file()
            }),
            [chapter, name] => {
                let own = format!("routines/{chapter}");
                let folders = [of(&FOLDERS, chapter), vec![own.as_str()]].concat();
                of(&OF_THE_ORACLE, chapter).contains(&name)
                    || folders.iter().any(|folder| source.join(folder).join(name).with_extension("rs").is_file())
            }
            _ => false,
        };
        if !found {
            missing.push(inside.display().to_string());
        }
    }
    assert!(missing.is_empty(), "the library has no such files: {}", missing.join(", "));
}

/// Returns the modules that can be reached from one by imports.
fn reached<'a>(from: &'a Module, graph: &'a BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<&'a Module> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(graph[module].iter().filter(|next| seen.insert(*next)));
    }
    seen
}

#[test]
fn cycles_of_imports_are_small() {
    let mut edges = 0;
    for of in CRATES {
        let graph = graph(&root().join(of).join("src")).unwrap();
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
