//! Prediction of a case before it is run: whether the oracle rejects it, and whether its result has elements.
//!
//! Whether a call is rejected depends on its dtypes, on which lengths are equal and on its parameters, and hardly on
//! the lengths themselves: the oracle executes it with long axes shortened, and elementwise functions without elements.
//! So a prediction costs some microseconds. The run of the sample as tests fails where a prediction was wrong
//! (`tests/tests/conformance.rs`).

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use cuprum_kernels::DType;

use crate::case::{Case, Layout, Operand};
use crate::matrix::{Op, OpKind};
use crate::operand::inputs;
use crate::outcome::{Outcome, Tensor};
use crate::reference::Reference;
use crate::run::guarded;
use crate::text::Shape;

/// Longer axes are replaced by ones little longer than this.
const SHORT: usize = 12;

/// Functions that reject by the values or the number of the elements: these are executed unchanged.
const BY_VALUE: [&str; 26] = [
    "bincount",
    "bincount.weights",
    "choose",
    "companion",
    "compress",
    "compress.into",
    "digitize",
    "fiedler_companion",
    "getitem.arrays",
    "histogram",
    "nanargmax",
    "nanargmin",
    "place",
    "polynomial.polynomial.polydiv",
    "put",
    "put_along_axis",
    "ravel_multi_index",
    "reshape",
    "setitem.arrays",
    "setitem.mask",
    "solve_triangular",
    "take",
    "take_along_axis",
    "tensorsolve",
    "unravel_index",
    "weighted_nanquantile",
];

/// A prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prediction {
    /// An error.
    Rejected,
    /// A result with this number of elements, for short axes.
    Accepted(usize),
}

/// Predicts the cases of one operation.
pub(super) struct Predictor<'a> {
    op: &'a Op,
    seed: u64,
    /// Predictions for elementwise functions, which depend on dtypes only: the dtype of the result.
    dtypes: RefCell<HashMap<Vec<String>, Option<DType>>>,
    /// Predictions for other functions.
    known_predictions: RefCell<HashMap<Case, Prediction>>,
}

impl<'a> Predictor<'a> {
    pub(super) fn new(op: &'a Op, seed: u64) -> Predictor<'a> {
        Predictor { op, seed, dtypes: RefCell::default(), known_predictions: RefCell::default() }
    }

    /// Predicts the result of a case.
    pub(super) fn predict(&self, case: &Case) -> Prediction {
        if matches!(self.op.kind, OpKind::Ufunc | OpKind::Operator) {
            return self.elementwise(case);
        }
        // The sizes of blocks must divide the lengths.
        let divides = self.op.kind == OpKind::Sparse && self.op.name.ends_with("blocks");
        if divides || BY_VALUE.contains(&self.op.name.as_str()) {
            let known = self.known_predictions.borrow().get(case).copied();
            return known.unwrap_or_else(|| {
                let prediction = self.execute(case);
                self.known_predictions.borrow_mut().insert(case.clone(), prediction);
                prediction
            });
        }
        let lengths: BTreeSet<usize> = shapes(case).flat_map(|s| s.0.iter().copied()).filter(|n| *n > SHORT).collect();
        let short = |n: usize| lengths.iter().position(|l| *l == n).map_or(n, |rank| SHORT + 1 + rank);
        let mut question = of_shapes(case, |shape| Shape(shape.0.iter().map(|n| short(*n)).collect()));
        for operand in &mut question.operands {
            // The layout of operands does not matter, except for broadcast ones, which cannot be written to.
            if let Operand::Array { layout, .. } = operand
                && *layout != Layout::Broadcast
            {
                *layout = Layout::C;
            }
        }
        if let Some(prediction) = self.known_predictions.borrow().get(&question) {
            return *prediction;
        }
        let prediction = self.execute(&question);
        self.known_predictions.borrow_mut().insert(question, prediction);
        prediction
    }

    fn elementwise(&self, case: &Case) -> Prediction {
        let Some(common) = common(shapes(case)) else { return Prediction::Rejected };
        let prediction = Prediction::Accepted(common.size());
        let key = case.operands.iter().map(|o| match o {
            Operand::Array { dtype, .. } => dtype.device_name().to_string(),
            Operand::Scalar(text) => format!("py({text})"),
        });
        let key: Vec<String> = key.collect();
        let known = self.dtypes.borrow().get(&key).copied();
        let result = known.unwrap_or_else(|| {
            let empty = of_shapes(case, |_| Shape(vec![0]));
            let outcome = inputs(&empty, self.seed).map(|given| guarded(&Reference, self.op, &empty, &given));
            let dtype = outcome.ok().and_then(|outcome| outcome.first().map(|t| t.dtype));
            self.dtypes.borrow_mut().insert(key, dtype);
            dtype
        });
        match result {
            None => Prediction::Rejected,
            // An integer may be rejected by its value: a negative exponent.
            Some(dtype) if dtype.is_integer() && self.op.name.contains("power") => self.execute(case),
            Some(_) => prediction,
        }
    }

    fn execute(&self, case: &Case) -> Prediction {
        let Ok(given) = inputs(case, self.seed) else { return Prediction::Rejected };
        match guarded(&Reference, self.op, case, &given) {
            Outcome::Rejected(..) => Prediction::Rejected,
            Outcome::Text(_) => Prediction::Accepted(1),
            outcome => Prediction::Accepted(outcome.first().map_or(0, Tensor::size)),
        }
    }
}

fn shapes(case: &Case) -> impl Iterator<Item = &Shape> {
    case.operands.iter().filter_map(|o| if let Operand::Array { shape, .. } = o { Some(shape) } else { None })
}

fn of_shapes(case: &Case, change: impl Fn(&Shape) -> Shape) -> Case {
    let mut changed = case.clone();
    for operand in &mut changed.operands {
        if let Operand::Array { shape, .. } = operand {
            *shape = change(shape);
        }
    }
    changed
}

/// Returns the broadcast shape, if the shapes broadcast.
pub(super) fn common<'a>(shapes: impl Iterator<Item = &'a Shape>) -> Option<Shape> {
    let mut out: Vec<usize> = vec![];
    for shape in shapes {
        if shape.ndim() > out.len() {
            let more = shape.ndim() - out.len();
            out.splice(0..0, std::iter::repeat_n(1, more));
        }
        for (slot, n) in out.iter_mut().rev().zip(shape.0.iter().rev()) {
            match (*slot, *n) {
                (a, b) if a == b => {}
                (1, b) => *slot = b,
                (_, 1) => {}
                _ => return None,
            }
        }
    }
    Some(Shape(out))
}

/// Returns the number of elements of a case: 0 where an operand has none, otherwise that of the largest operand, or of
/// the broadcast shape.
pub fn elements(op: &Op, case: &Case) -> usize {
    let sizes: Vec<usize> = shapes(case).map(Shape::size).collect();
    let most = sizes.iter().copied().max().unwrap_or(0);
    if sizes.contains(&0) {
        return 0;
    }
    let together = matches!(op.kind, OpKind::Ufunc | OpKind::Operator) || op.name.ends_with(".call");
    let outer: usize = if op.name.ends_with(".outer") { sizes.iter().product() } else { 0 };
    let joint = if together { common(shapes(case)).map_or(0, |s| s.size()) } else { 0 };
    most.max(outer).max(joint)
}
