//! Operand types of an operation: equal and unequal dtypes, and weak scalars.

use std::collections::HashSet;

use cuprum_kernels::DType;

use crate::matrix::Op;
use crate::random::Rng;

/// Tuples of unequal dtypes per operation in the default run.
const MIXED: usize = 8;
/// Tuples of unequal dtypes per operation of three operands in the full run; of two, all.
const MIXED_FULL: usize = 60;
/// Dtypes with each weak scalar in the default run.
const BESIDE_SCALAR: usize = 3;

/// An operand without its shape and layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    Array(DType),
    Scalar(String),
}

pub(super) fn tuples(op: &Op, full: bool, rng: &mut Rng) -> Vec<Vec<Slot>> {
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
