//! Arguments with a value for the beginning and the end of each axis.
//!
//! A number, a pair, and a list of pairs are NumPy's forms of them.

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::normalize_axis;
use crate::scalar::Scalar;
use crate::table::{Argument, ParameterKind, Value};

/// Values for the beginning and the end of axes: one for all, two for both sides of every axis, or two for each axis.
///
/// ```
/// use cuprum::{Scalar, Sides, array, pad};
/// let a = array([[1, 2]])?;
/// assert_eq!(pad(&a, 1, ())?.shape(), [3, 4]);
/// assert_eq!(pad(&a, (0, 2), ())?.shape(), [3, 4]);
/// assert_eq!(pad(&a, [(0, 1), (2, 0)], ())?.shape(), [2, 4]);
/// assert_eq!(Sides::from(3), Sides::All(Scalar::Int(3)));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Sides {
    /// One value for both sides of every axis.
    All(Scalar),
    /// Values for the beginning and the end of every axis.
    Both(Scalar, Scalar),
    /// Values for the beginning and the end of each axis.
    Each(Vec<(Scalar, Scalar)>),
    /// Values for the beginning and the end of these axes, and 0 for the others; NumPy's dictionary. For a repeated
    /// axis the last pair counts.
    Axes(Vec<(isize, Scalar, Scalar)>),
}

impl<S: Into<Scalar>> From<S> for Sides {
    fn from(one: S) -> Sides {
        Sides::All(one.into())
    }
}

impl<A: Into<Scalar>, B: Into<Scalar>> From<(A, B)> for Sides {
    fn from((before, after): (A, B)) -> Sides {
        Sides::Both(before.into(), after.into())
    }
}

impl<A: Into<Scalar>, B: Into<Scalar>, const N: usize> From<[(A, B); N]> for Sides {
    fn from(each: [(A, B); N]) -> Sides {
        Sides::Each(each.into_iter().map(|(before, after)| (before.into(), after.into())).collect())
    }
}

impl<A: Into<Scalar>, B: Into<Scalar>> From<Vec<(A, B)>> for Sides {
    fn from(each: Vec<(A, B)>) -> Sides {
        Sides::Each(each.into_iter().map(|(before, after)| (before.into(), after.into())).collect())
    }
}

impl Sides {
    /// Creates values for some axes by their numbers, and 0 for the others; NumPy's `pad_width` of a dictionary.
    ///
    /// ```
    /// use cuprum::{Sides, ones, pad};
    /// let padded = pad(ones([2, 3], ())?, Sides::axes([(-1, (1, 2))]), ())?;
    /// assert_eq!(padded.shape(), [2, 6]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn axes<A: Into<Scalar>, B: Into<Scalar>>(axes: impl IntoIterator<Item = (isize, (A, B))>) -> Sides {
        Sides::Axes(axes.into_iter().map(|(axis, (before, after))| (axis, before.into(), after.into())).collect())
    }

    /// Returns the pair of values for each axis of an array.
    pub(crate) fn of(&self, a: &Array, what: &str) -> Result<Vec<(Scalar, Scalar)>> {
        match self {
            Sides::All(one) => Ok(vec![(*one, *one); a.ndim()]),
            Sides::Both(before, after) => Ok(vec![(*before, *after); a.ndim()]),
            Sides::Each(each) if each.len() == a.ndim() => Ok(each.clone()),
            Sides::Axes(some) => {
                let mut all = vec![(Scalar::Int(0), Scalar::Int(0)); a.ndim()];
                for (axis, before, after) in some {
                    // In NumPy the keys of the dictionary index a list: an error is an index error.
                    let axis_from_zero = normalize_axis(*axis, a.ndim())
                        .map_err(|e| Error::new(ErrorKind::Index, format!("{what}: {}", e.message())))?;
                    all[axis_from_zero] = (*before, *after);
                }
                Ok(all)
            }
            Sides::Each(each) if each.len() == 1 => Ok(vec![each[0]; a.ndim()]),
            Sides::Each(each) => {
                let (given, axes) = (each.len(), a.ndim());
                let message =
                    format!("{what} is given for {given} axes, the array has {axes}: give two numbers of each");
                Err(Error::new(ErrorKind::Value, message))
            }
        }
    }

    /// Returns the pair for each axis as non-negative integers.
    pub(crate) fn counts(&self, a: &Array, what: &str) -> Result<Vec<(usize, usize)>> {
        let one = |s: Scalar| match s {
            Scalar::Int(n) => usize::try_from(n)
                .ok()
                .filter(|&n| n <= isize::MAX as usize)
                .ok_or_else(|| Error::new(ErrorKind::Value, format!("{what} is {n}: it must be 0 or more"))),
            other => Err(Error::new(ErrorKind::Type, format!("{what} is {other:?}: it must be an integer"))),
        };
        let pairs = self.of(a, what)?;
        // An array without axes has no pairs, but the numbers that were given are checked.
        match self {
            Sides::All(both) if pairs.is_empty() => _ = one(*both)?,
            Sides::Both(before, after) if pairs.is_empty() => _ = (one(*before)?, one(*after)?),
            _ => {}
        }
        pairs.into_iter().map(|(before, after)| Ok((one(before)?, one(after)?))).collect()
    }
}

impl TryFrom<&Value> for Sides {
    type Error = Error;

    fn try_from(value: &Value) -> Result<Sides> {
        Sides::read(value)
    }
}

impl Argument<'_> for Sides {
    const KIND: ParameterKind = ParameterKind::Sides;

    fn read(value: &Value) -> Result<Sides> {
        let reject =
            || Error::new(ErrorKind::Type, format!("a number, two or two of each axis are expected, not {value}"));
        let pair = |value: &Value| -> Result<(Scalar, Scalar)> {
            match value {
                Value::Integers(two) if two.len() == 2 => Ok((two[0].into(), two[1].into())),
                Value::List(two) if two.len() == 2 => Ok((Scalar::read(&two[0])?, Scalar::read(&two[1])?)),
                _ => Err(reject()),
            }
        };
        match value {
            Value::Scalar(one) => Ok(Sides::All(*one)),
            Value::Integers(one) if one.len() == 1 => Ok(Sides::All(one[0].into())),
            Value::List(one) if one.len() == 1 && matches!(one[0], Value::Scalar(_)) => Sides::read(&one[0]),
            Value::List(each) if !matches!(each.first(), Some(Value::Scalar(_))) => {
                Ok(Sides::Each(each.iter().map(pair).collect::<Result<_>>()?))
            }
            two => pair(two).map(|(before, after)| Sides::Both(before, after)),
        }
    }

    fn value(&self) -> Value {
        let pair = |a: Scalar, b: Scalar| Value::List(vec![Value::Scalar(a), Value::Scalar(b)]);
        match self {
            Sides::All(one) => Value::Scalar(*one),
            Sides::Both(before, after) => pair(*before, *after),
            Sides::Each(each) => Value::List(each.iter().map(|(a, b)| pair(*a, *b)).collect()),
            Sides::Axes(some) => {
                Value::List(some.iter().map(|(x, a, b)| Value::List(vec![Value::from(*x), pair(*a, *b)])).collect())
            }
        }
    }
}
