//! The operations' part of the coverage page: operation × dtype × layout, of the conformance suite's default run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cuprum_conformance::Matrix;
use cuprum_conformance::case::{Case, Layout, Operand};
use cuprum_conformance::matrix::Op;
use cuprum_conformance::sample;
use cuprum_kernels::DType;

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
    page.push_str("\nHoles:\n\n");
    page.push_str(if holes.is_empty() { "None.\n" } else { &holes });
    page
}
