//! Tests of the table for NumPy users: every Rust expression of it is run and must print what NumPy 2.4 prints.

use std::fmt::Display;

use cuprum::prelude::*;
use cuprum::{AverageOptions, PadMode, UfuncOptions, linalg, ufunc};
use num_complex::Complex64;

/// Compares a result with NumPy's output.
#[track_caller]
fn row(ours: &impl Display, numpys: &str) {
    assert_eq!(ours.to_string(), numpys);
}

#[test]
fn every_line_runs_and_prints_what_numpy_prints() -> Result<()> {
    let a = arange(0.0, 12.0, 1.0)?.reshape([3, 4])?;
    let b = a.index(s![.., ..;-1])?;
    let c = arange(0, 24, 1)?.reshape([2, 3, 4])?;
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let x = array([0.0, 1.0, 2.0, 3.0])?;
    let z = array([Complex64::new(1.0, 2.0), Complex64::new(3.0, -1.0)])?;
    let i = array([0i64, 3, 1, 1])?;
    let out = zeros(4, ())?;

    // Making
    row(&(array([1.0, 2.0, 3.0])?), r#"[1. 2. 3.]"#);
    row(
        &(array([[1i64, 2], [3, 4]])?),
        r#"[[1 2]
 [3 4]]"#,
    );
    row(&(array([1f32, 2.0, 3.0])?), r#"[1. 2. 3.]"#);
    row(
        &(Array::from_slice(&values, [2, 3])?),
        r#"[[1. 2. 3.]
 [4. 5. 6.]]"#,
    );
    row(
        &(zeros([2, 3], ())?),
        r#"[[0. 0. 0.]
 [0. 0. 0.]]"#,
    );
    row(&(zeros(3, DType::I32)?), r#"[0 0 0]"#);
    row(&(ones(3, ())?), r#"[1. 1. 1.]"#);
    row(&(full(3, 7, DType::F32)?), r#"[7. 7. 7.]"#);
    row(
        &(zeros_like(&a, ())?),
        r#"[[0. 0. 0. 0.]
 [0. 0. 0. 0.]
 [0. 0. 0. 0.]]"#,
    );
    row(&(arange(0, 5, 1)?), r#"[0 1 2 3 4]"#);
    row(&(arange(2, 9, 3)?), r#"[2 5 8]"#);
    row(&(arange(0.0, 1.0, 0.25)?), r#"[0.   0.25 0.5  0.75]"#);
    let _ = empty([2, 2], ())?;
    // Looking
    assert_eq!(format!("{:?}", a.shape()), "[3, 4]");
    assert_eq!(a.ndim().to_string(), r#"2"#);
    assert_eq!(a.size().to_string(), r#"12"#);
    assert_eq!(a.nbytes().to_string(), r#"96"#);
    assert_eq!(a.itemsize().to_string(), r#"8"#);
    assert_eq!(format!("{:?}", a.strides()), "[32, 8]");
    let _ = a.dtype();
    assert_eq!(a.len().to_string(), r#"3"#);
    let _ = a.is_c_contiguous();
    let _ = a.may_share_memory(&b);
    assert_eq!(format!("{:?}", a.to_vec::<f64>()?), "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]");
    assert_eq!(format!("{:?}", a.index(s![0, 1])?.item::<f64>()?), "1.0");
    assert_eq!(
        a.to_string().to_string(),
        r#"[[ 0.  1.  2.  3.]
 [ 4.  5.  6.  7.]
 [ 8.  9. 10. 11.]]"#
    );
    let _ = format!("{x:.3}");
    assert_eq!(format!("{x:.2e}"), "[0.00e+00 1.00e+00 2.00e+00 3.00e+00]");
    // Shaping
    row(
        &(a.reshape([2, -1])?),
        r#"[[ 0.  1.  2.  3.  4.  5.]
 [ 6.  7.  8.  9. 10. 11.]]"#,
    );
    row(&(a.ravel()?), r#"[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11.]"#);
    row(&(a.flatten()?), r#"[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11.]"#);
    row(
        &(a.t()),
        r#"[[ 0.  4.  8.]
 [ 1.  5.  9.]
 [ 2.  6. 10.]
 [ 3.  7. 11.]]"#,
    );
    row(
        &(c.transpose([2, 0, 1])?),
        r#"[[[ 0  4  8]
  [12 16 20]]

 [[ 1  5  9]
  [13 17 21]]

 [[ 2  6 10]
  [14 18 22]]

 [[ 3  7 11]
  [15 19 23]]]"#,
    );
    row(
        &(a.swapaxes(0, 1)?),
        r#"[[ 0.  4.  8.]
 [ 1.  5.  9.]
 [ 2.  6. 10.]
 [ 3.  7. 11.]]"#,
    );
    row(
        &(c.moveaxis(0, -1)?),
        r#"[[[ 0 12]
  [ 1 13]
  [ 2 14]
  [ 3 15]]

 [[ 4 16]
  [ 5 17]
  [ 6 18]
  [ 7 19]]

 [[ 8 20]
  [ 9 21]
  [10 22]
  [11 23]]]"#,
    );
    row(
        &(a.expand_dims(0)?),
        r#"[[[ 0.  1.  2.  3.]
  [ 4.  5.  6.  7.]
  [ 8.  9. 10. 11.]]]"#,
    );
    row(
        &(a.index(s![.., NewAxis])?),
        r#"[[[ 0.  1.  2.  3.]]

 [[ 4.  5.  6.  7.]]

 [[ 8.  9. 10. 11.]]]"#,
    );
    row(&(a.index(s![.., ..1])?.squeeze(())?), r#"[0. 4. 8.]"#);
    row(
        &(x.broadcast_to([2, 4])?),
        r#"[[0. 1. 2. 3.]
 [0. 1. 2. 3.]]"#,
    );
    row(
        &(a.flip(1)?),
        r#"[[ 3.  2.  1.  0.]
 [ 7.  6.  5.  4.]
 [11. 10.  9.  8.]]"#,
    );
    row(&(cuprum::pad(&x, (1, 2), PadMode::Edge)?), r#"[0. 0. 1. 2. 3. 3. 3.]"#);
    row(
        &(cuprum::sliding_window_view(&x, 3, ())?),
        r#"[[0. 1. 2.]
 [1. 2. 3.]]"#,
    );
    row(
        &(a.tril(())?),
        r#"[[ 0.  0.  0.  0.]
 [ 4.  5.  0.  0.]
 [ 8.  9. 10.  0.]]"#,
    );
    row(&(z.real()), r#"[1. 3.]"#);
    row(&(z.imag()?), r#"[ 2. -1.]"#);
    // Copying and casting
    row(
        &(a.copy(())?),
        r#"[[ 0.  1.  2.  3.]
 [ 4.  5.  6.  7.]
 [ 8.  9. 10. 11.]]"#,
    );
    row(
        &(a.astype(DType::F32)?),
        r#"[[ 0.  1.  2.  3.]
 [ 4.  5.  6.  7.]
 [ 8.  9. 10. 11.]]"#,
    );
    row(
        &(cuprum::ascontiguousarray(a.t())?),
        r#"[[ 0.  4.  8.]
 [ 1.  5.  9.]
 [ 2.  6. 10.]
 [ 3.  7. 11.]]"#,
    );
    row(&(i.view(DType::U64)?), r#"[0 3 1 1]"#);
    let _ = cuprum::promote_types(DType::I32, DType::F32);
    // Indexing
    row(&(a.index(s![1])?), r#"[4. 5. 6. 7.]"#);
    row(&(a.index(s![-1])?), r#"[ 8.  9. 10. 11.]"#);
    row(&(a.index(s![1, 2])?), r#"6.0"#);
    row(
        &(a.index(s![1.., ..;-1])?),
        r#"[[ 7.  6.  5.  4.]
 [11. 10.  9.  8.]]"#,
    );
    row(&(a.index(s![Ellipsis, 0])?), r#"[0. 4. 8.]"#);
    row(
        &(a.index(s![.., ..-1])?),
        r#"[[ 0.  1.  2.]
 [ 4.  5.  6.]
 [ 8.  9. 10.]]"#,
    );
    row(&(a.index(s![1..;2, ..;3])?), r#"[[4. 7.]]"#);
    row(&(a.mask(a.greater(5)?)?), r#"[ 6.  7.  8.  9. 10. 11.]"#);
    row(
        &(a.take(&i, 1)?),
        r#"[[ 0.  3.  1.  1.]
 [ 4.  7.  5.  5.]
 [ 8. 11.  9.  9.]]"#,
    );
    row(&(a.greater(9)?.nonzero()?[0]), r#"[2 2]"#);
    row(&(cuprum::unstack(&a, ())?[1]), r#"[4. 5. 6. 7.]"#);
    row(&(cuprum::flatnonzero(a.greater(8)?)?), r#"[ 9 10 11]"#);
    row(
        &(cuprum::argwhere(a.greater(9)?)?),
        r#"[[2 2]
 [2 3]]"#,
    );
    row(
        &(where_(a.greater(5)?, &a, -1)?),
        r#"[[-1. -1. -1. -1.]
 [-1. -1.  6.  7.]
 [ 8.  9. 10. 11.]]"#,
    );
    let w = zeros([3, 4], ())?;
    w.set(s![0..2], 7)?;
    row(
        &w,
        r#"[[7. 7. 7. 7.]
 [7. 7. 7. 7.]
 [0. 0. 0. 0.]]"#,
    );
    let w = zeros([3, 4], ())?;
    w.set(s![.., 0], x.index(s![..3])?)?;
    row(
        &w,
        r#"[[0. 0. 0. 0.]
 [1. 0. 0. 0.]
 [2. 0. 0. 0.]]"#,
    );
    let w = zeros([3, 4], ())?;
    w.fill(3)?;
    row(
        &w,
        r#"[[3. 3. 3. 3.]
 [3. 3. 3. 3.]
 [3. 3. 3. 3.]]"#,
    );
    ufunc("add")?.at(&x.copy(())?, [&i], 1)?;
    // Computing
    row(
        &(&a + &b),
        r#"[[ 3.  3.  3.  3.]
 [11. 11. 11. 11.]
 [19. 19. 19. 19.]]"#,
    );
    row(
        &(&a * 2),
        r#"[[ 0.  2.  4.  6.]
 [ 8. 10. 12. 14.]
 [16. 18. 20. 22.]]"#,
    );
    row(
        &(1 / (&a + 1)),
        r#"[[1.         0.5        0.33333333 0.25      ]
 [0.2        0.16666667 0.14285714 0.125     ]
 [0.11111111 0.1        0.09090909 0.08333333]]"#,
    );
    let _ = (2.0 * &a).sqrt()?;
    row(
        &(-&a),
        r#"[[ -0.  -1.  -2.  -3.]
 [ -4.  -5.  -6.  -7.]
 [ -8.  -9. -10. -11.]]"#,
    );
    row(
        &(&a % 5),
        r#"[[0. 1. 2. 3.]
 [4. 0. 1. 2.]
 [3. 4. 0. 1.]]"#,
    );
    row(
        &(a.power(2)?),
        r#"[[  0.   1.   4.   9.]
 [ 16.  25.  36.  49.]
 [ 64.  81. 100. 121.]]"#,
    );
    row(
        &(a.floor_divide(2)?),
        r#"[[0. 0. 1. 1.]
 [2. 2. 3. 3.]
 [4. 4. 5. 5.]]"#,
    );
    row(&(&i & 1), r#"[0 1 1 1]"#);
    row(&(&i << 2), r#"[ 0 12  4  4]"#);
    row(
        &(a.equal(&b)?),
        r#"[[False False False False]
 [False False False False]
 [False False False False]]"#,
    );
    row(
        &(a.less(2)?),
        r#"[[ True  True False False]
 [False False False False]
 [False False False False]]"#,
    );
    row(
        &(a.greater(2)? & a.less(9)?),
        r#"[[False False False  True]
 [ True  True  True  True]
 [ True False False False]]"#,
    );
    row(
        &(!a.greater(2)?),
        r#"[[ True  True  True False]
 [False False False False]
 [False False False False]]"#,
    );
    row(
        &(a.sqrt()?),
        r#"[[0.         1.         1.41421356 1.73205081]
 [2.         2.23606798 2.44948974 2.64575131]
 [2.82842712 3.         3.16227766 3.31662479]]"#,
    );
    row(&(x.exp()?), r#"[ 1.          2.71828183  7.3890561  20.08553692]"#);
    row(&((-&x).abs()?), r#"[0. 1. 2. 3.]"#);
    row(
        &(a.maximum(5)?),
        r#"[[ 5.  5.  5.  5.]
 [ 5.  5.  6.  7.]
 [ 8.  9. 10. 11.]]"#,
    );
    row(
        &(a.maximum(2)?.minimum(9)?),
        r#"[[2. 2. 2. 3.]
 [4. 5. 6. 7.]
 [8. 9. 9. 9.]]"#,
    );
    row(
        &(a.clip(2, 9, ())?),
        r#"[[2. 2. 2. 3.]
 [4. 5. 6. 7.]
 [8. 9. 9. 9.]]"#,
    );
    row(&(cuprum::interp(&x, &x, &x * &x, ())?), r#"[0. 1. 4. 9.]"#);
    row(&(x.hypot(1)?), r#"[1.         1.41421356 2.23606798 3.16227766]"#);
    row(&(cuprum::arctan2(&x, 2)?), r#"[0.         0.46364761 0.78539816 0.98279372]"#);
    row(&((&x / 2).rint()?), r#"[0. 0. 1. 2.]"#);
    row(&(x.isnan()?.any(())?), r#"False"#);
    row(&(a.isclose(&b, ())?.sum(())?), r#"0"#);
    let _ = a.allclose(&a + 1e-12, ())?;
    let _ = cuprum::array_equal(&a, &b, ())?;
    row(&(cuprum::divmod(&i, 2)?.1), r#"[0 1 1 1]"#);
    row(
        &(cuprum::matmul(&a, a.t())?),
        r#"[[ 14.  38.  62.]
 [ 38. 126. 214.]
 [ 62. 214. 366.]]"#,
    );
    let _ = ufunc("add")?.call((&x, 1), UfuncOptions::new().out(&out))?;
    row(
        &(ufunc("multiply")?.outer(&x, &x, ())?),
        r#"[[0. 0. 0. 0.]
 [0. 1. 2. 3.]
 [0. 2. 4. 6.]
 [0. 3. 6. 9.]]"#,
    );
    // Reducing
    row(&(a.sum(())?), r#"66.0"#);
    row(&(a.sum(0)?), r#"[12. 15. 18. 21.]"#);
    row(&(c.mean([0, 2])?), r#"[ 7.5 11.5 15.5]"#);
    row(
        &(a.mean(Reduce::axis(1).keepdims(true))?),
        r#"[[1.5]
 [5.5]
 [9.5]]"#,
    );
    row(&(a.std(Reduce::all().ddof(1))?), r#"3.605551275463989"#);
    row(&(a.sum(Reduce::all().dtype(DType::F32))?), r#"66.0"#);
    row(&(a.max(-1)?), r#"[ 3.  7. 11.]"#);
    row(&(a.argmax(())?), r#"11"#);
    assert_eq!(a.argmin(())?.item::<usize>()?.to_string(), r#"0"#);
    row(&(a.greater(10)?.any(0)?), r#"[False False False  True]"#);
    row(&(cuprum::count_nonzero(&a, ())?), r#"11"#);
    row(&(cuprum::nansum(&a, ())?), r#"66.0"#);
    row(&(cuprum::median(&a, 0)?), r#"[4. 5. 6. 7.]"#);
    row(&(cuprum::percentile(&a, 90, ())?), r#"9.9"#);
    row(
        &(cuprum::quantile(&a, [0.25, 0.75], 1)?),
        r#"[[ 0.75  4.75  8.75]
 [ 2.25  6.25 10.25]]"#,
    );
    row(&(cuprum::average(&x, AverageOptions::new().weights(&x))?), r#"2.3333333333333335"#);
    row(
        &(cuprum::cov(&a, ())?),
        r#"[[1.66666667 1.66666667 1.66666667]
 [1.66666667 1.66666667 1.66666667]
 [1.66666667 1.66666667 1.66666667]]"#,
    );
    row(&(linalg::norm(&a, linalg::NormOptions::new().axis(1))?), r#"[ 3.74165739 11.22497216 19.13112647]"#);
    assert!((cuprum::polyfit(&x, 3 * &x, 1, ())?.0).allclose(array([3.0, 0.0])?, ())?);
    assert_eq!(linalg::svd(&a, linalg::SvdOptions::new().compute_uv(false))?.1.size(), 3);
    // Scans and differences
    row(
        &(a.cumsum(1)?),
        r#"[[ 0.  1.  3.  6.]
 [ 4.  9. 15. 22.]
 [ 8. 17. 27. 38.]]"#,
    );
    row(&(x.cumprod(())?), r#"[0. 0. 0. 0.]"#);
    row(&(x.diff(())?), r#"[1. 1. 1.]"#);
    row(&(cuprum::gradient(&x, ())?[0]), r#"[1. 1. 1. 1.]"#);
    row(&(cuprum::trapezoid(&x, ())?), r#"4.5"#);
    // Sorting, sets, searching
    row(
        &(cuprum::sort(&b, ())?),
        r#"[[ 0.  1.  2.  3.]
 [ 4.  5.  6.  7.]
 [ 8.  9. 10. 11.]]"#,
    );
    let w = zeros([3, 4], ())?;
    w.sort(())?;
    w.sort(0)?;
    row(
        &w,
        r#"[[0. 0. 0. 0.]
 [0. 0. 0. 0.]
 [0. 0. 0. 0.]]"#,
    );
    row(
        &(b.argsort(1)?),
        r#"[[3 2 1 0]
 [3 2 1 0]
 [3 2 1 0]]"#,
    );
    row(&(cuprum::unique(&i, ())?.values), r#"[0 1 3]"#);
    row(&(cuprum::union1d(&i, array([9])?)?), r#"[0 1 3 9]"#);
    row(&(cuprum::isin(&i, array([1, 3])?, ())?), r#"[False  True  True  True]"#);
    row(&(cuprum::partition(&x, 2, ())?), r#"[0. 1. 2. 3.]"#);
    row(&(cuprum::searchsorted(&x, 1.5, ())?), r#"2"#);
    row(&(i.bincount(())?), r#"[1 2 0 1]"#);
    let _ = cuprum::histogram(&a, 4)?.0;
    // Devices and the host
    let _ = a.to_vec::<f64>()?;
    let _ = Array::from_slice(&values, [2, 3])?;
    Device::current()?.with(|| ());
    Device::current()?.synchronize()?;
    let _ = Device::current()?.memory_pool().stats().used_bytes;
    Ok(())
}

/// Returns the Rust expressions of the table.
fn lines(page: &str) -> Vec<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.flat_map(|(_, right)| {
        right.split('`').skip(1).step_by(2).map(|code| code.replace("\\|", "|")).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn every_line_of_the_table_is_above() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/numpy-users.md")).unwrap();
    let here = include_str!("numpy_users.rs").split_whitespace().collect::<String>();
    let lines = lines(&page);
    assert!(lines.len() > 100, "{}", lines.len());
    for line in lines {
        // An ellipsis in a row represents arguments that the reader supplies.
        let code = line.replace('…', "()").split_whitespace().collect::<String>();
        assert!(here.contains(&code), "the test does not run {line}");
    }
}
