//! Splitting of arrays into views: `split`, `array_split` and `unstack`.
//!
//! Every part is a view: splitting costs no kernel and no memory.

use cuprum_macros::{Options, routine};

use crate::array::{Array, IntoInteger, integer};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, Slice};
use crate::layout::{normalize_axis, shape_text};
use crate::table::{Argument, ParameterKind, Value};

/// Number of parts, or the positions at which an array is split.
///
/// ```
/// use cuprum::{Sections, arange, split};
/// let a = arange(0, 6, 1)?;
/// assert_eq!(split(&a, 3, ())?.len(), 3);
/// let parts = split(&a, [1, -2], ())?;
/// assert_eq!(parts.iter().map(|p| p.size()).collect::<Vec<_>>(), [1, 3, 2]);
/// assert_eq!(Sections::from(3), Sections::Equal(3));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sections {
    /// A number of parts.
    Equal(isize),
    /// The start of each part but the first, in the manner of slice bounds: negative ones count from the end, others
    /// may be past it.
    At(Vec<isize>),
}

impl<T: IntoInteger> From<T> for Sections {
    fn from(count: T) -> Sections {
        Sections::Equal(integer(count))
    }
}

impl<T: IntoInteger> From<&[T]> for Sections {
    fn from(at: &[T]) -> Sections {
        Sections::At(at.iter().copied().map(integer).collect())
    }
}

impl<T: IntoInteger, const N: usize> From<[T; N]> for Sections {
    fn from(at: [T; N]) -> Sections {
        Sections::from(at.as_slice())
    }
}

impl<T: IntoInteger> From<Vec<T>> for Sections {
    fn from(at: Vec<T>) -> Sections {
        Sections::from(at.as_slice())
    }
}

impl Argument<'_> for Sections {
    const KIND: ParameterKind = ParameterKind::Sections;

    fn read(value: &Value) -> Result<Sections> {
        match value {
            Value::Integers(at) => Ok(Sections::At(at.clone())),
            one => isize::read(one).map(Sections::Equal),
        }
    }

    fn value(&self) -> Value {
        match self {
            Sections::Equal(count) => count.value(),
            Sections::At(at) => Value::Integers(at.clone()),
        }
    }
}

/// Options of [`split`], [`array_split`] and [`unstack`].
///
/// An integer converts to options that set the axis.
///
/// ```
/// use cuprum::{array, split};
/// let halves = split(&array([[1, 2], [3, 4]])?, 2, 1)?;
/// assert_eq!(halves[1].to_vec::<i32>()?, [2, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct SplitOptions {
    /// The axis; by default the first.
    #[from]
    pub axis: isize,
}

/// Returns the axis and its size. An axis out of bounds is an index error: NumPy indexes the shape tuple.
fn length(a: &Array, axis: isize) -> Result<(usize, usize)> {
    let axis = normalize_axis(axis, a.ndim()).map_err(|e| Error::new(ErrorKind::Index, e.message()))?;
    Ok((axis, a.shape()[axis]))
}

/// Splits an array into parts of equal size, or at positions; NumPy's `split`. The parts are views.
///
/// The parts have the dtype of `a` and its shape but for the axis. Positions are indices along the axis before which a
/// part begins; those past its end give empty parts.
///
/// ```
/// use cuprum::{arange, split};
/// let parts = split(arange(0, 6, 1)?, 2, ())?;
/// assert_eq!(parts[1].to_vec::<i64>()?, [3, 4, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the parts do not divide the axis evenly, [`ErrorKind::ZeroDivision`] for zero parts,
/// [`ErrorKind::Index`] for an axis that is out of bounds.
#[routine(names = "ary indices_or_sections", python(rounded = [("indices_or_sections", Rounding::Cut)], returns_list))]
pub fn split(a: &Array, sections: Sections, options: SplitOptions) -> Result<Vec<Array>> {
    equal(a, &sections, options.axis)
}

fn equal(a: &Array, sections: &Sections, axis: isize) -> Result<Vec<Array>> {
    if let Sections::Equal(count) = *sections {
        let (axis, n) = length(a, axis)?;
        if count == 0 {
            return Err(Error::new(ErrorKind::ZeroDivision, "an axis cannot be cut into no parts"));
        }
        if n as isize % count != 0 {
            let message = format!("axis {axis}, of size {n}, is not divided by {count}: use array_split");
            return Err(Error::new(ErrorKind::Value, message));
        }
    }
    parts(a, sections, axis)
}

/// Splits an array into parts of nearly equal size, or at positions; NumPy's `array_split`. The first parts are longer
/// by one where the division is uneven. The parts are views.
///
/// The parts have the dtype of `a` and its shape but for the axis. If `n` elements are divided into `k` parts, the
/// first `n % k` have one more than the others.
///
/// ```
/// use cuprum::{arange, array_split};
/// let parts = array_split(arange(0, 5, 1)?, 3, ())?;
/// assert_eq!(parts.iter().map(|p| p.size()).collect::<Vec<_>>(), [2, 2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for fewer than one part, [`ErrorKind::Index`] for an axis that is out of bounds.
#[routine(names = "ary indices_or_sections", python(rounded = [("indices_or_sections", Rounding::Cut)], returns_list))]
pub fn array_split(a: &Array, sections: Sections, options: SplitOptions) -> Result<Vec<Array>> {
    parts(a, &sections, options.axis)
}

fn parts(a: &Array, sections: &Sections, axis: isize) -> Result<Vec<Array>> {
    let (axis, n) = length(a, axis)?;
    let ends: Vec<i64> = match sections {
        Sections::At(at) => [0].into_iter().chain(at.iter().map(|&i| i as i64)).chain([n as i64]).collect(),
        Sections::Equal(count) if *count <= 0 => {
            return Err(Error::new(
                ErrorKind::Value,
                format!("an axis cannot be cut into {count} parts: one is needed"),
            ));
        }
        Sections::Equal(count) => {
            let (each, longer) = (n / *count as usize, n % *count as usize);
            (0..=*count as usize).map(|k| (k * each + k.min(longer)) as i64).collect()
        }
    };
    let mut index = vec![Index::Slice(Slice::default()); axis + 1];
    let part = |bounds: &[i64]| {
        index[axis] = Index::Slice(Slice::from(bounds[0]..bounds[1]));
        a.index(&index)
    };
    ends.windows(2).map(part).collect()
}

/// Defines functions that split along a fixed axis.
macro_rules! cuts {
    ($($name:ident $needed:literal $axis:expr, $doc:literal, $example:literal;)+) => {$(
        #[doc = $doc]
        ///
        /// ```
        #[doc = $example]
        /// # Ok::<(), cuprum::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Value`] for too few axes, and those of [`split`].
        #[routine(
            names = "ary indices_or_sections",
            python(rounded = [("indices_or_sections", Rounding::Cut)], returns_list)
        )]
        pub fn $name(a: &Array, sections: Sections) -> Result<Vec<Array>> {
            let axis: fn(&Array) -> isize = $axis;
            if a.ndim() < $needed {
                let (shape, needed) = (shape_text(a.shape()), $needed);
                let message = format!("an array of shape {shape} has too few axes: {needed} are needed");
                return Err(Error::new(ErrorKind::Value, message));
            }
            equal(a, &sections, axis(a))
        }
    )+};
}
cuts! {
    hsplit 1 |a| isize::from(a.ndim() > 1),
        "Parts side by side, cut along the second axis, or of one axis along it; NumPy's `hsplit`. Views.",
        "assert_eq!(cuprum::hsplit(cuprum::ones([2, 4], ())?, 2)?[1].shape(), [2, 2]);";
    vsplit 2 |_| 0,
        "Parts one below the other, cut along the first axis; NumPy's `vsplit`. Views.",
        "assert_eq!(cuprum::vsplit(cuprum::ones([2, 4], ())?, 2)?[1].shape(), [1, 4]);";
    dsplit 3 |_| 2,
        "Parts in depth, cut along the third axis; NumPy's `dsplit`. Views.",
        "assert_eq!(cuprum::dsplit(cuprum::ones([2, 4, 6], ())?, [1])?[1].shape(), [2, 4, 5]);";
}

/// Splits an array along an axis, which is removed; NumPy's `unstack`. The parts are views.
///
/// There are as many parts as the axis is long, each with one axis less than `x`, and its dtype.
///
/// ```
/// use cuprum::{array, unstack};
/// let rows = unstack(array([[1, 2], [3, 4]])?, ())?;
/// assert_eq!(rows[1].to_vec::<i32>()?, [3, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array without axes, [`ErrorKind::Axis`].
#[routine(python(positional_only = 1, keyword_only = 1))]
pub fn unstack(x: &Array, options: SplitOptions) -> Result<Vec<Array>> {
    if x.ndim() == 0 {
        return Err(Error::new(ErrorKind::Value, "an array without axes has no parts: one axis is needed"));
    }
    let axis = normalize_axis(options.axis, x.ndim())?;
    let mut index = vec![Index::Slice(Slice::default()); axis + 1];
    let part = |k: usize| {
        index[axis] = Index::At(k as i64);
        x.index(&index)
    };
    (0..x.shape()[axis]).map(part).collect()
}
