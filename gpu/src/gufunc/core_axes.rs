//! Core axes of operands and results.
//!
//! NumPy's keywords `axes`, `axis` and `keepdims` all say which axes are the core ones; here they are one value.

use smallvec::SmallVec;

use crate::array::Axes;
use crate::error::{Error, ErrorKind, Result};
use crate::table::{Argument, ParameterKind, Value};

/// Core axes of operands and results: those of matrices and vectors, or of the core of a
/// [`GeneralizedUfunc`](crate::GeneralizedUfunc); NumPy's `axes`. A matrix has two, a vector one, a scalar none.
///
/// ```
/// use cuprum::{CoreAxes, MatmulOptions, array, matmul_with};
/// let a = array([[1, 2, 3], [4, 5, 6]])?;
/// // The first operand is read transposed.
/// let transposed = MatmulOptions::new().axes(CoreAxes::from(([1, 0], [0, 1], [0, 1])));
/// assert_eq!(matmul_with(&a, &a, transposed)?.shape(), [3, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreAxes(SmallVec<[SmallVec<[isize; 2]>; 3]>);

impl CoreAxes {
    /// Creates an entry for each array.
    ///
    /// ```
    /// use cuprum::CoreAxes;
    /// // The core axes of two operands and of the result: the last one, the first one, the last one.
    /// let axes = CoreAxes::listed([-1, 0, -1]);
    /// assert!(format!("{axes:?}").contains("-1"));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn listed(all: impl IntoIterator<Item = impl Into<Axes>>) -> CoreAxes {
        CoreAxes(all.into_iter().map(|axes| axes.into().as_slice().unwrap_or_default().into()).collect())
    }

    /// Creates entries with one axis, for all arrays with core axes.
    pub(super) fn along(axis: isize, counts: &[usize]) -> CoreAxes {
        CoreAxes(counts.iter().map(|&count| SmallVec::from_elem(axis, count)).collect())
    }
}

impl<A: Into<Axes>, B: Into<Axes>> From<(A, B)> for CoreAxes {
    fn from((a, b): (A, B)) -> CoreAxes {
        CoreAxes::listed([a.into(), b.into()])
    }
}

impl<A: Into<Axes>, B: Into<Axes>, C: Into<Axes>> From<(A, B, C)> for CoreAxes {
    fn from((a, b, c): (A, B, C)) -> CoreAxes {
        CoreAxes::listed([a.into(), b.into(), c.into()])
    }
}

impl Argument<'_> for CoreAxes {
    const KIND: ParameterKind = ParameterKind::Sides;

    fn read(value: &Value) -> Result<CoreAxes> {
        let one = |value: &Value| -> Result<SmallVec<[isize; 2]>> {
            match value {
                Value::List(list) => list.iter().map(isize::read).collect(),
                Value::Integers(all) => Ok(all.as_slice().into()),
                axis => Ok(SmallVec::from_elem(isize::read(axis)?, 1)),
            }
        };
        match value {
            Value::Integers(all) => Ok(CoreAxes(all.iter().map(|axis| SmallVec::from_elem(*axis, 1)).collect())),
            Value::List(list) => list.iter().map(one).collect::<Result<_>>().map(CoreAxes),
            other => {
                Err(Error::new(ErrorKind::Type, format!("axes are a list with an entry for each array, not {other}")))
            }
        }
    }

    fn value(&self) -> Value {
        Value::List(self.0.iter().map(|axes| Value::Integers(axes.to_vec())).collect())
    }
}

/// Returns the core axes of each array, whose numbers are given for operands and results; `None` where they are the
/// last. Entries of results without core axes may be omitted: with keepdims the axes are then the last.
pub(crate) fn core_positions(
    axes: Option<&CoreAxes>,
    operands: &[usize],
    results: &[usize],
    of_numbers: bool,
) -> Result<Vec<Option<Axes>>> {
    let counts = || operands.iter().chain(results);
    let Some(CoreAxes(axes)) = axes else { return Ok(counts().map(|_| None).collect()) };
    let given = axes.len();
    if given != operands.len() + results.len() && !(of_numbers && given == operands.len()) {
        let message = format!("axes have {given} entries: give one for each operand and each result");
        return Err(Error::new(ErrorKind::Value, message));
    }
    counts()
        .enumerate()
        .map(|(array, &count)| {
            let Some(own) = axes.get(array).map(|own| own.as_slice()) else { return Ok(None) };
            if own.len() != count {
                let message = format!("the axes {own:?} are not as many as the core has there: give {count}");
                return Err(Error::new(ErrorKind::Axis, message));
            }
            Ok(Some(Axes::from(own.to_vec())))
        })
        .collect()
}

/// Returns the last `count` axes.
pub(crate) fn last(count: usize) -> Axes {
    (0..count).map(|k| k as isize - count as isize).collect::<Vec<_>>().into()
}
