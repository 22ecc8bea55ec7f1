//! Searching: `nonzero`, `argwhere`, `extract`, `compress`, boolean masks, `searchsorted`, `digitize`.

use std::cmp::Ordering;

use cuprum_kernels::{DType, Kind};
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{self, Order, axis_index};
use crate::core::promote::promote_types;
use crate::core::value::{Value, cast};
use crate::table::counterparts;
use crate::ufunc::methods::strong;

/// Returns all indices of a shape, in C order.
pub(crate) fn multi_indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let longer = |all: Vec<Vec<usize>>, n: &usize| {
        let more = |index: &Vec<usize>| (0..*n).map(|i| [index.as_slice(), &[i]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(more).collect()
    };
    shape.iter().fold(vec![vec![]], longer)
}

fn true_indices(a: &NdArray) -> Vec<Vec<usize>> {
    let found = multi_indices(a.shape()).into_iter().zip(a.values());
    found.filter(|(_, v)| v.truth()).map(|(index, _)| index).collect()
}

fn ints(values: impl IntoIterator<Item = usize>) -> impl Iterator<Item = Value> {
    values.into_iter().map(|i| Value::Int(i as i128))
}

/// Computes NumPy's `nonzero`: an array for each axis, columns of one array.
///
/// # Errors
///
/// `ValueError` for an array of no axes.
pub fn nonzero(a: &NdArray) -> Result<Vec<NdArray>> {
    if a.ndim() == 0 {
        return fail(ErrorKind::Value, "nonzero is not for arrays of no axes");
    }
    let found = true_indices(a);
    let all = NdArray::from_values(DType::I64, &[found.len(), a.ndim()], ints(found.into_iter().flatten()))?;
    (0..a.ndim() as isize).map(|axis| all.index(&[Index::Ellipsis, Index::At(axis)])).collect()
}

/// Computes NumPy's `flatnonzero`.
///
/// # Errors
///
/// None.
pub fn flatnonzero(a: &NdArray) -> Result<NdArray> {
    let found: Vec<usize> = a.values().iter().enumerate().filter(|(_, v)| v.truth()).map(|(i, _)| i).collect();
    NdArray::from_values(DType::I64, &[found.len()], ints(found))
}

/// Computes NumPy's `argwhere`, in Fortran order.
///
/// # Errors
///
/// None.
pub fn argwhere(a: &NdArray) -> Result<NdArray> {
    let found = true_indices(a);
    let shape = [found.len(), a.ndim()];
    let values: Vec<Value> = ints(found.into_iter().flatten()).collect();
    Ok(NdArray::from_order(DType::I64, &shape, &[1, 0], &values))
}

/// Computes NumPy's `extract`.
///
/// # Errors
///
/// `IndexError` where the condition holds after the last element.
pub fn extract(condition: &NdArray, a: &NdArray) -> Result<NdArray> {
    let found = within(condition, a.size())?;
    let values = a.values();
    NdArray::from_values(a.dtype(), &[found.len()], found.iter().map(|i| values[*i]))
}

/// Returns the flat indices, in C order, at which a condition holds, all of them below `n`.
fn within(condition: &NdArray, n: usize) -> Result<Vec<usize>> {
    let found: Vec<usize> = flatnonzero(condition)?.values().iter().map(|v| v.int() as usize).collect();
    if found.iter().any(|i| *i >= n) {
        return fail(ErrorKind::Index, format!("the condition holds beyond the last of {n} elements"));
    }
    Ok(found)
}

/// Computes NumPy's `compress`.
///
/// # Errors
///
/// `ValueError` for a condition that does not have one axis, `AxisError` for an axis that does not exist, `IndexError`
/// where the condition holds after the end of the axis.
pub fn compress(condition: &NdArray, a: &NdArray, axis: Option<isize>) -> Result<NdArray> {
    if condition.ndim() != 1 {
        return fail(ErrorKind::Value, "the condition must have one axis");
    }
    let Some(axis) = axis else { return extract(condition, a) };
    let axis = axis_index(axis, a.ndim().max(1))?;
    if a.ndim() == 0 {
        return extract(condition, a);
    }
    let found = within(condition, a.shape()[axis])?;
    let mut shape = a.shape().to_vec();
    shape[axis] = found.len();
    let values = multi_indices(&shape).into_iter().map(|mut index| {
        index[axis] = found[index[axis]];
        a.get(&index)
    });
    NdArray::from_values(a.dtype(), &shape, values)
}

impl NdArray {
    /// Computes NumPy's `a[mask]`.
    ///
    /// # Errors
    ///
    /// `IndexError` where the mask's shape is not that of the first axes; `TypeError` for a mask that is not boolean,
    /// which in NumPy would be an index of another kind.
    pub fn mask(&self, mask: &NdArray) -> Result<NdArray> {
        if mask.dtype() != DType::Bool {
            return fail(ErrorKind::Type, "a mask is boolean");
        }
        let axes = mask.ndim();
        if axes > self.ndim() || mask.shape() != &self.shape()[..axes] {
            return fail(ErrorKind::Index, "the shape of a mask is that of the array, or of its first axes");
        }
        let found = true_indices(mask);
        let rest = self.shape()[axes..].to_vec();
        let inner = multi_indices(&rest);
        let of = |index: &Vec<usize>| -> Vec<Value> {
            inner.iter().map(|i| self.get(&[index.as_slice(), i].concat())).collect()
        };
        let values: Vec<Value> = found.iter().flat_map(of).collect();
        // The axis of the selected elements is outermost; the other axes keep their order.
        let order = self.view(rest.clone(), self.strides()[axes..].to_vec(), self.offset()).order_axes(Order::K);
        let shape = [vec![found.len()], rest].concat();
        let order: Vec<usize> = [0].into_iter().chain(order.into_iter().map(|x| x + 1)).collect();
        Ok(NdArray::from_order(self.dtype(), &shape, &order, &values))
    }
}

/// Compares in NumPy's sort order: NaN last; complex numbers by their real parts, then by their imaginary parts, those
/// without a NaN first, then those with one in the imaginary part, then those with one in the real part.
pub fn sort_order(a: &Value, b: &Value) -> Ordering {
    let floats = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(a.is_nan().cmp(&b.is_nan()));
    match (a, b) {
        (Value::Complex(a), Value::Complex(b)) => {
            let class = |z: &Complex64| (z.re.is_nan(), z.im.is_nan());
            class(a).cmp(&class(b)).then(floats(a.re, b.re)).then(floats(a.im, b.im))
        }
        (Value::Float(a), Value::Float(b)) => floats(*a, *b),
        (a, b) => a.int().cmp(&b.int()),
    }
}

/// Computes NumPy's `searchsorted`, in an array that is sorted or that `sorter` sorts.
///
/// # Errors
///
/// `ValueError` where the array does not have one axis, the sorter has another length or an index out of bounds;
/// `TypeError` for a sorter of a dtype other than signed or small unsigned integers.
pub fn searchsorted(a: &NdArray, v: &NdArray, right: bool, sorter: Option<&NdArray>) -> Result<NdArray> {
    if a.ndim() != 1 {
        return fail(ErrorKind::Value, "what is searched has one axis");
    }
    let dtype = promote_types(a.dtype(), v.dtype());
    let to = |x: &Value| cast(*x, dtype).0;
    let mut values: Vec<Value> = a.values().iter().map(to).collect();
    if let Some(sorter) = sorter {
        if !matches!(sorter.dtype().kind(), Kind::Signed | Kind::Unsigned) {
            return fail(ErrorKind::Type, "the sorter holds integers");
        }
        if sorter.ndim() != 1 || sorter.size() != a.size() {
            return fail(ErrorKind::Value, "the sorter has an index for each element");
        }
        let indices = sorter.values();
        if indices.iter().any(|i| i.int() < 0 || i.int() >= a.size() as i128) {
            return fail(ErrorKind::Value, "the sorter has an index that is out of bounds");
        }
        values = indices.iter().map(|i| values[i.int() as usize]).collect();
    }
    let index = |x: &Value| {
        let x = to(x);
        let before = |e: &&Value| match sort_order(e, &x) {
            Ordering::Less => true,
            Ordering::Equal => right,
            Ordering::Greater => false,
        };
        values.iter().take_while(before).count()
    };
    NdArray::from_values(DType::I64, v.shape(), ints(v.values().iter().map(index)))
}

/// Computes NumPy's `digitize`.
///
/// # Errors
///
/// `TypeError` for complex numbers, `ValueError` for edges that do not have one axis or are not monotonic.
pub fn digitize(x: &NdArray, bins: &NdArray, right: bool) -> Result<NdArray> {
    if x.dtype().is_complex() {
        return fail(ErrorKind::Type, "complex numbers belong in no bin");
    }
    if bins.ndim() != 1 {
        return fail(ErrorKind::Value, "the edges have one axis");
    }
    if bins.dtype().is_complex() {
        return fail(ErrorKind::Type, "edges are real");
    }
    let edges: Vec<f64> = bins.values().iter().map(|v| v.float()).collect();
    let Some(rising) = direction(&edges) else {
        return fail(ErrorKind::Value, "the edges must rise or fall all the way");
    };
    if rising {
        return searchsorted(bins, x, !right, None);
    }
    let reversed = bins.index(&[Index::Slice(None, None, Some(-1))])?;
    let found = searchsorted(&reversed, x, !right, None)?;
    let n = bins.size() as i128;
    NdArray::from_values(DType::I64, x.shape(), found.values().iter().map(|v| Value::Int(n - v.int())))
}

/// Returns true if edges are non-decreasing, false if non-increasing; `None` if neither. The first step that changes
/// decides the direction; a NaN is not an increase.
pub(crate) fn direction(edges: &[f64]) -> Option<bool> {
    let first = edges.windows(2).position(|w| w[0] != w[1]);
    let Some(first) = first else { return Some(true) };
    let rising = edges[first] < edges[first + 1];
    let wrong = |w: &[f64]| if rising { w[0] > w[1] } else { w[0] < w[1] };
    (!edges[first + 1..].windows(2).any(wrong)).then_some(rising)
}

/// Returns the indices that sort a 1-D array, equal elements in their order.
pub fn sorting_indices(a: &NdArray) -> Vec<usize> {
    let values = a.values();
    let mut order = layout::c_order(values.len());
    order.sort_by(|i, j| sort_order(&values[*i], &values[*j]));
    order
}

counterparts! {
    "numpy.nonzero" = |t| nonzero(t.get("a")?);
    "numpy.flatnonzero" = |t| flatnonzero(t.get("a")?);
    "numpy.argwhere" = |t| argwhere(t.get("a")?);
    "numpy.extract" = |t| extract(t.get("condition")?, t.get("arr")?);
    "numpy.compress" = |t| {
        let a: &NdArray = t.get("a")?;
        crate::numpy::indexing::take::into(compress(t.get("condition")?, a, t.get("axis")?), a, t.get("out")?)
    };
    "numpy.ndarray.mask" = |t| t.get::<&NdArray>("a")?.mask(t.get("mask")?);
    "numpy.searchsorted" = |t| {
        // A scalar becomes an array of its default dtype.
        let v = strong(&t.get("v")?)?;
        searchsorted(t.get("a")?, &v, t.or("side", "left")? == "right", t.get("sorter")?)
    };
    "numpy.digitize" = |t| digitize(t.get("x")?, t.get("bins")?, t.or("right", false)?);
}
