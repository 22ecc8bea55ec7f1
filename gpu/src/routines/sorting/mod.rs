//! Sorting in NumPy's order, along an axis or of all elements.
//!
//! Every sort is stable and reproducible bit for bit. NaN is after all numbers; the two zeros are equal and keep their
//! order; complex numbers are ordered by the real part, then by the imaginary part, and those with NaN come last:
//! `R + NaN j` (by the real part), `NaN + R j` (by the imaginary one), `NaN + NaN j`.

mod lexsort;
mod partition;

use cuprum_macros::{Options, routine};
use std::str::FromStr;

use cuprum_kernels::DType;

use crate::array::{Array, IntoOptional};
use crate::engine;
use crate::error::{Error, Result};
use crate::layout::{Layout, Order, normalize_axis};
use crate::table::{self, Argument, ParameterKind, Value};

pub use lexsort::{LexsortOptions, lexsort};
pub use partition::{argpartition, partition};

/// NumPy's names of sorting algorithms, all of which are the same stable sort here.
///
/// They are accepted for NumPy's programs and change nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKind {
    /// `quicksort`
    #[default]
    Quick,
    /// `heapsort`
    Heap,
    /// `mergesort`
    Merge,
    /// `stable`
    Stable,
}

impl FromStr for SortKind {
    type Err = Error;

    /// Parses a name, of which, as in NumPy, only the first letter counts.
    fn from_str(name: &str) -> Result<SortKind> {
        Ok(match name.bytes().next().map(|b| b.to_ascii_lowercase()) {
            Some(b'q') => SortKind::Quick,
            Some(b'h') => SortKind::Heap,
            Some(b'm') => SortKind::Merge,
            Some(b's') => SortKind::Stable,
            _ => {
                let names = ["quicksort", "heapsort", "mergesort", "stable"];
                return Err(table::no_choice("kind of sort", name, &names));
            }
        })
    }
}

impl Argument<'_> for SortKind {
    const KIND: ParameterKind = ParameterKind::Choice(&["quicksort", "heapsort", "mergesort", "stable"]);

    fn read(value: &Value) -> Result<SortKind> {
        table::text(value)?.parse()
    }

    fn value(&self) -> Value {
        Value::from(match self {
            SortKind::Quick => "quicksort",
            SortKind::Heap => "heapsort",
            SortKind::Merge => "mergesort",
            SortKind::Stable => "stable",
        })
    }
}

/// Options of [`sort`] and [`argsort`].
///
/// An integer is an axis, negative ones counting from the end; `None` is NumPy's `axis=None` and flattens the array.
///
/// ```
/// let a = cuprum::array([[3, 1], [2, 0]])?;
/// assert_eq!(cuprum::sort(&a, ())?.to_vec::<i32>()?, [1, 3, 0, 2]);
/// assert_eq!(cuprum::sort(&a, 0)?.to_vec::<i32>()?, [2, 0, 3, 1]);
/// assert_eq!(cuprum::sort(&a, None)?.to_vec::<i32>()?, [0, 1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct SortOptions {
    /// The axis, by default the last; `None` flattens the array in C order.
    #[from]
    pub axis: Option<isize>,
    /// Has no effect: every sort is stable.
    pub kind: SortKind,
}

impl Default for SortOptions {
    fn default() -> SortOptions {
        SortOptions { axis: Some(-1), kind: SortKind::default() }
    }
}

/// Returns a sorted copy of an array; NumPy's `sort`.
///
/// The copy has the memory order of the operand, or one axis for `None`.
///
/// The result has the dtype of `a`. The axis is the last by default.
///
/// ```
/// let a = cuprum::Array::from_vec(vec![2.0f32, f32::NAN, -1.0])?;
/// assert_eq!(cuprum::sort(&a, -1)?.to_vec::<f32>()?[..2], [-1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds: a 0-d array has none.
#[routine(python(extras = [("order", Extra::Rejected), ("stable", Extra::Granted), ("descending", Extra::Descending)]))]
pub fn sort(a: &Array, options: SortOptions) -> Result<Array> {
    sorted(a, options.axis)
}

pub(crate) fn sorted(a: &Array, axis: Option<isize>) -> Result<Array> {
    let (a, axis) = along(a, axis, a.ndim())?;
    let layout = a.layout().in_order(a.itemsize(), Order::K);
    let out = Array::of_layout(a.device(), layout, a.dtype())?;
    sort_lines(&a, axis, Some(&out), None)?;
    Ok(out)
}

/// Returns the indices that would sort an array: `a[argsort(a)]` is sorted; NumPy's `argsort`. Equal elements keep
/// their order, which NumPy guarantees for `kind="stable"` only.
///
/// The result is int64 and in C order. A 0-d array counts as one element.
///
/// The result is int64 and has the shape of `a`, or one axis for `None`.
///
/// ```
/// let a = cuprum::Array::from_vec(vec![30, 10, 20, 10])?;
/// assert_eq!(cuprum::argsort(&a, -1)?.to_vec::<i64>()?, [1, 3, 2, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds.
#[routine(
    method,
    python(extras = [("order", Extra::Rejected), ("stable", Extra::Granted), ("descending", Extra::Descending)])
)]
pub fn argsort(a: &Array, options: SortOptions) -> Result<Array> {
    positions(a, options.axis)
}

pub(crate) fn positions(a: &Array, axis: Option<isize>) -> Result<Array> {
    let (a, axis) = along(a, axis, a.ndim().max(1))?;
    let out = Array::of_layout(a.device(), Layout::c_order(a.shape(), 8), DType::I64)?;
    sort_lines(&a, axis, None, Some(&out))?;
    Ok(out)
}

/// Returns a copy sorted along the first axis; CuPy's `msort`, which NumPy had before version 2.
///
/// The result has the shape and the dtype of `a`.
///
/// ```
/// assert_eq!(cuprum::msort(cuprum::array([[3, 1], [2, 4]])?)?.to_vec::<i32>()?, [2, 1, 3, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`sort`].
#[routine]
pub fn msort(a: &Array) -> Result<Array> {
    sorted(a, Some(0)).map_err(|e| e.with_op("msort"))
}

/// Returns a copy sorted along the last axis as complex numbers; NumPy's `sort_complex`: integers of 8 and 16 bits
/// become complex64, other real numbers complex128.
///
/// ```
/// let a = cuprum::Array::from_vec(vec![2i8, 1])?;
/// assert_eq!(cuprum::sort_complex(&a)?.dtype(), cuprum::DType::C64);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`sort`].
#[routine]
pub fn sort_complex(a: &Array) -> Result<Array> {
    let run = || {
        let sorted = sorted(a, Some(-1))?;
        match a.dtype() {
            DType::C64 | DType::C128 => Ok(sorted),
            DType::I8 | DType::U8 | DType::I16 | DType::U16 => sorted.astype(DType::C64),
            _ => sorted.astype(DType::C128),
        }
    };
    run().map_err(|e: Error| e.with_op("sort_complex"))
}

impl Array {
    /// Sorts the array in place along an axis, by default the last; NumPy's `ndarray.sort`.
    ///
    /// ```
    /// let a = cuprum::Array::from_vec(vec![3u8, 1, 2])?;
    /// a.sort(())?;
    /// assert_eq!(a.to_vec::<u8>()?, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds,
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) for an array whose elements share memory.
    pub fn sort(&self, axis: impl IntoOptional<isize>) -> Result<()> {
        self.sort_along(axis.into_optional().unwrap_or(-1)).map_err(|e| e.with_op("sort"))
    }

    fn sort_along(&self, axis: isize) -> Result<()> {
        let axis = normalize_axis(axis, self.ndim())?;
        self.check_writable()?;
        sort_lines(self, axis, Some(self), None)
    }
}

/// Returns the array and the axis to sort along, flattened if no axis is given. The axis is checked against `ndim`.
fn along(a: &Array, axis: Option<isize>, ndim: usize) -> Result<(Array, usize)> {
    let (Some(axis), true) = (axis, ndim == a.ndim()) else {
        normalize_axis(axis.unwrap_or(0), ndim.max(1))?;
        return Ok((a.in_one_axis()?, 0));
    };
    Ok((a.clone(), normalize_axis(axis, ndim)?))
}

/// Returns whether rows can be read and written in place.
fn is_in_rows(a: &Array) -> bool {
    // A complex number may be aligned as its components are; the engine moves it as one word.
    a.is_c_contiguous() && a.addr().is_multiple_of(a.itemsize() as u64)
}

/// Returns the 1-D slices along an axis as contiguous rows: the array itself if it has that layout, otherwise a copy.
pub(crate) fn rows_of(a: &Array, axis: usize) -> Result<Array> {
    let rows = a.moveaxis([axis as isize], [-1])?;
    if is_in_rows(&rows) { Ok(rows) } else { rows.copy(Order::C) }
}

/// Sorts 1-D slices along an axis: writes the elements to `sorted`, which may be `a` itself and otherwise shares no
/// memory with it, and their original indices to `positions`. Both have the shape of `a`.
pub(crate) fn sort_lines(a: &Array, axis: usize, sorted: Option<&Array>, positions: Option<&Array>) -> Result<()> {
    in_rows(a, axis, sorted, positions, |rows, sorted, positions| {
        engine::sort::sort_rows(rows, a.shape()[axis], sorted, positions)
    })
}

/// Calls `run` with the 1-D slices along an axis as contiguous rows, and with rows for its results.
fn in_rows(
    a: &Array,
    axis: usize,
    elements: Option<&Array>,
    positions: Option<&Array>,
    run: impl FnOnce(&Array, Option<&Array>, Option<&Array>) -> Result<()>,
) -> Result<()> {
    if a.size() == 0 {
        return Ok(());
    }
    let rows = rows_of(a, axis)?;
    // A result that does not consist of rows is computed in rows and copied.
    let result_rows = |out: Option<&Array>| -> Result<Option<(Array, Option<Array>)>> {
        let Some(out) = out else { return Ok(None) };
        let out = out.moveaxis([axis as isize], [-1])?;
        if is_in_rows(&out) {
            return Ok(Some((out, None)));
        }
        let made = Array::of_layout(a.device(), Layout::c_order(out.shape(), out.itemsize()), out.dtype())?;
        Ok(Some((made, Some(out))))
    };
    let (elements, positions) = (result_rows(elements)?, result_rows(positions)?);
    run(&rows, elements.as_ref().map(|placed| &placed.0), positions.as_ref().map(|placed| &placed.0))?;
    for (made, out) in [elements, positions].into_iter().flatten() {
        if let Some(out) = out {
            engine::copy(&made, &out)?;
        }
    }
    Ok(())
}
