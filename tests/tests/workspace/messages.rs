//! Test that every error message of NumPy's functions has an entry in the list from which the troubleshooting page is
//! generated.

use std::fs;
use std::path::{Path, PathBuf};

use cuprum_conformance::messages;

/// Messages that no call on this machine produces, by a part of their text, and the reason.
const NO_LINE: [(&str, &str); 3] = [
    ("there is no comparison of {common} with {own}", "a guard of the registry: any two dtypes have one"),
    ("is compressed by gzip", "a library built without the feature `npz`"),
    ("is to be compressed by gzip", "a library built without the feature `npz`"),
];

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the library").flatten() {
        let path = entry.path();
        if path.is_dir() { sources(&path, all) } else { all.push(path) }
    }
}

/// Returns the quoted texts after `ErrorKind::…, ` and `let message = `, with line continuations removed.
fn rejections(text: &str) -> Vec<String> {
    let library = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut all = vec![];
    for start in ["Error::new(", "let message ="] {
        for (at, _) in library.match_indices(start) {
            let behind = &library[at + start.len()..];
            let Some(open) = behind.find('"') else { continue };
            let between = &behind[..open];
            let direct = between.len() < 120
                && !between.contains(';')
                && between.chars().all(|c| c.is_alphanumeric() || " \n:,!_(".contains(c));
            if !direct {
                continue;
            }
            let mut text = String::new();
            let mut chars = behind[open + 1..].chars();
            while let Some(c) = chars.next() {
                match c {
                    '"' => break,
                    '\\' => match chars.next() {
                        Some('\n') => {
                            let rest = chars.as_str().trim_start();
                            chars = rest.chars();
                        }
                        Some(other) => text.push(other),
                        None => break,
                    },
                    other => text.push(other),
                }
            }
            all.push(text);
        }
    }
    all
}

/// Returns the longest constant part of a message.
fn fixed(message: &str) -> &str {
    let parts = message
        .split('{')
        .enumerate()
        .map(|(k, part)| if k == 0 { part } else { part.split_once('}').map_or("", |(_, behind)| behind) });
    parts.max_by_key(|part| part.len()).unwrap_or_default().trim()
}

#[test]
fn every_rejection_of_a_routine_has_a_line() {
    let lines: Vec<&str> = messages::all().iter().map(|m| m.message).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/src");
    let mut files = vec![];
    for folder in ["routines", "polynomial"] {
        sources(&root.join(folder), &mut files);
    }
    let (mut bare, mut seen) = (vec![], 0);
    for file in &files {
        for message in rejections(&fs::read_to_string(file).expect("a file of the library")) {
            let part = fixed(&message);
            if part.len() < 6 {
                continue;
            }
            seen += 1;
            let known = lines.iter().any(|line| line.contains(part));
            if !known && !NO_LINE.iter().any(|(text, _)| message.contains(text)) {
                bare.push(format!("{}: {message}", file.display()));
            }
        }
    }
    assert!(seen > 150, "only {seen} rejections were found");
    assert!(bare.is_empty(), "give them lines in conformance/src/messages:\n{}", bare.join("\n"));
}
