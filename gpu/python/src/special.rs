//! Functions whose Python signature differs from the table: with additional parameters, or any number of arrays.

use cuprum::{Array, Block, CreationOptions, DType, Order};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::array::{NdArray, order as order_of};
use crate::convert::{self, Copying, array_of, wrap};
use crate::dtypes;
use crate::errors::{OrRaise, type_error};
use crate::functions::Function;
use crate::shapes;
use crate::transfer::on_device;

/// Returns the object itself if it is an array of the package, else an array of it.
pub(crate) fn array<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
    match object.cast::<NdArray>() {
        Ok(a) => crate::nonnumeric::reject(object).map(|()| a.clone()),
        Err(_) => wrap(object.py(), convert::as_array(object, None)?),
    }
}

/// Returns the elements in another shape: a view if possible. `newshape` is CuPy's name of `shape`.
#[pyfunction]
#[pyo3(
    signature = (a, /, shape=None, order="C", *, copy=None, newshape=None),
    text_signature = "(a, /, shape, order='C', *, copy=None)"
)]
fn reshape<'py>(
    a: &Bound<'py, PyAny>,
    shape: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    copy: Option<Copying>,
    newshape: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    let shape = match (shape, newshape) {
        (Some(shape), None) | (None, Some(shape)) => shape,
        (None, None) => return type_error("reshape() missing 1 required positional argument: 'shape'"),
        (Some(_), Some(_)) => return type_error("reshape() takes 'shape' or 'newshape', not both"),
    };
    let copy = copy.and_then(|Copying(copy)| copy);
    shapes::reshaped(&array(a)?, &convert::lengths(shape)?, order_of(order, Order::C)?, copy)
}

/// Returns the elements in one axis: a view if possible.
#[pyfunction]
#[pyo3(signature = (a, order="C"))]
fn ravel<'py>(a: &Bound<'py, PyAny>, order: Option<&str>) -> PyResult<Bound<'py, NdArray>> {
    shapes::ravelled(&array(a)?, order_of(order, Order::C)?)
}

/// Returns the imaginary parts: a view for complex dtypes, zeros for others.
#[pyfunction]
fn imag<'py>(val: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    array(val)?.getattr("imag")
}

/// Casts the elements to another dtype; returns the array itself if nothing is to be done and `copy` is false.
#[pyfunction]
#[pyo3(signature = (x, dtype, /, *, copy=true, device=None))]
fn astype<'py>(
    x: &Bound<'py, NdArray>,
    dtype: &Bound<'py, PyAny>,
    copy: bool,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    crate::nonnumeric::reject(x)?;
    let (a, dtype) = (x.get().array(), dtypes::of(dtype)?);
    if !copy && a.dtype() == dtype {
        return Ok(x.clone());
    }
    crate::warnings::complex_to_real(x.py(), a.dtype(), dtype)?;
    on_device(x.py(), device, || wrap(x.py(), a.astype(dtype).or_raise()?))
}

/// Options of the `_like` functions.
struct Like {
    shape: Option<smallvec::SmallVec<[isize; 8]>>,
    /// The axes from the slowest to the fastest, for another shape with as many axes in the layout of the prototype.
    axes: Option<Vec<isize>>,
    options: CreationOptions,
}

impl Like {
    fn of(
        a: &Array,
        dtype: Option<&Bound<'_, PyAny>>,
        order: Option<&str>,
        shape: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Like> {
        let dtype = dtypes::optional(dtype)?.unwrap_or(a.dtype());
        let order = order_of(order, Order::K)?;
        let options = CreationOptions::new().dtype(dtype);
        let Some(shape) = shape.filter(|s| !s.is_none()) else {
            return Ok(Like { shape: None, axes: None, options: options.order(order) });
        };
        let shape = convert::lengths(shape)?;
        let fortran = a.is_f_contiguous() && !a.is_c_contiguous();
        let axes = (order == Order::K && shape.len() == a.ndim() && !a.is_c_contiguous()).then(|| {
            let mut axes: Vec<isize> = (0..a.ndim() as isize).collect();
            axes.sort_by_key(|axis| std::cmp::Reverse(a.strides()[*axis as usize].unsigned_abs()));
            axes
        });
        let order = match order {
            Order::A if fortran => Order::F,
            Order::F => Order::F,
            _ => Order::C,
        };
        Ok(Like { shape: Some(shape), axes, options: options.order(order) })
    }

    fn empty(&self, a: &Array) -> PyResult<Array> {
        match (&self.shape, &self.axes) {
            (Some(shape), Some(axes)) => {
                let dense: Vec<isize> = axes.iter().map(|axis| shape[*axis as usize]).collect();
                let mut back = vec![0; axes.len()];
                for (at, axis) in axes.iter().enumerate() {
                    back[*axis as usize] = at as isize;
                }
                cuprum::empty(&dense[..], self.options).and_then(|made| made.transpose(&back[..])).or_raise()
            }
            (Some(shape), None) => cuprum::empty(&shape[..], self.options).or_raise(),
            (None, _) => cuprum::empty_like(a, self.options).or_raise(),
        }
    }
}

/// Creates an array with the shape and the dtype of a prototype unless overridden, on a device; `fill` writes its
/// elements.
fn like<'py>(
    object: &Bound<'py, PyAny>,
    properties: [Option<&Bound<'py, PyAny>>; 3],
    order: Option<&str>,
    fill: impl FnOnce(&Array) -> PyResult<()>,
) -> PyResult<Bound<'py, NdArray>> {
    let (of, [dtype, shape, device]) = (array(object)?, properties);
    let a = of.get().array();
    on_device(of.py(), device, || {
        let out = Like::of(a, dtype, order, shape)?.empty(a)?;
        fill(&out)?;
        wrap(of.py(), out)
    })
}

/// Returns a new uninitialised array with the shape and the dtype of another.
#[pyfunction]
#[pyo3(signature = (prototype, /, dtype=None, order="K", subok=None, shape=None, *, device=None))]
fn empty_like<'py>(
    prototype: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    subok: Option<bool>,
    shape: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    let _ = subok;
    like(prototype, [dtype, shape, device], order, |_| Ok(()))
}

/// Returns a new array of zeros with the shape and the dtype of another.
#[pyfunction]
#[pyo3(signature = (a, dtype=None, order="K", subok=None, shape=None, *, device=None))]
fn zeros_like<'py>(
    a: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    subok: Option<bool>,
    shape: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    let _ = subok;
    like(a, [dtype, shape, device], order, |out| out.fill(0).or_raise())
}

/// Returns a new array of ones with the shape and the dtype of another.
#[pyfunction]
#[pyo3(signature = (a, dtype=None, order="K", subok=None, shape=None, *, device=None))]
fn ones_like<'py>(
    a: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    subok: Option<bool>,
    shape: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    let _ = subok;
    like(a, [dtype, shape, device], order, |out| out.fill(1).or_raise())
}

/// Returns a new array filled with a value, with the shape and the dtype of another.
#[pyfunction]
#[pyo3(signature = (a, fill_value, dtype=None, order="K", subok=None, shape=None, *, device=None))]
fn full_like<'py>(
    a: &Bound<'py, PyAny>,
    fill_value: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    subok: Option<bool>,
    shape: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    let _ = subok;
    like(a, [dtype, shape, device], order, |out| crate::indexing::fill(out, fill_value))
}

/// Returns the array, or a copy of it, in a memory order, with at least one axis.
fn contiguous<'py>(
    a: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    order: &str,
) -> PyResult<Bound<'py, NdArray>> {
    let made = crate::creation::asarray(a, dtype, Some(order), None, None, false)?;
    if made.get().array().ndim() == 0 {
        return shapes::shown(&made, made.get().array().reshape([1]).or_raise()?);
    }
    Ok(made)
}

/// Converts the object to an array in C order; returns it unchanged if it is one.
#[pyfunction]
#[pyo3(signature = (a, dtype=None))]
fn ascontiguousarray<'py>(a: &Bound<'py, PyAny>, dtype: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, NdArray>> {
    contiguous(a, dtype, "C")
}

/// Converts the object to an array in Fortran order; returns it unchanged if it is one.
#[pyfunction]
#[pyo3(signature = (a, dtype=None))]
fn asfortranarray<'py>(a: &Bound<'py, PyAny>, dtype: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, NdArray>> {
    contiguous(a, dtype, "F")
}

/// A function of the table, looked up at its first call.
pub(crate) struct CachedFunction(pub(crate) &'static str, pub(crate) PyOnceLock<Function>);

impl CachedFunction {
    pub(crate) fn call<'py>(
        &'static self,
        py: Python<'py>,
        arguments: &[Bound<'py, PyAny>],
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call_with(py, arguments, &[])
    }

    pub(crate) fn call_with<'py>(
        &'static self,
        py: Python<'py>,
        arguments: &[Bound<'py, PyAny>],
        keywords: &[(Bound<'py, PyString>, Bound<'py, PyAny>)],
    ) -> PyResult<Bound<'py, PyAny>> {
        self.1.get_or_try_init(py, || Function::found(py, self.0))?.call(py, None, arguments, keywords)
    }
}

/// Selects elements of `x` where the condition is true, of `y` elsewhere; of the condition alone returns the indices
/// where it is true.
#[pyfunction(name = "where")]
#[pyo3(signature = (condition, x=None, y=None, /))]
fn choose<'py>(
    condition: &Bound<'py, PyAny>,
    x: Option<&Bound<'py, PyAny>>,
    y: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    static WHERE: CachedFunction = CachedFunction("numpy.where", PyOnceLock::new());
    static NONZERO: CachedFunction = CachedFunction("numpy.nonzero", PyOnceLock::new());
    let py = condition.py();
    match (x, y) {
        (Some(x), Some(y)) => WHERE.call(py, &[condition.clone(), x.clone(), y.clone()]),
        (None, None) => NONZERO.call(py, std::slice::from_ref(condition)),
        _ => crate::errors::value_error("either both or neither of x and y should be given"),
    }
}

/// Converts nested lists of arrays; a list of scalars is one of blocks, too.
fn blocks(arrays: &Bound<'_, PyAny>) -> PyResult<Block> {
    convert::not_too_deep(arrays)?;
    if arrays.is_instance_of::<PyTuple>() {
        return type_error("block: arrays are in lists, not in tuples");
    }
    match arrays.cast::<PyList>() {
        Ok(list) => Ok(Block::Several(list.iter().map(|one| blocks(&one)).collect::<PyResult<_>>()?)),
        Err(_) => convert::as_array(arrays, None).map(Block::One),
    }
}

/// Assembles an array from nested lists of blocks: those of the innermost lists along the last axis.
#[pyfunction]
fn block<'py>(arrays: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
    wrap(arrays.py(), cuprum::block(blocks(arrays)?).or_raise()?)
}

/// Adds axes up to a minimum number: one array as it is, several in a tuple.
fn at_least<'py>(
    arrays: &Bound<'py, PyTuple>,
    axes: impl Fn(&Array) -> Option<Vec<usize>>,
) -> PyResult<Bound<'py, PyAny>> {
    let one = |object: Bound<'py, PyAny>| -> PyResult<Bound<'py, NdArray>> {
        let of = array(&object)?;
        match axes(of.get().array()) {
            None => Ok(of),
            Some(shape) => shapes::shown(&of, of.get().array().reshape(&shape[..]).or_raise()?),
        }
    };
    if arrays.len() == 1 {
        return Ok(one(arrays.get_item(0)?)?.into_any());
    }
    let all = arrays.iter().map(one).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(arrays.py(), all)?.into_any())
}

/// Returns the arrays with at least one axis.
#[pyfunction]
#[pyo3(signature = (*arys))]
fn atleast_1d<'py>(arys: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    at_least(arys, |a| (a.ndim() < 1).then(|| vec![1]))
}

/// Returns the arrays with at least two axes; new ones are prepended.
#[pyfunction]
#[pyo3(signature = (*arys))]
fn atleast_2d<'py>(arys: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    at_least(arys, |a| (a.ndim() < 2).then(|| vec![1, a.size()]))
}

/// Returns the arrays with at least three axes; one axis becomes the second of three, two the first ones.
#[pyfunction]
#[pyo3(signature = (*arys))]
fn atleast_3d<'py>(arys: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    at_least(arys, |a| match a.shape() {
        [] => Some(vec![1, 1, 1]),
        [n] => Some(vec![1, *n, 1]),
        [m, n] => Some(vec![*m, *n, 1]),
        _ => None,
    })
}

/// Returns true if a casting rule allows a cast.
#[pyfunction]
#[pyo3(signature = (from_, to, casting="safe"))]
fn can_cast(from_: &Bound<'_, PyAny>, to: &Bound<'_, PyAny>, casting: &str) -> PyResult<bool> {
    if from_.is_none() || to.is_none() {
        return type_error("can_cast: a dtype is expected, not None");
    }
    let from = match array_of(from_) {
        Some(a) => a.dtype(),
        None if convert::python_number(from_)?.is_some() => {
            let said =
                "can_cast: a number of Python's has no dtype of its own: give a dtype, an array or a number of NumPy's";
            return type_error(said);
        }
        None => match convert::numpy_number(from_)? {
            Some((dtype, _)) => dtype,
            None => dtypes::of(from_)?,
        },
    };
    Ok(cuprum::can_cast(from, dtypes::of(to)?, shapes::casting_of(Some(casting))?))
}

/// Returns the smallest dtype to which both can be cast safely.
#[pyfunction]
#[pyo3(signature = (type1, type2, /))]
fn promote_types<'py>(type1: &Bound<'py, PyAny>, type2: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let promoted: DType = cuprum::promote_types(dtypes::of(type1)?, dtypes::of(type2)?);
    Ok(dtypes::object(type1.py(), promoted)?.clone().into_any())
}

/// Adds the functions of this file, by their names.
pub(crate) fn add(module: &Bound<'_, PyModule>, names: &Bound<'_, PyDict>) -> PyResult<()> {
    macro_rules! all {
        ($($function:path),+ $(,)?) => {
            [$(wrap_pyfunction!($function, module)?),+]
        };
    }
    let functions = all![
        reshape,
        ravel,
        imag,
        astype,
        empty_like,
        zeros_like,
        ones_like,
        full_like,
        ascontiguousarray,
        asfortranarray,
        choose,
        block,
        atleast_1d,
        atleast_2d,
        atleast_3d,
        can_cast,
        crate::insertion::delete,
        crate::insertion::insert,
        promote_types,
    ];
    for function in functions {
        names.set_item(function.getattr("__name__")?, &function)?;
    }
    Ok(())
}
