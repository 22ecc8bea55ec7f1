//! Texts of a matrix: `matrix.yaml` and the files that it includes.

use std::fs;
use std::path::Path;

use super::read::Problem;

/// The name of the root file.
pub const ROOT: &str = "matrix.yaml";

/// The root file and the included ones of this checkout.
const EMBEDDED: &[(&str, &str)] = embedded! {
    "matrix.yaml"
    "matrix/shapes.yaml"
    "matrix/tolerances.yaml"
    "matrix/math.yaml"
    "matrix/logic.yaml"
    "matrix/ufuncs.yaml"
    "matrix/bits.yaml"
    "matrix/special.yaml"
    "matrix/reductions.yaml"
    "matrix/searching.yaml"
    "matrix/statistics.yaml"
    "matrix/linalg.yaml"
    "matrix/fft.yaml"
    "matrix/sorting.yaml"
    "matrix/sets.yaml"
    "matrix/creation.yaml"
    "matrix/indexing.yaml"
    "matrix/manipulation.yaml"
    "matrix/polynomial.yaml"
    "matrix/dtypes.yaml"
    "matrix/io.yaml"
    "matrix/ndimage.yaml"
    "matrix/signal.yaml"
    "matrix/spatial.yaml"
    "matrix/sparse.yaml"
    "matrix/differences.yaml"
};

/// The text of a matrix, in which the entries of included files follow those of the root under each key.
#[derive(Clone, Debug)]
pub struct Source {
    text: String,
    files: Vec<String>,
    /// The file of each line of the text, and its line there, from 1.
    origins: Vec<(usize, usize)>,
}

/// A line of a file: the file, its number there from 1, and its text.
type Line<'a> = (usize, usize, &'a str);

/// A text without inclusions, as `matrix.yaml`.
impl From<&str> for Source {
    fn from(text: &str) -> Source {
        let origins = (1..=text.lines().count()).map(|line| (0, line)).collect();
        Source { text: text.to_owned(), files: vec![ROOT.to_owned()], origins }
    }
}

impl Source {
    /// Returns the matrix of this checkout, which is embedded in the program so that it runs anywhere.
    ///
    /// # Errors
    /// A message, if a file that is included is not embedded.
    pub fn built_in() -> Result<Source, String> {
        let embedded = |path: &str| {
            let found = EMBEDDED.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
            found.ok_or_else(|| format!("{path} is not embedded in the program: see conformance/src/matrix/source.rs"))
        };
        Source::expand(ROOT, &embedded(ROOT)?, embedded)
    }

    /// Reads a root file and those that it includes, whose paths are relative to its folder.
    ///
    /// # Errors
    /// A message, if a file cannot be read.
    pub fn read(root: &Path) -> Result<Source, String> {
        let read = |path: &Path| fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
        let folder = root.parent().unwrap_or(Path::new(""));
        Source::expand(&root.file_name().unwrap_or_default().to_string_lossy(), &read(root)?, |path| {
            read(&folder.join(path))
        })
    }

    /// Expands the section `include` of a root file.
    fn expand(name: &str, root: &str, read: impl Fn(&str) -> Result<String, String>) -> Result<Source, String> {
        let mut files = vec![(name.to_owned(), root.to_owned())];
        for path in included(root) {
            files.push((path.to_owned(), read(path)?));
        }
        // The lines of each section, the first of which is what precedes all keys.
        let mut sections: Vec<(&str, Vec<Line<'_>>)> = vec![("", vec![])];
        for (file, (_, text)) in files.iter().enumerate() {
            let mut current = 0;
            for (line, content) in text.lines().enumerate() {
                if let Some(key) = key(content) {
                    // A key of an included file without a value of its own continues the section.
                    let known = sections.iter().position(|(name, _)| *name == key);
                    let continues = file > 0 && content.trim_end().len() == key.len() + 1;
                    if let Some(known) = known.filter(|_| continues) {
                        current = known;
                        continue;
                    }
                    current = sections.len();
                    sections.push((key, vec![]));
                }
                sections[current].1.push((file, line + 1, content));
            }
        }
        let mut source = Source { text: String::new(), files: vec![], origins: vec![] };
        for (_, lines) in sections.iter().filter(|(key, _)| *key != INCLUDE) {
            for &(file, line, content) in lines {
                source.text.push_str(content);
                source.text.push('\n');
                source.origins.push((file, line));
            }
        }
        source.files = files.into_iter().map(|(name, _)| name).collect();
        Ok(source)
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the messages of problems with the text: each with its file and line, in their order, without duplicates.
    pub fn messages(&self, mut problems: Vec<Problem>) -> Vec<String> {
        problems.sort();
        problems.dedup();
        let message = |problem: Problem| {
            let (file, line) = self.origins.get(problem.line.saturating_sub(1)).copied().unwrap_or((0, problem.line));
            format!("{}:{line}: {}", self.files[file], problem.message)
        };
        problems.into_iter().map(message).collect()
    }
}

/// The key of the list of files.
const INCLUDE: &str = "include";

/// Returns the key of a line in the first column.
fn key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(':')?;
    (!key.is_empty() && !key.starts_with(['#', ' '])).then_some(key)
}

/// Returns the paths that a root file includes.
fn included(root: &str) -> impl Iterator<Item = &str> {
    let after = root.lines().skip_while(|line| key(line) != Some(INCLUDE)).skip(1);
    after.take_while(|line| key(line).is_none()).filter_map(|line| line.strip_prefix("  - ")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# head\nseed: 3\ninclude:\n  - a.yaml\n  - b.yaml\nops:\n  - {a: 1}\n";

    fn expanded(a: &str, b: &str) -> Source {
        Source::expand(ROOT, TEXT, |path| Ok(if path == "a.yaml" { a } else { b }.to_owned())).unwrap()
    }

    #[test]
    fn entries_follow_those_of_their_section() {
        let source = expanded("# more\nops:\n  - {a: 2}\n", "shapes:\n  x: 1\nops:\n  - {a: 3}\n");
        assert_eq!(
            source.text(),
            "# head\n# more\nseed: 3\nops:\n  - {a: 1}\n  - {a: 2}\n  - {a: 3}\nshapes:\n  x: 1\n"
        );
        let problem = |line| Problem { line, message: "m".into() };
        let messages = source.messages(vec![problem(7), problem(6), problem(5), problem(5), problem(9)]);
        assert_eq!(messages, ["matrix.yaml:7: m", "a.yaml:3: m", "b.yaml:4: m", "b.yaml:2: m"]);
    }

    #[test]
    fn a_key_with_a_value_of_its_own_occurs_twice() {
        let source = expanded("seed: 4\n", "");
        let mut problems = vec![];
        super::super::read::split(source.text(), &mut problems);
        assert_eq!(source.messages(problems), ["a.yaml:1: the key `seed` is already on line 2"]);
    }

    #[test]
    fn every_embedded_file_is_included() {
        let source = Source::built_in().unwrap();
        assert_eq!(source.files, EMBEDDED.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}
