//! Set operations: `unique`, `union1d`, `intersect1d`, `setdiff1d`, `setxor1d`, `isin`.

use std::cmp::Ordering;

use cuprum_kernels::DType;

use crate::core::array::NdArray;
use crate::core::error::Result;
use crate::core::layout::{Order, axis_index};
use crate::core::promote::promote_types;
use crate::core::value::{Flag, Value, cast};
use crate::numpy::sorting::{order, sorting_positions};
use crate::table::counterparts;

/// Options of [`unique`].
#[derive(Clone, Copy, Debug, Default)]
pub struct UniqueOptions {
    /// Returns the first index of each element.
    pub index: bool,
    /// Returns the inverse: for each element its index in the result.
    pub inverse: bool,
    /// Returns the number of occurrences.
    pub counts: bool,
    /// The axis whose subarrays are compared.
    pub axis: Option<isize>,
    /// Treats NaNs as distinct.
    pub nan_differs: bool,
}

/// Returns true if two elements are equal in the sense of `==`: NaN never is.
fn equal(a: &Value, b: &Value) -> bool {
    !a.is_nan() && order(a, b) == Ordering::Equal
}

/// Creates an int64 array.
fn numbers(shape: &[usize], numbers: impl IntoIterator<Item = usize>) -> Result<NdArray> {
    NdArray::from_values(DType::I64, shape, numbers.into_iter().map(|i| Value::Int(i as i128)))
}

fn row(dtype: DType, values: Vec<Value>) -> Result<NdArray> {
    NdArray::from_values(dtype, &[values.len()], values)
}

/// Groups equal neighbours among elements in the order of `positions`.
fn groups(positions: &[usize], same: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![];
    for &i in positions {
        match groups.last_mut() {
            Some(group) if same(group[0], i) => group.push(i),
            _ => groups.push(vec![i]),
        }
    }
    groups
}

/// Computes the optional results from groups of positions: index, inverse and counts.
fn rest(groups: &[Vec<usize>], n: usize, shape: &[usize], options: &UniqueOptions) -> Result<Vec<NdArray>> {
    let mut results = vec![];
    if options.index {
        results.push(numbers(&[groups.len()], groups.iter().map(|g| g[0]))?);
    }
    if options.inverse {
        let mut inverse = vec![0; n];
        for (k, group) in groups.iter().enumerate() {
            group.iter().for_each(|&i| inverse[i] = k);
        }
        results.push(numbers(shape, inverse)?);
    }
    if options.counts {
        results.push(numbers(&[groups.len()], groups.iter().map(Vec::len))?);
    }
    Ok(results)
}

/// Returns the sorted distinct elements, followed by the optional results.
///
/// # Errors
///
/// `AxisError` for an axis that does not exist.
pub fn unique(a: &NdArray, options: &UniqueOptions) -> Result<Vec<NdArray>> {
    if let Some(axis) = options.axis {
        let axis = axis_index(axis, a.ndim())?;
        if a.ndim() > 1 {
            return unique_parts(a, axis, options);
        }
    }
    let values = a.values();
    let positions = sorting_positions(&values);
    let one_nan = !options.nan_differs;
    let same = |i: usize, j: usize| {
        let (x, y) = (&values[i], &values[j]);
        equal(x, y) || (one_nan && x.is_nan() && y.is_nan())
    };
    let groups = groups(&positions, same);
    let plain = !(options.index || options.inverse || options.counts);
    // Without optional results, NumPy keeps elements in their order: the first NaN represents all of them.
    let chosen = |group: &Vec<usize>| if plain { group.iter().copied().min().unwrap_or(0) } else { group[0] };
    let chosen: Vec<Value> = groups.iter().map(|g| values[chosen(g)]).collect();
    // The first of two equal zeros is determined by NumPy's stable sort, which it uses for the index only.
    let zero = |v: &Value| match v {
        Value::Float(x) => *x == 0.0,
        Value::Complex(z) => z.re == 0.0 || z.im == 0.0,
        _ => false,
    };
    let flag = |v: &Value| if zero(v) && !options.index { Flag::AnySign } else { Flag::Exact };
    let flags = chosen.iter().map(flag).collect();
    let mut results = vec![row(a.dtype(), chosen)?.with_flags(flags)];
    results.extend(rest(&groups, values.len(), a.shape(), options)?);
    if options.inverse && !one_nan && !options.index {
        // Complex NaNs, which are not equal and have no order, keep the order of NumPy's unstable sort. Here they keep
        // their own.
        let flags = values.iter().map(|v| if v.is_nan() { Flag::Ours } else { Flag::Exact }).collect();
        results[1] = results[1].clone().with_flags(flags);
    }
    Ok(results)
}

/// Compares subarrays element by element; NaN is not equal to NaN.
fn unique_parts(a: &NdArray, axis: usize, options: &UniqueOptions) -> Result<Vec<NdArray>> {
    let moved = a.moveaxis(&[axis as isize], &[0])?;
    let n = moved.shape()[0];
    let m: usize = moved.shape()[1..].iter().product();
    let values = moved.values();
    let part = |i: usize| &values[i * m..(i + 1) * m];
    let mut positions: Vec<usize> = (0..n).collect();
    positions.sort_by(|i, j| {
        let mut orders = part(*i).iter().zip(part(*j)).map(|(x, y)| order(x, y));
        orders.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    });
    // Each is compared with the previous one.
    let mut groups: Vec<Vec<usize>> = vec![];
    for &i in &positions {
        let same =
            |group: &Vec<usize>| group.last().is_some_and(|&j| part(i).iter().zip(part(j)).all(|(x, y)| equal(x, y)));
        match groups.last_mut() {
            Some(group) if same(group) => group.push(i),
            _ => groups.push(vec![i]),
        }
    }
    let mut shape = moved.shape().to_vec();
    shape[0] = groups.len();
    let chosen = groups.iter().flat_map(|g| part(g[0]).iter().copied());
    let parts = NdArray::from_values(a.dtype(), &shape, chosen)?.moveaxis(&[0], &[axis as isize])?;
    let mut results = vec![parts];
    results.extend(rest(&groups, n, &[n], options)?);
    Ok(results)
}

/// Returns the elements of an array cast to a dtype, in C order.
fn values_as(a: &NdArray, dtype: DType) -> Vec<Value> {
    a.values().into_iter().map(|v| cast(v, dtype).0).collect()
}

/// Returns the distinct elements, unless they are asserted to be unique, and their first indices.
fn elements(a: &NdArray, assume_unique: bool) -> Result<(NdArray, Vec<usize>)> {
    if assume_unique {
        return Ok((a.reshape(&[-1], Order::C)?, (0..a.size()).collect()));
    }
    let options = UniqueOptions { index: true, ..UniqueOptions::default() };
    let found = unique(a, &options)?;
    let index = found[1].values().iter().map(|v| v.int() as usize).collect();
    Ok((unique(a, &UniqueOptions::default())?.remove(0), index))
}

/// Returns the elements of both arrays, sorted together, and their indices in the concatenation of `a` and `b`.
fn together(a: &NdArray, b: &NdArray) -> (DType, Vec<Value>, Vec<usize>) {
    let dtype = promote_types(a.dtype(), b.dtype());
    let all = [values_as(a, dtype), values_as(b, dtype)].concat();
    let positions = sorting_positions(&all);
    (dtype, positions.iter().map(|i| all[*i]).collect(), positions)
}

/// Returns the union of two arrays.
///
/// # Errors
///
/// None.
pub fn union1d(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    let dtype = promote_types(a.dtype(), b.dtype());
    let all = row(dtype, [values_as(a, dtype), values_as(b, dtype)].concat())?;
    Ok(unique(&all, &UniqueOptions::default())?.remove(0))
}

/// Casts both arrays to the dtype of the comparison, unless `as_they_are` is set. NumPy applies `unique` before, and so
/// finds duplicates within one operand where different integers become the same float64.
fn comparable(a: &NdArray, b: &NdArray, as_they_are: bool) -> (NdArray, NdArray) {
    let dtype = promote_types(a.dtype(), b.dtype());
    if as_they_are { (a.clone(), b.clone()) } else { (a.astype(dtype, Order::K), b.astype(dtype, Order::K)) }
}

/// Returns the intersection of two arrays, followed by the first indices in `a` and in `b`.
///
/// # Errors
///
/// None.
pub fn intersect1d(a: &NdArray, b: &NdArray, assume_unique: bool) -> Result<Vec<NdArray>> {
    let (a, b) = comparable(a, b, assume_unique);
    let ((a, of_a), (b, of_b)) = (elements(&a, assume_unique)?, elements(&b, assume_unique)?);
    let (dtype, sorted, positions) = together(&a, &b);
    let counterparts: Vec<usize> =
        (0..sorted.len().saturating_sub(1)).filter(|&i| equal(&sorted[i], &sorted[i + 1])).collect();
    let counterpart_of = |i: usize| {
        // An element that occurs twice although uniqueness was asserted may be taken from either.
        of_a.get(positions[i]).copied().unwrap_or(positions[i])
    };
    let behind = |i: usize| {
        let at = positions[i + 1] as i128 - a.size() as i128;
        usize::try_from(at).ok().and_then(|at| of_b.get(at)).map_or(at, |&p| p as i128)
    };
    Ok(vec![
        row(dtype, counterparts.iter().map(|&i| sorted[i]).collect())?,
        numbers(&[counterparts.len()], counterparts.iter().map(|&i| counterpart_of(i)))?,
        NdArray::from_values(DType::I64, &[counterparts.len()], counterparts.iter().map(|&i| Value::Int(behind(i))))?,
    ])
}

/// Returns the symmetric difference of two arrays.
///
/// # Errors
///
/// None.
pub fn setxor1d(a: &NdArray, b: &NdArray, assume_unique: bool) -> Result<NdArray> {
    let (a, b) = comparable(a, b, assume_unique);
    let ((a, _), (b, _)) = (elements(&a, assume_unique)?, elements(&b, assume_unique)?);
    let (dtype, sorted, _) = together(&a, &b);
    let same = |i: usize| i > 0 && i < sorted.len() && equal(&sorted[i - 1], &sorted[i]);
    row(dtype, (0..sorted.len()).filter(|&i| !same(i) && !same(i + 1)).map(|i| sorted[i]).collect())
}

/// Tests whether each element of `a` is in `among`. Integers are compared exactly.
///
/// # Errors
///
/// None.
pub fn isin(a: &NdArray, among: &NdArray, invert: bool) -> Result<NdArray> {
    let whole = |d: DType| d == DType::Bool || d.is_integer();
    let exact = whole(a.dtype()) && whole(among.dtype());
    let dtype = promote_types(a.dtype(), among.dtype());
    let read = |x: &NdArray| -> Vec<Value> {
        if exact { x.values().iter().map(|v| Value::Int(v.int())).collect() } else { values_as(x, dtype) }
    };
    let mut row = read(among);
    row.sort_by(order);
    let found = |v: &Value| !v.is_nan() && row.binary_search_by(|x| order(x, v)).is_ok();
    NdArray::from_values(DType::Bool, a.shape(), read(a).iter().map(|v| Value::Bool(found(v) != invert)))
}

/// Returns the elements of `a` that are not in `b`.
///
/// # Errors
///
/// None.
pub fn setdiff1d(a: &NdArray, b: &NdArray, assume_unique: bool) -> Result<NdArray> {
    let (a, _) = elements(a, assume_unique)?;
    let left = isin(&a, b, true)?;
    let values = a.values().into_iter().zip(left.values()).filter(|(_, keep)| keep.truth()).map(|(v, _)| v);
    row(a.dtype(), values.collect())
}

/// Computes `unique` of the flattened array, with NaNs treated as distinct.
fn of_array_api(x: &NdArray, [index, inverse, counts]: [bool; 3]) -> Result<Vec<NdArray>> {
    unique(x, &UniqueOptions { index, inverse, counts, axis: None, nan_differs: true })
}

counterparts! {
    "numpy.unique" = |t| {
        let (index, inverse) = (t.or("return_index", false)?, t.or("return_inverse", false)?);
        let (counts, nan_differs) = (t.or("return_counts", false)?, !t.or("equal_nan", true)?);
        unique(t.get("ar")?, &UniqueOptions { index, inverse, counts, axis: t.get("axis")?, nan_differs })
    };
    "numpy.unique_values" = |t| of_array_api(t.get("x")?, [false; 3]);
    "numpy.unique_counts" = |t| of_array_api(t.get("x")?, [false, false, true]);
    "numpy.unique_inverse" = |t| of_array_api(t.get("x")?, [false, true, false]);
    "numpy.unique_all" = |t| of_array_api(t.get("x")?, [true; 3]);
    "numpy.union1d" = |t| union1d(t.get("ar1")?, t.get("ar2")?);
    "numpy.intersect1d" = |t| {
        let results = if t.or("return_indices", false)? { 3 } else { 1 };
        let mut all = intersect1d(t.get("ar1")?, t.get("ar2")?, t.or("assume_unique", false)?)?;
        all.truncate(results);
        all
    };
    "numpy.setxor1d" = |t| setxor1d(t.get("ar1")?, t.get("ar2")?, t.or("assume_unique", false)?);
    "numpy.setdiff1d" = |t| setdiff1d(t.get("ar1")?, t.get("ar2")?, t.or("assume_unique", false)?);
    "numpy.isin" = |t| {
        // The assertion of uniqueness does not affect the result.
        t.or("assume_unique", false)?;
        isin(t.get("element")?, t.get("test_elements")?, t.or("invert", false)?)
    };
    "numpy.in1d" = |t| {
        t.or("assume_unique", false)?;
        isin(&t.get::<&NdArray>("ar1")?.reshape(&[-1], Order::C)?, t.get("ar2")?, t.or("invert", false)?)
    };
}
