//! Functions of functions.

use cuprum_kernels::DType;

use crate::array::Index;
use crate::array::{Array, AsArray, Axes, IntoArgument, Operand, Operands};
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, normalize_axes, normalize_axis, shape_text};
use crate::routines::{creation, indexing, logic, manipulation, math, searching};
use crate::scan::cumsum;
use crate::ufunc::{UfuncOptions, fuse, ufunc};

/// Calls a function with each line of an array along an axis; NumPy's `apply_along_axis`. The axes of what it returns, which
/// has the same shape each time and the dtype of the first time, take the place of that axis.
///
/// A function that takes an axis itself, as most here do, does in one launch what is one for each line this way.
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
/// [`ErrorKind::Axis`], [`ErrorKind::Value`] where there is no line or results differ in shape, and what the function
/// returns.
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
        let place = |mut i: usize| -> Vec<Index> {
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
            let result = func1d(&lines.index(place(i))?)?;
            let out = match &all {
                Some(out) => out,
                None => {
                    let shape: Vec<usize> = outer.iter().chain(result.shape()).copied().collect();
                    all.insert(make::empty(a.device(), &shape, result.dtype())?)
                }
            };
            let slot = out.index(place(i))?;
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

/// Calls a function over one axis after the other; NumPy's `apply_over_axes`. What it returns has as many axes as it was
/// given, or one less, which is put back with length 1.
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
/// [`ErrorKind::Axis`], [`ErrorKind::Value`] for a result of another number of axes, and what the function returns.
pub fn apply_over_axes(
    mut func: impl FnMut(&Array, isize) -> Result<Array>,
    a: impl AsArray,
    axes: impl IntoArgument<Axes>,
) -> Result<Array> {
    let go = || {
        let (mut value, axes) = (a.as_array().clone(), axes.into());
        let axes = match axes.as_slice() {
            Some(axes) => normalize_axes(axes, value.ndim())?,
            None => (0..value.ndim()).collect(),
        };
        for axis in axes {
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

/// A function of the elements of a condition.
pub type PieceFunction<'a> = Box<dyn FnMut(&Array) -> Result<Array> + 'a>;

/// What [`piecewise`] has for the elements of a condition.
pub enum Piece<'a> {
    /// A number, or an array of as many elements as there are.
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
    /// A value.
    pub fn value(value: impl IntoArgument<Operand<'a>>) -> Piece<'a> {
        Piece::Value(value.into())
    }

    /// A function.
    pub fn function(f: impl FnMut(&Array) -> Result<Array> + 'a) -> Piece<'a> {
        Piece::Function(Box::new(f))
    }
}

/// A function that is another one on each part of its domain; NumPy's `piecewise`. Where a condition holds, the piece of
/// the same place gives the elements; of several, the last one. One piece more than conditions stands for where none
/// holds; elsewhere the result is 0. It has the dtype of `x`.
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
/// [`ErrorKind::Value`] for another number of pieces, [`ErrorKind::Index`] for conditions of another shape, and what the
/// functions return.
///
/// # Synchronization
///
/// The host waits to know how many elements a function is given.
pub fn piecewise<'a>(
    x: impl AsArray,
    condlist: impl IntoIterator<Item = impl AsArray>,
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
    /// Sets the elements at which a mask of the same shape holds: to one value, or to as many as there are, in C order.
    fn put_where(&self, mask: &Array, value: &Array) -> Result<()> {
        if value.size() == 1 {
            let value = value.reshape(())?.cast(self.dtype(), Order::C)?;
            let told = UfuncOptions { out: Some(self), where_: Some(mask), ..UfuncOptions::default() };
            return ufunc("copy")?.called(&[(&value).into()], &told).map(drop);
        }
        let places = searching::flatnonzero(mask)?;
        if value.shape() != places.shape() {
            let (has, wants) = (shape_text(value.shape()), shape_text(places.shape()));
            let message = format!("values of shape {has} do not fill the {wants} elements of their condition");
            return Err(Error::new(ErrorKind::Value, message));
        }
        // Each element's number among those that are set: what is not set takes any.
        let number = cumsum(&mask.in_one_axis()?, ())?;
        let number = math::maximum(&math::subtract(&number, 1)?, 0)?;
        let spread = indexing::take(value, &number, ())?;
        let shape: Vec<i64> = self.shape().iter().map(|n| *n as i64).collect();
        let spread = spread.reshape(shape)?.cast(self.dtype(), Order::C)?;
        let told = UfuncOptions { out: Some(self), where_: Some(mask), ..UfuncOptions::default() };
        ufunc("copy")?.called(&[(&spread).into()], &told).map(drop)
    }
}

/// A function of arrays as a function of operands: they become arrays and are broadcast together before each call. NumPy's
/// `vectorize`, whose function is called with elements; here it is called once with all of them, in a scope of
/// [`fuse`](crate::fuse()), so that its elementwise calls are one kernel. A function of the last axes is a
/// [`GeneralizedUfunc`](crate::GeneralizedUfunc).
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
    /// Of a function that is given arrays of one shape, and gives one of that shape, or a number for all elements.
    pub fn new(function: F) -> Vectorize<F> {
        Vectorize { function, dtype: None }
    }

    /// The same, whose results are cast to a dtype; NumPy's `otypes`.
    pub fn dtype(self, dtype: DType) -> Vectorize<F> {
        Vectorize { dtype: Some(dtype), ..self }
    }

    /// Calls it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for operands that do not broadcast and for a result of another shape, and what the function returns.
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
        let halves = Vectorize::new(|x| crate::divide(&x[0], 2)).dtype(DType::F32);
        assert_eq!(halves.call((&a,))?.to_vec::<f32>()?, [0.5, 1.0, 1.5]);
        assert_eq!(Vectorize::new(|_| array(7i64)).call((&a, 1))?.to_vec::<i64>()?, [7; 3]);
        let wrong = Vectorize::new(|x| sum(&x[0], ())?.reshape(1)).call((&a,)).unwrap_err();
        assert!(wrong.kind() == ErrorKind::Value && wrong.message().starts_with("vectorize: "), "{wrong}");
        Ok(())
    }
}
