//! Which cases are run: the pairwise sample of the default run, the bounded product of the full one, and the parts of
//! them that filters pick.

use std::collections::{BTreeMap, HashSet};

use cuprum_kernels::DType;

use crate::case::{Case, Layout, Operand, ValueSet};
use crate::divergence;
use crate::matrix::{Matrix, Op, OpKind, ShapeTuple};
use crate::pairwise::Factors;
use crate::random::Rng;
use crate::text::Params;

/// Tuples of unlike dtypes per operation in the default run.
const MIXED: usize = 8;
/// Tuples of unlike dtypes per operation of three operands in the full run; of two, all.
const MIXED_FULL: usize = 60;
/// Dtypes beside each weak scalar in the default run.
const BESIDE_SCALAR: usize = 3;

/// What an operand is, but for its shape and layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Slot {
    Array(DType),
    Scalar(String),
}

/// The values that each factor of an operation takes.
struct Axes<'a> {
    op: &'a Op,
    matrix: &'a Matrix,
    slots: Vec<Vec<Slot>>,
    shapes: Vec<ShapeTuple>,
    layouts: Vec<Layout>,
    values: Vec<ValueSet>,
    params: Vec<Params>,
    /// From here on, `params` are those that are refused.
    errors_from: usize,
}

fn tuples(op: &Op, full: bool, rng: &mut Rng) -> Vec<Vec<Slot>> {
    let n = op.operands;
    let alike = DType::ALL.into_iter().map(|d| vec![Slot::Array(d); n]);
    let mut tuples: Vec<Vec<Slot>> = alike.collect();
    if let Some(declared) = &op.tuples {
        let read = |t: &String| t.split('-').filter_map(|d| d.parse().ok()).map(Slot::Array).collect();
        tuples.extend(declared.iter().map(read));
    } else if n == 2 && full {
        let pair = |a| DType::ALL.into_iter().filter(move |b| a != *b).map(move |b| vec![a, b]);
        let all = DType::ALL.into_iter().flat_map(pair);
        tuples.extend(all.map(|pair| pair.into_iter().map(Slot::Array).collect()));
    } else if n >= 2 {
        for _ in 0..if full { MIXED_FULL } else { MIXED } {
            tuples.push((0..n).map(|_| Slot::Array(rng.pick(&DType::ALL))).collect());
        }
    }
    for scalar in &op.scalars {
        let mut beside = DType::ALL.to_vec();
        if !full {
            rng.shuffle(&mut beside);
            beside.truncate(BESIDE_SCALAR);
        }
        for dtype in beside {
            let mut tuple = vec![Slot::Array(dtype); n - 1];
            tuple.push(Slot::Scalar(scalar.clone()));
            tuples.push(tuple);
        }
    }
    let mut seen = HashSet::new();
    tuples.retain(|t| seen.insert(t.clone()));
    tuples
}

impl<'a> Axes<'a> {
    fn new(matrix: &'a Matrix, op: &'a Op, full: bool, rng: &mut Rng) -> Axes<'a> {
        let shapes = &matrix.shapes[&op.shapes];
        let mut tuples_of_shapes = shapes.default.clone();
        if full {
            tuples_of_shapes.extend(shapes.full.iter().cloned());
        }
        let layouts = match (&op.layouts, op.kind) {
            (Some(layouts), _) => layouts.clone(),
            (None, OpKind::Creation) => vec![Layout::C, Layout::F],
            (None, _) => Layout::USUAL.to_vec(),
        };
        let values = match (&op.values, op.kind) {
            (Some(values), _) => values.clone(),
            (None, OpKind::Creation) => vec![ValueSet::Small],
            (None, _) => {
                let of_some =
                    [ValueSet::Natural, ValueSet::Positive, ValueSet::Mixed, ValueSet::Zeros, ValueSet::Lowest];
                ValueSet::ALL.iter().copied().filter(|v| !of_some.contains(v)).collect()
            }
        };
        let mut params = op.params.clone();
        if params.is_empty() {
            params.push(Params::default());
        }
        let errors_from = params.len();
        params.extend(op.errors.values().flatten().cloned());
        let mut slots = tuples(op, full, rng);
        if op.kind == OpKind::Method {
            // What a ufunc claims is tested where it is called without more ado.
            let alike = |t: &[Slot]| t.iter().all(|s| *s == t[0]);
            slots.retain(|t| !matches!(t[0], Slot::Array(d) if alike(t) && !matrix.claims(op, d)));
        }
        Axes { op, matrix, slots, shapes: tuples_of_shapes, layouts, values, params, errors_from }
    }

    /// All dtypes alike, and not claimed: one refusal of each is enough.
    fn unclaimed(&self, slots: &[Slot]) -> bool {
        let Slot::Array(first) = slots[0] else { return false };
        let alike = slots.iter().all(|s| *s == slots[0]);
        alike && self.op.kind != OpKind::Text && !self.matrix.claims(self.op, first)
    }

    fn allowed(&self, i: usize, v: usize, j: usize, w: usize) -> bool {
        let n = self.op.operands;
        let (values, params) = (2 + n, 3 + n);
        let plain_layout = |l: usize| self.layouts[l] == self.layouts[0];
        match (i, j) {
            (0, 1) => w < 2 || !self.unclaimed(&self.slots[v]),
            (0, j) if j < values => {
                let scalar = matches!(self.slots[v][j - 2], Slot::Scalar(_));
                plain_layout(w) || !(scalar || self.unclaimed(&self.slots[v]))
            }
            (0, j) if j == values => {
                let applies = |s: &Slot| matches!(s, Slot::Array(d) if self.values[w].applies(*d));
                // Some set must apply to every dtype: the first does.
                w == 0 || (self.slots[v].iter().any(applies) && !self.unclaimed(&self.slots[v]))
            }
            (0, _) => w == 0 || !self.unclaimed(&self.slots[v]),
            (1, j) if j < values => self.layouts[w].applies(&self.shapes[v].0[j - 2]),
            (i, j) if i >= 2 && i < values && j == params => w < self.errors_from || plain_layout(v),
            (i, j) if i == values && j == params => w < self.errors_from || v == 0,
            _ => true,
        }
    }

    fn case(&self, row: &[usize]) -> Case {
        let n = self.op.operands;
        let operand = |k: usize| match &self.slots[row[0]][k] {
            Slot::Scalar(text) => Operand::Scalar(text.clone()),
            Slot::Array(dtype) => Operand::Array {
                dtype: *dtype,
                shape: self.shapes[row[1]].0[k].clone(),
                layout: self.layouts[row[2 + k]],
            },
        };
        Case {
            family: self.op.family.clone(),
            op: self.op.name.clone(),
            operands: (0..n).map(operand).collect(),
            values: self.values[row[2 + n]].into(),
            params: self.params[row[3 + n]].clone(),
        }
    }

    fn rows(&self, full: bool, rng: &mut Rng) -> Vec<Vec<usize>> {
        let n = self.op.operands;
        let mut sizes = vec![self.slots.len(), self.shapes.len()];
        sizes.extend(std::iter::repeat_n(self.layouts.len(), n));
        sizes.extend([self.values.len(), self.params.len()]);
        let allowed = |i, v, j, w| self.allowed(i, v, j, w);
        let factors = Factors { sizes, allowed: &allowed };
        let limit = self.matrix.full_limit;
        if full && factors.product() <= limit {
            return factors.all();
        }
        let mut rows = factors.pairs(rng);
        if full {
            let mut seen: HashSet<Vec<usize>> = rows.iter().cloned().collect();
            for _ in 0..2 * limit {
                if rows.len() >= limit {
                    break;
                }
                if let Some(row) = factors.any(rng).filter(|row| seen.insert(row.clone())) {
                    rows.push(row);
                }
            }
        }
        rows
    }
}

/// The cases of one operation. Those of one operation do not depend on which others there are.
pub fn cases_of(matrix: &Matrix, op: &Op, full: bool, seed: u64) -> Vec<Case> {
    let mut rng = Rng::new(seed, &format!("sample of {}", op.name));
    let axes = Axes::new(matrix, op, full, &mut rng);
    let mut seen = HashSet::new();
    let cases = axes.rows(full, &mut rng).into_iter().map(|row| axes.case(&row));
    cases.filter(|case| seen.insert(case.id())).collect()
}

/// The cases of a run: the pairwise sample, or the bounded product.
pub fn cases(matrix: &Matrix, full: bool, seed: u64) -> Vec<Case> {
    matrix.ops.iter().flat_map(|op| cases_of(matrix, op, full, seed)).collect()
}

/// The ids of the default sample, and those of the divergences that are asserted beside it.
pub fn ids(matrix: &Matrix) -> Vec<String> {
    let cases = cases(matrix, false, matrix.seed);
    let asserted = matrix.divergences.iter().filter(|d| d.is_run());
    cases.iter().map(Case::id).chain(asserted.map(divergence::id)).collect()
}

/// The number of cases by family.
pub fn count(cases: &[Case]) -> BTreeMap<String, usize> {
    let mut count = BTreeMap::new();
    for case in cases {
        *count.entry(case.family.clone()).or_default() += 1;
    }
    count
}

/// What differs between the cases of the default run and the numbers that the matrix expects.
pub fn miscount(matrix: &Matrix, cases: &[Case]) -> Vec<String> {
    let found = count(cases);
    let families: HashSet<&String> = found.keys().chain(matrix.expected.keys()).collect();
    let (zero, mut differences) = (0, vec![]);
    for family in families {
        let (have, want) = (found.get(family).unwrap_or(&zero), matrix.expected.get(family).unwrap_or(&zero));
        if have != want {
            differences.push(format!("{family}: {have} cases, but matrix.yaml expects {want}"));
        }
    }
    differences.sort();
    differences
}

/// Whether a filter picks an id: the id itself, or parts of one in their order, with `*` between them.
pub fn matches(filter: &str, id: &str) -> bool {
    let mut rest = id;
    filter.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// The cases that the filters pick: all, where there is none. An id that names no case of the run makes its own.
///
/// # Errors
/// A message, where a filter picks nothing and is no id either.
pub fn filter(matrix: &Matrix, cases: Vec<Case>, filters: &[String]) -> Result<Vec<Case>, String> {
    if filters.is_empty() {
        return Ok(cases);
    }
    let ids: Vec<String> = cases.iter().map(Case::id).collect();
    let mut picked = vec![false; cases.len()];
    let mut made = vec![];
    for filter in filters {
        if let Some(i) = ids.iter().position(|id| id == filter) {
            picked[i] = true;
            continue;
        }
        let exact = Case::parse(filter, matrix);
        if let Ok(case) = exact {
            made.push(case);
            continue;
        }
        let mut any = false;
        for (picked, id) in picked.iter_mut().zip(&ids) {
            if matches(filter, id) {
                (*picked, any) = (true, true);
            }
        }
        if !any {
            return Err(format!("the filter `{filter}` picks no case; and {}", exact.unwrap_err()));
        }
    }
    Ok(cases.into_iter().zip(picked).filter(|(_, p)| *p).map(|(c, _)| c).chain(made).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Matrix {
        Matrix::built_in().unwrap()
    }

    #[test]
    fn the_default_run_has_the_cases_that_are_expected() {
        let matrix = matrix();
        let cases = cases(&matrix, false, matrix.seed);
        assert_eq!(miscount(&matrix, &cases), Vec::<String>::new(), "{:#?}", count(&cases));
    }

    #[test]
    fn a_lost_case_is_seen() {
        let matrix = matrix();
        let mut cases = cases(&matrix, false, matrix.seed);
        cases.pop();
        assert_eq!(miscount(&matrix, &cases).len(), 1);
    }

    #[test]
    fn samples_do_not_depend_on_other_operations_and_repeat() {
        let matrix = matrix();
        let alone = cases_of(&matrix, matrix.op("add").unwrap(), false, 1);
        let among: Vec<Case> = cases(&matrix, false, 1).into_iter().filter(|c| c.op == "add").collect();
        assert_eq!(alone, among);
        assert_ne!(alone, cases_of(&matrix, matrix.op("add").unwrap(), false, 2));
    }

    #[test]
    fn every_layout_and_dtype_of_an_operation_meet() {
        let matrix = matrix();
        let cases = cases_of(&matrix, matrix.op("add").unwrap(), false, matrix.seed);
        for dtype in DType::ALL {
            for layout in Layout::USUAL {
                let meets = |c: &Case| {
                    c.operands.iter().all(|o| matches!(o, Operand::Array { dtype: d, .. } if *d == dtype))
                        && matches!(&c.operands[0], Operand::Array { layout: l, .. } if l == layout)
                };
                assert!(cases.iter().any(meets), "{dtype} {layout}");
            }
        }
    }

    #[test]
    fn every_id_of_the_default_run_makes_its_case_again() {
        let matrix = matrix();
        for case in cases(&matrix, false, matrix.seed) {
            assert_eq!(Case::parse(&case.id(), &matrix), Ok(case));
        }
    }

    #[test]
    fn filters_pick_by_parts_and_ids_make_their_case() {
        assert!(matches("add/*strided", "math/add/f32/(3,)/strided/small"));
        assert!(!matches("strided*add", "math/add/f32/(3,)/strided/small"));
        let matrix = matrix();
        let id = "math/add/f32-f32/(7,2,1)x(2,9)/C-C/small".to_string();
        let picked = filter(&matrix, cases(&matrix, false, matrix.seed), std::slice::from_ref(&id)).unwrap();
        assert_eq!(picked.iter().map(Case::id).collect::<Vec<_>>(), [id]);
        assert!(filter(&matrix, vec![], &["no such thing".into()]).unwrap_err().contains("picks no case"));
    }
}
