//! `docs/src/names.md`: the names of NumPy, SciPy and CuPy by chapter, and which of them are implemented.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cuprum::table;

use crate::jobs::MARK;

/// The list of names: chapter, module, name, and the name under which it is available if that differs, separated by
/// tabs.
pub const FILE: &str = "docs/names.tsv";

/// The description of a function on types that the call table does not support: files, strings, shapes, closures, sparse arrays, options.
const HOST: &str = "Takes or returns files, strings, shapes, functions, sparse arrays or options of its own, so it is not called by name.";

/// The names of a chapter.
#[derive(Default)]
struct Chapter<'a> {
    /// The implemented names, each with its description.
    here: Vec<(String, &'static str)>,
    otherwise: Vec<(&'a str, &'a str)>,
    missing: Vec<String>,
}

/// Returns the page.
///
/// # Errors
///
/// Returns an error for a malformed line or a line that duplicates a name of the call table.
pub fn page(names: &str) -> Result<String, String> {
    let mut chapters: BTreeMap<&str, Chapter<'_>> = BTreeMap::new();
    let mut listed = BTreeSet::new();
    for (number, line) in names.lines().enumerate() {
        let wrong = |what: &str| format!("{FILE}:{}: {what}: {line}", number + 1);
        let [chapter, module, name, ours] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(wrong("four fields are needed"));
        };
        let chapter = chapters.entry(chapter).or_default();
        let shown = shown(module, name);
        listed.insert(format!("{module}.{name}"));
        match (table::find(&format!("{module}.{name}")), ours) {
            (Ok(record), "") => chapter.here.push((shown, record.doc())),
            (Ok(_), _) => return Err(wrong("the function is there under its own name")),
            (Err(_), "") => chapter.missing.push(format!("`{shown}`")),
            (Err(_), ours) if ours == name => chapter.here.push((shown, HOST)),
            (Err(_), ours) => chapter.otherwise.push((name, ours)),
        }
    }
    let here = chapters.values().map(|c| c.here.len() + c.otherwise.len()).sum::<usize>();
    let all = here + chapters.values().map(|c| c.missing.len()).sum::<usize>();
    let mut page = format!(
        "<!-- {MARK} -->\n\n\
         # All names, and what is not there yet\n\n\
         The functions of CuPy's reference by chapter, under the names that NumPy and SciPy have for them: {here} of {all} are \
         there. [Further functions of NumPy and SciPy](#beyond-cupys-reference) are listed at the end. A name without a module is in `cuprum`, `linalg.norm` in `cuprum::linalg`, `scipy.special.erf` in \
         `cuprum::scipy::special`. Names under *not yet* are not functions of this crate; the Python package has its own list, [Not yet](python/not-yet.md).\n"
    );
    for (name, chapter) in &chapters {
        let Chapter { here, otherwise, missing } = chapter;
        let count = here.len() + otherwise.len();
        let _ = write!(page, "\n## {name}\n\n{count} of {}.\n", count + missing.len());
        if !here.is_empty() {
            page.push_str("\n| function | |\n|---|---|\n");
            for (name, sentence) in here {
                let _ = writeln!(page, "| `{name}` | {} |", unlinked(sentence));
            }
        }
        if !otherwise.is_empty() {
            let listed: Vec<String> = otherwise.iter().map(|(name, ours)| format!("`{name}` is `{ours}`")).collect();
            let _ = write!(page, "\nUnder another name: {}.\n", listed.join(", "));
        }
        if !missing.is_empty() {
            let _ = write!(page, "\nNot yet: {}.\n", missing.join(", "));
        }
    }
    page.push_str(&beyond(&listed));
    Ok(page)
}

/// Returns a sentence without the brackets and targets of links to items, which lead nowhere on this page.
fn unlinked(sentence: &str) -> String {
    let text = sentence.replace("[`", "`").replace("`]", "`");
    let mut parts = text.split("`(");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push('`');
        match after_target(part) {
            Some(rest) => plain.push_str(rest),
            None => {
                plain.push('(');
                plain.push_str(part);
            }
        }
    }
    plain
}

/// Returns the text after a link's target, whose opening parenthesis precedes it, and which may have a pair of its own.
fn after_target(text: &str) -> Option<&str> {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[..at].contains("crate::").then(|| &text[at + 1..]);
        }
    }
    None
}

/// Returns a name as the page shows it: without NumPy's module.
fn shown(module: &str, name: &str) -> String {
    match module.strip_prefix("numpy") {
        Some(inner) => format!("{inner}.{name}").trim_start_matches('.').to_owned(),
        None => format!("{module}.{name}"),
    }
}

/// Returns the section of functions of NumPy and SciPy that CuPy's reference does not list.
fn beyond(listed: &BTreeSet<String>) -> String {
    let mut rows = BTreeMap::new();
    for record in table::records() {
        // A method of a ufunc is listed with the ufunc.
        let is_function = !record.name().contains('.') && !record.doc().is_empty();
        let is_public = record.namespace().starts_with("numpy") || record.namespace().starts_with("scipy");
        if is_function && is_public && !listed.contains(&record.path()) {
            rows.insert(shown(record.namespace(), record.name()), record.doc());
        }
    }
    let mut section = format!(
        "\n## Beyond CuPy's reference\n\n{} functions of NumPy and SciPy that CuPy's reference does not list.\n\n\
         | function | |\n|---|---|\n",
        rows.len()
    );
    for (name, sentence) in rows {
        let _ = writeln!(section, "| `{name}` | {} |", unlinked(sentence));
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_names_are_distinguished_from_missing_ones() {
        let names = "A\tnumpy\tadd\t\nA\tnumpy\tnever\t\nA\tnumpy\tfrombuffer\tfrombuffer\nB\tnumpy\tarray\tArray::from_slice\nB\tnumpy.linalg\tnorm\t\n";
        let page = page(names).unwrap();
        for part in [
            "4 of 5 are there",
            "| `add` | ",
            "| `frombuffer` | Takes or returns files",
            "Not yet: `never`.",
            "`array` is `Array::from_slice`",
            "`linalg.norm`",
            "## Beyond CuPy's reference",
            "| `nanpercentile` | ",
            "| `linalg.eig` | ",
        ] {
            assert!(page.contains(part), "{page}");
        }
    }

    #[test]
    fn a_line_that_says_too_little_or_too_much_is_rejected() {
        assert!(page("A\tnumpy\tadd\n").unwrap_err().contains("names.tsv:1"));
        assert!(page("A\tnumpy\tadd\tplus\n").unwrap_err().contains("under its own name"));
    }

    #[test]
    fn links_to_items_are_text() {
        for (sentence, expected) in [
            ("Same as [`asarray`](fn@crate::asarray) does.", "Same as `asarray` does."),
            ("[`matmul`](crate::matmul()) without keywords", "`matmul` without keywords"),
            ("`matmul`(crate::matmul()) without brackets", "`matmul` without brackets"),
            ("See [`dot`] (or [`inner`]), `f`(x).", "See `dot` (or `inner`), `f`(x)."),
            ("No link.", "No link."),
        ] {
            assert_eq!(unlinked(sentence), expected);
        }
    }
}
