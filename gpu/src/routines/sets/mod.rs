//! Set routines, based on sorting.
//!
//! The size of a set is known only after it is computed: functions that return one synchronise with the device.
//!
//! Elements are sorted once; a pass flags the first of each run of equal elements, and a compaction moves those to the
//! result. Inverse indices and counts come from the same flags.

mod array_api;
mod operations;
mod rows;

use cuprum_kernels::source::RunPick;
use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Options, routine};

use crate::array::Array;
use crate::engine;
use crate::engine::sort::{RunParts, RunRequest, Runs};
use crate::error::{Error, Result};
use crate::index::s;
use crate::layout::{Layout, normalize_axis};
use crate::routines::sorting::sort_lines;
use crate::routines::{logic, math, searching};
use crate::table::{Output, Returned};

pub use array_api::{unique_all, unique_counts, unique_inverse, unique_values};
pub use operations::{SetOptions, in1d, intersect1d, intersect1d_indices, isin, setdiff1d, setxor1d, union1d};

/// Options of [`unique`].
///
/// All extra results are off by default, the array is flattened, and NaNs are one element.
///
/// ```
/// use cuprum::{UniqueOptions, array, unique};
/// let u = unique(array([3, 1, 3])?, UniqueOptions::new().return_index(true).return_inverse(true))?;
/// assert_eq!(u.values.to_vec::<i32>()?, [1, 3]);
/// assert_eq!(u.index.expect("it is requested").to_vec::<i64>()?, [1, 0]);
/// assert_eq!(u.inverse.expect("it is requested").to_vec::<i64>()?, [1, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct UniqueOptions {
    /// If true, the first index of each element is returned: NumPy's `return_index`. By default `false`.
    #[keyword(return_index)]
    pub index: bool,
    /// If true, the inverse indices are returned: NumPy's `return_inverse`. By default `false`.
    #[keyword(return_inverse)]
    pub inverse: bool,
    /// If true, the counts are returned: NumPy's `return_counts`. By default `false`.
    #[keyword(return_counts)]
    pub counts: bool,
    /// The axis whose slices are the elements; by default the array is flattened.
    pub axis: Option<isize>,
    /// If true, all NaNs are one element. Slices of an axis with NaN are never equal. By default `true`.
    pub equal_nan: bool,
}

impl Default for UniqueOptions {
    fn default() -> UniqueOptions {
        UniqueOptions { index: false, inverse: false, counts: false, axis: None, equal_nan: true }
    }
}

/// Unique elements of an array, with the additional results that were requested.
///
/// Index, inverse and counts are int64, and `None` unless they were requested.
#[derive(Clone, Debug)]
pub struct Unique {
    /// The elements, sorted.
    pub values: Array,
    /// The first index of each element.
    pub index: Option<Array>,
    /// The inverse indices: the position of each element of the operand in `values`, in the operand's shape or the
    /// axis' length.
    pub inverse: Option<Array>,
    /// The number of occurrences of each element.
    pub counts: Option<Array>,
}

impl Returned for Unique {
    fn outputs(self) -> Result<Vec<Output>> {
        (self.values, (self.index, self.inverse, self.counts)).outputs()
    }
}

/// Returns the sorted unique elements of an array; NumPy's `unique`.
///
/// ```
/// use cuprum::{Array, UniqueOptions, unique};
/// let a = Array::from_vec(vec![3, 1, 3, 2])?;
/// assert_eq!(unique(&a, ())?.values.to_vec::<i32>()?, [1, 2, 3]);
/// let options = UniqueOptions::new().return_index(true).return_inverse(true).return_counts(true);
/// let u = unique(&a, options)?;
/// assert_eq!(u.values.to_vec::<i32>()?, [1, 2, 3]);
/// assert_eq!(u.index.unwrap().to_vec::<i64>()?, [1, 3, 0]);
/// assert_eq!(u.inverse.unwrap().to_vec::<i64>()?, [2, 0, 2, 1]);
/// assert_eq!(u.counts.unwrap().to_vec::<i64>()?, [1, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// Among elements that compare equal but differ in their bits, the first one of the operand is returned. For complex
/// numbers with NaN, if more than the elements is requested, it is the first in sorted order, as in NumPy.
///
/// # Errors
///
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds.
///
/// # Synchronization
///
/// Synchronises to read the number of elements.
#[routine(method, names = "ar", python(keyword_only = 1, extras = [("sorted", Extra::Granted)]))]
pub fn unique(a: &Array, options: UniqueOptions) -> Result<Unique> {
    let run = || match options.axis {
        Some(axis) if a.ndim() != 1 => rows::unique_parts(a, normalize_axis(axis, a.ndim())?, &options),
        axis => {
            axis.map(|axis| normalize_axis(axis, a.ndim())).transpose()?;
            unique_elements(a, &options)
        }
    };
    run().map_err(|e: Error| e.with_op("unique"))
}

fn unique_elements(a: &Array, options: &UniqueOptions) -> Result<Unique> {
    let flat = a.in_one_axis()?;
    let made = |dtype: DType| Array::of_layout(a.device(), Layout::c_order(flat.shape(), dtype.size()), dtype);
    let sorted = made(a.dtype())?;
    let positions = if options.index || options.inverse { Some(made(DType::I64)?) } else { None };
    sort_lines(&flat, 0, Some(&sorted), positions.as_ref())?;
    let runs = Runs {
        row: &sorted,
        positions: positions.as_ref(),
        mask: None,
        pick: RunPick::FirstOfRun,
        nan_equal: options.equal_nan,
    };
    let found = runs.find(run_request(options))?;
    let values = found.values.clone().map_or_else(|| made(a.dtype()), Ok)?;
    if a.dtype().kind() == Kind::Complex && options.equal_nan && !(options.index || options.inverse || options.counts) {
        first_nan(&flat, &values)?;
    }
    let inverse = found.inverse.as_ref().map(|i| i.reshape(a.shape())).transpose()?;
    finish(values, inverse, found)
}

fn run_request(options: &UniqueOptions) -> RunRequest {
    RunRequest { values: true, firsts: options.index, seconds: false, starts: options.counts, inverse: options.inverse }
}

fn finish(values: Array, inverse: Option<Array>, found: RunParts) -> Result<Unique> {
    let counts = found.starts.map(|starts| math::subtract(&starts.index(s![1..])?, &starts.index(s![..-1])?));
    Ok(Unique { values, index: found.firsts, inverse, counts: counts.transpose()? })
}

/// Replaces the last element of `values`, which represents all NaNs, by the first element of `flat` with NaN.
fn first_nan(flat: &Array, values: &Array) -> Result<()> {
    if values.size() == 0 || !logic::isnan(&values.index(s![-1])?)?.item::<bool>()? {
        return Ok(());
    }
    let first = searching::argmax(&logic::isnan(flat)?, ())?.item::<i64>()?;
    engine::copy(&flat.index(s![first])?, &values.index(s![-1])?)
}

/// Concatenates two flattened arrays in their promoted dtype.
fn joined(a: &Array, b: &Array) -> Result<Array> {
    crate::routines::manipulation::joined(&[&a.in_one_axis()?, &b.in_one_axis()?], 0)
}
