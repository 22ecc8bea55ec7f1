//! Axes and lengths of transforms.
//!
//! NumPy's rules for `s` and `axes` together: lengths without axes belong to the last axes, and -1 is the length of the
//! operand.

use crate::array::{Array, Axes};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, normalize_axis};

/// The axes of a transform and its length along each.
#[derive(Clone, Debug)]
pub(crate) struct Lengths {
    /// Transformed axes.
    pub(crate) axes: Dims,
    /// Number of elements along each of them.
    pub(crate) n: Dims,
}

/// Interpretation of the last axis of the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    /// All elements.
    Whole,
    /// A half spectrum.
    OfHalf,
}

pub(crate) fn length(n: isize) -> Result<usize> {
    match usize::try_from(n) {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(Error::new(ErrorKind::Value, format!("a transform of {n} elements: it needs at least one"))),
    }
}

impl Lengths {
    pub(crate) fn alone(axis: usize, n: usize) -> Lengths {
        Lengths { axes: [axis].into_iter().collect(), n: [n].into_iter().collect() }
    }

    /// Splits off the last axis.
    pub(crate) fn apart(&self) -> Option<(Lengths, Lengths)> {
        let ((&axis, axes), (&n, lengths)) = (self.axes.split_last()?, self.n.split_last()?);
        Some((Lengths { axes: axes.into(), n: lengths.into() }, Lengths::alone(axis, n)))
    }

    /// Returns the length along one axis.
    pub(crate) fn one(a: &Array, n: Option<isize>, axis: isize, last: Last) -> Result<Lengths> {
        let given = n.map(length).transpose()?;
        let axis = normalize_axis(axis, a.ndim())?;
        let own = a.shape()[axis] as isize;
        let n = given.map_or_else(|| length(if last == Last::OfHalf { 2 * (own - 1) } else { own }), Ok)?;
        Ok(Lengths::alone(axis, n))
    }

    /// Returns the lengths along several axes: by default all, or as many of the last ones as there are lengths. A
    /// length of -1 is that of the axis.
    pub(crate) fn several(a: &Array, s: &Axes, axes: &Axes, last: Last) -> Result<Lengths> {
        let given = s.as_slice();
        let axes: Dims = match (axes.as_slice(), given) {
            (Some(axes), _) => axes.iter().map(|&axis| normalize_axis(axis, a.ndim())).collect::<Result<_>>()?,
            (None, Some(s)) if s.len() > a.ndim() => {
                let message = format!("{} lengths are more than the {} axes of the array", s.len(), a.ndim());
                return Err(Error::new(ErrorKind::Axis, message));
            }
            (None, Some(s)) => (a.ndim() - s.len()..a.ndim()).collect(),
            (None, None) => (0..a.ndim()).collect(),
        };
        if given.is_some_and(|s| s.len() != axes.len()) {
            let message =
                format!("{} lengths are not one for each of {} axes", given.map_or(0, <[_]>::len), axes.len());
            return Err(Error::new(ErrorKind::Value, message));
        }
        let one = |(k, &axis): (usize, &usize)| {
            let own = a.shape()[axis] as isize;
            let n = match given {
                Some(s) if s[k] == -1 => own,
                Some(s) => s[k],
                None if last == Last::OfHalf && k + 1 == axes.len() => 2 * (own - 1),
                None => own,
            };
            length(n)
        };
        let n = axes.iter().enumerate().map(one).collect::<Result<_>>()?;
        Ok(Lengths { axes, n })
    }

    /// Returns the shape of an array with these lengths; with `half`, the last axis has the length of a half spectrum.
    pub(crate) fn shape(&self, a: &Array, half: bool) -> Dims {
        let mut shape: Dims = a.shape().into();
        self.axes.iter().zip(&self.n).for_each(|(&axis, &n)| shape[axis] = n);
        if let (true, Some(&last)) = (half, self.axes.last()) {
            shape[last] = shape[last] / 2 + 1;
        }
        shape
    }

    /// Returns the number of elements of one transform.
    pub(crate) fn size(&self) -> f64 {
        self.n.iter().map(|&n| n as f64).product()
    }

    /// Returns whether an axis is repeated.
    pub(crate) fn repeats(&self) -> bool {
        (1..self.axes.len()).any(|k| self.axes[..k].contains(&self.axes[k]))
    }

    /// Returns the length of the last axis, which a half spectrum requires.
    pub(crate) fn halved(&self) -> Result<usize> {
        self.n.last().copied().ok_or_else(|| {
            Error::new(ErrorKind::Value, "no axis is named: a transform of real numbers needs at least one")
        })
    }
}
