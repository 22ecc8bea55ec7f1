//! Lists of failures, the slowest cases, divergences and mutants.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Mutant, Page, class, close, open, short};
use crate::divergence;
use crate::matrix::Literal;
use crate::report::{Report, detail, escape};

/// Number of failures that are written out; the others are in the JSON.
const SHOWN: usize = 500;
/// Number of the slowest cases of a run.
const SLOWEST: usize = 20;

fn failed(out: &mut String, run: &Report) {
    let count = run.failed().count();
    if count == 0 {
        return;
    }
    let _ = writeln!(out, "<h3>{}: {count}</h3>", escape(short(&run.about)));
    for case in run.failed().take(SHOWN) {
        let Some(failure) = &case.failure else { continue };
        let detail = detail(&run.about.device, run.about.seed, &case.id, failure);
        let _ = writeln!(
            out,
            "<details><summary><code>{}</code> <em>{:?}</em></summary><pre>{}</pre></details>",
            escape(&case.id),
            failure.reason,
            escape(&detail)
        );
    }
    if count > SHOWN {
        let _ = writeln!(out, "<p>… and {} more.</p>", count - SHOWN);
    }
}

pub(super) fn failures(page: &Page<'_>, out: &mut String) {
    page.runs.iter().for_each(|run| failed(out, run));
}

pub(super) fn slowest(page: &Page<'_>, out: &mut String) {
    for run in page.runs.iter().filter(|run| !run.cases.is_empty()) {
        let cases = run.slowest(SLOWEST);
        let longest = cases.first().map_or(1, |c| c.micros).max(1) as f64;
        let _ = writeln!(out, "<h3>{}</h3>", escape(short(&run.about)));
        open(out, "slow", &["#time".into(), "of both sides together".into()]);
        for case in cases {
            let (ms, share) = (case.micros as f64 / 1e3, 100.0 * case.micros as f64 / longest);
            let _ = writeln!(
                out,
                "<tr><td class=number>{ms:.1} ms</td><td><span class=bar style=width:{share:.0}%></span>\
                 <code>{}</code></td></tr>",
                escape(&case.id)
            );
        }
        close(out);
    }
}

fn literal(literal: &Literal) -> String {
    let values: Vec<String> = literal.values.iter().map(|x| format!("{x:?}")).collect();
    format!("<code>{} [{}]</code>", literal.dtype, values.join(", "))
}

/// Formats one side of a divergence, where elements show it.
fn side(side: &Option<Literal>) -> String {
    side.as_ref().map(literal).unwrap_or_default()
}

pub(super) fn divergences(page: &Page<'_>, out: &mut String) {
    if page.matrix.divergences.is_empty() {
        return;
    }
    out.push_str(
        "<p>Where the result is not NumPy's on purpose, or CuPy's is not. Both sides of each example are carried out and asserted.</p>\n",
    );
    let mut heads: Vec<String> =
        ["topic", "status", "what", "example", "operands", "NumPy", "ours", "where it is written"]
            .map(String::from)
            .into();
    heads.extend(page.runs.iter().map(|run| escape(short(&run.about))));
    open(out, "divergences", &heads);
    for entry in &page.matrix.divergences {
        let operands: Vec<String> = entry.operands.iter().map(literal).collect();
        let cite = escape(&entry.cite);
        let cite = if cite.starts_with("https://") { format!("<a href=\"{cite}\">{cite}</a>") } else { cite };
        let _ = write!(
            out,
            "<tr><th title=\"{}\">{}</th><td>{}</td><td class=text>{}</td><td><code>{} {}</code></td><td>{}</td><td>{}</td><td>{}</td><td class=text>{cite}</td>",
            escape(&entry.id),
            escape(&entry.topic),
            entry.status,
            escape(&entry.says),
            escape(entry.op.as_deref().unwrap_or_default()),
            escape(&entry.params.to_string()),
            operands.join("<br>"),
            side(&entry.numpy),
            side(&entry.ours)
        );
        let id = divergence::id(entry);
        for run in page.runs {
            let (kind, word) = match run.cases.iter().find(|c| c.id == id) {
                None => ("", "–"),
                Some(case) if case.failure.is_some() => ("bad", "failed"),
                Some(_) => ("good", "holds"),
            };
            let _ = write!(out, "<td{}>{word}</td>", class(kind));
        }
        out.push_str("</tr>\n");
    }
    close(out);
}

pub(super) fn mutants(page: &Page<'_>, out: &mut String) {
    if page.mutants.is_empty() {
        return;
    }
    let is = |mutant: &Mutant, fate: &str| mutant.fate.eq_ignore_ascii_case(fate);
    let killed = page.mutants.iter().filter(|m| is(m, "killed")).count();
    let _ = writeln!(
        out,
        "<p>Faults planted in the device code and in the plans of the engines, to try the suite: {killed} of {} were found.</p>",
        page.mutants.len()
    );
    let mut engines: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for mutant in page.mutants {
        let (all, found) = engines.entry(&mutant.engine).or_default();
        *all += 1;
        *found += usize::from(is(mutant, "killed"));
    }
    open(out, "sort", &["engine", "#mutants", "#killed", "#others"].map(String::from));
    for (engine, (all, found)) in engines {
        let _ = writeln!(
            out,
            "<tr><th>{}</th><td class=number>{all}</td><td class=number>{found}</td><td class=number>{}</td></tr>",
            escape(engine),
            all - found
        );
    }
    close(out);
    let mut order: Vec<&Mutant> = page.mutants.iter().collect();
    order.sort_by_key(|m| (is(m, "killed"), is(m, "excepted"), &m.engine, &m.id));
    open(out, "sort", &["mutant", "engine", "fate", "the fault", "by which case, or why not"].map(String::from));
    for mutant in order {
        let kind = match mutant.fate.to_ascii_lowercase().as_str() {
            "killed" => "good",
            "excepted" => "known",
            _ => "bad",
        };
        let _ = writeln!(
            out,
            "<tr><th>{}</th><td>{}</td><td class={kind}>{}</td><td class=text>{}</td><td class=text>{}</td></tr>",
            escape(&mutant.id),
            escape(&mutant.engine),
            escape(&mutant.fate.to_lowercase()),
            escape(&mutant.fault),
            escape(&mutant.options)
        );
    }
    close(out);
}
