//! Reductions over axes.
//!
//! [`Reduction`] is the handle of a reduction by its name, [`Reduce`] its options; the functions and methods of the
//! names (`sum`, `max`) call it.

mod functions;
mod records;
mod steps;

use cuprum_kernels::DType;
use cuprum_kernels::registry::{Combination, ReductionId};
use cuprum_macros::unrecorded;
use smallvec::SmallVec;

use crate::array::{Array, AsArray, AsOperand, Axes, IntoArgument, IntoAxis, IntoReal, Operand};
use crate::dtype::{Casting, can_cast};
use crate::engine;
use crate::error::{Error, ErrorKind, Result, near_names};
use crate::layout::{Dims, Layout, Order, normalize_axes, shape_text};
use crate::scalar::Scalar;
use crate::ufunc::ufunc;

pub(crate) use functions::reductions;

/// A reduction, as NumPy's `sum`.
///
/// ```
/// let sum = cuprum::reduction("sum")?;
/// assert_eq!(sum.call(cuprum::array([1, 2])?, ())?.item::<i64>()?, 3);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction(pub(crate) ReductionId);

/// Options of a reduction: axes, dtype, output and others.
///
/// ```
/// use cuprum::{DType, Reduce};
/// let a = cuprum::ones([2, 3], DType::I32)?;
/// assert_eq!(cuprum::sum(&a, ())?.item::<i64>()?, 6);
/// assert_eq!(cuprum::sum(&a, 0)?.to_vec::<i64>()?, [2, 2, 2]);
/// assert_eq!(cuprum::sum(&a, Reduce::axis(-1).keepdims(true))?.shape(), [2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Reduce {
    /// Reduced axes; `None` for all.
    pub(crate) axes: Option<SmallVec<[isize; 4]>>,
    /// True if reduced axes stay with length 1.
    pub(crate) keepdims: bool,
    /// Dtype in which elements are combined.
    pub(crate) dtype: Option<DType>,
    /// Subtracted from the number of elements, for variances.
    pub(crate) ddof: f64,
    /// Rarely used options, in a box so that calls without them stay cheap.
    pub(crate) rare: Option<Box<RareOptions>>,
}

/// Rarely used options.
#[derive(Clone, Default)]
pub(crate) struct RareOptions {
    /// Array that gets the result.
    pub(crate) out: Option<Array>,
    /// Mask of the elements that count.
    pub(crate) where_: Option<Array>,
    /// Value that elements are combined with.
    pub(crate) initial: Option<Scalar>,
    /// Mean that a variance uses instead of computing it.
    pub(crate) mean: Option<KnownMean>,
}

/// A mean that is already known: an array, or a weak scalar.
#[derive(Clone)]
pub(crate) enum KnownMean {
    Array(Array),
    Number(Scalar),
}

impl std::fmt::Debug for Reduce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reduce").field("axes", &self.axes).field("keepdims", &self.keepdims).finish_non_exhaustive()
    }
}

impl Reduce {
    /// Reduces over all axes.
    pub fn all() -> Reduce {
        Reduce::default()
    }

    /// Reduces over one axis; negative ones count from the end.
    pub fn axis(axis: impl IntoAxis) -> Reduce {
        Reduce::from(axis.into_axis())
    }

    /// Reduces over several axes; an empty list reduces each element alone.
    ///
    /// An empty list is not the same as `()`, which means all axes.
    ///
    /// ```
    /// use cuprum::{Reduce, array};
    /// let a = array([[1, 2], [3, 4]])?;
    /// assert_eq!(a.sum(Reduce::axes([0, 1]))?.item::<i64>()?, 10);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn axes(axes: impl IntoArgument<Axes>) -> Reduce {
        Reduce::from(axes.into())
    }

    /// Sets whether the reduced axes are kept with size 1.
    ///
    /// The result then broadcasts with the operand.
    ///
    /// ```
    /// use cuprum::{Reduce, array};
    /// let a = array([[1.0, 3.0], [2.0, 6.0]])?;
    /// let centred = &a - &a.mean(Reduce::axis(1).keepdims(true))?;
    /// assert_eq!(centred.to_vec::<f64>()?, [-1.0, 1.0, -2.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn keepdims(self, keepdims: bool) -> Reduce {
        Reduce { keepdims, ..self }
    }

    /// Sets the dtype of the accumulation, and of the result.
    ///
    /// By default it is NumPy's: int64 or uint64 for sums of smaller integers, float64 for means of integers.
    ///
    /// ```
    /// use cuprum::{DType, Reduce, array};
    /// let a = array([200_u8, 100])?;
    /// assert_eq!(a.sum(Reduce::all().dtype(DType::U8))?.item::<u8>()?, 44);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn dtype(self, dtype: DType) -> Reduce {
        Reduce { dtype: Some(dtype), ..self }
    }

    /// Sets the number that `var` and `std` subtract from the number of elements before they divide by it; NumPy's
    /// `ddof` and `correction`.
    ///
    /// By default it is 0; 1 is the unbiased estimate of the variance.
    ///
    /// ```
    /// use cuprum::{Reduce, array};
    /// assert_eq!(array([1.0, 3.0])?.var(Reduce::all().ddof(1))?.item::<f64>()?, 2.0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn ddof(self, ddof: impl IntoReal) -> Reduce {
        Reduce { ddof: ddof.into_real(), ..self }
    }

    /// Sets the output array, of the result's shape and any layout and dtype. It may be a part of the operand.
    ///
    /// ```
    /// use cuprum::{DType, Reduce, array, zeros};
    /// let (a, out) = (array([[1, 2], [3, 4]])?, zeros(2, DType::F32)?);
    /// a.sum(Reduce::axis(0).out(&out))?;
    /// assert_eq!(out.to_vec::<f32>()?, [4.0, 6.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn out(self, out: impl AsArray) -> Reduce {
        self.with(|rare| rare.out = Some(out.as_array().clone()))
    }

    /// Sets the mask of elements to include: booleans, broadcast to the array.
    ///
    /// Elements where it is false take no part; [`max`](crate::max()) and [`min`](crate::min()) need an [initial
    /// value](Reduce::initial) then.
    ///
    /// ```
    /// use cuprum::{Reduce, array};
    /// let a = array([1.0, f64::NAN, 2.0])?;
    /// assert_eq!(a.sum(Reduce::all().where_(&array([true, false, true])?))?.item::<f64>()?, 3.0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn where_(self, mask: impl AsArray) -> Reduce {
        self.with(|rare| rare.where_ = Some(mask.as_array().clone()))
    }

    /// Sets the initial value with which the elements are combined; for `max` a lower bound of the result.
    ///
    /// `sum`, `prod`, `max` and `min` have it.
    ///
    /// ```
    /// use cuprum::{Reduce, array, zeros};
    /// assert_eq!(array([1.0, 2.0])?.max(Reduce::all().initial(5.0))?.item::<f64>()?, 5.0);
    /// // An extreme of no elements needs an initial value.
    /// assert!(zeros(0, ())?.max(()).is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn initial(self, initial: impl IntoArgument<Scalar>) -> Reduce {
        let initial = initial.into();
        self.with(|rare| rare.initial = Some(initial))
    }

    /// Sets an already known mean for the deviations of `var` and `std`; an array is broadcast to theirs, and a scalar
    /// is weak.
    ///
    /// ```
    /// use cuprum::{Reduce, array, var};
    /// let a = array([1f32, 3.0])?;
    /// assert_eq!(var(&a, Reduce::all().mean(2.0))?.item::<f32>()?, 1.0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn mean(self, mean: impl AsOperand) -> Reduce {
        let known = match mean.as_operand() {
            Operand::Array(a) => KnownMean::Array(a.clone()),
            Operand::Scalar(s) => KnownMean::Number(s),
        };
        self.with(|rare| rare.mean = Some(known))
    }

    fn with(mut self, change: impl FnOnce(&mut RareOptions)) -> Reduce {
        change(self.rare.get_or_insert_default());
        self
    }

    /// Returns options with the same axes alone.
    pub(crate) fn same_axes(&self) -> Reduce {
        Reduce { axes: self.axes.clone(), keepdims: self.keepdims, ..Reduce::default() }
    }

    /// Returns the array that gets the result, if one was passed.
    pub(crate) fn out_argument(&self) -> Option<&Array> {
        self.rare.as_ref()?.out.as_ref()
    }

    /// Returns the mask, if one was passed.
    pub(crate) fn given_mask(&self) -> Option<&Array> {
        self.rare.as_ref()?.where_.as_ref()
    }
}

impl<T: Into<Axes>> From<T> for Reduce {
    /// Reduces over these axes; see [`Axes`] for the conversions.
    fn from(axes: T) -> Reduce {
        Reduce { axes: axes.into().0, ..Reduce::default() }
    }
}

impl From<&Reduce> for Reduce {
    fn from(options: &Reduce) -> Reduce {
        options.clone()
    }
}

/// Calls the reduction of a name.
pub(crate) fn reduced(name: &str, a: &Array, options: &Reduce) -> Result<Array> {
    reduction(name)?.called(a, options)
}

/// Returns the reduction of a name.
///
/// It serves calls by name, as bindings to other languages need them; Rust calls [`sum`](crate::sum()) and
/// the others directly.
///
/// ```
/// use cuprum::{array, reduction};
/// let total = reduction("sum")?;
/// assert_eq!(total.call(&array([[1, 2], [3, 4]])?, 0)?.to_vec::<i64>()?, [4, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::NotImplemented`] for an unknown name.
#[unrecorded("returns a handle to any reduction")]
pub fn reduction(name: &str) -> Result<Reduction> {
    ReductionId::named(name).map(Reduction).ok_or_else(|| {
        let near = near_names(name, ReductionId::all().map(|id| id.record().name));
        Error::new(ErrorKind::NotImplemented, format!("none is called {name:?}{near}")).with_op("reduction")
    })
}

impl Reduction {
    /// Returns NumPy's name of the function.
    pub fn name(&self) -> &'static str {
        self.0.record().name
    }

    /// Reduces an array.
    ///
    /// The order in which elements are combined depends on the array's shape and strides alone: the result is bitwise
    /// reproducible.
    ///
    /// ```
    /// use cuprum::{array, reduction};
    /// assert_eq!(reduction("max")?.call(&array([[1, 5], [7, 2]])?, 1)?.to_vec::<i32>()?, [5, 7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Value`] for a repeated one and for the
    /// extreme of no elements (or, for `nanargmax` and `nanargmin`, of NaN alone), [`ErrorKind::Type`] for an
    /// unsupported dtype or option.
    ///
    /// # Synchronization
    ///
    /// None, except for `nanargmax` and `nanargmin` of floats, which check for slices of NaN first.
    pub fn call(&self, a: impl AsArray, options: impl IntoArgument<Reduce>) -> Result<Array> {
        self.called(a.as_array(), &options.into())
    }

    pub(crate) fn called(&self, a: &Array, options: &Reduce) -> Result<Array> {
        self.run(a, options).map_err(|e| e.with_op(self.name()))
    }

    fn run(&self, a: &Array, options: &Reduce) -> Result<Array> {
        let (id, record) = (self.0, self.0.record());
        let none = RareOptions::default();
        let rare = options.rare.as_deref().unwrap_or(&none);
        let axes = self.axes(a, options)?;
        self.check(a, options, rare)?;
        if steps::is_needed(id, a, options, rare) {
            return steps::variance(id, id.skips(a.dtype()), a, options, rare);
        }
        let mask = rare.where_.as_ref().map(|m| m.broadcast_to_shape(a.shape())).transpose()?;
        // The dtype of `out` determines the loop, as in a ufunc's `reduce`.
        let sums_integers = !id.is_variance() && options.dtype.is_some_and(|d| !is_inexact(d));
        let (operand, result_dtype) = match (&rare.out, record.combination) {
            (Some(out), _) if id.takes_initial() => {
                let dtype = fold_dtype(id, a.dtype(), out.dtype(), options.dtype)?;
                match id.takes_dtype() {
                    true => (a.clone(), Some(dtype)),
                    false if a.dtype() == dtype => (a.clone(), None),
                    false => (a.astype(dtype)?, None),
                }
            }
            // A mean of integers, or as an integer, is the quotient of a sum; so is one of float16 with an output
            // array, to avoid rounding to float16 in between.
            (Some(out), _)
                if id.is_mean() && (!is_inexact(out.dtype()) || is_wider_mean(id, a, options) || sums_integers) =>
            {
                return steps::mean(id, a, options, out);
            }
            _ => (a.clone(), options.dtype),
        };
        let Some(l) = id.resolve(operand.dtype(), result_dtype, mask.is_some()) else {
            return Err(Error::new(
                ErrorKind::Type,
                format!("elements of {} are not taken: cast them with astype", a.dtype()),
            ));
        };
        let initial = match rare.initial {
            Some(s) => {
                s.check_assigns(l.out)?;
                Some(s.encode(l.out))
            }
            None if id.multiplies() && l.out.is_complex() => Some(Scalar::from(1).encode(l.out)),
            None => None,
        };
        let kept: Dims = (0..a.ndim()).filter(|x| !axes.contains(x)).collect();
        let needs_one = record.identity.is_none() && initial.is_none() && !id.is_norm() && !id.is_truth();
        if needs_one && axes.iter().any(|&x| a.shape()[x] == 0) {
            let message = format!(
                "an array of shape {} has no elements to choose from{}",
                shape_text(a.shape()),
                if id.takes_initial() { ": say what to begin with by Reduce::initial" } else { "" }
            );
            return Err(Error::new(ErrorKind::Value, message));
        }
        if needs_one && mask.is_some() {
            return Err(Error::new(
                ErrorKind::Value,
                "a mask may leave no element: say what to begin with by Reduce::initial",
            ));
        }
        // The result's axes are ordered in memory as those of the operand; positions, as in NumPy, and the results of
        // empty arrays are in C order.
        let copied;
        let is_extreme = matches!(record.combination, Combination::Larger | Combination::Smaller);
        let skips = id.skips(a.dtype()) && !is_extreme;
        let cast = id.is_norm() && !a.dtype().is_float() && !a.dtype().is_complex();
        let steps = if id.is_count() && a.dtype() != DType::Bool || skips || cast {
            // NumPy works on a copy: of booleans, without NaN, or of float64.
            copied = a.layout().in_order(a.itemsize(), Order::K);
            &copied.strides
        } else {
            a.strides()
        };
        let target = rare.out.as_ref().map(|out| target(out, a, &axes, options.keepdims)).transpose()?;
        let direct = target.as_ref().filter(|t| t.dtype() == l.out && !t.may_share_memory(a) && !touches(t, &mask));
        let result = match direct {
            Some(out) => out.clone(),
            None => {
                let masks = mask.as_ref().map(|m| m.strides());
                let operands: SmallVec<[&[i64]; 2]> = [Some(steps), masks].into_iter().flatten().collect();
                let layout = if id.is_position() || a.size() == 0 {
                    let shape: Dims = kept.iter().map(|&x| a.shape()[x]).collect();
                    Layout::c_order(&shape, l.out.size())
                } else {
                    Layout::like_reduced(a.shape(), &axes, l.out.size(), &operands)
                };
                let may_wait = options.keepdims && rare.out.is_none() && mask.is_none() && initial.is_none();
                if may_wait && engine::fusion::fuses() {
                    let (layout, dtype) = (layout.clone(), l.out);
                    let later = engine::fusion::Later {
                        op: id,
                        a: &operand,
                        result_dtype,
                        axes: &axes,
                        ddof: options.ddof,
                        layout,
                        dtype,
                    };
                    if let Some(later) = later.defer()? {
                        return Ok(later);
                    }
                }
                Array::of_layout(a.device(), layout, l.out)?
            }
        };
        if id.is_position() && id.skips(a.dtype()) && a.size() > 0 {
            let all = reduced("all_nan", a, &options.same_axes())?;
            if reduced("any", &all, &Reduce::all())?.item::<bool>()? {
                return Err(Error::new(ErrorKind::Value, "a line of the array holds nothing but NaN"));
            }
        }
        if let Some(out) = rare.out.as_ref().filter(|_| id.is_position())
            && !can_cast(out.dtype(), DType::I64, Casting::Safe)
        {
            return Err(Error::new(
                ErrorKind::Type,
                format!("positions, which are int64, do not fit in an out of {}", out.dtype()),
            ));
        }
        let (mask, ddof) = (mask.as_ref(), options.ddof);
        engine::Reducing { op: id, a: &operand, result_dtype, axes: &axes, mask, initial, ddof, out: &result }.run()?;
        if let Some(out) = &rare.out {
            if direct.is_none() {
                engine::copy(&result, &target.expect("there is an `out`"))?;
            }
            return Ok(out.clone());
        }
        if options.keepdims { result.expand_dims(&as_isize(&axes)[..]) } else { Ok(result) }
    }

    /// Returns the axes to reduce, in ascending order.
    fn axes(&self, a: &Array, options: &Reduce) -> Result<Dims> {
        if self.0.is_position() && options.axes.as_ref().is_some_and(|axes| axes.len() != 1) {
            return Err(Error::new(
                ErrorKind::Type,
                "positions are found along one axis or over all, not along several",
            ));
        }
        let mut reduced = match &options.axes {
            None => (0..a.ndim()).collect(),
            // A 0-d array has the axes 0 and -1 for this purpose, but, as in NumPy, not for a mean without a mask.
            Some(axes) if a.ndim() == 0 && !self.counts_axes(a, options) && matches!(axes.as_slice(), [0 | -1]) => {
                Dims::new()
            }
            Some(axes) => normalize_axes(axes, a.ndim())?,
        };
        reduced.sort();
        Ok(reduced)
    }

    fn counts_axes(&self, a: &Array, options: &Reduce) -> bool {
        self.0.is_mean() && !self.0.skips(a.dtype()) && options.given_mask().is_none()
    }

    /// Rejects options that the function does not support.
    fn check(&self, a: &Array, options: &Reduce, rare: &RareOptions) -> Result<()> {
        let (id, record) = (self.0, self.0.record());
        let reject = |what: String| Err(Error::new(ErrorKind::Type, what));
        if let Some(result_dtype) = options.dtype.filter(|_| !id.takes_dtype()) {
            return reject(format!("the result's dtype is fixed, it cannot be {result_dtype}"));
        }
        let skipping_mean = record.skips_nan && id.is_mean() && is_inexact(a.dtype());
        for (what, dtype) in [("dtype", options.dtype), ("out", rare.out.as_ref().map(Array::dtype))] {
            if let Some(dtype) = dtype.filter(|d| skipping_mean && !is_inexact(*d)) {
                return reject(format!("{what} of {dtype} does not hold a mean of floats"));
            }
        }
        if let Some(mask) = &rare.where_ {
            if mask.dtype() != DType::Bool {
                return reject(format!("a mask is of bool, as comparisons give it, not of {}", mask.dtype()));
            }
            if id.is_position() {
                return reject("it takes no mask: positions are found among all elements".into());
            }
        }
        if rare.initial.is_some() && !id.takes_initial() {
            return reject("it takes no initial value".into());
        }
        if rare.mean.is_some() && !id.is_variance() {
            return reject("it takes no mean: var and std do".into());
        }
        if let Some(out) = &rare.out {
            out.check_writable()?;
        }
        Ok(())
    }
}

/// Returns `out` without the reduced axes; its shape must be the result's.
fn target(out: &Array, a: &Array, axes: &[usize], keepdims: bool) -> Result<Array> {
    let shape: Dims = (0..a.ndim())
        .filter(|x| keepdims || !axes.contains(x))
        .map(|x| if axes.contains(&x) { 1 } else { a.shape()[x] })
        .collect();
    check_shape(out, &shape)?;
    if keepdims { out.squeeze(&as_isize(axes)[..]) } else { Ok(out.clone()) }
}

/// Rejects an `out` that does not have the shape of the result.
pub(crate) fn check_shape(out: &Array, result: &[usize]) -> Result<()> {
    if out.shape() == result {
        return Ok(());
    }
    let (has, is) = (shape_text(out.shape()), shape_text(result));
    Err(Error::new(ErrorKind::Value, format!("out has the shape {has}, the result {is}")))
}

/// Returns whether this is a mean of float16, which is computed in float32 with an output array.
fn is_wider_mean(id: ReductionId, a: &Array, options: &Reduce) -> bool {
    !id.is_variance() && a.dtype() == DType::F16 && options.dtype.is_none()
}

fn touches(out: &Array, mask: &Option<Array>) -> bool {
    mask.as_ref().is_some_and(|m| out.may_share_memory(m))
}

/// Returns true for floating-point and complex dtypes.
pub(crate) fn is_inexact(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

fn as_isize(axes: &[usize]) -> SmallVec<[isize; 6]> {
    axes.iter().map(|&x| x as isize).collect()
}

/// Returns the dtype in which `ufunc.reduce` computes for an output of dtype `out`.
fn fold_dtype(id: ReductionId, operand: DType, out: DType, result_dtype: Option<DType>) -> Result<DType> {
    ufunc(id.record().combination.ufunc())?.fold_dtype(operand, Some(out), result_dtype)
}
