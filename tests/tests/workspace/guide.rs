//! Tests of the guide's pages: links between them are valid, every page is in the summary, and all code is compiled.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn pages(folder: &Path, out: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).expect("a folder is read").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            pages(&path, out);
        } else if path.extension().is_some_and(|e| e == "md") {
            out.push(path);
        }
    }
}

/// Returns the lines of a page outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// Returns the anchor of a heading, as mdBook and code hosts generate it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter_map(|line| line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')));
    headings.map(anchor).collect()
}

/// Returns the targets of the links in a line: the text in parentheses after `](`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

#[test]
fn every_link_leads_somewhere() {
    let mut files = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    pages(&root().join("docs/src"), &mut files);
    let mut dead = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a page is read");
        for target in prose(&text).flat_map(links).filter(|target| !target.contains("://")) {
            let (path, wanted) = target.split_once('#').unwrap_or((target, ""));
            let to = if path.is_empty() { file.clone() } else { file.parent().expect("a folder").join(path) };
            let found = match std::fs::read_to_string(&to) {
                Ok(text) => wanted.is_empty() || anchors(&text).contains(wanted),
                Err(_) => wanted.is_empty() && to.exists(),
            };
            if !found {
                dead.push(format!("{}: {target}", file.display()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn every_page_is_in_the_summary_and_its_code_is_compiled() {
    let source = root().join("docs/src");
    let read = |path: &Path| std::fs::read_to_string(path).expect("a file is read");
    let (summary, tested) = (read(&source.join("SUMMARY.md")), read(&root().join("tests/src/lib.rs")));
    let mut files = Vec::new();
    pages(&source, &mut files);
    for file in files {
        let name = file.strip_prefix(&source).expect("a page of the guide").display().to_string();
        // The tables of single runs are linked from the page of results.
        let listed = name == "SUMMARY.md" || name.starts_with("results/runs/");
        assert!(listed || summary.contains(&format!("({name})")), "{name} is not in SUMMARY.md");
        let has_code = read(&file).lines().any(|line| line.trim_end() == "```rust");
        assert!(!has_code || tested.contains(&format!("docs/src/{name}\"")), "tests/src/lib.rs lacks {name}");
    }
}
