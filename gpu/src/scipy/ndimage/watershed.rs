//! Watershed from markers by the image foresting transform, computed on the host.
//!
//! The flooding is sequential by nature: elements are taken from a queue in the order of their values. The image is
//! read back, and the labels are copied to the device.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};

use super::label::LabelOptions;
use super::{generate_binary_structure, wrong};
use crate::array::Array;
use crate::engine::{copy, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

/// No element.
const NONE: usize = usize::MAX;

/// Elements in doubly linked lists by their cost, the bucket queue of the image foresting transform.
///
/// An element is linked in one list, and leaves it when it enters another one, unless it is alone: such a
/// list keeps its first and last element, as SciPy's do, on which the order of later elements depends.
struct Lists {
    /// First element of each list; [`NONE`] for an empty one.
    first: Vec<usize>,
    /// Last element of each list.
    last: Vec<usize>,
    /// Element after each element in its list.
    next: Vec<usize>,
    /// Element before each element in its list.
    previous: Vec<usize>,
}

impl Lists {
    fn push_front(&mut self, level: usize, i: usize) {
        let first = self.first[level];
        (self.next[i], self.previous[i]) = (first, NONE);
        match first {
            NONE => {}
            _ => self.previous[first] = i,
        }
        self.first[level] = i;
        if self.last[level] == NONE {
            self.last[level] = i;
        }
    }

    fn push_back(&mut self, level: usize, i: usize) {
        let last = self.last[level];
        (self.next[i], self.previous[i]) = (NONE, last);
        match last {
            NONE => {}
            _ => self.next[last] = i,
        }
        self.last[level] = i;
        if self.first[level] == NONE {
            self.first[level] = i;
        }
    }

    fn pop_front(&mut self, level: usize) -> Option<usize> {
        let i = self.first[level];
        if i == NONE {
            return None;
        }
        self.first[level] = self.next[i];
        if self.first[level] != NONE {
            self.previous[self.first[level]] = NONE;
        }
        (self.next[i], self.previous[i]) = (NONE, NONE);
        Some(i)
    }

    fn remove(&mut self, level: usize, i: usize) {
        let (next, previous) = (self.next[i], self.previous[i]);
        if next == NONE && previous == NONE {
            return;
        }
        match previous {
            NONE if self.first[level] == i => self.first[level] = next,
            NONE => {}
            _ => self.next[previous] = next,
        }
        match next {
            NONE if self.last[level] == i => self.last[level] = previous,
            NONE => {}
            _ => self.previous[next] = previous,
        }
    }
}

/// Floods an image from its markers, whose labels grow in place. `neighbours` are the offsets of the neighbours along
/// each axis.
fn flood(image: &[u16], shape: &[usize], neighbours: &[Vec<isize>], labels: &mut [i64]) {
    let (size, levels) = (image.len(), image.iter().max().map_or(0, |most| usize::from(*most) + 1));
    let mut costs = vec![levels; size];
    let mut done = vec![false; size];
    let (none, ends) = (vec![NONE; size], vec![NONE; levels + 1]);
    let mut lists = Lists { first: ends.clone(), last: ends, next: none.clone(), previous: none };
    for i in 0..size {
        if labels[i] != 0 {
            costs[i] = 0;
            if labels[i] > 0 { lists.push_front(0, i) } else { lists.push_back(0, i) }
        }
    }
    let mut at = vec![0; shape.len()];
    for level in 0..levels {
        // An element that is done again changes nothing: a list of such elements has no end if it is a circle.
        let mut repeated = 0;
        while repeated <= size
            && let Some(i) = lists.pop_front(level)
        {
            if std::mem::replace(&mut done[i], true) {
                repeated += 1;
                continue;
            }
            let mut rest = i;
            for d in (0..shape.len()).rev() {
                (at[d], rest) = (rest % shape[d], rest / shape[d]);
            }
            for offsets in neighbours {
                let position = offsets.iter().zip(&at).zip(shape).try_fold(0, |sum, ((offset, at), n)| {
                    let moved = at.checked_add_signed(*offset).filter(|moved| moved < n)?;
                    Some(sum * n + moved)
                });
                let Some(j) = position.filter(|j| !done[*j]) else { continue };
                let cost = costs[i].max(usize::from(image[i].abs_diff(image[j])));
                if cost < costs[j] {
                    lists.remove(costs[j], j);
                    (costs[j], labels[j]) = (cost, labels[i]);
                    if labels[i] > 0 { lists.push_front(cost, j) } else { lists.push_back(cost, j) }
                }
            }
        }
    }
}

/// Watershed from markers: each element has the label of the marker from which a path leads to it whose largest step
/// between neighbours is least; SciPy's `scipy.ndimage.watershed_ift`. Elements that no path leads to are 0.
///
/// The result has the shape of the input, and the dtype of the markers unless the options name one. Where paths are
/// equal, markers with negative labels come last.
///
/// It is computed on the host: of equal paths the first one found decides, in an order that goes from an element to its
/// newest neighbour (A. X. Falcão, J. Stolfi, R. de Alencar Lotufo, "The Image Foresting Transform", PAMI 26(1), 2004),
/// which has no parallel form. The result is SciPy's, except that SciPy takes the first element of a row for a
/// neighbour of the last one of the row before. As in SciPy, an element that is alone in the list of its path's step
/// stays in it when a better path is found, so that now and then a label is not that of the best path, or is 0.
///
/// ```
/// use cuprum::scipy::ndimage::{LabelOptions, watershed_ift};
/// let image = cuprum::array([1u8, 1, 9, 2, 2])?;
/// let markers = cuprum::array([1i32, 0, 0, 0, 2])?;
/// let basins = watershed_ift(&image, &markers, &LabelOptions::new())?;
/// assert_eq!(basins.to_vec::<i32>()?, [1, 1, 2, 2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for an input that is neither uint8 nor uint16, and for markers or an output that are not
/// integers; [`ErrorKind::Value`] for a structure that is not of size 3 along each axis, and markers or an output of
/// another shape.
///
/// # Synchronization
///
/// Synchronises to read the input and the markers.
#[unrecorded("takes a structure of the host: compared with SciPy's in `gpu/python/tests/test_ndimage_label.py`")]
#[signature]
pub fn watershed_ift(input: &Array, markers: &Array, options: &LabelOptions) -> Result<Array> {
    if !matches!(input.dtype(), DType::U8 | DType::U16) {
        let message = format!("watershed_ift: `input` is {}: it must be uint8 or uint16", input.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let shape = input.shape();
    let out = match &options.out {
        Some(out) => out.clone(),
        None => make::empty(input.device(), shape, options.dtype.unwrap_or(markers.dtype()))?,
    };
    for (name, a) in [("markers", markers), ("output", &out)] {
        if !a.dtype().is_integer() {
            let message = format!("watershed_ift: `{name}` is {}: labels are integers", a.dtype());
            return Err(Error::new(ErrorKind::Type, message));
        }
        if a.shape() != shape {
            let (one, two) = (shape_text(a.shape()), shape_text(shape));
            return wrong(format!(
                "watershed_ift: `{name}` of shape {one} does not have the shape of the input, {two}"
            ));
        }
    }
    let axes = shape.len();
    let structure = options.structure.clone().unwrap_or_else(|| generate_binary_structure(axes, 1));
    if 3usize.checked_pow(axes as u32) != Some(structure.len()) {
        return wrong(format!(
            "watershed_ift: a structure of {} elements does not fit an input of {axes} axes: it has the size 3 along each",
            structure.len()
        ));
    }
    let offsets = |k: usize| (0..axes).map(|d| (k / 3usize.pow((axes - 1 - d) as u32) % 3) as isize - 1).collect();
    let neighbours: Vec<Vec<isize>> = (0..structure.len())
        .filter(|k| structure[*k])
        .map(offsets)
        .filter(|offsets: &Vec<isize>| offsets.iter().any(|o| *o != 0))
        .collect();
    let image = input.astype(DType::U16)?.to_vec::<u16>()?;
    let mut labels = markers.astype(DType::I64)?.to_vec::<i64>()?;
    flood(&image, shape, &neighbours, &mut labels);
    copy(&make::of(input.device(), &labels, shape)?, &out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_of_markers_which_keep_theirs() {
        let mut state = 9u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        let neighbours = [vec![-1, 0], vec![0, -1], vec![0, 1], vec![1, 0]];
        for _ in 0..500 {
            let shape = [1 + next(7) as usize, 1 + next(7) as usize];
            let size = shape[0] * shape[1];
            let image: Vec<u16> = (0..size).map(|_| next(20) as u16).collect();
            let markers: Vec<i64> = (0..size).map(|_| if next(6) == 0 { next(5) as i64 - 2 } else { 0 }).collect();
            let mut labels = markers.clone();
            flood(&image, &shape, &neighbours, &mut labels);
            for (label, marker) in labels.iter().zip(&markers) {
                let kept = if *marker == 0 { *label == 0 || markers.contains(label) } else { label == marker };
                assert!(kept, "{image:?} {markers:?} {labels:?}");
            }
        }
    }
}
