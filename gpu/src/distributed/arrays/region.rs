//! Regions: the part of an array that a chunk holds, one arithmetic progression of indices for each axis.
//!
//! Regions are closed under intersection, and the difference of two is a list of disjoint ones. All arithmetic is on the
//! host.

use std::fmt;

use smallvec::SmallVec;

use crate::array::{AsIndex, Index};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::shape_text;

/// Indices along one axis: `len` of them from `start`, `step` apart. The step is 1 where there are fewer than two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) step: usize,
}

impl Span {
    pub(crate) fn new(start: usize, len: usize, step: usize) -> Span {
        Span { start, len, step: if len < 2 { 1 } else { step } }
    }

    /// Returns all indices of an axis.
    pub(crate) fn all(len: usize) -> Span {
        Span::new(0, len, 1)
    }

    /// Returns the last index; there must be one.
    fn last(self) -> usize {
        self.start + (self.len - 1) * self.step
    }

    /// Returns the end, exclusive.
    pub(crate) fn end(self) -> usize {
        if self.len == 0 { self.start } else { self.last() + 1 }
    }

    /// Returns the common indices, by the Chinese remainder theorem; `None` if there are none.
    pub(crate) fn intersect(self, other: Span) -> Option<Span> {
        if self.len == 0 || other.len == 0 {
            return None;
        }
        let (a, b) = (self.step as i128, other.step as i128);
        let (g, inverse) = gcd_and_inverse(a, b);
        let distance = other.start as i128 - self.start as i128;
        if distance % g != 0 {
            return None;
        }
        // The smallest common member of both progressions, were they infinite in both directions, from `self.start` on.
        let common = self.start as i128 + a * ((distance / g * inverse).rem_euclid(b / g));
        let step = a / g * b;
        let low = self.start.max(other.start) as i128;
        let first = if common >= low { common } else { common + (low - common + step - 1) / step * step };
        let high = self.last().min(other.last()) as i128;
        // All three are within the axis.
        (first <= high).then(|| Span::new(first as usize, ((high - first) / step) as usize + 1, step as usize))
    }

    /// Returns the positions of the indices of `part`, which are among these, within these.
    pub(crate) fn positions_of(self, part: Span) -> Span {
        Span::new((part.start.saturating_sub(self.start)) / self.step, part.len, part.step.div_ceil(self.step))
    }

    /// Returns the indices at some positions.
    pub(crate) fn at(self, positions: Span) -> Span {
        Span::new(self.start + positions.start * self.step, positions.len, self.step * positions.step)
    }

    /// Returns the indices that are not in `part`, all of which are among these, as disjoint spans.
    fn without(self, part: Span) -> SmallVec<[Span; 4]> {
        let p = self.positions_of(part);
        let mut rest: SmallVec<[Span; 4]> = SmallVec::new();
        rest.push(Span::all(p.start));
        rest.push(Span::new(p.end(), self.len - p.end(), 1));
        rest.extend((1..p.step).map(|k| Span::new(p.start + k, p.len - 1, p.step)));
        rest.into_iter().filter(|span| span.len > 0).map(|span| self.at(span)).collect()
    }
}

/// Returns the greatest common divisor of two positive numbers, and the inverse of `a / gcd` modulo `b / gcd`.
fn gcd_and_inverse(a: i128, b: i128) -> (i128, i128) {
    let (mut r, mut s) = ((a, b), (1, 0));
    while r.1 != 0 {
        let q = r.0 / r.1;
        r = (r.1, r.0 - q * r.1);
        s = (s.1, s.0 - q * s.1);
    }
    (r.0, s.0)
}

/// Part of an array that a chunk of a [`DistributedArray`](super::DistributedArray) holds: a slice of each axis with a
/// positive step.
///
/// ```
/// use cuprum::{distributed::Region, s};
/// let region = Region::new(&[4, 6], s![1, ..;2])?;
/// assert_eq!(region.shape(), [1, 3]);
/// assert_eq!(region.to_string(), "[1:2, 0:5:2]");
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region(pub(crate) SmallVec<[Span; 4]>);

impl Region {
    /// Returns the region that an index selects in an array of a shape; an integer is a slice of one element.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for an index of another kind, a step that is not positive, an integer that is out of bounds,
    /// and more parts than axes.
    pub fn new(shape: &[usize], index: impl AsIndex) -> Result<Region> {
        Region::of(shape, index.as_ref()).map_err(|e| e.with_op("Region::new"))
    }

    pub(crate) fn of(shape: &[usize], index: &[Index]) -> Result<Region> {
        let ellipses = index.iter().filter(|part| matches!(part, Index::Ellipsis)).count();
        let used = index.len() - ellipses;
        if ellipses > 1 || used > shape.len() {
            let shape = shape_text(shape);
            let message = format!(
                "the index of a chunk has {used} parts and {ellipses} ellipses: too many for the shape {shape}"
            );
            return Err(Error::new(ErrorKind::Index, message));
        }
        let mut spans: SmallVec<[Span; 4]> = SmallVec::new();
        let skipped = shape.len() - used;
        let whole = |spans: &mut SmallVec<[Span; 4]>| {
            let from = spans.len();
            spans.extend(shape[from..from + skipped].iter().map(|&n| Span::all(n)));
        };
        for part in index {
            let n = shape.get(spans.len()).copied().unwrap_or(0);
            let span = match part {
                Index::Ellipsis => {
                    whole(&mut spans);
                    continue;
                }
                Index::At(i) => {
                    let at = if *i < 0 { i + n as i64 } else { *i };
                    if at < 0 || at >= n as i64 {
                        let axis = spans.len();
                        let message = format!("{i} is out of bounds for axis {axis} with size {n}");
                        return Err(Error::new(ErrorKind::Index, message));
                    }
                    Span::new(at as usize, 1, 1)
                }
                Index::Slice(slice) => positive(*slice, n)?,
                Index::NewAxis | Index::Truth(_) | Index::Array(_) | Index::List(_) => {
                    let message = "the index of a chunk has a part that is neither an integer nor a slice: a chunk is a slice of each axis";
                    return Err(Error::new(ErrorKind::Index, message));
                }
            };
            spans.push(span);
        }
        if ellipses == 0 {
            whole(&mut spans);
        }
        Ok(Region(spans))
    }

    /// Returns the whole of an array.
    pub(crate) fn all(shape: &[usize]) -> Region {
        Region(shape.iter().map(|&n| Span::all(n)).collect())
    }

    /// Returns the number of indices along each axis.
    pub fn shape(&self) -> Vec<usize> {
        self.0.iter().map(|span| span.len).collect()
    }

    /// Returns the first index, the end (exclusive) and the step along each axis.
    pub fn bounds(&self) -> Vec<(usize, usize, usize)> {
        self.0.iter().map(|span| (span.start, span.end(), span.step)).collect()
    }

    /// Returns the region as an index: of the whole array, or of another array of its shape.
    pub fn to_index(&self) -> Vec<Index> {
        let bound = |n: usize| Some(n as i64);
        let slice = |s: &Span| Slice { start: bound(s.start), stop: bound(s.end()), step: bound(s.step) };
        self.0.iter().map(|span| Index::Slice(slice(span))).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().any(|span| span.len == 0)
    }

    pub(crate) fn size(&self) -> usize {
        self.0.iter().map(|span| span.len).product()
    }

    pub(crate) fn intersect(&self, other: &Region) -> Option<Region> {
        self.0.iter().zip(&other.0).map(|(a, b)| a.intersect(*b)).collect::<Option<_>>().map(Region)
    }

    /// Returns where `part`, which is within this region, is in an array of its elements.
    pub(crate) fn positions_of(&self, part: &Region) -> Region {
        Region(self.0.iter().zip(&part.0).map(|(a, b)| a.positions_of(*b)).collect())
    }

    /// Returns the elements that are not in `part`, which is within this region, as disjoint regions.
    pub(crate) fn without(&self, part: &Region) -> Vec<Region> {
        let mut rest = vec![];
        for axis in 0..self.0.len() {
            for span in self.0[axis].without(part.0[axis]) {
                let mut piece = self.clone();
                piece.0[..axis].copy_from_slice(&part.0[..axis]);
                piece.0[axis] = span;
                rest.push(piece);
            }
        }
        rest
    }

    /// Returns the region with another span along an axis.
    pub(crate) fn with(&self, axis: usize, span: Span) -> Region {
        let mut region = self.clone();
        region.0[axis] = span;
        region
    }
}

/// Coverage of a region: the elements that the parts added so far hold.
#[derive(Debug)]
pub(crate) struct Coverage {
    /// Disjoint.
    missing: Vec<Region>,
    /// Disjoint.
    held: Vec<Region>,
}

/// Elements of a part that has been added: those that no earlier part holds, and the others.
#[derive(Debug, Default)]
pub(crate) struct Added {
    pub(crate) first: Vec<Region>,
    pub(crate) again: Vec<Region>,
}

impl Coverage {
    pub(crate) fn of(region: Region) -> Coverage {
        Coverage { missing: if region.is_empty() { vec![] } else { vec![region] }, held: vec![] }
    }

    /// Adds a part, of which the elements within the region count.
    pub(crate) fn add(&mut self, part: &Region) -> Added {
        let again = self.held.iter().filter_map(|held| held.intersect(part)).collect();
        let mut first = vec![];
        for missing in std::mem::take(&mut self.missing) {
            match missing.intersect(part) {
                None => self.missing.push(missing),
                Some(common) => {
                    self.missing.extend(missing.without(&common));
                    first.push(common);
                }
            }
        }
        self.held.extend(first.iter().cloned());
        Added { first, again }
    }

    /// Returns a region whose elements no part holds.
    pub(crate) fn missing(&self) -> Option<&Region> {
        self.missing.first()
    }
}

/// Returns the indices that a slice with a positive step selects.
fn positive(slice: Slice, n: usize) -> Result<Span> {
    let (start, len, step) = slice.resolve(n)?;
    if step < 0 {
        let message = format!("the index of a chunk has the step {step}: steps must be positive");
        return Err(Error::new(ErrorKind::Index, message));
    }
    Ok(Span::new(start.max(0) as usize, len, step as usize))
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (axis, span) in self.0.iter().enumerate() {
            let comma = if axis == 0 { "" } else { ", " };
            write!(f, "{comma}{}:{}", span.start, span.end())?;
            if span.step > 1 {
                write!(f, ":{}", span.step)?;
            }
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(span: Span) -> Vec<usize> {
        (0..span.len).map(|k| span.start + k * span.step).collect()
    }

    #[test]
    fn spans_intersect_and_divide_as_sets_do() {
        let spans: Vec<Span> = [0, 1, 5]
            .into_iter()
            .flat_map(|start| [1, 2, 3, 4, 6].map(|step| (start, step)))
            .flat_map(|(start, step)| [0, 1, 2, 5].map(|len| Span::new(start, len, step)))
            .collect();
        for &a in &spans {
            for &b in &spans {
                let expected: Vec<usize> = members(a).into_iter().filter(|i| members(b).contains(i)).collect();
                let common = a.intersect(b);
                assert_eq!(common.map_or(vec![], members), expected, "{a:?} and {b:?}");
                let Some(common) = common else { continue };
                let found: Vec<usize> = members(a.positions_of(common)).into_iter().map(|p| members(a)[p]).collect();
                assert_eq!(found, expected, "{a:?} and {b:?}");
                let mut all = [expected, a.without(common).into_iter().flat_map(members).collect()].concat();
                all.sort_unstable();
                assert_eq!(all, members(a), "{a:?} and {b:?}");
            }
        }
    }
}
