//! Tests of cases that the sample does not reach, found by seeded faults that it missed; the results follow from the
//! definitions.

use cuprum::scipy::special::gammainccinv;
use cuprum::{
    Argument, Array, DType, ElementwiseKernel, ErrorKind, GeneralizedUfunc, InterpOptions, RawModule, Reduce, Result,
    ScanOptions, Tuning, UnwrapOptions, any, arange, array, concatenate, cumsum, full, interp, linalg, s, take, unwrap,
    zeros,
};
use num_complex::Complex64;

fn numbers(size: i64, dtype: DType) -> Result<Array> {
    arange(0, size, 1)?.astype(dtype)
}

#[test]
fn a_function_of_a_core_is_called_for_every_place_in_front() -> Result<()> {
    // Two axes whose sizes have a common factor.
    let a = arange(0, 24, 1)?.reshape([2, 4, 3])?;
    let backwards = GeneralizedUfunc::new("backwards", "(n)->(n)", |x| Ok(vec![x[0].index(s![..;-1])?]))?;
    assert_eq!(backwards.call(&[&a])?[0].to_vec::<i64>()?, a.index(s![.., .., ..;-1])?.to_vec::<i64>()?);
    Ok(())
}

#[test]
fn sizes_of_blocks_are_looked_for_on_copies_and_kept_by_what_they_are_for() -> Result<()> {
    let tuning = Tuning::with_key("corners", ());
    let (x, y) = (numbers(100, DType::F32)?, numbers(100, DType::F32)?);
    let add = ElementwiseKernel::new("T x", "T y", "y += x", ())?;
    // SAFETY: the operation accesses only its elements.
    let call = |x: &Array, y: &Array| unsafe { add.call(&[x.into()], &[y], None, None) }.map(drop);
    tuning.with(|| call(&x, &y))?;
    assert_eq!(y.to_vec::<f32>()?, (0..100).map(|k| 2.0 * k as f32).collect::<Vec<_>>());
    // Other strides are tuned separately.
    tuning.with(|| call(&x.index(s![..66;2])?, &y.index(s![..33])?))?;
    tuning.with(|| call(&x.index(s![..99;3])?, &y.index(s![..33])?))?;
    assert_eq!(tuning.len(), 3);
    // An operation that depends on the block is not tuned.
    let telling = ElementwiseKernel::new("T x", "T y", "y = x + threadIdx.x * 0", ())?;
    // SAFETY: as above.
    tuning.with(|| unsafe { telling.call(&[(&x).into()], &[], None, None) })?;
    assert_eq!(tuning.len(), 3);
    // Raw kernels.
    let text = "extern \"C\" __global__ void bump(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }";
    let (bump, arguments) = (RawModule::compile(text, &[])?.kernel("bump")?, [Argument::Array(&x), Argument::I32(100)]);
    // SAFETY: the arguments match the kernel's parameters, and the kernel stays within the bounds of the array.
    let launch = |block: u32, given: &[Argument<'_>]| unsafe {
        bump.launch([100u32.div_ceil(block), 1, 1], [block, 1, 1], given)
    };
    tuning.with(|| bump.tune(&[64, 32], &arguments, launch))?;
    assert_eq!((x.to_vec::<f32>()?[99], tuning.len()), (99.0, 4));
    // Damaged files, and files of another key.
    let file = std::env::temp_dir().join(format!("cuprum-corners-{}", std::process::id()));
    tuning.save(&file)?;
    let text = std::fs::read_to_string(&file).unwrap();
    let rejected = |text: &str, key: &str| {
        std::fs::write(&file, text).unwrap();
        Tuning::with_key(key, ()).load(&file).map_err(|e| e.kind())
    };
    assert_eq!(rejected(&text, "corners"), Ok(()));
    assert_eq!(rejected(&text, "another"), Err(ErrorKind::Value));
    let damaged = format!("{}5000\n", &text[..text.trim_end().rfind(' ').unwrap() + 1]);
    assert_eq!(rejected(&damaged, "corners"), Err(ErrorKind::Value));
    std::fs::remove_file(file).unwrap();
    Ok(())
}

#[test]
fn between_complex_knots_each_part_has_its_own_slope() -> Result<()> {
    let (xp, fp) = (array([0.0, 2.0])?, array([Complex64::new(0.0, 0.0), Complex64::new(4.0, -12.0)])?);
    assert_eq!(interp(array([0.5, 1.0])?, &xp, &fp, InterpOptions::new())?.imag()?.to_vec::<f64>()?, [-3.0, -6.0]);
    Ok(())
}

#[test]
fn a_distance_of_integers_is_a_jump_from_a_broken_number_on() -> Result<()> {
    let options = UnwrapOptions::new().period(4).discont(3.5);
    assert_eq!(unwrap(array([0, 3, 7])?, options)?.to_vec::<i32>()?, [0, 3, 3]);
    Ok(())
}

#[test]
fn rows_that_lie_an_odd_number_of_bytes_apart_are_taken() -> Result<()> {
    let a = numbers(90, DType::U8)?.reshape([10, 9])?;
    let rows = take(a.index(s![.., ..8])?, array([1, 3])?, 0)?;
    assert_eq!(rows.to_vec::<u8>()?, (9..17).chain(27..35).collect::<Vec<u8>>());
    Ok(())
}

#[test]
fn many_bytes_are_sorted_where_they_are() -> Result<()> {
    let a = numbers(300_000, DType::I64)?.multiply(7)?.astype(DType::U8)?;
    a.sort(-1)?;
    let mut wanted: Vec<u8> = (0..300_000u32).map(|i| (7 * i) as u8).collect();
    wanted.sort_unstable();
    assert!(a.to_vec::<u8>()? == wanted);
    Ok(())
}

#[test]
fn every_block_of_elements_may_end_with_the_first_of_a_part() -> Result<()> {
    let all = numbers(255 + 256 * 200, DType::I32)?;
    let mut parts = vec![all.index(s![..255])?];
    for k in 0..200 {
        parts.push(all.index(s![255 + 256 * k..511 + 256 * k])?);
    }
    let joined = concatenate(parts.iter().collect::<Vec<_>>(), ())?;
    assert!(joined.to_vec::<i32>()? == all.to_vec::<i32>()?);
    Ok(())
}

#[test]
fn a_strip_of_columns_has_many_before_it() -> Result<()> {
    let (rows, columns) = (20_000, 32);
    let a = numbers(rows * columns, DType::I64)?.reshape([rows as usize, columns as usize])?;
    let sums = cumsum(&a, ScanOptions::new().axis(0))?.to_vec::<i64>()?;
    for (i, &sum) in sums.iter().enumerate() {
        let (row, column) = (i as i64 / columns, i as i64 % columns);
        assert_eq!(sum, columns * (row * (row + 1) / 2) + column * (row + 1), "row {row}, column {column}");
    }
    Ok(())
}

#[test]
fn booleans_are_written_to_odd_addresses() -> Result<()> {
    let a = zeros([64, 64], DType::Bool)?;
    a.set(s![5, 7], true)?;
    let out = zeros(65, DType::Bool)?;
    any(&a, Reduce::axis(0).out(&out.index(s![1..])?))?;
    assert_eq!(out.to_vec::<bool>()?.iter().position(|&x| x), Some(8));
    Ok(())
}

/// Computes the product of the factors with the row exchanges undone, exactly for matrices of zeros and ones.
fn product(lu: &[f64], exchanged: &[i32], n: usize) -> Vec<f64> {
    let below = |i: usize, k: usize| if k == i { 1.0 } else { lu[i * n + k] };
    let mut a: Vec<f64> = (0..n * n)
        .map(|e| (e / n, e % n))
        .map(|(i, j)| (0..=i.min(j)).map(|k| below(i, k) * lu[k * n + j]).sum())
        .collect();
    for (k, &other) in exchanged.iter().enumerate().rev() {
        (0..n).for_each(|j| a.swap(k * n + j, other as usize * n + j));
    }
    a
}

#[test]
fn factors_of_singular_matrices_are_whole() -> Result<()> {
    // No pivot in the first column; none in the second; one in each; one found by an exchange.
    let matrices: [[f64; 9]; 4] = [
        [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0],
    ];
    let stack = Array::from_vec(matrices.concat())?.reshape([4, 3, 3])?;
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        let a = stack.astype(dtype)?;
        for (k, matrix) in matrices.iter().enumerate() {
            // As part of the batch, and single.
            for (part, k) in [(a.clone(), k), (a.index(s![k as i64..k as i64 + 1])?, 0)] {
                let (lu, exchanged) = linalg::lu_factor(&part)?;
                let (lu, exchanged) = (lu.real().astype(DType::F64)?.to_vec::<f64>()?, exchanged.to_vec::<i32>()?);
                let made = product(&lu[k * 9..][..9], &exchanged[k * 3..][..3], 3);
                assert_eq!(made, matrix, "{dtype}, {k} of {}", part.shape()[0]);
            }
        }
    }
    // More columns than a block has threads.
    let wide = zeros([2, 300, 300], DType::F64)?;
    wide.set(s![.., .., 5], 1)?;
    wide.set(s![.., 3, 7..], 2)?;
    let (lu, exchanged) = linalg::lu_factor(&wide)?;
    let (lu, exchanged) = (lu.to_vec::<f64>()?, exchanged.to_vec::<i32>()?);
    assert!(product(&lu[90_000..], &exchanged[300..], 300) == wide.to_vec::<f64>()?[90_000..]);
    Ok(())
}

#[test]
fn a_small_order_keeps_its_digits_where_the_gamma_function_is_inverted() -> Result<()> {
    // For an order this small Q is a E1(x), and E1(x) is -log(x) minus Euler's constant for small x.
    for a in [1e-20, 9.2e-41, 1e-300] {
        let x = gammainccinv(array([a])?, array([100.0 * a])?)?.item::<f64>()?;
        let wanted = (-100.577_215_664_901_53f64).exp();
        assert!((x / wanted - 1.0).abs() < 1e-13, "{a:e}: {x:e}, not {wanted:e}");
    }
    Ok(())
}

/// Results that float64 represents must be exact.
#[test]
fn whole_powers_logarithms_and_sides_are_exact() -> Result<()> {
    let n = numbers(2000, DType::F64)?;
    for exponent in 0..4 {
        let wanted: Vec<f64> = (0..2000u64).map(|n| n.pow(exponent) as f64).collect();
        let exponents = full([2000], f64::from(exponent), ())?;
        assert_eq!(n.power(&exponents)?.to_vec::<f64>()?, wanted, "to the power of {exponent}");
    }
    assert_eq!(n.square()?.power(full([2000], 0.5, ())?)?.to_vec::<f64>()?, n.to_vec::<f64>()?);
    let sevenths = n.divide(7.0)?;
    assert_eq!(sevenths.power(full([2000], 1.0, ())?)?.to_vec::<f64>()?, sevenths.to_vec::<f64>()?);
    let twos: Vec<f64> = (-1022..1024).map(|k| 2.0f64.powi(k)).collect();
    let whole = arange(-1022.0, 1024.0, 1.0)?;
    assert_eq!(array(twos.clone())?.log2()?.to_vec::<f64>()?, whole.to_vec::<f64>()?);
    assert_eq!(whole.exp2()?.to_vec::<f64>()?, twos);
    assert_eq!(full([twos.len()], 2.0, ())?.power(&whole)?.to_vec::<f64>()?, twos);
    // (m^2 - k^2, 2 m k, m^2 + k^2) are the sides of a right triangle; the squares of the larger ones are rounded.
    let pairs = (1..60u64).flat_map(|m| (1..m).map(move |k| (m, k))).chain((1..2000).map(|k| (20_000 + 7 * k, 3 * k)));
    let sides = pairs.map(|(m, k)| [m * m - k * k, 2 * m * k, m * m + k * k].map(|n| n as f64));
    let (legs, longest): (Vec<_>, Vec<_>) = sides.map(|[a, b, c]| (Complex64::new(a, b), c)).unzip();
    let legs = array(legs)?;
    assert_eq!(legs.real().hypot(legs.imag()?)?.to_vec::<f64>()?, longest);
    assert_eq!(legs.absolute()?.to_vec::<f64>()?, longest);
    Ok(())
}
