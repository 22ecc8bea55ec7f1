//! Simplification of dtypes and elements.

use cuprum_kernels::DType;

use super::State;
use crate::case::Operand;
use crate::outcome::Number;

/// The dtypes from the simplest on: common ones, then the other real ones, then the rest.
const SIMPLE: [DType; 15] = [
    DType::I32,
    DType::F32,
    DType::F64,
    DType::I64,
    DType::U8,
    DType::I8,
    DType::U16,
    DType::I16,
    DType::U32,
    DType::U64,
    DType::F16,
    DType::BF16,
    DType::Bool,
    DType::C64,
    DType::C128,
];

/// Returns the rank of a dtype in that order.
pub(super) fn rank(dtype: DType) -> usize {
    SIMPLE.iter().position(|d| *d == dtype).unwrap_or(SIMPLE.len())
}

/// Returns cases with a simpler dtype in all operands, or in one.
pub(super) fn dtypes(state: &State) -> Vec<State> {
    let arrays = state.arrays();
    let mut targets = SIMPLE[..3].to_vec();
    targets.extend(arrays.iter().map(|a| a.1));
    targets.sort_by_key(|d| rank(*d));
    targets.dedup();
    let change = |to: DType, chosen: &dyn Fn(usize) -> bool| {
        let mut new = state.clone();
        let mut changed = false;
        for (i, from, ..) in &arrays {
            if !chosen(*i) || rank(to) >= rank(*from) {
                continue;
            }
            changed = true;
            if let Some(row) = new.row(*i) {
                row.iter_mut().for_each(|x| *x = Number::decode(to, &x.encode(to)));
            }
            if let Operand::Array { dtype, .. } = &mut new.case.operands[*i] {
                *dtype = to;
            }
        }
        changed.then_some(new)
    };
    let mut out: Vec<State> = targets.iter().filter_map(|to| change(*to, &|_| true)).collect();
    if arrays.len() > 1 {
        for (i, ..) in &arrays {
            out.extend(targets.iter().filter_map(|to| change(*to, &|chosen| chosen == *i)));
        }
    }
    out
}

/// Returns the complexity of an element: 0 and 1, then small integers, other finite numbers, the rest.
fn weight(x: Number) -> u32 {
    let part = |x: f64| match x {
        x if x.to_bits() == 0 => 0,
        1.0 => 1,
        2.0 => 2,
        x if !x.is_finite() => 7,
        x if x.fract() == 0.0 && x.abs() < 100.0 => 3 + u32::from(x.is_sign_negative()),
        x if x.fract() == 0.0 => 5,
        _ => 6,
    };
    let (re, im) = x.parts();
    part(re) + part(im)
}

/// Creates an element of the kind of a dtype.
fn number(dtype: DType, re: f64, im: f64) -> Number {
    match dtype {
        d if d.is_complex() => Number::Complex(re, im),
        d if d.is_float() => Number::Float(re),
        _ => Number::Int(re as i128),
    }
}

/// Returns simpler elements to try for one.
fn instead(dtype: DType, x: Number) -> Vec<Number> {
    let (re, im) = x.parts();
    let plain = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (re, 0.0), (re.trunc(), im.trunc()), (re.signum(), im.signum())];
    let lighter = |y: &Number| weight(*y) < weight(x);
    plain.into_iter().map(|(re, im)| number(dtype, re, im)).filter(lighter).collect()
}

/// Returns cases with simpler elements: all at once, then one by one.
pub(super) fn simpler(state: &State) -> Vec<State> {
    let Some(rows) = &state.rows else { return vec![] };
    let arrays = state.arrays();
    let mut out = vec![];
    let mut add = |rows: Vec<Vec<Number>>| out.push(State { case: state.case.clone(), rows: Some(rows) });
    for (re, heavier) in [(0.0, 0), (1.0, 1), (2.0, 2)] {
        if rows.iter().flatten().any(|x| weight(*x) > heavier) {
            let row = |(row, a): (&Vec<Number>, &(usize, DType, _, _))| vec![number(a.1, re, 0.0); row.len()];
            add(rows.iter().zip(&arrays).map(row).collect());
        }
    }
    for (k, row) in rows.iter().enumerate() {
        for (i, x) in row.iter().enumerate() {
            for simple in instead(arrays[k].1, *x) {
                let mut rows = rows.clone();
                rows[k][i] = simple;
                add(rows);
            }
        }
    }
    out
}
