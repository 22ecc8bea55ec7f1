//! Cases of changed files: those of the functions that use them, the nearest first.
//!
//! The distance of a function from a changed file is the least number of imports between the file and one in which the
//! function is defined. Uses are read from the text: a path of another module, an item of `cuprum_kernels::source`, a
//! header by its name. Names that a module re-exports lead to the module that defines them, and a module uses its submodules.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::case::Case;
use crate::imports::{Module, code, expand, module_of, modules, named};
use crate::matrix::Matrix;
use crate::sample;
use crate::shard::Costs;

/// Seconds of one core that the cases may take, by `conformance/costs.txt`.
const SECONDS: f64 = 40.0;

/// Returns the files of the checkout that differ from a commit, with those that git does not know yet.
///
/// # Errors
/// A commit that git does not know; no git.
fn files(root: &Path, base: &str) -> Result<Vec<String>, String> {
    let mut files = git(root, &["diff", "--name-only", base, "--"])?;
    files += &git(root, &["ls-files", "--others", "--exclude-standard"])?;
    Ok(files.lines().map(str::to_string).collect())
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let output =
        Command::new("git").current_dir(root).args(arguments).output().map_err(|e| format!("--changed: git: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("--changed: git: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// Returns the cases that the files changed since a commit can affect, of each operation equally many, the nearest operations
/// first, as many as take forty seconds on each of `cores`.
///
/// # Errors
/// A commit that git does not know; a source file that cannot be read; no function that uses one of the files, which are named.
pub fn cases(matrix: &Matrix, root: &Path, base: &str, cores: usize) -> Result<Vec<Case>, String> {
    let changed = files(root, base)?;
    let declared = declared_anew(root, base)?;
    nearest(matrix, root, &changed, &declared, cores)
}

fn nearest(
    matrix: &Matrix,
    root: &Path,
    changed: &[String],
    declared: &BTreeSet<String>,
    cores: usize,
) -> Result<Vec<Case>, String> {
    let functions = Sources::read(root).map_err(|e| format!("--changed: {e}"))?.functions(changed);
    let mut groups: BTreeMap<usize, Vec<Vec<Case>>> = BTreeMap::new();
    for op in &matrix.ops {
        let distance = match declared.contains(&op.name) {
            true => Some(0),
            false => distance(op.function.as_deref().unwrap_or(&op.name), &functions),
        };
        if let Some(distance) = distance {
            groups.entry(distance).or_default().push(sample::cases_of(matrix, op, false, matrix.seed));
        }
    }
    if groups.is_empty() {
        return Err(format!("--changed: no case depends on the changed files: {}", changed.join(", ")));
    }
    let (costs, mut left, mut picked) = (Costs::measured(), SECONDS * 1000.0 * cores as f64, vec![]);
    for mut group in groups.into_values() {
        while left > 0.0 && group.iter().any(|cases| !cases.is_empty()) {
            for cases in group.iter_mut().filter(|cases| !cases.is_empty()) {
                // Cases are ordered by their dtypes: the middle one of those that are left.
                let case = cases.remove(cases.len() / 2);
                left -= costs.case(&case);
                picked.push(case);
            }
        }
    }
    Ok(picked)
}

/// Returns the least distance of a function, or of a function of its path: of `add.reduce`, `add`.
fn distance(function: &str, functions: &BTreeMap<String, usize>) -> Option<usize> {
    let names = function.split('.').filter(|name| !METHODS.contains(name));
    names.filter_map(|name| functions.get(name)).min().copied()
}

/// Returns the operations whose lines in the matrix differ from those of a commit.
fn declared_anew(root: &Path, base: &str) -> Result<BTreeSet<String>, String> {
    let text = git(root, &["diff", "-U0", base, "--", "matrix"])?;
    let name = |line: &str| Some(line.split_once("name: ")?.1.split([',', '}']).next()?.trim().to_string());
    Ok(text.lines().filter(|line| line.starts_with('+')).filter_map(name).collect())
}

/// A source file, by its path in the checkout.
type File = String;

/// The source files of the library, of its kernels and of the oracle, with what each uses.
struct Sources {
    texts: BTreeMap<File, String>,
    uses: BTreeMap<File, BTreeSet<File>>,
}

/// Re-exported names of each module of a crate, with the modules that define them.
type Exports = BTreeMap<Module, BTreeMap<String, Module>>;

impl Sources {
    fn read(root: &Path) -> std::io::Result<Sources> {
        let mut sources = Sources { texts: BTreeMap::new(), uses: BTreeMap::new() };
        for entry in std::fs::read_dir(root.join("kernels/include"))? {
            let path = entry?.path();
            sources.texts.insert(inside(root, &path), std::fs::read_to_string(&path)?);
        }
        let headers: Vec<(String, File)> = sources.texts.keys().map(|file| (stem(file), file.clone())).collect();
        let kernels = sources.add(root, "kernels/src", None)?;
        // The kernels' sources name headers by `header!("scan")`, or by their files.
        for (file, text) in sources.texts.iter().filter(|(file, _)| file.starts_with("kernels/src")) {
            let named = |name: &str| text.contains(&format!("\"{name}\"")) || text.contains(&format!("/{name}.cuh\""));
            let used = headers.iter().filter(|(name, _)| named(name)).map(|(_, header)| header.clone());
            sources.uses.entry(file.clone()).or_default().extend(used);
        }
        sources.add(root, "gpu/src", Some(&kernels))?;
        sources.add(root, "oracle/src", Some(&kernels))?;
        Ok(sources)
    }

    /// Adds the files of a crate; returns where the items of its module `source` are defined.
    fn add(
        &mut self,
        root: &Path,
        folder: &str,
        kernels: Option<&BTreeMap<String, File>>,
    ) -> std::io::Result<BTreeMap<String, File>> {
        let known = modules(&root.join(folder))?;
        let texts: BTreeMap<&Module, String> = known
            .iter()
            .map(|(m, file)| Ok((m, code(&std::fs::read_to_string(file)?))))
            .collect::<std::io::Result<_>>()?;
        let exports: Exports = texts.iter().map(|(m, text)| ((*m).clone(), exports(m, text, &known))).collect();
        let file = |module: &Module| inside(root, &known[module]);
        for (module, text) in &texts {
            let own = without_exports(text);
            let paths = named(module, &own);
            let mut uses: BTreeSet<File> =
                paths.iter().filter_map(|path| defined_in(path, &known, &exports)).map(|m| file(&m)).collect();
            for item in kernels.iter().flat_map(|kernels| items(&own).into_iter().filter_map(|item| kernels.get(&item)))
            {
                uses.insert(item.clone());
            }
            // A module has what its submodules implement for its types.
            let inner = known
                .keys()
                .filter(|other| !module.is_empty() && other.split_last().is_some_and(|(_, of)| of == *module));
            uses.extend(inner.map(file));
            uses.remove(&file(module));
            self.uses.insert(file(module), uses);
        }
        let source = exports.get(&vec!["source".to_string()]).into_iter().flatten();
        let items = source.map(|(item, module)| (item.clone(), file(module))).collect();
        self.texts.extend(texts.into_iter().map(|(module, text)| (file(module), text)));
        Ok(items)
    }

    /// Returns the number of imports between the changed files and each file that depends on one.
    fn distances(&self, changed: &[String]) -> BTreeMap<&File, usize> {
        let mut users: BTreeMap<&File, Vec<&File>> = BTreeMap::new();
        for (file, used) in &self.uses {
            used.iter().for_each(|used| users.entry(used).or_default().push(file));
        }
        let mut open: VecDeque<&File> = self.texts.keys().filter(|file| changed.contains(file)).collect();
        let mut distances: BTreeMap<&File, usize> = open.iter().map(|file| (*file, 0)).collect();
        while let Some(file) = open.pop_front() {
            let distance = distances[file] + 1;
            for user in users.get(file).into_iter().flatten() {
                distances.entry(user).or_insert_with(|| {
                    open.push_back(user);
                    distance
                });
            }
        }
        distances
    }

    /// Returns the functions that the changed files can affect, with the least distance of a file that defines each.
    fn functions(&self, changed: &[String]) -> BTreeMap<String, usize> {
        let mut functions = BTreeMap::new();
        for (file, distance) in self.distances(changed) {
            if matches!(file.split('/').nth(2), Some("engine" | "driver" | "table" | "include" | "source")) {
                continue;
            }
            for name in definitions(&self.texts[file]) {
                let least = functions.entry(name.to_string()).or_insert(distance);
                *least = distance.min(*least);
            }
        }
        functions
    }
}

/// The methods of a ufunc, which no file defines by name.
const METHODS: [&str; 6] = ["accumulate", "at", "call", "outer", "reduce", "reduceat"];

/// Returns the names that a source may define: its functions, the last parts of its texts of one word, and the names at the
/// beginnings of lines of a list of a macro.
fn definitions(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut names: BTreeSet<&str> =
        text.split("fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next()).collect();
    for line in text.lines() {
        // The texts in quotes are every second part.
        names.extend(line.split('"').skip(1).step_by(2).filter_map(|quoted| quoted.rsplit('.').next()));
        let line = line.trim();
        let rest = line.trim_start_matches(is_part);
        if rest.is_empty() || rest == "," || rest.starts_with(": ") {
            names.insert(&line[..line.len() - rest.len()]);
        }
    }
    names.retain(|name| !name.is_empty() && name.chars().all(is_part));
    names
}

fn inside(root: &Path, path: &Path) -> File {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

fn stem(file: &str) -> String {
    Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The beginnings of statements that re-export names.
const RE_EXPORTS: [&str; 3] = ["pub use ", "pub(crate) use ", "pub(super) use "];

/// Returns the names that a module re-exports, with the modules that have them.
fn exports(module: &[String], code: &str, known: &BTreeMap<Module, PathBuf>) -> BTreeMap<String, Module> {
    let mut out = BTreeMap::new();
    for statement in RE_EXPORTS.iter().flat_map(|start| code.split(start).skip(1)) {
        let Some((import, _)) = statement.split_once(';') else { continue };
        // A path without `crate` begins in the module itself.
        let (base, import) = match import.split_once("::") {
            Some(("crate", rest)) => (vec![], rest),
            Some(("super", rest)) => (module[..module.len().saturating_sub(1)].to_vec(), rest),
            Some(("self", rest)) => (module.to_vec(), rest),
            _ => (module.to_vec(), import),
        };
        let mut paths = vec![];
        expand(&base, import, &mut paths);
        for path in paths {
            if let (Some(from), Some(name)) = (module_of(&path, known).filter(|m| m != module), path.last()) {
                out.insert(name.clone(), from);
            }
        }
    }
    out
}

/// Returns a source without the statements that re-export names: who uses one of them uses its module.
fn without_exports(code: &str) -> String {
    let mut out = code.to_string();
    for start in RE_EXPORTS {
        while let Some(at) = out.find(start) {
            let end = out[at..].find(';').map_or(out.len(), |n| at + n + 1);
            out.replace_range(at..end, "");
        }
    }
    out
}

/// Returns the module in which the item of a path is defined.
fn defined_in(path: &[String], known: &BTreeMap<Module, PathBuf>, exports: &Exports) -> Option<Module> {
    let module = module_of(path, known)?;
    match path.get(module.len()).and_then(|item| exports[&module].get(item)) {
        Some(from) => Some(from.clone()),
        None => Some(module),
    }
}

/// Returns the items of `cuprum_kernels::source` that a source names.
fn items(code: &str) -> Vec<String> {
    let mut paths = vec![];
    for (at, start) in code.match_indices("cuprum_kernels::") {
        let rest = &code[at + start.len()..];
        expand(&[], &rest[..rest.find(';').unwrap_or(rest.len())], &mut paths);
    }
    paths.into_iter().filter(|path| path[0] == "source").filter_map(|path| path.get(1).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
    }

    /// Returns the distance of a function from a file.
    fn between(file: &str, function: &str) -> Option<usize> {
        distance(function, &Sources::read(root()).unwrap().functions(&[file.to_string()]))
    }

    #[test]
    fn functions_are_found_from_files_of_every_layer() {
        assert_eq!(between("gpu/src/routines/manipulation/rearrange.rs", "roll"), Some(0));
        assert_eq!(between("oracle/src/numpy/manipulation/join.rs", "concatenate"), Some(0));
        let scans = between("kernels/include/scan.cuh", "cumsum").unwrap();
        assert!(scans <= 5, "{scans}");
        assert_ne!(between("gpu/src/routines/manipulation/rearrange.rs", "sort"), Some(0));
        assert_eq!(between("gpu/src/engine/window/mod.rs", "no_such_function"), None);
        assert_eq!(between("README.md", "roll"), None);
    }

    #[test]
    fn cases_begin_with_the_nearest_functions_and_take_a_limited_time() {
        let matrix = Matrix::built_in().unwrap();
        let of = |file: &str, declared: &[&str]| {
            let declared = declared.iter().map(ToString::to_string).collect();
            nearest(&matrix, root(), &[file.to_string()], &declared, 1)
        };
        let cases = of("gpu/src/routines/manipulation/rearrange.rs", &[]).unwrap();
        assert!(cases[..40].iter().any(|case| case.id().contains("/roll/")), "{:?}", cases[..40].iter().map(Case::id));
        let seconds = Costs::measured().seconds(&cases);
        assert!(seconds < 2.0 * SECONDS, "{seconds}");
        let error = of("README.md", &[]).unwrap_err();
        assert!(error.contains("README.md"), "{error}");
        assert!(of("matrix/scans.yaml", &["cumsum"]).unwrap().iter().all(|case| case.op == "cumsum"));
        let error = super::cases(&matrix, root(), "no-such-commit", 1).unwrap_err();
        assert!(error.starts_with("--changed: git: "), "{error}");
    }

    #[test]
    fn names_are_those_of_functions_texts_and_lists() {
        let text = "pub fn roll(a: &Array) {}\nfn of<T>() {}\n\"numpy.flip\" = |t| flip(t);\nunary! {\n    tanh,\n    cumsum: \"add\";\n}";
        assert_eq!(definitions(text).into_iter().collect::<Vec<_>>(), ["add", "cumsum", "flip", "of", "roll", "tanh"]);
    }
}
