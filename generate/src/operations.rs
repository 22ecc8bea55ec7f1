//! Pages of the operations: the coverage of operation × dtype × layout by the conformance suite's default run, and the
//! reference table.

use std::fmt::Write;

use cuprum_conformance::Matrix;
use cuprum_conformance::case::Layout;
use cuprum_conformance::coverage::{self, Row};
use cuprum_conformance::sample::CaseSet;
use cuprum_kernels::DType;
use cuprum_kernels::registry::{ReductionId, UfuncId};

use crate::jobs::MARK;

/// Returns the tables.
pub fn tables(matrix: &Matrix, sets: &[CaseSet]) -> String {
    let rows: Vec<Row<'_>> = matrix.ops.iter().zip(sets.iter()).map(|(op, set)| Row::new(matrix, op, set)).collect();
    let total: usize = rows.iter().map(|row| row.cases + row.slight + row.rejected).sum();
    let mut page = format!(
        "The {total} cases of the default run, which every change must pass. Covered is what is accepted and has more than \
         one element. A tile is what one block of an engine takes before there is another; `cuprum::Engine` says how much \
         that is.\n\n{}\n\
         The number in a cell is that of the memory \
         layouts ({}) in which operands of this dtype occur, of those that the shapes of the operation allow; it is bold \
         where a claimed dtype is not in all of them. A dtype marked × is rejected. \
         The full run has all combinations up to a bound for each operation.\n\n",
        coverage::table(matrix, sets),
        Layout::ALL.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    );
    let _ = write!(page, "| operation | cases | slight | rejected | layouts |");
    for dtype in DType::ALL {
        let _ = write!(page, " {} |", dtype.device_name());
    }
    let _ = write!(page, "\n|---|--:|--:|--:|--:|{}\n", "--:|".repeat(DType::ALL.len()));
    for row in &rows {
        let Row { cases, slight, rejected, .. } = row;
        let _ = write!(page, "| {} | {cases} | {slight} | {rejected} | {} |", row.op.name, row.layouts.len());
        let holes = row.holes();
        for dtype in DType::ALL {
            let met = Layout::ALL.iter().filter(|layout| row.met.contains_key(&(dtype, **layout))).count();
            if !row.claimed.contains(&dtype) {
                page.push_str(" × |");
            } else if holes.iter().any(|(d, _)| *d == dtype) {
                let _ = write!(page, " **{met}** |");
            } else {
                let _ = write!(page, " {met} |");
            }
        }
        page.push('\n');
    }
    page.push_str(
        "\nHoles, that is claimed dtypes in layouts without a case, by family; none may be added without a reason:\n\n",
    );
    page.push_str("| family | holes | since | |\n|---|--:|---|---|\n");
    for (family, count) in coverage::count(&rows) {
        let named = matrix.holes.iter().find(|hole| hole.family == family);
        let (since, reason) = named.map_or(("", "**no reason**"), |hole| (&hole.since, &hole.reason));
        let _ = writeln!(page, "| {family} | {count} | {since} | {reason} |");
    }
    let uncovered: Vec<&str> = registered().filter(|name| matrix.op(name).is_none()).collect();
    if !uncovered.is_empty() {
        let _ = writeln!(page, "\nWithout any case: {}.", uncovered.join(", "));
    }
    page
}

/// Returns the name of every function that has device code.
fn registered() -> impl Iterator<Item = &'static str> {
    UfuncId::all().map(|id| id.record().name).chain(ReductionId::all().map(|id| id.record().name))
}

/// Returns `docs/src/operations.md`: the reference table of every function with device code, from its record.
pub fn reference() -> String {
    let names = |name: &str, aliases: &[&str]| {
        std::iter::once(&name).chain(aliases).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let mut page = format!(
        "<!-- {MARK} -->\n\n\
         # Operations\n\n\
         From the registry in `kernels/`. A loop is written in NumPy's type characters, with `E` for bfloat16; the first \
         loop to which every operand can be cast safely is the one that runs.\n\n\
         ## Elementwise\n\n| function | loops | |\n|---|---|---|\n"
    );
    for record in UfuncId::all().map(UfuncId::record) {
        let loops: Vec<_> = record.loops.iter().flat_map(|group| group.types.split_whitespace()).collect();
        let _ = writeln!(page, "| {} | `{}` | {} |", names(record.name, record.aliases), loops.join(" "), record.doc);
    }
    page.push_str("\n## Reductions\n\n| function | |\n|---|---|\n");
    for record in ReductionId::all().map(ReductionId::record) {
        let _ = writeln!(page, "| {} | {} |", names(record.name, record.aliases), record.doc);
    }
    page
}
