//! Every function with every combination of dtypes: a result or an error, never a panic, and consistent promotion.

use cuprum_kernels::{DType, Kind};
use cuprum_oracle::*;
use num_complex::Complex64;

/// Returns the extreme values of a dtype.
fn edges(dtype: DType) -> NdArray {
    let (low, high) = int_range(dtype);
    let values: Vec<Value> = match dtype.kind() {
        Kind::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Kind::Unsigned | Kind::Signed => [low, low + 1, 0, 1, 2, high].map(Value::Int).to_vec(),
        Kind::Float => [0.0, -0.0, 1.5, -2.0, max_finite(dtype), 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
            .map(Value::Float)
            .to_vec(),
        Kind::Complex => [(0.0, -0.0), (1.5, -2.0), (max_finite(dtype), 5e-324), (f64::INFINITY, f64::NAN)]
            .map(|(re, im)| Value::Complex(Complex64::new(re, im)))
            .to_vec(),
    };
    NdArray::from_values(dtype, &[values.len()], values).expect("one value an element")
}

fn scalars() -> Vec<Value> {
    let mut out: Vec<Value> =
        [0, 1, -1, 300, i64::MIN as i128, u64::MAX as i128, i128::MAX, i128::MIN].map(Value::Int).into();
    out.extend([0.5, f64::MAX, f64::NAN, f64::NEG_INFINITY].map(Value::Float));
    out.extend([Value::Bool(true), Value::Complex(Complex64::new(0.0, 1.0))]);
    out
}

#[test]
fn functions_answer_or_reject_every_pair_of_dtypes() {
    let of_dtype = |a: NdArray| {
        let mut calls = 0;
        let column = a.expand_dims(&[1]).expect("one more axis");
        for name in ufunc_names() {
            for b in DType::ALL.map(edges) {
                let operands = [Operand::Array(&column), Operand::Array(&b)];
                if let Ok(result) = ufunc(name, &operands, &UfuncOptions::default()) {
                    assert_eq!(result.shape(), [a.size(), b.size()], "{name} {} {}", a.dtype(), b.dtype());
                }
                calls += 1;
            }
            for scalar in scalars() {
                for operands in [[Operand::Array(&a), scalar.into()], [scalar.into(), Operand::Array(&a)]] {
                    if let Ok(result) = ufunc(name, &operands, &UfuncOptions::default()) {
                        assert_eq!(result.shape(), a.shape(), "{name} {} {scalar:?}", a.dtype());
                    }
                    calls += 1;
                }
            }
            let _ = ufunc(name, &[Operand::Array(&a)], &UfuncOptions::default());
        }
        calls
    };
    let calls: usize = std::thread::scope(|scope| {
        let threads = DType::ALL.map(edges).map(|a| scope.spawn(move || of_dtype(a)));
        threads.into_iter().map(|t| t.join().expect("no call panics")).sum()
    });
    assert_eq!(calls, 15 * ufunc_names().count() * (15 + 2 * scalars().len()));
}

#[test]
fn reductions_casts_and_texts_answer_or_reject_every_dtype() {
    for a in DType::ALL.map(edges) {
        for to in DType::ALL {
            assert_eq!(a.astype(to, Order::K).dtype(), to);
            for name in REDUCTIONS {
                for dtype in [None, Some(to)] {
                    let options = ReduceOptions { dtype, ..ReduceOptions::default() };
                    if let Ok(result) = reduce(name, &a, &options) {
                        let bounds = reduction_bound(name, &a, &options, Gathering::DEVICE)
                            .expect("what was reduced has a bound");
                        assert_eq!((result.size(), bounds.len()), (1, 1), "{name} {}", a.dtype());
                        assert!(bounds[0] >= 0.0, "{name} {} {dtype:?}: {}", a.dtype(), bounds[0]);
                    }
                }
            }
        }
        for scalar in scalars() {
            let _ = a.clone().assign(&[Index::Ellipsis], &Operand::Scalar(scalar));
            let _ = full(&[2], scalar, Some(a.dtype()), Order::C);
        }
        assert!(array_repr(&a).starts_with("array([") && array_str(&a).ends_with(']'));
    }
}

#[test]
fn promotion_is_a_join() {
    for a in DType::ALL {
        assert_eq!(promote_types(a, a), a);
        for b in DType::ALL {
            let join = promote_types(a, b);
            assert_eq!(join, promote_types(b, a), "{a} {b}");
            assert!(can_cast(a, join, Casting::Safe) && can_cast(b, join, Casting::Safe), "{a} {b}");
            assert_eq!(can_cast(a, b, Casting::Safe), join == b, "{a} {b}");
        }
    }
}

#[test]
fn float16_bounds_tell_numpys_sums_from_those_in_float32() {
    // NumPy adds a column of 4096 ones one by one in float16 and stays at 2048, whose next number is 2050.
    let ones = NdArray::from_values(DType::F16, &[4096], vec![Value::Int(1); 4096]).expect("4096 values");
    let options = ReduceOptions::default();
    let sum = reduce("sum", &ones, &options).map(|s| s.values());
    assert_eq!(sum, Ok(vec![Value::Float(4096.0)]));
    let numpy = reduction_bound("sum", &ones, &options, Gathering::NUMPY).expect("a sum has a bound")[0];
    let ours = reduction_bound("sum", &ones, &options, Gathering::DEVICE).expect("a sum has a bound")[0];
    assert!(numpy >= 2048.0, "{numpy}");
    // In float32 all partial sums are exact; only one unit of the result remains.
    assert!((4.0..6.0).contains(&ours), "{ours}");
}
