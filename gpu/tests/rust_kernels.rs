//! Kernels written in Rust, with the attributes `kernel` and `kernel_fn`.

use cuprum::half::f16;
use cuprum::{Array, DType, ErrorKind, Result, arange, array, kernel, kernel_fn, sum, zeros};

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[test]
fn elements_are_computed_by_their_index() -> Result<()> {
    let (x, y) = (arange(0, 1000, 1)?.astype(DType::F32)?, zeros(1000, DType::F32)?);
    saxpy::indexed(1000, 2.0, &x, &y)?;
    assert_eq!(y.to_vec::<f32>()?, (0..1000).map(|i| 2.0 * i as f32).collect::<Vec<_>>());
    assert!(saxpy::source().contains("saxpy"));
    Ok(())
}

#[test]
fn arguments_are_checked() -> Result<()> {
    let (x, y) = (zeros(4, DType::F32)?, zeros(4, DType::F64)?);
    let e = saxpy::indexed(4, 1.0, &x, &y).unwrap_err();
    assert_eq!(
        (e.kind(), e.message()),
        (ErrorKind::Type, "saxpy: y has elements of float32, and float64 is given: cast it with astype")
    );
    let e = saxpy::indexed(4, 1.0, &x, &x).unwrap_err();
    assert!(e.message().contains("shares memory"), "{e}");
    let t = zeros([2, 2], DType::F32)?.t();
    assert!(saxpy::indexed(4, 1.0, &t, &x).unwrap_err().message().contains("not contiguous"));
    Ok(())
}

#[kernel]
fn beyond(x: &[i32], y: &mut [i32]) {
    let i = grid();
    y[i] = x[i + 2];
}

#[test]
fn no_index_leaves_an_array() -> Result<()> {
    let (x, y) = (array([1i32, 2, 3])?, array([9i32, 9])?);
    beyond::launch([1; 3], [2, 1, 1], &x, &y)?;
    let e = y.to_vec::<i32>().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Index);
    assert!(e.to_string().contains("beyond: index 3 at position 1 is out of bounds for axis 0 with size 3"), "{e}");
    assert_eq!(y.to_vec::<i32>()?, [3, 0]);
    Ok(())
}

#[kernel]
fn block_sums(x: &[f64], sums: &mut [f64]) {
    let tile = shared::<[f64; 128]>();
    let t = thread_idx_x() as usize;
    let mut total: f64 = 0.0;
    for i in (grid()..x.len()).step_by(grid_size()) {
        total += x[i];
    }
    tile[t] = total;
    sync_threads();
    let mut half: usize = 64;
    while half > 0 {
        if t < half {
            tile[t] += tile[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        sums[block_idx_x() as usize] = tile[0];
    }
}

#[kernel]
fn warp_sums(x: &[i32], total: &mut [i32], odd: &mut [u32]) {
    let mut value: i32 = if grid() < x.len() { x[grid()] } else { 0 };
    let votes = ballot(value % 2 != 0);
    for step in 0..5 {
        value += shuffle_xor(value, 1u32 << step as u32);
    }
    if lane() == 0 {
        atomic_add(&mut total[0], value);
        atomic_add(&mut odd[0], votes.count_ones());
    }
}

#[test]
fn threads_work_together() -> Result<()> {
    let x = arange(0, 5000, 1)?.astype(DType::F64)?;
    let sums = zeros(3, DType::F64)?;
    block_sums::launch([3, 1, 1], [128, 1, 1], &x, &sums)?;
    assert_eq!(sum(&sums, ())?.item::<f64>()?, 5000.0 * 4999.0 / 2.0);
    let x = arange(0, 100, 1)?.astype(DType::I32)?;
    let (total, odd) = (zeros(1, DType::I32)?, zeros(1, DType::U32)?);
    warp_sums::launch([2, 1, 1], [64, 1, 1], &x, &total, &odd)?;
    assert_eq!((total.item::<i32>()?, odd.item::<u32>()?), (4950, 50));
    Ok(())
}

/// Device functions that kernels call.
#[kernel_fn]
fn collatz(start: u32) -> u32 {
    let mut n = start;
    let mut steps: u32 = 0;
    loop {
        if n == 1 {
            return steps;
        }
        match n % 2 {
            0 => n /= 2,
            _ => n = 3 * n + 1,
        }
        steps += 1;
    }
}

#[kernel]
fn steps(out: &mut [u32]) {
    let i = grid();
    if i < out.len() {
        out[i] = collatz(i as u32 + 1);
    }
}

#[kernel]
fn scale<T>(x: &mut [T], by: T) {
    let i = grid();
    if i < x.len() {
        x[i] *= by + 1.0;
    }
}

#[kernel]
fn kinds(out: &mut [f64], h: f16, small: i8) {
    let wrapped = small * 2;
    out[0] = wrapped as f64;
    out[1] = (h + h) as f64;
    out[2] = (-1.5f32 as u8) as f64 + (1e10f32 as i32) as f64 + (f64::NAN as i64) as f64;
    out[3] = (2.0f64).sqrt().max(1.5).mul_add(2.0, 0.5);
    out[4] = if i32::MAX + 1 == i32::MIN { 1.0 } else { 0.0 };
    let mut count: i64 = 0;
    for i in 0..=10 {
        if i == 3 {
            continue;
        }
        if i > 7 {
            break;
        }
        count += i as i64;
    }
    out[5] = count as f64;
    // SAFETY: there are eight elements.
    out[6] = unsafe { *out.get_unchecked(5) } + (1u64 << 40 >> 38) as f64;
    match small {
        -100..=-1 => out[7] = 1.0,
        0 | 5 => out[7] = 2.0,
        _ => out[7] = 3.0,
    }
}

#[test]
fn functions_dtypes_and_conversions() -> Result<()> {
    let out = zeros(7, DType::U32)?;
    steps::indexed(7, &out)?;
    assert_eq!(out.to_vec::<u32>()?, [0, 1, 7, 2, 5, 8, 16]);
    let (x, z) = (array([1f32, 2.0])?, array([1.0, 2.0])?);
    scale::indexed(2, &x, 2f32)?;
    scale::indexed(2, &z, 3.0f64)?;
    assert_eq!((x.to_vec::<f32>()?, z.to_vec::<f64>()?), (vec![3.0, 6.0], vec![4.0, 8.0]));
    let out = zeros(8, DType::F64)?;
    kinds::launch([1; 3], [1; 3], &out, f16::from_f32(0.75), 100)?;
    let wanted = [-56.0, 1.5, 2147483647.0, 1.5f64.mul_add(2.0, 0.5), 1.0, 25.0, 29.0, 3.0];
    assert_eq!(out.to_vec::<f64>()?, wanted);
    let none = Array::from_slice::<f32>(&[], [0])?;
    scale::indexed(0, &none, 1f32)
}
