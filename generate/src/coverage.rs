//! Coverage of the axes' values by targets: the check, and the table.

use std::fmt::Write;

use cuprum_conformance::matrix::read::Problem;

use crate::date::Date;
use crate::schema::{Axis, Schema, Value, show};
use crate::targets::Target;

/// Returns the targets that have this value. Targets run by hand count.
fn covering<'a>(axis: &'a Axis, value: &'a Value, targets: &'a [Target]) -> impl Iterator<Item = &'a Target> {
    targets.iter().filter(move |target| target.axes.get(&axis.name) == Some(value))
}

/// Checks that every value is covered by a target or excepted by an entry that still holds; problems are reported at
/// their lines in the schema.
pub fn check(schema: &Schema, targets: &[Target], today: Date, problems: &mut Vec<Problem>) {
    for axis in &schema.axes {
        for (value, _) in &axis.values {
            let count = covering(axis, value, targets).count();
            let entry = schema.allowed.iter().find(|entry| entry.axis == axis.name && entry.value == *value);
            let what = format!("{} {}", axis.name, show(value));
            let (line, message) = match entry {
                None if count == 0 => {
                    (axis.line, format!("no target has {what}: add one, or an entry to allow_uncovered"))
                }
                Some(entry) if count > 0 => {
                    (entry.line, format!("{what} is covered: take its entry out of allow_uncovered"))
                }
                Some(entry) if entry.until < today => {
                    (entry.line, format!("{what} was allowed to be uncovered until {} only", entry.until))
                }
                _ => continue,
            };
            problems.push(Problem { line, message });
        }
    }
}

/// Returns the table of the targets: a row for each value of each axis, a column for each target.
pub fn table(schema: &Schema, targets: &[Target]) -> String {
    let mut page = String::new();
    let _ = write!(page, "| axis | value | targets |");
    for target in targets {
        let _ = write!(page, " {} |", target.name);
    }
    let _ = write!(page, "\n|---|---|--:|{}\n", ":-:|".repeat(targets.len()));
    for axis in &schema.axes {
        for (row, (value, _)) in axis.values.0.iter().enumerate() {
            let count = covering(axis, value, targets).count();
            let name = if row == 0 { axis.name.as_str() } else { "" };
            let shown = if count == 0 { "**0**".to_owned() } else { count.to_string() };
            let _ = write!(page, "| {name} | {} | {shown} |", show(value));
            for target in targets {
                page.push_str(if target.axes.get(&axis.name) == Some(value) { " ✓ |" } else { " |" });
            }
            page.push('\n');
        }
    }
    page.push_str("\nThe axes:\n\n");
    for axis in &schema.axes {
        let _ = writeln!(page, "- `{}`: {}", axis.name, show(&axis.doc));
    }
    page.push_str("\nThe targets:\n\n");
    for target in targets {
        let by_hand = if target.external { " Its script is written by hand." } else { "" };
        let _ = writeln!(page, "- `{}` ({}): {}{by_hand}", target.name, target.tags.join(", "), target.doc);
    }
    if !schema.allowed.is_empty() {
        page.push_str("\nHoles that are known:\n\n");
        for entry in &schema.allowed {
            let (axis, value, until) = (&entry.axis, show(&entry.value), entry.until);
            let _ = writeln!(page, "- `{axis}` {value}, until {until}: {}", entry.reason);
        }
    }
    page
}
