//! Random permutations and choices.
//!
//! Fewer than 2^16 elements are sorted by distinct keys of 64 bits: a Feistel network computes them from the indices,
//! so that there are no ties that would favour the original order. For more elements a network over the indices
//! themselves defines the permutation: each index is computed from its own position, and only the requested ones are
//! written.

use cuprum_kernels::DType;

use super::generator::Generator;
use super::legacy::shared;
use super::options::RandomOptions;
use crate::array::{Array, AsArray, AsOperand, IntoArgument, IntoOptional, IntoShape, Operand, checked_shape};
use crate::cuda::Device;
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, normalize_axis, size_of};
use crate::routines::{indexing, manipulation, math, searching, sorting};
use crate::scalar::Scalar;
use crate::scan;

/// The size from which permutations are computed by a network over few bits, which for fewer elements would reach too
/// few permutations.
const MANY: usize = 1 << 16;

/// Options of [`Generator::choice`]: shape, replacement, probabilities and axis.
///
/// A shape alone is sufficient.
#[derive(Clone, Debug)]
pub struct ChoiceOptions<'a> {
    size: Vec<i64>,
    replace: bool,
    p: Option<&'a Array>,
    axis: isize,
}

impl Default for ChoiceOptions<'_> {
    fn default() -> Self {
        ChoiceOptions { size: vec![], replace: true, p: None, axis: 0 }
    }
}

impl<'a> ChoiceOptions<'a> {
    /// Creates options for one element, with equal probabilities.
    ///
    /// ```
    /// use cuprum::random::{ChoiceOptions, default_rng};
    /// let three = default_rng(42)?.choice(10, ChoiceOptions::new().size([3]).replace(false))?;
    /// assert_eq!(three.shape(), [3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new() -> ChoiceOptions<'a> {
        ChoiceOptions::default()
    }

    /// Sets the shape.
    ///
    /// By default one element is chosen, and the result has no axes.
    pub fn size(self, size: impl IntoShape) -> ChoiceOptions<'a> {
        ChoiceOptions { size: size.into_shape(), ..self }
    }

    /// Sets whether elements may be chosen repeatedly.
    ///
    /// By default they may.
    ///
    /// ```
    /// use cuprum::random::{ChoiceOptions, default_rng};
    /// let mut all = default_rng(1)?.choice(&cuprum::array([5, 6, 7])?, ChoiceOptions::new().size(3).replace(false))?.to_vec::<i32>()?;
    /// all.sort();
    /// assert_eq!(all, [5, 6, 7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn replace(self, replace: bool) -> ChoiceOptions<'a> {
        ChoiceOptions { replace, ..self }
    }

    /// Sets the probabilities, which must sum to 1.
    ///
    /// The array has one axis with a probability for each element.
    ///
    /// ```
    /// use cuprum::random::{ChoiceOptions, default_rng};
    /// let p = cuprum::array([0.0, 1.0])?;
    /// let a = default_rng(1)?.choice(&cuprum::array([5, 6])?, ChoiceOptions::new().size(3).p(&p))?;
    /// assert_eq!(a.to_vec::<i32>()?, [6, 6, 6]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn p(self, p: &'a Array) -> ChoiceOptions<'a> {
        ChoiceOptions { p: Some(p), ..self }
    }

    /// Sets the axis of the array along which elements are chosen.
    ///
    /// ```
    /// use cuprum::random::{ChoiceOptions, default_rng};
    /// let a = cuprum::array([[1, 2, 3], [4, 5, 6]])?;
    /// let columns = default_rng(1)?.choice(&a, ChoiceOptions::new().size(2).axis(1))?;
    /// assert_eq!(columns.shape(), [2, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn axis(self, axis: isize) -> ChoiceOptions<'a> {
        ChoiceOptions { axis, ..self }
    }
}

impl<S: IntoShape> From<S> for ChoiceOptions<'_> {
    fn from(size: S) -> Self {
        ChoiceOptions::new().size(size)
    }
}

fn signed(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|n| *n as i64).collect()
}

impl Generator {
    /// Returns the first `count` elements of a random permutation of the numbers below `n`.
    fn order(&mut self, device: Device, n: usize, count: usize) -> Result<Array> {
        let bits = self.bit_generator_mut();
        if n >= MANY {
            return bits.distinct_positions(device, n, count);
        }
        let order = sorting::argsort(&bits.distinct_keys(device, &[n])?, ())?;
        if count == n { Ok(order) } else { order.index(s![..count as i64])?.copy(Order::C) }
    }

    /// Randomly permutes the numbers below `n`, or a copy of an array along its first axis; NumPy's `permutation`.
    ///
    /// The result is int64 with one axis for a number, and has the shape and the dtype of an array.
    ///
    /// ```
    /// let mut rng = cuprum::random::default_rng(1)?;
    /// let order = rng.permutation(10)?;
    /// assert_eq!(cuprum::sort(&order, ())?.to_vec::<i64>()?, Vec::from_iter(0..10));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a negative number, [`ErrorKind::Axis`] for an array without axes.
    pub fn permutation(&mut self, x: impl AsOperand) -> Result<Array> {
        let go = |x: Operand<'_>, own: &mut Self| match x {
            Operand::Scalar(n) => {
                let n = population(n)?;
                own.order(Device::current()?, n, n)
            }
            Operand::Array(a) => own.reordered(a, 0),
        };
        go(x.as_operand(), self).map_err(|e| e.with_op("permutation"))
    }

    fn reordered(&mut self, a: &Array, axis: isize) -> Result<Array> {
        let axis = normalize_axis(axis, a.ndim())?;
        let n = a.shape()[axis];
        let order = self.order(a.device(), n, n)?;
        indexing::take(a, &order, axis as isize)
    }

    /// Shuffles an array along an axis, in place; NumPy's `shuffle`.
    ///
    /// ```
    /// let a = cuprum::array([1, 2, 3])?;
    /// cuprum::random::default_rng(42)?.shuffle(&a, ())?;
    /// let mut sorted = a.to_vec::<i32>()?;
    /// sorted.sort();
    /// assert_eq!(sorted, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Value`] for an array that is read-only.
    pub fn shuffle(&mut self, x: impl AsArray, axis: impl IntoOptional<isize>) -> Result<()> {
        let (x, axis) = (x.as_array(), axis.into_optional().unwrap_or(0));
        let mut go = || {
            x.check_writable()?;
            engine::copy(&self.reordered(x, axis)?, x)
        };
        go().map_err(|e: Error| e.with_op("shuffle"))
    }

    /// Permutes each 1-D slice along an axis independently, or with `None` all elements, in a copy; NumPy's `permuted`.
    ///
    /// The result has the shape and the dtype of `x`.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// let rows = cuprum::random::default_rng(42)?.permuted(&a, 1)?;
    /// assert_eq!(cuprum::sum(&rows, 1)?.to_vec::<i64>()?, [3, 7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`] for an axis that is out of bounds.
    pub fn permuted(&mut self, x: impl AsArray, axis: impl IntoOptional<isize>) -> Result<Array> {
        let (x, axis) = (x.as_array(), axis.into_optional());
        let mut go = || match axis {
            None => {
                let flat = manipulation::ravel(x)?;
                self.reordered(&flat, 0)?.reshape(signed(x.shape()))
            }
            Some(axis) => {
                let axis = normalize_axis(axis, x.ndim())? as isize;
                let keys = self.bit_generator_mut().distinct_keys(x.device(), x.shape())?;
                indexing::take_along_axis(x, &sorting::argsort(&keys, axis)?, axis)
            }
        };
        go().map_err(|e: Error| e.with_op("permuted"))
    }

    /// Chooses random elements of an array along an axis, or of the numbers below `a`; NumPy's `choice`.
    ///
    /// With probabilities and replacement, choices invert the cumulative sum; without replacement they are the elements
    /// with the smallest exponential times, each divided by its probability, which is equivalent to drawing one after
    /// the other (P. Efraimidis, P. Spirakis, "Weighted random sampling with a reservoir", 2006).
    ///
    /// The result has the shape of the options, no axes by default, followed by the other axes of an array; its dtype
    /// is that of the array, or int64.
    ///
    /// ```
    /// use cuprum::random::{ChoiceOptions, default_rng};
    /// let mut rng = default_rng(1)?;
    /// let three = rng.choice(10, ChoiceOptions::new().size(3).replace(false))?;
    /// assert_eq!(cuprum::unique(&three, ())?.values.size(), 3);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an empty population, for more choices than elements without replacement, and for
    /// probabilities that do not match the elements in number, are negative, or do not sum to 1.
    ///
    /// # Synchronization
    ///
    /// If probabilities are passed, synchronises to check them.
    pub fn choice<'a>(&mut self, a: impl AsOperand, options: impl IntoArgument<ChoiceOptions<'a>>) -> Result<Array> {
        self.chosen(a.as_operand(), &options.into()).map_err(|e| e.with_op("choice"))
    }

    fn chosen(&mut self, a: Operand<'_>, options: &ChoiceOptions<'_>) -> Result<Array> {
        let shape = checked_shape(&options.size)?;
        let (device, n, axis) = match a {
            Operand::Scalar(n) => (Device::current()?, population(n)?, 0),
            Operand::Array(a) => {
                let axis = normalize_axis(options.axis, a.ndim())?;
                (a.device(), a.shape()[axis], axis)
            }
        };
        let many = size_of(&shape);
        if n == 0 && many > 0 {
            return Err(Error::new(ErrorKind::Value, "there is nothing to choose from"));
        }
        if !options.replace && many > n {
            let message = format!("{many} are to be chosen of {n} without replacement: there are only {n}");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let chances = options.p.map(|p| probabilities(p, n, if options.replace { 1 } else { many })).transpose()?;
        let picks = device.with(|| match (chances, options.replace) {
            (None, true) => self.integers(0, n as u64, RandomOptions::new().size(&shape[..])),
            (None, false) => self.order(device, n, many),
            (Some(p), true) => {
                let sums = scan::cumsum(&p, ())?;
                let total = sums.index(s![-1])?;
                let points = math::multiply(&self.random(&shape[..])?, &total)?;
                searching::searchsorted(&sums, &points, searching::Side::Right)
            }
            (Some(p), false) => {
                let times = math::divide(&self.standard_exponential(n)?, &p)?;
                sorting::argsort(&times, ())?.index(s![..many as i64])?.copy(Order::C)
            }
        })?;
        let picks = picks.reshape(signed(&shape))?;
        match a {
            Operand::Scalar(_) => Ok(picks),
            Operand::Array(a) => indexing::take(a, &picks, axis as isize),
        }
    }
}

/// Returns the size of the population.
fn population(n: Scalar) -> Result<usize> {
    let rejected =
        || Error::new(ErrorKind::Value, format!("{n} are no number of elements: give an integer of 0 or more"));
    match n {
        Scalar::Float(_) | Scalar::Complex(_) => Err(rejected()),
        whole => whole.as_u64().and_then(|n| usize::try_from(n).ok()).ok_or_else(rejected),
    }
}

/// Checks the probabilities of `n` elements, of which `many` are chosen, and returns them in float64.
fn probabilities(p: &Array, n: usize, many: usize) -> Result<Array> {
    if p.shape() != [n] {
        let shape = crate::layout::shape_text(p.shape());
        return Err(Error::new(ErrorKind::Value, format!("p has the shape {shape}: there are {n} to choose from")));
    }
    let p = p.cast(DType::F64, Order::K)?;
    let values = p.to_vec::<f64>()?;
    if let Some(k) = values.iter().position(|x| x.is_nan() || *x < 0.0) {
        return Err(Error::new(ErrorKind::Value, format!("p is {} at position {k}: it must be 0 or more", values[k])));
    }
    let total: f64 = values.iter().sum();
    if (total - 1.0).abs() > 1.5e-8 {
        return Err(Error::new(ErrorKind::Value, format!("p is together {total}: it must be 1")));
    }
    let possible = values.iter().filter(|x| **x > 0.0).count();
    if many > possible {
        let message = format!("{many} are to be chosen without replacement, and {possible} have a p above 0");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(p)
}

/// Defines functions of the global generator.
macro_rules! shared_functions {
    ($($(#[$doc:meta])* fn $name:ident<$($life:lifetime)?>($($parameter:ident: $of:ty),*) -> $gives:ty;)+) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        ///
        /// Same as the method.
        pub fn $name<$($life)?>($($parameter: $of),*) -> Result<$gives> {
            shared()?.$name($($parameter),*)
        }
    )+};
}
shared_functions! {
    /// Permutes with the global generator; see [`Generator::permutation`].
    fn permutation<>(x: impl AsOperand) -> Array;
    /// Shuffles along the first axis with the global generator; see [`Generator::shuffle`].
    fn shuffle<>(x: impl AsArray, axis: impl IntoOptional<isize>) -> ();
    /// Chooses with the global generator; see [`Generator::choice`].
    fn choice<'a>(a: impl AsOperand, options: impl IntoArgument<ChoiceOptions<'a>>) -> Array;
}
