//! Methods of binary ufuncs: `reduce`, `accumulate`, `reduceat` and `outer`.
//!
//! Each uses an engine: a reduction or a fold for `reduce`, a scan or a fold for `accumulate`, a fold for `reduceat`,
//! and a broadcast call for `outer`.

use cuprum_kernels::params::Width;
use cuprum_kernels::source::{Fold, FoldMethod, FoldStart};
use cuprum_kernels::{DType, Kind};
use cuprum_macros::Options;
use smallvec::SmallVec;

use super::{Ufunc, UfuncOptions, apply, loops};
use crate::array::{Array, AsArray, AsOperand, Indices, IntoArgument, IntoAxis, Operand};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, Strides, normalize_axes, normalize_axis, shape_text};
use crate::reduction::{Reduce, reduction};
use crate::scalar::Scalar;

/// Options of [`Ufunc::reduce`].
///
/// They are NumPy's keyword arguments of `reduce`.
///
/// ```
/// use cuprum::{FoldOptions, array, ufunc};
/// let add = ufunc("add")?;
/// assert_eq!(add.reduce(&array([1, 2, 3])?, (), FoldOptions::new().initial(10))?.item::<i64>()?, 16);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct FoldOptions<'a> {
    /// The output array, of the result's shape and any dtype; by default a new one.
    pub out: Option<&'a Array>,
    /// The mask of elements to include: booleans, broadcast to the array.
    pub where_: Option<&'a Array>,
    /// The initial value, combined with the first element.
    pub initial: Option<Scalar>,
    /// If true, the reduction starts with the first element although the function has an identity; NumPy's
    /// `initial=None`. By default `false`.
    pub no_identity: bool,
}

/// Options of [`Ufunc::accumulate`] and [`Ufunc::reduceat`].
///
/// They are NumPy's keyword arguments of `accumulate` and `reduceat`.
///
/// ```
/// use cuprum::{AccumulateOptions, DType, array, ufunc};
/// let options = AccumulateOptions { dtype: Some(DType::F64), ..Default::default() };
/// assert_eq!(ufunc("add")?.accumulate(&array([1, 2, 3])?, 0, options)?.to_vec::<f64>()?, [1.0, 3.0, 6.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct AccumulateOptions<'a> {
    /// The dtype of the accumulation, and of a new result.
    pub dtype: Option<DType>,
    /// The output array, of the results' shape and any dtype and layout; by default a new one. It may share memory with
    /// the operand.
    pub out: Option<&'a Array>,
}

impl Ufunc {
    /// Reduces the elements along axes, from the first to the last; NumPy's `ufunc.reduce`.
    ///
    /// `reduction` has the axes (an axis, several, or `()` for all), `keepdims` and the result's dtype. As in NumPy,
    /// `add` and `multiply` accumulate small integers in 64 bits, and the result is cast to `out` with any loss.
    ///
    /// ```
    /// use cuprum::{Array, FoldOptions, ufunc};
    /// let a = Array::from_slice(&[10.0f32, 2.0, 3.0, 20.0, 4.0, 5.0], [2, 3])?;
    /// let rest = ufunc("subtract")?.reduce(&a, 1, ())?;
    /// assert_eq!(rest.to_vec::<f32>()?, [5.0, 11.0]);
    /// let capped = FoldOptions::new().initial(7);
    /// assert_eq!(ufunc("minimum")?.reduce(&a, (), capped)?.item::<f32>()?, 2.0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a function that does not have two operands and one result, for several axes where the
    /// order of the elements matters, and for an empty axis or a mask without an identity or `initial`;
    /// [`ErrorKind::Type`] for a dtype whose result is not an operand; [`ErrorKind::Axis`].
    ///
    /// # Synchronization
    ///
    /// None, except for `power` of signed integers, whose exponents are checked first.
    pub fn reduce<'a>(
        &self,
        a: impl AsArray,
        reduction: impl IntoArgument<Reduce>,
        options: impl IntoArgument<FoldOptions<'a>>,
    ) -> Result<Array> {
        self.reduced(a.as_array(), &reduction.into(), &options.into())
            .map_err(|e| e.with_op(&format!("{}.reduce", self.name())))
    }

    /// Accumulates the elements along an axis, with every partial result; NumPy's `ufunc.accumulate`.
    ///
    /// Associative functions (`add`, `multiply`, extremes, logical and bitwise ones, `gcd`) are parallel scans:
    /// integers, booleans and extremes result in the same as a sequential accumulation; sums and products of floats are
    /// rounded in another order, which depends on shapes and strides alone; float16 and bfloat16 are accumulated in
    /// float32 and rounded once, where NumPy rounds at every step. Other functions are sequential. The results are cast
    /// to `out` with any loss.
    ///
    /// ```
    /// use cuprum::{AccumulateOptions, DType, arange, ufunc, zeros};
    /// let a = arange(1, 6, 1)?;
    /// let products = ufunc("multiply")?.accumulate(&a, 0, ())?;
    /// assert_eq!(products.to_vec::<i64>()?, [1, 2, 6, 24, 120]);
    /// let out = zeros(5, DType::F32)?;
    /// ufunc("add")?.accumulate(&a, 0, AccumulateOptions::new().out(&out))?;
    /// assert_eq!(out.to_vec::<f32>()?, [1.0, 3.0, 6.0, 10.0, 15.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`Ufunc::reduce`]; [`ErrorKind::Type`] for a 0-d array, [`ErrorKind::Value`] for an `out` of another
    /// shape.
    ///
    /// # Synchronization
    ///
    /// Same as [`Ufunc::reduce`].
    pub fn accumulate<'a>(
        &self,
        a: impl AsArray,
        axis: impl IntoAxis,
        options: impl IntoArgument<AccumulateOptions<'a>>,
    ) -> Result<Array> {
        self.accumulate_along(a.as_array(), axis.into_axis(), &options.into())
    }

    fn accumulate_along(&self, a: &Array, axis: isize, options: &AccumulateOptions<'_>) -> Result<Array> {
        let go = || {
            let axis = self.line_axis(a, axis)?;
            self.accumulated(a, axis, options, false)
        };
        go().map_err(|e: Error| e.with_op(&format!("{}.accumulate", self.name())))
    }

    /// Performs `accumulate` by a scan or a sequential fold; with `skip_nan`, for a function with an identity, NaN
    /// counts as the identity.
    pub(crate) fn accumulated(
        &self,
        a: &Array,
        axis: usize,
        options: &AccumulateOptions<'_>,
        skip_nan: bool,
    ) -> Result<Array> {
        let signature = self.accumulating_loop(a, options)?;
        engine::one_device(a, options.out)?;
        check_out(options.out, a.shape())?;
        self.check_exponents(a, signature, |n| (0..n).map(|i| i > 0).collect(), Some(axis), None)?;
        let dtype = self.out_dtype(signature);
        let fresh = || {
            // NumPy replaces NaN in a copy: if an axis is broadcast, the copy's order is not that of the operand.
            let inexact = a.dtype().is_float() || a.dtype().is_complex();
            let copied = (skip_nan && inexact).then(|| a.layout().in_order(a.itemsize(), Order::K));
            let strides = copied.as_ref().map_or(a.strides(), |copy| &copy.strides);
            Array::of_layout(a.device(), Layout::like(a.shape(), dtype.size(), &[strides]), dtype)
        };
        let takes = &self.0.loops()[signature].ins;
        if engine::is_associative(self.0.record().folds, dtype) && takes[..2] == [dtype; 2] {
            let out = options.out.map_or_else(fresh, |out| Ok(out.clone()))?;
            engine::Scanning { op: self.0, signature, skip_nan, a, axis, out: &out, jumps: None }.run()?;
            return Ok(out);
        }
        let out = fresh()?;
        let key = self.fold(signature, a, FoldMethod::Accumulate);
        engine::Folding { key, a, axes: &[axis], mask: None, initial: None, starts: None, out: &out }.run()?;
        delivered(out, options.out)
    }

    /// Reduces segments of an axis; NumPy's `ufunc.reduceat`. A segment extends from its index to the next one, or to
    /// the end after the last; if the next index is not larger, it is the single element at its index.
    ///
    /// ```
    /// let a = cuprum::arange(0, 8, 1)?;
    /// let sums = cuprum::ufunc("add")?.reduceat(&a, [0, 4, 1, 5], 0, ())?;
    /// assert_eq!(sums.to_vec::<i64>()?, [6, 4, 10, 18]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`Ufunc::accumulate`]; [`ErrorKind::Index`] for an index that is negative or not below the axis' length.
    ///
    /// # Synchronization
    ///
    /// Same as [`Ufunc::reduce`]; synchronises to read indices that are in an array.
    pub fn reduceat<'a>(
        &self,
        a: impl AsArray,
        indices: impl IntoArgument<Indices>,
        axis: impl IntoAxis,
        options: impl IntoArgument<AccumulateOptions<'a>>,
    ) -> Result<Array> {
        self.reduce_segments(a.as_array(), &indices.into(), axis.into_axis(), &options.into())
    }

    fn reduce_segments(
        &self,
        a: &Array,
        indices: &Indices,
        axis: isize,
        options: &AccumulateOptions<'_>,
    ) -> Result<Array> {
        let go = || {
            let axis = self.line_axis(a, axis)?;
            let indices = indices.to_host()?;
            let n = a.shape()[axis];
            if let Some(i) = indices.iter().find(|&&i| i < 0 || i as usize >= n) {
                let message = format!("index {i} is out of bounds for axis {axis} with size {n}");
                return Err(Error::new(ErrorKind::Index, message));
            }
            let starts: Vec<i64> = indices.iter().map(|&i| i as i64).collect();
            let mut shape: Dims = a.shape().into();
            shape[axis] = starts.len();
            let signature = self.accumulating_loop(a, options)?;
            engine::one_device(a, options.out)?;
            check_out(options.out, &shape)?;
            self.check_exponents(a, signature, |n| behind_starts(n, &starts), Some(axis), None)?;
            // Along the axis the result has another length: the operand's stride there does not determine the order.
            let mut strides: Strides = a.strides().into();
            strides[axis] = 0;
            let out = Layout::like(&shape, self.out_dtype(signature).size(), &[&strides]);
            let out = Array::of_layout(a.device(), out, self.out_dtype(signature))?;
            if out.size() > 0 {
                let starts = engine::make::of(a.device(), &starts, &[starts.len()])?;
                let key = self.fold(signature, a, FoldMethod::Reduceat);
                let (axes, starts) = (&[axis][..], Some(&starts));
                engine::Folding { key, a, axes, mask: None, initial: None, starts, out: &out }.run()?;
            }
            delivered(out, options.out)
        };
        go().map_err(|e: Error| e.with_op(&format!("{}.reduceat", self.name())))
    }

    /// Applies the function to every pair of elements of `a` and `b`; NumPy's `ufunc.outer`. The result has the axes of
    /// `a`, then those of `b`. A scalar counts as a 0-d array of the dtype that NumPy assigns to it: it is not weak.
    ///
    /// ```
    /// use cuprum::{arange, ufunc};
    /// let table = ufunc("multiply")?.outer(arange(1, 4, 1)?, arange(1, 3, 1)?, ())?;
    /// assert_eq!(table.shape(), [3, 2]);
    /// assert_eq!(table.to_vec::<i64>()?, [1, 2, 2, 4, 3, 6]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`Ufunc::call`]; [`ErrorKind::Value`] for a function that does not have two operands.
    ///
    /// # Synchronization
    ///
    /// Same as [`Ufunc::call`].
    pub fn outer<'a>(
        &self,
        a: impl AsOperand,
        b: impl AsOperand,
        options: impl IntoArgument<UfuncOptions<'a>>,
    ) -> Result<Array> {
        self.outer_of(&a.as_operand(), &b.as_operand(), &options.into())
            .map_err(|e| e.with_op(&format!("{}.outer", self.name())))
    }

    fn outer_of(&self, a: &Operand<'_>, b: &Operand<'_>, options: &UfuncOptions<'_>) -> Result<Array> {
        let (a, b) = self.crossed(a, b)?;
        self.called(&[(&a).into(), (&b).into()], options)
    }

    /// Applies a function with two results to every pair of elements; see [`Ufunc::outer`].
    ///
    /// # Errors
    ///
    /// Same as [`Ufunc::outer`].
    ///
    /// ```
    /// use cuprum::{array, ufunc};
    /// let (a, b) = (array([7, 8])?, array([2, 3])?);
    /// let (quotients, rests) = ufunc("divmod")?.outer_pair(&a, &b, ())?;
    /// assert_eq!((quotients.to_vec::<i32>()?, rests.to_vec::<i32>()?), (vec![3, 2, 4, 2], vec![1, 1, 0, 2]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Synchronization
    ///
    /// Same as [`Ufunc::call`].
    pub fn outer_pair<'a>(
        &self,
        a: impl AsOperand,
        b: impl AsOperand,
        options: impl IntoArgument<UfuncOptions<'a>>,
    ) -> Result<(Array, Array)> {
        let both = self.crossed(&a.as_operand(), &b.as_operand());
        let both = both.and_then(|(a, b)| self.called_pair(&[(&a).into(), (&b).into()], &options.into()));
        both.map_err(|e| e.with_op(&format!("{}.outer", self.name())))
    }

    /// Reshapes two operands so that they broadcast to all pairs of their elements.
    fn crossed(&self, a: &Operand<'_>, b: &Operand<'_>) -> Result<(Array, Array)> {
        if self.nin() != 2 {
            return Err(Error::new(ErrorKind::Value, "only a function of two operands has this method"));
        }
        let (a, b) = (a.strong(b.device())?, b.strong(a.device())?);
        let behind: SmallVec<[isize; 6]> = (a.ndim()..a.ndim() + b.ndim()).map(|axis| axis as isize).collect();
        Ok((a.expand_dims(&behind[..])?, b))
    }

    fn reduced(&self, a: &Array, reduction: &Reduce, options: &FoldOptions<'_>) -> Result<Array> {
        self.check_folds()?;
        if let Some(out) = options.out {
            out.check_writable()?;
        }
        if let Some(mask) = options.where_.filter(|m| m.dtype() != DType::Bool) {
            return Err(Error::new(
                ErrorKind::Type,
                format!("a mask is of bool, as comparisons give it, not of {}", mask.dtype()),
            ));
        }
        let mut axes: Dims = match &reduction.axes {
            None => (0..a.ndim()).collect(),
            // A 0-d array has the axes 0 and -1 for this purpose.
            Some(axes) if a.ndim() == 0 && matches!(axes.as_slice(), [0 | -1]) => Dims::new(),
            Some(axes) => normalize_axes(axes, a.ndim())?,
        };
        axes.sort();
        let signature = self.fold_loop(a.dtype(), options.out.map(Array::dtype), reduction.dtype, false)?;
        let record = self.0.record();
        let identity = record.identity.is_some() && !options.no_identity;
        if axes.len() > 1 && record.identity.is_none() && !record.folds.reorderable {
            let message = "the order of the elements matters: one axis can be reduced, not several";
            return Err(Error::new(ErrorKind::Value, message));
        }
        let dtype = self.out_dtype(signature);
        let initial = match options.initial {
            Some(s) => {
                s.check_assigns(dtype)?;
                Some(Scalar::decode(&s.encode(dtype), dtype))
            }
            None => None,
        };
        let mask = options.where_.map(|m| m.broadcast_to_shape(a.shape())).transpose()?;
        let kept: Dims = (0..a.ndim()).filter(|x| !axes.contains(x)).collect();
        // Checked for empty results, too: whether a call is rejected depends on its axes alone.
        let empty = axes.iter().any(|&x| a.shape()[x] == 0);
        if !identity && initial.is_none() && (empty || mask.is_some()) {
            let what = if empty { "there are no elements" } else { "a mask may leave no element" };
            let shape = shape_text(a.shape());
            let message = format!("{what} in shape {shape}: say what to begin with by FoldOptions::initial");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let result = match self.tree(a, &axes, signature, mask.as_ref(), (initial, identity))? {
            Some(result) => result,
            None => self.fold_axes(a, &axes, &kept, signature, mask.as_ref(), (initial, identity))?,
        };
        let result = if reduction.keepdims {
            let axes: SmallVec<[isize; 6]> = axes.iter().map(|&x| x as isize).collect();
            result.expand_dims(&axes[..])?
        } else {
            result
        };
        engine::one_device(a, options.out)?;
        check_out(options.out, result.shape())?;
        delivered(result, options.out)
    }

    /// Uses the parallel reduction, if the function is associative and has one.
    fn tree(
        &self,
        a: &Array,
        gone: &[usize],
        signature: usize,
        mask: Option<&Array>,
        (initial, identity): (Option<Scalar>, bool),
    ) -> Result<Option<Array>> {
        let Some(name) = self.0.record().folds.reduction else { return Ok(None) };
        let reduction = reduction(name)?;
        let extreme = reduction.0.is_extreme();
        if extreme && (mask.is_some() || a.size() == 0) && initial.is_none() {
            return Ok(None);
        }
        let dtype = self.out_dtype(signature);
        let operand = if extreme && a.dtype() != dtype { a.astype(dtype)? } else { a.clone() };
        // A sum without an initial value keeps the sign of negative zeros.
        let initial = initial.or_else(|| match dtype {
            _ if identity || !reduction.0.adds_to_zero() => None,
            d if d.is_complex() => Some(Scalar::Complex(num_complex::Complex64::new(-0.0, -0.0))),
            d if d.is_float() => Some(Scalar::Float(-0.0)),
            _ => None,
        });
        let axes: SmallVec<[isize; 6]> = gone.iter().map(|&x| x as isize).collect();
        let mut options = Reduce::axes(&axes[..]);
        if let Some(mask) = mask {
            options = options.where_(mask);
        }
        // The result has the layout of the operand, not of its cast copy.
        let out = (extreme && a.dtype() != dtype)
            .then(|| {
                let operands: SmallVec<[&[i64]; 2]> =
                    [Some(a.strides()), mask.map(Array::strides)].into_iter().flatten().collect();
                Array::of_layout(a.device(), Layout::like_reduced(a.shape(), gone, dtype.size(), &operands), dtype)
            })
            .transpose()?;
        if let Some(out) = &out {
            options = options.out(out);
        }
        let truth = reduction.0.is_truth();
        if let Some(initial) = initial.filter(|_| !truth) {
            options = options.initial(initial);
        }
        let options = if reduction.0.takes_dtype() { options.dtype(dtype) } else { options };
        let result = reduction.called(&operand, &options)?;
        let Some(initial) = initial.filter(|_| truth) else { return Ok(Some(result)) };
        let options = UfuncOptions { dtype: Some(dtype), ..UfuncOptions::default() };
        self.called(&[Operand::Scalar(initial), (&result).into()], &options).map(Some)
    }

    /// Reduces sequentially.
    fn fold_axes(
        &self,
        a: &Array,
        axes: &[usize],
        kept: &[usize],
        signature: usize,
        mask: Option<&Array>,
        (initial, identity): (Option<Scalar>, bool),
    ) -> Result<Array> {
        // With an initial value, the first element is an exponent, too.
        let axis = axes.first().copied().filter(|_| initial.is_none());
        if axis.is_some() || initial.is_some() {
            self.check_exponents(a, signature, |n| (0..n).map(|i| i > 0).collect(), axis, mask)?;
        }
        let dtype = self.out_dtype(signature);
        let pick = |strides: &[i64]| -> Strides { kept.iter().map(|&x| strides[x]).collect() };
        let shape: Dims = kept.iter().map(|&x| a.shape()[x]).collect();
        let strides: SmallVec<[Strides; 2]> =
            [Some(a), mask].into_iter().flatten().map(|x| pick(x.strides())).collect();
        let strides: SmallVec<[&[i64]; 2]> = strides.iter().map(|s| s.as_slice()).collect();
        let out = Array::of_layout(a.device(), Layout::like(&shape, dtype.size(), &strides), dtype)?;
        let start = match initial {
            Some(_) => FoldStart::Value,
            None if identity => FoldStart::Identity,
            None => FoldStart::Nothing,
        };
        let key = self.fold(signature, a, FoldMethod::Reduce { masked: mask.is_some(), start });
        engine::Folding { key, a, axes, mask, initial, starts: None, out: &out }.run()?;
        Ok(out)
    }

    fn check_folds(&self) -> Result<()> {
        if self.nin() == 2 && self.nout() == 1 {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Value, "only a function of two operands, with one result, has this method"))
    }

    /// Normalises the axis of an array that must have one.
    fn line_axis(&self, a: &Array, axis: isize) -> Result<usize> {
        self.check_folds()?;
        let axis = normalize_axis(axis, a.ndim().max(1))?;
        if a.ndim() == 0 {
            return Err(Error::new(ErrorKind::Type, "an array of shape () has no axis to go along"));
        }
        Ok(axis)
    }

    /// Resolves the loop for elements of a dtype, with the result in `out`; sums and products of small integers are
    /// widened.
    fn fold_loop(&self, element: DType, out: Option<DType>, dtype: Option<DType>, every: bool) -> Result<usize> {
        let wide = match element.kind() {
            _ if out.is_some() || !self.0.record().folds.widens => None,
            Kind::Bool | Kind::Signed => Some(DType::I64),
            Kind::Unsigned => Some(DType::U64),
            _ => None,
        };
        loops::find_fold(self.0, out.unwrap_or(element), element, dtype.or(wide), every)
    }

    /// Resolves the loop of `accumulate` and `reduceat`, after checking that the output is writeable.
    fn accumulating_loop(&self, a: &Array, options: &AccumulateOptions<'_>) -> Result<usize> {
        options.out.map_or(Ok(()), Array::check_writable)?;
        self.fold_loop(a.dtype(), options.out.map(Array::dtype), options.dtype, true)
    }

    /// Returns the dtype in which elements of a dtype are combined.
    pub(crate) fn fold_dtype(&self, element: DType, out: Option<DType>, dtype: Option<DType>) -> Result<DType> {
        self.fold_loop(element, out, dtype, false).map(|signature| self.out_dtype(signature))
    }

    fn out_dtype(&self, signature: usize) -> DType {
        self.0.loops()[signature].out()
    }

    fn fold(&self, signature: usize, a: &Array, method: FoldMethod) -> Fold {
        Fold { op: self.0, signature: signature as u8, element: a.dtype(), method, width: Width::default() }
    }

    /// Rejects negative exponents of integers. Exponents are the elements along `axis` that `exponents` selects for its
    /// length, and that the mask includes; without an axis, all elements.
    fn check_exponents(
        &self,
        a: &Array,
        signature: usize,
        exponents: impl Fn(usize) -> Vec<bool>,
        axis: Option<usize>,
        mask: Option<&Array>,
    ) -> Result<()> {
        let dtype = self.0.loops()[signature].ins[1];
        if !self.0.record().rejects_negative || dtype.kind() != Kind::Signed || a.size() == 0 {
            return Ok(());
        }
        let named = match axis {
            Some(axis) => {
                let named = exponents(a.shape()[axis]);
                let mut shape: Dims = smallvec::smallvec![1; a.ndim()];
                shape[axis] = named.len();
                Some(engine::make::of(a.device(), &named, &shape)?)
            }
            None => None,
        };
        let mask = match (&named, mask) {
            (Some(named), Some(mask)) => Some(apply("logical_and", [named.into(), mask.into()])?),
            (Some(named), None) => Some(named.clone()),
            (None, mask) => mask.cloned(),
        };
        loops::check_negative(&a.into(), dtype, mask.as_ref(), a.size())
    }
}

/// Rejects an `out` of another shape than the result.
fn check_out(out: Option<&Array>, shape: &[usize]) -> Result<()> {
    let Some(out) = out.filter(|out| out.shape() != shape) else { return Ok(()) };
    let (has, is) = (shape_text(out.shape()), shape_text(shape));
    Err(Error::new(ErrorKind::Value, format!("out has the shape {has}, the result {is}")))
}

/// Returns the result, copied to `out` if there is one.
fn delivered(result: Array, out: Option<&Array>) -> Result<Array> {
    let Some(out) = out else { return Ok(result) };
    engine::copy(&result, out)?;
    Ok(out.clone())
}

/// Marks which of `n` elements are in a segment, but not at its start.
fn behind_starts(n: usize, starts: &[i64]) -> Vec<bool> {
    let mut out = vec![false; n];
    for (k, &start) in starts.iter().enumerate() {
        let end = starts.get(k + 1).map_or(n as i64, |&next| next);
        for slot in out.iter_mut().take(end.max(0) as usize).skip(start as usize + 1) {
            *slot = true;
        }
    }
    out
}
