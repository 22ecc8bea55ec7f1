//! Regression tests from the comparison with NumPy: each value is NumPy 2.4's.

use cuprum_kernels::DType;
use cuprum_oracle::*;

fn floats(dtype: DType, shape: &[usize], values: &[f64]) -> NdArray {
    NdArray::from_values(dtype, shape, values.iter().map(|v| Value::Float(*v)))
        .expect("as many values as the shape has")
}

fn along(axis: isize) -> ReduceOptions {
    ReduceOptions { axis: Some(vec![axis]), ..ReduceOptions::default() }
}

#[test]
fn an_array_without_axes_has_a_mean_along_one_with_a_mask_only() {
    let a = floats(DType::F64, &[], &[3.0]);
    let mask = NdArray::from_values(DType::Bool, &[], [Value::Bool(true)]).expect("one value");
    let plain = StatisticOptions { options: along(0), ..StatisticOptions::default() };
    let masked =
        StatisticOptions { fold: FoldOptions { where_: Some(mask), ..FoldOptions::default() }, ..plain.clone() };
    assert_eq!(statistic("mean", &a, &plain).map(|m| m.values()).map_err(|e| e.kind), Err(ErrorKind::Axis));
    assert_eq!(statistic("mean", &a, &masked).map(|m| m.values()), Ok(vec![Value::Float(3.0)]));
    let norm = vector_norm(&a, 2.0, &along(0), Gathering::DEVICE).map(|b| b.result.values());
    assert_eq!(norm.map_err(|e| e.kind), Err(ErrorKind::Axis));
}

#[test]
fn a_mean_of_float16_is_not_rounded_to_it_on_its_way_into_an_array() {
    let a = floats(DType::F16, &[3], &[1.0, 1.0, 2.0]);
    let fold = FoldOptions { out: Some(floats(DType::F64, &[], &[0.0])), ..FoldOptions::default() };
    let options = StatisticOptions { fold, ..StatisticOptions::default() };
    assert_eq!(statistic("mean", &a, &options).map(|m| m.values()), Ok(vec![Value::Float(4.0 / 3.0)]));
}

#[test]
fn the_middle_of_the_largest_numbers_overflows() {
    let most = f64::from(f32::MAX);
    let of = |values: &[f64]| {
        let a = floats(DType::F32, &[values.len()], values);
        median(&a, &QuantileOptions::default()).map(|m| m.values())
    };
    assert_eq!(of(&[most, most]), Ok(vec![Value::Float(f64::INFINITY)]));
    assert_eq!(of(&[most]), Ok(vec![Value::Float(most)]));
}

#[test]
fn no_quantiles_of_nothing_are_none_but_for_floats() {
    let none = Quantiles { values: vec![], shape: vec![0], dtype: DType::F64, weak: false };
    let options = QuantileOptions { axis: Some(vec![0]), ..QuantileOptions::default() };
    let shape = |dtype| {
        let a = NdArray::from_values(dtype, &[0, 3], []).expect("no values");
        quantile(&a, &none, &options).map(|q| q.shape().to_vec()).map_err(|e| e.kind)
    };
    assert_eq!(shape(DType::I32), Ok(vec![0, 3]));
    assert_eq!(shape(DType::F32), Err(ErrorKind::Index));
}

#[test]
fn what_a_cast_left_open_stays_open() {
    let a = NdArray::from_values(DType::I8, &[2], [Value::Int(126), Value::Int(1)]).expect("two values");
    let indices = NdArray::from_values(DType::I64, &[3], [0, 0, 1].map(Value::Int)).expect("three values");
    let half = floats(DType::F64, &[], &[2.5]);
    let result = at("add", &a, &[indices], Some(&half)).expect("integers and floats are added");
    assert_eq!(result.flags(), [Flag::Ours, Flag::Exact]);
    assert_eq!(result.copy(Order::K).flags(), [Flag::Ours, Flag::Exact]);
}
