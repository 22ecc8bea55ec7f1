//! Classes of plans: the relation of the operands' strides, and whether they exceed a tile.
//!
//! The classes are defined by this suite, from shapes and strides alone; an engine may distinguish fewer of them.

use cuprum::Engine;
use cuprum_kernels::params::SHALLOW_AXES;

use super::predict::{common, elements};
use crate::case::{Case, Layout, Operand};
use crate::matrix::Op;
use crate::operand::strides;

/// The relation of the operands' strides, after axes that can be merged are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arrangement {
    /// All contiguous along one axis.
    Flat,
    /// One axis, strided.
    Steps,
    /// Contiguous rows that begin at multiples of sixteen bytes.
    Rows,
    /// Contiguous rows that are not aligned.
    Uneven,
    /// One operand is contiguous along another axis than the last, both of them long.
    Crossed,
    /// Strided along several axes.
    Strided,
    /// Strided along more axes than a short table holds.
    Deep,
}

impl Arrangement {
    /// All variants.
    pub const ALL: [Arrangement; 7] = [
        Arrangement::Flat,
        Arrangement::Steps,
        Arrangement::Rows,
        Arrangement::Uneven,
        Arrangement::Crossed,
        Arrangement::Strided,
        Arrangement::Deep,
    ];
}

/// A class of plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plan {
    /// The relation of the operands' strides.
    pub arrangement: Arrangement,
    /// True if there are more elements than a tile of the engine has.
    pub tiles: bool,
}

/// Axes shorter than this are not tiled in any engine.
const LONG: usize = 16;

impl Plan {
    /// Returns the plan of a case.
    pub fn of(op: &Op, case: &Case) -> Option<Plan> {
        Some(Plan { arrangement: arrangement(case)?, tiles: tiles(op, case) })
    }
}

/// Returns true if a case has more elements than one block of its engine processes.
pub fn tiles(op: &Op, case: &Case) -> bool {
    let tile = |engine: Engine| case.dtypes().iter().map(|d| engine.tile(*d)).max().unwrap_or(0);
    op.engine().is_some_and(|engine| elements(op, case) > tile(engine))
}

/// Returns the relation of the operands' strides; for shapes that do not broadcast, that of the first operand.
fn arrangement(case: &Case) -> Option<Arrangement> {
    let arrays: Vec<_> = case
        .operands
        .iter()
        .filter_map(|o| match o {
            Operand::Array { dtype, shape, layout } => Some((*dtype, shape, *layout)),
            Operand::Scalar(_) => None,
        })
        .collect();
    let (sizes, arrays) = match common(arrays.iter().map(|(_, shape, _)| *shape)) {
        Some(shape) => (shape.0, &arrays[..]),
        None => (arrays.first()?.1.0.clone(), &arrays[..1]),
    };
    // Strides in elements, 0 for broadcast axes.
    let broadcast = |shape: &[usize], layout: Layout| -> Vec<i64> {
        let mut own: Vec<i64> = strides(layout, shape).iter().map(|s| s.abs()).collect();
        own.iter_mut().zip(shape).filter(|(_, n)| **n == 1).for_each(|(s, _)| *s = 0);
        own.splice(0..0, std::iter::repeat_n(0, sizes.len() - shape.len()));
        own
    };
    let all: Vec<Vec<i64>> = arrays.iter().map(|(_, shape, layout)| broadcast(&shape.0, *layout)).collect();
    // In the order of the first operand.
    let mut order: Vec<usize> = (0..sizes.len()).filter(|axis| sizes[*axis] != 1).collect();
    order.sort_by_key(|axis| std::cmp::Reverse(all[0][*axis]));
    let mut axes: Vec<(usize, Vec<i64>)> = vec![];
    for axis in order {
        let steps: Vec<i64> = all.iter().map(|s| s[axis]).collect();
        match axes.last_mut() {
            Some((n, outer)) if outer.iter().zip(&steps).all(|(o, s)| *o == s * sizes[axis] as i64) => {
                (*n, *outer) = (*n * sizes[axis], steps);
            }
            _ => axes.push((sizes[axis], steps)),
        }
    }
    let Some(((last, inner), outer)) = axes.split_last() else { return Some(Arrangement::Flat) };
    if outer.is_empty() {
        return Some(if inner.iter().all(|s| *s <= 1) { Arrangement::Flat } else { Arrangement::Steps });
    }
    if outer.len() >= SHALLOW_AXES {
        return Some(Arrangement::Deep);
    }
    let crossed = |k: usize| inner[k] > 1 && outer.iter().any(|(n, s)| s[k] == 1 && (*n).min(*last) >= LONG);
    if (0..arrays.len()).any(crossed) {
        return Some(Arrangement::Crossed);
    }
    if inner.iter().any(|s| *s > 1) {
        return Some(Arrangement::Strided);
    }
    let even = |k: usize| outer.iter().all(|(_, s)| (s[k] * arrays[k].0.size() as i64) % 16 == 0);
    Some(if (0..arrays.len()).all(even) { Arrangement::Rows } else { Arrangement::Uneven })
}
