//! Contraction of two labelled operands: a matrix product that copies as little as possible.
//!
//! Axes that one operand alone has, and that neither other operands nor the result need, are summed first. The others
//! are in four groups: axes of both operands that are kept, axes of the first alone, axes of the second alone, and axes
//! of both that are summed. Without the last group the contraction is an elementwise product, otherwise one call of
//! [`matmul`]: each of the last three groups is one axis of a matrix, the first is the batch. An operand is read in place
//! where the strides of its groups merge and one of them is contiguous. Where they do not, either the operand is copied,
//! or the axes that do not merge become a batch over which the other operand is broadcast, whichever moves less.
//!
//! The order of the product's axes in memory is free, so that the product is never copied.

use cuprum_kernels::DType;
use smallvec::SmallVec;

use super::products::matmul;
use crate::array::{Array, Axes};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, Strides};
use crate::reduction::{Reduce, reduced};
use crate::ufunc::{UfuncOptions, ufunc};

/// The label of an axis: a letter, or the position, from the last, of an axis that the ellipsis covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    Broadcast(usize),
    Letter(char),
}

pub(super) type Labels = SmallVec<[Label; 6]>;

/// An operand with a distinct label for each axis.
#[derive(Clone, Debug)]
pub(super) struct LabeledOperand {
    /// The operand.
    pub(super) array: Array,
    /// Label of each axis.
    pub(super) labels: Labels,
}

impl LabeledOperand {
    /// Returns a view of the diagonals that repeated labels denote.
    pub(super) fn of(a: &Array, labels: &Labels) -> Result<LabeledOperand> {
        let (mut own, mut shape, mut strides) = (Labels::new(), Dims::new(), Strides::new());
        for (axis, label) in labels.iter().enumerate() {
            let (size, stride) = (a.shape()[axis], a.strides()[axis]);
            match own.iter().position(|l| l == label) {
                None => {
                    own.push(*label);
                    shape.push(size);
                    strides.push(stride);
                }
                Some(at) if shape[at] == size => strides[at] += stride,
                Some(_) => {
                    let message = format!("the subscript {label:?} labels axes of different lengths of one operand");
                    return Err(Error::new(ErrorKind::Value, message));
                }
            }
        }
        let layout = Layout { shape, strides, offset: a.layout().offset };
        Ok(LabeledOperand { array: a.with_layout(layout), labels: own })
    }

    fn size(&self, label: Label) -> usize {
        self.labels.iter().position(|l| *l == label).map_or(1, |axis| self.array.shape()[axis])
    }

    /// Returns the size of an axis shared with another operand, in which it may have length 1 or be absent.
    fn common_size(&self, other: &LabeledOperand, label: Label) -> usize {
        if self.size(label) == 1 { other.size(label) } else { self.size(label) }
    }

    /// Sums over the axes whose labels are not wanted.
    pub(super) fn summed(self, wanted: impl Fn(Label) -> bool) -> Result<LabeledOperand> {
        let gone: Vec<isize> =
            (0..self.labels.len()).filter(|&k| !wanted(self.labels[k])).map(|axis| axis as isize).collect();
        if gone.is_empty() {
            return Ok(self);
        }
        let dtype = self.array.dtype();
        let labels = self.labels.iter().copied().filter(|l| wanted(*l)).collect();
        let options = Reduce::axes(gone);
        let array = match dtype {
            // The sum of booleans is their disjunction.
            DType::Bool => reduced("any", &self.array, &options)?,
            _ => reduced("sum", &self.array, &options.dtype(dtype))?,
        };
        Ok(LabeledOperand { array, labels })
    }

    /// Permutes the axes to the order of `names`, with an axis of length 1 for each label that the operand lacks.
    pub(super) fn ordered(&self, names: &[Label]) -> Result<Array> {
        let own: Vec<isize> =
            names.iter().filter_map(|l| self.labels.iter().position(|o| o == l)).map(|axis| axis as isize).collect();
        let missing: Vec<isize> =
            names.iter().enumerate().filter(|(_, l)| !self.labels.contains(l)).map(|(k, _)| k as isize).collect();
        let transposed = self.array.transpose(Axes::from(own))?;
        if missing.is_empty() { Ok(transposed) } else { transposed.expand_dims(Axes::from(missing)) }
    }
}

/// A contraction's operand as a batch of matrices.
#[derive(Clone, Debug)]
struct Matrices {
    /// Axes of this operand alone that are a batch, over which the other operand is broadcast.
    batch: Labels,
    /// The other axes of this operand alone, as one axis.
    core: Labels,
    /// An estimate of the elements that are moved in addition to those of the product.
    cost: f64,
}

/// Copying reads and writes each element.
const COPY: f64 = 2.0;
/// A product of fewer rows or columns wastes a part of the library's tiles.
const TILE: f64 = 32.0;
/// Multiplications in the time in which an element is moved.
const PRODUCTS: f64 = 32.0;
/// Elements that are moved in the time of a launch.
const LAUNCH: f64 = 1e6;

impl LabeledOperand {
    fn stride(&self, label: Label) -> i64 {
        self.labels.iter().position(|l| *l == label).map_or(0, |axis| self.array.strides()[axis])
    }

    fn size_of(&self, names: &[Label]) -> usize {
        names.iter().map(|l| self.size(*l)).product()
    }

    /// Sorts labels by the distance of elements in memory, the farthest first.
    fn by_strides(&self, names: &[Label]) -> Labels {
        let mut sorted = Labels::from(names);
        sorted.sort_by_key(|l| std::cmp::Reverse(self.stride(*l).unsigned_abs()));
        sorted
    }

    /// Returns the stride of axes as one axis, if there is one.
    fn merged(&self, names: &[Label]) -> Option<i64> {
        let mut fastest = None;
        for &label in names.iter().filter(|l| self.size(**l) != 1) {
            let (size, stride) = (self.size(label) as i64, self.stride(label));
            if fastest.is_some_and(|outer: i64| outer != stride * size) {
                return None;
            }
            fastest = Some(stride);
        }
        Some(fastest.unwrap_or(self.array.itemsize() as i64))
    }

    /// Returns whether the library can read matrices of these rows and columns in place.
    fn is_matrix(&self, rows: &[Label], columns: &[Label]) -> bool {
        let item = self.array.itemsize() as i64;
        let (Some(row), Some(column)) = (self.merged(rows), self.merged(columns)) else { return false };
        let (m, n) = (self.size_of(rows) as i64, self.size_of(columns) as i64);
        let dense = |fast: i64, count: i64, slow: i64, others: i64| {
            (count == 1 || fast == item) && (others == 1 || slow >= count * item && slow % item == 0)
        };
        dense(column, n, row, m) || dense(row, m, column, n)
    }

    /// Returns the operand as matrices without a batch of its own; `preferred` is the order of a copy.
    fn whole(&self, own: &[Label], inner: &[Label], preferred: &[Label]) -> Matrices {
        let sorted = self.by_strides(own);
        let core = if self.merged(&sorted).is_some() { sorted } else { by_position(own, preferred) };
        let cost = if self.is_matrix(&core, inner) { 0.0 } else { COPY * self.array.size() as f64 };
        Matrices { batch: Labels::new(), core, cost }
    }

    /// Returns the operand as a batch of matrices that are read in place, if its axes can be grouped so; `other` is the
    /// number of columns of the other operand.
    fn batched(&self, own: &[Label], inner: &[Label], other: usize) -> Option<Matrices> {
        let sorted = self.by_strides(own);
        let mut runs: SmallVec<[&[Label]; 6]> = SmallVec::new();
        let mut start = 0;
        for end in 1..=sorted.len() {
            if end == sorted.len() || self.merged(&sorted[start..=end]).is_none() {
                runs.push(&sorted[start..end]);
                start = end;
            }
        }
        let fits = runs.iter().filter(|run| self.is_matrix(run, inner));
        let core = fits.max_by_key(|run| self.size_of(run))?;
        let batch: Labels = sorted.iter().copied().filter(|l| !core.contains(l)).collect();
        let (count, m, k) = (self.size_of(&batch) as f64, self.size_of(core) as f64, self.size_of(inner) as f64);
        // One launch takes the last of the runs.
        let outer = runs.len().saturating_sub(2);
        let launches: usize = runs.iter().filter(|run| *run != core).take(outer).map(|run| self.size_of(run)).product();
        let waste = (TILE / m - 1.0).max(0.0) * count * m * k * other as f64 / PRODUCTS;
        let cost = count * k * other as f64 + waste + (launches as f64 - 1.0) * LAUNCH;
        Some(Matrices { batch, core: Labels::from(*core), cost })
    }
}

/// Sorts labels by their position in `order`; those that are not in it come first.
fn by_position(names: &[Label], order: &[Label]) -> Labels {
    let mut sorted = Labels::from(names);
    sorted.sort_by_key(|l| order.iter().position(|o| o == l).map_or(0, |at| at + 1));
    sorted
}

/// The groups of axes of a contraction.
struct Groups {
    /// Axes of both operands that are kept.
    batch: Labels,
    /// Axes of each operand alone.
    own: [Labels; 2],
    /// Axes of both operands that are summed.
    inner: Labels,
}

/// Returns the order of the summed axes and the grouping of each operand's own axes that move the least.
fn plan(operands: [&LabeledOperand; 2], groups: &Groups, preferred: &[Label]) -> (Labels, [Matrices; 2]) {
    let Groups { batch, own, inner } = groups;
    let sizes = [0, 1].map(|k| operands[k].size_of(&own[k]));
    let mut best: Option<(Labels, [Matrices; 2])> = None;
    for inner in operands.map(|x| x.by_strides(inner)) {
        let whole = [0, 1].map(|k| operands[k].whole(&own[k], &inner, preferred));
        let mut choices: SmallVec<[[Matrices; 2]; 3]> = SmallVec::from_iter([whole.clone()]);
        // A second batch would take a launch for each element of the first.
        if batch.is_empty() {
            for k in [0, 1] {
                let mut sides = whole.clone();
                if let Some(batched) = operands[k].batched(&own[k], &inner, sizes[1 - k]) {
                    sides[k] = batched;
                    choices.push(sides);
                }
            }
        }
        for choice in choices {
            let cost = |of: &[Matrices; 2]| of[0].cost + of[1].cost;
            if best.as_ref().is_none_or(|(_, found)| cost(&choice) < cost(found)) {
                best = Some((inner.clone(), choice));
            }
        }
    }
    best.expect("operands can be copied")
}

/// Contracts two operands; `wanted` are the labels that other operands or the result have, and `preferred` those of the
/// result in its order.
pub(super) fn contracted(
    a: LabeledOperand,
    b: LabeledOperand,
    wanted: &dyn Fn(Label) -> bool,
    preferred: &[Label],
) -> Result<LabeledOperand> {
    let first = b.labels.clone();
    let a = a.summed(|l| wanted(l) || first.contains(&l))?;
    let second = a.labels.clone();
    let b = b.summed(|l| wanted(l) || second.contains(&l))?;
    let mut groups = Groups { batch: Labels::new(), own: [Labels::new(), Labels::new()], inner: Labels::new() };
    for &l in a.labels.iter().chain(b.labels.iter().filter(|l| !a.labels.contains(l))) {
        match (a.labels.contains(&l), b.labels.contains(&l)) {
            (true, true) if wanted(l) => groups.batch.push(l),
            (true, true) => groups.inner.push(l),
            (true, false) => groups.own[0].push(l),
            _ => groups.own[1].push(l),
        }
    }
    // An axis of length 1 in one of the two is broadcast, not summed together.
    if groups.inner.is_empty() || groups.inner.iter().any(|l| a.size(*l) != b.size(*l)) {
        // One elementwise product; the remaining labels are summed afterwards.
        let kept: Labels = groups.batch.iter().chain(&groups.own[0]).chain(&groups.own[1]).copied().collect();
        let mut names = by_position(&kept, preferred);
        names.extend(groups.inner);
        let (one, two) = (a.ordered(&names)?, b.ordered(&names)?);
        let options = UfuncOptions { order: Some(Order::C), ..UfuncOptions::default() };
        let array = ufunc("multiply")?.called(&[(&one).into(), (&two).into()], &options)?;
        return LabeledOperand { array, labels: names }.summed(|l| kept.contains(&l));
    }
    groups.batch = by_position(&groups.batch, preferred);
    let (inner, [first, second]) = plan([&a, &b], &groups, preferred);
    // The operand with the axis that is the last of the result has the columns, whose elements are contiguous.
    let last = preferred.iter().rev().find(|l| first.core.contains(l) || second.core.contains(l));
    let is_swapped = last.is_some_and(|l| first.core.contains(l));
    let (a, b, first, second) = if is_swapped { (b, a, second, first) } else { (a, b, first, second) };
    let joined = |parts: &[&Labels]| -> Labels { parts.iter().flat_map(|p| p.iter().copied()).collect() };
    let matrices = |x: &LabeledOperand, own: &Matrices, [rows, columns]: [&Labels; 2]| {
        let outer = joined(&[&groups.batch, &own.batch]);
        let mut shape: Dims = outer.iter().map(|l| x.size(*l)).collect();
        shape.extend([x.size_of(rows), x.size_of(columns)]);
        x.ordered(&joined(&[&outer, rows, columns]))?.reshape(shape.as_slice())
    };
    let product = matmul(matrices(&a, &first, [&first.core, &inner])?, matrices(&b, &second, [&inner, &second.core])?)?;
    let labels = joined(&[&groups.batch, &first.batch, &second.batch, &first.core, &second.core]);
    let sizes: Dims = labels.iter().map(|l| a.common_size(&b, *l)).collect();
    Ok(LabeledOperand { array: product.reshape(sizes.as_slice())?, labels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zeros;

    fn letters(text: &str) -> Labels {
        text.chars().map(Label::Letter).collect()
    }

    /// Returns the plan of a contraction of axes of `n` elements: the batch and the rows of each operand.
    fn planned(operands: [&str; 2], n: usize) -> Result<[(Labels, Labels); 2]> {
        let [a, b] = operands.map(letters);
        let groups = Groups {
            batch: Labels::new(),
            own: [&a, &b].map(|all| all.iter().copied().filter(|l| !(a.contains(l) && b.contains(l))).collect()),
            inner: a.iter().copied().filter(|l| b.contains(l)).collect(),
        };
        let operand = |labels: &Labels| -> Result<LabeledOperand> {
            Ok(LabeledOperand { array: zeros(vec![n; labels.len()], DType::F32)?, labels: labels.clone() })
        };
        let (_, sides) = plan([&operand(&a)?, &operand(&b)?], &groups, &letters("abcdef"));
        Ok(sides.map(|side| (side.batch, side.core)))
    }

    #[test]
    fn axes_that_merge_are_read_in_place() -> Result<()> {
        let none = Labels::new;
        assert_eq!(planned(["dca", "bd"], 8)?, [(none(), letters("ca")), (none(), letters("b"))]);
        assert_eq!(planned(["ebad", "ce"], 8)?, [(none(), letters("bad")), (none(), letters("c"))]);
        Ok(())
    }

    #[test]
    fn axes_that_do_not_merge_are_a_batch_where_that_moves_less() -> Result<()> {
        let none = Labels::new;
        assert_eq!(planned(["bda", "dc"], 48)?, [(letters("b"), letters("a")), (none(), letters("c"))]);
        assert_eq!(planned(["deca", "be"], 16)?, [(letters("d"), letters("ca")), (none(), letters("b"))]);
        // The other operand would be read for each of 64 pairs, and has as many elements as the copy.
        assert_eq!(planned(["dega", "gfbc"], 8)?, [(none(), letters("ade")), (none(), letters("fbc"))]);
        Ok(())
    }
}
