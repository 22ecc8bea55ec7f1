//! The copy of the workspace that contains the faults.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::Mutant;

/// Locations at which the copy checks which mutant is active: file, text that occurs once, replacement.
const HOOKS: [(&str, &str, &str); 3] = [
    ("gpu/src/lib.rs", "mod layout;", "mod layout;\nmod mutant;"),
    (
        "gpu/src/cuda/device/code.rs",
        "let (module, lowered) = self.module(source)?;",
        "let (module, lowered) = self.module(&crate::mutant::source(source))?;",
    ),
    (
        "gpu/src/cuda/device/code.rs",
        "options.extend(source.options.iter().cloned());",
        "options.extend(source.options.iter().cloned());\n        let mut options = crate::mutant::options(options);",
    ),
];

/// A replacement in a text: start, end, new text.
type Edit = (usize, usize, String);

/// Returns the offset of a text that must occur once in another.
fn offset_of(path: &str, text: &str, find: &str) -> Result<usize, String> {
    let mut offsets = text.match_indices(find).map(|(at, _)| at);
    match (offsets.next(), offsets.next()) {
        (Some(at), None) => Ok(at),
        (None, _) => Err(format!("{path} no longer has `{find}`")),
        _ => Err(format!("{path} has `{find}` more than once")),
    }
}

/// Returns the text of a file with its faults, each guarded by the check whether it is active.
pub(super) fn faulty(path: &str, text: &str, mutants: &[&Mutant]) -> Result<String, String> {
    let mut spans: BTreeMap<usize, (usize, Vec<&Mutant>)> = BTreeMap::new();
    for mutant in mutants {
        let at = offset_of(path, text, &mutant.find).map_err(|e| format!("{}: {e}", mutant.id))?;
        let (length, here) = spans.entry(at).or_insert((mutant.find.len(), vec![]));
        if *length != mutant.find.len() {
            return Err(format!("{}: another mutant of {path} overlaps it", mutant.id));
        }
        here.push(mutant);
    }
    let mut edits: Vec<Edit> = vec![];
    for (at, (length, here)) in spans {
        let attributes: String =
            here.iter().map(|m| format!("if crate::mutant::is({:?}) {{ {} }} else ", m.id, m.put)).collect();
        edits.push((at, at + length, format!("({attributes}{{ {} }})", &text[at..at + length])));
    }
    for (of, find, put) in HOOKS {
        if of == path {
            let at = offset_of(path, text, find)?;
            edits.push((at, at + find.len(), put.into()));
        }
    }
    edits.sort();
    if let Some(pair) = edits.windows(2).find(|pair| pair[0].1 > pair[1].0) {
        return Err(format!("faults of {path} overlap: `{}`", &text[pair[1].0..pair[1].1]));
    }
    let mut out = text.to_string();
    for (from, to, put) in edits.into_iter().rev() {
        out.replace_range(from..to, &put);
    }
    Ok(out)
}

/// Copies the checkout and inserts the faults. Unchanged files are not written, so that little is rebuilt.
pub(super) fn make(checkout: &Path, tree: &Path, mutants: &[&Mutant]) -> Result<(), String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(checkout)
        .output()
        .map_err(|e| format!("git: {e}"))?;
    let listed = String::from_utf8(listed.stdout).map_err(|e| e.to_string())?;
    let mut of_file: BTreeMap<&str, Vec<&Mutant>> = HOOKS.iter().map(|(path, ..)| (*path, vec![])).collect();
    for mutant in mutants {
        if let Some(file) = &mutant.file {
            of_file.entry(file).or_default().push(mutant);
        }
    }
    for path in listed.lines().filter(|path| checkout.join(path).is_file()) {
        let failed = |e: std::io::Error| format!("{path}: {e}");
        let mut bytes = fs::read(checkout.join(path)).map_err(failed)?;
        if let Some(mutants) = of_file.remove(path) {
            let text = String::from_utf8(bytes).map_err(|e| e.to_string())?;
            bytes = faulty(path, &text, &mutants)?.into_bytes();
        }
        write(&tree.join(path), &bytes).map_err(failed)?;
    }
    if let Some((path, _)) = of_file.iter().next() {
        return Err(format!("there is no file {path}"));
    }
    write(&tree.join("gpu/src/mutant.rs"), include_str!("hook.rs").as_bytes()).map_err(|e| e.to_string())
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::built_in;

    fn mutant(id: &str, find: &str, put: &str) -> Mutant {
        let none = |find: &str| find.to_string();
        let (find, put) = (none(find), none(put));
        Mutant { id: id.into(), fault: String::new(), file: None, find, put, cases: vec![], survives: None }
    }

    #[test]
    fn faults_stand_behind_a_question() {
        let (a, b, c) = (mutant("a", "x + 1", "x"), mutant("b", "x + 1", "x + 2"), mutant("c", "y", "0"));
        let text = faulty("f.rs", "f(x + 1, y)", &[&a, &b, &c]).unwrap();
        assert_eq!(
            text,
            "f((if crate::mutant::is(\"a\") { x } else if crate::mutant::is(\"b\") { x + 2 } else { x + 1 }), \
             (if crate::mutant::is(\"c\") { 0 } else { y }))"
        );
    }

    #[test]
    fn a_text_that_is_gone_or_not_unique_is_reported() {
        let found = |text: &str, find: &str| faulty("f.rs", text, &[&mutant("a", find, "0")]);
        assert!(found("f(x)", "y").unwrap_err().contains("no longer has `y`"));
        assert!(found("f(x, x)", "x").unwrap_err().contains("more than once"));
    }

    /// Checks, without a build, that the texts that the list replaces in Rust files exist.
    #[test]
    fn the_faults_of_plans_still_apply() {
        let groups = built_in().unwrap();
        let mutants: Vec<&Mutant> = groups.iter().flat_map(|g| &g.mutants).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let files = mutants.iter().filter_map(|m| m.file.as_deref()).chain(HOOKS.map(|(path, ..)| path));
        for path in files {
            let here: Vec<&Mutant> = mutants.iter().copied().filter(|m| m.file.as_deref() == Some(path)).collect();
            faulty(path, &fs::read_to_string(root.join(path)).unwrap(), &here).unwrap();
        }
    }
}
