//! Sampling of the cases of one operation, in three parts: of more than one element, of one or none, and rejected ones.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use cuprum_kernels::DType;

use super::axes::{Axes, LAYOUT, Of, SHAPE, SLOT};
use super::plan::{Arrangement, Plan};
use super::predict::{Prediction, Predictor};
use super::tuples::Slot;
use crate::case::{Case, Operand};
use crate::extra::TRANSPOSED;
use crate::matrix::{Matrix, Op, OpKind};
use crate::pairwise::{Factors, Open};
use crate::random::{Rng, hash};

/// Number of combinations of shapes and layouts that are checked for plans.
const COMPARED: usize = 300;
/// One in this many dtypes.
const THIRD: usize = 3;
/// Number of combinations that are tried for a missing plan.
const TRIED: usize = 3;

/// The cases of an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseSet {
    /// Accepted, and with more than one element: these count as coverage.
    pub filled: Vec<Case>,
    /// Accepted, with one element or none.
    pub slight: Vec<Case>,
    /// Rejected: incompatible dtypes, shapes and parameters, each in one or two cases.
    pub rejected: Vec<Case>,
    /// Additional cases of the full run, not predicted.
    pub more: Vec<Case>,
}

impl CaseSet {
    /// Returns all cases, counted ones first.
    pub fn all(&self) -> impl Iterator<Item = &Case> {
        self.filled.iter().chain(&self.slight).chain(&self.rejected).chain(&self.more)
    }
}

/// Samples the cases of one operation. They do not depend on the other operations.
pub(super) fn case_set(matrix: &Matrix, op: &Op, full: bool, seed: u64) -> CaseSet {
    let mut rng = Rng::new(seed, &format!("sample of {}", op.name));
    let predictor = Predictor::new(op, seed);
    let filled = Axes::new(matrix, &predictor, op, Of::Filled, full, &mut rng);
    let slight = Axes::new(matrix, &predictor, op, Of::Slight, full, &mut rng);
    let mut set = CaseSet::default();
    let open = filled.fill(&mut set, &mut rng);
    slight.slight(&mut set, &mut rng);
    for (axes, open) in [(&filled, open.as_slice()), (&slight, &[])] {
        if axes.has_cases() {
            axes.rejected(&mut set, open, &mut rng);
        }
    }
    if full {
        filled.more(&mut set, &mut rng);
    }
    let mut seen = HashSet::new();
    for part in [&mut set.filled, &mut set.slight, &mut set.rejected, &mut set.more] {
        part.retain(|case| !writes_to_a_number(case) && seen.insert(case.id()));
    }
    set
}

/// Returns true if the result is written to the second operand, and that is a host scalar.
fn writes_to_a_number(case: &Case) -> bool {
    case.params.get("out") == Some("second") && matches!(case.operands.get(1), Some(Operand::Scalar(_)))
}

/// A pair of values for which no case was found.
type Pair = (usize, usize, usize, usize);

impl Axes<'_> {
    fn has_cases(&self) -> bool {
        self.sizes().iter().all(|n| *n > 0)
    }

    /// Returns the rows for a choice of pairs, and the pairs without one.
    fn rows(
        &self,
        wanted: &dyn Fn(usize, usize, usize, usize) -> bool,
        takes: &dyn Fn(&[usize]) -> bool,
        more: impl FnOnce(&Factors<'_>, &mut Vec<Vec<usize>>, &mut Open, &mut Rng),
        rng: &mut Rng,
    ) -> (Vec<Vec<usize>>, Vec<Pair>) {
        let allowed = |i, v, j, w| self.allowed(i, v, j, w);
        let factors = Factors { sizes: self.sizes(), allowed: &allowed, wanted, takes, quiet_from: self.settings_at() };
        let (mut rows, mut open) = factors.pairs(rng);
        more(&factors, &mut rows, &mut open, rng);
        let mut open: Vec<Pair> = open.into_iter().collect();
        open.sort_unstable();
        (rows, open)
    }

    fn fill(&self, set: &mut CaseSet, rng: &mut Rng) -> Vec<Pair> {
        if !self.has_cases() {
            return vec![];
        }
        let takes = |row: &[usize]| self.is_filled(&self.case(row));
        let wanted = |i, v, j, w| self.wanted(i, v, j, w);
        let plans = |factors: &Factors<'_>, rows: &mut Vec<Vec<usize>>, open: &mut Open, rng: &mut Rng| {
            self.plans(factors, rows, open, rng);
        };
        let (rows, open) = self.rows(&wanted, &takes, plans, rng);
        set.filled.extend(rows.iter().map(|row| self.case(row)));
        // Parameters with empty results, as an index that selects nothing.
        let used: BTreeSet<usize> = rows.iter().map(|row| row[self.params_at()]).collect();
        let unused: Vec<usize> = (0..self.params.len()).filter(|p| !used.contains(p)).collect();
        let given = |row: &[usize]| self.predictor.predict(&self.case(row)) != Prediction::Rejected;
        let empty = |factors: &Factors<'_>, rows: &mut Vec<Vec<usize>>, open: &mut Open, rng: &mut Rng| {
            rows.extend(unused.iter().filter_map(|p| factors.with(&[(self.params_at(), *p)], open, rng)));
        };
        let (rows, _) = self.rows(&|_, _, _, _| false, &given, empty, rng);
        set.slight.extend(rows.iter().map(|row| self.case(row)));
        open
    }

    /// Adds rows that no pair requested: every plan, each dtype and each aliasing with each relation of the operands'
    /// strides.
    fn plans(&self, factors: &Factors<'_>, rows: &mut Vec<Vec<usize>>, open: &mut Open, rng: &mut Rng) {
        let n = self.op.operands;
        let placement = |row: &[usize]| row[SHAPE..LAYOUT + n].to_vec();
        let mut combinations: Vec<Vec<usize>> = vec![];
        for _ in 0..COMPARED {
            let mut row = vec![rng.below(self.shapes.len())];
            row.extend((0..n).map(|_| rng.below(self.layouts.len())));
            let fits = |k: usize| self.allowed(SHAPE, row[0], LAYOUT + k, row[1 + k]);
            if (0..n).all(fits) && !combinations.contains(&row) {
                combinations.push(row);
            }
        }
        let plan = |slot: usize, placement: &[usize]| {
            let layouts = placement[1..].iter().map(|l| self.layouts[*l]);
            let mut case = self.plain(&self.slots[slot].all, &self.shapes[placement[0]].all, &self.params[0]);
            for (operand, own) in case.operands.iter_mut().zip(layouts) {
                if let Operand::Array { layout, .. } = operand {
                    *layout = own;
                }
            }
            Plan::of(self.op, &case)
        };
        let alike: Vec<usize> = (0..self.slots.len()).filter(|s| self.slots[*s].alike).collect();
        let size = |slot: usize| match self.slots[slot].all[0] {
            Slot::Array(d) => d.size(),
            Slot::Scalar(_) => 0,
        };
        // The relation of strides depends on the size of an element only.
        let mut of_size: BTreeMap<usize, BTreeMap<Plan, Vec<&Vec<usize>>>> = BTreeMap::new();
        for &slot in &alike {
            of_size.entry(size(slot)).or_insert_with(|| {
                let mut ways: BTreeMap<Plan, Vec<&Vec<usize>>> = BTreeMap::new();
                for placement in &combinations {
                    if let Some(plan) = plan(slot, placement) {
                        ways.entry(plan).or_default().push(placement);
                    }
                }
                ways
            });
        }
        let aliases = |p: usize| {
            let out = self.params[p].get("out");
            matches!(out, Some("self" | "second" | "mask" | "shifted" | TRANSPOSED))
        };
        let (mut met, mut met_alone, mut met_by_alias) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut meet = |row: &[usize], met: &mut BTreeSet<(usize, Arrangement)>, alone: &mut BTreeSet<Plan>| {
            let slot = row[SLOT];
            if let Some(plan) = self.slots[slot].alike.then(|| plan(slot, &placement(row))).flatten() {
                met.insert((slot, plan.arrangement));
                alone.insert(plan);
                met_by_alias.insert((row[self.params_at()], plan.arrangement));
            }
        };
        rows.iter().for_each(|row| meet(row, &mut met, &mut met_alone));
        // Layouts that a short list leaves out are covered elsewhere. Of the others each has a third of the
        // dtypes for each relation: every one of them compiles a kernel, and together they have all.
        let turn = hash(&self.op.name) as usize;
        let is_requested = |slot: usize, arrangement: Arrangement| {
            self.op.layouts.is_none() && (slot + arrangement as usize + turn % THIRD).is_multiple_of(THIRD)
        };
        for &slot in &alike {
            for (plan, ways) in &of_size[&size(slot)] {
                let is_met = met.contains(&(slot, plan.arrangement)) || !is_requested(slot, plan.arrangement);
                if is_met && met_alone.contains(plan) {
                    continue;
                }
                let found = (0..TRIED).find_map(|_| {
                    let placement = ways[rng.below(ways.len())];
                    let fixed: Vec<_> = placement.iter().enumerate().map(|(k, v)| (SHAPE + k, *v)).collect();
                    factors.with(&[&[(SLOT, slot)], fixed.as_slice()].concat(), open, rng)
                });
                if let Some(row) = found {
                    meet(&row, &mut met, &mut met_alone);
                    rows.push(row);
                }
            }
        }
        for p in (0..self.params.len()).filter(|p| aliases(*p)) {
            for arrangement in Arrangement::ALL.iter().filter(|arrangement| !met_by_alias.contains(&(p, **arrangement)))
            {
                let ways: Vec<_> = of_size
                    .iter()
                    .flat_map(|(size, ways)| ways.iter().map(move |(plan, ways)| (*size, *plan, ways)))
                    .filter(|(_, plan, _)| plan.arrangement == *arrangement)
                    .collect();
                let found = (0..TRIED * usize::from(!ways.is_empty())).find_map(|_| {
                    let (of, _, ways) = ways[rng.below(ways.len())];
                    let placement = ways[rng.below(ways.len())];
                    let slots: Vec<usize> = alike.iter().copied().filter(|slot| size(*slot) == of).collect();
                    let mut fixed = vec![(SLOT, rng.pick(&slots)), (self.params_at(), p)];
                    fixed.extend(placement.iter().enumerate().map(|(k, v)| (SHAPE + k, *v)));
                    factors.with(&fixed, open, rng)
                });
                rows.extend(found);
            }
        }
    }

    /// Samples every shape without elements or with one, with all parameters and with some of the dtypes and layouts.
    fn slight(&self, set: &mut CaseSet, rng: &mut Rng) {
        if !self.has_cases() {
            return;
        }
        let one = |n: usize, v: usize, w: usize| (v + w).is_multiple_of(n);
        // For shapes without elements and without axes every parameter is different.
        let is_bare = |shape: usize| self.shapes[shape].all.0.iter().any(|s| s.size() == 0 || s.ndim() == 0);
        let wanted = |i: usize, v: usize, j: usize, w: usize| match i {
            SLOT => j == SHAPE && one(self.shapes.len(), v, w),
            SHAPE if j == self.params_at() => is_bare(v) || one(self.shapes.len(), v, w),
            SHAPE => j == LAYOUT && one(self.layouts.len(), v, w),
            _ => false,
        };
        let takes = |row: &[usize]| self.predictor.predict(&self.case(row)) != Prediction::Rejected;
        let (rows, _) = self.rows(&wanted, &takes, |_, _, _, _| {}, rng);
        for row in rows {
            let case = self.case(&row);
            if self.is_filled(&case) { &mut set.filled } else { &mut set.slight }.push(case);
        }
    }

    /// Samples rejected cases, one or two of each.
    fn rejected(&self, set: &mut CaseSet, open: &[Pair], rng: &mut Rng) {
        let fits = self.shapes.iter().find(|s| !self.clash(s)).unwrap_or(&self.shapes[0]);
        let claims = |dtype: DType| self.matrix.claims(self.op, dtype);
        let closed = !self.op.open && !matches!(self.op.kind, OpKind::Text | OpKind::Method | OpKind::Sparse);
        if set.rejected.is_empty() && closed {
            for dtype in DType::ALL.into_iter().filter(|d| !claims(*d)) {
                let slots = vec![Slot::Array(dtype); self.op.operands];
                set.rejected.push(self.plain(&slots, &fits.all, &self.params[0]));
            }
        }
        let mut maybe = vec![];
        for (k, params) in self.op.errors.values().flatten().enumerate() {
            for slot in [k, k + self.slots.len() / 2] {
                let slots = &self.slots[slot % self.slots.len()];
                maybe.push(self.plain(&slots.all, &fits.all, params));
            }
        }
        for (slot, shape, params) in self.rejections() {
            maybe.push(self.plain(&self.slots[slot].all, &self.shapes[shape].all, &self.params[params]));
        }
        let is_rejected = |case: &Case| self.predictor.predict(case) == Prediction::Rejected;
        set.rejected.extend(maybe.into_iter().filter(is_rejected));
        // Values without a case, once for each: a layout, a value set.
        let takes = |row: &[usize]| is_rejected(&self.case(row));
        let mut listed = BTreeSet::new();
        let left = |factors: &Factors<'_>, rows: &mut Vec<Vec<usize>>, none: &mut Open, rng: &mut Rng| {
            for &(i, v, j, w) in open.iter().filter(|pair| pair.2 < self.params_at()) {
                if !listed.contains(&(j, w)) {
                    let row = factors.with(&[(i, v), (j, w)], none, rng);
                    listed.extend(row.is_some().then_some((j, w)));
                    rows.extend(row);
                }
            }
        };
        let (rows, _) = self.rows(&|_, _, _, _| false, &takes, left, rng);
        set.rejected.extend(rows.iter().map(|row| self.case(row)));
    }

    /// Samples random combinations up to the bound of the full run; all, if there are fewer.
    fn more(&self, set: &mut CaseSet, rng: &mut Rng) {
        if !self.has_cases() {
            return;
        }
        let limit = self.matrix.full_limit;
        let there = set.all().count();
        let gather = |factors: &Factors<'_>, rows: &mut Vec<Vec<usize>>, _: &mut Open, rng: &mut Rng| {
            if factors.product() <= limit {
                *rows = factors.all();
                return;
            }
            let mut seen = HashSet::new();
            for _ in 0..2 * limit {
                if rows.len() + there >= limit {
                    break;
                }
                rows.extend(factors.any(rng).filter(|row| seen.insert(row.clone())));
            }
        };
        let (rows, _) = self.rows(&|_, _, _, _| false, &|_| true, gather, rng);
        set.more.extend(rows.iter().map(|row| self.case(row)));
    }
}
