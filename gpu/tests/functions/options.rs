//! Options, `out` arguments and empty arrays. Expected values and errors are those of NumPy 2.4.

use cuprum::{Array, Casting, DType, ErrorKind, HistogramBins, HistogramOptions, Order, Reduce, Result};
use cuprum::{Ellipsis, UfuncOptions, array, s, ufunc, zeros};

#[track_caller]
fn rejected<T>(result: Result<T>, kind: ErrorKind) {
    assert_eq!(result.err().expect("a rejection").kind(), kind);
}

#[test]
fn unlike_integers_that_become_equal_are_one_element() -> Result<()> {
    let a = Array::from_vec(vec![1i64 << 53, (1 << 53) + 1, 3])?;
    let b = Array::from_vec(vec![3.0, 9.0])?;
    let (values, first, second) = cuprum::intersect1d_indices(&a, &b, ())?;
    assert_eq!(values.to_vec::<f64>()?, [3.0]);
    assert_eq!((first.to_vec::<i64>()?, second.to_vec::<i64>()?), (vec![2], vec![0]));
    assert_eq!(cuprum::intersect1d(&a, &b, ())?.to_vec::<f64>()?, [3.0]);
    let u = Array::from_vec(vec![(1u64 << 60) + 1, 1 << 60])?;
    assert_eq!(cuprum::intersect1d_indices(&u, &a, ())?.0.size(), 0);
    Ok(())
}

#[test]
fn keys_without_elements_have_an_order() -> Result<()> {
    let key = zeros([0], DType::F64)?;
    assert_eq!(cuprum::lexsort([&key, &key], -1)?.shape(), [0]);
    let keys = zeros([3, 0], DType::I32)?;
    for axis in [0, 1] {
        let order = cuprum::lexsort([&keys, &keys, &keys], axis)?;
        assert_eq!((order.shape(), order.dtype()), (&[3, 0][..], DType::I64));
    }
    Ok(())
}

#[test]
fn a_view_of_more_than_the_host_holds_is_out_of_memory() -> Result<()> {
    let wide = array([1.0f64])?.broadcast_to([1usize << 50])?;
    rejected(wide.to_bytes(), ErrorKind::OutOfMemory);
    rejected(wide.to_vec::<f64>(), ErrorKind::OutOfMemory);
    Ok(())
}

#[test]
fn integers_of_a_dtype_go_into_floats() -> Result<()> {
    let a = array([1.0, 2.0, 4.5])?;
    let out = zeros((), DType::F64)?;
    let options = |dtype: DType| Reduce::all().dtype(dtype).out(&out);
    assert_eq!(cuprum::mean(&a, options(DType::I32))?.item::<f64>()?, 7.0 / 3.0);
    assert_eq!(cuprum::var(&a, options(DType::I8))?.item::<f64>()?, 7.0 / 3.0);
    assert_eq!(cuprum::std(&a, options(DType::I32))?.item::<f64>()?, (7.0f64 / 3.0).sqrt());
    let whole = zeros((), DType::I64)?;
    rejected(cuprum::std(&a, Reduce::all().out(&whole)), ErrorKind::Type);
    rejected(cuprum::std(&zeros([3], DType::F64)?, Reduce::all().out(&whole)), ErrorKind::Type);
    Ok(())
}

#[test]
fn the_range_has_the_dtype_of_out() -> Result<()> {
    let a = array([-100i8, 2, 100])?;
    assert_eq!(cuprum::ptp(&a, Reduce::all().out(&zeros((), DType::I64)?))?.item::<i64>()?, 200);
    assert_eq!(cuprum::ptp(&a, Reduce::all().out(&zeros((), DType::F32)?))?.item::<f32>()?, 200.0);
    assert_eq!(cuprum::ptp(&a, ())?.item::<i8>()?, -56);
    rejected(cuprum::ptp(&array([1.0, 2.0])?, Reduce::all().out(&zeros((), DType::I8)?)), ErrorKind::Type);
    Ok(())
}

#[test]
fn a_mean_that_is_written_over_its_mask_counts_what_the_mask_was() -> Result<()> {
    let a = Array::from_vec(vec![0u16, 5, 0])?;
    let mask = Array::from_vec(vec![true, true, false])?;
    let each: [isize; 0] = [];
    cuprum::mean(&a, Reduce::axes(each).where_(&mask).out(&mask))?;
    // 0 / 1, 5 / 1 and 0 / 0: NaN is true.
    assert_eq!(mask.to_vec::<bool>()?, [false, true, true]);
    Ok(())
}

#[test]
fn numbers_of_the_host_are_cast_by_the_rule() -> Result<()> {
    let (ints, floats) = (zeros([2], DType::I32)?, zeros([2], DType::F32)?);
    rejected(cuprum::copyto(&ints, 1.5, Casting::SameKind), ErrorKind::Type);
    rejected(cuprum::copyto(&zeros([2], DType::Bool)?, 1, Casting::SameKind), ErrorKind::Type);
    rejected(cuprum::copyto(&floats, 1, Casting::Equiv), ErrorKind::Type);
    rejected(cuprum::copyto(&zeros([2], DType::U8)?, -1, Casting::Unsafe), ErrorKind::Overflow);
    rejected(cuprum::copyto(&ints, true, Casting::No), ErrorKind::Type);
    cuprum::copyto(&ints, 1.5, Casting::Unsafe)?;
    assert_eq!(ints.to_vec::<i32>()?, [1, 1]);
    cuprum::copyto(&floats, 1, Casting::No)?;
    cuprum::copyto(&zeros([2], DType::F64)?, 1.5, Casting::Equiv)?;
    let add = |a: &Array, casting| ufunc("add")?.call((a, 1.5), UfuncOptions::new().casting(casting));
    assert_eq!(add(&floats, Casting::No)?.dtype(), DType::F32);
    rejected(add(&floats, Casting::Equiv), ErrorKind::Type);
    assert_eq!(add(&zeros([2], DType::F64)?, Casting::Equiv)?.dtype(), DType::F64);
    rejected(add(&ints, Casting::No), ErrorKind::Type);
    Ok(())
}

#[test]
fn nothing_along_an_axis_has_no_extreme() -> Result<()> {
    let (none, rows) = (zeros([0, 0], DType::F64)?, zeros([0, 3], DType::F64)?);
    rejected(cuprum::min(&none, 0), ErrorKind::Value);
    rejected(cuprum::max(&zeros([3, 0, 0], DType::I8)?, 1), ErrorKind::Value);
    rejected(cuprum::argmin(&none, 0), ErrorKind::Value);
    rejected(cuprum::ptp(&none, 0), ErrorKind::Value);
    assert_eq!(cuprum::max(&rows, 1)?.shape(), [0]);
    rejected(cuprum::average(&rows, 1), ErrorKind::ZeroDivision);
    assert_eq!(cuprum::average(&rows, 0)?.shape(), [3]);
    Ok(())
}

#[test]
fn every_integer_has_a_truth() -> Result<()> {
    let truths = zeros([2], DType::Bool)?;
    truths.fill(u64::MAX)?;
    assert_eq!(truths.to_vec::<bool>()?, [true, true]);
    truths.set(s![..], u64::MAX)?;
    assert!(cuprum::max(&truths, Reduce::all().initial(u64::MAX))?.item::<bool>()?);
    rejected(zeros([2], DType::I8)?.fill(u64::MAX), ErrorKind::Overflow);
    Ok(())
}

#[test]
fn views_of_nothing_and_single_elements() -> Result<()> {
    let none = zeros([3, 0], DType::F16)?;
    assert_eq!(none.view(DType::F32)?.shape(), [3, 0]);
    assert_eq!(none.view(DType::F64)?.shape(), [3, 0]);
    rejected(zeros([0, 3], DType::F16)?.view(DType::F32), ErrorKind::Value);
    let a = zeros([3], DType::F64)?;
    rejected(a.set(s![1], &array([1.0])?), ErrorKind::Value);
    a.set(s![1, Ellipsis], &array([1.0])?)?;
    a.set(s![..2], &array([[2.0, 3.0]])?)?;
    assert_eq!(a.to_vec::<f64>()?, [2.0, 3.0, 0.0]);
    assert!(!a.index(s![1..1])?.may_share_memory(&a) && !a.may_share_memory(&a.index(s![3..])?));
    Ok(())
}

#[test]
fn of_two_results_in_one_array_the_first_stays() -> Result<()> {
    let (x, out) = (array([3.75, -1.25])?, zeros([2], DType::F64)?);
    let options = UfuncOptions { out: Some(&out), second_out: Some(&out), ..UfuncOptions::default() };
    ufunc("divmod")?.call_pair((&x, 2), options)?;
    assert_eq!(out.to_vec::<f64>()?, [1.0, -1.0]);
    ufunc("modf")?.call_pair((&x,), options)?;
    assert_eq!(out.to_vec::<f64>()?, [0.75, -0.25]);
    // A result allocated next to a given `out` takes its memory order from the operands and that output.
    let transposed = zeros([4, 3], DType::F64)?.t();
    let options = UfuncOptions { out: Some(&transposed), ..UfuncOptions::default() };
    let rows = zeros([3, 4], DType::F64)?.copy(Order::F)?;
    let divided_rows = zeros([3, 4], DType::F64)?;
    assert_eq!(ufunc("divmod")?.call_pair((&divided_rows, 2), options)?.1.strides(), [32, 8]);
    let options = UfuncOptions { out: Some(&divided_rows), ..UfuncOptions::default() };
    assert_eq!(ufunc("divmod")?.call_pair((&rows, 2), options)?.1.strides(), [32, 8]);
    Ok(())
}

#[test]
fn bins_of_booleans_have_a_density() -> Result<()> {
    let edges = array([false, true])?;
    let options = HistogramOptions { bins: HistogramBins::Edges(&edges), density: true, ..HistogramOptions::default() };
    assert_eq!(cuprum::histogram(&array([0.0, 1.0])?, options)?.0.to_vec::<f64>()?, [1.0]);
    Ok(())
}

#[test]
fn both_results_have_one_shape() -> Result<()> {
    let (a, small) = (zeros([1, 7], DType::U8)?, zeros([1, 7], DType::U8)?);
    let large = zeros([1, 1, 7], DType::U8)?;
    for (first, second) in [(&small, &large), (&large, &small)] {
        let options = UfuncOptions { out: Some(first), second_out: Some(second), ..UfuncOptions::default() };
        rejected(ufunc("divmod")?.call_pair((&a, &a), options), ErrorKind::Value);
    }
    Ok(())
}

#[test]
fn the_outer_product_of_two_results_is_two_tables() -> Result<()> {
    let (a, b) = (array([7, 8])?, array([2, 3])?);
    let (quotients, rests) = ufunc("divmod")?.outer_pair(&a, &b, ())?;
    assert_eq!((quotients.shape(), rests.shape()), (&[2, 2][..], &[2, 2][..]));
    assert_eq!((quotients.to_vec::<i32>()?, rests.to_vec::<i32>()?), (vec![3, 2, 4, 2], vec![1, 1, 0, 2]));
    rejected(ufunc("modf")?.outer_pair(&a, &b, ()), ErrorKind::Value);
    Ok(())
}
