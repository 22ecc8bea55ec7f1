//! Reduction of shapes.

use super::State;
use crate::case::{Layout, Operand};
use crate::text::Shape;

/// An axis of an operand.
type Axis = (usize, usize);

/// Returns the axes that may have to shrink together: those that are broadcast together, those of equal length (the
/// inner ones of a matrix product), and each alone.
fn groups(state: &State) -> Vec<Vec<Axis>> {
    let arrays = state.arrays();
    let all: Vec<(Axis, usize, usize)> = arrays
        .iter()
        .flat_map(|(i, _, shape, _)| shape.iter().enumerate().map(move |(d, n)| ((*i, d), *n, shape.len() - d)))
        .collect();
    let mut groups: Vec<Vec<Axis>> = vec![];
    let mut add = |group: Vec<Axis>| {
        if !group.is_empty() && !groups.contains(&group) {
            groups.push(group);
        }
    };
    let pick = |wanted: &dyn Fn(usize, usize) -> bool| -> Vec<Axis> {
        all.iter().filter(|(_, n, from_end)| wanted(*n, *from_end)).map(|(axis, ..)| *axis).collect()
    };
    for position in 1..=all.iter().map(|a| a.2).max().unwrap_or(0) {
        for length in lengths(&all) {
            add(pick(&|n, from_end| from_end == position && n == length));
        }
    }
    for length in lengths(&all) {
        add(pick(&|n, _| n == length));
    }
    all.iter().for_each(|(axis, ..)| add(vec![*axis]));
    groups
}

fn lengths(all: &[(Axis, usize, usize)]) -> Vec<usize> {
    let mut lengths: Vec<usize> = all.iter().map(|a| a.1).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths.reverse();
    lengths
}

/// Returns the parts of an axis of length `n` to keep: start and number.
fn parts(n: usize) -> Vec<(usize, usize)> {
    match n {
        0 => vec![],
        1 => vec![(0, 0)],
        2 => vec![(0, 1), (1, 1), (0, 0)],
        _ => vec![(0, 1), (n - 1, 1), (0, n / 2), (n / 2, n - n / 2), (0, n - 1), (1, n - 1), (0, 0)],
    }
}

/// Returns cases with fewer elements, then cases with fewer axes.
pub(super) fn smaller(state: &State) -> Vec<State> {
    let mut out = vec![];
    if state.arrays().iter().any(|(_, _, shape, _)| !shape.is_empty()) {
        out.push(scalars(state));
    }
    let length = |(i, d): Axis| state.arrays().iter().find(|a| a.0 == i).map_or(0, |a| a.2[d]);
    let groups = groups(state);
    let mut last = vec![];
    for group in &groups {
        for (from, count) in parts(length(group[0])) {
            let kept = group.iter().try_fold(state.clone(), |state, axis| keep(state, *axis, from, count));
            // An array without elements is simpler than one with, but less informative: it comes last.
            if count == 0 { last.extend(kept) } else { out.extend(kept) }
        }
    }
    for group in &groups {
        if length(group[0]) == 1 {
            out.extend(without(state, group));
        }
    }
    out.extend(last);
    out
}

/// Returns the case with the first element of every operand, without any axis, and without parameters that name one.
fn scalars(state: &State) -> State {
    let mut new = state.clone();
    for (i, _, shape, _) in state.arrays() {
        let size: usize = shape.iter().product();
        if let Some(row) = new.row(i) {
            if size == 0 {
                row.push(crate::outcome::Number::Int(0));
            }
            row.truncate(1);
        }
        set_shape(&mut new, i, vec![]);
    }
    new
}

fn set_shape(state: &mut State, i: usize, new: Vec<usize>) {
    if let Operand::Array { shape, layout, .. } = &mut state.case.operands[i] {
        *shape = Shape(new);
        if !layout.applies(shape) {
            *layout = Layout::C;
        }
    }
}

/// Returns the case with a part of an axis.
fn keep(mut state: State, (i, axis): Axis, from: usize, count: usize) -> Option<State> {
    let mut shape = state.arrays().iter().find(|a| a.0 == i)?.2.to_vec();
    let n = *shape.get(axis)?;
    let inner: usize = shape[axis + 1..].iter().product();
    if let Some(row) = state.row(i) {
        let at = |position: usize| position / inner.max(1) % n.max(1);
        let old = std::mem::take(row);
        let kept = old.into_iter().enumerate().filter(|(p, _)| (from..from + count).contains(&at(*p)));
        row.extend(kept.map(|(_, x)| x));
    }
    shape[axis] = count;
    set_shape(&mut state, i, shape);
    Some(state)
}

/// Returns the case without axes of length 1; parameters that name later axes are decremented.
fn without(state: &State, group: &[Axis]) -> Vec<State> {
    let mut new = state.clone();
    for (i, axis) in group.iter().rev() {
        let Some(mut shape) = new.arrays().iter().find(|a| a.0 == *i).map(|a| a.2.to_vec()) else { return vec![] };
        shape.remove(*axis);
        set_shape(&mut new, *i, shape);
    }
    let removed = group[0].1 as i64;
    let mut out = vec![new.clone()];
    for (at, (name, text)) in state.case.params.pairs().iter().enumerate() {
        let Ok(axes) = crate::text::integers(text) else { continue };
        let moved: Vec<String> =
            axes.iter().map(|a| if *a > removed || *a < -1 { a - a.signum() } else { *a }.to_string()).collect();
        if name.contains("ax") {
            let text = if text.starts_with('(') { format!("({},)", moved.join(",")) } else { moved.join(",") };
            let case = crate::case::Case { params: new.case.params.with(at, Some(text)), ..new.case.clone() };
            out.push(State { case, rows: new.rows.clone() });
        }
    }
    out
}
