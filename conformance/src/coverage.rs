//! Which claimed dtypes the default run has in which layouts, and the holes that it leaves.
//!
//! A hole is a claimed dtype in a layout that some shape of the operation allows, without a case of the default run.
//! There may be holes, for layouts are mostly the engines' affair and many operations share one; but their number
//! stands in `matrix.yaml` with a reason and a day, by family, and the suite holds it against what there is.

use std::collections::{BTreeMap, BTreeSet};

use cuprum_kernels::DType;

use crate::case::{Case, Layout, Operand};
use crate::matrix::{Matrix, Op, OpKind};
use crate::sample;

/// What the default run has of one operation.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The operation.
    pub op: &'a Op,
    /// Its cases.
    pub cases: usize,
    /// The layouts that some shape of it allows.
    pub layouts: Vec<Layout>,
    /// The dtypes that it claims.
    pub claimed: BTreeSet<DType>,
    /// Cases by dtype and layout of an operand.
    pub met: BTreeMap<(DType, Layout), usize>,
}

impl<'a> Row<'a> {
    /// The row of an operation with these cases.
    pub fn new(matrix: &Matrix, op: &'a Op, cases: &[Case]) -> Row<'a> {
        let shapes = matrix.shapes.get(&op.shapes);
        let all = shapes.iter().flat_map(|s| s.default.iter().chain(&s.full)).flat_map(|tuple| &tuple.0);
        let all: Vec<_> = all.collect();
        // A new array is made in C or Fortran order, whatever else there is.
        let possible: Vec<Layout> = match op.kind {
            OpKind::Creation => vec![Layout::C, Layout::F],
            // What only cases against certain faults ask for is no hole elsewhere.
            _ => Layout::ALL
                .iter()
                .copied()
                .filter(|l| !matches!(l, Layout::Padded | Layout::Uneven | Layout::Sparse))
                .collect(),
        };
        let allowed = |layout: &Layout| all.iter().any(|shape| layout.applies(shape));
        let mut met = BTreeMap::new();
        for case in cases {
            let here: BTreeSet<(DType, Layout)> = case.operands.iter().filter_map(square).collect();
            here.into_iter().for_each(|square| *met.entry(square).or_default() += 1);
        }
        Row {
            op,
            cases: cases.len(),
            layouts: possible.iter().copied().filter(allowed).collect(),
            claimed: DType::ALL.into_iter().filter(|d| matrix.claims(op, *d)).collect(),
            met,
        }
    }

    /// The squares without a case.
    pub fn holes(&self) -> Vec<(DType, Layout)> {
        let squares = self.claimed.iter().flat_map(|d| self.layouts.iter().map(move |l| (*d, *l)));
        squares.filter(|square| !self.met.contains_key(square)).collect()
    }
}

fn square(operand: &Operand) -> Option<(DType, Layout)> {
    if let Operand::Array { dtype, layout, .. } = operand { Some((*dtype, *layout)) } else { None }
}

/// The rows of all operations, in the order of the matrix.
pub fn rows(matrix: &Matrix) -> Vec<Row<'_>> {
    let row = |op| Row::new(matrix, op, &sample::cases_of(matrix, op, false, matrix.seed));
    matrix.ops.iter().map(row).collect()
}

/// The number of holes by family, of those that have any.
pub fn count<'a>(rows: &[Row<'a>]) -> BTreeMap<&'a str, usize> {
    let mut count = BTreeMap::new();
    for row in rows {
        *count.entry(row.op.family.as_str()).or_default() += row.holes().len();
    }
    count.retain(|_, n| *n > 0);
    count
}

/// What differs between the holes that there are and those that the matrix names.
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
    use crate::matrix::Hole;

    #[test]
    fn a_layout_without_a_case_is_a_hole_and_a_case_closes_it() {
        let matrix = Matrix::built_in().unwrap();
        let op = matrix.op("negative").unwrap();
        let all = sample::cases_of(&matrix, op, false, matrix.seed);
        assert_eq!(Row::new(&matrix, op, &all).holes(), []);
        let hits = |c: &Case| square(&c.operands[0]) == Some((DType::F32, Layout::Negative));
        let without: Vec<Case> = all.iter().filter(|c| !hits(c)).cloned().collect();
        assert_eq!(Row::new(&matrix, op, &without).holes(), [(DType::F32, Layout::Negative)]);
    }

    #[test]
    fn more_holes_than_named_and_fewer_both_are_told() {
        let mut matrix = Matrix::built_in().unwrap();
        matrix.ops.retain(|op| op.family == "trigonometric");
        let hole =
            |count| Hole { family: "trigonometric".into(), count, since: "2026-01-31".into(), reason: "r".into() };
        let told = |holes: Vec<Hole>| {
            let matrix = Matrix { holes, ..matrix.clone() };
            let rows = rows(&matrix);
            (problems(&matrix, &rows), count(&rows).get("trigonometric").copied().unwrap_or(0))
        };
        let (all, n) = told(vec![]);
        assert!(all[0].contains(&format!("{n} holes in the coverage")), "{all:?}");
        assert_eq!(told(vec![hole(n)]).0, Vec::<String>::new());
        assert!(told(vec![hole(n + 1)]).0[0].contains("holes are left"));
    }
}
