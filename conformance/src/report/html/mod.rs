//! The report as a self-contained page: no network, and no script that is needed for its contents.

mod coverage;
mod errors;
mod lists;

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::{About, Report, escape};
use crate::matrix::Matrix;

const STYLE: &str = include_str!("style.css");
/// Filters and sorts tables; without it they are only longer.
const SCRIPT: &str = include_str!("script.js");

/// The result of a seeded fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mutant {
    /// Its name.
    #[serde(alias = "name")]
    pub id: String,
    /// The engine that contains it.
    #[serde(default)]
    pub engine: String,
    /// A description of the fault.
    #[serde(default)]
    pub fault: String,
    /// `killed`, `survived`, …
    pub fate: String,
    /// The case that detected it, or the reason why none did.
    #[serde(default)]
    pub options: String,
}

/// The data of the page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The runs, each on a device.
    pub runs: &'a [Report],
    /// The matrix of the runs.
    pub matrix: &'a Matrix,
    /// The mutants, if any were tried.
    pub mutants: &'a [Mutant],
}

/// A label, and its value for a run.
type Field = (&'static str, fn(&About) -> String);

/// The anchor and the title of a part of the page, and the function that writes it.
type Section = (&'static str, &'static str, fn(&Page<'_>, &mut String));

/// Returns the name of a run in the tables.
fn short(about: &About) -> &str {
    if about.name.is_empty() { &about.device } else { &about.name }
}

/// Returns the attribute `class`, if there is one.
fn class(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" class={name}") }
}

/// Opens a table that scrolls by itself, with these column heads; a `#` prefix marks a numeric column.
fn open(out: &mut String, kind: &str, heads: &[String]) {
    let _ = write!(out, "<div class=scroll><table class=\"{kind}\"><thead><tr>");
    for head in heads {
        let _ = match head.strip_prefix('#') {
            Some(head) => write!(out, "<th class=number>{head}</th>"),
            None => write!(out, "<th>{head}</th>"),
        };
    }
    out.push_str("</tr></thead><tbody>\n");
}

fn close(out: &mut String) {
    out.push_str("</tbody></table></div>\n");
}

fn cards(out: &mut String, run: &Report) {
    let failed = run.failed().count();
    let rejected = run.cases.iter().filter(|c| c.rejected).count();
    let known = run.known();
    let equal = run.cases.len() - failed - rejected - known;
    let _ = write!(out, "<div class=run><h2>{}</h2><p class=cards>", escape(short(&run.about)));
    for (label, n, kind) in [
        ("cases", run.cases.len(), ""),
        ("equal", equal, "good"),
        ("rejected alike", rejected, "rejected"),
        ("failed", failed, "bad"),
        ("known to fail", known, "known"),
    ] {
        if n > 0 || label == "failed" {
            let kind = if n == 0 { "" } else { kind };
            let _ = write!(out, "<span class=\"card {kind}\"><b>{n}</b> {label}</span>");
        }
    }
    out.push_str("</p></div>\n");
}

/// Writes the provenance of the results: a column for each run.
fn provenance(out: &mut String, runs: &[Report]) {
    let heads: Vec<String> =
        std::iter::once(String::new()).chain(runs.iter().map(|r| escape(short(&r.about)))).collect();
    open(out, "about", &heads);
    let rows: [Field; 11] = [
        ("device", |a| a.device.clone()),
        ("driver", |a| a.driver.clone()),
        ("NVRTC", |a| a.nvrtc.clone()),
        ("commit", |a| a.commit.clone()),
        ("date (UTC)", |a| a.date.clone()),
        ("cases", |a| if a.full { "full".into() } else { "default sample".into() }),
        ("only", |a| a.part.clone()),
        ("seed", |a| a.seed.to_string()),
        ("time", |a| format!("{:.1} s on {}", a.seconds, a.parallelism())),
        ("kernels", |a| format!("{} compiled, {} from the disk", a.compiled, a.cached)),
        ("command", |a| a.command.clone()),
    ];
    for (label, value) in rows {
        let values: Vec<String> = runs.iter().map(|r| value(&r.about)).collect();
        if values.iter().all(String::is_empty) {
            continue;
        }
        let _ = write!(out, "<tr><th>{label}</th>");
        for value in values {
            let _ = write!(out, "<td class=wrap>{}</td>", escape(&value));
        }
        out.push_str("</tr>\n");
    }
    close(out);
}

impl Page<'_> {
    /// Formats the page.
    pub fn html(&self) -> String {
        let failed: usize = self.runs.iter().map(|r| r.failed().count()).sum();
        let total: usize = self.runs.iter().map(|r| r.cases.len()).sum();
        let mut out = String::new();
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\
             <meta name=viewport content=\"width=device-width, initial-scale=1\">\
             <title>Cuprum conformance: {failed} failed of {total}</title>\n<style>\n{STYLE}</style></head><body>\n\
             <h1>Cuprum conformance</h1>\n"
        );
        self.runs.iter().for_each(|run| cards(&mut out, run));
        let sections: [Section; 8] = [
            ("failures", "Failures", lists::failures),
            ("coverage", "Coverage", coverage::section),
            ("errors", "Errors", errors::histograms),
            ("worst", "Worst cases", errors::worst),
            ("budgets", "Budgets", errors::budgets),
            ("slowest", "Slowest cases", lists::slowest),
            ("divergences", "Divergences", lists::divergences),
            ("mutants", "Mutants", lists::mutants),
        ];
        let mut written: Vec<(&str, &str, String)> = vec![];
        for (id, title, write) in sections {
            let mut text = String::new();
            write(self, &mut text);
            if !text.is_empty() {
                written.push((id, title, text));
            }
        }
        out.push_str("<nav>");
        written.iter().for_each(|(id, title, _)| {
            let _ = write!(out, "<a href=\"#{id}\">{title}</a> ");
        });
        out.push_str("<a href=\"#runs\">Runs</a></nav>\n");
        for (id, title, text) in written {
            let _ = write!(out, "<section id={id}><h2>{title}</h2>\n{text}</section>\n");
        }
        out.push_str("<section id=runs><h2>Runs</h2>\n");
        provenance(&mut out, self.runs);
        let _ = write!(out, "</section>\n<script>\n{SCRIPT}</script></body></html>\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Worst;
    use crate::report::tests::sample;

    fn page(runs: &[Report]) -> String {
        let matrix = Matrix::built_in().unwrap();
        let mutants: Vec<Mutant> = serde_json::from_str(
            r#"[{"id": "a-b", "engine": "flat", "fault": "x < y", "fate": "survived", "reason": "no case"},
                {"name": "c-d", "engine": "flat", "fate": "killed", "reason": "math/add"}]"#,
        )
        .unwrap();
        Page { runs, matrix: &matrix, mutants: &mutants }.html()
    }

    #[test]
    fn the_page_is_whole_and_needs_nothing_else() {
        let page = page(&[sample()]);
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        for outside in ["<link", "src=", "@import", "url(", "fetch("] {
            assert!(!page.contains(outside), "the page must need nothing else: {outside}");
        }
        for tag in ["table", "tbody", "tr", "section", "div", "details", "pre", "style", "script"] {
            let (opened, closed) =
                (page.matches(&format!("<{tag}")).count(), page.matches(&format!("</{tag}>")).count());
            let other = if tag == "tr" { 0 } else { page.matches(&format!("<{tag}ead")).count() };
            assert_eq!(opened - other, closed, "{tag}");
        }
    }

    #[test]
    fn a_failure_is_listed_with_its_message_and_marks_its_square() {
        let page = page(&[sample()]);
        assert!(page.contains("is &lt;1&gt;"));
        assert!(page.contains("title=\"add f32: C 1 failed"), "{page}");
        assert!(page.contains("<i class=b></i>"));
    }

    #[test]
    fn two_runs_stand_beside_each_other() {
        let mut other = sample();
        other.about.name = "Another device".into();
        other.cases[0].error = Some(7.5);
        other.cases[0].worst = Some(Worst {
            index: vec![1],
            operands: vec!["2.5".into(), "<3".into()],
            got: "1.0".into(),
            want: "0.5".into(),
        });
        let page = page(&[sample(), other]);
        assert!(page.contains("<h2>sim</h2>") && page.contains("<h2>Another device</h2>"));
        let row = page.lines().find(|l| l.contains("&lt;3")).expect("the worst case has its operands");
        assert!(row.contains("7.50") || row.contains("7.5"), "{row}");
        assert!(row.contains(">1.0<") && row.contains(">0.5<"), "{row}");
    }

    #[test]
    fn mutants_that_survive_come_first() {
        let page = page(&[sample()]);
        let (survivor, killed) = (page.find("a-b").unwrap(), page.find("c-d").unwrap());
        assert!(survivor < killed && page.contains("x &lt; y") && page.contains("1 of 2"));
    }

    #[test]
    fn holes_stand_with_their_reasons_and_divergences_with_both_sides() {
        let page = page(&[sample()]);
        let matrix = Matrix::built_in().unwrap();
        for hole in &matrix.holes {
            assert!(page.contains(&escape(&hole.reason)), "{}", hole.family);
        }
        for divergence in &matrix.divergences {
            assert!(page.contains(&escape(&divergence.says)) && page.contains(&escape(&divergence.cite)));
        }
    }
}
