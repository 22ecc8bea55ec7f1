// What the harness prints, as it prints it: see printed.rs.
mod case_0 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // math/add/f16-f32/(2,)x(1,)/strided-C/[1.5,NaN]x[-0.0]
    let a = cuprum::Array::from_slice::<half::f16>(&[half::f16::from_f64(-0.5), half::f16::from_f64(1.5), half::f16::from_f64(2.0), half::f16::from_f64(2.5), half::f16::from_f64(f64::NAN), half::f16::from_f64(1.5)], [6])?.index(&[cuprum::Index::Slice(cuprum::Slice { start: Some(1), stop: None, step: Some(3) })])?;
    let b = cuprum::Array::from_slice::<f32>(&[-0.0], [1])?;
    let got = cuprum::ufunc("add")?.call((&a, &b), ())?;
    assert_eq!(got.dtype(), cuprum::DType::F32);
    assert_eq!(got.shape(), [2]);
    assert_eq!(got.strides(), [4]);
    let want = [1.5, f64::NAN];
    let allowed = [0.0, 0.0];
    for (i, x) in got.to_vec::<f32>()?.into_iter().map(f64::from).enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    Ok(())
}
}
mod case_1 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // math/add/u8-py(300)/(2,)/C/[1,2]
    let a = cuprum::Array::from_slice::<u8>(&[1, 2], [2])?;
    let result = (|| -> cuprum::Result<_> { Ok(cuprum::ufunc("add")?.call((&a, 300i64), ())?) })();
    // The oracle: the integer 300 is out of bounds for uint8
    assert_eq!(result.unwrap_err().kind(), cuprum::ErrorKind::Overflow);
    Ok(())
}
}
mod case_2 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // math/multiply/c64-c128/(2,2)x(2,)/F-negative/[(1.0,2.0),(0.0,-0.0),(NaN,1.0),(3.0,0.5)]x[(1.0,1.0),(2.0,0.0)]
    let a = cuprum::Array::from_slice::<num_complex::Complex<f32>>(&[num_complex::Complex::new(1.0, 2.0), num_complex::Complex::new(f32::NAN, 1.0), num_complex::Complex::new(0.0, -0.0), num_complex::Complex::new(3.0, 0.5)], [2, 2])?.transpose(&[1, 0])?;
    let b = cuprum::Array::from_slice::<num_complex::Complex<f64>>(&[num_complex::Complex::new(2.0, 0.0), num_complex::Complex::new(1.0, 1.0)], [2])?.index(&[cuprum::Index::Slice(cuprum::Slice { start: None, stop: None, step: Some(-1) })])?;
    let got = cuprum::ufunc("multiply")?.call((&a, &b), ())?;
    assert_eq!(got.dtype(), cuprum::DType::C128);
    assert_eq!(got.shape(), [2, 2]);
    assert_eq!(got.strides(), [16, 32]);
    let want = [-1.0, 3.0, 0.0, 0.0, f64::NAN, f64::NAN, 6.0, 1.0];
    let allowed = [4.440892098500626e-16, 4.440892098500626e-16, 5e-324, 5e-324, f64::INFINITY, f64::INFINITY, 8.881784197001252e-16, 8.881784197001252e-16];
    for (i, x) in got.to_vec::<num_complex::Complex<f64>>()?.into_iter().flat_map(|z| [z.re, z.im]).enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    Ok(())
}
}
mod case_3 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // math/tan/bf16/(2,1,2)/transposed/[1.0,0.5,-0.0,inf]
    let a = cuprum::Array::from_slice::<half::bf16>(&[half::bf16::from_f64(1.0), half::bf16::from_f64(0.5), half::bf16::from_f64(-0.0), half::bf16::from_f64(f64::INFINITY)], [2, 2, 1])?.transpose(&[0, 2, 1])?;
    let got = cuprum::ufunc("tan")?.call((&a,), ())?;
    assert_eq!(got.dtype(), cuprum::DType::BF16);
    assert_eq!(got.shape(), [2, 1, 2]);
    let want = [1.5546875, 0.546875, -0.0, -f64::NAN];
    let allowed = [0.0, 0.0, 0.0, 0.0];
    for (i, x) in got.to_vec::<half::bf16>()?.into_iter().map(f64::from).enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    Ok(())
}
}
mod case_4 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // floating/frexp/f32/(2,)/offset/[8.0,0.0]
    let a = cuprum::Array::from_slice::<f32>(&[2.5, 8.0, 0.0], [3])?.index(&[cuprum::Index::Slice(cuprum::Slice { start: Some(1), stop: None, step: Some(1) })])?.reshape([2])?;
    let (result_0, result_1) = cuprum::ufunc("frexp")?.call_pair((&a,), ())?;
    assert_eq!(result_0.dtype(), cuprum::DType::F32);
    assert_eq!(result_0.shape(), [2]);
    assert_eq!(result_0.strides(), [4]);
    let want = [0.5, 0.0];
    let allowed = [0.0, 0.0];
    for (i, x) in result_0.to_vec::<f32>()?.into_iter().map(f64::from).enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    assert_eq!(result_1.dtype(), cuprum::DType::I32);
    assert_eq!(result_1.shape(), [2]);
    assert_eq!(result_1.strides(), [4]);
    assert_eq!(result_1.to_vec::<i32>()?, [4, 0]);
    Ok(())
}
}
mod case_5 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // operators/operator_add/f32-py(2.5)/(2,)/C/[1.0,2.0]
    let a = cuprum::Array::from_slice::<f32>(&[1.0, 2.0], [2])?;
    let got = &a + 2.5;
    assert_eq!(got.dtype(), cuprum::DType::F32);
    assert_eq!(got.shape(), [2]);
    assert_eq!(got.strides(), [4]);
    let want = [3.5, 4.5];
    let allowed = [0.0, 0.0];
    for (i, x) in got.to_vec::<f32>()?.into_iter().map(f64::from).enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    Ok(())
}
}
mod case_6 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // operators/operator_divide/i8-i8/(2,)x(3,)/C-C/[1,2]x[1,2,3]
    let a = cuprum::Array::from_slice::<i8>(&[1, 2], [2])?;
    let b = cuprum::Array::from_slice::<i8>(&[1, 2, 3], [3])?;
    // The oracle rejects this with ValueError: operands could not be broadcast together with shapes [[2], [3]]
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| &a / &b)).is_err());
    Ok(())
}
}
mod case_7 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // options/add.call/f32-f32/(3,)x(3,)/C-C/[1.0,2.0,3.0]x[4.0,5.0,6.0]/out=f32/strided;where=1;casting=unsafe
    let a = cuprum::Array::from_slice::<f32>(&[1.0, 2.0, 3.0], [3])?;
    let b = cuprum::Array::from_slice::<f32>(&[4.0, 5.0, 6.0], [3])?;
    let out_buffer = cuprum::Array::from_slice::<f32>(&[0.3859969973564148, 4.0, -87.75682830810547, -5.32232666015625, 3.0, -91.41234588623047, -0.5706175565719604, 0.5, 7.278405666351318], [9])?;
    let out = out_buffer.clone().index(&[cuprum::Index::Slice(cuprum::Slice { start: Some(1), stop: None, step: Some(3) })])?;
    let mask_buffer = cuprum::Array::from_slice::<bool>(&[true, true, false], [3])?;
    let mask = mask_buffer.clone();
    let got = {
        cuprum::ufunc("add")?.call((&a, &b), cuprum::UfuncOptions { out: Some(&out), where_: Some(&mask), casting: cuprum::Casting::Unsafe, ..Default::default() })?;
        out_buffer
    };
    assert_eq!(got.dtype(), cuprum::DType::F32);
    assert_eq!(got.shape(), [9]);
    assert_eq!(got.strides(), [4]);
    let want = [0.3859969973564148, 5.0, -87.75682830810547, -5.32232666015625, 7.0, -91.41234588623047, -0.5706175565719604, 0.5, 7.278405666351318];
    let allowed = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for (i, x) in got.to_vec::<f32>()?.into_iter().map(f64::from).enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    Ok(())
}
}
mod case_8 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // options/add.call/i16-i16/(3,)x(3,)/C-C/[1,2,3]x[4,5,6]/out=shifted
    let a_buffer = cuprum::Array::from_slice::<i16>(&[1, 2, 3, 8], [4])?;
    let a = a_buffer.clone().index(&[cuprum::Index::Slice(cuprum::Slice { start: Some(0), stop: Some(3), step: Some(1) })])?.reshape([3])?;
    let b = cuprum::Array::from_slice::<i16>(&[4, 5, 6], [3])?;
    let out = a_buffer.clone().index(&[cuprum::Index::Slice(cuprum::Slice { start: Some(1), stop: Some(4), step: Some(1) })])?.reshape([3])?;
    let got = {
        cuprum::ufunc("add")?.call((&a, &b), cuprum::UfuncOptions { out: Some(&out), ..Default::default() })?;
        a_buffer
    };
    assert_eq!(got.dtype(), cuprum::DType::I16);
    assert_eq!(got.shape(), [4]);
    assert_eq!(got.strides(), [2]);
    assert_eq!(got.to_vec::<i16>()?, [1, 5, 7, 9]);
    Ok(())
}
}
mod case_9 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // methods/subtract.reduce/f32/(2,3)/C/small/out=f64;axis=-1;keepdims=1;where=(3,)
    let a = cuprum::Array::from_slice::<f32>(&[3.5, 4.0, -2.0, 3.0, -3.5, 2.0], [2, 3])?;
    let out_buffer = cuprum::Array::from_slice::<f64>(&[-3.0, 3.5], [2, 1])?;
    let out = out_buffer.clone();
    let mask_buffer = cuprum::Array::from_slice::<bool>(&[false, false, false], [3])?;
    let mask = mask_buffer.clone();
    let result = (|| -> cuprum::Result<_> { Ok({
        cuprum::ufunc("subtract")?.reduce(&a, cuprum::Reduce::axes(&[-1]).keepdims(true), cuprum::FoldOptions { out: Some(&out), where_: Some(&mask), ..Default::default() })?;
        out_buffer
    }) })();
    // The oracle: subtract has nothing to begin with
    assert_eq!(result.unwrap_err().kind(), cuprum::ErrorKind::Value);
    Ok(())
}
}
mod case_10 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // methods/add.reduceat/i32/(7,)/C/small/indices=(0,3)
    let a = cuprum::Array::from_slice::<i32>(&[5, 2, -1, 3, 6, -2, 1], [7])?;
    let got = cuprum::ufunc("add")?.reduceat(&a, [0, 3], 0, cuprum::AccumulateOptions { ..Default::default() })?;
    assert_eq!(got.dtype(), cuprum::DType::I64);
    assert_eq!(got.shape(), [2]);
    assert_eq!(got.strides(), [8]);
    assert_eq!(got.to_vec::<i64>()?, [6, 8]);
    Ok(())
}
}
mod case_11 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // methods/subtract.outer/u8-u8/(2,)x(3,)/C-C/[1,2]x[3,4,5]
    let a = cuprum::Array::from_slice::<u8>(&[1, 2], [2])?;
    let b = cuprum::Array::from_slice::<u8>(&[3, 4, 5], [3])?;
    let got = cuprum::ufunc("subtract")?.outer(&a, &b, cuprum::UfuncOptions { ..Default::default() })?;
    assert_eq!(got.dtype(), cuprum::DType::U8);
    assert_eq!(got.shape(), [2, 3]);
    assert_eq!(got.strides(), [3, 1]);
    assert_eq!(got.to_vec::<u8>()?, [254, 253, 252, 255, 254, 253]);
    Ok(())
}
}
mod case_12 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // reduction/sum/f32/(2,2)/broadcast/[1.0,2.0,1.0,2.0]/axis=-1;keepdims=1
    let a = cuprum::Array::from_slice::<f32>(&[1.0, 2.0], [1, 2])?.broadcast_to([2, 2])?;
    let got = cuprum::reduction("sum")?.call(&a, &cuprum::Reduce::axes(&[-1]).keepdims(true))?;
    assert_eq!(got.dtype(), cuprum::DType::F32);
    assert_eq!(got.shape(), [2, 1]);
    let want = [3.0, 3.0];
    let allowed = [4.1723252408587605e-7, 4.1723252408587605e-7];
    for (i, x) in got.to_vec::<f32>()?.into_iter().map(f64::from).enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    Ok(())
}
}
mod case_13 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // reduction/argmax/f64/(0,3)/C/small
    let a = cuprum::Array::from_slice::<f64>(&[], [0, 3])?;
    let result = (|| -> cuprum::Result<_> { Ok(cuprum::reduction("argmax")?.call(&a, &cuprum::Reduce::all())?) })();
    // The oracle: argmax of nothing has no value
    assert_eq!(result.unwrap_err().kind(), cuprum::ErrorKind::Value);
    Ok(())
}
}
mod case_14 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // reduction/max/i64/(2,2)/F/[1,2,3,4]/axis=7
    let a = cuprum::Array::from_slice::<i64>(&[1, 3, 2, 4], [2, 2])?.transpose(&[1, 0])?;
    let result = (|| -> cuprum::Result<_> { Ok(cuprum::reduction("max")?.call(&a, &cuprum::Reduce::axes(&[7]))?) })();
    // The oracle: axis 7 is out of bounds for an array of 2 dimensions
    assert_eq!(result.unwrap_err().kind(), cuprum::ErrorKind::Axis);
    Ok(())
}
}
mod case_15 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // linalg/matmul/f32-f64/(2,2)x(2,1)/C-C/[1.0,2.0,3.0,4.0]x[0.5,0.25]
    let a = cuprum::Array::from_slice::<f32>(&[1.0, 2.0, 3.0, 4.0], [2, 2])?;
    let b = cuprum::Array::from_slice::<f64>(&[0.5, 0.25], [2, 1])?;
    let got = cuprum::matmul(&a, &b)?;
    assert_eq!(got.dtype(), cuprum::DType::F64);
    assert_eq!(got.shape(), [2, 1]);
    let want = [1.0, 2.5];
    let allowed = [6.661338147750941e-16, 1.5543122344752196e-15];
    for (i, x) in got.to_vec::<f64>()?.into_iter().enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    Ok(())
}
}
mod case_16 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // creation/full/bool/(2,)/C/small/value=True
    let got = cuprum::full([2], cuprum::Scalar::from(true), cuprum::DType::Bool)?;
    assert_eq!(got.dtype(), cuprum::DType::Bool);
    assert_eq!(got.shape(), [2]);
    assert_eq!(got.strides(), [1]);
    assert_eq!(got.to_vec::<bool>()?, [true, true]);
    Ok(())
}
}
mod case_17 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // creation/arange/f32/()/C/small/start=0;stop=3;step=1
    let got = cuprum::arange_of(cuprum::Scalar::from(0i64), cuprum::Scalar::from(3i64), cuprum::Scalar::from(1i64), Some(cuprum::DType::F32))?;
    assert_eq!(got.dtype(), cuprum::DType::F32);
    assert_eq!(got.shape(), [3]);
    assert_eq!(got.strides(), [4]);
    let want = [0.0, 1.0, 2.0];
    let allowed = [0.0, 0.0, 0.0];
    for (i, x) in got.to_vec::<f32>()?.into_iter().map(f64::from).enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    Ok(())
}
}
mod case_18 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // manipulation/reshape/i32/(2,3)/F/[1,2,3,4,5,6]/to=(3,2)
    let a = cuprum::Array::from_slice::<i32>(&[1, 4, 2, 5, 3, 6], [3, 2])?.transpose(&[1, 0])?;
    let got = a.reshape_in(vec![3, 2], cuprum::Order::C)?;
    assert_eq!(got.dtype(), cuprum::DType::I32);
    assert_eq!(got.shape(), [3, 2]);
    assert_eq!(got.strides(), [8, 4]);
    assert_eq!(got.to_vec::<i32>()?, [1, 2, 3, 4, 5, 6]);
    Ok(())
}
}
mod case_19 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // manipulation/moveaxis/i32/(1,2)/C/[1,2]/a=9;b=0
    let a = cuprum::Array::from_slice::<i32>(&[1, 2], [1, 2])?;
    let result = (|| -> cuprum::Result<_> { Ok(a.moveaxis(&[9], &[0])?) })();
    // The oracle: axis 9 is out of bounds for an array of 2 dimensions
    assert_eq!(result.unwrap_err().kind(), cuprum::ErrorKind::Axis);
    Ok(())
}
}
mod case_20 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // indexing/getitem/u16/(2,3)/C/[1,2,3,4,5,6]/key=[::-1,None,1]
    let a = cuprum::Array::from_slice::<u16>(&[1, 2, 3, 4, 5, 6], [2, 3])?;
    let got = a.index([cuprum::Index::Slice(cuprum::Slice { start: None, stop: None, step: Some(-1) }), cuprum::Index::NewAxis, cuprum::Index::At(1)])?;
    assert_eq!(got.dtype(), cuprum::DType::U16);
    assert_eq!(got.shape(), [2, 1]);
    assert_eq!(got.to_vec::<u16>()?, [5, 2]);
    Ok(())
}
}
mod case_21 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // indexing/getitem/u16/()/C/[1]/key=[]
    let a = cuprum::Array::from_slice::<u16>(&[1], ())?;
    let got = a.index([])?;
    assert_eq!(got.dtype(), cuprum::DType::U16);
    assert_eq!(got.shape(), [0usize; 0]);
    assert_eq!(got.to_vec::<u16>()?, [1]);
    Ok(())
}
}
mod case_22 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // indexing/setitem/f32-i8/(3,)x(1,)/C-C/[1.0,2.0,3.0]x[7]/key=[1:]
    let a = cuprum::Array::from_slice::<f32>(&[1.0, 2.0, 3.0], [3])?;
    let b = cuprum::Array::from_slice::<i8>(&[7], [1])?;
    let got = {
        a.index([cuprum::Index::Slice(cuprum::Slice { start: Some(1), stop: None, step: Some(1) })])?.assign(&b)?;
        a
    };
    assert_eq!(got.dtype(), cuprum::DType::F32);
    assert_eq!(got.shape(), [3]);
    assert_eq!(got.strides(), [4]);
    let want = [1.0, 7.0, 7.0];
    let allowed = [0.0, 0.0, 0.0];
    for (i, x) in got.to_vec::<f32>()?.into_iter().map(f64::from).enumerate() {
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), "part {i} is {x:?}, not {y:?}");
    }
    Ok(())
}
}
mod case_23 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // cast/astype/f64/(2,)/C/[1.5,-2.5]/to=i8
    let a = cuprum::Array::from_slice::<f64>(&[1.5, -2.5], [2])?;
    let got = a.astype(cuprum::DType::I8)?;
    assert_eq!(got.dtype(), cuprum::DType::I8);
    assert_eq!(got.shape(), [2]);
    assert_eq!(got.strides(), [1]);
    assert_eq!(got.to_vec::<i8>()?, [1, -2]);
    Ok(())
}
}
mod case_24 {
#[test]
fn reproduces() -> cuprum::Result<()> {
    // text/repr/f32/(2,)/C/[1.5,NaN]
    let a = cuprum::Array::from_slice::<f32>(&[1.5, f32::NAN], [2])?;
    let got = format!("{a:?}");
    assert_eq!(got, "array([1.5, nan], dtype=float32)");
    Ok(())
}
}
