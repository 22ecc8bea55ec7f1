//! Coverage of claimed dtypes and layouts by the default run, and its holes.
//!
//! A hole is a claimed dtype in a layout that some shape of the operation allows, without a case of the default run
//! that is accepted and has more than one element. Holes are permitted, because layouts are mostly handled by the
//! engines and many operations share one; but their number is declared in `matrix.yaml` with a reason and a date, by
//! family, and the suite compares it with the actual one.

use std::collections::{BTreeMap, BTreeSet};

use cuprum::Engine;
use cuprum_kernels::DType;

use crate::case::{Layout, Operand};
use crate::matrix::{Matrix, Op, OpKind};
use crate::sample::{self, CaseSet};

/// Coverage of one operation by the default run.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The operation.
    pub op: &'a Op,
    /// Accepted cases of more than one element: these count.
    pub cases: usize,
    /// Cases of one element or none.
    pub slight: usize,
    /// Rejected cases.
    pub rejected: usize,
    /// Layouts that some shape of the operation allows.
    pub layouts: Vec<Layout>,
    /// Dtypes that the operation claims.
    pub claimed: BTreeSet<DType>,
    /// Counted cases, by dtype and layout of an operand.
    pub met: BTreeMap<(DType, Layout), usize>,
}

impl<'a> Row<'a> {
    /// Computes the row of an operation from its sample.
    pub fn new(matrix: &Matrix, op: &'a Op, set: &CaseSet) -> Row<'a> {
        let shapes = matrix.shapes.get(&op.shapes);
        let all = shapes.iter().flat_map(|s| s.default.iter().chain(&s.large).chain(&s.full)).flat_map(|t| &t.0);
        let all: Vec<_> = all.collect();
        // A new array is created in C or Fortran order only.
        let possible: Vec<Layout> = match op.kind {
            OpKind::Creation => vec![Layout::C, Layout::F],
            // Sparse operands are built from contiguous ones.
            OpKind::Sparse => op.layouts.clone().unwrap_or(vec![Layout::C]),
            // Layouts that only cases against certain faults use are no holes elsewhere.
            _ => Layout::ALL
                .iter()
                .copied()
                .filter(|l| !matches!(l, Layout::Padded | Layout::Uneven | Layout::Sparse))
                .collect(),
        };
        let allowed = |layout: &Layout| all.iter().any(|shape| layout.applies(shape));
        let mut met = BTreeMap::new();
        for case in &set.filled {
            let here: BTreeSet<(DType, Layout)> = case.operands.iter().filter_map(square).collect();
            here.into_iter().for_each(|square| *met.entry(square).or_default() += 1);
        }
        Row {
            op,
            cases: set.filled.len(),
            slight: set.slight.len(),
            rejected: set.rejected.len(),
            layouts: possible.iter().copied().filter(allowed).collect(),
            claimed: DType::ALL.into_iter().filter(|d| matrix.claims(op, *d)).collect(),
            met,
        }
    }

    /// Returns the squares without a case.
    pub fn holes(&self) -> Vec<(DType, Layout)> {
        let squares = self.claimed.iter().flat_map(|d| self.layouts.iter().map(move |l| (*d, *l)));
        squares.filter(|square| !self.met.contains_key(square)).collect()
    }
}

fn square(operand: &Operand) -> Option<(DType, Layout)> {
    if let Operand::Array { dtype, layout, .. } = operand { Some((*dtype, *layout)) } else { None }
}

/// Returns the rows of all operations, in the order of the matrix.
pub fn rows(matrix: &Matrix) -> Vec<Row<'_>> {
    let sets = sample::case_sets(matrix, false, matrix.seed);
    matrix.ops.iter().zip(sets.iter()).map(|(op, set)| Row::new(matrix, op, set)).collect()
}

/// Sizes of the cases of one engine, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Accepted cases with more than one element.
    pub filled: usize,
    /// Cases of more than 1,024 elements.
    pub some: usize,
    /// Cases of more than 4,096 elements.
    pub many: usize,
    /// Cases of more elements than one block of their engine processes.
    pub tiles: usize,
}

/// Counts the sizes of the counted cases, by engine, the first entry being all of them; `None` for operations on views.
pub fn sizes(matrix: &Matrix, sets: &[CaseSet]) -> Vec<(Option<Engine>, Sizes)> {
    let mut of_all = Sizes::default();
    let mut by_engine: BTreeMap<Engine, Sizes> = BTreeMap::new();
    for (op, set) in matrix.ops.iter().zip(sets) {
        for case in &set.filled {
            let (n, tiles) = (sample::elements(op, case), sample::tiles(op, case));
            let own = op.engine().map(|engine| by_engine.entry(engine).or_default());
            for sizes in [Some(&mut of_all), own].into_iter().flatten() {
                sizes.filled += 1;
                sizes.some += usize::from(n > 1024);
                sizes.many += usize::from(n > 4096);
                sizes.tiles += usize::from(tiles);
            }
        }
    }
    let by_engine = by_engine.into_iter().map(|(engine, sizes)| (Some(engine), sizes));
    std::iter::once((None, of_all)).chain(by_engine).collect()
}

/// Formats the sizes as a table in Markdown, preceded by the parts of the sample.
pub fn table(matrix: &Matrix, sets: &[CaseSet]) -> String {
    let count = |part: fn(&CaseSet) -> usize| sets.iter().map(part).sum::<usize>();
    let [filled, slight, rejected] =
        [count(|d| d.filled.len()), count(|d| d.slight.len()), count(|d| d.rejected.len())];
    let mut page = format!(
        "Accepted, with more than one element: {filled}; with one or none: {slight}; rejected: {rejected}.\n\n\
         | engine | cases | over 1,024 elements | over 4,096 | over a tile |\n|---|--:|--:|--:|--:|\n"
    );
    for (engine, of_one) in sizes(matrix, sets) {
        let Sizes { filled, some, many, tiles } = of_one;
        let name = engine.map_or("all".into(), |engine| engine.to_string());
        let share = |n: usize| format!("{n} ({} %)", (100 * n) / filled.max(1));
        page.push_str(&format!("| {name} | {filled} | {} | {} | {} |\n", share(some), share(many), share(tiles)));
    }
    page
}

/// Returns the number of holes by family, for families that have any.
pub fn count<'a>(rows: &[Row<'a>]) -> BTreeMap<&'a str, usize> {
    let mut count = BTreeMap::new();
    for row in rows {
        *count.entry(row.op.family.as_str()).or_default() += row.holes().len();
    }
    count.retain(|_, n| *n > 0);
    count
}

/// Returns the differences between the actual holes and those that the matrix declares.
pub fn problems(matrix: &Matrix, rows: &[Row<'_>]) -> Vec<String> {
    let found = count(rows);
    let named: BTreeMap<&str, usize> = matrix.holes.iter().map(|h| (h.family.as_str(), h.count)).collect();
    let families: BTreeSet<&str> = found.keys().chain(named.keys()).copied().collect();
    let mut problems = vec![];
    for family in families {
        let (have, want) = (found.get(family).copied().unwrap_or(0), named.get(family).copied().unwrap_or(0));
        if have > want {
            problems.push(format!(
                "{family}: {have} holes in the coverage, where `holes` in matrix.yaml allows {want}: more cases, or \
                 `- {{family: {family}, count: {have}, since: YEAR-MONTH-DAY, reason: …}}`"
            ));
        } else if have < want {
            problems.push(format!("{family}: {have} holes are left: `holes` in matrix.yaml still allows {want}"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::matrix::Hole;

    #[test]
    fn a_layout_without_a_case_is_a_hole_and_a_case_closes_it() {
        let matrix = Matrix::built_in().unwrap();
        let op = matrix.op("negative").unwrap();
        let all = sample::case_set(&matrix, op, false, matrix.seed);
        assert_eq!(Row::new(&matrix, op, &all).holes(), []);
        let hits = |c: &Case| square(&c.operands[0]) == Some((DType::F32, Layout::Negative));
        let mut without = all.clone();
        without.filled.retain(|c| !hits(c));
        without.slight.extend(all.filled.iter().filter(|c| hits(c)).cloned());
        assert_eq!(Row::new(&matrix, op, &without).holes(), [(DType::F32, Layout::Negative)]);
    }

    /// A fifth of the cases has more than 4,096 elements, and a twentieth more than a block's work, of each engine too.
    #[test]
    fn cases_are_large_enough_to_be_shared_out() {
        let matrix = Matrix::built_in().unwrap();
        let sizes = sizes(&matrix, &sample::case_sets(&matrix, false, matrix.seed));
        eprintln!("{sizes:#?}");
        let [(None, all), engines @ ..] = &sizes[..] else { panic!("{sizes:?}") };
        assert!(5 * all.many >= all.filled && 20 * all.tiles >= all.filled, "{all:?}");
        assert_eq!(engines.iter().filter_map(|(engine, _)| *engine).collect::<Vec<_>>(), Engine::ALL);
        for (engine, of_one) in engines {
            assert!(20 * of_one.tiles >= of_one.filled, "{engine:?}: {of_one:?}");
        }
    }

    #[test]
    fn more_holes_than_named_and_fewer_are_both_reported() {
        let mut matrix = Matrix::built_in().unwrap();
        matrix.ops.retain(|op| op.family == "trigonometric");
        let hole =
            |count| Hole { family: "trigonometric".into(), count, since: "2026-01-31".into(), reason: "r".into() };
        let problems = |holes: Vec<Hole>| {
            let matrix = Matrix { holes, ..matrix.clone() };
            let rows = rows(&matrix);
            (problems(&matrix, &rows), count(&rows).get("trigonometric").copied().unwrap_or(0))
        };
        let (all, n) = problems(vec![]);
        assert!(all[0].contains(&format!("{n} holes in the coverage")), "{all:?}");
        assert_eq!(problems(vec![hole(n)]).0, Vec::<String>::new());
        assert!(problems(vec![hole(n + 1)]).0[0].contains("holes are left"));
    }
}
