//! Generalised ufuncs: functions over the last axes of their operands, broadcast over the others.
//!
//! A function of batches gets whole arrays with the core axes last, and is called once; any other function is called
//! for each position of the other axes.

mod core_axes;
mod signature;

use std::fmt;

use cuprum_kernels::DType;

use self::signature::{Cores, Signature};
use crate::array::{Array, Axes, Index};
use crate::dtype::Casting;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, broadcast_shapes, shape_text};
use crate::ufunc::loops::check_cast;
pub use core_axes::CoreAxes;
pub(crate) use core_axes::{core_positions, last};

type Function = dyn Fn(&[Array]) -> Result<Vec<Array>> + Send + Sync;

/// Generalised universal function: works on the core axes of each operand, as its signature defines, and is broadcast
/// over all other axes; NumPy's generalised ufunc, CuPy's `cupyx.GeneralizedUFunc`.
///
/// The signature is NumPy's: `"(m,n),(n,p)->(m,p)"`; a number is an axis of that size, and a name with a `?`, as in
/// `"(m?,n)"`, is an optional axis: for operands that lack it the function receives one of size 1, which is removed
/// from the results. Axes of one name have one size.
///
/// ```
/// use cuprum::{Array, GeneralizedUfunc, Reduce};
/// // The mean over the last axis: the function is given whole stacks.
/// let mean = GeneralizedUfunc::batched("mean", "(n)->()", |x| Ok(vec![cuprum::mean(&x[0], Reduce::axis(-1))?]))?;
/// let a = cuprum::array([[1.0, 3.0], [5.0, 9.0]])?;
/// assert_eq!(mean.call(&[&a])?[0].to_vec::<f64>()?, [2.0, 7.0]);
/// // The product of matrices, one pair after the other, broadcast over the first axis.
/// let product =
///     GeneralizedUfunc::new("product", "(m?,n),(n,p?)->(m?,p?)", |x| Ok(vec![cuprum::matmul(&x[0], &x[1])?]))?;
/// let stack = a.broadcast_to(&[3, 2, 2])?;
/// assert_eq!(product.call(&[&stack, &a])?[0].shape(), [3, 2, 2]);
/// assert_eq!(product.call(&[&cuprum::array([1.0, 1.0])?, &a])?[0].to_vec::<f64>()?, [6.0, 12.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub struct GeneralizedUfunc {
    /// Name in error messages.
    name: String,
    /// Core axes of operands and results.
    signature: Signature,
    /// The function.
    function: Box<Function>,
    /// True if the function handles the leading axes itself.
    batched: bool,
    /// Dtypes of the results.
    results: Option<Vec<DType>>,
}

/// Options of [`GeneralizedUfunc::call_with`].
///
/// The names are NumPy's keywords.
///
/// ```
/// use cuprum::{GeneralizedUfunc, GufuncOptions, array};
/// let total = GeneralizedUfunc::batched("total", "(n)->()", |x| Ok(vec![x[0].sum(-1)?]))?;
/// let columns = total.call_with(&[&array([[1, 2], [3, 4]])?], &GufuncOptions { axis: Some(0), ..Default::default() })?;
/// assert_eq!(columns[0].to_vec::<i64>()?, [4, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GufuncOptions<'a> {
    /// The output arrays, with an entry for each result, or none at all. They may overlap the operands, and may have
    /// more broadcast axes than the operands.
    pub out: Vec<Option<&'a Array>>,
    /// The core axes; by default the last. Results without core axes need no entry.
    pub axes: Option<CoreAxes>,
    /// The single core axis, if the signature has only one.
    pub axis: Option<isize>,
    /// If true, the core axes are kept with length 1 in results that have none. By default `false`.
    pub keepdims: bool,
    /// The dtype to which operands and results are cast.
    pub dtype: Option<DType>,
    /// The casts that are allowed. By default [`Casting::SameKind`].
    pub casting: Casting,
    /// The memory order of new results; by default that of the function's result, and of results that are assembled
    /// from separate calls that of the operands, [`Order::K`].
    pub order: Option<Order>,
}

impl fmt::Debug for GeneralizedUfunc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GeneralizedUfunc({:?}, {:?})", self.name, self.signature.text())
    }
}

impl GeneralizedUfunc {
    /// Creates a function that is called once for each element of the broadcast axes, with the core axes alone.
    ///
    /// The function gets one array for each operand, of its core axes, and returns one for each result. See
    /// [`GeneralizedUfunc`] for an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an invalid signature.
    pub fn new(
        name: &str,
        signature: &str,
        function: impl Fn(&[Array]) -> Result<Vec<Array>> + Send + Sync + 'static,
    ) -> Result<GeneralizedUfunc> {
        let signature = Signature::parse(signature).ok_or_else(|| {
            let message = format!("{signature:?} is no signature, as \"(m,n),(n)->(m)\" is one");
            Error::new(ErrorKind::Value, message).with_op(name)
        })?;
        let name = name.into();
        Ok(GeneralizedUfunc { name, signature, function: Box::new(function), batched: false, results: None })
    }

    /// Creates a function that is called once, with all operands broadcast, and that handles the leading axes itself.
    ///
    /// The function returns results with the same leading axes. See [`GeneralizedUfunc`] for an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an invalid signature.
    pub fn batched(
        name: &str,
        signature: &str,
        function: impl Fn(&[Array]) -> Result<Vec<Array>> + Send + Sync + 'static,
    ) -> Result<GeneralizedUfunc> {
        Ok(GeneralizedUfunc { batched: true, ..GeneralizedUfunc::new(name, signature, function)? })
    }

    /// Sets the dtypes of the results, to which the function's results are cast. A function that is called for each
    /// element requires them if there are no elements.
    ///
    /// ```
    /// use cuprum::{DType, GeneralizedUfunc, array};
    /// let total = GeneralizedUfunc::batched("total", "(n)->()", |x| Ok(vec![x[0].sum(-1)?]))?.with_results([DType::F32])?;
    /// assert_eq!(total.call(&[&array([1, 2])?])?[0].dtype(), DType::F32);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] unless there is one dtype for each result of the signature.
    pub fn with_results(self, dtypes: impl IntoIterator<Item = DType>) -> Result<GeneralizedUfunc> {
        let (dtypes, [_, results]) = (dtypes.into_iter().collect::<Vec<_>>(), self.signature.counts());
        if dtypes.len() != results {
            let message = format!("{} dtypes are given for {results} results", dtypes.len());
            return Err(self.signature.fault(message).with_op(&self.name));
        }
        Ok(GeneralizedUfunc { results: Some(dtypes), ..self })
    }

    /// Returns the name.
    ///
    /// It is the one that was passed, and is used in error messages.
    ///
    /// ```
    /// use cuprum::GeneralizedUfunc;
    /// let f = GeneralizedUfunc::new("total", "(n)->()", |x| Ok(vec![x[0].sum(())?]))?;
    /// assert_eq!((f.name(), f.signature()), ("total", "(n)->()"));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the signature, as it was passed.
    pub fn signature(&self) -> &str {
        self.signature.text()
    }

    /// Returns the numbers of operands and of results.
    ///
    /// ```
    /// use cuprum::GeneralizedUfunc;
    /// let f = GeneralizedUfunc::batched("mean", "(n)->()", |x| Ok(vec![cuprum::mean(&x[0], -1)?]))?;
    /// assert_eq!((f.name(), f.signature(), f.arity()), ("mean", "(n)->()", [1, 1]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn arity(&self) -> [usize; 2] {
        self.signature.counts()
    }

    /// Calls the function; returns one array for each result of the signature.
    ///
    /// Each result has the axes to which the leading axes of the operands are broadcast, then the core axes that the
    /// signature names.
    ///
    /// ```
    /// use cuprum::GeneralizedUfunc;
    /// let total = GeneralizedUfunc::batched("total", "(n)->()", |x| Ok(vec![x[0].sum(-1)?]))?;
    /// let sums = total.call(&[&cuprum::array([[1, 2], [3, 4]])?])?;
    /// assert_eq!(sums[0].to_vec::<i64>()?, [3, 7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another number of operands, for different sizes under one name, for other axes that
    /// cannot be broadcast, and for results that do not match the signature; errors of the function.
    pub fn call(&self, operands: &[&Array]) -> Result<Vec<Array>> {
        self.call_with(operands, &GufuncOptions::default())
    }

    /// Calls the function with NumPy's keywords; see [`GeneralizedUfunc::call`].
    ///
    /// ```
    /// use cuprum::{CoreAxes, GeneralizedUfunc, GufuncOptions, Reduce, array};
    /// let sum = GeneralizedUfunc::batched("sum", "(n)->()", |x| Ok(vec![cuprum::sum(&x[0], Reduce::axis(-1))?]))?;
    /// let a = array([[1, 2, 3], [4, 5, 6]])?;
    /// let first = GufuncOptions { axis: Some(0), keepdims: true, ..GufuncOptions::default() };
    /// let sums = &sum.call_with(&[&a], &first)?[0];
    /// assert_eq!((sums.shape(), sums.to_vec::<i64>()?), (&[1, 3][..], vec![5, 7, 9]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`GeneralizedUfunc::call`]; [`ErrorKind::Axis`] for axes that are out of bounds or do not match the core
    /// in number; [`ErrorKind::Type`] for a cast that is not allowed, for both `axis` and `axes`, for an `axis` if the
    /// signature has more than one, and for `keepdims` if operands have different numbers of core axes or results have
    /// their own.
    pub fn call_with(&self, operands: &[&Array], options: &GufuncOptions<'_>) -> Result<Vec<Array>> {
        self.run(operands, options).map_err(|e| e.with_op(&self.name))
    }

    fn run(&self, operands: &[&Array], options: &GufuncOptions<'_>) -> Result<Vec<Array>> {
        let signature = &self.signature;
        let [ins, outs] = signature.counts();
        if operands.len() != ins {
            return Err(signature.fault(format!("{ins} operands are needed, {} are given", operands.len())));
        }
        if ![0, outs].contains(&options.out.len()) {
            return Err(signature.fault(format!("out has {} entries: give one for each result", options.out.len())));
        }
        let rejected =
            |why: &str| Err(Error::new(ErrorKind::Type, format!("{why}; the signature is {}", signature.text())));
        let kept = signature.core(0).len();
        let all_reduce = (0..ins).all(|k| signature.core(k).len() == kept);
        let of_numbers = (ins..ins + outs).all(|k| signature.core(k).is_empty());
        if options.keepdims && !(all_reduce && of_numbers) {
            return rejected("keepdims is for operands with as many core axes each, and results without");
        }
        let out = |k: usize| options.out.get(k).copied().flatten();
        // An `out` does not determine absent axes: with keepdims those of a result are its own.
        let shapes: Vec<Option<&[usize]>> = operands
            .iter()
            .map(|a| Some(a.shape()))
            .chain((0..outs).map(|k| out(k).filter(|_| !options.keepdims).map(Array::shape)))
            .collect();
        let mut cores = signature.cores(&shapes)?;
        let mut counts: Vec<usize> = (0..ins + outs).map(|k| cores.present(signature.core(k))).collect();
        if options.keepdims {
            let kept = counts[0];
            counts[ins..].fill(kept);
        }
        let axes = match (options.axis, &options.axes) {
            (Some(_), Some(_)) => return rejected("axis and axes are both given: one of them says where the core is"),
            (Some(_), _) if !signature.is_along_one_axis() => {
                return rejected("axis is for a core of one axis: give axes");
            }
            (Some(axis), _) => Some(CoreAxes::along(axis, &counts)),
            (None, axes) => axes.clone(),
        };
        let at = core_positions(axes.as_ref(), &counts[..ins], &counts[ins..], of_numbers)?;
        let (mut whole, mut given) = (vec![], vec![]);
        for (k, a) in operands.iter().enumerate() {
            let a = moved(a, &at[k], counts[k])?;
            given.push(a.clone());
            let a = self.cast(a, options.dtype, options, "an operand")?;
            let absent = cores.absent(signature.core(k));
            whole.push(if absent.is_empty() { a } else { a.expand_dims(absent)? });
        }
        let stack = self.fit(&whole, &mut cores)?;
        let whole = whole
            .iter()
            .enumerate()
            .map(|(k, a)| a.broadcast_to([&stack, &a.shape()[a.ndim() - signature.core(k).len()..]].concat()))
            .collect::<Result<Vec<Array>>>()?;
        let made = if self.batched || stack.is_empty() {
            self.checked((self.function)(&whole)?, &stack, &cores)?
        } else {
            let fronts: Vec<(&[usize], &[i64])> = (given.iter().zip(&counts))
                .map(|(a, core)| (&a.shape()[..a.ndim() - core], &a.strides()[..a.ndim() - core]))
                .collect();
            self.index_by_index(&whole, &fronts, &stack, &cores, options.dtype)?
        };
        made.into_iter()
            .enumerate()
            .map(|(k, a)| {
                let (array, dtype_of_result) = (ins + k, self.results.as_ref().map(|dtypes| dtypes[k]));
                let absent = cores.absent(signature.core(array));
                let a = if absent.is_empty() { a } else { a.squeeze(absent)? };
                let a = if options.keepdims { a.expand_dims(last(counts[array]))? } else { a };
                // The dtypes of the function's definition apply with any loss.
                let a = match dtype_of_result.filter(|dtype| *dtype != a.dtype()) {
                    Some(dtype) => a.cast(dtype, Order::K)?,
                    None => a,
                };
                self.placed(a, out(k), &at[array], counts[array], options)
            })
            .collect()
    }

    /// Casts an array to a dtype, checking the casting rule.
    fn cast(&self, a: Array, dtype: Option<DType>, options: &GufuncOptions<'_>, what: &str) -> Result<Array> {
        match dtype.filter(|dtype| *dtype != a.dtype()) {
            Some(dtype) => {
                check_cast(a.dtype(), dtype, options.casting, what)?;
                a.cast(dtype, Order::K)
            }
            None => Ok(a),
        }
    }

    /// Returns the broadcast leading axes, and records the sizes of the core axes.
    fn fit(&self, operands: &[Array], cores: &mut Cores) -> Result<Dims> {
        let mut stacks: Vec<&[usize]> = vec![];
        for (k, a) in operands.iter().enumerate() {
            let core = self.signature.core(k);
            let (stack, shape) = a.shape().split_at(a.ndim() - core.len());
            for (&axis, &size) in core.iter().zip(shape) {
                let known = *cores.sizes[axis].get_or_insert(size);
                if known != size {
                    let message =
                        format!("an operand of shape {} has {size} where {known} is expected", shape_text(a.shape()));
                    return Err(self.signature.fault(message));
                }
            }
            stacks.push(stack);
        }
        broadcast_shapes(&stacks)
    }

    /// Calls the function for each element of the leading axes, which are laid out in the results like `fronts`.
    fn index_by_index(
        &self,
        whole: &[Array],
        fronts: &[(&[usize], &[i64])],
        stack: &[usize],
        cores: &Cores,
        dtype: Option<DType>,
    ) -> Result<Vec<Array>> {
        let mut outs: Vec<Array> = vec![];
        let mut at: Vec<Index> = vec![Index::At(0); stack.len()];
        for number in 0..stack.iter().product() {
            let mut rest = number;
            for (index, size) in at.iter_mut().zip(stack).rev() {
                *index = Index::At((rest % size) as i64);
                rest /= size;
            }
            let parts: Vec<Array> = whole.iter().map(|a| a.index(&at)).collect::<Result<_>>()?;
            let results = self.checked((self.function)(&parts)?, &[], cores)?;
            if outs.is_empty() {
                let laid = |r: &Array| Layout::stacked(stack, r.shape(), r.itemsize(), fronts);
                outs =
                    results.iter().map(|r| Array::of_layout(r.device(), laid(r), r.dtype())).collect::<Result<_>>()?;
            }
            for (out, result) in outs.iter().zip(&results) {
                if out.shape()[stack.len()..] != *result.shape() {
                    let (first, this) = (shape_text(&out.shape()[stack.len()..]), shape_text(result.shape()));
                    let message = format!("the function gave a result of shape {first} first and of {this} later");
                    return Err(self.signature.fault(message));
                }
                out.set(&at, result)?;
            }
        }
        if !outs.is_empty() {
            return Ok(outs);
        }
        // Without calls, the results have the known shapes and dtypes.
        let [ins, count] = self.signature.counts();
        (0..count)
            .map(|k| {
                let core: Option<Dims> = self.signature.core(ins + k).iter().map(|&axis| cores.sizes[axis]).collect();
                match (core, self.results.as_ref().map(|dtypes| dtypes[k]).or(dtype)) {
                    (Some(core), Some(dtype)) => make::empty(whole[0].device(), &[stack, &core].concat(), dtype),
                    _ => {
                        let shape = shape_text(stack);
                        Err(self.signature.fault(format!("there is no index in {shape} to call the function for")))
                    }
                }
            })
            .collect()
    }

    /// Checks the results against the signature.
    fn checked(&self, results: Vec<Array>, stack: &[usize], cores: &Cores) -> Result<Vec<Array>> {
        let [ins, count] = self.signature.counts();
        if results.len() != count {
            return Err(self.signature.fault(format!("the function gave {} results", results.len())));
        }
        let mut sizes = cores.sizes.clone();
        for (k, result) in results.iter().enumerate() {
            let (shape, core) = (result.shape(), self.signature.core(ins + k));
            let fits = shape.len() == stack.len() + core.len()
                && shape[..stack.len()] == *stack
                && core.iter().zip(&shape[stack.len()..]).all(|(&axis, &n)| *sizes[axis].get_or_insert(n) == n);
            if !fits {
                return Err(self.signature.fault(format!("the function gave a result of shape {}", shape_text(shape))));
            }
        }
        Ok(results)
    }

    /// Moves the core axes of a result, which are last, to their positions, or copies it to the output array.
    fn placed(
        &self,
        a: Array,
        out: Option<&Array>,
        at: &Option<Axes>,
        core: usize,
        options: &GufuncOptions<'_>,
    ) -> Result<Array> {
        let a = self.cast(a, options.dtype, options, "a result")?;
        let Some(out) = out else {
            let a = match options.order {
                Some(order) if order != Order::K => a.cast(a.dtype(), order)?,
                _ => a,
            };
            return match at {
                Some(to) if core > 0 => a.moveaxis(last(core), to),
                _ => Ok(a),
            };
        };
        check_cast(a.dtype(), out.dtype(), options.casting, "a result")?;
        let misfit = || {
            let (own, given) = (shape_text(a.shape()), shape_text(out.shape()));
            self.signature.fault(format!("a result of shape {own} does not fit in out of shape {given}"))
        };
        if out.ndim() < core {
            return Err(misfit());
        }
        let target = moved(out, at, core)?;
        let (front, own) = target.shape().split_at(target.ndim() - core);
        let (stack, wanted) = a.shape().split_at(a.ndim() - core);
        if own != wanted || !broadcast_shapes(&[stack, front]).is_ok_and(|both| both.as_slice() == front) {
            return Err(misfit());
        }
        target.assign(&a)?;
        Ok(out.clone())
    }
}

/// Moves core axes to the end.
fn moved(a: &Array, from: &Option<Axes>, count: usize) -> Result<Array> {
    match from {
        Some(from) if count > 0 => a.moveaxis(from, last(count)),
        _ => Ok(a.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reduce, arange, array, zeros};

    fn dot() -> GeneralizedUfunc {
        GeneralizedUfunc::batched("dot", "(n),(n)->()", |x| {
            Ok(vec![crate::sum(&crate::multiply(&x[0], &x[1])?, Reduce::axis(-1))?])
        })
        .unwrap()
    }

    #[test]
    fn what_does_not_fit_the_signature_is_an_error() -> Result<()> {
        let dot = dot();
        let (a, b) = (arange(0, 6, 1)?.reshape([2, 3])?, arange(0, 3, 1)?);
        assert_eq!(dot.call(&[&a, &b])?[0].to_vec::<i64>()?, [5, 14]);
        let f64 = DType::F64;
        for operands in
            [vec![&a], vec![&a, &zeros([2], f64)?], vec![&a, &zeros([4, 3], f64)?], vec![&b, &zeros([0; 0], f64)?]]
        {
            let error = dot.call(&operands).unwrap_err();
            assert!(error.kind() == ErrorKind::Value && error.message().starts_with("dot: "), "{error}");
        }
        let wrong = GeneralizedUfunc::new("wrong", "(n)->(n)", |x| Ok(vec![crate::sum(&x[0], ())?]))?;
        assert!(wrong.call(&[&a]).unwrap_err().message().contains("gave a result of shape ()"));
        Ok(())
    }

    #[test]
    fn core_axes_may_stand_anywhere() -> Result<()> {
        let reverse = GeneralizedUfunc::new("reverse", "(n)->(n)", |x| Ok(vec![x[0].index(crate::s![..;-1])?]))?;
        let a = arange(0, 6, 1)?.reshape([2, 3])?;
        let along = |from: isize, to: isize| GufuncOptions {
            axes: Some(CoreAxes::listed([from, to])),
            ..GufuncOptions::default()
        };
        assert_eq!(reverse.call_with(&[&a], &along(0, 0))?[0].to_vec::<i64>()?, [3, 4, 5, 0, 1, 2]);
        let transposed = &reverse.call_with(&[&a], &along(0, 1))?[0];
        assert_eq!((transposed.shape(), transposed.to_vec::<i64>()?), (&[3, 2][..], vec![3, 0, 4, 1, 5, 2]));
        assert_eq!(reverse.call_with(&[&a], &along(2, 0)).unwrap_err().kind(), ErrorKind::Axis);
        let axis = GufuncOptions { axis: Some(0), ..GufuncOptions::default() };
        assert_eq!(reverse.call_with(&[&a], &axis)?[0].to_vec::<i64>()?, [3, 4, 5, 0, 1, 2]);
        Ok(())
    }

    #[test]
    fn axes_that_are_reduced_may_stay() -> Result<()> {
        let (dot, a) = (dot(), arange(0, 6, 1)?.reshape([2, 3])?);
        let stay = |options: GufuncOptions<'static>| GufuncOptions { keepdims: true, ..options };
        let of = |options| dot.call_with(&[&a, &a], &stay(options)).map(|all| all[0].shape().to_vec());
        assert_eq!(of(GufuncOptions::default())?, [2, 1]);
        assert_eq!(of(GufuncOptions { axis: Some(0), ..GufuncOptions::default() })?, [1, 3]);
        let axes = |all: &[isize]| Some(CoreAxes::listed(all.iter().copied()));
        // Without an entry, they are the last.
        assert_eq!(of(GufuncOptions { axes: axes(&[0, 0]), ..GufuncOptions::default() })?, [3, 1]);
        assert_eq!(of(GufuncOptions { axes: axes(&[0, 0, 0]), ..GufuncOptions::default() })?, [1, 3]);
        let both = GufuncOptions { axis: Some(0), axes: axes(&[0, 0]), ..GufuncOptions::default() };
        assert_eq!(of(both).unwrap_err().kind(), ErrorKind::Type);
        Ok(())
    }

    #[test]
    fn results_are_written_to_out() -> Result<()> {
        let (dot, a) = (dot(), arange(0, 6, 1)?.reshape([2, 3])?);
        let into = |out: &Array| {
            let options = GufuncOptions { out: vec![Some(out)], ..GufuncOptions::default() };
            dot.call_with(&[&a, &a], &options).map(drop)
        };
        let wide = zeros([4, 2], DType::F64)?;
        into(&wide)?;
        assert_eq!(wide.to_vec::<f64>()?, [5., 50., 5., 50., 5., 50., 5., 50.]);
        assert_eq!(into(&zeros([2], DType::Bool)?).unwrap_err().kind(), ErrorKind::Type);
        assert_eq!(into(&zeros([3], DType::I64)?).unwrap_err().kind(), ErrorKind::Value);
        let narrow = GufuncOptions { dtype: Some(DType::I8), ..GufuncOptions::default() };
        assert_eq!(dot.call_with(&[&a, &a], &narrow)?[0].dtype(), DType::I8);
        let f = array([1.5, 2.5])?;
        assert_eq!(dot.call_with(&[&f, &f], &narrow).unwrap_err().kind(), ErrorKind::Type);
        Ok(())
    }

    #[test]
    fn without_indices_the_results_are_what_is_known_of_them() -> Result<()> {
        let double = || GeneralizedUfunc::new("double", "(n)->(n)", |x| Ok(vec![crate::add(&x[0], &x[0])?]));
        let none = zeros([0, 3], DType::F64)?;
        assert_eq!(double()?.call(&[&none]).unwrap_err().kind(), ErrorKind::Value);
        let made = double()?.with_results([DType::F32])?;
        assert_eq!((made.call(&[&none])?[0].shape(), made.call(&[&none])?[0].dtype()), (&[0, 3][..], DType::F32));
        assert_eq!(made.call(&[&array([1, 2])?])?[0].dtype(), DType::F32);
        assert_eq!(double()?.with_results([]).unwrap_err().kind(), ErrorKind::Value);
        Ok(())
    }
}
