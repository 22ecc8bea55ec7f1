//! Errors in units in the last place: histograms, the worst case of each operation, and the budgets with their reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cuprum_kernels::DType;

use super::{Page, class, close, open, short};
use crate::judge::Histogram;
use crate::matrix::{Model, Tolerance};
use crate::report::errors::{self, Errors, shown};
use crate::report::{CaseResult, escape};

/// Draws six columns, whose heights are the logarithms of the counts.
fn chart(out: &mut String, errors: &Errors<'_>) {
    let Histogram(counts) = errors.histogram;
    let most = (counts.iter().sum::<u64>().max(1) as f64).ln_1p();
    let _ = write!(out, "<span class=chart title=\"{}\">", errors.words());
    for (class, n) in counts.into_iter().enumerate() {
        let height = (100.0 * (n as f64).ln_1p() / most).round();
        if n == 0 {
            out.push_str("<i></i>");
        } else {
            let _ = write!(out, "<i class=e{class} style=height:{height}%></i>");
        }
    }
    out.push_str("</span>");
}

/// Formats the tolerance in a dtype for the operands of a case.
fn allowed(tolerance: &Tolerance, dtype: DType, id: &str) -> String {
    let operands: Vec<DType> = id.split('/').nth(2).unwrap_or("").split('-').filter_map(|d| d.parse().ok()).collect();
    let units = tolerance.ulp(dtype, &operands);
    match tolerance.model {
        Model::Ulp => units.to_string(),
        Model::Scaled => format!("{units} of terms"),
        Model::Derived | Model::Truncated => "by the case".into(),
    }
}

pub(super) fn histograms(page: &Page<'_>, out: &mut String) {
    let runs: Vec<BTreeMap<(&str, DType), Errors<'_>>> =
        page.runs.iter().map(|run| errors::errors(&run.cases)).collect();
    let all: BTreeSet<(&str, DType)> = runs.iter().flat_map(|run| run.keys().copied()).collect();
    let inexact: Vec<(&str, DType)> = {
        let errs = |key: &(&str, DType)| runs.iter().any(|run| run.get(key).is_some_and(|e| e.worst > 0.0));
        all.iter().copied().filter(errs).collect()
    };
    if all.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<p>Of the cases that passed: the largest error in units in the last place (ULP) from the correctly rounded result, next to \
         what is allowed and what the CUDA C++ Programming Guide publishes as the largest error of the function. The columns are \
         the elements by their error, on a logarithmic scale:</p>\n<p class=key>"
    );
    let classes = ["exact", "up to ½", "up to 1", "up to 2", "up to 4", "more"];
    for (class, name) in classes.into_iter().enumerate() {
        let _ = write!(out, "<span><b class=e{class}></b> {name}</span> ");
    }
    let _ = writeln!(
        out,
        "</p>\n<p>{} pairs of operation and result dtype without any error in any run are not shown. Where the budget comes \
         from the case (sums, products), the error is relative to a result that may cancel.</p>",
        all.len() - inexact.len()
    );
    let mut heads: Vec<String> = ["operation", "dtype", "#allowed", "#CUDA"].map(String::from).into();
    heads.extend(page.runs.iter().flat_map(|run| [format!("#{}", escape(short(&run.about))), String::new()]));
    open(out, "sort errors", &heads);
    for (op, dtype) in inexact {
        let tolerance = page.matrix.op(op).map(|op| page.matrix.tolerance(op));
        let worst = runs.iter().find_map(|run| run.get(&(op, dtype))).map_or("", |e| e.id);
        let published = tolerance.and_then(|t| t.published.get(dtype.device_name()).copied());
        let _ = write!(
            out,
            "<tr class=op><th>{}</th><td>{}</td><td class=number>{}</td><td class=number>{}</td>",
            escape(op),
            dtype.device_name(),
            tolerance.map_or_else(String::new, |t| allowed(t, dtype, worst)),
            published.map_or_else(String::new, shown)
        );
        for run in &runs {
            let Some(found) = run.get(&(op, dtype)) else {
                out.push_str("<td></td><td></td>");
                continue;
            };
            let over = if published.is_some_and(|p| found.worst > p) { "\"number over\"" } else { "number" };
            let _ = write!(out, "<td{} title=\"{}\">{}</td><td>", class(over), escape(found.id), shown(found.worst));
            chart(out, found);
            out.push_str("</td>");
        }
        out.push_str("</tr>\n");
    }
    close(out);
}

/// Writes the case of each operation with the largest error, in each run.
pub(super) fn worst(page: &Page<'_>, out: &mut String) {
    let mut found: BTreeMap<(&str, usize), &CaseResult> = BTreeMap::new();
    for (i, run) in page.runs.iter().enumerate() {
        for case in run.cases.iter().filter(|c| c.failure.is_none() && c.worst.is_some()) {
            let worst = found.entry((&case.op, i)).or_insert(case);
            if case.error > worst.error {
                *worst = case;
            }
        }
    }
    if found.is_empty() {
        return;
    }
    out.push_str(
        "<p>The element that errs most of each operation in each run. The operands are shown where one element of each makes \
         the result.</p>\n",
    );
    let heads = ["operation", "#ULP", "operands", "device<br>correctly rounded", "run", "dtype", "case"];
    open(out, "sort worst", &heads.map(String::from));
    for ((op, run), case) in found {
        let Some(worst) = &case.worst else { continue };
        let operands: Vec<String> = worst.operands.iter().map(|o| format!("<code>{}</code>", escape(o))).collect();
        let _ = writeln!(
            out,
            "<tr class=op><th>{}</th><td class=number>{}</td><td>{}</td>\
             <td><code>{}</code><br><code>{}</code></td><td>{}</td><td>{}</td><td><code>{}</code> at {:?}</td></tr>",
            escape(op),
            case.error.map_or_else(String::new, shown),
            operands.join("<br>"),
            escape(&worst.got),
            escape(&worst.want),
            escape(short(&page.runs[run].about)),
            escape(&case.result),
            escape(&case.id),
            worst.index
        );
    }
    close(out);
}

/// Writes the tolerances, their reasons, and how much of them was used.
pub(super) fn budgets(page: &Page<'_>, out: &mut String) {
    let measured = errors::budgets(page.matrix, page.runs);
    out.push_str(
        "<p>What the results may differ by, in units in the last place, and what these runs used of it.</p>\n",
    );
    open(out, "sort budgets", &["tolerance", "dtype", "#allowed", "#CUDA", "#used", "why"].map(String::from));
    let mut last = "";
    for budget in measured {
        let Some(tolerance) = page.matrix.tolerances.get(budget.tolerance) else { continue };
        let dtype = budget.dtype.device_name();
        // The reason is written once, on the first line of its tolerance.
        let reason = if tolerance.name == last { "" } else { &tolerance.reason };
        last = &tolerance.name;
        let (used, id) = budget.measured.map_or_else(|| ("–".into(), ""), |(e, id)| (shown(e), id));
        let _ = writeln!(
            out,
            "<tr><th>{}</th><td>{dtype}</td><td class=number>{}</td><td class=number>{}</td>\
             <td class=number title=\"{}\">{used}</td><td class=text>{}</td></tr>",
            escape(&tolerance.name),
            budget.allowed,
            tolerance.published.get(dtype).map_or_else(String::new, |p| shown(*p)),
            escape(id),
            escape(reason)
        );
    }
    close(out);
}
