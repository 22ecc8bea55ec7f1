//! Universal functions and their options.
//!
//! [`Ufunc`] is the handle of an elementwise function by its name: it calls the function with options, resolves its
//! loops, and has the methods `reduce`, `accumulate`, `reduceat`, `outer` and `at`. The functions of the names (`add`,
//! `sqrt`) call it without options.

mod functions;
mod fuse;
pub(crate) mod loops;
mod methods;
mod operators;
mod records;

use cuprum_kernels::DType;
use cuprum_kernels::registry::UfuncId;
use cuprum_macros::{Options, unrecorded};
use smallvec::SmallVec;

use crate::array::{Array, IntoArgument, Operand, Operands};
use crate::cuda::Device;
use crate::dtype::Casting;
use crate::engine;
use crate::error::{Error, ErrorKind, Result, near_names};
use crate::layout::{Dims, Layout, Order, Strides, broadcast_shapes, shape_text};
use crate::scalar::{OperandType, Scalar};

pub(crate) use functions::{apply, apply_pair, binary, details, pairs, sentence, unary};
pub use fuse::{FuseOptions, FuseScope, FuseStats, fuse, fuse_stats, fuse_with};
pub use methods::{AccumulateOptions, FoldOptions};

/// A universal function; NumPy's `ufunc`.
///
/// It is a handle to a record: `Copy`, comparable, and without state. [`ufunc`](ufunc()) returns it by NumPy's name or
/// an alias.
///
/// ```
/// let add = cuprum::ufunc("add")?;
/// let a = cuprum::arange(0, 3, 1)?;
/// let b = add.call((&a, 10), ())?;
/// assert_eq!(b.to_vec::<i64>()?, [10, 11, 12]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ufunc(pub(crate) UfuncId);

/// Options of a call of a [`Ufunc`].
///
/// They are NumPy's keyword arguments. The dtype of the result follows from the operands unless `dtype` requests
/// another loop; `out` takes it by a cast that `casting` allows.
///
/// ```
/// use cuprum::{DType, UfuncOptions, array, ufunc, zeros};
/// let (a, out) = (array([1, 2, 3])?, zeros(3, DType::F32)?);
/// let large = a.greater(1)?;
/// ufunc("add")?.call((&a, 10), UfuncOptions::new().out(&out).where_(&large))?;
/// assert_eq!(out.to_vec::<f32>()?, [0.0, 12.0, 13.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct UfuncOptions<'a> {
    /// The output array; by default a new one. It may overlap the operands.
    pub out: Option<&'a Array>,
    /// The second output array, for a function with two results; by default a new one.
    pub second_out: Option<&'a Array>,
    /// The mask of elements to compute: an array of booleans, broadcast with the operands. Other elements of `out` are
    /// unchanged, and those of a new array are zero (in NumPy they are uninitialised).
    pub where_: Option<&'a Array>,
    /// The dtype of the result, which determines the loop; by default the first loop to which all operands can be cast
    /// safely.
    pub dtype: Option<DType>,
    /// The casts of the operands and of the result that are allowed. By default [`Casting::SameKind`].
    pub casting: Casting,
    /// The memory order of a new result; by default K, the order of the operands.
    pub order: Option<Order>,
}

/// Returns the ufunc of a name or alias.
///
/// NumPy's ufuncs and the functions of [`scipy::special`](crate::scipy::special) have a name here.
/// An unknown one is answered with the names nearest to it.
///
/// ```
/// use cuprum::ufunc;
/// assert_eq!(ufunc("asin")?.name(), "arcsin");
/// assert!(ufunc("sinn").unwrap_err().message().contains("sin"));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::NotImplemented`] for an unknown name.
#[unrecorded("returns a handle to any ufunc")]
pub fn ufunc(name: &str) -> Result<Ufunc> {
    Ufunc::named(name).ok_or_else(|| {
        // Functions without a module are internal.
        let public = UfuncId::all().map(|id| id.record()).filter(|record| !record.namespace.is_empty());
        let near = near_names(name, public.map(|record| record.name));
        Error::new(ErrorKind::NotImplemented, format!("none is called {name:?}{near}")).with_op("ufunc")
    })
}

impl Ufunc {
    /// Returns the ufunc of a name or alias, if there is one; unlike [`ufunc`] without composing an error message.
    ///
    /// ```
    /// use cuprum::Ufunc;
    /// assert!(Ufunc::named("no_such_function").is_none());
    /// assert_eq!(Ufunc::named("absolute").map(|f| (f.nin(), f.nout())), Some((1, 1)));
    /// ```
    pub fn named(name: &str) -> Option<Ufunc> {
        UfuncId::named(name).map(Ufunc)
    }

    /// Returns NumPy's name of the function.
    pub fn name(&self) -> &'static str {
        self.0.record().name
    }

    /// Returns the number of operands.
    ///
    /// ```
    /// let divmod = cuprum::ufunc("divmod")?;
    /// assert_eq!((divmod.name(), divmod.nin(), divmod.nout()), ("divmod", 2, 2));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn nin(&self) -> usize {
        self.0.record().nin
    }

    /// Returns the number of results.
    pub fn nout(&self) -> usize {
        self.0.record().nout
    }

    /// Returns the loops in the form of NumPy's `types`: the dtypes of the operands, an arrow, those of the results.
    ///
    /// ```
    /// assert!(cuprum::ufunc("sqrt")?.types().contains(&"d->d".to_string()));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn types(&self) -> Vec<String> {
        let chars = |dtypes: &[DType]| dtypes.iter().map(|d| d.char()).collect::<String>();
        let one = |l: &_| -> String {
            let l: &cuprum_kernels::registry::Loop = l;
            format!("{}->{}", chars(&l.ins[..self.nin()]), chars(&l.outs[..self.nout()]))
        };
        self.0.loops().iter().map(one).collect()
    }

    /// Calls the function. Operands are broadcast together; the loop for exactly their dtypes runs, or otherwise the
    /// first to which all can be cast safely, with casts fused into loads and stores.
    ///
    /// ```
    /// use cuprum::{array, ufunc};
    /// let add = ufunc("add")?;
    /// assert_eq!(add.call((&array([1, 2])?, 10), ())?.to_vec::<i32>()?, [11, 12]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where there is no loop for the dtypes or a cast is not allowed, [`ErrorKind::Value`] for
    /// shapes that cannot be broadcast, [`ErrorKind::Overflow`] for a scalar out of range of the arrays' dtype.
    ///
    /// # Synchronization
    ///
    /// None, except for `power` with an array of signed integer exponents, which are checked first.
    pub fn call<'a>(&self, operands: impl Operands, options: impl IntoArgument<UfuncOptions<'a>>) -> Result<Array> {
        self.called(&operands.as_operands(), &options.into())
    }

    pub(crate) fn called(&self, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Result<Array> {
        let go = || {
            if self.nout() != 1 {
                return Err(Error::new(ErrorKind::Type, "there are two results, which call_pair gives"));
            }
            Ok(self.run(operands, options)?.0)
        };
        go().map_err(|e: Error| e.with_op(self.name()))
    }

    /// Calls a function with two results; see [`Ufunc::call`].
    ///
    /// ```
    /// use cuprum::{array, ufunc};
    /// let (fraction, whole) = ufunc("modf")?.call_pair((&array([1.5, -2.25])?,), ())?;
    /// assert_eq!((fraction.to_vec::<f64>()?, whole.to_vec::<f64>()?), (vec![0.5, -0.25], vec![1.0, -2.0]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`Ufunc::call`].
    ///
    /// # Synchronization
    ///
    /// None.
    pub fn call_pair<'a>(
        &self,
        operands: impl Operands,
        options: impl IntoArgument<UfuncOptions<'a>>,
    ) -> Result<(Array, Array)> {
        self.called_pair(&operands.as_operands(), &options.into())
    }

    pub(crate) fn called_pair(&self, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Result<(Array, Array)> {
        let go = || {
            if self.nout() != 2 {
                return Err(Error::new(ErrorKind::Type, "there is one result, which call gives"));
            }
            let (first, second) = self.run(operands, options)?;
            Ok((first, second.expect("a function of two results gives the second")))
        };
        go().map_err(|e: Error| e.with_op(self.name()))
    }

    /// Returns the dtypes in which a call computes: of each operand, then of each result; NumPy's `resolve_dtypes`.
    ///
    /// ```
    /// use cuprum::DType;
    /// let divide = cuprum::ufunc("divide")?;
    /// assert_eq!(divide.resolve_dtypes(&[DType::F16.into(), 3.into()])?, [DType::F16; 3]);
    /// assert_eq!(divide.resolve_dtypes(&[DType::F32.into(), DType::I32.into()])?, [DType::F64; 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where there is no loop for the operands, or their number is wrong.
    pub fn resolve_dtypes(&self, operands: &[OperandType]) -> Result<Vec<DType>> {
        let go = || {
            self.check_count(operands.len())?;
            let found = &self.0.loops()[loops::resolve(self.0, operands, None)?];
            Ok([&found.ins[..self.nin()], &found.outs[..self.nout()]].concat())
        };
        go().map_err(|e: Error| e.with_op(self.name()))
    }

    fn check_count(&self, given: usize) -> Result<()> {
        if given != self.nin() {
            let message = format!("{} operands are needed, {given} are given", self.nin());
            return Err(Error::new(ErrorKind::Type, message));
        }
        Ok(())
    }

    fn run(&self, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Result<(Array, Option<Array>)> {
        self.check_count(operands.len())?;
        for out in [options.out, options.second_out].into_iter().flatten() {
            out.check_writable()?;
        }
        if let Some(mask) = options.where_.filter(|m| m.dtype() != DType::Bool) {
            return Err(Error::new(
                ErrorKind::Type,
                format!("a mask is of bool, as comparisons give it, not of {}", mask.dtype()),
            ));
        }
        if let Some(signature) = loops::resolve_alike(self.0, operands, options) {
            return self.launch(signature, operands, options);
        }
        let beyond =
            if options.dtype.is_none_or(|d| d == DType::Bool) { loops::beyond_range(self.0, operands) } else { None };
        if let Some(answer) = beyond {
            let out = self.result(0, operands, DType::Bool, options)?;
            let (copy, signature) = engine::internal("copy", out.dtype())?;
            let ins = [Operand::Scalar(Scalar::Bool(answer))];
            engine::Call { op: copy, signature, ins: &ins, mask: options.where_, outs: &[&out], all: false }.run()?;
            return Ok((out, None));
        }
        let truths = loops::truths(self.0, operands)?;
        let operands = truths.as_deref().unwrap_or(operands);
        let types: SmallVec<[OperandType; 3]> = operands.iter().map(OperandType::from).collect();
        let signature = loops::resolve(self.0, &types, options.dtype)?;
        loops::check(self.0, signature, &types, options)?;
        self.launch(signature, operands, options)
    }

    /// Returns whether the results of a call, which are booleans, are all true.
    pub(crate) fn all_of(&self, operands: &[Operand<'_>]) -> Result<bool> {
        let options = UfuncOptions::default();
        let types: SmallVec<[OperandType; 3]> = operands.iter().map(OperandType::from).collect();
        let signature = loops::resolve(self.0, &types, None)?;
        loops::check(self.0, signature, &types, &options)?;
        self.all_of_loop(signature, operands)
    }

    /// Returns whether all results of a loop are true, for operands that match it.
    pub(crate) fn all_of_loop(&self, signature: usize, operands: &[Operand<'_>]) -> Result<bool> {
        let arrays: SmallVec<[&Array; 4]> = operands
            .iter()
            .filter_map(|o| match o {
                Operand::Array(a) => Some(*a),
                Operand::Scalar(_) => None,
            })
            .collect();
        let device = arrays.first().map_or_else(Device::current, |a| Ok(a.device()))?;
        let shape = self.shape(&arrays, [None; 2])?;
        let layout = layout_like(&arrays, shape, DType::Bool, None);
        engine::all_of(self.0, signature as u8, operands, device, layout)
    }

    /// Returns the index of the loop for exactly these dtypes.
    pub(crate) fn exact_loop(&self, ins: &[DType]) -> Option<usize> {
        self.0.loops().iter().position(|l| &l.ins[..self.nin()] == ins)
    }

    /// Runs a loop, for operands that match it.
    pub(crate) fn launch(
        &self,
        signature: usize,
        operands: &[Operand<'_>],
        options: &UfuncOptions<'_>,
    ) -> Result<(Array, Option<Array>)> {
        let loop_ = &self.0.loops()[signature];
        if engine::fusion::fuses()
            && let Some(later) = self.later(signature, operands, options)?
        {
            return Ok((later, None));
        }
        let first = self.result(0, operands, loop_.outs[0], options)?;
        let second = if self.nout() > 1 { Some(self.result(1, operands, loop_.outs[1], options)?) } else { None };
        if self.0.record().rejects_negative {
            loops::check_negative(&operands[1], loop_.ins[1], options.where_, first.size())?;
        }
        // If both results have the same output memory, the first one remains there.
        let apart = match &second {
            Some(second) if first.may_share_memory(second) => Some(first.copy(Order::K)?),
            _ => None,
        };
        let written = apart.as_ref().unwrap_or(&first);
        let outs = [written, second.as_ref().unwrap_or(written)];
        let (signature, outs) = (signature as u8, &outs[..self.nout()]);
        engine::Call { op: self.0, signature, ins: operands, mask: options.where_, outs, all: false }.run()?;
        if let Some(apart) = &apart {
            engine::copy(apart, &first)?;
        }
        Ok((first, second))
    }

    /// Returns the pending result of a deferred call, or `None` if the call is not deferred.
    #[cold]
    fn later(&self, signature: usize, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Result<Option<Array>> {
        let writes_to_arguments = options.out.is_some() || options.second_out.is_some() || options.where_.is_some();
        if writes_to_arguments || self.nout() != 1 {
            return Ok(None);
        }
        let arrays: SmallVec<[&Array; 4]> = operands
            .iter()
            .filter_map(|o| match o {
                Operand::Array(a) => Some(*a),
                Operand::Scalar(_) => None,
            })
            .collect();
        let Some(first) = arrays.first() else { return Ok(None) };
        let alike = arrays.iter().all(|a| a.shape() == first.shape());
        let shape = if alike { first.shape().into() } else { self.shape(&arrays, [None; 2])? };
        let loop_ = &self.0.loops()[signature];
        if self.0.record().rejects_negative {
            loops::check_negative(&operands[1], loop_.ins[1], None, crate::layout::size_of(&shape))?;
        }
        let layout = layout_like(&arrays, shape, loop_.outs[0], options.order);
        engine::fusion::defer(self.0, signature as u8, operands, first.device(), &layout)
    }

    /// Returns the array to which result `k` is written.
    fn result(&self, k: usize, operands: &[Operand<'_>], dtype: DType, options: &UfuncOptions<'_>) -> Result<Array> {
        let mut arrays: SmallVec<[&Array; 4]> = SmallVec::new();
        for o in operands {
            if let Operand::Array(a) = o {
                arrays.push(a);
            }
        }
        arrays.extend(options.where_);
        let given = [options.out, options.second_out];
        if let Some(out) = given[k] {
            loops::check_cast(dtype, out.dtype(), options.casting, "a result")?;
        }
        let alike = given.iter().all(Option::is_none) && arrays.windows(2).all(|w| w[0].shape() == w[1].shape());
        let shape = match arrays.first() {
            Some(a) if alike => a.shape().into(),
            _ => self.shape(&arrays, given)?,
        };
        if let Some(out) = given[k] {
            return Ok(out.clone());
        }
        let device = arrays.first().map_or_else(Device::current, |a| Ok(a.device()))?;
        arrays.extend(given.into_iter().flatten());
        let out = Array::of_layout(device, layout_like(&arrays, shape, dtype, options.order), dtype)?;
        if options.where_.is_some() {
            engine::one_device(&out, arrays.iter().copied())?;
            engine::fill(&out, Scalar::Bool(false))?;
        }
        Ok(out)
    }

    /// Returns the shape of the results: the broadcast shape of the operands and output arrays.
    fn shape(&self, arrays: &[&Array], given: [Option<&Array>; 2]) -> Result<Dims> {
        let shapes: SmallVec<[&[usize]; 4]> = arrays.iter().map(|a| a.shape()).collect();
        let mut shape = broadcast_shapes(&shapes)?;
        let misfit = |shape: &[usize], out: &Array| {
            let (shape, out) = (shape_text(shape), shape_text(out.shape()));
            Err(Error::new(ErrorKind::Value, format!("a result of shape {shape} does not fit in out of shape {out}")))
        };
        for out in given.into_iter().flatten() {
            if !broadcast_shapes(&[&shape, out.shape()]).is_ok_and(|both| both.as_slice() == out.shape()) {
                return misfit(&shape, out);
            }
            shape = out.shape().into();
        }
        // The results have one shape: the second output may have made it larger than the first.
        match given[0].filter(|out| out.shape() != shape.as_slice()) {
            Some(first) => misfit(&shape, first),
            None => Ok(shape),
        }
    }
}

/// Returns the layout of a new result in an order, by default that of the operands.
fn layout_like(arrays: &[&Array], shape: Dims, dtype: DType, order: Option<Order>) -> Layout {
    match order.unwrap_or(Order::K) {
        Order::F => Layout::f_order(&shape, dtype.size()),
        // Unlike for copies, operands that are contiguous in both orders count as Fortran order.
        Order::A if !arrays.is_empty() && arrays.iter().all(|a| a.is_f_contiguous()) => {
            Layout::f_order(&shape, dtype.size())
        }
        Order::C | Order::A => Layout::c_order(&shape, dtype.size()),
        Order::K if shape.len() < 2 || arrays.iter().all(|a| a.is_c_contiguous() && a.ndim() == shape.len()) => {
            Layout::c_order(&shape, dtype.size())
        }
        Order::K => {
            let strides: SmallVec<[Strides; 4]> = arrays.iter().map(|a| a.layout().broadcast_strides(&shape)).collect();
            let strides: SmallVec<[&[i64]; 4]> = strides.iter().map(|s| s.as_slice()).collect();
            Layout::like(&shape, dtype.size(), &strides)
        }
    }
}
