//! The pages about operations: what the conformance suite's default run covers of operation × dtype × layout, and the
//! reference table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cuprum_conformance::Matrix;
use cuprum_conformance::case::{Case, Layout, Operand};
use cuprum_conformance::matrix::Op;
use cuprum_conformance::sample;
use cuprum_kernels::DType;
use cuprum_kernels::registry::{ReductionId, UfuncId};

use crate::jobs::MARK;

/// For one operation, the layouts in which an operand of each dtype occurs.
struct Row<'a> {
    op: &'a Op,
    cases: usize,
    layouts: BTreeSet<Layout>,
    met: BTreeMap<usize, BTreeSet<Layout>>,
}

impl<'a> Row<'a> {
    fn new(op: &'a Op, cases: &[Case]) -> Row<'a> {
        let mut row = Row { op, cases: cases.len(), layouts: BTreeSet::new(), met: BTreeMap::new() };
        for operand in cases.iter().flat_map(|case| &case.operands) {
            let Operand::Array { dtype, layout, .. } = operand else { continue };
            let column = DType::ALL.iter().position(|known| known == dtype).unwrap_or(usize::MAX);
            row.layouts.insert(*layout);
            row.met.entry(column).or_default().insert(*layout);
        }
        row
    }

    /// The layouts in which this claimed dtype never occurs, though others do.
    fn holes(&self, column: usize) -> Vec<Layout> {
        let met = self.met.get(&column);
        self.layouts.iter().filter(|layout| met.is_none_or(|met| !met.contains(layout))).copied().collect()
    }
}

/// The tables.
pub fn tables(matrix: &Matrix) -> String {
    let rows: Vec<Row> =
        matrix.ops.iter().map(|op| Row::new(op, &sample::cases_of(matrix, op, false, matrix.seed))).collect();
    let total: usize = rows.iter().map(|row| row.cases).sum();
    let mut page = format!(
        "The {total} cases of the default run, which every change must pass. The number in a cell is that of the memory \
         layouts ({}) in which operands of this dtype occur; a dtype marked × is refused, and the refusal is a case. \
         The full run has all combinations up to a bound for each operation.\n\n",
        Layout::ALL.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    );
    let _ = write!(page, "| operation | cases | layouts |");
    for dtype in DType::ALL {
        let _ = write!(page, " {} |", dtype.device_name());
    }
    let _ = write!(page, "\n|---|--:|--:|{}\n", "--:|".repeat(DType::ALL.len()));
    let mut holes = String::new();
    for row in &rows {
        let _ = write!(page, "| {} | {} | {} |", row.op.name, row.cases, row.layouts.len());
        for (column, dtype) in DType::ALL.into_iter().enumerate() {
            let met = row.met.get(&column).map_or(0, BTreeSet::len);
            let missing = row.holes(column);
            if !matrix.claims(row.op, dtype) {
                page.push_str(if met > 0 { " × |" } else { " **0** |" });
            } else if missing.is_empty() {
                let _ = write!(page, " {met} |");
            } else {
                let _ = write!(page, " **{met}** |");
                let missing: Vec<_> = missing.iter().map(ToString::to_string).collect();
                let _ = writeln!(holes, "- `{}` of {}: {}", row.op.name, dtype.device_name(), missing.join(", "));
            }
        }
        page.push('\n');
    }
    for name in registered().filter(|name| matrix.op(name).is_none()) {
        let _ = writeln!(holes, "- `{name}`: no case at all");
    }
    page.push_str("\nHoles:\n\n");
    page.push_str(if holes.is_empty() { "None.\n" } else { &holes });
    page
}

/// Every function that has device code.
fn registered() -> impl Iterator<Item = &'static str> {
    UfuncId::all().map(|id| id.record().name).chain(ReductionId::all().map(|id| id.record().name))
}

/// `docs/src/operations.md`: the reference table of every function with device code, from its record.
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
