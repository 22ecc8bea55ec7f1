//! The factors of the cases of an operation, and which of their values are compatible.

use std::collections::HashSet;

use cuprum_kernels::DType;

use super::predict::{Prediction, Predictor, common, elements};
use super::tuples::{Slot, tuples};
use crate::case::{Case, Layout, Operand, Setting, ValueSet};
use crate::matrix::{Matrix, Op, OpKind, ShapeTuple};
use crate::random::Rng;
use crate::text::Params;

/// Indices of the factors of a case.
pub(super) const SLOT: usize = 0;
pub(super) const SHAPE: usize = 1;
pub(super) const LAYOUT: usize = 2;

/// Number of values of another factor with which unequal dtypes are combined.
const FEW: usize = 2;

/// Number of parameters above which they are sampled.
const MANY: usize = 8;

/// The values of each factor of an operation.
pub(super) struct Axes<'a> {
    pub(super) op: &'a Op,
    pub(super) matrix: &'a Matrix,
    pub(super) predictor: &'a Predictor<'a>,
    pub(super) slots: Vec<Slots>,
    pub(super) shapes: Vec<Shaped>,
    pub(super) layouts: Vec<Layout>,
    pub(super) values: Vec<ValueSet>,
    pub(super) params: Vec<Params>,
    pub(super) settings: Vec<Setting>,
    /// Rejected parameters, by shape and parameters, and by slots and parameters.
    of_shapes: Vec<Vec<bool>>,
    of_slots: Vec<Vec<bool>>,
}

/// The operands, without their shapes and layouts.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    pub(super) all: Vec<Slot>,
    /// True if all are arrays of one dtype.
    pub(super) alike: bool,
}

/// Shapes of the operands.
#[derive(Clone, Debug)]
pub(super) struct Shaped {
    pub(super) all: ShapeTuple,
    /// True if only for the operation's `large` dtypes.
    large: bool,
}

/// A selection of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// More than one element.
    Filled,
    /// One element, or none.
    Slight,
}

impl<'a> Axes<'a> {
    pub(super) fn new(
        matrix: &'a Matrix,
        predictor: &'a Predictor<'a>,
        op: &'a Op,
        of: Of,
        full: bool,
        rng: &mut Rng,
    ) -> Self {
        let lists = &matrix.shapes[&op.shapes];
        let shaped = |all: &ShapeTuple, large| Shaped { all: all.clone(), large };
        let mut shapes: Vec<Shaped> = lists.default.iter().map(|s| shaped(s, false)).collect();
        shapes.extend(lists.large.iter().map(|s| shaped(s, true)));
        if full {
            shapes.extend(lists.full.iter().map(|s| shaped(s, false)));
        }
        let layouts = match (&op.layouts, op.kind) {
            (Some(layouts), _) => layouts.clone(),
            (None, OpKind::Creation) => vec![Layout::C, Layout::F],
            (None, OpKind::Sparse) => vec![Layout::C],
            (None, _) => Layout::USUAL.to_vec(),
        };
        let values = match (&op.values, op.kind) {
            (Some(values), _) => values.clone(),
            (None, OpKind::Creation | OpKind::Sparse) => vec![ValueSet::Small],
            (None, _) => ValueSet::USUAL.to_vec(),
        };
        let params = if op.params.is_empty() { vec![Params::default()] } else { op.params.clone() };
        let mut slots: Vec<Slots> = tuples(op, full, rng)
            .into_iter()
            .map(|all| Slots { alike: matches!(all[0], Slot::Array(_)) && all.iter().all(|s| *s == all[0]), all })
            .collect();
        if op.kind != OpKind::Text {
            let claimed = |s: &Slots| !s.alike || matches!(s.all[0], Slot::Array(d) if matrix.claims(op, d));
            slots.retain(claimed);
        }
        let settings = if of == Of::Filled { Setting::of(op) } else { vec![Setting::Plain] };
        let (of_shapes, of_slots) = (vec![], vec![]);
        let mut axes =
            Axes { op, matrix, predictor, slots, shapes, layouts, values, params, settings, of_shapes, of_slots };
        let size = |s: &Shaped| elements(op, &axes.plain(&axes.slots[0].all, &s.all, &Params::default()));
        // The result of `arange` follows from its parameters.
        let is_filled: Vec<bool> = axes.shapes.iter().map(|s| size(s) > 1 || op.shapes == "line").collect();
        let mut wanted = is_filled.iter();
        axes.shapes.retain(|_| (of == Of::Filled) == *wanted.next().unwrap_or(&false));
        axes.learn();
        axes
    }

    /// Builds a case in C order.
    pub(super) fn plain(&self, slots: &[Slot], shapes: &ShapeTuple, params: &Params) -> Case {
        let operand = |k: usize| match &slots[k] {
            Slot::Scalar(text) => Operand::Scalar(text.clone()),
            Slot::Array(dtype) => Operand::Array { dtype: *dtype, shape: shapes.0[k].clone(), layout: self.layouts[0] },
        };
        Case {
            family: self.op.family.clone(),
            op: self.op.name.clone(),
            operands: (0..self.op.operands).map(operand).collect(),
            values: self.values[0].into(),
            params: params.clone(),
        }
    }

    /// Determines which parameters are compatible with which shapes and which dtypes.
    fn learn(&mut self) {
        const SPREAD: usize = 4;
        let rejected = |slots: &Slots, shapes: &Shaped, params: &Params| {
            self.predictor.predict(&self.plain(&slots.all, &shapes.all, params)) == Prediction::Rejected
        };
        // One dtype of each kind represents all.
        let alike: Vec<&Slots> = self.slots.iter().filter(|s| s.alike).collect();
        let step = alike.len().div_ceil(SPREAD).max(1);
        let mut few: Vec<&Slots> = alike.iter().copied().rev().step_by(step).collect();
        if few.is_empty() {
            few = self.slots.iter().collect();
        }
        let of_shapes: Vec<Vec<bool>> = self
            .shapes
            .iter()
            .map(|s| self.params.iter().map(|p| few.iter().all(|d| rejected(d, s, p))).collect())
            .collect();
        let of_slots = |d: &Slots| -> Vec<bool> {
            let of = |(p, params): (usize, &Params)| {
                let mut fitting = self.shapes.iter().enumerate().filter(|(s, _)| !of_shapes[*s][p]).map(|(_, s)| s);
                fitting.next().is_some_and(|shapes| rejected(d, shapes, params))
            };
            self.params.iter().enumerate().map(of).collect()
        };
        let of_slots = self.slots.iter().map(of_slots).collect();
        (self.of_shapes, self.of_slots) = (of_shapes, of_slots);
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![self.slots.len(), self.shapes.len()];
        sizes.extend(std::iter::repeat_n(self.layouts.len(), self.op.operands));
        sizes.extend([self.values.len(), self.params.len(), self.settings.len()]);
        sizes
    }

    pub(super) fn values_at(&self) -> usize {
        LAYOUT + self.op.operands
    }

    pub(super) fn params_at(&self) -> usize {
        self.values_at() + 1
    }

    pub(super) fn settings_at(&self) -> usize {
        self.values_at() + 2
    }

    pub(super) fn allowed(&self, i: usize, v: usize, j: usize, w: usize) -> bool {
        let (values, params, settings) = (self.values_at(), self.params_at(), self.settings_at());
        if j == settings {
            return self.goes_with(self.settings[w], i, v);
        }
        match (i, j) {
            (SLOT, SHAPE) => {
                let large = |s: &Slot| match s {
                    Slot::Array(d) => self.matrix.large(self.op, *d),
                    Slot::Scalar(_) => true,
                };
                !self.shapes[w].large || self.slots[v].all.iter().all(large)
            }
            (SLOT, j) if j < values => w == 0 || matches!(self.slots[v].all[j - LAYOUT], Slot::Array(_)),
            (SLOT, j) if j == values => {
                let applies = |s: &Slot| matches!(s, Slot::Array(d) if self.values[w].applies(*d));
                // Some set must apply to every dtype: the first does.
                w == 0 || self.slots[v].all.iter().any(applies)
            }
            (SLOT, _) => !self.of_slots[v][w],
            (SHAPE, j) if j < values => self.layouts[w].applies(&self.shapes[v].all.0[j - LAYOUT]),
            (SHAPE, j) if j == params => !self.of_shapes[v][w],
            _ => true,
        }
    }

    /// Returns true if a setting is compatible with a value of another factor.
    fn goes_with(&self, setting: Setting, i: usize, v: usize) -> bool {
        let one_buffer = matches!(setting, Setting::Overlapping | Setting::Apart);
        if setting == Setting::Plain {
            return true;
        }
        if i == self.params_at() {
            let has = |name: &str| self.params[v].get(name).is_some();
            return !(one_buffer && (has("out") || has("from")) || setting == Setting::Threads && has("out"));
        }
        match i {
            _ if !one_buffer => true,
            SLOT => self.slots[v].alike,
            SHAPE => self.shapes[v].all.0.windows(2).all(|w| w[0] == w[1]),
            // The second operand has the layout of the first.
            i if i == LAYOUT + 1 => v == 0,
            _ => true,
        }
    }

    /// Returns true for pairs that cases should cover. Unequal dtypes are combined with a few of the values of each
    /// factor: the values of others are covered by equal dtypes.
    pub(super) fn wanted(&self, i: usize, v: usize, j: usize, w: usize) -> bool {
        let (values, settings) = (self.values_at(), self.settings_at());
        let few = |n: usize| (v + w) % n < FEW;
        if j == settings {
            // The plain setting occurs everywhere without a request.
            return w > 0 && i == SLOT && (v + w).is_multiple_of(self.slots.len());
        }
        let slots = match i {
            SLOT => &self.slots[v],
            _ => return true,
        };
        if slots.alike {
            // With many parameters each dtype is combined with every third; those of a cast are dtypes, and every pair
            // has code of its own.
            let all = self.params.len() <= MANY || self.op.kind == OpKind::Cast;
            return j != self.params_at() || all || (v + w).is_multiple_of(3);
        }
        match j == values && slots.is_wide() {
            true => true,
            // The dtypes to which a host scalar may be cast depend on the casting rule.
            false if slots.has_scalar() && self.op.kind == OpKind::Method => j == self.params_at(),
            false if slots.has_scalar() => (v + w).is_multiple_of(self.sizes()[j]),
            false => few(self.sizes()[j]),
        }
    }

    pub(super) fn case(&self, row: &[usize]) -> Case {
        let n = self.op.operands;
        let setting = self.settings[row[self.settings_at()]];
        let one_buffer = matches!(setting, Setting::Overlapping | Setting::Apart);
        let operand = |k: usize| match &self.slots[row[SLOT]].all[k] {
            Slot::Scalar(text) => Operand::Scalar(text.clone()),
            Slot::Array(dtype) => Operand::Array {
                dtype: *dtype,
                shape: self.shapes[row[SHAPE]].all.0[k].clone(),
                layout: self.layouts[row[LAYOUT + if one_buffer { 0 } else { k }]],
            },
        };
        Case {
            family: self.op.family.clone(),
            op: self.op.name.clone(),
            operands: (0..n).map(operand).collect(),
            values: self.values[row[self.values_at()]].into(),
            params: setting.beside(&self.params[row[self.params_at()]]),
        }
    }

    /// Returns true if a case has a result with more than one element.
    pub(super) fn is_filled(&self, case: &Case) -> bool {
        match self.predictor.predict(case) {
            Prediction::Rejected | Prediction::Accepted(0) => false,
            Prediction::Accepted(n) => n.max(elements(self.op, case)) > 1,
        }
    }

    /// Returns true if shapes do not broadcast in an elementwise function.
    pub(super) fn clash(&self, shapes: &Shaped) -> bool {
        common(shapes.all.0.iter()).is_none()
    }

    /// Returns rejected parameters: for every shape, for some, for some dtypes; with the combination.
    pub(super) fn rejections(&self) -> Vec<(usize, usize, usize)> {
        let mut out = vec![];
        for p in 0..self.params.len() {
            let shapes = (0..self.shapes.len()).filter(|s| self.of_shapes[*s][p]).take(FEW);
            out.extend(shapes.map(|s| ((s + p) % self.slots.len().max(1), s, p)));
            let Some(fits) = (0..self.shapes.len()).find(|s| !self.of_shapes[*s][p]) else { continue };
            let slots: Vec<usize> = (0..self.slots.len()).filter(|d| self.of_slots[*d][p]).collect();
            let step = slots.len().div_ceil(FEW).max(1);
            out.extend(slots.into_iter().step_by(step).map(|d| (d, fits, p)));
        }
        let mut seen = HashSet::new();
        out.retain(|rejection| seen.insert(*rejection));
        out
    }
}

impl Slots {
    fn has_scalar(&self) -> bool {
        self.all.iter().any(|s| matches!(s, Slot::Scalar(_)))
    }

    /// Returns true for 64-bit integers with another dtype, which may become equal by promotion.
    fn is_wide(&self) -> bool {
        self.all.iter().any(|s| matches!(s, Slot::Array(DType::I64 | DType::U64)))
            && self.all.iter().all(|s| matches!(s, Slot::Array(_)))
    }
}
