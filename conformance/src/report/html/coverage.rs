//! The map of operation × dtype × layout: executed cases, their results, and the holes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cuprum_kernels::DType;

use super::{Page, close, open};
use crate::case::Layout;
use crate::coverage::{self, Row};
use crate::report::{CaseResult, escape};

/// The results of the cases of one square.
#[derive(Clone, Copy, Default)]
struct Square {
    equal: usize,
    rejected: usize,
    failed: usize,
}

impl Square {
    fn count(&mut self, case: &CaseResult) {
        *(if case.failure.is_some() || case.known.is_some() {
            &mut self.failed
        } else if case.rejected {
            &mut self.rejected
        } else {
            &mut self.equal
        }) += 1;
    }

    /// Returns the class of the style sheet: bad, good, rejected, unknown.
    fn class(self) -> char {
        match self {
            Square { failed: 1.., .. } => 'b',
            Square { equal: 1.., .. } => 'g',
            Square { rejected: 1.., .. } => 'r',
            _ => 'n',
        }
    }
}

type Squares<'a> = BTreeMap<(&'a str, DType, Layout), Square>;

fn squares<'a>(page: &Page<'a>) -> Squares<'a> {
    let mut squares = Squares::new();
    for case in page.runs.iter().flat_map(|run| &run.cases) {
        // A weak scalar has neither dtype nor layout; two equal operands count once.
        let parse = |(dtype, layout): (&str, &str)| Some((dtype.parse().ok()?, layout.parse().ok()?));
        let here: BTreeSet<(DType, Layout)> =
            case.dtypes.split('-').zip(case.layouts.split('-')).filter_map(parse).collect();
        for (dtype, layout) in here {
            squares.entry((&case.op, dtype, layout)).or_default().count(case);
        }
    }
    squares
}

/// Writes one cell: a bar if all layouts are equal, else a square for each layout.
fn cell(out: &mut String, row: &Row<'_>, dtype: DType, squares: &Squares<'_>) {
    let name = row.op.name.as_str();
    let claimed = row.claimed.contains(&dtype);
    let (mut classes, mut words) = (String::new(), String::new());
    for layout in &row.layouts {
        let square = squares.get(&(name, dtype, *layout)).copied().unwrap_or_default();
        let hole = claimed && !row.met.contains_key(&(dtype, *layout));
        let class = match square.class() {
            'n' if hole => 'h',
            class => class,
        };
        classes.push(class);
        let counts = [(square.equal, ""), (square.rejected, " rejected"), (square.failed, " failed")];
        let _ = write!(words, "{}{layout}", if words.is_empty() { "" } else { "; " });
        for (n, what) in counts.into_iter().filter(|(n, _)| *n > 0) {
            let _ = write!(words, " {n}{what}");
        }
        if class == 'h' {
            words.push_str(" hole");
        }
    }
    // An unclaimed dtype is rejected once: the other layouts are no holes.
    if !claimed && classes.chars().all(|c| "rn".contains(c)) && classes.contains('r') {
        classes = "r".repeat(classes.len());
    }
    let _ = write!(out, "<td title=\"{} {}: {words}\">", escape(name), dtype.device_name());
    let first = classes.chars().next().unwrap_or('n');
    if classes.chars().all(|c| c == first) {
        let _ = write!(out, "<b class={first}></b></td>");
    } else {
        for class in classes.chars() {
            let _ = write!(out, "<i class={class}></i>");
        }
        out.push_str("</td>");
    }
}

pub(super) fn section(page: &Page<'_>, out: &mut String) {
    let (rows, squares) = (coverage::rows(page.matrix), squares(page));
    let held: usize = rows.iter().map(|row| row.claimed.len() * row.layouts.len()).sum();
    let holes: usize = rows.iter().map(|row| row.holes().len()).sum();
    let layouts: Vec<String> = Layout::ALL.iter().map(Layout::to_string).collect();
    let _ = write!(
        out,
        "<p>A cell is an operation with operands of one dtype. It is one bar where every memory layout came out alike, \
         else it has a square a layout, in this order: {}, as far as the shapes of the operation allow them.</p>\n\
         <p class=key><span><b class=g></b> equal</span> <span><b class=r></b> rejected by both sides</span> <span><b class=b></b> failed</span> \
         <span><b class=h></b> hole: claimed, without a case</span> <span><b class=n></b> not in these runs</span></p>\n\
         <p>{} of {held} squares of operation, claimed dtype and layout have a case of the default sample, {holes} are holes.</p>\n",
        layouts.join(", "),
        held - holes
    );
    let heads: Vec<String> =
        std::iter::once("operation".into()).chain(DType::ALL.iter().map(|d| d.device_name().into())).collect();
    open(out, "map", &heads);
    let mut family = "";
    for row in &rows {
        if row.op.family != family {
            family = &row.op.family;
            let _ = writeln!(
                out,
                "<tr class=family><th>{}</th><td colspan={}></td></tr>",
                escape(family),
                DType::ALL.len()
            );
        }
        let _ = write!(out, "<tr class=op><th>{}</th>", escape(&row.op.name));
        DType::ALL.into_iter().for_each(|dtype| cell(out, row, dtype, &squares));
        out.push_str("</tr>\n");
    }
    close(out);
    let found = coverage::count(&rows);
    if found.is_empty() {
        return;
    }
    out.push_str("<h3>Holes</h3>\n<p>Their numbers are in <code>matrix.yaml</code>; the suite fails where there are more, or fewer.</p>\n");
    open(out, "sort", &["family", "#holes", "since", "reason"].map(String::from));
    for (family, count) in found {
        let named = page.matrix.holes.iter().find(|hole| hole.family == family);
        let (since, reason) = named.map_or(("", "none is given"), |h| (&h.since, &h.reason));
        let _ = writeln!(
            out,
            "<tr><th>{}</th><td class=number>{count}</td><td>{}</td><td class=text>{}</td></tr>",
            escape(family),
            escape(since),
            escape(reason)
        );
    }
    close(out);
}
