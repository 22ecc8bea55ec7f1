//! Counts of nonnegative integers; NumPy's `bincount`.
//!
//! Counts are additions of integers, in the shared memory of each block where the bins fit; weights are added in
//! float64, in an order that the sizes determine.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::Array;
use crate::engine::make;
use crate::engine::{self, Bins, FAST_BINS};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::shape_text;

/// Options of [`bincount`].
///
/// An array converts to options that set the weights.
///
/// ```
/// use cuprum::{BincountOptions, array, bincount};
/// let x = array([1, 1, 2])?;
/// assert_eq!(bincount(&x, BincountOptions::new().minlength(5))?.to_vec::<i64>()?, [0, 2, 1, 0, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct BincountOptions<'a> {
    /// The weight of each element, by default 1; as many as elements.
    #[from]
    pub weights: Option<&'a Array>,
    /// The minimum number of bins. By default 0.
    pub minlength: usize,
}

/// Counts the occurrences of each of the numbers 0, 1, … up to the largest in `x`, or sums their weights; NumPy's
/// `bincount`. Counts are int64, sums float64. The order in which weights are added depends on the numbers of elements
/// and bins alone: the result is bitwise reproducible.
///
/// The result has one axis of `max(x) + 1` elements, at least `minlength`; none for an empty `x`.
///
/// # Errors
///
/// [`ErrorKind::Value`] where `x` does not have one axis, for a negative element, and where the number of weights is
/// not that of elements; [`ErrorKind::Type`] for elements that are not integers and for complex weights.
///
/// # Synchronization
///
/// Synchronises to read the smallest and the largest element.
///
/// ```
/// let x = cuprum::array([0, 3, 1, 1])?;
/// assert_eq!(cuprum::bincount(&x, ())?.to_vec::<i64>()?, [1, 2, 0, 1]);
/// let weights = cuprum::array([0.5, 1.0, 0.25, 2.0])?;
/// assert_eq!(cuprum::bincount(&x, &weights)?.to_vec::<f64>()?, [0.5, 2.25, 0.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method, python(positional_only = 1, indices = "x"))]
pub fn bincount(x: &Array, options: BincountOptions<'_>) -> Result<Array> {
    counted(x, options.weights, options.minlength)
}

fn counted(x: &Array, weights: Option<&Array>, minlength: usize) -> Result<Array> {
    engine::one_device(x, weights)?;
    if x.ndim() != 1 {
        let shape = shape_text(x.shape());
        return Err(Error::new(
            ErrorKind::Value,
            format!("an array of shape {shape} is counted: it must have one axis"),
        ));
    }
    if x.dtype().is_float() || x.dtype().is_complex() {
        let message = format!("bins are numbered by integers: {} cannot be cast to int64 safely", x.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    if x.size() == 0 {
        return make::zeros(x.device(), &[minlength], DType::I64);
    }
    if let Some(weights) = weights {
        if weights.dtype().is_complex() {
            return Err(Error::new(ErrorKind::Type, format!("weights are real, not {}", weights.dtype())));
        }
        if weights.shape() != x.shape() {
            let (of, x) = (shape_text(weights.shape()), shape_text(x.shape()));
            return Err(Error::new(
                ErrorKind::Value,
                format!("weights of shape {of} do not go with elements of shape {x}"),
            ));
        }
    }
    // One pass both counts and finds the number of bins: more than this guess are rare.
    let guess = if weights.is_some() { 0 } else { minlength.max(FAST_BINS) };
    let ends = make::of(x.device(), &[i64::MAX, i64::MIN], &[2])?;
    let counts = engine::count(x, &Bins::Direct(guess), Some(&ends))?;
    let found = ends.to_vec::<i64>()?;
    if found[0] < 0 {
        return Err(Error::new(ErrorKind::Value, format!("the element {} is negative", found[0])));
    }
    let bins = (found[1] as usize + 1).max(minlength);
    match weights {
        Some(weights) => engine::weigh(x, &Bins::Direct(bins), weights),
        None if bins <= guess => counts.index(s![..bins as i64]),
        None => engine::count(x, &Bins::Direct(bins), Some(&ends)),
    }
}
