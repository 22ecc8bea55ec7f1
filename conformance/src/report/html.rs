//! The report as one page: a heat map of operation, dtype and layout, the failures, the errors, the slowest cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cuprum_kernels::DType;

use super::{CaseResult, Report, errors, escape};
use crate::case::Layout;

const STYLE: &str = include_str!("style.css");

/// What is known of one square of the map.
#[derive(Clone, Copy, Default)]
struct Square {
    equal: usize,
    refused: usize,
    failed: usize,
}

impl Square {
    fn count(&mut self, case: &CaseResult) {
        *(if case.failure.is_some() {
            &mut self.failed
        } else if case.refused {
            &mut self.refused
        } else {
            &mut self.equal
        }) += 1;
    }

    fn class(self) -> &'static str {
        match self {
            Square { failed: 1.., .. } => "bad",
            Square { equal: 1.., .. } => "good",
            Square { refused: 1.., .. } => "refused",
            _ => "hole",
        }
    }
}

type Map<'a> = BTreeMap<(&'a str, &'a str), BTreeMap<(DType, Layout), Square>>;

fn map(report: &Report) -> Map<'_> {
    let mut map = Map::new();
    for case in &report.cases {
        let row = map.entry((&case.family, &case.op)).or_default();
        // A weak scalar has neither dtype nor layout; two operands alike count once.
        let parse = |(dtype, layout): (&str, &str)| Some((dtype.parse().ok()?, layout.parse().ok()?));
        let squares: BTreeSet<(DType, Layout)> =
            case.dtypes.split('-').zip(case.layouts.split('-')).filter_map(parse).collect();
        for square in squares {
            row.entry(square).or_default().count(case);
        }
    }
    map
}

fn heat(out: &mut String, report: &Report) {
    out.push_str("<table class=map><thead><tr><th>operation</th>");
    for dtype in DType::ALL {
        let _ = write!(out, "<th>{}</th>", dtype.device_name());
    }
    out.push_str("</tr></thead><tbody>\n");
    for ((family, op), row) in map(report) {
        let _ = write!(out, "<tr><th title=\"{family}\">{}</th>", escape(op));
        for dtype in DType::ALL {
            out.push_str("<td>");
            for layout in Layout::ALL {
                let square = row.get(&(dtype, *layout)).copied().unwrap_or_default();
                let Square { equal, refused, failed } = square;
                let _ = write!(
                    out,
                    "<i class={} title=\"{} {} {layout}: {equal} equal, {refused} refused, {failed} failed\"></i>",
                    square.class(),
                    escape(op),
                    dtype.device_name()
                );
            }
            out.push_str("</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
}

fn failures(out: &mut String, report: &Report) {
    for case in report.failed() {
        let Some(failure) = &case.failure else { continue };
        let detail = super::detail(&report.about.device, report.about.seed, &case.id, failure);
        let _ = writeln!(
            out,
            "<details><summary><code>{}</code></summary><pre>{}</pre></details>",
            escape(&case.id),
            escape(&detail)
        );
    }
}

/// The largest error of each operation by the dtype of the result, over a bar of how many elements err by how much.
fn errors(out: &mut String, report: &Report) {
    let all = errors::errors(&report.cases);
    let inexact: Vec<DType> = DType::ALL.into_iter().filter(|d| d.is_float() || d.is_complex()).collect();
    out.push_str("<table class=errors><thead><tr><th>operation</th>");
    for dtype in &inexact {
        let _ = write!(out, "<th>{}</th>", dtype.device_name());
    }
    out.push_str("</tr></thead><tbody>\n");
    let ops: BTreeSet<&str> = all.iter().filter(|(_, e)| e.worst > 0.0).map(|((op, _), _)| *op).collect();
    for op in ops {
        let _ = write!(out, "<tr><th>{}</th>", escape(op));
        for dtype in &inexact {
            let Some(found) = all.get(&(op, *dtype)) else {
                out.push_str("<td></td>");
                continue;
            };
            let (shown, id) = (errors::shown(found.worst), escape(found.id));
            let _ = write!(out, "<td title=\"{id}: {}\">{shown}<div class=bar>", found.words());
            for (class, share) in found.shares().into_iter().enumerate() {
                let _ = write!(out, "<i class=e{class} style=\"width:{share:.1}%\"></i>");
            }
            out.push_str("</div></td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
}

fn slowest(out: &mut String, report: &Report) {
    out.push_str("<table><tbody>\n");
    for case in report.slowest(20) {
        let (ms, id) = (case.micros as f64 / 1e3, escape(&case.id));
        let _ = writeln!(out, "<tr><td class=number>{ms:.1} ms</td><td><code>{id}</code></td></tr>");
    }
    out.push_str("</tbody></table>\n");
}

pub(super) fn page(report: &Report) -> String {
    let about = &report.about;
    let failed = report.failed().count();
    let refused = report.cases.iter().filter(|c| c.refused).count();
    let (total, equal) = (report.cases.len(), report.cases.len() - failed - refused);
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\
         <title>Cuprum conformance: {failed} failed of {total}</title>\n<style>{STYLE}</style></head><body>\n\
         <h1>Conformance on {}</h1>\n<p class=cards>",
        escape(if about.name.is_empty() { &about.device } else { &about.name })
    );
    let cards = [
        ("cases", total, ""),
        ("equal", equal, "good"),
        ("refused alike", refused, "refused"),
        ("failed", failed, "bad"),
    ];
    for (label, n, class) in cards {
        let class = if n == 0 { "" } else { class };
        let _ = write!(out, "<span class=\"card {class}\"><b>{n}</b> {label}</span>");
    }
    let kind = if about.full { "full run" } else { "default run" };
    let part = if about.part.is_empty() { String::new() } else { format!(", only {}", about.part) };
    let _ = write!(
        out,
        "</p>\n<p>{kind}{}, {}, commit {}, driver {}, NVRTC {}, seed {}, {:.1} s on {} thread(s), \
         {} kernels compiled, {} from the disk.</p>\n",
        escape(&part),
        escape(&about.date),
        escape(&about.commit),
        escape(&about.driver),
        escape(&about.nvrtc),
        about.seed,
        about.seconds,
        about.jobs,
        about.compiled,
        about.cached
    );
    if failed > 0 {
        let _ = writeln!(out, "<h2>Failures</h2>");
        failures(&mut out, report);
    }
    let layouts: Vec<String> = Layout::ALL.iter().map(Layout::to_string).collect();
    let _ = write!(
        out,
        "<h2>Operation, dtype, layout</h2>\n<p>Each cell has a square a layout, in this order: {}. \
         <i class=good></i> equal, <i class=refused></i> refused by both sides, <i class=bad></i> failed, \
         <i class=hole></i> no case.</p>\n<div class=scroll>",
        layouts.join(", ")
    );
    heat(&mut out, report);
    out.push_str("</div>\n<h2>Largest errors, in units in the last place</h2>\n<div class=scroll>");
    errors(&mut out, report);
    out.push_str("</div>\n<h2>Slowest cases</h2>\n");
    slowest(&mut out, report);
    out.push_str("</body></html>\n");
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_whole_and_shows_the_failure() {
        let page = super::super::tests::sample().html();
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        assert!(page.contains("add f32 C: 0 equal, 0 refused, 1 failed"));
        assert!(page.contains("add f16 strided: 1 equal"));
        assert!(page.contains("is &lt;1&gt;"));
        for outside in ["http", "<script", "src="] {
            assert!(!page.contains(outside), "the page must need nothing else: {outside}");
        }
    }
}
