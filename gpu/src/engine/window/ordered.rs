//! Weighted sums as integers.
//!
//! A sum that becomes an integer is truncated. Where it is an integer but for rounding, as the mean of equal elements is, its last bit decides:
//! the terms are added in SciPy's order, and each product is rounded. Sums with integral weights are exact in any order.

use cuprum_kernels::source::{WINDOW_REACH, WindowOrdered};
use cuprum_kernels::{DType, Kind};

use super::BorderRule;
use super::area::{Area, Binary};
use super::line::Pass;
use super::tables::{Tables, Windows};
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::make;
use crate::error::Result;
use crate::layout::{Dims, Strides, order_like};

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<WindowOrdered> = Kernels::default();
}

/// Returns true if the order of the terms of a sum decides about a result of the dtype.
pub(super) fn depends_on_order(dtype: DType, weights: &[f64]) -> bool {
    matches!(dtype.kind(), Kind::Bool | Kind::Signed | Kind::Unsigned) && weights.iter().any(|w| w.fract() != 0.0)
}

/// Element that is added to that of a term before both are multiplied by the weight, numbered as `mate` of the kernel.
#[derive(Clone, Debug)]
enum Mate {
    None,
    Added(Strides),
    Subtracted(Strides),
}

/// Kinds of mates of all terms along an axis but the first, numbered as `mate` of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mates {
    None = 0,
    Added = 1,
    Subtracted = 2,
}

/// Term of a sum: the coordinates of an element relative to the result, its mate, and their weight.
#[derive(Clone, Debug)]
pub(super) struct Term {
    at: Strides,
    mate: Mate,
    weight: f64,
}

/// Continuation of the input: a rule for each axis, and the constant.
pub(super) struct Border<'a> {
    pub(super) rules: &'a [BorderRule],
    pub(super) cval: f64,
}

impl Area<'_> {
    /// Returns the terms of a weighted sum in C order.
    pub(super) fn terms(&self) -> Vec<Term> {
        let order: Dims = (0..self.shape.len()).collect();
        let weight = |position: usize| self.weights.map_or(1.0, |w| w[position]);
        let elements = self.elements(&order).into_iter();
        elements.map(|(at, position)| Term { at, mate: Mate::None, weight: weight(position) }).collect()
    }
}

impl Pass {
    /// Returns the terms of a weighted sum along an axis of `axes`: those of symmetric and antisymmetric weights of odd number are pairs about the
    /// middle one, which is first; otherwise the last element is first, and the others follow in order.
    pub(super) fn terms(&self, axes: usize) -> Vec<Term> {
        let weights = self.op.weights();
        let (k, half) = (weights.len(), weights.len() / 2);
        let at = |j: usize| -> Strides {
            (0..axes).map(|d| if d == self.axis { j as i64 - self.lead } else { 0 }).collect()
        };
        let alone = |j: usize| Term { at: at(j), mate: Mate::None, weight: weights[j] };
        let paired = |mate: fn(Strides) -> Mate| {
            let pair = |j: usize| Term { mate: mate(at(k - 1 - j)), ..alone(j) };
            [alone(half)].into_iter().chain((0..half).map(pair)).collect()
        };
        match self.mates() {
            Mates::Added => paired(Mate::Added),
            Mates::Subtracted => paired(Mate::Subtracted),
            Mates::None => [k - 1].into_iter().chain(0..k - 1).map(alone).collect(),
        }
    }

    /// Returns the kind of the mates of [`Pass::terms`].
    pub(super) fn mates(&self) -> Mates {
        let weights = self.op.weights();
        let k = weights.len();
        let agree = |sign: f64| {
            k % 2 == 1 && (0..k / 2).all(|j| (weights[k - 1 - j] - sign * weights[j]).abs() <= f64::EPSILON)
        };
        match () {
            () if agree(1.0) => Mates::Added,
            () if agree(-1.0) => Mates::Subtracted,
            () => Mates::None,
        }
    }
}

/// Computes sums of terms. The shape of `out` may differ from that of `src`, of which no axis is empty, and which shares no memory with it.
pub(super) fn ordered(src: &Array, out: &Array, border: &Border<'_>, terms: &[Term]) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    // One axis becomes the second to last of two.
    if src.ndim() < 2 {
        let wide = |a: &Array| a.expand_dims((src.ndim()..2).map(|d| d as isize).collect::<Vec<_>>());
        let longer = |at: &Strides| -> Strides { at.iter().copied().chain([0; 2]).take(2).collect() };
        let rules = [border.rules.first().copied().unwrap_or_default(); 2];
        let terms: Vec<Term> = terms
            .iter()
            .map(|term| {
                let mate = match &term.mate {
                    Mate::None => Mate::None,
                    Mate::Added(at) => Mate::Added(longer(at)),
                    Mate::Subtracted(at) => Mate::Subtracted(longer(at)),
                };
                Term { at: longer(&term.at), mate, weight: term.weight }
            })
            .collect();
        return ordered(&wide(src)?, &wide(out)?, &Border { rules: &rules, cval: border.cval }, &terms);
    }
    let order = order_like(src.shape(), &[src.strides()]);
    let (src, out) = (&src.permuted(&order), &out.permuted(&order));
    let (axes, device) = (src.ndim(), out.device());
    let mut positions: Vec<Strides> = Vec::with_capacity(2 * terms.len());
    let mut table = Vec::with_capacity(terms.len() * (3 + 2 * axes));
    for term in terms {
        let (kind, mate) = match &term.mate {
            Mate::None => (0, &term.at),
            Mate::Added(at) => (1, at),
            Mate::Subtracted(at) => (2, at),
        };
        table.push(kind);
        for at in [&term.at, mate] {
            let at: Strides = order.iter().map(|&d| at[d]).collect();
            table.push(at.iter().zip(src.strides()).map(|(at, step)| at * step).sum());
            table.extend_from_slice(&at);
            positions.push(at);
        }
    }
    let weights: Vec<f64> = terms.iter().map(|term| term.weight).collect();
    let (table, weights) = if terms.is_empty() {
        (make::of(device, &[0i64], &[1])?, make::of(device, &[0.0f64], &[1])?)
    } else {
        (make::of(device, &table, &[table.len()])?, make::of(device, &weights, &[weights.len()])?)
    };
    let rules = order.iter().map(|&d| border.rules[d] as i64).collect();
    let windows = Windows {
        src,
        out,
        runs: &table,
        run_count: terms.len(),
        weights: Some(&weights),
        rank: 0,
        cval: border.cval,
        reach: WINDOW_REACH,
        binary: Binary::default(),
    };
    Tables::new(src, out, rules, positions.iter()).launch(&windows, |width| {
        let key = WindowOrdered { from: src.dtype(), to: out.dtype(), width };
        let [function] = kernels(&KERNELS, device, key, ["window_ordered"], || (key.name(), key.source()))?;
        Ok(function)
    })
}
