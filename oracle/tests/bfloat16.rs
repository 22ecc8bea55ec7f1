//! Tests of bfloat16, which NumPy does not have: it is promoted like a second float16 with float32's range.

use cuprum_kernels::DType::{self, *};
use cuprum_oracle::*;

fn array(dtype: DType, values: &[f64]) -> NdArray {
    NdArray::from_values(dtype, &[values.len()], values.iter().map(|v| Value::Float(*v))).expect("the shape fits")
}

fn call(name: &str, operands: &[Operand<'_>]) -> Result<NdArray> {
    ufunc(name, operands, &UfuncOptions::default())
}

#[test]
fn promotion_goes_to_the_smallest_dtype_that_takes_both() {
    let table = [
        (Bool, BF16),
        (I8, BF16),
        (U8, BF16),
        (BF16, BF16),
        (I16, F32),
        (U16, F32),
        (F16, F32),
        (F32, F32),
        (I32, F64),
        (U32, F64),
        (I64, F64),
        (U64, F64),
        (F64, F64),
        (C64, C64),
        (C128, C128),
    ];
    for (other, want) in table {
        assert_eq!(promote_types(BF16, other), want, "{other}");
        assert_eq!(promote_types(other, BF16), want, "{other}");
    }
    let a = array(BF16, &[1.0]);
    let weak = [(Value::Bool(true), BF16), (Value::Int(1), BF16), (Value::Float(1.0), BF16)];
    for (scalar, want) in weak {
        assert_eq!(result_type(&[Operand::Array(&a), Operand::Scalar(scalar)]), Ok(want));
    }
    assert!(!can_cast(F16, BF16, Casting::Safe) && can_cast(F16, BF16, Casting::SameKind));
}

#[test]
fn every_function_that_takes_float16_takes_bfloat16() {
    for name in ufunc_names() {
        let run = |dtype| {
            let a = array(dtype, &[0.5, 2.0]);
            let one = call(name, &[Operand::Array(&a)]);
            let two = call(name, &[Operand::Array(&a), Operand::Array(&a)]);
            one.or(two)
        };
        match (run(F16), run(BF16)) {
            (Ok(half), Ok(brain)) if half.dtype() == F16 => assert_eq!(brain.dtype(), BF16, "{name}"),
            (Ok(half), Ok(brain)) => assert_eq!(brain.dtype(), half.dtype(), "{name}"),
            (half, brain) => assert_eq!(half.map(|_| ()).is_err(), brain.map(|_| ()).is_err(), "{name}"),
        }
    }
}

#[test]
fn results_round_once_to_eight_bits() {
    // 257 and 259 are between neighbours 2 apart: ties go to the even one.
    let casts = array(F64, &[257.0, 259.0, 257.000_000_1, 3.4e38, 1e-38, f64::NAN]).astype(BF16, Order::K).values();
    let want = [256.0, 260.0, 258.0, f64::INFINITY];
    for (value, want) in casts.iter().zip(want) {
        assert_eq!(*value, Value::Float(want));
    }
    // Subnormal numbers are multiples of 2^-133.
    assert_eq!(casts[4], Value::Float(109.0 * 2f64.powi(-133)));
    assert!(casts[5].is_nan());
    // 2^60 + 2^52 is a tie; the last unit of the integer breaks it, which rounding to float64 first would lose.
    let wide = NdArray::from_values(I64, &[1], [Value::Int((1 << 60) + (1 << 52) + 1)]).expect("one value");
    assert_eq!(wide.astype(BF16, Order::K).values(), [Value::Float(2f64.powi(60) + 2f64.powi(53))]);
    let sum = call("add", &[Operand::Array(&array(BF16, &[256.0])), Operand::Array(&array(BF16, &[1.0]))]);
    assert_eq!(sum.map(|a| a.values()), Ok(vec![Value::Float(256.0)]));
}

#[test]
fn sums_are_exact_until_the_end() {
    let a = array(BF16, &[1.0; 1000]);
    let sum = reduce("sum", &a, &ReduceOptions::default()).expect("a sum");
    assert_eq!((sum.dtype(), sum.values()), (BF16, vec![Value::Float(1000.0)]));
    let mean = reduce("mean", &a, &ReduceOptions::default()).expect("a mean");
    assert_eq!((mean.dtype(), mean.values()), (BF16, vec![Value::Float(1.0)]));
}
