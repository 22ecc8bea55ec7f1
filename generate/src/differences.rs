//! `docs/src/differences.md`: the ledger of differences from NumPy as a page.

use std::fmt::Write;

use cuprum_conformance::Matrix;
use cuprum_conformance::matrix::Divergence;
use cuprum_conformance::matrix::ledger::{SECTIONS, Status, TOPICS};

use crate::jobs::MARK;

/// The text around the tables.
const TEMPLATE: &str = include_str!("../differences.md");

/// Returns the page.
pub fn page(matrix: &Matrix) -> String {
    let of = |topic: &&'static str| {
        let topic: &'static str = topic;
        matrix.divergences.iter().filter(move |d| d.topic == topic)
    };
    let mut topics = String::from("| topic | here | |\n|---|---|---|\n");
    for entry in TOPICS.iter().flat_map(of) {
        let _ = writeln!(topics, "| [{}]({}) | {} | {} |", entry.topic, entry.cite, status(entry), description(entry));
    }
    let mut sections = String::new();
    for section in SECTIONS.iter().filter(|section| of(section).next().is_some()) {
        let _ = writeln!(sections, "### {}{}\n", section[..1].to_uppercase(), &section[1..]);
        sections.push_str("| | what | example | NumPy | here |\n|---|---|---|---|---|\n");
        for entry in of(section) {
            let side = |literal: &Option<_>| literal.as_ref().map_or(String::new(), |l| format!("`{l}`"));
            let numpy = entry.numpy.is_some().then(|| side(&entry.numpy)).or_else(|| {
                let question = entry.python.first()?;
                Some(format!("`{}`: `{}`", question.ask, question.gives))
            });
            let (name, cite, example) = (&entry.id, &entry.cite, example(entry));
            let (numpy, ours) = (numpy.unwrap_or_else(|| "another value".into()), side(&entry.ours));
            let _ = writeln!(sections, "| [{name}]({cite}) | {} | {example} | {numpy} | {ours} |", description(entry));
        }
        sections.push('\n');
    }
    let page = TEMPLATE.replace("{{topics}}\n", &topics).replace("{{sections}}\n", &sections);
    format!("<!-- {MARK} -->\n\n{page}")
}

/// Describes the status of a difference.
fn status(entry: &Divergence) -> String {
    match entry.status {
        Status::Differs => "**differs**".into(),
        Status::Agrees => "**as NumPy**".into(),
        Status::Absent => "there is none".into(),
        Status::Typed => "does not compile".into(),
    }
}

/// Returns the description of an entry, with the NumPy version if it applies to one only.
fn description(entry: &Divergence) -> String {
    let says = entry.says.trim();
    match entry.version.as_deref() {
        Some("1.22") if !says.contains("1.22") => format!("{says} (NumPy 1.22)"),
        _ => says.to_owned(),
    }
}

/// Returns the call that demonstrates an entry.
fn example(entry: &Divergence) -> String {
    // A case id may be long; its operation and dtypes are enough to identify it.
    let of_case = entry.case.as_ref().map(|id| id.split('/').take(3).collect::<Vec<_>>().join("/"));
    let operands: Vec<String> = entry.operands.iter().map(|o| format!("{} {o}", o.dtype)).collect();
    let of_op = entry.op.as_ref().map(|op| format!("{op}({})", operands.join(", ")));
    of_op.or(of_case).map_or(String::new(), |text| format!("`{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_on_the_page_with_both_its_sides() {
        let matrix = Matrix::built_in().expect("the matrix of this checkout is right");
        let page = page(&matrix);
        assert!(!page.contains("{{"), "every field of the template is filled");
        for entry in &matrix.divergences {
            assert!(page.contains(entry.says.trim()), "{}", entry.id);
        }
        let sinc = page.lines().find(|line| line.contains("[sinc-of-integers]")).expect("sinc is described");
        assert!(sinc.contains("`sinc(f64 [1])` | `[3.8981718325193755e-17]` | `[0]`"), "{sinc}");
    }
}
