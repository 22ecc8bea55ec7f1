//! Every refusal of NumPy's functions has its line among the messages, of which the page of troubles is made.

use std::fs;
use std::path::{Path, PathBuf};

use cuprum_conformance::messages;

/// Refusals without a line, by a part of their text, and why.
const NO_LINE: [(&str, &str); 41] = [
    ("there is no path called", "what the table alone can give"),
    ("stands for axes of different lengths of one operand", "as the line of two operands"),
    ("no array has so many elements", "an array larger than memory"),
    ("values of shape ", "values that a function of the user gave"),
    ("elements of {} have no order of their own", "dtypes that edges of bins have not"),
    ("the rule asks for {bins} bins", "more bins than can be numbered"),
    ("two axes have two edges", "what the table alone can give"),
    ("points cannot have {axes} coordinates", "more axes than an array has"),
    ("there are more bins than can be numbered", "more bins than can be numbered"),
    ("a choice of {} cannot become {dtype}", "dtypes between which nothing is cast"),
    ("one number or a range is asked for", "flat arrays, which have no line of their own"),
    ("a flat array has one axis", "flat arrays, which have no line of their own"),
    ("values of {from} are not cast to {to} under the rule Safe", "as `copyto`'s line"),
    ("an offset goes with a file of bytes", "a file that is there"),
    ("the shape {shape} is too long for a header", "more axes than an array has"),
    ("is no mode of mapping a file", "what the table alone can give"),
    ("two arrays are called", "a file that is written"),
    ("is compressed by gzip", "a file that is there"),
    ("is compressed by {packed}", "a file that is there"),
    ("a comment begins with something: to have none, give None", "a file that is there"),
    ("the delimiter is empty", "a file that is there"),
    ("writes integers, which", "a file that is written"),
    ("is to be compressed by gzip", "a file that is written"),
    ("there is no comparison of {common} with {own}", "dtypes that no two arrays have"),
    ("a list of blocks is empty", "blocks, which have no text of their own"),
    ("picks no places on one axis", "masks of several axes"),
    ("places of shape {} are on several axes", "places of several axes"),
    ("places are integers, not {}", "places of floats"),
    ("have more elements along axis", "an array larger than memory"),
    ("around it cannot be addressed", "an array larger than memory"),
    ("it must be an integer", "what the table alone can give"),
    ("a number, two or two of each axis are expected", "what the table alone can give"),
    ("quantiles have at most two axes", "more axes than are told"),
    ("no lines have no length", "an array of no lines"),
    ("weights of another shape need an axis", "as `average`'s line"),
    ("is one character, not", "what the table alone can give"),
    ("there are r, r+ and c", "what the table alone can give"),
    ("names are more than the", "what the table alone can give"),
    ("there are no variables", "what no function is told"),
    ("axes are a list with an entry for each array", "what the table alone can give"),
    ("does not fit in the out", "as the line of the variance"),
];

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the library").flatten() {
        let path = entry.path();
        if path.is_dir() { sources(&path, all) } else { all.push(path) }
    }
}

/// The texts in quotes behind `ErrorKind::…, ` and `let message = `, with what a line's end leaves out.
fn refusals(text: &str) -> Vec<String> {
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
            let mut told = String::new();
            let mut chars = behind[open + 1..].chars();
            while let Some(c) = chars.next() {
                match c {
                    '"' => break,
                    '\\' => match chars.next() {
                        Some('\n') => {
                            let rest = chars.as_str().trim_start();
                            chars = rest.chars();
                        }
                        Some(other) => told.push(other),
                        None => break,
                    },
                    other => told.push(other),
                }
            }
            all.push(told);
        }
    }
    all
}

/// The longest part of a message that is always the same.
fn fixed(message: &str) -> &str {
    let parts = message
        .split('{')
        .enumerate()
        .map(|(k, part)| if k == 0 { part } else { part.split_once('}').map_or("", |(_, behind)| behind) });
    parts.max_by_key(|part| part.len()).unwrap_or_default().trim()
}

#[test]
fn every_refusal_of_a_routine_has_a_line() {
    let lines: Vec<&str> = messages::all().iter().map(|m| m.message).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/src");
    let mut files = vec![];
    for folder in ["routines", "polynomial"] {
        sources(&root.join(folder), &mut files);
    }
    let (mut bare, mut seen) = (vec![], 0);
    for file in &files {
        for message in refusals(&fs::read_to_string(file).expect("a file of the library")) {
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
    assert!(seen > 150, "only {seen} refusals were found");
    assert!(bare.is_empty(), "give them lines in conformance/src/messages:\n{}", bare.join("\n"));
}
