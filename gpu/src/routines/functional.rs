//! Functional programming: `apply_along_axis`, `apply_over_axes`, `piecewise` and `vectorize`.
//!
//! They call a Rust function, on the host, with arrays of the device: the function launches kernels as any other code
//! does, and nothing is copied to the host unless the function reads elements.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use crate::array::Index;
use crate::array::{Array, AsArray, Axes, IntoArgument, IntoArrays, Operand, Operands};
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, normalize_axis, shape_text};
use crate::routines::{creation, indexing, logic, manipulation, math, searching};
use crate::scan::cumsum;
use crate::ufunc::{UfuncOptions, fuse, ufunc};

/// Applies a function to each 1-D slice of an array along an axis; NumPy's `apply_along_axis`. The axis is replaced by
/// those of the function's results, which all have the same shape; the first one determines the dtype.
///
/// Functions that take an axis, as most here do, need one launch where this needs one for each slice.
///
/// ```
/// let a = cuprum::array([[8, 1, 7], [4, 3, 9]])?;
/// let sorted = cuprum::apply_along_axis(|line| cuprum::sort(line, ()), 1, &a)?;
/// assert_eq!(sorted.to_vec::<i32>()?, [1, 7, 8, 3, 4, 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`], [`ErrorKind::Value`] where there are no slices or results differ in shape, and errors of the
/// function.
#[unrecorded("takes a function")]
pub fn apply_along_axis(
    mut func1d: impl FnMut(&Array) -> Result<Array>,
    axis: isize,
    arr: impl AsArray,
) -> Result<Array> {
    let mut go = || {
        let a = arr.as_array();
        let axis = normalize_axis(axis, a.ndim())?;
        let lines = a.moveaxis(axis as isize, -1)?;
        let outer: Vec<usize> = lines.shape()[..a.ndim() - 1].to_vec();
        let count: usize = outer.iter().product();
        if count == 0 {
            let shape = shape_text(a.shape());
            return Err(Error::new(
                ErrorKind::Value,
                format!("an array of shape {shape} has no lines along axis {axis}"),
            ));
        }
        let index_of = |mut i: usize| -> Vec<Index> {
            let mut index: Vec<Index> = outer
                .iter()
                .rev()
                .map(|n| {
                    let at = i % n;
                    i /= n;
                    Index::At(at as i64)
                })
                .collect();
            index.reverse();
            index
        };
        let mut all: Option<Array> = None;
        for i in 0..count {
            let result = func1d(&lines.index(index_of(i))?)?;
            let out = match &all {
                Some(out) => out,
                None => {
                    let shape: Vec<usize> = outer.iter().chain(result.shape()).copied().collect();
                    all.insert(make::empty(a.device(), &shape, result.dtype())?)
                }
            };
            let slot = out.index(index_of(i))?;
            if slot.shape() != result.shape() {
                let (first, this) = (shape_text(slot.shape()), shape_text(result.shape()));
                let message = format!("the function gave the shape {first} first and {this} later");
                return Err(Error::new(ErrorKind::Value, message));
            }
            slot.assign(&result)?;
        }
        let Some(out) = all else { return Ok(a.clone()) };
        let added = out.ndim() - outer.len();
        let source: Vec<isize> = (0..added).map(|k| (outer.len() + k) as isize).collect();
        let destination: Vec<isize> = (0..added).map(|k| (axis + k) as isize).collect();
        out.moveaxis(&source[..], &destination[..])
    };
    go().map_err(|e: Error| e.with_op("apply_along_axis"))
}

/// Applies a function over several axes in turn; NumPy's `apply_over_axes`. Its result has as many axes as its
/// argument, or one fewer, which is inserted again with length 1.
///
/// The dtype is that of the last result of the function.
///
/// ```
/// let a = cuprum::arange(0, 24, 1)?.reshape([2, 3, 4])?;
/// let sums = cuprum::apply_over_axes(|a, axis| cuprum::sum(a, axis), &a, (0, 2))?;
/// assert_eq!((sums.shape(), sums.to_vec::<i64>()?), (&[1, 3, 1][..], vec![60, 92, 124]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`], [`ErrorKind::Value`] for a result of another number of axes, and errors of the function.
#[unrecorded("takes a function")]
pub fn apply_over_axes(
    mut func: impl FnMut(&Array, isize) -> Result<Array>,
    a: impl AsArray,
    axes: impl IntoArgument<Axes>,
) -> Result<Array> {
    let go = || {
        let (mut value, axes) = (a.as_array().clone(), axes.into());
        let axes = match axes.as_slice() {
            Some(axes) => axes.to_vec(),
            None => (0..value.ndim() as isize).collect(),
        };
        for axis in axes {
            let axis = normalize_axis(axis, value.ndim())?;
            let result = func(&value, axis as isize)?;
            let same = result.ndim() == value.ndim();
            let result = if same { result } else { result.expand_dims(axis as isize)? };
            if result.ndim() != value.ndim() {
                let (one, other) = (shape_text(value.shape()), shape_text(result.shape()));
                let message = format!("of an array of shape {one} the function made one of shape {other}");
                return Err(Error::new(ErrorKind::Value, message));
            }
            value = result;
        }
        Ok(value)
    };
    go().map_err(|e: Error| e.with_op("apply_over_axes"))
}

/// A function of the elements at which a condition holds.
///
/// It is called once, with the selected elements in one axis, and returns as many elements, or one for all.
pub type PieceFunction<'a> = Box<dyn FnMut(&Array) -> Result<Array> + 'a>;

/// A piece of [`piecewise`]: the value of the elements at which a condition holds.
///
/// [`Piece::value`] and [`Piece::function`] create one.
pub enum Piece<'a> {
    /// A scalar, or an array with one value for each of these elements.
    Value(Operand<'a>),
    /// A function of these elements, in one axis.
    Function(PieceFunction<'a>),
}

impl std::fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Piece::Value(value) => f.debug_tuple("Value").field(value).finish(),
            Piece::Function(_) => f.write_str("Function"),
        }
    }
}

impl<'a> Piece<'a> {
    /// Creates a piece from a value.
    ///
    /// The value is a scalar, or an array that is broadcast to the selected elements.
    pub fn value(value: impl IntoArgument<Operand<'a>>) -> Piece<'a> {
        Piece::Value(value.into())
    }

    /// Creates a piece from a function.
    ///
    /// The function gets the selected elements in one axis and returns as many, or one for all; its errors are those of
    /// [`piecewise`](fn@piecewise). See there for an example.
    pub fn function(f: impl FnMut(&Array) -> Result<Array> + 'a) -> Piece<'a> {
        Piece::Function(Box::new(f))
    }
}

/// Evaluates a piecewise-defined function; NumPy's `piecewise`. Where a condition holds, the piece at the same position
/// defines the elements; if several hold, the last one does. One additional piece applies where no condition holds; by
/// default the result there is 0. It has the dtype of `x`.
///
/// ```
/// use cuprum::{Piece, array, less, piecewise};
/// let x = array([-2.0, -1.0, 3.0])?;
/// let pieces = [Piece::function(|x| cuprum::negative(x)), Piece::value(9.0)];
/// assert_eq!(piecewise(&x, [less(&x, 0)?], pieces)?.to_vec::<f64>()?, [2.0, 1.0, 9.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for another number of pieces, [`ErrorKind::Index`] for conditions of another shape, and errors
/// of the functions.
///
/// # Synchronization
///
/// Synchronises to count the elements for each function.
#[unrecorded("takes functions")]
pub fn piecewise<'a>(
    x: impl AsArray,
    condlist: impl IntoArrays,
    funclist: impl IntoIterator<Item = Piece<'a>>,
) -> Result<Array> {
    let go = || {
        let x = x.as_array();
        let mut conditions: Vec<Array> = condlist
            .into_iter()
            .map(|c| {
                if c.as_array().dtype() == DType::Bool {
                    Ok(c.as_array().clone())
                } else {
                    logic::not_equal(c.as_array(), 0)
                }
            })
            .collect::<Result<_>>()?;
        let pieces: Vec<Piece<'a>> = funclist.into_iter().collect();
        let n = conditions.len();
        if pieces.len() == n + 1 {
            let any = conditions.iter().skip(1).try_fold(conditions.first().cloned(), |any, c| match any {
                Some(any) => logic::logical_or(&any, c).map(Some),
                None => Ok(None),
            })?;
            let Some(any) = any else { return Err(Error::new(ErrorKind::Value, "there is no condition")) };
            conditions.push(logic::logical_not(&any)?);
        } else if pieces.len() != n {
            let message = format!("with {n} conditions there are {n} or {} pieces, not {}", n + 1, pieces.len());
            return Err(Error::new(ErrorKind::Value, message));
        }
        if let Some(c) = conditions.iter().find(|c| c.shape() != x.shape()) {
            let (one, other) = (shape_text(c.shape()), shape_text(x.shape()));
            let message = format!("a condition of shape {one} does not pick elements of shape {other}");
            return Err(Error::new(ErrorKind::Index, message));
        }
        let out = creation::zeros_like(x, None)?;
        for (condition, piece) in conditions.iter().zip(pieces) {
            let value = match piece {
                Piece::Value(Operand::Scalar(number)) => {
                    let value = make::full(x.device(), &[], number, x.dtype())?;
                    out.put_where(condition, &value)?;
                    continue;
                }
                Piece::Value(Operand::Array(value)) => value.clone(),
                Piece::Function(mut f) => {
                    let given = x.mask(condition)?;
                    if given.is_empty() {
                        continue;
                    }
                    f(&given)?
                }
            };
            out.put_where(condition, &value)?;
        }
        Ok(out)
    };
    go().map_err(|e: Error| e.with_op("piecewise"))
}

impl Array {
    /// Sets the elements at which a mask of the same shape holds: to one value, or to one value each, in C order.
    fn put_where(&self, mask: &Array, value: &Array) -> Result<()> {
        if value.size() == 1 {
            let value = value.reshape(())?.cast(self.dtype(), Order::C)?;
            let options = UfuncOptions { out: Some(self), where_: Some(mask), ..UfuncOptions::default() };
            return ufunc("copy")?.called(&[(&value).into()], &options).map(drop);
        }
        let positions = searching::flatnonzero(mask)?;
        if value.shape() != positions.shape() {
            let (has, wants) = (shape_text(value.shape()), shape_text(positions.shape()));
            let message = format!("values of shape {has} do not fill the {wants} elements of their condition");
            return Err(Error::new(ErrorKind::Value, message));
        }
        // The number of each selected element among the selected ones; for others any number will do.
        let number = cumsum(&mask.in_one_axis()?, ())?;
        let number = math::maximum(&math::subtract(&number, 1)?, 0)?;
        let spread = indexing::take(value, &number, ())?;
        let shape: Vec<i64> = self.shape().iter().map(|n| *n as i64).collect();
        let spread = spread.reshape(shape)?.cast(self.dtype(), Order::C)?;
        let options = UfuncOptions { out: Some(self), where_: Some(mask), ..UfuncOptions::default() };
        ufunc("copy")?.called(&[(&spread).into()], &options).map(drop)
    }
}

/// Wraps a function of arrays as a function of operands, which are converted to arrays and broadcast together before
/// each call; NumPy's `vectorize`. NumPy calls the function with elements; here it is called once with whole arrays, in
/// a scope of [`fuse`](crate::fuse()), so that its elementwise calls become one kernel.
/// [`GeneralizedUfunc`](crate::GeneralizedUfunc) is for functions of core axes.
///
/// ```
/// use cuprum::{Vectorize, array, greater, subtract, where_};
/// let f = Vectorize::new(|x| where_(greater(&x[0], &x[1])?, subtract(&x[0], &x[1])?, &x[1]));
/// let a = array([1, 2, 3, 4])?;
/// assert_eq!(f.call((&a, 2))?.to_vec::<i64>()?, [2, 2, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub struct Vectorize<F> {
    function: F,
    dtype: Option<DType>,
}

impl<F> std::fmt::Debug for Vectorize<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vectorize").field("dtype", &self.dtype).finish_non_exhaustive()
    }
}

impl<F: Fn(&[Array]) -> Result<Array>> Vectorize<F> {
    /// Wraps a function that takes arrays of one shape, and returns an array of that shape or a scalar for all
    /// elements.
    ///
    /// NumPy's `vectorize`. The function is called once with whole arrays, not once for each element: it
    /// consists of calls of this library.
    ///
    /// ```
    /// use cuprum::{Vectorize, array, maximum};
    /// let larger = Vectorize::new(|x| maximum(&x[0], &x[1]));
    /// let result = larger.call(&[&array([1, 5])?, &array([[4], [0]])?])?;
    /// assert_eq!(result.to_vec::<i32>()?, [4, 5, 1, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new(function: F) -> Vectorize<F> {
        Vectorize { function, dtype: None }
    }

    /// Sets the dtype to which results are cast; NumPy's `otypes`.
    ///
    /// ```
    /// use cuprum::{DType, Vectorize, array, add};
    /// let sum = Vectorize::new(|x| add(&x[0], &x[1])).dtype(DType::F32);
    /// assert_eq!(sum.call(&[&array([1])?, &array([2])?])?.dtype(), DType::F32);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn dtype(self, dtype: DType) -> Vectorize<F> {
        Vectorize { dtype: Some(dtype), ..self }
    }

    /// Calls the function.
    ///
    /// The result has the shape to which the arrays are broadcast, and the dtype that the function returns
    /// unless [`Vectorize::dtype`] sets one.
    ///
    /// ```
    /// use cuprum::{Vectorize, add, array};
    /// let sum = Vectorize::new(|x| add(&x[0], &x[1]));
    /// assert_eq!(sum.call((array([1, 2])?, 10))?.to_vec::<i64>()?, [11, 12]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for operands that cannot be broadcast and for a result of another shape, and errors of the
    /// function.
    pub fn call(&self, operands: impl Operands) -> Result<Array> {
        let go = || {
            let operands = operands.as_operands();
            let device = operands.iter().find_map(Operand::device);
            let arrays: Vec<Array> = operands.iter().map(|o| o.strong(device)).collect::<Result<_>>()?;
            let arrays = manipulation::broadcast_arrays(&arrays)?;
            let shape = arrays.first().map_or(&[][..], |a| a.shape());
            let result = fuse(|| {
                let result = (self.function)(&arrays)?;
                match self.dtype.filter(|dtype| *dtype != result.dtype()) {
                    Some(dtype) => result.cast(dtype, Order::K),
                    None => Ok(result),
                }
            })?;
            if result.shape() == shape {
                return Ok(result);
            }
            if result.ndim() > 0 {
                let (one, other) = (shape_text(shape), shape_text(result.shape()));
                let message = format!("of arrays of shape {one} the function made one of shape {other}");
                return Err(Error::new(ErrorKind::Value, message));
            }
            result.broadcast_to(shape)?.cast(result.dtype(), Order::C)
        };
        go().map_err(|e: Error| e.with_op("vectorize"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{array, sum};

    #[test]
    fn a_function_that_is_vectorised_gives_an_element_for_each() -> Result<()> {
        let a = array([1, 2, 3])?;
        let halved = Vectorize::new(|x| crate::divide(&x[0], 2)).dtype(DType::F32);
        assert_eq!(halved.call((&a,))?.to_vec::<f32>()?, [0.5, 1.0, 1.5]);
        assert_eq!(Vectorize::new(|_| array(7i64)).call((&a, 1))?.to_vec::<i64>()?, [7; 3]);
        let wrong = Vectorize::new(|x| sum(&x[0], ())?.reshape(1)).call((&a,)).unwrap_err();
        assert!(wrong.kind() == ErrorKind::Value && wrong.message().starts_with("vectorize: "), "{wrong}");
        Ok(())
    }
}
